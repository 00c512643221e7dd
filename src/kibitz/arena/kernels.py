"""Whole games inside kernels, for players of `kibitz.players`."""

import numpy as np

from kibitz._jit import kernel
from kibitz.bits import lowest, popcount, select
from kibitz.contract import ACTIONS, apply, deal, legal_actions, player_to_act, returns
from kibitz.players import RULE, UNIFORM, Player, choose
from kibitz.rng import CHANCE, SEATS, below, reseed


@kernel
def play_games(params, players, high, low, first, rotate, finals, rewards):
    """Play one game into each state of `finals`, with indices from `first`.

    Player k sits at seat (k + index) mod seats, or at seat k if not `rotate`. `rewards[game, seat]`
    gets the returns. Streams are those of a Table, so both play the same games.
    """
    seats = len(players)
    chance = np.zeros(2, np.uint64)
    streams = np.zeros((seats, 2), np.uint64)
    scratch = np.zeros(ACTIONS)
    for game in range(len(finals)):
        index = first + game
        shift = index % seats if rotate else 0
        reseed(chance, high, low, np.uint64(index), np.uint64(CHANCE))
        for seat in range(seats):
            reseed(streams[seat], high, low, np.uint64(index), np.uint64(SEATS + seat))
        state = finals[game]
        deal(params, state, chance)
        seat = player_to_act(params, state)
        while seat >= 0:
            player = players[(seat - shift) % seats]
            apply(params, state, choose(params, state, player, streams[seat], scratch), chance)
            seat = player_to_act(params, state)
        returns(params, state, rewards[game])


@kernel
def rollouts(params, start, scratch, n, rng, total):
    """Play `n` uniformly random games on from `start[0]` and add up the returns in `total`; returns
    the number of plies. `scratch`: an array of one state."""
    plies = 0
    out = np.zeros(len(total))
    for _ in range(n):
        scratch[0] = start[0]
        state = scratch[0]
        while player_to_act(params, state) >= 0:
            options = legal_actions(params, state)
            action = lowest(select(options, below(rng, popcount(options))))
            apply(params, state, action, rng)
            plies += 1
        returns(params, state, out)
        for seat in range(len(total)):
            total[seat] += out[seat]
    return plies


@kernel
def play_among(params, start, strong, n, rng, sums):
    """Play `n` games on from `start[0]`, the rule player in seat `strong` and random players in the
    others, and add up the returns in `sums`."""
    out = np.zeros(len(sums))
    scratch = np.zeros(ACTIONS)
    world = start.copy()
    for _ in range(n):
        world[0] = start[0]
        state = world[0]
        seat = player_to_act(params, state)
        while seat >= 0:
            player = Player(RULE if seat == strong else UNIFORM, np.inf)
            apply(params, state, choose(params, state, player, rng, scratch), rng)
            seat = player_to_act(params, state)
        returns(params, state, out)
        for each in range(len(sums)):
            sums[each] += out[each]
