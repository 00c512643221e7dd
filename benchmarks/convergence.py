"""How the error of UNO's particles falls with their number, on small decks where exact is known.

    python benchmarks/convergence.py
    python benchmarks/convergence.py --models rule,keen --numbers 1000,10000 --seeds 5

For each model, histories of random games on ten small decks by players that it fits, cut anywhere.
The error is the total variation between the hands of the particles and those of the exact belief,
averaged over histories and seeds; where particles are right it falls as 1 / sqrt(n), a slope of
-1/2 on logarithmic scales, and where they are not it stops falling.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from random import Random

import numpy as np

from kibitz.arena.simulation import play_out
from kibitz.beliefs import belief
from kibitz.games.uno.estimates import Estimates
from kibitz.games.uno.rules import UnoRules
from kibitz.view import View

DECKS = (
    UnoRules(colours=2, ranks="01+", wilds=1, wild_fours=1, hand_size=2),
    UnoRules(colours=1, ranks="0011SS+", wilds=1, wild_fours=1, hand_size=3),
    UnoRules(colours=2, ranks="01S+", wilds=1, wild_fours=1, hand_size=3, skip="pass"),
    UnoRules(colours=4, ranks="01", wilds=2, wild_fours=0, hand_size=2, skip="pass"),
    UnoRules(colours=2, ranks="0011SR", wilds=0, wild_fours=0, hand_size=3),
    UnoRules(colours=2, ranks="0011S+", wilds=1, wild_fours=1, hand_size=3),
    UnoRules(colours=3, ranks="0112", wilds=2, wild_fours=0, hand_size=4, skip="pass"),
    UnoRules(colours=4, ranks="01+", wilds=2, wild_fours=2, hand_size=3),
    UnoRules(colours=3, ranks="00112", wilds=2, wild_fours=1, hand_size=4),
    UnoRules(colours=2, ranks="0011SSRR++", wilds=0, wild_fours=0, hand_size=3),
)
PLAYERS = {
    "constraints": "random",
    "uniform": "random",
    "rule:temperature=0": "rule",
    "rule": "rule",
    "keen:temperature=0": "keen",
    "keen": "keen",
    "0.5*uniform + 0.5*rule:temperature=1": "rule",
    "0.4*uniform + 0.6*keen:temperature=20": "keen",
}
"""Models, and players that each of them fits."""
NUMBERS = (1_000, 10_000, 100_000)
FEWEST, MOST = 4, 300
"""Hands that are possible: with fewer there is nothing to learn, with more the rare ones are seen
by no particle."""


@dataclass(frozen=True)
class Curve:
    """Mean errors of one model."""

    model: str
    histories: int
    numbers: tuple[int, ...]
    errors: tuple[float, ...]

    @property
    def slope(self) -> float:
        """Of log error over log n: -1/2 if the error falls as 1 / sqrt(n)."""
        found = np.polyfit(np.log(self.numbers), np.log(self.errors), 1)
        return float(found[0])


def histories(model: str, each: int = 1, seed: int = 1) -> Iterator[View]:
    """What a seat saw of random games, `each` for every deck: some cut where a few moves have been
    made and there is something to learn."""
    for place, rules in enumerate(DECKS):
        found = 0
        for index in range(1000):
            choice = Random(f"{seed} {place} {index}")
            table = play_out(rules, [PLAYERS[model]] * 2, seed, index)
            plies = choice.randint(3, 20)
            if table.plies <= plies:
                continue
            table.undo(table.plies - plies)
            view = table.view(choice.randrange(2))
            if FEWEST <= len(_exact(view, model)) <= MOST:
                found += 1
                yield view
            if found == each:
                break


def _exact(view: View, model: str) -> dict[tuple[int, ...], float]:
    """The right distribution; empty if the model calls impossible what was seen."""
    found = belief(view, method="exact", model=model, cache=None)
    assert isinstance(found, Estimates)
    return {} if found.surprises else found.distribution()


def error(view: View, model: str, right: dict[tuple[int, ...], float], n: int, seed: int) -> float:
    """Total variation of n particles from what is right."""
    found = belief(view, method="particles", model=model, n=n, seed=seed, cache=None)
    assert isinstance(found, Estimates)
    said = found.distribution()
    return 0.5 * sum(abs(right.get(hand, 0.0) - said.get(hand, 0.0)) for hand in {*right, *said})


def curve(
    model: str, numbers: Sequence[int] = NUMBERS, seeds: int = 20, each: int = 1, first: int = 1
) -> Curve:
    views = [(view, _exact(view, model)) for view in histories(model, each, first)]
    errors = [
        np.mean([error(view, model, right, n, s) for view, right in views for s in range(seeds)])
        for n in numbers
    ]
    return Curve(model, len(views), tuple(numbers), tuple(map(float, errors)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--models", help="names, separated by commas", default=",".join(PLAYERS))
    parser.add_argument("--numbers", help="of particles", default=",".join(map(str, NUMBERS)))
    parser.add_argument("--seeds", type=int, default=20, help="beliefs of each history")
    parser.add_argument("--each", type=int, default=1, help="histories of each deck")
    parser.add_argument("--first", type=int, default=1, help="seed of the games")
    parser.add_argument("--json", action="store_true")
    said = parser.parse_args()
    models = said.models.split(",")
    if unknown := [name for name in models if name not in PLAYERS]:
        parser.error(f"no model {unknown[0]!r}; there are {', '.join(PLAYERS)}")
    numbers = [int(text) for text in said.numbers.split(",")]
    bad = False
    for name in models:
        found = curve(name, numbers, said.seeds, said.each, said.first)
        bad |= not -0.6 < found.slope < -0.4
        if said.json:
            print(json.dumps({**asdict(found), "slope": found.slope}), flush=True)
        else:
            errors = "  ".join(
                f"{n:,}: {e:.4f}" for n, e in zip(numbers, found.errors, strict=True)
            )
            print(f"{name:40} slope {found.slope:+.2f}   {errors}", flush=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
