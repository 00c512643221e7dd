"""Starting the server: an address that is free, the games made ready, the browser opened."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import signal
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator

import uvicorn
from starlette.types import ASGIApp

from kibitz import api
from kibitz.protocol.session import Limits
from kibitz.web.door import BACKLOG, Door, Reach, affordable
from kibitz.web.logs import keep_short
from kibitz.web.server import make_app

TRIED = 20
"""Ports that are tried, one after another."""
WAITING = 1024
"""Connections that the system keeps for us until they are accepted."""
FAREWELL = 0.3
"""Seconds for the others to take leave when the server ends."""
MMAP_THRESHOLD, LARGE = -3, 1 << 18
"""The number of this setting in malloc.h, and the bytes of a block that is given back at once."""
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
        table = api.Table(rules, seed=0, chance=2)
        casual, rng = api.agent("casual", game), api.generator(0, stream=1)
        for moves in (0, 16):  # what a belief needs shows only once cards were drawn and played
            for _ in range(moves):
                if not table.over:
                    table.play(casual.decide(table.view(table.to_act), rng).action)
            if table.over:  # some games are short
                table.undo()
            thinking = api.Thinking(table.view(table.to_act), "coach", sims=2)
            thinking.step()
            thinking.explained()


def configure(app: ASGIApp, reach: Reach) -> tuple[uvicorn.Config, Door]:
    """How the server speaks, and the door through which everybody comes."""
    most = affordable(reach.connections)
    door = Door(most, reach.each, reach.seconds, reach.trusted, clock=time.monotonic)
    http, joined = door.protocols()
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        access_log=False,  # addresses of shared games are secrets of those who share them
        http=http,
        ws=joined,
        ws_max_size=1 << 20,
        ws_per_message_deflate=False,
        server_header=False,
        proxy_headers=bool(reach.trusted),
        forwarded_allow_ips=list(reach.trusted),
        backlog=BACKLOG,
        timeout_graceful_shutdown=1,
        timeout_keep_alive=15,
        h11_max_incomplete_event_size=32 * 1024,
    )
    return config, door


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Left to us: uvicorn ends the process by the signal, before the games are put away."""
        yield


def serve(
    listening: socket.socket,
    house: api.House,
    *,
    reach: Reach = Reach(),  # noqa: B008 - it never changes
    limits: Limits | None = None,
    threads: int = 1,
    prepare: Callable[[], None] = make_ready,
    started: Callable[[], None] = lambda: None,
) -> None:
    """Serve until Ctrl-C, or until the system ends it. `prepare` runs in a thread of its own, so
    that the page is there at once; what needs the games waits for it, but the end does not."""
    keep_short()
    _give_back()
    asyncio.run(_serve(listening, house, reach, limits, threads, prepare, started))


async def _serve(
    listening: socket.socket,
    house: api.House,
    reach: Reach,
    limits: Limits | None,
    threads: int,
    prepare: Callable[[], None],
    started: Callable[[], None],
) -> None:
    sys.setswitchinterval(SWITCH)
    preparing = _beside(prepare)

    async def ready() -> None:
        await asyncio.shield(preparing)

    app = make_app(house, reach=reach, limits=limits, threads=threads, ready=ready)
    config, door = configure(app, reach)
    server = _Server(config)
    loop = asyncio.get_running_loop()

    def stop() -> None:
        server.should_exit = True
        loop.call_later(FAREWELL, door.close)  # whoever has not taken it by then

    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):  # not the main thread
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if each != signal.SIGHUP or signal.getsignal(each) is not signal.SIG_IGN:  # nohup
                loop.add_signal_handler(each, stop)
    serving = asyncio.create_task(server.serve(sockets=[listening]))

    def prepared(done: asyncio.Future[None]) -> None:
        if not done.cancelled() and done.exception() is not None:
            stop()  # there will never be a game

    preparing.add_done_callback(prepared)
    while not server.started and not serving.done():
        await asyncio.sleep(0.005)
    with contextlib.suppress(OSError):  # it could not start, and says why below
        listening.listen(WAITING)
    started()
    await serving
    if preparing.done() and not preparing.cancelled():
        preparing.result()  # what went wrong, if it did


def _give_back() -> None:
    """Have what a search used given back to the system when it is over. The C library keeps blocks
    of up to 32 MB otherwise, once one of that size was freed, and they are scattered soon."""
    with contextlib.suppress(AttributeError, OSError):  # another C library
        ctypes.CDLL(None).mallopt(MMAP_THRESHOLD, LARGE)


def _beside(job: Callable[[], None]) -> asyncio.Future[None]:
    """Do it in a thread that nobody waits for when the program ends: what it compiles cannot be
    stopped, and takes a minute."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[None] = loop.create_future()

    def tell(error: BaseException | None) -> None:
        if not found.done():
            found.set_result(None) if error is None else found.set_exception(error)

    def work() -> None:
        error: BaseException | None = None
        try:
            job()
        except BaseException as raised:
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(tell, error)

    threading.Thread(target=work, name="kibitz-ready", daemon=True).start()
    return found


def open_browser(url: str) -> None:
    """Try to; a machine without a browser is no reason to fail or to wait."""

    def attempt() -> None:
        with contextlib.suppress(Exception):
            webbrowser.open(url)

    threading.Thread(target=attempt, daemon=True).start()
