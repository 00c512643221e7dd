"""`review`: a finished game with grades, the course it took, and what was luck."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from kibitz import api
from kibitz.cli.arguments import File, Json, Number, check_writable, warn_of_time
from kibitz.cli.belief import pick_record
from kibitz.cli.console import compiling, out, progress

WIDTH, HEIGHT = 70, 8
"""Of the graph, in columns and lines."""
SHOWN = 10
"""Moves in the table of the worst."""
STYLES = {"inaccuracy": "yellow", "mistake": "dark_orange", "blunder": "bold red"}
MARKS = {"inaccuracy": "~", "mistake": "?", "blunder": "X"}
GRADES = ["", *MARKS]
BLOCKS = " ▁▂▃▄▅▆▇█"
WARMING = 4
"""Moves that are reviewed first, so that compiling is over before the bar begins."""


def review(
    file: File,
    number: Number = 1,
    seat: Annotated[int | None, typer.Option(help="whose moves are judged; else all")] = None,
    agent: Annotated[
        str, typer.Option(help="who judges them; `kibitz agents` lists them")
    ] = "coach",
    plays: Annotated[int | None, typer.Option(help="games played out for a value of luck")] = None,
    seed: Annotated[
        int,
        typer.Option(help="the same seed gives the same review, if the agent counts simulations"),
    ] = 0,
    as_json: Json = False,
    html: Annotated[Path | None, typer.Option(help="also write a page to this file")] = None,
) -> None:
    """Grade the moves of a finished game, and tell luck from skill.

    A move is judged by what its player could know. Luck is told with all cards open.

    Examples:
      kibitz review games.jsonl
      kibitz review games.jsonl --game 3 --seat 0
      kibitz review games.jsonl --agent ismcts:sims=20000 --json
      kibitz review games.jsonl --html review.html
    """
    check_writable(html)  # a review takes a while
    record = pick_record(file, number)
    more = {} if plays is None else {"plays": plays}
    with compiling():
        if isinstance(record, api.Record):
            few = api.Table.replay(record, min(WARMING, len(record.actions))).record()
            api.review(few, seat, agent, seed=seed, plays=1)
    with ExitStack() as shown:
        bar: Callable[[int], None] | None = None

        def tell(done: int, total: int) -> None:
            nonlocal bar
            bar = bar or shown.enter_context(progress("review", total))
            bar(done)

        found = api.review(record, seat, agent, seed=seed, progress=tell, **more)
    warn_of_time(found.rules.game, [found.agent])
    told = found.to_dict()
    if html is not None:
        from kibitz.web.report import write_report

        write_report(told, html)
    if as_json:
        print(json.dumps(told))
        return
    _print(found, told)
    if html is not None:
        out.print(f"written to {html}", style="dim", markup=False)


def _print(found: api.Review, told: dict[str, Any]) -> None:
    seats = range(found.rules.seats)
    names = [" ".join(found.name(seat).split()) for seat in seats]
    own = found.seat or 0
    out.print(Text(f"{found.rules}, {len(found.moves)} moves", "bold underline"))
    game, render = api.game_of(found.rules), api.render_of(found.rules)
    for line in found.start["events"]:
        out.print(render.event(game.parse_event(line), names))
    if found.finished:
        out.print(render.event(game.parse_event(found.moves[-1].events[-1]), names))
    else:
        out.print(Text("not finished: the result is what could be expected then", "bold"))
    out.print()
    out.print(Text(f"{_what(told)} of {names[own]}, all cards open", "bold"))
    for row in _graph(told, own):
        out.print(row)
    out.print()
    out.print(Text("Grades", "bold"))
    out.print(_accuracy(found, names))
    _print_worst(found, names)
    out.print()
    out.print(Text(f"Luck and skill, in {_unit(told)}", "bold"))
    out.print(_split(told, names, [own] if found.seat is not None or len(names) == 2 else seats))
    out.print(
        f"grades: by {found.agent}, from what the player saw\n"
        f"luck: with all cards open, {found.plays:,} games played out for a value\n"
        "losses are percentage points; ± is one standard error",
        style="dim",
        markup=False,
    )


def _grid() -> Grid:
    return Grid(box=box.SIMPLE, padding=(0, 1, 0, 0), pad_edge=False)


def _what(told: dict[str, Any]) -> str:
    return "Win chance" if told["units"] == "win %" else "Expected points"


def _unit(told: dict[str, Any]) -> str:
    return "% of the win chance" if told["units"] == "win %" else str(told["units"])


# --- the course of the game ----------------------------------------------------------------------


def _graph(told: dict[str, Any], seat: int) -> list[Text]:
    """Bars of what the seat could expect before each move and at the end, and marks below those of
    its moves that were not good."""
    values = [move["truth"]["value"][seat] for move in told["moves"]]
    values.append(told["end"]["value"][seat])
    groups = _grouped(len(values))
    low, high = told["low"], max(told["high"], told["low"] + 1)
    heights = [sum(values[k] for k in group) / len(group) for group in groups]
    levels = [round(HEIGHT * 8 * (height - low) / (high - low)) for height in heights]
    rows = []
    for row in range(HEIGHT - 1, -1, -1):
        at = low + (high - low) * (row + 1) / HEIGHT
        label = f"{at:>6.0f} " if row % 2 else " " * 7
        bars = "".join(BLOCKS[max(0, min(8, level - 8 * row))] for level in levels)
        rows.append(Text.assemble((label, "dim"), (bars, "cyan")))
    names = [_graded(move) if move["seat"] == seat else "" for move in told["moves"]] + [""]
    marked = Text(" " * 7)
    for before, group in zip([[-1], *groups], groups, strict=False):
        fresh = [names[k] for k in group if k not in before]  # one mark where a bar is wide
        worst = max(fresh, key=GRADES.index, default="")
        marked += Text.assemble((MARKS.get(worst, " "), STYLES.get(worst, "")))
    if marked.plain.strip():
        rows.append(marked)
        rows.append(Text(" " * 7 + "   ".join(f"{MARKS[name]} {name}" for name in MARKS), "dim"))
    return rows


def _graded(move: dict[str, Any]) -> str:
    name = move["grade"]["name"] if move["grade"] else ""
    return name if name in MARKS else ""


def _grouped(number: int) -> list[list[int]]:
    """The numbers below `number`, those of each column of the graph: several where there are many,
    one in two or three columns where there are few."""
    if number > WIDTH:
        edges = [k * number // WIDTH for k in range(WIDTH + 1)]
        return [list(range(a, b)) for a, b in pairwise(edges)]
    return [[k] for k in range(number) for _ in range(min(3, WIDTH // number))]


# --- the worst moves -----------------------------------------------------------------------------


def _accuracy(found: api.Review, names: Sequence[str]) -> Grid:
    grid = _grid()
    grid.add_column("")
    judged = [each for seat in range(len(names)) if (each := found.accuracy(seat)) is not None]
    grades = [name for name in judged[0]["grades"] if name != "forced"] if judged else []
    for name in ("choices", "mean loss", *grades):
        grid.add_column(name, justify="right")
    for each in judged:
        numbers = [(name, each["grades"][name]) for name in grades]
        counts = [Text(str(n), STYLES.get(name, "") if n else "dim") for name, n in numbers]
        name = Text(names[each["seat"]])
        grid.add_row(name, str(each["moves"]), f"{each['loss']:.1f}", *counts)
    return grid


def _print_worst(found: api.Review, names: Sequence[str]) -> None:
    worst = found.worst
    if not worst:
        out.print(Text("No move was worse than the best, as far as can be told.", "green"))
        return
    grid = _grid()
    grid.add_column("move", justify="right", no_wrap=True)
    if found.seat is None:
        grid.add_column("who")
    for name in ("played", "grade", "loss", "best"):
        grid.add_column(name, justify="right" if name == "loss" else "left", no_wrap=True)
    grid.add_column("from the hand")
    for move in worst[:SHOWN]:
        grade = move.grade
        assert grade is not None
        grid.add_row(
            str(move.ply + 1),
            *([Text(names[move.seat])] if found.seat is None else []),
            move.move,
            Text(grade.name, STYLES.get(grade.name, "")),
            f"{grade.loss:.1f} ± {grade.error:.1f}",
            Text(grade.best, "bold"),
            " ".join(move.hands[move.seat]),
        )
    out.print(grid)
    if len(worst) > SHOWN:
        out.print(f"and {len(worst) - SHOWN} more; --json has all", style="dim")


# --- luck and skill ------------------------------------------------------------------------------


def _split(told: dict[str, Any], names: Sequence[str], seats: Sequence[int]) -> Grid:
    """The parts of the result, a column for each of `seats`."""
    dealt = any(p["value"] or p["error"] for p in told["split"][0]["parts"] if p["kind"] == "deal")
    begin = "the seat, before the deal" if dealt else "the position, as it was set up"
    titles = {"seat": begin, "deal": "the deal"}
    grid = _grid()
    grid.add_column("")
    for seat in seats:
        grid.add_column(Text(names[seat]), justify="right")
    splits = [told["split"][seat] for seat in seats]
    with_errors = len(seats) <= 3
    digits = 1 if told["units"] == "win %" else 2
    for row, part in enumerate(splits[0]["parts"]):
        cells = [_cell(split["parts"][row], row > 0, with_errors, digits) for split in splits]
        title = titles.get(part["kind"]) or f"{part['kind']} of {names[part['of']]}"
        grid.add_row(Text(title), *cells, end_section=row == len(splits[0]["parts"]) - 1)
    ends = [{"value": split["result"], "error": split["error"]} for split in splits]
    grid.add_row(Text("result", "bold"), *(_cell(end, False, with_errors, digits) for end in ends))
    if not with_errors:
        largest = max(part["error"] for split in splits for part in split["parts"])
        grid.caption = f"standard errors are at most {largest:.2f}"
        grid.caption_justify = "left"
    return grid


def _cell(part: dict[str, Any], signed: bool, with_error: bool, digits: int) -> Text:
    value = round(part["value"], digits) + 0.0  # never -0.0
    text = f"{value:{'+' if signed else ''}.{digits}f}"
    if with_error:
        error = f" ± {part['error']:.{digits}f}"
        text += error if part["error"] else " " * len(error)
    style = "" if not signed or not value else "green" if value > 0 else "red"
    return Text(text, style)
