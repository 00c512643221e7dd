"""Values of a state for every seat, as kernels: how each seat's return will change until the stage
is over.

A game is played out by a player for each seat. After `horizon` plies the game's own estimate
stands in for the rest, so a horizon of 0 is the heuristic alone. Where no chance is left and few
decisions, `solve` knows the answer.
"""

from typing import Any, NamedTuple

import numpy as np

from kibitz._jit import inline_kernel, kernel
from kibitz.bits import ONE, ZERO, lowest
from kibitz.contract import (
    apply,
    countdown,
    estimate,
    legal_actions,
    player_to_act,
    returns,
    stage,
)
from kibitz.players import UNIFORM, any_of, choose
from kibitz.rng import uniform

MOST_EXACT = 24
"""Decisions that `solve` has room for."""
MOST_STATES = 20_000
"""States that are looked at to solve one, before it is given up."""
NO_HORIZON = 1_000_000
"""More plies than any game has."""


class Evaluator(NamedTuple):
    """What gives a state its values, as the kernels take it."""

    players: Any  # PLAYER[seats]: who plays games out
    randomness: float
    """Chance of any action instead of the player's own."""
    alone: int
    """1 if that is so of the searching seat only."""
    horizon: int
    """Plies that a game is played out for, before its estimate is taken."""
    exact: int
    """Decisions left at which a state is solved instead."""
    weights: Any
    """float64[...]: of the game's estimate."""


class Room(NamedTuple):
    """What `solve` works in; row k belongs to the k-th decision."""

    states: Any  # its state
    left: Any  # uint64: the actions not yet tried
    best: Any  # float64: the best value so far for the seat to act
    ties: Any  # int64: by how many actions it was reached
    sums: Any  # float64[seats]: the sum of their values


@kernel
def new_room(dtype_of, seats):
    """An empty one, for states such as those of the array `dtype_of`."""
    return Room(
        np.empty(MOST_EXACT + 2, dtype_of.dtype),
        np.zeros(MOST_EXACT + 2, np.uint64),
        np.zeros(MOST_EXACT + 2),
        np.zeros(MOST_EXACT + 2, np.int64),
        np.zeros((MOST_EXACT + 2, seats)),
    )


@kernel
def solve(params, room, limit, rng, out):
    """Write the value of `room.states[0]` for each seat if every seat knows all cards and takes
    what is best for itself, any of its best actions with equal chance. No chance may be left in the
    stage.

    Depth first, without recursion. Returns whether it was solved: not if that takes more than
    `limit` states.
    """
    stack, left, best, ties, sums = room
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
def play_out(params, evaluator, state, rng, scratch, seat, out):
    """Write the value of `state`, which is changed, into `out` as `returns` does, by playing on.
    Returns how many decisions `seat` took."""
    here = stage(params, state)
    mover = player_to_act(params, state)
    decisions = 0
    left = evaluator.horizon
    while left > 0:
        if mover < 0 or stage(params, state) != here:
            break
        decisions += mover == seat
        player = evaluator.players[mover]
        loose = 0.0 if evaluator.alone and mover != seat else evaluator.randomness
        if loose > 0.0 and player.kind != UNIFORM and uniform(rng) < loose:
            action = any_of(legal_actions(params, state), rng)
        else:
            action = choose(params, state, player, rng, scratch)
        apply(params, state, action, rng)
        mover = player_to_act(params, state)
        left -= 1
    returns(params, state, out)
    if mover >= 0 and stage(params, state) == here:
        estimate(params, state, evaluator.weights, scratch)
        for other in range(len(out)):
            out[other] += scratch[other]
    return decisions


@kernel
def evaluate(params, evaluator, state, room, rng, scratch, seat, out):
    """Write what `state`, which is changed, leads to until the stage is over into `out`; returns
    how many more decisions of `seat` that took."""
    if evaluator.exact > 0 and 0 < countdown(params, state) <= evaluator.exact:
        room.states[0] = state
        if solve(params, room, MOST_STATES, rng, out):
            return 0
    return play_out(params, evaluator, state, rng, scratch, seat, out)
