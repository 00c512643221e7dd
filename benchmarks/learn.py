"""How the keen player of Blob was taught: by the values that a search finds.

Positions are taken from games of a search, and each of their actions is valued by a longer one. The
keen player likes an action by a weighed sum of what can be counted; its weights are those for
which the actions it would choose, each with a chance of e^score, are worth most. Then the search
plays games out by the better player, takes the others for it, and teaches again, from other deals.
"""

from __future__ import annotations

import argparse
import textwrap
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz import api, rng
from kibitz.contract import ACTIONS
from kibitz.games.base import Rules
from kibitz.games.blob import keen

LEARNT = Path(keen.__file__).parent / "learnt.py"
PLAYER = "pomcp:keep=0,sims=60,others=keen,priors=keen,belief=counting"
TEACHER = "pomcp:keep=0,sims=2000,explore=3,others=keen,particles=150"
TAUGHT, SLIPS = 0.5, 0.3
"""Share of decisions that are valued, and of those after which any action is played, so that what
bad ones lead to is known, too."""

Array = NDArray[Any]
Position = tuple[Array, Rules, dict[int, float]]
"""What a seat sees, by which rules, and the value of each of its actions."""


def table_for(source: np.random.Generator) -> Rules:
    """Rules to play a round by."""
    players = int(source.choice([2, 3, 3, 3, 4, 4, 4, 5, 5, 6, 7, 8]))
    cards = int(source.choice([1, 2, 3, 3, 4, 5, 5, 6, 7, 7, 8, 9, 10]))
    trump = str(source.choice(["turned", "turned", "random"]))
    miss = str(source.choice(["penalty", "penalty", "tricks", "zero"]))
    return api.rules(
        "blob", players=players, cards=min(cards, 50 // players), trump=trump, miss=miss
    )


def gather(seed: int, seconds: float) -> list[Position]:
    """Play for so long, and value what comes up."""
    player, teacher = api.agent(PLAYER, "blob"), api.agent(TEACHER, "blob")
    found = []
    until = time.monotonic() + seconds
    number = 0
    while time.monotonic() < until:
        number += 1
        source = np.random.default_rng([seed, number])
        table = api.Table(table_for(source), seed=seed, index=number)
        numbers = rng.generator(seed, number, stream=1)
        while not table.over:
            view = table.view(table.to_act)
            taught = len(view.actions) > 1 and source.random() < TAUGHT
            decision = (teacher if taught else player).decide(view, numbers)
            action = decision.action
            if taught:
                values = {move.action: move.value for move in decision.moves}
                found.append((view.observation.copy(), view.rules, values))
                if source.random() < SLIPS:
                    action = int(source.choice(view.actions))
            table.play(action)
    return found


@dataclass(frozen=True)
class Choices:
    """All actions of all positions, one after another: what is counted, values, and where each
    position begins."""

    counts: Array
    values: Array
    first: Array

    @classmethod
    def of(cls, positions: list[Position]) -> Choices:
        """Scores are linear in the weights: what is counted is the score for each weight alone."""
        units = np.eye(len(keen.WEIGHTS))
        scores = np.zeros(ACTIONS)
        counts, values, first = [], [], [0]
        for observation, rules, worth in positions:
            actions = list(worth)
            here = np.zeros((len(actions), len(units)))
            for k, unit in enumerate(units):
                keen.weighed_scores(rules.params, observation, unit, scores)
                here[:, k] = scores[actions]
            counts.append(here)
            values.extend(worth.values())
            first.append(first[-1] + len(actions))
        return cls(np.concatenate(counts), np.array(values), np.array(first[:-1]))

    def each(self, by_position: Array) -> Array:
        """What positions have, for each of their actions."""
        return np.repeat(by_position, np.diff(np.append(self.first, len(self.values))))

    def chances(self, weights: Array) -> Array:
        scores = self.counts @ weights
        raised = np.exp(scores - self.each(np.maximum.reduceat(scores, self.first)))
        return raised / self.each(np.add.reduceat(raised, self.first))

    def lost(self, weights: Array) -> float:
        """Points that the action liked best is behind the one worth most, on average."""
        scores = self.counts @ weights
        best = (scores >= self.each(np.maximum.reduceat(scores, self.first)) - 1e-9).astype(float)
        got = np.add.reduceat(best * self.values, self.first) / np.add.reduceat(best, self.first)
        return float(np.mean(np.maximum.reduceat(self.values, self.first) - got))


def learn(
    choices: Choices, start: Array, steps: int = 1000, rate: float = 0.02, decay: float = 1e-4
) -> Array:
    """Weights for which the chosen actions are worth most on average, by Adam; they are drawn to
    `start`, which was learnt from other positions."""
    spread = choices.counts.std(axis=0) + 1e-6
    scaled = Choices(choices.counts / spread, choices.values, choices.first)
    start = start * spread
    weights, mean, square = start, np.zeros(len(spread)), np.zeros(len(spread))
    for step in range(1, steps + 1):
        chances = scaled.chances(weights)
        worth = np.add.reduceat(chances * scaled.values, scaled.first)
        better = chances * (scaled.values - scaled.each(worth))
        slope = -(scaled.counts.T @ better) / len(scaled.first) + decay * (weights - start)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        moved = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        weights = weights - rate * moved
    return weights / spread


def write(weights: Array) -> None:
    """Make these the keen player's."""
    lines = []
    at = 0
    for name, size in keen.ROWS:
        row = ", ".join(f"{round(weight, 2) + 0:g}" for weight in weights[at : at + size])
        lines += [f"    # {name}", textwrap.indent(textwrap.fill(f"{row},", 95), "    ")]
        at += size
    text = [
        '"""Blob: the weights of the keen player, as benchmarks/learn.py wrote them."""',
        "", "import numpy as np", "", "# fmt: off", "WEIGHTS = np.array([", *lines, "])", "",
    ]  # fmt: skip
    LEARNT.write_text("\n".join(text))


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--seconds", type=float, default=300, help="of gathering positions")
    ask.add_argument("--jobs", type=int, default=2, help="processes that gather")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--write", action="store_true", help="make what is learnt the keen player's")
    said = ask.parse_args()
    with ProcessPoolExecutor(said.jobs) as pool:
        seeds = [said.seed * 1000 + job for job in range(said.jobs)]
        parts = pool.map(gather, seeds, [said.seconds] * said.jobs)
        positions = [position for part in parts for position in part]
    order = np.random.default_rng(said.seed).permutation(len(positions))
    fifth = len(positions) // 5
    known = Choices.of([positions[k] for k in order[fifth:]])
    fresh = Choices.of([positions[k] for k in order[:fifth]])
    weights = learn(known, keen.WEIGHTS)
    print(f"{len(positions):,} positions; points lost in one,")
    print(f"  by any action:      {fresh.lost(np.zeros(len(weights))):.3f}")
    print(f"  by keen as it was:  {fresh.lost(keen.WEIGHTS):.3f}")
    print(
        f"  as it has learnt:   {fresh.lost(weights):.3f} ({known.lost(weights):.3f} where it did)"
    )
    if said.write:
        write(weights)


if __name__ == "__main__":
    main()
