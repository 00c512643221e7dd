"""UNO: what a seat sees after one more event, and whether it can have happened.

Events from a table are always right. Those that a person types, or a file holds, may not be; a
belief that took them in would be silently wrong.
"""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.games.base import Event, KibitzError, State
from kibitz.games.belief import BeliefError
from kibitz.games.uno import kernels, notation
from kibitz.games.uno.game import ENDINGS, counts, set_words
from kibitz.games.uno.hypotheses import blocked_by, copies
from kibitz.games.uno.layout import COLOURS, REVERSE, SKIP, STATE, WILD

Seen = NDArray[Any]
"""An observation, as an array of one record: it is read ten times as fast as the record."""
OPENING = ("deal", "top", "pile", "start")
KINDS = (*OPENING, "play", "draw", "skip", "reshuffle", "over")


def nothing_seen() -> Seen:
    """Before the deal."""
    found = np.zeros(1, STATE)
    found["winner"] = -1
    return found


def copied(seen: Any) -> Seen:
    """numpy copies records field by field, which takes thirty times as long as this."""
    return np.ndarray(1, STATE, bytearray(seen.tobytes()))


def follow(rules: Any, seat: int, before: Seen, event: Event, pool: Any = None) -> Seen:
    """What is seen after an event. `pool`, where it is known, are the cards unseen before it."""
    kind = event.kind
    if kind not in KINDS:
        raise KibitzError(f"UNO has no event {kind!r}")
    if kind in OPENING:
        if before["plies"][0] or before["turn"][0] < 0:
            raise BeliefError(f"{kind!r} belongs to the beginning of a game")
    else:
        if pool is None:
            pool = kernels.unseen(rules.params, before[0], seat)
            check_dealt(seat, before, pool)
        check_event(rules, seat, before, pool, event)
    found = copied(before)
    if kind == "play":
        kernels.see_play(rules.params, found, seat, event.seat, event.action)
    elif kind == "draw":
        words = np.zeros(2, np.uint64)
        set_words(words, event.cards)
        kernels.see_draw(found, event.seat, event.number, words[0], words[1])
    elif kind == "reshuffle":
        kernels.see_reshuffle(found)
    elif kind != "skip":
        _write(rules, seat, found[0], event)
    return found


def check_dealt(seat: int, seen: Seen, pool: Any) -> None:
    """Refuse a first move before the cards are dealt."""
    if seen["deck_size"][0] + seen["held"][0, 1 - seat] != counts(pool).total():
        raise BeliefError("a game begins with the two hands dealt and the card turned up")


def _write(rules: Any, seat: int, seen: State, event: Event) -> None:
    """The deal, and the end."""
    match event.kind:
        case "deal":
            seen.held[event.seat] = event.number
            if event.seat == seat:
                set_words(seen.hand[seat], event.cards)
        case "top":
            set_words(seen.pile, [event.action])
            seen.top_rank, seen.colour = event.action & 15, event.action >> 4
            seen.deck_size = rules.deck_size - int(seen.held.sum()) - 1
        case "pile":
            set_words(seen.pile, (counts(seen.pile) + Counter(event.cards)).elements())
            seen.deck_size -= len(event.cards)
        case "start":
            seen.turn = event.seat
            seen.colour, seen.pending = event.values
        case "over":
            if event.note == "exhausted":
                seen.pending = 0
                seen.plies += 1
            seen.turn = -1
            seen.ending = next(code for code, name in ENDINGS.items() if name == event.note)
            seen.winner = -1 if event.values[0] == event.values[1] else int(np.argmax(event.values))


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
