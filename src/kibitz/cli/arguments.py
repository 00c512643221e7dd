"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Game = Annotated[str, typer.Argument(help="uno, blob (one round) or blob-game (a whole game)")]
RulesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--rules", "-r", help="name=value, may be repeated; `kibitz rules GAME` lists them"
    ),
]
PLAYERS = typer.Option(
    "--players", "-p", help="agents, separated by commas; one stands for all seats"
)
File = Annotated[Path, typer.Argument(help="a file of records, one game a line")]
WHICH = typer.Option("--game", help="which game of the file, from 1")
Number = Annotated[int, WHICH]
Move = Annotated[
    int | None, typer.Option(help="after so many moves; else when the seat last had to act")
]
Json = Annotated[bool, typer.Option("--json", help="print JSON for programs")]
Svg = Annotated[Path | None, typer.Option(help="also write a picture to this file")]
Model = Annotated[
    str,
    typer.Option(
        help="how the others choose: constraints, uniform, rule:temperature=T, keen:temperature=T "
        "or a mixture such as 0.3*uniform+0.7*rule; auto is the game's own"
    ),
]
Particles = Annotated[int, typer.Option("--particles", help="how many, where there are any")]
Plot = Annotated[Path | None, typer.Option(help="also draw a PNG or SVG file (extra `plot`)")]
Seed = Annotated[int, typer.Option(help="the same seed gives the same games")]
Milliseconds = Annotated[
    float | None, typer.Option("--ms", help="milliseconds a decision, for all who search")
]
Simulations = Annotated[
    int | None, typer.Option("--sims", help="simulations a decision, for all who search")
]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", help="processes; else one for each core")]
EngineName = Annotated[str, typer.Option("--engine", help="local, or ray (extra `cluster`)")]
Address = Annotated[str | None, typer.Option(help="of a Ray cluster; else one is started here")]
Results = Annotated[Path | None, typer.Option(help="SQLite file of results; else the user's own")]
Again = Annotated[bool, typer.Option("--again", help="play known deals anew")]
