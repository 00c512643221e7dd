"""UNO on a terminal. Every card shows its letters, so nothing depends on colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from kibitz.games.base import Event, State
from kibitz.games.belief import Belief
from kibitz.games.render import Renderer, does, plural, shaded, styled
from kibitz.games.uno import notation
from kibitz.games.uno.game import counts
from kibitz.games.uno.layout import COLOURS, DRAW, DRAW_TWO, RANKS, WILD, WILD_FOUR
from kibitz.games.uno.rules import UnoRules

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


class UnoRenderer(Renderer):
    moves: ClassVar[Sequence[tuple[str, str]]] = (
        ("3", "plays the card above the 3; after a wild you are asked for the colour"),
        ("R5", "plays it: R Y G B and 0-9, S skip, R reverse, +2; W, W+4"),
        ("W:R", "plays a wild and declares red"),
        ("d", "draws"),
    )
    told = (
        ("R5", "what the player whose turn it is did: a card, W:R, or draw"),
        ("draw G3", "you drew: tell which card"),
    )

    def card(self, number: int) -> Text:
        style = _WILD_STYLE if number & 15 >= WILD else _STYLES[number >> 4]
        return styled(f" {notation.card_text(number)} ", style)

    def cards(self, numbers: Iterable[int]) -> Text:
        order = notation.CARDS.index
        return Text(" ").join(self.card(number) for number in sorted(numbers, key=order))

    def action(self, number: int) -> Text:
        if number == DRAW:
            return Text("draw")
        shown = self.card(notation.card_of(number))
        if number & 15 >= WILD:
            colour = number >> 4
            shown += Text(" declares ") + styled(f" {COLOURS[colour]} ", _STYLES[colour])
        return shown

    def hand(self, state: State, seat: int) -> Text:
        held = self.game.hand(state, seat)
        if held or not state.held[seat]:
            return self.cards(held) or Text("no cards", "dim")
        return Text(f"{state.held[seat]} cards")

    def table_line(self, state: State) -> Text:
        return Text(f"deck {state.deck_size}", "dim")

    def _cards_or_number(self, event: Event) -> Text:
        return self.cards(event.cards) if event.cards else Text(plural(event.number, "card"))

    def event(self, happened: Event, names: Sequence[str]) -> Text:
        name = names[happened.seat] if happened.seat >= 0 else ""
        match happened.kind:
            case "deal":
                return does(name, "is") + " dealt " + self._cards_or_number(happened)
            case "top":
                return Text("turned up ") + self.card(happened.action)
            case "pile":
                return Text("below it ") + self.cards(happened.cards)
            case "start":
                colour, pending = happened.values
                line = styled(name, "bold") + f" to move, colour {_NAMES[colour]}"
                return line + (f", {pending} to draw" if pending else "")
            case "play":
                return does(name, "plays") + " " + self.action(happened.action)
            case "draw":
                return does(name, "draws") + " " + self._cards_or_number(happened)
            case "skip":
                return does(name, "is") + " skipped"
            case "reshuffle":
                return Text("the pile is shuffled into the deck", "italic")
        reason = _ENDINGS.get(happened.note, happened.note)
        if happened.values[0] == happened.values[1]:
            return Text(f"a draw: {reason}", "bold")
        winner = does(names[0 if happened.values[0] > 0 else 1], "wins")
        winner.stylize("bold green")
        return winner + f": {reason}"

    # --- for a person at the table ---

    def table(self, rules: UnoRules, seen: State, seat: int, names: Sequence[str]) -> Group:
        other = 1 - seat
        rank, colour = int(seen.top_rank), int(seen.colour)
        number = int(seen.held[other])
        grid = Grid.grid(padding=(0, 2, 0, 0))
        backs = styled("▮" * min(number, 30), "dim") + ("  UNO!" if number == 1 else "")
        grid.add_row(styled(names[other], "bold"), Text(plural(number, "card")) + "  " + backs)
        top = self.card(rank if rank >= WILD else colour * 16 + rank)
        if rank >= WILD:
            top += Text(" declared ") + styled(f" {_NAMES[colour]} ", _STYLES[colour])
        if seen.pending:
            top += f"  {seen.pending} to draw"
        pile = counts(seen.pile).total()
        grid.add_row("on top", top + styled(f"    deck {seen.deck_size}, pile {pile}", "dim"))
        return Group(grid)

    def note(self, seen: State, actions: Sequence[int]) -> str:
        return "You cannot play: d (or Enter) draws." if tuple(actions) == (DRAW,) else ""

    def score_sheet(self, events: Iterable[Event], names: Sequence[str]) -> Text:
        return Text("UNO has no points here: who is rid of all cards first has won.")

    def rules_text(self, rules: UnoRules) -> list[str]:
        again = {
            "forfeit": "Skip and Reverse let you move again.",
            "pass": "Skip and Reverse just pass the turn.",
        }
        return [
            f"{rules.deck_size} cards, {rules.hand_size} each. Be rid of yours first.",
            "Play the colour or the rank of the card on top, or a wild, which declares a colour.",
            "You must play if you can; otherwise you draw a card and your turn ends.",
            "+2 and Wild+4 make the other draw and lose the turn. No stacking, no challenge.",
            again[rules.skip],
            "If nothing is left to draw, even from the pile, fewer cards win.",
        ]

    def belief(self, found: Belief) -> Group:
        """What the seat sees, and the chance in percent that the opponent has each card; blank
        where no copy is hidden."""
        seen = found.observation
        rank, colour = int(seen.top_rank), int(seen.colour)
        line = Text("on top ") + self.card(rank if rank >= WILD else colour * 16 + rank)
        if rank >= WILD:
            line += f", colour {_NAMES[colour]}"
        line += f", {seen.deck_size} in the deck"
        line += f", {seen.pending} to draw" if seen.pending else ""
        return Group(
            Text("hand   ") + self.hand(seen, found.seat), line, Text(), self._grid(found), Text()
        )

    def _grid(self, found: Belief) -> Grid:
        marginals = found.marginals()
        chance = dict(zip(marginals.cards, marginals.chance[0], strict=True))
        options = found.rules.to_dict()
        ranks = [number for number, letter in enumerate(RANKS) if letter in options["ranks"]]
        grid = Grid(box=None, padding=(0, 1, 0, 0))
        grid.add_column(justify="left")
        for number in ranks:
            grid.add_column(
                "+2" if number == DRAW_TWO else RANKS[number], justify="center", width=4
            )
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
                line += (
                    Text(f"{notation.card_text(number)} ") + shaded(chance[number], "#e0e0e0") + " "
                )
            outer.add_row(line)
        return outer
