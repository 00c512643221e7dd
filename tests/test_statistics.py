"""Intervals that cover, tests that err as rarely as they say, luck taken out without a lean; and
versions that are broken are noticed."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import examples
from kibitz.arena import statistics
from kibitz.arena.statistics import Estimate, Sequential, control, elo, estimate, score, student
from kibitz.games.base import KibitzError
from matches import MIRRORED, POINTS_FOR_SKILL, REPEATED, games_of, points_of

RUNS = 1000
outcomes = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=60)
numbers = st.floats(-100, 100).map(lambda number: round(number, 3))


# --- Elo -----------------------------------------------------------------------------------------


def test_elo_of_known_scores():
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(0) == elo(-0.1) == -math.inf
    assert elo(1) == elo(1.1) == math.inf
    assert score(400) == pytest.approx(10 / 11)
    assert (score(-math.inf), score(-1e6), score(1e6), score(math.inf)) == (0, 0, 1, 1)


@examples
@given(st.floats(-3000, 3000))
def test_elo_and_score_undo_each_other(difference):
    assert elo(score(difference)) == pytest.approx(difference, abs=1e-5)
    assert score(difference) + score(-difference) == pytest.approx(1)


# --- Student's t ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("freedom", "half", "ninety_five", "ninety_nine"),
    [
        (1, 1.000, 12.706, 63.657),
        (2, 0.816, 4.303, 9.925),
        (3, 0.765, 3.182, 5.841),
        (5, 0.727, 2.571, 4.032),
        (10, 0.700, 2.228, 3.169),
        (19, 0.688, 2.093, 2.861),
        (30, 0.683, 2.042, 2.750),
        (120, 0.677, 1.980, 2.617),
        (10**8, 0.674, 1.960, 2.576),
    ],
)
def test_student_as_printed_in_tables(freedom, half, ninety_five, ninety_nine):
    found = [round(student(freedom, level), 3) for level in (0.5, 0.95, 0.99)]
    assert found == [half, ninety_five, ninety_nine]


def test_student_where_there_is_a_formula():
    assert student(1) == pytest.approx(math.tan(0.475 * math.pi), rel=1e-13)
    assert student(2) == pytest.approx(0.95 / math.sqrt(2 * 0.975 * 0.025), rel=1e-13)


@pytest.mark.parametrize("freedom", [150, 201, 202, 999, 20_000])
def test_student_by_its_integral_on_both_sides_of_the_expansion(freedom):
    angle = math.atan(student(freedom) / math.sqrt(freedom))
    assert statistics._within(angle, freedom) == pytest.approx(0.95, abs=1e-11)


# --- means ---------------------------------------------------------------------------------------


def test_a_mean_by_hand():
    found = estimate([0, 0.5, 1, 0.5])
    assert (found.mean, found.n) == (0.5, 4)
    assert found.deviation == pytest.approx(math.sqrt(1 / 6))
    assert found.high - found.mean == pytest.approx(3.182446 * math.sqrt(1 / 6) / 2, rel=1e-6)
    assert found.mean - found.low == pytest.approx(found.high - found.mean)


def test_few_deals_and_equal_ones():
    assert estimate([0.25]) == Estimate(0.25, -math.inf, math.inf, 1, math.inf)
    assert estimate([0.1] * 3) == Estimate(0.1, 0.1, 0.1, 3, 0.0)  # 0.1 * 3 / 3 is not 0.1
    with pytest.raises(KibitzError, match="no deals"):
        estimate([])
    with pytest.raises(KibitzError, match="neither infinite"):
        estimate([0.5, math.nan])
    with pytest.raises(KibitzError, match="one for each deal"):
        estimate([[0.5, 1.0]])


@examples
@given(st.lists(numbers, min_size=2, max_size=30), numbers, st.floats(0.1, 10))
def test_a_mean_moves_and_grows_with_its_values(values, by, times):
    plain, moved = estimate(values), estimate([by + times * value for value in values])
    for name in ("mean", "low", "high"):
        assert getattr(moved, name) == pytest.approx(by + times * getattr(plain, name), abs=1e-6)
    assert plain.low <= plain.mean <= plain.high


def coverage(samples, truth, estimate=estimate):
    found = [estimate(values) for values in samples]
    return sum(one.low <= truth <= one.high for one in found) / len(found)


@pytest.mark.parametrize("hang", [MIRRORED, REPEATED])
@pytest.mark.parametrize("n", [20, 200])
@pytest.mark.parametrize("strength", [0.5, 0.57])
def test_intervals_of_scores_cover(hang, n, strength):
    games = games_of(np.random.default_rng([n, int(100 * strength)]), (RUNS, n), strength, hang)
    assert 0.93 <= coverage(games.mean(axis=-1), strength) <= 0.97


def in_unit(values):
    return estimate(values, (0.0, 1.0))


def cut_off(values):
    """What `in_unit` would be without Wilson's idea: Student's interval as far as it can be."""
    found = estimate(values)
    if not found.deviation:
        return in_unit(values)
    return replace(found, low=max(0.0, found.low), high=min(1.0, found.high))


DEALS = {
    "mirrored 50 %": (0.5, lambda g, n: games_of(g, (RUNS, n), 0.5, MIRRORED).mean(axis=-1)),
    "repeated 57 %": (0.57, lambda g, n: games_of(g, (RUNS, n), 0.57, REPEATED).mean(axis=-1)),
    "single 60 %": (0.6, lambda g, n: (g.random((RUNS, n)) < 0.6).astype(float)),
    "single 90 %": (0.9, lambda g, n: (g.random((RUNS, n)) < 0.9).astype(float)),
    "nearly all": (0.975, lambda g, n: g.choice([0.5, 0.75, 1], (RUNS, n), p=[0.02, 0.06, 0.92])),
    "smooth": (0.5, lambda g, n: g.beta(4, 4, (RUNS, n))),
}


@pytest.mark.parametrize("n", [2, 3, 5, 10, 20, 50, 200])
@pytest.mark.parametrize("deals", DEALS)
def test_intervals_of_few_scores_cover_and_stay_where_scores_are(deals, n):
    strength, drawn = DEALS[deals]
    samples = drawn(np.random.default_rng([n, len(deals)]), n)
    found = [in_unit(values) for values in samples]
    assert all(0 <= one.low <= one.mean <= one.high <= 1 for one in found)
    assert all(one.low < one.high for one in found)
    assert coverage(samples, strength, in_unit) >= 0.93


@pytest.mark.parametrize("n", [2, 3, 5, 10, 20, 50, 200])
def test_intervals_of_wins_and_losses_cover_by_the_binomial_distribution(n):
    """Without chance: for each number of wins the interval, for each strength how often it holds.
    As with every such interval, that goes up and down with the strength."""
    found = [in_unit([1.0] * won + [0.0] * (n - won)) for won in range(n + 1)]
    strengths = np.linspace(0.02, 0.98, 97)
    ways = [math.comb(n, won) for won in range(n + 1)]
    covered = [
        sum(
            way * p**won * (1 - p) ** (n - won)
            for won, (way, one) in enumerate(zip(ways, found, strict=True))
            if one.low <= p <= one.high
        )
        for p in strengths
    ]
    assert np.mean(covered) >= 0.95
    assert min(covered) >= 0.9


def test_an_interval_cut_off_at_the_ends_would_not_cover():
    strength, drawn = DEALS["single 90 %"]
    samples = drawn(np.random.default_rng(1), 50)
    assert coverage(samples, strength, cut_off) < 0.9
    assert coverage(samples, strength, in_unit) > 0.94


@pytest.mark.parametrize("hang", [MIRRORED, REPEATED])
def test_ends_change_nothing_where_there_are_many_deals(hang):
    games = games_of(np.random.default_rng(3), (20_000,), 0.57, hang).mean(axis=-1)
    plain, found = estimate(games), in_unit(games)
    assert found.low == pytest.approx(plain.low, abs=1e-4)
    assert found.high == pytest.approx(plain.high, abs=1e-4)


@examples
@given(st.lists(numbers, min_size=1, max_size=20), st.floats(0, 9), st.floats(0.1, 9))
def test_ends_may_lie_anywhere(values, more, times):
    """The interval grows with its values, and holds their mean between the ends."""
    ends = -100 - more, 100 + more
    found = estimate(values, ends)
    assert ends[0] <= found.low <= found.mean + 1e-9
    assert found.mean - 1e-9 <= found.high <= ends[1]
    larger = estimate([5 + times * value for value in values], [5 + times * end for end in ends])
    assert larger.low == pytest.approx(5 + times * found.low, abs=1e-5)
    assert larger.high == pytest.approx(5 + times * found.high, abs=1e-5)


@pytest.mark.parametrize(("hang", "n"), [(MIRRORED, 20), (MIRRORED, 200), (REPEATED, 200)])
def test_games_taken_as_independent_do_not(hang, n):
    """Mirrored cards make the true error smaller than that of so many single games, deals that
    suit a player make it larger: the test above notices either mistake."""
    games = games_of(np.random.default_rng(n), (RUNS, n), 0.5, hang)
    broken = coverage(games.reshape(RUNS, 2 * n), 0.5)
    assert broken > 0.98 if hang == MIRRORED else broken < 0.91


@pytest.mark.parametrize(("n", "strength"), [(2, 0.5), (3, 0.28), (5, 0.47), (5, 0.53), (20, 0.97)])
def test_deals_that_are_all_the_same_may_be_so_by_chance(n, strength):
    """The few intervals that do not cover are those of samples that all came out the same."""
    generator = np.random.default_rng([n, 7])
    same = [deals for deals in generator.random((RUNS, n)) < strength if len(set(deals)) == 1]
    assert same
    found = [estimate(deals.astype(float), (0.0, 1.0)) for deals in same]
    assert all(0 <= one.low < one.high <= 1 for one in found)
    assert sum(not one.low <= strength <= one.high for one in found) < 0.04 * RUNS


def test_ends():
    tied, wide = estimate([0.5] * 4, (0.0, 1.0)), estimate([0.0, 1.0], (0.0, 1.0))
    share = 0.025 ** (1 / 4)
    assert (tied.low, tied.high) == pytest.approx((0.5 * share, 1 - 0.5 * share))
    share = student(1) ** 2 / 2 / 2 / 0.25  # t^2 s^2 / n over m (1 - m)
    reach = math.sqrt(share / 4 + share**2 / 4) / (1 + share)
    assert (wide.mean, wide.low, wide.high) == pytest.approx((0.5, 0.5 - reach, 0.5 + reach))
    single = estimate([1.0], (0.0, 1.0))
    assert (single.low, single.high) == (0, 1)


@pytest.mark.parametrize("n", [20, 200])
@pytest.mark.parametrize("skill", [0.0, 0.15])
def test_intervals_of_points_cover(n, skill):
    points = points_of(np.random.default_rng([n, int(100 * skill)]), (RUNS, n), skill)
    assert 0.93 <= coverage(points, POINTS_FOR_SKILL * skill) <= 0.97


def test_a_normal_quantile_would_not_do_for_few_deals(monkeypatch):
    points = points_of(np.random.default_rng(5), (RUNS, 6), 0.0)
    assert coverage(points, 0.0) > 0.93
    monkeypatch.setattr(statistics, "student", lambda freedom: 1.96)
    assert coverage(points, 0.0) < 0.93


# --- stopping early ------------------------------------------------------------------------------


def race(test, support, chances, generator, limit=4000, games=1):
    """Play RUNS matches at once, with a look after every deal; the verdict of each (+1 for H1) and
    its number of deals. With `games`, so many outcomes are counted for each deal, as if they were
    independent: `support[k, game]`."""
    values, where = np.unique(support, return_inverse=True)
    where = where.reshape(len(support), games)
    counts = np.zeros((RUNS, len(values)))
    verdicts, deals = np.zeros(RUNS, int), np.full(RUNS, limit)
    playing = np.arange(RUNS)
    lower, upper = test.bounds
    for deal in range(1, limit + 1):
        drawn = generator.choice(len(support), len(playing), p=chances)
        for game in range(games):
            counts[playing, where[drawn, game]] += 1
        ratios = test.ratios(values, counts[playing])
        found = (ratios >= upper).astype(int) - (ratios <= lower)
        verdicts[playing], deals[playing] = found, deal
        playing = playing[found == 0]
        if not len(playing):
            break
    return verdicts, deals


def at_most(rate, alpha):
    """Within three standard deviations of a rate that is as it should be."""
    return rate <= alpha + 3 * math.sqrt(alpha * (1 - alpha) / RUNS)


def shares(values):
    found, counts = np.unique(values, return_counts=True, axis=0)
    return found, counts / counts.sum()


@pytest.mark.parametrize("hang", [MIRRORED, REPEATED])
@pytest.mark.parametrize("truth", ["H0", "H1"])
def test_error_rates_of_scores(hang, truth):
    generator = np.random.default_rng([7, hang == MIRRORED, truth == "H1"])
    test = Sequential(score(0), score(50), ends=(0, 1))
    strength = test.low if truth == "H0" else test.high
    support, chances = shares(games_of(generator, (400_000,), strength, hang).mean(axis=-1))
    verdicts, deals = race(test, support, chances, generator)
    wrong = (verdicts == (1 if truth == "H0" else -1)).mean()
    print(
        f"scores, {hang}, {truth} true: wrong {wrong:.3f}, mean number of deals {deals.mean():.0f}"
    )
    assert (verdicts != 0).all()
    assert at_most(wrong, 0.05)


@pytest.mark.parametrize("truth", ["H0", "H1"])
def test_error_rates_of_points(truth):
    generator = np.random.default_rng([8, truth == "H1"])
    points = points_of(generator, (100_000,), 0.1)
    support, chances = shares(np.round(2 * points) / 2)  # fewer values, for speed
    mean = float(chances @ support)
    test = Sequential(*((mean, mean + 1) if truth == "H0" else (mean - 1, mean)))
    verdicts, deals = race(test, support, chances, generator)
    wrong = (verdicts == (1 if truth == "H0" else -1)).mean()
    print(f"points, {truth} true: wrong {wrong:.3f}, mean number of deals {deals.mean():.0f}")
    assert (verdicts != 0).all()
    assert at_most(wrong, 0.05)


@pytest.mark.parametrize("wide", [100, 200, 400])
@pytest.mark.parametrize("base", [0, 200])
def test_error_rates_of_coarse_hypotheses(base, wide):
    """A few deals decide them, and the deviation that these show by chance is not the true one."""
    generator = np.random.default_rng([base, wide])
    test = Sequential(score(base), score(base + wide), ends=(0, 1))
    for strength, wrong in ((test.low, 1), (test.high, -1)):
        games = games_of(generator, (400_000,), strength, REPEATED)
        verdicts, _ = race(test, *shares(games.mean(axis=-1)), generator)
        assert at_most((verdicts == wrong).mean(), 0.05)


def test_the_imagined_deal_reaches_far_for_a_reason(monkeypatch):
    """Somebody wins a little in most deals and loses much in few. Before the first of these come
    up, what was seen is all on one side; the imagined deal keeps in mind that there may be more."""
    support, chances = np.array([-12.0, 0.0, 1.0, 2.0]), np.array([0.04, 0.32, 0.32, 0.32])
    mean = float(chances @ support)
    test = Sequential(mean, mean + 1)
    verdicts, _ = race(test, support, chances, np.random.default_rng(9))
    assert at_most((verdicts == 1).mean(), 0.05)
    monkeypatch.setattr(statistics, "REACH", 1)
    verdicts, _ = race(test, support, chances, np.random.default_rng(9))
    assert (verdicts == 1).mean() > 0.15


def test_an_unequal_choice_of_errors():
    generator = np.random.default_rng(3)
    test = Sequential(score(0), score(70), alpha=0.01, beta=0.2, ends=(0, 1))
    assert test.bounds == pytest.approx((math.log(0.2 / 0.99), math.log(0.8 / 0.01)))
    for strength, wrong, allowed in ((test.low, 1, 0.01), (test.high, -1, 0.2)):
        games = games_of(generator, (400_000,), strength, MIRRORED)
        verdicts, _ = race(test, *shares(games.mean(axis=-1)), generator)
        assert at_most((verdicts == wrong).mean(), allowed)


def test_games_taken_as_independent_err_too_often():
    """The mistake that the tests above are there for."""
    generator = np.random.default_rng(11)
    test = Sequential(score(0), score(50), ends=(0, 1))
    support, chances = shares(games_of(generator, (400_000,), 0.5, REPEATED))
    verdicts, _ = race(test, support, chances, generator, games=2)
    assert not at_most((verdicts == 1).mean(), 0.05)


def test_a_player_against_itself():
    """H0, or undecided where the match ends before; H1 no more often than alpha."""
    generator = np.random.default_rng(12)
    support, chances = shares(games_of(generator, (400_000,), 0.5, MIRRORED).mean(axis=-1))
    test = Sequential(score(0), score(30), ends=(0, 1))
    verdicts, _ = race(test, support, chances, generator, limit=300)
    print(f"A/A, 300 deals: H1 {(verdicts == 1).mean():.3f}, H0 {(verdicts == -1).mean():.3f}")
    assert at_most((verdicts == 1).mean(), 0.05)
    assert (verdicts == 0).any()


@pytest.mark.parametrize(
    ("test", "value", "verdict"),
    [
        (Sequential(score(0), score(10), ends=(0, 1)), 0.5, "H0"),  # a copy of itself
        (Sequential(score(0), score(10), ends=(0, 1)), 1.0, "H1"),
        (Sequential(score(0), score(10), ends=(0, 1)), 0.0, "H0"),
        (Sequential(0, 1), 0.0, "H0"),
        (Sequential(0, 1), 10.0, "H1"),
        (Sequential(0, 1), -10.0, "H0"),
        (Sequential(100, 110), 1e3, "H1"),
        (Sequential(-1, 0), 0.0, "H1"),
    ],
)
def test_deals_that_all_come_out_the_same(test, value, verdict):
    """Hypotheses then lie outside what was seen: the match ends all the same, but not at once."""
    seen = [test.verdict({value: n}) for n in range(1000)]
    assert seen[:10] == [None] * 10
    assert seen[-1] == verdict
    assert set(seen) == {None, verdict}


def test_the_usual_error_of_the_first_deals_is_gone():
    test = Sequential(0, 1)
    assert test.llr([]) == 0
    assert test.verdict([]) is None
    for first in (-50.0, 0.0, 0.5, 1.0, 50.0):
        assert abs(test.llr([first])) < 0.2
        assert abs(test.llr([first, first + 0.1])) < 0.4


def test_after_each_deal_of_a_long_match():
    """A `Counter` says what the list says, and the matches that are raced together are the same."""
    test = Sequential(score(-5), score(5), ends=(0, 1))
    values = games_of(np.random.default_rng(2), (100_000,), 0.5, MIRRORED).mean(axis=-1).tolist()
    seen, ratios = Counter(), []
    for deal, value in enumerate(values[:3000]):
        seen[value] += 1
        ratios.append(test.llr(seen))
        if deal % 500 == 0:
            assert ratios[-1] == pytest.approx(test.llr(values[: deal + 1]))
    steps = np.array([np.equal(values[:3000], value).cumsum() for value in sorted(set(values))]).T
    assert test.ratios(np.array(sorted(set(values))), steps) == pytest.approx(ratios, abs=1e-8)
    assert test.llr(Counter(values)) == pytest.approx(test.llr(values))


@examples
@given(st.integers(0, 200), st.integers(0, 200), st.floats(0.05, 0.9), st.floats(0.001, 0.04))
def test_with_two_outcomes_it_is_walds_own_test(won, lost, low, gap):
    test = Sequential(low, low + gap, ends=(0, 1))
    imagined = low + gap / 2
    gain = math.log(test.high / test.low), math.log((1 - test.high) / (1 - test.low))
    wanted = (won + imagined) * gain[0] + (lost + 1 - imagined) * gain[1]
    if won + lost:
        assert test.llr({1.0: won, 0.0: lost}) == pytest.approx(wanted, abs=1e-7)


@examples
@given(st.tuples(*[st.integers(0, 50)] * 3), st.floats(0.1, 0.6), st.floats(0.01, 0.3))
def test_with_three_outcomes_no_distribution_is_better(counts, low, gap):
    """Those of a given mean have one chance to choose, that of a draw: try them all."""
    test = Sequential(low, low + gap, ends=(0, 1))
    middle = low + gap / 2
    weights = np.array([counts[0] + 1 - middle, counts[1], counts[2] + middle])

    def best(mean):
        draw = np.linspace(0, 2 * min(mean, 1 - mean), 20_001)[1:-1]
        chances = np.stack([1 - mean - draw / 2, draw, mean - draw / 2])
        return float((weights[:, None] * np.log(chances)).sum(axis=0).max())

    if sum(counts) and counts[1]:
        wanted = best(test.high) - best(test.low)
        found = test.llr(dict(zip((0.0, 0.5, 1.0), counts, strict=True)))
        assert found == pytest.approx(wanted, abs=1e-3)


@examples
@given(st.lists(numbers, min_size=1, max_size=40), numbers, st.floats(0.1, 20), st.floats(0.1, 9))
def test_neither_hypothesis_is_favoured_and_units_do_not_matter(values, low, gap, times):
    test = Sequential(low, low + gap)
    found = test.llr(values)
    other_side = Sequential(-low - gap, -low)
    assert other_side.llr([-value for value in values]) == pytest.approx(-found, abs=1e-6)
    scaled = Sequential(times * low + 5, times * (low + gap) + 5)
    assert scaled.llr([times * value + 5 for value in values]) == pytest.approx(found, abs=1e-6)


@examples
@given(outcomes, st.sampled_from([0.0, 0.25, 0.5, 0.75]))
def test_a_better_outcome_never_speaks_for_the_lower_hypothesis(values, last):
    """Between two hypotheses that are close, and once there is something to compare with."""
    test = Sequential(score(0), score(10), ends=(0, 1))
    values = [0.0, 0.5, 1.0, *values]
    assert test.llr([*values, last + 0.25]) > test.llr([*values, last])


def test_what_is_no_test():
    for low, high in ((1, 1), (1, 0), (0, math.inf), (math.nan, 1)):
        with pytest.raises(KibitzError, match="the lower first"):
            Sequential(low, high)
    for alpha, beta in ((0, 0.05), (0.05, 0.5)):
        with pytest.raises(KibitzError, match="chances of error"):
            Sequential(0, 1, alpha, beta)
    with pytest.raises(KibitzError, match="least and the greatest"):
        Sequential(0.5, score(1e5), ends=(0, 1))
    with pytest.raises(KibitzError, match="beyond 0 and 1"):
        Sequential(0.5, 0.6, ends=(0, 1)).llr([0.5, 1.5])
    with pytest.raises(KibitzError, match="neither infinite"):
        Sequential(0, 1).llr([math.nan])


# --- luck taken out ------------------------------------------------------------------------------


def lucky(generator, shape, mean=0.3):
    """Outcomes that hang on luck, not only in a straight line, and luck that is not symmetric:
    where a coefficient that is fitted to the same deals would lean."""
    luck = generator.exponential(size=shape) - 1
    values = mean + 2 * luck + 0.5 * (luck**2 - 1) + generator.normal(size=shape)
    return values, luck


@pytest.mark.parametrize("seed", range(10))
def test_the_mean_stays_and_the_interval_shrinks(seed):
    values, luck = lucky(np.random.default_rng(seed), 2000)
    plain, adjusted = estimate(values), control(values, luck)
    apart = math.sqrt((plain.deviation**2 - adjusted.deviation**2) / 2000)
    assert abs(plain.mean - adjusted.mean) < 4 * apart
    assert adjusted.high - adjusted.low < 0.6 * (plain.high - plain.low)
    assert adjusted.saved == pytest.approx(plain.deviation**2 / adjusted.deviation**2)
    assert adjusted.saved > 3


def test_no_lean_with_few_deals():
    values, luck = lucky(np.random.default_rng(1), (4000, 20))
    found = np.array([control(*one).mean for one in zip(values, luck, strict=True)])
    error = found.std() / math.sqrt(len(found))
    assert abs(found.mean() - 0.3) < 3 * error

    def fitted_to_the_same(values, luck):
        return values.mean() - np.polyfit(luck, values, 1)[0] * luck.mean()

    broken = np.array([fitted_to_the_same(*one) for one in zip(values, luck, strict=True)])
    assert abs(broken.mean() - 0.3) > 6 * broken.std() / math.sqrt(len(broken))


@pytest.mark.parametrize("n", [20, 200])
@pytest.mark.parametrize("useful", [0.0, 3.0])
@pytest.mark.parametrize("columns", [1, 3])
def test_intervals_without_luck_cover(n, useful, columns):
    generator = np.random.default_rng([n, int(useful), columns])
    luck = generator.normal(size=(RUNS, n, columns))
    values = points_of(generator, (RUNS, n), 0.1) + useful * luck.sum(axis=-1)
    found = [control(*one) for one in zip(values, luck, strict=True)]
    covered = np.mean([one.low <= 0.1 * POINTS_FOR_SKILL <= one.high for one in found])
    assert 0.93 <= covered <= 0.97
    saved = np.median([one.saved for one in found])
    assert saved > 1.3 if useful else 0.7 < saved < 1.01


def test_luck_in_several_shapes():
    values, luck = lucky(np.random.default_rng(4), 100)
    column = luck[:, None]
    assert control(values, column) == control(values, luck)
    twice = control(values, np.hstack([column, column, np.zeros_like(column)]))
    assert twice.mean == pytest.approx(control(values, luck).mean)
    for few in (1, 2, 11):
        assert control(values[:few], luck[:few]) == estimate(values[:few])
    assert control(luck, luck).saved > 1e20
    assert control(np.ones(50), luck[:50]) == estimate(np.ones(50))
    for wrong in (luck[:-1], luck[:, None, None], 0.0):
        with pytest.raises(KibitzError, match="a row for each"):
            control(values, wrong)
    with pytest.raises(KibitzError, match="neither infinite"):
        control(values, luck * math.inf)
