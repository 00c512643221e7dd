"""UNO: a model of the opponent as the belief uses it, whether kernels or a Python function."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.games.model import Model, chance
from kibitz.games.uno.evidence import Evidence
from kibitz.games.uno.hypotheses import (
    SCALE,
    SPREAD,
    Conduct,
    copies,
    fill_tables,
    rejoined,
)
from kibitz.games.uno.kernels import put, take
from kibitz.games.uno.layout import BATCH, RESHUFFLE

Array = NDArray[Any]


class Likelihood:
    """How likely the opponent's choices are."""

    def __init__(self, rules: Any, seat: int, model: Model) -> None:
        self.rules = rules
        self.params = rules.params
        self.opponent = 1 - seat
        self.function = model.function
        self.shares, players = model.arrays
        self.tables = np.zeros((len(players), 2 * SPREAD))
        fill_tables(players, self.tables)
        self._memo: dict[tuple[bytes, int, int], dict[int, float]] = {}

    def conduct(self, history: Array, card_of: Array) -> Conduct:
        return Conduct(self.params, self.shares, self.tables, history, card_of)

    def ask(self, seen: Array, ones: Any, twos: Any, action: int) -> float:
        """What the model's function says of `action` by a hand, in the position `seen`."""
        assert self.function is not None
        key = (seen.tobytes(), int(ones), int(twos))
        found = self._memo.get(key)
        if found is None:
            state = seen.copy()
            state["hand"] = 0
            state["hand"][0, self.opponent] = ones, twos
            found = dict(self.function(self.rules, state[0]))
            if len(self._memo) > 200_000:
                self._memo.clear()
            self._memo[key] = found
        return chance(found, action)

    def judge(self, evidence: Evidence, begins: Array, slots: Array, start: Array) -> Array:
        """Likelihoods of stories by the model's function, one story a row."""
        out = np.array(np.broadcast_to(start, (len(slots), 1)), np.float64)
        for i, row in enumerate(slots):
            begin = begins[i if len(begins) > 1 else 0]
            out[i, 0] *= prod(self._story(evidence, begin, row))
        return out

    def _story(self, evidence: Evidence, begin: Array, row: Array) -> Iterator[float]:
        ones, twos = begin
        slot = play = 0
        for event in evidence.history:
            if event["kind"] == BATCH:
                if ones & event["blocked"]:
                    yield 0.0
                    return
                for value in row[slot : slot + event["number"]]:
                    card = evidence.card_of[value]
                    more = put(ones, twos, np.uint64(1 << int(card)))
                    if more == (ones, twos):  # there are no more copies of it
                        yield 0.0
                        return
                    ones, twos = more
                slot += event["number"]
                continue
            if event["kind"] == RESHUFFLE:
                yield rejoined(event, ones, twos)
                continue
            action = int(event["action"])
            held = copies(ones, twos, action)
            if held == 0:
                yield 0.0
                return
            if not event["silent"]:
                yield self.ask(evidence.seen[play], ones, twos, action)
            yield SCALE / held
            ones, twos = take(ones, twos, np.uint64(1 << action))
            play += 1
