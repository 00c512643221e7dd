"""Blob's belief where it samples: right in the mean, sober about what it has not seen, and better
than the hard constraints alone."""

import math
from collections import Counter

import numpy as np
import pytest

import kibitz
from blob_histories import MIXED, SMALL, brute, counted, deal_of, odd_player, some_table
from helpers import PURE, fewer, fits
from kibitz import players
from kibitz import rng as random
from kibitz.beliefs import belief
from kibitz.games.belief import STOCK
from kibitz.players import KEEN, RULE, UNIFORM, Player


def distances(table, seat, n, seed):
    """Total variation between particles and the exact posterior, over whole deals."""
    exact = belief(table.view(seat), method="exact", model=MIXED, cache=None)._posterior
    found = belief(table.view(seat), "particles", MIXED, n, seed, cache=None)._posterior
    truth = {tuple(hands): w for hands, w in zip(exact.hands.tolist(), exact.weights, strict=True)}
    seen = Counter()
    for hands, weight in zip(found.hands.tolist(), found.weights, strict=True):
        seen[tuple(hands)] += weight
    assert set(seen) <= set(truth)
    return sum(abs(w - seen[key]) for key, w in truth.items()) / 2


@pytest.mark.skipif(PURE, reason="a hundred thousand particles")
def test_particles_close_in_on_the_truth():
    sizes = [100, 1_000, 10_000, 100_000]
    mean = np.zeros(len(sizes))
    tables = [some_table(SMALL, seed, 3 + 4 + seed % 2) for seed in range(3)]
    for seed, table in enumerate(tables):
        assert 20 <= counted(table, 0).distinct <= 1000
        mean += [distances(table, 0, n, seed) / len(tables) for n in sizes]
    slope = np.polyfit(np.log(sizes[1:]), np.log(mean[1:]), 1)[0]
    assert -0.62 < slope < -0.38, mean
    assert mean[-1] < 0.02


@pytest.mark.skipif(PURE, reason="thousands of filters")
def test_one_draw_from_each_of_many_filters():
    """The filter as a whole is right, not only its mean: resampled and moved particles too."""
    table = some_table(SMALL, 1, 8)
    weights = brute(table, 0, ((0.2, 0.0), (0.8, 1.0))).weights
    marginal = Counter()
    for hands, weight in weights.items():
        marginal[hands[1]] += weight
    likely = {hand: w for hand, w in marginal.items() if w > 0.01}
    rest = 1 - sum(likely.values())
    seen = Counter()
    for seed in range(800):
        found = belief(table.view(0), "particles", MIXED, 60, seed, cache=None)
        hand = deal_of(found.sample(1, seed)[0][0], 3)[1]
        seen[hand if hand in likely else "other"] += 1
    assert fits(likely | ({"other": rest} if rest > 0.01 else {}), seen)


def sharp_player(rules, state):
    """`odd_player`, far more sure of itself: particles have to be resampled and moved."""
    likes = {action: like**8 for action, like in odd_player(rules, state).items()}
    return {action: like / sum(likes.values()) for action, like in likes.items()}


@pytest.mark.parametrize("model", [MIXED, "rule:temperature=0.5", sharp_player])
def test_particles_know_their_likelihood(model):
    """After all resampling and moving, what is kept of each deal is what the deal deserves."""
    for seed in range(fewer(6)):
        table = some_table(SMALL, seed, 6 + seed % 3)
        found = belief(table.view(0), "particles", model, fewer(600), seed, cache=None)
        exact = belief(table.view(0), "exact", model, cache=None)
        assert found.surprises == exact.surprises
        known = {
            tuple(hands): said
            for hands, said in zip(
                exact._posterior.hands.tolist(), exact._posterior.said.tolist(), strict=True
            )
        }
        some = found._posterior
        for hands, said, weight in zip(some.hands.tolist(), some.said, some.weights, strict=True):
            if weight:
                np.testing.assert_allclose(said, known[tuple(hands)], atol=1e-9)
        gap = np.abs(found.marginals().chance - exact.marginals().chance).max()
        assert gap < 3 / math.sqrt(found.ess)
        assert found.entropy() == pytest.approx(exact.entropy(), abs=0.3 if not PURE else 3)
        tolerance = 0.15 if not PURE else 0.6
        for seat in (1, 2):
            np.testing.assert_allclose(
                [c for _, c in found.players(seat)],
                [c for _, c in exact.players(seat)],
                atol=tolerance,
            )


def test_particles_prove_nothing():
    """Only the hard constraints give 0 and 1, however few particles there are; rows add up."""
    for seed in range(fewer(20)):
        table = some_table(SMALL, seed, 5 + seed % 8)
        for seat in range(3):
            few = belief(table.view(seat), "particles", MIXED, 3, seed, cache=None).marginals()
            all_of_them = counted(table, seat).marginals()
            assert ((few.chance == 0) == (all_of_them.chance == 0)).all()
            assert ((few.chance == 1) == (all_of_them.chance == 1)).all()
            np.testing.assert_allclose(few.chance.sum(axis=0), 1)
            sizes = list(counted(table, seat).sizes.values())
            np.testing.assert_allclose(few.expected.sum(axis=1), sizes)


def test_entropy_of_particles():
    for seed in range(fewer(4)):
        table = some_table(SMALL, seed, 7)
        exact = belief(table.view(0), "exact", MIXED, cache=None)
        found = belief(table.view(0), "particles", MIXED, fewer(20_000), cache=None)
        assert not found.entropy_is_exact
        assert found.entropy() == pytest.approx(exact.entropy(), abs=0.03 if not PURE else 0.5)
        for seat in (1, 2):  # the other's choices are taken to say nothing: a rougher estimate
            assert found.entropy_of(seat) == pytest.approx(exact.entropy_of(seat), abs=0.5)


def test_surprises():
    """A move the model calls impossible is told and left out; all else stays."""
    rules = kibitz.rules("blob", players=3, cards=4, trump="none")
    told = 0
    for seed in range(fewer(20)):
        table = some_table(rules, seed, 9)
        found = belief(table.view(0), model="rule:temperature=0", n=200, cache=None)
        assert found.possible(table._state)
        assert all(e in found.events and e.seat != 0 for e in found.surprises)
        assert np.isfinite(found.marginals().chance).all()
        told += len(found.surprises)
        assert bool(found.surprises) == ("left out" in found.summary())
    assert told


def test_rule_players_do_not_surprise():
    rules = kibitz.rules("blob", players=3, cards=3)
    for seed in range(fewer(10)):
        table = by_player(rules, seed, Player(RULE), 9)
        found = belief(table.view(0), model="rule:temperature=0", n=500, cache=None)
        assert len(found.surprises) <= 1


# --- what it is good for -------------------------------------------------------------------------


def by_player(rules, seed, kind, plies):
    table = kibitz.Table(rules, seed=seed)
    generator, scratch = random.generator(seed, 0, 99), np.zeros(64)
    while table.plies < plies and not table.over:
        table.play(int(players.choose(rules.params, table._state, kind, generator, scratch)))
    return table


def log_loss(found, state):
    """Mean of -log of the chance given to the true holder of a card."""
    marginals = found.marginals()
    words = [int(state.stock if h == STOCK else state.hand[h]) for h in marginals.holders]
    chances = [
        marginals.chance[row, column]
        for column, card in enumerate(marginals.cards)
        for row, word in enumerate(words)
        if word >> card & 1
    ]
    return -float(np.mean(np.log(chances)))


@pytest.mark.skipif(PURE, reason="many games")
def test_the_default_finds_out_whom_it_faces():
    """Random, rule and keen players, each at tables of their kind."""
    rules = kibitz.rules("blob", cards=5)
    for truth, kind in enumerate((Player(UNIFORM), Player(RULE), Player(KEEN))):
        thought = [
            [share for _, share in found.players(seat)]
            for game in range(30)
            for found in [belief(by_player(rules, game, kind, 24).view(0), cache=None)]
            for seat in (1, 2, 3)
        ]
        assert np.mean(thought, axis=0)[truth] > 0.6  # by the shares 0.4, 0.2 and 0.4


@pytest.mark.skipif(PURE, reason="many games")
@pytest.mark.parametrize("plies", [4, 14])
def test_choices_tell_something(plies):
    """The default model gains against rule and keen players and loses next to nothing against
    random ones."""
    rules = kibitz.rules("blob", cards=5)
    gain = {}
    for kind in (Player(RULE), Player(KEEN), Player(UNIFORM)):
        differences = []
        for seed in range(40):
            table = by_player(rules, seed, kind, plies)
            view, state = table.view(seed % 4), table._state
            plain = log_loss(belief(view, method="counting", cache=None), state)
            differences.append(plain - log_loss(belief(view, cache=None), state))
        gain[kind] = np.mean(differences)
    assert gain[Player(RULE)] > 0.005
    assert gain[Player(KEEN)] > 0.005
    assert gain[Player(UNIFORM)] > -0.015
