"""The server under load, under nonsense, and killed: short runs of what is in benchmarks/."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
import fuzz
import kill
import load


def frame(events, number=1, undone=0, **more):
    same = dict.fromkeys(kill.SAME, "same")
    rest = {"outcome": None, "reveal": None, "number": number, "undone": undone, "grades": []}
    return {**same, **rest, "view": {"events": events}, **more}


def test_the_kill_test_notices_losses():
    before = frame(["a", "b"], number=2)
    assert kill.lost(before, frame(["a", "b"], number=2), False) is None
    assert kill.lost(before, frame(["a", "b", "c"], number=3), False) is None
    assert kill.lost(before, frame(["a"], number=3, undone=1), True) is None
    assert kill.lost(before, frame(["a"], number=1), False)
    graded = {**before, "grades": [{"ply": 0}]}
    assert kill.lost(graded, graded, False) is None
    assert kill.lost(graded, before, False)
    assert kill.lost(before, frame(["a", "c"], number=2), False)
    assert kill.lost(before, frame(["a"], number=3, undone=1), False)
    assert kill.lost(before, frame(["a", "b"], number=2, commitment="other"), False)


def passed(capsys, main, *arguments):
    code = main([*arguments, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert code == 0, found
    return found


def test_nothing_is_lost_when_it_is_killed(capsys):
    found = passed(capsys, kill.main, "--kills", "3", "--clients", "6", "--longest", "0.5")
    assert found["losses"] == 0
    assert found["returns"] == 18


def test_nonsense_is_answered(capsys):
    found = passed(capsys, fuzz.main, "--messages", "2000")
    assert found["messages"] >= 2000


def test_twenty_tables_at_a_time(capsys):
    arguments = ("--tables", "20", "--seconds", "3", "--think", "0.1", "--analysing", "1")
    found = passed(capsys, load.main, *arguments)
    assert found["errors"] == 0
