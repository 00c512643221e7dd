"""UNO: likelihoods and weights of stories after an event, as kernels.

`filter` mends stories and draws a rival for each; here is what the choice between the two comes to.
"""

import numpy as np

from kibitz._jit import inline_kernel
from kibitz.bits import single
from kibitz.games.uno.filter import ALONE, MENDED
from kibitz.games.uno.hypotheses import (
    SCALE,
    copies,
    divide,
    judge_play,
    lane_counts,
    replay,
    total,
)
from kibitz.games.uno.kernels import take


@inline_kernel
def remove(hand, action, weights):
    """The card that was played leaves the hand of every story that is still possible."""
    card = single(action)
    for i in range(len(hand)):
        if weights[i] > 0.0:
            hand[i, 0], hand[i, 1] = take(hand[i, 0], hand[i, 1], card)


@inline_kernel
def level(weights):
    """Make the mean weight 1, unless it is 0; returns what it was."""
    mean = 0.0
    for i in range(len(weights)):
        mean += weights[i]
    mean /= len(weights)
    if mean > 0.0:
        for i in range(len(weights)):
            weights[i] /= mean
    return mean


@inline_kernel
def judge_rivals(conduct, rows, rivals, other, scratch):
    """The likelihoods, up to the event at hand, of mended stories, in `rows.like`, and in `other`
    the total of each rival; 0 for what breaks a rule. `scratch`: float64[2, kinds]."""
    kinds = len(conduct.shares)
    down, new = scratch[0], scratch[1]
    for i in range(len(rows.hand)):
        if rows.weights[i] == 0.0 or rivals.fate[i] == ALONE:
            continue
        b = i if len(rows.begin) > 1 else 0
        c = i if len(rows.begin_like) > 1 else 0
        for k in range(kinds):
            new[k] = rows.begin_like[c, k]
        ones, twos = rows.begin[b, 0], rows.begin[b, 1]
        if rivals.fate[i] == MENDED:
            other[i] = total(conduct.shares, rows.like[i])
            fits = replay(conduct, ones, twos, rows.slots[i], down, new)
            for k in range(kinds):
                rows.like[i, k] = new[k] if fits else 0.0
        else:
            fits = replay(conduct, ones, twos, rivals.slots[i], down, new)
            other[i] = total(conduct.shares, new) if fits else 0.0


@inline_kernel
def correct(shares, rows, rivals, other):
    """Multiply the weights by what the choice of the way back comes to. `other`: the likelihood of
    each rival."""
    for i in range(len(rows.hand)):
        if rows.weights[i] == 0.0 or rivals.fate[i] == ALONE:
            continue
        own = total(shares, rows.like[i])
        rows.weights[i] *= own / (own + rivals.odds[i] * other[i]) if own > 0.0 else 0.0


@inline_kernel
def judge_choice(conduct, rows, down):
    """The opponent has made the last play of the history: multiply likelihoods and weights by the
    chance of that choice; the card then leaves the hand. `down`: scratch, float64[kinds]."""
    last = conduct.history[len(conduct.history) - 1]
    action = np.int64(last.action)
    for i in range(len(rows.hand)):
        if rows.weights[i] == 0.0:
            continue
        before = total(conduct.shares, rows.like[i])
        ones, twos = rows.hand[i, 0], rows.hand[i, 1]
        for k in range(len(down)):
            down[k] = copies(ones, twos, action) / SCALE
        if not last.silent:
            judge_play(
                conduct.params, ones, twos, lane_counts(ones, twos), last, conduct.tables, down
            )
        divide(rows.like[i], down)
        rows.weights[i] *= total(conduct.shares, rows.like[i]) / before
    remove(rows.hand, action, rows.weights)


@inline_kernel
def judge_all(conduct, rows, down):
    """The likelihoods of all stories, from what came before; `down`: scratch, float64[kinds]."""
    for i in range(len(rows.hand)):
        if rows.weights[i] == 0.0:
            continue
        b = i if len(rows.begin) > 1 else 0
        c = i if len(rows.begin_like) > 1 else 0
        for k in range(len(down)):
            rows.like[i, k] = rows.begin_like[c, k]
        ones, twos = rows.begin[b, 0], rows.begin[b, 1]
        if not replay(conduct, ones, twos, rows.slots[i], down, rows.like[i]):
            rows.weights[i] = 0.0
