"""Work: searches of many clients on a few threads, in turns.

A job is a function that does a little and says whether there is more to do. After each little the
turn goes to the next client that waits, so a client with much to do stops nobody; a client may
have only so many things under way, and so may all clients of one address, and the house in all.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from typing import Any, TypeVar

from kibitz.api import KibitzError
from kibitz.protocol.pace import Pace

Result = TypeVar("Result")


class Busy(KibitzError):
    """Too much is asked at a time."""


class Work:
    def __init__(self, threads: int = 1, each: int = 4, near: int = 32, most: int = 256) -> None:
        """Places: `each` for a client, `near` for all clients of one address, `most` in all."""
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="kibitz")
        self.pace = Pace()
        self._each = each
        self._near = near
        self._most = most
        self._free = threads
        self._jobs: Counter[object] = Counter()
        self._places: Counter[object] = Counter()
        """Of the clients: what goes on without a place is nobody's fault."""
        self._there: Counter[str] = Counter()
        """The same by address, where there are any."""
        self._waiting: dict[object, deque[asyncio.Future[None]]] = {}
        self._turns = 0
        self._last: Counter[object] = Counter()
        """Of clients with jobs: the number of the last turn that they had."""

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    @contextmanager
    def place(self, client: object, address: str = "") -> Iterator[None]:
        """A place for something that is worked on in one or more jobs."""
        if self._places[client] >= self._each:
            raise Busy(f"{self._each} things are under way for you: wait for one, or cancel it")
        if address and self._there[address] >= self._near:
            raise Busy(f"{self._near} things are under way at your address: try again in a moment")
        if self._places.total() >= self._most:
            raise Busy("Kibitz has its hands full: try again in a moment")
        self._places[client] += 1
        self._there[address] += 1
        try:
            yield
        finally:
            self._places[client] -= 1
            if not self._places[client]:
                del self._places[client]
            self._there[address] -= 1
            if not self._there[address]:
                del self._there[address]

    async def once(
        self, client: object, job: Callable[[], Result], *, limited: bool = True
    ) -> Result:
        """Do one thing, when it is this client's turn."""
        found: list[Result] = []

        def step() -> bool:
            found.append(job())
            return False

        async for _ in self.steps(client, step, limited=limited):
            pass
        return found[0]

    async def steps(
        self, client: object, step: Callable[[], bool], *, limited: bool = True, address: str = ""
    ) -> AsyncGenerator[None]:
        """Do a job step by step; comes back after each, and may be left at any of them (close it
        then). What is not `limited` needs no place of its own: it has one, or is never refused."""
        with self.place(client, address) if limited else nullcontext():
            self._jobs[client] += 1
            try:
                more = True
                while more:
                    await self._turn(client)
                    try:
                        more = await self._run(step)
                    finally:
                        self._pass_on()
                    yield
            finally:
                self._jobs[client] -= 1
                if not self._jobs[client]:
                    del self._jobs[client], self._last[client]

    async def _run(self, step: Callable[[], bool]) -> bool:
        running = asyncio.get_running_loop().run_in_executor(self._pool, step)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            # the thread is not to be stopped: its place is free only when it is done
            await _settled(running)
            raise

    async def _turn(self, client: object) -> None:
        if self._free > 0:
            self._free -= 1
            self._took(client)
            return
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, deque()).append(ready)
        try:
            await ready
        except asyncio.CancelledError:
            if ready.done() and not ready.cancelled():
                self._pass_on()  # the turn came in the same moment
            raise

    def _took(self, client: object) -> None:
        self._turns += 1
        self._last[client] = self._turns

    def _pass_on(self) -> None:
        """Give the turn to the client that had none for longest, however many jobs it has."""
        while self._waiting:
            client = min(self._waiting, key=lambda each: self._last[each])
            queue = self._waiting[client]
            ready = queue.popleft()
            if not queue:
                del self._waiting[client]
            if not ready.done():
                self._took(client)
                ready.set_result(None)
                return
        self._free += 1


async def _settled(running: asyncio.Future[Any]) -> None:
    while not running.done():
        try:
            await asyncio.wait([running])
        except asyncio.CancelledError:
            continue
    if not running.cancelled():
        running.exception()  # nobody else will ask
