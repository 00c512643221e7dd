"""`play`: the page, served from here."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer

from kibitz import api
from kibitz.cli.arguments import RulesOption
from kibitz.cli.console import compiling, err, house, out


def play(
    game: Annotated[
        str | None, typer.Argument(help="uno, blob (one round) or blob-game; else you choose")
    ] = None,
    terminal: Annotated[
        bool, typer.Option("--terminal", "-t", help="play here, without a browser")
    ] = False,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="open the page in a browser")
    ] = True,
    host: Annotated[str, typer.Option(help="address to listen at")] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="port; else the first free from 8765")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="folder for games and settings; else the user's own")
    ] = None,
    connections: Annotated[
        int, typer.Option(min=1, help="connections at a time, in all and ...", metavar="N")
    ] = 1000,
    connections_each: Annotated[
        int, typer.Option(min=1, help="... of one address; friends behind one router have the same")
    ] = 256,
    public_url: Annotated[
        str | None, typer.Option(help="behind a proxy: the address that people open")
    ] = None,
    base_path: Annotated[
        str | None, typer.Option(help="behind a proxy: everything is below this path")
    ] = None,
    trust_proxy: Annotated[
        str | None, typer.Option(help="proxies that are believed who asks: addresses or networks")
    ] = None,
    level: Annotated[
        str | None, typer.Option(help="terminal: opponents, one for all or separated by commas")
    ] = None,
    seat: Annotated[int | None, typer.Option(help="terminal: your seat, from 0")] = None,
    coach: Annotated[
        bool | None, typer.Option("--coach/--no-coach", help="terminal: hints and grades")
    ] = None,
    rule_texts: RulesOption = None,
) -> None:
    """Play against Kibitz with a coach at hand, in the browser or here on the terminal.

    Examples:
      kibitz play
      kibitz play blob --port 9000 --no-browser
      kibitz play --terminal
      kibitz play uno --terminal --level expert --coach
      kibitz play --host 0.0.0.0      others in your network can play, too
      kibitz play --public-url https://cards.example/kibitz/ --trust-proxy 127.0.0.1
    """
    if terminal:
        from kibitz.cli.terminal import play_here

        play_here(game, rule_texts, level, seat, coach, data)
        return
    from kibitz.web import serving
    from kibitz.web.door import LOCALHOST, Reach, behind

    said = {"--level": level, "--seat": seat, "--coach": coach, "--rules": rule_texts or None}
    if named := ", ".join(name for name, value in said.items() if value is not None):
        raise api.KibitzError(f"{named}: the page asks for that itself; it goes with --terminal")
    if game is not None:
        api.rules_type(game)  # says so if there is no such game
    everyone = host not in ("127.0.0.1", "localhost", "::1")
    hosts = ("*",) if everyone else LOCALHOST
    reach = Reach(hosts, connections=connections, each=connections_each)
    reach = behind(reach, public_url, base_path, trust_proxy)
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
