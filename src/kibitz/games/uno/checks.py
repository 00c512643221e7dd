"""UNO: whether what a belief is told can have happened, as far as the seat can see.

Events from a table are always right. Those that a person types, or a file holds, may not be; a
belief that took them in would be silently wrong.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.games.base import Event, State
from kibitz.games.belief import BeliefError
from kibitz.games.uno import notation
from kibitz.games.uno.game import counts
from kibitz.games.uno.hypotheses import blocked_by, copies
from kibitz.games.uno.layout import COLOURS, REVERSE, SKIP, STATE, WILD

Seen = NDArray[Any]
"""An observation, as an array of one record: it is read ten times as fast as the record."""


def check_event(rules: Any, seat: int, seen: Seen, pool: Any, event: Event) -> None:
    """Raise a `BeliefError` that says what does not fit, if something does not."""
    if event.kind == "reshuffle":
        number = max(1, int(seen["pending"][0]))
        enough = seen["deck_size"][0] >= number
        fault = f"the deck has the {number} to be drawn" if enough else ""
    elif event.kind == "over":
        known = event.note in ("emptied", "exhausted", "truncated")
        fault = "" if known else "a game ends emptied, exhausted or truncated"
    elif event.kind == "skip":
        forfeit = rules.skip == "forfeit" and seen["top_rank"][0] in (SKIP, REVERSE)
        fault = "" if forfeit else "no Skip or Reverse was played"
    else:
        check = _play if event.kind == "play" else _draw
        fault = _turn(seen, event) or check(rules, seat, seen, pool, event)
    if fault:
        raise BeliefError(f"{notation.event_text(event)!r} cannot be: {fault}")


def _turn(seen: Seen, event: Event) -> str:
    turn = int(seen["turn"][0])
    if turn < 0:
        return "the game is over"
    return "" if event.seat == turn else f"it is seat {turn}'s turn"


def _play(rules: Any, seat: int, seen: Seen, pool: Any, event: Event) -> str:
    if seen["pending"][0]:
        return f"{int(seen['pending'][0])} cards must be drawn"
    colour, rank = event.action >> 4, event.action & 15
    if not 0 <= event.action < 64 or rank > WILD + 1:
        return "that is no card"
    if colour >= rules.colours:
        return f"the colours are {', '.join(COLOURS[: rules.colours])}"
    if rank < WILD and colour != seen["colour"][0] and rank != seen["top_rank"][0]:
        return "it does not go on the top card"
    hand = seen["hand"][0, seat] if event.seat == seat else pool
    if not copies(hand[0], hand[1], event.action):
        return "it is not in the hand" if event.seat == seat else "no copy is unseen"
    return ""


def _draw(rules: Any, seat: int, seen: Seen, pool: Any, event: Event) -> str:
    number = max(1, int(seen["pending"][0]))
    if event.number != number:
        return f"the draw is of {number}"
    if seen["deck_size"][0] < number:
        return f"the deck has {int(seen['deck_size'][0])} cards, so the pile is reshuffled first"
    if event.seat != seat:
        return ""
    if len(event.cards) != number:
        return "the seat sees what it draws"
    playable = blocked_by(seen["colour"][0], seen["top_rank"][0])
    if not seen["pending"][0] and seen["hand"][0, seat, 0] & np.uint64(playable):
        return "the hand has a card that can be played"
    for card in set(event.cards):
        if copies(pool[0], pool[1], card) < event.cards.count(card):
            return f"no copy of {notation.card_text(card)} is unseen"
    return ""


def without_hidden(rules: Any, seat: int, observation: State) -> Seen:
    """What `seat` sees, checked, from an observation that may hold more than that."""
    unseen, held = check_observation(rules, seat, observation)
    found = np.zeros(1, STATE)
    found[0] = observation
    found["hand"][0, 1 - seat] = 0
    found["deck"] = 0
    if observation.deck_size != unseen - held:
        warnings.warn(
            f"a deck of {observation.deck_size} does not fit: {unseen} cards are unseen and "
            f"{held} are held, so it has {unseen - held}",
            stacklevel=4,
        )
        found["deck_size"] = unseen - held
    return found


def check_observation(rules: Any, seat: int, seen: State) -> tuple[int, int]:
    """How many cards are unseen, and how many of them the opponent holds, if that can be."""
    everything = counts((rules.params.deck_ones, rules.params.deck_twos))
    shown = counts(seen["hand"][seat]) + counts(seen["pile"])
    if extra := shown - everything:
        card = notation.card_text(next(iter(extra)))
        raise BeliefError(f"{card}: more copies are seen than the deck has")
    unseen, held = (everything - shown).total(), int(seen["held"][1 - seat])
    if unseen < held:
        raise BeliefError(
            f"the opponent cannot hold {held} cards: only {unseen} of the deck's "
            f"{everything.total()} are unseen"
        )
    return unseen, held
