"""The best policy for one seat of a tiny game of UNO, by trying all of them: slower still than the
reference that it judges, and without beliefs."""

from functools import cache
from math import fsum

import pytest

from kibitz.games.uno.game import GAME


class UndecidedError(Exception):
    """A policy does not say what to do after a history."""


class Policies:
    """The best of all policies, by trying each: no beliefs, no observations of the POMDP. A policy
    says what to do after all the events that a seat saw, as a view has them; what it is worth is
    the mean over full histories."""

    def __init__(self, pomdp, heuristic=None):
        self.pomdp, self.heuristic, self.tried, self.longest = pomdp, heuristic, 0, 0
        self.states = {}
        self.moves = cache(self._moves)
        self.answers = cache(lambda key: pomdp.opponent_policy(self.states[key]))

    def best(self, starts, depth, policy):
        """The value of the best policy that does what `policy` says."""
        try:
            total = fsum(w for w, _ in starts)
            worth = fsum(w / total * self.follow(s, policy, (), depth, 1.0) for w, s in starts)
        except UndecidedError as undecided:
            history, actions = undecided.args
            return max(self.best(starts, depth, policy | {history: a}) for a in actions)
        self.tried += 1
        self.longest = max(self.longest, len(policy))
        return worth

    def follow(self, state, policy, history, left, factor):
        """The mean of what is still to come, of the histories that begin with this one."""
        pomdp = self.pomdp
        if state.turn < 0:
            return factor * {-1: 0, pomdp.seat: 1, 1 - pomdp.seat: -1}[int(state.winner)]
        if state.turn != pomdp.seat:
            return fsum(
                p * self.move(state, action, policy, history, left, factor)
                for action, p in self.answers(self.key(state)).items()
            )
        if history:  # a step is over
            factor *= pomdp.discount
        if left == 0:
            return factor * self.heuristic(state) if self.heuristic else 0.0
        if history not in policy:
            raise UndecidedError(history, pomdp.actions(state))
        action = policy[history]
        later = self.move(state, action, policy, history, left - 1, factor)
        return later - factor * pomdp.step_penalty

    def move(self, state, action, policy, history, left, factor):
        return fsum(
            p * self.follow(after, policy, (*history, *seen), left, factor)
            for p, after, seen in self.moves(self.key(state), action)
        )

    def _moves(self, key, action):
        """Where a move may lead, and what the seat sees of it."""
        before, found = self.states[key], []
        for p, after in self.pomdp.successors(before, action):
            events = GAME.events(self.pomdp.rules, before, action, after)
            found.append((p, after, tuple(event.seen_by(self.pomdp.seat) for event in events)))
        return found

    def key(self, state):
        key = self.pomdp.key(state)
        self.states[key] = state
        return key


def check_policies(found, belief, depth):
    """Q of every action is that of the best policy that begins with it. Returns how many policies
    there were, and of how many decisions."""
    by_trying = Policies(found.pomdp, found.heuristic)
    values = found.q_values(belief, depth)
    for action, worth in values.items():
        right = by_trying.best(belief, depth, {(): action})
        assert worth == pytest.approx(right, abs=1e-9)
        assert found.q(belief, action, depth) == worth
    assert found.value(belief, depth) == max(values.values())
    assert values[found.best(belief, depth)] == pytest.approx(max(values.values()))
    return by_trying.tried, by_trying.longest
