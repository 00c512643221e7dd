"""What was saved by the code before its house was put in order is read by the code of now: records,
results of matches, tables with people, and messages of the engine."""

import io
import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import kibitz
from kibitz.protocol import engine

BEFORE = Path(__file__).parent / "data" / "before"


def lines(name):
    return (BEFORE / name).read_text().splitlines()


def test_records_are_read_and_written_as_they_were():
    """Of three games: the whole, and what one seat saw."""
    records = kibitz.read_records(BEFORE / "records.jsonl")
    assert [record.to_json() for record in records] == lines("records.jsonl")
    assert len(records) == 6
    for record in records[::2]:
        table = kibitz.Table.replay(record)
        assert table.over
        assert table.record().to_json() == record.to_json()


def test_a_file_of_results_is_read_and_goes_on(tmp_path):
    """Games of other code are kept apart, and played again: they come out as they did."""
    shutil.copy(BEFORE / "arena.sqlite", file := tmp_path / "arena.sqlite")
    words = f"match uno rule random --games 20 --seed 4 --json --results {file}"
    program = [sys.executable, "-c", "from kibitz.cli import main; main()", *words.split()]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    found, told = json.loads(done.stdout), json.loads(lines("match.json")[0])
    for name in ("rules", "players", "seed", "deals", "mean", "ci95", "elo", "seats", "known"):
        assert found[name] == told[name], name
    with closing(sqlite3.connect(file)) as results:
        games = results.execute("SELECT match, deal, shift, content FROM games ORDER BY 1, 2, 3")
        both = [played(game) for game in games]
    assert len(both) == 40
    assert both[:20] == both[20:]


def played(row):
    content = json.loads(row[3])
    return (*row[1:3], *(content[name] for name in ("returns", "plies", "ending", "luck")))


def test_tables_with_people_go_on(tmp_path):
    shutil.copy(BEFORE / "kibitz.sqlite", tmp_path / "kibitz.sqlite")
    with closing(sqlite3.connect(BEFORE / "kibitz.sqlite")) as file:
        saved = [json.loads(row) for (row,) in file.execute("SELECT content FROM games")]
    house = kibitz.House(kibitz.Storage(tmp_path))
    assert len(saved) == 2
    for old in saved:
        sitting = house.find(old["id"], old["token"])
        assert sitting.to_dict() == old
        while not sitting.over:
            choice = sitting.choice()
            if choice is None:
                sitting.play(sitting.view.legal[0])
            else:
                player, view, generator = choice
                sitting.answer(player.decide(view, generator).action)


def test_the_engine_answers_what_it_answered():
    out = io.StringIO()
    engine.serve(io.BytesIO((BEFORE / "requests.jsonl").read_bytes()), out)
    assert out.getvalue().splitlines() == lines("answers.jsonl")
