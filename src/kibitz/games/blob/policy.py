"""Blob: the rule player. It bids by counting trumps and high cards, then plays to its bid.

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
def rule_scores(params, state, out):
    seat = state.turn
    left = legal_actions(params, state)
    if state.phase == BIDDING:
        expected = expected_tricks(params, state, seat)
        while left != ZERO:
            bid = lowest(left)
            left &= left - ONE
            out[bid] = -np.float64(abs(SURE * bid - expected)) * (4.0 / SURE)
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
