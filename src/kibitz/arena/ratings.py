"""Elo of many players from the deals that pairs of them played (Bradley and Terry's model)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.arena.statistics import ELO, Array, student
from kibitz.games.base import KibitzError

NORMAL = student(10**9)


@dataclass(frozen=True)
class Rating:
    """How much stronger than the anchor a player is."""

    name: str
    elo: float
    low: float
    high: float
    """95 % interval of the difference to the anchor; infinite where results set no limit."""
    deals: int
    """In how many the player took part."""

    @property
    def remark(self) -> str:
        """What a reader of `elo` must know, or nothing."""
        open_ends = math.isinf(self.low), math.isinf(self.high)
        return {
            (False, False): "",
            (True, False): "no lower limit: it, or all it is compared through, lost everything",
            (False, True): "no upper limit: it, or all it is compared through, won everything",
            (True, True): "no limits: those it is compared through won or lost everything",
        }[open_ends]


class _Pair(NamedTuple):
    first: int
    second: int
    deals: int
    mean: float
    variance: float
    """Of one deal's outcome."""


def rate(
    names: Sequence[str],
    results: Mapping[tuple[str, str], Sequence[float]],
    anchor: str = "random",
) -> list[Rating]:
    """Ratings by maximum likelihood, in the order of `names`; the anchor has 0. `results` has the
    paired outcomes of each pair from its first player's side, between 0 and 1, one for each deal.

    Intervals come from how much the deals of each pair really vary (the sandwich estimator), since
    the games of a deal are not independent. They take the deals of different pairs to be: do not
    play them with the same cards.

    Where some won everything against the others no rating is high enough for them. Then each such
    pair is given one drawn deal more, which makes the ratings finite, and the interval stays open
    on that side: see `Rating.remark`.
    """
    pairs = _pairs(names, results, anchor)
    reached = _reachable(len(names), [(pair.first, pair.second) for pair in pairs])
    at = list(names).index(anchor)
    if not reached[at].all():
        apart = ", ".join(name for name, met in zip(names, reached[at], strict=True) if not met)
        raise KibitzError(
            f"nothing compares {apart} with {anchor}: only players that met can be rated, "
            "directly or through others"
        )
    # who took anything from whom: a player cannot be endlessly stronger than one that did
    took = [(pair.first, pair.second) for pair in pairs if pair.mean > 0]
    took += [(pair.second, pair.first) for pair in pairs if pair.mean < 1]
    limits = _reachable(len(names), took, both_ways=False)
    pairs = [
        pair
        if limits[pair.first, pair.second] and limits[pair.second, pair.first]
        else pair._replace(
            deals=pair.deals + 1, mean=(pair.mean * pair.deals + 0.5) / (pair.deals + 1)
        )
        for pair in pairs
    ]
    strength, errors = _fit(len(names), pairs, at)
    return [
        Rating(
            name=name,
            elo=ELO * float(strength[k]),
            low=ELO * float(strength[k] - errors[k]) if limits[k, at] else -math.inf,
            high=ELO * float(strength[k] + errors[k]) if limits[at, k] else math.inf,
            deals=sum(len(values) for pair, values in results.items() if name in pair),
        )
        for k, name in enumerate(names)
    ]


def check_names(names: Sequence[str], anchor: str) -> None:
    if anchor not in names:
        raise KibitzError(f"the anchor {anchor} is not among the players {', '.join(names)}")
    if len(set(names)) < len(names):
        raise KibitzError("each player is rated once: a name is given twice")


def _pairs(
    names: Sequence[str], results: Mapping[tuple[str, str], Sequence[float]], anchor: str
) -> list[_Pair]:
    check_names(names, anchor)
    place = {name: k for k, name in enumerate(names)}
    pairs = []
    for (first, second), values in results.items():
        if unknown := {first, second} - set(names):
            raise KibitzError(f"results of {', '.join(sorted(unknown))}, who is not to be rated")
        if first == second:
            raise KibitzError(f"{first} against itself says nothing of its strength")
        outcomes = np.asarray(values, np.float64)
        if not ((outcomes >= 0) & (outcomes <= 1)).all():
            raise KibitzError(f"{first} - {second}: scores lie between 0 and 1")
        if len(outcomes):
            # Two imagined deals, one won and one lost: twenty equal results do not show that the
            # next one will be the same, and the interval must not say so.
            variance = float(np.var([*outcomes, 0.0, 1.0]))
            mean = float(outcomes.mean())
            pairs.append(_Pair(place[first], place[second], len(outcomes), mean, variance))
    return pairs


def _reachable(
    size: int, steps: list[tuple[int, int]], both_ways: bool = True
) -> NDArray[np.bool_]:
    """`[a, b]`: whether steps lead from a to b."""
    found = np.eye(size, dtype=bool)
    for a, b in steps:
        found[a, b] = True
        found[b, a] |= both_ways
    for middle in range(size):
        found |= found[:, [middle]] & found[[middle], :]
    return found


def _fit(size: int, pairs: list[_Pair], at: int) -> tuple[Array, Array]:
    """Log odds against the player `at`, and half the width of their 95 % intervals."""
    strength, errors = np.zeros(size), np.zeros(size)
    free = [k for k in range(size) if k != at]
    if not free:
        return strength, errors
    first = np.array([pair.first for pair in pairs])
    second = np.array([pair.second for pair in pairs])
    deals = np.array([pair.deals for pair in pairs], np.float64)
    mean = np.array([pair.mean for pair in pairs])
    variance = np.array([pair.variance for pair in pairs])
    sides = np.zeros((len(pairs), size))  # +1 for the first player, -1 for the second
    sides[np.arange(len(pairs)), first] = 1
    sides[np.arange(len(pairs)), second] = -1
    sides = sides[:, free]
    for _ in range(500):
        expected = 1 / (1 + np.exp(-sides @ strength[free]))
        bend = sides.T @ (sides * (deals * expected * (1 - expected))[:, None])
        step = np.linalg.solve(bend, sides.T @ (deals * (mean - expected)))
        # far from the solution a whole step may overshoot without end: go one unit at most
        strength[free] += step / max(1.0, float(np.abs(step).max()))
        if float(np.abs(step).max()) < 1e-10:
            break
    noise = sides.T @ (sides * (deals * variance)[:, None])
    half = np.linalg.solve(bend, noise)
    spread = np.linalg.solve(bend, half.T)
    errors[free] = NORMAL * np.sqrt(np.diag(spread))
    return strength, errors
