"""UNO: every hand that the opponent may hold, with its weight: the exact belief.

A forward recursion over hands as multisets, from the deal or from a moment when the hand is known.
It needs no story: given the hand and what is unseen, the deck is known, and the future depends on
nothing else. Weights are kept for each kind of player in the model.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz._jit import kernel
from kibitz.bits import ONE, ZERO, lowest, popcount, single
from kibitz.games.uno.hypotheses import copies, divide, judge_play, lane_counts
from kibitz.games.uno.kernels import count, minus, put, take
from kibitz.games.uno.layout import COLOURED, WILD, WILD_FOUR, WILD_FOURS, WILDS

Array = NDArray[Any]


@kernel
def kinds_of(ones):
    """One bit for each kind of card in a multiset."""
    kinds = ones & COLOURED
    if ones & WILDS != ZERO:
        kinds |= single(WILD)
    if ones & WILD_FOURS != ZERO:
        kinds |= single(WILD_FOUR)
    return kinds


@kernel
def branches(ones, twos, hands):
    """How many hypotheses there are after one more card, before equal ones are merged."""
    total = 0
    for i in range(len(hands)):
        total += popcount(kinds_of(minus(ones, twos, hands[i, 0], hands[i, 1])[0]))
    return total


@kernel
def branch(ones, twos, hands, weights, out_hands, out_weights):
    """Each hypothesis with each card that may come from its deck, weighted by its chance."""
    at = 0
    for i in range(len(hands)):
        deck_ones, deck_twos = minus(ones, twos, hands[i, 0], hands[i, 1])
        size = count(deck_ones, deck_twos)
        kinds = kinds_of(deck_ones)
        while kinds != ZERO:
            card = lowest(kinds)
            kinds &= kinds - ONE
            out_hands[at, 0], out_hands[at, 1] = put(hands[i, 0], hands[i, 1], single(card))
            chance = copies(deck_ones, deck_twos, card) / size
            for k in range(weights.shape[1]):
                out_weights[at, k] = weights[i, k] * chance
            at += 1


@kernel
def drop_playable(hands, weights, playable):
    """Rule out the hands with something playable."""
    for i in range(len(hands)):
        if hands[i, 0] & playable != ZERO:
            weights[i, :] = 0.0


@kernel
def weigh_mine(ones, twos, hands, weights, card):
    """I drew `card`: by its copies in the deck before."""
    for i in range(len(hands)):
        deck_ones, deck_twos = minus(ones, twos, hands[i, 0], hands[i, 1])
        for k in range(weights.shape[1]):
            weights[i, k] *= copies(deck_ones, deck_twos, card)


@kernel
def weigh_play(params, hands, weights, tables, history):
    """The opponent made the last play of `history`: by the chance of that, then the card leaves."""
    event = history[len(history) - 1]
    action = np.int64(event.action)
    down = np.ones(len(tables))
    for i in range(len(hands)):
        ones, twos = hands[i, 0], hands[i, 1]
        if copies(ones, twos, action) == 0:
            weights[i, :] = 0.0
            continue
        if not event.silent:
            down[:] = 1.0
            judge_play(params, ones, twos, lane_counts(ones, twos), event, tables, down)
            divide(weights[i], down)
        hands[i, 0], hands[i, 1] = take(ones, twos, single(action))


def distinct_hands(pool: dict[int, int], size: int) -> int:
    """How many multisets of `size` cards there are in a pool of kinds with copies."""
    ways = [1] + [0] * size
    for number in pool.values():
        ways = [sum(ways[max(0, n - number) : n + 1]) for n in range(size + 1)]
    return ways[size]


def merge(hands: Array, weights: Array) -> tuple[Array, Array]:
    """Equal hands as one, in order; those without weight go."""
    alive = weights.any(axis=1)
    hands, weights = hands[alive], weights[alive]
    order = np.lexsort((hands[:, 1], hands[:, 0]))
    hands, weights = hands[order], weights[order]
    first = np.ones(len(hands), bool)
    first[1:] = (hands[1:] != hands[:-1]).any(axis=1)
    starts = np.flatnonzero(first)
    return hands[starts], np.add.reduceat(weights, starts, axis=0)


@kernel
def complement(ones, twos, hands):
    """What each hand leaves of the pool, in its place."""
    for i in range(len(hands)):
        hands[i, 0], hands[i, 1] = minus(ones, twos, hands[i, 0], hands[i, 1])


def deal(pool: Any, weights: Array, held: int, deck: int, limit: int) -> Any:
    """All hands of `held` cards from the pool, by what they leave in the deck if that is less; None
    if they are more than `limit`."""
    found = draw(pool, np.zeros((1, 2), np.uint64), weights, min(held, deck), limit)
    if found is not None and deck < held:
        complement(pool[0], pool[1], found[0])
    return found


def draw(pool: Any, hands: Array, weights: Array, number: int, limit: int) -> Any:
    """The opponent draws: all hypotheses after it, or None if they are more than `limit`."""
    for _ in range(number):
        size = branches(pool[0], pool[1], hands)
        if size > 8 * limit:  # before merging
            return None
        more_hands = np.empty((size, 2), np.uint64)
        more_weights = np.empty((size, weights.shape[1]))
        branch(pool[0], pool[1], hands, weights, more_hands, more_weights)
        hands, weights = merge(more_hands, more_weights)
        if len(hands) > limit:
            return None
    return hands, weights
