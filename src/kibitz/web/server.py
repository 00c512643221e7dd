"""The web server: static files, records of finished games, and the protocol over WebSocket.

What it holds to: the true state never leaves it, only frames made of one seat's view; every other
host is shut out (origin and host are checked, against pages that would speak to a server on this
machine); sizes, rates, connections and searches are limited.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from importlib.resources import files
from socket import gethostname

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from kibitz import __version__, api
from kibitz.protocol.messages import schema
from kibitz.protocol.session import Limits, Session
from kibitz.protocol.work import Work
from kibitz.web.door import Reach, neighbours

log = logging.getLogger("kibitz")

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-cache",
}
TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "webmanifest": "application/manifest+json",
}
PAGES = ("/", "/real", "/table/{table}", "/review/{share}")
MOST_WAITING = 100
"""Requests of a client that wait; the rest waits on the line."""
MOST_UNREAD = 4 << 20
"""Characters of answers that wait for a client who does not read; then it is let go."""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PATH = re.compile(r"([a-z0-9_-]+/)*[a-z0-9_-]+\.[a-z]+")
"""A file below the static folder: no step of it can lead out."""


def make_app(
    house: api.House,
    *,
    reach: Reach = Reach(),  # noqa: B008 - it never changes
    limits: Limits | None = None,
    threads: int = 1,
    ready: Callable[[], Awaitable[None]] | None = None,
) -> Starlette:
    """The application. `ready`: waits until the games can be played, for what needs them."""
    limits = limits or Limits()
    work = Work(threads)
    hub: dict[str, set[Session]] = {}
    there: Counter[str] = Counter()

    async def talk(socket: WebSocket) -> None:
        # counted once more: behind a proxy the door sees one address for everybody
        address = neighbours(socket.client.host) if socket.client else ""
        if there.total() >= reach.connections or there[address] >= reach.each:
            log.warning("a WebSocket was refused: too many are there")
            await socket.close(1013, "too many connections")
            return
        there[address] += 1
        try:
            await socket.accept()
            await _talk(socket, house, work, hub, limits, ready, reach.seconds, address)
        finally:
            there[address] -= 1
            if not there[address]:
                del there[address]

    async def record(request: Request) -> Response:
        share = request.path_params["share"]
        try:
            known = _NAME.fullmatch(share)
            found = (await house.desk.do(lambda: house.finished(share))).record if known else None
        except api.NotFound:
            found = None
        except api.Unreadable as error:
            return PlainTextResponse(f"{error}\n".capitalize(), 500)
        except api.KibitzError as error:  # another program holds the file
            log.warning("a record could not be read: %s", error)
            return PlainTextResponse("That cannot be read now; try again in a moment.\n", 503)
        if found is None:
            return PlainTextResponse("There is no finished game of that name.\n", 404)
        named = {"Content-Disposition": f'attachment; filename="kibitz-{found.game}.jsonl"'}
        return Response(found.to_json() + "\n", media_type="application/jsonl", headers=named)

    async def health(request: Request) -> Response:
        return JSONResponse({"kibitz": __version__, "ok": True})

    async def published(request: Request) -> Response:
        return JSONResponse(schema())

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        forgetting = asyncio.create_task(_forget(house))
        yield
        forgetting.cancel()
        work.close()
        await asyncio.to_thread(house.desk.close)

    page, missing = _page(reach.base), _missing(reach.base)
    inside = [
        *(Route(path, page) for path in PAGES),
        Route("/static/{name:path}", _static),
        Route("/record/{share}.jsonl", record),
        Route("/schema.json", published),
        Route("/health", health),
        WebSocketRoute("/ws", talk),
    ]
    routes: list[BaseRoute] = [*inside]
    if reach.base:
        lobby = RedirectResponse(f"{reach.base}/")
        routes = [Route(reach.base, lobby), Mount(reach.base, routes=inside)]
    app = Starlette(
        routes=routes, lifespan=lifespan, exception_handlers={404: missing, 500: _broken}
    )
    app.router.redirect_slashes = False  # it would name a host, and not that of a proxy
    app.add_middleware(_Guard, hosts=reach.hosts, origin=reach.origin)
    return app


async def _forget(house: api.House) -> None:
    """Forget what nobody comes back to, every hour."""
    while True:
        await asyncio.sleep(3600)
        with contextlib.suppress(api.KibitzError):  # another time
            await house.desk.do(house.forget)


async def _talk(
    socket: WebSocket,
    house: api.House,
    work: Work,
    hub: dict[str, set[Session]],
    limits: Limits,
    ready: Callable[[], Awaitable[None]] | None,
    seconds: float,
    address: str,
) -> None:
    """One client until it leaves; it has some seconds to say something. Answers go through a queue,
    so that nobody waits for a client that reads slowly; so do requests, which wait until the games
    are ready while the line is kept alive."""
    requests: asyncio.Queue[str | bytes] = asyncio.Queue(MOST_WAITING)
    answers: asyncio.Queue[str] = asyncio.Queue()
    waiting = 0
    unread = asyncio.Event()

    def send(line: str) -> None:
        nonlocal waiting
        if waiting < MOST_UNREAD:
            waiting += len(line)
            answers.put_nowait(line)
        else:
            unread.set()

    session = Session(house, work, send, limits, hub=hub, address=address)

    async def write() -> None:
        nonlocal waiting
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                line = await answers.get()
                await socket.send_text(line)
                waiting -= len(line)

    async def work_through() -> None:
        if ready is not None:
            try:
                await ready()
            except Exception:  # whoever starts the server tells why
                await socket.close(1011, "Kibitz could not be made ready")
                while True:  # what still comes, so that the end of the line is heard
                    await requests.get()
        while True:
            session.receive(await requests.get())
            await asyncio.sleep(0)  # after each one, the others

    async def read() -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            try:
                async with asyncio.timeout(seconds):
                    message = await socket.receive()
            except TimeoutError:
                return await socket.close(1008, "nothing was asked")
            while message["type"] != "websocket.disconnect":
                said = message.get("text")
                whole = said if said is not None else message.get("bytes") or b""
                await requests.put(whole[: limits.size + 1])  # enough to be refused as too long
                message = await socket.receive()

    # one who does not read is not waited for, neither to say something nor to take a farewell
    leaving = [asyncio.create_task(read()), asyncio.create_task(unread.wait())]
    tasks = [*leaving, asyncio.create_task(write()), asyncio.create_task(work_through())]
    try:
        await asyncio.wait(leaving, return_when=asyncio.FIRST_COMPLETED)
    finally:
        session.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _file(name: str) -> Response | None:
    kind = TYPES.get(name.rpartition(".")[2])
    if kind is None or not _PATH.fullmatch(name):
        return None
    found = files("kibitz.web").joinpath("static", *name.split("/"))
    if not found.is_file():
        return None
    return Response(found.read_bytes(), headers={"Content-Type": kind})


Handler = Callable[..., Awaitable[Response]]


def _page(base: str) -> Handler:
    """The page, which everything else is loaded from."""
    found = files("kibitz.web").joinpath("static", "index.html").read_text("utf-8")
    whole = found.replace('="/static/', f'="{base}/static/')

    async def page(request: Request) -> Response:
        return HTMLResponse(whole)

    return page


async def _static(request: Request) -> Response:
    found = _file(request.path_params["name"])
    if found is None:
        raise HTTPException(404)
    return found


def _missing(base: str) -> Handler:
    async def missing(request: Request, error: Exception) -> Response:
        if "text/html" in request.headers.get("accept", ""):
            said = f'<p>There is nothing here. <a href="{base}/">To the lobby</a></p>\n'
            return HTMLResponse(said, 404)
        return PlainTextResponse("There is nothing here.\n", 404)

    return missing


async def _broken(request: Request, error: Exception) -> Response:
    # made outside the guard, which adds the headers to everything else
    said = "Something went wrong here; it has been logged.\n"
    return PlainTextResponse(said, 500, headers=HEADERS)


def _is_ours(host: str) -> bool:
    """Whether a network knows us by that name: an address, or a name that nobody outside gives. A
    page from elsewhere could point a name of its own at us, and speak as if it were ours."""
    with contextlib.suppress(ValueError):
        ipaddress.ip_address(host.strip("[]"))
        return True
    name = gethostname().lower()
    return host.lower() in ("localhost", name, f"{name}.local")


class _Guard:
    """Refuses foreign hosts and origins, and adds the headers."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...], origin: str) -> None:
        self.app = app
        self.hosts = hosts
        self.origin = origin

    def _known(self, address: str) -> bool:
        """Whether a host with its port is one of ours."""
        host = re.sub(r":\d+$", "", address)
        return host in self.hosts or ("*" in self.hosts and _is_ours(host))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {key: value.decode("latin-1") for key, value in scope["headers"]}
        host = headers.get(b"host", "")
        origin = headers.get(b"origin")
        # a page from elsewhere may not speak to us, whatever name it found us under
        known = (self.origin, f"http://{host}", f"https://{host}")
        foreign = origin is not None and origin not in known
        asks = scope["type"] == "websocket" and origin is None and not self._local(scope)

        async def adding(message: Message) -> None:
            if message["type"] == "http.response.start":
                there = {key.lower() for key, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(
                        (key.lower().encode(), value.encode())
                        for key, value in HEADERS.items()
                        if key.lower().encode() not in there
                    ),
                ]
            await send(message)

        refused = not self._known(host) or foreign or asks
        await (self._refuse if refused else self.app)(scope, receive, adding)

    @staticmethod
    def _local(scope: Scope) -> bool:
        """Programs on this machine send no origin; browsers always do."""
        client = scope.get("client")
        return client is None or client[0] in ("127.0.0.1", "::1")

    @staticmethod
    async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "foreign origin"})
            return
        await PlainTextResponse("This host or origin is not served here.\n", 403)(
            scope, receive, send
        )
