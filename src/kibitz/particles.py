"""Weighted samples: log likelihoods of mixtures, weights, and resampling, as kernels."""

import numpy as np

from kibitz._jit import kernel
from kibitz.rng import uniform


@kernel
def log(x):
    """The natural logarithm, with none of numpy's warnings about 0."""
    return np.log(x) if x > 0.0 else -np.inf


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
