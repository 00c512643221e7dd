"""How a search chooses among the actions of a node: by upper confidence bounds, or by PUCT where
there are priors."""

from typing import Any, NamedTuple

import numpy as np

from kibitz._jit import inline_kernel
from kibitz.bits import ONE, ZERO, lowest, popcount, single
from kibitz.contract import legal_actions, player_to_act
from kibitz.players import Player, any_of, weigh
from kibitz.search.tree import EDGES, NONE, PRIORS, new_edge

UCB, PUCT = 0, 1
ALL, EACH = -1, -2
"""Observers that are no seat: one who sees every hand, and every seat with a tree of its own."""
MODELLED, ASKED = 1, 2


class SearchParams(NamedTuple):
    """How to search, as the kernels take it."""

    seat: int
    """For whom."""
    observer: int
    """Whose information sets the tree is made of: a seat, or ALL."""
    modelled: int
    """Whether the others choose outside the tree: MODELLED as the players they are taken to be, or
    ASKED by a function; else 0."""
    depth: int
    """Most edges of a path."""
    patience: int
    """Visits of a node below the root before its actions are searched; until then games are played
    out from it. A node that is searched at once is at first played in all but at random, which
    tells less of what comes before it than a sensible game played out."""
    selection: int
    """UCB or PUCT."""
    explore: float
    """Weight of what is little known against what seems good."""
    prior: Player
    """Whose chances are the priors."""
    noise: float
    """Share of the root's priors that is noise."""
    dirichlet: Any
    """float64[ACTIONS]: the noise."""
    discount: float
    """Of what comes a decision of `seat` later."""
    low: float
    scale: float
    """Values v become (v - low) * scale, from 0 to 1."""


@inline_kernel
def by_bounds(search, tree, node, legal, rng):
    """An action of `legal` that has no edge yet, at random; else the edge with the best upper
    confidence bound, where an action counts as available only if it was legal (Cowling, Powley and
    Whitehouse 2012). Returns the edge, or NONE, and the action."""
    edges = tree.edges
    untried = legal & ~tree.nodes[node].tried
    fresh = untried != ZERO
    best = NONE
    top = -np.inf
    last = 0
    log = 0.0
    edge = tree.nodes[node].first
    while edge != NONE:
        if legal & single(edges[edge].action) != ZERO:
            edges[edge].available += 1
            if not fresh:
                if edges[edge].available != last:
                    last = edges[edge].available
                    log = np.log(np.float64(last))
                visits = np.float64(max(1, edges[edge].visits))
                bound = edges[edge].total / visits + search.explore * np.sqrt(log / visits)
                if bound > top:
                    top = bound
                    best = edge
        edge = edges[edge].next
    if fresh:
        return NONE, any_of(untried, rng)
    return best, np.int64(edges[best].action)


@inline_kernel
def set_priors(params, search, tree, node, state, legal, priors):
    """Write the priors of the actions of `legal`, for the first time at this node. Where it stands
    for all that the seat to act knows, they are the same at every visit, and are kept."""
    weigh(params, state, legal, search.prior, priors)
    at = tree.used[PRIORS]
    if at + popcount(legal) > len(tree.priors):
        return
    tree.nodes[node].prior = at
    while legal != ZERO:
        tree.priors[at] = priors[lowest(legal)]
        legal &= legal - ONE
        at += 1
    tree.used[PRIORS] = at


@inline_kernel
def get_priors(tree, node, legal, priors):
    """Read those that were kept."""
    at = tree.nodes[node].prior
    while legal != ZERO:
        priors[lowest(legal)] = tree.priors[at]
        legal &= legal - ONE
        at += 1


@inline_kernel
def by_priors(search, tree, node, at_root, legal, priors):
    """PUCT: value + explore * prior * sqrt(visits of the node) / (1 + visits of the edge). An
    action not yet tried is taken to be worth what the node is on average."""
    nodes, edges = tree.nodes, tree.edges
    if search.noise > 0.0 and at_root:
        left = legal
        while left != ZERO:
            action = lowest(left)
            left &= left - ONE
            prior = (1.0 - search.noise) * priors[action]
            priors[action] = prior + search.noise * search.dirichlet[action]
    total = 0.0
    visits = 0
    edge = nodes[node].first
    while edge != NONE:
        if legal & single(edges[edge].action) != ZERO:
            edges[edge].available += 1
            total += edges[edge].total
            visits += edges[edge].visits
        edge = edges[edge].next
    root = search.explore * np.sqrt(np.float64(max(1, visits)))
    best = NONE
    top = -np.inf
    chosen = np.int64(0)
    left = legal & ~nodes[node].tried
    mean = total / visits if visits > 0 else 0.5
    while left != ZERO:
        action = lowest(left)
        left &= left - ONE
        bound = mean + root * priors[action]
        if bound > top:
            top = bound
            chosen = action
    edge = nodes[node].first
    while edge != NONE:
        action = np.int64(edges[edge].action)
        if legal & single(action) != ZERO:
            number = edges[edge].visits
            value = edges[edge].total / number if number > 0 else mean
            bound = value + root * priors[action] / (1.0 + number)
            if bound > top:
                top = bound
                best = edge
                chosen = action
        edge = edges[edge].next
    return best, chosen


@inline_kernel
def pick_edge(params, search, tree, node, at_root, state, priors, rng):
    """The edge to follow and its action; the edge is new if the action is, and NONE if there is no
    room for it. `priors`: scratch, float64[ACTIONS]."""
    seat = np.int64(player_to_act(params, state))
    legal = legal_actions(params, state)
    full = tree.used[EDGES] >= len(tree.edges) and legal & ~tree.nodes[node].tried != ZERO
    if full:
        legal &= tree.nodes[node].tried  # make do with what is there
        if legal == ZERO:
            return NONE, np.int64(0)
    if search.selection == UCB:
        edge, action = by_bounds(search, tree, node, legal, rng)
    else:
        if full or not (search.observer < 0 or search.observer == seat):
            weigh(params, state, legal, search.prior, priors)
        elif tree.nodes[node].prior == NONE:
            set_priors(params, search, tree, node, state, legal, priors)
        else:
            get_priors(tree, node, legal, priors)
        edge, action = by_priors(search, tree, node, at_root, legal, priors)
    if edge == NONE:
        edge = new_edge(tree, node, action, seat)
    return edge, action
