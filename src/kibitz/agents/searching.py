"""Agents that search: a belief draws worlds, a search grows trees over them, a Decision comes out.

`think` works on a belief rather than a view, because advice may be asked for a position whose
history is told in words.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz import rng as random
from kibitz.agents.base import Decision, Move, check_asked
from kibitz.agents.kept import Kept
from kibitz.agents.options import (
    FlatOptions,
    IsmctsOptions,
    PomcpOptions,
    SearchOptions,
    WorldsOptions,
)
from kibitz.agents.sure import Sure, sure_wins, with_sure_wins
from kibitz.beliefs import belief, check_options
from kibitz.contract import ACTIONS
from kibitz.games import game_of, rules_type
from kibitz.games.base import KibitzError, Rules
from kibitz.games.belief import Belief
from kibitz.games.model import model as read_model
from kibitz.policy import KEENLY, SILENT
from kibitz.search.kernels import ALL, play_line
from kibitz.search.search import (
    Budget,
    Problem,
    Tree,
    grow,
    grow_apart,
    make_how,
    value_errors,
)
from kibitz.search.selection import PRIORS, UCB
from kibitz.view import View

Array = NDArray[Any]
Draw = Callable[[int, int], Array]
"""draw(n, seed): n worlds, each as likely as the next."""
ALPHA = 10.0
"""Dirichlet noise has this many pseudo-counts over all legal actions (as in KataGo)."""
PARTICLES_KEPT = 20_000
LINE_STREAM = 39
ROLLOUTS = {"keen": KEENLY, "rule": math.inf, "uniform": 0.0}
"""Who plays games out, as a sharpness."""
FEWEST_PARTICLES, PARTICLES = 30, 1000
"""Of a belief, where no number is named: the second, and down to the first when time is short."""


class SearchAgent:
    """Plays what a search finds best."""

    def __init__(self, name: str, options: SearchOptions) -> None:
        self.name = name
        self.options = options
        self.steady = False
        """Think as long where there is no choice: somebody hears when the move comes."""
        self._kept: Kept | None = None
        self._ready: set[type[Rules]] = set()

    def decide(self, view: View, rng: NDArray[np.uint64]) -> Decision:
        check_asked(view, rng)
        if self._idle(view) and not isinstance(self.options, PomcpOptions):
            return Decision(view.actions[0], {view.actions[0]: 1.0})
        seed = int(random.next_word(rng))
        if self.options.ms and type(view.rules) not in self._ready:
            self.prepare(self.belief(view), view)
        began = time.monotonic()
        return self.think(self.belief(view), view, seed, began=began)

    def _idle(self, view: View) -> bool:
        return len(view.actions) == 1 and not self.steady

    def hasty(self) -> SearchAgent:
        """The same with next to no time: to have everything compiled."""
        return SearchAgent(self.name, replace(self.options, ms=0.0, sims=2))

    def prepare(self, belief: Belief, view: View) -> None:
        """Have everything compiled before the clock of a time budget starts."""
        self._ready.add(type(view.rules))
        quick = replace(self.options, ms=0.0, sims=1, noise=0.0)
        SearchAgent(self.name, quick).think(belief, view, 0)

    def check(self, view: View) -> None:
        """Refuse a belief that cannot be worked out for such a view, as `exact` of too many hands;
        what the best method there is cannot do, none can."""
        if self.options.belief != "auto":
            self.belief(view).sample(1, 0)

    def belief(self, view: View) -> Belief:
        """What the agent believes of the hidden cards."""
        said = self.options
        return belief(view, said.belief, said.model, particles_of(said, view.rules))

    def think(
        self,
        belief: Belief,
        view: View,
        seed: int,
        draw: Draw | None = None,
        began: float | None = None,
    ) -> Decision:
        """Decide for the seat of `view` by searching worlds of `belief`, unless they are to come
        from `draw`. A time budget is counted from `began`, else from now."""
        began = time.monotonic() if began is None else began
        said = self.options

        def drawn(n: int, seed: int) -> Array:
            return belief.sample(n, seed)[0]

        draw = draw or drawn
        sure = sure_wins(said, belief, view)
        if isinstance(said, PomcpOptions):
            return self._pomcp(said, belief, view, seed, draw, began, sure)
        if self._idle(view):
            return Decision(view.actions[0], {view.actions[0]: 1.0})
        return with_sure_wins(search_worlds(said, view, draw, seed, began), view, sure)

    def _pomcp(
        self,
        said: PomcpOptions,
        belief: Belief,
        view: View,
        seed: int,
        draw: Draw,
        began: float,
        sure: Sure,
    ) -> Decision:
        kept, self._kept = self._kept, None  # nobody else may use it meanwhile
        tree = kept.found(view) if kept is not None and said.keep else None
        if self._idle(view):
            action = view.actions[0]
            decision = Decision(action, {action: 1.0})
        else:
            problem = problem_of(said, view, draw, seed)
            kinds, shares = others_of(said, belief, view)
            pool = min(PARTICLES_KEPT, 8 * said.sims) if said.root == "tree" else 0
            before = 0 if tree is None else int(tree.used[0])
            room = min(said.nodes, before + said.sims + 1)
            larger = Tree(game_of(view.rules).dtype, view.rules.seats, room, pool)
            if tree is not None:
                larger.take(tree)
            own = larger.worlds[: larger.used[2]].copy()
            if len(own):
                draw = _from_tree(own, particles_of(said, view.rules), draw)
            problem = replace(problem, draw=draw, kinds=kinds, shares=shares)
            tree = grow(problem, larger, _budget(said, began), seed)
            decision = decision_of(said, view, [tree], problem, began, seed)
            decision = with_sure_wins(decision, view, sure)
        if said.keep and tree is not None:
            self._kept = Kept(tree, view, decision.action)
        return decision


@lru_cache(maxsize=256)
def check_search(said: SearchOptions, base: str, game: str) -> None:
    """Refuse what no position of the game could be searched with: only the model and the method of
    the belief are left to check, and they would be read at the first decision."""
    rules = rules_type(game)()
    try:
        check_options(rules, said.belief, said.model)
        if isinstance(said, PomcpOptions) and said.others not in ("auto", "keen"):
            read_model(said.others)
    except KibitzError as error:
        raise KibitzError(f"{base}: {error}") from None


def particles_of(said: SearchOptions, rules: Rules) -> int:
    """How many particles the belief gets. Of a short time it must leave most to the search."""
    if said.particles:
        return said.particles
    if not said.ms:
        return PARTICLES
    affordable = said.ms * game_of(rules).particles_per_ms
    return int(min(PARTICLES, max(FEWEST_PARTICLES, affordable)))


def _from_tree(own: Array, wanted: int, outside: Draw) -> Draw:
    """The tree's own particles, made up from the belief where they are fewer than `wanted`."""

    def draw(n: int, seed: int) -> Array:
        source = np.random.default_rng(seed)
        inside = int(source.binomial(n, min(1.0, len(own) / wanted)))
        made_up = outside(max(1, n - inside), seed)[: n - inside]
        return np.concatenate([own[source.integers(len(own), size=inside)], made_up])

    return draw


def search_worlds(
    said: SearchOptions, view: View, draw: Draw, seed: int, began: float | None = None
) -> Decision:
    """Decide by a search, other than pomcp, over the worlds that `draw(n, seed)` gives."""
    began = time.monotonic() if began is None else began
    problem = problem_of(said, view, draw, seed)
    seats, dtype = view.rules.seats, game_of(view.rules).dtype
    if isinstance(said, WorldsOptions):
        worlds = draw(said.worlds, seed)  # a belief that is worked out only now takes its time
        budget = _budget(said, began)
        trees = grow_apart(problem, worlds, budget, seed, said.nodes, said.threads)
    else:
        each = seats if problem.each else 1
        room = max(seats, min(said.nodes, each * (said.sims + 1)))
        trees = [grow(problem, Tree(dtype, seats, room), _budget(said, began), seed)]
        trees[0].root = view.seat if problem.each else 0
    return decision_of(said, view, trees, problem, began, seed)


def _budget(said: SearchOptions, began: float) -> Budget:
    """What is left of it: the belief has had its share."""
    if not said.ms:
        return Budget(said.sims)
    left = said.ms / 1000 - (time.monotonic() - began)
    return Budget(said.sims, max(0.0, left))


def problem_of(said: SearchOptions, view: View, draw: Draw, seed: int) -> Problem:
    rules = view.rules
    how = make_how(
        rules.params,
        view.observation,
        seat=view.seat,
        observer=ALL if isinstance(said, WorldsOptions) else view.seat,
        modelled=int(isinstance(said, PomcpOptions)),
        patience=int(said.patience),
        rule=PRIORS if said.priors == "keen" or said.noise else UCB,
        explore=float(said.explore),
        heat=float(said.heat) if said.priors == "keen" else math.inf,
        noise=float(said.noise),
        discount=float(said.discount),
        randomness=float(said.randomness),
        horizon=int(said.horizon),
        exact=int(said.exact),
        **({"depth": 1} if isinstance(said, FlatOptions) else {}),
    )
    return Problem(
        params=rules.params,
        seats=rules.seats,
        draw=draw,
        how=how,
        rollout=ROLLOUTS[said.rollout],
        weights=np.array(game_of(rules).weights),
        noise=_noise(view, seed) if said.noise else np.zeros(ACTIONS),
        each=isinstance(said, IsmctsOptions) and said.observers == "each",
    )


def _noise(view: View, seed: int) -> Array:
    """Dirichlet noise over the legal actions."""
    found = np.zeros(ACTIONS)
    actions = list(view.actions)
    alphas = [ALPHA / len(actions)] * len(actions)
    found[actions] = np.random.default_rng(seed).dirichlet(alphas)
    return found


def others_of(said: PomcpOptions, belief: Belief, view: View) -> tuple[Array, Array]:
    """The kinds of players, by sharpness, and each seat's chances to be one of them."""
    seats = view.rules.seats
    if said.others == "keen":
        return np.array([KEENLY]), np.ones((seats, 1))
    if said.others != "auto":
        shares, kinds = read_model(said.others).arrays
        return _speaking(kinds), np.tile(shares, (seats, 1))
    found = {seat: belief.players(seat) for seat in range(seats) if seat != view.seat}
    kinds = np.array([sharpness for sharpness, _ in next(iter(found.values()))])
    shares = np.zeros((seats, len(kinds)))
    for seat, players in found.items():
        shares[seat] = [chance for _, chance in players]
    return _speaking(kinds), shares


def _speaking(kinds: Array) -> Array:
    """Who says nothing about choices is taken to choose uniformly."""
    found: Array = np.where(kinds == SILENT, 0.0, kinds)
    return found


# --- what came of it -----------------------------------------------------------------------------


def decision_of(
    said: SearchOptions, view: View, trees: list[Tree], problem: Problem, began: float, seed: int
) -> Decision:
    apart = np.array([tree.moves() for tree in trees])  # [tree, 3, action]
    visits = apart[:, 0].sum(axis=0)
    actions = [action for action in view.actions if visits[action] > 0] or [view.actions[0]]
    low, scale = problem.how.low, problem.how.scale
    if len(trees) == 1:
        mean, error = value_errors(apart[0])
    else:  # every world counts the same, however much of it was spent on an action
        mean, error = _over_worlds(apart)
    policy = _policy(visits, actions, said.temperature)
    best = max(actions, key=lambda a: (policy[a], visits[a], mean[a]))
    chosen = best
    if said.temperature > 0:
        at, chosen = np.random.default_rng(seed).random(), best
        for action, share in policy.items():
            at -= share
            if at < 0:
                chosen = action
                break
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
    many = isinstance(said, WorldsOptions)
    limit = max(2, said.nodes // len(trees)) if many else max(said.nodes, view.rules.seats)
    tree = trees[favourites.index(best) if best in favourites else 0]
    simulations = sum(tree.simulations for tree in trees)
    sums = np.sum([tree.sums for tree in trees], axis=0)
    return Decision(
        action=chosen,
        policy=policy,
        moves=tuple(moves),
        variation=line_text(view, tree, best, problem, seed),
        values=tuple(float(v) / max(1, simulations) for v in sums),
        simulations=simulations,
        worlds=len(trees) if many else simulations,
        nodes=int(sum(tree.used[0] for tree in trees)),
        full=any(tree.used[0] >= limit for tree in trees),
        agreement=favourites.count(best) / len(trees) if many else None,
        by_world=tuple(_in_world(w, actions, low, scale) for w in apart) if many else (),
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
    apart_by = (((means - mean) ** 2) * searched).sum(axis=0) / np.maximum(1, number - 1) / number
    return mean, np.sqrt(np.maximum(within, apart_by))


def _policy(visits: Array, actions: list[int], temperature: float) -> dict[int, float]:
    """Chances in proportion to visits^(1/temperature); at 0 as visits, and the most visited is
    played."""
    power = 1.0 / temperature if temperature > 0 else 1.0
    largest = max(visits[action] for action in actions)
    weights = {action: (visits[action] / max(1, largest)) ** power for action in actions}
    total = sum(weights.values()) or 1.0
    return {action: float(weight / total) for action, weight in weights.items()}


def line_text(
    view: View, tree: Tree, best: int, problem: Problem, seed: int, most: int = 8
) -> tuple[str, ...]:
    """The line searched most after `best`, in notation, as far as it can be played in one world."""
    game = game_of(view.rules)
    line = tree.line(best, most)
    states = np.empty(len(line) + 1, game.dtype)
    states[:1] = problem.draw(1, seed) if tree.world is None else tree.world
    source = random.generator(seed, stream=LINE_STREAM)
    length = play_line(view.rules.params, problem.how, states, np.array(line, np.int64), source)
    return tuple(game.action_text(states[k], line[k]) for k in range(length))
