"""What time tells: when players are heard has nothing to do with whether they had a choice."""

import asyncio
import json
from random import Random

import pytest

import kibitz
from kibitz.agents import methods
from kibitz.house import House, Sitting, fair
from kibitz.house.desk import Desk
from kibitz.protocol.pace import Pace
from kibitz.protocol.session import Limits, Session
from kibitz.protocol.work import Work


class Hurried(asyncio.SelectorEventLoop):
    """A loop whose clock jumps to the next thing that is due: nobody waits, and nothing is late."""

    def __init__(self):
        super().__init__()
        self.now = 0.0
        self._select = self._selector.select
        self._selector.select = self._jump

    def _jump(self, timeout=None):
        if timeout is None:
            raise AssertionError("it waits for what never comes")
        self.now += timeout
        return self._select(0)

    def time(self):
        return self.now


def heard(monkeypatch, rules, level, took):
    """For each move of the players in some rounds: whether it was forced, how long the player
    thought, and how long the person waited. `took(forced, number)` says how long they think."""
    loop, found, rounds = Hurried(), [], 3

    async def do(self, job):
        return job()

    async def once(self, client, job, *, limited=True):
        view = job.__closure__[[*job.__code__.co_freevars].index("view")].cell_contents
        forced = len(view.actions) == 1
        seconds = took(forced, len(found))
        found.append([forced, seconds, loop.time()])
        await asyncio.sleep(seconds)
        return view.actions[0]

    async def talk():
        said, work = [], Work()
        session = Session(
            House(), work, lambda line: said.append((loop.time(), json.loads(line))),
            Limits(rate=1e9, burst=1e9), clock=loop.time,
        )  # fmt: skip
        for number in range(rounds):
            session.receive(json.dumps({"id": "c", "do": "commit"}))
            at = {"table": said[-1][1]["table"]}
            deal = {"do": "deal", **at, "nonce": f"{number:032x}", "game": "blob", "rules": rules}
            session.receive(json.dumps({"id": "d", **deal, "opponents": [level]}))
            await session.finish()
            at["token"] = [line["token"] for _, line in said if line["id"] == "d"][-1]
            while said[-1][1]["outcome"] is None:
                move = said[-1][1]["view"]["legal"][-1]
                session.receive(json.dumps({"id": "p", "do": "play", **at, "move": move}))
                await session.finish()
        work.close()
        began = {began for _, _, began in found}
        moves = [when for when, frame in said if frame["is"] == "table" and frame["id"] is None]
        assert len(moves) == len(began) == len(found)
        return [(f, t, when - began) for (f, t, began), when in zip(found, moves, strict=True)]

    monkeypatch.setattr(Desk, "do", do)
    monkeypatch.setattr(Work, "once", once)
    try:
        return loop.run_until_complete(talk())
    finally:
        loop.close()


TABLES = [{"players": 8, "cards": 6}, {"players": 4, "cards": 13}]


@pytest.mark.parametrize("rules", TABLES, ids=["8x6", "4x13"])
def test_forced_and_free_moves_are_heard_after_the_same_time(monkeypatch, rules):
    """Free moves take long, more than the time that is fixed some times, and forced ones none; what
    is heard is what the moves before made of it, whatever this one was."""
    seconds = [0.05, 0.2, 0.24, 0.26, 0.4, 1.3]
    pace = Pace()
    found = heard(
        monkeypatch, rules, "club", lambda forced, n: 0.001 if forced else Random(n).choice(seconds)
    )
    assert sum(forced for forced, *_ in found) > 10
    assert sum(took > waited for _, took, waited in found) > 0
    for _, took, waited in found:
        assert waited == pytest.approx(pace.due("", 0.25))  # known before this move was begun
        pace.took("", min(took, waited))


def test_a_move_that_comes_too_late_is_made_by_a_quick_player(monkeypatch):
    found = heard(monkeypatch, {"players": 3, "cards": 2}, "master", lambda forced, n: 100.0)
    assert max(waited for *_, waited in found) == 10.0


def test_what_was_slow_once_is_forgotten():
    pace = Pace()
    assert pace.due("x", 0.25) == 1.0  # nobody knows yet
    pace.took("x", 0.01)
    assert pace.due("x", 0.25) == 0.25
    pace.took("x", 0.3)
    assert pace.due("x", 0.25) == 0.5
    for _ in range(100):
        pace.took("x", 0.1)
    assert pace.due("x", 0.25) == 0.25


@pytest.mark.parametrize("level", ["club", "master"])
@pytest.mark.parametrize("rules", [kibitz.rules("uno"), kibitz.rules("blob", cards=2)], ids=str)
def test_who_has_no_choice_thinks_as_hard(monkeypatch, rules, level):
    """A search as of a free move, on the same budget; the agents of matches save it."""
    ran = []
    run = methods.search_block
    monkeypatch.setattr(methods, "search_block", lambda *a: ran.append(run(*a)) or ran[-1])
    players = ["you", *[level] * (rules.seats - 1)]
    sitting = Sitting.open(
        "t", "t", rules, players, 0, secret="0" * fair.DIGITS, nonce="0" * 32, luck=1
    )
    quick, source = kibitz.agent("rule", rules.game), kibitz.generator(1, stream=1)
    work = {True: [], False: []}
    while not (sitting.over or (work[True] and work[False])):
        choice = sitting.choice()
        if choice is None:
            sitting.play(sitting.view.text(quick.decide(sitting.view, source).action))
            continue
        player, view, generator = choice
        assert player.steady
        ran.clear()
        sitting.answer(player.decide(view, generator).action)
        work[len(view.actions) == 1].append(sum(ran))
    assert min(work[True]) > 0
    if level == "club":  # by simulations; master's are by time
        assert set(work[True]) == set(work[False])
        if len(view.actions) == 1:
            ran.clear()
            kibitz.agent(level, rules.game).decide(view, generator)
            assert not ran
