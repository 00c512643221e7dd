"""The engine: the protocol as JSON lines on standard streams, for a bot or a coach in any language.

Answers are written as they come; when the input ends, what is under way is finished first. When
nobody can read the answers any more the engine ends, whatever is under way.
"""

from __future__ import annotations

import asyncio
import contextlib
import select
import sys
import threading
from collections.abc import Callable
from typing import BinaryIO, TextIO

from kibitz import api
from kibitz.protocol.session import LOCAL, Session
from kibitz.protocol.work import Work

ALL = 1_000_000
"""What is asked waits for its turn: whoever asks pays for itself."""
WAITING = 1000
"""Lines that are read before they are worked on."""
LONGEST = 2 * LOCAL.size
"""Bytes of a line that are kept: enough to see that it is too long."""
INTERRUPTED = 130
"""The exit code after Ctrl-C."""
GRACE = 0.5
"""Seconds for searches to stop when nobody reads any more, or when we are to end."""


def serve(
    source: BinaryIO | None = None,
    out: TextIO | None = None,
    house: api.House | None = None,
    threads: int = 1,
    leave: Callable[[int], None] = lambda code: None,
) -> None:
    """Answer requests line by line until the input ends. BrokenPipeError: nobody reads the answers.
    `leave` is called before, and before an interruption, if a thread is busy with what cannot be
    stopped, such as compiling: it may end the process, with the code that it gets, else we wait."""
    if source is None:
        # a reader of our own: Python itself closes sys.stdin in the end, and cannot while a thread
        # still waits for it
        source = open(sys.stdin.fileno(), "rb", closefd=False)  # noqa: SIM115
    asyncio.run(_serve(source, out or sys.stdout, house, threads, leave))


async def _serve(
    source: BinaryIO,
    out: TextIO,
    house: api.House | None,
    threads: int,
    leave: Callable[[int], None],
) -> None:
    work = Work(threads, each=ALL, most=ALL)
    loop = asyncio.get_running_loop()
    gone = asyncio.Event()

    def send(line: str) -> None:
        if not gone.is_set():
            try:
                out.write(line + "\n")
                out.flush()
            except OSError:  # whoever asked has gone
                gone.set()

    session = Session(house or api.House(), work, send, LOCAL)
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()
    room = threading.Semaphore(WAITING)
    threading.Thread(target=_read, args=(source, loop, lines, room), daemon=True).start()
    threading.Thread(target=_watch, args=(out, loop, gone), daemon=True).start()
    answering = loop.create_task(_answer(session, lines, room))
    leaving = loop.create_task(gone.wait())
    try:
        await asyncio.wait([answering, leaving], return_when=asyncio.FIRST_COMPLETED)
        if gone.is_set():
            await _part(session, lambda: leave(0))
            raise BrokenPipeError("nobody reads the answers")
        answering.result()
    except (asyncio.CancelledError, SystemExit):  # Ctrl-C, or the system ends us
        await _part(session, lambda: leave(INTERRUPTED))
        raise
    finally:
        answering.cancel()
        leaving.cancel()
        session.close()
        work.close()


async def _part(session: Session, leave: Callable[[], None]) -> None:
    session.close()
    try:
        await asyncio.wait_for(session.finish(), GRACE)
    except TimeoutError:
        leave()


async def _answer(
    session: Session, lines: asyncio.Queue[bytes | None], room: threading.Semaphore
) -> None:
    while (line := await lines.get()) is not None:
        room.release()
        if line.strip():
            session.receive(line.strip())
    await session.finish()


def _read(
    source: BinaryIO,
    loop: asyncio.AbstractEventLoop,
    lines: asyncio.Queue[bytes | None],
    room: threading.Semaphore,
) -> None:
    """Standard input cannot be waited for without a thread on every system."""
    with contextlib.suppress(RuntimeError):  # the loop has ended before the input
        with contextlib.suppress(OSError):  # as good as the end
            while line := source.readline(LONGEST):
                room.acquire()
                loop.call_soon_threadsafe(lines.put_nowait, line)
                # the rest of a line that gets an error is no line of its own
                while len(line) == LONGEST and not line.endswith(b"\n"):
                    line = source.readline(LONGEST)
        loop.call_soon_threadsafe(lines.put_nowait, None)


def _watch(out: TextIO, loop: asyncio.AbstractEventLoop, gone: asyncio.Event) -> None:
    """Wait until nobody can read what is written: a search that says nothing for an hour would not
    find out."""
    try:
        waiting = select.poll()
        waiting.register(out.fileno(), 0)
    except (AttributeError, OSError):  # not everywhere; or no file of the system
        return
    waiting.poll()  # nothing is waited for but errors, which are always told
    with contextlib.suppress(RuntimeError):  # the loop has ended before
        loop.call_soon_threadsafe(gone.set)
