"""Blob: what one seat can know of the hidden cards.

Hard facts come first: who holds how many cards, and which suits a seat has shown to be out of, in
the trick in progress too. Following suit proves nothing about the rest of a hand. What is left is
weighed by the bids and plays of the round, under a model of the players; what kind of player sits
where is learnt anew in every round.

Events are cheap; the posterior is worked out when it is first asked for, and depends only on what
was seen, the options and the seed. `adaptive` changes nothing: few deals are enumerated anyway.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from kibitz.games.base import Event, KibitzError, State, nearest
from kibitz.games.belief import BeliefError, Options
from kibitz.games.blob import counting, deals, kernels, notation
from kibitz.games.blob.estimates import Estimates
from kibitz.games.blob.layout import (
    NO_TRUMP,
    RANDOM_TRUMP,
    STATE,
    TURNED_TRUMP,
)
from kibitz.games.blob.posterior import (
    Counted,
    Posterior,
    Witness,
    enumerated,
    sampled,
)
from kibitz.games.blob.rules import BlobGameRules, BlobRules

METHODS = ("auto", "counting", "exact", "particles")
AUTO = 10
"""With "auto", exact up to this many deals for each particle asked for."""


class BlobBelief(Estimates):
    """What `seat` may think of the hidden cards of the round."""

    def __init__(self, rules: BlobRules | BlobGameRules, seat: int, options: Options) -> None:
        if options.method not in METHODS:
            said = options.method
            hint = nearest(str(said), METHODS)
            raise KibitzError(f"no method {said!r}{hint}; there are {', '.join(METHODS)}")
        self.rules, self.seat, self.options = rules, seat, options
        self.events: tuple[Event, ...] = ()
        self._data = np.zeros(1, STATE)
        kernels.watch_round(rules.params, self._data[0], 0, NO_TRUMP, -1)
        self._opening = self._data
        """The observation before the first move of the round."""
        self._moves: tuple[int, ...] = ()
        """Of the round, bids and cards."""
        self._voids = np.uint64(0)

    @classmethod
    def bare(
        cls, rules: BlobRules | BlobGameRules, seat: int, observation: State, options: Options
    ) -> BlobBelief:
        """From an observation without a history: sizes, and what the trick in progress shows."""
        found = cls(rules, seat, options)
        found._data = found._opening = np.zeros(1, STATE)
        kernels.observe(rules.params, observation, seat, found._data[0])
        found._voids = np.uint64(counting.voids_in_trick(found._data[0]))
        if found._counted.number == 0:
            raise BeliefError("no hands fit what is seen: cards are missing or seen twice")
        return found

    # --- events ---

    def update(self, event: Event) -> BlobBelief:
        new = object.__new__(type(self))
        new.rules, new.seat, new.options = self.rules, self.seat, self.options
        new.events = (*self.events, event)
        new._data, new._opening = self._data, self._opening
        new._moves, new._voids = self._moves, self._voids
        match event.kind:
            case "bid" | "play":
                new._move(event)
            case "round":
                new._begin(event)
            case "deal":
                if event.seat == self.seat:
                    new._take_up(event)
            case "trick" | "score" | "over":
                pass  # follows from what was seen
            case _:
                raise BeliefError(f"Blob has no event {event.kind!r}")
        return new

    def _begin(self, event: Event) -> None:
        index, cards, dealer, trump = event.values
        params = self.rules.params
        if not 0 <= index < params.rounds or cards != kernels.round_byte(params, index) & 31:
            raise BeliefError(f"these rules have no round {index + 1} of {cards} cards")
        code = (int(kernels.round_byte(params, index)) >> 5) - 1
        turned = event.cards[0] if event.cards else -1
        told = trump if code == RANDOM_TRUMP else turned >> 4 if code == TURNED_TRUMP else code
        if trump != told or (turned >= 0) != (code == TURNED_TRUMP):
            raise BeliefError(f"not the trump of round {index + 1}: {notation.event_text(event)}")
        if dealer != (params.first_dealer + index) % self.rules.players:
            raise BeliefError(f"seat {dealer} does not deal round {index + 1}")
        self._data = self._data.copy()
        kernels.watch_round(params, self._data[0], index, trump, turned)
        self._opening, self._moves, self._voids = self._data, (), np.uint64(0)

    def _take_up(self, event: Event) -> None:
        self._data = self._data.copy()
        seen: Any = self._data[0]
        hand = sum(1 << card for card in set(event.cards))
        free = int(kernels.unseen(self.rules.params, seen, self.seat))
        if hand & ~free or hand.bit_count() != seen.cards or self._moves:
            raise BeliefError(f"no hand of this round: {notation.event_text(event)}")
        seen.hand[self.seat] = hand
        self._opening = self._data

    def _move(self, event: Event) -> None:
        self._data = self._data.copy()
        index = self._data[0].round_index.item()
        bidding = event.kind == "bid"
        fault, voids = deals.checked_move(
            self.rules.params, self._data[0], self.seat, event.seat, event.action, bidding,
            self._voids,
        )  # fmt: skip
        if fault:
            raise BeliefError(f"{notation.event_text(event)}: {deals.FAULTS[fault]}")
        self._moves = (*self._moves, event.action)
        self._voids = np.uint64(voids)
        if self._data[0].round_index != index:
            self._opening, self._moves = self._data, ()  # the next round is about to be dealt
        if voids and not bidding and self._counted.number == 0:
            raise BeliefError(f"{notation.event_text(event)}: no hands are left that fit")

    # --- the posterior ---

    @cached_property
    def _counted(self) -> Counted:
        held = np.zeros(counting.HOLDERS, np.int64)
        pool = counting.holdings(self.rules.params, self.observation, self.seat, held)
        return Counted.of(pool, held, self._voids)

    @cached_property
    def _witness(self) -> Witness:
        return Witness(self.rules, self.seat, self.options, self._opening, self._moves)

    @cached_property
    def method(self) -> str:
        said = self.options.method
        if said == "exact" and self._counted.number > self.options.exact_limit:
            raise KibitzError(
                f"{self._counted.number:,.0f} deals are possible, more than exact_limit="
                f"{self.options.exact_limit:,}: use method='particles'"
            )
        if said != "auto":
            return said
        if self.options.model.silent or not self._witness.decisions:
            return "counting"
        few = min(AUTO * self.options.n, self.options.exact_limit)
        return "exact" if self._counted.number <= few else "particles"

    @cached_property
    def _posterior(self) -> Posterior | None:
        if self.method == "counting":
            return None
        if self.method == "exact":
            return enumerated(self._counted, self._witness)
        return sampled(self._counted, self._witness, self._generator)

    @property
    def surprises(self) -> tuple[Event, ...]:
        found = self._posterior
        if found is None:
            return ()
        moves = [e for e in self.events if e.kind in ("bid", "play")][-len(self._moves) :]
        return tuple(moves[t] for t in found.left_out)
