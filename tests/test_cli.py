"""The command line: what people see, what programs read, and what a mistake is answered with."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

import kibitz

KIBITZ = [sys.executable, "-c", "from kibitz.cli import main; main()"]


@pytest.fixture
def games(tmp_path):
    """A file with three UNO games and a round of Blob."""
    path = tmp_path / "games.jsonl"
    kibitz.simulate(kibitz.rules("uno"), ["rule", "random"], 3, seed=5, save=path)
    kibitz.simulate(kibitz.rules("blob", players=3), ["rule"] * 3, 1, seed=5, save=path)
    return path


# --- what is printed -----------------------------------------------------------------------------


def test_simulate_prints_one_json_object(run):
    code, out, _ = run("simulate", "uno", "--games", "500", "--players", "rule,random", "--json")
    result = json.loads(out)
    assert code == 0
    assert result["games"] == 500
    assert result["seconds"] > 0
    first, second = result["players"]
    assert (first["agent"], second["agent"]) == ("rule", "random")
    assert first["wins"] + second["wins"] + first["draws"] == 500
    assert first["win_rate"] == pytest.approx((first["wins"] + first["draws"] / 2) / 500)
    assert first["ci95"][0] < first["win_rate"] < first["ci95"][1]
    assert first["mean_score"] is None
    assert first["exact_bid_rate"] is None


def test_simulate_blob_gives_scores_and_bids(run):
    code, out, _ = run(
        "simulate", "blob", "--games", "2000", "--players", "rule,random,random", "--json",
        "--rules", "players=3", "--rules", "cards=4",
    )  # fmt: skip
    rule, random, _ = json.loads(out)["players"]
    assert code == 0
    assert rule["mean_score"] > random["mean_score"]
    assert rule["exact_bid_rate"] > random["exact_bid_rate"] > 0


@pytest.mark.parametrize("games", [1, 2, 5])
def test_simulate_claims_little_after_few_games(run, games):
    """The interval of what is kept of bids lies in 0 to 1, that of points where points can be."""
    _, out, _ = run("simulate", "blob", "--games", games, "--json", "--rules", "players=3,cards=2")
    for player in json.loads(out)["players"]:
        for name, least, most in (("exact_bid", 0, 1), ("mean_score", 0, 12)):
            low, high = player[f"{name}_ci95"]
            mean = player["mean_score" if name == "mean_score" else "exact_bid_rate"]
            assert least <= low <= mean <= high <= most
            assert high - low > (most - least) / 10


def test_the_same_seed_gives_the_same_games(run):
    def players(seed):
        _, out, _ = run("simulate", "uno", "--games", "300", "--seed", seed, "--json")
        return json.loads(out)["players"]

    assert players("1") == players("1") != players("2")


def test_a_table_for_people(run):
    code, out, _ = run("simulate", "blob-game", "--games", "20", "--rules", "players=3,start=2",
                       "--players", "default,random,random")  # fmt: skip
    assert code == 0
    assert "default" in out
    assert "win rate" in out
    assert "exact bids" in out
    assert "games a second" in out


def test_fixed_seats_keep_the_players_where_they_are(run):
    rules = ("--rules", "hand_size=1")

    def wins(*extra):
        _, out, _ = run("simulate", "uno", "--players", "random,random", "--games", "4000",
                        "--json", *rules, *extra)  # fmt: skip
        return json.loads(out)["players"][0]["wins"]

    # with one card each, moving first is worth several percent
    assert wins("--fixed-seats") > wins() + 50


def test_play_prints_a_finished_game(run, tmp_path):
    file = tmp_path / "played.jsonl"
    code, out, _ = run("watch", "--seed", "3", "--save", str(file))
    assert code == 0
    assert "is dealt" in out
    assert "turned up" in out
    assert "wins" in out
    assert "kibitz watch uno --seed 3 --players rule" in out
    assert run("watch", "--seed", "3")[1].splitlines()[:20] == out.splitlines()[:20]
    assert len(kibitz.read_records(file)) == 1


def test_play_blob_with_mixed_players(run):
    code, out, _ = run("watch", "blob", "--rules", "players=3,cards=2,trump=none", "--seed", "1",
                       "--players", "rule,random,rule")  # fmt: skip
    assert code == 0
    assert "no trump" in out
    assert "bids" in out
    assert "takes the trick" in out
    assert "random (1)" in out


def test_show_replays_every_game_of_a_file(run, games):
    for number in (1, 2, 3):
        code, out, _ = run("show", str(games), "--game", str(number))
        assert code == 0
        assert "plays" in out
        assert "wins" in out
    code, out, _ = run("show", str(games), "--game", "4")
    assert code == 0
    assert "takes the trick" in out
    assert re.search("[♣♦♥♠]", out)


def test_show_for_one_seat_hides_the_other_hand(run, games):
    _, whole, _ = run("show", str(games))
    _, seen, _ = run("show", str(games), "--seat", "1")
    hidden = re.search(r"\(0\) is dealt (.+)", whole)[1].split()
    assert "(0) is dealt 7 cards" in seen
    assert "(1) is dealt 7 cards" not in seen
    assert hidden
    assert re.search(r"\(0\) draws \d card", seen)


def test_show_reads_a_record_made_for_one_seat(run, games, tmp_path):
    _, line, _ = run("show", str(games), "--seat", "0", "--json")
    alone = tmp_path / "seat.jsonl"
    alone.write_text(line)
    code, out, _ = run("show", str(alone))
    assert code == 0
    assert "(1) is dealt 7 cards" in out
    assert run("show", str(alone), "--seat", "1")[0] == 2


def test_show_draws_a_picture_that_asks_nobody_for_anything(run, games, tmp_path):
    picture = tmp_path / "game.svg"
    assert run("show", str(games), "--svg", str(picture))[0] == 0
    text = picture.read_text()
    assert text.startswith("<svg")
    assert "R" in text
    assert "@import" not in text
    assert not re.search(r"url\(.?http", text)


def test_rules_lists_every_option(run):
    for name in kibitz.GAMES:
        code, out, _ = run("rules", name)
        assert code == 0
        for option in type(kibitz.rules(name)).model_fields:
            assert option in out
    _, out, _ = run("rules", "uno", "--rules", "skip=pass", "--json")
    assert kibitz.rules_from_dict(json.loads(out)) == kibitz.rules("uno", skip="pass")


def test_rules_alone_lists_the_games(run):
    code, out, _ = run("rules")
    assert code == 0
    assert all(re.search(rf"^ *{game} ", out, re.MULTILINE) for game in kibitz.GAMES)
    _, out, _ = run("rules", "--json")
    assert [kibitz.rules_from_dict(each) for each in json.loads(out)] == [
        kibitz.rules(game) for game in kibitz.GAMES
    ]


def test_help_has_examples(run):
    for command in (
        "play",
        "engine",
        "watch",
        "show",
        "simulate",
        "belief",
        "calibrate",
        "bench",
        "rules",
    ):
        code, out, _ = run(command, "--help")
        assert code == 0
        assert "Examples" in out


def test_cards_are_told_without_colour(run, games, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    _, out, _ = run("show", str(games))
    assert "\x1b" not in out
    assert re.search(r"plays +[RYGB][0-9SR+]", out)


# --- mistakes ------------------------------------------------------------------------------------

MISTAKES = [
    (["simulate", "chess"], "there are uno, blob, blob-game"),
    (["simulate", "un"], "did you mean 'uno'?"),
    (["simulate", "uno", "--players", "rule,rul"], "did you mean 'rule'?"),
    (["simulate", "uno", "--players", "rule,rule,rule"], "has 2 seats, but 3 players"),
    (["simulate", "uno", "--players", "bot.py"], "exec:python3 bot.py"),
    (["simulate", "uno", "--players", "./bot --fast,rule"], "exec:COMMAND"),
    (["simulate", "uno", "--players", "flat:model=hoarder,rule"], "no model 'hoarder'"),
    (["calibrate", "uno", "--players", "flat:model=hoarder"], "no model 'hoarder'"),
    (["ladder", "uno", "rule", "flat:model=hoarder"], "no model 'hoarder'"),
    (["ladder", "uno", "rule", "flat", "--ms", "0"], "ms must be more than 0"),
    (["match", "uno", "flat:sims=100,model=hoarder", "rule"], "no model 'hoarder'"),
    (["match", "uno", "flat", "rule", "--ms", "0"], "ms must be more than 0"),
    (["match", "uno", "flat", "rule", "--sims", "0"], "sims must be a whole number from 1"),
    (["match", "uno", "rule", "random", "--lines", "no/such/folder/f"], "cannot write"),
    (["watch", "--save", "no/such/folder/f"], "cannot write"),
    (["watch", "--players", "flat:model=hoarder"], "no model 'hoarder'"),
    (["simulate", "uno", "--players", "x=1,rule"], "option without an agent"),
    (["simulate", "uno", "--players", "rule:x=1,rule"], "there are slips"),
    (["play", "uno", "--level", "expert", "--coach"], "--level, --coach: the page asks for that"),
    (["play", "checkers"], "no game 'checkers'"),
    (["simulate", "uno", "--games", "0"], "at least 1"),
    (["simulate", "uno", "--games", "many"], "--games"),
    (["simulate", "uno", "--seed", "-1"], "from 0 to 2^128 - 1"),
    (["simulate", "uno", "--rules", "skip=never"], "'forfeit' or 'pass'"),
    (["simulate", "uno", "--rules", "hand_siz=3"], "did you mean 'hand_size'?"),
    (["simulate", "uno", "--rules", "seven"], "name=value"),
    (["simulate", "uno", "--rules", "hand_size=54"], "less than or equal to 53"),
    (["simulate", "blob", "--rules", "players=8,cards=7"], "at most 6 each"),
    (["simulate", "blob", "--rules", "suits=2,cards=2,trump=spades"], "clubs, diamonds"),
    (["simulate", "blob", "--rules", "dealer=4"], "seats are 0 to 3"),
    (["simulate", "blob-game", "--rules", "schedule=3,20"], "at most 13 each"),
    (["simulate", "uno", "--save", "no/such/folder/f"], "cannot write"),
    (["simulate", "uno", "--gmaes", "3"], "--games"),
    (["simulte", "uno"], "simulate"),
    (["simulate"], "game"),
    (
        ["watch", "--players", "nobody"],
        "random, rule, keen, flat, worlds, ismcts, pomcp, default, coach",
    ),
    (["simulate", "uno", "--players", "nobody"], "openspiel, rlcard, exec (exec:COMMAND)"),
    (["watch", "--seed", "-3"], "from 0 to 2^128 - 1"),
    (["show", "missing.jsonl"], "no such file"),
    (["show", "."], "is a directory"),
    (["rules", "--rules", "players=3"], "those of a game: uno"),
    (["rules", "blob", "--rules", "players=1"], "greater than or equal to 2"),
    (["bench", "--peer"], "--peers"),
]


@pytest.mark.parametrize(("arguments", "said"), MISTAKES, ids=[" ".join(a) for a, _ in MISTAKES])
def test_a_mistake_is_answered_in_one_line(run, arguments, said):
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("kibitz: ")
    assert err.count("\n") == 1
    assert said in err


def test_bad_files_are_answered_in_one_line(run, games, tmp_path):
    bad = tmp_path / "bad.jsonl"
    record = json.loads(games.read_text().splitlines()[0])
    for content, said in [
        ("", "is empty"),
        ("no json\n", "not JSON"),
        ("[1, 2]\n", "JSON object"),
        (json.dumps({**record, "format": 9}), "format 9"),
        (json.dumps({k: v for k, v in record.items() if k != "deal"}), "deal"),
        (json.dumps({**record, "seed": -1}), "seed"),
        (json.dumps({**record, "game": "chess"}), "there are uno"),
        (json.dumps({**record, "rules_hash": "0"}), "hash"),
        (json.dumps({**record, "actions": ["fly"]}), "move 1"),
        (json.dumps({**record, "players": ["rule"]}), "2 players"),
    ]:
        bad.write_text(content)
        code, out, err = run("show", str(bad))
        assert (code, out) == (2, ""), content
        assert said in err
        assert err.count("\n") == 1
    code, _, err = run("show", str(games), "--game", "9")
    assert code == 2
    assert "1 to 4" in err


def test_a_seat_record_that_does_not_fit_its_rules_is_refused(run, tmp_path):
    table = kibitz.play_out(kibitz.rules("blob", players=3, cards=1), ["rule"] * 3, seed=1)
    good = json.loads(table.seat_record(0).to_json())
    file = tmp_path / "seat.jsonl"
    for change, said in [
        ({"seat": 9}, "seat must be 0 to 2"),
        ({"rules_hash": "0"}, "hash"),
        ({"players": ["rule"]}, "3 players"),
        ({"events": ["7 plays 2C"]}, "does not fit"),
        ({"events": ["scores 1 2"]}, "does not fit"),
        ({"events": ["over 1 2 played"]}, "does not fit"),
        ({"events": ["round 1 cards 1 dealer 5 trump none"]}, "does not fit"),
        ({"rules": {**good["rules"], "name": 3}}, "no option 'name'"),
        ({"rules": {**good["rules"], "self": 3}}, "no option 'self'"),
    ]:
        file.write_text(json.dumps({**good, **change}))
        code, out, err = run("show", str(file))
        assert (code, out) == (2, ""), change
        assert said in err


def test_a_disk_that_is_full_is_told_in_one_line(run):
    code, _, err = run("simulate", "uno", "--games", "2", "--save", "/dev/full")
    assert code == 2
    assert err == "kibitz: cannot write /dev/full: no space left on device\n"


def test_blob_fits_a_terminal_of_eighty_columns(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = run("watch", "blob-game", "--rules", "players=4,start=3", "--seed", "2")
    assert "…" not in out
    assert re.search(r"^ *1 +rule .* bids \d +.*[♣♦♥♠]", out, re.MULTILINE)


def test_a_terminal_without_suits_gets_a_question_mark():
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    arguments = ["watch", "blob", "--seed", "1"]
    done = subprocess.run(
        [*KIBITZ, *arguments], env=env, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "?" in done.stdout


def test_the_package_runs_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "kibitz", "--version"], capture_output=True, text=True, timeout=300
    )
    assert done.stdout == f"kibitz {kibitz.__version__}\n"


def test_a_torn_last_line_is_told_and_the_rest_is_shown(run, games):
    whole = games.read_text()
    games.write_text(whole + whole[:200])
    code, out, err = run("show", str(games))
    assert (code, err) == (0, "")  # no more is read than is shown
    assert "wins" in out
    code, out, err = run("show", str(games), "--game", "5")
    assert (code, out) == (2, "")
    assert "line 5" in err
    assert "torn" in err
    assert "--game must be 1 to 4" in err


def test_a_bug_is_not_hidden_as_a_mistake(run, monkeypatch):
    monkeypatch.setattr(kibitz.api, "rules", lambda *a, **k: [][1])
    with pytest.raises(IndexError):
        run("rules", "uno")


# --- processes -----------------------------------------------------------------------------------


def test_help_does_not_import_numba():
    code = (
        "import sys\nsys.argv = ['kibitz', '--help']\nfrom kibitz.cli.app import _run\n_run()\n"
        "assert 'numba' not in sys.modules and 'numpy' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "simulate" in done.stdout


def test_rules_need_no_numba():
    code = "import sys, kibitz; kibitz.rules('uno'); assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)


def test_interrupt_before_the_first_game_says_so(run, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(kibitz.api, "simulate", interrupted)
    code, out, err = run("simulate", "uno")
    assert (code, out) == (130, "")
    assert err == "kibitz: stopped\n"


def test_interrupt_prints_what_there_is(tmp_path):
    file = tmp_path / "games.jsonl"
    arguments = ["simulate", "uno", "--games", "1000000", "--json", "--save", str(file)]
    process = subprocess.Popen(
        [*KIBITZ, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while process.poll() is None and not (file.exists() and file.read_text().count("\n") > 10):
        time.sleep(0.1)  # until games are being played
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    result = json.loads(out)
    assert process.returncode == 0
    assert result["stopped"]
    assert 0 < result["games"] < 1_000_000
    assert "stopped after" in err
    assert "Traceback" not in err
    assert len(kibitz.read_records(file)) >= result["games"]
