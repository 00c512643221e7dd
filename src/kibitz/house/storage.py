"""Storage: games, settings and reviews in one SQLite file.

Written ahead (WAL): what was acknowledged is there after the process was killed at any moment. A
game is one row; it carries a number that counts its changes, and a change is written only over the
one before it, so that two servers on one file cannot undo each other's moves unseen. What a list of
games shows stands in columns of its own: a game that cannot be read spoils no list.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from kibitz.games import rules_from_dict
from kibitz.games.base import KibitzError
from kibitz.house.sitting import title

log = logging.getLogger("kibitz")

VERSION = 2
DAY = 24 * 3600.0
UNFINISHED = 90 * DAY
"""Seconds after which a game is forgotten that nobody went on with or looked at."""
FINISHED = 400 * DAY
"""The same for one that is over, counted from when it was last looked at."""
STRANGER = 1 * DAY
"""The same for a visitor that set nothing and has no game."""
VISITOR = 400 * DAY
"""The same for one that did, but has no game; those with games stay as long as their games."""
AT_ONCE = 200
"""Rows that are forgotten in one go, so that nobody waits long for the file."""


class WentOn(KibitzError):
    """Another program wrote a later move of the same game."""


class Locked(KibitzError):
    """Another program is writing to the file: what failed can be tried again."""


class Unreadable(KibitzError):
    """A row that this version cannot read: broken, or made by rules that it does not know."""


_TOLD = "games.id, games.token, game, title, plies, over, games.updated"
MOST_LISTED = 50
"""Games in a list of them."""


class Kept(NamedTuple):
    """A game as it is kept."""

    number: int
    token: str
    content: str | None
    """None if it is the one known already."""
    seen: float
    """When it was last looked at, to the day."""


class Shared(NamedTuple):
    """A finished game as it is kept."""

    id: str
    content: str
    seen: float
    review: dict[str, Any] | None


class Visitor(NamedTuple):
    settings: dict[str, Any]
    seen: float
    """When it was last here, to the day."""
    games: list[dict[str, Any]]


_SCHEMA = """
CREATE TABLE games (
    id TEXT PRIMARY KEY,
    visitor TEXT,
    share TEXT UNIQUE,
    game TEXT NOT NULL,
    title TEXT NOT NULL,
    token TEXT NOT NULL,
    number INTEGER NOT NULL,
    plies INTEGER NOT NULL,
    over INTEGER NOT NULL,
    created REAL NOT NULL,
    updated REAL NOT NULL,
    seen REAL NOT NULL,
    content TEXT NOT NULL
) STRICT;
CREATE INDEX games_of_visitor ON games (visitor, updated);
CREATE INDEX games_not_seen ON games (over, seen);
CREATE TABLE visitors (id TEXT PRIMARY KEY, settings TEXT NOT NULL, updated REAL NOT NULL) STRICT;
CREATE TABLE reviews (
    share TEXT PRIMARY KEY, content TEXT NOT NULL, created REAL NOT NULL
) STRICT;
"""


def data_folder() -> Path:
    """Where a person's games are kept unless told otherwise."""
    if said := os.environ.get("KIBITZ_DATA_DIR"):
        return Path(said)
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "kibitz"


class Storage:
    """The file. Without a folder everything is kept in memory and lost at the end."""

    def __init__(self, folder: Path | None = None) -> None:
        self.path: Path | None = None
        try:
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                self.path = folder / "kibitz.sqlite"
                # it holds secrets and tokens: for nobody else, in whatever folder it is
                self.path.touch(mode=0o600)
            self._file = sqlite3.connect(
                self.path or ":memory:", timeout=3, check_same_thread=False, isolation_level=None
            )
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=NORMAL")
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            where = folder or "memory"
            raise KibitzError(f"cannot keep games in {where}: {error}") from None

    def _prepare(self) -> None:
        with self._change():
            (found,) = self._file.execute("PRAGMA user_version").fetchone()
            if found == VERSION:
                return
            if found == 0:
                for statement in _SCHEMA.split(";"):
                    self._file.execute(statement)
            elif found == 1:
                assert self.path is not None
                # the file as it was stays beside it: a version before this one can go on with it
                with closing(sqlite3.connect(self.path)) as reading:
                    _back_up(reading, self.path.with_name("kibitz-1.sqlite"))
                _from_1(self._file, _SCHEMA, time.time())
            else:
                raise sqlite3.Error(f"its version is {found}, and this Kibitz knows {VERSION}")
            self._file.execute(f"PRAGMA user_version={VERSION}")

    @contextmanager
    def _change(self) -> Iterator[None]:
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._file.execute("ROLLBACK")
            raise
        self._file.execute("COMMIT")

    def wait(self, seconds: float) -> None:
        """How long to wait for another program that is writing, before `Locked` says so."""
        self._file.execute(f"PRAGMA busy_timeout={int(1000 * seconds)}")

    def close(self) -> None:
        """Put everything into the file itself, also where another program has it open."""
        with contextlib.suppress(sqlite3.Error):  # then it is in the log beside it, as before
            self._file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._file.close()

    # --- games ---

    def save(
        self, content: dict[str, Any], game: str, title: str, plies: int, over: bool, now: float
    ) -> None:
        """Write a game that changed; its `number` is one of a later change than the one kept."""
        row = {
            **{name: content[name] for name in ("id", "visitor", "token", "number")},
            "share": content["share"] or None,
            "game": game,
            "title": title,
            "plies": plies,
            "over": int(over),
            "now": now,
            "content": json.dumps(content, separators=(",", ":")),
        }
        done = self._run(
            "INSERT INTO games VALUES (:id, (SELECT id FROM visitors WHERE id = :visitor), :share,"
            " :game, :title, :token, :number, :plies, :over, :now, :now, :now, :content)"
            " ON CONFLICT (id) DO UPDATE SET visitor=excluded.visitor, share=:share,"
            " number=:number, plies=:plies, over=:over, updated=:now, seen=:now, content=:content"
            " WHERE number < :number",
            row,
        )
        if done.rowcount != 1:
            raise WentOn("this game went on elsewhere; sit down again to see how")

    def find(self, id: str, known: int | None = None) -> Kept | None:
        """A game; without its content if the `known` change is its last."""
        row = self._run(
            "SELECT number, token, CASE WHEN number IS ? THEN NULL ELSE content END, seen"
            " FROM games WHERE id = ?",
            (known, id),
        ).fetchone()
        return None if row is None else Kept(*row)

    def look(self, id: str, now: float) -> None:
        """Note that somebody looked at a game."""
        self._run("UPDATE games SET seen = ? WHERE id = ?", (now, id))

    def shared(self, share: str) -> Shared | None:
        """The finished game of that name, and its review."""
        row = self._run(
            "SELECT id, games.content, seen, reviews.content FROM games"
            " LEFT JOIN reviews USING (share) WHERE share = ? AND over = 1",
            (share,),
        ).fetchone()
        if row is None:
            return None
        id, content, seen, review = row
        try:
            read = None if review is None else read_content(review)
        except Unreadable:
            read = None  # it is made anew
        return Shared(id, content, seen, read)

    def games(self, most: int = MOST_LISTED) -> list[dict[str, Any]]:
        """What is told of the games kept, of everybody, the latest first."""
        rows = self._run(f"SELECT {_TOLD} FROM games ORDER BY updated DESC, id LIMIT ?", (most,))
        return [_told(row) for row in rows.fetchall()]

    # --- people ---

    def visitor(self, id: str, most: int = MOST_LISTED) -> Visitor | None:
        """A visitor and what is told of its games, the latest first; None if nobody of that name
        was here."""
        rows = self._run(
            f"SELECT settings, visitors.updated, {_TOLD} FROM visitors"
            " LEFT JOIN games ON games.visitor = visitors.id WHERE visitors.id = ?"
            " ORDER BY games.updated DESC, games.id LIMIT ?",
            (id, most),
        ).fetchall()
        if not rows:
            return None
        settings, updated = rows[0][:2]
        try:
            read = read_content(settings)
        except Unreadable:
            read = {}
        return Visitor(read, updated, [_told(row[2:]) for row in rows if row[2] is not None])

    def welcome(self, visitor: str, now: float) -> None:
        """Note that a visitor was here."""
        self._run(
            "INSERT INTO visitors VALUES (?, '{}', ?)"
            " ON CONFLICT (id) DO UPDATE SET updated = excluded.updated",
            (visitor, now),
        )

    def set(self, visitor: str, settings: dict[str, Any], now: float) -> bool:
        """Keep what a visitor has set; False if nobody of that name was here."""
        done = self._run(
            "UPDATE visitors SET settings = ?, updated = ? WHERE id = ?",
            (json.dumps(settings), now, visitor),
        )
        return done.rowcount == 1

    # --- reviews ---

    def keep_review(self, share: str, review: dict[str, Any], now: float) -> None:
        self._run(
            "INSERT OR REPLACE INTO reviews VALUES (?, ?, ?)",
            (share, json.dumps(review, separators=(",", ":")), now),
        )

    # --- forgetting ---

    def forget(self, now: float) -> int:
        """Forget some of the games and visitors that nobody comes back to; how many they were."""
        gone = self._run(
            "DELETE FROM games WHERE id IN (SELECT id FROM games WHERE over = 0 AND seen < ?"
            " UNION ALL SELECT id FROM games WHERE over = 1 AND seen < ? LIMIT ?) RETURNING share",
            (now - UNFINISHED, now - FINISHED, AT_ONCE),
        ).fetchall()
        for share in gone:
            self._run("DELETE FROM reviews WHERE share = ?", share)
        people = self._run(
            "DELETE FROM visitors WHERE id IN (SELECT id FROM visitors WHERE"
            " updated < CASE settings WHEN '{}' THEN ? ELSE ? END AND NOT EXISTS"
            " (SELECT 1 FROM games WHERE games.visitor = visitors.id) LIMIT ?)",
            (now - STRANGER, now - VISITOR, AT_ONCE),
        )
        return len(gone) + people.rowcount

    def _run(self, query: str, values: Any = ()) -> sqlite3.Cursor:
        try:
            return self._file.execute(query, values)
        except sqlite3.Error as error:  # a full disk, or a file that another program holds
            busy = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            kind = Locked if busy else KibitzError
            raise kind(f"what is kept cannot be read or written now: {error}") from error


def read_content(content: str) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Unreadable("it is no JSON") from error
    if not isinstance(found, dict):
        raise Unreadable("it is no JSON object")
    return found


def _told(row: tuple[Any, ...]) -> dict[str, Any]:
    names = ("table", "token", "game", "title", "plies", "over", "updated")
    found = dict(zip(names, row, strict=True))
    return {**found, "over": bool(found["over"])}


# --- a file of an earlier version becomes one of today's, whole or not at all --------------------


def _back_up(file: sqlite3.Connection, path: Path) -> None:
    """Copy a file to `path`, for nobody else's eyes; an earlier copy there is replaced."""
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    with closing(sqlite3.connect(part)) as copy:
        file.backup(copy)
    os.replace(part, path)


def _from_1(file: sqlite3.Connection, schema: str, now: float) -> None:
    """What a list shows of a game moves into columns of its own, and when somebody last looked at
    it is noted, beginning with now; a review is of a game. Within the caller's transaction."""
    file.execute("DROP INDEX games_of_visitor")
    for table in ("games", "visitors", "reviews"):
        file.execute(f"ALTER TABLE {table} RENAME TO {table}_1")
    for statement in schema.split(";"):
        file.execute(statement)
    for id, content in file.execute("SELECT id, content FROM games_1").fetchall():
        name, token = _described(id, content)
        file.execute(
            "INSERT INTO games SELECT id, visitor, share, game, ?, ?, number, plies, over, created,"
            " updated, ?, content FROM games_1 WHERE id = ?",
            (name, token, now, id),
        )
    file.execute("INSERT INTO visitors SELECT id, settings, ? FROM visitors_1", (now,))
    file.execute("INSERT OR REPLACE INTO reviews SELECT share, content, created FROM reviews_1")
    for table in ("games", "visitors", "reviews"):
        file.execute(f"DROP TABLE {table}_1")


def _described(id: str, content: str) -> tuple[str, str]:
    """Title and token of a game; none of either where it cannot be read."""
    try:
        game = json.loads(content)
        record = json.loads(game["record"])
        rules = rules_from_dict({"game": record["game"], **record["rules"]})
        return title(rules, record["players"], game["watch"]), str(game["token"])
    except Exception as error:
        log.warning("game %s cannot be read and is not listed: %s", id, type(error).__name__)
        return "", ""
