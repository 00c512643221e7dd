"""Searches over worlds, for any game: what to do with the kernels, and what came of it.

A `Problem` is what is asked: rules, the seat to act, and where worlds come from (a belief, as a
function that draws n of them). `grow` grows one tree over fresh worlds; `grow_apart` one tree for
each of a few worlds, on threads if wanted. Both are deterministic for a seed and a number of
simulations, whatever the number of threads.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz import contract, rng
from kibitz.contract import ACTIONS
from kibitz.evaluate.kernels import NO_HORIZON
from kibitz.search.kernels import DEEPEST, run
from kibitz.search.selection import UCB, How
from kibitz.search.tree import EDGE, NODE, favourites, read_moves, transplant

Worlds = NDArray[Any]
FIRST_BLOCK, LAST_BLOCK = 128, 4096
"""Worlds drawn at a time: few at first where only the clock says how many are needed, and never
so many that they crowd the tree out of the processor's cache."""
FEWEST = 32
"""Simulations that are run whatever the clock says: something must be known."""
STREAM = 40
"""First of the streams from which searches take their random numbers."""


@dataclass(frozen=True)
class Budget:
    """When to stop. A time budget ends when its time or its simulations are over."""

    sims: int = 1_000_000_000
    seconds: float | None = None


@dataclass(frozen=True)
class Problem:
    """What is asked of a search."""

    params: Any
    seats: int
    draw: Callable[[int, int], Worlds]
    """draw(n, seed): n worlds, each as likely as the next."""
    how: How
    rollout: float
    """How sharply games are played out; see `particles`."""
    weights: NDArray[np.float64]
    """Of the game's estimate."""
    kinds: NDArray[np.float64] = field(default_factory=lambda: np.zeros(1))
    shares: NDArray[np.float64] = field(default_factory=lambda: np.zeros((8, 1)))
    """Where the others are modelled: the sharpness of each kind of player, and how likely each seat
    is to be of it."""
    noise: NDArray[np.float64] = field(default_factory=lambda: np.zeros(ACTIONS))
    each: bool = False
    """A tree for each observer."""


class Tree:
    """What a search has found out. Room for `nodes` nodes and `particles` worlds is set aside, and
    used as it is needed; a full tree still learns, it only grows no more."""

    def __init__(self, dtype: np.dtype[Any], seats: int, nodes: int, particles: int = 0) -> None:
        self.nodes = np.empty(nodes, NODE)
        self.edges = np.empty(nodes, EDGE)
        # a hash table of nodes, at most half full; numbers are one more, so that 0 is nothing
        self.index = np.zeros(1 << max(1, (2 * nodes - 1).bit_length()), np.int32)
        self.worlds = np.empty(particles, dtype)
        self.links = np.empty(particles, np.int32)
        self.used = np.zeros(3, np.int64)  # nodes, edges, particles
        self.sums = np.zeros(seats)  # of each seat's values over the simulations of this search
        self.simulations = 0
        self.root = 0
        self.world: Worlds | None = None  # the one that was searched, where it is only one

    def take(self, other: Tree) -> None:
        """Begin with what hangs below the root of another tree, as far as there is room."""
        self.used[2] = transplant(
            other.nodes, other.edges, other.worlds, other.links, other.root,
            self.nodes, self.edges, self.index, self.worlds, self.links, self.used,
        )  # fmt: skip

    def below(self, node: int) -> Tree:
        """The same tree seen from another root."""
        found = copy.copy(self)
        found.root = node
        return found

    def moves(self) -> NDArray[np.float64]:
        """[3, action]: visits, sum and sum of squares of the values at the root."""
        found = np.zeros((3, ACTIONS))
        if self.used[0]:
            read_moves(self.nodes, self.edges, self.root, found[0], found[1], found[2])
        return found

    def line(self, action: int, most: int = 16) -> list[int]:
        """The actions that were searched most, one after another, beginning with `action`."""
        out = np.zeros(most, np.int64)
        length = favourites(self.nodes, self.edges, self.root, action, out) if self.used[0] else 0
        return [int(action) for action in out[:length]]


def make_how(params: Any, world: Any, **options: Any) -> How:
    """`How` with the scale of the game's values filled in."""
    low, high = contract.bounds(params, world)
    scale = 1.0 / (float(high) - float(low)) if high > low else 1.0
    standard: dict[str, Any] = {
        "modelled": 0,
        "depth": DEEPEST,
        "patience": 1,
        "rule": UCB,
        "explore": 1.0,
        "heat": 1.0,
        "noise": 0.0,
        "discount": 1.0,
        "randomness": 0.0,
        "horizon": NO_HORIZON,
        "exact": 0,
        "low": float(low),
        "scale": scale,
    }
    return How(**{**standard, **options})


def grow(problem: Problem, tree: Tree, budget: Budget, seed: int) -> Tree:
    """Search on in `tree`, a fresh world for each simulation."""
    deadline = 0.0 if budget.seconds is None else time.monotonic() + budget.seconds
    left = budget.sims
    block = FIRST_BLOCK if deadline else LAST_BLOCK
    tree.sums[:] = 0
    tree.simulations = 0
    number = 0
    while left > 0:
        starts = problem.draw(min(block, left), rng_seed(seed, 2 * number))
        source = rng.generator(rng_seed(seed, 2 * number + 1), stream=STREAM)
        fewest = max(0, FEWEST - tree.simulations)
        done = _run(problem, tree, starts, len(starts), fewest, deadline, source)
        tree.simulations += done
        left -= done
        number += 1
        if done < len(starts) or (deadline and time.monotonic() >= deadline):
            break
        block = min(2 * block, LAST_BLOCK) if deadline else block
    return tree


def grow_apart(
    problem: Problem, worlds: Worlds, budget: Budget, seed: int, nodes: int, threads: int = 1
) -> list[Tree]:
    """A tree for each world, with `budget.sims` simulations each and room for `nodes` in all.
    Seconds are for all together: worlds whose turn comes too late are left out."""
    began = time.monotonic()
    seats = problem.seats
    rounds = -(-len(worlds) // threads)  # how many worlds a thread searches, one after another
    room = max(2, min(nodes // len(worlds), budget.sims + 1))
    fewest = max(1, FEWEST // len(worlds))

    def search(number: int) -> Tree | None:
        if budget.seconds is not None and number and time.monotonic() - began > budget.seconds:
            return None
        tree = Tree(worlds.dtype, seats, room)
        source = rng.generator(rng_seed(seed, number), stream=STREAM)
        deadline = 0.0
        if budget.seconds is not None:
            turn = min(rounds, number // threads + 1)
            deadline = began + budget.seconds * turn / rounds
        one = worlds[number : number + 1]
        tree.world = one
        with np.errstate(over="ignore"):  # in plain Python, which forgets this in other threads
            tree.simulations = _run(problem, tree, one, budget.sims, fewest, deadline, source)
        return tree

    if threads == 1 or len(worlds) == 1:
        found = [search(number) for number in range(len(worlds))]
    else:
        with ThreadPoolExecutor(threads) as pool:
            found = list(pool.map(search, range(len(worlds))))
    return [tree for tree in found if tree is not None]


def value_errors(moves: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and standard error of the value of each action, from visits, sums and squares."""
    visits, total, squares = moves
    number = np.maximum(1, visits)
    mean = total / number
    # as if one more simulation had told nothing: a few that agree do not prove a value
    spread = (np.maximum(0, squares - number * mean**2) + 0.25) / (number + 1)
    return mean, np.sqrt(spread / number)


def rng_seed(seed: int, number: int) -> int:
    """A seed for each part of a search."""
    return (seed * 0x9E3779B97F4A7C15F39CC0605CEDC835 + number + 1) % (1 << 128)


def _run(
    problem: Problem,
    tree: Tree,
    starts: Worlds,
    sims: int,
    fewest: int,
    deadline: float,
    source: Any,
) -> int:
    at = np.zeros(problem.seats, np.int64) if problem.each else None
    return int(
        run(
            problem.params, problem.how, starts, sims, fewest, deadline, at, tree.nodes,
            tree.edges, tree.index, tree.used, tree.worlds, tree.links, problem.shares,
            problem.kinds, problem.rollout, problem.weights, problem.noise, tree.sums, source,
        )
    )  # fmt: skip
