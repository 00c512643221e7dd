"""Ledger: the games of matches in one SQLite file, and as JSON lines for whoever wants to read.

A deal is written whole or not at all, so an interrupted match goes on with the next one. Matches
are told apart by their plan and by the sources that played it: a changed agent begins a new one.
What cannot be read loses nothing else: a deal is played again, a line told again, and it is said.
"""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from kibitz.arena.deals import Plan, Played
from kibitz.games.base import KibitzError
from kibitz.table import append_text

_SCHEMA = """
CREATE TABLE IF NOT EXISTS matches (id INTEGER PRIMARY KEY, plan TEXT UNIQUE, began REAL) STRICT;
CREATE TABLE IF NOT EXISTS games (
    match INTEGER NOT NULL REFERENCES matches, deal INTEGER NOT NULL, shift INTEGER NOT NULL,
    content TEXT NOT NULL, PRIMARY KEY (match, deal, shift)
) STRICT;
"""


class Ledger:
    """The file, or without one only the JSON lines, or nothing."""

    def __init__(
        self,
        file: Path | None = None,
        lines: Path | None = None,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        """`warn` is told of what cannot be read."""
        self.file, self.lines = file, lines
        self._warn = warn or (lambda _: None)
        self._database: sqlite3.Connection | None = None
        try:
            self._told = set() if lines is None else _told(lines, self._warn)
        except OSError as error:
            raise KibitzError(f"cannot write {lines}: {error.strerror}") from None
        try:
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                self._database = sqlite3.connect(file, timeout=60, isolation_level=None)
                # a text that is none spoils its own row, not the reading of all
                self._database.text_factory = lambda text: text.decode(errors="replace")
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
            "SELECT deal, shift, content FROM games JOIN matches ON games.match = matches.id"
            " WHERE plan = ? ORDER BY deal, shift",
            (plan.key,),
        )
        for deal, shift, content in rows:
            try:
                game = _read_game(content, plan.rules.seats)
                if (game.deal, game.shift) != (deal, shift):
                    raise ValueError("it is of another game")
                found.setdefault(deal, []).append(game)
            except ValueError as error:
                why = str(error).splitlines()[0]
                self._warn(f"{self.file}: deal {deal} cannot be read and is played again: {why}")
        return {deal: games for deal, games in found.items() if len(games) == plan.rules.seats}

    def forget(self, plan: Plan) -> None:
        """Drop all deals of a plan: they are to be played again. Lines stay, and get the new."""
        self._told = {game for game in self._told if game[0] != _digest(plan)}
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
                ((match,),) = self._run("SELECT id FROM matches WHERE plan = ?", (plan.key,))
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
        if self.lines is None:
            return
        name = _digest(plan)
        new = [game for game in games if (name, game.deal, game.shift) not in self._told]
        if not new:
            return
        match = {"match": name, **plan.to_dict()}
        text = "".join(json.dumps({**match, **game.to_dict()}) + "\n" for game in new)
        append_text(self.lines, text, sync=False)
        self._told.update((name, game.deal, game.shift) for game in new)

    def _run(self, query: str, values: Any = ()) -> list[Any]:
        assert self._database is not None
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise KibitzError(f"results cannot be kept in {self.file}: {error}") from error


_GAME = TypeAdapter(Played)


def _read_game(content: str, seats: int) -> Played:
    """A game of so many seats, or a ValueError."""
    try:
        game = _GAME.validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{where + ': ' if where else ''}{first['msg'].lower()}") from None
    lists = game.returns, game.moves, game.seconds, game.slowest, game.faults
    if any(len(each) != seats for each in lists) or len(game.luck) not in (0, seats):
        raise ValueError(f"it is no game of {seats} players")
    if not all(map(math.isfinite, (*game.returns, *game.luck))):
        raise ValueError("a result is a number")
    return game


def _digest(plan: Plan) -> str:
    """What names a match in a line."""
    return hashlib.blake2b(plan.key.encode(), digest_size=8).hexdigest()


def _told(lines: Path, warn: Callable[[str], None]) -> set[tuple[str, int, int]]:
    """Match, deal and shift of the games in a file of lines, which is made if there is none."""
    lines.parent.mkdir(parents=True, exist_ok=True)
    found = set()
    bad: list[int] = []
    with lines.open("a+", encoding="utf-8", errors="replace", newline="\n") as file:
        file.seek(0)
        for number, line in enumerate(file, 1):
            try:
                game = json.loads(line)
            except (ValueError, RecursionError):
                bad += [number] if line.strip() else []
                continue
            with suppress(TypeError, KeyError, ValueError):  # lines of others stay as they are
                found.add((str(game["match"]), int(game["deal"]), int(game["shift"])))
    if bad:
        more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
        warn(f"{lines}, line {bad[0]}{more}: not JSON, perhaps torn; left as it is")
    return found
