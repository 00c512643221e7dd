"""UNO: the rule player, who keeps its wilds, likes action cards, and otherwise plays and declares
the colour it holds most of."""

import numpy as np

from kibitz._jit import kernel
from kibitz.bits import ONE, ZERO, lowest, popcount, word
from kibitz.games.uno.kernels import legal_actions
from kibitz.games.uno.layout import LANE, SKIP, WILD


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
