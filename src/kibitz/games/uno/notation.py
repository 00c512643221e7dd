"""UNO in text. No numba here: records can be read and printed without compiling anything.

    card    = colour rank | "W" | "W+4"          R5  YS  GR  B+2  W  W+4
    colour  = "R" | "Y" | "G" | "B"
    rank    = "0".."9" | "S" (Skip) | "R" (Reverse) | "+2"
    action  = colour rank | ("W" | "W+4") ":" colour | "draw"
    cards   = card { " " card }                  sorted by colour, wilds last

Capitals do not matter on input; "+" stands for "+2", "W4" for "W+4", "d" for "draw".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from kibitz.games.base import Event, NotationError
from kibitz.games.uno.layout import COLOURS, DRAW, DRAW_TWO, RANKS, WILD, WILD_FOUR

CARDS: tuple[int, ...] = (
    *(colour * 16 + rank for colour in range(4) for rank in range(13)),
    WILD,
    WILD_FOUR,
)
"""The 54 kinds, in the order in which hands are printed."""

COLOUR_NAMES = ("red", "yellow", "green", "blue")

_ORDER = {card: place for place, card in enumerate(CARDS)}
_NUMBER = "([0-9]{1,3})"
_CARD = re.compile(r"([RYGB])([0-9SR]|\+2?)|W(\+?4)?")
_ACTION = re.compile(r"(W(?:\+?4)?):([RYGB])")


def card_text(card: int) -> str:
    if card == WILD:
        return "W"
    if card == WILD_FOUR:
        return "W+4"
    rank = card & 15
    return COLOURS[card >> 4] + ("+2" if rank == DRAW_TWO else RANKS[rank])


def parse_card(text: object) -> int:
    found = _CARD.fullmatch(str(text).upper())
    if not found:
        raise NotationError(
            f"{text!r} is no UNO card; write a colour R, Y, G or B and a rank 0-9, S, R or +2, "
            "such as R5 or G+2, or W or W+4"
        )
    colour, rank, four = found.groups()
    if colour is None:
        return WILD_FOUR if four else WILD
    return COLOURS.index(colour) * 16 + RANKS.index(rank[0])


def parse_colour(text: str) -> int:
    """A colour by its name or its letter."""
    said = text.strip().lower()
    for colour, name in enumerate(COLOUR_NAMES):
        if said and said in (name, name[0]):
            return colour
    raise NotationError(f"{text!r} is no colour; it is one of {', '.join(COLOUR_NAMES)}")


def cards_text(cards: Iterable[int]) -> str:
    return " ".join(card_text(card) for card in sorted(cards, key=_ORDER.__getitem__))


def parse_cards(text: object) -> tuple[int, ...]:
    if not isinstance(text, str):
        raise NotationError(f"cards are a text such as 'R5 W', not {text!r}")
    return tuple(sorted((parse_card(part) for part in text.split()), key=_ORDER.__getitem__))


def action_text(action: int) -> str:
    if action == DRAW:
        return "draw"
    rank = action & 15
    return card_text(rank) + ":" + COLOURS[action >> 4] if rank >= WILD else card_text(action)


def parse_action(text: str) -> int:
    said = text.strip().upper()
    if said in ("DRAW", "D"):
        return DRAW
    if found := _ACTION.fullmatch(said):
        return COLOURS.index(found[2]) * 16 + parse_card(found[1])
    if said in ("W", "W4", "W+4"):
        raise NotationError(f"{text!r} must say the colour it declares, such as {said}:R")
    try:
        return parse_card(said)
    except NotationError:
        raise NotationError(
            f"{text!r} is no UNO action; write a card such as R5 or G+2, a wild with its colour "
            "such as W:R or W+4:B, or draw"
        ) from None


def card_of(action: int) -> int:
    """The card that a play puts on the pile."""
    rank = action & 15
    return rank if rank >= WILD else action


# --- events: one line each, see docs/notation.md -------------------------------------------------


def _known(event: Event) -> str:
    return cards_text(event.cards) if event.cards else str(event.number)


@lru_cache(maxsize=20_000)  # a frame for a person says the whole game again at every move
def event_text(event: Event) -> str:
    match event.kind:
        case "deal":
            return f"deal {event.seat} {_known(event)}"
        case "top":
            return f"top {card_text(event.action)}"
        case "pile":
            return f"pile {cards_text(event.cards)}"
        case "start":
            colour, pending = event.values
            return f"start {event.seat} colour {COLOURS[colour]} pending {pending}"
        case "play":
            return f"{event.seat} plays {action_text(event.action)}"
        case "draw":
            return f"{event.seat} draws {_known(event)}"
        case "skip":
            return f"{event.seat} is skipped"
        case "reshuffle":
            return "reshuffle"
        case "over":
            return "over " + " ".join(f"{v:+d}" for v in event.values) + f" {event.note}"
    raise NotationError(f"UNO has no event {event.kind!r}")


def _hidden_or_cards(kind: str, seat: str, rest: str) -> Event:
    if re.fullmatch(_NUMBER, rest):
        return Event(kind, int(seat), number=int(rest))
    cards = parse_cards(rest)
    return Event(kind, int(seat), number=len(cards), cards=cards)


_EVENTS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Event]], ...] = (
    (re.compile(r"deal ([01]) (.+)"), lambda m: _hidden_or_cards("deal", m[1], m[2])),
    (re.compile(r"top (\S+)"), lambda m: Event("top", action=parse_card(m[1]))),
    (re.compile(r"pile(.*)"), lambda m: Event("pile", cards=parse_cards(m[1]))),
    (
        re.compile(rf"start ([01]) colour ([RYGB]) pending {_NUMBER}"),
        lambda m: Event("start", int(m[1]), values=(COLOURS.index(m[2]), int(m[3]))),
    ),
    (re.compile(r"([01]) plays (\S+)"), lambda m: Event("play", int(m[1]), parse_action(m[2]))),
    (re.compile(r"([01]) draws (.+)"), lambda m: _hidden_or_cards("draw", m[1], m[2])),
    (re.compile(r"([01]) is skipped"), lambda m: Event("skip", int(m[1]))),
    (re.compile(r"reshuffle"), lambda m: Event("reshuffle")),
    (
        re.compile(r"over ([+-][0-9]) ([+-][0-9]) ([a-z]+)"),
        lambda m: Event("over", values=(int(m[1]), int(m[2])), note=m[3]),
    ),
)


def parse_event(text: str) -> Event:
    for pattern, make in _EVENTS:
        if found := pattern.fullmatch(text.strip()):
            return make(found)
    raise NotationError(f"{text!r} is no UNO event; see docs/notation.md for the lines there are")
