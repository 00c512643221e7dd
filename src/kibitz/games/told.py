"""A position that a person tells in a few words, such as ``hand="R5 G3", top="R3", theirs=5``: what
the reading of every game shares. The words of a game are read by the game itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kibitz.games.base import Event, KibitzError, State, nearest


@dataclass(frozen=True)
class Told:
    """What a game makes of it: either the events that the seat saw, or what it sees now."""

    seat: int
    events: tuple[Event, ...] = ()
    observation: State | None = None
    """Where nobody told how it came about, and so there are no events."""
    evidence: Any = None
    """With an observation: what else is known of the hidden cards, for `Game.bare_belief`."""


def check_names(
    options: Mapping[str, str], known: Mapping[str, str], needed: tuple[str, ...], example: str
) -> None:
    """Refuse options that there are none of, and a position that lacks what it needs."""
    for name in options:
        if name not in known:
            hint = nearest(name, list(known))
            raise KibitzError(f"a position has no {name!r}{hint}; there are {', '.join(known)}")
    for name in needed:
        if not options.get(name, "").strip():
            raise KibitzError(f"a position needs {name} ({known[name]}), such as {example}")


def whole_number(name: str, text: str, low: int, high: int) -> int:
    """A number that was told, within bounds."""
    said = text.strip()
    if not (said.isascii() and said.isdecimal() and len(said) <= 4 and low <= int(said) <= high):
        raise KibitzError(f"{name} must be a whole number from {low} to {high}, not {text!r}")
    return int(said)
