"""UNO: what the rules prove of the opponent's hand, whatever a model or a sample says.

Something is proved if it is so in every hand that fits what was seen. That costs a search for a
hand (`Evidence.explained`), so it is asked only where all hypotheses agree: they keep to the rules,
and one that differs is such a hand.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.games.uno.evidence import Evidence
from kibitz.games.uno.layout import COLOURED, WILD, WILD_FOUR, WILD_FOURS, WILDS
from kibitz.games.uno.schedule import NO_CARDS, Cards, TooMuch, Tries

Words = NDArray[np.uint64]
MOST_TRIES = 100
"""Hands at the last reshuffles that are tried for a proof; small decks need twenty at most, and the
full deck two. Beyond that nothing is proved."""


class Proofs:
    def __init__(
        self, evidence: Evidence, unseen: Cards, held: int, hands: Words, decks: Words
    ) -> None:
        """`hands` and `decks`: those of all hypotheses with any weight."""
        self.evidence, self.unseen, self.held = evidence, unseen, held
        self._ones = hands[:, 0]
        self._hand, self._deck = _kinds(hands), _kinds(decks)
        self._asked: dict[Any, bool] = {}

    def of_card(self, card: int) -> tuple[float | None, float | None]:
        """Whether the opponent has a copy, and whether the deck has: 0 or 1, None if neither is
        proved."""
        bit, every = 1 << card, self.unseen[card]
        hand = deck = None
        if not self._hand[0] & bit and not self._may_have(card, 1):
            hand = 0.0
        elif self._hand[1] & bit and not self._may_lack(card, every):
            hand = 1.0
        if not self._deck[0] & bit and not self._may_lack(card, 1):
            deck = 0.0
        elif self._deck[1] & bit and not self._may_have(card, every):
            deck = 1.0
        return hand, deck

    def of_any(self, cards: Any) -> float | None:
        """The same of the opponent having one of `cards`, given as bits of the first word."""
        with_it = (self._ones & np.uint64(cards)) != 0
        wanted = Counter({card: n for card, n in self.unseen.items() if int(cards) >> card & 1})
        if with_it.all() and not self._may(self.unseen - wanted):
            return 1.0
        if with_it.any() or any(self._may_have(card, 1) for card in wanted):
            return None
        return 0.0

    def _may_have(self, card: int, number: int) -> bool:
        """Whether the opponent may have so many copies of a card."""
        return self._alike(card, number, have=True)

    def _may_lack(self, card: int, number: int) -> bool:
        """Whether it may be that the opponent does not have so many of the copies unseen."""
        return self._alike(card, number, have=False)

    def _alike(self, card: int, number: int, have: bool) -> bool:
        """One card is asked for all that are like it."""
        key = have, number, self.unseen[card], self.evidence.likeness(card)
        if key not in self._asked:
            copies = Counter({card: number})
            self._asked[key] = (
                self._may(self.unseen, copies) if have else self._may(self.unseen - copies)
            )
        return self._asked[key]

    def _may(self, unseen: Cards, must: Cards = NO_CARDS) -> bool:
        """Whether the rules allow a hand of these `unseen` cards alone, with those that it must
        have."""
        try:
            return self.evidence.explained(unseen, self.held, must, Tries(MOST_TRIES))
        except TooMuch:
            return True


def _kinds(words: Words) -> tuple[int, int]:
    """The cards, as bits by number, that some of these multisets have, and those that all have."""
    ones = words[:, 0]
    kinds = ones & COLOURED
    for card, column in ((WILD, WILDS), (WILD_FOUR, WILD_FOURS)):
        kinds |= np.where(ones & column, np.uint64(1 << card), np.uint64(0))
    return int(np.bitwise_or.reduce(kinds)), int(np.bitwise_and.reduce(kinds))
