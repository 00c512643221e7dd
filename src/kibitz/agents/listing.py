"""What agents there are, for people and programs that choose one."""

from __future__ import annotations

import dataclasses
from dataclasses import asdict, dataclass
from typing import Any

from kibitz.agents.methods import SEARCHES
from kibitz.agents.options import (
    ExecOptions,
    OpenSpielOptions,
    PlayerOptions,
    SearchOptions,
)
from kibitz.games import game_of, names, rules_type


@dataclass(frozen=True)
class AgentOption:
    name: str
    default: str
    help: str


@dataclass(frozen=True)
class AgentInfo:
    name: str
    help: str
    options: tuple[AgentOption, ...] = ()
    example: str = ""
    arena: bool = False
    """Plays in match, ladder and simulate only."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


_DEFAULT = AgentInfo("default", "The best of them by measurement, for each game.", example="ms=300")
_COACH = AgentInfo(
    "coach",
    "Who advises and judges: it looks at every move, and the same seed gives the same again.",
    example="sims=5000",
)


def _options(
    kind: type[SearchOptions | PlayerOptions | ExecOptions | OpenSpielOptions],
) -> tuple[AgentOption, ...]:
    return tuple(AgentOption(e.name, str(e.default), _meaning(e)) for e in dataclasses.fields(kind))


def _meaning(field: dataclasses.Field[Any]) -> str:
    words = field.metadata["words"]
    return f"{field.metadata['help']}" + (f" ({', '.join(words)})" if words else "")


def shared_options() -> list[AgentOption]:
    """Options of every agent that searches."""
    return list(_options(SearchOptions))


def agent_list() -> list[AgentInfo]:
    """Every agent by name, with what it does and its options."""
    likes = _options(PlayerOptions)
    plain = [
        AgentInfo("random", "Any legal action."),
        AgentInfo(
            "rule",
            "The rule player of each game: quick, sensible, and no search.",
            likes,
            "slips=0.3",
        ),
        AgentInfo(
            "keen",
            "Nearly as quick, and better in both games: searches play games out by it.",
            likes,
            "slips=0.3",
        ),
    ]
    searches = [
        AgentInfo(name, _purpose(method), _options(method.Options), method.example)
        for name, method in SEARCHES.items()
    ]
    return [*plain, *searches, _DEFAULT, _COACH, *_arena(), *_levels()]


def _purpose(kind: type) -> str:
    return " ".join((kind.__doc__ or "").split())


def _arena() -> list[AgentInfo]:
    """Players that are no agents: they see more than a view, or come from other engines."""
    return [
        AgentInfo(
            "cheat",
            "Sees the true cards: a ceiling to measure against. In match, ladder and simulate "
            "only. Option search=NAME chooses the search; the others are that search's.",
            example="search=flat,sims=1000",
            arena=True,
        ),
        AgentInfo(
            "leak",
            "Sees which cards of Blob were not dealt, and so more than it may: our search with "
            "what openspiel:bot=cpp knows. In match, ladder and simulate only. Options as for "
            "cheat.",
            example="search=pomcp,sims=2000",
            arena=True,
        ),
        AgentInfo(
            "openspiel",
            f"{_purpose(OpenSpielOptions)} In match, ladder and simulate only.",
            _options(OpenSpielOptions),
            "bot=cpp,ms=50",
            arena=True,
        ),
        AgentInfo(
            "rlcard",
            "RLCard's rule player of UNO, UNORuleAgentV1, a player of another engine (extra "
            "`peers`). In match, ladder and simulate only.",
            arena=True,
        ),
        AgentInfo(
            "exec",
            "A program of your own, asked in JSON lines; docs/extend.md has one. In match, ladder "
            "and simulate only. The command comes first, options after it; a comma in the command "
            "must be in quotes.",
            _options(ExecOptions),
            "python3 bot.py,ms=1000",
            arena=True,
        ),
    ]


def _levels() -> list[AgentInfo]:
    found = []
    for there in zip(*(game_of(rules_type(game)).levels for game in names()), strict=True):
        level, played = there[0], dict.fromkeys(level.agent for level in there)
        found.append(AgentInfo(level.name, f"Level: {level.help} ({' or '.join(played)})"))
    return found
