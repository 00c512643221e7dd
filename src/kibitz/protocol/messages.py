"""Messages: what can be asked and what is answered. See docs/engine.md for a transcript.

A request has an `id` that the client chooses, and every answer carries it; answers may come in
another order. What is wrong gets an answer too: `error`. Long work is answered in parts, the last
of which is `final`.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter
from pydantic.json_schema import models_json_schema

PROTOCOL: Literal[2] = 2
MOST_EVENTS = 5000

Name = Annotated[str, Field(min_length=1, max_length=64)]
Agent = Annotated[str, Field(min_length=1, max_length=200)]
Text = Annotated[str, Field(max_length=400)]
Lines = Annotated[list[Text], Field(max_length=MOST_EVENTS)]
RuleOptions = Annotated[dict[str, JsonValue], Field(max_length=32)]


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)


class Request(_Message):
    id: Name


# --- about -----------------------------------------------------------------------------------


class AskVersion(Request):
    """Which program, and which protocol."""

    do: Literal["version"]


class AskList(Request):
    """The games with their rules, the levels and the agents."""

    do: Literal["list"]


class Hello(Request):
    """Who I am: a secret name that an earlier hello gave, or nobody yet."""

    do: Literal["hello"]
    visitor: Name | None = None


class SetSettings(Request):
    do: Literal["settings"]
    visitor: Name
    settings: Annotated[dict[str, JsonValue], Field(max_length=64)]


# --- tables, refereed by the house -----------------------------------------------------------


class Commit(Request):
    """Fix the deck of a table to come, and show a commitment to it."""

    do: Literal["commit"]


class Deal(Request):
    """Deal at a table that was committed to. `nonce` is the client's part of the deal."""

    do: Literal["deal"]
    table: Name
    nonce: Name
    game: Name
    rules: RuleOptions = {}
    seat: int = 0
    opponents: Annotated[list[Agent], Field(min_length=1, max_length=8)]
    """One for all other seats, or one for each; if `watch`, for all seats."""
    coach: bool = False
    watch: bool = False
    visitor: Name | None = None


class AtTable(Request):
    table: Name
    token: Name
    """The seat's secret, from the answer to `deal`."""


class Sit(AtTable):
    """Sit down again at a table."""

    do: Literal["sit"]


class Play(AtTable):
    do: Literal["play"]
    move: Text
    ply: int | None = None
    """Moves made when this one was chosen: one chosen for another moment is refused."""


class Step(AtTable):
    """One move more of a game that is watched."""

    do: Literal["step"]


class Hint(AtTable):
    """What to play now; answered by `analysis`."""

    do: Literal["hint"]


class TableBelief(AtTable):
    """What my seat may think of the hidden cards."""

    do: Literal["belief"]


class TakeBack(AtTable):
    """Take back to my last decision."""

    do: Literal["undo"]


class ReviewTable(AtTable):
    """A review of the game that is over."""

    do: Literal["review"]


class ReviewShared(Request):
    do: Literal["review-shared"]
    share: Name


# --- games that are told ---------------------------------------------------------------------


class New(Request):
    """A game seen from one seat: told in words (`told`), by the lines of its events, or both by
    neither and then by `event`."""

    do: Literal["new"]
    game: Name
    rules: RuleOptions = {}
    seat: int = 0
    told: Annotated[dict[str, Text], Field(max_length=16)] | None = None
    events: Lines | None = None


class OfGame(Request):
    game_id: Name


class Tell(OfGame):
    """What the seat to act did, in few words."""

    do: Literal["tell"]
    said: Text


class AddEvents(OfGame):
    """What happened, as the seat saw it, in the lines of the notation."""

    do: Literal["event"]
    events: Annotated[list[Text], Field(min_length=1, max_length=MOST_EVENTS)]


class ShowView(OfGame):
    do: Literal["view"]


class Correct(OfGame):
    """Take back the last moves that were told."""

    do: Literal["correct"]
    moves: Annotated[int, Field(ge=1, le=MOST_EVENTS)] = 1


class Believe(OfGame):
    do: Literal["believe"]


class Analyse(OfGame):
    """Search the position; the agent's own budget unless `sims` or `ms` say otherwise."""

    do: Literal["analyse"]
    agent: Agent | None = None
    sims: Annotated[int, Field(ge=1)] | None = None
    ms: Annotated[float, Field(gt=0)] | None = None
    every_ms: Annotated[float, Field(ge=20)] | None = None
    """How often to tell what was found so far; never unless given."""
    seed: Annotated[int, Field(ge=0, lt=2**64)] = 0


class Close(OfGame):
    do: Literal["close"]


class Cancel(Request):
    """End an analysis, hint or review that is under way. An analysis then tells what it has."""

    do: Literal["cancel"]
    what: Name


AnyRequest = Annotated[
    AskVersion | AskList | Hello | SetSettings
    | Commit | Deal | Sit | Play | Step | Hint | TableBelief | TakeBack | ReviewTable | ReviewShared
    | New | Tell | AddEvents | ShowView | Correct | Believe | Analyse | Close | Cancel,
    Field(discriminator="do"),
]  # fmt: skip
REQUESTS: TypeAdapter[AnyRequest] = TypeAdapter(AnyRequest)
LOOSE: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])
"""Any JSON object: to find the id of a request that is wrong otherwise."""
VERBS = frozenset(REQUESTS.json_schema()["discriminator"]["mapping"])


# --- answers ---------------------------------------------------------------------------------


class Answer(_Message):
    id: str | None
    """Of the request; none where the house speaks unasked, or the request had no id."""


Code = Literal[
    "bad-request", "not-found", "illegal", "busy", "too-fast", "too-large", "refused", "failed"
]


class Failed(Answer):
    is_: Literal["error"] = Field(default="error", serialization_alias="is")
    code: Code
    message: str
    """For a person: what was wrong and what would be right."""


class Version(Answer):
    is_: Literal["version"] = Field(default="version", serialization_alias="is")
    kibitz: str
    protocol: Literal[2] = PROTOCOL


class Listed(Answer):
    is_: Literal["list"] = Field(default="list", serialization_alias="is")
    games: list[dict[str, Any]]
    levels: dict[str, list[dict[str, str]]]
    agents: list[dict[str, Any]]


class Greeting(Answer):
    is_: Literal["hello"] = Field(default="hello", serialization_alias="is")
    visitor: str
    settings: dict[str, Any]
    saved: list[dict[str, Any]]
    unreadable: int = 0
    """Games of the visitor that are damaged, or of another version, and stand in no list."""


class Settings(Answer):
    is_: Literal["settings"] = Field(default="settings", serialization_alias="is")
    settings: dict[str, Any]


class Commitment(Answer):
    is_: Literal["commitment"] = Field(default="commitment", serialization_alias="is")
    table: str
    commitment: str


class ViewContent(_Message):
    """What one seat may know."""

    game: str
    rules: dict[str, Any]
    seat: int
    to_act: int
    plies: int
    legal: list[str]
    events: list[str]
    state: dict[str, Any]


class TableFrame(Answer):
    is_: Literal["table"] = Field(default="table", serialization_alias="is")
    table: str
    token: str | None = None
    number: int
    game: str
    seat: int
    watch: bool
    coach: bool
    undone: int
    players: list[dict[str, str | None]]
    commitment: str
    nonce: str
    view: ViewContent
    thinking: int | None
    grades: list[dict[str, Any]]
    outcome: dict[str, Any] | None
    reveal: dict[str, Any] | None


class GameFrame(Answer):
    is_: Literal["game"] = Field(default="game", serialization_alias="is")
    game_id: str
    view: ViewContent | None
    """None until the deal has been told."""
    said: list[str] | None = None
    """What was told so far, if it was told in words."""


class MoveFound(_Message):
    move: str
    value: float
    error: float
    text: str
    visits: int
    share: float
    equal: bool
    proved: bool = False
    """It wins for certain, whatever the others hold and draw; the error is then 0."""


class Analysis(Answer):
    is_: Literal["analysis"] = Field(default="analysis", serialization_alias="is")
    final: bool
    cancelled: bool = False
    ply: int
    best: str
    moves: list[MoveFound]
    units: str
    """What people count in: a value is `zero + factor * value` of them."""
    factor: float
    zero: float
    why: list[str]
    line: list[str]
    belief: str
    simulations: int


class BeliefFound(Answer):
    is_: Literal["belief"] = Field(default="belief", serialization_alias="is")
    ply: int
    belief: dict[str, Any]
    text: str
    history: list[tuple[int, float]]


class Reviewed(Answer):
    is_: Literal["review"] = Field(default="review", serialization_alias="is")
    final: bool
    done: int = 0
    total: int = 0
    review: dict[str, Any] | None = None


class Cancelled(Answer):
    is_: Literal["cancelled"] = Field(default="cancelled", serialization_alias="is")
    what: str


class Closed(Answer):
    is_: Literal["closed"] = Field(default="closed", serialization_alias="is")
    game_id: str


ANSWERS: tuple[type[Answer], ...] = (
    Failed, Version, Listed, Greeting, Settings, Commitment, TableFrame, GameFrame, Analysis,
    BeliefFound, Reviewed, Cancelled, Closed,
)  # fmt: skip


def to_text(answer: Answer) -> str:
    """One line of JSON."""
    return answer.model_dump_json(by_alias=True)


@cache
def schema() -> dict[str, Any]:
    """Both directions as JSON Schema."""
    requests = REQUESTS.json_schema(ref_template="#/$defs/{model}")
    _, answers = models_json_schema(
        [(kind, "serialization") for kind in ANSWERS], ref_template="#/$defs/{model}", by_alias=True
    )
    definitions = {**requests.pop("$defs"), **answers["$defs"]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Kibitz messages",
        "description": "A message is a request (to Kibitz) or an answer (from it).",
        "anyOf": [
            {"title": "request", **requests},
            {"title": "answer", "anyOf": [{"$ref": f"#/$defs/{k.__name__}"} for k in ANSWERS]},
        ],
        "$defs": definitions,
    }
