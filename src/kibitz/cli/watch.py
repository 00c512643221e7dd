"""`watch` and `show`: a game on the terminal, move by move."""

from __future__ import annotations

import secrets
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table as Grid
from rich.text import Text

from kibitz import api
from kibitz.cli.arguments import (
    File,
    Game,
    Json,
    Number,
    RulesOption,
    Svg,
    check_picture,
    check_writable,
    read_rules,
    warn_of_time,
)
from kibitz.cli.belief import pick_record
from kibitz.cli.console import compiling, drawing, out


def watch(
    game: Game = "uno",
    players: Annotated[
        str, typer.Option(help="agents, separated by commas; one stands for all seats")
    ] = "rule",
    seed: Annotated[int | None, typer.Option(help="the same seed gives the same game")] = None,
    rule_texts: RulesOption = None,
    save: Annotated[Path | None, typer.Option(help="append the record to this file")] = None,
) -> None:
    """Watch a game between Kibitz's players, move by move.

    Examples:
      kibitz watch
      kibitz watch blob --seed 7
      kibitz watch uno --rules skip=pass --save games.jsonl
    """
    rules = read_rules(game, rule_texts)
    check_writable(save)
    with compiling():
        names = api.split_agents(players)
        seed = secrets.randbits(64) if seed is None else seed
        table = api.play_out(rules, names, seed)
    if save is not None:
        api.append_record(save, table.record())
    _show_table(table, None)
    if save is not None:
        out.print(f"saved to {save}; `kibitz show {save}` replays it", style="dim", markup=False)
    again = ["kibitz", "watch", game, "--seed", str(seed), "--players", players]
    again += [word for text in rule_texts or () for word in ("--rules", text)]
    out.print(f"the same again: {shlex.join(again)}", style="dim", markup=False)
    warn_of_time(game, names)


def show(
    file: File,
    number: Number = 1,
    seat: Annotated[int | None, typer.Option(help="show only what this seat saw")] = None,
    as_json: Json = False,
    svg: Svg = None,
) -> None:
    """Replay a recorded game.

    Examples:
      kibitz show games.jsonl
      kibitz show games.jsonl --game 3
      kibitz show games.jsonl --seat 1      only what seat 1 saw
      kibitz show games.jsonl --svg game.svg
    """
    check_picture(svg, as_json)
    record = pick_record(file, number, seat)
    with drawing(svg, f"kibitz show {file.name}"):
        _show(record, seat, as_json)


def _show(record: api.Record | api.SeatRecord, seat: int | None, as_json: bool) -> None:
    if isinstance(record, api.SeatRecord):
        if as_json:
            print(record.to_json())
        else:
            _show_seat_record(record)
        return
    with compiling():
        table = api.Table.replay(record)
    if as_json:
        print((record if seat is None else table.seat_record(seat)).to_json())
    else:
        _show_table(table, seat)


def _names(players: list[str] | None, seats: int) -> list[str]:
    """What to call each seat; a name from a file may hold anything, so it is kept to one line."""
    return [
        f"{' '.join(players[k].split())} ({k})" if players else f"seat {k}" for k in range(seats)
    ]


def _title(rules: Any, seat: int | None) -> Text:
    seen = f", as seat {seat} saw it" if seat is not None else ""
    return Text(f"{rules}{seen}", "bold underline")


def _show_seat_record(record: api.SeatRecord) -> None:
    rules, events = record.checked_rules(), record.checked_events()
    render = api.render_of(rules)
    names = _names(record.players, rules.seats)
    out.print(_title(rules, record.seat))
    for event in events:
        out.print(render.event(event, names))


def _show_table(table: api.Table, seat: int | None) -> None:
    """Replay the game: each move, what it led to, and the hand that made it."""
    rules = table.rules
    if seat is not None:
        table.view(seat)  # says so if there is no such seat
    render = api.render_of(rules)
    names = _names(table.players, rules.seats)
    out.print(_title(rules, seat))
    grid = _grid()
    for ply, happened in enumerate(table.steps()):
        events = [e if seat is None else e.seen_by(seat) for e in happened.events]
        if ply == 0:
            for event in events:
                out.print(render.event(event, names))
            continue
        state, mover = happened.state, happened.seat
        shown = seat is None or seat == mover
        wide = [event for event in events if event.kind in ("score", "round", "deal", "over")]
        dealt = any(event.kind == "round" for event in events)  # the hand is the next round's
        hand = render.hand(state, mover) if shown and not dealt else Text()
        for k, event in enumerate(e for e in events if e not in wide):
            cells = (
                (Text(str(ply), "dim"), render.table_line(state), hand) if k == 0 else ("", "", "")
            )
            grid.add_row(cells[0], render.event(event, names), *cells[1:])
        if wide:  # lines too long for a column: they would push the hands off the screen
            out.print(grid)
            grid = _grid()
            for event in wide:
                out.print(render.event(event, names))
    out.print(grid)


def _grid() -> Grid:
    grid = Grid(box=None, show_header=False, padding=(0, 2, 0, 0))
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column()  # the hand: the one that may take several lines
    return grid
