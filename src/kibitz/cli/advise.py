"""`advise`: what to play, for a position that a person tells or a moment of a recorded game."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from kibitz import api
from kibitz.cli.arguments import (
    WHICH,
    Game,
    Json,
    Move,
    RulesOption,
    Svg,
    check_picture,
    split_rules,
)
from kibitz.cli.belief import check_move, pick_record, seen_by, split
from kibitz.cli.console import compiling, drawing, out

BAR = 20
"""Width of a full bar."""
YOURS = "your cards, such as 'R5 G3 W' or 'AS KH 3D'"
DREW = (
    "the opponent's draws since it last played, oldest first: the colour or the top card on which "
    "it had to draw one, or +2 or +4 for a penalty"
)
Told = list[str] | None
"""Part of a position. A list, so that what is told twice is noticed."""


def _told(where: str, help: str) -> Any:
    return typer.Option(help=help, metavar="TEXT", rich_help_panel=f"The position, {where}")


def advise(
    context: typer.Context,
    game: Game,
    hand: Annotated[Told, _told("both games", YOURS)] = None,
    top: Annotated[Told, _told("UNO", "the card on top of the pile, such as R3")] = None,
    theirs: Annotated[Told, _told("UNO", "how many cards the opponent holds")] = None,
    colour: Annotated[Told, _told("UNO", "the colour in force, needed after a wild")] = None,
    pile: Annotated[Told, _told("UNO", "other cards that you know to be in the pile")] = None,
    pending: Annotated[Told, _told("UNO", "cards that you must draw now: 0, 2 or 4")] = None,
    drew: Annotated[Told, _told("UNO", DREW)] = None,
    trump: Annotated[Told, _told("Blob", "the trump suit, such as hearts or H, or none")] = None,
    turned: Annotated[
        Told, _told("Blob", "the card turned up for trump, where the rules turn one up")
    ] = None,
    bids: Annotated[Told, _told("Blob", "the bids so far, from the dealer's left")] = None,
    played: Annotated[Told, _told("Blob", "all cards played this round, in order")] = None,
    round: Annotated[Told, _told("Blob", "in a whole game, the number of the round")] = None,
    rule_texts: RulesOption = None,
    record: Annotated[Path | None, typer.Option(help="a file of records, instead")] = None,
    number: Annotated[int | None, WHICH] = None,
    seat: Annotated[
        int | None, typer.Option(help="whose move it is; only what it saw counts")
    ] = None,
    move: Move = None,
    agent: Annotated[str, typer.Option(help="who advises; `kibitz agents` lists them")] = "coach",
    seed: Annotated[
        int,
        typer.Option(help="the same seed gives the same advice, if the agent counts simulations"),
    ] = 0,
    as_json: Json = False,
    svg: Svg = None,
) -> None:
    """What to play in a position that you tell, how sure that is, and why.

    Tell the position by the options below, and rules such as --players 4 and --cards 5 (`kibitz
    rules` lists them). UNO needs --hand, --top and --theirs, Blob --hand and mostly --trump and
    --bids. Or take it from a record.

    Examples:
      kibitz advise uno --hand 'R5 G3 W' --top R3 --theirs 5
      kibitz advise uno --hand 'R5 G3 W' --top R3 --theirs 5 --drew 'red red'
      kibitz advise blob --players 4 --hand 'AS KH 9H 3D 2C' --trump hearts --bids '1 0'
      kibitz advise blob players=3 hand='9C 5H' trump=H bids='1 0 0' played='2S 7C AS 3D 4H'
      kibitz advise uno --record games.jsonl --seat 0 --move 12 --agent pomcp:ms=500
    """
    told = {
        "hand": hand, "top": top, "theirs": theirs, "colour": colour, "pile": pile,
        "pending": pending, "drew": drew, "trump": trump, "turned": turned, "bids": bids,
        "played": played, "round": round,
    }  # fmt: skip
    if twice := [name for name, values in told.items() if values and len(values) > 1]:
        raise api.KibitzError(f"{twice[0]} is told twice")
    said = {name: values[0] for name, values in told.items() if values}
    for name, value in (*read_told(context.args).items(), *split_rules(rule_texts).items()):
        if name in said:
            raise api.KibitzError(f"{name} is told twice")
        said[name] = value
    check_picture(svg, as_json)
    with compiling():
        if record is not None:
            if said:
                raise api.KibitzError(
                    f"a record tells the position: leave out {', '.join(said)}, or --record"
                )
            position = _recorded(game, record, number or 1, seat, move)
        else:
            if not said:
                raise api.KibitzError(_what_to_tell(game))
            if number is not None or move is not None:
                raise api.KibitzError("--game and --move are of a record: give --record FILE")
            if seat is not None:
                if "seat" not in api.game_of(api.rules_type(game)).position_options:
                    raise api.KibitzError("a position told is that of the seat to act: no --seat")
                said["seat"] = str(seat)
            position = api.position(game, **said)
        decision = api.advise(position, agent, seed=seed)
    view = position.view
    if as_json:
        found = {"game": view.rules.game, "seat": view.seat, "agent": agent, "seed": seed}
        best = view.text(decision.action)
        print(json.dumps({**found, "best": best, **decision.to_dict()}))
        return
    with drawing(svg, f"kibitz advise {game}"):
        _print(view, decision, agent)


def read_told(words: list[str]) -> dict[str, str]:
    """Rules, and parts of a position: name=value, --name=value or --name value."""
    found: dict[str, str] = {}
    waiting = ""
    for word in words:
        if waiting:
            found[waiting], waiting = word, ""
            continue
        name, equals, value = word.removeprefix("--").partition("=")
        name = name.replace("-", "_")
        if not name.isidentifier():
            raise api.KibitzError(f"{word!r}: write name=value, such as hand='R5 G3 W'")
        if name in found:
            raise api.KibitzError(f"{name} is told twice")
        if equals:
            found[name] = value
        elif word.startswith("--"):
            waiting = name
        else:
            raise api.KibitzError(f"{word!r}: write name=value, such as hand='R5 G3 W'")
    if waiting:
        raise api.KibitzError(f"--{waiting} needs a value")
    return found


def _what_to_tell(game: str) -> str:
    options = api.game_of(api.rules_type(game)).position_options
    listed = "; ".join(f"{name}: {meaning}" for name, meaning in options.items())
    return f"tell the position, or give --record FILE. There are {listed}"


def _recorded(
    game: str, file: Path, number: int, seat: int | None, move: int | None
) -> api.Position:
    seen = seen_by(pick_record(file, number, seat), seat)
    if seen.rules.game != game:
        raise api.KibitzError(f"{file} has a game of {seen.rules.game} there, not of {game}")
    steps = split(seen)
    check_move(move, steps)
    moments = [move] if move is not None else range(len(steps) - 1, -1, -1)
    for moment in moments:  # the last at which the seat had to act
        events = [event for step in steps[: moment + 1] for event in step]
        view = api.view_of(seen.rules, seen.seat, events)
        if view.to_act == seen.seat or move is not None:
            return api.Position(view)
    raise api.KibitzError(f"seat {seen.seat} never had to act in this game")


def _print(view: api.View, decision: api.Decision, agent: str) -> None:
    game = api.game_of(view.rules)
    title = f"{view.rules}, seat {view.seat}: {view.text(decision.action)}"
    out.print(Text(title, "bold underline"))
    if decision.moves:
        grid = Grid(box=box.SIMPLE)
        grid.add_column("move", style="bold")
        grid.add_column("worth", justify="right")
        grid.add_column("searched", justify="right")
        grid.add_column("")
        visits = max(1, sum(move.visits for move in decision.moves))
        for move in decision.moves:
            equal = move.action in decision.equal and len(decision.equal) > 1
            bar = "█" * round(BAR * move.visits / visits)
            grid.add_row(
                move.text + (" =" if equal else ""),
                game.value_text(move.value, move.error),
                f"{api.percent(move.visits / visits)} %",
                Text(bar, "green" if move.action == decision.action else "blue"),
            )
        out.print(grid)
    for reason in decision.why:
        out.print(Text(f"• {reason.rstrip('.')}."))
    if len(decision.variation) > 1:
        out.print(Text(f"• It may go on: {' '.join(decision.variation)}."))
    if decision.belief:
        out.print()
        out.print(Text(decision.belief, "dim"))
    if decision.simulations:
        out.print(
            f"{agent}: {decision.simulations:,} simulations in {1000 * decision.seconds:.0f} ms; "
            "± is one standard error, = cannot be told from the best",
            style="dim",
            markup=False,
        )
