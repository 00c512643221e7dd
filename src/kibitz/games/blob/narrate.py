"""Blob at a real table, told move by move by a person in a seat of it: the deal, then what the
seat to act bid or played. Who takes a trick, the scores and who is next follow from the rules. The
card that ends a round is told together with the next deal.
"""

from __future__ import annotations

from collections.abc import Mapping

from kibitz import contract
from kibitz.games.base import Event, KibitzError, State, members
from kibitz.games.belief import BeliefError, Options
from kibitz.games.blob import notation
from kibitz.games.blob.belief import BlobBelief
from kibitz.games.blob.game import GAME, AnyRules
from kibitz.games.blob.layout import BIDDING, RANDOM_TRUMP, TURNED_TRUMP
from kibitz.games.blob.told import (
    cards_in,
    cards_told,
    check_deck,
    opening,
    trump_code,
    trump_told,
)
from kibitz.games.model import model
from kibitz.games.told import check_names, words_of

OPENING = {
    "hand": "the cards you were dealt",
    "trump": "the trump suit or none, where the rules leave it open",
    "turned": "the card turned up for trump, where the rules turn one up",
}
EXAMPLE = "hand='AS KH 3D'"
DEAL = {"deal": "hand", "trump": "trump", "turned": "turned"}
"""The words that tell of the next deal, and the names of what they tell."""


def begin(rules: AnyRules, seat: int, told: Mapping[str, str]) -> list[Event]:
    check_names(told, OPENING, ("hand",), EXAMPLE, "the beginning of a game")
    return _dealt(rules, 0, seat, told)


def happens(rules: AnyRules, seat: int, seen: State, said: str) -> list[Event]:
    bidding = bool(seen.phase == BIDDING)
    first, *more = words_of(said, "2" if bidding else "QH")
    turn = int(seen.turn)
    if turn < 0:
        raise KibitzError(f"{said!r} cannot be: the game is over")
    action = GAME.parse_action(seen, first)
    then = _moved(rules, seat, seen, Event("bid" if bidding else "play", turn, action))
    events = GAME.events(rules, seen, action, then)
    if then.round_index == seen.round_index:
        if more:
            raise KibitzError(f"{said!r}: no deal follows this, so tell only {first!r}")
        return events
    # what follows the scores is of a deal that nobody has told so far
    events = [event for event in events if event.kind not in ("round", "deal")]
    return events + _next_round(rules, seat, int(then.round_index), first, more)


def _moved(rules: AnyRules, seat: int, seen: State, event: Event) -> State:
    """What the seat sees after the move, if it can have been made."""
    options = Options("counting", model("constraints"), n=1, seed=0)
    try:
        return BlobBelief.bare(rules, seat, seen, options).update(event).observation
    except BeliefError as error:
        if event.kind == "play" and event.seat != seat:
            raise
        may = members(contract.legal_actions(rules.params, seen))
        texts = ", ".join(GAME.action_text(seen, action) for action in may)
        raise KibitzError(f"{error}; the rules allow {texts}") from None


def _next_round(rules: AnyRules, seat: int, index: int, card: str, words: list[str]) -> list[Event]:
    """The next deal, told in the words after the last card of a round."""
    told: dict[str, str] = {}
    name = ""
    try:
        for word in words:
            if word.lower() in DEAL:
                name = DEAL[word.lower()]
                if name in told:
                    raise KibitzError(f"{word} is told twice")
                told[name] = ""
            elif name:
                told[name] = f"{told[name]} {word}".strip()
            else:
                raise KibitzError(f"{word!r}: the word 'deal' comes first")
        return _dealt(rules, index, seat, told)
    except KibitzError as error:
        reason = f" ({error})" if words else ""
        example = " ".join([card, _example(rules, index)])
        raise KibitzError(
            f"{' '.join([card, *words])!r}: this card ends the round: tell your next hand with it, "
            f"such as {example!r}{reason}"
        ) from None


def _dealt(rules: AnyRules, index: int, seat: int, told: Mapping[str, str]) -> list[Event]:
    """How round `index` begins, from what a seat can tell of it."""
    hand, cards = cards_told(told, "hand"), cards_in(rules, index)
    if len(hand) != cards:
        are = "card is" if cards == 1 else "cards are"
        raise KibitzError(
            f"hand: {cards} {are} dealt to each player in round {index + 1}, but {len(hand)} "
            f"{'is' if len(hand) == 1 else 'are'} told"
        )
    trump, turned = trump_told(rules, index, told)
    check_deck(rules, turned, hand, {})
    return opening(rules, index, seat, hand, trump, turned)


def _example(rules: AnyRules, index: int) -> str:
    """A deal of round `index` as it can be told."""
    first, *rest = members(rules.params.deck)
    code, hand = trump_code(rules, index), rest[-cards_in(rules, index) :]
    text = f"deal {notation.cards_text(hand)}"
    if code == RANDOM_TRUMP:
        return f"{text} trump {notation.trump_text(first >> 4)}"
    return f"{text} turned {notation.card_text(first)}" if code == TURNED_TRUMP else text
