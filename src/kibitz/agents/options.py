"""Options of players: their names, meanings and defaults, and how they are read."""

from __future__ import annotations

import dataclasses
import math
import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeVar

from kibitz.games import game_of
from kibitz.games.base import KibitzError, Rules, nearest

MOST_MS, MOST_SIMS = 3.6e6, 1_000_000_000
"""Of a decision. Where only time counts, there are so many simulations to spend."""


def option(default: Any, help: str, low: float = 0, high: float = 1e9, words: Any = ()) -> Any:
    return field(default=default, metadata={"help": help, "low": low, "high": high, "words": words})


@dataclass(frozen=True)
class SlipOptions:
    """What an agent that follows a fixed player can be told."""

    slips: float = option(0.0, "share of moves that are any legal action instead", 0, 1)


@dataclass(frozen=True)
class PlayerOptions(SlipOptions):
    """The same of an agent that scores its actions."""

    temperature: float = option(
        0.0, "0 plays what it likes best; else chances go by exp(score / temperature)", 0, 1e6
    )


@dataclass(frozen=True)
class ExecOptions:
    """Limits of a program of one's own."""

    ms: int = option(5000, "milliseconds of a decision", 1, 3_600_000)
    start: float = option(30.0, "seconds to start, and to get ready for a game", 0.01, 3600)
    mb: int = option(2048, "megabytes of memory, as address space; 0: no limit", 0, 1_000_000)


@dataclass(frozen=True)
class SearchOptions:
    """What every searching agent can be told."""

    sims: int = option(1000, "simulations of a decision", 1)
    ms: float = option(0.0, "milliseconds of a decision; 0: sims count instead", 0, MOST_MS)
    particles: int = option(
        0, "of the belief, where it has any; 0: 1000, or what a short time allows", 0, 10_000_000
    )
    model: str = option("auto", "how the belief thinks that others choose, such as rule")
    belief: str = option("auto", "method of the belief")
    rollout: str = option("keen", "who plays games out", words=("keen", "rule", "uniform"))
    randomness: float = option(0.1, "share of any action in games played out, unless uniform", 0, 1)
    horizon: int = option(100_000, "plies that games are played out, then the estimate is taken")
    explore: float = option(1.0, "weight of what is little known against what seems good", 0, 100)
    patience: int = option(1, "visits before a node is searched rather than played out", 1)
    priors: str = option("none", "who guides the search: PUCT if given", words=("none", "keen"))
    heat: float = option(20.0, "temperature of the priors", 0.01, 1e6)
    discount: float = option(1.0, "of what comes a decision later", 0, 1)
    exact: int = option(0, "decisions left at which a world is solved exactly", 0, 24)
    temperature: float = option(0.0, "0 plays the most searched action, 1 by visits", 0, 100)
    noise: float = option(0.0, "share of noise in the root's priors, for training", 0, 1)
    nodes: int = option(200_000, "most nodes of the trees of a decision", 2, 100_000_000)


FEWEST_PARTICLES, PARTICLES = 30, 1000
"""Of a belief, where no number is named: the second, and down to the first when time is short."""


def particles_of(options: SearchOptions, rules: Rules) -> int:
    """How many particles the belief gets. Of a short time it must leave most to the search."""
    if options.particles:
        return options.particles
    if not options.ms:
        return PARTICLES
    affordable = options.ms * game_of(rules).particles_per_ms
    return int(min(PARTICLES, max(FEWEST_PARTICLES, affordable)))


@dataclass(frozen=True)
class OpenSpielOptions:
    """OpenSpiel's information-set search, a player of another engine (extra `peers`), for Blob with
    trump=turned and miss=tricks or penalty. bot=python is honest, and counts sims only; bot=cpp
    sees more than it may: which cards were not dealt."""

    bot: str = option("python", "which of its bots", words=("python", "cpp"))
    sims: int = option(1000, "simulations of a decision", 2, 100_000_000)
    ms: float = option(0.0, "milliseconds of a decision; 0: sims count instead", 0, MOST_MS)
    uct: float = option(0.0, "weight of exploration; 0: how far apart returns can lie", 0, 1e6)


Kind = TypeVar("Kind", SlipOptions, ExecOptions, SearchOptions, OpenSpielOptions)

_QUOTED_OR_COMMA = re.compile(r""""[^"]*"|'[^']*'|,""")


def split_commas(text: str) -> list[str]:
    """Split at commas, but not at those in quotes: a command may need them."""
    commas = [found.start() for found in _QUOTED_OR_COMMA.finditer(text) if found[0] == ","]
    return [text[a + 1 : b].strip() for a, b in pairwise([-1, *commas, len(text)])]


def read_options(kind: type[Kind], name: str, text: str) -> Kind:
    """Options such as "ms=100,rollout=uniform"."""
    fields = {each.name: each for each in dataclasses.fields(kind)}
    found: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, said = part.partition("=")
        if key not in fields:
            hint = nearest(key, list(fields))
            raise KibitzError(f"{name} has no option {key!r}{hint}; there are {', '.join(fields)}")
        if not equals or not said:
            raise KibitzError(f"{name}: write {key}=..., such as {key}={fields[key].default}")
        if key in found:
            raise KibitzError(f"{name}: {key} is given twice")
        found[key] = _value(name, fields[key], said)
    if found.get("ms") and "sims" in fields.keys() - found:
        found["sims"] = MOST_SIMS
    return kind(**found)


def check_budget(ms: float | None, sims: int | None) -> None:
    """Refuse a budget that is none: no time at all would be no limit."""
    if ms is not None and not 0 < _number(ms) <= MOST_MS:
        raise KibitzError(
            f"ms must be more than 0, and {MOST_MS:g} at most, not {ms!r}; without it sims count"
        )
    if sims is not None and (type(sims) is not int or not 1 <= sims <= MOST_SIMS):
        raise KibitzError(f"sims must be a whole number from 1 to {MOST_SIMS:g}, not {sims!r}")


def _number(value: Any) -> float:
    return value if isinstance(value, int | float) else math.nan


def _value(name: str, field: dataclasses.Field[Any], said: str) -> Any:
    meta = field.metadata
    if isinstance(field.default, str):
        if meta["words"] and said not in meta["words"]:
            hint = nearest(said, meta["words"])
            words = " or ".join(meta["words"])
            raise KibitzError(f"{name}: {field.name} must be {words}, not {said!r}{hint}")
        return said
    whole = isinstance(field.default, int)
    try:
        value: float = int(said) if whole else float(said)
    except ValueError:
        value = float("nan")
    if not meta["low"] <= value <= meta["high"]:
        kind = "a whole number" if whole else "a number"
        raise KibitzError(
            f"{name}: {field.name} must be {kind} from {meta['low']:g} to {meta['high']:g}, "
            f"not {said!r}"
        )
    return value
