"""`calibrate`: beliefs against the truth, as a table."""

from __future__ import annotations

import json
import math
from typing import Annotated

import typer
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from kibitz import api
from kibitz.cli.arguments import (
    PLAYERS,
    Game,
    Json,
    Model,
    Particles,
    Plot,
    RulesOption,
    Seed,
    read_rules,
)
from kibitz.cli.console import compiling, out, progress, warn

_ASKED = {
    "has_card": "Does another seat have a given hidden card?",
    "can_play": "Does another seat have a card of the sort that is asked for now?",
}
_BAR = 20


def calibrate(
    game: Game,
    games: Annotated[int, typer.Option("--games", "-n", help="how many")] = 100,
    seed: Seed = 0,
    players: Annotated[str, PLAYERS] = "rule",
    model: Model = "auto",
    particles: Particles = 1000,
    rule_texts: RulesOption = None,
    as_json: Json = False,
    plot: Plot = None,
) -> None:
    """Check beliefs against the true cards of many games. Ctrl-C prints what there is.

    Examples:
      kibitz calibrate uno --games 200
      kibitz calibrate uno --players random --model constraints
      kibitz calibrate blob --rules players=3,cards=5 --json
      kibitz calibrate blob --games 500 --plot reliability.png
    """
    rules = read_rules(game, rule_texts)
    if plot is not None:
        api.check_plot(plot)  # before the games, not after
    with compiling():
        names = api.split_agents(players)
        api.calibrate(rules, min(games, 1), seed, names, model, particles)
    with progress(game, games) as tell:
        found = api.calibrate(rules, games, seed, names, model, particles, tell)
    if plot is not None:
        api.plot_calibration(found, plot)
    if as_json:
        print(json.dumps(found.to_dict()))
    else:
        _print(found)
        if plot is not None:
            out.print(f"drawn in {plot}", style="dim", markup=False)
    if found.stopped:
        warn(f"stopped after {found.games} of {games} games")


def _print(found: api.Calibration) -> None:
    who = found.players[0] if len(set(found.players)) == 1 else ",".join(found.players)
    out.print(
        Text(
            f"{found.games:,} games of {found.game} between {who} players, seed {found.seed}: "
            f"{found.decisions:,} decisions",
            "bold",
        )
    )
    out.print(f"full: {found.model}, {found.particles:,} particles", style="dim", markup=False)
    for name, question in found.questions.items():
        out.print()
        out.print(Text(f"{_ASKED[name]}", "bold underline"))
        out.print(
            f"{question.n:,} forecasts; it was so in {100 * question.observed:.1f} %", style="dim"
        )
        out.print(_scores(question))
        out.print(_differences(question))
        out.print(_reliability(question))
    out.print(
        "\nlog loss in nats; a difference below 0: full is better; intervals and errors from\n"
        "drawing whole games again; errors at 95 % for all lines of a table together, ! if off\n"
        f"by more, none from few games; {found.seconds:.1f} s",
        style="dim",
    )


def _number(value: float) -> str:
    return f"{value:.4f}" if math.isfinite(value) else "infinite"


def _with_interval(value: float, interval: tuple[float, float] | None) -> str:
    shown = f"{value:+.4f}" if math.isfinite(value) else "infinite"
    return f"{shown} ({interval[0]:+.4f}, {interval[1]:+.4f})" if interval else shown


def _scores(question: api.Question) -> Grid:
    grid = Grid(box=box.SIMPLE)
    grid.add_column("forecaster")
    for name in ("log loss", "Brier", "certain, wrong"):
        grid.add_column(name, justify="right")
    for name, score in question.scores.items():
        wrong = Text(f"{score.wrong:,}", "bold red" if score.wrong else "")
        grid.add_row(name, _number(score.log_loss), _number(score.brier), wrong)
    return grid


def _differences(question: api.Question) -> Grid:
    grid = Grid(box=box.SIMPLE)
    grid.add_column("difference")
    for name in ("log loss (95 %)", "Brier (95 %)"):
        grid.add_column(name, justify="right")
    for name, gap in question.differences.items():
        grid.add_row(
            name,
            _with_interval(gap.log_loss, gap.log_loss_ci95),
            _with_interval(gap.brier, gap.brier_ci95),
        )
    return grid


def _reliability(question: api.Question) -> Grid:
    """Of the full forecaster: what it said, how often it was so, and both as bars."""
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for name in ("said", "mean", "was so", "error", "forecasts"):
        grid.add_column(name, justify="right")
    grid.add_column("full: █ was so, │ said")
    for part in question.scores["full"].bins:
        if part.forecast is None or part.observed is None:
            continue
        grid.add_row(
            f"{100 * part.low:.0f}–{100 * part.high:.0f} %",
            f"{100 * part.forecast:.1f} %",
            f"{100 * part.observed:.1f} %",
            _error(part.error, part.off),
            f"{part.n:,}",
            _bar(part.observed, part.forecast),
        )
    return grid


def _error(error: float | None, off: bool) -> Text:
    if error is None:
        return Text("")
    return Text(f"±{100 * error:.1f} %{'!' if off else ' '}", "bold red" if off else "")


def _bar(observed: float, said: float) -> Text:
    """A bar as long as what was so, with a mark at what was said."""
    cells = ["█" if k < round(observed * _BAR) else "·" for k in range(_BAR)]
    mark = min(_BAR - 1, int(said * _BAR))
    text = Text("".join(cells), "cyan")
    text.plain = "".join([*cells[:mark], "│", *cells[mark + 1 :]])
    text.stylize("bold", mark, mark + 1)
    return text
