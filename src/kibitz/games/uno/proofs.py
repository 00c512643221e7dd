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

from kibitz.games.uno.evidence import NO_CARDS, Cards, Evidence, TooMuch, Tries
from kibitz.games.uno.layout import COLOURED, WILD, WILD_FOUR, WILD_FOURS, WILDS

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
        bit, unseen = np.uint64(1 << card), self.unseen
        one, every = Counter([card]), Counter({card: unseen[card]})
        hand = deck = None
        if not self._hand[0] & bit and not self._may(unseen, one):
            hand = 0.0
        elif self._hand[1] & bit and not self._may(unseen - every):
            hand = 1.0
        if not self._deck[0] & bit and not self._may(unseen - one):
            deck = 0.0
        elif self._deck[1] & bit and not self._may(unseen, every):
            deck = 1.0
        return hand, deck

    def of_any(self, cards: Any) -> float | None:
        """The same of the opponent having one of `cards`, given as bits of the first word."""
        with_it = (self._ones & np.uint64(cards)) != 0
        wanted = Counter({card: n for card, n in self.unseen.items() if int(cards) >> card & 1})
        if with_it.all() and not self._may(self.unseen - wanted):
            return 1.0
        if with_it.any() or any(self._may(self.unseen, Counter([card])) for card in wanted):
            return None
        return 0.0

    def _may(self, unseen: Cards, must: Cards = NO_CARDS) -> bool:
        """Whether the rules allow a hand of these `unseen` cards alone, with those that it must
        have. One card is asked for all that are like it."""
        changed = must or self.unseen - unseen
        key: Any = bool(must), frozenset(changed.items())
        if len(changed) == 1:
            card, number = next(iter(changed.items()))
            key = bool(must), number, self.unseen[card], self.evidence.likeness(card)
        if key not in self._asked:
            try:
                tries = Tries(MOST_TRIES)
                self._asked[key] = self.evidence.explained(unseen, self.held, must, tries)
            except TooMuch:
                self._asked[key] = True
        return self._asked[key]


def _kinds(words: Words) -> tuple[Any, Any]:
    """The cards, as bits by number, that some of these multisets have, and those that all have."""
    ones = words[:, 0]
    kinds = ones & COLOURED
    for card, column in ((WILD, WILDS), (WILD_FOUR, WILD_FOURS)):
        kinds |= np.where(ones & column, np.uint64(1 << card), np.uint64(0))
    return np.bitwise_or.reduce(kinds), np.bitwise_and.reduce(kinds)
