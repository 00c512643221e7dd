"""UNO: the particle filter over stories of the opponent's hand, as kernels.

A set of stories is a `Rows`; the pool (`ones`, `twos`) is everything unseen, and what of it is not
in the hand is in the deck.

The prior of a story is uniform over the ways in which copies of cards can lie: exchanging a card of
a slot for one of the deck, each copy equally likely, changes nothing but the likelihood. So the
moves below are exchanges. When an event rules a story out, it is *mended* by exchanges instead of
thrown away, and its weight corrected as for any importance sample on pairs (story before, story
after): by the likelihood of the new story over that of the old, by the chance of the way back,
over the chance of the way there.

The way back may be any distribution over stories that were possible before. A story that needed no
mending may have been the same before, or a *rival*: one that would have been mended into it. So the
way back draws one rival, each as likely as the mending would have made it, and then chooses between
the two in proportion to what they bring: likelihood before times the chance of the way there over
the chance to be drawn. A rival that the model gives no chance is then never chosen, and no mass is
lost to it; a distribution that does not ask for likelihoods loses what it gives to such rivals,
however many particles there are. `docs/belief.md` derives the weights.
"""

from typing import Any, NamedTuple

from kibitz._jit import inline_kernel
from kibitz.bits import ZERO, lowest, single
from kibitz.games.uno.hypotheses import copies
from kibitz.games.uno.kernels import count, minus, pick, put, take
from kibitz.games.uno.layout import EMPTIED_BY, PLAY, RESHUFFLE, WILD
from kibitz.rng import below, uniform

ALONE, MENDED, RIVALLED = 0, 1, 2
"""What became of a story at an event: nothing, it was mended, or a rival was drawn for it."""


class Rows(NamedTuple):
    """Stories with their weights, one a row."""

    begin: Any  # uint64[1 or n, 2]: the hand with which the history begins
    begin_like: Any  # float64[1 or n, kinds]: likelihood of everything before it
    hand: Any  # uint64[n, 2]: the hand now
    slots: Any  # uint8[n, slots]: the story, see `hypotheses`
    like: Any  # float64[n, kinds]: likelihood of everything so far
    weights: Any  # float32[n]


class Rivals(NamedTuple):
    """The other story that each one may come from."""

    fate: Any  # uint8[n]: ALONE, MENDED (from the rival) or RIVALLED
    slots: Any  # uint8[n, slots]: the rival, unless ALONE
    odds: Any  # float64[n]: for it, before likelihoods are considered


@inline_kernel
def number_of(card):
    """The number of a card given as a single bit; wilds have one number, whatever the bit."""
    index = lowest(card)
    return index & 15 if index & 15 >= WILD else index


@inline_kernel
def survey(history, blocked, opened, emptied, card_of):
    """Write for each slot the cards that it cannot hold now (those playable at a draw, with
    nothing pending, that it lived through, and those that were not unseen at a reshuffle) and when
    it was opened, for each play when it was made, and for each content of a slot its card; times
    are indices of the history."""
    slot = len(blocked)
    for card in range(EMPTIED_BY):
        card_of[card] = card
    play = len(emptied)
    gone = ZERO
    for t in range(len(history) - 1, -1, -1):
        event = history[t]
        if event.kind == PLAY:
            play -= 1
            emptied[play] = t
            card_of[EMPTIED_BY + play] = number_of(single(event.action))
            continue
        if event.kind != RESHUFFLE:
            for _ in range(event.number):
                slot -= 1
                blocked[slot] = gone
                opened[slot] = t
        gone |= event.blocked


@inline_kernel
def draw(ones, twos, rows, first, rng):
    """The opponent draws: fill the slots from `first` on, uniformly from the deck."""
    hand, slots = rows.hand, rows.slots
    for i in range(len(hand)):
        if rows.weights[i] == 0.0:  # its deck may be anything, even empty
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
def open_slot(slots, i, blocked, card, which):
    """Of those, one by its place among them."""
    for slot in range(slots.shape[1]):
        if slots[i, slot] < EMPTIED_BY and blocked[slot] & card == ZERO:
            if which == 0:
                return slot
            which -= 1
    return -1


@inline_kernel
def holding_slot(slots, i, number, which):
    """A slot that holds a card, by its place among those that do; -1 if there are fewer: the copy
    was there before the first slot."""
    for slot in range(slots.shape[1]):
        if slots[i, slot] == number:
            if which == 0:
                return slot
            which -= 1
    return -1


@inline_kernel
def remember(rivals, slots, i):
    """Copy a story to where its rival is kept."""
    for slot in range(slots.shape[1]):
        rivals.slots[i, slot] = slots[i, slot]


@inline_kernel
def asks(rivals, i, about, mended, rng):
    """Whether a rival is to be drawn for a story that was not mended. Where the odds for it are
    small (they are `about` so, whichever it is), the way back asks for one only now and then, and
    the odds are higher by as much: that saves the look at most of them."""
    often = min(1.0, 2.0 * about)
    rivals.odds[i] = 1.0 / often
    if mended:
        rivals.fate[i] = MENDED
    elif often == 1.0 or uniform(rng) < often:
        rivals.fate[i] = RIVALLED
    return rivals.fate[i] == RIVALLED


@inline_kernel
def hold(ones, twos, rows, blocked, card, play, rivals, rng):
    """The opponent is about to play `card` (its number), its play number `play`: see that each
    story holds it, and mark the slot that it leaves; the card stays in the hand, for the
    likelihood of the choice. Weights count the copies: any of them may be the one."""
    bit = single(card)
    hand, slots, weights = rows.hand, rows.slots, rows.weights
    for i in range(len(hand)):
        rivals.fate[i] = ALONE
        if weights[i] == 0.0:
            continue
        held = copies(hand[i, 0], hand[i, 1], card)
        if held > 0:
            weights[i] *= held
            slot = holding_slot(slots, i, card, below(rng, held))
        else:
            choices = open_slots(slots, i, blocked, bit)
            if choices == 0:
                weights[i] = 0.0
                continue
            slot = open_slot(slots, i, blocked, bit, below(rng, choices))
            remember(rivals, slots, i)
            exchange(hand, slots, i, slot, bit)
        if slot < 0:
            continue
        if held <= 1:
            # a rival has in this slot any other card of the deck that it may hold, and the copy in
            # the deck; mending it takes one of the copies there to one of the slots that are open
            deck_ones, deck_twos = minus(ones, twos, hand[i, 0], hand[i, 1])
            deck_ones &= ~blocked[slot]
            deck_twos &= ~blocked[slot]
            like = copies(deck_ones, deck_twos, card)
            others = count(deck_ones, deck_twos) - like
            odds = others / ((1.0 + like) * open_slots(slots, i, blocked, bit))
            if others > 0:
                if asks(rivals, i, odds, held == 0, rng):
                    remember(rivals, slots, i)
                    for _ in range(like):
                        deck_ones, deck_twos = take(deck_ones, deck_twos, bit)
                    rivals.slots[i, slot] = number_of(pick(deck_ones, deck_twos, others, rng))
                rivals.odds[i] *= odds
        slots[i, slot] = EMPTIED_BY + play


@inline_kernel
def clear(ones, twos, rows, blocked, playable, rivals, clean, rng):
    """The opponent has nothing `playable` and must draw: slot by slot, exchange what is for one of
    the cards of the deck that will do. `clean`: scratch, float64[slots]."""
    hand, slots, weights = rows.hand, rows.slots, rows.weights
    for i in range(len(hand)):
        rivals.fate[i] = ALONE
        if weights[i] == 0.0:
            continue
        mended = False
        way = 1.0  # back over there, by the chances with which rivals are drawn
        for slot in range(slots.shape[1]):
            if slots[i, slot] >= EMPTIED_BY:
                continue
            deck_ones, deck_twos = minus(ones, twos, hand[i, 0], hand[i, 1])
            old = single(slots[i, slot])
            may = ~(blocked[slot] | playable)
            fit = count(deck_ones & may, deck_twos & may)
            if old & playable == ZERO:
                fit += 1
            elif fit == 0:
                weights[i] = 0.0
                break
            else:
                if not mended:
                    remember(rivals, slots, i)
                mended = True
                exchange(hand, slots, i, slot, pick(deck_ones & may, deck_twos & may, fit, rng))
                deck_ones, deck_twos = minus(ones, twos, hand[i, 0], hand[i, 1])
            might = playable & ~blocked[slot]
            way *= fit / (fit + count(deck_ones & might, deck_twos & might))
        if hand[i, 0] & playable != ZERO:  # held since before the first slot
            weights[i] = 0.0
        if weights[i] == 0.0:
            continue
        # the chance that going back slot by slot would exchange nothing
        stay = stays(ones, twos, rows, i, blocked, playable, clean)
        if stay == 1.0:  # there is nothing playable that anybody could have held
            continue
        if asks(rivals, i, (1.0 - stay) / stay, mended, rng):
            remember(rivals, slots, i)
            deck_ones, deck_twos = minus(ones, twos, hand[i, 0], hand[i, 1])
            way = unclear(deck_ones, deck_twos, rivals, i, blocked, playable, clean, rng)
        rivals.odds[i] *= (1.0 - stay) / way


@inline_kernel
def stays(ones, twos, rows, i, blocked, playable, clean):
    """For each slot the chance that the way back leaves it as it is, if it did so with the younger
    ones; returns the product."""
    slots = rows.slots
    deck_ones, deck_twos = minus(ones, twos, rows.hand[i, 0], rows.hand[i, 1])
    product = 1.0
    for slot in range(slots.shape[1]):
        clean[slot] = 1.0
        if slots[i, slot] < EMPTIED_BY:
            may = ~(blocked[slot] | playable)
            might = playable & ~blocked[slot]
            fit = 1.0 + count(deck_ones & may, deck_twos & may)
            clean[slot] = fit / (fit + count(deck_ones & might, deck_twos & might))
        product *= clean[slot]
    return product


@inline_kernel
def unclear(deck_ones, deck_twos, rivals, i, blocked, playable, clean, rng):
    """Go back from a clean story, slot by slot, the youngest first, to one in which at least one
    slot had something playable. Returns the chance of this way over that of mending it so."""
    slots = rivals.slots
    product = 1.0
    for slot in range(slots.shape[1]):
        product *= clean[slot]
    at = uniform(rng) * (1.0 - product)
    any_yet = False
    stayed = 1.0
    way = 1.0
    for slot in range(slots.shape[1] - 1, -1, -1):
        if slots[i, slot] >= EMPTIED_BY:
            continue
        may = ~(blocked[slot] | playable)
        might = playable & ~blocked[slot]
        fit = 1.0 + count(deck_ones & may, deck_twos & may)
        unfit = count(deck_ones & might, deck_twos & might)
        if any_yet:
            now = uniform(rng) * (fit + unfit) >= fit
        else:  # where the first exchange is, given that there is one
            now = at < 1.0 - stayed * clean[slot]
            stayed *= clean[slot]
        if now and unfit > 0:
            card = pick(deck_ones & might, deck_twos & might, unfit, rng)
            deck_ones, deck_twos = take(deck_ones, deck_twos, card)
            deck_ones, deck_twos = put(deck_ones, deck_twos, single(slots[i, slot]))
            slots[i, slot] = number_of(card)
            any_yet = True
        way *= fit / (fit + unfit)
    return way


@inline_kernel
def draw_mine(ones, twos, rows, blocked, card, rivals, rng):
    """I draw `card` (its number) from the deck, so a copy was there: see that it was. The pool is
    that before the draw. Weights count the copies: any of them may be the one."""
    bit = single(card)
    hand, slots, weights = rows.hand, rows.slots, rows.weights
    for i in range(len(hand)):
        rivals.fate[i] = ALONE
        if weights[i] == 0.0:
            continue
        deck_ones, deck_twos = minus(ones, twos, hand[i, 0], hand[i, 1])
        there = copies(deck_ones, deck_twos, card)
        if there > 1:
            weights[i] *= there
            continue
        holding = 0
        for slot in range(slots.shape[1]):
            holding += slots[i, slot] == card
        mended = there == 0
        slot = 0
        fit = 0
        if mended:
            if holding == 0:
                weights[i] = 0.0
                continue
            slot = holding_slot(slots, i, card, below(rng, holding))
            may = ~blocked[slot]
            fit = count(deck_ones & may, deck_twos & may)
            if fit == 0:
                weights[i] = 0.0
                continue
            remember(rivals, slots, i)
            exchange(hand, slots, i, slot, pick(deck_ones & may, deck_twos & may, fit, rng))
            holding -= 1
        # a rival has this copy in a slot that may hold it, and what is there in the deck; mending
        # it takes one of the copies that it holds, and one of the cards that fit
        back = open_slots(slots, i, blocked, bit) - holding
        if back == 0:
            continue
        if not mended:
            which = below(rng, back)
            for s in range(slots.shape[1]):
                if slots[i, s] < EMPTIED_BY and blocked[s] & bit == ZERO and slots[i, s] != card:
                    if which == 0:
                        slot = s
                    which -= 1
            may = ~blocked[slot]
            fit = count(deck_ones & may, deck_twos & may)
        size = count(deck_ones, deck_twos)  # the same before and after mending
        if asks(rivals, i, back / ((holding + 1.0) * size), mended, rng):
            remember(rivals, slots, i)
            rivals.slots[i, slot] = card
        rivals.odds[i] *= back / ((holding + 1.0) * fit)
