"""The door: every connection from the moment it is accepted, whether it ever says anything or not.

So many may be there of one address and in all. A connection that asks for nothing holds no place
for long: it has some seconds, and where there is no room it makes way for whoever comes. Those that
have become a WebSocket stay.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from kibitz import api

log = logging.getLogger("kibitz")

BACKLOG = 64
"""Connections accepted at a time, before any of them is looked at: each is an open file."""
SPARE = 5 * BACKLOG
"""Files that may be open besides: connections on their way in and out, the database, a page."""
TICK = 0.25
"""Seconds between two looks at who has been idle for too long."""


def neighbours(address: str) -> str:
    """Whom an address is counted with. One household has a whole network of IPv6 addresses."""
    with contextlib.suppress(ValueError):
        found = ipaddress.ip_address(address.partition("%")[0])
        if isinstance(found, ipaddress.IPv6Address):
            if found.ipv4_mapped is not None:
                return str(found.ipv4_mapped)
            return str(ipaddress.ip_network((found, 64), strict=False))
    return address


def networks(said: tuple[str, ...]) -> tuple[Any, ...]:
    """Addresses and networks; a `ValueError` says which is none."""
    return tuple(ipaddress.ip_network(each.strip()) for each in said)


def affordable(most: int) -> int:
    """So many connections as this process may have open, `most` at best."""
    try:
        import resource
    except ImportError:  # a system that counts otherwise
        return most
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return most
    wanted = most + SPARE
    if soft < wanted and (hard == resource.RLIM_INFINITY or soft < hard):
        raised = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
            soft = raised
    return max(1, min(most, max(soft - SPARE, soft // 4)))


@dataclass
class _Line:
    """One connection."""

    address: str
    since: float
    """When it came, or was last answered."""
    joined: bool = False
    closing: float | None = None
    """When it was first seen to be closing: the other side may never let it."""


class Door:
    """`most` connections in all, `each` of one address; `seconds` to ask for something. Those that
    come from `trusted` proxies are counted behind them, by who is said to be there."""

    def __init__(
        self,
        most: int,
        each: int,
        seconds: float,
        trusted: tuple[str, ...] = (),
        *,
        clock: Callable[[], float],
    ) -> None:
        self.most = most
        self.each = each
        self.seconds = seconds
        self._trusted = networks(trusted)
        self._clock = clock
        self._lines: dict[asyncio.Transport, _Line] = {}
        self._there: Counter[str] = Counter()
        self._watching = False

    def __len__(self) -> int:
        return len(self._lines)

    def enter(self, transport: asyncio.Transport) -> bool:
        """Let somebody in, or hang up."""
        peer = transport.get_extra_info("peername")
        host = str(peer[0]) if peer else ""
        address = neighbours(host)
        crowded = self._there[address] >= self.each and not self._is_trusted(host)
        if crowded and not self._make_room(address):
            transport.abort()
            return False
        if len(self._lines) >= self.most and not self._make_room(None):
            transport.abort()
            return False
        self._lines[transport] = _Line(address, self._clock())
        self._there[address] += 1
        return True

    def _make_room(self, address: str | None) -> bool:
        """Hang up on the oldest that asks for nothing, of an address or of all."""
        of = "in all" if address is None else "of one address"
        for transport, line in self._lines.items():  # the oldest first
            if not line.joined and address in (None, line.address):
                log.warning("a silent connection made way for another: no more may be there %s", of)
                self.leave(transport)
                transport.abort()
                return True
        log.warning("a connection was refused: no more may be there %s", of)
        return False

    def _is_trusted(self, host: str) -> bool:
        if not self._trusted:
            return False
        with contextlib.suppress(ValueError):
            found = ipaddress.ip_address(host)
            return any(found in network for network in self._trusted)
        return False

    def answered(self, transport: asyncio.Transport) -> None:
        """It asked for something and has it: its time begins anew."""
        if line := self._lines.get(transport):
            line.since = self._clock()

    def join(self, transport: asyncio.Transport) -> None:
        """It has become a WebSocket, and whoever speaks with it sees to it that it speaks."""
        if line := self._lines.get(transport):
            line.joined = True

    def leave(self, transport: asyncio.Transport) -> None:
        if line := self._lines.pop(transport, None):
            self._there[line.address] -= 1
            if not self._there[line.address]:
                del self._there[line.address]

    def sweep(self) -> None:
        """Hang up on those whose time is over."""
        now = self._clock()
        for transport, line in tuple(self._lines.items()):
            if transport.is_closing() and line.closing is None:
                line.closing = now
            began = line.closing if line.closing is not None else line.since
            if (line.closing is not None or not line.joined) and now - began >= self.seconds:
                transport.abort()

    def close(self) -> None:
        """Hang up on everybody."""
        for transport in tuple(self._lines):
            transport.abort()

    def watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Sweep now and then, as long as anybody is there."""
        if self._lines and not self._watching:
            self._watching = True
            loop.call_later(TICK, self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        self._watching = False
        self.sweep()
        self.watch(loop)

    def protocols(self) -> tuple[type[H11Protocol], type[WebSocketsSansIOProtocol]]:
        """What speaks HTTP and WebSocket, and tells this door of it."""
        door = self

        class Http(H11Protocol):
            def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
                super().connection_made(transport)
                door.enter(transport)
                door.watch(self.loop)

            def connection_lost(self, exc: Exception | None) -> None:
                door.leave(self.transport)
                super().connection_lost(exc)

            def on_response_complete(self) -> None:
                door.answered(self.transport)
                super().on_response_complete()

            def handle_websocket_upgrade(self, event: Any) -> None:
                door.join(self.transport)
                super().handle_websocket_upgrade(event)

        class Joined(WebSocketsSansIOProtocol):
            def connection_lost(self, exc: Exception | None) -> None:
                door.leave(self.transport)
                super().connection_lost(exc)

        return Http, Joined


# --- where the server is found -------------------------------------------------------------------

LOCALHOST = ("localhost", "127.0.0.1", "[::1]")
_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*")


@dataclass(frozen=True)
class Reach:
    """Under what names the server is found, and by how many."""

    hosts: tuple[str, ...] = LOCALHOST
    """Names under which it may be reached; `*` for all by which a network knows it."""
    origin: str = ""
    """Where people open it if a proxy stands before it, such as https://cards.example."""
    base: str = ""
    """The path below which everything is, such as /kibitz."""
    trusted: tuple[str, ...] = ()
    """Proxies, as addresses or networks, that are believed when they say for whom they ask."""
    connections: int = 1000
    each: int = 256
    """Connections of one address: friends behind one router have the same."""
    seconds: float = 20.0
    """To ask for a page, and to say something on a WebSocket."""

    @property
    def url(self) -> str:
        """What people open, if a proxy stands before it."""
        return f"{self.origin}{self.base}/" if self.origin else ""


def behind(reach: Reach, public: str | None, base: str | None, trusted: str | None) -> Reach:
    """The same behind a proxy: `public` is the address that people open, `base` the path below
    which it asks us, by default that of the address, and `trusted` who the proxies are."""
    origin, path = _origin(public) if public else ("", "")
    below = (path if base is None else base).rstrip("/")
    if not _PATH.fullmatch(below):
        raise api.KibitzError(f"{below}: everything can be below a path such as /kibitz")
    if path and below != path:
        raise api.KibitzError(f"--base-path {base}: the path of --public-url is {path}")
    proxies = tuple(each.strip() for each in (trusted or "").split(",") if each.strip())
    try:
        networks(proxies)
    except ValueError as error:
        said = f"--trust-proxy: addresses or networks are needed, such as 127.0.0.1; {error}"
        raise api.KibitzError(said) from None
    host = urlsplit(origin).hostname
    hosts = (*reach.hosts, f"[{host}]" if host and ":" in host else host) if host else reach.hosts
    return replace(reach, hosts=hosts, origin=origin, base=below, trusted=proxies)


def _origin(url: str) -> tuple[str, str]:
    """The origin of an address, as browsers send it, and its path."""
    try:
        found = urlsplit(url)
        usual = {"http": 80, "https": 443}[found.scheme]
        host, port = found.hostname, found.port
    except (KeyError, ValueError):
        host = None
    if not host or found.query or found.fragment or found.username is not None:
        said = f"--public-url {url}: an address such as https://cards.example/kibitz/ is needed"
        raise api.KibitzError(said)
    shown = f"[{host}]" if ":" in host else host
    at = "" if port in (None, usual) else f":{port}"
    return f"{found.scheme}://{shown}{at}", found.path.rstrip("/")
