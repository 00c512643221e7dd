"""Searches over worlds, for any game: what the kernels need, and what they found.

A `Problem` is what is asked: rules, the seat to act, and where worlds come from (a belief, as a
function that draws n of them). `search_block` runs some simulations in one tree; what comes of a
seed and a number of simulations is always the same.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz import contract, rng
from kibitz.contract import ACTIONS
from kibitz.evaluate.kernels import Evaluator, evaluate
from kibitz.players import UNIFORM, Player
from kibitz.rng import mixed
from kibitz.search.kernels import (
    ASK,
    DEEPEST,
    LEAF,
    WALK,
    Limits,
    Others,
    back_up,
    begin_walk,
    draw_players,
    new_roots,
    new_work,
    run,
    shuffled,
    walk_on,
)
from kibitz.search.selection import MODELLED, UCB, SearchParams
from kibitz.search.tree import EDGE, NODE, PARTICLES, Arrays, main_line, read_moves, transplant

Worlds = NDArray[Any]
Draw = Callable[[int, int], Worlds]
"""draw(n, seed): n worlds, each as likely as the next."""
FEWEST = 32
"""Simulations that are run whatever the clock says: something must be known."""
PRIORS_KEPT = 4
"""Priors that there is room for, for each node; most nodes are never searched from."""


Values = Callable[[Any, Any], Sequence[float]]
"""values(params, state): what each seat can expect from here to the end of the stage. The state is
a world of the search, so all of its cards may be looked at."""
Chooser = Callable[[Any, int, Any], int]
"""chooser(state, seat, rng): the action of one of the others, from what it may know."""


class Functions(NamedTuple):
    """Of Python, in place of kernels: free, and a thousand times slower."""

    values: Values | None = None
    chooser: Chooser | None = None


NO_FUNCTIONS = Functions()


@dataclass(frozen=True)
class Problem:
    """What is asked of a search."""

    params: Any
    seats: int
    draw: Draw
    search: SearchParams
    evaluator: Evaluator
    others: Others
    functions: Functions = NO_FUNCTIONS


class Tree:
    """What a search has found out. Room for `nodes` nodes and `particles` worlds is set aside, and
    used as it is needed; a full tree still learns, it only grows no more."""

    def __init__(
        self, dtype: np.dtype[Any], seats: int, nodes: int, particles: int = 0, priors: bool = False
    ) -> None:
        self.arrays = Arrays(
            nodes=np.empty(nodes, NODE),
            edges=np.empty(nodes, EDGE),
            # at most half full
            index=np.zeros(1 << max(1, (2 * nodes - 1).bit_length()), np.int32),
            used=np.zeros(4, np.int64),
            worlds=np.empty(particles, dtype),
            links=np.empty(particles, np.int32),
            priors=np.empty(PRIORS_KEPT * nodes if priors else 0),
        )
        self.sums = np.zeros(seats)  # of each seat's values over the simulations of this search
        self.simulations = 0
        self.root = 0
        self.world: Worlds | None = None  # the one that was searched, where it is only one

    def __len__(self) -> int:
        """The number of nodes."""
        return int(self.arrays.used[0])

    @property
    def particles(self) -> Worlds:
        """The worlds that it remembers."""
        found: Worlds = self.arrays.worlds[: self.arrays.used[PARTICLES]]
        return found

    def take(self, other: Tree) -> None:
        """Begin with what hangs below the root of another tree, as far as there is room."""
        transplant(other.arrays, other.root, self.arrays)

    def below(self, node: int) -> Tree:
        """The same tree seen from another root."""
        found = copy.copy(self)
        found.root = node
        return found

    def moves(self) -> NDArray[np.float64]:
        """[3, action]: visits, sum and sum of squares of the values at the root."""
        found = np.zeros((3, ACTIONS))
        if len(self):
            read_moves(self.arrays, self.root, found[0], found[1], found[2])
        return found

    def line(self, action: int, most: int = 16) -> list[int]:
        """The actions that were searched most, one after another, beginning with `action`."""
        out = np.zeros(most, np.int64)
        length = main_line(self.arrays, self.root, action, out) if len(self) else 0
        return [int(action) for action in out[:length]]


def search_params(params: Any, world: Any, **options: Any) -> SearchParams:
    """`SearchParams` with the scale of the game's values filled in."""
    low, high = contract.bounds(params, world)
    scale = 1.0 / (float(high) - float(low)) if high > low else 1.0
    standard: dict[str, Any] = {
        "modelled": 0,
        "depth": DEEPEST,
        "patience": 1,
        "selection": UCB,
        "explore": 1.0,
        "prior": Player(UNIFORM),
        "noise": 0.0,
        "dirichlet": np.zeros(ACTIONS),
        "discount": 1.0,
        "low": float(low),
        "scale": scale,
    }
    return SearchParams(**{**standard, **options})


def search_block(
    problem: Problem,
    tree: Tree,
    starts: Worlds,
    sims: int,
    source: Any,
    deadline: float = 0.0,
    fewest: int = FEWEST,
) -> int:
    """Run `sims` simulations from the worlds `starts`; when the clock reaches `deadline` (0: there
    is none) only as many as are missing to the `fewest`. Returns their number."""
    if problem.functions != NO_FUNCTIONS:
        return _search_asking(problem, tree, starts, sims, source, deadline, fewest)
    limits = Limits(sims, max(0, fewest - tree.simulations), deadline)
    sums, done = run(
        problem.params, problem.search, problem.evaluator, problem.others, tree.arrays, starts,
        limits, source,
    )  # fmt: skip
    tree.sums += sums
    tree.simulations += int(done)
    return int(done)


def _search_asking(
    problem: Problem,
    tree: Tree,
    starts: Worlds,
    sims: int,
    source: Any,
    deadline: float,
    fewest: int,
) -> int:
    """`kernels.run`, step by step, for functions of Python."""
    params, search, evaluator, others = (
        problem.params, problem.search, problem.evaluator, problem.others,
    )  # fmt: skip
    values, chooser = problem.functions
    seats, arrays = problem.seats, tree.arrays
    order = shuffled(len(starts), source)
    world, walk = np.empty(1, starts.dtype), np.zeros(1, WALK)[0]
    work = new_work(params, starts, seats)
    new_roots(search, arrays, seats)
    done = 0
    while done < sims:
        if deadline and tree.simulations >= fewest and time.monotonic() > deadline:
            break
        world[0] = starts[order[done % len(starts)]]
        state = world[0]
        if search.modelled == MODELLED:
            draw_players(others, search.seat, source, evaluator.players)
        begin_walk(params, search, state, work, walk)
        while True:
            at = walk_on(params, search, evaluator, arrays, state, work, walk, source)
            if at != ASK:
                break
            assert chooser is not None
            action = chooser(state, int(contract.player_to_act(params, state)), source)
            contract.apply(params, state, action, source)
            walk.key = mixed(np.uint64((int(walk.key) + action + 1) % (1 << 64)))
        if at == LEAF and values is not None:
            contract.returns(params, state, work.value)
            work.value[:] += values(params, state)
        elif at == LEAF:
            walk.steps += evaluate(
                params, evaluator, state, work.room, source, work.scratch, search.seat, work.value
            )
        back_up(search, arrays, work, walk)
        done += 1
        tree.simulations += 1
    tree.sums += work.sums
    return done


def value_errors(moves: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and standard error of the value of each action, from visits, sums and squares."""
    visits, total, squares = moves
    number = np.maximum(1, visits)
    mean = total / number
    # as if one more simulation had told nothing: a few that agree do not prove a value
    spread = (np.maximum(0, squares - number * mean**2) + 0.25) / (number + 1)
    return mean, np.sqrt(spread / number)


def source_of(seed: int, number: int) -> Any:
    """Random numbers for a part of a search."""
    return rng.generator(seed_of(seed, number), stream=rng.SEARCH)


def seed_of(seed: int, number: int) -> int:
    """A seed for a part of a search."""
    return (seed * 0x9E3779B97F4A7C15F39CC0605CEDC835 + number + 1) % (1 << 128)
