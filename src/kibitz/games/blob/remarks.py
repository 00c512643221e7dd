"""Blob: what a belief says that matters to a choice, in sentences for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.games.base import members, percent
from kibitz.games.belief import BELOW_ONE, STOCK, unproved
from kibitz.games.blob import notation
from kibitz.games.blob.kernels import suit_of
from kibitz.games.blob.layout import BIDDING, NO_TRUMP, PLAYING, SUITS

if TYPE_CHECKING:
    from kibitz.games.blob.estimates import Estimates

MOST = 4
COMPARED = 2
"""Cards that are judged."""
DEALS = 4000
"""Deals over which a chance is taken, where they cannot all be."""


def remarks(belief: Estimates, actions: Sequence[int]) -> tuple[str, ...]:
    seen: Any = belief.observation
    if seen.phase == BIDDING:
        found = [*_limits(belief), *_trumps_to_bid_on(belief)]
    elif seen.phase == PLAYING:
        found = [*_tricks(belief, actions[:COMPARED]), *_highest_trump(belief), *_voids(belief)]
    else:
        found = []
    return tuple(found[:MOST])


# --- bidding ---


def _limits(belief: Estimates) -> Iterator[str]:
    seen: Any = belief.observation
    made = [int(bid) for bid in seen.bid[: belief.rules.players] if bid >= 0]
    if seen.turn != belief.seat or not made:
        return
    tricks = f"{int(seen.cards)} trick{'' if seen.cards == 1 else 's'}"
    yield f"The bids so far add up to {sum(made)} of {tricks}."
    barred = int(seen.cards) - sum(made)
    if seen.turn == seen.dealer and barred >= 0:
        yield f"You may not bid {barred}, since the bids would add up to the tricks."


def _trumps_to_bid_on(belief: Estimates) -> Iterator[str]:
    """How many of the trumps that beat mine are in the other hands rather than undealt."""
    seen: Any = belief.observation
    trump = int(seen.trump)
    if trump == NO_TRUMP:
        return
    mine = members(seen.hand[belief.seat] & seen.trumps)
    hidden = [card for card in belief.marginals().cards if card >> 4 == trump]
    if not mine:
        if hidden:
            yield f"You have no {SUITS[trump]}; {_where(belief, hidden, 'unseen')}."
        return
    best = notation.card_text(max(mine))
    higher = [card for card in hidden if card > max(mine)]
    if higher:
        yield f"{_where(belief, higher, f'higher than your {best}')}."
    else:
        yield f"Your {best} is the highest trump."


def _where(belief: Estimates, cards: Sequence[int], what: str) -> str:
    """Whether trumps are in the other hands or undealt, which nobody knows of a single card."""
    if len(cards) == 1:
        found = f"1 trump is {what}, {notation.card_text(cards[0])}"
        chance = min(held_by_others(belief, cards), BELOW_ONE)
        held = f"another player has it with {percent(chance)} %"
    else:
        found = f"{len(cards)} trumps are {what}"
        held = f"the others hold {held_by_others(belief, cards):.1f} of them on average"
    return f"{found}; {held if belief.sizes[STOCK] else 'all cards are dealt'}"


def held_by_others(belief: Estimates, cards: Sequence[int]) -> float:
    """The expected number of these hidden cards that are in a hand."""
    return sum(1 - belief.probability(card, STOCK) for card in cards)


# --- playing ---


def _tricks(belief: Estimates, cards: Sequence[int]) -> Iterator[str]:
    seen: Any = belief.observation
    if seen.turn != belief.seat:
        return
    last = seen.in_trick + 1 == belief.rules.players
    for card in cards:
        text = notation.card_text(card)
        if not int(seen.beats) >> card & 1:
            yield f"{text} cannot take this trick."
        elif last:
            yield f"{text} takes this trick."
        else:
            chance = unbeaten(belief, card)
            if chance == 1.0:
                yield f"No later player can beat {text}."
            else:
                yield f"{text} stays ahead of those still to play with {percent(chance)} %."


def unbeaten(belief: Estimates, card: int) -> float:
    """The chance that nobody who plays after me in this trick can beat a card that is ahead now.
    1 only where it is proved; over a sample of deals where they are many."""
    seen: Any = belief.observation
    suit = int(suit_of(card))
    led = np.uint64(seen.led if seen.in_trick else suit)
    higher = suit & ~((2 << card) - 1)
    beats = np.uint64(higher | int(seen.trumps) & ~suit)
    later = [s for s in belief.sizes if s != STOCK and seen.trick[s] < 0]
    if not any(int(beats) >> c & 1 for s in later for c in belief.possible_cards(s)):
        return 1.0
    hands, weights, whole = belief.weighed_deals(DEALS)
    safe = np.ones(len(hands), bool)
    for seat in later:
        follows = hands[:, seat] & led
        legal = np.where(follows != 0, follows, hands[:, seat])
        safe &= (legal & beats) == 0
    if whole and safe.all():
        return 1.0
    if whole and not safe.any():
        return 0.0
    chance = float(weights @ safe)
    if not whole:  # a sample proves nothing
        chance = (chance * len(hands) + 0.5) / (len(hands) + 1)
    return float(unproved(chance))


def _highest_trump(belief: Estimates) -> Iterator[str]:
    seen: Any = belief.observation
    trump = int(seen.trump)
    if trump == NO_TRUMP:
        return
    hidden = [card for card in belief.marginals().cards if card >> 4 == trump]
    mine = members(seen.hand[belief.seat] & seen.trumps)
    if mine and max(mine) > max(hidden, default=-1):
        yield f"Your {notation.card_text(max(mine))} is the highest trump still in play."
    elif hidden:
        card = max(hidden)
        holder = belief.most_likely_holder(card)
        where = "undealt" if holder == STOCK else f"with seat {holder}"
        text = notation.card_text(card)
        if sum(card in belief.possible_cards(other) for other in belief.sizes) == 1:
            yield f"{text}, the highest trump still out, is {where}."
        else:
            chance = min(belief.probability(card, holder), BELOW_ONE)
            sure = f"{where} ({percent(chance)} %)"
            yield f"{text}, the highest trump still out, is most likely {sure}."


def _voids(belief: Estimates) -> Iterator[str]:
    """What seats have shown to be out of: those that play after me in this trick first."""
    seen: Any = belief.observation
    seats = [seat for seat in belief.sizes if seat != STOCK and belief.sizes[seat]]
    for seat in sorted(seats, key=lambda s: int(seen.trick[s]) >= 0):
        if suits := belief.voids(seat):
            yield f"Seat {seat} has no {' and no '.join(suits)}."
