"""Starting the server: an address that is free, the games made ready, the browser opened."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable

import uvicorn

from kibitz import api
from kibitz.protocol.session import Limits
from kibitz.web.server import make_app

LOCALHOST = ("localhost", "127.0.0.1", "[::1]")
TRIED = 20
"""Ports that are tried, one after another."""
SWITCH = 0.001
"""Seconds after which a thread that searches makes room for the one that answers."""


def listen(host: str, port: int | None, first: int = 8765) -> socket.socket:
    """A socket at that port, or at the next that is free if none was asked for."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    ports = range(first, first + TRIED) if port is None else [port]
    reason = "no port"
    for number in ports:
        found = socket.socket(family, socket.SOCK_STREAM)
        try:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind((host, number))
            return found
        except OSError as error:
            found.close()
            reason = error.strerror or str(error)
    where = f"{host}:{port}" if port is not None else f"{host}, ports {first} to {ports[-1]}"
    raise api.KibitzError(f"cannot listen at {where}: {reason.lower()}")


def url_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    shown = {"0.0.0.0": "localhost", "127.0.0.1": "localhost", "::": "localhost"}.get(host, host)
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"


def address_in_network() -> str | None:
    """The address under which others in the network find this machine, if it has one."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # nothing is sent: it only chooses the way out
        return str(probe.getsockname()[0])
    return None


def make_ready() -> None:
    """Have everything loaded or compiled that the first moves need."""
    for game in api.GAMES:
        rules = api.rules(game)
        table = api.Table(rules, seed=0)
        casual, rng = api.agent("casual", game), api.generator(0, stream=1)
        for moves in (0, 16):  # what a belief needs shows only once cards were drawn and played
            for _ in range(moves):
                table.play(casual.decide(table.view(table.to_act), rng).action)
            thinking = api.Thinking(table.view(table.to_act), api.COACH[game], sims=2)
            thinking.step()
            thinking.explained()


def serve(
    listening: socket.socket,
    house: api.House,
    *,
    hosts: tuple[str, ...] = LOCALHOST,
    limits: Limits | None = None,
    threads: int = 1,
    prepare: Callable[[], None] = make_ready,
    started: Callable[[], None] = lambda: None,
) -> None:
    """Serve until Ctrl-C. `prepare` runs in a thread of its own, so that the page is there at
    once; what needs the games waits for it."""
    asyncio.run(_serve(listening, house, hosts, limits, threads, prepare, started))


async def _serve(
    listening: socket.socket,
    house: api.House,
    hosts: tuple[str, ...],
    limits: Limits | None,
    threads: int,
    prepare: Callable[[], None],
    started: Callable[[], None],
) -> None:
    sys.setswitchinterval(SWITCH)
    preparing = asyncio.create_task(asyncio.to_thread(prepare))

    async def ready() -> None:
        await asyncio.shield(preparing)

    app = make_app(house, hosts=hosts, limits=limits, threads=threads, ready=ready)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,  # addresses of shared games are secrets of those who share them
        ws="websockets-sansio",
        ws_max_size=1 << 20,
        ws_per_message_deflate=False,
        server_header=False,
        timeout_graceful_shutdown=2,
        timeout_keep_alive=30,
        limit_concurrency=2000,
        h11_max_incomplete_event_size=32 * 1024,
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listening]))

    def prepared(done: asyncio.Future[None]) -> None:
        if not done.cancelled() and done.exception() is not None:
            server.should_exit = True  # there will never be a game

    preparing.add_done_callback(prepared)
    while not server.started and not serving.done():
        await asyncio.sleep(0.005)
    started()
    with contextlib.suppress(asyncio.CancelledError):
        await serving
    if preparing.done() and not preparing.cancelled():
        preparing.result()  # what went wrong, if it did


def open_browser(url: str) -> None:
    """Try to; a machine without a browser is no reason to fail or to wait."""

    def attempt() -> None:
        with contextlib.suppress(Exception):
            webbrowser.open(url)

    threading.Thread(target=attempt, daemon=True).start()
