"""Loops for the benchmarks, compiled as a search would run them."""

from kibitz._jit import kernel
from kibitz.games.blob.deals import draw_deal, from_history


@kernel
def many_beliefs(
    params, openings, seats, moves, lengths, seen, split, ways, reach, takes, choices, out
):
    """A Blob belief from each history: voids, counting table and marginals."""
    for i in range(len(seats)):
        from_history(
            params,
            openings[i : i + 1],
            seats[i],
            moves[i, : lengths[i]],
            seen,
            split[0],
            ways,
            reach,
            takes,
            choices,
            out,
        )


@kernel
def many_deals(split, ways, takes, choices, n, rng, hands):
    """n deals from one table."""
    for _ in range(n):
        draw_deal(split[0], ways, takes, choices, rng, hands)
