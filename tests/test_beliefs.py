"""What beliefs of all games have in common."""

import json

import pytest

import kibitz
from helpers import play_on
from kibitz.beliefs import belief
from kibitz.games.belief import STOCK

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
