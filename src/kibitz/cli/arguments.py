"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

Game = Annotated[str, typer.Argument(help="uno, blob (one round) or blob-game (a whole game)")]
RulesOption = Annotated[
    list[str],
    typer.Option(
        "--rules", "-r", help="name=value, may be repeated; `kibitz rules GAME` lists them"
    ),
]
OptionalGame = Annotated[
    str | None, typer.Argument(help="uno, blob (one round) or blob-game (a whole game); else all")
]
Json = Annotated[bool, typer.Option("--json", help="print JSON for programs")]
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


def _told(name: str, games: str, help: str) -> Any:
    """Part of a position that is told. A list, so that what is told twice is noticed."""
    return Annotated[
        list[str],
        typer.Option(
            f"--{name}", help=help, metavar="TEXT", rich_help_panel=f"The position, {games}"
        ),
    ]


Hand = _told("hand", "both games", "your cards, such as 'R5 G3 W' or 'AS KH 3D'")
Top = _told("top", "UNO", "the card on top of the pile, such as R3")
Theirs = _told("theirs", "UNO", "how many cards the opponent holds")
Colour = _told("colour", "UNO", "the colour in force, needed after a wild")
Pile = _told("pile", "UNO", "other cards that you know to be in the pile")
Pending = _told("pending", "UNO", "cards that you must draw now: 0, 2 or 4")
Drew = _told(
    "drew",
    "UNO",
    "the opponent's draws since it last played, oldest first: the colour or the top card on which "
    "it had to draw one, or +2 or +4 for a penalty",
)
Trump = _told("trump", "Blob", "the trump suit, such as hearts or H, or none")
Turned = _told("turned", "Blob", "the card turned up for trump, where the rules turn one up")
Bids = _told("bids", "Blob", "the bids so far, from the dealer's left")
Cards = _told("played", "Blob", "all cards played this round, in order")
Round = _told("round", "Blob", "in a whole game, the number of the round")
