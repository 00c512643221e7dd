"""Blob: a belief in words for a person, and in numbers for a program."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from kibitz.games.belief import STOCK
from kibitz.games.blob import notation
from kibitz.games.blob.layout import NO_TRUMP
from kibitz.games.render import percent

if TYPE_CHECKING:
    from kibitz.games.blob.estimates import Estimates

SHOWN = 5
"""Cards a summary has a line for."""


def holder_text(holder: int) -> str:
    return "stock" if holder == STOCK else f"seat {holder}"


def summary(belief: Estimates) -> str:
    """Sizes, voids, the cards that matter most, and how sure all of it is."""
    sizes = belief.sizes
    hidden = sum(sizes.values())
    where = ", ".join(f"{holder_text(holder)} {n}" for holder, n in sizes.items())
    lines = [f"seat {belief.seat}: {hidden} hidden cards ({where})"]
    for seat in sizes:
        if seat != STOCK and (suits := belief.voids(seat)):
            lines.append(f"seat {seat} has no {' and no '.join(suits)}")
    for card in _strongest(belief):
        lines.append(f"{notation.card_text(card)}: {_odds(belief, card)}")
    lines.append(_certainty(belief))
    if belief.surprises:
        told = "; ".join(notation.event_text(event) for event in belief.surprises)
        lines.append(f"left out, since the model calls it impossible: {told}")
    return "\n".join(lines)


def _strongest(belief: Estimates) -> list[int]:
    """Trumps first, then by rank."""
    trump = int(belief.observation.trump)
    cards = belief.marginals().cards
    order = sorted(cards, key=lambda card: (card >> 4 != trump or trump == NO_TRUMP, -(card & 15)))
    return order[:SHOWN]


def _odds(belief: Estimates, card: int) -> str:
    chances = [(belief.probability(card, holder), holder) for holder in belief.sizes]
    likely = sorted((pair for pair in chances if pair[0] > 0), key=lambda pair: -pair[0])
    return ", ".join(f"{holder_text(holder)} {percent(chance)} %" for chance, holder in likely)


def _certainty(belief: Estimates) -> str:
    bits = f"{'' if belief.entropy_is_exact else 'about '}{belief.entropy():.1f} bits missing"
    if belief.method == "counting":
        return f"{bits}: {belief.distinct:,} deals, all equally likely"
    if belief.method == "exact":
        return f"{bits}: {belief.distinct:,} deals, weighed by {belief.options.model}"
    return (
        f"{bits}: {belief.options.n:,} particles worth {belief.ess:,.0f}, {belief.distinct:,} "
        f"different, weighed by {belief.options.model}"
    )


def to_dict(belief: Estimates) -> dict[str, Any]:
    marginals = belief.marginals()
    names = ["stock" if holder == STOCK else str(holder) for holder in marginals.holders]
    return {
        "game": belief.rules.game,
        "seat": belief.seat,
        "method": belief.method,
        "model": str(belief.options.model),
        "n": belief.distinct if math.isinf(belief.ess) else belief.options.n,
        "held": dict(zip(names, belief.sizes.values(), strict=True)),
        "voids": {
            str(seat): list(belief.voids(seat)) for seat in marginals.holders if seat != STOCK
        },
        "players": {
            str(seat): [list(pair) for pair in belief.players(seat)]
            for seat in marginals.holders
            if seat != STOCK
        },
        "can_play": {
            str(seat): belief.can_play(seat) for seat in marginals.holders if seat != STOCK
        },
        "cards": {
            notation.card_text(card): {
                name: float(marginals.chance[row, column]) for row, name in enumerate(names)
            }
            for column, card in enumerate(marginals.cards)
        },
        "entropy": belief.entropy(),
        "entropy_is_exact": belief.entropy_is_exact,
        "ess": None if math.isinf(belief.ess) else belief.ess,
        "distinct": belief.distinct,
        "surprises": [notation.event_text(event) for event in belief.surprises],
    }
