"""Policies over the contract: how a seat chooses, as kernels.

One source for rollouts, opponent models and baseline players. A policy is a number: `UNIFORM` over
the legal actions, `RULE`, the best by the game's own `rule_scores` with ties at random, or `KEEN`,
the same by its `keen_scores`. They read only what the seat to act may know: a state and that seat's
observation give the same choice.
"""

import numpy as np

from kibitz._jit import inline_kernel, kernel
from kibitz.bits import ONE, ZERO, lowest, popcount, select
from kibitz.contract import ACTIONS, keen_scores, legal_actions, rule_scores
from kibitz.rng import below

UNIFORM = 0
RULE = 1
KEEN = 2

SILENT = -1.0
KEENLY = -np.inf
"""Players softened to taste are numbers, too: see `kibitz.particles`."""


@kernel
def rule_choices(params, state, scratch):
    """The actions that the rule player likes best, as a set; `scratch` is float64[ACTIONS]."""
    legal = legal_actions(params, state)
    if popcount(legal) == 1:
        return legal
    rule_scores(params, state, scratch)
    return best_of(legal, scratch)


@kernel
def keen_choices(params, state, scratch):
    """The same of the keen player."""
    legal = legal_actions(params, state)
    if popcount(legal) == 1:
        return legal
    keen_scores(params, state, scratch)
    return best_of(legal, scratch)


@inline_kernel
def best_of(left, scores):
    """The actions of a set that have the highest score."""
    best = -np.inf
    chosen = ZERO
    while left != ZERO:
        action = lowest(left)
        left &= left - ONE
        score = scores[action]
        if score > best:
            best = score
            chosen = ZERO
        if score == best:
            chosen |= ONE << np.uint64(action)
    return chosen


@kernel
def soften(legal, sharpness, out):
    """Turn the score of each action of `legal` in `out` into exp(sharpness * score), scaled so that
    the best is 1; returns their sum. In that proportion they are chances of a player who does not
    always choose the best."""
    best = -np.inf
    left = legal
    while left != ZERO:
        best = max(best, out[lowest(left)])
        left &= left - ONE
    total = 0.0
    while legal != ZERO:
        action = lowest(legal)
        legal &= legal - ONE
        out[action] = np.exp(sharpness * (out[action] - best))
        total += out[action]
    return total


@inline_kernel
def choices(params, state, policy, scratch):
    """The actions that `policy` may choose, all with the same probability, as a set."""
    if policy == UNIFORM:
        return legal_actions(params, state)
    if policy == KEEN:
        return keen_choices(params, state, scratch)
    return rule_choices(params, state, scratch)


@inline_kernel
def choose(params, state, policy, rng, scratch):
    """An action of the seat to act. `scratch`: float64[ACTIONS]."""
    options = choices(params, state, policy, scratch)
    return lowest(select(options, below(rng, popcount(options))))


@kernel
def probabilities(params, state, policy, out, scratch):
    """Write the probability of each action into `out`. Both arrays: float64[ACTIONS]."""
    options = choices(params, state, policy, scratch)
    share = 1.0 / popcount(options)
    for action in range(ACTIONS):
        out[action] = 0.0
    while options != ZERO:
        out[lowest(options)] = share
        options &= options - ONE
