"""View: all that one seat may know, and nothing else.

This is what an agent gets. It holds the rules, the events as the seat saw them (its own hand, all
public moves, the number of cards others drew) and the present observation: the game's record with
every unseen card taken out. A View cannot be changed, and it has one canonical form in bytes: two
views are equal exactly when their bytes are, so it can be a key, a message, and the object of the
leak test.

May import the contract and `games`, never a particular game, and never the table.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, cast

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from kibitz import contract
from kibitz.contract import ACTIONS
from kibitz.games import game_of, rules_from_dict
from kibitz.games.base import Event, KibitzError, Rules, State, check_seat, members

FORMAT: Literal[1] = 1


@dataclass(frozen=True)
class View:
    """All that one seat may know of a game."""

    rules: Rules
    seat: int
    events: tuple[Event, ...]
    to_act: int
    """The seat to act, -1 when the game is over."""
    actions: tuple[int, ...]
    """The legal actions if this seat is to act, else none: another's choices show its hand."""
    data: bytes
    """The observation, as bytes of the game's record."""

    @classmethod
    def of(cls, rules: Rules, seat: int, events: Iterable[Event], seen: State) -> View:
        """The view of a seat that saw these events, and sees this now."""
        to_act = int(contract.player_to_act(rules.params, seen))
        mine = members(contract.legal_actions(rules.params, seen)) if to_act == seat else []
        return cls(rules, seat, tuple(events), to_act, tuple(mine), seen.tobytes())

    def after(self, events: Iterable[Event]) -> View:
        """With these events, too."""
        return _followed(self.rules, self.seat, self.events, self.observation, events)

    @cached_property
    def observation(self) -> State:
        """The record with every unseen card taken out; it cannot be written to."""
        return cast(State, np.frombuffer(self.data, game_of(self.rules).dtype)[0])

    @property
    def over(self) -> bool:
        return self.to_act < 0

    def text(self, action: int) -> str:
        """An action of this seat in notation."""
        return game_of(self.rules).action_text(self.observation, action)

    @property
    def legal(self) -> tuple[str, ...]:
        """The legal actions in notation."""
        return tuple(self.text(action) for action in self.actions)

    def history(self) -> tuple[str, ...]:
        """The events in notation, one line each."""
        game = game_of(self.rules)
        return tuple(game.event_text(event) for event in self.events)

    @property
    def plies(self) -> int:
        """Moves that the seat has seen, its own included."""
        action_of = game_of(self.rules).action_of
        return sum(action_of(event) is not None for event in self.events)

    def to_dict(self) -> dict[str, Any]:
        """For a program that draws it: numbers and notation only."""
        return {
            "game": self.rules.game,
            "rules": self.rules.to_dict(),
            "seat": self.seat,
            "to_act": self.to_act,
            "plies": self.plies,
            "legal": list(self.legal),
            "events": list(self.history()),
            "state": game_of(self.rules).shown(self.rules, self.observation, self.seat),
        }

    def to_bytes(self) -> bytes:
        """The canonical form: JSON with sorted keys and no spaces."""
        content = {
            "format": FORMAT,
            "rules": {"game": self.rules.game, **self.rules.to_dict()},
            "seat": self.seat,
            "events": self.history(),
            "to_act": self.to_act,
            "actions": self.actions,
            "observation": self.data.hex(),
        }
        return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> View:
        """The view that `to_bytes` wrote; anything else is refused with a `KibitzError`."""
        try:
            content = _Content.model_validate_json(data)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise KibitzError(f"not a view: {where} {first['msg'].lower()}") from None
        rules = rules_from_dict(content.rules)
        game = game_of(rules)
        seats = range(rules.seats)
        if content.seat not in seats or content.to_act not in (-1, *seats):
            raise KibitzError(f"not a view: seats are 0 to {rules.seats - 1}")
        if content.actions and content.to_act != content.seat:
            raise KibitzError("not a view: actions of a seat that is not to act")
        if len(content.observation) != game.dtype.itemsize:
            raise KibitzError("not a view: the observation has the wrong length")
        return cls(
            rules=rules,
            seat=content.seat,
            events=tuple(game.parse_event(line) for line in content.events),
            to_act=content.to_act,
            actions=content.actions,
            data=content.observation,
        )


def view_of(rules: Rules, seat: int, events: Iterable[Event]) -> View:
    """The view of a seat that saw these events: what `Table.view` gives, without the table. An
    event that cannot be by the rules and what the seat saw is refused; whether any hidden cards
    explain all of them is for a belief to say."""
    check_seat(rules, seat)
    return _followed(rules, seat, (), None, events)


def _followed(
    rules: Rules, seat: int, before: tuple[Event, ...], seen: State | None, events: Iterable[Event]
) -> View:
    game, more = game_of(rules), []
    for event in events:
        if not isinstance(event, Event):
            raise KibitzError(
                f"{event!r} is no event; those of view.events are, and lines of the notation are "
                "read by game_of(rules).parse_event"
            )
        seen = game.follow(rules, seat, seen, event)
        more.append(event)
    if seen is None:
        raise KibitzError("a view needs events: at least those of the deal")
    return View.of(rules, seat, (*before, *more), seen)


def checked_view(said: Any) -> View:
    """A view, or a `KibitzError` that says where views come from. A table is none: it has all
    cards."""
    if not isinstance(said, View):
        raise KibitzError(
            f"a view is wanted, what one seat may know, such as table.view(0); not {said!r}"
        )
    return said


def check_turn(said: Any) -> None:
    """Refuse what is no view, or that of a seat with nothing to decide."""
    view = checked_view(said)
    if view.to_act != view.seat:
        who = "the game is over" if view.over else f"seat {view.to_act} is to act"
        raise KibitzError(f"seat {view.seat} has nothing to decide: {who}")


class _Content(BaseModel):
    """A view's JSON, checked field by field."""

    model_config = ConfigDict(strict=True, extra="forbid", val_json_bytes="utf8")

    format: Literal[1]
    rules: dict[str, Any]
    seat: int
    events: tuple[str, ...]
    to_act: int
    actions: tuple[Annotated[int, Field(ge=0, lt=ACTIONS)], ...]
    observation: bytes

    @field_validator("observation", mode="before")
    @classmethod
    def _from_hex(cls, value: object) -> object:
        return bytes.fromhex(value) if isinstance(value, str) else value
