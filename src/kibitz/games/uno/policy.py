"""UNO: the rule player, who keeps its wilds, likes action cards, and otherwise plays and declares
the colour it holds most of; and the keen player, who beats it in 56 games of 100."""

import numpy as np

from kibitz._jit import kernel
from kibitz.bits import ONE, ZERO, lowest, popcount, word
from kibitz.games.uno.kernels import legal_actions
from kibitz.games.uno.layout import COLUMN, DRAW_TWO, LANE, SKIP, WILD


@kernel
def colour_count(state, seat, colour):
    """Cards of a colour in a hand."""
    lane = LANE << word(colour * 16)
    return popcount(state.hand[seat, 0] & lane) + popcount(state.hand[seat, 1] & lane)


@kernel
def rule_scores(params, state, out):
    """One point for each card held of the colour; four more for an action card; wilds come last."""
    left = legal_actions(params, state)
    while left != ZERO:
        action = lowest(left)
        left &= left - ONE
        rank = action & 15
        score = colour_count(state, state.turn, action >> 4)
        if rank >= WILD:  # Draw, too, but it is only ever legal alone
            score -= 20
        elif rank >= SKIP:
            score += 4
        out[action] = np.float64(score)


NEAR = 2
"""Cards with which the other one may be out soon."""


@kernel
def rank_count(state, seat, rank):
    """Cards of a rank in a hand, wilds aside."""
    column = COLUMN << word(rank)
    return popcount(state.hand[seat, 0] & column) + popcount(state.hand[seat, 1] & column)


@kernel
def keen_scores(params, state, out):
    """It stays in the colour that is asked for while it can, and keeps the cards whose rank it
    holds again: they lead from colour to colour. Of those it likes +2, most of all when the other
    one is nearly out. Wilds come last. The numbers were found by climbing from the rule player's,
    in games against each other, and rounded; what was left out told nothing."""
    left = legal_actions(params, state)
    seat = state.turn
    while left != ZERO:
        action = lowest(left)
        left &= left - ONE
        rank = action & 15
        score = np.int64(colour_count(state, seat, action >> 4))
        if rank >= WILD:  # Draw, too, but it is only ever legal alone
            score -= 170
        else:
            score -= 30 * (rank_count(state, seat, rank) - 1)
            if action >> 4 != state.colour:
                score -= 60
            if rank == DRAW_TWO:
                score += 50 if state.held[1 - seat] <= NEAR else 25
            elif rank >= SKIP:
                score += 2
        out[action] = np.float64(score)
