"""Sessions without a server: who moves when, what is charged for, and what time tells."""

import asyncio
import gc
import json
import weakref
from itertools import count

import pytest

import kibitz
from kibitz.agents import methods
from kibitz.beliefs.cache import CACHE
from kibitz.house import House, Storage
from kibitz.protocol.session import LOCAL, Limits, Session
from kibitz.protocol.work import Work
from kibitz.search.search import Tree

UNO = ["deal 0 R5 R9 Y2 Y7 G3 GS W", "deal 1 7", "top R3"]


class Client:
    """A session that is spoken to directly."""

    def __init__(self, house, work, hub, limits=LOCAL, **options):
        self.said = []
        self.session = Session(house, work, self._hear, limits, hub=hub, **options)
        self._ids = count(1)

    def _hear(self, line):
        self.said.append(json.loads(line))

    def say(self, **request):
        id = request.get("id", str(next(self._ids)))
        self.session.receive(json.dumps({"id": id, **request}))
        return id

    async def send(self, **request):
        """The answer, however much goes on after it."""
        id, heard = self.say(**request), len(self.said)
        async with asyncio.timeout(60):
            while True:
                for answer in self.said[max(0, heard - 1) :]:
                    if answer["id"] == id:
                        return answer
                await asyncio.sleep(0.001)

    async def ask(self, **request):
        self.say(**request)
        await self.session.finish()
        return self.said[-1]

    async def deal(self, game="uno", level="casual", **more):
        table = (await self.send(do="commit"))["table"]
        said = {"game": game, "opponents": [level], "nonce": "0123456789abcdef" * 2, **more}
        found = await self.send(do="deal", table=table, **said)
        return found, {"table": table, "token": found.get("token")}


def meeting(talk, limits=LOCAL, clients=2, **options):
    """Let some clients of one house talk."""

    async def main():
        work, house, hub = Work(), House(), {}
        there = [Client(house, work, hub, limits, **options) for _ in range(clients)]
        try:
            await talk(*there)
        finally:
            for each in there:
                each.session.close()
            work.close()

    asyncio.run(main())


# --- two at one table --------------------------------------------------------------------------


def test_a_grade_of_a_move_that_another_took_back_is_no_fault():
    async def talk(first, second):
        frame, at = await first.deal("blob", coach=True)
        await second.send(do="sit", **at)
        await first.send(do="play", **at, move=frame["view"]["legal"][0])
        await second.send(do="undo", **at)  # before the grade is begun
        await first.session.finish()
        await second.session.finish()
        assert not [said for said in first.said + second.said if said["is"] == "error"]
        assert second.said[-1]["view"]["plies"] == 0

    meeting(talk)


def test_agents_go_on_for_others_when_one_who_never_sat_down_leaves():
    async def talk(first, second):
        frame, at = await second.deal("blob", "club", rules={"players": 3, "cards": 2})
        await first.send(do="play", **at, move=frame["view"]["legal"][0])
        first.session.close()
        await second.session.finish()
        assert second.said[-1]["thinking"] is None

    meeting(talk)


def test_who_takes_over_and_leaves_at_once_hands_on():
    async def talk(first, second, third):
        frame, at = await first.deal("blob", "club", rules={"players": 3, "cards": 2})
        for each in (second, third):
            await each.send(do="sit", **at)
        await first.send(do="play", **at, move=frame["view"]["legal"][0])
        for each in (first, second):
            each.session.close()
        await third.session.finish()
        assert third.said[-1]["thinking"] is None

    meeting(talk, clients=3)


def test_a_table_that_another_program_went_on_with_is_read_again(tmp_path):
    one, two = House(Storage(tmp_path)), House(Storage(tmp_path))
    id, _ = one.commit()
    rules = kibitz.rules("blob", players=2, cards=2)
    sitting = one.deal(id, "0123456789abcdef" * 2, rules, ["casual"])
    other = two.find(id, sitting.token)
    other.play(other.view.legal[0])
    two.save(other)
    assert one.find(id, sitting.token).table.plies == 1


# --- what is asked too often -------------------------------------------------------------------


def test_no_more_than_so_many_tables_are_looked_at():
    async def talk(client, _):
        dealt = [await client.deal() for _ in range(5)]
        assert {frame["is"] for frame, _ in dealt} == {"table"}
        assert len(client.session.tables._tokens) == len(client.session.tables._hub) == 3
        for _, at in dealt:  # those that were left are found again
            assert (await client.ask(do="sit", **at))["is"] == "table"
        await client.session.finish()
        for _ in range(3):
            frame, _ = await client.deal("blob", "club", seat=1)
            assert frame.get("thinking") == 0, frame
        refused, _ = await client.deal()
        assert (refused["is"], refused["code"]) == ("error", "busy")

    meeting(talk, Limits(tables=3))


def test_a_game_at_a_table_has_an_end():
    async def talk(client, _):
        said, _ = await client.deal(rules={"max_plies": 101})
        assert (said["is"], said["code"]) == ("error", "refused")
        assert "100 at most" in said["message"]
        said, _ = await client.deal(rules={"max_plies": 100})
        assert said["is"] == "table"

    meeting(talk, Limits(plies=100))


def test_a_told_game_has_an_end():
    async def talk(client, _):
        by_events = (await client.ask(do="new", game="uno", events=UNO))["game_id"]
        told = {"hand": "R5 R9 Y2 Y7 G3 GS W", "top": "R3"}
        in_words = (await client.ask(do="new", game="uno", told=told))["game_id"]
        for said in ("R9", "draw"):
            assert (await client.send(do="tell", game_id=in_words, said=said))["is"] == "game"
        assert (await client.send(do="tell", game_id=in_words, said="R5"))["code"] == "refused"
        events = ["0 plays R9", "1 draws 1"]
        by = {"do": "event", "game_id": by_events}
        assert (await client.send(**by, events=[*events, "0 plays R5"]))["code"]
        assert (await client.send(**by, events=events))["is"] == "game"
        assert (await client.send(do="correct", game_id=by_events))["view"]["plies"] == 0

    meeting(talk, Limits(events=5))


@pytest.mark.parametrize("wrong", ["1 plays R5", "0 plays B1", "nonsense"])
def test_an_event_that_cannot_be_changes_nothing(wrong):
    async def talk(client, _):
        game = (await client.ask(do="new", game="uno", events=UNO))["game_id"]
        lines = ["0 plays R9", "1 draws 1"]
        wrongly = await client.send(do="event", game_id=game, events=[*lines, wrong])
        assert wrongly["is"] == "error"
        found = await client.send(do="event", game_id=game, events=lines)
        rules = kibitz.rules("uno")
        events = [kibitz.game_of(rules).parse_event(line) for line in UNO + lines]
        expected = kibitz.view_of(rules, 0, events)
        assert found["view"] == json.loads(json.dumps(expected.to_dict()))

    meeting(talk)


def test_what_costs_much_is_charged_for():
    async def talk(client, _):
        found = [await client.send(do="hello") for _ in range(12)]
        kinds = [said["is"] for said in found]
        assert kinds.index("error") < 6
        late = found[-1]
        assert (late["code"], late["id"]) == ("too-fast", "12")  # the asker knows which

    meeting(talk, Limits(rate=0.001, burst=50), clock=lambda: 0.0)


# --- who leaves --------------------------------------------------------------------------------


def test_searches_of_one_who_left_end_at_once_and_give_their_memory_back(monkeypatch):
    """Without a search for cycles, which comes late where few objects hold much memory."""
    trees, said, limits = [], [], Limits(rate=1e9, burst=1e9, any_agent=True)

    class Watched(Tree):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            trees.append(weakref.ref(self))

    def found():
        return sum(json.loads(line)["is"] == "analysis" for line in said)

    def ask(session, **request):
        session.receive(json.dumps({"id": str(len(said)), **request}))
        return json.loads(said[-1])

    async def main():
        work, house, hub = Work(), House(), {}
        session = Session(house, work, said.append, limits, hub=hub)
        game = ask(session, do="new", game="uno", events=UNO)["game_id"]
        table = ask(session, do="commit")["table"]
        deal = {"game": "uno", "opponents": ["casual"], "nonce": "0123456789abcdef" * 2}
        ask(session, do="deal", table=table, **deal)
        await session.finish()
        token = json.loads(said[-1])["token"]
        ask(session, id="a", do="believe", game_id=game)
        ask(session, id="b", do="belief", table=table, token=token)
        many = {"agent": "pomcp:keep=0", "sims": 2_000_000, "every_ms": 20, "game_id": game}
        for seed in (1, 2):
            ask(session, id=str(seed), do="analyse", **many, seed=seed)
        while found() < 4:
            await asyncio.sleep(0.01)
        tasks = list(session._tasks)
        session.close()
        await asyncio.wait(tasks)
        told = found()
        left = weakref.ref(session)
        del tasks, session
        assert len(trees) == 2
        while left() or any(tree() for tree in trees):  # the thread lets go of the last step
            await asyncio.sleep(0.01)
        for kept in (work._jobs, work._places, work._there, work._waiting, hub):
            assert not kept
        await work.once("another", lambda: None)  # nothing is in its way
        assert found() == told
        work.close()

    monkeypatch.setattr(methods, "Tree", Watched)
    gc.collect()
    gc.disable()
    try:
        asyncio.run(asyncio.wait_for(main(), 600))
    finally:
        gc.enable()


# --- the same again ------------------------------------------------------------------------------


def test_a_hint_and_an_analysis_are_the_same_when_they_are_asked_for_again():
    async def talk(first, second):
        _, at = await first.deal("blob", rules={"players": 2, "cards": 3})
        await first.session.finish()
        hints = []
        for _ in range(2):
            CACHE.clear()
            hints.append(await first.ask(do="hint", **at) | {"id": ""})
        assert hints[0]["is"] == "analysis"
        assert hints[0]["final"]
        assert hints[0] == hints[1]
        analyses = []
        for client in (first, second):
            CACHE.clear()
            made = await client.ask(do="new", game="uno", events=UNO)
            asked = {"do": "analyse", "game_id": made["game_id"]}
            analyses.append(await client.ask(**asked) | {"id": ""})
        assert analyses[0] == analyses[1]
        timed = await second.ask(**asked, ms=20)
        assert not any("another time" in said for said in analyses[0]["why"])
        assert any("another time" in said for said in timed["why"])

    meeting(talk)


def test_a_number_is_taken_where_a_text_is_wanted():
    async def talk(client, _):
        def say(**request):
            client.session.receive(json.dumps(request))
            return client.said[-1]

        assert say(id=7, do="version")["id"] == "7"
        told = {"hand": "AS KH 3D", "trump": "H"}
        rules = {"players": 2, "cards": 3, "dealer": 1}
        say(id=8, do="new", game="blob", rules=rules, told=told)
        await client.session.finish()
        found = client.said[-1]
        assert found["id"] == "8"
        assert say(id=9, do="tell", game_id=found["game_id"], said=1)["said"] == ["1"]
        wrong = say(id=10, do="tell", game_id=found["game_id"], said=True)
        assert (wrong["id"], wrong["code"]) == ("10", "bad-request")

    meeting(talk)
