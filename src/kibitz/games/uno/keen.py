"""UNO: the keen player, whose likes were learnt from games played out after every choice.

What a play leaves behind is counted: what of the hand goes on from it, what the other one could
answer, how many cards both hold. A small net (one layer of 16) turns the counts into how much more
of a game the play is worth than others; benchmarks/learn_uno.py found its weights. All in whole
numbers, so that compiled code and plain Python agree to the last bit.
"""

from typing import Any, NamedTuple

import numpy as np

from kibitz._jit import inline_kernel, kernel
from kibitz.bits import ONE, ZERO, lowest, popcount, single, word
from kibitz.games.uno.kernels import count, legal_actions, take, unseen
from kibitz.games.uno.layout import (
    COLUMN,
    DRAW,
    DRAW_ONLY,
    DRAW_TWO,
    LANE,
    REVERSE,
    SKIP,
    WILD,
    WILD_FOUR,
    WILD_FOURS,
    WILDS,
)
from kibitz.games.uno.learnt import INNER, OUTER

THEIRS = ("the other one has 1", "2", "3", "4", "5", "6", "7 or more")
MINE = ("1 is left", "2", "3", "4", "5", "6 or more")
KINDS = ("a number", "moves again", "must draw after it", "+2", "wild", "wild +4")
COUNTS = (
    "chance that a hidden card answers it",
    "chance that the other one has none that does",
    "left of the colour, a quarter each",
    "left of the rank, a half each",
    "colours left, a quarter each",
    "left of the longest colour, a quarter each",
    "colours with one card left, a quarter each",
    "wilds left, a half each",
    "left that move again, a half each",
    "+2 left, a half each",
    "another colour than now",
    "none left that goes on from it",
    "left that go on from it, a quarter each",
    "left of the colour of now, a quarter each",
    "share of the colour in what is hidden",
    "share of the rank in what is hidden, four times",
    "the same card is left",
    "the last card goes on from it",
    "both or the last go on from it",
    "left of the colour that move again, a half each",
    "+2 left of the colour, a half each",
)
NAMES = (*THEIRS, *MINE, *KINDS, *COUNTS)
"""What each row of INNER weighs: one each of THEIRS, MINE and KINDS, and all COUNTS."""
ROWS = len(THEIRS) + len(MINE) + len(KINDS)
NUMBER = len(COUNTS)
UNIT, INNER_UNIT, OUTER_UNIT = 64, 256, 1024
"""What counts, inner weights and outer weights are multiplied by to be whole numbers."""
TO_THOUSANDTHS = 1000.0 / (UNIT * INNER_UNIT * OUTER_UNIT)

AGAIN = (COLUMN << np.uint64(SKIP)) | (COLUMN << np.uint64(REVERSE))
TWOS = COLUMN << np.uint64(DRAW_TWO)
ANY_WILD = WILDS | WILD_FOURS
WIDTH = len(OUTER)


@inline_kernel
def of(ones, twos, cards):
    """How many of the coloured `cards` there are in a multiset."""
    return popcount(ones & cards) + popcount(twos & cards)


class Sight(NamedTuple):
    """What a player sees who is to act."""

    ones: Any
    twos: Any
    """Its hand."""
    held: Any
    theirs: Any
    """Cards that it holds, and that the other one does."""
    colour: Any
    """The one asked for."""
    hidden_ones: Any
    hidden_twos: Any
    """The cards that it does not see."""


@inline_kernel
def counted(params, sight, action):
    """What is counted of a play: its rows of THEIRS, MINE and KINDS, and its COUNTS, in units of
    1 / UNIT."""
    ones, twos, held, theirs, colour, hidden_ones, hidden_twos = sight
    mine = held - 1
    rank = action & 15
    card = single(action)
    lane = LANE << word(action & 48)
    linked = 0
    hidden_links = 0
    again = ZERO
    if params.forfeit:
        again = AGAIN
    if rank < WILD:
        ones, twos = ones ^ (card & ~twos), twos & ~card
        column = COLUMN << word(rank)
        goes_on = ones & (lane | column)
        linked = of(ones, twos, column)
        hidden_links = of(hidden_ones, hidden_twos, column & ~lane)
    else:
        ones, twos = take(ones, twos, card)
        goes_on = ones & lane
    wilds = popcount(ones & ANY_WILD)
    follow = popcount(goes_on) + (1 if wilds > 0 else 0)
    hidden = max(1, count(hidden_ones, hidden_twos))
    in_colour = of(hidden_ones, hidden_twos, lane)
    answers = in_colour + hidden_links + popcount(hidden_ones & ANY_WILD)
    one_does_not = 1.0 - answers / hidden
    none_does = 1.0
    for _ in range(theirs):
        none_does *= one_does_not
    reds = of(ones, twos, LANE)
    yellows = of(ones, twos, LANE << word(16))
    greens = of(ones, twos, LANE << word(32))
    blues = of(ones, twos, LANE << word(48))
    kind = 0
    if rank == WILD_FOUR:
        kind = 5
    elif rank == WILD:
        kind = 4
    elif rank == DRAW_TWO:
        kind = 3
    elif card & again != ZERO:
        kind = 1 if follow > 0 else 2
    rows = min(theirs, 7) - 1, 6 + min(max(mine, 1), 6), 13 + kind
    counts = (
        (UNIT * answers) // hidden,
        np.int64(UNIT * none_does),
        16 * of(ones, twos, lane),
        32 * linked,
        16 * ((reds > 0) + (yellows > 0) + (greens > 0) + (blues > 0)),
        16 * max(max(reds, yellows), max(greens, blues)),
        16 * ((reds == 1) + (yellows == 1) + (greens == 1) + (blues == 1)),
        32 * wilds,
        32 * of(ones, twos, again),
        32 * of(ones, twos, TWOS),
        UNIT if action >> 4 != colour else 0,
        UNIT if follow == 0 else 0,
        16 * follow,
        16 * of(ones, twos, LANE << word(16 * colour)),
        (UNIT * in_colour) // hidden,
        (4 * UNIT * hidden_links) // hidden,
        UNIT if rank < WILD and ones & card != ZERO else 0,
        UNIT if mine == 1 and follow > 0 else 0,
        UNIT if mine <= 2 and follow >= mine else 0,
        32 * popcount(ones & again & lane),
        32 * popcount(ones & TWOS & lane),
    )
    return rows, counts


@inline_kernel
def weigh(rows, counts, inner, outer):
    """What a net makes of what was counted."""
    theirs, mine, kind = rows
    # one by one, because a loop over a tuple is not unrolled, and takes five times as long
    a, b, c, d, e, f, g, h, i, k, m, n, o, p, q, r, s, t, u, v, w = counts
    total = 0
    for j in range(WIDTH):
        found = UNIT * (inner[theirs, j] + inner[mine, j] + inner[kind, j])
        found += np.int32(a) * inner[ROWS + 0, j]
        found += np.int32(b) * inner[ROWS + 1, j]
        found += np.int32(c) * inner[ROWS + 2, j]
        found += np.int32(d) * inner[ROWS + 3, j]
        found += np.int32(e) * inner[ROWS + 4, j]
        found += np.int32(f) * inner[ROWS + 5, j]
        found += np.int32(g) * inner[ROWS + 6, j]
        found += np.int32(h) * inner[ROWS + 7, j]
        found += np.int32(i) * inner[ROWS + 8, j]
        found += np.int32(k) * inner[ROWS + 9, j]
        found += np.int32(m) * inner[ROWS + 10, j]
        found += np.int32(n) * inner[ROWS + 11, j]
        found += np.int32(o) * inner[ROWS + 12, j]
        found += np.int32(p) * inner[ROWS + 13, j]
        found += np.int32(q) * inner[ROWS + 14, j]
        found += np.int32(r) * inner[ROWS + 15, j]
        found += np.int32(s) * inner[ROWS + 16, j]
        found += np.int32(t) * inner[ROWS + 17, j]
        found += np.int32(u) * inner[ROWS + 18, j]
        found += np.int32(v) * inner[ROWS + 19, j]
        found += np.int32(w) * inner[ROWS + 20, j]
        total += np.int64(max(found, 0)) * outer[j]  # beyond 32 bits in plain Python, too
    return total


@inline_kernel
def liking(params, sight, action, inner, outer):
    """How much a player with these weights likes a play, in thousandths of what is at stake: a game
    won instead of lost is 2,000."""
    rows, counts = counted(params, sight, action)
    return weigh(rows, counts, inner, outer) * TO_THOUSANDTHS


@kernel
def net_scores(params, state, inner, outer, out):
    """How much a player with these weights likes each legal action."""
    seat = state.turn
    left = legal_actions(params, state)
    if left == DRAW_ONLY:
        out[DRAW] = 0.0
        return
    hidden_ones, hidden_twos = unseen(params, state, seat)
    sight = Sight(
        state.hand[seat, 0],
        state.hand[seat, 1],
        np.int64(state.held[seat]),
        np.int64(state.held[1 - seat]),
        state.colour,
        hidden_ones,
        hidden_twos,
    )
    while left != ZERO:
        action = lowest(left)
        left &= left - ONE
        out[action] = liking(params, sight, action, inner, outer)


@kernel
def keen_scores(params, state, out):
    net_scores(params, state, INNER, OUTER, out)
