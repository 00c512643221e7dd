"""`simulate`: many games, summed up."""

from __future__ import annotations

import json
from pathlib import Path

from rich.table import Table as Grid

from kibitz import api
from kibitz.cli.console import compiling, out, progress, warn
from kibitz.cli.options import read_rules


def run(
    game: str,
    games: int,
    players: str | None,
    seed: int,
    rule_texts: list[str],
    fixed_seats: bool,
    save: Path | None,
    as_json: bool,
) -> None:
    rules = read_rules(game, rule_texts)
    with compiling():
        names = api.split_agents(players) if players else ["rule", *["random"] * (rules.seats - 1)]
        # one game first, so that compiling is over before the clock starts
        api.simulate(rules, names, 1, seed, fixed_seats=fixed_seats)
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


def _interval(interval: tuple[float, float] | None, scale: float = 1.0) -> str:
    return f"±{scale * (interval[1] - interval[0]) / 2:.2f}" if interval else ""


def _print(result: api.Simulation) -> None:
    bids = result.players[0].mean_score is not None
    grid = Grid(title=f"{result.games:,} games of {result.game}, seed {result.seed}")
    for name in ("player", "wins", "draws", "win rate"):
        grid.add_column(name, justify="left" if name == "player" else "right")
    if bids:
        grid.add_column("points a game", justify="right")
        grid.add_column("exact bids", justify="right")
    for player in result.players:
        row = [
            player.agent,
            f"{player.wins:,}",
            f"{player.draws:,}",
            f"{100 * player.win_rate:.2f} {_interval(player.ci95, 100)} %",
        ]
        if player.mean_score is not None and player.exact_bid_rate is not None:
            row.append(f"{player.mean_score:.3f} {_interval(player.mean_score_ci95)}")
            exact = 100 * player.exact_bid_rate
            row.append(f"{exact:.2f} {_interval(player.exact_bid_ci95, 100)} %")
        grid.add_row(*row)
    out.print(grid)
    out.print(
        f"{result.plies:.1f} moves a game, {result.seconds:.2f} s, "
        f"{result.games_per_second:,.0f} games a second; ± is a 95 % interval",
        style="dim",
    )
