"""Blob: numbers of cards and actions, the record of a state, and the parameters of the kernels.

A word of 64 bits has one lane of 16 for each suit, ranks from 2 (0) to ace (12) within it, so
``suit * 16 + rank`` numbers a card and a set of cards is one word. While bidding, an action is the
bid itself; while playing, it is the card.

One round and a whole game are the same thing to the kernels: a schedule of one round or of many.
"""

from typing import NamedTuple

import numpy as np

MAX_SEATS = 8
SUITS = ("clubs", "diamonds", "hearts", "spades")
RANKS = "23456789TJQKA"
NO_TRUMP, RANDOM_TRUMP, TURNED_TRUMP = -1, 4, 5
"""Trumps besides the suits: none; drawn from the suits and none; the suit of a card turned up."""

SCHEDULE_WORDS = 8
MAX_ROUNDS = 8 * SCHEDULE_WORDS

LANE = np.uint64(0xFFFF)
"""Suit 0; shifted by 16 * suit it is that suit."""

BIDDING, PLAYING, OVER = 0, 1, 2
MISS_ZERO, MISS_TRICKS, MISS_PENALTY = 0, 1, 2
"""What a missed bid scores: nothing, points for the tricks, or minus points for each trick off."""

STATE = np.dtype(
    (
        np.record,
        [
            ("hand", np.uint64, (MAX_SEATS,)),
            ("stock", np.uint64),  # undealt cards
            ("played", np.uint64),  # everything played this round
            ("led", np.uint64),  # the suit to follow; all cards before the lead
            ("beats", np.uint64),  # cards that would take the lead in this trick
            ("trumps", np.uint64),  # the trump suit, or empty
            ("total", np.int32, (MAX_SEATS,)),  # points of finished rounds
            ("bid", np.int8, (MAX_SEATS,)),  # -1 before it is made
            ("won", np.int8, (MAX_SEATS,)),  # tricks this round
            ("made", np.int8, (MAX_SEATS,)),  # finished rounds with an exact bid
            ("trick", np.int8, (MAX_SEATS,)),  # card of each seat in this trick, or -1
            ("in_trick", np.int8),  # cards in this trick
            ("best", np.int8),  # seat ahead in this trick
            ("left", np.int8),  # tricks to play
            ("cards", np.int8),  # cards dealt to each seat this round
            ("bid_sum", np.int16),
            ("dealer", np.int8),
            ("trump", np.int8),  # suit or NO_TRUMP
            ("turned", np.int8),  # the card turned up, out of play, or -1
            ("round_index", np.int8),  # index in the schedule
            ("phase", np.int8),
            ("turn", np.int8),  # -1 when over
        ],
    )
)


class BlobParams(NamedTuple):
    """Rules as the kernels take them; made by `BlobRules.params` and `BlobGameRules.params`."""

    players: int
    deck: np.uint64
    first_dealer: int
    points_per_trick: int
    exact_bonus: int
    miss: int
    rounds: int
    schedule: tuple[np.uint64, ...]  # SCHEDULE_WORDS of them, a byte a round: see `packed`


def packed(schedule: list[tuple[int, int]]) -> tuple[np.uint64, ...]:
    """Cards and trump code of each round, a byte each, cards in the low five bits.

    Words instead of an array because numba counts references to arrays: with one in the parameters
    a rollout took more than twice as long.
    """
    words = [0] * SCHEDULE_WORDS
    for index, (cards, trump) in enumerate(schedule):
        words[index // 8] |= (cards | (trump + 1) << 5) << (8 * (index % 8))
    return tuple(np.uint64(w) for w in words)
