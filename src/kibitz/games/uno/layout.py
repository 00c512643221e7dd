"""UNO: numbers of cards and actions, the record of a state, and the parameters of the kernels.

A word of 64 bits has one lane of 16 for each colour; within a lane the rank:

    0-9 digits   10 skip   11 reverse   12 +2   13 wild   14 wild+4   15 (lane 0 only) draw

So ``colour * 16 + rank`` numbers the *action* "play that card, active colour then `colour`", for
wilds too, and action 15 is Draw: 52 + 4 + 4 + 1 = 61 actions. *Cards* have the same numbers, and
the two kinds of wild are 13 and 14.

A multiset of cards is two words. For coloured cards the first says "at least one copy", the second
"two copies". Wilds are counted in the first word alone: n copies are the lowest n bits of column 13
(or 14). Equal multisets are therefore equal words, which no copy of a card can tell apart.
"""

from typing import NamedTuple

import numpy as np

COLOURS = "RYGB"
RANKS = "0123456789SR+"
SKIP, REVERSE, DRAW_TWO, WILD, WILD_FOUR = 10, 11, 12, 13, 14
DRAW = 15

COLUMN = np.uint64(0x0001000100010001)
"""Rank 0 of every colour; shifted by a rank it is that rank's column."""
LANE = np.uint64(0x1FFF)
"""The coloured cards of colour 0; shifted by 16 * colour it is that colour's lane."""
COLOURED = np.uint64(0x1FFF1FFF1FFF1FFF)
WILDS = COLUMN << np.uint64(WILD)
WILD_FOURS = COLUMN << np.uint64(WILD_FOUR)
DRAW_ONLY = np.uint64(1 << DRAW)

RUNNING, EMPTIED, EXHAUSTED, TRUNCATED = 0, 1, 2, 3
"""How a game ended: a hand was emptied, a draw was impossible, or `max_plies` was reached."""

STATE = np.dtype(
    (
        np.record,
        [
            ("hand", np.uint64, (2, 2)),  # [seat, word]
            ("deck", np.uint64, (2,)),  # the draw deck D, unordered
            ("pile", np.uint64, (2,)),  # the discard pile P with the top card
            ("held", np.int16, (2,)),  # cards in each hand
            ("deck_size", np.int16),
            ("plies", np.int32),
            ("top_rank", np.int8),
            ("colour", np.int8),  # active colour
            ("pending", np.int8),  # n_draw: what the seat to act has to draw
            ("turn", np.int8),  # -1 when over
            ("winner", np.int8),  # -1 while running, or a draw
            ("ending", np.int8),
        ],
    )
)


BATCH, PLAY, RESHUFFLE = 0, 1, 2

HISTORY = np.dtype(
    (
        np.record,
        [
            # playable cards of which the hand had none when this batch was drawn; else empty
            # or, at a reshuffle, the cards of which none were unseen
            ("blocked", np.uint64),
            ("kind", np.int8),  # BATCH: the opponent gets cards; PLAY: it plays one; RESHUFFLE
            ("number", np.int8),  # cards in the batch
            ("action", np.int8),  # what was played
            ("colour", np.int8),  # active colour and rank of the top card before the play
            ("rank", np.int8),
            ("silent", np.int8),  # 1: the choice is left out, the model called it impossible
            ("held", np.int16),  # cards of the observer before the play
            ("pile", np.uint64, (2,)),  # the pile before the play, or what of it joins the deck
            ("unseen", np.uint64, (2,)),  # at a reshuffle, before the pile joins
        ],
    )
)
"""What one seat saw its opponent do, in order; see `evidence` for when it begins."""

EMPTIED_BY = 64
"""Of a slot: below this the card it holds, from this on the number of the play that emptied it."""


class UnoParams(NamedTuple):
    """Rules as the kernels take them; made by `UnoRules.params`."""

    forfeit: bool  # skip and reverse: the same player moves again
    hand_size: int
    max_plies: int
    deck_ones: np.uint64  # all cards of the game
    deck_twos: np.uint64
    lanes: np.uint64  # every bit of the colours in play: what a wild may declare
