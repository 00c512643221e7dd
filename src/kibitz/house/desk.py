"""Desk: a house asked from an event loop. All that is done with its tables is done in one thread,
one thing after the other, so that the loop never waits for the disk or for another program that
writes to the same file, and no two changes of a table meet.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from kibitz.house.storage import Locked, Storage

Result = TypeVar("Result")

PATIENCE = 5.0
"""Seconds for which a change is tried while another program writes."""
AGAIN = 0.02
"""Seconds between two tries."""


class Desk:
    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._thread: ThreadPoolExecutor | None = None

    async def do(self, job: Callable[[], Result]) -> Result:
        """Do something with the house. While another program writes to the file it is tried again
        and again, and others' turns come in between: `job` begins with finding its table, and
        changes nothing that is not written down."""
        if self._thread is None:
            # who has to wait for another program does so here, where others have their turn
            self._thread = ThreadPoolExecutor(1, "kibitz-house", self._storage.wait, (0,))
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return await asyncio.get_running_loop().run_in_executor(self._thread, job)
            except Locked:
                if time.monotonic() > until:
                    raise
            await asyncio.sleep(AGAIN)

    def close(self) -> None:
        """Wait for what is being done, and do nothing more."""
        if self._thread is not None:
            self._thread.shutdown(wait=True, cancel_futures=True)
