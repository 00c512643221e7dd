"""A bounded cache of beliefs, by everything the seat has seen.

The tempting key (hand, sizes, pile, top card) is wrong: two histories can agree in all of it and
differ in the colours on which the opponent had to draw, and then their beliefs differ. So the key
is the whole history, as one digest that grows with it: the next move of a game finds the belief
before it, and costs one update.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence

from kibitz.games import game_of
from kibitz.games.base import Event, Rules
from kibitz.games.belief import Belief, Options


class BeliefCache:
    """Keeps the `size` beliefs that were used last. Safe to use from several threads."""

    def __init__(self, size: int = 64) -> None:
        self.size = size
        self.hits = 0
        """Events that did not have to be worked out again."""
        self.misses = 0
        """Events that had to be worked out."""
        self._kept: OrderedDict[tuple[object, ...], Belief] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()

    def belief(self, rules: Rules, seat: int, options: Options, events: Sequence[Event]) -> Belief:
        """The belief after `events`, from the longest beginning of them that is kept."""
        digest = hashlib.blake2b(digest_size=16)
        keys = []
        for event in events:
            digest.update(repr(tuple(event)).encode())
            keys.append((rules, seat, options, digest.digest()))
        found = None
        known = len(events)
        with self._lock:
            while known and found is None:
                known -= 1
                if (found := self._kept.get(keys[known])) is not None:
                    self._kept.move_to_end(keys[known])
                    known += 1
            self.hits += known
            self.misses += len(events) - known
        if found is None:
            found = game_of(rules).belief(rules, seat, options)
        for event in events[known:]:
            found = found.update(event)
        if events:
            with self._lock:
                self._kept[keys[-1]] = found
                self._kept.move_to_end(keys[-1])
                while len(self._kept) > self.size:
                    self._kept.popitem(last=False)
        return found


CACHE = BeliefCache()
"""What `kibitz.belief` uses unless told otherwise."""
