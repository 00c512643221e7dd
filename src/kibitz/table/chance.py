"""Chance: where the cards of a table come from, as versions that a record names.

1. xoroshiro128++ (see `rng`): even and fast, for simulations and matches.
2. SHA-256 in counter mode, where people play: whoever has seen any of its words, however many, can
   tell nothing of the others. Word k is a quarter of the hash of a text, its number k mod 4::

       SHA-256("kibitz chance 2:" seed ":" index ":" k div 4)

   with the seed as 32 hexadecimal digits, index and block in decimal, words from the left.

The kernels read a tape of words drawn beforehand in place of the generator; if it was too short for
a move, the move is made again with a longer one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz import rng

PLAIN, SECRET = 1, 2
VERSIONS = (PLAIN, SECRET)
FIRST = 128
"""Words of a tape at first."""


def secret_words(seed: int, index: int, first: int, number: int) -> NDArray[np.uint64]:
    """Words of version 2 from word `first` on, which begins a block, as is `number`."""
    start = f"kibitz chance 2:{seed:032x}:{index}:"
    blocks = range(first // 4, (first + number) // 4)
    data = b"".join(hashlib.sha256(f"{start}{block}".encode()).digest() for block in blocks)
    return np.frombuffer(data, ">u8").astype(np.uint64)


class Chance:
    """The chance of one game."""

    def __init__(self, version: int, seed: int, index: int) -> None:
        self._source = seed, index
        self._rng: NDArray[np.uint64]
        if version == PLAIN:
            self._rng = rng.generator(seed, index)
        else:
            self._rng = rng.tape(secret_words(seed, index, 0, FIRST))

    def run(self, operation: Callable[[NDArray[np.uint64]], Any]) -> Any:
        """Do something with as much chance as it takes. It may be done more than once."""
        if self._rng.ndim == 1:
            return operation(self._rng)
        begun = self.mark()
        while True:
            found = operation(self._rng)
            there = self._rng.shape[1] - 1
            if int(self._rng[0, 0]) <= there:
                return found
            more = secret_words(*self._source, there, there)
            self._rng = rng.tape(np.concatenate([self._rng[0, 1:], more]))
            self.back(begun)

    def mark(self) -> NDArray[np.uint64]:
        """Where it is now: to go back there."""
        return self._rng.copy() if self._rng.ndim == 1 else self._rng[0, :1].copy()

    def back(self, mark: NDArray[np.uint64]) -> None:
        if self._rng.ndim == 1:
            self._rng[:] = mark
        else:
            self._rng[0, :1] = mark
