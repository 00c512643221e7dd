"""Values of a state for every seat, as kernels: how each seat's return will change until the stage
is over.

A game is played out by one chooser for each seat, a number as in `particles`: its sharpness. After
`horizon` plies the game's own estimate stands in for the rest, so a horizon of 0 is the heuristic
alone. Where no chance is left and few decisions, `solve` knows the answer.
"""

import numpy as np

from kibitz._jit import inline_kernel, kernel
from kibitz.bits import ONE, ZERO, lowest, popcount, select
from kibitz.contract import (
    apply,
    countdown,
    estimate,
    keen_scores,
    legal_actions,
    player_to_act,
    returns,
    rule_scores,
    stage,
)
from kibitz.policy import KEENLY, SILENT, keen_choices, rule_choices, soften
from kibitz.rng import below, uniform

MOST_EXACT = 24
"""Decisions that `solve` has room for."""
MOST_STATES = 20_000
"""States that are looked at to solve one, before it is given up."""
NO_HORIZON = 1_000_000
"""More plies than any game has."""


@inline_kernel
def any_of(options, rng):
    """One action of a set, each equally likely."""
    return lowest(select(options, below(rng, popcount(options))))


@kernel
def weighed(params, state, sharpness, rng, scratch):
    """An action of a player who is softened."""
    options = legal_actions(params, state)
    if popcount(options) == 1:
        return lowest(options)
    if sharpness < SILENT:
        keen_scores(params, state, scratch)
        sharpness = SILENT - sharpness
    else:
        rule_scores(params, state, scratch)
    total = soften(options, sharpness, scratch)
    at = uniform(rng) * total
    left = options
    action = lowest(left)
    while left != ZERO:
        action = lowest(left)
        left &= left - ONE
        at -= scratch[action]
        if at < 0.0:
            break
    return action


@inline_kernel
def choose(params, state, sharpness, randomness, rng, scratch):
    """An action of the seat to act by a player of that sharpness, who with chance `randomness`
    takes any legal action instead."""
    if sharpness == 0.0 or (randomness > 0.0 and uniform(rng) < randomness):
        return any_of(legal_actions(params, state), rng)
    if sharpness == KEENLY:
        return any_of(keen_choices(params, state, scratch), rng)
    if sharpness == np.inf:
        return any_of(rule_choices(params, state, scratch), rng)
    return weighed(params, state, sharpness, rng, scratch)


@kernel
def solve(params, stack, left, best, ties, sums, limit, rng, out):
    """Write the value of `stack[0]` for each seat if every seat knows all cards and takes what is
    best for itself, any of its best actions with equal chance. No chance may be left in the stage.

    Depth first, without recursion. Row k of the arrays belongs to the k-th decision: its state, the
    actions not yet tried, the best value so far for the seat to act, by how many actions it was
    reached, and the sum of their values for all seats. Returns whether it was solved: not if that
    takes more than `limit` states.
    """
    seats = sums.shape[1]
    here = stage(params, stack[0])
    level = 0
    seen = 0
    left[0] = legal_actions(params, stack[0])
    best[0] = -np.inf
    ties[0] = 0
    while True:
        if left[level] != ZERO:
            action = lowest(left[level])
            left[level] &= left[level] - ONE
            stack[level + 1] = stack[level]
            state = stack[level + 1]
            apply(params, state, action, rng)
            seen += 1
            if seen > limit:
                return False
            if player_to_act(params, state) >= 0 and stage(params, state) == here:
                level += 1
                left[level] = legal_actions(params, state)
                best[level] = -np.inf
                ties[level] = 0
                continue
            returns(params, state, out)
        else:
            for seat in range(seats):
                out[seat] = sums[level, seat] / ties[level]
            if level == 0:
                return True
            level -= 1
        mine = out[player_to_act(params, stack[level])]
        if mine > best[level] + 1e-9:
            best[level] = mine
            ties[level] = 0
            for seat in range(seats):
                sums[level, seat] = 0.0
        if mine >= best[level] - 1e-9:
            ties[level] += 1
            for seat in range(seats):
                sums[level, seat] += out[seat]


@inline_kernel
def play_out(
    params, state, sharpness, randomness, alone, horizon, weights, rng, scratch, seat, out
):
    """Write the value of `state`, which is changed, into `out` as `returns` does, by playing on for
    at most `horizon` plies; `randomness` is that of `seat` if `alone`, else of all. Returns how
    many decisions `seat` took."""
    here = stage(params, state)
    mover = player_to_act(params, state)
    decisions = 0
    while horizon > 0:
        if mover < 0 or stage(params, state) != here:
            break
        decisions += mover == seat
        loose = 0.0 if alone and mover != seat else randomness
        apply(params, state, choose(params, state, sharpness[mover], loose, rng, scratch), rng)
        mover = player_to_act(params, state)
        horizon -= 1
    returns(params, state, out)
    if mover >= 0 and stage(params, state) == here:
        estimate(params, state, weights, scratch)
        for other in range(len(out)):
            out[other] += scratch[other]
    return decisions


@inline_kernel
def solvable(params, state, exact):
    """Whether `state` is to be solved, if that is wanted for `exact` decisions or fewer."""
    number = countdown(params, state)
    return 0 < number <= exact
