"""`play`: the page, served from here."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from kibitz import api
from kibitz.cli.console import compiling, err, house, out


def run(
    game: str | None,
    browser: bool,
    host: str,
    port: int | None,
    data: Path | None,
    connections: int,
    each: int,
    public: str | None,
    base: str | None,
    trusted: str | None,
    for_terminal: list[str],
) -> None:
    """`for_terminal`: options given that only the terminal has."""
    from kibitz.web import serving
    from kibitz.web.reach import LOCALHOST, Reach, behind

    if for_terminal:
        named = ", ".join(for_terminal)
        raise api.KibitzError(f"{named}: the page asks for that itself; it goes with --terminal")
    if game is not None:
        api.rules_type(game)  # says so if there is no such game
    everyone = host not in ("127.0.0.1", "localhost", "::1")
    hosts = ("*",) if everyone else LOCALHOST
    reach = Reach(hosts, connections=connections, each=each)
    reach = behind(reach, public, base, trusted)
    listening = serving.listen(host, port)
    at_home = serving.url_of(listening).rstrip("/") + reach.base + "/"
    url = (reach.url or at_home) + (f"?game={game}" if game else "")

    def prepare() -> None:
        with compiling():
            serving.make_ready()

    def started() -> None:
        out.print(f"Kibitz is at [bold]{url}[/]  (Ctrl-C ends it; games are kept)")
        if everyone:
            port = listening.getsockname()[1]
            at = serving.address_in_network() if host in ("0.0.0.0", "::") else host
            where = f" at http://{at}:{port}{reach.base}/" if at else ""
            err.print(f"[yellow]kibitz:[/] others in your network can play, too{where}")
        if browser:
            serving.open_browser(url)

    threads = max(1, (os.cpu_count() or 1) - 1)
    with house(data or api.data_folder()) as kept:
        serving.serve(
            listening, kept, reach=reach, threads=threads, prepare=prepare, started=started
        )
    out.print("Good-bye. `kibitz play` goes on where you left.")
    if threading.active_count() > 1:  # one compiles or searches: nobody waits for what it finds
        err.show_cursor()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
