"""House: opens tables, finds them again, and writes every change down before it is told."""

from __future__ import annotations

import hmac
import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from kibitz.games import rules_from_dict
from kibitz.games.base import KibitzError, Rules, shortened
from kibitz.house import fair
from kibitz.house.sitting import PERSON, Sitting
from kibitz.house.storage import Storage
from kibitz.table import parse_record
from kibitz.table.record import Record

OPEN = 1000
"""Tables kept in memory; the others are in the file."""
WAITING = 10_000
"""Commitments that were given out and not yet used."""
MOST_SETTINGS = 4000
"""Characters of a visitor's settings."""


class NotFound(KibitzError):
    """No such table or record, or not for whoever asks."""


class House:
    def __init__(
        self,
        storage: Storage | None = None,
        *,
        clock: Callable[[], float] = time.time,
        token: Callable[[], str] = lambda: secrets.token_urlsafe(16),
        secret: Callable[[], str] = fair.new_secret,
    ) -> None:
        self.storage = storage or Storage()
        self._clock = clock
        self._token = token
        self._secret = secret
        self._open: OrderedDict[str, Sitting] = OrderedDict()
        self._promised: OrderedDict[str, str] = OrderedDict()

    # --- tables ---

    def commit(self) -> tuple[str, str]:
        """The name of a table to come, and the commitment to its deal."""
        id, secret = self._token(), self._secret()
        self._promised[id] = secret
        while len(self._promised) > WAITING:
            self._promised.popitem(last=False)
        return id, fair.commitment(secret)

    def deal(
        self,
        id: str,
        nonce: str,
        rules: Rules,
        opponents: Sequence[str],
        seat: int = 0,
        *,
        coach: bool = False,
        watch: bool = False,
        visitor: str | None = None,
    ) -> Sitting:
        """Open the table that was promised. `opponents`: one agent for all other seats, or one for
        each; if the person only watches, for all seats."""
        if id not in self._promised:
            raise NotFound("no such table is waiting for its deal; ask for a commitment first")
        players = _players(rules, opponents, seat, watch)
        secret = self._promised[id]
        sitting = Sitting.open(
            id, self._token(), rules, players, seat,
            secret=secret, nonce=nonce, luck=secrets.randbits(128), coach=coach,
        )  # fmt: skip
        del self._promised[id]
        if visitor is not None and self.storage.settings(visitor) is not None:
            sitting.visitor = visitor
        self.save(sitting)
        return sitting

    def find(self, id: str, token: str) -> Sitting:
        """The table, for whoever sits at it."""
        sitting = self._open.get(id)
        if sitting is not None and self.storage.number(id) != sitting.number:
            del self._open[id]  # another program went on with it
            sitting = None
        data = None if sitting is not None else self.storage.load(id)
        right = sitting.token if sitting is not None else data["token"] if data is not None else ""
        # the same answer for a wrong name and a wrong token; and a game is played again, which
        # takes its time, only for whoever sits at it
        if not right or not hmac.compare_digest(right.encode(), token.encode()):
            raise NotFound("there is no such table, or the token is not that of a seat at it")
        if sitting is None:
            assert data is not None
            sitting = Sitting.from_dict(data)
        self._keep(sitting)
        return sitting

    def save(self, sitting: Sitting) -> None:
        """Write a change down. What could not be written did not happen: the table is forgotten,
        and found again as it was."""
        if sitting.over and not sitting.share:
            sitting.share = self._token()
        try:
            self.storage.save(
                sitting.to_dict(),
                sitting.rules.game,
                sitting.table.plies,
                sitting.over,
                self._clock(),
            )
        except BaseException:
            self._open.pop(sitting.id, None)
            raise
        self._keep(sitting)

    def _keep(self, sitting: Sitting) -> None:
        self._open[sitting.id] = sitting
        self._open.move_to_end(sitting.id)
        while len(self._open) > OPEN:
            self._open.popitem(last=False)

    def record(self, share: str) -> Record:
        """The record of a finished game, by the name under which it is shared."""
        data = self.storage.shared(share)
        if data is None:
            raise NotFound("there is no finished game of that name")
        record = parse_record(data["record"])
        assert isinstance(record, Record)
        return record

    def seat_of(self, share: str) -> int | None:
        """The seat of the person in a finished game; None if it only watched."""
        data = self.storage.shared(share)
        return None if data is None or data["watch"] else int(data["seat"])

    # --- reviews ---

    def review(self, share: str, seat: int) -> dict[str, Any] | None:
        return self.storage.review(share, seat)

    def keep_review(self, share: str, seat: int, review: dict[str, Any]) -> None:
        self.storage.keep_review(share, seat, review, self._clock())

    # --- people ---

    def visitor(self, name: str | None) -> tuple[str, dict[str, Any]]:
        """The secret name of a visitor and what it has set; a new one if it is not known."""
        if name is not None:
            found = self.storage.settings(name)
            if found is not None:
                return name, found
        name = self._token()
        self.storage.set(name, {}, self._clock())
        return name, {}

    def set(self, visitor: str, settings: dict[str, Any]) -> None:
        if self.storage.settings(visitor) is None:
            raise NotFound("nobody of that name was here; say hello first")
        if len(str(settings)) > MOST_SETTINGS:
            raise KibitzError(f"settings may have {MOST_SETTINGS} characters at most")
        self.storage.set(visitor, settings, self._clock())

    def saved(self, visitor: str | None = None) -> list[dict[str, Any]]:
        """The games of a visitor, or everybody's, the latest first, with what is needed to go on
        with them."""
        return [
            {
                "table": game["id"],
                "token": game["token"],
                "game": game["game"],
                "title": _title(game["game"], game["rules"], game["players"], bool(game["watch"])),
                "plies": game["plies"],
                "over": bool(game["over"]),
                "updated": game["updated"],
            }
            for game in self.storage.games(visitor)
        ]


@lru_cache(4096)
def _title(game: str, rules: str, players: str | None, watch: bool) -> str:
    """What a game is called. Most games are like others, and to say rules in short is slow."""
    others = [name for name in json.loads(players or "[]") if name != PERSON]
    names = " and ".join(dict.fromkeys(others)) if others else "nobody"
    kind = shortened(str(rules_from_dict({"game": game, **json.loads(rules)})))
    return f"{kind}: {names} watched" if watch else f"{kind} against {names}"


def _players(rules: Rules, opponents: Sequence[str], seat: int, watch: bool) -> list[str]:
    others = rules.seats - (not watch)
    if len(opponents) == 1:
        opponents = list(opponents) * others
    if len(opponents) != others:
        raise KibitzError(f"{others} opponents are needed, or one for all, not {len(opponents)}")
    if PERSON in opponents:
        raise KibitzError(f"{PERSON!r} is the person, not an agent")
    if watch:
        return list(opponents)
    if seat not in range(rules.seats):
        raise KibitzError(f"seat must be 0 to {rules.seats - 1}, not {seat!r}")
    return [*opponents[:seat], PERSON, *opponents[seat:]]
