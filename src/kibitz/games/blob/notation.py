"""Blob in text. No numba here: records can be read and printed without compiling anything.

    card    = rank suit                          2C  TD  QH  AS
    rank    = "2".."9" | "T" | "J" | "Q" | "K" | "A"
    suit    = "C" | "D" | "H" | "S"
    action  = card | bid                         a bid is a whole number
    cards   = card { " " card }                  sorted by suit, high to low

Capitals do not matter on input; "10" stands for "T", the symbols of the suits for their letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from kibitz.games.base import Event, NotationError, members
from kibitz.games.blob.layout import MAX_SEATS, NO_TRUMP, RANKS, SUITS

LETTERS = "CDHS"
SYMBOLS = "♣♦♥♠"
_CARD = re.compile(r"([2-9TJQKA]|10)([CDHS♣♦♥♠])")
_NUMBER = "([0-9]{1,3})"
_SCORES = "(-?[0-9]{1,9}(?: -?[0-9]{1,9})*)"
_SEAT = f"([0-{MAX_SEATS - 1}])"


def card_text(card: int) -> str:
    return RANKS[card & 15] + LETTERS[card >> 4]


def parse_card(text: object) -> int:
    found = _CARD.fullmatch(str(text).strip().upper())
    if not found:
        raise NotationError(
            f"{text!r} is no card; write a rank 2-9, T, J, Q, K or A and a suit C, D, H or S, "
            "such as QH or TD"
        )
    rank = RANKS.index(found[1].replace("10", "T"))
    suit = (LETTERS if found[2] in LETTERS else SYMBOLS).index(found[2])
    return suit * 16 + rank


def place(card: int) -> tuple[int, int]:
    """Where a card stands in a printed hand."""
    return -(card >> 4), -(card & 15)


def cards_text(cards: Iterable[int]) -> str:
    return " ".join(card_text(card) for card in sorted(cards, key=place))


def parse_cards(text: object) -> tuple[int, ...]:
    if not isinstance(text, str):
        raise NotationError(f"cards are a text such as 'QH 2C', not {text!r}")
    return tuple(sorted((parse_card(part) for part in text.split()), key=place))


def cards_of(word: object) -> tuple[int, ...]:
    """The cards of a set, in the order in which hands are printed."""
    return tuple(sorted(members(word), key=place))


def trump_text(trump: int) -> str:
    return "none" if trump == NO_TRUMP else SUITS[trump]


def parse_trump(text: object) -> int:
    said = str(text).lower()
    if said == "none":
        return NO_TRUMP
    if len(said) == 1 and said.upper() in LETTERS:  # as on the cards
        return LETTERS.index(said.upper())
    if said not in SUITS:
        raise NotationError(
            f"{text!r} is no trump; it is one of {', '.join(SUITS)} (or their letters) or none"
        )
    return SUITS.index(said)


def parse_bid(text: str) -> int:
    said = text.strip()
    if not (said.isascii() and said.isdecimal() and len(said) <= 2):
        raise NotationError(f"{text!r} is no bid; write a whole number such as 2")
    return int(said)


# --- events: one line each, see docs/notation.md -------------------------------------------------


@lru_cache(maxsize=20_000)  # a frame for a person says the whole game again at every move
def event_text(event: Event) -> str:
    match event.kind:
        case "round":
            index, cards, dealer, trump = event.values
            line = f"round {index + 1} cards {cards} dealer {dealer} trump {trump_text(trump)}"
            return line + (f" turned {card_text(event.cards[0])}" if event.cards else "")
        case "deal":
            hand = cards_text(event.cards) if event.cards else event.number
            return f"deal {event.seat} {hand}"
        case "bid":
            return f"{event.seat} bids {event.action}"
        case "play":
            return f"{event.seat} plays {card_text(event.action)}"
        case "trick":
            return f"{event.seat} takes the trick"
        case "score":
            return "scores " + " ".join(str(v) for v in event.values)
        case "over":
            return "over " + " ".join(str(v) for v in event.values) + f" {event.note}"
    raise NotationError(f"Blob has no event {event.kind!r}")


def _round(m: re.Match[str]) -> Event:
    values = (int(m[1]) - 1, int(m[2]), int(m[3]), parse_trump(m[4]))
    return Event("round", values=values, cards=(parse_card(m[5]),) if m[5] else ())


def _deal(m: re.Match[str]) -> Event:
    if re.fullmatch(_NUMBER, m[2]):
        return Event("deal", int(m[1]), number=int(m[2]))
    cards = parse_cards(m[2])
    return Event("deal", int(m[1]), number=len(cards), cards=cards)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split())


_EVENTS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Event]], ...] = (
    (
        re.compile(
            rf"round {_NUMBER} cards {_NUMBER} dealer {_SEAT} trump (\w+)(?: turned (\w+))?"
        ),
        _round,
    ),
    (re.compile(rf"deal {_SEAT} (.+)"), _deal),
    (re.compile(rf"{_SEAT} bids {_NUMBER}"), lambda m: Event("bid", int(m[1]), parse_bid(m[2]))),
    (re.compile(rf"{_SEAT} plays (\S+)"), lambda m: Event("play", int(m[1]), parse_card(m[2]))),
    (re.compile(rf"{_SEAT} takes the trick"), lambda m: Event("trick", int(m[1]))),
    (
        re.compile(rf"scores {_SCORES}"),
        lambda m: Event("score", values=_numbers(m[1])),
    ),
    (
        re.compile(rf"over {_SCORES} ([a-z]+)"),
        lambda m: Event("over", values=_numbers(m[1]), note=m[2]),
    ),
)


def parse_event(text: str) -> Event:
    for pattern, make in _EVENTS:
        if found := pattern.fullmatch(text.strip()):
            return make(found)
    raise NotationError(f"{text!r} is no Blob event; see docs/notation.md for the lines there are")
