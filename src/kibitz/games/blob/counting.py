"""Blob: the deals that fit hand sizes and voids, counted exactly.

The unseen cards lie in the hidden hands and the stock, all of known sizes; a void forbids a suit to
a hand. All deals that obey are equally likely as long as nobody's choices are weighed.

Few things have to be told apart. Suits forbidden to the same hands are one *class* of cards. Hands
with the same voids are one *group*, divided among its hands at the end; the stock and all hands
without a void are the group that takes what is left. So one table, group by group, with the cards
left in each class as its state, counts everything:

    ways[j](left) = sum over x of product over classes of C(left, x) * ways[j + 1](left - x)

where x says how many cards of each class group j takes. The cards left add up to a known number, so
the largest class needs no index. Bounds on what can be left keep the layers small: mostly a few
entries, at worst some 2,700 for each of seven groups. Counts are float64, exact to about 1e-13.
"""

from typing import Any, NamedTuple

import numpy as np

from kibitz._jit import kernel
from kibitz.bits import ONE, ZERO, lowest, popcount, word
from kibitz.games.blob.kernels import hand_size, suit_of, unseen
from kibitz.games.blob.layout import LANE, MAX_SEATS, PLAYING

STOCK_SLOT = MAX_SEATS
HOLDERS = MAX_SEATS + 1
"""Hidden cards lie with a seat or in the stock, which comes last."""

MAX_LAYER = 14**3
MAX_WAYS = 1 + MAX_SEATS * MAX_LAYER
"""Entries of the largest table: three classes of at most 13 cards have an index."""

BINOMIAL = np.zeros((65, 65))
for _n in range(65):
    BINOMIAL[_n, 0] = 1.0
    for _k in range(1, _n + 1):
        BINOMIAL[_n, _k] = BINOMIAL[_n - 1, _k - 1] + BINOMIAL[_n - 1, _k]

BELOW_ONE = float(np.nextafter(1.0, 0.0))

SPLIT = np.dtype(
    (
        np.record,
        [
            ("deals", np.float64),  # how many there are; 0 if nothing fits
            ("table", np.int64),  # entries of `ways` in use
            ("groups", np.int64),  # the group that takes what is left comes after these
            ("class_cards", np.uint64, (4,)),  # unseen cards of each class; the largest is last
            ("class_size", np.int64, (4,)),
            ("class_of", np.int64, (4,)),  # of each suit; -1 if nothing of it is unseen
            ("held", np.int64, (HOLDERS,)),  # cards of each holder
            ("group_of", np.int64, (HOLDERS,)),  # of each holder; -1 without cards
            ("needs", np.int64, (HOLDERS,)),  # cards of each group
            ("barred", np.int64, (HOLDERS,)),  # bit c: class c is forbidden to the group
            ("low", np.int64, (HOLDERS, 4)),  # bounds of what is left before each group takes
            ("high", np.int64, (HOLDERS, 4)),
            ("start", np.int64, (HOLDERS,)),  # where each layer of `ways` begins
        ],
    )
)


# --- the problem ---------------------------------------------------------------------------------


@kernel
def holdings(params, observation, seat, held):
    """Write how many hidden cards each holder has; returns the unseen cards."""
    pool = unseen(params, observation, seat)
    left = popcount(pool)
    for other in range(MAX_SEATS):
        held[other] = 0
        if other < params.players and other != seat:
            held[other] = np.int64(hand_size(observation, other))
            left -= held[other]
    held[STOCK_SLOT] = left
    return pool


@kernel
def voids_of(voids, holder):
    """The suits that a seat cannot have, four bits: `voids` holds them for all seats."""
    return np.int64((voids >> word(4 * holder)) & word(15)) if holder < STOCK_SLOT else 0


@kernel
def shown_void(observation, action):
    """What a play about to be made proves, as a bit of `voids`: no card of the suit led."""
    if observation.phase != PLAYING or observation.in_trick == 0:
        return ZERO
    if suit_of(action) == observation.led:
        return ZERO
    return ONE << word(4 * np.int64(observation.turn) + (lowest(observation.led) >> 4))


@kernel
def voids_in_trick(observation):
    """What the trick in progress proves by itself."""
    voids = ZERO
    if observation.phase == PLAYING and observation.in_trick > 0:
        for seat in range(MAX_SEATS):
            card = np.int64(observation.trick[seat])
            if card >= 0 and suit_of(card) != observation.led:
                voids |= ONE << word(4 * seat + (lowest(observation.led) >> 4))
    return voids


@kernel
def make_classes(split, pool, voids):
    """Merge suits that are forbidden to the same holders."""
    patterns = np.zeros(4, np.int64)
    found = 0
    for c in range(4):
        split.class_cards[c] = ZERO
        split.class_size[c] = 0
    for suit in range(4):
        cards = pool & (LANE << word(16 * suit))
        split.class_of[suit] = -1
        if cards == ZERO:
            continue
        pattern = 0
        for holder in range(MAX_SEATS):
            if split.held[holder] > 0 and (voids_of(voids, holder) >> suit) & 1:
                pattern |= 1 << holder
        c = 0
        while c < found and patterns[c] != pattern:
            c += 1
        if c == found:
            patterns[c] = pattern
            found += 1
        split.class_of[suit] = c
        split.class_cards[c] |= cards
        split.class_size[c] += popcount(cards)
    largest = 0
    for c in range(1, 4):
        if split.class_size[c] > split.class_size[largest]:
            largest = c
    if largest != 3:
        cards, n = split.class_cards[3], split.class_size[3]
        split.class_cards[3] = split.class_cards[largest]
        split.class_size[3] = split.class_size[largest]
        split.class_cards[largest] = cards
        split.class_size[largest] = n
        for suit in range(4):
            if split.class_of[suit] == largest:
                split.class_of[suit] = 3
            elif split.class_of[suit] == 3:
                split.class_of[suit] = largest


@kernel
def make_groups(split, voids, alone):
    """Merge holders with the same voids; the holder `alone` gets the first group to itself."""
    split.groups = 0
    for holder in range(HOLDERS):
        split.group_of[holder] = -1
        split.needs[holder] = 0
        split.barred[holder] = 0
    bars = np.zeros(HOLDERS, np.int64)
    for holder in range(HOLDERS):
        for suit in range(4):
            if (voids_of(voids, holder) >> suit) & 1 and split.class_of[suit] >= 0:
                bars[holder] |= 1 << split.class_of[suit]
    if alone >= 0 and split.held[alone] > 0:
        split.group_of[alone] = 0
        split.needs[0] = split.held[alone]
        split.barred[0] = bars[alone]
        split.groups = 1
    first = split.groups
    for holder in range(HOLDERS):
        if split.held[holder] == 0 or bars[holder] == 0 or split.group_of[holder] >= 0:
            continue
        g = first
        while g < split.groups and split.barred[g] != bars[holder]:
            g += 1
        if g == split.groups:
            split.barred[g] = bars[holder]
            split.groups += 1
        split.group_of[holder] = g
        split.needs[g] += split.held[holder]
    rest = split.groups
    for holder in range(HOLDERS):
        if split.held[holder] > 0 and split.group_of[holder] < 0:
            split.group_of[holder] = rest
            split.needs[rest] += split.held[holder]


@kernel
def make_bounds(split):
    """What can be left of each class before each group takes; returns whether anything can."""
    at = 0
    for j in range(split.groups + 1):
        layer = 1
        for c in range(4):
            before = 0
            for g in range(j):
                if not (split.barred[g] >> c) & 1:
                    before += split.needs[g]
            after = 0
            for g in range(j, split.groups + 1):
                if not (split.barred[g] >> c) & 1:
                    after += split.needs[g]
            split.low[j, c] = max(0, split.class_size[c] - before)
            split.high[j, c] = min(split.class_size[c], after)
            if split.low[j, c] > split.high[j, c]:
                return False
            if c < 3:
                layer *= split.high[j, c] - split.low[j, c] + 1
        split.start[j] = at
        at += layer
    split.table = at
    return True


# --- the table -----------------------------------------------------------------------------------


@kernel
def steps(split, j, left, takes, choices):
    """All that group j can take of the cards `left`: writes how many of each class, and the entry
    this leads to, into `takes`, the ways to choose them into `choices`. Returns their number."""
    need = split.needs[j]
    low, high = split.low[j + 1], split.high[j + 1]
    barred = split.barred[j]
    r0, r1, r2, r3 = left[0], left[1], left[2], left[3]
    low0, low1 = max(0, r0 - high[0]), max(0, r1 - high[1])
    low2, low3 = max(0, r2 - high[2]), max(0, r3 - high[3])
    high0 = 0 if barred & 1 else r0 - low[0]
    high1 = 0 if barred & 2 else r1 - low[1]
    high2 = 0 if barred & 4 else r2 - low[2]
    high3 = 0 if barred & 8 else r3 - low[3]
    width1, width2 = high[1] - low[1] + 1, high[2] - low[2] + 1
    found = 0
    if low1 > high1 or low2 > high2 or low3 > high3:
        return found
    for x0 in range(
        max(low0, need - high1 - high2 - high3), min(high0, need - low1 - low2 - low3) + 1
    ):
        need0 = need - x0
        ways0 = BINOMIAL[r0, x0]
        at0 = (r0 - x0 - low[0]) * width1
        for x1 in range(max(low1, need0 - high2 - high3), min(high1, need0 - low2 - low3) + 1):
            need1 = need0 - x1
            ways1 = ways0 * BINOMIAL[r1, x1]
            at1 = (at0 + r1 - x1 - low[1]) * width2 + split.start[j + 1]
            for x2 in range(max(low2, need1 - high3), min(high2, need1 - low3) + 1):
                x3 = need1 - x2
                takes[found, 0] = x0
                takes[found, 1] = x1
                takes[found, 2] = x2
                takes[found, 3] = x3
                takes[found, 4] = at1 + r2 - x2 - low[2]
                choices[found] = ways1 * BINOMIAL[r2, x2] * BINOMIAL[r3, x3]
                found += 1
    return found


@kernel
def count(split, ways, takes, choices):
    """Fill the table and `split.deals`."""
    split.deals = 0.0
    rest = split.groups
    total = 0
    for c in range(4):
        total += split.class_size[c]
    for j in range(split.groups):
        total -= split.needs[j]
    if total != split.needs[rest]:
        return
    for i in range(split.start[rest], split.table):
        ways[i] = 1.0
    left = np.zeros(4, np.int64)
    for j in range(rest - 1, -1, -1):
        total += split.needs[j]
        low, high = split.low[j], split.high[j]
        at = split.start[j]
        for a in range(low[0], high[0] + 1):
            for b in range(low[1], high[1] + 1):
                for c in range(low[2], high[2] + 1):
                    d = total - a - b - c
                    ways[at] = 0.0
                    if low[3] <= d <= high[3]:
                        left[0], left[1], left[2], left[3] = a, b, c, d
                        n = steps(split, j, left, takes, choices)
                        found = 0.0
                        for i in range(n):
                            found += choices[i] * ways[takes[i, 4]]
                        ways[at] = found
                    at += 1
    deals = ways[0]
    for g in range(split.groups + 1):
        n = split.needs[g]
        for holder in range(HOLDERS):
            if split.group_of[holder] == g:
                deals *= BINOMIAL[n, split.held[holder]]
                n -= split.held[holder]
    split.deals = deals


@kernel
def prepare(pool, held, voids, alone, split, ways, takes, choices):
    """Count the deals of `pool` among holders of `held` cards. `voids`: see `voids_of`; `alone`: a
    holder that shall be a group of its own, the first, or -1. For the scratch see `scratch`."""
    for holder in range(HOLDERS):
        split.held[holder] = held[holder]
    make_classes(split, pool, voids)
    make_groups(split, voids, alone)
    split.deals = 0.0
    split.table = 0
    for holder in range(HOLDERS):
        if held[holder] < 0:
            return
    if make_bounds(split):
        count(split, ways, takes, choices)


@kernel
def chances(split, ways, reach, takes, choices, out):
    """Write the chance that each holder has a given unseen card of each suit into `out[holder,
    suit]`. 0 and 1 are exact: nobody else, or nobody but this holder, can have it. `reach` is as
    large as `ways`."""
    rest = split.groups
    mean = np.zeros((HOLDERS, 4))  # cards of each class that a group takes, times ways[0]
    left = np.zeros(4, np.int64)
    for i in range(split.table):
        reach[i] = 0.0
    reach[0] = 1.0
    total = 0
    for c in range(4):
        total += split.class_size[c]
        if rest == 0:
            mean[0, c] = split.class_size[c]
    for j in range(rest):
        low, high = split.low[j], split.high[j]
        at = split.start[j] - 1
        for a in range(low[0], high[0] + 1):
            for b in range(low[1], high[1] + 1):
                for c in range(low[2], high[2] + 1):
                    at += 1
                    if reach[at] == 0.0 or ways[at] == 0.0:
                        continue
                    left[0], left[1], left[2], left[3] = a, b, c, total - a - b - c
                    n = steps(split, j, left, takes, choices)
                    for i in range(n):
                        flow = reach[at] * choices[i]
                        reach[takes[i, 4]] += flow
                        flow *= ways[takes[i, 4]]
                        for k in range(4):
                            mean[j, k] += flow * takes[i, k]
                            if j == rest - 1:
                                mean[rest, k] += flow * (left[k] - takes[i, k])
        total -= split.needs[j]
    whole = 1.0 if rest == 0 else ways[0]
    for suit in range(4):
        holders = 0
        for holder in range(HOLDERS):
            out[holder, suit] = 0.0
            g = split.group_of[holder]
            c = split.class_of[suit]
            if g >= 0 and c >= 0 and mean[g, c] > 0.0:
                share = mean[g, c] / (whole * split.class_size[c])
                out[holder, suit] = share * split.held[holder] / split.needs[g]
                holders += 1
        for holder in range(HOLDERS):
            if out[holder, suit] > 0.0:
                out[holder, suit] = 1.0 if holders == 1 else min(out[holder, suit], BELOW_ONE)


class Room(NamedTuple):
    """Arrays for the kernels to work on."""

    ways: Any
    reach: Any
    takes: Any
    choices: Any


def scratch() -> Room:
    return Room(
        np.zeros(MAX_WAYS),
        np.zeros(MAX_WAYS),
        np.zeros((MAX_LAYER, 5), np.int64),
        np.zeros(MAX_LAYER),
    )
