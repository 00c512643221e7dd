"""Games on a terminal: `Renderer` draws any game from its notation, and each game overrides what it
draws better; below it, what their drawings share."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from kibitz.games.base import Event, Game, State, percent
from kibitz.games.belief import Belief, holder_text

_VERBS = {"deal": "is dealt"}


class Renderer:
    """How one game is drawn: the table, hands, what happens, beliefs, and what a person may type.
    Every card shows its letters, so nothing depends on colour."""

    told: ClassVar[Sequence[tuple[str, str]]] = ()
    """What is typed for what happens at a real table."""
    joined: ClassVar[tuple[str, ...]] = ()
    """Kinds of events that share a line with those that follow."""

    def __init__(self, game: Game) -> None:
        self.game = game

    @property
    def moves(self) -> Sequence[tuple[str, str]]:
        """What is typed for a move of one's own, and what it does."""
        by_name = ", ".join(self.game.action_names)
        return [(by_name, "the move")] if by_name else [("1", "plays the card above the 1")]

    # --- cards ---

    def card(self, number: int) -> Text:
        return styled(self.game.card_text(number), "bold")

    def cards(self, numbers: Iterable[int]) -> Text:
        return Text(" ").join(self.card(number) for number in numbers)

    def hand(self, state: State, seat: int) -> Text:
        """A hand, or its size if the cards are not in `state`."""
        return self.cards(self.game.hand(state, seat)) or Text("hidden", "dim")

    # --- what happens ---

    def event(self, happened: Event, names: Sequence[str]) -> Text:
        """Who, and what: an action, cards or their number, what it is worth to each."""
        kind, actions = happened.kind, self.game.action_names
        parts = [Text(kind)]
        if happened.seat >= 0:
            parts = [does(names[happened.seat], _VERBS.get(kind, f"{kind}s"))]
        if 0 <= happened.action < len(actions):
            parts.append(Text(actions[happened.action]))
        if happened.cards:
            parts.append(self.cards(happened.cards))
        elif happened.number:
            parts.append(Text(plural(happened.number, "card")))
        values = zip(names, happened.values, strict=False)
        parts += [Text(f"{name} {value}") for name, value in values]
        return Text(" ").join(parts)

    def lines(self, events: Iterable[Event], names: Sequence[str]) -> list[Text]:
        """What happened, a line each."""
        return [self.event(happened, names) for happened in events]

    # --- for a person at the table ---

    def table(self, rules: Any, seen: State, seat: int, names: Sequence[str]) -> RenderableType:
        """What everyone sees."""
        grid = Grid.grid(padding=(0, 2, 0, 0))
        for name, value in self.game.shown(rules, seen, seat).items():
            if name != "hand":
                grid.add_row(name, Text(str(value)))
        return grid

    def table_line(self, state: State) -> Text:
        """The same in a few words."""
        return Text()

    def score_sheet(self, events: Iterable[Event], names: Sequence[str]) -> RenderableType:
        return Text("There are no points before the end.")

    def result(
        self, state: State, seat: int, events: Iterable[Event], names: Sequence[str]
    ) -> Iterable[RenderableType]:
        """What is worth showing in the end, with all cards open, but for the last event: the hands
        that `seat` could not see."""
        for other, name in enumerate(names):
            if other != seat and self.game.hand(state, other):
                yield Text.assemble((name, "bold"), " still held ") + self.hand(state, other)

    def rules_text(self, rules: Any) -> list[str]:
        """The rules in a few sentences."""
        told = (inspect.getdoc(type(rules)) or rules.title).partition("\n\n")[0]
        return [" ".join(told.split())]

    def begins(self, rules: Any) -> str:
        """Who is first, for those who choose a seat."""
        return "0 begins"

    def verb(self, seen: State) -> str:
        """What the seat to act is asked to do."""
        return "move"

    def note(self, seen: State, actions: Sequence[int]) -> str:
        """What a person should know of its legal actions besides those that play a card."""
        game = self.game
        others = [game.action_text(seen, a) for a in actions if game.card_of(seen, a) is None]
        return f"You may {', '.join(others)}." if others else ""

    # --- beliefs ---

    def belief(self, found: Belief) -> RenderableType:
        """The chance in percent that each holder has each hidden card."""
        marginals = found.marginals()
        grid = Grid(box=None, padding=(0, 1, 0, 0))
        grid.add_column()
        for holder in marginals.holders:
            grid.add_column(holder_text(holder), justify="center")
        for row, number in enumerate(marginals.cards):
            chances = marginals.chance[:, row]
            grid.add_row(self.card(number), *(shaded(float(p), "#5f87ff") for p in chances))
        return Group(Text("hand   ") + self.hand(found.observation, found.seat), grid)


def styled(text: str, style: str) -> Text:
    """Text whose style ends with it: a Text made with a style lends it to all that is added."""
    return Text.assemble((text, style))


def does(name: str, verb: str) -> Text:
    """Who does what: Club plays, and You play."""
    if name == "You":
        verb = verb.replace("is", "are", 1) if verb.split()[0] == "is" else verb.removesuffix("s")
    return styled(name, "bold") + f" {verb}"


def plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def shaded(chance: float, colour: str) -> Text:
    """A chance on a cell whose brightness follows it, from dark to `colour` (#rrggbb)."""
    # by the root, since most chances are small and should not all look black
    share = max(0.0, min(1.0, chance)) ** 0.5
    low = 0x22
    red, green, blue = (round(low + share * (int(colour[k : k + 2], 16) - low)) for k in (1, 3, 5))
    ink = "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#ffffff"
    return styled(f"{percent(chance):>3} ", f"{ink} on #{red:02x}{green:02x}{blue:02x}")
