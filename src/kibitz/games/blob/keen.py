"""Blob: the keen player, whose likes are weights that were learnt from what a search finds.

A card is judged by its place (led, in the middle, played last), by whether another trick is wanted,
and by whether it would take the lead in the trick; each such case has a row of weights for what can
be counted. So has a bid. benchmarks/learn.py found them.
"""

import numpy as np

from kibitz._jit import kernel
from kibitz.bits import ONE, ZERO, lowest, popcount, single
from kibitz.games.blob.kernels import legal_actions, suit_of, unseen
from kibitz.games.blob.layout import BIDDING
from kibitz.games.blob.learnt import WEIGHTS
from kibitz.games.blob.policy import SURE, expected_tricks

BIDS, COUNTS = 15, 19
ROWS = [
    ("a bid", BIDS),
    ("led, a trick wanted", COUNTS),
    ("led, none wanted", COUNTS),
    ("in the middle, wanted, wins", COUNTS),
    ("in the middle, wanted, does not", COUNTS),
    ("in the middle, none wanted, wins", COUNTS),
    ("in the middle, none wanted, does not", COUNTS),
    ("last, wanted, wins", COUNTS),
    ("last, wanted, does not", COUNTS),
    ("last, none wanted, wins", COUNTS),
    ("last, none wanted, does not", COUNTS),
]
"""Cases, and how many weights each has."""
MANY = 4.0
"""More cards than this above or below make no difference."""
HIGH, LOW = 11, 4
"""A king or an ace; a six or less."""


@kernel
def keen_scores(params, state, out):
    weighed_scores(params, state, WEIGHTS, out)


@kernel
def weighed_scores(params, state, weights, out):
    """How much a player with these weights likes each legal action; they begin with those of a
    bid."""
    if state.phase == BIDDING:
        bid_scores(params, state, weights, out)
    else:
        card_scores(params, state, weights, out)


@kernel
def bid_scores(params, state, w, out):
    seat = state.turn
    expected = expected_tricks(params, state, seat) / SURE
    hand = state.hand[seat]
    cards = np.float64(state.cards)
    said = 0
    bidders = 0
    for other in range(params.players):
        if state.bid[other] >= 0:
            said += state.bid[other]
            bidders += 1
    share = bidders / params.players
    over = (said - share * cards) / cards  # than if all bid the same
    high = 0
    low = 0
    left = hand & ~state.trumps
    while left != ZERO:
        rank = lowest(left) & 15
        left &= left - ONE
        high += rank >= HIGH
        low += rank <= LOW
    per_trick = (
        w[1]
        + w[2] * expected
        + w[3] * over
        + w[4] * share
        + w[5] * popcount(hand & state.trumps)
        + w[6] * high
        + w[7] * low
        + w[8] * (bidders == 0)
        + w[9] * cards / params.players
    )
    none = w[10] + w[11] * expected + w[12] * over
    left = legal_actions(params, state)
    while left != ZERO:
        bid = lowest(left)
        left &= left - ONE
        tricks = np.float64(bid)
        score = tricks * (per_trick + tricks * (w[0] + w[13] / cards))
        score += w[14] * abs(tricks - expected)
        if bid == 0:
            score += none
        out[bid] = score


@kernel
def card_scores(params, state, w, out):
    seat = state.turn
    hand = state.hand[seat]
    held = popcount(hand)
    needed = np.int64(state.bid[seat]) - state.won[seat]
    wanted = needed > 0
    hidden = unseen(params, state, seat)
    others = 0  # cards in their hands
    pressure = -held  # tricks that are wanted by all, beyond those that are left
    rivals = 0  # who still play to this trick and want it
    for other in range(params.players):
        wants = np.int64(state.bid[other]) - state.won[other]
        pressure += max(0, wants)
        if other != seat:
            waiting = state.trick[other] < 0
            others += held if waiting else held - 1
            rivals += waiting and wants > 0
    about = others / max(1, popcount(hidden))  # chance that a hidden card is in a hand
    pressure = min(3, max(-3, pressure))
    slack = min(4, held - needed) if wanted else 0
    all_of_them = wanted and needed >= held
    after = params.players - 1 - state.in_trick
    robbed = state.in_trick > 0 and state.bid[state.best] > state.won[state.best]
    trumps = min(MANY, popcount(hidden & state.trumps) * about)
    if state.in_trick == 0:
        case = 0
    elif after > 0:
        case = 2
    else:
        case = 6
    left = legal_actions(params, state)
    while left != ZERO:
        action = lowest(left)
        left &= left - ONE
        card = single(action)
        suit = suit_of(action)
        if case == 0:
            row = 0 if wanted else 1
        else:
            row = case + (0 if wanted else 2) + (0 if (card & state.beats) != ZERO else 1)
        k = BIDS + COUNTS * row
        rank = (action & 15) / 12.0
        above = popcount(hidden & suit & ~(card + card - ONE))
        by_rank = w[k + 1] + w[k + 2] * pressure + w[k + 3] * slack + w[k + 4] * all_of_them
        score = (
            w[k]
            + rank * by_rank
            + w[k + 5] * min(MANY, above * about)
            + w[k + 6] * (above == 0)
            + w[k + 7] * min(MANY, popcount(hidden & suit & (card - ONE)) * about)
            + w[k + 8] * (popcount(hand & suit) - 1)
            + w[k + 9] * pressure
            + w[k + 10] * slack
            + w[k + 11] * all_of_them
            + w[k + 12] * robbed
            + w[k + 13] * rivals
            + w[k + 14] * after
        )
        if suit == state.trumps:
            score += w[k + 15] + w[k + 16] * rank + w[k + 17] * slack
        else:
            score += w[k + 18] * trumps
        out[action] = score
