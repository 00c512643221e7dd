"""UNO: what proofs about a hand are made of.

Each card that the opponent held or played is a job with a release (before it, the card cannot have
been there) and a deadline; the slots of its hand are the hours of a machine. `evidence` makes the
schedules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

from kibitz.games.uno.layout import WILD

Cards = Counter[int]
NO_CARDS: Cards = Counter()


class TooMuch(Exception):
    """More was to be tried than may be."""


class Tries:
    """How many beginnings of a hand may still be tried."""

    def __init__(self, number: int) -> None:
        self.left = number

    def take(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooMuch


def choices(cards: Cards, number: int, choice: Random | None = None) -> Iterator[Cards]:
    """Every choice of so many cards, at random if there is a `choice`; like copies are not told
    apart."""
    if choice is not None:
        found = list(choices(cards, number))
        choice.shuffle(found)
        yield from found
        return
    if number == 0:
        yield Counter()
        return
    kinds = sorted(cards)
    for k, card in enumerate(kinds):
        rest = Counter({other: cards[other] for other in kinds[k + 1 :]})
        for copies in range(1, min(number, cards[card]) + 1):
            for more in choices(rest, number - copies):
                yield more + Counter({card: copies})


class Releases(dict[int, int]):
    """By card: `release` at the end, worked out when it is asked for."""

    def __init__(self, batches: list[tuple[int, int]]) -> None:
        self.batches = batches

    def __missing__(self, card: int) -> int:
        found = self[card] = release(card, self.batches)
        return found


def release(card: int, batches: list[tuple[int, int]]) -> int:
    """The first batch with which a card may have come that is there after the last of `batches`;
    -1 if it may have been there from the beginning."""
    bit = card if card & 15 < WILD else card & 15
    for batch in range(len(batches) - 1, -1, -1):
        if batches[batch][1] >> bit & 1:
            return batch
    return -1
