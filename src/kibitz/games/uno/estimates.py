"""UNO: what a belief answers, from its weighted hands: marginals, entropy, worlds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kibitz import rng as random
from kibitz.games.base import KibitzError, State
from kibitz.games.belief import STOCK, Belief, Marginals, bits, but_proved, remembered, unproved
from kibitz.games.uno import notation, remarks, sure
from kibitz.games.uno.afresh import run_slots
from kibitz.games.uno.exact import complement
from kibitz.games.uno.filter import Rows
from kibitz.games.uno.game import counts
from kibitz.games.uno.hands import Hands
from kibitz.games.uno.hypotheses import blocked_by
from kibitz.games.uno.kernels import minus
from kibitz.games.uno.layout import COLOURS, LANE, STATE
from kibitz.games.uno.proofs import Proofs
from kibitz.games.uno.stories import Stories
from kibitz.games.uno.tally import fill_worlds, spread, tally
from kibitz.particles import effective_size, normalise, resample
from kibitz.players import Player

if TYPE_CHECKING:
    from kibitz.games.uno.evidence import Evidence, Words
    from kibitz.games.uno.likelihood import Likelihood
    from kibitz.games.uno.rules import UnoRules

Array = NDArray[Any]
ENTROPY_HANDS, ENTROPY_STORIES = 64, 128
"""Hands over which the entropy is averaged, and stories drawn to judge each."""
MOST_BEGINNINGS = 12
"""Hands at the last reshuffle that are considered, the most likely ones."""


class Estimates(Belief):
    rules: UnoRules
    likelihood: Likelihood

    @property
    def opponent(self) -> int:
        return 1 - self.seat

    @property
    def pool(self) -> Words:
        raise NotImplementedError

    @property
    def held(self) -> int:
        raise NotImplementedError

    @property
    def evidence(self) -> Evidence:
        raise NotImplementedError

    @property
    def hypotheses(self) -> Hands | Stories:
        raise NotImplementedError

    # --- weighted hands ---

    @remembered
    def _chances(self) -> Array:
        return self.hypotheses.chances()

    @property
    def n(self) -> int:
        """The number of hypotheses."""
        return len(self.hypotheses)

    @property
    def ess(self) -> float:
        exact = isinstance(self.hypotheses, Hands)
        return np.inf if exact else float(effective_size(self._chances()))

    @property
    def distinct(self) -> int:
        """Different hands with any weight."""
        alive = self.hypotheses.hand[self._chances() > 0]
        return len(np.unique(alive, axis=0))

    def distribution(self) -> dict[tuple[int, ...], float]:
        """The chance of each hand, as its cards in order; with particles, their share."""
        hands, place = np.unique(self.hypotheses.hand, axis=0, return_inverse=True)
        shares = np.bincount(place.ravel(), self._chances())
        return {
            tuple(sorted(counts(words).elements())): float(share)
            for words, share in zip(hands, shares, strict=True)
            if share
        }

    def _worlds(self, n: int, rng: NDArray[np.uint64]) -> Array:
        index = np.empty(n, np.int64)
        resample(self._chances(), rng, index)
        worlds = np.zeros(n, STATE)
        worlds[:] = self.observation
        fill_worlds(*self.pool, self.opponent, self.hypotheses.hand, index, worlds)
        return worlds

    @property
    def sizes(self) -> dict[int, int]:
        return {self.opponent: self.held, STOCK: int(self.observation["deck_size"])}

    # --- marginals ---

    def _tally(self, hands: Array) -> tuple[Array, Array]:
        """For each card, the share of hands with it and the mean number of copies."""
        chance, expected = np.zeros(64), np.zeros(64)
        tally(hands, self._chances(), chance, expected)
        return chance, expected

    @remembered
    def marginals(self) -> Marginals:
        """With particles, shares are drawn towards the uniform belief as if by one more particle.
        0 and 1 stand where they are proved, and there alone: neither a sample nor a model proves
        anything."""
        unseen = self.unseen()
        cards = tuple(unseen)
        copies = np.array([unseen[card] for card in cards], float)
        held, deck = self.held, int(self.observation.deck_size)
        chance, expected = (column[list(cards)] for column in self._tally(self.hypotheses.hand))
        in_deck = self._tally(self._decks())[0][list(cards)]
        if not isinstance(self.hypotheses, Hands) and held and deck:
            total = held + deck
            some = np.array([1 - comb(total - unseen[c], held) / comb(total, held) for c in cards])
            rest = np.array([1 - comb(total - unseen[c], deck) / comb(total, deck) for c in cards])
            chance, in_deck = self._tempered(chance, some), self._tempered(in_deck, rest)
            expected = self._tempered(expected, copies * held / total)
        proved = np.array([self._proofs.of_card(card) for card in cards], float).reshape(-1, 2)
        chance, in_deck = but_proved(chance, proved[:, 0]), but_proved(in_deck, proved[:, 1])
        least = np.maximum(chance, copies - copies * in_deck)
        expected = np.clip(expected, least, np.minimum(copies * chance, copies - in_deck))
        return Marginals(
            cards=cards,
            holders=self.holders,
            chance=np.stack([chance, in_deck]),
            expected=np.stack([expected, copies - expected]),
        )

    def errors(self) -> Array:
        """Particles of one root, the story that they all come of through resampling, are no
        independent witnesses: the error is that of the sum over families (Chan and Lai, 2013)."""
        found, chances = self.hypotheses, self._chances()
        cards = list(self.marginals().cards)
        if isinstance(found, Hands):
            return np.zeros((2, len(cards)))
        rows = []
        for hands, means in zip((found.hand, self._decks()), self.marginals().chance, strict=True):
            mean, squares = np.zeros(64), np.zeros(64)
            mean[cards] = means
            families = spread(hands, chances, found.roots, mean, squares)
            if families > 1:
                rows.append(np.sqrt(squares[cards] * families / (families - 1)))
            else:  # a single story is left of them all: as much as one would tell
                rows.append(np.sqrt(means * (1 - means)))
        return np.stack(rows)

    @property
    @remembered
    def _proofs(self) -> Proofs:
        alive = self._chances() > 0
        hands, decks = self.hypotheses.hand[alive], self._decks()[alive]
        return Proofs(self.evidence, self.unseen(), self.held, hands, decks)

    @remembered
    def _decks(self) -> Array:
        """What is left in the deck of each hypothesis."""
        decks = self.hypotheses.hand.copy()
        complement(*self.pool, decks)
        return decks

    def may_hold(self, card: int) -> bool:
        """Whether the opponent may have a copy of a card, for all that is proved."""
        return self._proofs.of_card(card)[0] != 0.0

    def sure_wins(self, actions: Sequence[int]) -> dict[int, tuple[int, ...]]:
        return sure.sure_wins(self, actions)

    def has_any(self, cards: Any) -> float:
        """The chance that the opponent has one of `cards`, given as bits of the first word. 0 and
        1 are proved, as in `marginals`."""
        if (proved := self._proofs.of_any(cards)) is not None:
            return proved
        with_it = (self.hypotheses.hand[:, 0] & np.uint64(cards)) != 0
        share = float(self._chances()[with_it].sum())
        if not isinstance(self.hypotheses, Hands):
            unseen = self.unseen()
            hits = sum(n for card, n in unseen.items() if int(cards) >> card & 1)
            held, total = self.held, unseen.total()
            uniform = 1 - comb(total - hits, held) / comb(total, held)
            share = self._tempered(min(share, 1.0), uniform)
        return float(unproved(share))

    def colour_chance(self) -> Array:
        """The chance that the opponent has a card of each colour."""
        return np.array([self.has_any(int(LANE) << 16 * colour) for colour in range(4)])

    def can_play(self, holder: int) -> float | None:
        seen = self.observation
        if holder != self.opponent or seen.turn < 0:
            return None
        return self.has_any(blocked_by(seen.colour, seen.top_rank))

    def expected_playable(self) -> float:
        """How many cards the opponent has, on average, that could be played now."""
        cards = int(blocked_by(self.observation.colour, self.observation.top_rank))
        found = self.marginals()
        return float(
            sum(found.expected[0][k] for k, card in enumerate(found.cards) if cards >> card & 1)
        )

    def players(self, seat: int) -> list[tuple[Player, float]]:
        if seat != self.opponent:
            raise KibitzError(f"the other seat is {self.opponent}, not {seat!r}")
        found = self.hypotheses
        if isinstance(found, Hands):
            chances = found.mass.sum(axis=0)
        else:
            alive = found.weights > 0
            odds = found.like[alive] * self.likelihood.shares
            chances = self._chances()[alive] @ (odds / odds.sum(axis=1, keepdims=True))
        return list(zip(self.options.model.players, map(float, chances), strict=True))

    # --- how much is missing ---

    @property
    def entropy_is_exact(self) -> bool:
        return isinstance(self.hypotheses, Hands)

    @remembered
    def entropy(self) -> float:
        exact = isinstance(self.hypotheses, Hands)
        return bits(self._chances()) if exact else self._estimated_entropy()

    def _estimated_entropy(self) -> float:
        """The mean of -log2 p(hand) over hands of the belief. The share of a hand among particles
        would saturate at log2 n, so p is judged by stories drawn by slots that end with it, over
        stories that end with any: the same sampler gives both on one scale."""
        if self.observation["deck_size"] == 0 or self.held == 0:
            return 0.0
        rng = random.generator(self.options.seed, len(self.events), 99)
        found = self.hypotheses
        assert isinstance(found, Stories)
        index = np.empty(ENTROPY_HANDS, np.int64)
        resample(self._chances(), rng, index)
        found = found.latest(self.evidence)  # hands are judged by what was seen since its beginning
        bits = []
        wholes: dict[bytes, float] = {}
        begins, place = np.unique(found.begin, axis=0, return_inverse=True)
        shares = np.bincount(place.ravel(), self._chances() if len(found.begin) > 1 else None)
        likely = np.argsort(-shares)[:MOST_BEGINNINGS]
        likely = likely[shares[likely] > 0]
        for i in index:
            hand, logs = found.hand[i][None], []
            own = place.ravel()[i if len(found.begin) > 1 else 0]
            for k in {own, *likely.tolist()}:  # a hand may have come of each of them
                begin = begins[k][None]
                if (key := begin.tobytes()) not in wholes:
                    wholes[key] = self._slot_weight(begin, None, 4 * ENTROPY_STORIES, rng)
                part = self._slot_weight(begin, hand, ENTROPY_STORIES, rng) - wholes[key]
                logs.append(part + np.log(shares[k] / shares.sum()))
            bits.append(-np.logaddexp.reduce(logs))
        known = [value for value in bits if np.isfinite(value)]
        return (
            max(0.0, float(np.mean(known) / np.log(2))) if known else float(np.log2(self.distinct))
        )

    def _slot_weight(self, begin: Array, wanted: Array | None, n: int, rng: Any) -> float:
        """The log of the mean weight of stories drawn by slots, all or those that end as wanted.
        Minus infinity if all are dead ends."""
        evidence = self.evidence
        players = len(self.likelihood.shares)
        logs, unused = np.empty(n), np.empty(n)
        rows = Rows(
            begin,
            self._begin_like(),
            np.zeros((n, 2), np.uint64),
            np.zeros((n, evidence.slots), np.uint8),
            np.ones((n, players)),
            unused,
        )
        run_slots(self.likelihood, self.pool, evidence, rows, logs, rng, wanted)
        return float(normalise(logs, unused))

    def _begin_like(self) -> Array:
        """How likely what came before is, for each kind of player, on average."""
        found = self.hypotheses
        assert isinstance(found, Stories)
        if len(found.begin_like) == 1:
            return found.begin_like
        alive = found.weights > 0
        before = found.begin_like[alive]
        odds = before / (before @ self.likelihood.shares)[:, None]
        mean: Array = (self._chances()[alive] @ odds)[None]
        return mean

    # --- the rest of the interface ---

    def possible(self, world: State) -> bool:
        hands, hand = world["hand"], counts(world["hand"][self.opponent])
        mine = self.observation["hand"][self.seat]
        if (hands[self.seat] != mine).any() or hand.total() != self.held:
            return False
        if hand - self.unseen() or tuple(world["deck"]) != minus(*self.pool, *hands[self.opponent]):
            return False
        return self.evidence.possible(hand)

    @remembered
    def unseen(self) -> Counter[int]:
        """The cards that are unseen, with their copies."""
        return counts(self.pool)

    @property
    def asked(self) -> tuple[int, ...]:
        seen = self.observation
        if seen["turn"] < 0:
            return ()
        cards = int(blocked_by(seen["colour"], seen["top_rank"]))
        return tuple(card for card in notation.CARDS if cards >> card & 1)

    def rules_out(self, world: State) -> bool:
        found = self.hypotheses
        if not isinstance(found, Hands):
            return False
        held = (found.hand == world.hand[self.opponent]).all(axis=1)
        return not self._chances()[held].sum() > 0

    def any_of(self, seat: int) -> dict[str, float]:
        chances = map(float, self.colour_chance())
        return dict(zip(COLOURS[: self.rules.colours], chances, strict=False))

    def summary(self) -> str:
        return remarks.summary(self)

    def remarks(self, actions: Sequence[int]) -> tuple[str, ...]:
        return remarks.remarks(self, actions)
