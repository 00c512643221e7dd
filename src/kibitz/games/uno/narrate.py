"""UNO at a real table, told move by move by a person in a seat of it: the deal, then what the
seat to act did. Numbers of cards, skips, reshuffles and the end follow from the rules, which are
applied to a world in which the move can be made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import islice

import numpy as np

from kibitz import contract
from kibitz.games.base import Event, KibitzError, State, members
from kibitz.games.told import check_names, words_of
from kibitz.games.uno import kernels, notation
from kibitz.games.uno.following import check_event, copied
from kibitz.games.uno.game import GAME, Cards, counts, set_words, top_card
from kibitz.games.uno.layout import DRAW, WILD, WILD_FOUR
from kibitz.games.uno.notation import card_of
from kibitz.games.uno.rules import UnoRules
from kibitz.games.uno.told import all_but, card_told, cards_told

NOTHING: Cards = Counter()
OPENING = {"hand": "the cards you were dealt", "top": "the card that was turned up"}
EXAMPLE = "hand='R5 G3 W Y0 B7 BS G+2', top='R3'"
MOVES = "R5, W:R or draw"


def begin(rules: UnoRules, seat: int, told: Mapping[str, str]) -> list[Event]:
    check_names(told, OPENING, ("hand", "top"), EXAMPLE, "the beginning of a game")
    hand, top = cards_told(told, "hand"), card_told("top", told["top"])
    if len(hand) != rules.hand_size:
        raise KibitzError(
            f"hand: {rules.hand_size} cards are dealt to each player, but {len(hand)} are told"
        )
    if top in (WILD, WILD_FOUR):
        raise KibitzError("top: no game begins with a wild; when one is turned up, deal again")
    unseen = all_but(rules, Counter([*hand, top]))
    hands = [notation.cards_text(islice(unseen.elements(), rules.hand_size))] * 2
    hands[seat] = notation.cards_text(hand)
    dealt = GAME.set_up(rules, {"hands": hands, "top": notation.card_text(top)})
    return [event.seen_by(seat) for event in GAME.opening_events(rules, dealt)]


def happens(rules: UnoRules, seat: int, seen: State, said: str) -> list[Event]:
    first, *more = words_of(said, MOVES)
    turn = int(seen.turn)
    if turn < 0:
        raise KibitzError(f"{said!r} cannot be: the game is over")
    action = notation.parse_action(first)
    if action != DRAW:
        if more:
            raise KibitzError(f"{said!r}: tell one move at a time, such as {MOVES}")
        world = _play(rules, seat, seen, Event("play", turn, action))
        then = GAME.apply_outcome(rules, world, action, "")
    elif turn == seat:
        world, cards = _draw_mine(rules, seat, seen, more)
        then = GAME.apply_outcome(rules, world, DRAW, cards)
    else:
        world = _draw_theirs(rules, seat, seen, more)
        then = world.copy()
        contract.apply(rules.params, then, DRAW, np.ones(2, np.uint64))  # whatever is drawn
    return [event.seen_by(seat) for event in GAME.events(rules, world, action, then)]


def _play(rules: UnoRules, seat: int, seen: State, event: Event) -> State:
    check_event(rules, seat, copied(seen), kernels.unseen(rules.params, seen, seat), event)
    return world_for(rules, seat, seen, event.action)


def _draw_mine(rules: UnoRules, seat: int, seen: State, cards: list[str]) -> tuple[State, str]:
    """A world in which I can draw these cards, and they in notation."""
    legal = members(contract.legal_actions(rules.params, seen))
    if DRAW not in legal:
        plays = ", ".join(notation.action_text(action) for action in legal)
        raise KibitzError(f"draw: nobody may draw who can play; you can play {plays}")
    number = asked_to_draw(seen)
    there = counts(kernels.unseen(rules.params, seen, seat)) + reshuffled(seen)
    if there.total() - int(seen.held[1 - seat]) < number:
        number = 0
    if len(cards) != number:
        such = " ".join(notation.card_text(card) for card in islice(there.elements(), number))
        must = f"you draw {number} card{'s' * (number != 1)}: tell which, such as 'draw {such}'"
        none = "too few cards are left to draw, which ends the game: tell only 'draw'"
        raise KibitzError(f"{' '.join(['draw', *cards])!r}: {must if number else none}")
    drawn = Counter(notation.parse_card(card) for card in cards)
    if gone := drawn - there:
        card = notation.card_text(next(iter(gone)))
        raise KibitzError(
            f"draw: {card} cannot be drawn: your hand and the pile have all that there are"
        )
    world = world_for(rules, seat, seen, DRAW, drawn)
    return world, notation.cards_text(drawn.elements())


def _draw_theirs(rules: UnoRules, seat: int, seen: State, cards: list[str]) -> State:
    """A world in which the opponent has to draw."""
    if cards:
        raise KibitzError(
            f"{' '.join(['draw', *cards])!r}: what seat {1 - seat} draws is not seen, and how many "
            "cards follows from the rules: tell only 'draw'"
        )
    world = world_for(rules, seat, seen, DRAW)
    if DRAW not in members(contract.legal_actions(rules.params, world)):
        top = notation.card_text(top_card(seen))
        raise KibitzError(
            f"draw: seat {1 - seat} must have a card that goes on {top}: too few of the unseen "
            "cards do not"
        )
    return world


# --- worlds that look like what one seat sees, in which a certain move is possible ---


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
