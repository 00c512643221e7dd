"""Agents that search: a belief draws worlds, a search decides."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz import rng as random
from kibitz.agents.base import Decision, check_asked
from kibitz.agents.found import forced
from kibitz.agents.methods import Function, Pomcp, Search, run_out
from kibitz.agents.options import SearchOptions, particles_of
from kibitz.beliefs import belief, check_options
from kibitz.games import rules_type
from kibitz.games.base import KibitzError, Rules
from kibitz.games.belief import Belief
from kibitz.games.model import Chances, Model
from kibitz.games.model import model as read_model
from kibitz.search.search import Draw
from kibitz.view import View


class SearchAgent:
    """Plays what a search finds best."""

    def __init__(
        self,
        name: str,
        method: type[Search],
        options: SearchOptions,
        *,
        evaluator: Function | None = None,
        model: str | Model | Chances | None = None,
    ) -> None:
        """`evaluator` and `model`: functions of one's own, in place of games played out and of the
        model that the options name."""
        self.name = name
        self.method = method
        self.options = options
        self.evaluator = evaluator
        self.model: str | Model | Chances = options.model if model is None else model
        self.steady = False
        """Think as long where there is no choice: somebody hears when the move comes."""
        self._before: Search | None = None
        self._ready: set[type[Rules]] = set()

    def decide(self, view: View, rng: NDArray[np.uint64]) -> Decision:
        check_asked(view, rng)
        keeps = isinstance(self.options, Pomcp.Options) and self.options.keep
        if len(view.actions) == 1 and not self.steady and not keeps:
            return forced(view)
        seed = int(random.next_word(rng))
        if self.options.ms and type(view.rules) not in self._ready:
            self._ready.add(type(view.rules))
            self.prepare(view)
        began = time.monotonic()
        return self.think(self.belief(view), view, seed, began=began)

    def hasty(self) -> SearchAgent:
        """The same with next to no time: to have everything compiled."""
        return self.with_options(replace(self.options, ms=0.0, sims=2))

    def with_options(self, options: SearchOptions) -> SearchAgent:
        """The same with other options, and nothing remembered."""
        return SearchAgent(
            self.name, self.method, options, evaluator=self.evaluator, model=self.model
        )

    def prepare(self, view: View) -> None:
        """Have everything compiled before the clock of a time budget starts."""
        self.hasty().think(self.belief(view), view, 0)

    def check(self, view: View) -> None:
        """Refuse a belief that cannot be worked out for such a view, as `exact` of too many hands;
        what the best method there is cannot do, none can."""
        if self.options.belief != "auto":
            self.belief(view).sample(1, 0)

    def belief(self, view: View) -> Belief:
        """What the agent believes of the hidden cards."""
        options = self.options
        return belief(view, options.belief, self.model, particles_of(options, view.rules))

    def search(self, seed: int, **more: Any) -> Search:
        """A search of its method."""
        return self.method(self.options, seed, values=self.evaluator, **more)

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
        search = self.search(seed, began=began, steady=self.steady)
        before, self._before = self._before, None  # nobody else may use it meanwhile
        search.begin(view, belief, draw=draw, before=before)
        decision = run_out(search)
        if isinstance(search, Pomcp) and search.options.keep:
            self._before = search
        return decision


@lru_cache(maxsize=256)
def check_search(options: SearchOptions, base: str, game: str) -> None:
    """Refuse what no position of the game could be searched with: only the model and the method of
    the belief are left to check, and they would be read at the first decision."""
    rules = rules_type(game)()
    try:
        check_options(rules, options.belief, options.model)
        if isinstance(options, Pomcp.Options) and options.others not in ("auto", "keen"):
            read_model(options.others)
    except KibitzError as error:
        raise KibitzError(f"{base}: {error}") from None
