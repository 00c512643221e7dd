"""Send the server whatever a broken or hostile client might: everything must be answered, nothing
may break inside, and the memory must stay where it is. The limits on how fast and how much one
client may ask are lifted here, so that what lies behind them is reached."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from fuzzing import Maker, http_requests
from running import Gone, Message, Server, report, say
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

SERVER = """
import argparse, dataclasses, pathlib
from kibitz import api
from kibitz.protocol.session import Limits
from kibitz.web import serving
parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int)
parser.add_argument("--data", type=pathlib.Path)
said = parser.parse_args()
house = api.House(api.Storage(said.data))
limits = dataclasses.replace(Limits(), rate=1e9, burst=1e9, ms=50, sims=2000)
serving.serve(serving.listen("127.0.0.1", said.port), house, limits=limits)
"""
"""The server, without limits on the rate, and with searches that are soon over."""
BATCH = 25
"""Messages sent before all of their answers are waited for."""
CLOSES = (1007, 1009, None)
"""How the server may close a connection: text that is not UTF-8, a frame larger than 1 MiB; without
a word if it hung up while we were still sending."""
PATIENCE = 20
"""Seconds to wait for an answer."""


class Run:
    def __init__(self, said: argparse.Namespace) -> None:
        self.said = said
        self.sent = 0
        self.http = 0
        self.counts: Counter[str] = Counter()
        self.failures: list[str] = []
        self.memory: list[float] = []

    # --- WebSocket ---

    async def client(self, url: str, maker: Maker) -> None:
        while self.sent < self.said.messages and len(self.failures) < 20:
            try:
                async with connect(
                    url, compression=None, max_size=None, ping_interval=None, open_timeout=PATIENCE
                ) as socket:
                    maker.connected()
                    for _ in range(maker.dice.randint(1, 40)):
                        if self.sent >= self.said.messages:
                            return
                        await self.batch(socket, maker)
            except Gone:
                continue

    async def batch(self, socket: ClientConnection, maker: Maker) -> None:
        """Send some messages, and wait until each has its answer."""
        sent: list[str | bytes] = []
        last = f"last-{self.sent}-{id(maker)}"
        waiting: Counter[str | None] = Counter({last: 1})
        closing = False
        for _ in range(BATCH):
            message, name, closes = maker.message()
            if isinstance(message, str):
                message = message.encode("utf-8", "surrogatepass")
                text = True
            else:
                text = False
            sent.append(message)
            if closes:
                closing = True
            else:
                waiting[name] += 1
            self.sent += 1
            with contextlib.suppress(ConnectionClosed):
                await socket.send(message, text=text)
            if closes:
                break
        try:
            if not closing:
                await socket.send(json.dumps({"id": last, "do": "version"}))
            async with asyncio.timeout(PATIENCE):
                while waiting.total():
                    self.read(await socket.recv(), waiting, maker)
                while closing:
                    await socket.recv()
        except ConnectionClosed as error:
            code = error.rcvd.code if error.rcvd else None
            self.counts[f"closed {code}"] += 1
            if not closing or code not in CLOSES:
                self.fail(f"the connection was closed ({code})", sent)
            raise Gone("closed") from None
        except TimeoutError:
            missing = [name for name, number in waiting.items() if number > 0]
            self.fail(f"no answer to {missing[:3]}", sent)
            raise Gone("silent") from None

    def read(self, line: str | bytes, waiting: Counter[str | None], maker: Maker) -> None:
        text = line if isinstance(line, str) else line.decode()
        answer: Message = json.loads(text)
        name, kind = answer.get("id"), answer["is"]
        if "Traceback" in text or answer.get("code") == "failed":
            self.fail(f"failed inside: {text[:300]}", [str(maker.named.get(name))])
        if name is None and kind != "error":
            self.counts["pushes"] += 1
            maker.learn(answer)
            return
        if answer.get("final", True):
            self.counts[str(answer.get("code", kind))] += 1
            if waiting[name] > 0:
                waiting[name] -= 1
            maker.learn(answer)

    def fail(self, what: str, sent: list[Any]) -> None:
        shown = [repr(message)[:200] for message in sent[-3:]]
        self.failures.append(f"{what}; last sent: {'; '.join(shown)}")
        say(f"FAILED: {self.failures[-1]}")

    # --- HTTP ---

    async def visitor(self, port: int, dice: random.Random) -> None:
        """Odd requests over HTTP, about one for fifty messages."""
        while self.sent < self.said.messages and len(self.failures) < 20:
            if self.http * 50 > self.sent:
                await asyncio.sleep(0.01)
                continue
            raw = http_requests(dice, port)
            self.http += 1
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                with contextlib.suppress(ConnectionError):
                    writer.write(raw)
                    await writer.drain()
                    writer.write_eof()
                    async with asyncio.timeout(PATIENCE):
                        answer = await reader.read(1 << 20)
                    status = answer.split(b" ", 2)[1].decode() if answer else "closed"
                    self.counts[f"http {status}"] += 1
                    if status.startswith("5") or b"Traceback" in answer:
                        self.fail(f"HTTP {status}", [raw[:300]])
            except TimeoutError:
                self.fail("no answer over HTTP", [raw[:300]])
            finally:
                writer.close()

    # --- memory ---

    async def watch(self, server: Server) -> None:
        while True:
            self.memory.append(server.memory())
            say(f"{self.sent} messages, {self.memory[-1]:.0f} MiB, {len(self.failures)} failures")
            step, sent = self.said.messages / 10, self.sent
            while self.sent < sent + step:
                await asyncio.sleep(0.05)

    async def all(self, server: Server) -> None:
        said = self.said
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(f"GET /schema.json HTTP/1.0\r\nHost: localhost:{server.port}\r\n\r\n".encode())
        schema = json.loads((await reader.read()).partition(b"\r\n\r\n")[2])
        writer.close()
        dice = [random.Random(f"{said.seed}-{number}") for number in range(said.clients)]
        makers = [Maker(schema, each, said.without) for each in dice]
        for maker in makers:
            maker.others = makers
        watching = asyncio.create_task(self.watch(server))
        visitor = self.visitor(server.port, random.Random(f"{said.seed}-http"))
        await asyncio.gather(visitor, *(self.client(server.url, maker) for maker in makers))
        self.memory.append(server.memory())
        watching.cancel()


async def measure(said: argparse.Namespace) -> int:
    run = Run(said)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "games", ["-c", SERVER])
        say("starting the server")
        await server.start()
        try:
            await run.all(server)
            run.failures += server.complaints()
        finally:
            server.stop()
    warm = run.memory[2:] or run.memory
    growth = max(warm) - warm[0]
    if growth > said.growth:
        run.failures.append(f"the memory grew by {growth:.0f} MiB, and {said.growth:g} are allowed")
    rows = {
        "messages": run.sent, "http requests": run.http, "seconds": time.monotonic() - began,
        "answers": dict(sorted(run.counts.items())),
        "memory, MiB": run.memory, "growth after a fifth, MiB": growth,
    }  # fmt: skip
    return report(rows, list(dict.fromkeys(run.failures)), said.json)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=4, help="connections at a time")
    parser.add_argument("--growth", type=float, default=100, help="MiB that may be gained")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without", nargs="*", default=[], help="requests and fields to leave out")
    parser.add_argument("--json", action="store_true")
    return asyncio.run(measure(parser.parse_args(arguments)))


if __name__ == "__main__":
    raise SystemExit(main())
