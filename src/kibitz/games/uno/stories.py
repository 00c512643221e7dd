"""UNO: the belief as weighted stories of the opponent's hand: the particle filter.

Immutable from outside: every step gives a new set. `filter` and `moves` have the kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.games.uno import filter, moves, weighing
from kibitz.games.uno.evidence import Evidence, Words
from kibitz.games.uno.filter import Rivals, Rows
from kibitz.games.uno.hypotheses import SCALE, copies
from kibitz.games.uno.layout import EMPTIED_BY
from kibitz.games.uno.likelihood import Likelihood
from kibitz.particles import effective_size, resample
from kibitz.rng import uniform

Array = NDArray[Any]
Generator = NDArray[np.uint64]
REAL = np.float32
"""Of weights: their rounding is far below the error of sampling."""
MOST_SWEEPS = 12
LEAST_MIXING, MOST_MIXING = 4, 24
"""Sweeps of moves before a set of stories answers; in between, two for each card of the hand."""
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
    roots: Array
    """int32[n]: the story of the first set of which each comes through resampling, in order."""

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
            roots=np.arange(n, dtype=np.int32),
        )

    def __len__(self) -> int:
        return len(self.hand)

    # --- the seven kinds of events; `pool` is what is unseen, before the event ---

    def draw(self, pool: Words, number: int, rng: Generator) -> Stories:
        """The opponent draws, which says nothing by itself."""
        hand = self.hand.copy()
        rows = np.zeros((len(self), self.slots.shape[1] + number), np.uint8)
        rows[:, : self.slots.shape[1]] = self.slots
        drawn = self.changed(hand=hand, slots=rows)
        filter.draw(*pool, drawn.rows, self.slots.shape[1], rng)
        return drawn

    def cannot_play(
        self, pool: Words, playable: Any, evidence: Evidence, rng: Generator
    ) -> Stories | None:
        """The opponent has nothing playable. None if no story can be mended."""
        found, rivals = self._copied()
        evidence = evidence.whole
        clean = np.empty(evidence.slots)
        filter.clear(*pool, found.rows, evidence.blocked, playable, rivals, clean, rng)
        return found._corrected(evidence, rivals)

    def play(
        self, pool: Words, before: Evidence, after: Evidence, rng: Generator
    ) -> Stories | None:
        """The opponent plays; `after` has the play as its last event."""
        found, rivals = self._copied()
        before, after = before.whole, after.whole
        card, number = int(after.cards[-1]), len(after.cards) - 1
        filter.hold(*pool, found.rows, before.blocked, card, number, rivals, rng)
        return found._corrected(before, rivals, after)

    def draw_mine(
        self, pool: Words, card: int, evidence: Evidence, rng: Generator
    ) -> Stories | None:
        """The observer draws a card."""
        found, rivals = self._copied()
        evidence = evidence.whole
        filter.draw_mine(*pool, found.rows, evidence.blocked, card, rivals, rng)
        return found._corrected(evidence, rivals)

    def begin_anew(self, before: Evidence, after: Evidence) -> Stories:
        """After a reshuffle: where the hand is known, it becomes the beginning, and what came
        before matters no more; else the stories go on, without what was there before the last."""
        if after.begin is None:
            if after.told_before is None:
                return self.changed(begin=self.hand, begin_like=self.like, slots=self.slots[:, :0])
            return self.latest(before).judged(after.whole)
        alive = self.weights > 0
        hands = self.hand[alive]
        assert (hands == hands[0]).all()
        like = self.like[alive]  # the hand is known; only who plays may not be
        odds = like / (like @ self.likelihood.shares)[:, None]
        like = (self.chances()[alive] @ odds)[None]
        return self.changed(
            begin=hands[:1],
            begin_like=like,
            hand=np.repeat(hands[:1], len(self), axis=0),
            slots=self.slots[:, :0],
            like=np.repeat(like, len(self), axis=0),
            weights=np.ones_like(self.weights),
            roots=np.arange(len(self), dtype=np.int32),
        )

    def latest(self, evidence: Evidence) -> Stories:
        """The same, telling nothing of what was there before the last reshuffle."""
        before = evidence.told_before
        if before is None:
            return self
        plays = len(before.seen)
        first = self.changed(
            hand=np.zeros_like(self.hand),
            slots=self.slots[:, : before.slots].copy(),
            like=np.ones_like(self.like),
            weights=self.weights.copy(),
        )
        moves.hands_at_end(before.history, evidence.whole.card_of, first.rows)
        if self.likelihood.function is None:
            conduct = self.likelihood.conduct(before.history, evidence.whole.card_of)
            weighing.judge_all(conduct, first.rows, np.empty(first.like.shape[1]))
        own = self.slots[:, before.slots :].copy()
        own[own >= EMPTIED_BY] -= plays
        return self.changed(begin=first.hand, begin_like=first.like, slots=own)

    def judged(self, evidence: Evidence) -> Stories:
        """The same, with the likelihoods of all that stories tell."""
        found = self.changed(like=self.like.copy(), weights=self.weights.copy())
        if self.likelihood.function is None:
            conduct = self.likelihood.conduct(evidence.history, evidence.card_of)
            weighing.judge_all(conduct, found.rows, np.empty(found.like.shape[1]))
        else:
            found.like[:] = self.likelihood.judge(evidence, self.begin, self.slots, self.begin_like)
        return found

    # --- weights ---

    @property
    def rows(self) -> Rows:
        return Rows(self.begin, self.begin_like, self.hand, self.slots, self.like, self.weights)

    def _copied(self) -> tuple[Stories, Rivals]:
        """The same, to be changed in place."""
        found = self.changed(
            hand=self.hand.copy(),
            slots=self.slots.copy(),
            like=self.like.copy(),
            weights=self.weights.copy(),
        )
        n = len(self)
        return found, Rivals(np.zeros(n, np.uint8), np.empty_like(self.slots), np.empty(n))

    def _corrected(
        self, before: Evidence, rivals: Rivals, after: Evidence | None = None
    ) -> Stories | None:
        """These stories after they were mended, with their likelihoods and weights put right; and
        then the choice judged with which `after` ends, if there is one. Changed in place; None if
        no story is left."""
        given, rows = self.likelihood, self.rows
        scratch, other = np.empty((2, len(given.shares))), np.zeros(len(self))
        last = after or before
        if given.function is None:
            conduct = given.conduct(before.history, last.card_of)
            weighing.judge_rivals(conduct, rows, rivals, other, scratch)
            weighing.correct(given.shares, rows, rivals, other)
        else:
            self._judge_slowly(before, rivals, last, other)
            weighing.correct(given.shares, rows, rivals, other)
        if after is not None:
            conduct = given.conduct(after.history, after.card_of)
            if given.function is None:
                weighing.judge_choice(conduct, rows, scratch[0])
            else:
                self._judge_choice_slowly(after)
        return self if weighing.level(self.weights) > 0 else None

    def _judge_slowly(self, before: Evidence, rivals: Rivals, last: Evidence, other: Array) -> None:
        """What `judge_rivals` does, for a model that is a Python function."""
        play, alive = len(before.seen), self.weights > 0
        for fate, stories in ((filter.MENDED, self.slots), (filter.RIVALLED, rivals.slots)):
            which = np.flatnonzero(alive & (rivals.fate == fate))
            rows = stories[which]
            if last is not before:  # the card is about to be played
                rows[rows == EMPTIED_BY + play] = last.cards[-1]
            start = self.begin_like[which if len(self.begin_like) > 1 else [0]]
            begins = self.begin[which] if len(self.begin) > 1 else self.begin
            found = self.likelihood.judge(before, begins, rows, start)
            if fate == filter.MENDED:
                other[which] = self.like[which, 0]
                self.like[which] = found
            else:
                other[which] = found[:, 0]

    def _judge_choice_slowly(self, after: Evidence) -> None:
        """What `judge_choice` does, for a model that is a Python function."""
        action, silent = int(after.history["action"][-1]), bool(after.history["silent"][-1])
        for i in np.flatnonzero(self.weights > 0):
            ones, twos = self.hand[i]
            chance = SCALE / copies(ones, twos, action)
            if not silent:
                chance *= self.likelihood.ask(after.seen[-1], ones, twos, action)
            self.like[i] *= chance
            self.weights[i] *= chance
        weighing.remove(self.hand, action, self.weights)

    def changed(self, **fields: Any) -> Stories:
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
        evidence = evidence.whole
        if not force and n == len(self) and effective_size(self.weights) >= n / 2:
            return self
        index = np.empty(n, np.int64)
        resample(self.weights, rng, index)
        found = self.chosen(index)
        ancestors = 1 + int(np.count_nonzero(index[1:] != index[:-1]))
        found._rejuvenate(pool, evidence, ancestors, rng)
        return found

    def chosen(self, index: Array) -> Stories:
        """The stories at these places, all weighing the same."""
        n, kinds = len(index), self.like.shape[1]
        chosen = (
            np.empty((n, 2), np.uint64),
            np.empty((n, self.slots.shape[1]), np.uint8),
            np.empty((n, kinds)),
        )
        moves.gather(index, self.hand, self.slots, self.like, *chosen)
        return self.changed(
            begin=self.begin if len(self.begin) == 1 else self.begin[index],
            begin_like=self.begin_like if len(self.begin_like) == 1 else self.begin_like[index],
            hand=chosen[0],
            slots=chosen[1],
            like=chosen[2],
            weights=np.ones(n, REAL),
            roots=self.roots[index],
        )

    def _rejuvenate(self, pool: Words, evidence: Evidence, ancestors: int, rng: Generator) -> None:
        """Sweeps of moves, at least one, until enough of the stories are distinct again: one as a
        rule, more where few `ancestors` were left. All stories move: to move only the copies that
        resampling made would favour what the weights do not."""
        for _ in range(MOST_SWEEPS):
            self.move(pool, evidence, rng)
            if ancestors > ENOUGH * len(self):
                return
            ancestors = self.distinct()

    def mixed(self, pool: Words, evidence: Evidence, rng: Generator) -> Stories:
        """The same, moved until stories that come of one no longer look alike: what is asked of
        them is then worth about as many independent ones. Moves leave the weights right. Those that
        are still all of their own are left alone."""
        if len(self) == 1 + np.count_nonzero(self.roots[1:] != self.roots[:-1]):
            return self
        whole = evidence.whole
        held = whole.slots - len(whole.seen)
        slow = self.likelihood.function is not None
        found, _ = self._copied()
        for _ in range(1 if slow else min(MOST_MIXING, max(LEAST_MIXING, 2 * held))):
            found.move(pool, whole, rng)
        return found

    def distinct(self) -> int:
        """How many different stories there are."""
        marks = np.empty(len(self), np.uint64)
        moves.mark_stories(self.hand, self.slots, marks)
        return len(np.unique(marks))

    def move(self, pool: Words, evidence: Evidence, rng: Generator) -> None:
        """A sweep of Metropolis moves, in place: only for a set that nobody else has seen."""
        if not evidence.slots:
            return
        given = self.likelihood
        if given.function is not None:
            self._move_slowly(pool, evidence, rng)
            return
        conduct = given.conduct(evidence.history, evidence.card_of)
        scratch = np.empty((2, len(given.shares)))
        moves.move_stories(conduct, self.rows, *pool, evidence.times, scratch, rng)

    def _move_slowly(self, pool: Words, evidence: Evidence, rng: Generator) -> None:
        """The same for a model that is a Python function."""
        for i in range(len(self)):
            done = moves.change(*pool, self.hand, self.slots, i, evidence.times, rng)
            if done[0] < 0:
                continue
            begin = self.begin[i if len(self.begin) > 1 else 0]
            start = self.begin_like[i if len(self.begin_like) > 1 else 0]
            new = self.likelihood.judge(evidence, begin[None], self.slots[i : i + 1], start)
            if uniform(rng) * self.like[i, 0] < new[0, 0]:
                self.like[i] = new[0]
            else:
                moves.change_back(self.hand, self.slots, i, *done)
