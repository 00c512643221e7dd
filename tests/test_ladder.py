"""Ladders: ratings of everyone against everyone."""

import json

import pytest

import kibitz
from kibitz.arena.engines import Here
from kibitz.arena.ladder import ladder
from kibitz.arena.ledger import Ledger

UNO = kibitz.rules("uno")
BLOB = kibitz.rules("blob", players=3, cards=3)
NAMES = ("random", "rule:slips=0.5", "rule")


@pytest.mark.parametrize("rules", [UNO, BLOB], ids=str)
def test_the_stronger_stand_higher(rules):
    with Here() as engine:
        found = ladder(rules, NAMES, 120, engine, seed=1)
    assert [rating.name for rating in found.ratings] == list(NAMES[::-1])
    anchor = found.ratings[-1]
    assert (anchor.elo, anchor.low, anchor.high) == (0.0, 0.0, 0.0)
    assert found.ratings[0].low > 0
    for rating in found.ratings[:-1]:
        assert rating.low < rating.elo < rating.high
    per_pair = 120 if rules is UNO else 240  # in Blob each sits alone in turn
    assert [rating.deals for rating in found.ratings] == [2 * per_pair] * 3
    for a in NAMES:
        assert found.scores[a][a] is None
        for b in set(NAMES) - {a}:
            assert found.scores[a][b] + found.scores[b][a] == pytest.approx(1)


def test_every_pair_has_cards_of_its_own(monkeypatch):
    seeds = []

    class Noting(Here):
        def ask(self, plan, deal):
            seeds.append(plan.seed)
            super().ask(plan, deal)

    with Noting() as engine:
        ladder(BLOB, NAMES, 1, engine, seed=1)
        other = len(seeds)
        ladder(BLOB, NAMES, 1, engine, seed=2)
    assert len(set(seeds)) == len(seeds) == 2 * other


def test_a_pair_keeps_its_games_whoever_else_is_there(tmp_path):
    with Ledger(tmp_path / "a.sqlite") as ledger, Here() as engine:
        alone = ladder(UNO, ["random", "rule"], 3, engine, seed=1, ledger=ledger)
        names = ["keen", "rule", "random"]
        more = ladder(UNO, names, 3, engine, seed=1, ledger=ledger)
    assert more.known == 3
    assert more.scores["rule"]["random"] == alone.scores["rule"]["random"]


def test_an_interrupted_ladder_rates_what_it_can_and_goes_on(tmp_path):
    class Interrupted(Here):
        left = 5

        def finished(self):
            self.left -= 1
            if self.left < 0:
                raise KeyboardInterrupt
            yield from super().finished()

    with Ledger(tmp_path / "a.sqlite") as ledger:
        with Interrupted() as engine:
            part = ladder(UNO, ["random", "rule"], 20, engine, seed=1, ledger=ledger)
        assert part.stopped
        assert part.ratings[0].deals == 5
        with Here() as engine:
            whole = ladder(UNO, ["random", "rule"], 20, engine, seed=1, ledger=ledger)
            fresh = ladder(UNO, ["random", "rule"], 20, engine, seed=1)
    assert (whole.known, fresh.known) == (5, 0)
    assert whole.to_dict() == {**fresh.to_dict(), "known": 5}


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["random"], "two players"),
        (["rule", "rule:slips=0.5"], "the anchor random is not among"),
        (["random", "rule", "rule"], "given twice"),
        (["random", "nobody"], "no agent 'nobody'"),
    ],
)
def test_mistakes_are_told(names, said):
    with Here() as engine, pytest.raises(kibitz.KibitzError, match=said):
        ladder(UNO, names, 1, engine)


def test_the_command_prints_draws_and_gives_json(run, tmp_path):
    words = [
        "ladder",
        "uno",
        "rule",
        "--games",
        20,
        "--jobs",
        1,
        "--results",
        tmp_path / "a.sqlite",
    ]
    code, out, err = run(*words)
    assert code == 0, err
    assert "Elo above random" in out
    more = [f"rule:slips=0.{k}" for k in range(1, 7)]  # a wide table, of which nothing is cut
    code, out, err = run(*words[:3], *more, "--games", 2, *words[5:])
    assert code == 0, err
    assert all(name in out for name in more)
    code, out, _ = run(*words, "--json")
    told = json.loads(out)
    assert {row["name"] for row in told["ratings"]} == {"random", "rule"}
    pytest.importorskip("matplotlib")
    code, out, err = run(*words, "--plot", tmp_path / "ladder.png")
    assert code == 0, err
    assert (tmp_path / "ladder.png").read_bytes().startswith(b"\x89PNG")


def test_a_player_that_wins_everything_is_no_infinity_in_json(run, tmp_path):
    words = ["ladder", "uno", "rule", "--games", 2, "--jobs", 1, "--results", tmp_path / "a.sqlite"]
    for seed in range(3):
        code, out, _ = run(*words, "--seed", seed, "--json")
        assert code == 0
        json.loads(out, parse_constant=pytest.fail)
