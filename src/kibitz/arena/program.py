"""A program that answers questions in JSON lines, within limits of time, memory and length.

There are no threads: its three pipes are waited for together, so that a program that writes without
end, reads nothing or is silent holds nobody up for longer than it has time. It leads a session of
its own: Ctrl-C in a terminal is not for it, and what it has started goes when it goes. It is killed
when the object is no longer used and when Python ends, or is killed.

On Linux a keeper (see there) stands between us and the program, and nothing escapes it that the
program has started. On other POSIX systems what left its group lives on, which is logged once; and
should Python be killed there, the program's input ends, and no more.

Memory is address space, counted for each process; a system that does not limit it, such as macOS,
lets the program have what it wants.
"""

from __future__ import annotations

import ctypes
import json
import logging
import os
import select
import shutil
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from kibitz.arena import keeper
from kibitz.games.base import KibitzError

LONGEST = 1_000_000
"""Bytes of a line."""
KEPT = 2000
"""Characters of standard error, the last, that are kept."""
GRACE = 2.0
"""Seconds for a program to end by itself, once its input has ended or it has ended its output."""
CHUNK = 1 << 16

# The limit must be there before the program can start others, which would go without it, and after
# the fork: Python runs no code of ours in between that is safe with threads. "$@" is the command as
# it was split: the shell reads nothing of it.
LIMITED = 'ulimit -v "$0" 2>/dev/null; exec "$@"'


_RUNNING: weakref.WeakSet[Program] = weakref.WeakSet()


def kill_all() -> None:
    """All programs that were started here, at once."""
    for program in list(_RUNNING):
        program.kill()


class Fault(KibitzError):
    """A player that cannot go on: it crashed, came too late, or made no legal move. It loses."""


class Program:
    def __init__(self, command: Sequence[str], mb: int = 0) -> None:
        """Start it, with so many megabytes of memory; 0: no limit."""
        found = shutil.which(command[0])
        if found is None:
            raise Fault(f"does not start: {command[0]!r} is no program that can be run")
        words = [found, *command[1:]]
        if mb:
            words = ["/bin/sh", "-c", LIMITED, str(1024 * mb), *words]
        try:
            self._process, self.pid, control = _kept(words) if has_keeper() else _alone(words)
        except (OSError, ValueError) as error:
            raise Fault(f"does not start: {error}") from None
        self._stop = weakref.finalize(self, _kill, self._process, self.pid, control)
        _RUNNING.add(self)
        streams = self._process.stdin, self._process.stdout, self._process.stderr
        self._in, self._out, self._err = (stream.fileno() for stream in streams if stream)
        for number in (self._in, self._out, self._err):
            os.set_blocking(number, False)
        self._unsent, self._heard, self._moaned = bytearray(), bytearray(), bytearray()
        self._moans = True

    def tell(self, message: dict[str, Any]) -> None:
        """Something that needs no answer. What cannot be written yet goes before the next."""
        self._unsent += json.dumps(message, separators=(",", ":")).encode() + b"\n"
        self._write()

    def ask(self, question: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The next line that it says, as an object. After a Fault it should be killed: what it says
        later would be taken for the answer to another question."""
        deadline = time.monotonic() + seconds
        self.tell(question)
        while (end := self._heard.find(b"\n", 0, LONGEST + 1)) < 0:
            if len(self._heard) > LONGEST:
                raise Fault(f"floods: it wrote a line of more than {LONGEST:,} bytes")
            left = deadline - time.monotonic()
            if not self._exchange(max(0.0, left)) and left <= 0:
                if self._process.poll() is not None:  # but something it has started lives on
                    raise Fault(self._end())
                raise Fault(f"is late: no answer to {question['do']!r} within {seconds:g} s")
        line = bytes(self._heard[:end])
        del self._heard[: end + 1]
        try:
            answer = json.loads(line.decode())
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise Fault(f"answers with no JSON object: {short(line.decode(errors='replace'))}")
        return answer

    def _exchange(self, seconds: float) -> bool:
        """Wait until something can be written or read, and do it. Whether a line has come."""
        waiting = select.poll()
        waiting.register(self._out, select.POLLIN)
        if self._moans:
            waiting.register(self._err, select.POLLIN)
        if self._unsent:
            waiting.register(self._in, select.POLLOUT)
        ready = {number for number, _ in waiting.poll(1000 * seconds)}
        if self._in in ready:
            self._write()
        if self._err in ready:
            self._listen()
        if self._out in ready:
            heard = os.read(self._out, CHUNK)
            if not heard:
                raise Fault(self._end())
            self._heard += heard
            return b"\n" in heard
        return False

    def _write(self) -> None:
        try:
            while self._unsent:
                del self._unsent[: os.write(self._in, self._unsent[:CHUNK])]
        except BlockingIOError:
            pass
        except BrokenPipeError:  # it reads no more; what it still says, or its end, will tell
            self._unsent.clear()

    def _listen(self) -> None:
        """Read its standard error, once, and keep the end."""
        with suppress(BlockingIOError):
            said = os.read(self._err, CHUNK)
            self._moans = bool(said)
            # a character has at most four bytes
            self._moaned = (self._moaned + said)[-4 * KEPT :]

    def _end(self) -> str:
        """How it came to an end, after that of its output."""
        try:
            code = self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            return "has closed its output"
        if code >= 0:
            return f"died with exit code {code}"
        names = {each.value: each.name for each in signal.Signals}
        return f"died of {names.get(-code, f'signal {-code}')}"

    def last_words(self) -> str:
        """The last that it wrote to its standard error."""
        for _ in range(2):  # no more than a pipe holds
            if self._moans:
                self._listen()
        return self._moaned.decode(errors="replace")[-KEPT:]

    def kill(self) -> None:
        self._stop()

    def close(self) -> None:
        """End its input, which tells it that all is over; kill it if it does not care."""
        try:
            self._write()
            if self._process.stdin:
                self._process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
        finally:
            self._stop()


def short(text: str, most: int = 100) -> str:
    """A text from elsewhere, in one line and without characters that a terminal would obey."""
    return repr(text if len(text) <= most else text[:most] + "…")


# --- starting and ending -------------------------------------------------------------------------


@cache
def has_keeper() -> bool:
    """Whether nothing can escape us here."""
    if sys.platform == "linux" and sys.executable and os.access("/proc/self/stat", os.R_OK):
        found = ctypes.c_int()
        with suppress(OSError, AttributeError):
            what = keeper.PR_GET_CHILD_SUBREAPER
            if ctypes.CDLL(None).prctl(what, ctypes.byref(found), 0, 0, 0) == 0:
                return True
    logging.getLogger("kibitz").warning(
        "on this system what a program starts may live on when it has left the program's group"
    )
    return False


Started = tuple[subprocess.Popen[bytes], int, int | None]
"""What is waited for, the number of the program, and the pipe that keeps it alive."""


def _open(words: Sequence[str], **more: Any) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        words, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True, **more
    )


def _alone(words: Sequence[str]) -> Started:
    process = _open(words)
    return process, process.pid, None


def _kept(words: Sequence[str]) -> Started:
    (watched, control), (hears, tells) = os.pipe(), os.pipe()
    keeping = [sys.executable, "-I", "-S", str(Path(keeper.__file__)), str(watched), str(tells)]
    try:
        process = _open([*keeping, *words], pass_fds=(watched, tells))
    except BaseException:
        os.close(control)
        os.close(hears)
        raise
    finally:
        os.close(watched)
        os.close(tells)
    with open(hears) as told:  # until the program runs, or cannot
        pid, *wrong = sorted(told.read().splitlines(), key=lambda line: not line.isdecimal())
    if wrong:
        _kill(process, process.pid, control)
        raise OSError(wrong[0])
    return process, int(pid), control


def _kill(process: subprocess.Popen[bytes], pid: int, control: int | None) -> None:
    """The program and all that it has started."""
    if control is not None:
        os.close(control)  # the keeper kills, and ends
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
    if process.poll() is None or control is None:  # without a keeper: all of its group
        for group in {pid, process.pid}:
            with suppress(ProcessLookupError, PermissionError):  # all gone; or a zombie, on macOS
                os.killpg(group, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            stream.close()
