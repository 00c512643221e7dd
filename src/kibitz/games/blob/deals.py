"""Blob: single deals by the table of `counting`: drawn at random, by number, and all that a history
proves in one call. Every deal drawn is valid, and all are equally likely.
"""

import numpy as np

from kibitz._jit import kernel
from kibitz.bits import ONE, ZERO, lowest, word
from kibitz.games.blob.counting import (
    BINOMIAL,
    HOLDERS,
    chances,
    holdings,
    prepare,
    shown_void,
    steps,
    voids_of,
)
from kibitz.games.blob.kernels import draw_set, legal_actions, unseen, watch_move
from kibitz.games.blob.layout import BIDDING, OVER, PLAYING
from kibitz.rng import uniform


@kernel
def draw_cards(pool, size, n, rng):
    """n of the `size` cards in `pool`, every subset equally likely."""
    if 2 * n > size:
        return pool ^ draw_set(pool, size, size - n, rng)
    return draw_set(pool, size, n, rng)


@kernel
def draw_deal(split, ways, takes, choices, rng, hands):
    """Write a deal, all being equally likely, into `hands` (a word for each holder)."""
    left = split.class_size.copy()
    cards = split.class_cards.copy()
    at = 0
    for g in range(split.groups + 1):
        held = ZERO
        if g < split.groups:
            n = steps(split, g, left, takes, choices)
            target = uniform(rng) * ways[at]
            chosen = -1
            for i in range(n):
                part = choices[i] * ways[takes[i, 4]]
                if part > 0.0:  # the last one stands in if rounding leaves a little of the target
                    chosen = i
                    target -= part
                    if target < 0.0:
                        break
            at = takes[chosen, 4]
            for c in range(4):
                drawn = draw_cards(cards[c], left[c], takes[chosen, c], rng)
                held |= drawn
                cards[c] ^= drawn
                left[c] -= takes[chosen, c]
        else:
            held = cards[0] | cards[1] | cards[2] | cards[3]
        size = split.needs[g]
        for holder in range(HOLDERS):
            if split.group_of[holder] == g:
                hands[holder] = draw_cards(held, size, split.held[holder], rng)
                held ^= hands[holder]
                size -= split.held[holder]
            elif split.held[holder] == 0:
                hands[holder] = ZERO


@kernel
def draw_deals(split, ways, takes, choices, rng, hands):
    """Write independent deals into `hands[i]`."""
    for i in range(len(hands)):
        draw_deal(split, ways, takes, choices, rng, hands[i])


@kernel
def subset_at(pool, size, n, rank):
    """The subset of n of the `size` cards in `pool` that has number `rank`."""
    out = ZERO
    while n > 0:
        card = lowest(pool)
        pool &= pool - ONE
        size -= 1
        with_it = np.int64(BINOMIAL[size, n - 1])
        if rank < with_it:
            out |= ONE << word(card)
            n -= 1
        else:
            rank -= with_it
    return out


@kernel
def deal_at(split, ways, takes, choices, index, hands):
    """Write the deal with number `index`, below `split.deals`, into `hands`: every one has one."""
    inner = np.zeros(HOLDERS, np.int64)  # number of the division within each holder's group
    for g in range(split.groups + 1):
        size = split.needs[g]
        for holder in range(HOLDERS):
            if split.group_of[holder] == g:
                subsets = np.int64(BINOMIAL[size, split.held[holder]])
                inner[holder] = index % subsets
                index //= subsets
                size -= split.held[holder]
    left = split.class_size.copy()
    cards = split.class_cards.copy()
    for g in range(split.groups + 1):
        held = ZERO
        if g < split.groups:
            n = steps(split, g, left, takes, choices)
            chosen = 0
            for i in range(n):
                part = np.int64(choices[i] * ways[takes[i, 4]])
                chosen = i
                if index < part:
                    break
                index -= part
            for c in range(4):
                subsets = np.int64(BINOMIAL[left[c], takes[chosen, c]])
                drawn = subset_at(cards[c], left[c], takes[chosen, c], index % subsets)
                index //= subsets
                held |= drawn
                cards[c] ^= drawn
                left[c] -= takes[chosen, c]
        else:
            held = cards[0] | cards[1] | cards[2] | cards[3]
        size = split.needs[g]
        for holder in range(HOLDERS):
            if split.group_of[holder] == g:
                hands[holder] = subset_at(held, size, split.held[holder], inner[holder])
                held ^= hands[holder]
                size -= split.held[holder]
            elif split.held[holder] == 0:
                hands[holder] = ZERO


@kernel
def all_deals(split, ways, takes, choices, hands):
    """Write every deal into `hands`, which has room for exactly `split.deals`."""
    for i in range(len(hands)):
        deal_at(split, ways, takes, choices, i, hands[i])


# --- from a history ------------------------------------------------------------------------------


FAULTS = (
    "",
    "it is not that seat's turn to do so",
    "the rules do not allow that bid",
    "that card is not in its hand or may not be played",
    "that card is known to be elsewhere",
    "it has shown that it has none of that suit",
)
"""Why a move cannot have been made."""


@kernel
def watch_voids(params, observation, seat, action, voids):
    """`watch_move`; returns the voids known then: none when the round is over."""
    index = observation.round_index
    voids |= shown_void(observation, action)
    watch_move(params, observation, seat, action)
    over = observation.phase == OVER or observation.round_index != index
    return ZERO if over else voids


@kernel
def checked_move(params, observation, seat, mover, action, bidding, voids):
    """`watch_move` for what may be untrue: returns the number of a fault, and the voids known
    then."""
    if observation.turn != mover or observation.phase != (BIDDING if bidding else PLAYING):
        return 1, voids
    if action < 0 or action >= 64:
        return 2 if bidding else 4, voids
    card = ONE << word(action)
    if bidding or mover == seat:
        if legal_actions(params, observation) & card == ZERO:
            return 2 if bidding else 3, voids
    elif unseen(params, observation, seat) & card == ZERO:
        return 4, voids
    elif (voids_of(voids, mover) >> (action >> 4)) & 1:
        return 5, voids
    return 0, watch_voids(params, observation, seat, action, voids)


@kernel
def from_history(params, opening, seat, moves, observation, split, room, out):
    """All that the moves of a round prove to `seat`: `opening` is what it saw before the first,
    `moves[i]` the action of the seat to act. Writes the observation, the table and the chances;
    returns the voids."""
    observation[0] = opening[0]
    seen = observation[0]
    voids = ZERO
    for i in range(len(moves)):
        voids = watch_voids(params, seen, seat, moves[i], voids)
    held = np.zeros(HOLDERS, np.int64)
    pool = holdings(params, seen, seat, held)
    ways, reach, takes, choices = room
    prepare(pool, held, voids, -1, split, ways, takes, choices)
    chances(split, ways, reach, takes, choices, out)
    return voids
