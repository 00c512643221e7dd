"""Foreign seats: programs that play over their standard streams, and all that they can do wrong."""

import gc
import json
import os
import re
import shlex
import subprocess
import sys
import threading
import time
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest

import kibitz
from helpers import PURE, fewer, play_on
from kibitz import rng
from kibitz.agents import split_agents
from kibitz.arena import program
from kibitz.arena.conformance import elsewhere
from kibitz.arena.foreign import Foreign
from kibitz.arena.players import Fault, player, seated
from kibitz.games.base import KibitzError
from kibitz.protocol.session import _there

UNO = kibitz.rules("uno")
BLOB = kibitz.rules("blob", players=3, cards=3)
EXTEND = Path(__file__).parent.parent / "docs" / "extend.md"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc, or limits memory")

BEGINNING = """
import json, os, signal, subprocess, sys, time

def ask():
    asked.update(json.loads(sys.stdin.readline() or "{}"))
    return asked

def say(text=None, **answer):
    print(json.dumps(answer) if text is None else text, flush=True)

def arena():
    parent = os.getppid()  # a keeper, where there are any
    if sys.platform == "linux":
        parent = int(open(f"/proc/{parent}/stat").read().rpartition(")")[2].split()[1])
    return parent

def play():
    for line in sys.stdin:
        open(__file__ + ".log", "a").write(line)
        asked.update(json.loads(line))
        if asked["do"] == "begin":
            say(id=asked["id"], ready=True)
        if asked["do"] == "decide":
            say(id=asked["id"], move=asked["view"]["legal"][0])

asked = {}
open(__file__ + ".pid", "a").write(f"{os.getpid()}\\n")
"""
READY = "say(id=ask()['id'], ready=True); ask()\n"


@pytest.fixture
def bot(tmp_path):
    """A script as a player's name."""

    def write(code, options="", name="bot.py"):
        (tmp_path / name).write_text(BEGINNING + code)
        return f"exec:{shlex.join([sys.executable, '-I', str(tmp_path / name)])}{options}"

    write.path = tmp_path / "bot.py"
    return write


@pytest.fixture
def example(tmp_path):
    """The example of the documents."""
    blocks = re.findall(r"^```python\n(.*?)^```", EXTEND.read_text(), re.DOTALL | re.MULTILINE)
    (code,) = (block for block in blocks if "sys.stdin" in block)
    (tmp_path / "example.py").write_text(code)
    return f"exec:{shlex.join([sys.executable, str(tmp_path / 'example.py')])}"


def first(name, rules=UNO):
    """The first decision of a player of that name."""
    there = player(name, rules.game)
    try:
        return there.decide(kibitz.Table(rules, seed=1).view(0), rng.generator(1))
    finally:
        there.close()


def started(path):
    """The processes that were started from a script, or by it."""
    with suppress(FileNotFoundError):  # it did not come so far
        return [int(line) for line in Path(f"{path}.pid").read_text().split()]
    return []


def heard(path):
    """All that a script which plays has been sent since this was last asked."""
    log = Path(f"{path}.log")
    found = log.read_bytes()
    log.unlink()
    return found


def gone(pid):
    """Ended, and waited for by us; one that somebody else must wait for counts as gone."""
    for _ in range(3000):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        with suppress(FileNotFoundError):
            _, _, rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
            state, parent = rest.split()[:2]
            if state == "Z" and int(parent) != os.getpid():
                return True
        time.sleep(0.02)
    return False


# --- games ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rules", [UNO, BLOB, kibitz.rules("blob-game", players=3, schedule=(2, 1))], ids=str
)
def test_the_example_plays_whole_games(example, rules):
    names = [example, *["rule"] * (rules.seats - 1)]
    done = kibitz.simulate(rules, names, fewer(5), seed=3)
    assert done.games == fewer(5)
    assert done.players[0].agent == example


def test_the_same_seed_gives_the_same_games(example, tmp_path):
    def games(file, seed):
        names = [f"{example},ms=4000", "random"]
        kibitz.simulate(UNO, names, fewer(3), seed, save=tmp_path / file)
        return (tmp_path / file).read_bytes()

    assert games("a", 1) == games("b", 1)
    assert games("a", 1) != games("c", 2)


def test_every_game_has_a_beginning_and_an_end(bot):
    """In one process, with what the protocol says and nothing else."""
    done = kibitz.simulate(BLOB, [bot("play()"), "rule", "rule"], 4, seed=1)
    told = [json.loads(line) for line in heard(bot.path).splitlines()]
    assert [each["id"] for each in told] == list(range(1, len(told) + 1))
    begins = [each for each in told if each["do"] == "begin"]
    assert [each["seat"] for each in begins] == [0, 1, 2, 0]
    assert all(each["game"] == "blob" and each["protocol"] == 1 for each in begins)
    assert all(each["rules"] == BLOB.to_dict() for each in begins)
    ends = [each for each in told if each["do"] == "end"]
    scores = [each["returns"][begin["seat"]] for each, begin in zip(ends, begins, strict=True)]
    assert sum(scores) / 4 == pytest.approx(done.players[0].mean_score)
    kinds = "".join(each["do"][0] for each in told)
    assert re.fullmatch("(b(d){4}e){4}", kinds)
    fields = {
        "begin": {"id", "do", "protocol", "game", "rules", "seat", "seed"},
        "decide": {"id", "do", "view", "ms"},
        "end": {"id", "do", "returns"},
    }
    for each in told:
        assert set(each) == fields[each["do"]]
        if each["do"] == "decide":
            assert each["ms"] == 5000
            assert each["view"]["to_act"] == each["view"]["seat"]
    assert len(set(started(bot.path))) == 1


def test_games_that_begin_alike_are_told_apart(bot):
    """The end untold, the very same game again, or another that has got further."""

    def views(seed):
        table = kibitz.Table(UNO, seed=seed)
        while True:
            if table.to_act == 0:
                yield table.view(0)
            table.play(table.legal_actions()[0])

    (a, b, c), (_, _, _, other) = (list(islice(views(seed), n)) for seed, n in ((1, 3), (2, 4)))
    with seated([bot("play()")], "uno") as (there,):
        for view in (a, b, c, a, a, b, a, b, c, other):
            there.decide(view, rng.generator(1))
    told = [json.loads(line)["do"][0] for line in heard(bot.path).splitlines()]
    assert "".join(told) == "bddd" + "bd" + "bdd" + "bddd" + "bd"


def test_a_program_that_says_much_on_standard_error_plays_on(bot):
    code = "sys.stderr.write('x' * 300_000 + chr(10))\nplay()"
    assert kibitz.simulate(BLOB, [bot(code), "rule", "rule"], 2).games == 2


def test_waiting_costs_nothing(bot):
    """Also for a program that has closed its standard error: the pipe is then always ready."""
    name = bot(READY + "os.close(2); time.sleep(1); say(id=2, move=asked['view']['legal'][0])")
    first(bot("play()", name="warm.py"))
    began = time.process_time()
    first(name)
    assert time.process_time() - began < 0.5


def test_a_program_may_take_its_leave(bot, tmp_path, monkeypatch):
    """It reads the end of the last game, and has time to write down what it has learnt."""
    monkeypatch.setattr(program, "GRACE", 60)  # it is not waited for longer than it takes
    note = tmp_path / "note"
    code = f"play()\ntime.sleep(0.2)\nopen({str(note)!r}, 'w').write(asked['do'])"
    kibitz.simulate(BLOB, [bot(code), "rule", "rule"], 1)
    assert note.read_text() == "end"


# --- faults --------------------------------------------------------------------------------------

FAULTS = {
    "exits at once": ("sys.exit('no book of openings')", "died with exit code 1.*openings"),
    "exits": (READY + "sys.exit(7)", "died with exit code 7"),
    "exits as if all were well": (READY + "sys.exit(0)", "died with exit code 0"),
    "crashes": (READY + "1 / 0", "died with exit code 1; it said: .*ZeroDivisionError"),
    "is killed": (READY + "os.kill(os.getpid(), signal.SIGSEGV)", "died of SIGSEGV"),
    "thinks too long": (READY + "time.sleep(60)", "is late: no answer to 'decide' within 0.3 s"),
    "starts too slowly": ("time.sleep(60)", "is late: no answer to 'begin' within 0.5 s"),
    "moans for ever": (READY + "while True: sys.stderr.write('oh ')", "is late.*oh oh"),
    "drips": (READY + "while True: os.write(1, b'x'); time.sleep(0.01)", "is late"),
    "says no JSON": (READY + "say('R5')", "answers with no JSON object: 'R5'"),
    "says no object": (READY + "say('[1]')", "answers with no JSON object"),
    "says too deep": (READY + "say('[' * 100_000)", "answers with no JSON object"),
    "says no text": (READY + r"os.write(1, b'\xff\xfe\n')", "answers with no JSON object"),
    "says nothing": (READY + "say('')", "answers with no JSON object: ''"),
    "is not ready": ("say(id=ask()['id'], ready=False)", "is not ready"),
    "never says ready": ("say(id=ask()['id'])", "answers 'begin' without 'ready'"),
    "answers another": (READY + "say(id=1, move='R5')", "another question: the id is '1', not 2"),
    "answers nobody": (READY + "say(move='R5')", "another question: the id is 'None', not 2"),
    "has no move": (READY + "say(id=2, card='R5')", "answers 'decide' without 'move'"),
    "plays a number": (READY + "say(id=2, move=5)", "may not play '5'; legal are .*"),
    "plays a list": (READY + "say(id=2, move=[5])", r"may not play '\[5\]'; legal are .*"),
    "plays another": (READY + "say(id=2, move='B99')", "may not play 'B99'; legal are [A-Z0-9]+"),
    "floods": (READY + "os.write(1, b'x' * 3_000_000); time.sleep(60)", "floods.*1,000,000 bytes"),
    "closes its output": (READY + "os.close(1); time.sleep(60)", "has closed its output"),
    "closes all": (READY + "os.close(0); os.close(1); os.close(2); time.sleep(60)", "has closed"),
    "draws on the terminal": (READY + r"sys.exit('\x1b[31m red')", r"said: \?\[31m red"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_goes_wrong_is_a_fault_told_in_a_line(bot, monkeypatch, fault):
    monkeypatch.setattr(program, "GRACE", 0.3)
    code, message = FAULTS[fault]
    ms = 300 if "is late" in message else 5000
    start = 0.5 if "begin' within" in message else 30
    name = bot(code, f",ms={ms},start={start}")
    with pytest.raises(Fault, match=message) as error:
        first(name)
    said = str(error.value)
    assert said.startswith(name)
    assert "\n" not in said
    assert "\x1b" not in said
    assert len(said) < len(name) + 2500
    assert started(bot.path) or start < 1
    assert all(gone(pid) for pid in started(bot.path))


def test_the_legal_moves_are_those_of_the_view(bot):
    with pytest.raises(Fault) as error:
        first(bot(READY + "say(id=2, move='B99')"))
    legal = kibitz.Table(UNO, seed=1).view(0).legal
    assert str(error.value).endswith(f"legal are {', '.join(legal)}")


@pytest.mark.parametrize("mb", [0, 500])
def test_a_program_that_cannot_be_run(tmp_path, mb):
    file = tmp_path / "no program"
    file.write_text("play")
    for command in ("no-such-program --flag", shlex.quote(str(file)), shlex.quote(str(tmp_path))):
        with pytest.raises(Fault, match=r"does not start: .* is no program that can be run"):
            first(f"exec:{command},mb={mb}")


def test_a_file_that_is_no_program(tmp_path):
    file = tmp_path / "bot"
    file.write_bytes(b"\x7fELF")
    file.chmod(0o755)
    with pytest.raises(Fault, match="does not start: "):
        first(f"exec:{file},mb=0")
    with pytest.raises(Fault, match=r"died with exit code 12[67]"):
        first(f"exec:{file}")


def test_it_is_started_anew_for_the_next_game(bot, tmp_path):
    mark = tmp_path / "mark"
    code = (
        f"if not os.path.exists({str(mark)!r}): open({str(mark)!r}, 'w').close(); say('!')\nplay()"
    )
    there = player(bot(code), "uno")
    view = kibitz.Table(UNO, seed=1).view(0)
    with pytest.raises(Fault, match="no JSON"):
        there.decide(view, rng.generator(1))
    assert there.pid is None
    assert there.decide(view, rng.generator(1)).action in view.actions
    there.close()
    assert len(set(started(bot.path))) == 2
    told = [json.loads(line)["id"] for line in heard(bot.path).splitlines()]
    assert told[-2:] == [1, 2]


NOTED = "open(__file__ + '.pid', 'a').write(f'{there.pid}\\n')\n"


def test_what_it_has_started_goes_with_it(bot):
    """Even if the program itself is gone, and what it left behind holds the pipes."""
    child = f"[{sys.executable!r}, '-c', 'import time; time.sleep(60)']"
    code = f"there = subprocess.Popen({child})\n" + NOTED
    for then, message in (("sys.exit(4)", "exit code 4"), ("play(say('!'))", "no JSON")):
        with pytest.raises(Fault, match=message):
            first(bot(code + then, ",start=60"))
        assert len(started(bot.path)) % 2 == 0
        assert all(gone(pid) for pid in started(bot.path))


LEAVER = """
if not os.fork():  # a daemon: another session, no parent, no pipe, and a name of its own
    os.setsid()
    if not os.fork():
        for number in range(20):
            try: os.close(number)
            except OSError: pass
        open(__file__ + ".pid", "a").write(f"{os.getpid()}\\n")
        os.execve("/bin/sh", ["sh", "-c", "sleep 60 & sleep 60; true"], {})
    os._exit(0)
os.wait()
while len(open(__file__ + ".pid").read().split()) < 2: time.sleep(0.01)
"""


@LINUX
@pytest.mark.parametrize(
    ("then", "message"),
    [("sys.exit(4)", "exit code 4"), ("play(say('!'))", "no JSON"), ("play()", None)],
    ids=["the program ends", "it is killed", "it is told that all is over"],
)
def test_what_has_left_its_group_goes_with_it(bot, then, message):
    name = bot(LEAVER + then, ",start=20")
    if message is None:
        first(name)
    else:
        with pytest.raises(Fault, match=message):
            first(name)
    assert len(started(bot.path)) == 2
    assert all(gone(pid) for pid in started(bot.path))


ARENA = """
import sys, time
import kibitz
from kibitz import rng
from kibitz.arena.players import player
there = player(sys.argv[1], "uno")
there.decide(kibitz.Table(kibitz.rules("uno"), seed=1).view(0), rng.generator(1))
print("playing", flush=True)
time.sleep(60)
"""


@LINUX
def test_all_goes_when_the_arena_is_killed(bot):
    """The program does not care for the end of its input, nor what has left its group."""
    name = bot(LEAVER + "play()\ntime.sleep(60)", ",start=20")
    arena = subprocess.Popen([sys.executable, "-c", ARENA, name], stdout=subprocess.PIPE)
    with arena:
        assert arena.stdout.readline() == b"playing\n"
        arena.kill()
    assert len(started(bot.path)) == 2
    assert all(gone(pid) for pid in started(bot.path))


def test_a_program_that_kills_its_group_ends_itself(bot):
    name = bot(READY + "os.kill(0, signal.SIGTERM); time.sleep(60)")
    with pytest.raises(Fault, match="died of SIGTERM"):
        first(name)


def test_a_system_without_keepers_is_told_of_and_ends_the_group(bot, monkeypatch, caplog):
    monkeypatch.setattr(program.sys, "platform", "another")
    program.has_keeper.cache_clear()
    child = f"[{sys.executable!r}, '-c', 'import time; time.sleep(60)']"
    try:
        for _ in range(2):
            with pytest.raises(Fault, match="no JSON"):
                first(bot(f"there = subprocess.Popen({child})\n" + NOTED + "play(say('!'))"))
    finally:
        program.has_keeper.cache_clear()
    assert len(started(bot.path)) == 4
    assert all(gone(pid) for pid in started(bot.path))
    (logged,) = caplog.messages
    assert logged.startswith("on this system what a program starts may live on")


@LINUX
@pytest.mark.parametrize("wrapped", [False, True])
def test_memory_is_limited(bot, wrapped):
    """Also that of what the program starts; and the arena lives on."""
    code = READY + "have = bytearray(1_000_000_000); say(id=2, move=asked['view']['legal'][0])"
    command = bot(code).removeprefix("exec:")
    if wrapped:
        command = f"/bin/sh -c {shlex.quote(command + '; exit 1')}"
    with pytest.raises(Fault, match=r"died with exit code 1; it said: .*MemoryError"):
        first(f"exec:{command},mb=300")
    assert first(f"exec:{command},mb=0")
    assert first(f"exec:{command}")


# --- nothing is left behind ----------------------------------------------------------------------


@LINUX
def test_no_pipe_thread_or_process_is_left(bot):
    def held():
        return len(os.listdir("/proc/self/fd")), threading.active_count()

    first(bot("play()"))
    before = held()
    for code in (READY + "say('!')", READY + "sys.exit(1)", "time.sleep(60)"):
        for _ in range(3):
            with pytest.raises(Fault):
                first(bot(code, ",start=0.2"))
    first(bot("play()"))
    assert held() == before
    assert all(gone(pid) for pid in started(bot.path))


def test_a_player_that_is_forgotten_lets_its_program_go(bot):
    there = player(bot("play()"), "uno")
    there.decide(kibitz.Table(UNO, seed=1).view(0), rng.generator(1))
    pid = there.pid
    os.kill(pid, 0)  # it lives
    del there
    gc.collect()
    assert gone(pid)


def test_a_program_that_does_not_care_for_the_end_is_killed(bot, monkeypatch):
    monkeypatch.setattr(program, "GRACE", 0.2)
    with seated([bot("play()\ntime.sleep(60)"), "rule"], "uno") as players:
        players[0].decide(kibitz.Table(UNO, seed=1).view(0), rng.generator(1))
        pid = players[0].pid
    assert gone(pid)
    players[0].close()  # again, and nothing happens


def test_a_fault_of_one_ends_the_programs_of_all(bot):
    good, bad = bot("play()", name="good.py"), bot(READY + "say('!')")
    with pytest.raises(Fault, match="no JSON"):
        kibitz.simulate(UNO, [good, bad], 5)
    for name in ("good.py", "bot.py"):
        assert all(gone(pid) for pid in started(bot.path.with_name(name)))


KIBITZ = [sys.executable, "-c", "from kibitz.cli import main; main()"]


@pytest.mark.skipif(PURE, reason="loads all kernels as plain Python, which takes long")
@pytest.mark.parametrize("games", [0, 2])
def test_ctrl_c_ends_the_program_too(bot, games):
    """It comes while the arena waits for the program, in the first game or a later one."""
    code = f"""
begun = 0
for line in sys.stdin:
    asked = json.loads(line)
    begun += asked["do"] == "begin"
    if asked["do"] == "begin":
        say(id=asked["id"], ready=True)
    elif begun > {games}:
        os.kill(arena(), signal.SIGINT)
        time.sleep(60)
    elif asked["do"] == "decide":
        say(id=asked["id"], move=asked["view"]["legal"][0])
"""
    command = [*KIBITZ, "simulate", "uno", "-n", "50", "-p", bot(code) + ",ms=50000,rule"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    said = f"stopped after {games} of 50 games" if games else "stopped"
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == (0 if games else 130)
    assert all(gone(pid) for pid in started(bot.path))


# --- leaks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rules", [UNO, BLOB, kibitz.rules("blob-game", players=4, schedule=(2, 1))], ids=str
)
def test_no_byte_that_is_sent_depends_on_hidden_cards(bot, rules):
    name = bot("play()")

    def sent(table):
        there = player(name, rules.game)
        there.decide(table.view(table.to_act), rng.generator(1, 0, 1))
        there.close()
        return heard(bot.path)

    exchanged = 0
    for plies in range(0, fewer(20), 3):
        table = play_on(kibitz.Table(rules, seed=5), 5, plies)
        if table.over:
            break
        other = elsewhere(table, table.to_act, 17 + plies)
        exchanged += other.true_state().tobytes() != table.true_state().tobytes()
        found = sent(table)
        assert found == sent(other)
        begin, decide = map(json.loads, found.splitlines())
        seat = table.to_act
        assert decide["view"] == json.loads(json.dumps(table.view(seat).to_dict()))
        assert begin["seed"] == int(rng.next_word(rng.generator(1, 0, 1))) >> 32
    assert exchanged, "nothing was exchanged: this proved nothing"


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("exec:python3 bot.py,rule", ["exec:python3 bot.py", "rule"]),
        ("rule, exec:bot --depth=3 , random", ["rule", "exec:bot --depth=3", "random"]),
        ("exec:bot x:y=2,ms=10,mb=5,flat:sims=9", ["exec:bot x:y=2,ms=10,mb=5", "flat:sims=9"]),
        ("exec:bot '--a=1,2',ms=10,rule", ["exec:bot '--a=1,2',ms=10", "rule"]),
        ('rule,exec:"my, bot" "it\'s, all",rule', ["rule", 'exec:"my, bot" "it\'s, all"', "rule"]),
        ("exec:don't,rule", ["exec:don't", "rule"]),
    ],
)
def test_commands_in_a_list_of_players(text, names):
    assert split_agents(text) == names


@pytest.mark.parametrize(
    ("name", "command", "limits"),
    [
        ("exec:python3 bot.py", ["python3", "bot.py"], (5000, 30.0, 2048)),
        ("exec:bot --depth=3,ms=1000,mb=512", ["bot", "--depth=3"], (1000, 30.0, 512)),
        ("exec:'a, b' \"c=1,2\" , start=2.5", ["a, b", "c=1,2"], (5000, 2.5, 2048)),
        ("exec:bot $HOME;ls", ["bot", "$HOME;ls"], (5000, 30.0, 2048)),
    ],
)
def test_a_name_is_a_command_and_its_limits(name, command, limits):
    there = player(name, "uno")
    assert isinstance(there, Foreign)
    assert there.name == name
    assert there._command == command
    assert (there.limits.ms, there.limits.start, there.limits.mb) == limits


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("exec", "write the command"),
        ("exec:", "write the command"),
        ("exec: ,ms=5", "write the command"),
        ("exec:'bot", "no closing quotation"),
        ("exec:bot,ms=0", "ms must be a whole number from 1"),
        ("exec:bot,m=5", "no option 'm'"),
        ("exec:bot,b", "no option 'b'"),
        ("exec:bot,mb=-1", "mb must be"),
        ("exec:bot,ms=1,ms=2", "twice"),
    ],
)
def test_a_name_that_makes_no_sense_is_refused(name, message):
    with pytest.raises(KibitzError, match=message):
        player(name, "uno")


def test_it_plays_in_simulate_and_nowhere_else(run, bot, tmp_path):
    name = bot("play()")
    saved = tmp_path / "games.jsonl"
    code, out, _ = run(
        "simulate", "uno", "-n", "2", "-p", f"{name},rule", "--save", saved, "--json"
    )
    assert code == 0
    assert json.loads(out)["players"][0]["agent"] == name
    assert [record.players[1] for record in kibitz.read_records(saved)] == ["rule", name]
    with pytest.raises(KibitzError, match="only in match, ladder and simulate"):
        kibitz.agent(name, "uno")
    assert name.partition(":")[0] not in {each["name"] for each in _there()["agents"]}
    for words in (("watch", "uno", "--players"), ("calibrate", "uno", "--players")):
        code, _, err = run(*words, name)
        assert code == 2
        assert "only in match, ladder and simulate" in err


def test_a_fault_ends_a_simulation_with_one_line(run, bot):
    code, out, err = run("simulate", "uno", "-n", "2", "-p", bot(READY + "1 / 0") + ",rule")
    assert (code, out) == (2, "")
    assert re.fullmatch(r"kibitz: exec:.* died with exit code 1; .*ZeroDivision.*\n", err)
    code, out, _ = run("agents", "exec")
    assert code == 0
    assert "ms=5000" in out
