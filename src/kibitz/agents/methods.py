"""The searches: one class a method, with its options and all that it does in its own way.

A search decides once: `begin` says where, `step` searches a little, as often as it is asked to and
until it is False, and `decision` tells at any time what was found. What comes of a seed and a
number of simulations is the same however long the steps took and whoever had a turn in between.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kibitz import contract
from kibitz.agents.base import Decision
from kibitz.agents.found import decision_of, forced
from kibitz.agents.options import SearchOptions, option, particles_of
from kibitz.agents.sure import Sure, sure_wins, with_sure_wins
from kibitz.agents.tree_reuse import reused
from kibitz.contract import ACTIONS
from kibitz.evaluate.kernels import Evaluator
from kibitz.games import game_of
from kibitz.games.base import KibitzError, Rules, State
from kibitz.games.belief import Belief
from kibitz.games.model import Model, chance
from kibitz.games.model import model as read_model
from kibitz.players import KEEN, RULE, SILENT, UNIFORM, Player, as_array
from kibitz.rng import uniform
from kibitz.search.kernels import Others
from kibitz.search.search import (
    FEWEST,
    NO_FUNCTIONS,
    Chooser,
    Draw,
    Functions,
    Problem,
    Tree,
    search_block,
    search_params,
    seed_of,
    source_of,
)
from kibitz.search.selection import ALL, ASKED, EACH, MODELLED, PUCT, UCB
from kibitz.view import View

Array = NDArray[Any]
FIRST_BLOCK, BLOCK = 128, 1000
"""Simulations of a step: few at first where only the clock says how many there will be, then some
milliseconds' worth."""
ALPHA = 10.0
"""Dirichlet noise has this many pseudo-counts over all legal actions (as in KataGo)."""
PARTICLES_KEPT = 20_000
ROLLOUTS = {"keen": Player(KEEN), "rule": Player(RULE), "uniform": Player(UNIFORM)}
"""Who plays games out."""

Function = Callable[[Rules, State], Sequence[float]]
"""An evaluator of one's own: what each seat can expect from a state on, until the hands are dealt
anew. The state is a world of the search, with all cards in place."""

SEARCHES: dict[str, type[Search]] = {}
"""Every method by its name."""


class Search:
    """One decision by one method."""

    name: ClassVar[str] = ""
    Options: ClassVar[type[SearchOptions]] = SearchOptions
    example: ClassVar[str] = ""
    """Of options, for a list of agents."""

    def __init_subclass__(cls) -> None:
        if cls.name:
            SEARCHES[cls.name] = cls

    def __init__(
        self,
        options: Any,
        seed: int,
        *,
        values: Function | None = None,
        began: float | None = None,
        steady: bool = False,
    ) -> None:
        """A time budget counts from `began`, else from now. `steady`: search also where there is no
        choice. `values`: a function that gives states their values."""
        self.options = options
        self.seed = seed
        self.values = values
        self.steady = steady
        self.simulations = 0
        self._began = time.monotonic() if began is None else began
        self._sure: Sure | None = None

    def begin(
        self,
        view: View,
        belief: Belief | None,
        *,
        draw: Draw | None = None,
        before: Search | None = None,
    ) -> None:
        """Decide for the seat of `view` over worlds of `belief`, unless they come from `draw`.
        `before`: the search of the seat's decision before, if that may be of use."""
        self.view, self.belief = view, belief
        self.chosen = view.actions[0]
        self.idle = len(view.actions) == 1 and not self.steady
        if draw is None:
            assert belief is not None
            draw = drawing(belief)
        if self.idle:
            self._pass(before)
        else:
            self._problem = self.problem(draw)
            self._prepare(before)

    def step(self) -> bool:
        """Search a little. False when there is nothing more to search."""
        return not self.idle and self._search()

    def decision(self) -> Decision:
        """What is known by now: what is proved counts, then what the search has found."""
        if self.idle:
            return forced(self.view)
        if self._sure is None:
            self._sure = sure_wins(self.options, self.belief, self.view)
        found = self._found() if self.simulations else forced(self.view)
        found = with_sure_wins(found, self.view, self._sure)
        self.chosen = found.action
        return found

    # --- what methods do in their own way ---

    def _prepare(self, before: Search | None) -> None:
        """Make room for what will be found."""
        raise NotImplementedError

    def _pass(self, before: Search | None) -> None:
        """There is no choice and nothing to search."""

    def _search(self) -> bool:
        raise NotImplementedError

    def _found(self) -> Decision:
        raise NotImplementedError

    def _params(self) -> dict[str, Any]:
        """Parameters in which the method differs."""
        return {}

    def _others(self) -> Others:
        """Who the others are, where they are modelled."""
        return Others(as_array([Player(UNIFORM)]), np.ones((self.view.rules.seats, 1)))

    def _chooser(self) -> Chooser | None:
        """Who chooses for the others, if that is a function."""
        return None

    # --- what they share ---

    def problem(self, draw: Draw) -> Problem:
        options, rules = self.options, self.view.rules
        others, chooser = self._others(), self._chooser()
        params = {"observer": self.view.seat, "modelled": 0, **self._params()}
        keen = options.priors == "keen"
        search = search_params(
            rules.params,
            self.view.observation,
            seat=self.view.seat,
            patience=int(options.patience),
            selection=PUCT if keen or options.noise else UCB,
            explore=float(options.explore),
            prior=Player(KEEN, 1 / options.heat) if keen else Player(UNIFORM),
            noise=float(options.noise),
            dirichlet=self._noise() if options.noise else np.zeros(ACTIONS),
            discount=float(options.discount),
            **params,
        )
        evaluator = Evaluator(
            players=as_array([ROLLOUTS[options.rollout]] * rules.seats),
            randomness=float(options.randomness),
            alone=int(params["modelled"] != 0),
            horizon=int(options.horizon),
            exact=int(options.exact),
            weights=np.array(game_of(rules).weights),
        )
        functions = NO_FUNCTIONS
        if self.values is not None or chooser is not None:
            functions = Functions(None if self.values is None else self._worth, chooser)
        return Problem(rules.params, rules.seats, draw, search, evaluator, others, functions)

    def _worth(self, params: Any, state: Any) -> Sequence[float]:
        """What the user's function says of a state."""
        assert self.values is not None
        rules = self.view.rules
        said = self.values(rules, state)
        try:
            found = [float(value) for value in said]
        except (TypeError, ValueError):
            found = []
        if len(found) != rules.seats or not all(map(math.isfinite, found)):
            raise KibitzError(
                f"an evaluator gives a number for each of the {rules.seats} seats, what it can "
                f"expect from here on, not {said!r}"
            )
        return found

    def _noise(self) -> Array:
        """Dirichlet noise over the legal actions."""
        found = np.zeros(ACTIONS)
        actions = list(self.view.actions)
        alphas = [ALPHA / len(actions)] * len(actions)
        found[actions] = np.random.default_rng(self.seed).dirichlet(alphas)
        return found

    def _left(self) -> float | None:
        """Seconds, if they count."""
        if not self.options.ms:
            return None
        return float(self.options.ms / 1000 - (time.monotonic() - self._began))


class _OneTree(Search):
    """A tree, and a fresh world for each simulation."""

    def _prepare(self, before: Search | None) -> None:
        rules, options = self.view.rules, self.options
        each = self._problem.search.observer == EACH
        room = (rules.seats if each else 1) * (options.sims + 1)
        self.tree = self._empty_tree(max(rules.seats, min(options.nodes, room)))
        self.tree.root = self.view.seat if each else 0
        self._block = FIRST_BLOCK if options.ms else BLOCK
        self._number = 0

    def _empty_tree(self, nodes: int, particles: int = 0) -> Tree:
        dtype, seats = game_of(self.view.rules).dtype, self.view.rules.seats
        return Tree(dtype, seats, nodes, particles, priors=self._problem.search.selection == PUCT)

    def _search(self) -> bool:
        seconds, left = self._left(), self.options.sims - self.simulations
        if left <= 0 or (seconds is not None and seconds <= 0 and self.simulations):
            return False
        deadline = 0.0 if seconds is None else time.monotonic() + seconds
        seed = seed_of(self.seed, 2 * self._number)
        starts = self._problem.draw(min(self._block, left), seed)
        source = source_of(self.seed, 2 * self._number + 1)
        done = search_block(self._problem, self.tree, starts, len(starts), source, deadline)
        self.simulations += done
        self._number += 1
        self._block = min(2 * self._block, BLOCK)
        over = deadline > 0 and time.monotonic() >= deadline
        return done == len(starts) and self.simulations < self.options.sims and not over

    def _found(self) -> Decision:
        return decision_of(
            self.options, self.view, [self.tree], self._problem, self._began, self.seed
        )


class Flat(_OneTree):
    """Monte Carlo with upper confidence bounds over the actions of now, and no tree."""

    name = "flat"
    example = "sims=1000"

    def _params(self) -> dict[str, Any]:
        return {"depth": 1}


class Worlds(Search):
    """Some worlds, each searched as if all cards were seen; visits are added up."""

    name = "worlds"
    example = "worlds=5,sims=50"

    @dataclass(frozen=True)
    class Options(SearchOptions):
        worlds: int = option(5, "worlds drawn from the belief", 1, 100_000)
        sims: int = option(50, "simulations in each world", 1)
        threads: int = option(1, "worlds searched at the same time; changes nothing else", 1, 256)

    def _params(self) -> dict[str, Any]:
        return {"observer": ALL}

    def _prepare(self, before: Search | None) -> None:
        self.trees: list[Tree] = []
        self._worlds: Array | None = None

    def _search(self) -> bool:
        """As many worlds as there are threads. Seconds are for all together: worlds whose turn
        comes too late are left out."""
        options = self.options
        if self._worlds is None:  # a belief that is worked out only now takes its time
            self._worlds = self._problem.draw(options.worlds, self.seed)
            self._start, self._seconds = time.monotonic(), self._left()
            if self._seconds is not None:
                self._seconds = max(0.0, self._seconds)
            self._next = 0
        numbers = range(self._next, min(self._next + options.threads, len(self._worlds)))
        self._next = numbers.stop
        if options.threads == 1 or len(numbers) == 1:
            found = [self._world(number) for number in numbers]
        else:
            with ThreadPoolExecutor(options.threads) as pool:
                found = list(pool.map(self._world, numbers))
        self.trees += [tree for tree in found if tree is not None]
        self.simulations = sum(tree.simulations for tree in self.trees)
        return self._next < len(self._worlds) and None not in found

    def _world(self, number: int) -> Tree | None:
        assert self._worlds is not None
        options, all_worlds = self.options, len(self._worlds)
        spent = time.monotonic() - self._start
        deadline = 0.0
        if self._seconds is not None:
            if number and spent > self._seconds:
                return None
            rounds = -(-all_worlds // options.threads)  # worlds that a thread searches in turn
            turn = min(rounds, number // options.threads + 1)
            deadline = self._start + self._seconds * turn / rounds
        room = max(2, min(options.nodes // all_worlds, options.sims + 1))
        rules = self.view.rules
        puct = self._problem.search.selection == PUCT
        tree = Tree(game_of(rules).dtype, rules.seats, room, priors=puct)
        tree.world = self._worlds[number : number + 1]
        problem = self._problem
        if options.threads > 1:  # each writes down who plays
            players = problem.evaluator.players.copy()
            problem = replace(problem, evaluator=problem.evaluator._replace(players=players))
        with np.errstate(over="ignore"):  # in plain Python, which forgets this in other threads
            search_block(
                problem, tree, tree.world, options.sims, source_of(self.seed, number), deadline,
                max(1, FEWEST // all_worlds),
            )  # fmt: skip
        return tree

    def _found(self) -> Decision:
        return decision_of(
            self.options, self.view, self.trees, self._problem, self._began, self.seed, True
        )


class Ismcts(_OneTree):
    """One tree over what the seat can tell apart, a fresh world for each simulation."""

    name = "ismcts"
    example = "ms=100"

    @dataclass(frozen=True)
    class Options(SearchOptions):
        observers: str = option("one", "a tree for this seat, or for each", words=("one", "each"))

    def _params(self) -> dict[str, Any]:
        return {"observer": EACH} if self.options.observers == "each" else {}


class Pomcp(_OneTree):
    """A tree over own actions and what is seen; the others play by the model."""

    name = "pomcp"
    example = "sims=2000,particles=1000"

    @dataclass(frozen=True)
    class Options(SearchOptions):
        sims: int = option(2000, "simulations of a decision", 1)
        others: str = option(
            "auto", "how the others play: keen, a model, or auto: as the belief learns"
        )
        keep: int = option(1, "1 keeps the part of the tree that came true", 0, 1)
        root: str = option(
            "belief", "where worlds come from: the belief, or the tree's own particles",
            words=("belief", "tree"),
        )  # fmt: skip

    def _params(self) -> dict[str, Any]:
        return {"modelled": ASKED if self._chooser() is not None else MODELLED}

    def _others(self) -> Others:
        seats = self.view.rules.seats
        if self.options.others == "keen":
            return Others(as_array([Player(KEEN)]), np.ones((seats, 1)))
        if self.options.others != "auto":
            model = read_model(self.options.others)
            return Others(_playing(model.players), np.tile(model.shares, (seats, 1)))
        assert self.belief is not None
        seat = self.view.seat
        known = {other: self.belief.players(other) for other in range(seats) if other != seat}
        players = [player for player, _ in next(iter(known.values()))]
        shares = np.zeros((seats, len(players)))
        for other, found in known.items():
            shares[other] = [chance for _, chance in found]
        return Others(_playing(players), shares)

    def _chooser(self) -> Chooser | None:
        model = None if self.belief is None else self.belief.options.model
        if self.options.others != "auto" or model is None or model.function is None:
            return None
        return _asked(self.view.rules, model)

    def _prepare(self, before: Search | None) -> None:
        super()._prepare(before)
        options = self.options
        old = self._reusable(before)
        particles = min(PARTICLES_KEPT, 8 * options.sims) if options.root == "tree" else 0
        if old is None and not particles:
            return
        room = (0 if old is None else len(old)) + options.sims + 1
        self.tree = self._empty_tree(min(options.nodes, room), particles)
        if old is not None:
            self.tree.take(old)
        if len(own := self.tree.particles.copy()):
            assert self.belief is not None
            draw = _from_tree(own, particles_of(options, self.view.rules), self._problem.draw)
            self._problem = replace(self._problem, draw=draw)

    def _pass(self, before: Search | None) -> None:
        if (old := self._reusable(before)) is not None:
            self.tree = old

    def _reusable(self, before: Search | None) -> Tree | None:
        """The part of the tree before that came true."""
        return before.branch(self.view) if self.options.keep and isinstance(before, Pomcp) else None

    def branch(self, view: View) -> Tree | None:
        """The part of the tree that belongs to a later view of the seat."""
        tree = getattr(self, "tree", None)
        return None if tree is None else reused(tree, self.view, self.chosen, view)


def _playing(players: Sequence[Player]) -> Array:
    """As those who play: who says nothing about choices is taken to choose uniformly."""
    return as_array(Player(UNIFORM) if p.kind == SILENT else p for p in players)


def _asked(rules: Rules, model: Model) -> Chooser:
    """Others who choose as a model's function says, which is shown what they may know."""
    seen = game_of(rules).new_state()

    def choose(state: State, seat: int, source: Any) -> int:
        assert model.function is not None
        contract.observe(rules.params, state, seat, seen)
        said = model.function(rules, seen)
        legal = int(contract.legal_actions(rules.params, state))
        actions = [action for action in range(ACTIONS) if legal >> action & 1]
        chances = np.cumsum([chance(said, action) for action in actions])
        if chances[-1] <= 0:
            raise KibitzError(f"the model gives no chance to any of the legal actions: {said!r}")
        at = float(uniform(source)) * chances[-1]
        return actions[int((chances > at).argmax())]

    return choose


def _from_tree(own: Array, wanted: int, outside: Draw) -> Draw:
    """The tree's own particles, made up from the belief where they are fewer than `wanted`."""

    def draw(n: int, seed: int) -> Array:
        source = np.random.default_rng(seed)
        inside = int(source.binomial(n, min(1.0, len(own) / wanted)))
        made_up = outside(max(1, n - inside), seed)[: n - inside]
        return np.concatenate([own[source.integers(len(own), size=inside)], made_up])

    return draw


def drawing(belief: Belief) -> Draw:
    """Worlds of a belief. It holds the belief alone: were it to hold who thinks, the tree would
    outlive the search until cycles are looked for."""
    return lambda n, seed: belief.sample(n, seed)[0]


def run_out(search: Search) -> Decision:
    """Search until there is nothing more to search."""
    while search.step():
        pass
    return search.decision()
