"""The engine: the protocol as JSON lines on standard streams, for a bot or a coach in any language.

Answers are written as they come; when the input ends, what is under way is finished first.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from typing import BinaryIO, TextIO

from kibitz import api
from kibitz.protocol.session import LOCAL, Session
from kibitz.protocol.work import Work

ALL = 1_000_000
"""What is asked waits for its turn: whoever asks pays for itself."""
WAITING = 1000
"""Lines that are read before they are worked on."""


def serve(
    source: BinaryIO | None = None,
    out: TextIO | None = None,
    house: api.House | None = None,
    threads: int = 1,
) -> None:
    """Answer requests line by line until the input ends."""
    if source is None:
        # a reader of our own: Python itself closes sys.stdin in the end, and cannot while a thread
        # still waits for it
        source = open(sys.stdin.fileno(), "rb", closefd=False)  # noqa: SIM115
    asyncio.run(_serve(source, out or sys.stdout, house, threads))


async def _serve(source: BinaryIO, out: TextIO, house: api.House | None, threads: int) -> None:
    work = Work(threads, each=ALL, most=ALL)
    heard = True

    def send(line: str) -> None:
        nonlocal heard
        if heard:
            try:
                out.write(line + "\n")
                out.flush()
            except OSError:  # whoever asked has gone
                heard = False

    session = Session(house or api.House(), work, send, LOCAL)
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()
    room = threading.Semaphore(WAITING)
    reader = threading.Thread(
        target=_read, args=(source, asyncio.get_running_loop(), lines, room), daemon=True
    )
    reader.start()
    try:
        while heard and (line := await lines.get()) is not None:
            room.release()
            if line.strip():
                session.receive(line.strip())
        if not heard:
            raise BrokenPipeError("nobody reads the answers")
        await session.finish()
    finally:
        session.close()
        work.close()


def _read(
    source: BinaryIO,
    loop: asyncio.AbstractEventLoop,
    lines: asyncio.Queue[bytes | None],
    room: threading.Semaphore,
) -> None:
    """Standard input cannot be waited for without a thread on every system."""
    with contextlib.suppress(RuntimeError):  # the loop has ended before the input
        with contextlib.suppress(OSError):  # as good as the end
            # a line much too long is read in parts, each of which gets its error
            while line := source.readline(2 * LOCAL.size):
                room.acquire()
                loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, None)
