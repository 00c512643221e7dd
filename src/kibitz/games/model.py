"""Opponent models: how likely a player is to choose as it did, as data for the kernels.

A model is a mixture of players, each with a share: which of them sits there is unknown but stays
the same for the whole game, so a belief also learns whom it plays against. Every player in it has a
kind and a sharpness (see `kibitz.players`). Or a model is a Python function, asked once for each
hypothesis: slow, and as free as Python.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz import players
from kibitz.games.base import KibitzError, Rules, State, nearest
from kibitz.players import KEEN, RULE, SILENT, UNIFORM, Player

Chances = Callable[[Rules, State], Mapping[int, float]]
"""Gives the chance of each action of the seat to act; the state holds no hand but that seat's."""

NAMES = ("constraints", "uniform", "greedy", "rule", "keen")
STANDARD = {"rule": "1", "keen": "20"}
"""Temperatures, where none is named."""
_PLAYER = re.compile(r"(?:([0-9.]+)\s*\*\s*)?([a-z]+)(?::temperature=([0-9.]+|inf))?")
_EXAMPLES = "such as 'uniform', 'rule:temperature=2' or '0.3*uniform + 0.7*rule:temperature=1'"


@dataclass(frozen=True)
class Model:
    """How the others choose."""

    shares: tuple[float, ...]
    """Chance of each kind of player; they add up to 1."""
    players: tuple[Player, ...]
    function: Chances | None = None
    """Asked instead, if there is one; `players` is then a single silent one."""

    @property
    def arrays(self) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """Shares, and the players as records."""
        return np.array(self.shares), players.as_array(self.players)

    @property
    def silent(self) -> bool:
        """Whether choices say nothing, and only the hard constraints count."""
        return self.function is None and all(each.kind == SILENT for each in self.players)

    @property
    def broad(self) -> bool:
        """Whether some kind of player in it may do anything that is legal."""
        return self.function is None and any(
            each.kind in (SILENT, UNIFORM) for each in self.players
        )

    @property
    def hard(self) -> bool:
        """Whether every kind of player in it calls some legal choices impossible."""
        soft = (SILENT, UNIFORM)
        return all(p.kind not in soft and math.isinf(p.sharpness) for p in self.players)

    def __str__(self) -> str:
        if self.function is not None:
            return getattr(self.function, "__name__", "a function")
        if len(self.players) == 1:
            return str(self.players[0])
        return " + ".join(f"{s:g}*{p}" for s, p in zip(self.shares, self.players, strict=True))


def model(said: str | Model | Chances) -> Model:
    """A model from text, from a Python function, or itself.

    Text names a player or a mixture of them: `constraints` (choices say nothing), `uniform` (also
    `greedy`: with forced play it is the same), `rule:temperature=T` (0 is the rule player itself),
    `keen:temperature=T`.
    """
    if isinstance(said, Model):
        return said
    if callable(said):
        return Model((1.0,), (Player(SILENT),), said)
    if not isinstance(said, str):
        raise KibitzError(f"a model is a text {_EXAMPLES}, or a function, not {said!r}")
    return _read(said)


@lru_cache(maxsize=64)
def _read(said: str) -> Model:
    shares, found = [], []
    for part in said.split("+"):
        match = _PLAYER.fullmatch(part.strip().lower())
        if not match:
            raise KibitzError(f"{part.strip()!r} is no model; write one {_EXAMPLES}")
        share, name, temperature = match.groups()
        shares.append(_number(share or "1", part))
        found.append(_player(name, temperature, part))
    total = sum(shares)
    if total <= 0:
        raise KibitzError(f"{said!r}: the shares of a mixture must add up to more than nothing")
    return Model(tuple(share / total for share in shares), tuple(found))


def _number(text: str, part: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise KibitzError(f"{part.strip()!r}: {text!r} is no number") from None


def _player(name: str, temperature: str | None, part: str) -> Player:
    if name not in NAMES:
        raise KibitzError(f"no model {name!r}{nearest(name, NAMES)}; there are {', '.join(NAMES)}")
    if name not in STANDARD:
        if temperature is not None:
            raise KibitzError(f"{part.strip()!r}: only rule and keen have a temperature")
        return Player(SILENT if name == "constraints" else UNIFORM)
    heat = _number(temperature or STANDARD[name], part)
    if math.isinf(heat):
        return Player(UNIFORM)
    return Player(RULE if name == "rule" else KEEN, math.inf if heat == 0 else 1 / heat)


def chance(found: Any, action: int) -> float:
    """The chance of an action by what a model's function returned; it must be one."""
    value = float(found.get(action, 0.0))
    if not 0 <= value <= 1:
        raise KibitzError(f"a model's chances lie between 0 and 1, not {value!r}")
    return value
