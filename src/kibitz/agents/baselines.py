"""Players that follow a policy kernel: uniform random, and each game's rule and keen players."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kibitz import policy
from kibitz import rng as random
from kibitz.agents.base import Agent, Decision, check_asked
from kibitz.contract import ACTIONS, keen_scores, legal_actions, rule_scores
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


class SoftAgent:
    """Plays any action, with chances by what a policy likes: the player that a model of the others
    such as `rule:temperature=1` stands for. It has no number among the policies."""

    def __init__(self, name: str, number: int, temperature: float) -> None:
        self.name = name
        self.temperature = temperature
        self._scores = rule_scores if number == policy.RULE else keen_scores

    def decide(self, view: View, rng: NDArray[np.uint64]) -> Decision:
        check_asked(view, rng)
        params, observation, scores = view.rules.params, view.observation, np.zeros(ACTIONS)
        if len(view.actions) > 1:
            self._scores(params, observation, scores)
        total = policy.soften(legal_actions(params, observation), 1 / self.temperature, scores)
        shares = {action: float(scores[action] / total) for action in view.actions}
        reached = np.cumsum(list(shares.values())) > float(random.uniform(rng))
        action = view.actions[int(reached.argmax()) if reached.any() else -1]
        return Decision(action, shares)


class SlippingAgent:
    """Plays as another does, but now and then any legal action: how beginners play. It has no
    number of its own, because kernels know of no slips."""

    def __init__(self, name: str, steady: Agent, slips: float) -> None:
        self.name = name
        self.slips = slips
        self._steady = steady

    def decide(self, view: View, rng: NDArray[np.uint64]) -> Decision:
        check_asked(view, rng)
        if float(random.uniform(rng)) >= self.slips:
            return self._steady.decide(view, rng)
        return Decision(view.actions[int(random.below(rng, len(view.actions)))])
