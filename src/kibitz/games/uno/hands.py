"""UNO: the exact belief, as weighted hands, with the same steps as the particle filter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from kibitz.games.uno import exact
from kibitz.games.uno.evidence import Evidence, Words
from kibitz.games.uno.hypotheses import copies
from kibitz.games.uno.likelihood import Likelihood

Array = NDArray[Any]


class TooMany(Exception):
    """More hands than may be enumerated."""


@dataclass(frozen=True)
class Hands:
    likelihood: Likelihood
    limit: int
    hand: Array
    """uint64[hands, 2]."""
    mass: Array
    """float[hands, players]: the joint chance of hand and kind of player; all add up to 1."""

    @classmethod
    def start(cls, likelihood: Likelihood, pool: Words, held: int, deck: int, limit: int) -> Hands:
        """After the deal: every hand of that size is as likely as there are ways to deal it."""
        found = exact.deal(pool, likelihood.shares[None].copy(), held, deck, limit)
        if found is None:
            raise TooMany
        return cls(likelihood, limit, *found)

    def __len__(self) -> int:
        return len(self.hand)

    def _with(self, hand: Array, mass: Array) -> Hands | None:
        """None if no hand is left."""
        hand, mass = exact.merge(hand, mass)
        return replace(self, hand=hand, mass=mass / mass.sum()) if len(hand) else None

    def draw(self, pool: Words, number: int, rng: Any) -> Hands:
        found = exact.draw(pool, self.hand, self.mass, number, self.limit)
        if found is None:
            raise TooMany
        return replace(self, hand=found[0], mass=found[1])

    def cannot_play(self, pool: Words, playable: Any, evidence: Evidence, rng: Any) -> Hands | None:
        mass = self.mass.copy()
        exact.drop_playable(self.hand, mass, playable)
        return self._with(self.hand, mass)

    def play(self, pool: Words, before: Evidence, after: Evidence, rng: Any) -> Hands | None:
        hand, mass = self.hand.copy(), self.mass.copy()
        given, last = self.likelihood, after.history[-1]
        action, silent = int(last["action"]), bool(last["silent"])
        if given.function is not None and not silent:
            for i, (ones, twos) in enumerate(hand):
                if copies(ones, twos, action):
                    mass[i] *= given.ask(after.seen[-1], ones, twos, action)
        exact.weigh_play(given.params, hand, mass, given.tables, after.history)
        return self._with(hand, mass)

    def draw_mine(self, pool: Words, card: int, evidence: Evidence, rng: Any) -> Hands | None:
        mass = self.mass.copy()
        exact.weigh_mine(*pool, self.hand, mass, card)
        return self._with(self.hand, mass)

    def begin_anew(self, before: Evidence, after: Evidence) -> Hands:
        return self

    def refreshed(self, *_: Any) -> Hands:
        return self

    def chances(self) -> Array:
        found: Array = self.mass.sum(axis=1)
        return found
