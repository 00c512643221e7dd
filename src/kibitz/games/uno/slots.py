"""UNO: stories of the opponent's hand drawn afresh from a whole history, as kernels.

The allowed cards of slots are nested by age: what an old slot may hold, a younger one may too. So
once it is fixed which slot each played card left, filling the rest oldest first, each uniformly
from what is allowed and left, reaches every assignment with known chances: the product of the
numbers of choices. Which slots were emptied is drawn in proportion to 1 / (cards that the slot may
hold), since that is nearly what an emptied slot takes away from the product; the weight corrects
the rest. `docs/belief.md` derives it.
"""

from typing import Any, NamedTuple

import numpy as np

from kibitz._jit import kernel
from kibitz.bits import ZERO, single
from kibitz.games.uno.filter import number_of
from kibitz.games.uno.hypotheses import copies, replay, total
from kibitz.games.uno.kernels import count, minus, pick, put, take
from kibitz.games.uno.layout import BATCH, EMPTIED_BY
from kibitz.particles import log
from kibitz.rng import uniform

NEARLY_NONE = 0.01
"""Stands for the number of choices of a slot that has none: it is emptied if at all possible."""


class Draft(NamedTuple):
    """What stories drawn afresh are made of."""

    pool: Any  # uint64[2]: what was unseen when the history began
    mine: Any  # uint8[draws]: the cards that the observer drew since
    blocked: Any  # uint64[slots]: the cards that each slot cannot hold now
    room: Any  # float64[slots]: about how many it may hold
    wanted: Any  # uint64[0, 1 or n, 2]: hands with which the stories must end, if any


class Space(NamedTuple):
    """What a story is worked out in."""

    deck: Any  # uint64[2]: what is in no hand and no slot yet
    keep: Any  # uint64[2]: what of the first hand may stay
    later: Any  # uint64[events]: what would be playable at a later draw
    blocked: Any  # uint64[slots]: the cards that each slot cannot hold at the moment


@kernel
def empty_slots(history, played, room, space, ones, twos, row, rng):
    """Decide which slot each play emptied, in order; marks `row` and takes the cards from the deck.
    Begins with the hand (`ones`, `twos`); returns what is left of it, and the log of the target
    over the chance of these choices, minus infinity at a dead end. `room`: see `Draft`.

    A card of the first hand that may not stay, since it would be playable at a `later` draw or is
    not among those to `keep`, is all but certain to be the one that was played."""
    deck, keep, later, now_blocked = space
    opened = 0
    play = 0
    weight = 0.0
    for s in range(len(row)):
        row[s] = 0
        now_blocked[s] = ZERO
    for t in range(len(history)):
        event = history[t]
        if event.kind == BATCH:
            for s in range(opened):
                now_blocked[s] |= event.blocked
            opened += event.number
            continue
        card = played[play]
        bit = single(card)
        known = copies(ones, twos, card)
        there = copies(deck[0], deck[1], card)
        must_go = later[t] & bit != ZERO or known > copies(keep[0], keep[1], card)
        urgency = 1.0 / NEARLY_NONE if must_go else 1.0
        choices = known * urgency
        if there > 0:
            for s in range(opened):
                if row[s] < EMPTIED_BY and now_blocked[s] & bit == ZERO:
                    choices += there / room[s]
        if choices == 0.0:
            return ones, twos, -np.inf
        at = uniform(rng) * choices - known * urgency
        if at < 0.0 or there == 0:
            ones, twos = take(ones, twos, bit)
            weight += np.log(
                choices / urgency
            )  # `known` copies, each with chance urgency / choices
        else:
            chosen = -1
            for s in range(opened):
                if row[s] < EMPTIED_BY and now_blocked[s] & bit == ZERO and at >= 0.0:
                    at -= there / room[s]
                    chosen = s
            row[chosen] = EMPTIED_BY + play
            deck[0], deck[1] = take(deck[0], deck[1], bit)
            weight += np.log(choices * room[chosen])
        play += 1
    return ones, twos, weight


@kernel
def contains(ones, twos, less_ones, less_twos):
    """Whether a multiset has all cards of another."""
    rest_ones, rest_twos = minus(ones, twos, less_ones, less_twos)
    return count(rest_ones, rest_twos) == count(ones, twos) - count(less_ones, less_twos)


@kernel
def fresh(conduct, draft, rows, weights, rng):
    """Write a story into each row, with its hand, likelihoods and, in `weights`, the log of its
    weight (minus infinity at a dead end). Where hands are wanted, the mean of the weights estimates
    how likely such a hand is, on the scale of the mean without."""
    players = len(conduct.shares)
    history, mine, wanted = conduct.history, draft.mine, draft.wanted
    played = conduct.card_of[EMPTIED_BY:]
    blocked, begin, begin_like = draft.blocked, rows.begin, rows.begin_like
    hand, slots, like = rows.hand, rows.slots, rows.like
    down = np.empty(players)
    deck = np.empty(2, np.uint64)
    left = np.empty(2, np.uint64)
    keep = np.empty(2, np.uint64)
    later = np.empty(len(history), np.uint64)
    space = Space(deck, keep, later, np.empty(slots.shape[1], np.uint64))
    gone = ZERO
    for t in range(len(history) - 1, -1, -1):
        later[t] = gone
        gone |= history[t].blocked
    for i in range(len(slots)):
        weights[i] = -np.inf
        b = i if len(begin) > 1 else 0
        row = slots[i]
        deck[0], deck[1] = minus(draft.pool[0], draft.pool[1], begin[b, 0], begin[b, 1])
        weight = 0.0
        for m in range(len(mine)):
            there = copies(deck[0], deck[1], mine[m])
            if there == 0:
                weight = -np.inf
                break
            weight += np.log(there)
            deck[0], deck[1] = take(deck[0], deck[1], single(mine[m]))
        if weight == -np.inf:
            continue
        only = len(wanted) > 0
        w = i if len(wanted) > 1 else 0
        keep[0], keep[1] = begin[b, 0], begin[b, 1]
        if only:
            keep[0], keep[1] = wanted[w, 0], wanted[w, 1]
        ones, twos, chosen = empty_slots(
            history, played, draft.room, space, begin[b, 0], begin[b, 1], row, rng
        )
        weight += chosen
        if weight == -np.inf:
            continue
        if only:  # what of the wanted hand the slots must hold
            if not contains(wanted[w, 0], wanted[w, 1], ones, twos):
                continue
            left[0], left[1] = minus(wanted[w, 0], wanted[w, 1], ones, twos)
            if not contains(deck[0], deck[1], left[0], left[1]):
                continue
        for s in range(len(row)):
            if row[s] >= EMPTIED_BY:
                continue
            may = ~blocked[s]
            if only:
                fit = count(left[0] & may, left[1] & may)
            else:
                fit = count(deck[0] & may, deck[1] & may)
            if fit == 0:
                weight = -np.inf
                break
            if only:
                card = pick(left[0] & may, left[1] & may, fit, rng)
                number = number_of(card)
                weight += np.log(
                    fit * copies(deck[0], deck[1], number) / copies(left[0], left[1], number)
                )
                left[0], left[1] = take(left[0], left[1], card)
            else:
                card = pick(deck[0] & may, deck[1] & may, fit, rng)
                number = number_of(card)
                weight += np.log(fit)
            deck[0], deck[1] = take(deck[0], deck[1], card)
            ones, twos = put(ones, twos, card)
            row[s] = number
        if weight == -np.inf:
            continue
        for k in range(players):
            like[i, k] = begin_like[i if len(begin_like) > 1 else 0, k]
        before = total(conduct.shares, like[i])  # that is why it begins so: it counts only once
        if replay(conduct, begin[b, 0], begin[b, 1], row, down, like[i]):
            hand[i, 0], hand[i, 1] = ones, twos
            weights[i] = weight + log(total(conduct.shares, like[i]) / before)
