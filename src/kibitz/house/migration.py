"""Migration: a file of an earlier version becomes one of today's, whole or not at all."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from kibitz.games import rules_from_dict
from kibitz.house.sitting import title

log = logging.getLogger("kibitz")


def back_up(file: sqlite3.Connection, path: Path) -> None:
    """Copy a file to `path`, for nobody else's eyes; an earlier copy there is replaced."""
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    with closing(sqlite3.connect(part)) as copy:
        file.backup(copy)
    os.replace(part, path)


def from_1(file: sqlite3.Connection, schema: str, now: float) -> None:
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
