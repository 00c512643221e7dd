"""UNO: the belief as weighted stories of the opponent's hand: the particle filter.

Immutable from outside: every step gives a new set. `filter` and `moves` have the kernels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.games.uno import filter, moves, slots
from kibitz.games.uno.evidence import Evidence, Words
from kibitz.games.uno.game import set_words
from kibitz.games.uno.likelihood import Likelihood
from kibitz.particles import effective_size, resample
from kibitz.rng import uniform

Array = NDArray[Any]
Generator = NDArray[np.uint64]
REAL = np.float32
"""Of weights: their rounding is far below the error of sampling."""
ATTEMPTS = 8
MOST_SWEEPS = 12
ENOUGH = 0.55
"""If more of the stories than this survive resampling, one sweep of moves is enough; else there
are more, until there are more distinct ones than this."""


@dataclass(frozen=True)
class Stories:
    likelihood: Likelihood
    begin: Array
    """uint64[1 or n, 2]: the hand with which the evidence begins."""
    begin_like: Array
    """float[1 or n, players]: likelihood of everything before."""
    hand: Array
    """uint64[n, 2]: the hand now."""
    slots: Array
    """uint8[n, slots]."""
    like: Array
    """float[n, players]: likelihood of everything so far, by kind of player."""
    weights: Array
    """float[n]: their mean is 1."""
    recoveries: int = 0
    """How often no story was left, and all were drawn afresh."""

    @classmethod
    def start(cls, likelihood: Likelihood, n: int) -> Stories:
        """Before the deal."""
        players = len(likelihood.shares)
        return cls(
            likelihood=likelihood,
            begin=np.zeros((1, 2), np.uint64),
            begin_like=np.ones((1, players)),
            hand=np.zeros((n, 2), np.uint64),
            slots=np.zeros((n, 0), np.uint8),
            like=np.ones((n, players)),
            weights=np.ones(n, REAL),
        )

    def __len__(self) -> int:
        return len(self.hand)

    # --- the seven kinds of events; `pool` is what is unseen, before the event ---

    def draw(self, pool: Words, number: int, rng: Generator) -> Stories:
        """The opponent draws, which says nothing by itself."""
        hand = self.hand.copy()
        rows = np.zeros((len(self), self.slots.shape[1] + number), np.uint8)
        rows[:, : self.slots.shape[1]] = self.slots
        filter.draw(*pool, hand, rows, self.slots.shape[1], self.weights, rng)
        return self._with(hand=hand, slots=rows)

    def cannot_play(
        self, pool: Words, playable: Any, evidence: Evidence, rng: Generator
    ) -> Stories | None:
        """The opponent has nothing playable. None if no story can be mended."""
        hand, rows, weights, changed = self._copies()
        filter.clear(*pool, hand, rows, evidence.blocked, playable, weights, changed, rng)
        return self._weighed(evidence, hand, rows, weights, changed, judge=False)

    def play(
        self, pool: Words, before: Evidence, after: Evidence, rng: Generator
    ) -> Stories | None:
        """The opponent plays; `after` has the play as its last event."""
        hand, rows, weights, changed = self._copies()
        card, number = int(after.cards[-1]), len(after.cards) - 1
        filter.hold(*pool, hand, rows, before.blocked, card, number, weights, changed, rng)
        return self._weighed(after, hand, rows, weights, changed, judge=True)

    def draw_mine(
        self, pool: Words, card: int, evidence: Evidence, rng: Generator
    ) -> Stories | None:
        """The observer draws a card."""
        hand, rows, weights, changed = self._copies()
        filter.draw_mine(*pool, hand, rows, evidence.blocked, card, weights, changed, rng)
        return self._weighed(evidence, hand, rows, weights, changed, judge=False)

    def begin_anew(self) -> Stories:
        """The present hand becomes the beginning: what came before matters no more."""
        alive = self.weights > 0
        hands = self.hand[alive]
        if (hands != hands[0]).any():
            return self._with(begin=self.hand, begin_like=self.like, slots=self.slots[:, :0])
        # the hand is known; only who plays may not be
        like = self.like[alive]
        odds = like / (like @ self.likelihood.shares)[:, None]
        like = (self.chances()[alive] @ odds)[None]
        return self._with(
            begin=hands[:1],
            begin_like=like,
            hand=np.repeat(hands[:1], len(self), axis=0),
            slots=self.slots[:, :0],
            like=np.repeat(like, len(self), axis=0),
            weights=np.ones_like(self.weights),
        )

    # --- weights ---

    def _copies(self) -> tuple[Array, Array, Array, Array]:
        return (
            self.hand.copy(),
            self.slots.copy(),
            self.weights.copy(),
            np.empty(len(self), np.bool_),
        )

    def _weighed(
        self,
        evidence: Evidence,
        hand: Array,
        rows: Array,
        weights: Array,
        changed: Array,
        judge: bool,
    ) -> Stories | None:
        given = self.likelihood
        like = self.like.copy()
        arguments: tuple[Any, ...] = (
            given.params,
            evidence.history,
            evidence.cards,
            self.begin,
            self.begin_like,
        )
        if given.function is None:
            arguments += (
                hand,
                rows,
                given.shares,
                given.tables,
                judge,
                changed,
                np.empty(len(given.shares)),
            )
            mean = filter.weigh(*arguments, like, weights)
        else:
            like = given.judge(evidence, self.begin, rows, self.begin_like)
            alive = weights > 0
            weights[alive] *= like[alive, 0] / self.like[alive, 0]
            if judge:
                filter.remove(hand, int(evidence.history["action"][-1]), weights)
            mean = filter.level(weights)
        if mean == 0:
            return None
        return self._with(hand=hand, slots=rows, like=like, weights=weights)

    def _with(self, **fields: Any) -> Stories:
        found = Stories.__new__(Stories)  # `replace` takes three times as long
        found.__dict__.update(self.__dict__, **fields)
        return found

    def chances(self) -> Array:
        """The weights, adding up to 1."""
        weights: Array = self.weights.astype(np.float64)
        weights /= weights.sum()
        return weights

    def ess(self) -> float:
        return float(effective_size(self.weights))

    def refreshed(
        self,
        pool: Words,
        evidence: Evidence,
        rng: Generator,
        n: int,
        force: bool = False,
    ) -> Stories:
        """Resampled to `n` stories if the weights have become too uneven, and then rejuvenated."""
        if not force and n == len(self) and effective_size(self.weights) >= n / 2:
            return self
        index = np.empty(n, np.int64)
        resample(self.weights, rng, index)
        players = self.like.shape[1]
        chosen = (
            np.empty((n, 2), np.uint64),
            np.empty((n, self.slots.shape[1]), np.uint8),
            np.empty((n, players)),
        )
        moves.gather(index, self.hand, self.slots, self.like, *chosen)
        found = self._with(
            begin=self.begin if len(self.begin) == 1 else self.begin[index],
            begin_like=self.begin_like if len(self.begin_like) == 1 else self.begin_like[index],
            hand=chosen[0],
            slots=chosen[1],
            like=chosen[2],
            weights=np.ones(n, REAL),
        )
        ancestors = 1 + int(np.count_nonzero(index[1:] != index[:-1]))
        found._rejuvenate(pool, evidence, ancestors, rng)
        return found

    def _rejuvenate(self, pool: Words, evidence: Evidence, ancestors: int, rng: Generator) -> None:
        """Sweeps of moves, at least one, until enough of the stories are distinct again: one as a
        rule, more where few `ancestors` were left. All stories move: to move only the copies that
        resampling made would favour what the weights do not."""
        for _ in range(MOST_SWEEPS):
            self._move(pool, evidence, rng)
            if ancestors > ENOUGH * len(self):
                return
            ancestors = self.distinct()

    def distinct(self) -> int:
        """How many different stories there are."""
        marks = np.empty(len(self), np.uint64)
        moves.mark_stories(self.hand, self.slots, marks)
        return len(np.unique(marks))

    def _move(self, pool: Words, evidence: Evidence, rng: Generator) -> None:
        """A sweep of Metropolis moves, in place: only for a set that nobody else has seen."""
        if not evidence.slots:
            return
        given = self.likelihood
        if given.function is not None:
            self._move_slowly(pool, evidence, rng)
            return
        scratch = np.empty((2, len(given.shares)))
        moves.move_stories(
            given.params,
            evidence.history,
            evidence.cards,
            self.begin,
            self.begin_like,
            *pool,
            evidence.blocked,
            evidence.opened,
            evidence.emptied,
            given.shares,
            given.tables,
            self.hand,
            self.slots,
            self.like,
            scratch[0],
            scratch[1],
            rng,
        )

    def _move_slowly(self, pool: Words, evidence: Evidence, rng: Generator) -> None:
        """The same for a model that is a Python function."""
        times = (evidence.blocked, evidence.opened, evidence.emptied)
        for i in range(len(self)):
            done = moves.change(*pool, self.hand, self.slots, i, *times, rng)
            if done[0] < 0:
                continue
            begin = self.begin[i if len(self.begin) > 1 else 0]
            start = self.begin_like[i if len(self.begin_like) > 1 else 0]
            new = self.likelihood.judge(evidence, begin[None], self.slots[i : i + 1], start)
            if uniform(rng) * self.like[i, 0] < new[0, 0]:
                self.like[i] = new[0]
            else:
                moves.change_back(self.hand, self.slots, i, *done)

    # --- drawn afresh ---

    @classmethod
    def fresh(
        cls, likelihood: Likelihood, pool: Words, evidence: Evidence, n: int, rng: Generator
    ) -> Stories | None:
        """Stories drawn by slots from the whole evidence, weighted; None if all are dead ends."""
        begin, begin_like = cls._beginnings(likelihood, evidence, n, rng)
        if begin is None:
            return None
        found = cls.start(likelihood, n)
        rows = np.zeros((n, evidence.slots), np.uint8)
        hand, like = found.hand, found.like
        weights = np.empty(n)
        run_slots(likelihood, pool, evidence, begin, begin_like, hand, rows, like, weights, rng)
        largest = weights.max()
        if largest == -np.inf:
            return None
        return replace(
            found,
            begin=begin,
            begin_like=begin_like,
            hand=hand,
            slots=rows,
            like=like,
            weights=_linear(weights),
        )

    @classmethod
    def _beginnings(
        cls, likelihood: Likelihood, evidence: Evidence, n: int, rng: Generator
    ) -> tuple[Any, Any]:
        players = len(likelihood.shares)
        if evidence.earlier is None or (evidence.begin is not None and players == 1):
            begin = np.zeros((1, 2), np.uint64)
            if evidence.begin is not None:
                set_words(begin[0], evidence.begin.elements())
            return begin, np.ones((1, players))
        assert evidence.left_pool is not None  # else the hand is known, but who plays is not
        words = np.zeros(2, np.uint64)
        set_words(words, evidence.left_pool.elements())
        for _ in range(ATTEMPTS):
            before = cls.fresh(likelihood, (words[0], words[1]), evidence.earlier, n, rng)
            if before is not None:
                index = np.empty(n, np.int64)
                resample(before.chances(), rng, index)
                return before.hand[index], before.like[index]
        return None, None


def run_slots(
    likelihood: Likelihood,
    pool: Words,
    evidence: Evidence,
    begin: Array,
    begin_like: Array,
    hand: Array,
    rows: Array,
    like: Array,
    weights: Array,
    rng: Generator,
    wanted: Array | None = None,
) -> None:
    """Fill `hand`, `rows`, `like` and the logs of `weights` with stories drawn by slots."""
    function = likelihood.function
    may = ~evidence.blocked
    ones, twos = pool if wanted is None else wanted[0]
    room = np.maximum(
        np.bitwise_count(ones & may) + np.bitwise_count(twos & may), slots.NEARLY_NONE
    ).astype(np.float64)
    slots.fresh(
        likelihood.params,
        evidence.history,
        evidence.cards,
        *evidence.pool,
        evidence.mine_array,
        begin,
        begin_like,
        evidence.blocked,
        room,
        likelihood.shares,
        likelihood.tables,
        np.zeros((0, 2), np.uint64) if wanted is None else wanted,
        hand,
        rows,
        like,
        weights,
        rng,
    )
    if function is not None:  # the kernels left the choices out
        alive = weights > -np.inf
        begins = begin if len(begin) == 1 else begin[alive]
        starts = begin_like if len(begin_like) == 1 else begin_like[alive]
        found = likelihood.judge(evidence, begins, rows[alive], starts)
        with np.errstate(divide="ignore"):
            weights[alive] += np.log(found / like[alive])[:, 0]
        like[alive] = found


def _linear(logs: Array) -> Array:
    """Weights with mean 1 from their logs."""
    weights: Array = np.exp(logs - logs.max())
    return weights.astype(REAL) / REAL(weights.mean())
