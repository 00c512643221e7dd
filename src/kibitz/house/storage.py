"""Storage: games, settings and reviews in one SQLite file.

Written ahead (WAL): what was acknowledged is there after the process was killed at any moment. A
game is one row; it carries a number that counts its changes, and a change is written only over the
one before it, so that two servers on one file cannot undo each other's moves unseen.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kibitz.games.base import KibitzError

VERSION = 1


class WentOn(KibitzError):
    """Another program wrote a later move of the same game."""


_SCHEMA = """
CREATE TABLE games (
    id TEXT PRIMARY KEY,
    visitor TEXT,
    share TEXT UNIQUE,
    game TEXT NOT NULL,
    number INTEGER NOT NULL,
    plies INTEGER NOT NULL,
    over INTEGER NOT NULL,
    created REAL NOT NULL,
    updated REAL NOT NULL,
    content TEXT NOT NULL
) STRICT;
CREATE INDEX games_of_visitor ON games (visitor, updated);
CREATE TABLE visitors (id TEXT PRIMARY KEY, settings TEXT NOT NULL, updated REAL NOT NULL) STRICT;
CREATE TABLE reviews (
    share TEXT NOT NULL, seat INTEGER NOT NULL, content TEXT NOT NULL, created REAL NOT NULL,
    PRIMARY KEY (share, seat)
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
            if found == 0:
                for statement in _SCHEMA.split(";"):
                    self._file.execute(statement)
                self._file.execute(f"PRAGMA user_version={VERSION}")
            elif found != VERSION:
                raise sqlite3.Error(f"its version is {found}, and this Kibitz knows {VERSION}")

    @contextmanager
    def _change(self) -> Iterator[None]:
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._file.execute("ROLLBACK")
            raise
        self._file.execute("COMMIT")

    def close(self) -> None:
        """Put everything into the file itself, also where another program has it open."""
        with contextlib.suppress(sqlite3.Error):  # then it is in the log beside it, as before
            self._file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._file.close()

    # --- games ---

    def save(self, content: dict[str, Any], game: str, plies: int, over: bool, now: float) -> None:
        """Write a game that changed; its `number` is one of a later change than the one kept."""
        row = {
            **{name: content[name] for name in ("id", "visitor", "number")},
            "share": content["share"] or None,
            "game": game,
            "plies": plies,
            "over": int(over),
            "now": now,
            "content": json.dumps(content, separators=(",", ":")),
        }
        done = self._run(
            "INSERT INTO games VALUES (:id, :visitor, :share, :game, :number, :plies, :over, :now,"
            " :now, :content) ON CONFLICT (id) DO UPDATE SET visitor=:visitor, share=:share,"
            " number=:number, plies=:plies, over=:over, updated=:now, content=:content"
            " WHERE number < :number",
            row,
        )
        if done.rowcount != 1:
            raise WentOn("this game went on elsewhere; sit down again to see how")

    def number(self, id: str) -> int | None:
        """Of the last change of a game that was written."""
        row = self._run("SELECT number FROM games WHERE id = ?", (id,)).fetchone()
        return None if row is None else int(row[0])

    def load(self, id: str) -> dict[str, Any] | None:
        return self._one("SELECT content FROM games WHERE id = ?", id)

    def shared(self, share: str) -> dict[str, Any] | None:
        """The finished game of that name."""
        return self._one("SELECT content FROM games WHERE share = ? AND over = 1", share)

    def games(self, visitor: str | None = None, most: int = 50) -> list[dict[str, Any]]:
        """What is told of games kept, of one visitor or of all, the latest first. Long ones are not
        read as a whole: SQLite takes out of them what is asked for."""
        where = "" if visitor is None else "WHERE visitor = :visitor"
        rows = self._run(
            "SELECT id, json_extract(content, '$.token'), json_extract(content, '$.watch'),"
            " json_extract(json_extract(content, '$.record'), '$.rules'),"
            " json_extract(json_extract(content, '$.record'), '$.players'),"
            f" game, plies, over, updated FROM games {where} "
            "ORDER BY updated DESC, id LIMIT :most",
            {"visitor": visitor, "most": most},
        )
        names = ("id", "token", "watch", "rules", "players", "game", "plies", "over", "updated")
        return [dict(zip(names, row, strict=True)) for row in rows.fetchall()]

    # --- people ---

    def settings(self, visitor: str) -> dict[str, Any] | None:
        """What a visitor has set; None if nobody of that name was here."""
        return self._one("SELECT settings FROM visitors WHERE id = ?", visitor)

    def set(self, visitor: str, settings: dict[str, Any], now: float) -> None:
        self._run(
            "INSERT INTO visitors VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE"
            " SET settings = excluded.settings, updated = excluded.updated",
            (visitor, json.dumps(settings), now),
        )

    # --- reviews ---

    def review(self, share: str, seat: int) -> dict[str, Any] | None:
        return self._one("SELECT content FROM reviews WHERE share = ? AND seat = ?", share, seat)

    def keep_review(self, share: str, seat: int, review: dict[str, Any], now: float) -> None:
        self._run(
            "INSERT OR REPLACE INTO reviews VALUES (?, ?, ?, ?)",
            (share, seat, json.dumps(review, separators=(",", ":")), now),
        )

    def _one(self, query: str, *values: object) -> dict[str, Any] | None:
        row = self._run(query, values).fetchone()
        found: dict[str, Any] | None = None if row is None else json.loads(row[0])
        return found

    def _run(self, query: str, values: Any = ()) -> sqlite3.Cursor:
        try:
            return self._file.execute(query, values)
        except sqlite3.Error as error:  # a full disk, or a file that another program holds
            raise KibitzError(f"what is kept cannot be read or written now: {error}") from error
