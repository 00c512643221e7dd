"""Texts from elsewhere tell a terminal nothing: no colours, no titles, no lines written over."""

import io
import json
import logging
import re
import sys
import unicodedata

import pytest
from rich.table import Table as Grid
from rich.text import Text

import kibitz
from kibitz.cli.console import CleanFormatter, Screen, fail, warn

TURNING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Characters that turn the direction of writing round: a name can be made to read as another."""
OBEYED = {chr(n) for n in range(256) if unicodedata.category(chr(n)) == "Cc"} | set(TURNING)
NASTY = "Eve" + "".join(sorted(OBEYED)) + "\x1b]0;title\x07\x1b[2J\x1b[1;1H[bold][/nothing]"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def obeyed(text):
    """What a terminal would obey in it, besides lines and colours."""
    return sorted(OBEYED & set(COLOUR.sub("", text)) - set("\n\t"))


def test_there_is_something_to_find():
    assert len(OBEYED) == 65 + len(TURNING)
    assert obeyed(NASTY) == sorted(OBEYED - set("\n\t"))


@pytest.mark.parametrize("terminal", [True, False])
def test_a_screen_prints_colours_of_ours_and_no_characters_of_others(terminal):
    screen = Screen(
        file=io.StringIO(),
        force_terminal=terminal,
        width=200,
        color_system="standard" if terminal else None,
    )
    grid = Grid()
    grid.add_column(Text(NASTY))
    grid.add_row(Text(NASTY, "red"))
    screen.print(NASTY, markup=False)
    screen.print(grid)
    with screen.status(Text(NASTY)):
        pass
    found = screen.file.getvalue()
    found = re.sub(r"\x1b\[(\?25[lh]|1A|2K)|\r", "", found) if terminal else found  # the status's
    assert obeyed(found) == []
    assert found.count("Eve?") >= 3
    assert "naïve ♥ Zoë" in (screen.print("naïve ♥ Zoë"), screen.file.getvalue())[1]
    assert ("\x1b[31m" in found) == terminal


def test_what_is_wrong_is_one_line(capsys):
    warn(NASTY)
    fail(NASTY)
    found = capsys.readouterr().err
    assert obeyed(found) == []
    assert found.count("\n") == 2


def test_what_is_logged_is_clean():
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(CleanFormatter())
    record = logging.LogRecord("kibitz", logging.WARNING, "", 0, "said: %s", (NASTY,), None)
    handler.emit(record)
    assert obeyed(stream.getvalue()) == []
    assert stream.getvalue().startswith("said: Eve?")


# --- commands ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    """Two records with names that a terminal would obey, and lines that are none."""
    file = tmp_path_factory.mktemp("nasty") / "games.jsonl"
    table = kibitz.play_out(kibitz.rules("uno", max_plies=12), ["rule", "random"], seed=1)
    for record in (table.record(), table.seat_record(1)):
        kibitz.append_record(file, record.model_copy(update={"players": [NASTY, "Bob" + NASTY]}))
    good = json.loads(table.record().to_json())
    bad = [{**good, NASTY: 1}, {**good, "game": NASTY}, {**good, "rules": {NASTY: NASTY}}]
    bad += [{**good, "actions": [NASTY]}, {**good, "deal": {NASTY: [NASTY]}}]
    with file.open("a") as more:
        more.write(NASTY.replace("\n", "") + "\n")
        more.writelines(json.dumps(each) + "\n" for each in bad)
    return file


TELLING = ["advise", "uno", "--top", "R3", "--theirs", "5"]


@pytest.mark.parametrize(
    "words",
    [
        ["show", "FILE"],
        ["show", "FILE", "--json"],
        ["show", "FILE", "--game", "2"],
        *(["show", "FILE", "--game", str(number)] for number in range(3, 8)),
        ["review", "FILE", "--agent", "flat:sims=5", "--plays", "2"],
        ["belief", "FILE", "--seat", "0", "--particles", "20"],
        ["advise", "uno", "--record", "FILE", "--seat", "0", "--agent", "rule"],
        [*TELLING, "--hand", NASTY],
        [*TELLING, "--hand", "R5 G3 W", "--drew", NASTY],
        [*TELLING, "--hand", "R5 G3 W", "--agent", NASTY],
        ["rules", "uno", "--rules", f"skip={NASTY}"],
        ["rules", NASTY],
        [NASTY],
        ["show", NASTY.replace("\0", "")],
        ["agents", NASTY],
        ["watch", "uno", "--players", NASTY],
    ],
    ids=lambda words: " ".join(words).replace(NASTY, "nasty"),
)
def test_no_command_lets_them_through(run, games, words):
    code, out, err = run(*(word.replace("FILE", str(games)) for word in words))
    assert out or err
    assert code in (0, 2)
    assert obeyed(out.replace("\x7f", "") if "--json" in words else out) == []
    assert obeyed(err) == []


BOT = """
import json, sys
for line in sys.stdin:
    print({nasty!r}, file=sys.stderr, flush=True)
    asked = json.loads(line)
    found = {{"id": asked["id"], "ready": True, "move": {nasty!r}}}
    print(json.dumps(found), flush=True)
"""


def test_what_programs_say_is_no_command_either(run, tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(BOT.format(nasty=NASTY))
    name = f"exec:{sys.executable} {bot}"
    words = ["uno", name, "rule", "--games", 2, "--jobs", 1, "--results", tmp_path / "r.sqlite"]
    code, out, err = run("match", *words)
    assert code == 0
    assert "may not play" in err
    assert obeyed(out) == obeyed(err) == []


def test_a_told_game_is_answered_without_them(run, monkeypatch):
    """What a person pastes comes back in complaints."""
    lines = io.StringIO(f"{NASTY.splitlines()[0]}\nq\n")
    monkeypatch.setattr(sys, "stdin", lines)
    code, out, err = run("play", "uno", "--terminal", "--rules", "max_plies=9")
    assert code == 0
    assert obeyed(out) == obeyed(err) == []
