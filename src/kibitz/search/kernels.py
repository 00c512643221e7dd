"""The simulations of a search, as kernels.

One walk serves every method: down the tree of an observer from a world, one new node, a value from
the evaluator, and back up. What differs is set in `SearchParams`:

* who observes: one seat (information sets), ALL (a perfect-information tree in a fixed world), or
  EACH seat in a tree of its own;
* whether the others choose in the tree, each for itself, or by a model outside it;
* how deep the tree may grow: 1 is flat Monte Carlo.
"""

from typing import Any, NamedTuple

import numpy as np

from kibitz._jit import inline_kernel, kernel
from kibitz.bits import ZERO, single
from kibitz.clock import now
from kibitz.contract import (
    ACTIONS,
    apply,
    glimpse,
    legal_actions,
    player_to_act,
    returns,
    stage,
)
from kibitz.evaluate.kernels import evaluate, new_room
from kibitz.players import choose
from kibitz.rng import below, mixed, uniform
from kibitz.search.selection import ALL, ASKED, EACH, MODELLED, pick_edge
from kibitz.search.tree import (
    NODES,
    NONE,
    edge_of,
    follow,
    grow,
    keep,
    new_edge,
    new_node,
)

DEEPEST = 512
"""Longest path in a tree."""
CLOCK_EVERY = 8
"""Simulations between two looks at the clock."""
END, LEAF, ASK = range(3)
"""Where a walk has come to."""


class Others(NamedTuple):
    """Who the others may be, where they are modelled."""

    players: Any  # PLAYER[kinds]
    shares: Any  # float64[seats, kinds]: how likely each seat is to be each of them


class Limits(NamedTuple):
    """When to stop."""

    sims: int
    fewest: int
    """Simulations that are run whatever the clock says."""
    deadline: float
    """By the clock of `now`; 0: none."""


class Work(NamedTuple):
    """What simulations work in."""

    path: Any  # int64[DEEPEST]: the edges that were taken
    earlier: Any  # int64[DEEPEST]: decisions of the searching seat before each of them
    scratch: Any  # float64[ACTIONS]
    priors: Any  # float64[ACTIONS]
    base: Any  # float64[seats]: what each seat has already
    value: Any  # float64[seats]
    sums: Any  # float64[seats]: of the values of all simulations
    at: Any  # int64[seats]: where there is a tree for each observer, the node of each
    before: Any  # uint64[seats]: what each saw before the last action
    room: Any  # Room


WALK = np.dtype(
    (
        np.record,
        [
            ("stage", np.int64),  # of the root
            ("node", np.int64),  # where it stands
            ("edge", np.int64),  # the last that was taken
            ("key", np.uint64),  # what the observer has seen since
            ("length", np.int64),  # edges that were taken
            ("steps", np.int64),  # decisions of the searching seat
        ],
    )
)
"""A walk down the tree, as far as it has come."""


@inline_kernel
def seen_by(params, state, observer, seats):
    """The observer's glimpse."""
    if observer != ALL:
        return glimpse(params, state, observer)
    word = ZERO
    for seat in range(seats):
        word = mixed(word ^ glimpse(params, state, seat))
    return word


@inline_kernel
def back_up(search, tree, work, walk):
    """Add the values to the edges of the path, to each that of the seat that chose it."""
    value, edges = work.value, tree.edges
    for seat in range(len(value)):
        value[seat] -= work.base[seat]
        work.sums[seat] += value[seat]
    for k in range(walk.length):
        edge = work.path[k]
        worth = value[edges[edge].seat]
        if search.discount < 1.0:
            worth *= search.discount ** max(0, walk.steps - 1 - work.earlier[k])
        worth = (worth - search.low) * search.scale
        edges[edge].visits += 1
        edges[edge].total += worth
        edges[edge].squares += worth * worth


@inline_kernel
def arrive(search, tree, state, edge, key):
    """The node to which `edge` has led, and whether its actions are searched: not if it is new, or
    has had few visits."""
    node = follow(tree, edge, key)
    if node == NONE:
        node = grow(tree, edge, key)
        if node == NONE:
            return node, False
        tree.nodes[node].visits = 0
        searched = False
    else:
        searched = tree.nodes[node].visits >= search.patience
    tree.nodes[node].visits += 1
    keep(tree, node, state)
    return node, searched


@inline_kernel
def look(params, state, work):
    """Note what each observer sees before an action."""
    for observer in range(len(work.at)):
        work.before[observer] = glimpse(params, state, observer)


@inline_kernel
def move_on(params, tree, state, seat, action, edge, work):
    """Every observer moves on in its own tree by what it saw of an action of `seat`, who took
    `edge` in its own."""
    for observer in range(len(work.at)):
        node = work.at[observer]
        if node < 0:
            continue
        taken = edge if observer == seat else edge_of(tree, node, action)
        if taken == NONE:
            taken = new_edge(tree, node, action, seat)
        work.at[observer] = NONE
        if taken == NONE:
            continue
        # what it held at the root is hidden, and no part of what it saw since
        key = glimpse(params, state, observer) - work.before[observer]
        node = follow(tree, taken, key)
        if node == NONE:
            node = grow(tree, taken, key)
            if node != NONE and observer == player_to_act(params, state):
                tree.nodes[node].visits = 1
        else:
            work.at[observer] = node


@inline_kernel
def begin_walk(params, search, state, work, walk):
    """Stand at the root, with `state` as the world."""
    walk.stage = stage(params, state)
    walk.edge = NONE
    walk.key = ZERO
    walk.length = 0
    walk.steps = 0
    if search.observer == EACH:
        for observer in range(len(work.at)):
            work.at[observer] = observer


@inline_kernel
def walk_on(params, search, evaluator, tree, state, work, walk, rng):
    """Walk down the tree to a node whose actions are not searched (LEAF), to the end of the stage
    (END: `work.value` is known), or, if the others choose by a function, to where one of them is to
    act (ASK). Returns which of them."""
    each = search.observer == EACH
    here, edge, key, length, steps = walk.stage, walk.edge, walk.key, walk.length, walk.steps
    node = np.int64(0)
    result = END
    while True:
        seat = np.int64(player_to_act(params, state))
        if seat < 0 or stage(params, state) != here:
            returns(params, state, work.value)
            break
        if search.modelled != 0 and seat != search.seat:
            if search.modelled == ASKED:
                result = ASK
                break
            action = choose(params, state, evaluator.players[seat], rng, work.scratch)
            apply(params, state, action, rng)
            key = mixed(key + np.uint64(action + 1))
            continue
        searched = length < search.depth
        if each:
            node = work.at[seat]
            if node < 0:  # its tree ends here, or has just grown
                searched = False
            else:
                tree.nodes[node].visits += 1
                searched = length == 0 or tree.nodes[node].visits > search.patience
        elif edge == NONE:  # the root
            tree.nodes[node].visits += 1
            keep(tree, node, state)
        elif searched:
            key = mixed(key ^ seen_by(params, state, search.observer, len(work.value)))
            node, searched = arrive(search, tree, state, edge, key)
        if searched:
            edge, action = pick_edge(
                params, search, tree, node, length == 0, state, work.priors, rng
            )
            searched = edge != NONE and length < min(DEEPEST, search.depth)
        if not searched:
            result = LEAF
            break
        work.path[length] = edge
        work.earlier[length] = steps
        length += 1
        steps += seat == search.seat
        key = ZERO
        if each:
            look(params, state, work)
        apply(params, state, action, rng)
        if each and player_to_act(params, state) >= 0 and stage(params, state) == here:
            move_on(params, tree, state, seat, action, edge, work)  # the next deal is no part of it
    walk.edge, walk.key, walk.length, walk.steps = edge, key, length, steps
    walk.node = node
    return result


@inline_kernel
def simulation(params, search, evaluator, tree, state, work, walk, rng):
    """Walk from the root, with `state` as the world, to a new node; evaluate; back up."""
    begin_walk(params, search, state, work, walk)
    if walk_on(params, search, evaluator, tree, state, work, walk, rng) == LEAF:
        walk.steps += evaluate(
            params, evaluator, state, work.room, rng, work.scratch, search.seat, work.value
        )
    back_up(search, tree, work, walk)


# --- many simulations ----------------------------------------------------------------------------


@kernel
def shuffled(n, rng):
    """The numbers below n in random order."""
    order = np.arange(n)
    for k in range(n - 1, 0, -1):
        other = below(rng, k + 1)
        order[k], order[other] = order[other], order[k]
    return order


@kernel
def draw_players(others, own, rng, out):
    """For each seat but `own` a player of its mixture."""
    for seat in range(len(out)):
        at = uniform(rng)
        for kind in range(len(others.players)):
            if seat != own:
                out[seat] = others.players[kind]
            at -= others.shares[seat, kind]
            if at < 0.0:
                break


@kernel
def new_work(params, start, seats):
    """What simulations from such worlds as `start[0]` work in."""
    base = np.zeros(seats)
    returns(params, start[0], base)
    return Work(
        np.zeros(DEEPEST, np.int64),
        np.zeros(DEEPEST, np.int64),
        np.zeros(ACTIONS),
        np.zeros(ACTIONS),
        base,
        np.zeros(seats),
        np.zeros(seats),
        np.zeros(seats, np.int64),
        np.zeros(seats, np.uint64),
        new_room(start, seats),
    )


@kernel
def new_roots(search, tree, seats):
    """The root of an empty tree, or one for each observer."""
    if tree.used[NODES] == 0:
        for _ in range(seats if search.observer == EACH else 1):
            new_node(tree, ZERO)


@kernel
def run(params, search, evaluator, others, tree, starts, limits, rng):
    """Run simulations, each from the next of the worlds in `starts`, in random order. The tree may
    hold something already. `evaluator.players` plays games out, where the others are modelled only
    for the searching seat: the rest are players of the mixtures `others`. Returns the sums of each
    seat's values, and how many simulations were run."""
    seats = len(evaluator.players)
    order = shuffled(len(starts), rng)
    space = np.empty(1, starts.dtype)
    walks = np.zeros(1, WALK)
    work = new_work(params, starts, seats)
    new_roots(search, tree, seats)
    done = 0
    while done < limits.sims:
        if limits.deadline > 0.0 and done % CLOCK_EVERY == 0 and done >= limits.fewest:
            if now() > limits.deadline:
                break
        space[0] = starts[order[done % len(starts)]]
        if search.modelled == MODELLED:
            draw_players(others, search.seat, rng, evaluator.players)
        simulation(params, search, evaluator, tree, space[0], work, walks[0], rng)
        done += 1
    return work.sums, done


# --- what came of it -----------------------------------------------------------------------------


@kernel
def play_line(params, search, states, line, rng):
    """Play the actions of `line` from `states[0]` on, each as long as it is legal and, where the
    others are modelled, until one of them is to act: their moves are not in the tree. `states[k+1]`
    becomes what the k-th action leads to. Returns how many were played. In one kernel, because a
    record costs Python more to hand over than the whole line to play."""
    for k in range(len(line)):
        mover = np.int64(player_to_act(params, states[k]))
        if mover < 0 or (search.modelled != 0 and k > 0 and mover != search.seat):
            return k
        if legal_actions(params, states[k]) & single(line[k]) == ZERO:
            return k
        states[k + 1] = states[k]
        apply(params, states[k + 1], line[k], rng)
    return len(line)
