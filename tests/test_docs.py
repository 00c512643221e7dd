"""Every code block of the documents runs: Python as it stands, shell through our command line.

Blocks in `text` are grammar and listings. The two commands at the top of the README are those of
the launcher, which `test_launcher.py` runs; here we check that they are exactly the two.
"""

import doctest
import inspect
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

import kibitz
from kibitz import api

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
KIBITZ = [sys.executable, "-c", "from kibitz.cli import main; main()"]


def blocks(language):
    return [
        pytest.param(found[2], id=f"{path.name}-{number}")
        for path in DOCUMENTS
        for number, found in enumerate(BLOCK.finditer(path.read_text()), 1)
        if found[1] == language
    ]


def run(command, cwd):
    env = {**os.environ, "COLUMNS": "100", "KIBITZ_DATA_DIR": str(cwd / "data")}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.mark.parametrize("code", blocks("python"))
def test_python_block_runs(code, tmp_path):
    run([sys.executable, "-c", code], tmp_path)


@pytest.mark.parametrize("code", blocks("sh"))
def test_shell_block_runs(code, tmp_path):
    lines = [line for line in code.splitlines() if line.strip()]
    if lines == ["./kibitz play", "./kibitz test"]:
        return  # a server, which the test below starts, and what is running now
    for line in lines:
        program, *arguments = shlex.split(line, comments=True)
        assert program in ("kibitz", "./kibitz")
        assert run([*KIBITZ, *arguments], tmp_path).strip()


def test_what_is_public_says_what_it_is_and_its_examples_hold():
    public = {name: getattr(kibitz, name) for name in dir(kibitz) if not name.startswith("_")}
    assert set(public) & {"Table", "nearest"} == {"Table"}
    for name, found in public.items():
        if inspect.isclass(found) or inspect.isfunction(found):
            text = found.__doc__ or ""
            assert len(text) > 10, name
            assert not text.startswith(f"{name}("), f"{name} has only what a dataclass says"
            examples = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
            assert doctest.DocTestRunner().run(examples).failed == 0


def test_a_name_that_is_not_public_is_still_found_for_now():
    with pytest.warns(DeprecationWarning, match="nearest is not public"):
        assert kibitz.nearest is api.nearest
    with pytest.raises(AttributeError, match="'kibitz' has no attribute 'near'"):
        kibitz.near  # noqa: B018
    assert {"nearest", "Table"} <= set(dir(api))


def test_the_first_command_serves_the_page(tmp_path):
    command = [*KIBITZ, "play", "--no-browser", "--port", "0", "--data", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            url = re.search(r"http://\S+", server.stdout.readline())[0]
            with urlopen(url, timeout=60) as page:
                assert b"Kibitz" in page.read()
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(60) == 0
        assert "Good-bye" in server.stdout.read()


def test_readme_begins_with_exactly_two_commands():
    first = blocks("sh")[0].values[0]
    assert first == "./kibitz play\n./kibitz test\n"


def test_every_language_is_known():
    languages = {m[1] for path in DOCUMENTS for m in BLOCK.finditer(path.read_text())}
    assert languages <= {"python", "sh", "text", "nginx"}


def test_links_and_pictures_are_there():
    for path in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#]+)\)", path.read_text()):
            assert (path.parent / target).exists(), f"{path.name}: {target}"
