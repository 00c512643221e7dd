"""The report of a review: one file that needs nothing else, whatever the players are called."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from importlib.resources import files

import pytest

report = pytest.importorskip("kibitz.web.report", reason="needs the web extra")

NASTY = "</script><script>alert(1)</script><!-- & \u2028 ' \" {0} {x}"


def review(name="Ann"):
    move = {
        "ply": 0,
        "seat": 0,
        "move": "R5",
        "events": ["0 plays R5"],
        "hands": [["R5", "W"], ["G1", "B7"]],
        "truth": {"value": [60.0, 40.0], "error": [1.0, 1.0]},
        "seen": {"value": 55.0, "error": 1.5},
        "grade": {"name": "best", "loss": 0.0, "error": 0.0, "best": "R5"},
        "best": "R5",
        "moves": [{"move": "R5", "value": 55.0, "error": 1.5, "text": "55 %"}],
    }
    return {
        "format": 1,
        "game": "uno",
        "rules": {},
        "players": ["You", name],
        "seat": 0,
        "units": "win %",
        "low": 0.0,
        "high": 100.0,
        "result": {"returns": [1.0, -1.0], "ending": "emptied", "plies": 1},
        "start": {"hands": [["R5", "W"], ["G1", "B7"]], "top": "R3"},
        "moves": [move],
        "end": {"value": [100.0, 0.0], "error": [0.0, 0.0]},
        "worst": [],
        "split": [],
    }


class Parts(HTMLParser):
    """The elements of a page, and what stands in its scripts."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.scripts, self._inside = [], [], False
        self.title = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self._inside = None

    def handle_data(self, data):
        if self._inside == "script":
            self.scripts[-1] += data
        if self._inside == "title":
            self.title += data


def test_nothing_is_fetched_from_anywhere():
    text = report.report_html(review())
    addresses = set(re.findall(r"(?:https?:|wss?:)?//[a-z0-9.-]+\.[a-z]+[^\s\"'`]*", text))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    for tag, attributes in Parts(text).tags:
        assert "src" not in attributes, tag
        assert attributes.get("href", "data:").startswith("data:"), tag
    assert "@import" not in text
    assert "url(" not in text


@pytest.mark.parametrize("name", [NASTY, "<b>Ann</b>", "Zoë ♥", ""])
def test_a_name_is_only_a_name(name):
    found = Parts(report.report_html(review(name)))
    data, script = found.scripts  # no third has come in by the name
    assert json.loads(data) == review(name)
    assert script == Parts(report.report_html(review())).scripts[1]
    assert name in found.title


def test_a_review_without_players_has_a_report():
    found = Parts(report.report_html(review() | {"players": None}))
    assert found.title == "Review"


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node, which reads the script")
def test_the_script_is_one_that_a_browser_can_read(tmp_path):
    script = Parts(report.report_html(review())).scripts[1]
    path = tmp_path / "script.cjs"
    path.write_text(script, encoding="utf-8")
    done = subprocess.run(["node", "--check", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert 'modules["review.js"].renderReview(' in script


@pytest.mark.parametrize("entry", [report.ENTRY, "main.js", "real.js"])
def test_every_name_that_a_module_takes_is_one_that_another_gives(entry):
    order = []
    report._collect(entry, order)
    given = {}
    for name in order:
        text = report._wrapped(name)
        given[name] = set(re.findall(r"\w+", text.rpartition("return {")[2].split("}")[0]))
        for taken, module in re.findall(r"const \{([^}]*)\} = modules\[\"([^\"]+)\"\]", text):
            names = {part.split(":")[0].strip() for part in taken.split(",") if part.strip()}
            assert names <= given[module], (name, module)
    assert order[-1] == entry


def test_only_the_folders_of_the_games_name_one():
    for module in (files("kibitz.web") / "static").iterdir():
        if module.name.endswith((".js", ".html")):
            found = re.search("uno|blob", module.read_text(encoding="utf-8"), re.IGNORECASE)
            assert not found, (module.name, found[0])


def test_written_to_a_file(tmp_path):
    path = tmp_path / "report.html"
    report.write_report(review("Zoë ♥"), path)
    assert path.read_text(encoding="utf-8") == report.report_html(review("Zoë ♥"))
