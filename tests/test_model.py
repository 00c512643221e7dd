"""Models of the others, as text, and what they say of a choice."""

import math
from random import Random

import numpy as np
import pytest

import kibitz
from helpers import PURE, dealt, legal, to_act
from kibitz import contract, particles, players, rng
from kibitz.games.model import chance
from kibitz.games.uno.hypotheses import SPREAD, fill_tables, judge_play, lane_counts
from kibitz.games.uno.layout import HISTORY, PLAY
from kibitz.players import KEEN, RULE, SILENT, UNIFORM, Player, as_array

PLAYERS = (
    Player(SILENT),
    Player(UNIFORM),
    Player(RULE, 0.5),
    Player(RULE, 2.0),
    Player(RULE),
    Player(KEEN, 0.02),
    Player(KEEN),
)
SITTING = as_array(PLAYERS)
KINDS = len(PLAYERS)


@pytest.mark.parametrize(
    ("text", "shares", "sitting"),
    [
        ("uniform", (1,), (Player(UNIFORM),)),
        ("greedy", (1,), (Player(UNIFORM),)),
        ("constraints", (1,), (Player(SILENT),)),
        ("rule", (1,), (Player(RULE, 1),)),
        ("rule:temperature=0", (1,), (Player(RULE),)),
        ("Rule:temperature=4", (1,), (Player(RULE, 0.25),)),
        ("1*uniform + 3*rule:temperature=2", (0.25, 0.75), (Player(UNIFORM), Player(RULE, 0.5))),
        ("keen", (1,), (Player(KEEN, 0.05),)),
        ("keen:temperature=inf", (1,), (Player(UNIFORM),)),
        ("1*constraints + 1*keen:temperature=4", (0.5, 0.5), (Player(SILENT), Player(KEEN, 0.25))),
        ("keen:temperature=0", (1,), (Player(KEEN),)),
    ],
)
def test_text(text, shares, sitting):
    found = kibitz.model(text)
    assert found.shares == shares
    assert found.players == sitting
    assert kibitz.model(str(found)) == found
    assert kibitz.model(found) is found
    assert found.silent == (sitting == (Player(SILENT),))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("unifrom", "did you mean 'uniform'"),
        ("rule:temperature=x", "is no model"),
        ("rule:temp=1", "is no model"),
        ("uniform:temperature=1", "only rule and keen have a temperature"),
        ("1.2.3*uniform", "is no number"),
        ("0*uniform", "more than nothing"),
        ("", "is no model"),
        (7, "a model is a text"),
    ],
)
def test_bad_text(text, said):
    with pytest.raises(kibitz.KibitzError, match=said):
        kibitz.model(text)


def test_a_function_is_a_model():
    found = kibitz.model(lambda rules, state: {})
    assert found.function is not None
    assert not found.silent
    assert str(found) == "<lambda>"
    assert chance({3: 0.5}, 3) == 0.5
    assert chance({3: 0.5}, 4) == 0
    with pytest.raises(kibitz.KibitzError, match="between 0 and 1"):
        chance({3: 2}, 3)


def decisions(name, games):
    """States of random games with each action that was legal there."""
    rules = kibitz.rules(name)
    for seed in range(games):
        state, stream = dealt(rules, seed)
        choice = Random(seed)
        while to_act(rules, state) >= 0:
            options = legal(rules, state)
            yield rules, state, options
            contract.apply(rules.params, state, choice.choice(options), stream)


@pytest.mark.parametrize("name", ["uno", "blob"])
def test_likelihoods_are_the_chances_of_players_and_add_up(name):
    out, scratch, chances = np.zeros(KINDS), np.zeros(64), np.zeros(64)
    for rules, state, options in decisions(name, 1 if PURE else 20):
        total = np.zeros(KINDS)
        for action in options:
            players.likelihoods(rules.params, state, action, SITTING, scratch, out)
            total += out
            assert out[0] == 1
            for k, player in enumerate(PLAYERS[1:], 1):
                players.chances(rules.params, state, player, chances)
                assert out[k] == pytest.approx(chances[action])
        assert total[1:] == pytest.approx(1)
        illegal = next(a for a in range(64) if a not in options)
        players.likelihoods(rules.params, state, illegal, SITTING, scratch, out)
        assert not out.any()


def test_the_quick_likelihood_of_uno_is_the_general_one():
    """The belief judges a play from a hand alone, in a tenth of the time."""
    tables = np.zeros((KINDS, 2 * SPREAD))
    fill_tables(SITTING, tables)
    out, scratch = np.zeros(KINDS), np.zeros(64)
    event = np.zeros(1, HISTORY)[0]
    judged = 0
    for rules, state, options in decisions("uno", 1 if PURE else 30):
        ones, twos = state.hand[state.turn]
        for action in options:
            if action == 15:
                continue
            judged += 1
            players.likelihoods(rules.params, state, action, SITTING, scratch, out)
            down = np.ones(KINDS)
            lanes = lane_counts(ones, twos)
            event.kind, event.action = PLAY, action
            event.colour, event.rank, event.pile = state.colour, state.top_rank, state.pile
            event.held = state.held[1 - state.turn]
            judge_play(rules.params, ones, twos, lanes, event, tables, down)
            assert 1 / down == pytest.approx(out)
    assert judged > 20


def test_a_mixture_is_one_player_for_the_whole_game():
    """Two kinds, each sure of itself: two choices of one kind are as likely as one of it."""
    shares = np.array([0.5, 0.5])
    with np.errstate(divide="ignore"):
        logs = np.log(np.array([1.0, 0.0]))
    assert particles.mix(shares, logs) == pytest.approx(math.log(0.5))
    assert particles.mix(shares, 2 * logs) == pytest.approx(math.log(0.5))
    assert particles.mix(shares, np.array([-np.inf, -np.inf])) == -np.inf


def test_weights():
    weights = np.zeros(3)
    assert particles.normalise(np.log([1.0, 2.0, 1.0]) - 700, weights) == pytest.approx(
        math.log(4 / 3) - 700
    )
    assert weights == pytest.approx([0.25, 0.5, 0.25])
    assert particles.effective_size(weights) == pytest.approx(1 / 0.375)
    assert particles.normalise(np.full(3, -np.inf), weights) == -np.inf
    assert particles.log(0.0) == -np.inf


def test_systematic_resampling_keeps_within_one():
    """Of n draws each weight gets its share, rounded up or down."""
    generator = rng.generator(3)
    weights = np.array([0.05, 0.0, 0.5, 0.15, 0.3])
    counted = np.zeros(5)
    for _ in range(50):
        index = np.empty(7, np.int64)
        particles.resample(weights, generator, index)
        assert (np.diff(index) >= 0).all()
        found = np.bincount(index, minlength=5)
        assert (np.abs(found - 7 * weights) < 1).all()
        counted += found
    assert counted / 350 == pytest.approx(weights, abs=0.06)
