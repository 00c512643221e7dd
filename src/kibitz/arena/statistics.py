"""What a match says of its players: means with intervals, tests that stop early, luck taken out.

Everything here counts *deals*, never games. The games of one deal share its cards, so they hang
together; deals do not. Each deal gives one number, the paired outcome: A's mean score over the
seats, or its points less those of the others.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kibitz.games.base import KibitzError

Array = NDArray[np.float64]
Verdict = Literal["H0", "H1"]

LEVEL = 0.95
ELO = 400 / math.log(10)
"""Elo for each unit of log odds."""


def elo(score: float) -> float:
    """The difference in Elo that a mean score stands for; infinite at 0 and 1, and beyond them,
    where an interval may reach."""
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else ELO * (math.log(score) - math.log1p(-score))


def score(elo: float) -> float:
    """The mean score to expect of a player that is stronger by so much Elo."""
    odds = 10 ** (-abs(elo) / 400)  # of the weaker one: never too large for a float
    return (odds if elo < 0 else 1.0) / (1 + odds)


# --- means ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Estimate:
    """The mean of the paired outcomes, and how well it is known."""

    mean: float
    low: float
    high: float
    """95 % interval. From a single deal it is infinite, if outcomes have no ends: nothing is
    claimed, and whoever compares or prints it need not ask first whether there is one."""
    n: int
    """Number of deals."""
    deviation: float
    """Standard deviation of one deal's outcome; infinite from a single deal."""
    saved: float = 1.0
    """How many plain deals each one is worth, now that luck is taken out; 0.9 means that it would
    have been better left in."""

    def within(self, least: float, most: float) -> Estimate:
        """The same of outcomes that cannot lie beyond these ends."""
        if self.n == 1:
            return replace(self, low=least, high=most)
        if not self.deviation:
            # All n are the same, and how they vary is not known. By Markov's inequality, where 0
            # and 1 are the ends, at least v happens with a chance of mean / v at most, n times
            # with the n-th power of that; so a mean below v * 0.025^(1/n) is hardly possible.
            share = ((1 - LEVEL) / 2) ** (1 / self.n)
            low = least + share * (self.mean - least)
            high = most - share * (most - self.mean)
            return replace(self, low=low, high=high)
        # Wilson's interval with Student's t, for outcomes that vary by a share of what wins and
        # losses would: a true mean nearer to an end leaves less room to vary, by m (1 - m). Cut off
        # at the ends, the plain interval misses too often where almost all is won.
        span = most - least
        mean, half = (self.mean - least) / span, (self.high - self.low) / 2 / span
        share = half * half / (mean * (1 - mean))
        middle = (mean + share / 2) / (1 + share)
        reach = math.sqrt(half * half + share * share / 4) / (1 + share)
        low, high = least + span * (middle - reach), least + span * (middle + reach)
        return replace(self, low=max(least, low), high=min(most, high))


def estimate(values: ArrayLike, ends: tuple[float, float] | None = None) -> Estimate:
    """The mean of paired outcomes with a 95 % interval by Student's t; if `ends` are given, between
    which outcomes lie, one that stays between them. Deals that all came out the same, such as those
    of a player against itself, give an interval of no width; not so with `ends`: then they may have
    been the same by chance."""
    found = _estimate(_outcomes(values), fitted=1)
    return found if ends is None else found.within(*ends)


def _estimate(outcomes: Array, fitted: int, saved: float = 1.0) -> Estimate:
    """`fitted`: how many numbers were fitted to the outcomes, their mean among them."""
    n, mean = len(outcomes), float(outcomes.mean())
    if n == 1:
        return Estimate(mean, -math.inf, math.inf, 1, math.inf)
    if (outcomes == outcomes[0]).all():  # their rounded mean may be another number
        return Estimate(float(outcomes[0]), float(outcomes[0]), float(outcomes[0]), n, 0.0, saved)
    deviation = float(outcomes.std(ddof=1))
    error = student(max(1, n - fitted)) * deviation / math.sqrt(n)
    return Estimate(mean, mean - error, mean + error, n, deviation, saved)


def _outcomes(values: ArrayLike) -> Array:
    found = np.asarray(values, np.float64)
    if found.ndim != 1:
        raise KibitzError(f"outcomes are a list of numbers, one for each deal, not {found.shape}")
    if not len(found):
        raise KibitzError("no deals were played: there is nothing to estimate")
    if not np.isfinite(found).all():
        raise KibitzError("the outcome of a deal is neither infinite nor undefined")
    return found


@lru_cache(maxsize=4096)
def student(freedom: int, level: float = LEVEL) -> float:
    """Student's t that `level` of the distribution lies within, on both sides together."""
    if freedom > 200:
        # Fisher's expansion around the normal distribution: ten digits from here on
        z = NormalDist().inv_cdf((1 + level) / 2)
        terms = (
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
            (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
        )
        return z + sum(term / float(freedom) ** k for k, term in enumerate(terms, 1))
    low, high = 0.0, math.pi / 2
    while low < (middle := (low + high) / 2) < high:
        if _within(middle, freedom) < level:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom) * math.tan(low)


def _within(angle: float, freedom: int) -> float:
    """The share of Student's distribution within t = sqrt(freedom) tan(angle) of 0: for a whole
    number of degrees of freedom the integral is a finite sum."""
    odd = freedom % 2
    cosine = math.cos(angle)
    term, total = (cosine if odd else 1.0), 0.0
    for k in range(2 + odd, freedom + 1, 2):
        total += term
        term *= cosine * cosine * (k - 1) / k
    if odd:
        return 2 / math.pi * (angle + math.sin(angle) * total)
    return math.sin(angle) * total


# --- luck taken out ------------------------------------------------------------------------------

FOLDS = 10


def control(values: ArrayLike, luck: ArrayLike) -> Estimate:
    """The mean of the outcomes with luck taken out: `luck` has a row for each deal, one number or
    several, whose expectation is 0. (Where it is not known to be, take away the mean of a much
    larger sample that has nothing to do with these deals.)

    How much of the luck to take away is fitted, for each tenth of the deals, to the other nine.
    Fitted to the same deals it would lean towards them, and the mean with it; fitted to others, it
    leaves the expectation as it is, whatever it comes to. Too few deals to fit it give the plain
    mean.
    """
    outcomes = _outcomes(values)
    n = len(outcomes)
    given = np.asarray(luck, np.float64)
    if given.shape[:1] != (n,) or given.ndim > 2:
        raise KibitzError(f"luck needs a row for each of the {n} deals, not {given.shape}")
    if not np.isfinite(given).all():
        raise KibitzError("the luck of a deal is neither infinite nor undefined")
    columns = given.reshape(n, -1)
    fitted = 1 + columns.shape[1]
    if n < FOLDS + fitted:
        return estimate(outcomes)
    adjusted = outcomes.copy()
    for first in range(FOLDS):
        held = np.zeros(n, bool)
        held[first::FOLDS] = True
        others, their_luck = outcomes[~held], columns[~held]
        centred = their_luck - their_luck.mean(axis=0)
        share = np.linalg.lstsq(centred, others - others.mean(), rcond=None)[0]
        adjusted[held] -= columns[held] @ share
    before, after = float(outcomes.var()), float(adjusted.var())
    if before == 0:
        return estimate(outcomes)
    return _estimate(adjusted, fitted, before / after if after > 0 else math.inf)


# --- stopping early ------------------------------------------------------------------------------

REACH = 10


@dataclass(frozen=True)
class Sequential:
    """Wald's sequential test of mean = `low` (H0) against mean = `high` (H1), generalised to
    outcomes of which only the mean is in question.

    The likelihood of each hypothesis is that of the distribution that suits the outcomes best, of
    all on the values seen that have its mean: the same for five possible scores and for points.

    A hypothesis outside the values seen would have no such distribution, and after few deals that
    is common. So one imagined deal is counted with the others, in two parts: at the least and at
    the greatest possible outcome (`ends`; 0 and 1 for scores), with the mean halfway between the
    hypotheses, so that it favours neither. Where the ends are not known, it is taken that either
    side could come out as far from that middle as any deal has, and at least `REACH` times the
    distance of the hypotheses. So a player who wins every deal wins the match, but not after three,
    and no least number of deals need be asked for.

    What rarely happens and has not come up yet is not known to the test: where one deal in fifty
    decides the mean, errors are about twice as frequent as asked for.
    """

    low: float
    high: float
    alpha: float = 0.05
    """Chance of H1 when H0 is true."""
    beta: float = 0.05
    """Chance of H0 when H1 is true."""
    ends: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if not -math.inf < self.low < self.high < math.inf:
            raise KibitzError(
                f"a test needs two numbers, the lower first, not {self.low:g} and {self.high:g}"
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise KibitzError(
                f"chances of error lie between 0 and 0.5, not {self.alpha:g} and {self.beta:g}"
            )
        if self.ends is not None and not self.ends[0] < self.low < self.high < self.ends[1]:
            raise KibitzError(
                f"{self.low:g} and {self.high:g} must lie between the least and the greatest "
                f"outcome, {self.ends[0]:g} and {self.ends[1]:g}"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """H0 is taken at the first or below, H1 at the second or above."""
        return (
            math.log(self.beta / (1 - self.alpha)),
            math.log((1 - self.beta) / self.alpha),
        )

    def llr(self, values: Iterable[float] | Mapping[float, int]) -> float:
        """Log likelihood ratio of H1 to H0 after these outcomes: a list, or how often each came up.
        The second takes no longer after 100,000 deals than after ten: keep a `Counter`."""
        counts = Counter(values)
        if not counts:
            return 0.0
        support = _outcomes(list(counts))
        if self.ends is not None and not (
            self.ends[0] <= support.min() and support.max() <= self.ends[1]
        ):
            raise KibitzError(f"an outcome lies beyond {self.ends[0]:g} and {self.ends[1]:g}")
        return float(self.ratios(support, np.array(list(counts.values()), np.float64)))

    def verdict(self, values: Iterable[float] | Mapping[float, int]) -> Verdict | None:
        """H1, H0, or None: play on."""
        ratio, (lower, upper) = self.llr(values), self.bounds
        return "H1" if ratio >= upper else "H0" if ratio <= lower else None

    def ratios(self, support: Array, counts: Array) -> Array:
        """Log likelihood ratios of many matches at once: `counts[..., k]` deals came out as
        `support[k]`."""
        counts = np.asarray(counts, np.float64)
        middle = (self.low + self.high) / 2
        values = np.empty((*counts.shape[:-1], len(support) + 2))
        # what no deal came to has no weight, but must not lie beyond the ends either
        values[..., 2:] = np.where(counts > 0, support, middle)
        if self.ends is None:
            furthest = np.abs(values[..., 2:] - middle).max(axis=-1)
            reach = np.maximum(furthest, REACH * (self.high - self.low))
            values[..., 0], values[..., 1] = middle - reach, middle + reach
        else:
            values[..., :2] = self.ends
        least, greatest = values[..., 0], values[..., 1]
        weights = np.empty_like(values)
        weights[..., 0] = (greatest - middle) / (greatest - least)
        weights[..., 1] = (middle - least) / (greatest - least)
        weights[..., 2:] = counts
        return _cost(values, weights, self.low) - _cost(values, weights, self.high)


def _cost(values: Array, weights: Array, mean: float) -> Array:
    """By how much the log likelihood of the values falls if their distribution must have `mean`.

    The best such distribution (Owen's empirical likelihood) has the chances w / (1 + t d), where w
    is a value's share of the deals and d its distance from the mean, with the one multiplier t that
    makes the distances cancel. Their sum falls in t between two poles: Newton's steps find its
    zero, and halving takes over where they leave the bracket.
    """
    distance = values - mean
    share = weights / weights.sum(axis=-1, keepdims=True)
    # no chance exceeds 1, so 1 + t d is nowhere below w: at the ends that leaves the poles out
    low = ((share[..., 1] - 1) / distance[..., 1])[..., None]
    high = ((share[..., 0] - 1) / distance[..., 0])[..., None]
    t = np.zeros_like(low)
    for _ in range(200):
        part = distance / (1 + t * distance)
        weighted = share * part
        slope = weighted.sum(axis=-1, keepdims=True)
        low, high = np.where(slope > 0, t, low), np.where(slope > 0, high, t)
        stepped = t + slope / (weighted * part).sum(axis=-1, keepdims=True)
        stepped = np.where((low <= stepped) & (stepped <= high), stepped, (low + high) / 2)
        moved = np.abs(stepped - t)
        t = stepped
        if (moved <= np.maximum(1e-10 * (high - low), 1e-13 * np.abs(t))).all():
            break
    cost: Array = (weights * np.log1p(t * distance)).sum(axis=-1)
    return cost
