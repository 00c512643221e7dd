"""Blob on a terminal. Every card shows the symbol of its suit, so nothing depends on colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from kibitz.games.base import Event, State
from kibitz.games.belief import STOCK, Belief, Marginals
from kibitz.games.blob import notation
from kibitz.games.blob.layout import BIDDING, NO_TRUMP, PLAYING, RANKS
from kibitz.games.blob.rules import BlobGameRules, BlobRules
from kibitz.games.render import Renderer, does, plural, shaded, styled

_STYLES = ("bold green3", "bold orange1", "bold red1", "bold bright_blue")
_BRIGHT = ("#00d700", "#ffaf00", "#ff5f5f", "#5f87ff")


class BlobRenderer(Renderer):
    moves: ClassVar[Sequence[tuple[str, str]]] = (
        ("2", "bids two; later it plays the card above the 2"),
        ("QH", "plays it: A K Q J T 9 ... 2 and C D H S"),
    )
    told = (
        ("2", "the player whose turn it is bids two"),
        ("QH", "or plays the queen of hearts"),
    )
    joined = ("bid", "play")  # bids and tricks are read as a whole

    def card(self, number: int) -> Text:
        suit = number >> 4
        rank = RANKS[number & 15].replace("T", "10")
        return styled(rank + notation.SYMBOLS[suit], _STYLES[suit])

    def cards(self, numbers: Iterable[int]) -> Text:
        return Text(" ").join(self.card(number) for number in sorted(numbers, key=notation.place))

    def hand(self, state: State, seat: int) -> Text:
        held = self.game.hand(state, seat)
        left = int(state.left) - (state.trick[seat] >= 0)
        return self.cards(held) if held or not left else Text(f"{left} cards")

    def table_line(self, state: State) -> Text:
        if state.phase != PLAYING:
            return Text()
        score = " ".join(
            f"{won}/{bid}" for won, bid in zip(state.won, state.bid, strict=True) if bid >= 0
        )
        return Text(f"won/bid {score}", "dim")

    def _scores(self, happened: Event, names: Sequence[str]) -> Text:
        return Text(", ").join(
            Text(f"{name} {value}") for name, value in zip(names, happened.values, strict=True)
        )

    def event(self, happened: Event, names: Sequence[str]) -> Text:
        name = names[happened.seat] if happened.seat >= 0 else ""
        match happened.kind:
            case "round":
                index, number, dealer, trump = happened.values
                line = styled(f"Round {index + 1}: {plural(number, 'card')}", "bold") + ", "
                line += does(names[dealer], "deals") + ", " + _trump(trump)
                return line + (
                    Text(", turned up ") + self.card(happened.cards[0]) if happened.cards else ""
                )
            case "deal":
                shown = (
                    self.cards(happened.cards)
                    if happened.cards
                    else Text(f"{happened.number} cards")
                )
                return does(name, "is") + " dealt " + shown
            case "bid":
                return does(name, "bids") + f" {happened.action}"
            case "play":
                return does(name, "plays") + " " + self.card(happened.action)
            case "trick":
                return does(name, "takes") + " the trick"
            case "score":
                return Text("points: ") + self._scores(happened, names)
        best = max(happened.values)
        winners = [name for name, v in zip(names, happened.values, strict=True) if v == best]
        verb = " share it: " if len(winners) > 1 else " win: " if winners == ["You"] else " wins: "
        return styled(" and ".join(winners), "bold green") + verb + self._scores(happened, names)

    def lines(self, events: Iterable[Event], names: Sequence[str]) -> list[Text]:
        """The bids in one line, each trick in one, and a line for everything else."""
        found: list[Text] = []
        before = ""
        for happened in events:
            text = self.event(happened, names)
            if happened.kind == before == "bid" or before == "play":
                found[-1] += Text(": " if happened.kind == "trick" else ", ") + text
            else:
                found.append(text)
            before = happened.kind
        return found

    # --- for a person at the table ---

    def table(
        self, rules: BlobRules | BlobGameRules, seen: State, seat: int, names: Sequence[str]
    ) -> Group:
        whole = rules.params.rounds > 1
        title = f"Round {seen.round_index + 1} of {rules.params.rounds}: " if whole else ""
        line = (
            styled(title + plural(int(seen.cards), "card"), "bold") + ", " + _trump(int(seen.trump))
        )
        if seen.turned >= 0:
            line += Text(", turned up ") + self.card(int(seen.turned))
        bids = [int(bid) for bid in seen.bid[: rules.players] if bid >= 0]
        if len(bids) == rules.players:
            off = sum(bids) - int(seen.cards)
            line += styled(f"    bids {abs(off)} {'over' if off > 0 else 'under'}", "dim")
        grid = Grid(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
        for name in ("", "bid", "won", *(["total"] if whole else []), "trick"):
            grid.add_column(name, justify="right" if name not in ("", "trick") else "left")
        for who in range(rules.players):
            down = Text()
            if seen.trick[who] >= 0:
                down = self.card(int(seen.trick[who]))
                down += styled("  ahead", "dim") if who == seen.best else ""
            grid.add_row(
                styled(names[who], "bold" if who == seat else "")
                + styled(" (dealer)" if who == seen.dealer else "", "dim"),
                str(int(seen.bid[who])) if seen.bid[who] >= 0 else "·",
                str(int(seen.won[who])) if seen.phase != BIDDING else "·",
                *([str(int(seen.total[who]))] if whole else []),
                down,
            )
        return Group(line, grid)

    def begins(self, rules: BlobRules | BlobGameRules) -> str:
        return f"{rules.dealer} deals first"

    def verb(self, seen: State) -> str:
        return "bid" if seen.phase == BIDDING else "move"

    def note(self, seen: State, actions: Sequence[int]) -> str:
        if seen.phase != BIDDING:
            return ""
        text = f"You may bid {' '.join(str(bid) for bid in actions)}"
        if missing := [str(bid) for bid in range(int(seen.cards) + 1) if bid not in actions]:
            text += f", not {' '.join(missing)}: the bids must not add up to the tricks"
        return text

    def result(
        self, state: State, seat: int, events: Iterable[Event], names: Sequence[str]
    ) -> Iterable[Grid]:
        return [self.score_sheet(events, names)]

    def score_sheet(self, events: Iterable[Event], names: Sequence[str]) -> Grid:
        """The rounds so far: what each bid and took, and the points they have together."""
        grid = Grid(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
        for name in ("", "cards", *names):
            grid.add_column(Text(name), justify="left" if not name else "right")
        totals = [0] * len(names)
        bids, won = dict.fromkeys(range(len(names)), -1), [0] * len(names)
        start: tuple[int, ...] = ()
        for happened in events:
            match happened.kind:
                case "round":
                    start, won = happened.values, [0] * len(names)
                    bids = dict.fromkeys(bids, -1)
                case "bid":
                    bids[happened.seat] = happened.action
                case "trick":
                    won[happened.seat] += 1
                case "score":
                    totals = [t + v for t, v in zip(totals, happened.values, strict=True)]
                    cells = [
                        styled(f"{took}/{bids[k]}", "green" if took == bids[k] else "red")
                        + ("=" if took == bids[k] else " ")
                        + f"{totals[k]:>5}"
                        for k, took in enumerate(won)
                    ]
                    grid.add_row(f"round {start[0] + 1}", _dealt(start), *cells)
                    start = ()
        if start:
            cells = [
                Text(f"{won[k]}/{bid}" if bid >= 0 else "·") + f" {totals[k]:>5}"
                for k, bid in bids.items()
            ]
            grid.add_row(f"round {start[0] + 1}", _dealt(start), *cells, style="dim")
        grid.caption = "taken/bid, = if they agree, and the points so far"
        grid.caption_justify = "left"
        return grid

    def rules_text(self, rules: BlobRules | BlobGameRules) -> list[str]:
        each = f" and {plural(rules.points_per_trick, 'point')} a trick" * (
            rules.points_per_trick > 0
        )
        miss = {
            "zero": "anything else nothing",
            "tricks": "anything else only the points of the tricks",
            "penalty": "anything else loses the points of a trick for each that is off",
        }
        found = [
            "Bid how many tricks you will take. The dealer bids last, and may not make the bids "
            "add up to the tricks.",
            "Follow suit if you can; otherwise play anything. The highest trump takes the trick, "
            "or the highest card of the suit led.",
            f"Exactly your bid scores {rules.exact_bonus}{each}, {miss[rules.miss]}.",
        ]
        if isinstance(rules, BlobGameRules):
            rounds = " ".join(str(cards) for cards in rules.schedule)
            found.append(f"Rounds of {rounds} cards; trump {', '.join(rules.trumps)} in turn.")
        else:
            found.append(f"One round of {plural(rules.cards, 'card')}; trump {rules.trump}.")
        return found

    def belief(self, found: Belief) -> Group:
        """What the seat sees, and the chance in percent that each holder has each hidden card."""
        seen, seats = found.observation, range(found.rules.seats)
        line = _trump(int(seen.trump))
        if seen.turned >= 0:
            line += Text(", turned up ") + self.card(int(seen.turned))
        if trick := [(seat, int(seen.trick[seat])) for seat in seats if seen.trick[seat] >= 0]:
            line += Text(", in the trick ") + Text(", ").join(
                self.card(number) + f" of seat {seat}" for seat, number in trick
            )
        marginals = found.marginals()
        suits = sorted({number >> 4 for number in marginals.cards}, reverse=True)
        across = 4 if len(marginals.holders) <= 3 else 2  # what fits 80 columns
        blocks = Grid.grid(padding=(0, 2, 1, 0))
        for begin in range(0, len(suits), across):
            blocks.add_row(*(self._suit(marginals, suit) for suit in suits[begin : begin + across]))
        bids = self.table_line(seen)
        top = [Text("hand   ") + self.hand(seen, found.seat), line, *([bids] if bids else [])]
        return Group(*top, Text(), blocks)

    def _suit(self, marginals: Marginals, suit: int) -> Grid:
        grid = Grid(box=None, padding=0, pad_edge=False)
        grid.add_column(justify="right", width=4)
        for holder in marginals.holders:
            grid.add_column("st" if holder == STOCK else f"s{holder}", justify="center", width=4)
        for number in sorted((n for n in marginals.cards if n >> 4 == suit), key=notation.place):
            column = marginals.cards.index(number)
            chances = marginals.chance[:, column]
            grid.add_row(
                self.card(number) + " ", *(shaded(float(p), _BRIGHT[suit]) for p in chances)
            )
        return grid


def _trump(trump: int) -> Text:
    if trump == NO_TRUMP:
        return Text("no trump")
    return Text("trump ") + styled(
        notation.SYMBOLS[trump] + " " + notation.trump_text(trump), _STYLES[trump]
    )


def _dealt(start: tuple[int, ...]) -> Text:
    """The cards of a round and its trump."""
    _, number, _, trump = start
    mark = Text("-") if trump == NO_TRUMP else styled(notation.SYMBOLS[trump], _STYLES[trump])
    return Text(f"{number} ") + mark
