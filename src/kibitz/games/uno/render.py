"""UNO on a terminal. Every card shows its letters, so nothing depends on colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from kibitz.games.base import Event, State
from kibitz.games.belief import Belief
from kibitz.games.render import shaded, styled
from kibitz.games.uno import notation
from kibitz.games.uno.layout import COLOURS, DRAW, DRAW_TWO, RANKS, WILD, WILD_FOUR

_STYLES = (
    "bold #ffffff on #c62828",
    "bold #1a1a1a on #f2c12e",
    "bold #ffffff on #2e7d32",
    "bold #ffffff on #1e56c4",
)
_WILD_STYLE = "bold #ffffff on #4a4a4a"
_BRIGHT = ("#e53935", "#fdd835", "#43a047", "#4285f4")
_NAMES = ("red", "yellow", "green", "blue")
_ENDINGS = {
    "emptied": "the hand is empty",
    "exhausted": "no cards are left to draw",
    "truncated": "cut short at the limit of moves",
}


def card(number: int) -> Text:
    style = _WILD_STYLE if number & 15 >= WILD else _STYLES[number >> 4]
    return styled(f" {notation.card_text(number)} ", style)


def cards(numbers: Iterable[int]) -> Text:
    order = notation.CARDS.index
    return Text(" ").join(card(number) for number in sorted(numbers, key=order))


def action(number: int) -> Text:
    if number == DRAW:
        return Text("draw")
    shown = card(notation.card_of(number))
    if number & 15 >= WILD:
        colour = number >> 4
        shown += Text(" declares ") + styled(f" {COLOURS[colour]} ", _STYLES[colour])
    return shown


def hand(state: State, seat: int) -> Text:
    """A hand, or its size if the cards are not in `state`."""
    from kibitz.games.uno.game import counts

    held = counts(state.hand[seat])
    if held or not state.held[seat]:
        return cards(held.elements()) or Text("no cards", "dim")
    return Text(f"{state.held[seat]} cards")


def table_line(state: State) -> Text:
    """What lies on the table."""
    return Text(f"deck {state.deck_size}", "dim")


def _cards_or_number(event: Event) -> Text:
    if event.cards:
        return cards(event.cards)
    return Text(f"{event.number} card" + ("" if event.number == 1 else "s"))


def event(happened: Event, names: Sequence[str]) -> Text:
    who = styled(names[happened.seat], "bold") if happened.seat >= 0 else Text()
    match happened.kind:
        case "deal":
            return who + " is dealt " + _cards_or_number(happened)
        case "top":
            return Text("turned up ") + card(happened.action)
        case "pile":
            return Text("below it ") + cards(happened.cards)
        case "start":
            colour, pending = happened.values
            line = who + f" to move, colour {_NAMES[colour]}"
            return line + (f", {pending} to draw" if pending else "")
        case "play":
            return who + " plays " + action(happened.action)
        case "draw":
            return who + " draws " + _cards_or_number(happened)
        case "skip":
            return who + " is skipped"
        case "reshuffle":
            return Text("the pile is shuffled into the deck", "italic")
    reason = _ENDINGS.get(happened.note, happened.note)
    if happened.values[0] == happened.values[1]:
        return Text(f"a draw: {reason}", "bold")
    return styled(names[0 if happened.values[0] > 0 else 1], "bold green") + f" wins: {reason}"


def belief(found: Belief) -> Group:
    """What the seat sees, and the chance in percent that the opponent has each card; blank where
    no copy is hidden."""
    seen = found.observation
    rank, colour = int(seen.top_rank), int(seen.colour)
    line = Text("on top ") + card(rank if rank >= WILD else colour * 16 + rank)
    if rank >= WILD:
        line += f", colour {_NAMES[colour]}"
    line += f", {seen.deck_size} in the deck"
    line += f", {seen.pending} to draw" if seen.pending else ""
    return Group(Text("hand   ") + hand(seen, found.seat), line, Text(), _grid(found), Text())


def _grid(found: Belief) -> Grid:
    marginals = found.marginals()
    chance = dict(zip(marginals.cards, marginals.chance[0], strict=True))
    options = found.rules.to_dict()
    ranks = [number for number, letter in enumerate(RANKS) if letter in options["ranks"]]
    grid = Grid(box=None, padding=(0, 1, 0, 0))
    grid.add_column(justify="left")
    for number in ranks:
        grid.add_column("+2" if number == DRAW_TWO else RANKS[number], justify="center", width=4)
    for colour in range(options["colours"]):
        cells = [
            shaded(chance[16 * colour + number], _BRIGHT[colour])
            if 16 * colour + number in chance
            else Text()
            for number in ranks
        ]
        grid.add_row(Text(f"{COLOURS[colour]} {_NAMES[colour]}"), *cells)
    wilds = [number for number in (WILD, WILD_FOUR) if number in chance]
    outer = Grid.grid(padding=(0, 1, 0, 0))
    outer.add_row(grid)
    if wilds:
        line = Text("         ")
        for number in wilds:
            line += Text(f"{notation.card_text(number)} ") + shaded(chance[number], "#e0e0e0") + " "
        outer.add_row(line)
    return outer
