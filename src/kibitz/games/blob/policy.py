"""Blob: the rule player, who bids by counting trumps and high cards, then plays to its bid; and the
keen player, who makes half a point a round more than it.

All in whole numbers, so that compiled code and plain Python agree to the last bit.
"""

import numpy as np

from kibitz._jit import kernel
from kibitz.bits import ONE, ZERO, lowest, popcount, single
from kibitz.games.blob.kernels import legal_actions, suit_of, unseen
from kibitz.games.blob.layout import BIDDING

SURE = 1024
"""A card that is certain to take a trick, in the estimate of a hand."""
FOLLOW_BASE = 300
FOLLOW_STEP = 100
"""Chance, of SURE, that a plain suit is led while it can win: a little more with every card held.
Chosen by self-play over 1 to 13 cards; without it one-card rounds are always bid one."""
RUFF = 7
"""Eighths of its chance that a plain card keeps for each further trick of its suit, when trumps are
about."""


@kernel
def expected_tricks(params, state, seat):
    """Tricks the hand should take, in units of SURE.

    A card takes a trick if no higher card of its suit was dealt to the others, each unseen card
    being with them with chance (their cards) / (unseen cards); plain cards are marked down for
    trumps and because their suit may never be led, trumps up for their number, since the long ones
    take tricks once the high ones are gone.
    """
    cards = np.int64(state.cards)  # wide, or plain Python would wrap around at 127
    hidden = unseen(params, state, seat)
    others = (params.players - 1) * cards
    away = SURE - (SURE * others) // max(1, popcount(hidden))  # chance that a card is undealt
    hand = state.hand[seat]
    total = 0
    left = hand
    leads = state.dealer == (seat - 1) % params.players
    chances = cards if leads else cards - 1  # to lead a plain suit, or see it led
    follow = min(SURE, FOLLOW_BASE + FOLLOW_STEP * chances)
    while left != ZERO:
        action = lowest(left)
        left &= left - ONE
        card = single(action)
        suit = suit_of(action)
        chance = SURE
        for _ in range(popcount(hidden & suit & ~(card + card - ONE))):
            chance = (chance * away) // SURE
        if suit == state.trumps:
            length = popcount(hand & suit)
            chance = max(chance, (SURE * length) // (length + params.players))
        elif state.trumps != ZERO:
            for _ in range(popcount(hand & suit)):
                chance = (chance * RUFF) // 8
        if suit != state.trumps:
            chance = (chance * follow) // SURE
        total += chance
    return total


@kernel
def bid_scores(left, expected, out):
    """Of the bids in `left`, those that come near to what is expected, in units of SURE."""
    while left != ZERO:
        bid = lowest(left)
        left &= left - ONE
        out[bid] = -np.float64(abs(SURE * bid - expected)) * (4.0 / SURE)


@kernel
def rule_scores(params, state, out):
    seat = state.turn
    left = legal_actions(params, state)
    if state.phase == BIDDING:
        bid_scores(left, expected_tricks(params, state, seat), out)
        return
    wanted = state.bid[seat] > state.won[seat]
    last = state.in_trick == params.players - 1
    while left != ZERO:
        action = lowest(left)
        left &= left - ONE
        strength = (action & 15) + (13 if suit_of(action) == state.trumps else 0)
        wins = (single(action) & state.beats) != ZERO
        if state.in_trick == 0:
            score = strength if wanted else -strength
        elif wanted:
            if wins:  # the cheapest that does it, if nobody can answer, else the strongest
                score = 60 - strength if last else 30 + strength
            else:
                score = -strength
        elif wins:  # unwanted: hope to be beaten, or at least be rid of the strongest
            score = strength - 60 if last else -30 - strength
        else:
            score = strength
        out[action] = np.float64(score) * 0.5


SHY = 200
"""What the keen player takes off its estimate before it bids, of SURE: who plays for its bid can
throw away a trick more easily than make one. With a single card there is nothing to throw away."""


@kernel
def keen_scores(params, state, out):
    """As the rule player, but for what proved better in games against it. It bids a little less. It
    leads trumps when it wants no more tricks, and whatever has most cards above it. When it does
    want one it leads what has fewest above it, wins with a high card if it is the last to play, and
    before that would rather give up a low trump than put up a high one. What it cannot win with it
    throws from its long suits if tricks are wanted, from its short ones if not."""
    seat = state.turn
    left = legal_actions(params, state)
    if state.phase == BIDDING:
        shy = SHY if state.cards > 1 else 0
        bid_scores(left, expected_tricks(params, state, seat) - shy, out)
        return
    wanted = state.bid[seat] > state.won[seat]
    last = state.in_trick == params.players - 1
    hidden = unseen(params, state, seat)
    while left != ZERO:
        action = lowest(left)
        left &= left - ONE
        card = single(action)
        suit = suit_of(action)
        trump = suit == state.trumps
        rank = action & 15
        strength = rank + (13 if trump else 0)
        held = popcount(state.hand[seat] & suit)
        wins = (card & state.beats) != ZERO
        if state.in_trick == 0:
            higher = popcount(hidden & suit & ~(card + card - ONE))
            score = strength - higher if wanted else 10 * higher + (100 if trump else 0)
        elif wanted:
            if wins:
                score = 60 + 6 * rank if last else 30 + rank
            else:
                score = 4 * held + (50 if trump else 0)
        elif wins:
            score = strength - 60 if last else -30 - strength
        else:
            score = strength - 3 * held
        out[action] = np.float64(score) * 0.5
