"""UNO: what one seat saw its opponent do, as the kernels take it, and what it proves.

The evidence begins where the hand was last known to be dealt, or known altogether (the deck was
empty), or at the last reshuffle: at most three cards are in the deck then, so the hand is known but
for those. What came before is kept as `earlier`, and stories tell it too (`whole`), so that those
cards can still change places. Everything is immutable; adding to it gives a new object.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.games.uno.filter import survey
from kibitz.games.uno.game import set_words
from kibitz.games.uno.kernels import minus
from kibitz.games.uno.layout import (
    BATCH,
    COLOURED,
    EMPTIED_BY,
    HISTORY,
    PLAY,
    RESHUFFLE,
    WILD,
    WILD_FOUR,
    WILD_FOURS,
    WILDS,
)
from kibitz.games.uno.moves import Times
from kibitz.games.uno.schedule import NO_CARDS, Cards, Releases, Tries, choices, release

Words = tuple[np.uint64, np.uint64]
Way = tuple[Cards, list[int]]
"""One way in which things can have happened: with what the hand began, and the slots."""
Draws = tuple[tuple[int, int], ...]
"""The opponent's last draws in a position that was told: how many cards, and those of which the
hand had none then. It has played nothing since the first of them, so its hand is what it held
before, then what each draw brought. What is unseen now is all that these slots can hold: what I
drew meanwhile was in the deck all the time, and says nothing of the rest."""
EXPLANATIONS = 16
NOTHING: Words = (np.uint64(0), np.uint64(0))
MOST_PLAYS = 80
"""Of the opponent before a reshuffle, for stories that go on across it: plays are numbered in one
byte, beside the cards, and there may be as many as the deck has cards until the next."""


def drawn_in(draws: Draws) -> int:
    return sum(number for number, _ in draws)


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

    @classmethod
    def of(cls, pool: Words, held: int, draws: Draws) -> Evidence:
        """Of an opponent that holds `held` cards before the first move that a belief follows."""
        found = cls(pool).drew(held - drawn_in(draws))
        for number, blocked in draws:
            found = found.drew(number, np.uint64(blocked))
        return found

    def _add(self, row: tuple[Any, ...]) -> NDArray[Any]:
        size = (len(self.history) + 1) * HISTORY.itemsize
        room = bytearray(self.history.tobytes().ljust(size))  # numpy copies field by field
        history = np.ndarray(len(self.history) + 1, HISTORY, room)
        history[-1] = row
        return history

    def drew(self, number: int, blocked: Any = 0) -> Evidence:
        """The opponent drew, and had nothing of `blocked`."""
        if number == 0:
            return self
        history = self._add((blocked, BATCH, number, 0, 0, 0, 0, 0, NOTHING, NOTHING))
        return self._changed(history=history, slots=self.slots + number)

    def played(self, action: int, before: NDArray[Any]) -> Evidence:
        """The opponent played, in the position that the observer saw `before`."""
        # the fields of an array are read ten times as fast as those of its record
        colour, rank, turn = before["colour"][0], before["top_rank"][0], before["turn"][0]
        held, pile = before["held"][0, 1 - turn], tuple(before["pile"][0].tolist())
        history = self._add((0, PLAY, 0, action, colour, rank, 0, held, pile, NOTHING))
        return self._changed(history=history, seen=(*self.seen, before))

    def _changed(self, **fields: Any) -> Evidence:
        found = Evidence.__new__(Evidence)  # `replace` takes three times as long
        found.__dict__.update(self.__dict__, **fields)
        for name in ("survey", "whole", "_timetable", "_releases", "_played"):
            found.__dict__.pop(name, None)
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

    @property
    def told_before(self) -> Evidence | None:
        """What came before a reshuffle that left cards in the deck, if stories still tell it."""
        before = self.earlier
        known = self.begin is not None or before is None or len(before.seen) > MOST_PLAYS
        return None if known else before

    @cached_property
    def whole(self) -> Evidence:
        """What stories tell, as one: this, and what came before if that left cards in the deck."""
        before = self.told_before
        if before is None:
            return self
        return Evidence(
            before.pool,
            before.begin,
            before.earlier,
            before.left,
            before.left_pool,
            np.concatenate([before.history, self._reshuffle, self.history]),
            before.mine + self.mine,
            before.seen + self.seen,
            before.slots + self.slots,
        )

    @cached_property
    def _reshuffle(self) -> NDArray[Any]:
        """The reshuffle with which this begins, as a row of the history."""
        assert self.left_pool is not None
        unseen, joining = np.zeros(2, np.uint64), np.zeros(2, np.uint64)
        set_words(unseen, self.left_pool.elements())
        joining[:] = minus(*self.pool, *unseen)
        gone = int(COLOURED | WILDS | WILD_FOURS)
        for card in self.left_pool:
            gone &= ~int({WILD: WILDS, WILD_FOUR: WILD_FOURS}.get(card, 1 << card))
        row = np.zeros(1, HISTORY)
        row[0] = (gone, RESHUFFLE, 0, 0, 0, 0, 0, 0, tuple(joining), tuple(unseen))
        return row

    @cached_property
    def survey(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
        plays = len(self.seen)
        found = (
            np.empty(self.slots, np.uint64),
            np.empty(self.slots, np.int64),
            np.empty(plays, np.int64),
            np.empty(EMPTIED_BY + plays, np.uint8),
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
        return self.card_of[EMPTIED_BY:]

    @property
    def card_of(self) -> NDArray[np.uint8]:
        """The card that the content of a slot stands for: itself, or that of the play."""
        return self.survey[3]

    @property
    def mine_array(self) -> NDArray[np.uint8]:
        return np.array(self.mine, np.uint8)

    # --- what is proved ---

    def possible(self, hand: Cards, tries: Tries | None = None) -> bool:
        """Whether the opponent may hold `hand` now, by the rules alone. The cards must be unseen.

        Each card held or played needs a slot, opened before it left and not before it could be
        there: a card playable at a draw, with nothing pending, came with that draw or later. So
        cards are jobs with release times and deadlines and slots are the machine's hours: taking
        the earliest deadline first finds a schedule if there is one.
        """
        for begin in self._beginnings(hand):
            if tries is not None:
                tries.take()
            if self._fits(begin, hand):
                if self.begin is not None or self.earlier is None:
                    return True
                if self.earlier.possible(begin, tries):
                    return True
        return False

    def explained(
        self, unseen: Cards, held: int, must: Cards = NO_CARDS, tries: Tries | None = None
    ) -> bool:
        """Whether there is any hand of `held` of the `unseen` cards, `must` among them, that the
        opponent may hold. `tries`: how much may be tried; `TooMuch` is raised beyond that."""
        if not must <= unseen:
            return False
        tried = set()
        for begin in self._all_beginnings(unseen):
            if tries is not None:
                tries.take()
            hand = self._easiest(begin, unseen, held, must)
            if (same := frozenset(hand.items())) in tried:
                continue
            if hand.total() == held and hand <= unseen and self.possible(hand, tries):
                return True
            tried.add(same)
        return False

    def likeness(self, card: int) -> Hashable:
        """Cards of one likeness, with as many copies unseen, are possible in the same hands: one
        may stand for the other in all that was seen."""
        if card in self._played or (self.begin and card in self.begin):
            return card
        found: Hashable = self._releases[card]
        if self.begin is None and self.left_pool is not None and self.earlier is not None:
            found = found, self.left_pool[card], self.earlier.likeness(card)
        return found

    def _all_beginnings(self, unseen: Cards, choice: Random | None = None) -> Iterator[Cards]:
        """The hands with which this may have begun, in any order, or in one of choice."""
        if self.begin is not None or self.left_pool is None:
            yield self.begin or Counter()
            return
        # neither unseen now nor played by the opponent since: the observer drew them
        deck = self.left_pool - unseen - Counter(self.cards.tolist())
        rest = self.left_pool - deck
        if deck.total() > self.left:
            return
        for more in choices(rest, self.left - deck.total(), choice):
            yield rest - more

    def _easiest(self, begin: Cards, unseen: Cards, held: int, must: Cards) -> Cards:
        """The hand that is possible if any is, after this beginning: what it must have, and then
        the cards that may have come earliest."""
        must = must | begin - self._played
        rest = sorted((unseen - must).elements(), key=self._releases.__getitem__)
        return must + Counter(rest[: max(0, held - must.total())])

    def _beginnings(self, hand: Cards, choice: Random | None = None) -> Iterator[Cards]:
        """The hands with which this may have begun, if it ends with `hand`."""
        if self.begin is not None or self.left_pool is None:
            yield self.begin or Counter()
            return
        seen = Counter(int(card) for card in self.cards) + hand
        deck = self.left_pool - seen  # never held since: they were in the deck
        short = self.left - deck.total()
        if short < 0:
            return
        rest = self.left_pool - deck
        for more in choices(rest, short, choice):
            yield rest - more

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
                played.append((card, (len(batches) - 1, release(card, batches))))
        return batches, played

    @cached_property
    def _releases(self) -> Releases:
        return Releases(self._timetable[0])

    @cached_property
    def _played(self) -> Cards:
        return Counter(card for card, _ in self._timetable[1])

    def _fits(self, begin: Cards, hand: Cards) -> bool:
        return self._schedule(begin, hand) is not None

    def _schedule(self, begin: Cards, hand: Cards) -> list[int] | None:
        """What each slot holds, or which play emptied it, if the opponent began with `begin` and
        ends with `hand`: one way of it, or None if there is none."""
        batches, played = self._timetable
        jobs: dict[int, list[tuple[int, int, int]]] = {}  # card: deadline, release, what for
        for play, (card, job) in enumerate(played):
            jobs.setdefault(card, []).append((*job, EMPTIED_BY + play))
        for card, number in hand.items():
            last = (len(batches) - 1, self._releases[card], card)
            jobs.setdefault(card, []).extend([last] * number)
        for card, number in begin.items():  # copies held from the beginning leave first
            todo = jobs.get(card, [])
            if len(todo) < number or any(release >= 0 for _, release, _ in todo[:number]):
                return None
            del todo[:number]
        waiting = sorted(job for todo in jobs.values() for job in todo)
        if len(waiting) != sum(number for number, _ in batches):
            return None
        found = []
        for batch, (number, _) in enumerate(batches):
            ready = [task for task in waiting if task[1] <= batch][:number]
            if len(ready) < number or (ready and ready[0][0] < batch):
                return None
            for task in ready:
                waiting.remove(task)
                found.append(task[2])
        return found

    def explanations(self, unseen: Cards, held: int) -> list[Way]:
        """Some ways in which all this can have happened, if the opponent now holds `held` of the
        `unseen` cards; none only if it cannot have happened."""
        found: dict[tuple[int, ...], Way] = {}
        choice = Random(len(self.history))
        failed: set[Hashable] = set()
        for _ in range(EXPLANATIONS):
            way = self._explanation(unseen, held, choice, failed)
            if way is None:
                return []
            found[(*sorted(way[0].elements()), -1, *way[1])] = way
        return list(found.values())

    def _explanation(
        self, unseen: Cards, held: int, choice: Random, failed: set[Hashable]
    ) -> Way | None:
        """One of them; where there are several beginnings, `choice` takes one. Thousands of them
        lead to few hands, so those for which there is none are noted in `failed`."""
        for first in self._all_beginnings(unseen, choice):
            hand = self._easiest(first, unseen, held, NO_CARDS)
            if not hand <= unseen or (same := frozenset(hand.items())) in failed:
                continue
            found = self._explanation_of(hand, choice)
            if found is None:
                failed.add(same)
                continue
            begin, own = found
            before = self.told_before
            if before is None:
                return found
            earlier = before._explanation_of(begin, choice)
            assert earlier is not None  # else there would be none of this
            return earlier[0], self._joined(*earlier, own)
        return None

    def _explanation_of(self, hand: Cards, choice: Random) -> Way | None:
        """The same of this alone, if it ends with `hand`."""
        for begin in self._beginnings(hand, choice):
            slots = self._schedule(begin, hand)
            if slots is not None:
                before = None if self.begin is not None else self.earlier
                if before is None or before.possible(begin):
                    return begin, slots
        return None

    def _joined(self, first: Cards, slots: list[int], own: list[int]) -> list[int]:
        """The slots of what came before and these as one: a play of a card that was there at the
        reshuffle has emptied one of the first."""
        before = self.told_before
        assert before is not None
        plays = len(before.seen)
        found = slots + [s + plays if s >= EMPTIED_BY else s for s in own]
        for play, card in enumerate(self.cards.tolist(), EMPTIED_BY + plays):
            if play not in found and card in found[: len(slots)]:
                found[found.index(card)] = play
        return found
