"""How the keen player of UNO was taught: every choice is played out, millions of times.

A lesson plays games by the player of the lesson before, the rule player at first. At a third of its
choices every action is tried, and the game played out once after each, by that same player. One
such game tells next to nothing, but a small net that is fitted to how much better than the others
each action did, over all of them, learns what an action is worth if one goes on like that player:
the choice it likes best is better than the player's own (approximate policy iteration). There is no
belief in it: hidden cards are those of the game, and what can be known of them averages out.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz._jit import kernel
from kibitz.bits import ONE, ZERO, lowest, popcount
from kibitz.contract import ACTIONS, apply, deal, legal_actions, returns, rule_scores
from kibitz.games import game_of, rules
from kibitz.games.uno import keen
from kibitz.games.uno.keen import NAMES, NUMBER, ROWS, UNIT, Sight, counted, net_scores
from kibitz.games.uno.kernels import unseen
from kibitz.players import any_of, best_of
from kibitz.rng import reseed, uniform

Array = NDArray[Any]
Net = tuple[Array, Array]
"""Inner weights, a row for each of NAMES, and outer ones."""

LEARNT = Path(keen.__file__).parent / "learnt.py"
WIDTH, MOST = 16, 16
"""Inner sums of the net; most actions of a choice that is looked at."""
TAUGHT, SLIPS = 0.34, 0.05
"""Share of choices that are played out, and of any action instead of the player's own."""
BATCH, CHUNK, RATE = 512, 50, 0.004
"""Choices of a step, steps between two looks at the clock, and the size of the first steps."""


@kernel
def pick(params, state, by_rule, inner, outer, slips, scratch, rng):
    """An action of the rule player, or of a net in whole numbers."""
    legal = legal_actions(params, state)
    if popcount(legal) == 1:
        return lowest(legal)
    if slips > 0.0 and uniform(rng) < slips:
        return any_of(legal, rng)
    if by_rule:
        rule_scores(params, state, scratch)
    else:
        net_scores(params, state, inner, outer, scratch)
    return any_of(best_of(legal, scratch), rng)


@kernel
def duel(params, inner, outer, seed, deals, space, out):
    """The share of games that a net wins against the rule player, from both seats of each deal."""
    scratch = np.zeros(ACTIONS)
    chance = np.zeros(2, np.uint64)
    source = np.zeros(2, np.uint64)
    total = 0.0
    for index in range(2 * deals):
        reseed(chance, seed, ZERO, np.uint64(index // 2), ZERO)
        reseed(source, seed, ZERO, np.uint64(index // 2), ONE)
        state = space[0]
        deal(params, state, chance)
        while state.turn >= 0:
            by_rule = state.turn != index % 2
            action = pick(params, state, by_rule, inner, outer, 0.0, scratch, source)
            apply(params, state, action, chance)
        returns(params, state, out)
        total += 0.5 + 0.5 * out[index % 2]
    return total / (2 * deals)


@kernel
def forward(rows, counts, inner, outer, seen, sums):
    """What a net in real numbers makes of an action; `seen` and `sums` keep what it saw and its
    inner sums, cut off at 0."""
    for k in range(ROWS):
        seen[k] = 0.0
    for k in range(3):
        seen[rows[k]] = 1.0
    for k in range(NUMBER):
        seen[ROWS + k] = counts[k] / UNIT
    for j in range(WIDTH):
        sums[j] = 0.0
    for k in range(len(seen)):
        if seen[k] != 0.0:
            for j in range(WIDTH):
                sums[j] += seen[k] * inner[k, j]
    total = 0.0
    for j in range(WIDTH):
        sums[j] = max(sums[j], 0.0)
        total += sums[j] * outer[j]
    return total


@kernel
def play_on(params, space, action, by_rule, inner, outer, scratch, rng, out):
    """What the seat to act of `space[0]` makes of an action, if the game is then played out."""
    space[1] = space[0]
    state = space[1]
    seat = state.turn
    apply(params, state, action, rng)
    while state.turn >= 0:
        action = pick(params, state, by_rule, inner, outer, SLIPS, scratch, rng)
        apply(params, state, action, rng)
    returns(params, state, out)
    return out[seat]


@kernel
def adam(weights, slope, mean, square, step, rate):
    """One step down the slope (Kingma and Ba, 2015)."""
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            mean[i, j] += 0.1 * (slope[i, j] - mean[i, j])
            square[i, j] += 0.001 * (slope[i, j] ** 2 - square[i, j])
            size = np.sqrt(square[i, j] / (1.0 - 0.999**step)) + 1e-8
            weights[i, j] -= rate * mean[i, j] / (1.0 - 0.9**step) / size


@kernel
def teach(
    params, by_rule, before_inner, before_outer, inner, outer, moments, first, rate, seed, space
):
    """CHUNK steps of a lesson, from the step `first` on. `outer`: float64[1, WIDTH]; `moments`:
    means and squares of the slopes of both."""
    scratch = np.zeros(ACTIONS)
    out = np.zeros(2)
    seen = np.zeros((MOST, inner.shape[0]))
    sums = np.zeros((MOST, WIDTH))
    guess = np.zeros(MOST)
    got = np.zeros(MOST)
    inner_slope = np.zeros_like(inner)
    outer_slope = np.zeros_like(outer)
    rng = np.zeros(2, np.uint64)
    reseed(rng, seed, ZERO, ZERO, ZERO)
    state = space[0]
    state.turn = -1
    for step in range(first, first + CHUNK):
        inner_slope[:] = 0.0
        outer_slope[:] = 0.0
        taught = 0
        while taught < BATCH:
            if state.turn < 0:
                deal(params, state, rng)
            legal = legal_actions(params, state)
            n = popcount(legal)
            if 1 < n <= MOST and uniform(rng) < TAUGHT:
                seat = state.turn
                held, theirs = np.int64(state.held[seat]), np.int64(state.held[1 - seat])
                ones, twos = unseen(params, state, seat)
                hand = state.hand[seat]
                sight = Sight(hand[0], hand[1], held, theirs, state.colour, ones, twos)
                for i in range(n):
                    action = lowest(legal)
                    legal &= legal - ONE
                    rows, counts = counted(params, sight, action)
                    guess[i] = forward(rows, counts, inner, outer[0], seen[i], sums[i])
                    got[i] = play_on(
                        params, space, action, by_rule, before_inner, before_outer, scratch, rng,
                        out,
                    )  # fmt: skip
                too_much = np.mean(guess[:n]) - np.mean(got[:n])
                for i in range(n):
                    wrong = (guess[i] - got[i] - too_much) / BATCH
                    for j in range(WIDTH):
                        outer_slope[0, j] += wrong * sums[i, j]
                        sums[i, j] = wrong * outer[0, j] if sums[i, j] > 0.0 else 0.0
                    for k in range(inner.shape[0]):
                        if seen[i, k] != 0.0:
                            for j in range(WIDTH):
                                inner_slope[k, j] += seen[i, k] * sums[i, j]
                taught += 1
            action = pick(params, state, by_rule, before_inner, before_outer, SLIPS, scratch, rng)
            apply(params, state, action, rng)
        adam(inner, inner_slope, moments[0], moments[1], step, rate)
        adam(outer, outer_slope, moments[2], moments[3], step, rate)


def whole(inner: Array, outer: Array) -> Net:
    """The net in whole numbers, as the player has it."""
    return (
        np.round(inner * keen.INNER_UNIT).astype(np.int32),
        np.round(outer[0] * keen.OUTER_UNIT).astype(np.int32),
    )


def write(net: Net) -> None:
    """Make it the keen player's."""

    def row(name: str, weights: Array) -> str:
        said = ", ".join(map(str, weights))
        return f"    # {name}\n" + textwrap.indent(textwrap.fill(f"[{said}],", 95), "    ")

    inner, outer = net
    text = [
        '"""UNO: the weights of the keen player, as benchmarks/learn_uno.py wrote them."""',
        "", "import numpy as np", "", "# fmt: off", "INNER = np.array([",
        *map(row, NAMES, inner), "], np.int32)", "OUTER = np.array([",
        textwrap.indent(textwrap.fill(", ".join(map(str, outer)) + ",", 95), "    "),
        "], np.int32)", "",
    ]  # fmt: skip
    LEARNT.write_text("\n".join(text))


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--lessons", type=int, default=4)
    ask.add_argument("--millions", type=float, default=20, help="of choices, in each lesson")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--write", action="store_true", help="make what is learnt the keen player's")
    said = ask.parse_args()
    params, space = rules("uno").params, np.zeros(2, game_of(rules("uno")).dtype)
    source = np.random.default_rng(said.seed)
    inner = source.normal(size=(len(NAMES), WIDTH)) * 0.3
    outer = source.normal(size=(1, WIDTH)) * 0.1
    before = whole(inner, outer)
    for lesson in range(said.lessons):
        moments = tuple(np.zeros_like(of) for of in (inner, inner, outer, outer))
        began = time.monotonic()
        chunks = max(1, round(1e6 * said.millions / (BATCH * CHUNK)))
        for chunk in range(chunks):
            seed = np.uint64(source.integers(1 << 62))
            at = 1 + CHUNK * chunk, RATE * max(0.01, 1 - chunk / chunks), seed
            teach(params, lesson == 0, *before, inner, outer, moments, *at, space)
            print(f"\rlesson {lesson + 1}: {chunk / chunks:.0%}", end="", file=sys.stderr)
        before = whole(inner, outer)
        won = duel(params, *before, np.uint64(said.seed), 100_000, space, np.zeros(2))
        print(
            f"\rlesson {lesson + 1}: {BATCH * CHUNK * chunks / 1e6:.1f} million choices in "
            f"{time.monotonic() - began:.0f} s; it wins {100 * won:.1f} % against the rule player",
            flush=True,
        )
        if said.write:
            write(before)


if __name__ == "__main__":
    main()
