"""Loops for the benchmarks, compiled as a search would run them."""

from typing import Any, NamedTuple

from kibitz._jit import kernel
from kibitz.games.blob.deals import draw_deal, from_history


class Histories(NamedTuple):
    """Rounds so far, as one seat saw each."""

    openings: Any
    seats: Any
    moves: Any
    lengths: Any


@kernel
def many_beliefs(params, histories, seen, split, room, out):
    """A Blob belief from each history: voids, counting table and marginals."""
    openings, seats, moves, lengths = histories
    for i in range(len(seats)):
        own = moves[i, : lengths[i]]
        from_history(params, openings[i : i + 1], seats[i], own, seen, split[0], room, out)


@kernel
def many_deals(split, ways, takes, choices, n, rng, hands):
    """n deals from one table."""
    for _ in range(n):
        draw_deal(split[0], ways, takes, choices, rng, hands)
