"""How much was missing after each move: the entropy of a belief over a game, worked out move by
move, so that it can be watched and go on when more has happened."""

from __future__ import annotations

import threading

from kibitz.beliefs import Belief, Source, read_options
from kibitz.games import game_of

Point = tuple[int, float]
"""A ply, and the bits missing after it."""


class Story:
    """Beliefs of one seat, from the deal on. `step` works out one move more."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.history: list[Point] = []
        self.belief: Belief | None = None
        """After the moves worked out so far."""
        self._at = 0
        self._one = threading.Lock()  # two may ask for the same story at a time

    def go_on(self, source: Source) -> Story:
        """The story of a game that went on from this one, or of another from its beginning."""
        with self._one:
            known = tuple(self.source.events[: self._at])
            if source.rules != self.source.rules or tuple(source.events[: self._at]) != known:
                return Story(source)
            self.source = source
            return self

    def step(self) -> bool:
        """Work out one move more; False when all are."""
        with self._one:
            return self._step()

    def _step(self) -> bool:
        game, source = game_of(self.source.rules), self.source
        events = source.events
        if self._at >= len(events):
            return False
        if self.belief is None:
            self.belief = game.belief(source.rules, source.seat, read_options(source.rules))
        found = self.belief
        while self._at < len(events):
            found = found.update(events[self._at])
            self._at += 1
            if self._at < len(events) and game.action_of(events[self._at]) is not None:
                break
        self.belief = found
        self.history.append((len(self.history), found.entropy()))
        return self._at < len(events)
