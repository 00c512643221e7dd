"""Advice: a decision with reasons that a person can read.

What is said keeps to what was found: moves whose values lie within the error of the search are
called equal, and a chance is 0 or 100 % only where that is proved.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from kibitz import rng as random
from kibitz.agents.base import Decision, Move
from kibitz.agents.names import agent
from kibitz.agents.searching import SearchAgent
from kibitz.evaluate.kernels import duel
from kibitz.games import game_of
from kibitz.games.base import KibitzError
from kibitz.games.belief import Belief
from kibitz.games.render import percent
from kibitz.positions import Position
from kibitz.view import View

Z95 = 1.96
DUEL_WORLDS, DUEL_GAMES = 100, 32
"""Worlds in which the two best moves are compared, and games played out after each in each."""
DUEL_RANDOMNESS = 0.1
DUEL_STREAM = 38
MOST_NAMED = 6
"""Equal moves that are listed by name."""


def advise(position: View | Position, player: str = "default", *, seed: int = 0) -> Decision:
    """What the seat to act should play, how sure that is, and why; for a view, or for a position
    that was told."""
    position = Position(position) if isinstance(position, View) else position
    view = position.view
    if view.to_act != view.seat:
        who = "the game is over" if view.over else f"seat {view.to_act} is to act"
        raise KibitzError(f"seat {view.seat} has nothing to decide: {who}")
    try:
        random.checked(seed, "seed", random.MAX_SEED)
    except ValueError as error:
        raise KibitzError(str(error)) from None
    sitting = agent(player, view.rules.game)
    if not isinstance(sitting, SearchAgent):
        found = sitting.decide(view, random.generator(seed, stream=1 + view.seat))
        note = f"{player} does not search: it plays by its rules, and gives no values"
        return dataclasses.replace(found, why=(note,))
    said = sitting.options
    belief = position.belief(said.model, said.particles, method=said.belief)
    return explained(sitting.think(belief, view, seed), belief, view, seed)


def explained(decision: Decision, belief: Belief, view: View, seed: int = 0) -> Decision:
    """The decision with what is believed, which moves are equal, and why."""
    told = belief.summary()
    if not decision.moves:
        said = f"{view.text(decision.action)} is the only legal move"
        return dataclasses.replace(decision, belief=told, why=(said,), equal=(decision.action,))
    best, *others = decision.moves
    equal = [best, *(move for move in others if _within_noise(best, move))]
    why = [_comparison(view, best, others, equal)]
    if others:
        why.append(_worlds(decision, belief, view, best, others[0], seed))
    why += belief.remarks([move.action for move in decision.moves])
    if decision.full:
        why.append(
            f"The tree reached its limit of {decision.nodes:,} nodes; "
            "more would make the values better"
        )
    return dataclasses.replace(
        decision, belief=told, why=tuple(why), equal=tuple(move.action for move in equal)
    )


def _within_noise(best: Move, move: Move) -> bool:
    return abs(best.value - move.value) <= Z95 * math.hypot(best.error, move.error)


def _comparison(view: View, best: Move, others: Sequence[Move], equal: Sequence[Move]) -> str:
    game = game_of(view.rules)
    worth = game.value_text(best.value, best.error)
    if not others:
        return f"{best.text}: {worth}"
    if len(equal) == len(others) + 1:
        return f"All {len(equal)} moves are equal within the error: {best.text} has {worth}"
    if len(equal) > 1:
        names = [move.text for move in equal[1 : MOST_NAMED + 1]]
        rest = len(equal) - 1 - len(names)
        said = ", ".join(names) + (f" and {rest} more" if rest else "")
        return f"{best.text} has {worth}; within the error it is equal to {said}"
    second = max(others, key=lambda move: move.value)
    than = game.value_text(second.value, second.error)
    return f"{best.text} is best: {worth}, against {than} for {second.text}"


def _worlds(
    decision: Decision, belief: Belief, view: View, best: Move, second: Move, seed: int
) -> str:
    if decision.by_world:
        pairs = [(w[best.action][1], w[second.action][1]) for w in decision.by_world]
        won = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs)
        number = len(pairs)
    else:
        worlds, _ = belief.sample(DUEL_WORLDS, random.generator(seed, stream=DUEL_STREAM))
        seats = view.rules.seats
        source = random.generator(seed, 1, DUEL_STREAM)
        won = duel(
            view.rules.params, worlds, best.action, second.action, DUEL_GAMES, view.seat,
            np.full(seats, np.inf), DUEL_RANDOMNESS, np.array(game_of(view.rules).weights), source,
        )  # fmt: skip
        number = DUEL_WORLDS
    share = percent(won / number) if won not in (0, number) else f"{100 * won / number:.0f}"
    return f"{best.text} does better than {second.text} in {share} % of {number} worlds drawn"
