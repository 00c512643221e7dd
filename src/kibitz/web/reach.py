"""Reach: under what names the server is found, through which proxies, and by how many at a time."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from kibitz import api
from kibitz.web.door import networks

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
