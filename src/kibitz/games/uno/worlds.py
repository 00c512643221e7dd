"""UNO: worlds that look like what one seat sees, made so that a certain move is possible in them:
to try moves with the game's own rules where nobody knows the hidden cards.
"""

from __future__ import annotations

from collections import Counter

from kibitz.games.base import State, members
from kibitz.games.uno import kernels
from kibitz.games.uno.game import Cards, counts, set_words, top_card
from kibitz.games.uno.layout import DRAW
from kibitz.games.uno.notation import card_of
from kibitz.games.uno.rules import UnoRules

NOTHING: Cards = Counter()


def world_for(
    rules: UnoRules, seat: int, seen: State, action: int, drawn: Cards = NOTHING
) -> State:
    """A world in which the seat to act may do `action`, if there is one that looks like this to
    `seat`; in which `seat` itself, if it is the one, may draw the cards `drawn`."""
    unseen = counts(kernels.unseen(rules.params, seen, seat))
    if int(seen.turn) == seat:  # what it draws was not in the other's hand
        theirs = unseen - (drawn - reshuffled(seen))
    elif action == DRAW:  # a hand that has nothing to play, as far as there are such cards
        ones, _ = kernels.unseen(rules.params, seen, seat)
        plays = members(kernels.playable(rules.params, ones, seen.colour, seen.top_rank))
        fit = {card_of(play) for play in plays}
        theirs = Counter({card: n for card, n in unseen.items() if card not in fit})
    else:
        theirs = Counter([card_of(action)])
    cards = [*theirs.elements(), *(unseen - theirs).elements()]
    other = 1 - seat
    held = int(seen.held[other])
    world = seen.copy()
    set_words(world.hand[other], cards[:held])
    set_words(world.deck, cards[held:])
    return world


def asked_to_draw(seen: State) -> int:
    """How many cards the seat to act would have to draw."""
    return max(1, int(seen.pending))


def reshuffled(seen: State) -> Cards:
    """The cards of the pile that join the deck if the seat to act draws now."""
    if seen.deck_size >= asked_to_draw(seen):
        return NOTHING
    return counts(seen.pile) - Counter([top_card(seen)])
