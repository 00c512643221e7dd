"""`kibitz belief` and `kibitz calibrate`: what people see, what programs read, what is drawn, and
what a mistake is answered with."""

import json
import re
import subprocess
import sys

import pytest

import kibitz
from helpers import played
from kibitz.cli.belief import split

TINY = kibitz.rules(
    "uno", colours=2, ranks="01S+", wilds=1, wild_fours=1, hand_size=3, max_plies=60
)
TINY_TEXT = "colours=2,ranks=01S+,wilds=1,wild_fours=1,hand_size=3,max_plies=60"
BLOB = kibitz.rules("blob", players=3, cards=3, suits=3, ranks=5)


@pytest.fixture
def games(tmp_path):
    """A file with a small game of UNO, a round of Blob, and the first as seat 1 saw it."""
    path = tmp_path / "games.jsonl"
    for rules in (TINY, BLOB):
        table = kibitz.play_out(rules, ["rule"] * rules.seats, seed=3)
        kibitz.append_record(path, table.record())
    kibitz.append_record(path, kibitz.play_out(TINY, ["rule"] * 2, seed=3).seat_record(1))
    return path


# --- moves ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rules",
    [TINY, BLOB, kibitz.rules("uno"), kibitz.rules("blob-game", players=3, start=2)],
    ids=str,
)
def test_what_a_seat_saw_falls_into_moves(rules):
    """Also where the pile was reshuffled, and where no card was left to draw."""
    kinds = set()
    for seed in range(12):
        table = played(rules, seed)
        for seat in range(rules.seats):
            steps = split(table.view(seat))
            told = [[e.seen_by(seat) for e in step.events] for step in table.steps()]
            assert steps == told
            kinds |= {event.kind for step in steps for event in step}
    if rules is TINY:
        assert "reshuffle" in kinds


# --- belief --------------------------------------------------------------------------------------


def test_belief_shows_every_hidden_card(run, games):
    code, out, _ = run("belief", games, "--seat", "0", "--move", "4")
    assert code == 0
    assert "what seat 0 may think after move 4 of" in out
    assert re.search(r"^R red( +(<1|>99|\d+))+", out, re.MULTILINE)
    assert re.search(r"W\+4 +(<1|\d+)", out)
    assert "hand" in out
    assert "on top" in out
    assert "The opponent holds" in out


def test_belief_of_blob_has_a_column_for_every_holder(run, games):
    code, out, _ = run("belief", games, "--game", "2", "--seat", "1", "--move", "4")
    assert code == 0
    assert re.search(r"s0 +s2 +st", out)
    assert re.search(r"[2-6]♣ +\d+ +\d+ +\d+", out)
    assert "trump" in out


def test_belief_fits_a_terminal_of_eighty_columns(run, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    path = tmp_path / "wide.jsonl"
    for rules in (kibitz.rules("uno"), kibitz.rules("blob", players=8, cards=6)):
        kibitz.append_record(path, played(rules, plies=9).record())
    for game in "12":
        _, out, _ = run("belief", path, "--game", game, "--seat", "0", "--particles", "20")
        grid = [line for line in out.splitlines() if re.match(r"[RYGB] |.*[♣♦♥♠] +\d", line)]
        assert len(grid) > 3
        assert max(len(line.rstrip()) for line in grid) <= 80
        assert "…" not in out


def test_the_default_is_the_last_decision_of_the_seat(run, games):
    table = kibitz.Table.replay(kibitz.read_records(games)[0])
    movers = [step.seat for step in table.steps()]  # movers[k] made move k
    for seat in (0, 1):
        last = max(k for k, mover in enumerate(movers) if mover == seat) - 1
        _, out, _ = run("belief", games, "--seat", seat, "--json")
        assert json.loads(out)["move"] == last


def test_an_unfinished_game_ends_where_it_ends(run, tmp_path):
    path = tmp_path / "begun.jsonl"
    kibitz.append_record(path, kibitz.Table(TINY, seed=1).record())
    found = json.loads(run("belief", path, "--seat", "0", "--json")[1])
    assert found["move"] == 0


@pytest.mark.parametrize("game", ["1", "2"])
def test_json_is_the_belief_with_its_history(run, games, game):
    seat = "1"
    _, out, _ = run("belief", games, "--game", game, "--seat", seat, "--move", "5", "--json")
    found = json.loads(out)
    record = kibitz.read_records(games)[int(game) - 1]
    view = kibitz.Table.replay(record, 5).view(1)
    belief = kibitz.belief(view)
    assert found == {"move": 5, **belief.to_dict(), "history": list(view.history())}


def test_options_reach_the_belief(run, games):
    arguments = ("belief", games, "--seat", "0", "--move", "3", "--json")
    found = json.loads(
        run(*arguments, "--method", "particles", "--particles", "33", "--model", "rule")[1]
    )
    assert (found["method"], found["n"], found["model"]) == ("particles", 33, "rule:temperature=1")
    seeds = [
        run(*arguments, "--method", "particles", "--particles", "33", "--seed", seed)[1]
        for seed in (1, 1, 2)
    ]
    assert seeds[0] == seeds[1] != seeds[2]


def test_a_seat_record_needs_no_seat_and_says_the_same(run, games):
    whole = json.loads(run("belief", games, "--seat", "1", "--json")[1])
    alone = json.loads(run("belief", games, "--game", "3", "--json")[1])
    assert alone == whole


def test_only_what_the_seat_saw_is_used(run, tmp_path):
    """Two games that differ in the hidden hand alone."""
    told = []
    for hidden in ("Y1 RS W", "Y+2 R+2 W+4"):
        table = kibitz.Table.from_deal(TINY, hands=["R0 Y0 YS", hidden], top="R1", seed=1)
        table.play("R0", seat=0)
        path = tmp_path / f"{hidden[:2]}.jsonl"
        kibitz.append_record(path, table.record())
        told.append(run("belief", path, "--seat", "0", "--json")[1])
    assert told[0] == told[1]
    assert json.loads(told[0])["move"] == 0


# --- mistakes ------------------------------------------------------------------------------------

MISTAKES = [
    (["--seat", "2"], "seat must be 0 to 1, not 2"),
    (["--seat", "-1"], "seat must be 0 to 1, not -1"),
    ([], "--seat 0 to 1"),
    (["--seat", "0", "--move", "99"], "--move must be 0 to"),
    (["--seat", "0", "--move", "-1"], "--move must be 0 to"),
    (["--seat", "0", "--model", "rul"], "did you mean 'rule'?"),
    (["--seat", "0", "--model", "0.5*"], "is no model"),
    (["--seat", "0", "--method", "exat"], "did you mean 'exact'?"),
    (["--seat", "0", "--particles", "0"], "n must be a whole number from 1"),
    (["--seat", "0", "--seed", "-1"], "from 0 to 2^128 - 1"),
    (["--seat", "0", "--game", "4"], "--game must be 1 to 3"),
    (["--seat", "0", "--game", "3"], "only what seat 1 saw"),
    (["--seat", "0", "--plot", "x.gif"], "ends in .png or .svg"),
    (["--seat", "0", "--plot", "no/such/x.png"], "no such folder"),
    (["--seat", "0", "--mvoe", "3"], "--move"),
]


@pytest.mark.parametrize(("arguments", "said"), MISTAKES, ids=[" ".join(a) for a, _ in MISTAKES])
def test_a_mistake_is_answered_in_one_line(run, games, arguments, said):
    code, out, err = run("belief", games, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("kibitz: ")
    assert err.count("\n") == 1
    assert said in err


def test_files_without_games_are_answered_in_one_line(run, tmp_path):
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    for file, said in [(empty, "is empty"), (tmp_path / "missing", "no such file")]:
        code, out, err = run("belief", file, "--seat", "0")
        assert (code, out) == (2, "")
        assert err.count("\n") == 1
        assert said in err


def test_a_history_that_cannot_be_is_answered_in_one_line(run, games, tmp_path):
    record = json.loads(games.read_text().splitlines()[2])
    bad = tmp_path / "bad.jsonl"
    mine = next(line.split()[2] for line in record["events"] if line.startswith("deal 1"))
    opening = [line for line in record["events"] if line.split()[0] in ("deal", "top", "start")]
    bad.write_text(json.dumps({**record, "events": [*opening, f"0 plays {mine}"]}))
    code, out, err = run("belief", bad)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "move 1: " in err


def test_calibrate_mistakes(run):
    for arguments, said in [
        (["uno", "--games", "0"], "at least 1"),
        (["uno", "--model", "rul"], "did you mean 'rule'?"),
        (["uno", "--players", "nobody"], "there are random, rule"),
        (["blob", "--players", "rule,rule"], "4 seats"),
        (["uno", "--particles", "0"], "n must be"),
        (["chess"], "there are uno"),
        (["uno", "--plot", "x.gif"], "ends in .png or .svg"),
    ]:
        code, out, err = run("calibrate", *arguments)
        assert (code, out) == (2, ""), arguments
        assert err.count("\n") == 1
        assert said in err


# --- calibrate -----------------------------------------------------------------------------------


def test_calibrate_prints_one_json_object(run):
    code, out, _ = run("calibrate", "uno", "--games", "4", "--rules", TINY_TEXT, "--json",
                       "--particles", "50", "--seed", "7", "--players", "random")  # fmt: skip
    found = json.loads(out)
    assert code == 0
    same = kibitz.calibrate(TINY, 4, seed=7, players="random", n=50).to_dict()
    assert {**found, "seconds": 0} == {**same, "seconds": 0}


def test_calibrate_prints_a_table_for_people(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run("calibrate", "blob", "--games", "5", "--particles", "50",
                       "--rules", "players=3,cards=3,suits=3,ranks=5")  # fmt: skip
    assert code == 0
    for word in ("log loss", "Brier", "full - uniform", "full - constraints", "█", "│"):
        assert word in out
    assert re.search(r"full - uniform +[+-]0\.\d{4} \([+-]0\.\d{4}, [+-]0\.\d{4}\)", out)
    assert max(map(len, out.splitlines())) <= 86


def test_calibrate_stops_where_it_is_told_to(run, monkeypatch):
    from kibitz.arena import calibration

    played_game = calibration.play_game

    def stop(rules, agents, seed, index, asked):
        if index == 2:
            raise KeyboardInterrupt
        return played_game(rules, agents, seed, index, asked)

    monkeypatch.setattr(calibration, "play_game", stop)
    code, out, err = run("calibrate", "uno", "--games", "9", "--rules", TINY_TEXT, "--json",
                         "--particles", "30")  # fmt: skip
    found = json.loads(out)
    assert code == 0
    assert (found["games"], found["stopped"]) == (2, True)
    assert "stopped after 2 of 9 games" in err


# --- pictures ------------------------------------------------------------------------------------

BEGINNINGS = {".png": b"\x89PNG", ".svg": b"<?xml"}


@pytest.mark.parametrize("suffix", BEGINNINGS)
@pytest.mark.parametrize("game", ["1", "2"])
def test_belief_is_drawn(run, games, tmp_path, game, suffix):
    pytest.importorskip("matplotlib")
    picture = tmp_path / f"belief{suffix}"
    code, out, _ = run("belief", games, "--game", game, "--seat", "0", "--plot", picture,
                       "--particles", "30", "--move", "3")  # fmt: skip
    assert code == 0
    assert "drawn in" in out
    assert picture.read_bytes().startswith(BEGINNINGS[suffix])
    first = picture.read_bytes()
    run("belief", games, "--game", game, "--seat", "0", "--plot", picture,
        "--particles", "30", "--move", "3")  # fmt: skip
    assert picture.read_bytes() == first


def test_calibration_is_drawn(run, tmp_path):
    pytest.importorskip("matplotlib")
    for suffix, beginning in BEGINNINGS.items():
        picture = tmp_path / f"calibration{suffix}"
        code, _, _ = run("calibrate", "uno", "--games", "2", "--rules", TINY_TEXT,
                         "--particles", "30", "--plot", picture)  # fmt: skip
        assert code == 0
        assert picture.read_bytes().startswith(beginning)


def test_without_matplotlib_the_answer_is_one_line(games):
    code = (
        "import sys\nsys.modules['matplotlib'] = None\n"
        f"sys.argv = ['kibitz', 'belief', {str(games)!r}, '--seat', '0', '--plot', 'x.png']\n"
        "from kibitz.cli.app import _run\nsys.exit(_run())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    assert done.stderr == "kibitz: pictures need matplotlib: pip install 'kibitz[plot]'\n"
    assert done.stdout == ""
