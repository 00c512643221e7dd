"""`belief`: what one seat of a recorded game could know of the hidden cards."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from kibitz import api
from kibitz.cli.arguments import File, Json, Model, Move, Number, Particles, Plot
from kibitz.cli.console import compiling, out, warn


@dataclass(frozen=True)
class Seen:
    """What one seat saw of a game."""

    rules: api.Rules
    seat: int
    events: tuple[api.Event, ...]


def belief(
    file: File,
    seat: Annotated[int | None, typer.Option(help="who thinks; only what it saw is used")] = None,
    number: Number = 1,
    move: Move = None,
    method: Annotated[str, typer.Option(help="how it is worked out; auto is the best")] = "auto",
    model: Model = "auto",
    particles: Particles = 1000,
    seed: Annotated[int, typer.Option(help="the same seed gives the same belief")] = 0,
    as_json: Json = False,
    plot: Plot = None,
) -> None:
    """What a seat of a recorded game could know of the hidden cards.

    Examples:
      kibitz belief games.jsonl --seat 0
      kibitz belief games.jsonl --game 3 --seat 1 --move 12
      kibitz belief games.jsonl --seat 0 --model constraints --json
      kibitz belief games.jsonl --seat 0 --plot belief.png
    """
    if plot is not None:
        api.check_plot(plot)  # before the work, not after
    record = pick_record(file, number, seat)
    with compiling():
        seen = seen_by(record, seat)
        steps = split(seen)
        check_move(move, steps)
        # for a plot the whole game, else no more than is needed
        last = len(steps) - 1 if plot is not None or move is None else move
        beliefs = _beliefs(seen, steps[: last + 1], method, model, particles, seed)
        shown = _last_turn(beliefs) if move is None else move
        if plot is not None:
            api.plot_belief(beliefs, plot, shown)
        found = beliefs[shown]
        if as_json:
            history = [api.game_of(seen.rules).event_text(event) for event in found.events]
            text = json.dumps({"move": shown, **found.to_dict(), "history": history})
        else:
            drawing, told = api.render_of(seen.rules).belief(found), found.summary()
    if as_json:
        print(text)
        return
    turn = int(found.observation.turn)
    when = "the game is over" if turn < 0 else f"seat {turn} to act"
    title = f"{seen.rules}, what seat {seen.seat} may think after move {shown} of {len(steps) - 1}"
    out.print(Text(f"{title}: {when}", "bold underline"))
    out.print(drawing)
    out.print(told, markup=False)
    if plot is not None:
        out.print(f"drawn in {plot}", style="dim", markup=False)


def pick_record(file: Path, number: int, seat: int | None = None) -> api.Record | api.SeatRecord:
    """One game of a file, counted from 1, that has to do for what `seat` saw."""
    found = 0
    for found, record in enumerate(api.iter_records(file, warn), 1):  # files may be large
        if found == number:
            if isinstance(record, api.SeatRecord) and seat not in (None, record.seat):
                raise api.KibitzError(f"this record holds only what seat {record.seat} saw")
            return record
    raise api.KibitzError(f"{file} has {found} games; --game must be 1 to {found}")


def seen_by(record: api.Record | api.SeatRecord, seat: int | None) -> Seen:
    if isinstance(record, api.SeatRecord):
        return Seen(record.checked_rules(), record.seat, tuple(record.checked_events()))
    if seat is None:
        seats = record.checked_rules().seats
        raise api.KibitzError(f"say whose view is meant: --seat 0 to {seats - 1}")
    table = api.Table.replay(record)
    return Seen(table.rules, seat, table.view(seat).events)


def split(seen: Seen | api.View) -> list[list[api.Event]]:
    """The opening, then the events of each move."""
    action_of = api.game_of(seen.rules).action_of
    found: list[list[api.Event]] = [[]]
    for event in seen.events:
        shuffled = found[-1][-1:] and found[-1][-1].kind == "reshuffle"  # for the draw after it
        if not shuffled and (action_of(event) is not None or event.kind == "reshuffle"):
            found.append([])
        found[-1].append(event)
    return found


def check_move(move: int | None, steps: list[list[api.Event]]) -> None:
    if move is not None and not 0 <= move < len(steps):
        raise api.KibitzError(f"--move must be 0 to {len(steps) - 1}, not {move}")


def _beliefs(
    seen: Seen,
    steps: list[list[api.Event]],
    method: str,
    model: str,
    particles: int,
    seed: int,
) -> list[api.Belief]:
    """The belief after the opening and after each move."""
    opening = Seen(seen.rules, seen.seat, tuple(steps[0]))
    found = [api.belief(opening, method, model, particles, seed)]
    for number, step in enumerate(steps[1:], 1):
        belief = found[-1]
        try:
            for event in step:
                belief = belief.update(event)
        except api.KibitzError as error:
            raise api.KibitzError(f"move {number}: {error}") from None
        found.append(belief)
    return found


def _last_turn(beliefs: list[api.Belief]) -> int:
    """The last position in which the seat was to act, or the end."""
    turns = [k for k, belief in enumerate(beliefs) if belief.observation.turn == belief.seat]
    return turns[-1] if turns else len(beliefs) - 1
