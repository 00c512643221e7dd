"""The simulations of a search, as kernels.

One walk serves every method: down the tree of an observer from a world, one new node, a value from
`evaluate`, and back up. What differs is set in `How`:

* who observes: one seat (information sets), or ALL (a perfect-information tree in a fixed world);
* whether the others choose in the tree, each for itself, or by a model outside it;
* how deep the tree may grow: 1 is flat Monte Carlo.

`each_simulation` is the variant with a tree for every observer.
"""

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
from kibitz.evaluate.kernels import MOST_EXACT, MOST_STATES, choose, play_out, solvable, solve
from kibitz.rng import below, mixed, uniform
from kibitz.search.selection import pick_edge
from kibitz.search.tree import (
    NODES,
    NONE,
    edge_of,
    follow,
    grow,
    new_edge,
    new_node,
)

ALL = -1
"""The observer who sees every hand."""
DEEPEST = 512
"""Longest path in a tree."""
CLOCK_EVERY = 8
"""Simulations between two looks at the clock."""


@inline_kernel
def seen_by(params, state, observer, seats):
    """The observer's glimpse."""
    if observer != ALL:
        return glimpse(params, state, observer)
    word = ZERO
    for seat in range(seats):
        word = mixed(word ^ glimpse(params, state, seat))
    return word


# --- values --------------------------------------------------------------------------------------


@kernel
def evaluate(params, how, state, sharpness, weights, rng, scratch, room, value):
    """Write what `state`, in the stage of the root, leads to into `value`; returns how many more
    decisions of the seat that took."""
    if how.exact > 0 and solvable(params, state, how.exact):
        stack, left, best, ties, sums = room
        stack[0] = state
        if solve(params, stack, left, best, ties, sums, MOST_STATES, rng, value):
            return 0
    return play_out(
        params, state, sharpness, how.randomness, how.modelled == 1, how.horizon, weights, rng,
        scratch, how.seat, value,
    )  # fmt: skip


@inline_kernel
def back_up(how, edges, path, earlier, length, steps, base, value, sums):
    """Add the values to the edges of the path, to each that of the seat that chose it.
    `earlier[k]`: decisions of the searching seat before the k-th edge; `steps`: in all."""
    for seat in range(len(value)):
        value[seat] -= base[seat]
        sums[seat] += value[seat]
    for k in range(length):
        edge = path[k]
        worth = value[edges[edge].seat]
        if how.discount < 1.0:
            worth *= how.discount ** max(0, steps - 1 - earlier[k])
        worth = (worth - how.low) * how.scale
        edges[edge].visits += 1
        edges[edge].total += worth
        edges[edge].squares += worth * worth


# --- one simulation ------------------------------------------------------------------------------


@inline_kernel
def simulation(
    params, how, state, nodes, edges, index, used, worlds, links, sharpness, weights, noise, base,
    path, earlier, scratch, priors, room, value, sums, rng,
):  # fmt: skip
    """Walk from the root, with `state` as the world, to a new node; evaluate; back up."""
    here = stage(params, state)
    seats = len(value)
    node = np.int64(0)
    edge = np.int64(NONE)
    key = ZERO
    length = 0
    steps = 0
    inside = True
    while True:
        seat = np.int64(player_to_act(params, state))
        if seat < 0 or stage(params, state) != here:
            returns(params, state, value)
            inside = False
            break
        if how.modelled == 1 and seat != how.seat:
            action = choose(params, state, sharpness[seat], 0.0, rng, scratch)
            apply(params, state, action, rng)
            key = mixed(key + np.uint64(action + 1))
            continue
        if edge != NONE:  # which node is this?
            if length >= how.depth:
                break
            key = mixed(key ^ seen_by(params, state, how.observer, seats))
            node = follow(nodes, edges, index, edge, key)
            if node == NONE:
                node = grow(nodes, edges, index, used, edge, key)
                if node != NONE:
                    nodes[node].visits = 1
                    keep(nodes, node, state, worlds, links, used)
                break
            if nodes[node].visits < how.patience:
                nodes[node].visits += 1
                keep(nodes, node, state, worlds, links, used)
                break
        nodes[node].visits += 1
        keep(nodes, node, state, worlds, links, used)
        legal = legal_actions(params, state)
        edge, action = pick_edge(
            params,
            how,
            nodes,
            edges,
            used,
            node,
            length == 0,
            state,
            legal,
            seat,
            noise,
            priors,
            rng,
        )
        if edge == NONE or length >= DEEPEST:
            break
        path[length] = edge
        earlier[length] = steps
        length += 1
        steps += seat == how.seat
        apply(params, state, action, rng)
        key = ZERO
    if inside:
        steps += evaluate(params, how, state, sharpness, weights, rng, scratch, room, value)
    back_up(how, edges, path, earlier, length, steps, base, value, sums)


@inline_kernel
def keep(nodes, node, state, worlds, links, used):
    """Remember the world among the particles of the node, while there is room."""
    k = used[2]
    if k < len(worlds):
        worlds[k] = state
        links[k] = nodes[node].particle
        nodes[node].particle = k
        used[2] = k + 1


@inline_kernel
def each_simulation(
    params, how, state, nodes, edges, index, used, at, before, sharpness, weights, noise, base,
    path, earlier, scratch, priors, room, value, sums, rng,
):  # fmt: skip
    """As `simulation`, with a tree for each observer; their roots are the first nodes. Every action
    moves all observers on, each by what it sees; the seat to act chooses in its own tree."""
    here = stage(params, state)
    seats = len(value)
    for observer in range(seats):
        at[observer] = observer
    length = 0
    steps = 0
    inside = True
    while True:
        seat = np.int64(player_to_act(params, state))
        if seat < 0 or stage(params, state) != here:
            returns(params, state, value)
            inside = False
            break
        node = at[seat]
        if node < 0:  # its tree ends here, or has just grown
            break
        nodes[node].visits += 1
        if length > 0 and nodes[node].visits <= how.patience:
            break
        legal = legal_actions(params, state)
        edge, action = pick_edge(
            params,
            how,
            nodes,
            edges,
            used,
            node,
            length == 0,
            state,
            legal,
            seat,
            noise,
            priors,
            rng,
        )
        if edge == NONE or length >= min(DEEPEST, how.depth):
            break
        path[length] = edge
        earlier[length] = steps
        length += 1
        steps += seat == how.seat
        for observer in range(seats):
            before[observer] = glimpse(params, state, observer)
        apply(params, state, action, rng)
        if player_to_act(params, state) < 0 or stage(params, state) != here:
            continue  # what is dealt next is no part of the tree
        for observer in range(seats):
            node = at[observer]
            if node < 0:
                continue
            edge = path[length - 1] if observer == seat else edge_of(nodes, edges, node, action)
            if edge == NONE:
                edge = new_edge(nodes, edges, used, node, action, seat)
            at[observer] = NONE
            if edge == NONE:
                continue
            # what it held at the root is hidden, and no part of what it saw since
            key = glimpse(params, state, observer) - before[observer]
            node = follow(nodes, edges, index, edge, key)
            if node == NONE:
                node = grow(nodes, edges, index, used, edge, key)
                if node != NONE and observer == player_to_act(params, state):
                    nodes[node].visits = 1
            else:
                at[observer] = node
    if inside:
        steps += evaluate(params, how, state, sharpness, weights, rng, scratch, room, value)
    back_up(how, edges, path, earlier, length, steps, base, value, sums)


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
def draw_players(shares, sharpness, rng, out):
    """For each seat a player of the mixture `shares[seat]`, by its sharpness."""
    for seat in range(len(out)):
        at = uniform(rng)
        for kind in range(len(sharpness)):
            out[seat] = sharpness[kind]
            at -= shares[seat, kind]
            if at < 0.0:
                break


@kernel
def run(
    params, how, starts, sims, fewest, deadline, at, nodes, edges, index, used, worlds, links,
    shares, kinds, rollout, weights, noise, sums, rng,
):  # fmt: skip
    """Run `sims` simulations, each from the next of the worlds in `starts`, in random order; once
    the clock has reached `deadline`, if it is not 0, no more than `fewest`. The tree may hold
    something already; `used` says what. Where the others are modelled they are players of the
    mixtures `shares`, else all play as `rollout` says. `at`: None, or for a tree for each observer
    an int64 for each seat to work in. Returns how many simulations were run."""
    seats = len(sums)
    order = shuffled(len(starts), rng)
    space = np.empty(1, starts.dtype)
    base = np.zeros(seats)
    returns(params, starts[0], base)
    value = np.zeros(seats)
    before = np.zeros(seats, np.uint64)
    sharpness = np.full(seats, rollout)
    path = np.zeros(DEEPEST, np.int64)
    earlier = np.zeros(DEEPEST, np.int64)
    scratch = np.zeros(ACTIONS)
    priors = np.zeros(ACTIONS)
    room = (
        np.empty(MOST_EXACT + 2, starts.dtype),
        np.zeros(MOST_EXACT + 2, np.uint64),
        np.zeros(MOST_EXACT + 2),
        np.zeros(MOST_EXACT + 2, np.int64),
        np.zeros((MOST_EXACT + 2, seats)),
    )
    if used[NODES] == 0:
        for _ in range(1 if at is None else seats):
            new_node(nodes, used, ZERO)
    done = 0
    while done < sims:
        if deadline > 0.0 and done % CLOCK_EVERY == 0 and done >= fewest and now() > deadline:
            break
        space[0] = starts[order[done % len(starts)]]
        state = space[0]
        if how.modelled == 1:
            draw_players(shares, kinds, rng, sharpness)
            sharpness[how.seat] = rollout
        if at is not None:  # known to the compiler: only what is wanted is compiled
            each_simulation(
                params, how, state, nodes, edges, index, used, at, before, sharpness, weights,
                noise, base, path, earlier, scratch, priors, room, value, sums, rng,
            )  # fmt: skip
        else:
            simulation(
                params, how, state, nodes, edges, index, used, worlds, links, sharpness, weights,
                noise, base, path, earlier, scratch, priors, room, value, sums, rng,
            )  # fmt: skip
        done += 1
    return done


# --- what came of it -----------------------------------------------------------------------------


@kernel
def play_line(params, how, states, line, rng):
    """Play the actions of `line` from `states[0]` on, each as long as it is legal and, where the
    others are modelled, until one of them is to act: their moves are not in the tree. `states[k+1]`
    becomes what the k-th action leads to. Returns how many were played. In one kernel, because a
    record costs Python more to hand over than the whole line to play."""
    for k in range(len(line)):
        mover = np.int64(player_to_act(params, states[k]))
        if mover < 0 or (how.modelled == 1 and k > 0 and mover != how.seat):
            return k
        if legal_actions(params, states[k]) & single(line[k]) == ZERO:
            return k
        states[k + 1] = states[k]
        apply(params, states[k + 1], line[k], rng)
    return len(line)
