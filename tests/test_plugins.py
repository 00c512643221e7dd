"""Games of other packages: Kuhn poker of examples/, installed as pip would, and broken ones."""

import json
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kibitz
from helpers import clean_environment
from kibitz import games
from kibitz.arena.conformance import NotConformant
from kibitz.protocol import session

KUHN = Path(__file__).parent.parent / "examples" / "kuhn" / "kuhn.py"
POINT = {"kuhn": "kuhn:KuhnRules"}
RULES = """
from typing import ClassVar
from kibitz.games.base import Rules

class Good(Rules):
    \"\"\"A game that was installed.\"\"\"
    game: ClassVar[str] = "good"
    title: ClassVar[str] = "Good"
    plays: ClassVar[str] = "good:GAME"
"""


def install(folder, package, points, **sources):
    """What pip leaves of a package with these entry points and modules."""
    facts = folder / f"{package}-1.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
    lines = [f"{name} = {value}" for name, value in points.items()]
    (facts / "entry_points.txt").write_text("\n".join(["[kibitz.games]", *lines, ""]))
    for name, text in sources.items():
        (folder / f"{name}.py").write_text(text)


def python(folder, *arguments, told="", **environment):
    """Another process, with the packages of a folder."""
    path = [str(folder), str(Path(kibitz.__file__).parent.parent)]
    done = subprocess.run(
        [sys.executable, *arguments],
        env=clean_environment(PYTHONPATH=":".join(path), **environment),
        input=told,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


# --- how they are found --------------------------------------------------------------------------


def test_a_game_of_another_package_is_there(tmp_path):
    install(tmp_path, "goods", {"good": "good:Good"}, good=RULES)
    done = python(tmp_path, "-m", "kibitz", "rules")
    assert "A game that was installed." in done.stdout
    assert done.stderr == ""


def test_broken_ones_are_named_and_left_out(tmp_path):
    broken = {"typo": "typo:Typo", "uno": "good:Good", "text": "good:__name__", "gone": "gone:Gone"}
    install(tmp_path, "goods", {"good": "good:Good", **broken}, good=RULES, typo="oops")
    done = python(tmp_path, "-m", "kibitz", "rules")
    assert done.returncode == 0
    assert "A game that was installed." in done.stdout
    assert "typo" not in done.stdout
    said = {line.split("'")[1]: line for line in done.stderr.splitlines()}
    assert set(said) == set(broken)
    assert "name 'oops' is not defined" in said["typo"]
    assert "its rules are of 'good'" in said["uno"]
    assert "no class of Rules" in said["text"]
    assert "No module named 'gone'" in said["gone"]


# --- machine code --------------------------------------------------------------------------------

PROGRAM = """
import kibitz
from kibitz._jit import watch_compilation

compiled = []
with watch_compilation(lambda function: compiled.append(function.__name__)):
    found = kibitz.simulate(kibitz.rules("kuhn"), ["random"], 50, seed=1)
print(found.players[0].mean_score, "play_games" in compiled)
"""


def test_a_change_of_its_source_changes_the_result(tmp_path):
    """A kernel of Kibitz, compiled for the game, does not outlive the source of the game."""
    text, cache = KUHN.read_text(), {"KIBITZ_CACHE_DIR": str(tmp_path / "cache")}
    install(tmp_path, "kuhn", POINT, kuhn=text)

    def score():
        mean, compiled = python(tmp_path, "-c", PROGRAM, **cache).stdout.split()
        return float(mean), compiled == "True"

    first, compiled = score()
    assert compiled
    assert score() == (first, False)
    doubled = "out[0] = 2.0 * gain if state.turn < 0"
    assert text.count("out[0] = gain if state.turn < 0") == 1
    (tmp_path / "kuhn.py").write_text(text.replace("out[0] = gain if state.turn < 0", doubled))
    assert score() == (2 * first, True)


def test_code_that_is_not_what_plain_python_computes_is_caught(tmp_path):
    text = KUHN.read_text().replace("import inline_kernel", "import PURE, inline_kernel")
    estimate = "out[0] = 1.0 if state.card[0] > state.card[1]"
    assert text.count(estimate) == 1
    fault = text.replace(estimate, "out[0] = 0.5 if PURE else 1.0 if state.card[0] > state.card[1]")
    install(tmp_path, "kuhn", POINT, kuhn=fault)
    program = "import kibitz; kibitz.check(kibitz.rules('kuhn'), 1, only=['plain'])"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=clean_environment(PYTHONPATH=f"{tmp_path}:{Path(kibitz.__file__).parent.parent}"),
        capture_output=True,
        text=True,
        check=False,
    )
    said = "NotConformant: kuhn: plain: compiled code and plain Python differ (seed 0)"
    assert said in done.stderr.splitlines()[-1]


# --- Kuhn poker ----------------------------------------------------------------------------------


@pytest.fixture
def kuhn(tmp_path, monkeypatch):
    """Kuhn poker is installed, in this process."""
    install(tmp_path / "site", "kuhn", POINT)
    shutil.copy(KUHN, tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.chdir(tmp_path)
    for cached in (games._installed, session._there):
        cached.cache_clear()
    yield kibitz.rules("kuhn")
    sys.modules.pop("kuhn", None)
    for cached in (games._installed, session._there):
        cached.cache_clear()


def position(rules, cards, *moves):
    """A table after these moves."""
    table = kibitz.Table.from_deal(rules, hands=list(cards))
    for move in moves:
        table.play(move)
    return table


def test_it_is_one_small_file_that_keeps_every_promise(kuhn):
    assert len(KUHN.read_text().splitlines()) <= 200
    kibitz.check(kuhn, 4)


def test_a_broken_promise_is_told(kuhn, monkeypatch):
    game = kibitz.game_of(kuhn)
    monkeypatch.setattr(type(game), "follow", lambda *_: game.new_state())
    with pytest.raises(NotConformant, match="kuhn: notation: following the events"):
        kibitz.check(kuhn)


def test_nothing_in_kibitz_knows_its_name():
    for path in Path(kibitz.__file__).parent.rglob("*.py"):
        assert "kuhn" not in path.read_text(encoding="utf-8").lower(), path


def test_its_belief_is_exact(kuhn):
    """Who holds a queen and sees a pass: a jack passes more often than a king."""
    found = kibitz.belief(position(kuhn, "JQ", "pass").view(1), model="rule:temperature=1")
    jack, king = 1 / (1 + math.exp(-2)), 1 / (1 + math.exp(2))
    assert found.method == "exact"
    assert found.probability("J", 0) == pytest.approx(jack / (jack + king))
    assert found.probability("K", 0) == pytest.approx(king / (jack + king))
    assert found.probability("Q", 0) == 0


def test_after_cards_are_shown_all_is_known(kuhn):
    found = kibitz.belief(position(kuhn, "JQ", "pass", "pass").view(1))
    assert found.probability("J", 0) == 1
    assert found.entropy() == 0


@pytest.mark.parametrize("search", ["worlds:worlds=8,sims=60", "ismcts:sims=400", "pomcp:sims=400"])
@pytest.mark.parametrize(("cards", "best"), [("QJ", "pass"), ("JK", "bet")])
def test_searches_answer_a_bet(kuhn, search, cards, best):
    view = position(kuhn, cards, "bet").view(1)
    found = kibitz.agent(search, "kuhn").decide(view, kibitz.api.generator(1))
    assert view.text(found.action) == best


def test_its_matches_are_by_chips(kuhn):
    found = kibitz.simulate(kuhn, ["rule", "random"], 400, seed=1)
    assert found.players[0].mean_score > 0
    assert found.players[0].mean_score == -found.players[1].mean_score


COMMANDS = {
    "rules kuhn": "chips in a bet",
    "watch kuhn --seed 3 --save games.jsonl": r"rule \(0\) plays bet",
    "show games.jsonl --seat 1": r"rule \(0\) is dealt 1 card\n",
    "belief games.jsonl --seat 1": r"K +\d+ +\d+",
    "advise kuhn --record games.jsonl --seat 1 --agent ismcts:sims=200": r"chips ± 0\.\d\d",
    "review games.jsonl --plays 20": "Luck and skill, in chips",
    "simulate kuhn --games 20": "points a game",
    "match kuhn rule random --games 8 --results r.sqlite --jobs 1": "points .* a game",
    "ladder kuhn rule random --games 8 --results r.sqlite --jobs 1": "Elo above",
    "calibrate kuhn --games 4": "full - uniform",
}


def test_every_command_plays_it(kuhn, run):
    for command, said in COMMANDS.items():
        code, out, errors = run(*command.split())
        assert (code, errors) == (0, ""), command
        assert re.search(said, out), f"{command}: {out}"


def test_a_position_is_told_by_its_events(kuhn, run):
    events = "deal seat=0 number=1; deal seat=1 number=1 cards=J; play seat=0 action=bet"
    code, out, _ = run("advise", "kuhn", "--seat", 1, "--events", events, "--json")
    assert code == 0
    assert json.loads(out)["best"] == "pass"
    code, _, errors = run("advise", "kuhn", "--seat", 1, "--events", "play seat=7")
    assert code == 2
    assert "cannot be now" in errors


def test_a_game_is_told_move_by_move(kuhn):
    """In a word where all follows from it; what the cards show is told as it is written."""
    begun = kibitz.Telling(
        kuhn, 0, {"events": "deal seat=0 number=1 cards=K; deal seat=1 number=1"}
    )
    assert begun.tell("bet").tell("pass").view.over
    with pytest.raises(kibitz.KibitzError, match=r"to be told, too, such as '.*show cards=K/"):
        begun.tell("bet").tell("bet")
    told = begun.tell("bet").tell("play seat=1 action=bet; show cards=K/J")
    assert told.view.over
    assert kibitz.belief(told.view).probability("J", 1) == 1
    with pytest.raises(kibitz.KibitzError, match="cannot be now"):
        begun.tell("fold")


def test_people_and_programs_play_it(tmp_path):
    install(tmp_path, "kuhn", POINT, kuhn=KUHN.read_text())
    answers = "n\nmine\n?\nh\nb\nr\nbet\npass\nq\n"
    options = ["--terminal", "--level", "casual", "--seat", "0", "--data", str(tmp_path / "data")]
    out = python(tmp_path, "-m", "kibitz", "play", "kuhn", *options, told=answers).stdout
    for said in ("pass, bet", "games in its head", "hidden cards", "The deal was fair"):
        assert said in out
    lines = [
        {"id": "1", "do": "new", "game": "kuhn", "seat": 1}
        | {"events": ["deal seat=0 number=1", "deal seat=1 number=1 cards=J"]},
        {"id": "2", "do": "event", "game_id": "g1", "events": ["play seat=0 action=bet"]},
        {"id": "3", "do": "analyse", "game_id": "g1", "sims": 100},
    ]
    told = "".join(json.dumps(line) + "\n" for line in lines)
    answers = python(tmp_path, "-m", "kibitz", "engine", told=told).stdout.splitlines()
    assert json.loads(answers[-1])["best"] == "pass"
    assert np.isclose(json.loads(answers[-1])["moves"][0]["value"], -1)
