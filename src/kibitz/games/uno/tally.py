"""UNO: sums over many weighted hands, and worlds made of them, as kernels."""

import numpy as np

from kibitz._jit import kernel
from kibitz.bits import ONE, ZERO, lowest
from kibitz.games.uno.exact import kinds_of
from kibitz.games.uno.hypotheses import copies
from kibitz.games.uno.kernels import minus


@kernel
def tally(hands, chances, some, expected):
    """Add up, for each card, the chance of at least one copy and the expected number."""
    for i in range(len(hands)):
        chance = chances[i]
        if chance == 0.0:
            continue
        kinds = kinds_of(hands[i, 0])
        while kinds != ZERO:
            card = lowest(kinds)
            kinds &= kinds - ONE
            some[card] += chance
            expected[card] += chance * copies(hands[i, 0], hands[i, 1], card)


@kernel
def spread(hands, chances, roots, means, squares):
    """Add up, for each card, the squares of what each family of hypotheses (those of one root,
    which stand together) adds to the chance of at least one copy beyond its share of `means`.
    Returns the number of families."""
    part = np.zeros(64)
    mass = 0.0
    families = 0
    for i in range(len(hands)):
        mass += chances[i]
        kinds = kinds_of(hands[i, 0])
        while kinds != ZERO:
            part[lowest(kinds)] += chances[i]
            kinds &= kinds - ONE
        if i + 1 == len(hands) or roots[i + 1] != roots[i]:
            for card in range(64):
                away = part[card] - mass * means[card]
                squares[card] += away * away
                part[card] = 0.0
            mass = 0.0
            families += 1
    return families


@kernel
def fill_worlds(ones, twos, seat, hands, index, worlds):
    """Give `seat` the hands chosen by `index`, and the deck what is left of the pool."""
    for k in range(len(index)):
        hand = hands[index[k]]
        worlds[k].hand[seat, 0] = hand[0]
        worlds[k].hand[seat, 1] = hand[1]
        worlds[k].deck[0], worlds[k].deck[1] = minus(ones, twos, hand[0], hand[1])
