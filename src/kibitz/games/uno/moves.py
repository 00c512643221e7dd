"""UNO: Metropolis moves of stories, and what resampling needs, as kernels.

Exchanging the card of a slot for one of the deck, or the contents of two slots, changes nothing but
the likelihood (see `filter`), so a move is accepted by the likelihood of the whole history alone.
"""

from typing import Any, NamedTuple

import numpy as np

from kibitz._jit import inline_kernel
from kibitz.bits import single
from kibitz.games.uno.filter import exchange, holding_slot
from kibitz.games.uno.hypotheses import copies, replay, total
from kibitz.games.uno.kernels import count, minus, pick, put, take
from kibitz.games.uno.layout import BATCH, EMPTIED_BY, PLAY
from kibitz.rng import below, uniform


class Times(NamedTuple):
    """What the history says of slots and plays; times are indices of the history."""

    blocked: Any  # uint64[slots]: the cards that each cannot hold now
    opened: Any  # int64[slots]: when
    left: Any  # int64[plays]: when each was made


MARK = np.uint64(0x9E3779B97F4A7C15)


@inline_kernel
def change(ones, twos, hand, slots, i, times, rng):
    """Change story i a little, in place: exchange a slot's card for one of the deck, or the
    contents of two slots. Both ways are equally likely there and back. Returns the slots and what
    they held (twice the same for an exchange with the deck), or -1 if nothing has changed."""
    slots_each = slots.shape[1]
    holding = 0
    for s in range(slots_each):
        holding += slots[i, s] < EMPTIED_BY
    if (holding < slots_each and uniform(rng) < 0.3) or holding == 0:
        a = below(rng, slots_each)
        b = below(rng, slots_each)
        old, young = min(a, b), max(a, b)
        content, other = slots[i, old], slots[i, young]
        if times.opened[old] == times.opened[young] or content == other:
            return -1, -1, content, other
        if content >= EMPTIED_BY and times.left[content - EMPTIED_BY] < times.opened[young]:
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
    may = ~times.blocked[slot]
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
def move_stories(conduct, rows, ones, twos, times, scratch, rng):
    """A Metropolis sweep: change each story, and keep the change with chance min(1, the new
    likelihood / the old one), of the whole history. `scratch`: float64[2, kinds]."""
    kinds = len(conduct.shares)
    down, new = scratch[0], scratch[1]
    for i in range(len(rows.hand)):
        slot, other_slot, content, other = change(ones, twos, rows.hand, rows.slots, i, times, rng)
        if slot < 0:
            continue
        b = i if len(rows.begin) > 1 else 0
        c = i if len(rows.begin_like) > 1 else 0
        for k in range(kinds):
            new[k] = rows.begin_like[c, k]
        fits = replay(conduct, rows.begin[b, 0], rows.begin[b, 1], rows.slots[i], down, new)
        if fits and uniform(rng) * total(conduct.shares, rows.like[i]) < total(conduct.shares, new):
            for k in range(kinds):
                rows.like[i, k] = new[k]
        else:
            change_back(rows.hand, rows.slots, i, slot, other_slot, content, other)


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
def hands_at_end(history, card_of, rows):
    """Write the hand with which each story ends."""
    for i in range(len(rows.hand)):
        b = i if len(rows.begin) > 1 else 0
        ones, twos = rows.begin[b, 0], rows.begin[b, 1]
        slot = 0
        for t in range(len(history)):
            event = history[t]
            if event.kind == PLAY:
                ones, twos = take(ones, twos, single(event.action))
            elif event.kind == BATCH:
                for _ in range(event.number):
                    card = card_of[rows.slots[i, slot]]
                    slot += 1
                    ones, twos = put(ones, twos, single(card))
        rows.hand[i, 0], rows.hand[i, 1] = ones, twos


@inline_kernel
def mark_plays(played, before, hand, slots, first, rng):
    """Where the story of what came before is put in front of another: of the cards `played` since,
    those that no slot since held came from the hand at that time. Choose for each which of the
    `first` slots it left, if any: any of the copies. `before`: the number of plays then."""
    for i in range(len(slots)):
        ones, twos = hand[i, 0], hand[i, 1]
        for play in range(len(played)):
            mark = EMPTIED_BY + before + play
            since = False
            for s in range(first, slots.shape[1]):
                since = since or slots[i, s] == mark
            if since:
                continue
            bit = single(played[play])
            held = copies(ones, twos, played[play])
            if held == 0:  # a dead end
                break
            slot = holding_slot(slots, i, played[play], below(rng, held))
            if 0 <= slot < first:
                slots[i, slot] = mark
            ones, twos = take(ones, twos, bit)


@inline_kernel
def mark_stories(hand, slots, marks):
    """Write a number for each story; different ones have different numbers, but for one chance in
    2^64."""
    for i in range(len(hand)):
        mark = hand[i, 0] * MARK + hand[i, 1]
        for s in range(slots.shape[1]):
            mark = (mark ^ (mark >> np.uint64(29))) * MARK + np.uint64(slots[i, s])
        marks[i] = mark
