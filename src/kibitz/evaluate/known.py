"""Games played on from known cards, many times, by one fixed player in every seat: the keen player,
who now and then takes any legal action instead."""

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
from kibitz.evaluate.kernels import NO_HORIZON, play_out
from kibitz.policy import KEENLY, keen_choices


@kernel
def chances(params, state, randomness, out, scratch):
    """Write the chance that the fixed player takes each action into `out`. Both arrays:
    float64[ACTIONS]."""
    legal = legal_actions(params, state)
    liked = keen_choices(params, state, scratch)
    for action in range(ACTIONS):
        out[action] = 0.0
    left = legal
    while left != ZERO:
        out[lowest(left)] = randomness / popcount(legal)
        left &= left - ONE
    left = liked
    while left != ZERO:
        out[lowest(left)] += (1.0 - randomness) / popcount(liked)
        left &= left - ONE


@kernel
def play_on(params, start, action, n, randomness, weights, rng, sums):
    """Play `n` games on from `start[0]`, after `action` unless it is negative, until the stage is
    over. `sums[0]` and `sums[1]` get the sums of each seat's returns and of their squares."""
    seats = sums.shape[1]
    sharpness = np.full(seats, KEENLY)
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
            play_out(
                params, state, sharpness, randomness, False, NO_HORIZON, weights, rng, scratch, 0,
                out,
            )  # fmt: skip
        else:
            returns(params, state, out)
        for seat in range(seats):
            sums[0, seat] += out[seat]
            sums[1, seat] += out[seat] * out[seat]


@kernel
def play_deals(params, before, action, n, randomness, weights, rng, sums):
    """Deal and play `n` stages: the first of a game, or if `action` is not negative the one that
    begins when it is played in `before[0]`. The sums are of what each seat gains in the stage."""
    seats = sums.shape[1]
    sharpness = np.full(seats, KEENLY)
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
        play_out(
            params, state, sharpness, randomness, False, NO_HORIZON, weights, rng, scratch, 0, out
        )
        for seat in range(seats):
            gain = out[seat] - already[seat]
            sums[0, seat] += gain
            sums[1, seat] += gain * gain
