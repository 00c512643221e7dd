"""Weighted samples over the contract: what players' choices say, weights, and resampling.

How a player chooses is a number here, its *sharpness*: actions have chances in proportion to
exp(sharpness * score) by the game's own `rule_scores`. 0 is the uniform player and infinity the
rule player with ties at random. SILENT (-1) says nothing about choices: every legal action has
"chance" 1, which leaves the hard constraints alone. A number below is the keen player, by
`keen_scores`; its sharpness is how far below, so that minus infinity (KEENLY) is the keen player
itself.
"""

import numpy as np

from kibitz._jit import kernel
from kibitz.bits import ONE, ZERO, lowest, popcount, single
from kibitz.contract import keen_scores, legal_actions, rule_scores
from kibitz.policy import SILENT
from kibitz.rng import uniform


@kernel
def log(x):
    """The natural logarithm, with none of numpy's warnings about 0."""
    return np.log(x) if x > 0.0 else -np.inf


@kernel
def likelihoods(params, state, action, sharpness, scratch, out):
    """Write the chance that the seat to act, sharp as `sharpness[k]`, chooses `action` into
    `out[k]`; all 0 if it is illegal. Reads only what that seat may know. `scratch`: float64[64]."""
    legal = legal_actions(params, state)
    for k in range(len(sharpness)):
        out[k] = 0.0
    if legal & single(action) == ZERO:
        return
    by_rule = False
    keenly = False
    for k in range(len(sharpness)):
        sharp = sharpness[k]
        if sharp == SILENT:
            out[k] = 1.0
        elif sharp == 0.0 or popcount(legal) == 1:
            out[k] = 1.0 / popcount(legal)
        elif sharp < SILENT:
            keenly = True
        else:
            by_rule = True
    if by_rule:
        rule_scores(params, state, scratch)
        for k in range(len(sharpness)):
            if sharpness[k] > 0.0 and out[k] == 0.0:
                out[k] = chance_of(action, legal, sharpness[k], scratch)
    if keenly:
        keen_scores(params, state, scratch)
        for k in range(len(sharpness)):
            if sharpness[k] < SILENT and out[k] == 0.0:
                out[k] = chance_of(action, legal, SILENT - sharpness[k], scratch)


@kernel
def chance_of(action, legal, sharpness, scores):
    """The chance of an action where all of `legal` have scores."""
    mine = scores[action]
    total = 0.0
    while legal != ZERO:
        score = scores[lowest(legal)]
        legal &= legal - ONE
        if sharpness == np.inf:
            total += np.inf if score > mine else (1.0 if score == mine else 0.0)
        else:
            total += np.exp(sharpness * (score - mine))
    return 1.0 / total


@kernel
def mix(shares, logs):
    """The log likelihood of a player who is of kind k with chance `shares[k]`, once and for all,
    and whose actions so far have log likelihood `logs[k]` if it is."""
    best = -np.inf
    for k in range(len(shares)):
        best = max(best, logs[k])
    if best == -np.inf:
        return best
    total = 0.0
    for k in range(len(shares)):
        total += shares[k] * np.exp(logs[k] - best)
    return best + np.log(total)


@kernel
def normalise(log_weights, weights):
    """Write the weights that belong to `log_weights`, adding up to 1; returns the log of their
    mean before, or minus infinity if all are 0, when nothing is written."""
    best = -np.inf
    for i in range(len(log_weights)):
        best = max(best, log_weights[i])
    if best == -np.inf:
        return best
    total = 0.0
    for i in range(len(log_weights)):
        weights[i] = np.exp(log_weights[i] - best)
        total += weights[i]
    for i in range(len(log_weights)):
        weights[i] /= total
    return best + np.log(total / len(log_weights))


@kernel
def effective_size(weights):
    """How many equally weighted samples these are worth: (sum)^2 / sum of squares."""
    whole = 0.0
    squares = 0.0
    for i in range(len(weights)):
        weight = np.float64(weights[i])
        whole += weight
        squares += weight * weight
    return whole * whole / squares


@kernel
def resample(weights, rng, out):
    """Systematic resampling: write into `out` indices whose numbers differ from len(out) times
    their share of the weights by less than one; they come in order."""
    total = 0.0
    for i in range(len(weights)):
        total += weights[i]
    step = total / len(out)
    at = uniform(rng) * step
    i = 0
    reached = np.float64(weights[0])
    for k in range(len(out)):
        while at > reached and i + 1 < len(weights):
            i += 1
            reached += weights[i]
        out[k] = i
        at += step
