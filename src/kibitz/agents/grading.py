"""Grades of moves: how much worse a move was than the best that a search found, in a word.

A loss is told in percentage points of what is at stake (`Game.whole`): in UNO of the chance to win,
in Blob of the chance to make a bid. What the search cannot tell from its best move counts as best:
nobody is blamed for the noise of a search.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from kibitz.agents.advice import within_noise
from kibitz.agents.base import Decision
from kibitz.games import game_of
from kibitz.view import View, checked_view

BEST, FORCED = "best", "forced"
BANDS = ((2.0, "good"), (5.0, "inaccuracy"), (10.0, "mistake"), (math.inf, "blunder"))
"""A move that is not best has the first of these names whose bound its loss is below."""
NAMES = (FORCED, BEST, *(name for _, name in BANDS))


@dataclass(frozen=True)
class Grade:
    """How good a move was, in the eyes of a search."""

    name: str
    """One of `NAMES`."""
    loss: float
    """Percentage points given away, never below 0."""
    error: float
    """Standard error of the loss."""
    best: str
    """The best move, in notation."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def grade(view: View, decision: Decision, action: int) -> Grade | None:
    """How good `action` was in the eyes of a search that decided for the seat of `view`; None if
    the search has nothing to say of it."""
    checked_view(view)
    if len(view.actions) == 1:
        return Grade(FORCED, 0.0, 0.0, view.text(action)) if action in view.actions else None
    played = next((move for move in decision.moves if move.action == action), None)
    if played is None:
        return None
    best = decision.moves[0]
    if played is best:
        return Grade(BEST, 0.0, 0.0, best.text)
    point = game_of(view.rules).whole(view.rules) / 100
    loss = max(0.0, best.value - played.value) / point
    error = math.hypot(best.error, played.error) / point
    if loss == 0.0 or within_noise(best, played):
        return Grade(BEST, loss, error, best.text)
    return Grade(next(name for bound, name in BANDS if loss < bound), loss, error, best.text)
