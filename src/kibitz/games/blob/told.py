"""Blob: a position as a person tells it, who is to act: bids and cards in the order in which they
came. From them follow who did what and who is to act, so it becomes what that seat saw from the
deal on; whether all of it can have happened is for the belief to check.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from kibitz.games.base import Event, KibitzError, Rules
from kibitz.games.blob import kernels, notation
from kibitz.games.blob.layout import NO_TRUMP, RANDOM_TRUMP, TURNED_TRUMP
from kibitz.games.blob.rules import MAX_BID, BlobGameRules, BlobRules
from kibitz.games.told import Told, check_names, whole_number

AnyRules = BlobRules | BlobGameRules
EXAMPLE = "hand='AS KH 3D', trump='hearts', bids='1 0'"
OPTIONS = {
    "hand": "the cards you hold, or those you were dealt",
    "trump": "the trump suit, or none",
    "turned": "the card turned up for trump, where the rules turn one up",
    "bids": "the bids so far, from the dealer's left",
    "played": "all cards played this round, in order",
    "seat": "your seat, which must be the one to act",
    "round": "in a whole game, the number of the round",
}
"""What can be told of a position."""


class Moves(NamedTuple):
    """What was done, and who is to act after it."""

    events: tuple[Event, ...]
    to_act: int
    mine: tuple[int, ...]
    """Cards that the seat to act has played."""


def read(rules: AnyRules, options: Mapping[str, str]) -> Told:
    check_names(options, OPTIONS, ("hand",), EXAMPLE)
    last = rules.params.rounds
    index = whole_number("round", options.get("round") or "1", 1, last) - 1
    trump, turned = trump_told(rules, index, options)
    moves = _moves(rules.players, dealer_of(rules, index), trump, options)
    cards = cards_in(rules, index)
    _check_bids(options, cards)
    if len(cards_told(options, "played")) >= rules.players * cards:
        raise KibitzError(f"played: with {cards} cards each the round is over, nobody is to act")
    if "seat" in options:
        said = whole_number("seat", options["seat"], 0, rules.players - 1)
        if said != moves.to_act:
            raise KibitzError(
                f"seat={said}: by the bids and cards told seat {moves.to_act} is to act"
            )
    dealt = _dealt(options, moves)
    if len(dealt) != cards:
        raise KibitzError(
            f"hand: {cards} cards are dealt in this round; you have played {len(moves.mine)}, so "
            f"tell the {cards - len(moves.mine)} that you hold or all {cards}"
        )
    check_deck(rules, turned, dealt, options)
    begin = opening(rules, index, moves.to_act, dealt, trump, turned)
    return Told(moves.to_act, (*begin, *moves.events))


def opening(
    rules: AnyRules,
    index: int,
    seat: int,
    dealt: tuple[int, ...],
    trump: int,
    turned: tuple[int, ...],
) -> list[Event]:
    """How round `index` begins for a seat that was dealt these cards."""
    values = (index, len(dealt), dealer_of(rules, index), trump)
    events = [Event("round", values=values, cards=turned)]
    for other in range(rules.players):
        mine = tuple(sorted(dealt, key=notation.place)) if other == seat else ()
        events.append(Event("deal", other, number=len(dealt), cards=mine))
    return events


def rules_told(kind: type[Rules], said: Mapping[str, Any], told: Mapping[str, str]) -> Rules:
    """Rules with as many cards as the hand tells of, if nobody said how many; and with a card
    turned up for trump, if it is told."""
    if not issubclass(kind, BlobRules):
        return kind(**said)
    options = dict(said)
    if told.get("turned") or told.get("trump", "").lower() == "turned":
        options["trump"] = "turned"
    if "cards" not in options:
        few = kind(**options, cards=1)  # checks the rest
        check_names(told, OPTIONS, ("hand",), EXAMPLE)
        trump, _ = trump_told(few, 0, told)
        number = len(_dealt(told, _moves(few.players, dealer_of(few, 0), trump, told)))
        options["cards"] = min(number, MAX_BID + 1)
    return kind(**options)


def cards_in(rules: AnyRules, index: int) -> int:
    """How many cards each seat is dealt in round `index`."""
    return int(kernels.round_byte(rules.params, index)) & 31


def trump_code(rules: AnyRules, index: int) -> int:
    """What the rules say of the trump of round `index`."""
    return (int(kernels.round_byte(rules.params, index)) >> 5) - 1


def dealer_of(rules: AnyRules, index: int) -> int:
    return (int(rules.params.first_dealer) + index) % rules.players


def card_told(name: str, text: str) -> int:
    try:
        return notation.parse_card(text)
    except KibitzError as error:
        raise KibitzError(f"{name}: {error}") from None


def cards_told(options: Mapping[str, str], name: str) -> tuple[int, ...]:
    """Cards in the order told, each once."""
    found: list[int] = []
    for text in options.get(name, "").split():
        card = card_told(name, text)
        if card in found:
            raise KibitzError(f"{name}: {notation.card_text(card)} is told twice")
        found.append(card)
    return tuple(found)


def trump_told(
    rules: AnyRules, index: int, options: Mapping[str, str]
) -> tuple[int, tuple[int, ...]]:
    """The trump of the round, and the card turned up for it."""
    code = trump_code(rules, index)
    said, card = options.get("trump", "").strip(), options.get("turned", "").strip()
    if said.lower() in ("turned", "random"):  # a rule, which says no trump
        if said.lower() != {TURNED_TRUMP: "turned", RANDOM_TRUMP: "random"}.get(code):
            raise KibitzError(f"trump={said}: not by these rules; tell a suit, or none")
        said = ""
    if code == TURNED_TRUMP:
        if not card:
            raise KibitzError("these rules turn a card up: say which, such as turned='QH'")
        turned = card_told("turned", card)
        if said and notation.parse_trump(said) != turned >> 4:
            raise KibitzError(f"trump={said}: {card} was turned up, whose suit it is")
        return turned >> 4, (turned,)
    if card:
        raise KibitzError(f"turned={card}: these rules turn no card up")
    if code != RANDOM_TRUMP:
        if said and notation.parse_trump(said) != code:
            raise KibitzError(
                f"trump={said}: by the rules of this round it is {notation.trump_text(code)}"
            )
        return code, ()
    if not said:
        raise KibitzError("say which trump was drawn, such as trump='hearts' or trump='none'")
    trump = notation.parse_trump(said)
    if trump >= rules.suits:
        raise KibitzError(f"trump={said}: the deck has no {said}")
    return trump, ()


def _moves(players: int, dealer: int, trump: int, options: Mapping[str, str]) -> Moves:
    """The bids and plays as events. Who leads follows from who took the trick before."""
    bids = options.get("bids", "").split()
    played = cards_told(options, "played")
    if len(bids) > players:
        raise KibitzError(f"bids: {players} players make {players} bids, not {len(bids)}")
    if played and len(bids) < players:
        raise KibitzError(
            f"played: cards come after all {players} bids, but {len(bids)} are told in bids"
        )
    seat, events = (dealer + 1) % players, []
    for text in bids:
        events.append(Event("bid", seat, _bid(text)))
        seat = (seat + 1) % players
    by_seat: dict[int, list[int]] = {}
    for start in range(0, len(played), players):
        trick = played[start : start + players]
        for card in trick:
            events.append(Event("play", seat, card))
            by_seat.setdefault(seat, []).append(card)
            seat = (seat + 1) % players
        if len(trick) == players:
            seat = (seat + taker(trick, trump)) % players
            events.append(Event("trick", seat))
    return Moves(tuple(events), seat, tuple(by_seat.get(seat, ())))


def taker(trick: tuple[int, ...], trump: int) -> int:
    """Which card of a whole trick takes it, by its place."""
    led = trick[0] >> 4

    def strength(place: int) -> tuple[bool, bool, int]:
        suit, rank = trick[place] >> 4, trick[place] & 15
        return trump != NO_TRUMP and suit == trump, suit == led, rank

    return max(range(len(trick)), key=strength)


def _bid(text: str) -> int:
    try:
        return notation.parse_bid(text)
    except KibitzError as error:
        raise KibitzError(f"bids: {error}") from None


def _check_bids(options: Mapping[str, str], cards: int) -> None:
    """That of the dealer, which may not make the bids add up, is for the belief to check."""
    for text in options.get("bids", "").split():
        if _bid(text) > cards:
            raise KibitzError(f"bids: {text} is more than the {cards} tricks of this round")


def _dealt(options: Mapping[str, str], moves: Moves) -> tuple[int, ...]:
    """All cards that I was dealt, whether they are told or those that I still hold."""
    hand = cards_told(options, "hand")
    theirs = {e.action: e.seat for e in moves.events if e.kind == "play" and e.seat != moves.to_act}
    for card in hand:
        if card in theirs:
            raise KibitzError(
                f"hand: {notation.card_text(card)} was played by seat {theirs[card]}; by what is "
                f"told you are seat {moves.to_act}, whose turn it is"
            )
    again = [card for card in moves.mine if card in hand]
    if again and len(again) < len(moves.mine):
        gone = next(card for card in moves.mine if card not in hand)
        raise KibitzError(
            f"hand: {notation.card_text(again[0])}, which you have played, is in it, and "
            f"{notation.card_text(gone)}, which you have played too, is not; tell all the cards "
            "you were dealt or only those you still hold"
        )
    return tuple(sorted({*hand, *moves.mine}, key=notation.place))


def check_deck(
    rules: AnyRules, turned: tuple[int, ...], dealt: tuple[int, ...], options: Mapping[str, str]
) -> None:
    told = {"hand": dealt, "played": cards_told(options, "played"), "turned": turned}
    for name, cards in told.items():
        for card in cards:
            text = notation.card_text(card)
            if not int(rules.params.deck) >> card & 1:
                raise KibitzError(f"{name}: {text} is not in the deck of these rules")
            if name != "turned" and card in turned:
                raise KibitzError(f"{name}: {text} was turned up and is out of play")
