"""UNO: hypotheses about the opponent's hand, as kernels: what a play says, and a whole history.

A hypothesis is the opponent's whole story since its hand was last known: which card came in each
slot. A *slot* is a place in the hand, opened by the deal or by a draw; it holds a card, or was
emptied by one of the plays, whose card everybody saw. So a story is one byte a slot (see
`EMPTIED_BY`), slots in the order in which they were opened; and with the plays it gives the hand
at every moment.

Copies of a card are told apart in a story: a play takes one of the c copies held, so its chance
is that of the kind, divided by c. Summed over stories, that is the chance of the kind.
"""

from typing import Any, NamedTuple

import numpy as np

from kibitz._jit import inline_kernel, kernel
from kibitz.bits import ONE, ZERO, lowest, popcount, single, word
from kibitz.games.uno.keen import Sight, liking
from kibitz.games.uno.kernels import count, minus, playable, put, take
from kibitz.games.uno.layout import (
    BATCH,
    COLOURED,
    COLUMN,
    LANE,
    RESHUFFLE,
    SKIP,
    WILD,
    WILD_FOURS,
    WILDS,
)
from kibitz.games.uno.learnt import INNER, OUTER
from kibitz.players import KEEN, SILENT, UNIFORM

SPREAD = 64
"""Scores of the rule player differ by less than this."""
DIGITS = COLUMN * np.uint64(0x3FF)
KEENNESS = 0
"""Place in a table, where no difference of scores lies."""
NEVER = 1e290
"""Stands for infinity in the tables, where 0 times it must be 0."""
HOPELESS = 1e250
"""What is less likely than one in this many counts as impossible."""
SCALE = 4.0
"""About the inverse of the chance of a play, by which each is multiplied against underflow."""


class Conduct(NamedTuple):
    """How the opponent may choose, and what it did."""

    params: Any  # UnoParams
    shares: Any  # float64[kinds]: how many players are of each kind
    tables: Any  # float64[kinds, 2 * SPREAD]: see `fill_tables`
    history: Any  # HISTORY[events]
    card_of: Any  # uint8[EMPTIED_BY + plays]: the card that a slot's content stands for: itself, or
    # that of the play; there may be more plays than in the history


@kernel
def fill_tables(players, tables):
    """How much an action that is liked by d more than another is preferred, for each of the
    players: `tables[k, SPREAD + d]`. All zero for a player whose choices say nothing, and all but
    `tables[k, KEENNESS]` for one who is keen: its likes are no whole numbers."""
    for k in range(len(players)):
        kind = players[k].kind
        sharpness = 0.0 if kind == UNIFORM else players[k].sharpness
        for i in range(2 * SPREAD):
            d = i - SPREAD
            if kind == SILENT or kind == KEEN:
                tables[k, i] = 0.0
            elif sharpness == np.inf:
                tables[k, i] = NEVER if d > 0 else (1.0 if d == 0 else 0.0)
            else:
                tables[k, i] = min(NEVER, np.exp(min(sharpness * d, 700.0)))
        tables[k, KEENNESS] = sharpness if kind == KEEN else 0.0


@kernel
def blocked_by(colour, rank):
    """All cards that could be played on a top card, as bits of a hand's first word."""
    lane = LANE << word(16 * colour)
    return ((lane | (COLUMN << word(rank))) & COLOURED) | WILDS | WILD_FOURS


@inline_kernel
def copies(ones, twos, card):
    """How many of a card, by number, are in a multiset."""
    if card & 15 < WILD:
        return np.int64((ones >> word(card)) & word(1)) + np.int64((twos >> word(card)) & word(1))
    return popcount(ones & (COLUMN << word(card & 15)))


@inline_kernel
def lane_counts(ones, twos):
    """The number of cards of each colour, sixteen bits each: kept beside a hand that changes, it
    saves counting at every play."""
    found = ZERO
    for colour in range(4):
        lane = LANE << word(16 * colour)
        found |= word(popcount(ones & lane) + popcount(twos & lane)) << word(16 * colour)
    return found


@inline_kernel
def one_of(card):
    """One card, by number, in a word of lane counts."""
    return ONE << word(card & 48) if card & 15 < WILD else ZERO


@inline_kernel
def lane_count(lanes, colour):
    return np.int64((lanes >> word(16 * colour)) & word(0xFFFF))


@inline_kernel
def judge_play(params, ones, twos, lanes, event, tables, down):
    """Divide by the chance of a legal play for each kind of player: `down[k]` is multiplied by its
    inverse. It is what `players.likelihoods` gives, but for a hand alone (with its lane counts)
    and at a tenth of the cost, because here it runs for every hypothesis."""
    action = np.int64(event.action)
    colour = np.int64(event.colour)
    rank = np.int64(event.rank)
    own = action >> 4
    own_rank = action & 15
    count = lane_count(lanes, colour)
    mine = count if own == colour else lane_count(lanes, own)
    if own_rank >= WILD:
        mine -= 20
    elif own_rank >= SKIP:
        mine += 4
    lane = LANE << word(16 * colour)
    digits = popcount(ones & lane & DIGITS)
    actions = popcount(ones & lane) - digits
    like = ones & (COLUMN << word(rank)) & COLOURED & ~lane
    wilds = (1 if ones & WILDS else 0) + (1 if ones & WILD_FOURS else 0)
    bonus = 4 if rank >= SKIP else 0
    colours = popcount(params.lanes) >> 4
    at = word(SPREAD - mine)  # not negative: no index wraps around
    for k in range(len(down)):
        table = tables[k]
        if table[KEENNESS] > 0.0:
            down[k] *= judge_keenly(params, ones, twos, event, table[KEENNESS])
            continue
        if table[SPREAD] == 0.0:  # choices say nothing
            continue
        if table[SPREAD + 1] == table[SPREAD]:  # all plays are liked the same
            down[k] *= digits + actions + popcount(like) + wilds * colours
            continue
        total = digits * table[at + word(count)] + actions * table[at + word(count + 4)]
        left = like
        while left != ZERO:
            other = lowest(left) >> 4
            left &= left - ONE
            total += table[at + word(lane_count(lanes, other) + bonus)]
        if wilds:
            declared = 0.0
            for other in range(colours):
                declared += table[at + word(lane_count(lanes, other)) - word(20)]
            total += wilds * declared
        down[k] *= total


@kernel
def judge_keenly(params, ones, twos, event, keenness):
    """The inverse of the chance of a play by the keen player, softened."""
    colour = np.int64(event.colour)
    hidden_ones, hidden_twos = minus(
        params.deck_ones, params.deck_twos, event.pile[0], event.pile[1]
    )
    hidden_ones, hidden_twos = minus(hidden_ones, hidden_twos, ones, twos)
    left = playable(params, ones, colour, event.rank)
    if left & (left - ONE) == ZERO:
        return 1.0
    held, theirs = count(ones, twos), np.int64(event.held)
    sight = Sight(ones, twos, held, theirs, colour, hidden_ones, hidden_twos)
    mine = liking(params, sight, np.int64(event.action), INNER, OUTER)
    total = 0.0
    while left != ZERO:
        action = lowest(left)
        left &= left - ONE
        more = -mine + liking(params, sight, action, INNER, OUTER)
        if keenness == np.inf:
            total += NEVER if more > 0.0 else (1.0 if more == 0.0 else 0.0)
        else:
            total += np.exp(min(keenness * more, 600.0))
    return total


@inline_kernel
def divide(product, down):
    """Divide `product` by `down`, as far as anything is left of it."""
    for k in range(len(product)):
        product[k] = product[k] / down[k] if down[k] < HOPELESS else 0.0


@inline_kernel
def ways(column, left, joining):
    """In how many ways the wilds of one kind that were left in the deck can be among those there
    after the pile has joined it."""
    more = popcount(joining & column)
    found = 1.0
    for k in range(popcount(left & column)):
        found *= (more + k + 1.0) / (k + 1.0)
    return found


@kernel
def rejoined(event, ones, twos):
    """The pile joins the deck while the opponent holds a hand: 0 if it cannot hold it, some of it
    not being unseen; else how many ways there are to tell the cards that were left in the deck
    from their like in the pile. Stories are counted by copies, and later a slot may hold either."""
    left_ones, left_twos = minus(event.unseen[0], event.unseen[1], ones, twos)
    whole = count(event.unseen[0], event.unseen[1])
    if count(left_ones, left_twos) != whole - count(ones, twos):
        return 0.0
    found = ways(WILDS, left_ones, event.pile[0]) * ways(WILD_FOURS, left_ones, event.pile[0])
    return found * (1 << popcount(left_ones & event.pile[0] & COLOURED))


@inline_kernel
def replay(conduct, ones, twos, slots, down, product):
    """Multiply `product[k]` by the likelihood of the whole history for one story, from the hand
    (`ones`, `twos`) with which it began; each play counts SCALE times, to stay near 1. False if
    the story breaks a rule: it plays what it does not hold, draws while something is playable,
    draws more copies than there are, or holds at a reshuffle what only the pile can bring.
    `down`: scratch, one for each kind of player."""
    for k in range(len(down)):
        down[k] = 1.0
    lanes = lane_counts(ones, twos)
    slot = 0
    for t in range(len(conduct.history)):
        event = conduct.history[t]
        if event.kind == BATCH:
            if ones & event.blocked != ZERO:
                return False
            for _ in range(event.number):
                card = conduct.card_of[slots[slot]]
                slot += 1
                more_ones, more_twos = put(ones, twos, single(card))
                if more_ones == ones and more_twos == twos:  # there are no more copies of it
                    return False
                ones, twos = more_ones, more_twos
                lanes += one_of(card)
            continue
        if event.kind == RESHUFFLE:
            chance = rejoined(event, ones, twos)
            if chance == 0.0:
                return False
            for k in range(len(down)):
                down[k] /= chance
            continue
        action = np.int64(event.action)
        held = copies(ones, twos, action)
        if held == 0:
            return False
        if not event.silent:
            judge_play(conduct.params, ones, twos, lanes, event, conduct.tables, down)
        share = held / SCALE
        for k in range(len(down)):
            down[k] *= share
        ones, twos = take(ones, twos, single(action))
        lanes -= one_of(action)
    divide(product, down)
    return True


@inline_kernel
def total(shares, like):
    """The likelihood, whoever plays."""
    found = 0.0
    for k in range(len(shares)):
        found += shares[k] * like[k]
    return found
