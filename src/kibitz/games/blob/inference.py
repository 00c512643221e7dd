"""Blob: what bids and plays say of the hidden cards, as weights of deals.

A deal that fits the hard constraints is as likely as the choices seen are, if it is the true one:
for each other seat, the product over its bids and plays in this round of the chance that a player
of its kind, with the hand it held then, chooses so; mixed over the kinds a player can be (see
`kibitz.players`). A seat's hand at any moment is its hand now and what it has played since.

Both ways to weigh start from deals drawn uniformly from all that fit what is known *now*, so no
play kills a deal. When few deals have most of the weight, they are resampled and then moved: two
cards change places between two holders, accepted by Metropolis' rule. Such exchanges need not reach
every deal where there are many voids, but they never distort the weights.

* `anneal` takes all decisions at once and raises their likelihood from the power 0 to 1 (Neal,
  2001; Del Moral and others, 2006). Deals that make sense only of the whole last until the end.
* `follow` takes one decision after the other (Chopin, 2002). It is for models that call choices
  impossible: it tells which of them nothing explains, and leaves them out. A sharp model of players
  that are not like it can make deals vanish before the decision comes that they explain.
"""

from typing import Any, NamedTuple

import numpy as np

from kibitz._jit import kernel
from kibitz.bits import ONE, ZERO, lowest, popcount, select, word
from kibitz.games.blob.counting import HOLDERS, STOCK_SLOT, voids_of
from kibitz.games.blob.kernels import apply
from kibitz.games.blob.layout import MAX_SEATS, PLAYING
from kibitz.particles import effective_size, log, mix, normalise, resample
from kibitz.players import likelihoods
from kibitz.rng import below, uniform

TINY = 1e-150

SECOND_LOOKS = 4
"""How often the deals are moved on before a decision none of them explains counts as impossible."""


class Evidence(NamedTuple):
    """What was done in a round, and who may have done it."""

    moments: Any  # state[moves]: just before each move, as everybody sees it
    moves: Any  # int64[moves]
    seats: Any  # int64[moves]: who made each
    later: Any  # uint64[moves]: what that seat plays from then on
    used: Any  # bool[moves]: whether it counts
    shares: Any  # float64[kinds]: how likely a player is to be of each kind
    players: Any  # PLAYER[kinds]


class Swaps(NamedTuple):
    """Exchanges of cards that are proposed to a deal."""

    voids: Any
    pool: Any
    number: int


class Deals(NamedTuple):
    """Weighted deals."""

    hands: Any  # uint64[deals, holders]
    logs: Any  # float64[deals, seats, kinds]: log likelihood of each seat's decisions
    weights: Any  # float64[deals]


class Work(NamedTuple):
    """What a deal is moved in."""

    scratch: Any  # float64[64]
    odds: Any  # float64[kinds]
    product: Any  # float64[kinds]
    trial: Any  # float64[2, kinds]: log likelihoods of the two hands that would change
    pair: Any  # uint64[2]: the cards that would change places


@kernel
def new_work(kinds):
    return Work(
        np.zeros(64),
        np.zeros(kinds),
        np.zeros(kinds),
        np.zeros((2, kinds)),
        np.zeros(2, np.uint64),
    )


@kernel
def replay(params, opening, moves, moments, seats, later):
    """For each move of a round: the state just before it as everybody sees it (`moments`), who
    makes it (`seats`), and what that seat plays from then on (`later`)."""
    chance = np.ones(2, np.uint64)  # never used: the last move is not made
    for t in range(len(moves)):
        if t == 0:
            moments[0] = opening[0]
        else:
            moments[t] = moments[t - 1]
            apply(params, moments[t], moves[t - 1], chance)
        for seat in range(MAX_SEATS):
            moments[t].hand[seat] = ZERO
        seats[t] = moments[t].turn
    played = np.zeros(MAX_SEATS, np.uint64)
    for t in range(len(moves) - 1, -1, -1):
        if moments[t].phase == PLAYING:
            played[seats[t]] |= ONE << word(moves[t])
        later[t] = played[seats[t]]


@kernel
def weigh(params, moment, move, hand, players, scratch, odds):
    """Write the chance of a move with this hand for each kind of player into `odds`."""
    moment.hand[moment.turn] = hand
    likelihoods(params, moment, move, players, scratch, odds)
    moment.hand[moment.turn] = ZERO


@kernel
def weigh_hands(params, moment, move, later, hands, column, players, logs):
    """Write the log of these chances for `hands[i, column]`, held now, into `logs[i, kind]`."""
    scratch = np.zeros(64)
    odds = np.zeros(len(players))
    for i in range(len(hands)):
        weigh(params, moment, move, hands[i, column] | later, players, scratch, odds)
        for k in range(len(players)):
            logs[i, k] = log(odds[k])


@kernel
def seat_logs(params, evidence, seat, hand, work, out):
    """Write the log likelihood of a seat's decisions `used` so far into `out[kind]`."""
    moments, moves, seats, later, used, _, players = evidence
    scratch, odds, product, _, _ = work
    for k in range(len(players)):
        out[k] = 0.0
        product[k] = 1.0
    for t in range(len(moves)):
        if used[t] and seats[t] == seat:
            weigh(params, moments[t], moves[t], hand | later[t], players, scratch, odds)
            for k in range(len(players)):
                product[k] *= odds[k]
                if product[k] < TINY:  # logarithms are slow: only before it gets too small
                    out[k] += log(product[k])
                    product[k] = 1.0
    for k in range(len(players)):
        out[k] += log(product[k])


@kernel
def holder_of(hands, card):
    holder = 0
    while hands[holder] & card == ZERO:
        holder += 1
    return holder


@kernel
def fits(voids, holder, card):
    """Whether a holder may have a card, given as a set."""
    return not (voids_of(voids, holder) >> (lowest(card) >> 4)) & 1


@kernel
def propose(voids, pool, rng, hands, pair):
    """Choose two cards that may change places, one of them in a hand: as likely as the way back.
    Empty if the two chosen may not."""
    pair[0] = ZERO
    in_hands = pool & ~hands[STOCK_SLOT]
    if in_hands == ZERO:
        return
    one = select(in_hands, below(rng, popcount(in_hands)))
    other = select(pool, below(rng, popcount(pool)))
    a = holder_of(hands, one)
    b = holder_of(hands, other)
    if a != b and fits(voids, a, other) and fits(voids, b, one):
        pair[0] = one
        pair[1] = other


@kernel
def accepted(gain, rng):
    """Metropolis' rule."""
    return gain >= 0.0 or (gain > -np.inf and uniform(rng) < np.exp(gain))


@kernel
def move(params, evidence, swaps, power, hands, logs, work, rng):
    """Exchange cards of one deal for its likelihood to the `power`."""
    shares = evidence.shares
    trial, pair = work.trial, work.pair
    for _ in range(swaps.number):
        propose(swaps.voids, swaps.pool, rng, hands, pair)
        if pair[0] == ZERO:
            continue
        both = pair[0] | pair[1]
        gain = 0.0
        for side in range(2):
            holder = holder_of(hands, pair[side])
            if holder != STOCK_SLOT:
                seat_logs(params, evidence, holder, hands[holder] ^ both, work, trial[side])
                after = mix(shares, trial[side])
                gain += after - mix(shares, logs[holder]) if after > -np.inf else -np.inf
        if accepted(power * gain, rng):
            a = holder_of(hands, pair[0])
            b = holder_of(hands, pair[1])
            for k in range(len(shares)):
                if a != STOCK_SLOT:
                    logs[a, k] = trial[0, k]
                if b != STOCK_SLOT:
                    logs[b, k] = trial[1, k]
            hands[a] ^= both
            hands[b] ^= both


@kernel
def copy_deal(hands, logs, i, new_hands, new_logs, j):
    """In loops: to assign slices takes numba seconds more to compile."""
    for holder in range(HOLDERS):
        new_hands[j, holder] = hands[i, holder]
    for seat in range(MAX_SEATS):
        for k in range(logs.shape[2]):
            new_logs[j, seat, k] = logs[i, seat, k]


@kernel
def resample_deals(weights, rng, hands, logs, chosen, old_hands, old_logs):
    """Replace the deals by as many that are equally likely."""
    resample(weights, rng, chosen)
    for i in range(len(chosen)):
        copy_deal(hands, logs, i, old_hands, old_logs, i)
    for i in range(len(chosen)):
        copy_deal(old_hands, old_logs, chosen[i], hands, logs, i)
        weights[i] = 1.0 / len(chosen)


@kernel
def follow(params, seat, evidence, swaps, deals, rng):
    """Weigh the deals, drawn uniformly, by the moves of all seats but `seat`.

    Writes which decisions were `used`: not the own ones, nor those that no deal explains. Returns
    the log of the mean likelihood of a deal.
    """
    moments, moves, seats, later, used, shares, players = evidence
    hands, logs, weights = deals
    n = len(hands)
    kinds = len(shares)
    work = new_work(kinds)
    log_weights = np.zeros(n)
    tried = np.zeros(n)
    added = np.zeros((n, kinds))
    chosen = np.zeros(n, np.int64)
    old_hands = np.zeros((n, HOLDERS), np.uint64)
    old_logs = np.zeros((n, MAX_SEATS, kinds))
    total = 0.0
    for i in range(n):
        weights[i] = 1.0 / n
        log_weights[i] = -np.log(n)
        for s in range(MAX_SEATS):
            for k in range(kinds):
                logs[i, s, k] = 0.0
    for t in range(len(moves)):
        used[t] = False
    for t in range(len(moves)):
        s = seats[t]
        if s == seat:
            continue
        for look in range(1 + SECOND_LOOKS):
            weigh_hands(params, moments[t], moves[t], later[t], hands, s, players, added)
            for i in range(n):
                before = mix(shares, logs[i, s])
                for k in range(kinds):
                    added[i, k] += logs[i, s, k]
                tried[i] = -np.inf
                if log_weights[i] > -np.inf:
                    tried[i] = log_weights[i] + mix(shares, added[i]) - before
            mean = normalise(tried, weights)
            if mean > -np.inf:
                break
            if look < SECOND_LOOKS:
                for i in range(n):
                    move(params, evidence, swaps, 1.0, hands[i], logs[i], work, rng)
        if mean == -np.inf:
            continue
        used[t] = True
        mean += np.log(n)
        total += mean
        for i in range(n):
            log_weights[i] = tried[i] - mean
            for k in range(kinds):
                logs[i, s, k] = added[i, k]
        if effective_size(weights) >= 0.5 * n:
            continue
        resample_deals(weights, rng, hands, logs, chosen, old_hands, old_logs)
        for i in range(n):
            log_weights[i] = -np.log(n)
            move(params, evidence, swaps, 1.0, hands[i], logs[i], work, rng)
    return total


@kernel
def anneal(params, evidence, swaps, deals, rng):
    """Weigh the deals, drawn uniformly, by the decisions `used`, all at once, in steps that leave
    half of the deals. Returns what `follow` does; minus infinity if none of the deals drawn is
    possible.
    """
    shares = evidence.shares
    hands, logs, weights = deals
    n = len(hands)
    kinds = len(shares)
    work = new_work(kinds)
    said = np.zeros(n)
    raised = np.zeros(n)
    chosen = np.zeros(n, np.int64)
    old_hands = np.zeros((n, HOLDERS), np.uint64)
    old_logs = np.zeros((n, MAX_SEATS, kinds))
    for i in range(n):
        for s in range(params.players):
            seat_logs(params, evidence, s, hands[i, s], work, logs[i, s])
    power = 0.0
    total = 0.0
    while True:
        for i in range(n):
            said[i] = 0.0
            for s in range(params.players):
                said[i] += mix(shares, logs[i, s])
        low, high = 0.0, 1.0 - power
        step = high
        for look in range(20):
            if look > 0:
                step = 0.5 * (low + high)
            for i in range(n):
                raised[i] = step * said[i]
            mean = normalise(raised, weights)
            if mean == -np.inf:
                return mean
            if effective_size(weights) >= 0.5 * n:
                low = step
                if step == 1.0 - power:
                    return total + mean
            else:
                high = step
        total += mean
        power += step
        resample_deals(weights, rng, hands, logs, chosen, old_hands, old_logs)
        for i in range(n):
            move(params, evidence, swaps, power, hands[i], logs[i], work, rng)


@kernel
def choose_deals(weights, rng, out):
    """Write numbers of deals into `out`, each as often as its weight says to within one, in random
    order."""
    resample(weights, rng, out)
    for i in range(len(out) - 1, 0, -1):
        j = below(rng, i + 1)
        out[i], out[j] = out[j], out[i]


@kernel
def fill_worlds(observation, hands, out):
    """Write the observation with the hidden cards of each deal into `out`."""
    for i in range(len(hands)):
        out[i] = observation[0]
        for seat in range(MAX_SEATS):
            out[i].hand[seat] |= hands[i, seat]
        out[i].stock = hands[i, STOCK_SLOT]


@kernel
def cards_elsewhere(one, other):
    """How many hidden cards have another holder in one deal than in the other."""
    found = 0
    for holder in range(HOLDERS):
        found += popcount(one[holder] & ~other[holder])
    return found


@kernel
def tally(hands, weights, out):
    """Add the weight of each deal to the cards its holders have: `out[holder, card]`."""
    for i in range(len(hands)):
        for holder in range(HOLDERS):
            left = hands[i, holder]
            while left != ZERO:
                out[holder, lowest(left)] += weights[i]
                left &= left - ONE
