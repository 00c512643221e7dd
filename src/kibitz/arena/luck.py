"""Luck that is nobody's doing, told apart from how the players play: control variates of a match.

Mirroring takes the luck of the deal out of a match, since everyone has every hand. What it leaves:

* **Draws.** Mirrored games share the deal, not what is drawn later. For each draw: what the state
  is worth after it, less what it was worth before the card was known, by games that one fixed
  player plays out from the true cards. Whoever plays, and however badly these values are known,
  that is nought on average, because the value before is a mean over fresh draws (as in AIVAT:
  Burch, Schmid, Moravcik, Morrill and Bowling 2018).
* **The promise of a deal.** Some deals let a good player shine, others play themselves. How much
  the rule player makes of a deal among random players, over all rotations, is known before the
  match begins; its mean over all deals is taken from many other deals.

How much of it to take out is fitted by `statistics.control`.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kibitz import contract, rng
from kibitz.arena.kernels import play_among
from kibitz.evaluate.known import by_fixed_player, play_on
from kibitz.games import game_of
from kibitz.games.base import Rules, State
from kibitz.table import Table

Generator = NDArray[np.uint64]

DRAWN = 1000
"""Games played out for the value before a draw, and as many for the one after it: some 30 ms for
all draws of a game of UNO."""
PROMISED = 300
"""Games for the promise of a deal, from each seat."""
OTHERS, OTHERS_PLAYED = 20_000, 10
"""Other deals from which the mean promise is taken, and games of each from each seat: an error in a
deal's promise evens out, so many deals played a little are better than few played much."""
OTHER_SEED = 0x6B6962697A  # any that is not a match's own


def source_of(seed: int, deal: int, shift: int) -> Generator:
    """Random numbers that have nothing to do with those of the game."""
    return rng.generator(seed, deal, rng.MATCH_LUCK + shift)


def luck_of_draws(table: Table, source: Generator) -> list[float]:
    """What each seat gained by what was drawn, as returns. Hands dealt anew, as between the rounds
    of a whole game, are no draws: nothing is said of them."""
    rules = table.rules
    game, params = game_of(rules), rules.params
    evaluator, start = by_fixed_player(rules.seats, game.weights), np.zeros(1, game.dtype)
    gained = np.zeros(rules.seats)
    states = [step.state for step in table.steps()]
    for action, before, after in zip(table.actions(), states, states[1:], strict=False):
        same = contract.stage(params, before) == contract.stage(params, after)
        if not same or not game.outcome_text(rules, before, action, after):
            continue
        sums = np.zeros((2, 2, rules.seats))
        for k, (state, played) in enumerate(((before, action), (after, -1))):
            start[0] = state
            play_on(params, start, played, DRAWN, evaluator, source, sums[k])
        gained += (sums[1, 0] - sums[0, 0]) / DRAWN
    return [float(value) for value in gained]


def promise(rules: Rules, state: State, plays: int, source: Generator) -> float:
    """What the rule player makes of a deal among random players: its return less the mean of the
    others', over all seats."""
    start = np.zeros(1, game_of(rules).dtype)
    start[0] = state
    total = 0.0
    for seat in range(rules.seats):
        sums = np.zeros(rules.seats)
        play_among(rules.params, start, seat, plays, source, sums)
        total += (sums[seat] - (sums.sum() - sums[seat]) / (rules.seats - 1)) / plays
    return total / rules.seats


@lru_cache(maxsize=16)
def mean_promise(rules: Rules) -> float:
    """Of all deals: from many that no match is played on."""
    source = rng.generator(OTHER_SEED, 0, rng.MATCH_LUCK)
    state = game_of(rules).new_state()
    total = 0.0
    for _ in range(OTHERS):
        contract.deal(rules.params, state, source)
        total += promise(rules, state, OTHERS_PLAYED, source)
    return total / OTHERS
