"""What a person tells of a real table, such as ``hand="R5 G3", top="R3", theirs=5``: what the
reading of every game shares. The words of a game are read by the game itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kibitz import contract
from kibitz import rng as random
from kibitz.games.base import Event, Game, KibitzError, Rules, State, members, nearest


@dataclass(frozen=True)
class Told:
    """What a game makes of it: either the events that the seat saw, or what it sees now."""

    seat: int
    events: tuple[Event, ...] = ()
    observation: State | None = None
    """Where nobody told how it came about, and so there are no events."""
    evidence: Any = None
    """With an observation: what else is known of the hidden cards, for `Game.bare_belief`."""


TRIED = 16
"""Worlds in which an action is tried, to learn whether all that follows from it is seen."""


def of_action(game: Game, rules: Rules, seat: int, seen: State, action: int) -> list[Event]:
    """What `seat` sees of an action of the seat to act, if that follows from the action alone."""
    params, rng, world = rules.params, random.generator(0, stream=random.SAMPLES), game.new_state()
    found: dict[tuple[Event, ...], None] = {}
    for _ in range(TRIED):
        contract.sample_hidden(params, seen, seat, rng, world)
        if action in members(contract.legal_actions(params, world)):
            after = world.copy()
            contract.apply(params, after, action, rng)
            events = game.events(rules, world, action, after)
            found[tuple(event.seen_by(seat) for event in events)] = None
    if not found:
        raise KibitzError(f"{game.action_text(seen, action)} is not allowed now")
    if len(found) > 1:
        example = "; ".join(map(game.event_text, next(iter(found))))
        raise KibitzError(f"what is seen of this is to be told, too, such as {example!r}")
    return list(next(iter(found)))


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
