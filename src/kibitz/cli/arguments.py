"""Arguments and options that several commands have, and how what people type is read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from kibitz import api
from kibitz.cli.console import warn

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


def split_rules(texts: Iterable[str] | None) -> dict[str, str]:
    """Options of the form name=value, several in one text separated by commas or blanks. A part
    without "=" goes on with the value before it: "schedule=3,2,1,miss=zero" has two options."""
    found: dict[str, str] = {}
    last = ""
    for text in texts or ():
        for part in text.replace(",", " ").split():
            name, equals, value = part.partition("=")
            if equals:
                last = name.replace("-", "_")
                found[last] = value
            elif last:
                found[last] += "," + part
            else:
                raise api.KibitzError(f"--rules {part!r}: write name=value, such as hand_size=5")
    return found


def read_rules(game: str, texts: Iterable[str] | None) -> api.Rules:
    """Rules from the command line."""
    return api.rules(game, **split_rules(texts))


def check_writable(*files: Path | None) -> None:
    """Say now that a file cannot be written, not when the work is done."""
    for file in files:
        if file is None:
            continue
        folder = file.absolute().parent
        if file.is_dir():
            raise api.KibitzError(f"cannot write {file}: it is a folder")
        if not folder.is_dir():
            raise api.KibitzError(f"cannot write {file}: there is no folder {file.parent}")
        if not os.access(file if file.exists() else folder, os.W_OK):
            raise api.KibitzError(f"cannot write {file}: permission denied")


def check_picture(svg: Path | None, as_json: bool) -> None:
    if as_json and svg is not None:
        raise api.KibitzError("--svg draws what is shown; it does not go with --json")
    check_writable(svg)


def warn_of_time(game: str, names: Iterable[str]) -> None:
    """Say who may not do the same again."""
    timed = [name for name in dict.fromkeys(names) if not api.repeats(name, game)]
    if timed:
        warn(
            f"{', '.join(timed)} thinks by the clock: another time it may come to something else; "
            "with sims in place of ms it does not"
        )
