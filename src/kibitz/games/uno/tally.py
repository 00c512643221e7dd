"""UNO: sums over many weighted hands, and worlds made of them, as kernels."""

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
def fill_worlds(ones, twos, seat, hands, index, worlds):
    """Give `seat` the hands chosen by `index`, and the deck what is left of the pool."""
    for k in range(len(index)):
        hand = hands[index[k]]
        worlds[k].hand[seat, 0] = hand[0]
        worlds[k].hand[seat, 1] = hand[1]
        worlds[k].deck[0], worlds[k].deck[1] = minus(ones, twos, hand[0], hand[1])
