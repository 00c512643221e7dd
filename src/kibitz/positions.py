"""Positions at a real table: what one seat may know, from the events it saw, from a game told move
by move, or from the few words in which a person tells where a game stands.

There is no true state here and nothing that could reach one: a position is what the seat knows, and
a belief is all there is to say of the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

from kibitz.beliefs import Belief, BeliefCache, belief
from kibitz.games import game_of, rules_from_dict, rules_type
from kibitz.games.base import KibitzError, Rules, check_seat, nearest
from kibitz.games.model import Chances, Model
from kibitz.view import View, checked_view, view_of

__all__ = ["Position", "Telling", "check_possible", "position"]


_CHECKED = BeliefCache()


def check_possible(view: View) -> None:
    """Raise a `KibitzError` if no hidden cards explain what was seen: what is told of a real table
    may be wrong though every event of it could be."""
    method = game_of(view.rules).quick_method
    belief(view, method, "constraints", n=1, cache=_CHECKED).check()


class Telling:
    """A game at a real table, told move by move by a person in one seat of it.

    First the hand and what was turned up: ``Telling(rules("blob", cards=3), 0, {"hand": "AS KH 3D",
    "trump": "hearts"})``; then what the seat to act did: ``tell("1")``, ``tell("QH")``, with the
    cards that the person got by it (``draw G3``, or in a whole game of Blob ``QH deal AS KD``).
    Everything else follows from the rules. It never changes: `tell` and `undo` give another, so
    that slips can be mended.
    """

    def __init__(self, rules: Rules, seat: int, told: Mapping[str, Any]) -> None:
        check_seat(rules, seat)
        self.rules = rules
        self.seat = seat
        if not isinstance(told, Mapping):
            raise KibitzError(f"a game begins with what is told of the deal, not {told!r}")
        there = {str(name): value for name, value in told.items() if value is not None}
        self.told = {name: _text(name, value) for name, value in there.items()}
        """Of the beginning."""
        self.said: tuple[str, ...] = ()
        """What was told since, move by move."""
        self.view = view_of(rules, seat, game_of(rules).begin(rules, seat, self.told))
        """What the seat may know now."""

    def __repr__(self) -> str:
        return f"<Telling {self.rules}, seat {self.seat}, {len(self.said)} moves told>"

    def tell(self, said: str) -> Self:
        """The game after one more move, that of the seat to act."""
        seen = self.view.observation
        events = game_of(self.rules).happens(self.rules, self.seat, seen, said)
        found = copy(self)
        found.view = self.view.after(events)
        try:
            check_possible(found.view)
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
        return belief(self.view, method, model, n, seed, evidence=self.evidence)


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
        view = view_of(rules, found.seat, found.events)
        check_possible(view)
        return Position(view)
    return Position(View.of(rules, found.seat, (), found.observation), found.evidence)


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
