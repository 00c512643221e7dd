"""Blob's belief is exact: against brute force, and its draws against the weights."""

import math
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations
from random import Random

import numpy as np
import pytest

import kibitz
from blob_histories import (
    MODELS,
    TINY,
    agrees,
    as_world,
    brute,
    counted,
    deal_of,
    keen_player,
    odd_player,
    odd_player_again,
    shown_now,
    some_table,
)
from brute_blob_belief import count_deals
from helpers import PURE, fewer, fits, members
from kibitz import rng as random
from kibitz.beliefs import belief
from kibitz.games.belief import STOCK, Options
from kibitz.games.blob import counting
from kibitz.games.blob.belief import BlobBelief
from kibitz.games.blob.layout import PLAYING
from kibitz.games.blob.notation import card_text
from kibitz.games.model import model as read_model

# --- exact ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", TINY, ids=str)
def test_counting_is_exact(rules):
    for seed in range(fewer(12 if rules.players < 4 else 5)):
        table = some_table(rules, seed)
        for seat in range(rules.players):
            found, reference = counted(table, seat), brute(table, seat)
            assert found.method == "counting"
            assert found.entropy_is_exact
            assert found.ess == math.inf
            assert found.distinct == len(reference.weights)
            assert agrees(found, reference)
            check_questions(found, reference, table)


def check_questions(found, reference, table):
    rules, marginals = table.rules, found.marginals()
    seen = found.observation
    following = seen.phase == PLAYING and seen.in_trick > 0
    for holder in marginals.holders:
        possible = reference.hands(holder)
        cards = set().union(*possible)
        assert {card_text(card) for card in found.possible_cards(holder)} == cards
        size = found.sizes[holder]
        for hand in combinations(marginals.cards, size):
            there = frozenset(card_text(card) for card in hand) in possible
            assert found.is_consistent(holder, hand) == there
        assert not found.is_consistent(holder, [*marginals.cards[:size], 63])
        if holder == STOCK or not following or seen.trick[holder] >= 0:
            assert found.can_play(holder) is None
        else:
            suit = "CDHS"[(int(seen.led).bit_length() - 1) >> 4]
            exact = reference.can_follow(suit, holder)
            assert found.can_play(holder) == pytest.approx(exact, abs=1e-9)
    for card in marginals.cards:
        likely = found.most_likely_holder(card)
        best = max(reference.probability(card_text(card), h) for h in marginals.holders)
        assert reference.probability(card_text(card), likely) == pytest.approx(best, abs=1e-9)
    for hands in list(reference.weights)[:5]:
        assert found.possible(as_world(found, hands))
    assert found.possible(table._state)
    assert rules.players == len(marginals.holders)
    assert found.asked == tuple(members(seen.led & rules.params.deck) if following else ())
    for holder in marginals.holders:
        word = table._state.stock if holder == STOCK else table._state.hand[holder]
        assert found.holding(table._state, holder) == tuple(members(word))
    assert all(found.parse_card(found.card_text(card)) == card for card in marginals.cards)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("rules", TINY[:4], ids=str)
def test_exact_with_a_model(rules, model):
    for seed in range(fewer(5)):
        table = some_table(rules, 100 + seed)
        seat = seed % rules.players
        found = belief(table.view(seat), method="exact", model=model, cache=None)
        reference = brute(table, seat, MODELS[model])
        assert agrees(found, reference)
        moves = [e for e in found.events if e.kind in ("bid", "play")]
        assert found.surprises == tuple(moves[t] for t in reference.left_out)


@pytest.mark.parametrize("rules", TINY[:4], ids=str)
def test_exact_with_a_function(rules):
    for seed in range(fewer(4)):
        table = some_table(rules, 200 + seed)
        seat = seed % rules.players
        found = belief(table.view(seat), method="exact", model=odd_player, cache=None)
        assert agrees(found, brute(table, seat, odd_player_again))


def test_keen_players_are_believed_to_choose_as_they_do():
    """The model by its name, all in kernels, and the same told as a function."""
    read, tables = 0, fewer(30)
    for seed in range(tables):
        rules = TINY[seed % len(TINY)]
        table = some_table(rules, 300 + seed, rules.players * 2)
        view = table.view(seed % rules.players)
        named = belief(view, method="exact", model="keen:temperature=8", cache=None)
        told = belief(view, method="exact", model=keen_player, cache=None)
        np.testing.assert_allclose(named.marginals().chance, told.marginals().chance, atol=1e-9)
        assert named.entropy() == pytest.approx(told.entropy(), abs=1e-9)
        read += named.entropy() < counted(table, view.seat).entropy() - 1e-3
    assert read > tables / 2


@pytest.mark.parametrize("players", range(2, 9))
def test_counts_of_large_deals(players):
    """Against whole numbers of any size."""
    choice = Random(players)
    scratch = counting.scratch()
    split = np.zeros(1, counting.SPLIT)[0]
    ways, _, takes, choices = scratch
    possible = 0
    for _ in range(fewer(40)):
        size = choice.randint(1, min(52 // players, 9 if players > 5 else 26))
        deck = choice.sample([16 * suit + rank for suit in range(4) for rank in range(13)], 52)
        others = [size - choice.randint(0, 1) for _ in range(players - 1)]
        stock = choice.randint(0, 52 - size - sum(others))
        pool = deck[: sum(others) + stock]
        forbidden = [{s for s in range(4) if choice.random() < 0.2} for _ in others]
        if players > 5:  # brute force has its limits
            forbidden[:3], stock, pool = [set()] * 3, stock % 4, pool[: sum(others) + stock % 4]
        held = np.array([0, *others, *[0] * (8 - players), stock])
        voids = sum(1 << (4 * h + s) for h, suits in enumerate(forbidden, 1) for s in suits)
        bits = np.uint64(sum(1 << card for card in pool))
        suits = [sum(card >> 4 == suit for card in pool) for suit in range(4)]
        exact = merged_count(suits, others, stock, forbidden)
        counting.prepare(bits, held, np.uint64(voids), -1, split, ways, takes, choices)
        assert split.deals == pytest.approx(exact, rel=1e-12)
        possible += exact > 0
    assert possible


def merged_count(suits, others, stock, forbidden):
    """`count_deals`, hands without a void first put together, or it would take for ever."""
    free = [n for n, f in zip(others, forbidden, strict=True) if not f]
    bound = [(n, f) for n, f in zip(others, forbidden, strict=True) if f]
    whole = sum(free) + stock
    split = math.factorial(whole)
    for part in (*free, stock):
        split //= math.factorial(part)
    sizes = [whole, *(n for n, _ in bound)]
    return split * count_deals(suits, sizes, [set(), *(f for _, f in bound)])


def test_every_deal_has_a_number():
    for rules in TINY:
        for seed in range(fewer(5)):
            table = some_table(rules, 300 + seed)
            found = counted(table, 0)
            hands = found._counted.all()
            assert len(np.unique(hands, axis=0)) == len(hands) == found.distinct
            worlds = {deal_of(as_state(found, h), rules.players) for h in hands}
            assert worlds == set(brute(table, 0).weights)


def as_state(found, hands):
    world = found.observation.copy()
    world.hand |= hands[:8]
    world.stock = hands[8]
    return world


# --- drawn deals ---------------------------------------------------------------------------------


DRAWN = [
    kibitz.rules("blob", **options)
    for options in (
        {"players": 3, "cards": 3, "suits": 3, "ranks": 4, "trump": "turned"},
        {"players": 4, "cards": 2, "suits": 3, "ranks": 3, "trump": "diamonds"},
        {"players": 4, "cards": 2, "suits": 2, "ranks": 5, "trump": "turned"},
    )
]


@cache
def drawn_histories():
    """Tables and seats with a few deals possible: at least 20, voids shown in the trick in progress
    and cards turned up among them."""
    found = []
    for seed in range(fewer(240)):
        rules = DRAWN[seed % 3]
        plies = rules.players + Random(seed).randint(2, 2 * rules.players)
        table = some_table(rules, 400 + seed, plies)
        seat = seed % rules.players
        know = counted(table, seat)
        void = any(know.voids(s) and know.sizes[s] for s in know.sizes if s != STOCK)
        if void and 4 <= know.distinct <= 60:
            found.append((table, seat))
    found.sort(key=lambda one: not shown_now(one[0]))
    return found[: fewer(14)] + found[-fewer(12) :]


def draws_fit(table, seat, draw, weights, number=25):
    """Whether the deals of `draw(n)` follow the weights."""
    n = int(number / min(w for w in weights.values() if w > 0)) + 1
    seen = Counter(deal_of(world, table.rules.players) for world in draw(n))
    return fits({key: w for key, w in weights.items() if w > 0}, seen)


@pytest.mark.skipif(PURE, reason="thousands of draws")
def test_draws_are_uniform():
    histories = drawn_histories()
    in_trick = sum(any(shown_now(table)) for table, _ in histories)
    assert len(histories) >= 20
    assert in_trick >= 5
    assert sum(table.rules.trump == "turned" for table, _ in histories) >= 5
    broken = 0
    for index, (table, seat) in enumerate(histories):
        know, weights = counted(table, seat), brute(table, seat).weights

        def draw(n, know=know, index=index):
            return know.sample(n, index)[0]

        assert draws_fit(table, seat, draw, weights)
        broken += not draws_fit(table, seat, lambda n, know=know: seat_by_seat(know, n), weights)
    assert broken >= 5, "the test must see that dealing seat by seat is not uniform"


def seat_by_seat(know, n):
    """A sampler with the usual fault: hands one after the other, each from the cards that it may
    hold and that are left, again from the start if that fails."""
    choice = Random(0)
    while n:
        world, left = know.observation.copy(), list(know.marginals().cards)
        try:
            for seat, size in know.sizes.items():
                if seat != STOCK:
                    closed = {"cdhs".index(suit[0]) for suit in know.voids(seat)}
                    hand = choice.sample([c for c in left if c >> 4 not in closed], size)
                    left = [c for c in left if c not in hand]
                    world.hand[seat] = sum(1 << c for c in hand)
        except ValueError:
            continue
        world.stock = sum(1 << c for c in left)
        n -= 1
        yield world


@pytest.mark.skipif(PURE, reason="thousands of draws")
def test_weighted_draws():
    model = "0.3*uniform + 0.7*rule:temperature=2"
    for index, (table, seat) in enumerate(drawn_histories()[:12]):
        found = belief(table.view(seat), method="exact", model=model, cache=None)
        weights = brute(table, seat, MODELS[model]).weights
        if min(weights.values()) < 0.002 or len(weights) < 2:
            continue
        generator = random.generator(index)

        def draw(n, found=found, generator=generator):
            return (found.sample(1, generator)[0][0] for _ in range(n))

        assert draws_fit(table, seat, draw, weights, 6)


# --- planted faults ------------------------------------------------------------------------------


class LateVoids(BlobBelief):
    """Sees nothing in the trick in progress."""

    def update(self, event):
        found = super().update(event)
        if event.kind == "play" and found.observation.in_trick:
            found._voids = self._voids
            found.__dict__.pop("_counted", None)
        return found


class StillHolds(BlobBelief):
    """Takes following suit for a promise of more."""

    @property
    def _posterior(self):
        found = BlobBelief._posterior.func(self)
        weights = found.weights
        for event in self.events:
            if event.kind == "play" and event.seat != self.seat and self.sizes[event.seat]:
                suit = np.uint64(0xFFFF << 16 * (event.action >> 4))
                promised = weights * ((found.hands[:, event.seat] & suit) > 0)
                weights = promised / promised.sum() if promised.any() else weights
        return replace(found, weights=weights)


def with_class(cls, table, seat, method, model):
    found = cls(table.rules, seat, Options(method, read_model(model), 10, 0))
    for event in table.view(seat).events:
        found = found.update(event)
    return found


@pytest.mark.parametrize(
    ("fault", "method", "model", "chances"),
    [
        (LateVoids, "counting", "constraints", ((1.0, -1.0),)),
        (StillHolds, "exact", "uniform", ((1.0, 0.0),)),
    ],
)
def test_planted_faults_are_seen(fault, method, model, chances):
    caught = 0
    for seed in range(30):
        rules = TINY[seed % 4]
        table = some_table(rules, seed, rules.players + 1 + seed % rules.players)
        seat = seed % rules.players
        reference = brute(table, seat, chances)
        assert agrees(with_class(BlobBelief, table, seat, method, model), reference)
        caught += not agrees(with_class(fault, table, seat, method, model), reference)
    assert caught >= 3


# --- other worlds ---------------------------------------------------------------------------------


def elsewhere(one, other, players):
    a, b = deal_of(one, players), deal_of(other, players)
    return sum(len(x - y) for x, y in zip(a, b, strict=True))


def test_diverse_worlds():
    table = some_table(kibitz.rules("blob", cards=5), 3, 10)
    found = counted(table, 0)
    hidden = len(found.marginals().cards)
    worlds, weights = found.sample(12, 1, diversity=0.3, diversity_weight=1.0)
    assert len(worlds) > 1
    assert weights.sum() == pytest.approx(1)
    for one, other in combinations(worlds, 2):
        assert elsewhere(one, other, 4) >= 0.3 * hidden
    too_much, _ = found.sample(50, 1, diversity=0.9, diversity_weight=1.0)
    assert 1 <= len(too_much) < 50
    assert all(found.possible(world) for world in too_much)


def test_few_worlds_come_with_exact_weights():
    for method, model in (("counting", "uniform"), ("exact", "rule:temperature=2")):
        for seed in range(fewer(10)):
            table = some_table(TINY[0], seed, 7)
            found = belief(table.view(0), method, model, cache=None)
            worlds, weights = found.sample(100, 1, diversity=0.3)
            chances = {"counting": ((1.0, -1.0),), "exact": ((1.0, 0.5),)}[method]
            truth = brute(table, 0, chances).weights
            drawn = {deal_of(w, 3): x for w, x in zip(worlds, weights, strict=True)}
            assert drawn == pytest.approx(truth)
            assert len(worlds) == len(truth)
