"""Logs that stay short: whoever can make the server say something could fill its disk by it."""

from __future__ import annotations

import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable

EVERY = 60.0
"""Seconds in which an event is told once."""
MOST = 200
"""Different events in that time; what else happens is not told."""


class Seldom(logging.Filter):
    """Lets an event pass once a minute, and then with the number of those that were like it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._told: OrderedDict[tuple[str, int, str, str], tuple[float, int]] = OrderedDict()
        """Of each event: when it was told, and how often it happened since."""

    def filter(self, record: logging.LogRecord) -> bool:
        self._shorten(record)
        now = self._clock()
        # events are alike if they differ in numbers alone
        text = re.sub(r"0x[0-9a-f]+|\d+", "#", str(record.msg)[:200])
        kind = record.exc_info[0] if record.exc_info else None
        key = record.name, record.levelno, text, kind.__name__ if kind else ""
        told, more = self._told.get(key, (now - EVERY, 0))
        if now - told < EVERY:
            self._told[key] = told, more + 1
            return False
        if key not in self._told and len(self._told) >= MOST:
            oldest, (told, _) = next(iter(self._told.items()))
            if now - told < EVERY:
                return False
            del self._told[oldest]
        self._told[key] = now, 0
        self._told.move_to_end(key)
        if more:
            record.msg, record.args = f"{record.getMessage()} ({more:,} more like this since)", ()
        return True

    @staticmethod
    def _shorten(record: logging.LogRecord) -> None:
        """asyncio tells at length that there are no files left, or that a line broke."""
        error = record.exc_info[1] if record.exc_info else None
        if record.name == "asyncio" and isinstance(error, OSError):
            first = record.getMessage().partition("\n")[0]
            record.msg, record.args = f"{first}: {error}", ()
            record.exc_info = None


def keep_short() -> None:
    """Send what the server has to say to standard error, ours as well as others', each event once
    a minute and in the form that the program has chosen for ours."""
    ours = logging.getLogger("kibitz")
    handler = ours.handlers.pop() if ours.handlers else logging.StreamHandler()
    handler.addFilter(Seldom())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
