"""UNO: stories of a hand drawn afresh from everything that was seen, or made to fit it.

For the method "slots", for positions that begin in the middle, and where the filter has lost its
last story.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.games.uno import moves, slots
from kibitz.games.uno.evidence import Evidence, Way, Words
from kibitz.games.uno.filter import Rows
from kibitz.games.uno.game import set_words
from kibitz.games.uno.layout import EMPTIED_BY
from kibitz.games.uno.likelihood import Likelihood
from kibitz.games.uno.stories import REAL, Stories
from kibitz.particles import resample

Array = NDArray[Any]
Generator = NDArray[np.uint64]


def drawn(
    likelihood: Likelihood, pool: Words, evidence: Evidence, n: int, rng: Generator
) -> Stories | None:
    """Stories drawn by slots from the whole evidence, weighted; None if all are dead ends."""
    before = _before(likelihood, evidence, n, rng)
    if before is None:
        return None
    slots, logs = np.zeros((n, evidence.slots), np.uint8), np.empty(n)
    found = Stories.start(likelihood, n).changed(
        begin=before.hand, begin_like=before.like, slots=slots
    )
    if len(before) > 1:
        found = found.changed(roots=before.roots)
    run_slots(likelihood, pool, evidence, found.rows, logs, rng)
    if logs.max() == -np.inf:
        return None
    found = found.changed(weights=_linear(logs))
    earlier = evidence.told_before
    if earlier is None:
        return found
    plays = len(earlier.seen)
    slots[slots >= EMPTIED_BY] += plays
    slots = np.concatenate([before.slots, slots], axis=1)
    moves.mark_plays(evidence.cards, plays, before.hand, slots, earlier.slots, rng)
    found = found.changed(begin=before.begin, begin_like=before.begin_like, slots=slots)
    return found.judged(evidence.whole)


def _before(likelihood: Likelihood, evidence: Evidence, n: int, rng: Generator) -> Stories | None:
    """How it was when the evidence began: one story if that is known, else n, all weighing
    the same. None if all are dead ends."""
    if evidence.earlier is None or (evidence.begin is not None and len(likelihood.shares) == 1):
        found = Stories.start(likelihood, 1)
        if evidence.begin is not None:
            set_words(found.hand[0], evidence.begin.elements())
        return found
    assert evidence.left_pool is not None  # else the hand is known, but who plays is not
    words = np.zeros(2, np.uint64)
    set_words(words, evidence.left_pool.elements())
    before = drawn(likelihood, (words[0], words[1]), evidence.earlier, n, rng)
    if before is None:
        return None
    before = before.latest(evidence.earlier)
    index = np.empty(n, np.int64)
    resample(before.chances(), rng, index)
    return before.chosen(index)


def explained(
    likelihood: Likelihood, evidence: Evidence, ways: list[Way], n: int
) -> Stories | None:
    """Stories made to fit, where none that is drawn does: some ways in which everything can
    have happened, over and over, as likely as the model says of each. They are no sample until
    they have moved for a while. None if the model gives them all no chance."""
    if not ways:
        return None
    whole = evidence.whole
    roots = np.arange(n, dtype=np.int32) * len(ways) // n
    ways = [ways[i] for i in roots]
    begin = np.zeros((n, 2), np.uint64)
    for words, (first, _) in zip(begin, ways, strict=True):
        set_words(words, first.elements())
    found = Stories.start(likelihood, n).changed(
        begin=begin,
        slots=np.array([row for _, row in ways], np.uint8).reshape(n, whole.slots),
        roots=roots,
    )
    moves.hands_at_end(whole.history, whole.card_of, found.rows)
    found = found.judged(whole)
    weights = found.weights * (found.like @ likelihood.shares)
    if not weights.any():
        return None
    return found.changed(weights=(weights / weights.mean()).astype(REAL))


def run_slots(
    likelihood: Likelihood,
    pool: Words,
    evidence: Evidence,
    rows: Rows,
    logs: Array,
    rng: Generator,
    wanted: Array | None = None,
) -> None:
    """Fill `rows`, but for the weights, with stories drawn by slots; `logs` are those of their
    weights."""
    may = ~evidence.blocked
    ones, twos = pool if wanted is None else wanted[0]
    room = np.maximum(
        np.bitwise_count(ones & may) + np.bitwise_count(twos & may), slots.NEARLY_NONE
    ).astype(np.float64)
    draft = slots.Draft(
        np.array(evidence.pool, np.uint64),
        evidence.mine_array,
        evidence.blocked,
        room,
        np.zeros((0, 2), np.uint64) if wanted is None else wanted,
    )
    conduct = likelihood.conduct(evidence.history, evidence.card_of)
    slots.fresh(conduct, draft, rows, logs, rng)
    if likelihood.function is not None:  # the kernels left the choices out
        alive = logs > -np.inf
        begins = rows.begin if len(rows.begin) == 1 else rows.begin[alive]
        starts = rows.begin_like if len(rows.begin_like) == 1 else rows.begin_like[alive]
        found = likelihood.judge(evidence, begins, rows.slots[alive], starts)
        with np.errstate(divide="ignore"):
            logs[alive] += np.log(found / rows.like[alive])[:, 0]
        rows.like[alive] = found


def _linear(logs: Array) -> Array:
    """Weights with mean 1 from their logs."""
    weights: Array = np.exp(logs - logs.max())
    return weights.astype(REAL) / REAL(weights.mean())
