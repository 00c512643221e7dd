"""Blob on a terminal. Every card shows the symbol of its suit, so nothing depends on colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from kibitz.games.base import Event, State
from kibitz.games.belief import STOCK, Belief, Marginals
from kibitz.games.blob import notation
from kibitz.games.blob.layout import NO_TRUMP, PLAYING, RANKS
from kibitz.games.render import shaded, styled

_STYLES = ("bold green3", "bold orange1", "bold red1", "bold bright_blue")
_BRIGHT = ("#00d700", "#ffaf00", "#ff5f5f", "#5f87ff")


def card(number: int) -> Text:
    suit = number >> 4
    rank = RANKS[number & 15].replace("T", "10")
    return styled(rank + notation.SYMBOLS[suit], _STYLES[suit])


def cards(numbers: Iterable[int]) -> Text:
    return Text(" ").join(card(number) for number in sorted(numbers, key=notation.place))


def hand(state: State, seat: int) -> Text:
    """A hand, or its size if the cards are not in `state`."""
    held = notation.cards_of(state.hand[seat])
    left = int(state.left) - (state.trick[seat] >= 0)
    return cards(held) if held or not left else Text(f"{left} cards")


def table_line(state: State) -> Text:
    """What lies on the table."""
    if state.phase != PLAYING:
        return Text()
    score = " ".join(
        f"{won}/{bid}" for won, bid in zip(state.won, state.bid, strict=True) if bid >= 0
    )
    return Text(f"won/bid {score}", "dim")


def _trump(trump: int) -> Text:
    if trump == NO_TRUMP:
        return Text("no trump")
    return Text("trump ") + styled(
        notation.SYMBOLS[trump] + " " + notation.trump_text(trump), _STYLES[trump]
    )


def _scores(happened: Event, names: Sequence[str]) -> Text:
    return Text(", ").join(
        Text(f"{name} {value}") for name, value in zip(names, happened.values, strict=True)
    )


def event(happened: Event, names: Sequence[str]) -> Text:
    who = styled(names[happened.seat], "bold") if happened.seat >= 0 else Text()
    match happened.kind:
        case "round":
            index, number, dealer, trump = happened.values
            line = styled(f"Round {index + 1}: {number} card" + ("s" if number > 1 else ""), "bold")
            line += Text(f", {names[dealer]} deals, ") + _trump(trump)
            return line + (Text(", turned up ") + card(happened.cards[0]) if happened.cards else "")
        case "deal":
            shown = cards(happened.cards) if happened.cards else Text(f"{happened.number} cards")
            return who + " is dealt " + shown
        case "bid":
            return who + f" bids {happened.action}"
        case "play":
            return who + " plays " + card(happened.action)
        case "trick":
            return who + " takes the trick"
        case "score":
            return Text("points: ") + _scores(happened, names)
    best = max(happened.values)
    winners = [name for name, v in zip(names, happened.values, strict=True) if v == best]
    verb = " wins: " if len(winners) == 1 else " share it: "
    return styled(" and ".join(winners), "bold green") + verb + _scores(happened, names)


def belief(found: Belief) -> Group:
    """What the seat sees, and the chance in percent that each holder has each hidden card."""
    seen, seats = found.observation, range(found.rules.seats)
    line = _trump(int(seen.trump))
    if seen.turned >= 0:
        line += Text(", turned up ") + card(int(seen.turned))
    if trick := [(seat, int(seen.trick[seat])) for seat in seats if seen.trick[seat] >= 0]:
        line += Text(", in the trick ") + Text(", ").join(
            card(number) + f" of seat {seat}" for seat, number in trick
        )
    marginals = found.marginals()
    suits = sorted({number >> 4 for number in marginals.cards}, reverse=True)
    across = 4 if len(marginals.holders) <= 3 else 2  # what fits 80 columns
    blocks = Grid.grid(padding=(0, 2, 1, 0))
    for begin in range(0, len(suits), across):
        blocks.add_row(*(_suit(marginals, suit) for suit in suits[begin : begin + across]))
    bids = table_line(seen)
    top = [Text("hand   ") + hand(seen, found.seat), line, *([bids] if bids else [])]
    return Group(*top, Text(), blocks)


def _suit(marginals: Marginals, suit: int) -> Grid:
    grid = Grid(box=None, padding=0, pad_edge=False)
    grid.add_column(justify="right", width=4)
    for holder in marginals.holders:
        grid.add_column("st" if holder == STOCK else f"s{holder}", justify="center", width=4)
    for number in sorted((n for n in marginals.cards if n >> 4 == suit), key=notation.place):
        column = marginals.cards.index(number)
        chances = marginals.chance[:, column]
        grid.add_row(card(number) + " ", *(shaded(float(p), _BRIGHT[suit]) for p in chances))
    return grid
