"""Records: a game as one line of JSON, whole or as one seat saw it."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kibitz.games import game_of, rules_from_dict
from kibitz.games.base import Event, KibitzError, Rules, check_seat, read_object
from kibitz.rng import MAX_INDEX, MAX_SEED
from kibitz.table.chance import PLAIN, SECRET

FORMAT: Literal[1] = 1


class Result(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    returns: list[float]
    ending: str
    """Why it ended: emptied, exhausted or truncated in UNO, played in Blob."""
    plies: int = Field(ge=0)


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Literal[1]
    game: str
    rules: dict[str, Any]
    rules_hash: str
    players: list[str] | None
    result: Result | None
    """None while the game is unfinished."""

    def to_json(self) -> str:
        return json.dumps(self.model_dump(mode="json"), separators=(",", ":"))

    def checked_rules(self) -> Rules:
        """The rules, if they are those that were hashed and the players fit them."""
        rules = rules_from_dict({"game": self.game, **self.rules})
        if rules.digest != self.rules_hash:
            raise KibitzError(f"the record's rules have hash {rules.digest}, not {self.rules_hash}")
        if self.players is not None and len(self.players) != rules.seats:
            raise KibitzError(f"{rules.seats} players are needed, not {len(self.players)}")
        return rules


class Record(_Line):
    """Everything: whoever reads it knows all cards, and can replay the game without our generator,
    since draws and later deals stand with the moves."""

    seed: int | None = Field(ge=0, le=MAX_SEED)
    index: int = Field(ge=0, le=MAX_INDEX)
    chance: int = Field(default=PLAIN, ge=PLAIN, le=SECRET)
    """Version of the stream that the cards come from, see `chance`; 1 is not written down."""
    set_up: bool
    """The deal was given, not drawn from the seed; later chance is the seed's all the same."""
    deal: dict[str, Any]
    actions: list[str]

    def to_json(self) -> str:
        content = self.model_dump(mode="json")
        if self.chance == PLAIN:
            del content["chance"]  # such records are read by every version
        return json.dumps(content, separators=(",", ":"))


class SeatRecord(_Line):
    """What one seat saw, and nothing from which the rest could be worked out: no seed, no deal."""

    seat: int = Field(ge=0)
    events: list[str]

    def checked_events(self) -> list[Event]:
        """The events, if they can be of this game: seats that exist, a number for each of them."""
        rules = self.checked_rules()
        check_seat(rules, self.seat)
        seats, game = range(rules.seats), game_of(rules)
        found = []
        for line in self.events:
            event = game.parse_event(line)
            values = len(event.values) if event.kind in ("score", "over") else rules.seats
            dealer = event.values[2] if event.kind == "round" else 0
            if event.seat not in (-1, *seats) or values != rules.seats or dealer not in seats:
                raise KibitzError(f"{line!r} does not fit a game of {rules.seats} seats")
            found.append(event)
        return found


def parse_record(line: str) -> Record | SeatRecord:
    """The record in a line of JSON, or a `KibitzError` that says what is wrong with it."""
    content = read_object(line, "not a record")
    if content.get("format") != FORMAT:
        raise KibitzError(f"format {content.get('format')!r}; this reads format {FORMAT}")
    kind = SeatRecord if "seat" in content else Record
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise KibitzError(f"not a record: {where}: {first['msg'].lower()}") from None
