"""Matches between players of known strength, without a game: many at once, for tests of what the
arena says of them."""

import numpy as np

MIRRORED, REPEATED = "mirrored", "repeated"
DRAWS = 0.1


def games_of(generator, shape, strength, hang):
    """A's results in the two games of each deal, `[..., 2]`, of mean `strength`. `mirrored`: good
    cards at one seat are bad ones at the other. `repeated`: a deal tends to end the same way in
    both games, as it does if it suits one of the players."""

    def results(strength):
        drawn = generator.random(shape)
        return np.where(drawn < strength - DRAWS / 2, 1.0, (drawn < strength + DRAWS / 2) / 2)

    if hang == MIRRORED:
        assert 0.4 <= strength <= 0.6, "luck would carry a chance past 0 or 1, and the mean with it"
        luck = generator.choice([-0.35, 0.0, 0.35], shape)
        return np.stack([results(strength + luck), results(strength - luck)], axis=-1)
    first, second = results(strength), results(strength)
    return np.stack([first, np.where(generator.random(shape) < 0.6, first, second)], axis=-1)


def points_of(generator, shape, skill):
    """Points of A less the mean of the others', over the four seats of each deal, as in Blob: ten
    and the tricks for a bid that is kept, nothing otherwise. Some hands are harder to bid than
    others; A keeps a bid by `skill` more often, so the mean is 12 times `skill`."""
    kept = generator.choice([0.2, 0.5, 0.8], (*shape, 1, 4))
    tricks = generator.integers(0, 5, (*shape, 1, 4))
    more = skill * np.eye(4)  # [game, hand]: A holds another hand in each game
    points = (10 + tricks) * (generator.random((*shape, 4, 4)) < kept + more)
    own = np.trace(points, axis1=-2, axis2=-1) / 4
    others = (points.sum(axis=(-2, -1)) - 4 * own) / 12
    return own - others


POINTS_FOR_SKILL = 12.0
