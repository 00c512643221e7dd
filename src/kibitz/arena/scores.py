"""How good forecasts were: log loss, Brier score, reliability, and differences with intervals.

Everything is kept as sums for each game. Forecasts within a game hang together, so intervals come
from drawing whole games again: drawing forecasts again would make them far too narrow.

The errors of a table of bins hold for all its bins together, at 95 %: who looks through ten bins
for one that is off finds one by chance otherwise. Each bin's deviation is divided by its standard
error, in the games as they were and whenever they are drawn again; the bounds of the bins are
quantiles of these ratios, all at the one level that keeps all bins within bounds 95 times in 100
(Beran 1988, balanced simultaneous confidence sets).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.arena.statistics import LEVEL, student

Array = NDArray[np.float64]
Interval = tuple[float, float]

BINS = 10
BOOTSTRAP = 2000
CHUNK = 4_000_000
"""Numbers held at once while games are drawn again."""

FEW_GAMES = 30
"""A bin with forecasts of fewer games has no error: drawing so few again says little."""
WIDEST = 1 - 1 / BOOTSTRAP
"""The surest a bound can be that so many draws give."""

N, HITS, LOSS, BRIER, WRONG = range(5)
"""What is summed up: forecasts, those that came true, their costs, and certain ones that failed."""


@dataclass(frozen=True)
class Bin:
    """Forecasts of about the same chance: how often did it come true?"""

    low: float
    high: float
    n: int
    forecast: float | None
    """Their mean; None if there are none."""
    observed: float | None
    error: float | None = None
    """How far `observed` may lie from `forecast` by chance: 95 % for all the bins together. None if
    too few games had such forecasts."""

    @property
    def off(self) -> bool:
        """Whether the forecasts are further from what was so than chance explains."""
        if self.error is None or self.forecast is None or self.observed is None:
            return False
        return abs(self.observed - self.forecast) > self.error


@dataclass(frozen=True)
class Score:
    """How one forecaster did."""

    log_loss: float
    """Mean cost in nats; infinite if it was certain of what was not so."""
    brier: float
    wrong: int
    """Forecasts of exactly 0 or 1 that failed: there must be none."""
    bins: list[Bin]


@dataclass(frozen=True)
class Difference:
    """One forecaster's mean cost less another's on the same forecasts: below 0 it is better."""

    log_loss: float
    log_loss_ci95: Interval | None
    """95 % interval, from drawing games again; None from a single game."""
    brier: float
    brier_ci95: Interval | None


@dataclass(frozen=True)
class Question:
    """One question, put to all forecasters alike."""

    n: int
    observed: float
    """How often it was so."""
    scores: dict[str, Score]
    differences: dict[str, Difference]


def costs(chance: Array, truth: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Log loss in nats and Brier score of each forecast."""
    right = np.where(truth, chance, 1 - chance)
    with np.errstate(divide="ignore"):
        return np.abs(np.log(right)), (1 - right) ** 2  # abs: a sure hit costs 0, not -0


class Tally:
    """Sums of one question in one game, a row for each forecaster."""

    def __init__(self, forecasters: int) -> None:
        self.sums = np.zeros((forecasters, 5))
        # number, sum of forecasts, came true, variance if each is right and all are independent
        self.bins = np.zeros((forecasters, BINS, 4))

    @property
    def asked(self) -> bool:
        """Whether the question came up at all."""
        return bool(self.sums[0, N] > 0)

    def add(self, chances: Array, truth: NDArray[np.bool_]) -> None:
        """Forecasts `[forecaster, which]` of the same things, and what was so."""
        for k, said in enumerate(chances):
            # rounding may carry a sum of weights past 1
            chance = np.clip(said, 0.0, 1.0)
            loss, brier = costs(chance, truth)
            failed = np.isinf(loss).sum()
            self.sums[k] += (len(truth), truth.sum(), loss.sum(), brier.sum(), failed)
            place = np.minimum((chance * BINS).astype(np.int64), BINS - 1)
            for column, weights in enumerate((None, chance, truth, chance * (1 - chance))):
                self.bins[k, :, column] += np.bincount(place, weights, BINS)


def question(
    games: list[Tally], names: list[str], pairs: list[tuple[str, str]], seed: int
) -> Question:
    """What all games together say of the forecasters, by name, and of pairs of them."""
    sums = np.stack([game.sums for game in games], axis=1)
    bins = np.stack([game.bins for game in games], axis=1)
    total = sums.sum(axis=1)
    n = int(total[0, N])
    return Question(
        n=n,
        observed=float(total[0, HITS] / n),
        scores={
            name: Score(
                log_loss=float(total[k, LOSS] / n),
                brier=float(total[k, BRIER] / n),
                wrong=int(total[k, WRONG]),
                bins=_bins(bins[k], seed),
            )
            for k, name in enumerate(names)
        },
        differences={
            f"{a} - {b}": difference(sums[names.index(a)], sums[names.index(b)], seed)
            for a, b in pairs
        },
    )


def _bins(games: Array, seed: int) -> list[Bin]:
    """`games`: [game, bin, sum]."""
    errors = bin_errors(games, seed)
    return [
        Bin(
            low=k / BINS,
            high=(k + 1) / BINS,
            n=int(n),
            forecast=float(forecast / n) if n else None,
            observed=float(true / n) if n else None,
            error=errors[k],
        )
        for k, (n, forecast, true, _) in enumerate(games.sum(axis=0))
    ]


def bin_errors(games: Array, seed: int) -> list[float | None]:
    """For each bin of `[game, bin, sum]` how far the mean forecast and what was so may lie apart by
    chance, at 95 % for all bins together."""
    asked = np.flatnonzero((games[:, :, 0] > 0).sum(axis=0) >= FEW_GAMES)
    found: list[float | None] = [None] * games.shape[1]
    if not len(asked):
        return found
    n, forecast, true, variance = np.moveaxis(games[:, asked], -1, 0)
    away = true - forecast
    columns = np.stack([n, away, away * away, away * n, n * n, variance])
    gap, error = _deviation(columns.sum(axis=1))
    drawn = [_deviation(np.tensordot(columns, times, (1, 1))) for times in _drawn_again(n, seed)]
    ratios = np.concatenate(
        [np.abs(other - gap[:, None]) / spread for other, spread in drawn], axis=1
    )
    ranks = ratios.argsort(axis=1).argsort(axis=1)
    # by how much each game alone has moved the bin: a game that makes up much of it hides its own
    # part in the plain error
    alone = (away - gap * n) / (n.sum(axis=0) - n)
    error = np.maximum(error, np.sqrt((alone**2).sum(axis=0)))
    level = float(np.quantile(ranks.max(axis=0), LEVEL)) / (ratios.shape[1] - 1)
    for k, bin in enumerate(asked):
        # what is rare and did not happen does not happen when games are drawn again, either
        least = student(int((n[:, k] > 0).sum()) - 1, min(level, WIDEST))
        found[bin] = float(error[k] * max(least, np.quantile(ratios[k], level)))
    return found


def _deviation(sums: Array) -> tuple[Array, Array]:
    """What was so less what was said, and its standard error. Games are independent, forecasts are
    not; but the error is at least what it would be if they were, and each of them right: a bin in
    which all came out the same is not without error."""
    n, away, squares, mixed, sizes, variance = sums
    n = np.maximum(n, 1e-9)  # a bin that was not drawn at all
    gap = away / n
    between = squares - 2 * gap * mixed + gap * gap * sizes
    return gap, np.sqrt(np.maximum(np.maximum(between, variance), 1e-300)) / n


def _drawn_again(n: Array, seed: int) -> Iterator[Array]:
    """[draw, game]: how often each game is among as many drawn at random, in chunks."""
    generator, games = np.random.default_rng(seed), len(n)
    step = max(1, CHUNK // games)
    for begin in range(0, BOOTSTRAP, step):
        drawn = (min(step, BOOTSTRAP - begin), games)
        picked = generator.integers(0, games, drawn) + games * np.arange(drawn[0])[:, None]
        yield np.bincount(picked.ravel(), minlength=drawn[0] * games).reshape(drawn).astype(float)


def difference(first: Array, second: Array, seed: int) -> Difference:
    """The mean costs of `first` less those of `second`, both `[game, sum]`."""
    n = first[:, N]
    found: dict[str, Any] = {}
    for name, column in (("log_loss", LOSS), ("brier", BRIER)):
        with np.errstate(invalid="ignore"):  # both infinite: there is no difference to tell
            gap = first[:, column] - second[:, column]
        found[name] = float(gap.sum() / n.sum())
        found[f"{name}_ci95"] = interval(gap, n, seed)
    return Difference(**found)


def interval(sums: Array, n: Array, seed: int) -> Interval | None:
    """95 % interval of sum(sums) / sum(n), from drawing the games (rows) again."""
    games = len(n)
    if games < 2 or not np.isfinite(sums).all():
        return None
    generator = np.random.default_rng(seed)
    means: list[Array] = []
    step = max(1, CHUNK // games)
    for begin in range(0, BOOTSTRAP, step):
        drawn = generator.integers(0, games, (min(step, BOOTSTRAP - begin), games))
        total = n[drawn].sum(axis=1)
        means.append(sums[drawn].sum(axis=1) / np.where(total > 0, total, math.nan))
    low, high = np.nanquantile(np.concatenate(means), (0.025, 0.975))
    return float(low), float(high)
