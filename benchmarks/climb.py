"""How the keen players were found: climbing from the rule player's weights, in games.

Every step changes a few weights at random and keeps them if the changed player is better, both
against the one before and against the rule player, on mirrored deals. (Only against the one before,
players run in circles.) What comes out has dozens of weights; those that tell nothing are then
taken back, one after another. What was left was rounded by hand, and is `keen_scores` of each game.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz._jit import kernel
from kibitz.bits import ONE, ZERO, lowest, popcount, single
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
from kibitz.games.blob.kernels import suit_of, unseen
from kibitz.games.blob.layout import BIDDING
from kibitz.games.blob.policy import SURE, expected_tricks
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


LOOKS = 11
BLOB = np.zeros(6 * LOOKS + 1)
for _place, _weights in enumerate(
    [
        [0, 1, 13],
        [0, -1, -13],
        [30, 1, 13, 0, 30, -2, -26],
        [0, -1, -13],
        [-30, -1, -13, 0, -30, 2, 26],
        [0, 1, 13],
    ]
):
    BLOB[_place * LOOKS :][: len(_weights)] = _weights
"""The rule player. Six places: a trick is wanted or not, and one leads, wins with the card, or does
not. In each: always, rank, trump, cards above it unseen, the last to play, that and rank, that and
trump, all tricks left are wanted, that and rank, cards held of the suit, cards above it by players
to come. The last weight is added to the estimate that is bid."""


@kernel
def blob_scores(params, state, w, out):
    seat = state.turn
    left = legal_actions(params, state)
    if state.phase == BIDDING:
        expected = expected_tricks(params, state, seat) + w[6 * LOOKS]
        while left != ZERO:
            bid = lowest(left)
            left &= left - ONE
            out[bid] = -abs(SURE * bid - expected)
        return
    need = state.bid[seat] - state.won[seat]
    hidden = unseen(params, state, seat)
    later = params.players - 1 - state.in_trick
    last = 1.0 if later == 0 else 0.0
    all_left = 1.0 if need >= popcount(state.hand[seat]) else 0.0
    while left != ZERO:
        action = lowest(left)
        left &= left - ONE
        card = single(action)
        suit = suit_of(action)
        rank = np.float64(action & 15)
        trump = 1.0 if suit == state.trumps else 0.0
        above = np.float64(popcount(hidden & suit & ~(card + card - ONE)))
        place = 0 if need > 0 else 1
        if state.in_trick > 0:
            place = (2 if need > 0 else 4) + (0 if card & state.beats != ZERO else 1)
        v = w[place * LOOKS : (place + 1) * LOOKS]
        out[action] = (
            v[0] + v[1] * rank + v[2] * trump + v[3] * above
            + v[4] * last + v[5] * last * rank + v[6] * last * trump
            + v[7] * all_left + v[8] * all_left * rank
            + v[9] * popcount(state.hand[seat] & suit) + v[10] * later * above
        )  # fmt: skip


# --- games ---------------------------------------------------------------------------------------


def duel_of(scores: Any) -> Callable[..., tuple[float, float]]:
    """A kernel that plays one player among others, from every seat of every deal."""

    @kernel
    def duel(params, one, others, by_rule, seed, deals, space, out):
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
                        scores(params, state, one, liked)
                    elif by_rule:
                        rule_scores(params, state, liked)
                    else:
                        scores(params, state, others, liked)
                    options = best_of(legal_actions(params, state), liked)
                    apply(params, state, any_of(options, source), chance)
                returns(params, state, out)
                worth += (out[side] - (out.sum() - out[side]) / (seats - 1)) / seats
            total += worth
            squares += worth * worth
        mean = total / deals
        return mean, np.sqrt(max(0.0, squares / deals - mean * mean) / deals)

    return duel  # type: ignore[no-any-return]


OH_HELL = {"trump": "turned", "miss": "penalty"}
GAMES: dict[str, tuple[Any, Weights, list[tuple[Any, int]]]] = {
    "uno": (uno_scores, UNO, [(rules("uno"), 40_000)]),
    "blob": (
        blob_scores,
        BLOB,
        [
            (rules("blob", players=4, cards=5), 4_000),
            (rules("blob", players=3, cards=3, **OH_HELL), 8_000),
            (rules("blob", players=5, cards=7, **OH_HELL), 2_000),
        ],
    ),
}
"""What is looked at, the rule player, and the tables with how many deals a look takes."""


class Climb:
    def __init__(self, game: str, seed: int) -> None:
        scores, self.rule, self.tables = GAMES[game]
        self.duel = duel_of(scores)
        self.space = np.zeros(1, game_of(self.tables[0][0]).dtype)
        self.random = np.random.default_rng(seed)
        self.now = self.rule.copy()

    def gain(self, one: Weights, others: Weights | None, seed: int) -> tuple[float, float]:
        """Mean over the tables, and its error. `others`: None for rule players."""
        found = []
        for table, deals in self.tables:
            against = self.rule if others is None else others
            room = self.space, np.zeros(table.seats)
            of = (one, against, others is None, np.uint64(seed), deals, *room)
            found.append(self.duel(table.params, *of))
        means, errors = np.array(found).T
        return float(means.mean()), float(np.sqrt((errors**2).sum()) / len(found))

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
            for value in {0.0, float(self.rule[place])} - {float(self.now[place])}:
                trial = self.now.copy()
                trial[place] = value
                if self.better(trial, 1, -np.inf, loss=0.012):
                    self.now = trial


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("game", choices=list(GAMES))
    ask.add_argument("--seconds", type=float, default=300)
    ask.add_argument("--seed", type=int, default=1)
    said = ask.parse_args()
    climb = Climb(said.game, said.seed)
    end, number = time.monotonic() + said.seconds, 0
    while time.monotonic() < end:
        number += 1
        if climb.step(number):
            mean, error = climb.gain(climb.now, None, 0)
            print(f"step {number}: {mean:+.3f} ± {1.96 * error:.3f} among rule players", flush=True)
    climb.prune()
    mean, error = climb.gain(climb.now, None, 0)
    print(f"pruned: {mean:+.3f} ± {1.96 * error:.3f}; weights {np.round(climb.now, 2).tolist()}")


if __name__ == "__main__":
    main()
