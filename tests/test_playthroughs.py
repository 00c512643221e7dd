"""Recorded games, replayed line by line; see `playthrough.py` for how to write them anew."""

import pytest

from playthrough import FOLDER, GAMES, render, replay

FILES = sorted(FOLDER.glob("*.txt"))


def test_every_playthrough_has_its_file_and_no_file_is_left_over():
    assert {path.stem for path in FILES} == set(GAMES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_playthrough_replays_to_the_letter(path):
    lines = path.read_text().splitlines()
    again = replay(lines)
    for number, (line, now) in enumerate(zip(lines, again, strict=False), 1):
        assert now == line, f"line {number}"
    assert len(again) == len(lines)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_playthrough_is_that_of_its_rules_and_seed(path):
    rules, seed = GAMES[path.stem]
    assert path.read_text().splitlines() == list(render(rules, seed, None))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_playthrough_is_short_and_whole(path):
    lines = path.read_text().splitlines()
    assert len(lines) < 150
    assert any(line.startswith("  over ") for line in lines)


def test_another_move_is_noticed():
    lines = FILES[0].read_text().splitlines()
    place = next(k for k, line in enumerate(lines) if line.startswith("ply ") and " 0 1" in line)
    lines[place + 1] = "move 1" if lines[place + 1] == "move 0" else "move 0"
    assert replay(lines) != FILES[0].read_text().splitlines()
