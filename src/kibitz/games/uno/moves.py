"""UNO: Metropolis moves of stories, and what resampling needs, as kernels.

Exchanging the card of a slot for one of the deck, or the contents of two slots, changes nothing but
the likelihood (see `filter`), so a move is accepted by the likelihood of the whole history alone.
"""

import numpy as np

from kibitz._jit import inline_kernel
from kibitz.bits import single
from kibitz.games.uno.filter import exchange, total
from kibitz.games.uno.hypotheses import replay
from kibitz.games.uno.kernels import count, minus, pick
from kibitz.games.uno.layout import EMPTIED_BY
from kibitz.rng import below, uniform

MARK = np.uint64(0x9E3779B97F4A7C15)


@inline_kernel
def change(ones, twos, hand, slots, i, blocked, opened, left, rng):
    """Change story i a little, in place: exchange a slot's card for one of the deck, or the
    contents of two slots. Both ways are equally likely there and back. Returns the slots and what
    they held (twice the same for an exchange with the deck), or -1 if nothing has changed.
    `opened`: when each slot was opened, `left`: when each play was made, as indices of the
    history."""
    slots_each = slots.shape[1]
    holding = 0
    for s in range(slots_each):
        holding += slots[i, s] < EMPTIED_BY
    if (holding < slots_each and uniform(rng) < 0.3) or holding == 0:
        a = below(rng, slots_each)
        b = below(rng, slots_each)
        old, young = min(a, b), max(a, b)
        content, other = slots[i, old], slots[i, young]
        if opened[old] == opened[young] or content == other:
            return -1, -1, content, other
        if content >= EMPTIED_BY and left[content - EMPTIED_BY] < opened[young]:
            return -1, -1, content, other  # it would be played before it came
        slots[i, old], slots[i, young] = other, content
        return old, young, content, other
    chosen = below(rng, holding)
    slot = 0
    for s in range(slots_each):
        if slots[i, s] < EMPTIED_BY:
            if chosen == 0:
                slot = s
            chosen -= 1
    content = slots[i, slot]
    deck_ones, deck_twos = minus(ones, twos, hand[i, 0], hand[i, 1])
    may = ~blocked[slot]
    fit = count(deck_ones & may, deck_twos & may)
    if fit == 0:
        return -1, -1, content, content
    exchange(hand, slots, i, slot, pick(deck_ones & may, deck_twos & may, fit, rng))
    return (slot if slots[i, slot] != content else -1), slot, content, content


@inline_kernel
def change_back(hand, slots, i, slot, other_slot, content, other):
    """Undo what `change` did."""
    if slot == other_slot:
        exchange(hand, slots, i, slot, single(content))
    else:
        slots[i, slot] = content
        slots[i, other_slot] = other


@inline_kernel
def move_stories(
    params,
    history,
    played,
    begin,
    begin_like,
    ones,
    twos,
    blocked,
    opened,
    left,
    shares,
    tables,
    hand,
    slots,
    like,
    new,
    down,
    rng,
):
    """A Metropolis sweep: change each story, and keep the change with chance min(1, the new
    likelihood / the old one), of the whole history. `new` and `down`: scratch, float64[players]."""
    players = len(shares)
    for i in range(len(hand)):
        slot, other_slot, content, other = change(
            ones, twos, hand, slots, i, blocked, opened, left, rng
        )
        if slot < 0:
            continue
        for k in range(players):
            new[k] = begin_like[i if len(begin_like) > 1 else 0, k]
        b = i if len(begin) > 1 else 0
        fits = replay(
            params, history, played, begin[b, 0], begin[b, 1], slots[i], tables, down, new
        )
        if fits and uniform(rng) * total(shares, like[i]) < total(shares, new):
            for k in range(players):
                like[i, k] = new[k]
        else:
            change_back(hand, slots, i, slot, other_slot, content, other)


@inline_kernel
def gather(index, hand, slots, like, new_hand, new_slots, new_like):
    """Copy the chosen stories; numpy's own indexing takes three times as long."""
    for k in range(len(index)):
        i = index[k]
        new_hand[k, 0] = hand[i, 0]
        new_hand[k, 1] = hand[i, 1]
        for s in range(slots.shape[1]):
            new_slots[k, s] = slots[i, s]
        for player in range(like.shape[1]):
            new_like[k, player] = like[i, player]


@inline_kernel
def mark_stories(hand, slots, marks):
    """Write a number for each story; different ones have different numbers, but for one chance in
    2^64."""
    for i in range(len(hand)):
        mark = hand[i, 0] * MARK + hand[i, 1]
        for s in range(slots.shape[1]):
            mark = (mark ^ (mark >> np.uint64(29))) * MARK + np.uint64(slots[i, s])
        marks[i] = mark
