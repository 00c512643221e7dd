"""`bench`: the engine's speed as a table."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.table import Table as Grid

from kibitz import api
from kibitz.cli.arguments import Json
from kibitz.cli.console import compiling, err, out


def bench(
    peers: Annotated[
        bool, typer.Option("--peers", help="also measure OpenSpiel and RLCard (extra `peers`)")
    ] = False,
    as_json: Json = False,
) -> None:
    """Measure how fast the engine is, in one run with its peers if you like.

    Examples:
      kibitz bench
      kibitz bench --peers --json
    """
    with compiling():
        api.run_bench(peers=False, quick=True)  # compiles everything before the clock starts
    with err.status("Measuring") as status:
        rows = api.run_bench(peers=peers, progress=lambda name: status.update(f"Measuring {name}"))
    if as_json:
        print(json.dumps([row.to_dict() for row in rows], indent=2))
    else:
        _print(rows)


def _goal(row: api.Row) -> str:
    if row.limit is not None:
        return f"< {row.limit:g} {row.unit}"
    return f"{row.goal:g} x" if row.goal is not None else ""


def _print(rows: list[api.Row]) -> None:
    grid = Grid(title="Kibitz bench, one core, CPU time")
    for name in ("row", "Kibitz", "peer", "peer's figure", "ratio", "goal"):
        grid.add_column(name, justify="left" if name in ("row", "peer") else "right")
    for row in rows:
        measured = row.peer_value is not None and row.ratio is not None
        grid.add_row(
            row.name,
            f"{row.value:.3g} {row.unit}",
            row.peer or "",
            f"{row.peer_value:.3g} {row.unit}" if measured else "",
            f"{row.ratio:.1f} x" if measured else "",
            _goal(row),
        )
    out.print(grid)
    for row in rows:
        out.print(f"[bold]{row.name}[/]: {row.how}", style="dim")
    if all(row.ratio is None for row in rows):
        out.print("`kibitz bench --peers` measures OpenSpiel and RLCard in the same run.")
