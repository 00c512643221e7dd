"""Blob as OpenSpiel's `oh_hell`: the game, its cards, a deal, a position.

`benchmarks/oh_hell.py` shows that both agree move by move.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from kibitz import contract
from kibitz.games.base import Event, KibitzError, Rules, State
from kibitz.games.blob.layout import MISS_PENALTY
from kibitz.games.blob.notation import cards_of
from kibitz.games.blob.rules import BlobRules
from kibitz.peers import library
from kibitz.view import View


def as_oh_hell(rules: Rules) -> BlobRules:
    """The rules, if `oh_hell` has them; else an error that says what to change."""
    if not isinstance(rules, BlobRules):
        raise KibitzError(f"OpenSpiel's oh_hell is a round of blob, not {rules.game}")
    needs = [
        (rules.trump == "turned", "the trump turned up", "trump=turned"),
        (rules.miss in ("tricks", "penalty"), "miss tricks or penalty", "miss=penalty"),
        (rules.exact_bonus == 10, "10 points for an exact bid", "exact_bonus=10"),
        (3 <= rules.players <= 7, "3 to 7 players", "players=4"),
    ]
    if lacking := [(what, option) for there, what, option in needs if not there]:
        whats, options = zip(*lacking, strict=True)
        raise KibitzError(
            f"OpenSpiel's oh_hell needs {' and '.join(whats)}: --rules {','.join(options)}"
        )
    return rules


@lru_cache(maxsize=64)
def load_oh_hell(rules: BlobRules) -> Any:
    """OpenSpiel's `oh_hell` with these rules; the dealer is chance there."""
    penalty = as_oh_hell(rules).params.miss == MISS_PENALTY
    return library("pyspiel").load_game(
        f"oh_hell(players={rules.players},num_suits={rules.suits},"
        f"num_cards_per_suit={rules.ranks},num_tricks_fixed={rules.cards},"
        f"points_per_trick={rules.points_per_trick},off_bid_penalty={penalty})"
    )


def oh_hell_card(rules: BlobRules, card: int) -> int:
    """Our number of a card in OpenSpiel's numbers. Suits keep their numbers, though not all of
    their names: 2 is hearts here and spades there."""
    return (card & 15) * rules.suits + (card >> 4)


def oh_hell_action(rules: BlobRules, made: Event) -> int:
    """A bid or a card played, in OpenSpiel's numbers: bids come after the cards."""
    bid = made.kind == "bid"
    return rules.deck_size + made.action if bid else oh_hell_card(rules, made.action)


def our_action(rules: BlobRules, theirs: int) -> int:
    """OpenSpiel's number of a bid or a card in our numbers."""
    if theirs >= rules.deck_size:
        return theirs - rules.deck_size
    rank, suit = divmod(theirs, rules.suits)
    return suit * 16 + rank


def deal_oh_hell(game: Any, rules: BlobRules, state: State, dealer: int) -> Any:
    """The deal in `state` forced through the chance nodes of `oh_hell`: the number of tricks, the
    dealer, the hands a card at a time from seat 0 on, the card turned up."""
    hands = [cards_of(int(hand)) for hand in state["hand"][: rules.players]]
    theirs = game.new_initial_state()
    theirs.apply_action(rules.cards)
    theirs.apply_action(dealer)
    for k in range(rules.cards):
        for hand in hands:
            theirs.apply_action(oh_hell_card(rules, hand[k]))
    theirs.apply_action(oh_hell_card(rules, int(state["turned"])))
    return theirs


def oh_hell_position(view: View, world: State) -> Any:
    """What a seat sees, with the hidden cards of `world`, in `oh_hell`: a deal from which the moves
    that were seen lead here, and these moves."""
    rules = as_oh_hell(view.rules)
    moves = [event for event in view.events if event.kind in ("bid", "play")]
    dealt = world.copy()
    for made in moves:
        if made.kind == "play":
            dealt["hand"][made.seat] |= np.uint64(1 << made.action)
    theirs = deal_oh_hell(load_oh_hell(rules), rules, dealt, int(dealt["dealer"]))
    for made in moves:
        theirs.apply_action(oh_hell_action(rules, made))
    return theirs


def span(view: View) -> float:
    """How far apart the returns to come can lie: our searches scale them to 0..1, so this is the
    weight of exploration that a search over bare returns needs to explore as much."""
    low, high = contract.bounds(view.rules.params, view.observation)
    return float(high) - float(low)
