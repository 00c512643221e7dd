"""How programs end that keep games: soon, and with everything in the file."""

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing

import pytest

from helpers import clean_environment

MAIN = "from kibitz.cli import main; main()"
ENDLESS = f"""
import threading
from kibitz.web import serving
serving.make_ready = lambda: threading.Event().wait()  # as if kernels compiled for ever
{MAIN}
"""
PATIENCE = 120


class Program:
    """A program with a folder of its own."""

    def __init__(self, folder, *arguments, code=MAIN):
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments, "--data", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=clean_environment(),
        )

    def until(self, text):
        """Read until it has said that."""
        said = ""
        late = threading.Timer(PATIENCE, self.process.kill)  # it might say nothing more at all
        late.start()
        while text not in said:
            read = self.process.stdout.read(1)
            assert read, f"it ended: {said}"
            said += read
        late.cancel()

    def end(self, how):
        self.process.send_signal(how)
        said, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, said

    def file(self, tmp_path):
        """What is in the file alone, as if it was copied without what lies beside it."""
        copied = shutil.copy(self.folder / "kibitz.sqlite", tmp_path / "copied.sqlite")
        return closing(sqlite3.connect(copied))


@pytest.fixture
def program(tmp_path):
    started = []

    def start(*arguments, **options):
        started.append(Program(tmp_path / "games", *arguments, **options))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.communicate()


@pytest.mark.parametrize(
    "how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda s: s.name
)
def test_the_server_ends_at_once_while_kernels_compile(program, tmp_path, how):
    server = program("play", "--no-browser", "--port", "0", code=ENDLESS)
    server.until("Kibitz is at")
    code, said = server.end(how)
    assert code == 0, said
    assert "Good-bye" in said
    with server.file(tmp_path) as kept:
        assert kept.execute("SELECT count(*) FROM games").fetchone() == (0,)


def test_a_file_that_another_has_open_is_whole_as_well(program, tmp_path):
    server = program("play", "--no-browser", "--port", "0", code=ENDLESS)
    server.until("Kibitz is at")
    other = sqlite3.connect(server.folder / "kibitz.sqlite")
    other.execute("SELECT count(*) FROM games").fetchone()
    assert server.end(signal.SIGTERM)[0] == 0
    with server.file(tmp_path) as kept:
        assert kept.execute("SELECT count(*) FROM games").fetchone() == (0,)
    other.close()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP], ids=lambda s: s.name)
def test_the_engine_puts_everything_into_its_file(program, tmp_path, how):
    engine = program("engine")
    engine.process.stdin.write('{"id": "1", "do": "hello"}\n')
    engine.process.stdin.flush()
    engine.until('"saved":[]')
    assert engine.end(how)[0] == 128 + how
    with engine.file(tmp_path) as kept:
        assert kept.execute("SELECT count(*) FROM visitors").fetchone() == (1,)


SEARCHING = f"""
import threading
from kibitz.agents.thinking import Thinking
Thinking.step = lambda self: print("searching", flush=True) or threading.Event().wait()
{MAIN}
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=lambda s: s.name)
def test_the_engine_ends_at_once_while_it_searches(program, tmp_path, how):
    engine = program("engine", code=SEARCHING)
    told = {"hand": "R5 R9 Y2 Y7 G3 GS W", "top": "R3"}
    for request in (
        {"do": "new", "game": "uno", "told": told},
        {"do": "analyse", "game_id": "g1"},
    ):
        engine.process.stdin.write(json.dumps({"id": request["do"], **request}) + "\n")
    engine.process.stdin.flush()
    engine.until("searching")
    assert engine.end(how)[0] == 128 + how
    with engine.file(tmp_path) as kept:
        assert kept.execute("SELECT count(*) FROM games").fetchone() == (0,)


def test_the_terminal_puts_everything_into_its_file(program, tmp_path):
    terminal = program("play", "--terminal")
    terminal.until("What shall it be")
    assert terminal.end(signal.SIGTERM)[0] == 128 + signal.SIGTERM
    with terminal.file(tmp_path) as kept:
        assert kept.execute("SELECT count(*) FROM games").fetchone() == (0,)
