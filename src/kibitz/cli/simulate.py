"""`simulate`: many games, summed up."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from kibitz import api
from kibitz.cli.arguments import PLAYERS, Game, Json, RulesOption, Seed, check_writable, read_rules
from kibitz.cli.console import compiling, out, progress, warn


def simulate(
    game: Game,
    games: Annotated[int, typer.Option("--games", "-n", help="how many")] = 10_000,
    players: Annotated[str | None, PLAYERS] = None,
    seed: Seed = 0,
    rule_texts: RulesOption = None,
    fixed_seats: Annotated[
        bool, typer.Option("--fixed-seats", help="do not rotate the players over the seats")
    ] = False,
    save: Annotated[Path | None, typer.Option(help="append a record of each game")] = None,
    as_json: Json = False,
) -> None:
    """Play many games and print wins, scores and speed. Ctrl-C prints what there is.

    Examples:
      kibitz simulate uno --games 100000 --players rule,random
      kibitz simulate blob --players rule,random,random,random --rules cards=5 --json
      kibitz simulate blob-game --players rule,rule,random --rules players=3 --seed 1
      kibitz simulate uno --games 20 --save games.jsonl      keeps records to show
    """
    rules = read_rules(game, rule_texts)
    check_writable(save)
    with compiling():
        standard = ",".join(["rule", *["random"] * (rules.seats - 1)])
        names = api.split_agents(standard if players is None else players)
        # a game first, played as all will be, so that compiling is over before the clock starts
        with TemporaryDirectory() as aside:
            saved = save and Path(aside, "first.jsonl")
            api.simulate(rules, names, min(games, 1), seed, save=saved)
    with progress(f"{game}", games) as tell:
        result = api.simulate(
            rules, names, games, seed, fixed_seats=fixed_seats, save=save, progress=tell
        )
    if as_json:
        print(json.dumps(result.to_dict()))
    else:
        _print(result)
    if result.stopped:
        warn(f"stopped after {result.games} of {games} games")


def _with_interval(
    value: float | None, interval: tuple[float, float] | None, digits: int, scale: float = 1.0
) -> str:
    if value is None or interval is None:
        return ""
    low, high = (f"{scale * end:.{digits}f}" for end in interval)
    return f"{scale * value:.{digits}f} ({low}–{high})"


def _print(result: api.Simulation) -> None:
    scored = result.players[0].mean_score is not None
    bids = result.players[0].exact_bid_rate is not None
    title = f"{result.games:,} games of {result.game}, seed {result.seed}"
    grid = Grid(title=title, box=box.SIMPLE)
    for name in ("player", "wins", "draws", "win rate, %"):
        grid.add_column(name, justify="left" if name == "player" else "right")
    if scored:
        grid.add_column("points a game", justify="right")
    if bids:
        grid.add_column("exact bids, %", justify="right")
    for player in result.players:
        row: list[str | Text] = [
            Text(player.agent),
            f"{player.wins:,}",
            f"{player.draws:,}",
            _with_interval(player.win_rate, player.ci95, 1, 100),
        ]
        if scored:
            row.append(_with_interval(player.mean_score, player.mean_score_ci95, 2))
        if bids:
            row.append(_with_interval(player.exact_bid_rate, player.exact_bid_ci95, 1, 100))
        grid.add_row(*row)
    out.print(grid)
    out.print(
        f"{result.plies:.1f} moves a game, {result.seconds:.2f} s, "
        f"{result.games_per_second:,.0f} games a second; intervals are 95 %",
        style="dim",
    )
