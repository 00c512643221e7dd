"""How a search chooses among the actions of a node: by upper confidence bounds, or by PUCT where
there are priors."""

from typing import NamedTuple

import numpy as np

from kibitz._jit import inline_kernel, kernel
from kibitz.bits import ONE, ZERO, lowest, popcount, select, single
from kibitz.contract import keen_scores
from kibitz.policy import soften
from kibitz.rng import below
from kibitz.search.tree import EDGES, NONE, new_edge

UCB, PRIORS = 0, 1


class How(NamedTuple):
    """How to search, as the kernels take it."""

    seat: int
    """For whom."""
    observer: int
    """Whose information sets the tree is made of: a seat, or ALL."""
    modelled: int
    """1 if the others choose by their sharpness, outside the tree."""
    depth: int
    """Most edges of a path."""
    patience: int
    """Visits of a node below the root before its actions are searched; until then games are played
    out from it. A node that is searched at once is at first played in all but at random, which
    tells less of what comes before it than a sensible game played out."""
    rule: int
    """UCB, or PRIORS for PUCT."""
    explore: float
    """Weight of what is little known against what seems good."""
    heat: float
    """Temperature of the priors, which follow the keen player; infinite: all equal."""
    noise: float
    """Share of the root's priors that is noise."""
    discount: float
    """Of what comes a decision of `seat` later."""
    randomness: float
    """Chance of any action instead of the player's own, when a game is played out."""
    horizon: int
    """Plies that a game is played out for, before its estimate is taken."""
    exact: int
    """Decisions left at which a state is solved instead."""
    low: float
    scale: float
    """Values v become (v - low) * scale, from 0 to 1."""


@inline_kernel
def by_bounds(how, nodes, edges, node, legal, rng):
    """An action of `legal` that has no edge yet, at random; else the edge with the best upper
    confidence bound, where an action counts as available only if it was legal (Cowling, Powley and
    Whitehouse 2012). Returns the edge, or NONE, and the action."""
    untried = legal & ~nodes[node].tried
    fresh = untried != ZERO
    best = NONE
    top = -np.inf
    last = 0
    log = 0.0
    edge = nodes[node].first
    while edge != NONE:
        if legal & single(edges[edge].action) != ZERO:
            edges[edge].available += 1
            if not fresh:
                if edges[edge].available != last:
                    last = edges[edge].available
                    log = np.log(np.float64(last))
                visits = np.float64(max(1, edges[edge].visits))
                bound = edges[edge].total / visits + how.explore * np.sqrt(log / visits)
                if bound > top:
                    top = bound
                    best = edge
        edge = edges[edge].next
    if fresh:
        return NONE, lowest(select(untried, below(rng, popcount(untried))))
    return best, np.int64(edges[best].action)


@kernel
def set_priors(params, state, legal, heat, priors):
    """Write chances in proportion to exp(score / heat) for the legal actions."""
    if heat == np.inf:
        share = 1.0 / popcount(legal)
        while legal != ZERO:
            priors[lowest(legal)] = share
            legal &= legal - ONE
        return
    keen_scores(params, state, priors)
    total = soften(legal, 1.0 / heat, priors)
    while legal != ZERO:
        priors[lowest(legal)] /= total
        legal &= legal - ONE


@inline_kernel
def by_priors(params, how, nodes, edges, node, at_root, state, legal, noise, priors):
    """PUCT: value + explore * prior * sqrt(visits of the node) / (1 + visits of the edge). An
    action not yet tried is taken to be worth what the node is on average."""
    set_priors(params, state, legal, how.heat, priors)
    if how.noise > 0.0 and at_root:
        left = legal
        while left != ZERO:
            action = lowest(left)
            left &= left - ONE
            priors[action] = (1.0 - how.noise) * priors[action] + how.noise * noise[action]
    total = 0.0
    visits = 0
    edge = nodes[node].first
    while edge != NONE:
        if legal & single(edges[edge].action) != ZERO:
            edges[edge].available += 1
            total += edges[edge].total
            visits += edges[edge].visits
        edge = edges[edge].next
    root = how.explore * np.sqrt(np.float64(max(1, visits)))
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
def pick_edge(
    params, how, nodes, edges, used, node, at_root, state, legal, seat, noise, priors, rng
):
    """The edge to follow and its action; the edge is new if the action is, and NONE if there is no
    room for it."""
    if used[EDGES] >= len(edges) and legal & ~nodes[node].tried != ZERO:
        legal &= nodes[node].tried  # full: make do with what is there
        if legal == ZERO:
            return NONE, np.int64(0)
    if how.rule == UCB:
        edge, action = by_bounds(how, nodes, edges, node, legal, rng)
    else:
        edge, action = by_priors(
            params, how, nodes, edges, node, at_root, state, legal, noise, priors
        )
    if edge == NONE:
        edge = new_edge(nodes, edges, used, node, action, seat)
    return edge, action
