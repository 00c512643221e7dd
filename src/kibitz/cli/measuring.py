"""The commands that measure: many games, matches, ladders, calibration, speed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.arguments import (
    Address,
    Again,
    EngineName,
    Game,
    Jobs,
    Json,
    Milliseconds,
    Model,
    Particles,
    Plot,
    Results,
    RulesOption,
    Seed,
    Simulations,
)

commands = typer.Typer()


@commands.command(
    epilog="[b]Examples[/]\n\n  kibitz simulate uno --games 100000 --players rule,random\n\n"
    "  kibitz simulate blob --players rule,random,random,random --rules cards=5 --json\n\n"
    "  kibitz simulate blob-game --players rule,rule,random --rules players=3 --seed 1\n\n"
    "  kibitz simulate uno --games 20 --save games.jsonl      keeps records to show"
)
def simulate(
    game: Game,
    games: Annotated[int, typer.Option("--games", "-n", help="how many")] = 10_000,
    players: Annotated[
        str | None,
        typer.Option(
            "--players", "-p", help="agents, separated by commas; one stands for all seats"
        ),
    ] = None,
    seed: Seed = 0,
    rules: RulesOption = [],  # noqa: B006
    fixed_seats: Annotated[
        bool, typer.Option("--fixed-seats", help="do not rotate the players over the seats")
    ] = False,
    save: Annotated[Path | None, typer.Option(help="append a record of each game")] = None,
    json: Json = False,
) -> None:
    """Play many games and print wins, scores and speed. Ctrl-C prints what there is."""
    from kibitz.cli.simulate import run

    run(game, games, players, seed, rules, fixed_seats, save, json)


@commands.command(
    epilog="[b]Examples[/]\n\n  kibitz match uno default rule --games 2000\n\n"
    "  kibitz match uno flat:sims=4000 flat:sims=1000 --sprt 0,20\n\n"
    "  kibitz match uno pomcp flat --ms 20 --sprt 0,10 --luckless --seed 7\n\n"
    "  kibitz match blob default rule --rules players=4,cards=5 --sprt 0,0.5"
)
def match(
    game: Game,
    players: Annotated[
        list[str],
        typer.Argument(
            help="who is measured, then the others: one for each seat, or one for all of them"
        ),
    ],
    games: Annotated[
        int | None, typer.Option("--games", "-n", help="how many, all rotations counted")
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option(help="until a sequential test decides between two strengths, such as 0,10"),
    ] = None,
    luckless: Annotated[
        bool,
        typer.Option("--luckless", help="that test counts deals with the luck of draws taken out"),
    ] = False,
    ms: Milliseconds = None,
    sims: Simulations = None,
    seed: Seed = 0,
    rules: RulesOption = [],  # noqa: B006
    jobs: Jobs = None,
    engine: EngineName = "local",
    address: Address = None,
    results: Results = None,
    lines: Annotated[Path | None, typer.Option(help="also append JSON lines to this file")] = None,
    again: Again = False,
    luck: Annotated[
        bool, typer.Option("--luck/--no-luck", help="tell luck, so that it can be taken out")
    ] = True,
    json: Json = False,
) -> None:
    """One player against others, on mirrored deals: every deal is played from every seat.

    The strength is measured between deals, with 95 % intervals, in wins (UNO) or in points (Blob).
    Ctrl-C sums up what there is, and the same command goes on with it.
    """
    from kibitz.cli.match import run

    run(
        game,
        players,
        games,
        sprt,
        luckless,
        ms,
        sims,
        seed,
        rules,
        jobs,
        engine,
        address,
        results,
        lines,
        again,
        luck,
        json,
    )


@commands.command(
    epilog="[b]Examples[/]\n\n  kibitz ladder uno --games 200\n\n"
    "  kibitz ladder uno rule flat:sims=100 flat:sims=1000 cheat:sims=1000 --plot ladder.png\n\n"
    "  kibitz ladder blob rule pomcp ismcts worlds --ms 10 --rules players=4,cards=5"
)
def ladder(
    game: Game,
    players: Annotated[
        list[str] | None, typer.Argument(help="who is rated; by default the levels")
    ] = None,
    games: Annotated[
        int, typer.Option("--games", "-n", help="of each pair, all rotations counted")
    ] = 200,
    ms: Milliseconds = None,
    sims: Simulations = None,
    seed: Seed = 0,
    rules: RulesOption = [],  # noqa: B006
    jobs: Jobs = None,
    engine: EngineName = "local",
    address: Address = None,
    results: Results = None,
    again: Again = False,
    json: Json = False,
    plot: Plot = None,
) -> None:
    """Everyone against everyone on mirrored deals, rated in Elo above `random`.

    Ctrl-C rates what there is, and the same command goes on with it.
    """
    from kibitz.cli.ladder import run

    run(game, players or [], games, ms, sims, seed, rules, jobs, engine, address, results, again,
        json, plot)  # fmt: skip


@commands.command(
    epilog="[b]Examples[/]\n\n  kibitz calibrate uno --games 200\n\n"
    "  kibitz calibrate uno --players random --model constraints\n\n"
    "  kibitz calibrate blob --rules players=3,cards=5 --json\n\n"
    "  kibitz calibrate blob --games 500 --plot reliability.png"
)
def calibrate(
    game: Game,
    games: Annotated[int, typer.Option("--games", "-n", help="how many")] = 100,
    seed: Seed = 0,
    players: Annotated[
        str,
        typer.Option(
            "--players", "-p", help="agents, separated by commas; one stands for all seats"
        ),
    ] = "rule",
    model: Model = "auto",
    particles: Particles = 1000,
    rules: RulesOption = [],  # noqa: B006
    json: Json = False,
    plot: Plot = None,
) -> None:
    """Check beliefs against the true cards of many games. Ctrl-C prints what there is."""
    from kibitz.cli.calibrate import run

    run(game, games, seed, players, model, particles, rules, json, plot)


@commands.command(epilog="[b]Examples[/]\n\n  kibitz bench\n\n  kibitz bench --peers --json")
def bench(
    peers: Annotated[
        bool, typer.Option("--peers", help="also measure OpenSpiel and RLCard (extra `peers`)")
    ] = False,
    json: Json = False,
) -> None:
    """Measure how fast the engine is, in one run with its peers if you like."""
    from kibitz.cli.bench import run

    run(peers, json)
