"""Matches: mirrored deals, the same games wherever they are played, and nothing lost on the way."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import kibitz
from helpers import PURE
from kibitz.arena import deals, engines
from kibitz.arena.deals import Plan, outcome, play_deal, play_game
from kibitz.arena.engines import Here, Processes
from kibitz.arena.ledger import Ledger
from kibitz.arena.match import Match, Until
from kibitz.arena.players import Fault, player
from test_foreign import gone

UNO = kibitz.rules("uno")
BLOB = kibitz.rules("blob", players=3, cards=3)
GAME = kibitz.rules("blob-game", players=2, start=2)


def plan(*names, rules=UNO, seed=1):
    return Plan.between(rules, names or ("rule", "random"), seed)


def played(match, engine=Here):
    with engine() as playing:
        return match.play(playing)


def matched(what, number, engine=Here, **more):
    return played(Match(what, Until(number), **more), engine)


def plain(result):
    """Without what a clock has to do with."""
    told = dict(result) if isinstance(result, dict) else result.to_dict()
    del told["seconds"], told["known"]
    for side in told["sides"]:
        del side["ms"], side["slowest"]
    return told


# --- deals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [UNO, BLOB, GAME], ids=str)
def test_all_games_of_a_deal_have_the_same_cards(rules, monkeypatch):
    dealt = []
    table = deals.Table

    def noted(*told):
        found = table(*told)
        if found.players:  # else it is only looked at
            dealt.append((found.record().deal, found.players))
        return found

    monkeypatch.setattr(deals, "Table", noted)
    names = [f"rule:slips=0.{k + 1}" for k in range(rules.seats)]
    games = play_deal(plan(*names, rules=rules), 7)
    assert len(games) == rules.seats
    assert all(deal == dealt[0][0] for deal, _ in dealt)
    for seat in range(rules.seats):  # everyone sits everywhere once
        assert {players[seat] for _, players in dealt} == set(names)
    other = play_deal(plan(*names, rules=rules), 8)
    assert dealt[-1][0] != dealt[0][0]
    assert [game.deal for game in other] == [8] * rules.seats


def test_returns_are_told_by_player():
    """The rule player wins more than it loses, wherever it sits."""
    games = [game for deal in range(150) for game in play_deal(plan(), deal)]
    for shift in (0, 1):
        there = [game for game in games if game.shift == shift]
        assert sum(game.returns[0] for game in there) > 0
        assert all(sum(game.returns) == 0 for game in there)


def test_what_a_game_is_worth():
    assert [outcome(UNO, each) for each in ([1.0, -1.0], [0.0, 0.0], [-1.0, 1.0])] == [1, 0.5, 0]
    assert outcome(UNO, [1.0, -1.0], 1) == 0
    assert outcome(BLOB, [10.0, 0.0, 13.0]) == 3.5
    assert outcome(BLOB, [10.0, 0.0, 13.0], 1) == -11.5


def test_one_against_the_rest_or_one_for_each_seat():
    assert plan("rule", "random", rules=BLOB).players == ("rule", "random", "random")
    assert plan("rule", "random", "rule", rules=BLOB).players == ("rule", "random", "rule")
    for names in (["rule"], ["rule"] * 4):
        with pytest.raises(kibitz.KibitzError, match="3 seats"):
            plan(*names, rules=BLOB)
    with pytest.raises(kibitz.KibitzError, match="no agent 'rul'"):
        plan("rule", "rul")
    with pytest.raises(kibitz.KibitzError, match="seed"):
        plan(seed=-1)


# --- faults ------------------------------------------------------------------------------------


class Broken:
    """Plays by rule, and at its third decision cannot go on."""

    name = "broken"

    def close(self):
        """So that it is not made anew."""

    def __init__(self, game, how):
        self._rule, self._left, self._how = player("rule", game), 3, how

    def decide(self, view, rng):
        self._left -= 1
        if self._left == 0:
            return self._how(view)
        return self._rule.decide(view, rng)


def _crash(view):
    raise ZeroDivisionError("oh dear")


def _fault(view):
    raise Fault("too late")


def _illegal(view):
    return kibitz.Decision(next(a for a in range(64) if a not in view.actions))


FAULTS = {
    _crash: "ZeroDivisionError: oh dear",
    _fault: "too late",
    _illegal: "is illegal",
}


@pytest.mark.parametrize("how", FAULTS)
@pytest.mark.parametrize("rules", [UNO, BLOB], ids=str)
@pytest.mark.parametrize("shift", [0, 1])
def test_who_cannot_go_on_loses(rules, how, shift):
    others = [player("random", rules.game) for _ in range(rules.seats - 1)]
    game = play_game(plan(rules=rules), 3, shift, [Broken(rules.game, how), *others])
    assert FAULTS[how] in game.faults[0]
    assert game.faults[1:] == [None] * (rules.seats - 1)
    if rules is UNO:
        assert game.returns == [-1.0, 1.0]
        assert game.ending == "fault"
    else:
        assert game.returns[0] == 0.0
        assert game.plies == 12  # the others had their game
    assert game.moves[0] == 2


def test_to_give_up_never_pays():
    """Not even in a whole game: the least is that of all rounds, and the other keeps its points."""
    rules = kibitz.rules("blob-game", players=2, start=3, miss="penalty")
    what = plan(rules=rules)
    other = player("random", rules.game)
    given_up = play_game(what, 3, 0, [Broken(rules.game, _crash), other])
    played = play_game(what, 3, 0)
    rounds = rules.to_dict()["schedule"]
    assert given_up.returns[0] == -sum(rounds)
    assert given_up.plies == played.plies
    assert outcome(rules, given_up.returns) < outcome(rules, played.returns)


def test_faults_are_counted_and_shown(monkeypatch, tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text("print('oh dear')")
    found = matched(plan(f"exec:{sys.executable} {bot}", "rule"), 3)
    assert (found.mean, found.games) == (0.0, 6)
    assert [side.faults for side in found.sides] == [6, 0]
    assert "bot.py" in found.sides[0].fault
    assert found.sides[0].moves == 0


BOT = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["do"] == "begin":
        print(json.dumps({"id": asked["id"], "ready": True}), flush=True)
    elif asked["do"] == "decide":
        print(json.dumps({"id": asked["id"], "move": asked["view"]["legal"][0]}), flush=True)
"""


def test_nobody_sits_in_two_games_of_a_deal(tmp_path):
    """Who did would know from the first what the others hold in the second."""
    bot, told = tmp_path / "bot.py", tmp_path / "games"
    noting = f"open({str(told)!r}, 'a').write(str(__import__('os').getpid()) + '\\n')"
    bot.write_text(
        BOT.replace('asked["do"] == "begin":\n', f'asked["do"] == "begin":\n        {noting}\n')
    )
    play_deal(plan("rule", f"exec:{sys.executable} {bot}", rules=BLOB), 0)
    games = told.read_text().split()
    assert len(games) == len(set(games)) == 2 * BLOB.seats


def test_programs_sit_in_a_match(tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(BOT)
    what = plan("rule", f"exec:{sys.executable} {bot}", rules=BLOB)
    found = matched(what, 4)
    assert [side.faults for side in found.sides] == [0, 0]
    assert plain(matched(what, 4, lambda: Processes(2))) == plain(found)


# --- matches -----------------------------------------------------------------------------------


def test_a_player_against_itself_is_exactly_equal():
    for rules in (UNO, BLOB):
        found = matched(plan("rule", "rule", rules=rules), 20)
        assert (found.mean, *found.ci95) == ((0.5,) * 3 if rules is UNO else (0.0,) * 3)
    assert matched(plan("rule", "rule"), 20).pairs["1"] == 20


def test_the_stronger_one_is_ahead():
    found = matched(plan(), 200)
    assert 0.55 < found.ci95[0] < found.mean < found.ci95[1] < 0.75
    assert sum(found.pairs.values()) == 200
    assert [row["seat"] for row in found.seats] == [0, 1]
    assert sum(row["mean"] for row in found.seats) / 2 == pytest.approx(found.mean)
    assert found.elo_ci95[0] < found.elo < found.elo_ci95[1]
    points = matched(plan(rules=BLOB), 100)
    assert points.measure == "points"
    assert points.ci95[0] > 1
    assert points.elo is None
    assert points.sides[0].points - points.sides[1].points == pytest.approx(points.mean)


class Backwards(Here):
    """Finishes last what was asked first."""

    room = 5

    def finished(self):
        while self._asked:
            plan, deal = self._asked.pop()
            yield plan, deal, play_deal(plan, deal)


def test_the_order_in_which_deals_are_finished_does_not_matter():
    until = Until(None, (0.0, 60.0))
    results = [played(Match(plan(seed=3), until), engine) for engine in (Here, Backwards)]
    assert plain(results[0]) == plain(results[1])
    assert results[0].test["accepted"] == "H1"


def test_a_test_stops_early_and_says_why():
    found = played(Match(plan("rule", "random"), Until(5000, (0.0, 50.0))))
    assert found.deals < 1000
    assert found.test["accepted"] == "H1"
    assert found.ended == "the test decided for 50 Elo, against 0"
    worse = played(Match(plan("random", "rule"), Until(5000, (0.0, 50.0))))
    assert worse.ended == "the test decided for 0 Elo, against 50"
    few = played(Match(plan(), Until(3, (0.0, 1.0))))
    assert few.ended == "after 3 deals, the test undecided"


@pytest.mark.parametrize("until", [Until(), Until(0), Until(None, (10.0, 0.0))])
def test_an_end_that_makes_no_sense_is_refused(until):
    with pytest.raises(kibitz.KibitzError):
        Match(plan(), until)


# --- other processes ---------------------------------------------------------------------------

SEARCHING = ("flat:sims=20", "pomcp:sims=20")


def test_processes_play_the_same_games():
    what = plan(*SEARCHING)
    expected = plain(matched(what, 4))
    assert plain(matched(what, 4, lambda: Processes(2))) == expected


def test_the_games_of_a_killed_worker_are_played_again():
    class Killing(Processes):
        killed = False

        def finished(self):
            yield from super().finished()
            if not self.killed:
                self.killed = True
                os.kill(next(iter(self._pool._processes)), signal.SIGKILL)

    what = plan(*SEARCHING)
    assert plain(matched(what, 8, lambda: Killing(2))) == plain(matched(what, 8))


def _die(plan, deal):
    os._exit(1)


def test_programs_end_with_their_worker(tmp_path):
    """One that thinks for ever does not outlive a match that is over."""
    bot, told = tmp_path / "bot.py", tmp_path / "pids"
    bot.write_text(
        f"import os, time\nopen({str(told)!r}, 'a').write(str(os.getpid()) + '\\n')\n"
        "while True:\n    time.sleep(0.1)\n"
    )
    with Processes(2) as engine:
        for deal in range(2):
            engine.ask(plan(f"exec:{sys.executable} {bot}", "rule"), deal)
        until = time.monotonic() + 300
        while not told.exists() or len(told.read_text().split()) < 2:
            assert time.monotonic() < until
            time.sleep(0.05)
    until = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() for pid in told.read_text().split()):
        assert time.monotonic() < until, "still there"
        time.sleep(0.05)


def test_a_deal_that_always_kills_its_worker_ends_the_match(monkeypatch):
    """Though other deals are played all the time."""
    what = plan()
    with Processes(1) as engine:
        for _ in range(engines.DEATHS):
            engine._again(what, 0)
            engine._asked.clear()
            engine.ask(what, 1)
            assert [deal for _, deal, _ in engine.finished()] == [1]
        with pytest.raises(kibitz.KibitzError, match="die again and again"):
            engine._again(what, 0)


def test_workers_that_always_die_end_the_match(monkeypatch):
    monkeypatch.setattr(engines, "play_deal", _die)
    monkeypatch.setattr(engines, "DEATHS", 1)
    with pytest.raises(kibitz.KibitzError, match="die again and again"):
        matched(plan(), 4, lambda: Processes(1))


RAY = """
import contextlib, ipaddress, json, os, socket, struct, subprocess, sys
from pathlib import Path
import kibitz
from kibitz.arena.cluster import Cluster
from kibitz.arena.deals import Plan
from kibitz.arena.keeper import below
from kibitz.arena.match import Match, Until


class Killing(Cluster):
    killed = 0

    def finished(self):
        yield from super().finished()
        if not self.killed:
            for told in Path("/proc").glob("[0-9]*/cmdline"):
                with contextlib.suppress(OSError):  # it has ended meanwhile
                    if told.read_bytes().startswith(b"ray::play_deal") and not self.killed:
                        self.killed = int(told.parent.name)
                        os.kill(self.killed, 9)


def listening(pids):
    # where these processes listen for others
    sockets = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            for each in Path(f"/proc/{pid}/fd").iterdir():
                with contextlib.suppress(OSError):
                    sockets.add(os.readlink(each).removeprefix("socket:[").removesuffix("]"))
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *rest = line.split()
            if state == "0A" and rest[5] in sockets:  # listens
                words = local.partition(":")[0]
                packed = b"".join(struct.pack("=I", int(words[k:k + 8], 16))
                                  for k in range(0, len(words), 8))
                address = ipaddress.ip_address(packed)
                found.append(str(getattr(address, "ipv4_mapped", None) or address))
    return found


CALL = "import ray._raylet as r; r.GcsClient(address={!r}).internal_kv_keys(b'', None, 20)"


def answered(address, **environment):
    # whether a client of that environment is answered
    done = subprocess.run([sys.executable, "-c", CALL.format(address)], capture_output=True,
                          text=True, timeout=100, env={**os.environ, **environment})
    return done.returncode == 0, done.stderr[-300:]


said = {}
plan = Plan.between(kibitz.rules("uno"), sys.argv[2:], 1)
before = {k: v for k, v in os.environ.items() if k.startswith("RAY_")}
with Killing() as engine:
    if sys.argv[1] == "whole":
        said["result"] = Match(plan, Until(8)).play(engine).to_dict()
        assert engine.killed, "nobody was killed: this proved nothing"
        import ray
        address = ray.get_runtime_context().gcs_address
        said["friend"] = answered(address)
        said["strangers"] = [
            answered(address, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN="0" * 64),
            answered(address, RAY_AUTH_MODE="disabled"),
        ]
        said["listening"] = listening([os.getpid(), *below(os.getpid())])
    else:
        engine.ask(plan, 0)
    said["pids"] = below(os.getpid())
    print(json.dumps(said), flush=True)
    if sys.argv[1] != "whole":
        os.kill(os.getpid(), 9)
now = {k: v for k, v in os.environ.items() if k.startswith("RAY_")}
assert now == before, "the environment is as it was"
"""


def on_ray(*words):
    """A real Ray on this machine: the exit code of the one who leads, and what it said. Nothing is
    left of it."""
    done = subprocess.run(
        [sys.executable, "-c", RAY, *words], capture_output=True, text=True, timeout=300
    )
    lines = done.stdout.splitlines()
    assert lines, done.stderr[-2000:]
    said = json.loads(lines[-1])
    assert len(said["pids"]) > 5, "a Ray has many processes"
    assert all(gone(pid) for pid in said["pids"])
    return done.returncode, said


@pytest.mark.skipif(PURE, reason="the other process would compile")
@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_a_cluster_plays_the_same_games_and_is_ours_alone():
    """Though a worker is killed. Strangers are refused, and none beyond this machine comes near."""
    pytest.importorskip("ray")
    players = ("flat:sims=2000", "pomcp:sims=2000")
    code, said = on_ray("whole", *players)
    assert code == 0
    expected = played(Match(plan(*players), Until(8))).to_dict()
    assert plain(said["result"]) == plain(expected)
    assert said["friend"][0], said["friend"]
    for heard, why in said["strangers"]:
        assert not heard
        assert "uth" in why, "it was refused for want of the token"
    assert len(said["listening"]) >= 4
    assert set(said["listening"]) <= {"127.0.0.1", "::1"}


@pytest.mark.skipif(PURE, reason="the other process would compile")
@pytest.mark.skipif(sys.platform != "linux", reason="needs a keeper")
def test_nothing_is_left_of_a_cluster_whose_match_is_killed():
    pytest.importorskip("ray")
    code, _ = on_ray("killed", "rule", "random")
    assert code == -signal.SIGKILL


# --- what is kept ------------------------------------------------------------------------------


class Interrupted(Here):
    """Ctrl-C in the fourth deal."""

    def finished(self):
        if [deal for _, deal in self._asked] == [3]:
            raise KeyboardInterrupt
        yield from super().finished()


def test_an_interrupted_match_goes_on(tmp_path):
    file, lines = tmp_path / "arena.sqlite", tmp_path / "games.jsonl"
    with Ledger(file, lines) as ledger:
        part = matched(plan(), 6, Interrupted, ledger=ledger)
    assert (part.deals, part.ended) == (3, "stopped; the same command goes on with it")
    with Ledger(file, lines) as ledger:
        asked = []

        class Noting(Here):
            def ask(self, plan, deal):
                asked.append(deal)
                super().ask(plan, deal)

        whole = matched(plan(), 6, Noting, ledger=ledger)
    assert asked == [3, 4, 5]
    assert whole.known == 3
    assert plain(whole) == plain(matched(plan(), 6))
    told = [json.loads(line) for line in lines.read_text().splitlines()]
    assert [(game["deal"], game["shift"]) for game in told] == [
        (deal, shift) for deal in range(6) for shift in range(2)
    ]
    assert told[0]["players"] == ["rule", "random"]


def test_new_lines_tell_games_of_before_and_old_ones_tell_none_twice(tmp_path):
    file, lines = tmp_path / "arena.sqlite", tmp_path / "new" / "games.jsonl"
    with Ledger(file) as ledger:
        matched(plan(), 4, ledger=ledger)
    for number in (2, 2, 5):  # known, known and told, and three that are not told yet
        with Ledger(file, lines) as ledger:
            matched(plan(), number, ledger=ledger)
    told = [json.loads(line)["deal"] for line in lines.read_text().splitlines()]
    assert told == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    with Ledger(file, lines) as ledger, lines.open("a") as more:
        more.write("not ours\n[]\n")
        matched(plan(seed=2), 1, ledger=ledger)
        ledger.forget(plan())
        matched(plan(), 1, ledger=ledger)
    assert len(lines.read_text().splitlines()) == 10 + 2 + 2 + 2


def test_what_a_program_must_be_is_said_before_the_first_game():
    with pytest.raises(kibitz.KibitzError, match="nothere' is no program that can be run"):
        plan("exec:./nothere --fast", "rule")


@pytest.mark.skipif(PURE, reason="about kernels")
def test_no_clock_pays_for_what_is_loaded(monkeypatch):
    """Whoever needs kernels has played before the first clock is read."""
    sat = []
    playing = deals._play

    def noted(table, sitting, *more):
        sat.append([type(each).__name__ for each in sitting])
        return playing(table, sitting, *more)

    monkeypatch.setattr(deals, "_play", noted)
    deals._warm.cache_clear()
    play_deal(plan("cheat:sims=5", "flat:ms=5"), 0)
    assert sat[:3] == [
        ["PlayerAgent", "PlayerAgent"],
        ["Cheat", "PlayerAgent"],
        ["SearchAgent", "PlayerAgent"],
    ]


def test_few_deals_claim_little():
    """Whoever wins them all, or none: the interval stays within the scale, and has a width."""
    best, worst = matched(plan("rule", "exec:true"), 3), matched(plan("exec:true", "rule"), 3)
    assert (best.mean, worst.mean) == (1, 0)
    assert best.ci95 == pytest.approx((0.025 ** (1 / 3), 1))
    assert worst.ci95 == pytest.approx((0, 1 - 0.025 ** (1 / 3)))
    assert all(0 <= low < high <= 1 for row in best.seats for low, high in [row["ci95"]])
    assert matched(plan("keen", "keen"), 3).ci95 == (0.5, 0.5)


@pytest.mark.parametrize("deals", [1, 2, 5])
@pytest.mark.parametrize("names", [("rule", "rule"), ("rule", "random")])
@pytest.mark.parametrize("game", ["uno", "blob", "blob-game"])
def test_no_interval_reaches_beyond_what_can_be(game, names, deals):
    few = {"uno": {}, "blob": {"players": 3, "cards": 2}, "blob-game": {"players": 3, "start": 2}}
    rules = kibitz.rules(game, **few[game])
    # exact_bonus 10 and a point for each trick
    schedule = {"uno": [], "blob": [2], "blob-game": list(rules.to_dict().get("schedule", []))}
    most = sum(10 + cards for cards in schedule[game]) or 1
    least = 0 if game == "uno" else -most
    match = Match(kibitz.Plan.between(rules, names, 3, luck=False), Until(deals))
    result = match.play(Here())
    for low, high in (result.ci95, *(row["ci95"] for row in result.seats)):
        assert least <= low <= high <= most
    assert all(row["ci95"][0] < row["ci95"][1] for row in result.seats)
    standing = match.standing().estimate
    assert (standing.low, standing.high) == result.ci95


def test_what_cannot_be_tested_costs_no_games(run, tmp_path):
    words = ["match", "blob", "rule", "random", "--jobs", 1, "--results", tmp_path / "a.sqlite"]
    assert run(*words, "--games", 8)[0] == 0
    code, _, err = run(*words, "--sprt", "0,1", "--luckless", "--again")
    assert code == 2
    assert "nothing is drawn in blob" in err
    _, out, _ = run(*words, "--games", 4, "--json")
    assert json.loads(out)["known"] == 1


def test_a_deal_that_was_half_written_is_played_again(tmp_path):
    file = tmp_path / "arena.sqlite"
    with Ledger(file) as ledger:
        matched(plan(), 2, ledger=ledger)
    with sqlite3.connect(file) as database:
        database.execute("DELETE FROM games WHERE deal = 1 AND shift = 0")
    database.close()
    with Ledger(file) as ledger:
        assert list(ledger.played(plan())) == [0]
        assert matched(plan(), 2, ledger=ledger).deals == 2


BAD_ROWS = [
    '{"deal": 1}',
    '{"deal": 1, "shift',
    "[]",
    "nobody",
    lambda row: row.replace('"plies": ', '"plies": "many", "was": '),
    lambda row: row.replace('"deal": 1', '"deal": 0'),
    lambda row: row.replace('"moves": [', '"moves": [1, '),
    lambda row: row.replace('"returns": [', '"returns": [NaN, '),
]


@pytest.mark.parametrize("spoil", BAD_ROWS, ids=range(len(BAD_ROWS)))
def test_a_row_that_cannot_be_read_is_told_and_its_deal_played_again(tmp_path, spoil):
    file = tmp_path / "arena.sqlite"
    with Ledger(file) as ledger:
        whole = matched(plan(), 3, ledger=ledger)
    with sqlite3.connect(file) as database:
        where = "WHERE deal = 1 AND shift = 1"
        ((row,),) = database.execute(f"SELECT content FROM games {where}").fetchall()
        bad = spoil(row) if callable(spoil) else spoil
        assert bad != row
        database.execute(f"UPDATE games SET content = ? {where}", (bad,))
    database.close()
    warnings = []
    with Ledger(file, warn=warnings.append) as ledger:
        again = matched(plan(), 3, ledger=ledger)
        assert again.known == 2
        assert plain(again) == plain(whole)
        (warning,) = warnings
        assert "deal 1 cannot be read and is played again: " in warning
        assert len(ledger.played(plan())) == 3
        assert len(warnings) == 1, "it has healed"


def test_a_row_that_is_no_text_spoils_no_other(tmp_path):
    file = tmp_path / "arena.sqlite"
    with Ledger(file) as ledger:
        matched(plan(), 3, ledger=ledger)
    with sqlite3.connect(file) as database:
        database.execute("UPDATE games SET content = CAST(x'ff80' AS TEXT) WHERE deal = 1")
    database.close()
    with Ledger(file) as ledger:
        assert list(ledger.played(plan())) == [0, 2]


def test_after_a_torn_line_the_next_one_is_whole(tmp_path):
    """Killed in the middle of a deal, which is then half there."""
    file, lines = tmp_path / "arena.sqlite", tmp_path / "games.jsonl"
    with Ledger(file, lines) as ledger:
        matched(plan(), 2, ledger=ledger)
    whole = lines.read_bytes()
    lines.write_bytes(whole[:-100])
    warnings = []
    for _ in range(2):
        with Ledger(file, lines, warnings.append) as ledger:
            matched(plan(), 3, ledger=ledger)
    told = []
    for line in lines.read_text().splitlines():
        with suppress(ValueError):
            told.append(json.loads(line))
    assert [(game["deal"], game["shift"]) for game in told] == [
        (deal, shift) for deal in range(3) for shift in range(2)
    ]
    assert warnings == [f"{lines}, line 4: not JSON, perhaps torn; left as it is"] * 2


def test_a_program_that_was_changed_is_another(tmp_path, monkeypatch):
    bot = tmp_path / "bot.py"
    name = f"exec:{sys.executable} {bot}"
    missing = plan(name, "rule").key
    bot.write_text(BOT)
    there = plan(name, "rule").key
    bot.write_text(BOT + "# better")
    changed = plan(name, "rule").key
    monkeypatch.chdir(tmp_path)
    assert len({missing, there, changed, plan(name, "rule").key}) == 4
    assert plan(name, "rule").key == plan(name, "rule").key


def test_other_plans_and_other_sources_are_other_matches(tmp_path, monkeypatch):
    with Ledger(tmp_path / "arena.sqlite") as ledger:
        matched(plan(), 2, ledger=ledger)
        assert ledger.played(plan())
        for other in (
            plan(seed=2),
            plan("random", "rule"),
            plan(rules=kibitz.rules("uno", skip="pass")),
        ):
            assert not ledger.played(other)
        monkeypatch.setattr(deals, "_sources", lambda: "changed")
        assert not ledger.played(plan())
        monkeypatch.undo()
        ledger.forget(plan())
        assert not ledger.played(plan())


# --- the command -------------------------------------------------------------------------------


def test_the_command_measures_and_goes_on(run, tmp_path):
    words = ["match", "uno", "rule", "random", "--games", 40, "--results", tmp_path / "a.sqlite"]
    code, out, err = run(*words, "--jobs", 1, "--seed", 1)
    assert code == 0, err
    assert "rule against random" in out
    assert "40 games on 20 deals" in out
    code, out, err = run(*words, "--jobs", 1, "--seed", 1, "--json")
    told = json.loads(out)
    assert (told["known"], told["deals"], told["games"]) == (20, 20, 40)
    code, out, err = run(*words, "--jobs", 1, "--seed", 1, "--again", "--json")
    assert json.loads(out)["known"] == 0


def test_the_command_tests_in_points(run, tmp_path):
    code, out, err = run(
        "match", "blob", "rule", "random", "--rules", "players=3,cards=3", "--sprt", "0,2",
        "--results", tmp_path / "a.sqlite", "--lines", tmp_path / "l.jsonl", "--jobs", 1,
    )  # fmt: skip
    assert code == 0, err
    assert "the test decided for 2 points, against 0" in out
    assert (tmp_path / "l.jsonl").read_text().count("\n") % 3 == 0


def test_budgets_are_for_those_who_name_none():
    name = kibitz.api.with_budget
    assert name("flat", ms=5) == "flat:ms=5"
    assert name("flat:explore=2", sims=10) == "flat:explore=2,sims=10"
    assert name("flat:sims=7", ms=5) == "flat:sims=7"
    assert name("default", ms=5) == "default:ms=5"
    assert name("openspiel:bot=cpp", sims=5) == "openspiel:bot=cpp,sims=5"
    for other in ("rule", "random", "club"):
        assert name(other, ms=5) == other


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["uno", "rule"], "2 seats"),
        (["uno", "rule", "rule", "rule"], "2 seats"),
        (["uno", "rule", "nobody"], "no agent 'nobody'"),
        (["uno", "rule", "random", "--sprt", "5"], "two numbers"),
        (["uno", "rule", "random", "--sprt", "5,1"], "the lower first"),
        (["uno", "rule", "random", "--luckless"], "for the test of --sprt"),
        (["uno", "rule", "random", "--games", "0"], "at least 1"),
        (["uno", "rule", "random", "--jobs", "0"], "at least 1"),
        (["uno", "rule", "random", "--engine", "rey"], "local or ray"),
        (["uno", "rule", "random", "--address", "x"], "goes with --engine ray"),
        (["uno", "rule", "random", "--results", "/dev/null/x"], "cannot keep results"),
    ],
)
def test_mistakes_are_told_in_one_line(run, tmp_path, monkeypatch, words, said):
    monkeypatch.setenv("KIBITZ_DATA_DIR", str(tmp_path))
    code, out, err = run("match", *words)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert said in err
