"""Worlds of Blob for a player that knows too much: only the cards truly in the other hands are
shuffled. Sizes and voids are kept, and all such deals are equally likely."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz import rng
from kibitz.games.base import State
from kibitz.games.belief import STOCK
from kibitz.games.blob.belief import BlobBelief
from kibitz.games.blob.counting import HOLDERS
from kibitz.games.blob.layout import STATE, SUITS
from kibitz.games.blob.posterior import Counted


def reshuffled(belief: BlobBelief, true: State) -> Callable[[int, int], NDArray[Any]]:
    """`belief` is that of the seat to act; of it only what was proved is used."""
    others = [seat for seat in belief.sizes if seat != STOCK]
    held = np.zeros(HOLDERS, np.int64)
    pool = voids = 0
    for seat in others:
        hand = int(true["hand"][seat])
        pool |= hand
        held[seat] = hand.bit_count()
        voids |= sum(1 << (4 * seat + SUITS.index(suit)) for suit in belief.voids(seat))
    counted = Counted.of(pool, held, voids)
    whole = np.zeros(1, STATE)
    whole[0] = true

    def draw(n: int, seed: int) -> NDArray[Any]:
        worlds = np.repeat(whole, n)
        hands = counted.draw(n, rng.generator(seed, stream=rng.SAMPLES))
        worlds["hand"][:, others] = hands[:, others]
        return worlds

    return draw
