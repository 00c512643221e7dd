"""Luck taken out of matches: the same mean, known better."""

from dataclasses import replace

import numpy as np
import pytest

import kibitz
from helpers import PURE
from kibitz.arena import luck
from kibitz.arena.deals import Plan, Played
from kibitz.arena.engines import Here
from kibitz.arena.match import Match, Until
from kibitz.arena.statistics import Sequential, control, estimate, score

pytestmark = pytest.mark.skipif(PURE, reason="thousands of games played out")
SEEDS = 10
CASES = {
    "uno": (kibitz.rules("uno"), 40, "draws"),
    "blob": (kibitz.rules("blob", players=3, cards=4), 60, "promise"),
}


@pytest.fixture(scope="module", params=CASES)
def matches(request):
    """Ten matches of a player against a weaker one, with luck told by few games."""
    rules, deals, kind = CASES[request.param]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(luck, "DRAWN", 60)
        found = []
        for seed in range(SEEDS):
            match = Match(Plan.between(rules, ["rule", "random"], seed), Until(deals))
            with Here() as engine:
                found.append((match, match.play(engine)))
    assert {result.without_luck["kind"] for _, result in found} == {kind}
    return found


def told(match):
    """The luck of each deal, as `without_luck` takes it."""
    rules = match.plan.rules
    if rules.game == "uno":
        return np.array([np.mean([g.luck[0] / 2 for g in games]) for games in match.counted])
    return np.array([games[0].promise for games in match.counted]) - luck.mean_promise(rules)


def test_the_mean_is_the_same_and_known_better(matches):
    apart = np.array([r.without_luck["mean"] - r.mean for _, r in matches])
    assert abs(apart.mean()) < 3 * apart.std(ddof=1) / np.sqrt(SEEDS)
    plain = [r.ci95[1] - r.mean for _, r in matches]
    adjusted = [r.without_luck["ci95"][1] - r.without_luck["mean"] for _, r in matches]
    assert np.mean(adjusted) < 0.97 * np.mean(plain)
    assert np.median([r.without_luck["saved"] for _, r in matches]) > 1.05


def test_it_stays_where_outcomes_can_be():
    """After a dozen deals, nearly all of them won: the plain interval ends at 105 %."""
    match = Match(Plan.between(CASES["uno"][0], ["rule", "random"]), Until(12))
    match.values = [1.0] * 11 + [0.5]
    draws = np.random.default_rng(1).normal(size=12) / 100
    games = [Played(k, 0, [1, -1], 9, "emptied", [5, 4], [0, 0], [0, 0]) for k in range(12)]
    match.counted = [
        [replace(game, luck=[2 * gained, -2 * gained])]
        for game, gained in zip(games, draws, strict=True)
    ]
    assert control(match.values, draws).high > 1.03
    found = match._without_luck()
    low, high = found["ci95"]
    assert 0 <= low < found["mean"] < high <= 1
    assert low > 0.7


def test_it_is_what_control_makes_of_all_deals(matches):
    for match, result in matches[:3]:
        expected = control(match.values, told(match))
        assert result.without_luck["mean"] == pytest.approx(expected.mean)
        assert result.without_luck["saved"] == pytest.approx(expected.saved)


def test_luck_evens_out(matches):
    """Over all deals, whoever played; and what does not would move the mean, which is noticed."""
    found = estimate(np.concatenate([told(match) for match, _ in matches]))
    assert found.low <= 0 <= found.high
    values = np.concatenate([match.values for match, _ in matches])
    lopsided = np.concatenate([told(match) for match, _ in matches]) + 3 * found.deviation
    biased = control(values, lopsided)
    plain = control(values, lopsided - 3 * found.deviation)
    assert not plain.low <= biased.mean <= plain.high


def test_what_one_of_two_gains_by_draws_the_other_loses():
    rules = kibitz.rules("uno")
    table = kibitz.Table.from_deal(
        rules, hands=["R+2 R1 R2", "G1 G2 G3"], top="R0", seed=1, players=["rule", "rule"]
    )
    while not table.over:
        player = kibitz.agent("rule", "uno")
        table.play(player.decide(table.view(table.to_act), kibitz.generator(1, stream=1)).action)
    gained = luck.luck_of_draws(table, luck.source_of(1, 0, 0))
    assert sum(gained) == pytest.approx(0, abs=1e-9)
    again = luck.luck_of_draws(table, luck.source_of(1, 0, 0))
    assert gained == again
    assert luck.luck_of_draws(table, luck.source_of(1, 0, 1)) != gained


def test_luck_can_be_left_untold():
    rules = kibitz.rules("blob", players=3, cards=2)
    with Here() as engine:
        found = Match(Plan.between(rules, ["rule", "random"], luck=False), Until(3)).play(engine)
        games = Match(Plan.between(rules, ["rule", "random"]), Until(3)).play(engine)
    assert found.without_luck is None
    assert found.mean == games.mean
    assert games.without_luck is None  # too few deals to fit anything


def test_a_sequential_test_may_count_deals_without_luck():
    rules = kibitz.rules("uno")
    plan = Plan.between(rules, ["rule", "random"], seed=4)
    with pytest.MonkeyPatch.context() as patch, Here() as engine:
        patch.setattr(luck, "DRAWN", 60)
        match = Match(plan, Until(400, (0.0, 100.0), luckless=True))
        found = match.play(engine)
    assert found.test["accepted"] == "H1"
    assert found.test["luckless"]
    without = np.array(match.values) - told(match)
    assert found.test["llr"] == Sequential(score(0), score(100)).llr(without)
    assert without.max() > 1, "more than all the games of a deal"


def test_a_test_without_luck_needs_luck_to_be_told():
    plan = Plan.between(kibitz.rules("uno"), ["rule", "random"], luck=False)
    with pytest.raises(kibitz.KibitzError, match="needs a match that tells luck"):
        Match(plan, Until(None, (0.0, 10.0), luckless=True))


def test_where_nothing_is_drawn_there_is_no_test_without_luck():
    plan = Plan.between(kibitz.rules("blob"), ["rule", "random"])
    with pytest.raises(kibitz.KibitzError, match="nothing is drawn in blob"):
        Match(plan, Until(None, (0.0, 1.0), luckless=True))
