"""House: opens tables, finds them again, and writes every change down before it is told.

A promise of a deal is kept nowhere: its secret is made from the name of the table and a key of the
house, so there is nothing that others could push out, however many they ask for.
"""

from __future__ import annotations

import hmac
import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from kibitz.games.base import KibitzError, Rules, check_seat
from kibitz.house import fair
from kibitz.house.desk import Desk
from kibitz.house.sitting import PERSON, Sitting, record_of
from kibitz.house.storage import AT_ONCE, DAY, Locked, Storage, Unreadable, WentOn, read_content
from kibitz.table.record import Record

log = logging.getLogger("kibitz")

OPEN = 1000
"""Tables kept in memory; the others are in the file."""
HOUR = 3600
PROMISED = 24
"""Hours for which a promised deal waits to be dealt."""
MOST_SETTINGS = 4000
"""Characters of a visitor's settings."""


class NotFound(KibitzError):
    """No such table or record, or not for whoever asks."""


class Visitor(NamedTuple):
    """Somebody who comes back."""

    name: str
    """It is secret."""
    settings: dict[str, Any]
    saved: list[dict[str, Any]]
    """Its games, the latest first, with what is needed to go on with them."""
    unreadable: int = 0
    """Games that this version cannot list."""


class Finished(NamedTuple):
    """A game that is over."""

    record: Record
    seat: int | None
    """The person's; None if it only watched."""
    review: dict[str, Any] | None


class House:
    """Opens tables for people, finds them again, and writes every change down."""

    def __init__(
        self,
        storage: Storage | None = None,
        *,
        clock: Callable[[], float] = time.time,
        token: Callable[[], str] = lambda: secrets.token_urlsafe(16),
        key: bytes | None = None,
    ) -> None:
        self.storage = storage or Storage()
        self.desk = Desk(self.storage)
        self._clock = clock
        self._token = token
        self._key = key or secrets.token_bytes(32)
        self._open: OrderedDict[str, Sitting] = OrderedDict()
        with suppress(KibitzError):  # another time
            self.forget()

    # --- tables ---

    def commit(self) -> tuple[str, str]:
        """The name of a table to come, and the commitment to its deal."""
        name = f"{self._token()}{int(self._clock()) // HOUR:08x}"
        id = name + self._seal(name)
        return id, fair.commitment(self.secret(id))

    def secret(self, id: str) -> str:
        """The secret of a table. Whoever does not know the key can tell it from no other."""
        return hmac.digest(self._key, b"secret:" + id.encode(), "sha256").hex()

    def _seal(self, name: str) -> str:
        return hmac.digest(self._key, b"seal:" + name.encode(), "sha256").hex()[:16]

    def _promised(self, id: str) -> bool:
        """Whether the name is one that this house gave out, not long ago."""
        name, seal = id[:-16], id[-16:]
        if not hmac.compare_digest(self._seal(name).encode(), seal.encode()):
            return False
        return int(self._clock()) // HOUR - int(name[-8:], 16) <= PROMISED

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
        said = "no such table is waiting for its deal; ask for a commitment first"
        if not self._promised(id):
            raise NotFound(said)
        players = _players(rules, opponents, seat, watch)
        sitting = Sitting.open(
            id, self._token(), rules, players, seat,
            secret=self.secret(id), nonce=nonce, luck=secrets.randbits(128), coach=coach,
        )  # fmt: skip
        sitting.visitor = visitor
        try:
            self.save(sitting)
        except WentOn:  # it was dealt already
            raise NotFound(said) from None
        return sitting

    def find(self, id: str, token: str) -> Sitting:
        """The table, for whoever sits at it."""
        sitting = self._open.get(id)
        kept = self.storage.find(id, None if sitting is None else sitting.number)
        if kept is None or kept.content is not None:
            self._open.pop(id, None)  # another program went on with it
            sitting = None
        # the same answer for a wrong name and a wrong token; and a game is played again, which
        # takes its time, only for whoever sits at it
        right = kept.token if kept is not None else ""
        if not right or not hmac.compare_digest(right.encode(), token.encode()):
            raise NotFound("there is no such table, or the token is not that of a seat at it")
        assert kept is not None
        if sitting is None:
            with _readable(id):
                sitting = Sitting.from_dict(read_content(kept.content or ""))
        self._looked(id, kept.seen)
        self._keep(sitting)
        return sitting

    def _looked(self, id: str, seen: float) -> None:
        if self._clock() - seen > DAY:
            with suppress(Locked):  # another time
                self.storage.look(id, self._clock())

    def save(self, sitting: Sitting) -> None:
        """Write a change down. What could not be written did not happen: the table is forgotten,
        and found again as it was."""
        if sitting.over and not sitting.share:
            sitting.share = self._token()
        try:
            self.storage.save(
                sitting.to_dict(),
                sitting.rules.game,
                sitting.title,
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

    def finished(self, share: str) -> Finished:
        """A finished game, by the name under which it is shared."""
        kept = self.storage.shared(share)
        if kept is None:
            raise NotFound("there is no finished game of that name")
        self._looked(kept.id, kept.seen)
        with _readable(kept.id):
            content = read_content(kept.content)
            record = record_of(content)
            seat = None if content["watch"] else int(content["seat"])
        return Finished(record, seat, kept.review)

    def keep_review(self, share: str, review: dict[str, Any]) -> None:
        self.storage.keep_review(share, review, self._clock())

    def forget(self) -> None:
        """Forget what nobody comes back to; `storage` has the rules. To be called now and then."""
        while self.storage.forget(self._clock()) >= AT_ONCE:
            pass

    # --- people ---

    def visitor(self, name: str | None) -> Visitor:
        """A visitor by its secret name; a new one if it is not known."""
        found = None if name is None else self.storage.visitor(name)
        if name is None or found is None:
            name = self._token()
            self.storage.welcome(name, self._clock())
            return Visitor(name, {}, [])
        if self._clock() - found.seen > DAY:
            with suppress(Locked):  # another time
                self.storage.welcome(name, self._clock())
        return Visitor(name, found.settings, *_listed(found.games))

    def set(self, visitor: str, settings: dict[str, Any]) -> None:
        if len(str(settings)) > MOST_SETTINGS:
            raise KibitzError(f"settings may have {MOST_SETTINGS} characters at most")
        if not self.storage.set(visitor, settings, self._clock()):
            raise NotFound("nobody of that name was here; say hello first")

    def saved(self) -> tuple[list[dict[str, Any]], int]:
        """Everybody's games, the latest first, with what is needed to go on with them; and how many
        this version cannot list."""
        return _listed(self.storage.games())


def _listed(games: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """Those that can be read, and the number of the others."""
    found = [game for game in games if game["title"]]
    return found, len(games) - len(found)


@contextmanager
def _readable(id: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # whatever is wrong with a row, it is wrong with this game alone
        # what the error says may name cards
        log.warning("game %s cannot be read: %s", id, type(error).__name__)
        raise Unreadable(
            "this game cannot be read: it is damaged, or of another version of Kibitz"
        ) from error


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
    check_seat(rules, seat)
    return [*opponents[:seat], PERSON, *opponents[seat:]]
