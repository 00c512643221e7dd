"""Calibration: scores worked out by hand, games as the unit of chance, and honest forecasters."""

import json
from math import comb, inf, log
from statistics import NormalDist

import numpy as np
import pytest

import kibitz
from helpers import PURE, fewer, legal, play_on
from kibitz import contract
from kibitz.agents import agent
from kibitz.arena import calibration
from kibitz.arena.calibration import CAN_PLAY, HAS_CARD, Forecasters, GameScores, Watcher, calibrate
from kibitz.arena.scores import BRIER, HITS, LOSS, WRONG, N, Tally, costs, interval, question

TINY = kibitz.rules(
    "uno", colours=2, ranks="01S+", wilds=1, wild_fours=1, hand_size=3, max_plies=60
)
BLOB = kibitz.rules("blob", players=3, cards=3, suits=3, ranks=5)


NORMAL = NormalDist()
compiled = pytest.mark.skipif(PURE, reason="needs more games than plain Python can play")


def told(found):
    """All of a calibration but the time it took."""
    return {key: value for key, value in found.to_dict().items() if key != "seconds"}


# --- scores --------------------------------------------------------------------------------------


def test_costs_by_hand():
    loss, brier = costs(np.array([0.25, 0.25, 1.0, 0.0, 0.0]), np.array([1, 0, 1, 0, 1], bool))
    assert loss == pytest.approx([log(4), log(4 / 3), 0, 0, inf])
    assert brier == pytest.approx([0.5625, 0.0625, 0, 0, 1])
    assert not np.signbit(loss).any()


def test_a_tiny_example_by_hand():
    first, second = Tally(2), Tally(2)
    first.add(np.array([[0.5, 0.5], [0.8, 0.3]]), np.array([True, False]))
    second.add(np.array([[0.5], [1.0]]), np.array([True]))
    found = question([first, second], ["a", "b"], [("b", "a")], seed=0)
    assert found.n == 3
    assert found.observed == pytest.approx(2 / 3)
    a, b = found.scores["a"], found.scores["b"]
    assert a.log_loss == pytest.approx(log(2))
    assert a.brier == pytest.approx(0.25)
    assert b.log_loss == pytest.approx(-(log(0.8) + log(0.7)) / 3)
    assert b.brier == pytest.approx((0.04 + 0.09) / 3)
    gap = found.differences["b - a"]
    assert gap.log_loss == pytest.approx(b.log_loss - a.log_loss)
    assert gap.brier == pytest.approx(b.brier - a.brier)
    # two games can be drawn again as first twice, both, or second twice
    ends = [-log(0.8 * 0.7) / 2 - log(2), -log(2)]
    assert gap.log_loss_ci95 == pytest.approx((min(ends), max(ends)))
    assert [part.n for part in a.bins] == [0, 0, 0, 0, 0, 3, 0, 0, 0, 0]
    assert [part.n for part in b.bins] == [0, 0, 0, 1, 0, 0, 0, 0, 1, 1]
    assert (b.bins[3].forecast, b.bins[3].observed) == pytest.approx((0.3, 0))
    assert (b.bins[9].forecast, b.bins[9].observed) == (1, 1)
    assert (a.bins[0].forecast, a.bins[0].observed) == (None, None)


def test_games_are_drawn_again_not_forecasts():
    """A hundred equal forecasts in a game are one piece of evidence: with one game for and one
    against, the interval holds both. Over 200 forecasts it would end at 0.14."""
    low, high = interval(np.array([100.0, -100.0]), np.array([100.0, 100.0]), seed=0)
    assert (low, high) == (-1, 1)


def test_intervals_weigh_games_by_their_forecasts():
    """The mean over forecasts, not the mean of the games' means."""
    gaps, n = np.array([9.0, 0.0, 0.0]), np.array([9.0, 1.0, 90.0])
    low, high = interval(gaps, n, seed=0)
    assert low == 0
    assert high == pytest.approx(1)
    many = interval(np.tile(gaps, 1000), np.tile(n, 1000), seed=0)
    assert many[0] < 0.09 < many[1]
    assert many[1] - many[0] < 0.02


def test_one_game_has_no_interval():
    assert interval(np.array([1.0]), np.array([2.0]), seed=0) is None


def test_certain_and_wrong_is_infinite_and_counted():
    game = Tally(2)
    game.add(np.array([[0.5, 0.5], [0.0, 1.0]]), np.array([True, True]))
    found = question([game], ["a", "b"], [("b", "a")], seed=0)
    assert found.scores["b"].log_loss == inf
    assert found.scores["b"].wrong == 1
    assert found.scores["a"].wrong == 0
    assert found.differences["b - a"].log_loss == inf


# --- errors of bins ------------------------------------------------------------------------------


def correlated(generator, games, mean, shared):
    """Tallies of forecasts that are right, each by itself, but hang together within a game: a
    common factor moves all that comes true there (a Gaussian copula)."""
    found = []
    for _ in range(games):
        n = 1 + generator.poisson(mean)
        high = generator.normal(-1.2, 1.2, n) + 0.8 * generator.normal()
        factor = shared**0.5 * generator.normal() + (1 - shared) ** 0.5 * generator.normal(size=n)
        chance = np.array([NORMAL.cdf(value) for value in high])
        game = Tally(1)
        game.add(chance[None], factor < high)
        found.append(game)
    return found


@compiled
def test_errors_of_all_bins_hold_together():
    """In about 95 of 100 tables no bin is off. As if forecasts were independent it would be 60."""
    generator, held, naive, tables = np.random.default_rng(1), 0, 0, 80
    for seed in range(tables):
        found = question(correlated(generator, 150, 40, 0.3), ["a"], [], seed).scores["a"].bins
        bins = [part for part in found if part.error is not None]
        assert len(bins) >= 5
        held += not any(part.off for part in bins)
        bound = NORMAL.inv_cdf(1 - 0.025 / len(bins))
        spread = [bound * (p.forecast * (1 - p.forecast) / p.n) ** 0.5 for p in bins]
        naive += all(abs(p.observed - p.forecast) <= s for p, s in zip(bins, spread, strict=True))
    # five standard deviations of such a count around 95 %, on the side that would be a fault
    assert tables * 0.85 <= held
    assert naive < 0.8 * tables


@compiled
def test_errors_are_no_larger_than_they_need_be():
    """One bin, many games: the error is that of a mean, 1.96 standard errors."""
    generator, game_means = np.random.default_rng(2), []
    games = []
    for _ in range(2000):
        game, level = Tally(1), generator.uniform()
        so = generator.uniform(size=8) < level
        game.add(np.full((1, 8), 0.5), so)
        game_means.append(so.mean())
        games.append(game)
    (part,) = [p for p in question(games, ["a"], [], 3).scores["a"].bins if p.n]
    expected = 1.96 * np.std(game_means) / 2000**0.5
    assert part.error == pytest.approx(expected, rel=0.06)


def test_what_came_out_the_same_is_not_without_error():
    games = []
    for _ in range(40):
        games.append(Tally(1))
        games[-1].add(np.array([[0.93]]), np.array([True]))
    part = question(games, ["a"], [], 0).scores["a"].bins[9]
    assert part.error > 0.07
    assert not part.off
    assert question(games[:29], ["a"], [], 0).scores["a"].bins[9].error is None


MODELLED = "rule:temperature=1"


@compiled
@pytest.mark.parametrize("rules", [TINY, BLOB], ids=["uno", "blob"])
def test_where_the_model_is_right_no_bin_is_off(rules):
    """Players drawn from the model itself; a model that is wrong is found out."""
    right = calibrate(rules, 150, seed=2, players=MODELLED, model=MODELLED, n=200)
    wrong = calibrate(rules, 60, seed=2, players="random", model="rule:temperature=0.3", n=200)
    judged = 0
    for asked in right.questions.values():
        for part in asked.scores["full"].bins:
            if part.n >= 500:
                assert part.error is not None
                assert not part.off
                judged += 1
    assert judged >= 4
    bins = [part for asked in wrong.questions.values() for part in asked.scores["full"].bins]
    assert any(part.off for part in bins if part.n >= 500)


def test_a_softened_player_chooses_as_the_model_says():
    """The chances of `rule:temperature=1`, and how often it plays each card."""
    table = play_on(kibitz.Table(kibitz.rules("uno"), seed=6), plies=4)
    while len(table.legal_actions()) < 3:
        play_on(table, plies=1)
    view, scores = table.view(table.to_act), np.zeros(64)
    contract.rule_scores(view.rules.params, view.observation, scores)
    likes = np.exp(scores[list(view.actions)] - scores[list(view.actions)].max())
    player, stream = agent(MODELLED, "uno"), kibitz.rng.generator(1)
    found = [player.decide(view, stream) for _ in range(fewer(2000))]
    assert list(found[0].policy.values()) == pytest.approx(likes / likes.sum())
    played = np.array([[d.action == a for a in view.actions] for d in found]).mean(axis=0)
    assert played == pytest.approx(likes / likes.sum(), abs=2 / len(found) ** 0.5)
    assert agent("rule:temperature=0", "uno").player == agent("rule", "uno").player
    with pytest.raises(kibitz.KibitzError, match="random has no option 'temperature'"):
        agent("random:temperature=1", "uno")


# --- forecasters ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [kibitz.rules("uno"), TINY], ids=["uno", "tiny"])
def test_the_uniform_forecaster_is_the_closed_form(rules):
    table = play_on(kibitz.Table(rules, seed=2), plies=6)
    view = table.view(table.to_act)
    bare = Forecasters(rules, {}, 50, "auto").bare(view)
    cards, plays = calibration._chances(bare)
    found, truth, other = bare.marginals(), table.true_state(), 1 - view.seat
    held, unseen = int(truth.held[other]), int(truth.held[other] + truth.deck_size)
    copies = dict(zip(found.cards, np.rint(found.expected.sum(axis=0)).astype(int), strict=True))

    def some(number):
        return 1 - comb(unseen - number, held) / comb(unseen, held)

    assert cards[other] == pytest.approx([some(copies[card]) for card in sorted(copies)])
    asked = sum(number for card, number in copies.items() if card in bare.asked)
    assert plays[other] == pytest.approx(some(asked))


def test_the_uniform_forecaster_of_blob_shares_the_cards_by_size():
    table = play_on(kibitz.Table(BLOB, seed=1), plies=3)  # the bids
    view = table.view(table.to_act)
    cards, plays = calibration._chances(Forecasters(BLOB, {}, 50, "auto").bare(view))
    for seat in set(range(3)) - {view.seat}:
        assert cards[seat] == pytest.approx(np.full(12, 3 / 12))
        assert plays[seat] is None  # nothing is led


def test_beliefs_are_brought_up_to_date_as_if_made_anew():
    asked = Forecasters(TINY, {"constraints": "constraints", "full": "auto"}, 40, "particles")
    table, watcher = kibitz.Table(TINY, seed=3), Watcher(asked, 9)
    for _ in range(8):
        play_on(table, plies=1)
        kept = watcher.look(table.view(0))
        for name, belief in zip(("constraints", "full"), kept[1:], strict=True):
            anew = asked.belief(table.view(0), name, 9)
            assert (belief.marginals().chance == anew.marginals().chance).all()


@pytest.mark.parametrize("rules", [TINY, BLOB], ids=["uno", "blob"])
def test_the_truth_is_that_of_the_table(rules):
    asked = Forecasters(rules, {"constraints": "constraints"}, 20, "auto")
    table = play_on(kibitz.Table(rules, seed=4), plies=rules.seats + 1)
    view, truth = table.view(table.to_act), table.true_state()
    scores = GameScores(2)
    scores.add(Watcher(asked, 0).look(view), truth)
    others = [seat for seat in range(rules.seats) if seat != view.seat]
    belief = kibitz.belief(view, model="constraints")
    kinds = sum(len(belief.holding(truth, seat)) for seat in others)
    sums = scores.tallies[HAS_CARD].sums
    assert (sums[:, HITS] == kinds).all()
    assert (sums[:, N] == len(others) * len(belief.marginals().cards)).all()
    # whoever could follow would have a legal move of that sort, were it its turn
    able = 0
    for seat in others:
        state = truth.copy()
        if belief.can_play(seat) is None:
            continue
        state.turn = seat
        if rules is TINY:
            state.pending = 0
        able += any(card in belief.asked for card in _playable(rules, state))
    assert (scores.tallies[CAN_PLAY].sums[:, HITS] == able).all()


def _playable(rules, state):
    """The cards of the legal actions; in UNO 15 is Draw, and 13 and 14 of any colour are wild."""
    if rules is BLOB:
        return legal(rules, state)
    actions = [action for action in legal(rules, state) if action != 15]
    return [action & 15 if action & 15 >= 13 else action for action in actions]


# --- whole runs ----------------------------------------------------------------------------------


@pytest.mark.parametrize("players", ["rule", "random"])
def test_nothing_certain_is_wrong(players):
    for rules in (TINY, BLOB):
        found = calibrate(rules, 12, seed=5, players=players, n=100)
        assert set(found.questions) == {HAS_CARD, CAN_PLAY}
        for asked in found.questions.values():
            for score in asked.scores.values():
                assert score.wrong == 0
                assert 0 < score.log_loss < inf
                assert sum(part.n for part in score.bins) == asked.n


def test_history_helps():
    found = calibrate(TINY, 40, seed=1, n=200).questions[CAN_PLAY]
    assert found.differences["full - uniform"].log_loss_ci95[1] < 0
    assert found.scores["constraints"].log_loss < found.scores["uniform"].log_loss


def test_the_games_are_those_of_simulate():
    found = calibrate(TINY, 6, seed=3, players=["rule", "random"], n=20)
    played = kibitz.simulate(TINY, ["rule", "random"], 6, seed=3)
    assert found.decisions == played.plies * 6


def test_bids_are_left_out():
    assert calibrate(BLOB, 2, n=20).decisions == 2 * 3 * 3


def test_the_seed_decides_everything():
    first, again = (calibrate(TINY, 4, seed=7, n=50) for _ in range(2))
    assert told(first) == told(again)
    assert told(first) != told(calibrate(TINY, 4, seed=8, n=50))


def test_interrupt_keeps_the_games_that_are_done():
    def progress(done):
        if done == 3:
            raise KeyboardInterrupt

    found = calibrate(TINY, 10, seed=7, n=50, progress=progress)
    assert found.stopped
    assert found.games == 3
    whole = calibrate(TINY, 3, seed=7, n=50)
    assert not whole.stopped
    assert told(found) == {**told(whole), "stopped": True}


@pytest.mark.parametrize("done", [0, 2])
def test_interrupt_in_a_game_leaves_that_game_out(monkeypatch, done):
    played = calibration.play_game

    def stop(rules, agents, seed, index, asked):
        if index == done:
            raise KeyboardInterrupt
        return played(rules, agents, seed, index, asked)

    monkeypatch.setattr(calibration, "play_game", stop)
    if done:
        assert calibrate(TINY, 10, n=20).games == done
    else:
        with pytest.raises(KeyboardInterrupt):
            calibrate(TINY, 10, n=20)


def test_it_is_json_without_infinities():
    found = calibrate(TINY, 1, n=20)
    text = json.dumps(found.to_dict(), allow_nan=False)
    result = json.loads(text)
    assert result["questions"][HAS_CARD]["differences"]["full - uniform"]["log_loss_ci95"] is None
    assert len(result["questions"][HAS_CARD]["scores"]["full"]["bins"]) == 10


def test_the_model_is_that_of_the_full_forecaster_alone():
    rule, uniform = (calibrate(TINY, 3, model=m, n=50) for m in ("rule", "constraints"))
    scores = rule.questions[HAS_CARD].scores
    others = uniform.questions[HAS_CARD].scores
    assert scores["uniform"] == others["uniform"]
    assert scores["constraints"] == others["constraints"] == others["full"]
    assert scores["full"] != others["full"]
    assert rule.model == "rule:temperature=1"


def test_mistakes_are_told_before_the_first_game():
    with pytest.raises(kibitz.KibitzError, match="at least 1"):
        calibrate(TINY, 0)
    with pytest.raises(kibitz.KibitzError, match="has 2 seats"):
        calibrate(TINY, 1, players=["rule"] * 3)
    with pytest.raises(kibitz.KibitzError, match="no agent 'rul'"):
        calibrate(TINY, 1, players="rul")
    with pytest.raises(kibitz.KibitzError, match="no model 'rul'"):
        calibrate(TINY, 1, model="rul")


def test_a_game_between_agents_by_hand():
    """One game by itself gives the sums that the whole is made of."""
    asked = Forecasters(TINY, {"constraints": "constraints", "full": "auto"}, 30, "auto")
    game = calibration.play_game(TINY, [agent("rule", "uno")] * 2, 4, 0, asked)
    whole = calibrate(TINY, 1, seed=4, n=30).questions[HAS_CARD]
    sums = game.tallies[HAS_CARD].sums
    for k, name in enumerate(asked.names):
        assert whole.scores[name].log_loss == pytest.approx(sums[k, LOSS] / sums[k, N])
        assert whole.scores[name].brier == pytest.approx(sums[k, BRIER] / sums[k, N])
        assert sums[k, WRONG] == 0
