"""What a person tells of a real table, such as ``hand="R5 G3", top="R3", theirs=5``: what the
reading of every game shares. The words of a game are read by the game itself.
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
    options: Mapping[str, str],
    known: Mapping[str, str],
    needed: tuple[str, ...],
    example: str,
    what: str = "a position",
) -> None:
    """Refuse options that there are none of, and a position that lacks what it needs."""
    for name in options:
        if name not in known:
            hint = nearest(name, list(known))
            raise KibitzError(f"{what} has no {name!r}{hint}; there are {', '.join(known)}")
    for name in needed:
        if not options.get(name, "").strip():
            raise KibitzError(f"{what} needs {name} ({known[name]}), such as {example}")


def whole_number(name: str, text: str, low: int, high: int) -> int:
    """A number that was told, within bounds."""
    said = text.strip()
    if not (said.isascii() and said.isdecimal() and len(said) <= 4 and low <= int(said) <= high):
        raise KibitzError(f"{name} must be a whole number from {low} to {high}, not {text!r}")
    return int(said)


def words_of(said: object, example: str) -> list[str]:
    """What was said of a move, word by word: at least one."""
    if not isinstance(said, str):
        raise KibitzError(f"a move is told as a text such as {example}, not {said!r}")
    words = said.replace(",", " ").split()
    if not words:
        raise KibitzError(f"nothing was told; tell what was done, such as {example}")
    return words
