"""What the benchmarks of the server share: a real server in a process of its own, a client that
speaks the protocol with it, and how a run is reported."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

ROOT = Path(__file__).parent.parent
Message = dict[str, Any]
SETTINGS: dict[str, Message] = {"uno": {}, "blob": {"players": 4, "cards": 5}}
"""The games that are played, with their rules."""
STARTING = 120
"""Seconds a server may take until it answers; on a new machine it compiles first."""


class Gone(Exception):
    """The connection has ended, or the server."""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Server:
    """The server as people start it, or `command`; it gets the port and the folder as arguments."""

    def __init__(self, data: Path, command: list[str] | None = None) -> None:
        self.port = free_port()
        self.data = data
        self.log = data.with_name(data.name + ".log")
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start it and wait until it answers."""
        play = ["-m", "kibitz", "play", "--no-browser"]
        where = ["--port", str(self.port), "--data", str(self.data)]
        command = [*play, *where] if self._command is None else [*self._command, *where]
        path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, *command],
                env={**os.environ, "PYTHONPATH": path},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        until = time.monotonic() + STARTING
        while True:
            try:
                async with Client(self.url) as client:
                    await client.ask({"do": "version"}, timeout=STARTING)
                return
            except (OSError, Gone) as error:
                if self._process.poll() is not None or time.monotonic() > until:
                    said = self.log.read_text(errors="replace")[-2000:]
                    raise RuntimeError(f"the server did not start:\n{said}") from error
                await asyncio.sleep(0.05)

    def kill(self) -> None:
        """Without a warning."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(how)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise RuntimeError("the server did not end when told to") from None

    def cpu(self) -> float:
        """Seconds of processor time it has used; NaN where the system does not tell."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return float("nan")
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """MiB in use now; NaN where the system does not tell."""
        try:
            pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        except OSError:
            return float("nan")
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def complaints(self) -> list[str]:
        """What it has written that says that something went wrong inside. That uvicorn logs text
        which is not UTF-8 at length, and closes the connection, is all right."""
        _, *broken = self.log.read_text(errors="replace").split("Traceback (most recent call last)")
        known = "in send_receive_event_to_app"
        found = [f"Traceback{each[-1500:]}" for each in broken if known not in each]
        warned = "RuntimeWarning" in self.log.read_text(errors="replace")
        return [*found, "the server's log has a RuntimeWarning"] if warned else found


class Client:
    """One connection. Answers go to those who asked, pushes to `pushed`."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.pushed: asyncio.Queue[Message | None] = asyncio.Queue()
        self._asked: dict[str, asyncio.Future[Message]] = {}
        self._count = 0
        self._socket: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Client:
        try:
            self._socket = await connect(
                self.url, compression=None, open_timeout=STARTING, ping_interval=None, max_size=None
            )
        except Exception as error:
            raise Gone(str(error)) from None
        self._reader = asyncio.create_task(self._read(self._socket))
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._socket is not None
        assert self._reader is not None
        self._reader.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reader
        with contextlib.suppress(Exception):
            await self._socket.close()

    async def _read(self, socket: ClientConnection) -> None:
        try:
            async for line in socket:
                message: Message = json.loads(line)
                id = message.get("id")
                if id is None:
                    self.pushed.put_nowait(message)
                elif message.get("final", True) and id in self._asked:
                    asked = self._asked.pop(id)
                    if not asked.done():
                        asked.set_result(message)
        except ConnectionClosed:
            pass
        finally:
            self.pushed.put_nowait(None)
            for asked in self._asked.values():
                if not asked.done():
                    asked.set_exception(Gone("the connection ended before the answer"))
                    asked.exception()  # perhaps nobody waits for it any more

    async def ask(self, request: Message, timeout: float = 60) -> Message:
        """The (last) answer to a request; errors are answers too."""
        assert self._socket is not None
        assert self._reader is not None
        if self._reader.done():
            raise Gone("the connection has ended")
        self._count += 1
        id = str(self._count)
        answer = self._asked[id] = asyncio.get_running_loop().create_future()
        try:
            await self._socket.send(json.dumps({"id": id, **request}))
        except ConnectionClosed:
            raise Gone("the connection ended") from None
        async with asyncio.timeout(timeout):
            found: Message = await answer
            return found

    async def push(self, timeout: float = 60) -> Message:
        """What the server says next unasked."""
        async with asyncio.timeout(timeout):
            found = await self.pushed.get()
        if found is None:
            raise Gone("the connection ended")
        return found

    async def deal(
        self,
        game: str,
        level: str,
        seat: int = 0,
        coach: bool = False,
        rules: Message | None = None,
    ) -> Message:
        """Sit down at a new table."""
        promised = await self.ask({"do": "commit"})
        request = {
            "do": "deal",
            "table": promised["table"],
            "nonce": secrets.token_hex(16),
            "game": game,
            "rules": SETTINGS[game] if rules is None else rules,
            "seat": seat,
            "opponents": [level],
            "coach": coach,
        }
        return await self.ask(request)


def percentiles(values: list[float]) -> dict[str, float]:
    """Median, 95 %, 99 % and greatest."""
    if not values:
        return {}
    found = sorted(values)

    def at(part: float) -> float:
        return found[min(len(found) - 1, int(part * len(found)))]

    return {"median": at(0.5), "95 %": at(0.95), "99 %": at(0.99), "max": found[-1]}


def say(text: str) -> None:
    """What is going on; the report alone goes to standard output."""
    print(text, file=sys.stderr, flush=True)


def report(rows: Message, failures: list[str], as_json: bool) -> int:
    """Print what was found; 0 if nothing failed, else 1."""
    if as_json:
        print(json.dumps({**rows, "failures": failures, "passed": not failures}, indent=2))
        return int(bool(failures))
    wide = max(len(name) for name in rows)
    for name, value in rows.items():
        print(f"{name:{wide}}  {_shown(value)}")
    for failure in failures[:20]:
        print(f"FAILED: {failure}")
    print("failed" if failures else "passed")
    return int(bool(failures))


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "  ".join(f"{name} {_shown(each)}" for name, each in value.items())
    if isinstance(value, list):
        return " ".join(_shown(each) for each in value)
    return f"{value:,.1f}" if isinstance(value, float) else str(value)
