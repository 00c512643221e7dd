"""Agents that follow a player of `kibitz.players`: uniform random, and each game's rule and keen
players, who may be softened by a temperature."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kibitz import players
from kibitz import rng as random
from kibitz.agents.base import Agent, Decision, check_asked
from kibitz.contract import ACTIONS
from kibitz.players import Player
from kibitz.view import View


class PlayerAgent:
    """Plays as `player` does: games in which everybody does so are played entirely inside
    kernels."""

    def __init__(self, name: str, player: Player) -> None:
        self.name = name
        self.player = player

    def decide(self, view: View, rng: NDArray[np.uint64]) -> Decision:
        check_asked(view, rng)
        params, observation = view.rules.params, view.observation
        out, scratch = np.zeros(ACTIONS), np.zeros(ACTIONS)
        players.chances(params, observation, self.player, out)
        action = int(players.choose(params, observation, self.player, rng, scratch))
        return Decision(action, {a: float(out[a]) for a in view.actions if out[a] > 0})


class SlippingAgent:
    """Plays as another does, but now and then any legal action: how beginners play. It is
    no player of its own, because kernels know of no slips."""

    def __init__(self, name: str, steady: Agent, slips: float) -> None:
        self.name = name
        self.slips = slips
        self._steady = steady

    def decide(self, view: View, rng: NDArray[np.uint64]) -> Decision:
        check_asked(view, rng)
        if float(random.uniform(rng)) >= self.slips:
            return self._steady.decide(view, rng)
        return Decision(view.actions[int(random.below(rng, len(view.actions)))])
