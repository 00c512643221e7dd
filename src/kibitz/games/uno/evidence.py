"""UNO: what one seat saw its opponent do, as the kernels take it, and what it proves.

The evidence begins where the hand was last known to be dealt, or known altogether (the deck was
empty), or at the last reshuffle: at most three cards are in the deck then, so the hand is known but
for those. Everything is immutable; adding to it gives a new object.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.games.uno.filter import survey
from kibitz.games.uno.layout import BATCH, HISTORY, PLAY, WILD
from kibitz.games.uno.moves import Times

Words = tuple[np.uint64, np.uint64]
Cards = Counter[int]
NOTHING: Words = (np.uint64(0), np.uint64(0))


@dataclass(frozen=True)
class Evidence:
    pool: Words
    """What was unseen when this evidence began."""
    begin: Cards | None = None
    """The opponent's hand then, nothing before the deal; None if some cards were left in the deck
    at a reshuffle and so nobody knows."""
    earlier: Evidence | None = None
    """What was seen before a reshuffle: of the hand, if it is not known, and of the player."""
    left: int = 0
    """Cards that were in the deck at that beginning."""
    left_pool: Cards | None = None
    """All cards unseen then: the hand and those in the deck."""
    history: NDArray[Any] = field(default_factory=lambda: np.zeros(0, HISTORY))
    mine: tuple[int, ...] = ()
    """Cards that the observer drew since, in order."""
    seen: tuple[NDArray[Any], ...] = ()
    """The observation before each of the opponent's plays, for models that are functions."""
    slots: int = 0
    """How many slots were opened."""

    def _add(self, row: tuple[Any, ...]) -> NDArray[Any]:
        history = np.empty(len(self.history) + 1, HISTORY)
        history[:-1] = self.history
        history[-1] = row
        return history

    def drew(self, number: int, blocked: Any = 0) -> Evidence:
        """The opponent drew, and had nothing of `blocked`."""
        if number == 0:
            return self
        history = self._add((blocked, BATCH, number, 0, 0, 0, 0, 0, NOTHING))
        return self._changed(history=history, slots=self.slots + number)

    def played(self, action: int, before: NDArray[Any]) -> Evidence:
        """The opponent played, in the position that the observer saw `before`."""
        seen: Any = before[0]
        held = seen.held[1 - seen.turn]
        history = self._add(
            (0, PLAY, 0, action, seen.colour, seen.top_rank, 0, held, tuple(seen.pile))
        )
        return self._changed(history=history, seen=(*self.seen, before))

    def _changed(self, **fields: Any) -> Evidence:
        found = Evidence.__new__(Evidence)  # `replace` takes three times as long
        found.__dict__.update(self.__dict__, **fields)
        found.__dict__.pop("survey", None)
        found.__dict__.pop("_timetable", None)
        return found

    def reshuffled(self, unseen: Cards, left: int, pool: Words) -> Evidence:
        """The pile joins the deck, in which `left` of the `unseen` cards were; `pool` is what is
        unseen after it."""
        known = unseen if left == 0 else None
        return Evidence(pool, begin=known, earlier=self, left=left, left_pool=unseen)

    def drew_mine(self, cards: tuple[int, ...]) -> Evidence:
        return self._changed(mine=self.mine + cards)

    def silenced(self) -> Evidence:
        """The same, but the last play that says something about the choice says nothing."""
        loud = np.flatnonzero((self.history["kind"] == PLAY) & (self.history["silent"] == 0))
        if not len(loud) and self.earlier is not None:
            return self._changed(earlier=self.earlier.silenced())
        history = self.history.copy()
        history["silent"][loud[-1]] = 1
        return self._changed(history=history)

    @property
    def silent(self) -> list[bool]:
        """Of each play, whether its choice is left out."""
        return [bool(row["silent"]) for row in self.history if row["kind"] == PLAY]

    @property
    def all_silent(self) -> bool:
        """Whether there is no choice left that says something."""
        loud = (self.history["kind"] == PLAY) & (self.history["silent"] == 0)
        return not loud.any() and (self.earlier is None or self.earlier.all_silent)

    # --- what the kernels take ---

    @cached_property
    def survey(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
        plays = len(self.seen)
        found = (
            np.empty(self.slots, np.uint64),
            np.empty(self.slots, np.int64),
            np.empty(plays, np.int64),
            np.empty(plays, np.uint8),
        )
        survey(self.history, *found)
        return found

    @property
    def blocked(self) -> NDArray[np.uint64]:
        """For each slot the cards that it cannot hold now."""
        return self.survey[0]

    @property
    def times(self) -> Times:
        return Times(*self.survey[:3])

    @property
    def cards(self) -> NDArray[np.uint8]:
        """The card of each of the opponent's plays."""
        return self.survey[3]

    @property
    def mine_array(self) -> NDArray[np.uint8]:
        return np.array(self.mine, np.uint8)

    # --- what is proved ---

    def possible(self, hand: Cards) -> bool:
        """Whether the opponent may hold `hand` now, by the rules alone. The cards must be unseen.

        Each card held or played needs a slot, opened before it left and not before it could be
        there: a card playable at a draw, with nothing pending, came with that draw or later. So
        cards are jobs with release times and deadlines and slots are the machine's hours: taking
        the earliest deadline first finds a schedule if there is one.
        """
        for begin in self._beginnings(hand):
            if self._fits(begin, hand):
                if self.begin is not None or self.earlier is None:
                    return True
                if self.earlier.possible(begin):
                    return True
        return False

    def explained(self, unseen: Cards, held: int) -> bool:
        """Whether there is any hand of `held` of the `unseen` cards that the opponent may hold."""
        tried = set()
        for begin in self._all_beginnings():
            hand = self._easiest(begin, unseen, held)
            if (same := frozenset(hand.items())) in tried:
                continue
            if hand <= unseen and self.possible(hand):
                return True
            tried.add(same)
        return False

    def _all_beginnings(self) -> Iterator[Cards]:
        if self.begin is not None or self.left_pool is None:
            yield self.begin or Counter()
            return
        for deck in set(combinations(sorted(self.left_pool.elements()), self.left)):
            yield self.left_pool - Counter(deck)

    def _easiest(self, begin: Cards, unseen: Cards, held: int) -> Cards:
        """The hand that is possible if any is, after this beginning: what it must still have, and
        then the cards that may have come earliest."""
        batches, played = self._timetable
        must = begin - Counter(card for card, _ in played)
        rest = sorted((unseen - must).elements(), key=lambda card: _release(card, batches))
        return must + Counter(rest[: max(0, held - must.total())])

    def _beginnings(self, hand: Cards) -> Iterator[Cards]:
        """The hands with which this may have begun, if it ends with `hand`."""
        if self.begin is not None or self.left_pool is None:
            yield self.begin or Counter()
            return
        seen = Counter(int(card) for card in self.cards) + hand
        deck = self.left_pool - seen  # never held since: they were in the deck
        short = self.left - deck.total()
        if short < 0:
            return
        rest = sorted((self.left_pool - deck).elements())
        for more in set(combinations(rest, short)):
            yield self.left_pool - deck - Counter(more)

    @cached_property
    def _timetable(self) -> tuple[list[tuple[int, int]], list[tuple[int, tuple[int, int]]]]:
        """Of each batch the number of slots and the cards blocked; of each play the card and
        (deadline, release)."""
        batches: list[tuple[int, int]] = []
        played = []
        cards = iter(self.cards.tolist())
        for blocked, kind, number, *_ in self.history.tolist():
            if kind == BATCH:
                batches.append((number, blocked))
            else:
                card = next(cards)
                played.append((card, (len(batches) - 1, _release(card, batches))))
        return batches, played

    def _fits(self, begin: Cards, hand: Cards) -> bool:
        batches, played = self._timetable
        jobs: dict[int, list[tuple[int, int]]] = {}  # card: (deadline, release) of each copy
        for card, job in played:
            jobs.setdefault(card, []).append(job)
        for card, number in hand.items():
            job = (len(batches) - 1, _release(card, batches))
            jobs.setdefault(card, []).extend([job] * number)
        for card, number in begin.items():  # copies held from the beginning leave first
            todo = jobs.get(card, [])
            if len(todo) < number or any(release >= 0 for _, release in todo[:number]):
                return False
            del todo[:number]
        waiting = sorted(job for todo in jobs.values() for job in todo)
        if len(waiting) != sum(number for number, _ in batches):
            return False
        for batch, (number, _) in enumerate(batches):
            ready = [job for job in waiting if job[1] <= batch][:number]
            if len(ready) < number or ready[0][0] < batch:
                return False
            for job in ready:
                waiting.remove(job)
        return True


def _release(card: int, batches: list[tuple[int, int]]) -> int:
    """The first batch with which a card may have come that is there after the last of `batches`;
    -1 if it may have been there from the beginning."""
    bit = card if card & 15 < WILD else card & 15
    for batch in range(len(batches) - 1, -1, -1):
        if batches[batch][1] >> bit & 1:
            return batch
    return -1
