"""The engine: the protocol as JSON lines on standard streams, for a bot or a coach in any language.

Answers are written as they come; when the input ends, what is under way is finished first.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from typing import BinaryIO, TextIO

from kibitz import api
from kibitz.protocol.session import LOCAL, Session
from kibitz.protocol.work import Work


def serve(
    source: BinaryIO | None = None,
    out: TextIO | None = None,
    house: api.House | None = None,
    threads: int = 1,
) -> None:
    """Answer requests line by line until the input ends."""
    asyncio.run(_serve(source or sys.stdin.buffer, out or sys.stdout, house, threads))


async def _serve(source: BinaryIO, out: TextIO, house: api.House | None, threads: int) -> None:
    work = Work(threads)

    def send(line: str) -> None:
        out.write(line + "\n")
        out.flush()

    session = Session(house or api.House(), work, send, LOCAL)
    lines: asyncio.Queue[bytes | None] = asyncio.Queue(1000)
    reader = threading.Thread(
        target=_read, args=(source, asyncio.get_running_loop(), lines), daemon=True
    )
    reader.start()
    try:
        while (line := await lines.get()) is not None:
            if line.strip():
                session.receive(line.strip())
        await session.finish()
    finally:
        session.close()
        work.close()


def _read(
    source: BinaryIO, loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes | None]
) -> None:
    """Standard input cannot be waited for without a thread on every system."""
    put: Callable[[bytes | None], object] = lambda line: asyncio.run_coroutine_threadsafe(  # noqa: E731
        lines.put(line), loop
    ).result()
    try:
        # a line much too long is read in parts, each of which gets its error
        while line := source.readline(2 * LOCAL.size):
            put(line)
        put(None)
    except RuntimeError:
        return  # the loop has ended before the input
