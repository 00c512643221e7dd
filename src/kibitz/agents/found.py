"""What a search found, as a `Decision`."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz import rng as random
from kibitz.agents.base import Decision, Move
from kibitz.agents.options import SearchOptions
from kibitz.games import game_of
from kibitz.search.kernels import play_line
from kibitz.search.search import Problem, Tree, value_errors
from kibitz.view import View

Array = NDArray[Any]


def forced(view: View) -> Decision:
    """The decision where there is no choice."""
    return Decision(view.actions[0], {view.actions[0]: 1.0})


def decision_of(
    options: SearchOptions,
    view: View,
    trees: list[Tree],
    problem: Problem,
    began: float,
    seed: int,
    by_world: bool = False,
) -> Decision:
    """What one tree says, or, with `by_world`, one for each of some worlds."""
    apart = np.array([tree.moves() for tree in trees])  # [tree, 3, action]
    visits = apart[:, 0].sum(axis=0)
    actions = [action for action in view.actions if visits[action] > 0] or [view.actions[0]]
    low, scale = problem.search.low, problem.search.scale
    if len(trees) == 1:
        mean, error = value_errors(apart[0])
    else:  # every world counts the same, however much of it was spent on an action
        mean, error = _over_worlds(apart)
    policy = _policy(visits, actions, options.temperature)
    best = max(actions, key=lambda a: (policy[a], visits[a], mean[a]))
    moves = [
        Move(
            action,
            view.text(action),
            int(visits[action]),
            policy[action],
            float(mean[action] / scale + low),
            float(error[action] / scale),
        )
        for action in actions
    ]
    moves.sort(key=lambda move: (move.action != best, -move.visits, -move.value))
    favourites = [int(np.argmax(tree[0])) for tree in apart]
    limit = max(2, options.nodes // len(trees)) if by_world else max(options.nodes, problem.seats)
    tree = trees[favourites.index(best) if best in favourites else 0]
    simulations = sum(tree.simulations for tree in trees)
    sums = np.sum([tree.sums for tree in trees], axis=0)
    return Decision(
        action=_drawn(policy, best, seed) if options.temperature > 0 else best,
        policy=policy,
        moves=tuple(moves),
        variation=line_text(view, tree, best, problem, seed),
        values=tuple(float(v) / max(1, simulations) for v in sums),
        simulations=simulations,
        worlds=len(trees) if by_world else simulations,
        nodes=sum(map(len, trees)),
        full=any(len(tree) >= limit for tree in trees),
        agreement=favourites.count(best) / len(trees) if by_world else None,
        by_world=tuple(_in_world(w, actions, low, scale) for w in apart) if by_world else (),
        seconds=time.monotonic() - began,
    )


def _in_world(
    moves: Array, actions: list[int], low: float, scale: float
) -> dict[int, tuple[int, float, float]]:
    mean, error = value_errors(moves)
    return {
        a: (int(moves[0, a]), float(mean[a] / scale + low), float(error[a] / scale))
        for a in actions
        if moves[0, a]
    }


def _over_worlds(apart: Array) -> tuple[Array, Array]:
    """Mean and standard error of each action's value, from its values in the worlds."""
    searched = apart[:, 0] > 0
    number = np.maximum(1, searched.sum(axis=0))
    means, errors = np.array([value_errors(moves) for moves in apart]).transpose(1, 0, 2)
    mean = (means * searched).sum(axis=0) / number
    within = (errors**2 * searched).sum(axis=0) / number**2
    between = (((means - mean) ** 2) * searched).sum(axis=0) / np.maximum(1, number - 1) / number
    return mean, np.sqrt(np.maximum(within, between))


def _policy(visits: Array, actions: list[int], temperature: float) -> dict[int, float]:
    """Chances in proportion to visits^(1/temperature); at 0 as visits, and the most visited is
    played."""
    power = 1.0 / temperature if temperature > 0 else 1.0
    largest = max(visits[action] for action in actions)
    weights = {action: (visits[action] / max(1, largest)) ** power for action in actions}
    total = sum(weights.values()) or 1.0
    return {action: float(weight / total) for action, weight in weights.items()}


def _drawn(policy: dict[int, float], best: int, seed: int) -> int:
    """An action by its chance."""
    at = np.random.default_rng(seed).random()
    for action, share in policy.items():
        at -= share
        if at < 0:
            return action
    return best


def line_text(
    view: View, tree: Tree, best: int, problem: Problem, seed: int, most: int = 8
) -> tuple[str, ...]:
    """The line searched most after `best`, in notation, as far as it can be played in one world."""
    game = game_of(view.rules)
    line = tree.line(best, most)
    states = np.empty(len(line) + 1, game.dtype)
    states[:1] = problem.draw(1, seed) if tree.world is None else tree.world
    source = random.generator(seed, stream=random.LINE)
    length = play_line(view.rules.params, problem.search, states, np.array(line, np.int64), source)
    return tuple(game.action_text(states[k], line[k]) for k in range(length))
