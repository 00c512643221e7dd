"""`match`: one player against others, on mirrored deals."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from kibitz import api
from kibitz.cli.arguments import (
    Address,
    Again,
    EngineName,
    Game,
    Jobs,
    Json,
    Milliseconds,
    Results,
    RulesOption,
    Seed,
    Simulations,
    check_writable,
    read_rules,
)
from kibitz.cli.console import compiling, err, out, say, warn

FILE = "arena.sqlite"
EVERY = 0.2
"""Seconds between two looks at where a match stands."""
GAMES = 1000
"""If nobody says when to stop."""


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
    rule_texts: RulesOption = None,
    jobs: Jobs = None,
    engine: EngineName = "local",
    address: Address = None,
    results: Results = None,
    lines: Annotated[Path | None, typer.Option(help="also append JSON lines to this file")] = None,
    again: Again = False,
    luck: Annotated[
        bool, typer.Option("--luck/--no-luck", help="tell luck, so that it can be taken out")
    ] = True,
    as_json: Json = False,
) -> None:
    """One player against others, on mirrored deals: every deal is played from every seat.

    The strength is measured between deals, with 95 % intervals, in wins (UNO) or in points (Blob).
    Ctrl-C sums up what there is, and the same command goes on with it.

    Examples:
      kibitz match uno default rule --games 2000
      kibitz match uno flat:sims=4000 flat:sims=1000 --sprt 0,20
      kibitz match uno pomcp flat --ms 20 --sprt 0,10 --luckless --seed 7
      kibitz match blob default rule --rules players=4,cards=5 --sprt 0,0.5
    """
    rules = read_rules(game, rule_texts)
    with compiling():
        names = [api.with_budget(name, ms, sims) for name in players]
        plan = api.Plan.between(rules, names, seed, luck=luck)
    until = _until(rules, games, sprt, luckless)
    until.check(plan)  # before anything is written or forgotten
    check_writable(lines)
    engine_of(engine, address, jobs)  # says so if there is none such, before anything is written
    with api.Ledger(results or api.data_folder() / FILE, lines, warn) as ledger:
        if again:
            ledger.forget(plan)
        match = api.Match(plan, until, ledger)
        if match.known and not as_json:
            warn(f"deals of this match that are known: {match.known}; --again plays them anew")
        with engine_of(engine, address, jobs) as playing, _watching(match) as tell:
            result = match.play(playing, tell)
    if as_json:
        print(json.dumps(result.to_dict()))
    else:
        _print(result)


def engine_of(name: str, address: str | None, jobs: int | None) -> api.Engine:
    """Who plays the games."""
    if name == "ray":
        if jobs is not None:
            raise api.KibitzError("--jobs is for this machine; a cluster knows its processors")
        return api.Cluster(address)
    if name != "local":
        raise api.KibitzError(f"--engine is local or ray, not {name!r}")
    if address is not None:
        raise api.KibitzError("--address is that of a cluster: it goes with --engine ray")
    if jobs is not None and jobs < 1:
        raise api.KibitzError(f"jobs must be at least 1, not {jobs}")
    return api.local_engine(jobs)


def _until(rules: api.Rules, games: int | None, sprt: str | None, luckless: bool) -> api.Until:
    between = None
    if luckless and sprt is None:
        raise api.KibitzError("--luckless is for the test of --sprt, such as --sprt 0,10")
    if sprt is not None:
        try:
            low, high = (float(part) for part in sprt.split(","))
        except ValueError:
            raise api.KibitzError(
                f"--sprt takes two numbers, such as 0,10 (Elo; in Blob points a game), not {sprt!r}"
            ) from None
        between = low, high
    elif games is None:
        games = GAMES
    if games is not None and games < 1:
        raise api.KibitzError(f"games must be at least 1, not {games}")
    return api.Until(None if games is None else -(-games // rules.seats), between, luckless)


@contextmanager
def _watching(match: api.Match) -> Iterator[Callable[[Callable[[], api.Standing]], None]]:
    """Where the match stands, on the terminal."""
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("the first deals", total=match.until.deals)
        last = 0.0

        def tell(now: Callable[[], api.Standing]) -> None:
            nonlocal last
            if time.monotonic() - last >= EVERY:
                last, standing = time.monotonic(), now()
                said = _standing(standing, api.by_wins(match.plan.rules))
                bar.update(task, completed=standing.deals, description=said)

        yield tell


def _standing(standing: api.Standing, wins: bool) -> str:
    found = standing.estimate
    said = f"{standing.deals:,} deals: {_value(found.mean, (found.low, found.high), wins)}"
    if standing.llr is not None and standing.bounds is not None:
        low, high = standing.bounds
        said += f", test {standing.llr:+.2f} ({low:.2f}, {high:.2f})"
    return said


def _value(mean: float, interval: tuple[float, float], wins: bool) -> str:
    low, high = interval
    if wins:
        return f"{100 * mean:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
    return f"{mean:+.2f} points ({low:+.2f} to {high:+.2f})"


def _print(result: api.MatchResult) -> None:
    wins = result.measure == "score"
    first, *others = result.players
    against = others[0] if len(set(others)) == 1 else ", ".join(others)
    title = f"{first} against {against}: {api.rules(result.game, **result.rules)}"
    say(Text(title, "bold underline"))
    found = Text(_value(result.mean, result.ci95, wins), "bold")
    if result.elo is not None and result.elo_ci95 is not None:
        low, high = result.elo_ci95
        found += Text(f", Elo {result.elo:+.0f} ({low:+.0f} to {high:+.0f})")
    else:
        found += Text(" a game, less the mean of the others'")
    say(found)
    deals = "1 deal" if result.deals == 1 else f"{result.deals:,} deals"
    say(
        f"{result.games:,} games on {deals}, seed {result.seed}, "
        f"{result.seconds:.0f} s; ended: {result.ended}"
    )
    if (apart := result.without_luck) is not None:
        what = {"draws": "draws", "promise": "the deal's promise"}[apart["kind"]]
        told = _value(apart["mean"], apart["ci95"], wins)
        saved = f"each deal is worth {apart['saved']:.2f} plain ones"
        say(f"luck of {what} taken out: {told}; {saved}")
    out.print(_sides(result))
    seats = (f"seat {row['seat']} {_value(row['mean'], row['ci95'], wins)}" for row in result.seats)
    say(f"{first} by seat: " + "; ".join(seats))
    if result.pairs is not None:
        pairs = ", ".join(f"{both}: {number:,}" for both, number in result.pairs.items())
        say(f"deals by how many of their two games it won, a draw as half: {pairs}")
    if result.test is not None:
        low, high = result.test["bounds"]
        of = " of the deals without luck" if result.test["luckless"] else ""
        say(f"log likelihood ratio{of} {result.test['llr']:+.2f}, bounds {low:.2f} and {high:.2f}")
    said = "intervals are 95 %, over deals"
    if result.test is not None and result.test["accepted"]:
        said += "; one who stops when a test decides finds the winner a little too strong"
    say(said, "dim")


def _sides(result: api.MatchResult) -> Grid:
    points = result.measure == "points"
    grid = Grid(box=box.SIMPLE)
    made = ["points"] if points else ["wins", "draws"]
    for name in ("player", *made, "ms a move", "longest", "faults"):
        grid.add_column(name, justify="left" if name == "player" else "right")
    for side in result.sides:
        grid.add_row(
            Text(side.name),
            *([f"{side.points:.2f}"] if points else [f"{side.wins:,}", f"{side.draws:,}"]),
            f"{side.ms:.1f}",
            f"{side.slowest:.0f}",
            Text(str(side.faults), "bold red" if side.faults else "dim"),
        )
    for side in result.sides:
        if side.fault:
            warn(f"{side.name}: {side.fault}")
    return grid
