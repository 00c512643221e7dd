"""Positions at a real table: what one seat may know, from the events it saw, from a game told move
by move, or from the few words in which a person tells where a game stands.

There is no true state here and nothing that could reach one: a position is what the seat knows, and
a belief is all there is to say of the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from kibitz import contract
from kibitz.beliefs import Belief, belief, read_options
from kibitz.games import game_of, rules_from_dict, rules_type
from kibitz.games.base import Event, KibitzError, Rules, State, check_rules, members, nearest
from kibitz.games.model import Chances, Model
from kibitz.view import View, checked_view

__all__ = ["Position", "Seen", "Telling", "position", "view_of"]


class Seen:
    """What a seat has seen so far, event by event. It never changes: `after` gives another."""

    def __init__(self, rules: Rules, seat: int) -> None:
        self._now = _nothing_seen(rules, seat)

    def after(self, events: Iterable[Event]) -> Seen:
        """With these events, too; one that cannot be is refused."""
        found = copy(self)
        found._now = _updated(self._now, events)
        return found

    @property
    def view(self) -> View:
        """What `Table.view` gives, without the table."""
        now = self._now
        if not now.events:
            raise KibitzError("a view needs events: at least those of the deal")
        return _view(now.rules, now.seat, now.events, now.observation)


def view_of(rules: Rules, seat: int, events: Iterable[Event]) -> View:
    """The view of a seat that saw these events."""
    return Seen(rules, seat).after(events).view


def _nothing_seen(rules: Rules, seat: int) -> Belief:
    """What follows the observation of a seat from event to event, and checks them."""
    check_rules(rules)
    if type(seat) is not int or seat not in range(rules.seats):
        raise KibitzError(f"seat must be 0 to {rules.seats - 1}, not {seat!r}")
    # only what it sees is wanted: the model, and what is hidden, do not matter
    options = read_options(rules, game_of(rules).quick_method, "constraints", n=1)
    return game_of(rules).belief(rules, seat, options)


def _updated(found: Belief, events: Iterable[Event]) -> Belief:
    for event in events:
        if not isinstance(event, Event):
            raise KibitzError(
                f"{event!r} is no event; those of view.events are, and lines of the notation are "
                "read by game_of(rules).parse_event"
            )
        found = found.update(event)
    return found


def _view(rules: Rules, seat: int, events: tuple[Event, ...], seen: State) -> View:
    to_act = int(contract.player_to_act(rules.params, seen))
    mine = members(contract.legal_actions(rules.params, seen)) if to_act == seat else []
    return View(rules, seat, events, to_act, tuple(mine), seen.tobytes())


class Telling:
    """A game at a real table, told move by move by a person in one seat of it.

    First the hand and what was turned up: ``Telling(rules("blob", cards=3), 0, {"hand": "AS KH 3D",
    "trump": "hearts"})``; then what the seat to act did: ``tell("1")``, ``tell("QH")``, with the
    cards that the person got by it (``draw G3``, or in a whole game of Blob ``QH deal AS KD``).
    Everything else follows from the rules. It never changes: `tell` and `undo` give another, so
    that slips can be mended.
    """

    def __init__(self, rules: Rules, seat: int, told: Mapping[str, Any]) -> None:
        self._now = _nothing_seen(rules, seat)
        self.rules = rules
        self.seat = seat
        if not isinstance(told, Mapping):
            raise KibitzError(f"a game begins with what is told of the deal, not {told!r}")
        there = {str(name): value for name, value in told.items() if value is not None}
        self.told = {name: _text(name, value) for name, value in there.items()}
        """Of the beginning."""
        self.said: tuple[str, ...] = ()
        """What was told since, move by move."""
        self._now = _updated(self._now, game_of(rules).begin(rules, seat, self.told))

    def __repr__(self) -> str:
        return f"<Telling {self.rules}, seat {self.seat}, {len(self.said)} moves told>"

    @cached_property
    def view(self) -> View:
        """What the seat may know now."""
        return _view(self.rules, self.seat, self._now.events, self._now.observation)

    def tell(self, said: str) -> Self:
        """The game after one more move, that of the seat to act."""
        seen = self._now.observation
        events = game_of(self.rules).happens(self.rules, self.seat, seen, said)
        found = copy(self)
        found.__dict__.pop("view", None)
        found._now = _updated(self._now, events)
        try:
            found._now.check()
        except KibitzError as error:
            raise KibitzError(f"{said!r}: {error}; this or a move before it is not right") from None
        found.said = (*self.said, said.strip())
        return found

    def undo(self, moves: int = 1) -> Self:
        """The game before the last moves that were told."""
        if type(moves) is not int or not 0 <= moves <= len(self.said):
            raise KibitzError(f"cannot take back {moves!r} of {len(self.said)} moves")
        # told again: to keep what was before each move would take memory by the square of them
        found = type(self)(self.rules, self.seat, self.told)
        for said in self.said[: len(self.said) - moves]:
            found = found.tell(said)
        return found

    def to_dict(self) -> dict[str, Any]:
        """For JSON: all that was told."""
        return {
            "rules": {"game": self.rules.game, **self.rules.to_dict()},
            "seat": self.seat,
            "told": dict(self.told),
            "said": list(self.said),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """What `to_dict` gave, told again; anything else is refused."""
        names = {"rules": dict, "seat": int, "told": dict, "said": list}
        if not isinstance(data, Mapping) or set(data) != set(names):
            raise KibitzError(f"a game that was told has {', '.join(names)}, and nothing else")
        for name, kind in names.items():
            if not isinstance(data[name], kind):
                raise KibitzError(f"a game that was told: {name} cannot be {data[name]!r}")
        found = cls(rules_from_dict(data["rules"]), data["seat"], data["told"])
        for number, said in enumerate(data["said"], 1):
            try:
                found = found.tell(said)
            except KibitzError as error:
                raise KibitzError(f"move {number}, {said!r}: {error}") from None
        return found


@dataclass(frozen=True)
class Position:
    """Where a game stands, as the seat to act knows it."""

    view: View
    """Without events if nobody told how it came about."""
    evidence: Any = None
    """What is known of the hidden cards besides, where there are no events."""

    def __post_init__(self) -> None:
        checked_view(self.view)

    def belief(
        self,
        model: str | Model | Chances = "auto",
        n: int = 1000,
        seed: int = 0,
        method: str = "auto",
    ) -> Belief:
        """What the seat may think of the hidden cards: as `kibitz.belief`, with the evidence."""
        view = self.view
        if view.events:
            return belief(view, method, model, n, seed)
        options = read_options(view.rules, method, model, n, seed)
        game = game_of(view.rules)
        return game.bare_belief(view.rules, view.seat, view.observation, options, self.evidence)


def position(game: str | Rules, /, **told: Any) -> Position:
    """A position that a person tells, who is to act in it.

    UNO: ``position("uno", hand="R5 G3 W", top="R3", theirs=5, drew="red")``. Blob:
    ``position("blob", players=3, hand="AS KH 3D", trump="hearts", bids="1 0")``. `game` is a name,
    and then options of its rules may be among those told, or rules. Values are text or numbers, or
    lists of them; None is as good as not told. `Game.position_options` has the names.
    """
    said = {name: value for name, value in told.items() if value is not None}
    if isinstance(game, Rules):
        rules, texts = game, {name: _text(name, value) for name, value in said.items()}
    else:
        rules, texts = _split(game, said)
    found = game_of(rules).told(rules, texts)
    if found.observation is None:
        return Position(view_of(rules, found.seat, found.events))
    return Position(_view(rules, found.seat, (), found.observation), found.evidence)


def _split(name: str, said: dict[str, Any]) -> tuple[Rules, dict[str, str]]:
    """Rules and what was told of the position, by their names; a name that both have tells the
    position."""
    kind = rules_type(str(name))
    game = game_of(kind)
    there = [*game.position_options, *(o for o in kind.model_fields)]
    for option in said:
        if option not in there:
            raise KibitzError(
                f"neither a position nor the rules of {name} have {option!r}"
                f"{nearest(option, there)}; a position has {', '.join(game.position_options)}"
            )
    texts = {o: _text(o, v) for o, v in said.items() if o in game.position_options}
    options = {o: v for o, v in said.items() if o not in game.position_options}
    return game.rules_told(kind, options, texts), texts


def _text(name: str, value: Any) -> str:
    """A value as one text, its parts separated by blanks."""
    parts = value if isinstance(value, list | tuple) else [value]
    if not all(isinstance(part, str) or type(part) is int for part in parts):
        raise KibitzError(f"{name} must be a text or a whole number, not {value!r}")
    return " ".join(str(part) for part in parts).replace(",", " ")
