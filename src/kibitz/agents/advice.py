"""Advice: a decision with reasons that a person can read.

What is said keeps to what was found: moves whose values lie within the error of the search are
called equal, and a chance is 0 or 100 % only where that is proved.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from kibitz import rng as random
from kibitz.agents.base import Decision, Move
from kibitz.agents.methods import Worlds, run_out
from kibitz.games import game_of
from kibitz.games.belief import Belief
from kibitz.view import View

Z95 = 1.96
DUEL = Worlds.Options(worlds=60, sims=200)
"""How the two best moves are compared world by world, where the search itself did not do so."""
WHATEVER = "whatever the others hold and draw"
MOST_NAMED = 6
"""Equal moves that are listed by name."""


def explained(decision: Decision, belief: Belief, view: View, seed: int = 0) -> Decision:
    """The decision with what is believed, which moves are equal, and why."""
    told = belief.summary()
    if not decision.moves:
        said = f"{view.text(decision.action)} is the only legal move"
        if belief.sure_wins(view.actions):
            said += f", and it wins {WHATEVER}"
        return dataclasses.replace(decision, belief=told, why=(said,), equal=(decision.action,))
    best, *others = decision.moves
    if best.proved:
        equal = [move for move in decision.moves if move.proved]
        why = _proof(decision, equal)
    else:
        equal = [best, *(move for move in others if within_noise(best, move))]
        why = [_comparison(view, best, others, equal), *_misgivings(view, best, others)]
        if others:
            why += _worlds(decision, belief, view, best, others[0], seed)
    why += belief.remarks([move.action for move in decision.moves])
    if decision.full and not best.proved:
        why.append("The tree reached its limit of nodes; with more the values would be better")
    return dataclasses.replace(
        decision, belief=told, why=tuple(why), equal=tuple(move.action for move in equal)
    )


def within_noise(best: Move, move: Move) -> bool:
    """Whether the values of two moves cannot be told apart, at 95 %."""
    return abs(best.value - move.value) <= Z95 * math.hypot(best.error, move.error)


def _proof(decision: Decision, equal: Sequence[Move]) -> list[str]:
    """That these moves win for certain, and how."""
    names = [move.text for move in equal[:MOST_NAMED]]
    if rest := len(equal) - len(names):
        names.append(f"{rest} more")
    if len(names) == 1:
        said = f"{names[0]} wins {WHATEVER}"
    else:
        said = f"{', '.join(names[:-1])} and {names[-1]} win {WHATEVER}: none is better"
    line = f"The line is {', '.join(decision.variation)}"
    return [said, line] if len(decision.variation) > 1 else [said]


def _comparison(view: View, best: Move, others: Sequence[Move], equal: Sequence[Move]) -> str:
    game = game_of(view.rules)

    def named(move: Move) -> str:
        return f"{move.text} ({game.value_text(move.value, move.error)})"

    if not others:
        return named(best)
    if len(equal) == len(others) + 1 and len(equal) == len(view.actions):
        return f"All {len(equal)} moves are equal within the error; {named(best)}"
    if len(equal) > 1:
        names = [move.text for move in equal[1 : MOST_NAMED + 1]]
        rest = len(equal) - 1 - len(names)
        said = ", ".join(names) + (f" and {rest} more" if rest else "")
        return f"{named(best)} is equal, within the error, to {said}"
    second = max(others, key=lambda move: move.value)
    if second.value > best.value:
        return f"{named(best)} was searched most"
    return f"{named(best)} is best; next is {named(second)}"


def _misgivings(view: View, best: Move, others: Sequence[Move]) -> list[str]:
    """What speaks against the choice, or is not known."""
    game = game_of(view.rules)
    better = [move for move in others if move.value > best.value and not within_noise(best, move)]
    found = [
        f"{move.text} looks better over all ({game.value_text(move.value, move.error)})"
        f", but {best.text} was searched most, and that decides"
        for move in better[:1]
    ]
    searched = {best.action, *(move.action for move in others)}
    if missing := [view.text(action) for action in view.actions if action not in searched]:
        found.append(f"Not searched at all, for want of simulations: {', '.join(missing)}")
    return found


def _worlds(
    decision: Decision, belief: Belief, view: View, best: Move, second: Move, seed: int
) -> list[str]:
    """In what share of the worlds the best move beats the second."""
    apart = decision.by_world
    if not apart:

        def drawn(n: int, seed: int) -> NDArray[Any]:
            return belief.sample(n, random.generator(seed, stream=random.DUEL))[0]

        duel = Worlds(DUEL, seed)
        duel.begin(view, None, draw=drawn)
        apart = run_out(duel).by_world
    both = [
        (w[best.action], w[second.action]) for w in apart if {best.action, second.action} <= set(w)
    ]
    if not both:
        return []
    # by how much more than the noise of the search in that world
    gaps = [(v1 - v2, Z95 * math.hypot(e1, e2)) for (_, v1, e1), (_, v2, e2) in both]
    better = 100 * sum(gap > noise for gap, noise in gaps) / len(gaps)
    worse = 100 * sum(-gap > noise for gap, noise in gaps) / len(gaps)
    return [
        f"World by world, as if all cards were seen: {best.text} does better than {second.text} in "
        f"{better:.0f} % of {len(both)} worlds, worse in {worse:.0f} %; in the rest they are close"
    ]
