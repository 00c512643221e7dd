"""UNO: a belief in words for a person, and what it says that matters to a choice."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from math import comb
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kibitz.games.base import Event, percent
from kibitz.games.uno import kernels, notation
from kibitz.games.uno.following import copied, follow
from kibitz.games.uno.game import top_card
from kibitz.games.uno.hypotheses import blocked_by
from kibitz.games.uno.layout import COLOURS, DRAW, LANE, WILD, WILD_FOURS, WILDS

if TYPE_CHECKING:
    from kibitz.games.uno.estimates import Estimates

MOST = 4
COMPARED = 2
"""Actions whose answers are compared."""
NOTABLE = 0.1
"""How far a chance must be from that of a hand of which nothing is known but its size."""
HIGH = 0.85


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


def remarks(belief: Estimates, actions: Sequence[int]) -> tuple[str, ...]:
    found = [*_answers(belief, actions[:COMPARED]), *_colours(belief)]
    return tuple(found[:MOST])


# --- what the opponent can do after an action ---


class Reply(NamedTuple):
    """What an action leads to: the chance that the opponent can play on it, or why none is asked
    for."""

    action: str
    chance: float | None = None
    instead: str = ""


def reply(belief: Estimates, action: int) -> Reply | None:
    """What the opponent can do after an action of the seat; None if the game ends for other
    reasons than an empty hand."""
    seen = belief.observation
    text = notation.action_text(action)
    pending = max(1, int(seen.pending))
    if action == DRAW:
        pile = int(kernels.count(seen.pile[0], seen.pile[1]))
        if int(seen.deck_size) + pile - 1 < pending:
            return None
    elif int(seen.held[belief.seat]) == 1:
        return Reply(text, instead="you have won")
    if int(seen.plies) + 1 >= belief.rules.max_plies:
        return None
    if action == DRAW:
        return Reply(text, answer_chance(belief, int(seen.colour), int(seen.top_rank)))
    event = Event("play", belief.seat, action)
    after = follow(belief.rules, belief.seat, copied(seen), event, belief.pool)
    if after["turn"][0] == belief.seat:
        return Reply(text, instead="it is your turn again")
    if after["pending"][0]:
        return Reply(text, instead=f"the opponent must draw {after['pending'][0]}")
    return Reply(text, answer_chance(belief, action >> 4, action & 15))


def answer_chance(belief: Estimates, colour: int, rank: int) -> float:
    """The chance that the opponent has a card that goes on this one."""
    return belief.has_any(blocked_by(colour, rank))


def _answers(belief: Estimates, actions: Sequence[int]) -> Iterator[str]:
    seen = belief.observation
    if seen.turn != belief.seat or belief.held == 0:
        return
    replies = [found for action in actions if (found := reply(belief, action)) is not None]
    last = belief.held == 1
    subject, can = ("it", "go out") if last else ("the opponent", "answer")
    clauses, said = [], False
    for found in replies:
        if found.chance is None:
            clauses.append(f"after {found.action} {found.instead}")
            continue
        who = "" if said else f"{subject} can {can} "
        clauses.append(f"after {found.action} {who}with {percent(found.chance)} %")
        said = True
    if clauses:
        start = "The opponent has one card: " if last else ""
        yield _sentence(start + ", ".join(clauses))


# --- which colours it has ---


def _colours(belief: Estimates) -> Iterator[str]:
    """The colours of which something is known, the most surprising first."""
    found = []
    for colour, name in enumerate(notation.COLOUR_NAMES[: belief.rules.colours]):
        lane = int(LANE) << 16 * colour
        has, before = belief.has_any(lane), uniform_chance(belief, lane)
        if abs(has - before) >= NOTABLE or (1 - has >= HIGH and belief.held > 1):
            found.append((_gain(has, before), name, has))
    for _, name, has in sorted(found, reverse=True):
        if has in (0.0, 1.0):
            yield f"The opponent has {'a' if has else 'no'} {name} card."
        elif has < 0.5:
            yield f"The opponent has no {name} card with {percent(1 - has)} %."
        else:
            yield f"The opponent has a {name} card with {percent(has)} %."


def uniform_chance(belief: Estimates, cards: int) -> float:
    """The chance of one of `cards` if nothing were known of the hand but its size."""
    unseen = belief.unseen()
    hits = sum(number for card, number in unseen.items() if cards >> card & 1)
    total = unseen.total()
    return 1 - comb(total - hits, belief.held) / comb(total, belief.held)


def _gain(now: float, before: float) -> float:
    """Bits that were learnt of a yes or no."""
    pairs = ((now, before), (1 - now, 1 - before))
    return sum(p * math.log2(p / q) for p, q in pairs if p > 0 and q > 0)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."
