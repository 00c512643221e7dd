"""What is kept: files of an earlier version, rows that cannot be read, what is forgotten, and that
nobody waits for the disk."""

import asyncio
import json
import shutil
import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path
from typing import ClassVar

import pytest

import kibitz
from kibitz.house import storage as kept
from kibitz.protocol import messages
from kibitz.protocol.session import LOCAL, Session
from kibitz.protocol.work import Work
from kibitz.table import Table

OLD = Path(__file__).parent / "data" / "kibitz-1.sqlite"
"""Made by the last Kibitz that wrote version 1, by playing: four games, three of them by a visitor
who set something, one reviewed; and a visitor who did nothing."""
VISITOR = "C8AZs886DIak9GdcjVhDcw"
NONCE = "0123456789abcdef" * 2
BLOB = kibitz.rules("blob", players=2, cards=2)
DAY = kept.DAY


@pytest.fixture
def folder(tmp_path):
    """One with a file of the version before."""
    shutil.copy(OLD, tmp_path / "kibitz.sqlite")
    return tmp_path


def opened(house, rules=BLOB, opponents=("casual",), **options):
    table, _ = house.commit()
    return house.deal(table, NONCE, rules, list(opponents), **options)


def finished(house, **options):
    sitting = opened(house, **options)
    while not sitting.over:
        choice = sitting.choice()
        if choice is None:
            sitting.play(sitting.view.legal[0])
        else:
            player, view, generator = choice
            sitting.answer(player.decide(view, generator).action)
        house.save(sitting)
    return sitting


def rows(path, query):
    with closing(sqlite3.connect(path)) as file:
        return file.execute(query).fetchall()


# --- a file of the version before ----------------------------------------------------------------


def test_a_file_of_the_version_before_is_taken_over(folder):
    before = rows(folder / "kibitz.sqlite", "SELECT * FROM games ORDER BY id")
    contents = rows(OLD, "SELECT content, plies, over FROM games")
    house = kibitz.House(kibitz.Storage(folder))
    assert rows(folder / "kibitz.sqlite", "PRAGMA user_version") == [(kept.VERSION,)]
    _, settings, saved, unreadable = house.visitor(VISITOR)
    assert (settings, unreadable) == ({"theme": "dark"}, 0)
    assert [game["title"] for game in saved] == [
        "blob(players=3, cards=3) against casual", "uno against novice", "uno against casual"
    ]  # fmt: skip
    for content, plies, over in contents:
        old = json.loads(content)
        sitting = house.find(old["id"], old["token"])
        assert (sitting.table.plies, sitting.over) == (plies, bool(over))
        assert sitting.to_dict() == old
        if over:
            share = sitting.share
    found = house.finished(share)
    assert found.review == {"kept": True}
    assert Table.replay(found.record).over
    finished(house)  # and new ones go beside them
    # as it was, for whoever goes back, and for nobody else
    backup = folder / "kibitz-1.sqlite"
    assert rows(backup, "SELECT * FROM games ORDER BY id") == before
    assert rows(backup, "PRAGMA user_version") == [(1,)]
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600


def test_a_file_that_cannot_be_taken_over_stays_as_it_was(folder, monkeypatch):
    before = rows(folder / "kibitz.sqlite", "SELECT * FROM games")
    monkeypatch.setattr(kept, "_SCHEMA", kept._SCHEMA + "; CREATE TABLE reviews (wrong)")
    with pytest.raises(kibitz.KibitzError, match="cannot keep games"):
        kibitz.Storage(folder)
    assert rows(folder / "kibitz.sqlite", "PRAGMA user_version") == [(1,)]
    assert rows(folder / "kibitz.sqlite", "SELECT * FROM games") == before
    monkeypatch.undo()
    assert len(kibitz.House(kibitz.Storage(folder)).visitor(VISITOR).saved) == 3


def test_nothing_is_taken_over_without_a_backup(folder):
    (folder / "kibitz-1.sqlite").mkdir()
    with pytest.raises(kibitz.KibitzError, match="cannot keep games"):
        kibitz.Storage(folder)
    assert rows(folder / "kibitz.sqlite", "PRAGMA user_version") == [(1,)]


# --- what cannot be read -------------------------------------------------------------------------

SPOILT = {
    "torn": lambda content: content[:100],
    "no object": lambda content: "[1]",
    "empty": lambda content: "{}",
    "unknown rule": lambda content: content.replace('\\"hand_size\\"', '\\"hand_sise\\"'),
    "unknown game": lambda content: content.replace('\\"uno\\"', '\\"whist\\"'),
    "no such player": lambda content: content.replace('\\"novice\\"', '\\"nobody\\"'),
    "no such field": lambda content: content.replace('"undone"', '"undid"'),
}


def spoil(path, how):
    """Spoil the game against `novice`; its id and token come back."""
    with closing(sqlite3.connect(path)) as file, file:
        id, content = file.execute(
            "SELECT id, content FROM games WHERE content LIKE '%novice%'"
        ).fetchone()
        assert SPOILT[how](content) != content
        file.execute("UPDATE games SET content = ? WHERE id = ?", (SPOILT[how](content), id))
    return id, json.loads(content)["token"]


@pytest.mark.parametrize("how", SPOILT)
@pytest.mark.parametrize("before", [True, False], ids=["taken over", "today's"])
def test_a_game_that_cannot_be_read_spoils_no_other(folder, caplog, how, before):
    path = folder / "kibitz.sqlite"
    if not before:
        kibitz.Storage(folder).close()
    id, token = spoil(path, how)
    house = kibitz.House(kibitz.Storage(folder))
    _, settings, saved, unreadable = house.visitor(VISITOR)
    assert settings == {"theme": "dark"}
    assert len(saved) + unreadable == 3
    assert len(house.saved()[0]) == len(saved) + 1
    with pytest.raises(kibitz.KibitzError, match=r"cannot be read|no such table"):
        house.find(id, token)
    assert f"game {id} cannot be read" in caplog.text
    others = [game for game in saved if game["table"] != id]
    assert len(others) == 2
    for game in others:
        house.find(game["table"], game["token"])


def test_games_that_cannot_be_listed_are_told_in_the_lobby(folder):
    spoil(folder / "kibitz.sqlite", "torn")
    house, said = kibitz.House(kibitz.Storage(folder)), []

    async def talk():
        session = Session(house, Work(), lambda line: said.append(json.loads(line)), LOCAL)
        session.receive(json.dumps({"id": "1", "do": "hello", "visitor": VISITOR}))
        await session.finish()

    asyncio.run(talk())
    assert (len(said[0]["saved"]), said[0]["unreadable"]) == (2, 1)


def test_settings_and_reviews_that_cannot_be_read_are_made_anew(tmp_path):
    house = kibitz.House(kibitz.Storage(tmp_path))
    name = house.visitor(None).name
    house.set(name, {"theme": "dark"})
    share = finished(house, visitor=name).share
    house.keep_review(share, {"kept": True})
    with closing(sqlite3.connect(tmp_path / "kibitz.sqlite")) as file, file:
        file.execute("UPDATE visitors SET settings = '{'")
        file.execute("UPDATE reviews SET content = '['")
    assert house.visitor(name).settings == {}
    assert len(house.visitor(name).saved) == 1
    assert house.finished(share).review is None


# --- what is forgotten ---------------------------------------------------------------------------


@pytest.fixture
def later(tmp_path):
    """A house whose clock can be put on, and the clock."""
    now = [2e9]
    return kibitz.House(kibitz.Storage(tmp_path), clock=lambda: now[0]), now


def there(house, sitting):
    return house.storage.find(sitting.id) is not None


def test_games_nobody_comes_back_to_are_forgotten(later):
    house, now = later
    left, looked_at, over, read = opened(house), opened(house), finished(house), finished(house)
    house.keep_review(over.share, {"kept": True})
    now[0] += kept.UNFINISHED - DAY
    house.forget()
    assert there(house, left)
    house.find(looked_at.id, looked_at.token)
    now[0] += 2 * DAY
    house.forget()
    assert not there(house, left)
    assert there(house, looked_at)
    with pytest.raises(kibitz.NotFound):
        house.find(left.id, left.token)
    now[0] += kept.FINISHED - kept.UNFINISHED - 2 * DAY
    house.finished(read.share)
    now[0] += 2 * DAY
    house.forget()
    assert [there(house, each) for each in (over, read)] == [False, True]
    assert house.storage._file.execute("SELECT count(*) FROM reviews").fetchone() == (0,)


def test_visitors_who_left_nothing_are_forgotten(later):
    house, now = later
    stranger, careful, player = (house.visitor(None).name for _ in range(3))
    house.set(careful, {"theme": "dark"})
    game = finished(house, visitor=player)
    now[0] += kept.STRANGER + 1
    house.forget()
    assert house.storage.visitor(stranger) is None
    assert house.visitor(careful).settings == {"theme": "dark"}
    now[0] += kept.VISITOR - 1
    house.visitor(careful)
    house.finished(game.share)
    now[0] += 2 * DAY
    house.forget()
    assert house.storage.visitor(careful) is not None  # it was here
    assert len(house.storage.visitor(player).games) == 1  # and has a game
    now[0] += kept.VISITOR + 1
    house.forget()
    assert house.storage.visitor(careful) is None
    assert house.storage.visitor(player) is None
    assert not there(house, game)


def test_much_is_forgotten_a_little_at_a_time(later, monkeypatch):
    house, now = later
    for _ in range(7):
        house.visitor(None)
    now[0] += 2 * DAY
    monkeypatch.setattr(kept, "AT_ONCE", 3)
    monkeypatch.setattr("kibitz.house.house.AT_ONCE", 3)
    assert house.storage.forget(now[0]) == 3
    house.forget()
    assert house.storage._file.execute("SELECT count(*) FROM visitors").fetchone() == (0,)


# --- promises ------------------------------------------------------------------------------------


def test_a_promise_is_not_pushed_out_by_others(later):
    house, _ = later
    table, promised = house.commit()
    assert len({house.commit() for _ in range(20_000)}) == 20_000
    sitting = house.deal(table, NONCE, BLOB, ["casual"])
    assert sitting.frame()["commitment"] == promised


def test_promises_are_those_of_this_house_and_end(later):
    house, now = later
    table, _ = house.commit()
    for at in (0, -20, -1):  # of the token, the hour, the seal
        other = "0" if table[at] != "0" else "1"
        wrong = f"{table[:at]}{other}{table[at:][1:]}"
        with pytest.raises(kibitz.NotFound, match="ask for a commitment"):
            house.deal(wrong, NONCE, BLOB, ["casual"])
    for wrong in ("", "x" * 40, "\0ü" * 20):
        with pytest.raises(kibitz.NotFound, match="ask for a commitment"):
            house.deal(wrong, NONCE, BLOB, ["casual"])
    with pytest.raises(kibitz.NotFound, match="ask for a commitment"):
        kibitz.House().deal(table, NONCE, BLOB, ["casual"])
    now[0] += 26 * 3600
    with pytest.raises(kibitz.NotFound, match="ask for a commitment"):
        house.deal(table, NONCE, BLOB, ["casual"])


def test_secrets_follow_from_nothing_that_is_told():
    one, other = kibitz.House(token=lambda: "same"), kibitz.House(token=lambda: "same")
    assert one.secret("table") == one.secret("table")
    assert len({one.secret("table"), one.secret("tablf"), other.secret("table")}) == 3


# --- nobody waits for the disk -------------------------------------------------------------------


def talking(house, talk):
    """Let `talk` ask a session of the house; it may also look at what was said and done."""

    async def main():
        said, work = [], Work()
        session = Session(house, work, lambda line: said.append(json.loads(line)), LOCAL)

        async def ask(**request):
            session.receive(json.dumps({"id": str(len(said)), **request}))
            await session.finish()
            return said[-1]

        try:
            await talk(session, said, ask)
        finally:
            session.close()
            work.close()

    asyncio.run(main())


def test_a_program_that_writes_keeps_only_those_who_write_waiting(tmp_path):
    """While it does, others are answered, those who only look at their tables among them; then the
    move is made, once."""
    house = kibitz.House(kibitz.Storage(tmp_path))

    async def talk(session, said, ask):
        other = opened(house)
        table = (await ask(do="commit"))["table"]
        deal = {"nonce": NONCE, "game": "blob", "rules": {"players": 2, "cards": 2}}
        frame = await ask(do="deal", table=table, **deal, opponents=["casual"])
        at = {"table": table, "token": frame["token"]}
        with closing(sqlite3.connect(tmp_path / "kibitz.sqlite", isolation_level=None)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            move = {"do": "play", **at, "move": frame["view"]["legal"][0]}
            session.receive(json.dumps({"id": "move", **move}))
            second = Session(house, session.work, lambda line: said.append(json.loads(line)), LOCAL)
            sit = {"do": "sit", "table": other.id, "token": other.token}
            second.receive(json.dumps({"id": "look", **sit}))
            await second.finish()
            second.receive(json.dumps({"id": "v", "do": "version"}))
            assert [line["id"] for line in said[-2:]] == ["look", "v"]
            assert not any(line["id"] == "move" for line in said)
            writer.execute("ROLLBACK")
        await session.finish()
        second.close()
        (answer,) = (line for line in said if line["id"] == "move")
        assert answer["view"]["plies"] == 1

    talking(house, talk)


def test_a_change_that_cannot_be_written_for_long_is_refused_and_did_not_happen(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("kibitz.house.desk.PATIENCE", 0.05)
    house = kibitz.House(kibitz.Storage(tmp_path))

    async def talk(session, said, ask):
        sitting = opened(house)
        at = {"table": sitting.id, "token": sitting.token}
        with closing(sqlite3.connect(tmp_path / "kibitz.sqlite", isolation_level=None)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            answer = await ask(do="play", **at, move=sitting.view.legal[0])
            assert answer["code"] == "refused"
            assert "cannot be read or written now" in answer["message"]
            writer.execute("ROLLBACK")
        assert (await ask(do="sit", **at))["view"]["plies"] == 0

    talking(house, talk)


class Counting(sqlite3.Connection):
    """Notes what is read and written, and in which thread."""

    ran: ClassVar = []

    def execute(self, query, *rest):
        self.ran.append((threading.get_ident(), query))
        return super().execute(query, *rest)


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """A house, and what its file was asked since it was last looked at."""
    connect = sqlite3.connect
    monkeypatch.setattr(kept.sqlite3, "connect", lambda *a, **o: connect(*a, factory=Counting, **o))
    house = kibitz.House(kibitz.Storage(tmp_path))
    Counting.ran.clear()

    def asked():
        found = [query for thread, query in Counting.ran]
        assert not any(thread == threading.get_ident() for thread, _ in Counting.ran)
        Counting.ran.clear()
        return [query for query in found if not query.startswith("PRAGMA")]

    return house, asked


def test_a_message_reads_the_file_once_and_never_in_the_loop(counted):
    house, asked = counted

    def reads():
        return [query for query in asked() if query.startswith("SELECT")]

    async def talk(session, said, ask):
        visitor = (await ask(do="hello"))["visitor"]
        assert reads() == []
        await ask(do="hello", visitor=visitor)
        assert len(reads()) == 1
        await ask(do="settings", visitor=visitor, settings={"theme": "dark"})
        assert reads() == []
        table = (await ask(do="commit"))["table"]
        deal = {"nonce": NONCE, "game": "blob", "rules": {"players": 2, "cards": 2}}
        frame = await ask(
            do="deal", table=table, **deal, opponents=["casual"], coach=True, visitor=visitor
        )
        assert reads() == []
        at = {"table": table, "token": frame["token"]}
        await ask(do="sit", **at)
        assert len(reads()) == 1
        house._open.clear()  # nobody was there for a long time
        await ask(do="sit", **at)
        assert len(reads()) == 1
        await ask(do="belief", **at)
        assert len(reads()) == 1
        session.receive(
            json.dumps({"id": "p", "do": "play", **at, "move": frame["view"]["legal"][0]})
        )
        while not any(line["id"] == "p" for line in said):
            await asyncio.sleep(0.001)
        assert len(reads()) <= 2  # the move, and perhaps the first look at what the others do
        await session.finish()
        asked()
        frame = said[-1]
        while frame["outcome"] is None:
            frame = await ask(do="play", **at, move=frame["view"]["legal"][0])
            await session.finish()
            frame = said[-1] if said[-1]["is"] == "table" else frame
        reads()
        await ask(do="review-shared", share=frame["reveal"]["share"])
        assert len(reads()) == 1
        await ask(do="review-shared", share="nothing")
        assert len(reads()) == 1

    talking(house, talk)


# --- what is made once ---------------------------------------------------------------------------


def test_a_frame_is_made_once_for_all_who_look(monkeypatch):
    made, frames, text, frame = [], [], messages.to_text, kibitz.Sitting.frame
    monkeypatch.setattr(messages, "to_text", lambda a: made.append(a) or text(a))
    monkeypatch.setattr(kibitz.Sitting, "frame", lambda s: frames.append(s) or frame(s))
    house = kibitz.House()

    async def talk():
        work, hub, said = Work(), {}, [[] for _ in range(40)]
        there = [Session(house, work, lines.append, LOCAL, hub=hub) for lines in said]
        sitting = opened(house, kibitz.rules("uno"))
        at = {"table": sitting.id, "token": sitting.token}
        for each in there:
            each.receive(json.dumps({"id": "s", "do": "sit", **at}))
            await each.finish()
        made.clear()
        frames.clear()
        undo = {"do": "undo", **at}
        move = {"do": "play", **at, "move": sitting.view.legal[0]}
        there[0].receive(json.dumps({"id": "p", **move}))
        there[0].receive(json.dumps({"id": "u", **undo}))
        for each in there:
            await each.finish()
        changes = len(said[1]) - 1
        assert changes >= 2
        assert all(len(lines) == changes + 1 for lines in said)
        assert len({lines[-1] for lines in said[1:]}) == 1
        assert len(frames) == changes
        assert len(made) == 2 * changes  # for who asked, and for all the others
        for each in there:
            each.close()
        work.close()

    asyncio.run(talk())


def test_a_message_is_parsed_once(monkeypatch):
    parsed = []

    class Watched:
        def __init__(self, adapter):
            self.adapter = adapter

        def validate_json(self, text):
            parsed.append(text)
            return self.adapter.validate_json(text)

        def validate_python(self, said):
            return self.adapter.validate_python(said)

    for name in ("REQUESTS", "LOOSE"):
        monkeypatch.setattr(messages, name, Watched(getattr(messages, name)))

    async def talk(session, said, ask):
        assert (await ask(do="version"))["is"] == "version"
        assert len(parsed) == 1
        assert (await ask(do="nothing"))["code"] == "bad-request"
        assert len(parsed) == 2

    talking(kibitz.House(), talk)
