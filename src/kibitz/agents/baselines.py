"""Players that follow a policy kernel: uniform random, and the rule player of each game."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kibitz import policy
from kibitz import rng as random
from kibitz.agents.base import Decision, check_asked
from kibitz.contract import ACTIONS
from kibitz.view import View


class PolicyAgent:
    """Plays by a policy kernel. `policy` is its number: games in which every player has one are
    played entirely inside kernels."""

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.policy = number

    def decide(self, view: View, rng: NDArray[np.uint64]) -> Decision:
        check_asked(view, rng)
        params, observation = view.rules.params, view.observation
        out, scratch = np.zeros(ACTIONS), np.zeros(ACTIONS)
        policy.probabilities(params, observation, self.policy, out, scratch)
        action = int(policy.choose(params, observation, self.policy, rng, scratch))
        return Decision(action, {a: float(out[a]) for a in view.actions if out[a] > 0})


class SlippingAgent:
    """Plays by a policy kernel, but now and then any legal action: how beginners play. It has no
    number of its own, because kernels know of no slips."""

    def __init__(self, name: str, number: int, slips: float) -> None:
        self.name = name
        self.slips = slips
        self._steady = PolicyAgent(name, number)

    def decide(self, view: View, rng: NDArray[np.uint64]) -> Decision:
        check_asked(view, rng)
        if float(random.uniform(rng)) >= self.slips:
            return self._steady.decide(view, rng)
        return Decision(view.actions[int(random.below(rng, len(view.actions)))])
