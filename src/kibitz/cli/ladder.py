"""`ladder`: everyone against everyone, and how strong each is."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich import box
from rich.measure import Measurement
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
    Plot,
    Results,
    RulesOption,
    Seed,
    Simulations,
    read_rules,
)
from kibitz.cli.console import Screen, compiling, err, out, say, warn
from kibitz.cli.match import FILE, engine_of

ANCHOR = "random"
ROOM = 400
"""Columns where nobody looks: no table is cut there."""


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
    rule_texts: RulesOption = None,
    jobs: Jobs = None,
    engine: EngineName = "local",
    address: Address = None,
    results: Results = None,
    again: Again = False,
    as_json: Json = False,
    plot: Plot = None,
) -> None:
    """Everyone against everyone on mirrored deals, rated in Elo above `random`.

    Ctrl-C rates what there is, and the same command goes on with it.

    Examples:
      kibitz ladder uno --games 200
      kibitz ladder uno rule flat:sims=100 flat:sims=1000 cheat:sims=1000 --plot ladder.png
      kibitz ladder blob rule pomcp ismcts worlds --ms 10 --rules players=4,cards=5
    """
    rules = read_rules(game, rule_texts)
    if plot is not None:
        api.check_plot(plot)
    if games < 1:
        raise api.KibitzError(f"games must be at least 1, not {games}")
    with compiling():
        names = players or [level.name for level in api.game_of(api.rules_type(game)).levels]
        names = [api.with_budget(name, ms, sims) for name in names]
        names = names if ANCHOR in names else [ANCHOR, *names]
    with (
        api.Ledger(results or api.data_folder() / FILE, warn=warn) as ledger,
        engine_of(engine, address, jobs) as playing,
        _watching() as tell,
    ):
        deals = -(-games // rules.seats)
        found = api.ladder(
            rules, names, deals, playing, seed=seed, anchor=ANCHOR, ledger=ledger, again=again,
            progress=tell,
        )  # fmt: skip
    if plot is not None:
        api.plot_ladder(found, plot)
    if as_json:
        print(json.dumps(found.to_dict()))
    else:
        _print(found)
    if found.known:
        warn(f"deals of it that were known: {found.known}; --again plays them anew")
    if found.stopped:
        warn("stopped; the same command goes on with it")


@contextmanager
def _watching() -> Iterator[Callable[[int, int, str], None]]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("matches")
        yield lambda done, total, what: bar.update(
            task, completed=done, total=total, description=what
        )


def _print(found: api.Ladder) -> None:
    rules = api.rules(found.game, **found.rules)
    deals = f"{found.deals:,} deals of each pair" + (" each way" if rules.seats > 2 else "")
    played = ", as far as played" if found.stopped else ""
    say(Text(f"{rules}, {deals}{played}, seed {found.seed}", "bold"))
    grid = _grid(found, with_scores=True)
    if not out.is_terminal:
        Screen(file=out.file, width=ROOM).print(grid)
    elif Measurement.get(out, out.options.update(max_width=ROOM), grid).maximum <= out.width:
        out.print(grid)
    else:
        out.print(_grid(found, with_scores=False))
        warn("the terminal is too narrow for the scores of each against each; --json has them")
    for rating in found.ratings:
        if rating.remark:
            warn(f"{rating.name}: {rating.remark}")
    told = "a draw counts half"
    if rules.seats > 2:
        told = "of one against each of the others by points, equal points count half"
    columns = f"scores in percent, against the player of each place, {told}"
    say(f"Elo above {found.anchor}; {columns}; intervals are 95 %", "dim")


def _grid(found: api.Ladder, with_scores: bool) -> Grid:
    grid = Grid(box=box.SIMPLE)
    names = [rating.name for rating in found.ratings]
    others = names if with_scores else []
    grid.add_column("player", overflow="fold")
    for title in ("Elo", "95 %", "faults", *(f"{k + 1}" for k in range(len(others)))):
        grid.add_column(title, justify="right", no_wrap=True)
    for place, rating in enumerate(found.ratings, 1):
        faults = found.faults[rating.name]
        scores = [found.scores[rating.name][other] for other in others]
        grid.add_row(
            f"{place} {rating.name}",
            f"{rating.elo:+.0f}",
            f"{_end(rating.low)} to {_end(rating.high)}" if rating.name != found.anchor else "",
            Text(str(faults), "bold red" if faults else "dim"),
            *("" if score is None else f"{100 * score:.0f}" for score in scores),
        )
    return grid


def _end(value: float) -> str:
    return "…" if math.isinf(value) else f"{value:+.0f}"
