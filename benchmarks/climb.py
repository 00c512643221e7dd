"""How the keen player of UNO was found: climbing from the rule player's weights, in games.

Every step changes a few weights at random and keeps them if the changed player is better, both
against the one before and against the rule player, on mirrored deals. (Only against the one before,
players run in circles.) What comes out has dozens of weights; those that tell nothing are then
taken back, one after another. What was left was rounded by hand, and is `keen_scores` of UNO. (That
of Blob was taught by a search: see learn.py.)
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from numpy.typing import NDArray

from kibitz._jit import kernel
from kibitz.bits import ONE, ZERO, lowest
from kibitz.contract import (
    ACTIONS,
    apply,
    deal,
    legal_actions,
    player_to_act,
    returns,
    rule_scores,
)
from kibitz.evaluate.kernels import any_of
from kibitz.games import game_of, rules
from kibitz.games.uno.layout import DRAW_TWO, SKIP, WILD, WILD_FOUR
from kibitz.games.uno.policy import NEAR, colour_count, rank_count
from kibitz.policy import best_of
from kibitz.rng import reseed

Weights = NDArray[np.float64]

# --- what players may look at --------------------------------------------------------------------

UNO = np.zeros(15)
UNO[[0, 3, 6, 9, 12]] = 1, 4, 4, -20, -20
"""The rule player: cards of the colour, then others of the rank, another colour than the one that
is asked for, and three weights each for skips, +2, wilds and wild +4: always, if the other one is
nearly out, if the player itself is."""


@kernel
def uno_scores(params, state, w, out):
    seat = state.turn
    near = 1.0 if state.held[1 - seat] <= NEAR else 0.0
    few = 1.0 if state.held[seat] <= NEAR + 1 else 0.0
    left = legal_actions(params, state)
    while left != ZERO:
        action = lowest(left)
        left &= left - ONE
        rank = action & 15
        score = w[0] * colour_count(state, seat, action >> 4)
        if rank < WILD:
            score += w[1] * (rank_count(state, seat, rank) - 1)
            score += w[2] * (action >> 4 != state.colour)
        kind = 0
        if rank == WILD_FOUR:
            kind = 12
        elif rank == WILD:
            kind = 9
        elif rank == DRAW_TWO:
            kind = 6
        elif rank >= SKIP:
            kind = 3
        if kind > 0:
            score += w[kind] + w[kind + 1] * near + w[kind + 2] * few
        out[action] = score


# --- games ---------------------------------------------------------------------------------------


@kernel
def duel(params, one, others, by_rule, seed, deals, space, out):
    """Play one player against another, from both seats of every deal."""
    seats = len(out)
    liked = np.zeros(ACTIONS)
    chance = np.zeros(2, np.uint64)
    source = np.zeros(2, np.uint64)
    total = 0.0
    squares = 0.0
    for index in range(deals):
        worth = 0.0
        for side in range(seats):
            reseed(chance, seed, ZERO, np.uint64(index), ZERO)
            reseed(source, seed, ZERO, np.uint64(index), np.uint64(1 + side))
            state = space[0]
            deal(params, state, chance)
            while player_to_act(params, state) >= 0:
                if player_to_act(params, state) == side:
                    uno_scores(params, state, one, liked)
                elif by_rule:
                    rule_scores(params, state, liked)
                else:
                    uno_scores(params, state, others, liked)
                options = best_of(legal_actions(params, state), liked)
                apply(params, state, any_of(options, source), chance)
            returns(params, state, out)
            worth += (out[side] - (out.sum() - out[side]) / (seats - 1)) / seats
        total += worth
        squares += worth * worth
    mean = total / deals
    return mean, np.sqrt(max(0.0, squares / deals - mean * mean) / deals)


DEALS = 40_000
"""That a look takes."""


class Climb:
    def __init__(self, seed: int) -> None:
        self.params = rules("uno").params
        self.space = np.zeros(1, game_of(rules("uno")).dtype)
        self.random = np.random.default_rng(seed)
        self.now = UNO.copy()

    def gain(self, one: Weights, others: Weights | None, seed: int) -> tuple[float, float]:
        """Of `one`, and its error. `others`: None for the rule player."""
        against = UNO if others is None else others
        room = self.space, np.zeros(2)
        of = (one, against, others is None, np.uint64(seed), DEALS, *room)
        return duel(self.params, *of)  # type: ignore[no-any-return]

    def better(self, trial: Weights, seed: int, by: float, loss: float = 0.0) -> bool:
        """Whether it is, by so many errors, and worse neither here nor there by more than `loss`"""
        here, error = self.gain(trial, self.now, seed)
        there, other = self.gain(trial, None, seed)
        there -= self.gain(self.now, None, seed)[0]
        sure = (here + there) / 2 > by * np.hypot(error, other) / 2
        return bool(sure and min(here, there) > -loss)

    def step(self, number: int) -> bool:
        trial = self.now.copy()
        chosen = self.random.choice(len(trial), self.random.integers(1, 5), replace=False)
        sizes = self.random.choice([0.5, 2.0, 8.0, 40.0], len(chosen))
        trial[chosen] += self.random.normal(size=len(chosen)) * sizes
        if self.better(trial, 2 * number, 1.0) and self.better(trial, 2 * number + 1, 1.5):
            self.now = trial
            return True
        return False

    def prune(self) -> None:
        """Take back whatever tells nothing: to 0, or to what the rule player has."""
        for place in range(len(self.now)):
            for value in {0.0, float(UNO[place])} - {float(self.now[place])}:
                trial = self.now.copy()
                trial[place] = value
                if self.better(trial, 1, -np.inf, loss=0.012):
                    self.now = trial


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--seconds", type=float, default=300)
    ask.add_argument("--seed", type=int, default=1)
    said = ask.parse_args()
    climb = Climb(said.seed)
    end, number = time.monotonic() + said.seconds, 0
    while time.monotonic() < end:
        number += 1
        if climb.step(number):
            mean, error = climb.gain(climb.now, None, 0)
            print(
                f"step {number}: {mean:+.3f} ± {1.96 * error:.3f} against the rule player",
                flush=True,
            )
    climb.prune()
    mean, error = climb.gain(climb.now, None, 0)
    print(f"pruned: {mean:+.3f} ± {1.96 * error:.3f}; weights {np.round(climb.now, 2).tolist()}")


if __name__ == "__main__":
    main()
