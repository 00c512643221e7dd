"""What was luck and what was skill, of a game whose cards are all known.

Imagine one fixed player in every seat: the keen player, who takes any legal action one time in ten.
V(s) is what a seat can expect from the true state s if it plays on for all, and Q(s, a) the same
after the action a and fresh chance. Then, for every seat, what a game came to is

    V before the deal                   what the seat is worth
  + V(first state) - V before the deal  luck of the deal
  + sum of Q(s, a) - V(s)               decisions of whoever acted in s
  + sum of V(next s) - Q(s, a)          luck of the draw that followed

and all of it adds up to the result, since each value comes once with + and once with -.

V is the mean of Q over the actions that the fixed player may take, weighed by its known chances,
and Q is V of the next state where no chance comes between. So only the actions that were not taken,
and the draws, have to be played out, and a move that was forced or that the player would have made
itself adds little noise or none. Each estimate has a standard error; a value is a weighted sum of
estimates, and every part knows which they are, so that the error of one that counts twice, or that
comes with + and with -, is right.

A stage (`contract.stage`: a round of a whole game of Blob) is played out to its end only. Later
rounds are dealt anew and nothing done now changes them, so they enter as what a fresh deal of them
is worth, by the same number before and after; their deals are luck of the deal. Rounds that were
never dealt, because the record ends before, are left out.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kibitz import contract, rng
from kibitz.contract import ACTIONS
from kibitz.evaluate.known import (
    FIXED,
    RANDOMNESS,
    by_fixed_player,
    loose_chances,
    play_deals,
    play_on,
)
from kibitz.games import game_of
from kibitz.games.base import KibitzError, Rules, State

PLAYS = 10_000
"""Games played out for a value, unless told otherwise."""
FEWEST = 200
"""Games played out after an action, however rarely the fixed player takes it."""

Array = NDArray[np.float64]
Sum = dict[int, float]
"""A weighted sum of estimates, by their numbers."""


@dataclass(frozen=True)
class Value:
    """A number for each seat, and its standard errors."""

    value: tuple[float, ...]
    error: tuple[float, ...]


@dataclass(frozen=True)
class Part:
    """A share of the result."""

    kind: str
    """seat (what it is worth before the deal, or as the game was set up), deal, decisions, draws"""
    of: int | None
    """Whose decisions or draws."""
    worth: Value
    """To each seat."""


@dataclass(frozen=True)
class Luck:
    """The values of a game, move by move, and what they add up to."""

    values: tuple[Value, ...]
    """Before each move, and at the end."""
    decisions: tuple[Value, ...]
    """What each move changed."""
    draws: tuple[Value, ...]
    """What the chance after each move changed."""
    beside: tuple[tuple[float, ...], ...]
    """Of each of `values`, what the present round has no part in: points so far, and what later
    rounds are worth."""
    parts: tuple[Part, ...]
    """They add up to the last of the values."""


def splitting(
    rules: Rules,
    states: Sequence[State],
    actions: Sequence[int],
    *,
    dealt: bool = True,
    plays: int = PLAYS,
    seed: int = 0,
) -> Generator[int, None, Luck]:
    """Luck and skill of the game that went through `states` by `actions`, one fewer, step by step:
    gives the number of moves that are done, and in the end the luck. `dealt`: by chance, and not
    set up by a person."""
    check_plays(plays)
    return _Split(rules, states, actions, plays, seed).run(dealt)


def check_plays(plays: int) -> None:
    """Refuse a number of games that nothing can be worked out from, or not today."""
    if type(plays) is not int or not 1 <= plays <= 10_000_000:
        raise KibitzError(f"plays must be a whole number from 1 to 10,000,000, not {plays!r}")


class _Split:
    def __init__(
        self, rules: Rules, states: Sequence[State], actions: Sequence[int], plays: int, seed: int
    ) -> None:
        self.rules, self.params, self.game = rules, rules.params, game_of(rules)
        self.states, self.actions = states, actions
        self.plays, self.seed = plays, seed
        self.evaluator = by_fixed_player(rules.seats, self.game.weights)
        self.stages = [int(contract.stage(self.params, state)) for state in states]
        self.firsts = [k for k, s in enumerate(self.stages) if k == 0 or s != self.stages[k - 1]]
        # the estimates: each seat's value, and its variance
        self.means: list[Array] = []
        self.variances: list[Array] = []

    def run(self, dealt: bool) -> Generator[int, None, Luck]:
        moves = len(self.actions)
        V: list[Sum] = [{}] * (moves + 1)  # of the end of the stage
        Q: list[Sum] = [{}] * moves
        V[moves] = self._end()
        for k in range(moves - 1, -1, -1):
            source = rng.generator(self.seed, k, rng.REVIEW)
            Q[k] = self._after(k, V[k + 1], source)
            V[k] = self._before(k, Q[k], source)
            yield moves - k
        fresh = {first: self._fresh(first, V[first], dealt) for first in self.firsts}

        seats = range(self.rules.seats)
        start = self._known(self.states[0])
        deal: Sum = {}
        decisions: list[Sum] = [{} for _ in seats]
        draws: list[Sum] = [{} for _ in seats]
        changed, chanced = [], []
        for first in self.firsts:
            start = _added(start, fresh[first])
            deal = _added(deal, self._luck_of_deal(first, V[first], fresh[first]))
        for k in range(moves):
            seat = int(contract.player_to_act(self.params, self.states[k]))
            changed.append(_added(Q[k], V[k], -1.0))
            decisions[seat] = _added(decisions[seat], changed[k])
            if k + 1 in fresh:
                chanced.append(self._luck_of_deal(k + 1, V[k + 1], fresh[k + 1]))
            else:
                chanced.append(_added(V[k + 1], Q[k], -1.0))
                draws[seat] = _added(draws[seat], chanced[k])
        parts = [Part("seat", None, self._told(start))]
        parts.append(Part("deal", None, self._told(deal)))
        parts += [Part("decisions", seat, self._told(decisions[seat])) for seat in seats]
        if any(draws):
            parts += [Part("draws", seat, self._told(draws[seat])) for seat in seats]
        later: Sum = {}  # what the rounds after this one are worth
        beside = []
        for k in range(moves, -1, -1):
            V[k] = _added(V[k], later)
            beside.append(self._told(_added(later, self._known(self.states[k]))).value)
            later = _added(later, fresh.get(k, {}))
        return Luck(
            values=tuple(self._told(value) for value in V),
            decisions=tuple(self._told(value) for value in changed),
            draws=tuple(self._told(value) for value in chanced),
            beside=tuple(reversed(beside)),
            parts=tuple(parts),
        )

    # --- values as sums of estimates ---

    def _end(self) -> Sum:
        state = self.states[-1]
        if contract.player_to_act(self.params, state) < 0:
            return self._known(state)
        source = rng.generator(self.seed, len(self.actions), rng.REVIEW)
        return self._played(state, -1, self.plays, source)

    def _after(self, k: int, following: Sum, source: NDArray[np.uint64]) -> Sum:
        """Q of the action that was taken."""
        before, action, after = self.states[k], self.actions[k], self.states[k + 1]
        if self.stages[k + 1] != self.stages[k]:
            return self._known(after)
        if self.game.outcome_text(self.rules, before, action, after):
            return self._played(before, action, self.plays, source)
        return following

    def _before(self, k: int, taken: Sum, source: NDArray[np.uint64]) -> Sum:
        """V, by what the fixed player may do."""
        chance = np.zeros(ACTIONS)
        loose_chances(self.params, self.states[k], FIXED, RANDOMNESS, chance)
        found: Sum = {}
        for action in np.flatnonzero(chance).tolist():
            share = float(chance[action])
            if action != self.actions[k]:
                n = max(math.ceil(share * self.plays), min(self.plays, FEWEST))
                found = _added(found, self._played(self.states[k], action, n, source), share)
            else:
                found = _added(found, taken, share)
        return found

    def _fresh(self, first: int, value: Sum, dealt: bool) -> Sum:
        """What the stage that begins with state `first` is worth before it is dealt."""
        if first == 0 and not dealt:
            return _added(value, self._known(self.states[0]), -1.0)
        before, action = (self.states[first - 1], self.actions[first - 1]) if first else (None, -1)
        begin = np.zeros(1, self.game.dtype)
        if before is not None:
            begin[0] = before
        source = rng.generator(self.seed, first, rng.REVIEW_DEALS)
        sums = np.zeros((2, self.rules.seats))
        play_deals(self.params, begin, action, self.plays, self.evaluator, source, sums)
        return self._estimate(self.states[first], self.plays, sums)

    def _luck_of_deal(self, first: int, value: Sum, fresh: Sum) -> Sum:
        """Of the stage that begins with state `first`."""
        gain = _added(value, self._known(self.states[first]), -1.0)
        return _added(gain, fresh, -1.0)

    # --- estimates ---

    def _known(self, state: State) -> Sum:
        """Each seat's return so far."""
        out = np.zeros(self.rules.seats)
        contract.returns(self.params, state, out)
        return self._new(out, np.zeros_like(out))

    def _played(self, state: State, action: int, n: int, source: NDArray[np.uint64]) -> Sum:
        start = np.zeros(1, self.game.dtype)
        start[0] = state
        sums = np.zeros((2, self.rules.seats))
        play_on(self.params, start, action, n, self.evaluator, source, sums)
        return self._estimate(state, n, sums)

    def _estimate(self, state: State, n: int, sums: Array) -> Sum:
        low, high = contract.bounds(self.params, state)
        mean = sums[0] / n
        # as if one more game had told nothing: a few that agree do not prove a value
        spread = np.maximum(0.0, sums[1] - n * mean**2) + (float(high) - float(low)) ** 2 / 4
        return self._new(mean, spread / (n + 1) / n)

    def _new(self, mean: Array, variance: Array) -> Sum:
        self.means.append(mean)
        self.variances.append(variance)
        return {len(self.means) - 1: 1.0}

    def _told(self, value: Sum) -> Value:
        mean = np.zeros(self.rules.seats)
        variance = np.zeros(self.rules.seats)
        for number, weight in value.items():
            mean += weight * self.means[number]
            variance += weight**2 * self.variances[number]
        return Value(tuple(mean.tolist()), tuple(np.sqrt(variance).tolist()))


def _added(one: Sum, other: Sum, weight: float = 1.0) -> Sum:
    """one + weight * other."""
    found = dict(one)
    for number, share in other.items():
        total = found.get(number, 0.0) + weight * share
        if total:
            found[number] = total
        else:  # the same estimate on both sides: no luck, no skill, and no error
            found.pop(number, None)
    return found
