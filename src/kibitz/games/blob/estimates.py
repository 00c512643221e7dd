"""Blob: what a belief answers: who holds what, how much is missing, worlds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz import rng as random
from kibitz.games.base import KibitzError, State, members
from kibitz.games.belief import (
    SHOWN,
    STOCK,
    Belief,
    Marginals,
    bits,
    but_proved,
    source_of_worlds,
    unproved,
)
from kibitz.games.blob import counting, inference, notation, remarks
from kibitz.games.blob.counting import STOCK_SLOT
from kibitz.games.blob.layout import LANE, NO_TRUMP, PLAYING, STATE, SUITS
from kibitz.games.blob.posterior import (
    Counted,
    Posterior,
    Witness,
    estimated_bits,
    hand_bits,
)
from kibitz.games.blob.rules import BlobGameRules, BlobRules
from kibitz.players import Player

TRIES = 20
"""Draws for one world that shall differ from all before it."""


class Estimates(Belief):
    rules: BlobRules | BlobGameRules
    _data: NDArray[Any]
    """The observation, as an array of one."""
    _voids: int
    """Four bits for each seat: the suits it cannot have."""

    @property
    def observation(self) -> State:
        found: State = self._data[0]
        return found

    @property
    def _counted(self) -> Counted:
        """The deals that fit, whatever the model says."""
        raise NotImplementedError

    @property
    def _witness(self) -> Witness:
        raise NotImplementedError

    @property
    def _posterior(self) -> Posterior | None:
        """Deals with weights; nothing if all that fit are equally likely."""
        raise NotImplementedError

    @property
    def _generator(self) -> NDArray[np.uint64]:
        return random.generator(self.options.seed, len(self.events), random.BELIEF + self.seat)

    @property
    def ess(self) -> float:
        found = self._posterior
        return math.inf if found is None or self.method == "exact" else found.ess

    @cached_property
    def distinct(self) -> int:
        found = self._posterior
        if found is None:
            return round(self._counted.number)
        return len(np.unique(found.hands[found.weights > 0], axis=0))

    # --- who holds what ---

    @cached_property
    def _cards(self) -> tuple[int, ...]:
        return tuple(members(self._counted.pool))

    def _slot(self, holder: int) -> int:
        if holder not in self.holders:
            raise KibitzError(f"hidden cards are with {self.holders}, not with {holder!r}")
        return STOCK_SLOT if holder == STOCK else holder

    @property
    def sizes(self) -> dict[int, int]:
        """Hidden cards of each holder."""
        return {holder: int(self._counted.held[self._slot(holder)]) for holder in self.holders}

    @cached_property
    def _proved(self) -> NDArray[np.float64]:
        """[holder, card]: chances by the hard constraints; 0 and 1 are exact."""
        by_suit = self._counted.chances()[[self._slot(h) for h in self.holders]]
        found = by_suit[:, [card >> 4 for card in self._cards]]
        found.flags.writeable = False
        return found

    @cached_property
    def _chance(self) -> NDArray[np.float64]:
        found = self._posterior
        if found is None:
            return self._proved
        chance = found.chances()[[self._slot(h) for h in self.holders]][:, list(self._cards)]
        chance = but_proved(self._tempered(chance, self._proved), self._proved)
        chance.flags.writeable = False
        return chance

    def marginals(self) -> Marginals:
        return Marginals(self._cards, self.holders, self._chance, self._chance)

    def possible_cards(self, player: int) -> tuple[int, ...]:
        """The hidden cards that a seat may have, whatever the model says."""
        self._slot(player)
        row = self._proved[self.holders.index(player)]
        return tuple(card for card, p in zip(self._cards, row, strict=True) if p > 0)

    def is_consistent(self, player: int, hand: str | Iterable[int]) -> bool:
        """Whether a seat may hold exactly this hand: the other hidden cards can be dealt so that
        all that was seen fits."""
        slot = self._slot(player)
        cards = notation.parse_cards(hand) if isinstance(hand, str) else tuple(hand)
        word = sum(1 << card for card in set(cards))
        pool, held = int(self._counted.pool), self._counted.held.copy()
        if word & ~pool or len(cards) != held[slot] or len(set(cards)) != len(cards):
            return False
        if any(int(counting.voids_of(self._voids, slot)) >> (card >> 4) & 1 for card in cards):
            return False
        held[slot] = 0
        return Counted.of(pool & ~word, held, self._voids).number > 0

    def most_likely_holder(self, card: int | str) -> int:
        """The seat that has a card most likely, or STOCK."""
        number = self.parse_card(card) if isinstance(card, str) else card
        if int(self._data[0].hand[self.seat]) >> number & 1:
            return self.seat
        if number not in self._cards:
            name = notation.card_text(number) if number in range(64) else repr(number)
            raise KibitzError(f"{name} is not hidden")
        return self.holders[int(self._chance[:, self._cards.index(number)].argmax())]

    def possible(self, world: State) -> bool:
        left = int(self._counted.pool)
        for holder in range(STOCK_SLOT + 1):
            hand = int(world.stock if holder == STOCK_SLOT else world.hand[holder])
            if holder == self.seat:
                if hand != int(self._data[0].hand[self.seat]):
                    return False
                continue
            barred = int(counting.voids_of(self._voids, holder))
            suits = sum(int(LANE) << 16 * suit for suit in range(4) if barred >> suit & 1)
            if hand & ~left or hand & suits or hand.bit_count() != self._counted.held[holder]:
                return False
            left &= ~hand
        return left == 0

    def rules_out(self, world: State) -> bool:
        found = self._posterior
        if found is None or not self.entropy_is_exact:
            return False
        deal = np.array([*world.hand, world.stock], np.uint64)
        deal[self.seat] = 0
        same = (found.hands == deal).all(axis=1)
        return not found.weights[same].sum() > 0

    def can_play(self, holder: int) -> float | None:
        seen: Any = self._data[0]
        if seen.phase != PLAYING or seen.in_trick == 0 or holder == STOCK:
            return None
        if holder not in range(self.rules.players):
            raise KibitzError(f"seats are 0 to {self.rules.players - 1}, not {holder!r}")
        if seen.trick[holder] >= 0:
            return None
        if holder == self.seat:
            return float(int(seen.hand[holder] & seen.led) > 0)
        void = 1 << 4 * holder + ((int(seen.led).bit_length() - 1) >> 4)
        without = Counted.of(self._counted.pool, self._counted.held, self._voids | void)
        if without.number == 0 or not set(self.asked) & set(self.possible_cards(holder)):
            return float(without.number == 0)
        unable = without.number / self._counted.number
        if (found := self._posterior) is not None:
            lacks = (found.hands[:, holder] & seen.led) == 0
            unable = float(self._tempered(found.weights @ lacks, unable))
        return float(unproved(1.0 - unable))

    @property
    def asked(self) -> tuple[int, ...]:
        seen: Any = self._data[0]
        if seen.phase != PLAYING or seen.in_trick == 0:
            return ()
        return tuple(members(seen.led & self.rules.params.deck))

    def facts(self, holder: int) -> tuple[str, ...]:
        return () if holder == STOCK else tuple(f"no {suit}" for suit in self.voids(holder))

    def voids(self, player: int) -> tuple[str, ...]:
        """The suits that a seat has shown to be out of."""
        shown = int(counting.voids_of(self._voids, self._slot(player)))
        return tuple(suit for number, suit in enumerate(SUITS) if shown >> number & 1)

    def players(self, seat: int) -> list[tuple[Player, float]]:
        model, found = self.options.model, self._posterior
        chances = model.shares if found is None else found.kinds[self._slot(seat)].tolist()
        return list(zip(model.players, chances, strict=True))

    # --- bits ---

    @property
    def entropy_is_exact(self) -> bool:
        return self.method != "particles"

    def entropy(self) -> float:
        found = self._posterior
        every = math.log2(self._counted.number)
        if found is None:
            return every
        if self.method == "exact":
            return bits(found.weights)
        said = found.said.sum(axis=1)[found.weights > 0] @ found.weights[found.weights > 0]
        return min(every, max(0.0, every - float(said - found.evidence) / math.log(2)))

    def entropy_of(self, player: int) -> float:
        """Bits that are missing to know one hand. From particles an estimate, which takes the
        other seats' choices to say nothing about this hand."""
        slot = self._slot(player)
        found = self._posterior
        if found is not None and self.method == "exact":
            return hand_bits(found, slot)
        if self._counted.held[slot] == 0:
            return 0.0
        alone = Counted.of(self._counted.pool, self._counted.held, self._voids, slot)
        if found is None:
            chance, each, _ = alone.hand_chances()
            return max(0.0, float(-chance @ np.log2(each)))
        return max(0.0, estimated_bits(alone, self._witness, found, slot, self._generator))

    # --- worlds ---

    def sample(
        self,
        n: int,
        rng: NDArray[np.uint64] | int,
        *,
        diversity: float = 0.0,
        diversity_weight: float = 0.5,
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """n worlds and their weights.

        With `diversity` (0.3, say) a world is taken, with chance `diversity_weight`, only if that
        part of the hidden cards lies elsewhere than in every world before it. That biases averages
        over the worlds. They then are all different: where that leaves fewer than n, their weights
        make up for it, and where no more than n are possible, all of them come with their exact
        chances.
        """
        if not diversity:
            return super().sample(n, rng)
        source = source_of_worlds(n, rng)
        hands, weights = self._diverse(n, source, diversity, diversity_weight)
        return self._filled(hands), weights

    def _worlds(self, n: int, rng: NDArray[np.uint64]) -> NDArray[Any]:
        return self._filled(self._draw(n, rng))

    def _filled(self, hands: NDArray[np.uint64]) -> NDArray[Any]:
        worlds = np.zeros(len(hands), STATE)
        inference.fill_worlds(self._data, hands, worlds)
        return worlds

    def _draw(self, n: int, generator: NDArray[np.uint64]) -> NDArray[np.uint64]:
        found = self._posterior
        return self._counted.draw(n, generator) if found is None else found.draw(n, generator)

    def _diverse(
        self, n: int, generator: NDArray[np.uint64], threshold: float, weight: float
    ) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
        if not (0 <= threshold <= 1 and 0 <= weight <= 1):
            raise KibitzError("diversity and diversity_weight lie between 0 and 1")
        if self._counted.number <= n and self.method != "particles":
            found = self._posterior
            if found is not None:
                return found.hands, found.weights
            hands = self._counted.all()
            return hands, np.full(len(hands), 1 / len(hands))
        needed = threshold * len(self._cards)
        kept: list[NDArray[np.uint64]] = []
        times: list[int] = []
        for _ in range(n):
            strict = random.uniform(generator) < weight
            for hand in self._draw(TRIES, generator):
                away = [inference.cards_elsewhere(hand, other) for other in kept]
                if strict and any(cards < needed for cards in away):
                    continue
                if 0 in away:
                    times[away.index(0)] += 1
                else:
                    kept.append(hand)
                    times.append(1)
                break
        return np.array(kept), np.array(times) / sum(times)

    def weighed_deals(self, n: int) -> tuple[NDArray[np.uint64], NDArray[np.float64], bool]:
        """Deals as [deal, seat or stock], with weights that add up to 1; and whether they are all
        that fit, so that what holds in each of them is proved. Else about `n` drawn at random, or
        the particles."""
        found = self._posterior
        if found is not None:
            return found.hands, found.weights, self.method == "exact"
        if self._counted.number <= n:
            hands = self._counted.all()
            return hands, np.full(len(hands), 1 / len(hands)), True
        return self._counted.draw(n, self._generator), np.full(n, 1 / n), False

    # --- for people ---

    def _foremost(self) -> Sequence[int]:
        """Trumps first, then by rank."""
        trump = int(self.observation.trump)
        order = sorted(self._cards, key=lambda c: (c >> 4 != trump or trump == NO_TRUMP, -(c & 15)))
        return order[:SHOWN]

    def _worked_out(self) -> str:
        if self.method == "counting":
            return f"{self.distinct:,} deals, all equally likely"
        return super()._worked_out()

    def remarks(self, actions: Sequence[int]) -> tuple[str, ...]:
        return remarks.remarks(self, actions)
