"""The engine on real standard streams: the transcripts of the document, and clients in error."""

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
from collections import defaultdict
from pathlib import Path

import pytest

import kibitz
from kibitz.protocol import engine, messages

DOCUMENT = Path(__file__).parent.parent / "docs" / "engine.md"
TRANSCRIPTS = [
    block
    for block in re.findall(r"^```text\n(.*?)^```", DOCUMENT.read_text(), re.DOTALL | re.MULTILINE)
    if block.startswith(">")
]
ENGINE = [sys.executable, "-c", "from kibitz.cli import main; main()", "engine"]


def talk(lines, timeout=300):
    """What a real engine answers to these lines."""
    said = "".join(line + "\n" for line in lines)
    done = subprocess.run(ENGINE, input=said, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout.splitlines()


def by_id(lines):
    found = defaultdict(list)
    for line in lines:
        found[json.loads(re.sub("…", "", line[:60].partition(",")[0] + "}"))["id"]].append(line)
    return found


def test_there_are_transcripts():
    assert len(TRANSCRIPTS) == 3


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=range(len(TRANSCRIPTS)))
def test_the_transcript_is_what_happens(transcript):
    lines = transcript.splitlines()
    assert all(line.startswith(("> ", "< ")) for line in lines)
    answers = by_id(talk([line[2:] for line in lines if line[0] == ">"]))
    expected = by_id([line[2:] for line in lines if line[0] == "<"])
    assert set(answers) == set(expected)
    for id, patterns in expected.items():
        assert len(answers[id]) == len(patterns)
        for pattern, answer in zip(patterns, answers[id], strict=True):
            assert re.fullmatch(".*".join(map(re.escape, pattern.split("…"))), answer), answer


def test_every_request_of_the_schema_is_in_the_document():
    table = DOCUMENT.read_text().partition("## What can be asked")[2]
    named = set(re.findall(r"`([a-z-]+)`", table))
    assert named >= messages.VERBS


def test_the_schema_is_one_that_programs_can_read():
    found = messages.schema()
    names = found["$defs"]
    for reference in re.findall(r'"#/\$defs/(\w+)"', json.dumps(found)):
        assert reference in names
    assert names["Play"]["properties"]["move"]["maxLength"] == 400
    assert "is" in names["TableFrame"]["properties"]


NEW = {"id": "n", "do": "new", "game": "uno", "events": [
    "deal 0 R5 R9 Y2 Y7 G3 GS W", "deal 1 7", "top R3"]}  # fmt: skip


def test_an_analysis_can_be_watched_and_cancelled():
    """With a budget of an hour: it ends because it is told to."""
    with subprocess.Popen(ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as it:

        def say(**request):
            print(json.dumps(request), file=it.stdin, flush=True)

        say(**NEW)
        say(id="a", do="analyse", game_id="g1", ms=3_600_000, every_ms=20)
        parts = []
        while len(parts) < 3:
            found = json.loads(it.stdout.readline())
            parts += [found] if found["id"] == "a" else []
        assert not any(part["final"] for part in parts)
        searched = [part["simulations"] for part in parts]
        assert searched == sorted(set(searched))
        say(id="v", do="version")  # answered while the analysis goes on
        say(id="c", do="cancel", what="a")
        rest = [json.loads(it.stdout.readline())]
        while not rest[-1].get("final"):
            rest.append(json.loads(it.stdout.readline()))
        ids = [found["id"] for found in rest]
        assert "v" in ids[:-1]
        assert "c" in ids[:-1]
        assert rest[-1]["cancelled"]
        assert rest[-1]["moves"]
        it.stdin.close()
        assert it.wait(60) == 0


def test_many_questions_wait_for_their_turn():
    asked = [{"id": str(k), "do": "analyse", "game_id": "g1", "sims": 50} for k in range(20)]
    answers = [json.loads(line) for line in talk([json.dumps(each) for each in (NEW, *asked)])]
    assert [answer["is"] for answer in answers[1:]] == ["analysis"] * 20


def test_it_ends_when_nobody_reads_any_more():
    with subprocess.Popen(
        ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as it:
        it.stdout.close()
        for _ in range(2):
            print('{"id": "1", "do": "version"}', file=it.stdin, flush=True)
        assert it.wait(60) == 0  # though its input is still open
        assert it.stderr.read() == ""


def test_it_ends_when_nobody_reads_any_more_though_it_searches():
    """For an hour, and without a word until then."""
    with subprocess.Popen(
        ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as it:
        for request in (
            NEW,
            {"id": "a", "do": "analyse", "game_id": "g1", "ms": 3_600_000, "every_ms": 20},
            {"id": "b", "do": "analyse", "game_id": "g1", "ms": 3_600_000},
            {"id": "c", "do": "cancel", "what": "a"},
        ):
            print(json.dumps(request), file=it.stdin, flush=True)
        while not (found := json.loads(it.stdout.readline())).get("final"):
            pass  # that search ended, so all is compiled and the other is under way
        assert found["id"] == "a"
        it.stdout.close()
        try:
            assert it.wait(30) == 0  # though its input is still open
        finally:
            it.kill()
        assert it.stderr.read() == ""


def test_it_ends_when_nobody_reads_any_more_though_a_thread_cannot_be_stopped(monkeypatch):
    """Such as one that compiles."""
    busy, over = threading.Event(), threading.Event()

    def closed_in_time(*_):
        over.set()

    async def receive_nothing(session, lines, room):
        def job():
            busy.set()
            assert over.wait(60), "nobody left"

        session.go_on(session.work.once(session, job))
        await asyncio.Event().wait()

    monkeypatch.setattr(engine, "_answer", receive_nothing)
    monkeypatch.setattr(engine, "GRACE", 0.01)
    (reading, writing), (source, feeding) = os.pipe(), os.pipe()

    def close():
        busy.wait(60)
        os.close(reading)

    threading.Thread(target=close).start()
    with open(source, "rb") as lines, open(writing, "w") as out:
        try:
            with pytest.raises(BrokenPipeError):
                engine.serve(lines, out, leave=closed_in_time)
        finally:
            os.close(feeding)  # until then a thread reads, and keeps the file from being closed
    assert over.is_set()


def test_a_line_too_long_is_answered_once_and_its_rest_thrown_away():
    """Whatever stands in it, and wherever it is cut."""
    lines, expected = [], []
    for number, parts in enumerate((0.6, 1.0, 1.5, 2.0, 3.5)):
        size = int(parts * engine.LONGEST)
        request = json.dumps({"id": str(number), "do": "version"})
        lines += [("x" * min(size, engine.LONGEST) + request + " " * size)[:size], request]
        expected += [(None, "error"), (str(number), "version")]
    answers = [json.loads(line) for line in talk(lines)]
    assert [(answer["id"], answer["is"]) for answer in answers] == expected
    assert "a message may have 4,194,304 characters at most" in answers[0]["message"]


def test_the_same_question_has_the_same_answer():
    lines = [json.dumps(NEW)] + [
        json.dumps({"id": str(k), "do": "analyse", "game_id": "g1", "sims": 500, "seed": 3})
        for k in range(2)
    ]
    answers = [json.loads(line) for line in talk(lines)][1:]
    for answer in answers:
        del answer["id"]
    assert answers[0] == answers[1]


def test_the_command_prints_the_schema(run):
    code, out, _ = run("engine", "--schema")
    assert code == 0
    assert json.loads(out) == json.loads(json.dumps(messages.schema()))


def test_version_is_ours():
    (line,) = talk(['{"id": "1", "do": "version"}'])
    assert json.loads(line)["kibitz"] == kibitz.__version__
