"""OpenSpiel's information-set search as players of Blob, where our rules are its `oh_hell`.

Two bots, both OpenSpiel's own, with one random rollout at a leaf and the most visited action at the
end. They differ in where the worlds come from:

* `bot=python` can be told how to draw worlds, and draws them as an honest player must: any cards
  that were not seen, in hands of the right sizes, under the voids that were shown.
* `bot=cpp` is some thirty times faster, but takes its worlds from `oh_hell`, which shuffles only
  the cards that the others were truly dealt, and does not mind voids. It has to be given the true
  deal, and so knows which cards are out of play: more than a player may.

A seed settles what the first does. The second breaks ties in the order of hash tables, which hangs
on where they lie in memory, so that with the same seed it may yet choose otherwise.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz import rng as random
from kibitz.agents.base import Decision
from kibitz.agents.options import OpenSpielOptions, read_options
from kibitz.beliefs import belief
from kibitz.games.base import KibitzError, Rules
from kibitz.peers import library, version
from kibitz.peers.oh_hell import as_oh_hell, oh_hell_position, our_action, span
from kibitz.table import Table
from kibitz.view import View


def openspiel(name: str, game: str) -> PythonBot | CppBot:
    """The player of a name such as ``openspiel:bot=cpp,ms=50``."""
    if game != "blob":
        raise KibitzError(f"openspiel plays blob, not {game}")
    said = read_options(OpenSpielOptions, "openspiel", name.partition(":")[2])
    if said.bot == "python" and said.ms:
        raise KibitzError("openspiel: bot=python counts simulations only: give it sims, not ms")
    library("pyspiel")
    return PythonBot(name, said) if said.bot == "python" else CppBot(name, said)


class PythonBot:
    """OpenSpiel's search in Python, honest: all that it gets is made of the view."""

    def __init__(self, name: str, options: OpenSpielOptions) -> None:
        self.name = name
        self.options = options
        self._ismcts = library("open_spiel.python.algorithms.ismcts")
        self._mcts = library("open_spiel.python.algorithms.mcts")

    def fits(self, rules: Rules) -> None:
        as_oh_hell(rules)

    def version(self) -> str:
        return version("open_spiel")

    def hasty(self) -> PythonBot:
        """The same with next to no time: to have everything compiled."""
        return PythonBot(self.name, replace(self.options, sims=1))

    def decide(self, view: View, rng: NDArray[np.uint64]) -> Decision:
        rules, said = as_oh_hell(view.rules), self.options
        if len(view.actions) == 1:
            return _certain(view.actions[0])
        seed, source = int(random.next_word(rng)), np.random.RandomState(_seed(rng))
        # counting weighs no choices: every deal that fits is as likely as the next
        worlds, _ = belief(view, "counting").sample(said.sims + 1, seed)
        positions = (oh_hell_position(view, world) for world in worlds)
        root = next(positions)
        bot = self._ismcts.ISMCTSBot(
            game=root.get_game(),
            evaluator=self._mcts.RandomRolloutEvaluator(1, source),
            uct_c=said.uct or span(view),
            max_simulations=said.sims,
            random_state=source,
            final_policy_type=self._ismcts.ISMCTSFinalPolicyType.MAX_VISIT_COUNT,
        )
        bot.set_resampler(lambda state, player: next(positions))
        return _certain(our_action(rules, int(bot.step(root))))


class CppBot:
    """OpenSpiel's search in C++, which sees more than it may: which cards were not dealt."""

    def __init__(self, name: str, options: OpenSpielOptions) -> None:
        self.name = name
        self.options = options

    def fits(self, rules: Rules) -> None:
        as_oh_hell(rules)

    def version(self) -> str:
        return version("open_spiel")

    def decide_at(self, table: Table, rng: NDArray[np.uint64]) -> Decision:
        view, said = table.view(table.to_act), self.options
        rules = as_oh_hell(view.rules)
        if len(view.actions) == 1:
            return _certain(view.actions[0])
        bot = cpp_ismcts(_seed(rng), said.sims, said.uct or span(view), said.ms)
        try:
            theirs = bot.step(oh_hell_position(view, table.true_state()))
        except library("pyspiel").SpielError:
            raise KibitzError(f"{self.name}: too little time to look at anything") from None
        return _certain(our_action(rules, theirs))


def cpp_ismcts(seed: int, sims: int, explore: float, ms: float = 0.0) -> Any:
    """The bot in C++. With `ms` it looks at the clock alone and does not count simulations.

    Nodes are told apart by the information state, because `oh_hell` has no observation string; in
    one information state all worlds have the same legal actions, so the slower search that allows
    for others is not needed."""
    pyspiel = library("pyspiel")
    return pyspiel.ISMCTSBot(
        seed=seed,
        evaluator=pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=seed),
        uct_c=explore,
        max_simulations=sims,
        max_world_samples=-1,
        final_policy_type=pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT,
        use_observation_string=False,
        allow_inconsistent_action_sets=False,
        max_wall_clock_time=ms / 1000 if ms else -1.0,
    )


def _seed(rng: NDArray[np.uint64]) -> int:
    """A seed as small as the bots take it."""
    return int(random.next_word(rng)) & 0x7FFFFFFF


def _certain(action: int) -> Decision:
    return Decision(action, {action: 1.0})
