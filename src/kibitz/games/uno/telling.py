"""UNO: a belief in words for a person, and in numbers for a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.games.render import percent
from kibitz.games.uno import notation
from kibitz.games.uno.game import top_card
from kibitz.games.uno.layout import COLOURS, WILD, WILD_FOURS, WILDS

if TYPE_CHECKING:
    from kibitz.games.uno.estimates import Estimates


def summary(belief: Estimates) -> str:
    """For a person, in a few lines."""
    seen, found = belief.observation, belief.marginals()
    held = belief.held
    lines = [f"The opponent holds {held} card{'' if held == 1 else 's'}; {_how(belief)}."]
    order = np.argsort(-found.chance[0], kind="stable")[:6]
    likely = ", ".join(
        f"{notation.card_text(found.cards[k])} {percent(found.chance[0][k])} %" for k in order
    )
    lines.append(f"Most likely held: {likely}.")
    colours = belief.colour_chance()
    names = COLOURS[: belief.rules.colours]
    lines.append(
        "Has a card of "
        + ", ".join(f"{name} {percent(colours[k])} %" for k, name in enumerate(names))
        + f"; a wild {percent(belief.has_any(WILDS | WILD_FOURS))} %."
    )
    chance = belief.can_play(belief.opponent)
    if chance is not None:
        top = notation.card_text(top_card(seen))
        on = top if seen.top_rank < WILD else f"{top} with {COLOURS[seen.colour]}"
        lines.append(f"Could play on {on}: {percent(chance)} %.")
    for event in belief.surprises:
        lines.append(f"The model calls {notation.event_text(event)!r} impossible; left out.")
    return "\n".join(lines)


def _how(belief: Estimates) -> str:
    about = "" if belief.entropy_is_exact else "about "
    bits = f"{about}{belief.entropy():.1f} bits are missing"
    if belief.entropy_is_exact:
        return f"{bits} (exact, {belief.n:,} hands)"
    worth = f"n = {belief.n:,}, worth {belief.ess:,.0f}, {belief.distinct:,} distinct hands"
    return f"{bits} ({belief.method}, {worth})"


def to_dict(belief: Estimates) -> dict[str, Any]:
    found, errors = belief.marginals(), belief.errors()
    return {
        "game": belief.rules.game,
        "seat": belief.seat,
        "method": belief.method,
        "model": str(belief.options.model),
        "n": belief.n,
        "ess": None if belief.entropy_is_exact else belief.ess,
        "distinct": belief.distinct,
        "recoveries": belief.recoveries,
        "entropy": belief.entropy(),
        "entropy_is_exact": belief.entropy_is_exact,
        "held": belief.held,
        "can_play": belief.can_play(belief.opponent),
        "expected_playable": belief.expected_playable(),
        "colours": dict(
            zip(COLOURS[: belief.rules.colours], map(float, belief.colour_chance()), strict=False)
        ),
        "cards": {
            notation.card_text(card): {
                "chance": float(found.chance[0][k]),
                "error": float(errors[0][k]),
                "expected": float(found.expected[0][k]),
            }
            for k, card in enumerate(found.cards)
        },
        "players": [list(pair) for pair in belief.players(belief.opponent)],
        "surprises": [notation.event_text(event) for event in belief.surprises],
    }
