"""What beliefs of all games have in common."""

import dataclasses
import json

import numpy as np
import pytest

import kibitz
from helpers import fewer, members, play_on
from kibitz import contract
from kibitz.beliefs import belief
from kibitz.games.belief import STOCK, Options
from kibitz.games.histories import Histories, followed

GAMES = {
    "uno": {"colours": 2, "ranks": "01S+", "hand_size": 3},
    "blob": {"players": 3, "cards": 3, "suits": 2, "ranks": 5},
}
METHODS = ("auto", "particles")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("game", GAMES)
def test_all_have_one_shape(game, method):
    table = play_on(kibitz.Table(kibitz.rules(game, **GAMES[game]), seed=3), 3, 4)
    seat = table.to_act
    found = belief(table.view(seat), method, n=40)
    told = found.to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    others = [str(other) for other in range(table.rules.seats) if other != seat]
    holders = [*others, "stock"]
    assert list(told["held"]) == list(told["facts"]) == holders
    assert list(told["players"]) == others
    assert all(list(row) == others for row in told["any"].values())
    assert list(told["any"]) == (["R", "Y"] if game == "uno" else [])
    assert set(told["can_play"]) <= set(others)
    assert (
        set(told["cards"])
        == set(told["expected"])
        == {found.card_text(card) for card in found.marginals().cards}
    )
    for text, chances in told["cards"].items():
        assert list(chances) == holders
        for name, chance in chances.items():
            holder = STOCK if name == "stock" else int(name)
            assert found.probability(text, holder) == chance
            assert told["expected"][text][name] >= chance - 1e-9
    for name, size in told["held"].items():
        assert sum(row[name] for row in told["expected"].values()) == pytest.approx(size, abs=0.1)
    exact = told["entropy_is_exact"]
    assert exact == (method == "auto") == (told["ess"] is None)
    assert told["n"] == (found.distinct if exact else 40)


@pytest.mark.parametrize("game", GAMES)
def test_worlds_hold_what_is_said(game):
    table = play_on(kibitz.Table(kibitz.rules(game, **GAMES[game]), seed=5), 5, 3)
    found = belief(table.view(table.to_act))
    worlds, weights = found.sample(20, 1)
    assert weights.sum() == pytest.approx(1)
    for world in worlds:
        assert found.possible(world)
        for holder, size in found.sizes.items():
            held = found.game.hand(world, holder)
            assert len(held) == size
            assert found.holding(world, holder) == tuple(sorted(set(held)))
            assert all(found.probability(card, holder) > 0 for card in held)


# --- the belief of games that have none of their own ---------------------------------------------

TINY = {
    "uno": {"colours": 2, "ranks": "01S+", "wilds": 1, "wild_fours": 0, "hand_size": 3},
    "blob": {"players": 3, "cards": 2, "suits": 2, "ranks": 4, "trump": "random"},
    "blob-game": {"players": 2, "schedule": (2, 1), "suits": 2, "ranks": 3},
}
MIXED = "0.3*uniform + 0.7*rule:temperature=1"


def histories(view, method="auto", model=MIXED, n=100, seed=0):
    found = Histories(view.rules, view.seat, Options(method, kibitz.model(model), n, seed))
    for event in view.events:
        found = found.update(event)
    return found


def moments(game, number, plies=range(0, 16, 3)):
    """Views in the middle of games."""
    for seed in range(number):
        for ply in plies:
            table = play_on(kibitz.Table(kibitz.rules(game, **TINY[game]), seed=seed), seed, ply)
            if not table.over:
                yield table.view(seed % table.rules.seats)


def by_card(found, known):
    """[holder, card], in the order of another belief."""
    table = found.marginals()
    assert table.holders == known.holders
    return np.array([[table.of(card, h) for card in known.cards] for h in known.holders])


@pytest.mark.parametrize("model", ["constraints", MIXED])
@pytest.mark.parametrize("game", TINY)
def test_histories_are_exact_where_they_are_few(game, model):
    seen = 0
    for view in moments(game, fewer(6)):
        theirs = belief(view, "exact", model, cache=None)
        ours = histories(view, "exact", model)
        assert ours.observation.tobytes() == view.data
        known = theirs.marginals()
        assert by_card(ours, known) == pytest.approx(known.chance, abs=1e-9)
        assert ours.marginals().expected.sum(axis=1) == pytest.approx(list(theirs.sizes.values()))
        assert ours.sizes == theirs.sizes
        assert ours.entropy() == pytest.approx(theirs.entropy(), abs=1e-9)
        assert ours.surprises == theirs.surprises
        for seat in theirs.holders[:-1]:
            mine, its = dict(ours.players(seat)), dict(theirs.players(seat))
            assert mine == pytest.approx(its, abs=1e-9)
        assert (ours.method, ours.ess, ours.recoveries) == ("exact", np.inf, 0)
        seen += len(view.events) > 4
    assert seen > 3


@pytest.mark.parametrize("game", TINY)
def test_the_error_of_histories_falls_with_their_number(game):
    sizes, errors = (20, 1000), {20: 0.0, 1000: 0.0}
    for view in moments(game, fewer(6)):
        known = belief(view, "exact", MIXED, cache=None).marginals()
        for n in sizes:
            found = histories(view, "particles", n=n)
            assert found.method == "particles"
            assert 1 <= found.distinct <= n
            assert 1 - 1e-9 <= found.ess <= n + 1e-9
            errors[n] += np.abs(by_card(found, known) - known.chance).sum()
    assert errors[1000] < 0.35 * errors[20]


def test_histories_draw_as_seen_from_a_large_deck():
    """Own draws and deals that have many outcomes, and a belief that must begin again."""
    rules = kibitz.rules("uno")
    table = play_on(kibitz.Table(rules, seed=2), 2, 25)
    view = table.view(0)
    found = histories(view, n=50)
    assert found.method == "particles"
    assert found.recoveries > 0
    assert f"begun again {found.recoveries} times" in found.summary()
    worlds, _ = found.sample(10, 1)
    assert all(found.possible(world) for world in worlds)
    assert (
        found.to_dict()
        == histories(view, n=50).to_dict()
        != histories(view, n=50, seed=1).to_dict()
    )
    other = table.view(1)
    assert not any(histories(other, n=50).possible(world) for world in worlds)


def test_what_was_asked_in_between_does_not_matter():
    (*_, view) = moments("uno", 1)
    at_once = histories(view, "particles", n=30)
    found = histories(dataclasses.replace(view, events=()), "particles", n=30)
    for k, event in enumerate(view.events):
        found = found.update(event)
        if k > 4:
            found.marginals()
    assert found.to_dict() == at_once.to_dict()


@pytest.mark.parametrize("method", ["exact", "particles"])
def test_a_model_that_rules_the_truth_out_breaks_nothing(method):
    left_out = begun_again = 0
    for seed in range(fewer(12)):
        table = play_on(kibitz.Table(kibitz.rules("uno", **TINY["uno"]), seed=seed), seed, 9)
        seat = seed % 2
        found = histories(table.view(seat), method, "rule:temperature=0", n=30)
        assert found.possible(table.true_state()) or found.recoveries
        table_of = found.marginals()
        assert np.isfinite(table_of.chance).all()
        assert table_of.expected.sum(axis=1) == pytest.approx(list(found.sizes.values()))
        assert sum(chance for _, chance in found.players(1 - seat)) == pytest.approx(1)
        left_out += len(found.surprises)
        begun_again += found.recoveries
    assert left_out > 0
    assert begun_again > 0


def test_a_model_that_is_a_function_is_asked():
    def first(rules, state):
        legal = members(contract.legal_actions(rules.params, state))
        assert not state.hand[1 - state.turn].any()
        return {action: 1.0 if action == legal[0] else 0.0 for action in legal}

    for view in moments("uno", 2):
        known = belief(view, "exact", first, cache=None)
        found = histories(view, "exact", first)
        assert by_card(found, known.marginals()) == pytest.approx(
            known.marginals().chance, abs=1e-9
        )
        assert found.surprises == known.surprises


def test_what_histories_refuse():
    (*_, view) = moments("uno", 1)
    with pytest.raises(kibitz.KibitzError, match=r"no method 'exakt' \(did you mean 'exact'\?\)"):
        histories(view, "exakt")
    few = Histories(view.rules, 0, Options("exact", kibitz.model("uniform"), 1, 0, exact_limit=2))
    opening = [event for event in view.events if event.kind in ("deal", "top")]
    for event in opening:
        few = few.update(event)
    with pytest.raises(kibitz.BeliefError, match="more worlds are possible than exact_limit = 2"):
        few.marginals()


@pytest.mark.parametrize("game", TINY)
def test_moves_are_followed_by_playing_them(game):
    for view in moments(game, fewer(3), (9,)):
        if view.rules.game == "blob-game":
            continue  # a deal belongs to the game itself
        known = kibitz.game_of(view.rules)
        seen = None
        for event in view.events:
            if event.kind in ("deal", "top", "round") or known.action_of(event) is None:
                seen = known.follow(view.rules, view.seat, seen, event)
                continue
            after = known.follow(view.rules, view.seat, seen, event)
            if event.kind != "draw" or "reshuffle" not in view.history():
                assert followed(known, view.rules, view.seat, seen, event) == after
            seen = after
        assert seen.tobytes() == view.data
