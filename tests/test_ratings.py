"""Ratings that are right where they are known, intervals that cover, and limits where there are
none."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import examples
from kibitz.arena.ratings import rate
from kibitz.arena.statistics import elo, estimate, score
from kibitz.games.base import KibitzError
from matches import MIRRORED, REPEATED, games_of

MIXED = [1, 1, 0.5, 0.75, 0, 0.25, 1, 0.5]
outcomes = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=8)


def by_name(ratings):
    return {rating.name: rating for rating in ratings}


def test_two_players_are_as_far_apart_as_their_score():
    values = MIXED * 50
    anchor, found = rate(["random", "a"], {("a", "random"): values})
    assert (anchor.elo, anchor.low, anchor.high, anchor.deals) == (0, 0, 0, 400)
    assert found.elo == pytest.approx(elo(np.mean(values)))
    direct = estimate(values)
    assert found.low == pytest.approx(elo(direct.low), abs=2)
    assert found.high == pytest.approx(elo(direct.high), abs=2)
    assert found.remark == ""


def test_a_chain_adds_up():
    results = {("a", "random"): MIXED, ("b", "a"): MIXED * 2, ("c", "b"): [0.5] * 9}
    found = by_name(rate(["c", "b", "a", "random"], results))
    step = elo(np.mean(MIXED))
    wanted = {"random": 0, "a": step, "b": 2 * step, "c": 2 * step}
    assert {name: one.elo for name, one in found.items()} == pytest.approx(wanted)
    assert [one.deals for one in found.values()] == [9, 25, 24, 8]
    widths = [found[name].high - found[name].low for name in ("random", "a", "b", "c")]
    assert widths == sorted(widths)  # each link of the chain adds its error


def surplus(found, results):
    """Each player's scores less what the ratings expect of them: nothing, at the maximum."""
    left = dict.fromkeys(found, 0.0)
    for (first, second), values in results.items():
        expected = len(values) * score(found[first].elo - found[second].elo)
        left[first] += sum(values) - expected
        left[second] -= sum(values) - expected
    return list(left.values())


@examples
@given(st.fixed_dictionaries(dict.fromkeys(("ab", "bc", "ca", "ad"), outcomes)))
def test_scores_are_met_and_sides_do_not_matter(results):
    """At the maximum each player's scores add up to what its rating expects; who is named first, in
    which order and who the anchor is make no difference."""
    results = {tuple(pair): [0.0, 1.0, *values] for pair, values in results.items()}
    found = by_name(rate("abcd", results, "a"))
    assert surplus(found, results) == pytest.approx([0] * 4, abs=1e-6)
    turned = {(b, a): [1 - value for value in values] for (a, b), values in results.items()}
    again = by_name(rate("dcba", turned, "c"))
    for name in "abcd":
        shifted = found[name].elo - found["c"].elo
        assert again[name].elo == pytest.approx(shifted, abs=1e-6)
    assert again["a"].high == pytest.approx(-found["c"].low, abs=1e-6)


def test_results_at_odds_with_each_other():
    """Newton's method alone would run off here: whole steps overshoot."""
    results = {
        ("b", "a"): np.full(1032, 0.0003),
        ("c", "b"): np.full(37573, 0.99992),
        ("d", "a"): np.full(1, 0.03),
        ("d", "b"): np.full(1945, 0.9965),
        ("d", "c"): np.full(67541, 0.9991),
    }
    found = by_name(rate("abcd", results, "a"))
    assert surplus(found, results) == pytest.approx([0] * 4, abs=1e-5)


TRUE = {"random": 0.0, "a": 40.0, "b": 60.0, "c": 20.0}
PAIRS = [("a", "random"), ("a", "b"), ("c", "b"), ("random", "c"), ("b", "random")]


def covered(seed, hang, deals, as_pairs=True):
    """How often the intervals hold the true rating, over 700 tournaments of four players."""
    generator = np.random.default_rng(seed)
    runs, hits = 700, 0
    played = {
        (first, second): games_of(generator, (runs, deals), score(TRUE[first] - TRUE[second]), hang)
        for first, second in PAIRS
    }
    for run in range(runs):
        results = {
            pair: games[run].mean(axis=-1) if as_pairs else games[run].ravel()
            for pair, games in played.items()
        }
        ratings = rate(list(TRUE), results)[1:]
        hits += sum(one.low <= TRUE[one.name] <= one.high for one in ratings)
    return hits / (3 * runs)


@pytest.mark.parametrize(("hang", "deals"), [(REPEATED, 20), (REPEATED, 200), (MIRRORED, 200)])
def test_intervals_cover(hang, deals):
    share = covered(deals, hang, deals)
    print(f"{hang}, {deals} deals a pair: intervals cover in {share:.1%}")
    assert 0.93 <= share <= 0.97


@pytest.mark.parametrize("hang", [REPEATED, MIRRORED])
def test_games_taken_as_independent_do_not(hang):
    share = covered(1, hang, 200, as_pairs=False)
    assert share < 0.92 if hang == REPEATED else share > 0.98


def test_who_won_everything_has_no_upper_limit():
    results = {("a", "random"): MIXED, ("b", "a"): [1.0] * 20, ("c", "b"): MIXED, ("d", "a"): [0.0]}
    found = by_name(rate(["random", "a", "b", "c", "d"], results))
    assert found["a"].remark == ""
    assert found["a"].elo == pytest.approx(elo(np.mean(MIXED)))
    for name in "bc":
        assert found[name].high == math.inf
        assert "no upper limit" in found[name].remark
        assert found["a"].elo < found[name].elo < 2000
        assert found[name].low < found[name].elo
    assert found["d"].low == -math.inf
    assert "no lower limit" in found["d"].remark
    assert found["d"].high < math.inf


def test_an_anchor_that_lost_everything():
    _, a, b = rate(["random", "a", "b"], {("random", "a"): [0.0] * 5, ("a", "b"): MIXED})
    assert a.high == b.high == math.inf
    assert 0 < b.elo < a.elo
    both = rate(["random", "a", "b"], {("random", "a"): [0.0] * 5, ("a", "b"): [1.0] * 5})[2]
    assert (both.low, both.high) == (-math.inf, math.inf)
    assert "no limits" in both.remark


def test_long_chains_of_players_that_won_everything_come_to_an_end():
    names = ["random", *map(str, range(12))]
    results = {(b, a): [1.0] * 10_000 for a, b in pairwise(names)}
    found = rate(names, results)
    steps = np.diff([one.elo for one in found])
    assert steps == pytest.approx(elo(1 - 0.5 / 10_001))


def test_equal_results_are_not_taken_for_certainty():
    _, few = rate(["random", "a"], {("a", "random"): [0.5] * 5})
    _, many = rate(["random", "a"], {("a", "random"): [0.5] * 500})
    assert few.high > 50
    assert 0 < many.high < 2


def test_what_cannot_be_rated():
    met = {("a", "random"): MIXED}
    with pytest.raises(KibitzError, match="nothing compares b, c with random"):
        rate(["random", "a", "b", "c"], {**met, ("b", "c"): MIXED})
    with pytest.raises(KibitzError, match="nothing compares b with random"):
        rate(["random", "a", "b"], {**met, ("a", "b"): []})
    with pytest.raises(KibitzError, match="anchor random is not among"):
        rate(["a", "b"], {("a", "b"): MIXED})
    with pytest.raises(KibitzError, match="given twice"):
        rate(["a", "random", "a"], met)
    with pytest.raises(KibitzError, match="results of z"):
        rate(["random", "a"], {**met, ("z", "a"): MIXED})
    with pytest.raises(KibitzError, match="itself"):
        rate(["random", "a"], {**met, ("a", "a"): MIXED})
    for wrong in (1.5, -1, math.nan):
        with pytest.raises(KibitzError, match="between 0 and 1"):
            rate(["random", "a"], {("a", "random"): [wrong]})


def test_an_anchor_alone():
    (alone,) = rate(["random"], {})
    assert (alone.elo, alone.low, alone.high, alone.deals) == (0, 0, 0, 0)
