"""Thinking in steps: a search that says at any time what it has found so far, for those who want to
watch it, stop it, or take turns with other searches."""

from __future__ import annotations

import dataclasses
import time

from kibitz import rng as random
from kibitz.agents.advice import explained
from kibitz.agents.base import Agent, Decision
from kibitz.agents.found import forced
from kibitz.agents.methods import Search
from kibitz.agents.names import agent
from kibitz.agents.options import MOST_SIMS, SearchOptions, check_budget, particles_of
from kibitz.agents.searching import SearchAgent
from kibitz.agents.sure import sure_wins, with_sure_wins
from kibitz.games.base import checked_seed
from kibitz.games.belief import Belief
from kibitz.positions import Position
from kibitz.view import View, check_turn, checked_view


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
        self._player = agent(player, view.rules.game)
        self.player = player if isinstance(player, str) else player.name
        if isinstance(self._player, SearchAgent):
            self._player = self._player.with_options(_options(self._player.options, sims, ms))
        self._belief: Belief | None = None
        self._search: Search | None = None

    @property
    def options(self) -> SearchOptions | None:
        """Of the search; None for who does not search."""
        return self._player.options if isinstance(self._player, SearchAgent) else None

    @property
    def simulations(self) -> int:
        return 0 if self._search is None else self._search.simulations

    @property
    def belief(self) -> Belief:
        """What the seat may think of the hidden cards, as the search takes it."""
        if self._belief is None:
            options = self.options or SearchOptions()
            model = self._player.model if isinstance(self._player, SearchAgent) else options.model
            self._belief = self.position.belief(
                model, particles_of(options, self.view.rules), method=options.belief
            )
        return self._belief

    def step(self) -> bool:
        """Think a little. False when there is nothing more to think about."""
        if not isinstance(self._player, SearchAgent) or len(self.view.actions) == 1:
            return False
        if self._search is None:
            if self._player.options.ms:  # nothing may be compiled on the clock
                self._player.hasty().think(self.belief, self.view, 0)
            self._search = self._player.search(self.seed, began=time.monotonic())
            self._search.begin(self.view, self.belief)
        return self._search.step()

    def decision(self) -> Decision:
        """What is known by now."""
        if not isinstance(self._player, SearchAgent):
            source = random.generator(self.seed, stream=random.SEATS + self.view.seat)
            return self._player.decide(self.view, source)
        if self._search is not None:
            return self._search.decision()
        sure = sure_wins(self._player.options, self.belief, self.view)
        return with_sure_wins(forced(self.view), self.view, sure)

    def explained(self) -> Decision:
        """What is known by now, and why."""
        found = self.decision()
        if self.options is None:
            note = f"{self.player} does not search: it plays by its rules, and gives no values"
            return dataclasses.replace(found, why=(note,))
        found = explained(found, self.belief, self.view, self.seed)
        if self.options.ms and found.moves:
            note = (
                f"It thought for {self.options.ms:g} ms: another time it may find a little else; "
                "with sims in place of ms the same seed gives the same advice"
            )
            found = dataclasses.replace(found, why=(*found.why, note))
        return found


def _options(options: SearchOptions, sims: int | None, ms: float | None) -> SearchOptions:
    """Those of the agent, with another budget if one is given."""
    options = dataclasses.replace(options, temperature=0.0)  # the best, not a draw
    if sims is not None:
        options = dataclasses.replace(options, sims=sims, ms=0.0)
    if ms is not None:
        options = dataclasses.replace(options, ms=ms, sims=sims or MOST_SIMS)
    return options


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
