"""Games played on from known cards, many times, by one fixed player in every seat: the keen player,
who now and then takes any legal action instead."""

from collections.abc import Sequence

import numpy as np

from kibitz._jit import kernel
from kibitz.bits import ONE, ZERO, lowest, popcount
from kibitz.contract import (
    ACTIONS,
    apply,
    deal,
    legal_actions,
    player_to_act,
    returns,
    stage,
)
from kibitz.evaluate.kernels import NO_HORIZON, Evaluator, play_out
from kibitz.players import KEEN, Player, as_array, chances

FIXED, RANDOMNESS = Player(KEEN), 0.1
"""As where searches play games out."""


def by_fixed_player(seats: int, weights: Sequence[float]) -> Evaluator:
    """An evaluator: the fixed player plays on in every seat."""
    players = as_array([FIXED] * seats)
    return Evaluator(players, RANDOMNESS, 0, NO_HORIZON, 0, np.array(weights))


@kernel
def loose_chances(params, state, player, randomness, out):
    """Write the chance of each action into `out`, float64[ACTIONS], of a player who with chance
    `randomness` takes any legal action instead."""
    chances(params, state, player, out)
    legal = legal_actions(params, state)
    each = randomness / popcount(legal)
    while legal != ZERO:
        action = lowest(legal)
        legal &= legal - ONE
        out[action] = each + (1.0 - randomness) * out[action]


@kernel
def play_on(params, start, action, n, evaluator, rng, sums):
    """Play `n` games on from `start[0]`, after `action` unless it is negative, until the stage is
    over. `sums[0]` and `sums[1]` get the sums of each seat's returns and of their squares."""
    seats = sums.shape[1]
    scratch = np.zeros(ACTIONS)
    out = np.zeros(seats)
    world = start.copy()
    here = stage(params, start[0])
    for _ in range(n):
        world[0] = start[0]
        state = world[0]
        if action >= 0:
            apply(params, state, action, rng)
        if player_to_act(params, state) >= 0 and stage(params, state) == here:
            play_out(params, evaluator, state, rng, scratch, 0, out)
        else:
            returns(params, state, out)
        for seat in range(seats):
            sums[0, seat] += out[seat]
            sums[1, seat] += out[seat] * out[seat]


@kernel
def play_deals(params, before, action, n, evaluator, rng, sums):
    """Deal and play `n` stages: the first of a game, or if `action` is not negative the one that
    begins when it is played in `before[0]`. The sums are of what each seat gains in the stage."""
    seats = sums.shape[1]
    scratch = np.zeros(ACTIONS)
    out = np.zeros(seats)
    already = np.zeros(seats)
    world = before.copy()
    for _ in range(n):
        world[0] = before[0]
        state = world[0]
        if action >= 0:
            apply(params, state, action, rng)
        else:
            deal(params, state, rng)
        returns(params, state, already)
        play_out(params, evaluator, state, rng, scratch, 0, out)
        for seat in range(seats):
            gain = out[seat] - already[seat]
            sums[0, seat] += gain
            sums[1, seat] += gain * gain
