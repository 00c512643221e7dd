"""UNO: the particle filter over stories of the opponent's hand, as kernels.

Arrays have one row a particle: `slots` the story (see `hypotheses`), `hand` the two words of the
present hand, `like[k]` the likelihood of the whole history for each kind of player. The pool
(`ones`, `twos`) is everything unseen; what of it is not in the hand is in the deck.

The prior of a story is uniform over the ways in which copies of cards can lie: exchanging a card of
a slot for one of the deck, each copy equally likely, changes nothing but the likelihood. So the
moves below are exchanges. When an event rules a story out, it is *mended* by exchanges instead of
thrown away, and its weight corrected as for any importance sample: by the likelihood of the new
story over that of the old, by the chance of the way back (which we may choose, as long as it is a
distribution), over the chance of the way there. The ways back are chosen so that the corrections
of mended and untouched stories are equal or nearly so. `docs/belief.md` derives them.
"""

import numpy as np

from kibitz._jit import inline_kernel
from kibitz.bits import ZERO, lowest, single
from kibitz.games.uno.hypotheses import SCALE, copies, divide, judge_play, lane_counts, replay
from kibitz.games.uno.kernels import count, minus, pick, put, take
from kibitz.games.uno.layout import EMPTIED_BY, PLAY, WILD
from kibitz.rng import below


@inline_kernel
def number_of(card):
    """The number of a card given as a single bit; wilds have one number, whatever the bit."""
    index = lowest(card)
    return index & 15 if index & 15 >= WILD else index


@inline_kernel
def survey(history, blocked, opened, emptied, played):
    """Write for each slot the cards that it cannot hold now (those playable at a draw, with
    nothing pending, that it lived through) and when it was opened, and for each play when it was
    made and its card; times are indices of the history."""
    slot = len(blocked)
    play = len(played)
    gone = ZERO
    for t in range(len(history) - 1, -1, -1):
        event = history[t]
        if event.kind == PLAY:
            play -= 1
            emptied[play] = t
            played[play] = number_of(single(event.action))
            continue
        for _ in range(event.number):
            slot -= 1
            blocked[slot] = gone
            opened[slot] = t
        gone |= event.blocked


@inline_kernel
def draw(ones, twos, hand, slots, first, weights, rng):
    """The opponent draws: fill the slots from `first` on, uniformly from the deck."""
    for i in range(len(hand)):
        if weights[i] == 0.0:  # its deck may be anything, even empty
            continue
        deck_ones, deck_twos = minus(ones, twos, hand[i, 0], hand[i, 1])
        size = count(deck_ones, deck_twos)
        for slot in range(first, slots.shape[1]):
            card = pick(deck_ones, deck_twos, size, rng)
            size -= 1
            deck_ones, deck_twos = take(deck_ones, deck_twos, card)
            hand[i, 0], hand[i, 1] = put(hand[i, 0], hand[i, 1], card)
            slots[i, slot] = number_of(card)


@inline_kernel
def exchange(hand, slots, i, slot, card):
    """Put `card`, a bit, in place of what the slot holds."""
    ones, twos = take(hand[i, 0], hand[i, 1], single(slots[i, slot]))
    hand[i, 0], hand[i, 1] = put(ones, twos, card)
    slots[i, slot] = number_of(card)


@inline_kernel
def open_slots(slots, i, blocked, card):
    """How many slots of a story hold a card and may hold `card` (a bit) instead."""
    found = 0
    for slot in range(slots.shape[1]):
        found += slots[i, slot] < EMPTIED_BY and blocked[slot] & card == ZERO
    return found


@inline_kernel
def hold(ones, twos, hand, slots, blocked, card, play, weights, changed, rng):
    """The opponent is about to play `card` (its number), its play number `play`: see that each
    story holds it, and mark the slot that it leaves. Multiplies the weights by the corrections; the
    card stays in the hand, for the likelihood of the choice."""
    bit = single(card)
    for i in range(len(hand)):
        changed[i] = False
        if weights[i] == 0.0:
            continue
        held = copies(hand[i, 0], hand[i, 1], card)
        slot = -1
        if held > 0:  # any of the copies, which may have been there before the first slot
            weights[i] *= held
            left = below(rng, held)
            for s in range(slots.shape[1]):
                if slots[i, s] == card:
                    if left == 0:
                        slot = s
                    left -= 1
        else:
            choices = open_slots(slots, i, blocked, bit)
            if choices == 0:
                weights[i] = 0.0
                continue
            left = below(rng, choices)
            for s in range(slots.shape[1]):
                if slots[i, s] < EMPTIED_BY and blocked[s] & bit == ZERO:
                    if left == 0:
                        slot = s
                    left -= 1
            exchange(hand, slots, i, slot, bit)
            changed[i] = True
        if slot >= 0:
            if held <= 1:
                deck_ones, deck_twos = minus(ones, twos, hand[i, 0], hand[i, 1])
                mine = 1 + copies(deck_ones, deck_twos, card)
                open_ = ~blocked[slot]
                others = count(deck_ones & open_, deck_twos & open_)
                others -= mine - 1  # the slot may hold the card: it does
                mine *= open_slots(slots, i, blocked, bit)
                weights[i] *= mine / (mine + others)
            slots[i, slot] = EMPTIED_BY + play


@inline_kernel
def clear(ones, twos, hand, slots, blocked, playable, weights, changed, rng):
    """The opponent has nothing `playable` and must draw: exchange what is. Multiplies the weights
    by the corrections."""
    for i in range(len(hand)):
        changed[i] = False
        if weights[i] == 0.0:
            continue
        deck_ones, deck_twos = minus(ones, twos, hand[i, 0], hand[i, 1])
        factor = 1.0
        for slot in range(slots.shape[1]):
            if slots[i, slot] >= EMPTIED_BY:
                continue
            old = single(slots[i, slot])
            may = ~(blocked[slot] | playable)
            fit = count(deck_ones & may, deck_twos & may)
            if old & playable != ZERO:
                if fit == 0:
                    factor = 0.0
                    break
                card = pick(deck_ones & may, deck_twos & may, fit, rng)
                deck_ones, deck_twos = take(deck_ones, deck_twos, card)
                deck_ones, deck_twos = put(deck_ones, deck_twos, old)
                exchange(hand, slots, i, slot, card)
                changed[i] = True
                fit -= 1
            might = playable & ~blocked[slot]
            unfit = count(deck_ones & might, deck_twos & might)
            factor *= (fit + 1.0) / (fit + 1.0 + unfit)
        if hand[i, 0] & playable != ZERO:  # held since before the first slot
            factor = 0.0
        weights[i] *= factor


@inline_kernel
def draw_mine(ones, twos, hand, slots, blocked, card, weights, changed, rng):
    """I draw `card` (its number) from the deck, so a copy was there: see that it was. The pool is
    that before the draw. Multiplies the weights by corrections and likelihood."""
    bit = single(card)
    for i in range(len(hand)):
        changed[i] = False
        if weights[i] == 0.0:
            continue
        deck_ones, deck_twos = minus(ones, twos, hand[i, 0], hand[i, 1])
        there = copies(deck_ones, deck_twos, card)
        if there > 1:
            weights[i] *= there
            continue
        size = count(deck_ones, deck_twos)
        holding = 0
        for s in range(slots.shape[1]):
            holding += slots[i, s] == card
        factor = 1.0
        if there == 0:
            if holding == 0:
                weights[i] = 0.0
                continue
            left = below(rng, holding)
            slot = 0
            for s in range(slots.shape[1]):
                if slots[i, s] == card:
                    if left == 0:
                        slot = s
                    left -= 1
            may = ~blocked[slot]
            fit = count(deck_ones & may, deck_twos & may)
            if fit == 0:
                weights[i] = 0.0
                continue
            exchange(hand, slots, i, slot, pick(deck_ones & may, deck_twos & may, fit, rng))
            changed[i] = True
            factor = holding * fit
            holding -= 1
        # now one copy is in the deck; the way back is to stay, or to put it into a slot
        back = open_slots(slots, i, blocked, bit) - holding
        stay = (holding + 1.0) * size
        weights[i] *= (factor if changed[i] else stay) / (stay + back)


@inline_kernel
def remove(hand, action, weights):
    """The card that was played leaves the hand of every story that is still possible."""
    card = single(action)
    for i in range(len(hand)):
        if weights[i] > 0.0:
            hand[i, 0], hand[i, 1] = take(hand[i, 0], hand[i, 1], card)


@inline_kernel
def total(shares, like):
    """The likelihood, whoever plays."""
    found = 0.0
    for k in range(len(shares)):
        found += shares[k] * like[k]
    return found


@inline_kernel
def level(weights):
    """Make the mean weight 1, unless it is 0; returns what it was."""
    mean = 0.0
    for i in range(len(weights)):
        mean += weights[i]
    mean /= len(weights)
    if mean > 0.0:
        for i in range(len(weights)):
            weights[i] /= mean
    return mean


@inline_kernel
def weigh(
    params,
    history,
    played,
    begin,
    begin_like,
    hand,
    slots,
    shares,
    tables,
    judge,
    changed,
    down,
    like,
    weights,
):
    """After an event: bring `like` up to date, replaying changed stories as a whole and judging
    the last play, if that is what happened (`judge`), for the others; multiply the weights by how
    much more likely the stories have become. A card that was played then leaves the hand. Returns
    the mean weight, and makes it 1 if it is not 0. `down`: scratch, float64[players]."""
    players = len(shares)
    for i in range(len(hand)):
        if weights[i] == 0.0:
            continue
        if changed[i]:
            before = total(shares, like[i])
            b = i if len(begin) > 1 else 0
            for k in range(players):
                like[i, k] = begin_like[i if len(begin_like) > 1 else 0, k]
            ones, twos = begin[b, 0], begin[b, 1]
            if not replay(params, history, played, ones, twos, slots[i], tables, down, like[i]):
                weights[i] = 0.0
                continue
            weights[i] *= total(shares, like[i]) / before
        elif judge:
            before = total(shares, like[i])
            last = history[len(history) - 1]
            ones, twos = hand[i, 0], hand[i, 1]
            action = np.int64(last.action)
            for k in range(players):
                down[k] = copies(ones, twos, action) / SCALE
            if not last.silent:
                lanes = lane_counts(ones, twos)
                judge_play(params, ones, twos, lanes, last, tables, down)
            divide(like[i], down)
            weights[i] *= total(shares, like[i]) / before
    if judge:
        remove(hand, history[len(history) - 1].action, weights)
    return level(weights)
