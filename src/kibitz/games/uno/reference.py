"""UNO: what positions are worth in the POMDP, by explicit expectation: the reference that searches
are tested against. Every state, draw and answer of the opponent is gone through, so it is for tiny
decks, and plain rather than fast.

A *belief* is a list of (weight, state), each state with every card in place; to the player they all
look the same. An *observation* of a step is everything that the player saw of it: each move, its
own first, and how things looked after it. What is seen at the end of a step is not enough: the
opponent may have played a Skip and then a Reverse or the other way round, all looks the same
afterwards, and yet its other cards are not equally likely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import fsum, isfinite
from typing import NamedTuple, cast

import numpy as np

from kibitz.games.base import IllegalMove, KibitzError, State
from kibitz.games.uno import notation
from kibitz.games.uno.layout import STATE
from kibitz.games.uno.pomdp import UnoPOMDP

WeightedStates = Sequence[tuple[float, State]]
"""A belief; the weights need not add up to 1."""

DEALT = -1
"""Stands for the seat and the action of the sight that is no move: the cards as they were dealt."""


class Sight(NamedTuple):
    """What the player sees of one move."""

    seat: int
    """Who moved."""
    action: int
    observation: bytes
    """How things look after it, as `UnoPOMDP.observe` says; a reshuffle, the number of cards that
    the opponent drew and the cards that the player drew show there."""


Seen = tuple[Sight, ...]
"""An observation: all that the player saw from one of its turns to the next."""


class _Branch(NamedTuple):
    """One way in which a step may go."""

    chance: float
    seen: Seen
    end: bytes
    reward: float


_Chances = dict[bytes, float]
"""A belief inside: the chance of each state, by its key."""


class UnoReference:
    """Beliefs and values for the player of `pomdp`.

    With b a belief, a an action and o an observation:

    * `observation_chances`: P(o | b, a)
    * `update`: tau(b, a, o), the belief after it
    * `reward`: R(b, a), what the step itself gives
    * `q`: Q(b, a) = R(b, a) + discount * sum over o of P(o | b, a) V(tau(b, a, o))
    * `value`: V(b), the largest Q(b, a); 0 when the game is over

    `depth` counts steps of the player. At depth 0 the value is the mean of `heuristic` over the
    states of the belief, or 0 without one. It is shown true states, but cannot profit from that: by
    then there is nothing left to choose.

    Steps and values are remembered, so the opponent and the heuristic must always answer alike.
    """

    def __init__(self, pomdp: UnoPOMDP, heuristic: Callable[[State], float] | None = None) -> None:
        self.pomdp = pomdp
        self.heuristic = heuristic
        self._states: dict[bytes, State] = {}
        self._steps: dict[tuple[bytes, int], list[_Branch]] = {}
        self._values: dict[tuple[int, frozenset[tuple[bytes, float]]], float] = {}
        self._first: dict[Seen, _Chances] | None = None

    # --- what is seen ---

    def sight(self, before: State, action: int, after: State) -> Sight:
        """What the player sees of a move that led from one state to the other. The sights of its
        own move and of the answers are the observation of a step."""
        return Sight(int(before.turn), action, self.pomdp.observe(after))

    def first_sight(self, dealt: State) -> Sight:
        """What the player sees of the deal."""
        return Sight(DEALT, DEALT, self.pomdp.observe(dealt))

    def openings(self) -> dict[Seen, float]:
        """All that the player may have seen when it is first to act, with the chances: the cards
        dealt and, if the opponent began, its moves. Games that end before that are among them."""
        return _totals(self._openings())

    def initial(self, seen: Seen | bytes | None = None) -> WeightedStates:
        """b0: what may be when the player is first to act, after the opponent's first moves if
        that began.

        `seen` is one of `openings`. If it is the bytes of an observation, the belief is given by
        what can be seen now alone. For the player that begins it is the same; for the other it is
        the mean over the moves that may have led there. Without `seen` nobody has looked yet: the
        states do not look the same, and no move can be judged by them."""
        openings = self._openings()
        if isinstance(seen, tuple):
            return self._told(openings.get(seen, {}), "when it is first to act")
        found: _Chances = {}
        for chances in openings.values():
            look = self._states[next(iter(chances))]  # as all of them look
            if seen is None or self.pomdp.observation_probability(seen, look):
                for end, chance in chances.items():
                    found[end] = found.get(end, 0.0) + chance
        return self._told(found, "when it is first to act")

    def observation_chances(self, belief: WeightedStates, action: int | str) -> dict[Seen, float]:
        """P(o | b, a) of every observation that can follow."""
        return _totals(self._split(self._checked(belief), _number(action)))

    def update(self, belief: WeightedStates, action: int | str, seen: Seen) -> WeightedStates:
        """tau(b, a, o): the belief after playing `action` and seeing `seen`."""
        found = self._split(self._checked(belief), _number(action)).get(seen, {})
        return self._told(found, f"after {notation.action_text(_number(action))}")

    # --- what it is worth ---

    def reward(self, belief: WeightedStates, action: int | str) -> float:
        """R(b, a): the mean reward of the step, its penalty included."""
        return self._reward(self._checked(belief), _number(action))

    def q(self, belief: WeightedStates, action: int | str, depth: int) -> float:
        """Q(b, a) over so many steps, of which this is the first."""
        _check_depth(depth, 1)
        return self._q(self._checked(belief), _number(action), depth)

    def q_values(self, belief: WeightedStates, depth: int) -> dict[int, float]:
        """Q(b, a) of every legal action."""
        _check_depth(depth, 1)
        chances = self._checked(belief)
        return {action: self._q(chances, action, depth) for action in self._actions(chances)}

    def value(self, belief: WeightedStates, depth: int) -> float:
        """V(b) over so many steps."""
        _check_depth(depth, 0)
        return self._value(self._checked(belief), depth)

    def best(self, belief: WeightedStates, depth: int) -> int:
        """The best action, the one with the lowest number if several are equally good."""
        found = self.q_values(belief, depth)
        if not found:
            raise IllegalMove("there is no best action: the game is over")
        enough = max(found.values()) - 1e-12
        return min(action for action, worth in found.items() if worth >= enough)

    # --- the same inside ---

    def _actions(self, chances: _Chances) -> tuple[int, ...]:
        """Legal in every state of a belief, since they depend on nothing but what is seen."""
        return self.pomdp.actions(self._states[next(iter(chances))])

    def _reward(self, chances: _Chances, action: int) -> float:
        return fsum(
            chance * branch.chance * branch.reward
            for key, chance in chances.items()
            for branch in self._branches(key, action)
        )

    def _q(self, chances: _Chances, action: int, depth: int) -> float:
        later = fsum(
            _total(after) * self._value(_normalised(after), depth - 1)
            for after in self._split(chances, action).values()
        )
        return self._reward(chances, action) + self.pomdp.discount * later

    def _value(self, chances: _Chances, depth: int) -> float:
        actions = self._actions(chances)
        if not actions:
            return 0.0  # what the end is worth was the reward of the step that led to it
        if depth == 0:
            if self.heuristic is None:
                return 0.0
            return fsum(p * self.heuristic(self._states[key]) for key, p in chances.items())
        # beliefs that differ by less than rounding does are the same
        about = depth, frozenset((key, round(p, 12)) for key, p in chances.items())
        if about not in self._values:
            self._values[about] = max(self._q(chances, action, depth) for action in actions)
        return self._values[about]

    def _split(self, chances: _Chances, action: int) -> dict[Seen, _Chances]:
        """The states after a step by what the player saw of it; all chances add up to 1."""
        return _by_sight(
            (chance, branch)
            for key, chance in chances.items()
            for branch in self._branches(key, action)
        )

    # --- ways in which things go ---

    def _branches(self, key: bytes, action: int) -> list[_Branch]:
        """A step of the player from one state: its move, what it draws, and the answers."""
        if (key, action) not in self._steps:
            before = self._states[key]
            self._steps[key, action] = [
                _Branch(q, seen, self._keep(end), self.pomdp.reward(before, action, end))
                for p, after in self.pomdp.successors(before, action)
                for q, seen, end in self._answers(p, (self.sight(before, action, after),), after)
            ]
        return self._steps[key, action]

    def _openings(self) -> dict[Seen, _Chances]:
        """Each deal, and the opponent's moves if it begins, by what the player saw."""
        if self._first is None:
            self._first = _by_sight(
                (1.0, _Branch(q, seen, self._keep(end), 0.0))
                for p, dealt in self.pomdp.initial_states()
                for q, seen, end in self._answers(p, (self.first_sight(dealt),), dealt)
            )
        return self._first

    def _answers(
        self, chance: float, seen: Seen, state: State
    ) -> Iterator[tuple[float, Seen, State]]:
        """The opponent's moves, until the player is to act or the game is over. As
        `UnoPOMDP.until_player`, but ways that were seen differently are kept apart."""
        if int(state.turn) in (-1, self.pomdp.seat):
            yield chance, seen, state
            return
        for action, p in self.pomdp.opponent_policy(state).items():
            for q, after in self.pomdp.successors(state, action):
                more = self.sight(state, action, after)
                yield from self._answers(chance * p * q, (*seen, more), after)

    def _keep(self, state: State) -> bytes:
        """The key of a state, by which it is found again: a copy, which nobody else can change."""
        key = self.pomdp.key(state)
        if key not in self._states:
            self._states[key] = cast(State, np.frombuffer(key, STATE)[0].copy())
        return key

    # --- beliefs in and out ---

    def _checked(self, belief: WeightedStates) -> _Chances:
        """A belief as the chance of each state, if it is one."""
        found: _Chances = {}
        for weight, state in belief:
            if not isfinite(weight) or weight < 0:
                raise KibitzError(f"a state cannot have the weight {weight!r}")
            if weight > 0:
                key = self._keep(state)
                found[key] = found.get(key, 0.0) + weight
        if not found:
            raise KibitzError("a belief needs a state that has some weight")
        states, seat = [self._states[key] for key in found], self.pomdp.seat
        if any(int(state.turn) not in (-1, seat) for state in states):
            raise KibitzError(f"seat {seat} is not to act in all states of the belief")
        if len({self.pomdp.observe(state) for state in states}) > 1:
            raise KibitzError(
                f"the states of a belief must look the same to seat {seat}, and these do not"
            )
        return _normalised(found)

    def _told(self, found: _Chances, when: str) -> WeightedStates:
        """A belief for the outside; there is none if nothing is `found`."""
        if not found:
            raise KibitzError(
                f"seat {self.pomdp.seat} cannot see that {when}: its probability is 0"
            )
        return [(p, self._states[key].copy()) for key, p in _normalised(found).items()]


def _number(said: int | str) -> int:
    return notation.parse_action(said) if isinstance(said, str) else int(said)


def _check_depth(depth: int, least: int) -> None:
    if not isinstance(depth, int) or depth < least:
        raise KibitzError(f"depth must be a whole number, {least} or more, not {depth!r}")


def _total(chances: _Chances) -> float:
    return fsum(chances.values())


def _totals(parts: dict[Seen, _Chances]) -> dict[Seen, float]:
    return {seen: _total(chances) for seen, chances in parts.items()}


def _normalised(chances: _Chances) -> _Chances:
    total = _total(chances)
    return {key: p / total for key, p in chances.items()}


def _by_sight(ways: Iterable[tuple[float, _Branch]]) -> dict[Seen, _Chances]:
    """Branches, each from a state with its chance, as the states in which they end."""
    found: dict[Seen, _Chances] = {}
    for chance, branch in ways:
        part = found.setdefault(branch.seen, {})
        part[branch.end] = part.get(branch.end, 0.0) + chance * branch.chance
    return found
