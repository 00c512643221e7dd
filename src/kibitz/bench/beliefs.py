"""How long a belief takes, and what it holds.

Blob: positions of four players with seven cards, in mid-round, in which somebody has shown a void,
from random play; in one compiled loop, as a search would run them. UNO: every event of games
between rule players, from alternating seats, through the same `update` that everybody calls.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz import contract, rng
from kibitz.arena import play_out
from kibitz.bench.engine import SEED, Meter, clock
from kibitz.bench.kernels import Histories, many_beliefs, many_deals
from kibitz.games import game_of
from kibitz.games.base import Event
from kibitz.games.belief import Options
from kibitz.games.blob.counting import HOLDERS, SPLIT, scratch
from kibitz.games.blob.deals import from_history
from kibitz.games.blob.rules import BlobRules
from kibitz.games.model import model
from kibitz.games.uno.rules import UnoRules
from kibitz.games.uno.stories import Stories

LONGEST = 4 + 4 * 6


class BlobPositions:
    """Rounds so far, as one seat saw each."""

    def __init__(self, number: int) -> None:
        self.rules = BlobRules(players=4, cards=7)
        dtype = game_of(self.rules).dtype
        self.openings = np.zeros(number, dtype)
        self.seats = np.zeros(number, np.int64)
        self.moves = np.zeros((number, LONGEST), np.int64)
        self.lengths = np.zeros(number, np.int64)
        self.seen = np.zeros(1, dtype)
        self.split = np.zeros(1, SPLIT)
        self.scratch = scratch()
        self.chances = np.zeros((HOLDERS, 4))
        index = found = 0
        while found < number:
            found += self._found(index, found)
            index += 1

    def _found(self, index: int, at: int) -> bool:
        """Put a position of game `index` at a place, if somebody has shown a void in it."""
        table = play_out(self.rules, ["random"] * 4, SEED, index)
        moves = [event.action for event in table.events() if event.kind in ("bid", "play")]
        length = 4 + 8 + index % 17  # the bidding and two to six tricks
        self.seats[at], self.lengths[at] = index % 4, length
        self.moves[at, :length] = moves[:length]
        dealt, seat = table.steps()[0].state, index % 4
        contract.observe(self.rules.params, dealt, seat, self.openings[at])
        return bool(self.prepare(at))

    def prepare(self, at: int) -> int:
        """Work out one belief; returns the voids."""
        voids = from_history(
            self.rules.params,
            self.openings[at : at + 1],
            self.seats[at],
            self.moves[at, : self.lengths[at]],
            self.seen,
            self.split[0],
            self.scratch,
            self.chances,
        )
        return int(voids)

    def beliefs(self) -> Meter:
        """Seconds of one belief from a history."""
        histories = Histories(self.openings, self.seats, self.moves, self.lengths)

        def work() -> None:
            many_beliefs(
                self.rules.params, histories, self.seen, self.split, self.scratch, self.chances
            )

        return lambda: clock(work) / len(self.seats)

    def deals(self, n: int) -> Meter:
        """Seconds of one sampled deal, over the positions, the tables built beforehand."""
        ways, _, takes, choices = self.scratch
        hands = np.zeros(HOLDERS, np.uint64)
        generator = rng.generator(SEED)

        def meter() -> float:
            seconds = 0.0
            for at in range(len(self.seats)):
                self.prepare(at)
                began = time.process_time()
                many_deals(self.split, ways, takes, choices, n, generator, hands)
                seconds += time.process_time() - began
            return seconds / (n * len(self.seats))

        return meter


def _uno_games(n: int, games: int) -> Iterator[tuple[Any, int, list[Event]]]:
    """A belief before each game, the seat, and what it will see."""
    rules = UnoRules()
    game = game_of(rules)
    options = Options("particles", model(game.default_model), n, SEED)
    for index in range(games):
        seat = index % 2
        seen = list(play_out(rules, ["rule", "rule"], SEED, index).view(seat).events)
        yield game.belief(rules, seat, options), seat, seen


@dataclass(frozen=True)
class UnoUpdates:
    """What updating UNO beliefs took."""

    seconds: float
    """Of one update, on average over all events."""
    events: int
    recoveries: int


def uno_updates(n: int, games: int) -> UnoUpdates:
    seconds, events, recoveries = 0.0, 0, 0
    for found, _, seen in _uno_games(n, games):
        began = time.process_time()
        for event in seen:
            found = found.update(event)
        seconds += time.process_time() - began
        events += len(seen)
        recoveries += found.recoveries
    return UnoUpdates(seconds / events, events, recoveries)


@dataclass(frozen=True)
class UnoDiversity:
    """What UNO beliefs hold after each of the opponent's moves."""

    stories: float
    """Least share of distinct stories among the particles, while four cards or more are held."""
    hands: float
    """Least share of distinct hands then, where there is room for them (see `ROOM`)."""
    below_half: float
    """Share of these positions with fewer distinct hands than half of n."""
    kilobytes: float
    """Of a belief with ten worlds, the median."""
    most_kilobytes: float


ROOM = 4
"""Bits that the entropy must exceed log2 n by for a particle set to hold n different hands."""


def uno_diversity(n: int, games: int) -> UnoDiversity:
    stories, hands, roomy, sizes = [1.0], [1.0], [1.0], [0.0]
    for found, seat, seen in _uno_games(n, games):
        for event in seen:
            found = found.update(event)
            if event.kind not in ("play", "draw") or event.seat == seat:
                continue
            state = found.hypotheses
            assert isinstance(state, Stories)
            arrays = (state.hand, state.slots, state.like, state.weights, found.sample(10, 1)[0])
            sizes.append(sum(array.nbytes for array in arrays) / 1000)
            if found.held < 4:
                continue
            stories.append(state.distinct() / n)
            hands.append(found.distinct / n)
            if hands[-1] >= 0.5 or found.entropy() > np.log2(n) + ROOM:
                roomy.append(hands[-1])
    return UnoDiversity(
        stories=min(stories),
        hands=min(roomy),
        below_half=float(np.mean(np.array(hands) < 0.5)),
        kilobytes=float(np.median(sizes)),
        most_kilobytes=max(sizes),
    )
