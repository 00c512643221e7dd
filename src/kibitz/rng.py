"""Explicit random numbers: a generator is an array of two words that is passed to every kernel.

xoroshiro128++ (Blackman and Vigna, 2019), seeded with the mixer of SplitMix64 from a seed of up to
128 bits, the index of the game and a stream number. Stream 0 is the chance of a game (deal, draws,
reshuffles) and nothing else uses it; stream 1 + seat belongs to the player in that seat. So a
game's chance depends on (seed, index) alone, whatever the players do: mirrored matches and replay
need that.

None of this is cryptography. A player cannot compute the cards from its own stream by undoing the
steps, but a small seed can be found by trying: secret seeds come from the operating system. Where
people play, kernels are given a tape instead: words that were drawn beforehand, by a cipher. And
who wants to know all that chance can do gives them a script, see `script`.
"""

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz._jit import kernel

CHANCE, SEATS = 0, 1
"""Streams of a game: its cards, and from SEATS on what each seat draws. Nobody else draws from that
of the cards, or whoever asks for advice with the seed of a game would be shown its cards."""
FILTER = 3
"""And above: a filter's purposes, in a game of two."""
SAMPLES, DUEL, LINE, SEARCH = 37, 38, 39, 40
"""Worlds that are drawn by a seed; those in which two moves are compared, or a line is played; all
that a search draws."""
CALIBRATION = 64
REVIEW, REVIEW_DEALS = 96, 97
BELIEF, MATCH_LUCK, HISTORIES = 128, 160, 192
"""And above, one for each seat."""
MAX_SEED = 2**128 - 1
MAX_INDEX = 2**64 - 1

_W = np.uint64
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)


@kernel
def mixed(x):
    """A word whose bits all hang on all bits of x; no two words give the same."""
    x = (x ^ (x >> _W(30))) * _MIX1
    x = (x ^ (x >> _W(27))) * _MIX2
    return x ^ (x >> _W(31))


@kernel
def reseed(rng, high, low, index, stream):
    """Set `rng` to the start of a stream; all four numbers are words.

    The seed's two words are kept apart, shuffled with the game and the stream, and added again at
    the end: without that last step every step could be undone, and a player could work out the
    seed, and so all cards, from the stream it is given.
    """
    a = mixed(high + _GOLDEN)
    b = mixed(low ^ mixed(a))
    tag = mixed(mixed(index + _GOLDEN) ^ (stream + _GOLDEN))
    left = a ^ tag
    right = b + tag
    right ^= mixed(left)
    left ^= mixed(right)
    right ^= mixed(left)
    rng[0] = left + a
    rng[1] = (right + b) | _W(1)  # never both zero


@kernel
def next_word(rng):
    if rng.ndim == 3:  # chance that is not a choice among a few: no script has it
        rng[0, 0, 0] = _W(rng.shape[2])
        return _W(0)
    if rng.ndim == 2:  # a tape; the compiler leaves out what is not for the type it is given
        at = np.int64(rng[0, 0]) + 1
        rng[0, 0] = _W(at)
        # who reads beyond the end notices it, and does it again with more words; until then it gets
        # some that let it come to an end
        return rng[0, at] if at < rng.shape[1] else mixed(_W(at))
    a = rng[0]
    b = rng[1]
    total = a + b
    out = ((total << _W(17)) | (total >> _W(47))) + a
    b ^= a
    rng[0] = ((a << _W(49)) | (a >> _W(15))) ^ b ^ (b << _W(21))
    rng[1] = (b << _W(28)) | (b >> _W(36))
    return out


@kernel
def below(rng, n):
    """A whole number in 0..n-1, exactly uniform (Lemire's method); n is at least 1, below 2^32."""
    if rng.ndim == 3:
        at = min(np.int64(rng[0, 0, 0]) + 1, rng.shape[2])
        rng[0, 0, 0] = _W(at)
        if at == rng.shape[2]:
            return np.int64(0)
        rng[0, 0, at] = _W(n)
        return np.int64(rng[0, 1, at])
    bound = _W(n)
    product = (next_word(rng) >> _HALF) * bound
    if (product & _LOW) < bound:
        threshold = (_LOW - bound + _W(1)) % bound
        while (product & _LOW) < threshold:
            product = (next_word(rng) >> _HALF) * bound
    return np.int64(product >> _HALF)


@kernel
def uniform(rng):
    """A number from 0 up to, never at, 1, with 53 random bits."""
    return np.float64(next_word(rng) >> _W(11)) * (1.0 / 9007199254740992.0)


def checked(number: Any, name: str, largest: int) -> int:
    """A whole number from 0 to `largest`, or a ValueError that says so."""
    try:
        found = operator.index(number)
    except TypeError:
        found = -1
    if not 0 <= found <= largest:
        bits = largest.bit_length()
        raise ValueError(f"{name} must be a whole number from 0 to 2^{bits} - 1, not {number!r}")
    return found


def words(seed: int) -> tuple[np.uint64, np.uint64]:
    """The seed as the two words that `reseed` takes."""
    seed = checked(seed, "seed", MAX_SEED)
    return np.uint64(seed >> 64), np.uint64(seed & 0xFFFFFFFFFFFFFFFF)


def tape(drawn: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Words that take the place of a generator: how many of them were read, then the words."""
    return np.concatenate([np.zeros(1, np.uint64), drawn])[None]


def script(length: int) -> NDArray[np.uint64]:
    """A generator that gives what is written in it, so that all that chance can do may be tried one
    after the other: see `next_script`."""
    return np.zeros((1, 2, length + 1), np.uint64)


@kernel
def script_chance(script):
    """The chance of what was read from a script; 0 if that was more than it has, or no choice."""
    used = np.int64(script[0, 0, 0])
    chance = 1.0 if used < script.shape[2] else 0.0
    for i in range(1, min(used + 1, script.shape[2])):
        chance /= np.float64(script[0, 0, i])
    return chance


@kernel
def next_script(script):
    """Write the choices that come after those that were read last; False after the last."""
    at = min(np.int64(script[0, 0, 0]), script.shape[2] - 1)
    script[0, 0, 0] = _W(0)
    while at > 0:
        if script[0, 1, at] + _W(1) < script[0, 0, at]:
            script[0, 1, at] += _W(1)
            return True
        script[0, 1, at] = _W(0)
        at -= 1
    return False


def generator(seed: int, index: int = 0, stream: int = CHANCE) -> NDArray[np.uint64]:
    """A generator for one stream of one game."""
    rng = np.zeros(2, np.uint64)
    high, low = words(seed)
    reseed(rng, high, low, np.uint64(index), np.uint64(stream))
    return rng
