"""Thinking in steps: a search that says at any time what it has found so far, for those who want to
watch it, stop it, or take turns with other searches.

A step is a slice of simulations, so that the result for a number of simulations is the same however
long the steps took and whoever had a turn between them. `worlds` is searched in one step.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable

import numpy as np

from kibitz import rng as random
from kibitz.agents.advice import explained
from kibitz.agents.base import Agent, Decision
from kibitz.agents.names import agent
from kibitz.agents.options import (
    MOST_SIMS,
    PomcpOptions,
    SearchOptions,
    WorldsOptions,
    check_budget,
)
from kibitz.agents.searching import (
    Array,
    SearchAgent,
    decision_of,
    others_of,
    particles_of,
    problem_of,
    search_worlds,
)
from kibitz.agents.sure import Sure, sure_wins, with_sure_wins
from kibitz.games import game_of
from kibitz.games.base import checked_seed
from kibitz.games.belief import Belief
from kibitz.positions import Position
from kibitz.search.search import Budget, Problem, Tree, grow, rng_seed
from kibitz.view import View, check_turn, checked_view

SLICE = 1000
"""Simulations of a step: some milliseconds."""


class Thinking:
    """What the seat to act should play: `step` until it is False, or as long as you like."""

    def __init__(
        self,
        position: View | Position,
        player: str | Agent = "coach",
        *,
        seed: int = 0,
        sims: int | None = None,
        ms: float | None = None,
    ) -> None:
        check_budget(ms, sims)
        if not isinstance(position, Position):
            position = Position(checked_view(position))
        self.position = position
        self.view = view = self.position.view
        check_turn(view)
        self.seed = checked_seed(seed)
        self._sitting = agent(player, view.rules.game)
        self.player = player if isinstance(player, str) else player.name
        self.said = self._options(sims, ms)
        self.simulations = 0
        self._began = time.monotonic()
        self._sums = np.zeros(view.rules.seats)
        self._belief: Belief | None = None
        self._found: tuple[Problem, Tree] | None = None
        self._decision: Decision | None = None
        self._sure: Sure | None = None

    def _options(self, sims: int | None, ms: float | None) -> SearchOptions | None:
        """Those of the agent, with another budget if one is given; none if it does not search."""
        if not isinstance(self._sitting, SearchAgent):
            return None
        said = dataclasses.replace(self._sitting.options, temperature=0.0)  # the best, not a draw
        if sims is not None:
            said = dataclasses.replace(said, sims=sims, ms=0.0)
        if ms is not None:
            said = dataclasses.replace(said, ms=ms, sims=sims or MOST_SIMS)
        return said

    @property
    def belief(self) -> Belief:
        """What the seat may think of the hidden cards, as the search takes it."""
        if self._belief is None:
            said = self.said or SearchOptions()
            self._belief = self.position.belief(
                said.model, particles_of(said, self.view.rules), method=said.belief
            )
        return self._belief

    def step(self) -> bool:
        """Think a little. False when there is nothing more to think about."""
        said, view = self.said, self.view
        if said is None or len(view.actions) == 1:
            return False
        if isinstance(said, WorldsOptions):
            if self._decision is None:
                self._decision = search_worlds(said, view, _drawing(self.belief), self.seed)
                self.simulations = self._decision.simulations
            return False
        problem, tree = self._problem(said)
        left = said.sims - self.simulations
        seconds = None
        if said.ms:
            seconds = said.ms / 1000 - (time.monotonic() - self._began)
        if left <= 0 or (seconds is not None and seconds <= 0 and self.simulations):
            return False
        grow(problem, tree, Budget(min(SLICE, left), seconds), rng_seed(self.seed, self._steps))
        self._steps += 1
        self.simulations += tree.simulations
        self._sums += tree.sums
        return self.simulations < said.sims

    def _problem(self, said: SearchOptions) -> tuple[Problem, Tree]:
        if self._found is None:
            view = self.view
            if said.ms:  # nothing may be compiled on the clock
                SearchAgent(self.player, said).prepare(self.belief, view)
                self._began = time.monotonic()
            problem = problem_of(said, view, _drawing(self.belief), self.seed)
            if isinstance(said, PomcpOptions):
                kinds, shares = others_of(said, self.belief, view)
                problem = dataclasses.replace(problem, kinds=kinds, shares=shares)
            seats = view.rules.seats
            each = seats if problem.each else 1
            room = max(seats, min(said.nodes, each * (said.sims + 1)))
            tree = Tree(game_of(view.rules).dtype, seats, room)
            tree.root = view.seat if problem.each else 0
            self._steps = 0
            self._found = problem, tree
        return self._found

    def decision(self) -> Decision:
        """What is known by now."""
        if self.said is None:
            source = random.generator(self.seed, stream=1 + self.view.seat)
            return self._sitting.decide(self.view, source)
        if self._sure is None:
            self._sure = sure_wins(self.said, self.belief, self.view)
        return with_sure_wins(self._searched(self.said), self.view, self._sure)

    def _searched(self, said: SearchOptions) -> Decision:
        """What the search has found by now."""
        view = self.view
        if self._decision is not None:
            return self._decision
        if len(view.actions) == 1 or self._found is None:
            return Decision(view.actions[0], {view.actions[0]: 1.0})
        problem, tree = self._found
        tree.sums, tree.simulations = self._sums.copy(), self.simulations
        return decision_of(said, view, [tree], problem, self._began, self.seed)

    def explained(self) -> Decision:
        """What is known by now, and why."""
        found = self.decision()
        if self.said is None:
            note = f"{self.player} does not search: it plays by its rules, and gives no values"
            return dataclasses.replace(found, why=(note,))
        found = explained(found, self.belief, self.view, self.seed)
        if self.said.ms and found.moves:
            note = (
                f"It thought for {self.said.ms:g} ms: another time it may find a little else; with "
                "sims in place of ms the same seed gives the same advice"
            )
            found = dataclasses.replace(found, why=(*found.why, note))
        return found


def _drawing(belief: Belief) -> Callable[[int, int], Array]:
    """Worlds for a search. It holds the belief alone: were it to hold who thinks, the tree would
    outlive the search until cycles are looked for."""
    return lambda n, seed: belief.sample(n, seed)[0]


def advise(position: View | Position, player: str | Agent = "coach", *, seed: int = 0) -> Decision:
    """What the seat to act should play, how sure that is, and why; for a view, or for a position
    that was told. The same seed gives the same advice, unless the player's budget is a time.

    >>> import kibitz
    >>> position = kibitz.position("uno", hand="R5 G3", top="R3", theirs=5)
    >>> position.view.text(kibitz.advise(position, "flat:sims=500").action)
    'R5'
    """
    thinking = Thinking(position, player, seed=seed)
    while thinking.step():
        pass
    return thinking.explained()
