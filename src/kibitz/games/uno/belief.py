"""UNO: what a seat may think of its opponent's hand, by one of three methods.

* **exact**: every hand with its weight, from the deal (small decks) or from a moment when the hand
  is known because the deck is empty.
* **particles**: weighted stories of the hand, mended, resampled and rejuvenated event by event.
* **slots**: stories drawn afresh from the whole history whenever they are asked for.

"auto" is exact as long as there are at most ten hands for each particle asked for, and particles
otherwise. All three use the same model and the same hard constraints.
"""

from __future__ import annotations

from contextlib import suppress
from copy import copy
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kibitz import rng as random
from kibitz.games.base import Event, State
from kibitz.games.belief import BeliefError, Options, remembered
from kibitz.games.uno import afresh, exact, following, kernels
from kibitz.games.uno.estimates import Estimates
from kibitz.games.uno.evidence import Draws, Evidence, Way, Words, drawn_in
from kibitz.games.uno.following import OPENING, Seen
from kibitz.games.uno.game import counts
from kibitz.games.uno.hands import Hands, TooMany
from kibitz.games.uno.hypotheses import blocked_by
from kibitz.games.uno.likelihood import Likelihood
from kibitz.games.uno.rules import UnoRules
from kibitz.games.uno.stories import Stories

ATTEMPTS = 8
"""At drawing stories afresh, before some are made to fit."""
SWEEPS = 5
"""Of many moves each, for stories that were made to fit rather than drawn."""
SHORT_HAND = 3
"""With adaptive size, four times the particles when the opponent holds this many cards or fewer."""

NO_HAND = "by the rules no hand fits what was told"

Hypotheses = Hands | Stories


class UnoBelief(Estimates):
    rules: UnoRules
    methods = ("auto", "exact", "particles", "slots")

    def __init__(self, rules: UnoRules, seat: int, options: Options) -> None:
        super().__init__(rules, seat, options)
        self._seen = following.nothing_seen()
        self.likelihood = Likelihood(rules, seat, options.model)
        self._evidence: Evidence | None = None  # both from the first move or question on
        self._state: Hypotheses | None = None
        self._pool: Words | None = None
        self._left_out: frozenset[int] = frozenset()  # events whose choice is not counted
        self._draws: Draws = ()  # the opponent's before the first event
        self._origin: UnoBelief | None = None  # before the first event; None if this is it

    @classmethod
    def bare(
        cls,
        rules: UnoRules,
        seat: int,
        observation: State,
        options: Options,
        draws: Draws = (),
    ) -> UnoBelief:
        """From what is seen now alone, and the opponent's last `draws` if they are known: uniform
        over the hands that fit it."""
        found = cls(rules, seat, options)
        found._draws = draws
        found._seen = following.without_hidden(rules, seat, observation)
        return found

    # --- updating ---

    def update(self, event: Event) -> UnoBelief:
        opening = event.kind in OPENING
        if not opening:
            self._begin()
        found = UnoBelief.__new__(UnoBelief)  # `copy` takes five times as long
        found.__dict__.update(self.__dict__)
        found._memo = {}
        found._seen = following.follow(self.rules, self.seat, self._seen, event, self._pool)
        found._origin = self._origin or self
        found.events = (*self.events, event)
        if opening:
            found._evidence = found._state = found._pool = None
        elif event.kind in STEPS:
            STEPS[event.kind](found, event, self._seen)
        return found

    @property
    def observation(self) -> State:
        found: State = self._seen[0]
        return found

    @property
    def held(self) -> int:
        """Cards in the opponent's hand."""
        return int(self._seen["held"][0, self.opponent])

    @property
    def pool(self) -> Words:
        """What is unseen."""
        if self._pool is None:
            ones, twos = kernels.unseen(self.rules.params, self.observation, self.seat)
            self._pool = np.uint64(ones), np.uint64(twos)
        return self._pool

    def _shown(self, card: int) -> None:
        """A hidden card comes to light."""
        ones, twos = kernels.take(*self.pool, np.uint64(1 << card))
        self._pool = np.uint64(ones), np.uint64(twos)

    def _random(self, purpose: int = 0) -> NDArray[np.uint64]:
        return random.generator(self.options.seed, len(self.events), random.FILTER + purpose)

    def _size(self) -> int:
        """How many particles to have now."""
        short = self.options.adaptive and self.held <= SHORT_HAND
        return self.options.n * (4 if short else 1)

    def _begin(self) -> None:
        """What is thought before the first move, once the opening is over."""
        if self._evidence is not None:
            return
        pool, held = self.pool, self.held
        following.check_dealt(self.seat, self._seen, pool)
        state = None if self.options.method == "slots" else self._first(pool, held)
        # in this order: another thread that sees the evidence goes on with the state
        self._state = state
        self._evidence = Evidence.of(pool, held, self._draws)

    def _first(self, pool: Words, held: int) -> Hypotheses:
        """Hypotheses after the deal, or in the position told."""
        given, draws, rng = self.likelihood, self._draws, self._random()
        evidence = Evidence.of(pool, held, draws)
        if self.options.method != "particles":
            number = exact.distinct_hands(counts(pool), held)
            if number <= self._limit:
                with suppress(TooMany):  # on the way there may be more than in the end
                    return self._every_hand(pool, held, evidence)
            if self.options.method == "exact":
                self._too_many(number)
        if not draws:  # without plays the slots are filled without any correction
            return Stories.start(given, self._size()).draw(pool, held, rng)
        found = afresh.drawn(given, pool, evidence, self._size(), rng)
        if found is None:
            raise BeliefError(NO_HAND)
        return found

    def _every_hand(self, pool: Words, held: int, evidence: Evidence) -> Hands:
        """Every hand with its chance, or `TooMany`."""
        before = held - drawn_in(self._draws)
        deck = counts(pool).total() - before
        found = Hands.start(self.likelihood, pool, before, deck, self._limit)
        for number, blocked in self._draws:
            left = found.cannot_play(pool, np.uint64(blocked), evidence, None)
            if left is None:
                raise BeliefError(NO_HAND)
            found = left.draw(pool, number, None)
        return found

    def _too_many(self, number: int | None = None) -> None:
        many = "too many" if number is None else f"{number:,}"
        raise BeliefError(
            f"exact: there are {many} hands that the opponent may hold, more than exact_limit = "
            f"{self.options.exact_limit:,}; use method='particles'"
        )

    @property
    def evidence(self) -> Evidence:
        self._begin()
        assert self._evidence is not None
        return self._evidence

    def _settle(self, found: Hypotheses | None, rng: NDArray[np.uint64]) -> None:
        """Take these hypotheses, resampled if need be, or new ones if there are none."""
        if isinstance(self._state, Hands) and found is None:
            self._without_a_choice()
            return
        if found is None:
            self.recoveries += 1
            found = self._recovered(rng)
        if isinstance(found, Stories):
            found = found.refreshed(self.pool, self.evidence, rng, self._size())
        self._state = found

    def _without_a_choice(self) -> None:
        """No hand is left: an earlier choice must have ruled out the true one, which the model
        calls all but impossible. Leave out the latest that still counts, and begin again."""
        plays = [k for k, e in enumerate(self.events) if e.kind == "play" and e.seat != self.seat]
        counted = [k for k, silent in zip(plays, self._silent(self), strict=True) if not silent]
        if self.options.model.silent or not counted:
            raise BeliefError(NO_HAND)
        found = copy(self._origin or self)
        found._memo, found._left_out = {}, self._left_out | {counted[-1]}
        for event in self.events:
            found = found.update(event)
        self.__dict__.update(found.__dict__)

    def _fresh(self, rng: NDArray[np.uint64]) -> Stories:
        """Stories drawn afresh from the whole history; if the model rules all of them out, without
        the choices that do so, the latest first."""
        ways: list[Way] | None = None
        while True:
            for _ in range(ATTEMPTS):
                found = afresh.drawn(self.likelihood, self.pool, self.evidence, self._size(), rng)
                if found is not None:
                    return found
            if ways is None:
                ways = self.evidence.explanations(counts(self.pool), self.held)
            found = self._explained(ways, rng)
            if found is not None:
                return found
            if not ways or self.options.model.silent or self.evidence.all_silent:
                raise BeliefError(NO_HAND)
            self._evidence = self.evidence.silenced()

    def _explained(self, ways: list[Way], rng: NDArray[np.uint64]) -> Stories | None:
        """Stories made to fit, and moved for a while."""
        found = afresh.explained(self.likelihood, self.evidence, ways, self._size())
        if found is not None:
            for _ in range(SWEEPS):
                found = found.refreshed(self.pool, self.evidence, rng, self._size(), force=True)
        return found

    def _recovered(self, rng: NDArray[np.uint64]) -> Stories:
        found = self._fresh(rng)
        return found.refreshed(self.pool, self.evidence, rng, self._size(), force=True)

    # one step for each kind of event

    def _play(self, event: Event, before: Seen) -> None:
        if event.seat == self.seat:
            return
        pool, earlier = self.pool, self.evidence
        self._shown(event.action)
        self._evidence = earlier.played(event.action, before)
        if self._state is None:
            return
        rng = self._random()
        if len(self.events) - 1 in self._left_out:
            self._evidence = self._evidence.silenced()
        found = self._state.play(pool, earlier, self._evidence, rng)
        if found is None and isinstance(self._state, Stories):  # it may be ours that are too few
            found = afresh.drawn(self.likelihood, self.pool, self._evidence, self._size(), rng)
            if found is None:  # or all that were drawn may have been dead ends
                ways = self._evidence.explanations(counts(self.pool), self.held)
                found = self._explained(ways, rng)
            self.recoveries += found is not None
        if found is None and not self.options.model.silent:
            silenced = self._evidence.silenced()
            found = self._state.play(pool, earlier, silenced, rng)
            if found is not None:
                self._evidence = silenced
        self._settle(found, rng)

    def _draw(self, event: Event, before: Seen) -> None:
        if event.seat == self.seat:
            self._draw_mine(event)
            return
        pool, evidence, rng = self.pool, self.evidence, self._random()
        playable = np.uint64(0)
        if not before["pending"][0]:
            playable = np.uint64(blocked_by(before["colour"][0], before["top_rank"][0]))
        self._evidence = evidence.drew(event.number, playable)
        if self._state is None:
            return
        found: Hypotheses | None = self._state
        if playable:
            found = self._state.cannot_play(pool, playable, evidence, rng)
        try:
            self._settle(found and found.draw(pool, event.number, rng), rng)
        except TooMany:
            if self.options.method == "exact":
                self._too_many()
            self._state = self._recovered(rng)

    def _draw_mine(self, event: Event) -> None:
        evidence, rng, found = self.evidence, self._random(), self._state
        for card in event.cards:
            if found is not None:
                found = found.draw_mine(self.pool, card, evidence, rng)
            self._shown(card)
        self._evidence = evidence.drew_mine(event.cards)
        if self._state is not None:
            self._settle(found, rng)

    def _reshuffle(self, event: Event, before: Seen) -> None:
        evidence, unseen = self.evidence, counts(self.pool)
        left = int(before["deck_size"][0])
        self._pool = None
        self._evidence = evidence.reshuffled(unseen, left, self.pool)
        if self._state is not None:
            self._state = self._state.begin_anew(evidence, self._evidence)
        if left == 0 and self.options.method == "auto" and isinstance(self._state, Stories):
            mass = self.likelihood.shares * self._state.begin_like[0]
            hand = self._state.begin
            self._state = Hands(self.likelihood, self._limit, hand, mass[None] / mass.sum())

    def check(self) -> None:
        if not self.evidence.explained(counts(self.pool), self.held):
            raise BeliefError(NO_HAND)

    # --- what is thought ---

    @property
    def method(self) -> str:
        if self.options.method == "slots":
            return "slots"
        return "exact" if isinstance(self.hypotheses, Hands) else "particles"

    @property
    @remembered
    def hypotheses(self) -> Hypotheses:
        self._begin()
        if isinstance(self._state, Stories):
            return self._state.mixed(self.pool, self.evidence, self._random(5))
        return self._sampled_slots() if self._state is None else self._state

    def _sampled_slots(self) -> Stories:
        found = copy(self)
        self._memo["evidence"] = found
        return found._fresh(self._random(3))

    @property
    def surprises(self) -> tuple[Event, ...]:
        _ = self.hypotheses
        plays = [e for e in self.events if e.kind == "play" and e.seat == self.opponent]
        silent = self._silent(self._memo.get("evidence", self))
        return tuple(event for event, left_out in zip(plays, silent, strict=True) if left_out)

    @staticmethod
    def _silent(belief: UnoBelief) -> list[bool]:
        """Of each of the opponent's plays, whether its choice is left out."""
        evidence: Evidence | None = belief.evidence
        found: list[bool] = []
        while evidence is not None:
            found[:0] = evidence.silent
            evidence = evidence.earlier
        return found

    def resized(self, n: int) -> UnoBelief:
        """The same belief with another number of particles: more where a decision is close."""
        found = copy(self)
        found._memo = {}
        found.options = replace(self.options, n=n)
        if isinstance(self._state, Stories):
            rng = self._random(4)
            found._state = self._state.refreshed(self.pool, self.evidence, rng, n)
        return found


STEPS = {"play": UnoBelief._play, "draw": UnoBelief._draw, "reshuffle": UnoBelief._reshuffle}
"""What tells something of the hidden cards."""
