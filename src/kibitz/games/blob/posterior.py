"""Blob: the posterior over deals, worked out in one of three ways.

* counting: the hard constraints alone, exact (`counting`);
* exact: every deal that fits, with its weight;
* particles: a weighted sample of them (`inference`).

What the choices seen say comes from a `Witness`: kernels for models that are numbers, or a Python
function, asked once for each hand and decision.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz import particles
from kibitz.games.base import Rules, State
from kibitz.games.belief import Options, bits
from kibitz.games.blob import counting, deals, inference
from kibitz.games.blob.counting import HOLDERS, STOCK_SLOT
from kibitz.games.blob.layout import MAX_SEATS, STATE
from kibitz.games.model import chance
from kibitz.particles import effective_size, resample

Words = NDArray[np.uint64]
Floats = NDArray[np.float64]

MOVES_PER_CARD = 1
"""Exchanges proposed after resampling, for each hidden card in a hand."""

_LOCAL = threading.local()


def _scratch() -> Any:
    """What the kernels of `counting` work on, for each thread its own."""
    if not hasattr(_LOCAL, "scratch"):
        _LOCAL.scratch = counting.scratch()
    return _LOCAL.scratch


class Counted(NamedTuple):
    """The deals that fit: how many, and the table they are drawn from."""

    pool: np.uint64
    held: NDArray[np.int64]  # [holder]
    voids: np.uint64
    split: State
    ways: Floats

    @classmethod
    def of(cls, pool: Any, held: NDArray[np.int64], voids: Any, alone: int = -1) -> Counted:
        """`alone`: a holder whose hand shall be chosen before all others."""
        split = np.zeros(1, counting.SPLIT)[0]
        ways, _, takes, choices = _scratch()
        counting.prepare(
            np.uint64(pool), held, np.uint64(voids), alone, split, ways, takes, choices
        )
        return cls(np.uint64(pool), held, np.uint64(voids), split, ways[: int(split.table)].copy())

    @property
    def number(self) -> float:
        return float(self.split.deals)

    def chances(self) -> Floats:
        """[holder, suit]: that the holder has a given unseen card of that suit."""
        out = np.zeros((HOLDERS, 4))
        counting.chances(self.split, self.ways, *_scratch()[1:], out)
        return out

    def draw(self, n: int, generator: Words) -> Words:
        """n independent deals: [deal, holder]."""
        hands = np.zeros((n, HOLDERS), np.uint64)
        deals.draw_deals(self.split, self.ways, *_scratch()[2:], generator, hands)
        return hands

    def all(self) -> Words:
        hands = np.zeros((round(self.number), HOLDERS), np.uint64)
        deals.all_deals(self.split, self.ways, *_scratch()[2:], hands)
        return hands

    def hand_chances(self) -> tuple[Floats, Floats, NDArray[np.int64]]:
        """Of the holder that is alone, for each make-up of its hand that is possible: its chance,
        that of a single hand of it, and the cards of each class."""
        _, _, takes, choices = _scratch()
        n = counting.steps(self.split, 0, self.split.class_size, takes, choices)
        some = self.ways[takes[:n, 4]] > 0
        made_up = takes[:n][some]
        each = self.ways[made_up[:, 4]] / self.ways[0]
        return choices[:n][some] * each, each, made_up[:, :4]


@dataclass(frozen=True)
class Posterior:
    """Deals with weights."""

    hands: Words
    """[deal, holder]"""
    weights: Floats
    said: Floats
    """[deal, seat]: log likelihood of the seat's decisions."""
    left_out: tuple[int, ...]
    """Decisions that the model calls impossible, as numbers of the round's moves."""
    evidence: float
    """Log of the mean likelihood of a deal that fits."""
    kinds: Floats
    """[seat, kind]: the chance that a seat is such a player."""

    @property
    def ess(self) -> float:
        return float(effective_size(self.weights))

    def chances(self) -> Floats:
        """[holder, bit]: that the holder has the card with that number."""
        out = np.zeros((HOLDERS, 64))
        inference.tally(self.hands, self.weights, out)
        return out

    def draw(self, n: int, generator: Words) -> Words:
        """n deals, in random order."""
        chosen = np.zeros(n, np.int64)
        inference.choose_deals(self.weights, generator, chosen)
        return self.hands[chosen]


class Witness:
    """What the moves of a round say, to `seat`, of the others' hands."""

    def __init__(
        self, rules: Rules, seat: int, options: Options, opening: Any, moves: Iterable[int]
    ) -> None:
        self.rules, self.seat, self.options = rules, seat, options
        self.moves = np.array(tuple(moves), np.int64)
        n = len(self.moves)
        self.moments = np.zeros(n, STATE)
        self.seats = np.zeros(n, np.int64)
        self.later = np.zeros(n, np.uint64)
        inference.replay(rules.params, opening, self.moves, self.moments, self.seats, self.later)
        self.shares, self.players = options.model.arrays
        self._asked: dict[tuple[int, int], float] = {}

    @property
    def decisions(self) -> list[int]:
        """Moves of the others."""
        return [t for t in range(len(self.moves)) if self.seats[t] != self.seat]

    def logs(self, t: int, hands: Words) -> Floats:
        """[hand, kind of player]: log of the chance of move t by a seat that holds `hands` now."""
        if self.options.model.function is not None:
            return np.array([[self._ask(t, int(hand))] for hand in hands])
        out = np.zeros((len(hands), len(self.shares)))
        inference.weigh_hands(
            self.rules.params, self.moments[t], self.moves[t], self.later[t],
            np.ascontiguousarray(hands)[:, None], 0, self.players, out,
        )  # fmt: skip
        return out

    def _ask(self, t: int, hand: int) -> float:
        """The same from the model's function, which is given the seat's hand and no other."""
        if (t, hand) not in self._asked:
            assert self.options.model.function is not None
            state: Any = self.moments[t].copy()
            state.hand[self.seats[t]] = np.uint64(hand) | self.later[t]
            found = self.options.model.function(self.rules, state)
            self._asked[t, hand] = float(particles.log(chance(found, int(self.moves[t]))))
        return self._asked[t, hand]

    def mixed(self, logs: Floats) -> Floats:
        """[hand]: log likelihood of a player of unknown kind."""
        best = logs.max(axis=1, keepdims=True)
        safe = np.where(np.isfinite(best), best, 0.0)
        total = np.exp(logs - safe) @ self.shares
        out: Floats = np.full(len(logs), -np.inf)
        np.log(total, out=out, where=total > 0)
        return out + safe[:, 0]

    def kinds(self, logs: Floats, weights: Floats) -> Floats:
        """The chance of each kind, for a player with these logs in worlds of these weights."""
        some = weights > 0
        odds = np.exp(logs[some] - self.mixed(logs[some])[:, None]) * self.shares
        found: Floats = weights[some] @ odds
        return found


def enumerated(counted: Counted, witness: Witness) -> Posterior:
    """All deals that fit, weighed exactly. A seat's hand recurs in many deals and is weighed
    once."""
    hands = counted.all()
    others = sorted({int(witness.seats[t]) for t in witness.decisions})
    unique = {seat: np.unique(hands[:, seat], return_inverse=True) for seat in others}
    logs = {seat: np.zeros((len(unique[seat][0]), len(witness.shares))) for seat in others}
    said = {seat: np.zeros(len(hands)) for seat in others}
    left_out = []
    for t in witness.decisions:
        seat = int(witness.seats[t])
        words, where = unique[seat]
        trial = logs[seat] + witness.logs(t, words)
        new = witness.mixed(trial)[where]
        if sum((said[s] for s in others if s != seat), new).max() == -np.inf:
            left_out.append(t)
        else:
            logs[seat], said[seat] = trial, new
    total = sum(said.values(), np.zeros(len(hands)))
    best = total.max()
    weights = np.exp(total - best)
    whole = weights.sum()
    evidence = float(best + np.log(whole / len(hands)))
    weights /= whole
    kinds = np.tile(witness.shares, (MAX_SEATS, 1))
    for seat, (words, where) in unique.items():
        mass = np.zeros(len(words))
        np.add.at(mass, where, weights)
        kinds[seat] = witness.kinds(logs[seat], mass)
    columns = np.stack([said.get(s, np.zeros(len(hands))) for s in range(MAX_SEATS)], axis=1)
    return Posterior(hands, weights, columns, tuple(left_out), evidence, kinds)


def sampled(counted: Counted, witness: Witness, generator: Words) -> Posterior:
    """Particles."""
    hands = counted.draw(witness.options.n, generator)
    proposals = MOVES_PER_CARD * int(counted.held[:STOCK_SLOT].sum())
    if witness.options.model.function is not None:
        return _asked(counted, witness, generator, hands, proposals)
    logs = np.zeros((len(hands), MAX_SEATS, len(witness.shares)))
    weights = np.zeros(len(hands))
    used = np.zeros(len(witness.moves), np.bool_)
    params = witness.rules.params
    evidence = inference.Evidence(
        witness.moments, witness.moves, witness.seats, witness.later, used, witness.shares,
        witness.players,
    )  # fmt: skip
    swaps = inference.Swaps(counted.voids, counted.pool, proposals)
    drawn = inference.Deals(hands, logs, weights)
    mean = -np.inf
    if not witness.options.model.hard:  # some kind of player may do anything
        used[witness.decisions] = True
        mean = inference.anneal(params, evidence, swaps, drawn, generator)
    if mean == -np.inf:
        hands = counted.draw(witness.options.n, generator)
        drawn = drawn._replace(hands=hands)
        mean = inference.follow(params, witness.seat, evidence, swaps, drawn, generator)
    said = np.stack([witness.mixed(logs[:, seat]) for seat in range(MAX_SEATS)], axis=1)
    left_out = tuple(t for t in witness.decisions if not used[t])
    kinds = np.stack([witness.kinds(logs[:, seat], weights) for seat in range(MAX_SEATS)])
    return Posterior(hands, weights, said, left_out, float(mean), kinds)


def estimated_bits(
    alone: Counted, witness: Witness, found: Posterior, slot: int, generator: Words
) -> float:
    """Bits missing to know the hand of `slot`, by particles. Plain frequencies would say far too
    few: most hands are in no particle. So the chance of a hand is taken to be that by the hard
    constraints times the likelihood of its own decisions, over its mean."""
    _, each, made_up = alone.hand_chances()
    chance = dict(zip(map(tuple, made_up.tolist()), each.tolist(), strict=True))
    cards = [int(word) for word in alone.split.class_cards]
    hands = [int(hand) for hand in found.hands[:, slot]]
    before = np.array([chance[tuple((hand & c).bit_count() for c in cards)] for hand in hands])
    if slot == STOCK_SLOT:
        return float(-found.weights @ np.log2(before))
    used = [t for t in witness.decisions if witness.seats[t] == slot and t not in found.left_out]
    fresh = alone.draw(len(hands), generator)[:, slot]
    logs = sum((witness.logs(t, fresh) for t in used), np.zeros((len(fresh), len(witness.shares))))
    said = witness.mixed(logs)
    best = said.max()
    if best == -np.inf:  # too few hands explain what was done to be met by chance
        return hand_bits(found, slot)
    some = found.weights > 0
    mean = best + np.log(np.exp(said - best).mean())
    after = np.log2(before[some]) + (found.said[some, slot] - mean) / np.log(2)
    return float(-found.weights[some] @ after)


def hand_bits(found: Posterior, slot: int) -> float:
    """Entropy of one holder's hand, as the deals have it."""
    hands, where = np.unique(found.hands[:, slot], return_inverse=True)
    chance = np.zeros(len(hands))
    np.add.at(chance, where, found.weights)
    return bits(chance)


def _asked(
    counted: Counted, witness: Witness, generator: Words, hands: Words, proposals: int
) -> Posterior:
    """`inference.follow` for a model that is a Python function, without second looks."""
    n = len(hands)
    said = np.zeros((n, MAX_SEATS))
    log_weights = np.zeros(n)
    used: list[int] = []
    evidence = 0.0
    for t in witness.decisions:
        seat = int(witness.seats[t])
        added = witness.logs(t, hands[:, seat])[:, 0]
        tried = log_weights + added
        best = tried.max()
        if best == -np.inf:
            continue
        used.append(t)
        evidence += float(best + np.log(np.exp(tried - best).mean()))
        log_weights = tried - best - np.log(np.exp(tried - best).mean())
        said[:, seat] += added
        weights = np.exp(log_weights) / n
        if effective_size(weights) < 0.5 * n:
            chosen = np.zeros(n, np.int64)
            resample(weights, generator, chosen)
            hands, said = hands[chosen], said[chosen]
            log_weights = np.zeros(n)
            for i in range(n):
                _exchange(counted, witness, used, generator, hands[i], said[i], proposals)
    left_out = tuple(t for t in witness.decisions if t not in used)
    kinds = np.ones((MAX_SEATS, 1))
    return Posterior(hands, np.exp(log_weights) / n, said, left_out, evidence, kinds)


def _exchange(
    counted: Counted, witness: Witness, used: list[int], generator: Words, hands: Words,
    said: Floats, proposals: int,
) -> None:  # fmt: skip
    """`inference.move`, asking the function."""
    pair = np.zeros(2, np.uint64)
    for _ in range(proposals):
        inference.propose(counted.voids, counted.pool, generator, hands, pair)
        if not pair[0]:
            continue
        both = pair[0] | pair[1]
        touched = [inference.holder_of(hands, card) for card in pair]
        new = {}
        for holder in touched:
            if holder != STOCK_SLOT:
                hand = int(hands[holder] ^ both)
                new[holder] = sum(witness._ask(t, hand) for t in used if witness.seats[t] == holder)
        gain = sum(value - said[holder] for holder, value in new.items())
        if inference.accepted(gain, generator):
            for holder in touched:
                hands[holder] ^= both
            for holder, value in new.items():
                said[holder] = value
