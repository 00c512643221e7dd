"""UNO: a position as a person tells it, who is to act and sits in seat 0.

What was seen of the pile before is told or not; cards that are not told count as unseen. The draws
that the opponent made since it last played (and since the pile was last shuffled) bar cards from
its hand: see `evidence.Draws`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import accumulate
from operator import or_

import numpy as np

from kibitz.games.base import KibitzError, State
from kibitz.games.told import Told, check_names, whole_number
from kibitz.games.uno import notation
from kibitz.games.uno.evidence import Draws, drawn_in
from kibitz.games.uno.game import OPTIONS, counts, set_words
from kibitz.games.uno.hypotheses import blocked_by
from kibitz.games.uno.layout import DRAW_TWO, REVERSE, SKIP, STATE, WILD, WILD_FOUR
from kibitz.games.uno.rules import UnoRules

ME, OPPONENT = 0, 1
EXAMPLE = "hand='R5 G3 W', top='R3', theirs=5"
PENALTIES = {"+2": 2, "+4": 4}


def read(rules: UnoRules, options: Mapping[str, str]) -> Told:
    check_names(options, OPTIONS, ("hand", "top", "theirs"), EXAMPLE)
    hand = Counter(cards_told(options, "hand"))
    top = card_told("top", options["top"])
    pile = Counter(cards_told(options, "pile")) + Counter([top])
    unseen = all_but(rules, hand + pile)
    theirs = whole_number("theirs", options["theirs"], 1, 10_000)
    if theirs > unseen.total():
        raise KibitzError(
            f"theirs={theirs}: only {unseen.total()} of the deck's {rules.deck_size} cards are "
            "neither in your hand nor in the pile"
        )
    state: State = np.zeros(1, STATE)[0]
    set_words(state.hand[ME], hand.elements())
    set_words(state.pile, pile.elements())
    state.held[ME], state.held[OPPONENT] = hand.total(), theirs
    state.deck_size = unseen.total() - theirs
    state.top_rank, state.colour = top & 15, _colour(rules, options, top)
    state.pending = _pending(options, top)
    state.turn, state.winner = ME, -1
    draws = _draws(rules, options, state)
    _check_room(unseen, theirs, draws)
    return Told(ME, observation=state, evidence=draws)


def cards_told(options: Mapping[str, str], name: str) -> list[int]:
    return [card_told(name, text) for text in options.get(name, "").split()]


def card_told(name: str, text: str) -> int:
    try:
        return notation.parse_card(text.strip())
    except KibitzError as error:
        raise KibitzError(f"{name}: {error}") from None


def all_but(rules: UnoRules, seen: Counter[int]) -> Counter[int]:
    """All cards but those told."""
    everything = counts((rules.params.deck_ones, rules.params.deck_twos))
    for card, number in (seen - everything).items():
        raise KibitzError(
            f"{notation.card_text(card)} is told {everything[card] + number} times (in hand, top "
            f"and pile together), but the deck has {everything[card] or 'none'} of it"
        )
    return everything - seen


def _colour(rules: UnoRules, options: Mapping[str, str], top: int) -> int:
    names = ", ".join(notation.COLOUR_NAMES[: rules.colours])
    said = options.get("colour", "").strip()
    card = notation.card_text(top)
    if not said:
        if top & 15 >= WILD:
            raise KibitzError(f"top={card}: say which colour was declared: colour={names}")
        return top >> 4
    colour = notation.parse_colour(said)
    if colour >= rules.colours:
        raise KibitzError(f"colour={said}: the deck has only {names}")
    if top & 15 < WILD and colour != top >> 4:
        raise KibitzError(f"colour={said}: {card} makes it {notation.COLOUR_NAMES[top >> 4]}")
    return colour


def _pending(options: Mapping[str, str], top: int) -> int:
    number = whole_number("pending", options.get("pending") or "0", 0, 4)
    makes = {DRAW_TWO: 2, WILD_FOUR: 4}.get(top & 15, 0)
    if number not in (0, makes):
        may = f"0 or {makes}" if makes else "0"
        raise KibitzError(f"pending={number}: with {notation.card_text(top)} on top it is {may}")
    return number


# --- the opponent's draws ---


def _draws(rules: UnoRules, options: Mapping[str, str], state: State) -> Draws:
    told = options.get("drew", "").split()
    if told and state.pending:
        raise KibitzError(
            f"drew: you must draw {state.pending}, so the opponent has just played; tell only the "
            "draws since it last played"
        )
    found = []
    for text in told:
        if text in PENALTIES:
            found.append((PENALTIES[text], 0))
        else:
            colour, rank = _drew_on(rules, text)
            found.append((1, int(blocked_by(colour, rank))))
    if told:
        _check_last(rules, told[-1], state)
    return tuple(found)


def _drew_on(rules: UnoRules, text: str) -> tuple[int, int]:
    """Colour and rank on which the opponent had to draw; the rank of a wild, which no other card
    goes on, if only the colour is known."""
    if text.lower() in (*notation.COLOUR_NAMES, *(name[0] for name in notation.COLOUR_NAMES)):
        colour, rank = notation.parse_colour(text), WILD
    else:
        try:
            card = notation.parse_card(text)
        except KibitzError:
            raise KibitzError(
                f"drew: {text!r} is neither a colour such as red, nor a card such as R5, nor +2 "
                "or +4"
            ) from None
        if card >= WILD and card in (WILD, WILD_FOUR):
            raise KibitzError(f"drew: for {text} say the colour that was declared, such as red")
        colour, rank = card >> 4, card & 15
    everything = counts((rules.params.deck_ones, rules.params.deck_twos))
    if colour >= rules.colours or (rank < WILD and not everything[colour * 16 + rank]):
        raise KibitzError(f"drew: {text} is not in the deck of these rules")
    return colour, rank


def _check_last(rules: UnoRules, text: str, state: State) -> None:
    """After the opponent's last draw it was my turn, so nothing but a Skip or Reverse of mine can
    have come on the pile since."""
    top, colour = int(state.top_rank), int(state.colour)
    if rules.skip == "forfeit" and top in (SKIP, REVERSE):
        return
    if text in PENALTIES:
        fits = top == (DRAW_TWO if text == "+2" else WILD_FOUR)
    else:
        drew_colour, rank = _drew_on(rules, text)
        fits = drew_colour == colour and rank in (WILD, top)
    if not fits:
        card = top if top >= WILD else colour * 16 + top
        raise KibitzError(
            f"drew: the last draw, {text}, was just before your turn, but then the top card would "
            f"still be the same, not {notation.card_text(card)} with "
            f"{notation.COLOUR_NAMES[colour]}; tell the oldest draw first, and only those since "
            "the opponent last played"
        )


def _check_room(unseen: Counter[int], theirs: int, draws: Draws) -> None:
    """Whether any hand fits: the older a card, the less it can be, so the oldest come first."""
    if not draws:
        return
    before = theirs - drawn_in(draws)
    if before < 1:
        raise KibitzError(
            f"theirs={theirs}: the opponent drew {drawn_in(draws)} and held at least one card "
            f"before, so it has at least {drawn_in(draws) + 1}"
        )
    later = list(accumulate((blocked for _, blocked in reversed(draws)), or_))[::-1]
    filled = 0
    for number, barred in zip((before, *(n for n, _ in draws)), (*later, 0), strict=True):
        filled += number
        if sum(n for card, n in unseen.items() if not barred >> card & 1) < filled:
            raise KibitzError(
                f"drew: such draws leave too few of the unseen cards for a hand of {theirs}"
            )
