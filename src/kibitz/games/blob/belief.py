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
from numpy.typing import NDArray

from kibitz.games.base import Event, KibitzError, State
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

AnyRules = BlobRules | BlobGameRules
Seen = NDArray[Any]
"""An observation, as an array of one record: kernels take those fastest."""


def follow(
    rules: AnyRules, seat: int, before: Seen | None, event: Event, voids: int = 0
) -> tuple[Seen, int]:
    """What a seat sees after an event, as an array of one, and the voids that are known then."""
    found = nothing_seen(rules) if before is None else before.copy()
    match event.kind:
        case "bid" | "play":
            fault, after = deals.checked_move(
                rules.params, found[0], seat, event.seat, event.action, event.kind == "bid",
                np.uint64(voids),
            )  # fmt: skip
            if fault:
                raise BeliefError(f"{notation.event_text(event)}: {deals.FAULTS[fault]}")
            return found, int(after)
        case "round":
            _begin(rules, found[0], event)
            return found, 0
        case "deal":
            if event.seat == seat:
                _take_up(rules, seat, found[0], event)
        case "trick" | "score" | "over":
            pass  # follows from what was seen
        case _:
            raise BeliefError(f"Blob has no event {event.kind!r}")
    return found, voids


def nothing_seen(rules: AnyRules) -> Seen:
    found = np.zeros(1, STATE)
    kernels.watch_round(rules.params, found[0], 0, NO_TRUMP, -1)
    return found


def _begin(rules: AnyRules, seen: State, event: Event) -> None:
    index, cards, dealer, trump = event.values
    params = rules.params
    if not 0 <= index < params.rounds or cards != kernels.round_byte(params, index) & 31:
        raise BeliefError(f"these rules have no round {index + 1} of {cards} cards")
    code = (int(kernels.round_byte(params, index)) >> 5) - 1
    turned = event.cards[0] if event.cards else -1
    told = trump if code == RANDOM_TRUMP else turned >> 4 if code == TURNED_TRUMP else code
    if trump != told or (turned >= 0) != (code == TURNED_TRUMP):
        raise BeliefError(f"not the trump of round {index + 1}: {notation.event_text(event)}")
    if dealer != (params.first_dealer + index) % rules.players:
        raise BeliefError(f"seat {dealer} does not deal round {index + 1}")
    kernels.watch_round(params, seen, index, trump, turned)


def _take_up(rules: AnyRules, seat: int, seen: Any, event: Event) -> None:
    hand = sum(1 << card for card in set(event.cards))
    free = int(kernels.unseen(rules.params, seen, seat))
    moved = seen.in_trick or seen.left != seen.cards or (seen.bid[: rules.players] >= 0).any()
    if hand & ~free or hand.bit_count() != seen.cards or moved:
        raise BeliefError(f"no hand of this round: {notation.event_text(event)}")
    seen.hand[seat] = hand


class BlobBelief(Estimates):
    """What `seat` may think of the hidden cards of the round."""

    methods = ("auto", "counting", "exact", "particles")

    def __init__(self, rules: AnyRules, seat: int, options: Options) -> None:
        super().__init__(rules, seat, options)
        self._data = nothing_seen(rules)
        self._opening = self._data
        """The observation before the first move of the round."""
        self._moves: tuple[int, ...] = ()
        """Of the round, bids and cards."""
        self._voids = 0

    @classmethod
    def bare(cls, rules: AnyRules, seat: int, observation: State, options: Options) -> BlobBelief:
        """From an observation without a history: sizes, and what the trick in progress shows."""
        found = cls(rules, seat, options)
        found._data = found._opening = np.zeros(1, STATE)
        kernels.observe(rules.params, observation, seat, found._data[0])
        found._voids = int(counting.voids_in_trick(found._data[0]))
        if found._counted.number == 0:
            raise BeliefError("no hands fit what is seen: cards are missing or seen twice")
        return found

    # --- events ---

    def update(self, event: Event) -> BlobBelief:
        new = object.__new__(type(self))
        new.rules, new.seat, new.options = self.rules, self.seat, self.options
        new.events = (*self.events, event)
        new._opening, new._moves = self._opening, self._moves
        new._data, new._voids = follow(self.rules, self.seat, self._data, event, self._voids)
        index = self._data["round_index"][0]
        dealt = event.kind == "round" or (event.kind == "deal" and event.seat == self.seat)
        if dealt or new._data["round_index"][0] != index:
            new._opening, new._moves = new._data, ()  # of the next round nothing is dealt yet
        elif event.kind in ("bid", "play"):
            new._moves = (*self._moves, event.action)
        if new._voids and event.kind == "play" and new._counted.number == 0:
            raise BeliefError(f"{notation.event_text(event)}: no hands are left that fit")
        return new

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
        return "exact" if self._counted.number <= self._limit else "particles"

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
