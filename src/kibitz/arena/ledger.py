"""Ledger: the games of matches in one SQLite file, and as JSON lines for whoever wants to read.

A deal is written whole or not at all, so an interrupted match goes on with the next one. Matches
are told apart by their plan and by the sources that played it: a changed agent begins a new one.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from kibitz.arena.deals import Plan, Played
from kibitz.games.base import KibitzError

_SCHEMA = """
CREATE TABLE IF NOT EXISTS matches (id INTEGER PRIMARY KEY, plan TEXT UNIQUE, began REAL) STRICT;
CREATE TABLE IF NOT EXISTS games (
    match INTEGER NOT NULL REFERENCES matches, deal INTEGER NOT NULL, shift INTEGER NOT NULL,
    content TEXT NOT NULL, PRIMARY KEY (match, deal, shift)
) STRICT;
"""


class Ledger:
    """The file, or without one only the JSON lines, or nothing."""

    def __init__(self, file: Path | None = None, lines: Path | None = None) -> None:
        self.file, self.lines = file, lines
        self._database: sqlite3.Connection | None = None
        try:
            self._told = set() if lines is None else _told(lines)
        except OSError as error:
            raise KibitzError(f"cannot write {lines}: {error.strerror}") from None
        try:
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                self._database = sqlite3.connect(file, timeout=60, isolation_level=None)
                self._database.execute("PRAGMA journal_mode=WAL")
                self._database.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise KibitzError(f"cannot keep results in {file}: {error}") from None

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        if self._database is not None:
            self._database.close()

    def played(self, plan: Plan) -> dict[int, list[Played]]:
        """The deals of this plan that are there, by their number."""
        found: dict[int, list[Played]] = {}
        if self._database is None:
            return found
        rows = self._run(
            "SELECT content FROM games JOIN matches ON games.match = matches.id WHERE plan = ?"
            " ORDER BY deal, shift",
            (plan.key,),
        ).fetchall()
        for (content,) in rows:
            game = Played(**json.loads(content))
            found.setdefault(game.deal, []).append(game)
        return {deal: games for deal, games in found.items() if len(games) == plan.rules.seats}

    def forget(self, plan: Plan) -> None:
        """Drop all deals of a plan: they are to be played again. Lines stay, and get the new."""
        self._told = {(match, deal) for match, deal in self._told if match != _digest(plan)}
        self._run(
            "DELETE FROM games WHERE match IN (SELECT id FROM matches WHERE plan = ?)", (plan.key,)
        )

    def add(self, plan: Plan, games: Sequence[Played]) -> None:
        """Write a deal down."""
        if self._database is not None:
            self._run("BEGIN IMMEDIATE")
            try:
                self._run(
                    "INSERT OR IGNORE INTO matches (plan, began) VALUES (?, ?)",
                    (plan.key, time.time()),
                )
                (match,) = self._run(
                    "SELECT id FROM matches WHERE plan = ?", (plan.key,)
                ).fetchone()
                for game in games:
                    self._run(
                        "INSERT OR REPLACE INTO games VALUES (?, ?, ?, ?)",
                        (match, game.deal, game.shift, json.dumps(game.to_dict())),
                    )
            except BaseException:
                self._run("ROLLBACK")
                raise
            self._run("COMMIT")
        self.tell(plan, games)

    def tell(self, plan: Plan, games: Sequence[Played]) -> None:
        """Write a deal to the JSON lines, unless it is there: it may be known from before there
        were any."""
        if self.lines is None or (_digest(plan), games[0].deal) in self._told:
            return
        self._told.add((_digest(plan), games[0].deal))
        match = {"match": _digest(plan), **plan.to_dict()}
        try:
            with self.lines.open("a", encoding="utf-8") as file:
                file.write("".join(json.dumps({**match, **g.to_dict()}) + "\n" for g in games))
        except OSError as error:
            raise KibitzError(f"cannot write {self.lines}: {error.strerror}") from None

    def _run(self, query: str, values: Any = ()) -> sqlite3.Cursor:
        assert self._database is not None
        try:
            return self._database.execute(query, values)
        except sqlite3.Error as error:
            raise KibitzError(f"results cannot be kept in {self.file}: {error}") from error


def _digest(plan: Plan) -> str:
    """What names a match in a line."""
    return hashlib.blake2b(plan.key.encode(), digest_size=8).hexdigest()


def _told(lines: Path) -> set[tuple[str, int]]:
    """Matches and deals in a file of lines, which is made if there is none."""
    lines.parent.mkdir(parents=True, exist_ok=True)
    found = set()
    with lines.open("a+", encoding="utf-8", errors="replace") as file:
        file.seek(0)
        for line in file:
            with suppress(ValueError, TypeError, KeyError):  # lines of others stay as they are
                game = json.loads(line)
                found.add((str(game["match"]), int(game["deal"])))
    return found
