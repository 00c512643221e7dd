"""Whether the errors that `kibitz calibrate` gives hold for all bins of a table at once: on made-up
forecasts that are right, but hang together within a game."""

from __future__ import annotations

import argparse
from statistics import NormalDist

import numpy as np

from kibitz.arena.scores import Tally, question

NORMAL = NormalDist()


def tallies(source: np.random.Generator, games: int, forecasts: int, shared: float) -> list[Tally]:
    """A common factor moves all that comes true in a game (a Gaussian copula)."""
    found = []
    for _ in range(games):
        n = 1 + source.poisson(forecasts)
        high = source.normal(-1.2, 1.2, n) + 0.8 * source.normal()
        own = source.normal(size=n)
        factor = shared**0.5 * source.normal() + (1 - shared) ** 0.5 * own
        game = Tally(1)
        game.add(np.array([[NORMAL.cdf(value) for value in high]]), factor < high)
        found.append(game)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--forecasts", type=int, default=40, help="of a game")
    parser.add_argument("--shared", type=float, default=0.3, help="part of the common factor")
    options = parser.parse_args()
    for games in (40, 100, 300):
        source, held, alone = np.random.default_rng(1), 0, 0
        for seed in range(options.tables):
            drawn = tallies(source, games, options.forecasts, options.shared)
            every = question(drawn, ["a"], [], seed).scores["a"].bins
            bins = [part for part in every if part.error is not None]
            held += not any(part.off for part in bins)
            bound = NORMAL.inv_cdf(1 - 0.025 / max(1, len(bins)))
            alone += all(
                abs(p.observed - p.forecast) <= bound * (p.forecast * (1 - p.forecast) / p.n) ** 0.5
                for p in bins
                if p.observed is not None and p.forecast is not None
            )
        print(
            f"{games} games: all bins held in {100 * held / options.tables:.0f} % of the tables; "
            f"as if forecasts were independent, in {100 * alone / options.tables:.0f} %",
            flush=True,
        )


if __name__ == "__main__":
    main()
