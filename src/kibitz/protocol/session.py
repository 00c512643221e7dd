"""Session: one client, whatever it speaks through. It reads requests, and sends answers when they
are ready; nothing that is asked can raise: what is wrong is an answer.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import ValidationError

from kibitz import __version__, api
from kibitz.protocol import messages as m
from kibitz.protocol.tables import Tables
from kibitz.protocol.told import ToldGames
from kibitz.protocol.work import Busy, Work

log = logging.getLogger("kibitz")


UNIT = 1024
"""Characters of a message that counts once: long ones take long to read."""


@dataclass(frozen=True)
class Limits:
    """What one client may ask for."""

    size: int = 64 * 1024
    """Characters of a message."""
    rate: float = 50.0
    """Messages a second, in the long run; a long one counts once for each `UNIT`."""
    burst: float = 200.0
    """Messages at once."""
    ms: float = 10_000
    """Milliseconds of an analysis."""
    sims: int = 2_000_000
    games: int = 20
    """Told games at a time."""
    events: int = 2500
    """Of a told game: more than a game has."""
    tables: int = 50
    """Tables that are looked at at a time."""
    plies: int = 5000
    """Of a game at a table: the whole game is written after every move, and read to go on."""
    pace: float = 0.25
    """Seconds: players that search answer after so many, or a multiple that is fixed before they
    think. How long they thought would tell of their cards: with one card that fits there is nothing
    to think about."""
    any_agent: bool = False
    """Whether agents can be named with options of their own; else they are levels."""


LOCAL = Limits(
    size=4 << 20, rate=1e6, burst=1e6, ms=3.6e6, sims=10**9, games=10_000, events=100_000,
    tables=10_000, plies=10**6, pace=0.0, any_agent=True,
)  # fmt: skip
"""For a client on the same machine that pays for itself."""


class Session:
    """Answers one client. `send` takes a line of JSON and does not wait."""

    def __init__(
        self,
        house: api.House,
        work: Work,
        send: Callable[[str], None],
        limits: Limits = LOCAL,
        *,
        hub: dict[str, set[Session]] | None = None,
        address: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.house = house
        self.work = work
        self.address = address
        """Where it comes from, if that counts."""
        self.limits = limits
        self.clock = clock
        self.send = send
        self._jobs: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._allowance = limits.burst
        self._last = clock()
        self.stopped: set[str] = set()
        """Ids of analyses that are to end now, with what they have."""
        told, tables = ToldGames(self), Tables(self, {} if hub is None else hub)
        self.tables = tables
        self._gone = False
        self._answers: dict[type[Any], Callable[[Any], Any]] = {
            m.AskVersion: lambda r: m.Version(id=r.id, kibitz=__version__),
            m.AskList: _listed,
            m.Cancel: self._cancel,
            **told.answers(),
            **tables.answers(),
        }

    def answer(self, answer: m.Answer) -> None:
        """Say something to the client; `send` does, where the line is made already."""
        self.send(m.to_text(answer))

    def fail(self, id: str | None, code: m.Code, message: str) -> None:
        self.answer(m.Failed(id=id, code=code, message=message))

    # --- requests ---

    def receive(self, text: str | bytes) -> None:
        """Take one message. What can be answered at once is; the rest goes on by itself."""
        id = None
        try:
            if not self._allowed(max(1.0, len(text) / UNIT)):
                # to read the id of a short one costs less than it does to send the answer
                id = _id(m.LOOSE.validate_json(text)) if len(text) <= UNIT else None
                return self.fail(id, "too-fast", "too many messages: slow down")
            if len(text) > self.limits.size:
                most = f"a message may have {self.limits.size:,} characters at most"
                return self.fail(None, "too-large", most)
            said = m.LOOSE.validate_json(text)
            id = _id(said)
            self._dispatch(m.REQUESTS.validate_python(said))
        except ValidationError as error:
            self.fail(id, "bad-request", _explained(error))
        except Exception as error:
            self._failed(id, error)

    def _allowed(self, cost: float) -> bool:
        now = self.clock()
        earned = max(0.0, now - self._last) * self.limits.rate
        self._last = now
        self._allowance = min(self.limits.burst, self._allowance + earned)
        if self._allowance < cost:
            return False
        self._allowance -= cost
        return True

    def charge(self, cost: float) -> None:
        """What was asked costs as much as so many messages more."""
        self._allowance -= cost

    def _dispatch(self, request: Any) -> None:
        found = self._answers[type(request)](request)
        if isinstance(found, m.Answer):
            self.answer(found)
        elif found is not None:
            if request.id in self._jobs:
                found.close()
                said = f"{request.id!r} is the id of something still under way: choose another"
                return self.fail(request.id, "refused", said)
            task = self._start(found, request.id)
            self._jobs[request.id] = task
            task.add_done_callback(lambda _: self._forget(request.id))

    def _forget(self, id: str) -> None:
        self._jobs.pop(id, None)
        self.stopped.discard(id)

    def _start(self, job: Coroutine[Any, Any, Any], id: str | None) -> asyncio.Task[None]:
        async def guarded() -> None:
            try:
                found = await job
                if isinstance(found, m.Answer):
                    self.answer(found)
            except Exception as error:
                self._failed(id, error)

        task = asyncio.get_running_loop().create_task(guarded())
        self._tasks.add(task)
        task.add_done_callback(lambda _: job.close())  # if it was cancelled before it began
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._let_go()

    def go_on(self, job: Coroutine[Any, Any, Any], id: str | None = None) -> None:
        """Do something that cannot be cancelled; `id` if a request waits for it."""
        self._start(job, id)

    def _failed(self, id: str | None, error: Exception) -> None:
        if isinstance(error, api.NotFound):
            self.fail(id, "not-found", str(error))
        elif isinstance(error, Busy):
            self.fail(id, "busy", str(error))
        elif isinstance(error, api.IllegalMove):
            self.fail(id, "illegal", str(error))
        elif isinstance(error, api.KibitzError):
            self.fail(id, "refused", str(error))
        else:
            # the client learns that it failed, not how: a traceback may hold anything
            log.exception("a request failed")
            self.fail(id, "failed", "something went wrong here; it has been logged")

    def _cancel(self, request: m.Cancel) -> m.Answer:
        if request.what not in self._jobs:
            raise api.NotFound(f"nothing with the id {request.what!r} is under way")
        self.stopped.add(request.what)
        return m.Cancelled(id=request.id, what=request.what)

    async def finish(self) -> None:
        """Wait for everything that is under way."""
        while self._tasks:
            await asyncio.wait(list(self._tasks))

    def close(self) -> None:
        """The client has gone: nothing is worked on for it any more."""
        if self._gone:
            return
        for task in list(self._tasks):
            task.cancel()
        self.tables.leave()
        self._gone = True
        self._let_go()

    def _let_go(self) -> None:
        """Once nothing is under way for a client that has gone, hold nothing that holds us: then
        the memory is free at once, and not when Python next looks for cycles."""
        if self._gone and not self._tasks and self._answers:
            self._answers.clear()
            del self.tables


def _id(said: dict[str, Any]) -> str | None:
    """The id of a message that may be wrong otherwise."""
    found = said.get("id")
    found = str(found) if type(found) in (int, float) else found  # as pydantic takes it
    return found if isinstance(found, str) and 1 <= len(found) <= 64 else None


def _explained(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    kind, where = first["type"], ".".join(str(part) for part in first["loc"][1:])
    if kind in ("json_invalid", "dict_type"):
        return 'a message is one JSON object, such as {"id": "1", "do": "version"}'
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        verbs = ", ".join(sorted(m.VERBS))
        return f"`do` says what is asked; it is one of {verbs}"
    return f"{where or 'the message'}: {first['msg'].lower()}"


def _listed(request: m.AskList) -> m.Answer:
    return m.Listed(id=request.id, **_there())


@cache
def _there() -> dict[str, Any]:
    """Games, levels and agents: always the same, and asked for by everyone."""
    kinds = {name: api.rules_type(name) for name in api.GAMES}
    games = [
        {"name": name, "title": kind.title, "rules": _rules(kind)} for name, kind in kinds.items()
    ]
    levels = {
        name: [
            {"name": e.name, "title": e.title, "help": e.help, "agent": e.agent}
            for e in api.game_of(kind).levels
        ]
        for name, kind in kinds.items()
    }
    apart = {level["name"] for there in levels.values() for level in there}
    listed = [each for each in api.agent_list() if not each.arena and each.name not in apart]
    agents = [each.to_dict() for each in listed]
    return {"games": games, "levels": levels, "agents": agents}


def _rules(kind: type[api.Rules]) -> list[dict[str, Any]]:
    """The options of a game's rules, as a form needs them."""
    found = []
    for name, said in kind.model_json_schema()["properties"].items():
        plain = next((p for p in said.get("anyOf", []) if p.get("type") != "null"), said)
        numbers = plain.get("type") == "array"
        form = {"integer": "number", "array": "numbers"}.get(plain.get("type"), "text")
        found.append(
            {
                "name": name,
                "default": said.get("default"),
                "help": said.get("description", ""),
                "choices": (plain["items"] if numbers else plain).get("enum"),
                "low": plain.get("minimum"),
                "high": plain.get("maximum"),
                "kind": "choice" if "enum" in plain else form,
            }
        )
    return found
