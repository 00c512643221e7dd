"""The commands, each in a few lines; `kibitz COMMAND --help` has examples."""

from __future__ import annotations

import io
import logging
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from kibitz import __version__
from kibitz.cli import measuring
from kibitz.cli.arguments import (
    Bids,
    Cards,
    Colour,
    Drew,
    Game,
    Hand,
    Json,
    Model,
    OptionalGame,
    Particles,
    Pending,
    Pile,
    Plot,
    Round,
    RulesOption,
    Theirs,
    Top,
    Trump,
    Turned,
)

app = typer.Typer(
    name="kibitz",
    help="Kibitz plays card games with hidden hands: UNO and Blob (Oh Hell).",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"kibitz {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    pass


@app.command(
    epilog="[b]Examples[/]\n\n  kibitz play\n\n  kibitz play blob --port 9000 --no-browser\n\n"
    "  kibitz play --terminal\n\n  kibitz play uno --terminal --level expert --coach\n\n"
    "  kibitz play --host 0.0.0.0      others in your network can play, too\n\n"
    "  kibitz play --public-url https://cards.example/kibitz/ --trust-proxy 127.0.0.1"
)
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
    rules: RulesOption = [],  # noqa: B006 - typer wants a list, and nothing changes it
) -> None:
    """Play against Kibitz with a coach at hand, in the browser or here on the terminal."""
    if terminal:
        from kibitz.cli.terminal import run as run_terminal

        run_terminal(game, rules, level, seat, coach, data)
        return
    from kibitz.cli.play import run

    said = {"--level": level, "--seat": seat, "--coach": coach, "--rules": rules or None}
    for_terminal = [name for name, value in said.items() if value is not None]
    near = (connections, connections_each, public_url, base_path, trust_proxy)
    run(game, browser, host, port, data, *near, for_terminal)


@app.command(
    epilog="[b]Examples[/]\n\n  kibitz engine\n\n"
    '  echo \'{"id": "1", "do": "version"}\' | kibitz engine\n\n'
    "  kibitz engine --schema > messages.json"
)
def engine(
    schema: Annotated[bool, typer.Option("--schema", help="print the JSON Schema")] = False,
    threads: Annotated[int, typer.Option(min=1, max=64, help="searches at the same time")] = 1,
    data: Annotated[
        Path | None, typer.Option(help="folder to keep tables in; else they are forgotten")
    ] = None,
) -> None:
    """Answer requests in JSON lines on standard streams: for bots and coaches in any language."""
    from kibitz.cli.engine import run

    run(schema, threads, data)


@app.command(
    epilog="[b]Examples[/]\n\n  kibitz watch\n\n  kibitz watch blob --seed 7\n\n"
    "  kibitz watch uno --rules skip=pass --save games.jsonl"
)
def watch(
    game: Game = "uno",
    players: Annotated[
        str, typer.Option(help="agents, separated by commas; one stands for all seats")
    ] = "rule",
    seed: Annotated[int | None, typer.Option(help="the same seed gives the same game")] = None,
    rules: RulesOption = [],  # noqa: B006 - typer wants a list, and nothing changes it
    save: Annotated[Path | None, typer.Option(help="append the record to this file")] = None,
) -> None:
    """Watch a game between Kibitz's players, move by move."""
    from kibitz.cli.watch import play_game

    play_game(game, players, seed, rules, save)


@app.command(
    epilog="[b]Examples[/]\n\n  kibitz show games.jsonl\n\n  kibitz show games.jsonl --game 3\n\n"
    "  kibitz show games.jsonl --seat 1      only what seat 1 saw\n\n"
    "  kibitz show games.jsonl --svg game.svg"
)
def show(
    file: Annotated[Path, typer.Argument(help="a file of records, one game a line")],
    game: Annotated[int, typer.Option(help="which game of the file, from 1")] = 1,
    seat: Annotated[int | None, typer.Option(help="show only what this seat saw")] = None,
    json: Json = False,
    svg: Annotated[Path | None, typer.Option(help="also write a picture to this file")] = None,
) -> None:
    """Replay a recorded game."""
    from kibitz.cli.watch import show_record

    show_record(file, game, seat, json, svg)


@app.command(
    epilog="[b]Examples[/]\n\n  kibitz belief games.jsonl --seat 0\n\n"
    "  kibitz belief games.jsonl --game 3 --seat 1 --move 12\n\n"
    "  kibitz belief games.jsonl --seat 0 --model constraints --json\n\n"
    "  kibitz belief games.jsonl --seat 0 --plot belief.png"
)
def belief(
    file: Annotated[Path, typer.Argument(help="a file of records, one game a line")],
    seat: Annotated[int | None, typer.Option(help="who thinks; only what it saw is used")] = None,
    game: Annotated[int, typer.Option(help="which game of the file, from 1")] = 1,
    move: Annotated[
        int | None, typer.Option(help="after so many moves; else when the seat last had to act")
    ] = None,
    method: Annotated[str, typer.Option(help="how it is worked out; auto is the best")] = "auto",
    model: Model = "auto",
    particles: Particles = 1000,
    seed: Annotated[int, typer.Option(help="the same seed gives the same belief")] = 0,
    json: Json = False,
    plot: Plot = None,
) -> None:
    """What a seat of a recorded game could know of the hidden cards."""
    from kibitz.cli.belief import run

    run(file, game, seat, move, method, model, particles, seed, json, plot)


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    epilog="[b]Examples[/]\n\n  kibitz advise uno --hand 'R5 G3 W' --top R3 --theirs 5\n\n"
    "  kibitz advise uno --hand 'R5 G3 W' --top R3 --theirs 5 --drew 'red red'\n\n"
    "  kibitz advise blob --players 4 --hand 'AS KH 9H 3D 2C' --trump hearts --bids '1 0'\n\n"
    "  kibitz advise blob --players 3 --hand '9C 5H' --trump hearts --bids '1 0 0' "
    "--played '2S 7C AS 3D 4H'\n\n"
    "  kibitz advise uno --record games.jsonl --seat 0 --move 12 --agent pomcp:ms=500",
)
def advise(
    context: typer.Context,
    game: Game,
    hand: Hand = [],  # noqa: B006 - as with rules
    top: Top = [],  # noqa: B006
    theirs: Theirs = [],  # noqa: B006
    colour: Colour = [],  # noqa: B006
    pile: Pile = [],  # noqa: B006
    pending: Pending = [],  # noqa: B006
    drew: Drew = [],  # noqa: B006
    trump: Trump = [],  # noqa: B006
    turned: Turned = [],  # noqa: B006
    bids: Bids = [],  # noqa: B006
    played: Cards = [],  # noqa: B006
    round: Round = [],  # noqa: B006
    rules: RulesOption = [],  # noqa: B006
    record: Annotated[Path | None, typer.Option(help="a file of records, instead")] = None,
    number: Annotated[
        int | None, typer.Option("--game", help="which game of the file, from 1")
    ] = None,
    seat: Annotated[
        int | None, typer.Option(help="whose move it is; only what it saw counts")
    ] = None,
    move: Annotated[
        int | None, typer.Option(help="after so many moves; else when the seat last had to act")
    ] = None,
    agent: Annotated[str, typer.Option(help="who advises; `kibitz agents` lists them")] = "coach",
    seed: Annotated[
        int,
        typer.Option(help="the same seed gives the same advice, if the agent counts simulations"),
    ] = 0,
    json: Json = False,
    svg: Annotated[Path | None, typer.Option(help="also write a picture to this file")] = None,
) -> None:
    """What to play in a position that you tell, how sure that is, and why.

    Tell the position by the options below, and rules such as --players 4 and --cards 5 (`kibitz
    rules` lists them). UNO needs --hand, --top and --theirs, Blob --hand and mostly --trump and
    --bids. Or take it from a record.
    """
    from kibitz.cli.advise import run

    told = {
        "hand": hand, "top": top, "theirs": theirs, "colour": colour, "pile": pile,
        "pending": pending, "drew": drew, "trump": trump, "turned": turned, "bids": bids,
        "played": played, "round": round,
    }  # fmt: skip
    run(game, told, context.args, rules, record, number, seat, move, agent, seed, json, svg)


@app.command(
    epilog="[b]Examples[/]\n\n  kibitz review games.jsonl\n\n"
    "  kibitz review games.jsonl --game 3 --seat 0\n\n"
    "  kibitz review games.jsonl --agent ismcts:sims=20000 --json\n\n"
    "  kibitz review games.jsonl --html review.html"
)
def review(
    file: Annotated[Path, typer.Argument(help="a file of records, one game a line")],
    game: Annotated[int, typer.Option(help="which game of the file, from 1")] = 1,
    seat: Annotated[int | None, typer.Option(help="whose moves are judged; else all")] = None,
    agent: Annotated[
        str, typer.Option(help="who judges them; `kibitz agents` lists them")
    ] = "coach",
    plays: Annotated[int | None, typer.Option(help="games played out for a value of luck")] = None,
    seed: Annotated[
        int,
        typer.Option(help="the same seed gives the same review, if the agent counts simulations"),
    ] = 0,
    json: Json = False,
    html: Annotated[Path | None, typer.Option(help="also write a page to this file")] = None,
) -> None:
    """Grade the moves of a finished game, and tell luck from skill.

    A move is judged by what its player could know. Luck is told with all cards open.
    """
    from kibitz.cli.review import run

    run(file, game, seat, agent, plays, seed, json, html)


@app.command(
    epilog="[b]Examples[/]\n\n  kibitz agents\n\n  kibitz agents ismcts\n\n  kibitz agents --json"
)
def agents(
    name: Annotated[str | None, typer.Argument(help="one of them, with all its options")] = None,
    json: Json = False,
) -> None:
    """List who can play, with options and defaults."""
    from kibitz.cli.agents import run

    run(name, json)


@app.command(
    epilog="[b]Examples[/]\n\n  kibitz rules\n\n  kibitz rules uno\n\n"
    "  kibitz rules blob --rules players=5 --json"
)
def rules(
    game: OptionalGame = None,
    rules: RulesOption = [],  # noqa: B006
    json: Json = False,
) -> None:
    """List the games, or the rules of one that you can choose, or check some."""
    from kibitz.cli.rules import run

    run(game, rules, json)


app.add_typer(measuring.commands)

# Typer brings its own copy of click, or the real one, depending on its version; either way a bad
# parameter is a usage error, which is what click raises for all that people mistype.
_UsageError: Any = typer.BadParameter.__bases__[0]
INTERRUPTED = 130


def main() -> None:
    """Run the command line. What people got wrong is told in one line, with exit code 2."""
    for stream in (sys.stdout, sys.stderr):  # a terminal without ♥ gets a ? rather than an error
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    _log_clean()
    sys.exit(_run())


def _log_clean() -> None:
    """What is logged may quote anybody."""
    from kibitz.cli.console import CleanFormatter

    handler = logging.StreamHandler()
    handler.setFormatter(CleanFormatter())
    logging.getLogger("kibitz").addHandler(handler)


def _run() -> int:
    from kibitz.cli.console import fail

    try:
        code = typer.main.get_command(app).main(prog_name="kibitz", standalone_mode=False)
        if code == INTERRUPTED:  # Ctrl-C, which typer turns into an exit code
            fail("stopped")
        return code if isinstance(code, int) else 0
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # it carries the help, not a complaint
            error.show()
            return 2
        where = error.ctx.command_path if error.ctx else "kibitz"
        fail(f"{error.format_message().rstrip('.')}; `{where} --help` shows what there is")
    except ValueError as error:
        from kibitz.api import KibitzError

        if not isinstance(error, KibitzError):
            raise
        fail(str(error))
    except OSError as error:  # a full disk, or whoever read our output has gone
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - keeps the interpreter quiet at exit
        if isinstance(error, BrokenPipeError):
            return 0
        fail(f"cannot write the output: {error.strerror}")
    return 2
