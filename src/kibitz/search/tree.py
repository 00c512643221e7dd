"""The tree of a search as two arrays of records, and what it takes to walk and to grow it.

A *node* is a point at which somebody decides, as an observer knows it; an *edge* is an action tried
there. Below an edge hang the nodes that can follow: one, unless chance or somebody outside the tree
has shown the observer different things, told apart by their `key`. Statistics are the edges', and
are those of the seat that chose the action: everyone maximises its own value.
"""

from typing import Any, NamedTuple

import numpy as np

from kibitz._jit import inline_kernel, kernel
from kibitz.bits import ZERO, single
from kibitz.rng import mixed

NONE = -1


def _record(fields):
    """Records whose fields lie where the processor likes them."""
    return np.dtype((np.record, np.dtype(fields, align=True)))


NODE = _record(
    [
        ("key", np.uint64),  # what the observer saw happen below the edge
        ("tried", np.uint64),  # actions that have an edge
        ("visits", np.int32),
        ("first", np.int32),  # edge, the start of a list
        ("sibling", np.int32),  # node, the next that can follow the same edge
        ("above", np.int32),  # edge
        ("particle", np.int32),  # the last world seen here, the start of a list
        ("prior", np.int32),  # where the priors of its actions begin, NONE if they are not kept
    ]
)
EDGE = _record(
    [
        ("total", np.float64),  # of the chooser's values, scaled to 0..1
        ("squares", np.float64),
        ("visits", np.int32),
        ("available", np.int32),  # visits of the node with the action legal
        ("child", np.int32),  # node, the start of a list
        ("next", np.int32),  # edge of the same node
        ("action", np.int8),
        ("seat", np.int8),  # who chose
    ]
)
NODES, EDGES, PARTICLES, PRIORS = range(4)
"""Places in `used`: how many of each are taken."""


class Arrays(NamedTuple):
    """All that a tree is made of, as the kernels take it."""

    nodes: Any  # NODE[room]
    edges: Any  # EDGE[room]
    index: Any  # int32[power of 2]: a hash table of nodes; numbers are one more, 0 is nothing
    used: Any  # int64[4]
    worlds: Any  # state[particles]
    links: Any  # int32[particles]: the particle of the same node before
    priors: Any  # float64[some for each node]: of the legal actions of a node, in their order


@inline_kernel
def new_node(tree, key):
    """A node, or NONE if there is no room."""
    nodes, used = tree.nodes, tree.used
    node = used[NODES]
    if node >= len(nodes):
        return NONE
    used[NODES] = node + 1
    nodes[node].key = key
    nodes[node].tried = ZERO
    nodes[node].visits = 0
    nodes[node].first = NONE
    nodes[node].sibling = NONE
    nodes[node].above = NONE
    nodes[node].particle = NONE
    nodes[node].prior = NONE
    return node


@inline_kernel
def new_edge(tree, node, action, seat):
    """An edge for an action that `node` has none for, or NONE if there is no room."""
    nodes, edges, used = tree.nodes, tree.edges, tree.used
    edge = used[EDGES]
    if edge >= len(edges):
        return NONE
    used[EDGES] = edge + 1
    edges[edge].total = 0.0
    edges[edge].squares = 0.0
    edges[edge].visits = 0
    edges[edge].available = 1
    edges[edge].child = NONE
    edges[edge].next = nodes[node].first
    edges[edge].action = action
    edges[edge].seat = seat
    nodes[node].first = edge
    nodes[node].tried |= single(action)
    return edge


@inline_kernel
def edge_of(tree, node, action):
    """The edge of an action, or NONE."""
    edge = tree.nodes[node].first
    while edge != NONE and tree.edges[edge].action != action:
        edge = tree.edges[edge].next
    return edge


@inline_kernel
def place(index, edge, key):
    """Where the node below `edge` with that key is looked for first."""
    return np.int64(mixed(key + np.uint64(edge)) & np.uint64(len(index) - 1))


@inline_kernel
def follow(tree, edge, key):
    """The node below `edge` with that key, or NONE. The first child is found at once, the others by
    their hash: what can be drawn are thousands."""
    nodes, index = tree.nodes, tree.index
    node = np.int64(tree.edges[edge].child)
    if node == NONE or nodes[node].key == key:
        return node
    at = place(index, edge, key)
    while index[at] != 0:
        node = np.int64(index[at]) - 1
        if nodes[node].key == key and nodes[node].above == edge:
            return node
        at = (at + 1) & (len(index) - 1)
    return np.int64(NONE)


@inline_kernel
def attach(tree, edge, node):
    """Hang a node below an edge."""
    nodes, edges, index = tree.nodes, tree.edges, tree.index
    nodes[node].above = edge
    first = edges[edge].child
    if first == NONE:
        edges[edge].child = node
        return
    nodes[node].sibling = nodes[first].sibling
    nodes[first].sibling = node
    at = place(index, edge, nodes[node].key)
    while index[at] != 0:
        at = (at + 1) & (len(index) - 1)
    index[at] = node + 1


@inline_kernel
def grow(tree, edge, key):
    """A new node below `edge`; NONE if there is no room."""
    node = new_node(tree, key)
    if node != NONE:
        attach(tree, edge, node)
    return node


@inline_kernel
def keep(tree, node, state):
    """Remember the world among the particles of the node, while there is room."""
    k = tree.used[PARTICLES]
    if k < len(tree.worlds):
        tree.worlds[k] = state
        tree.links[k] = tree.nodes[node].particle
        tree.nodes[node].particle = k
        tree.used[PARTICLES] = k + 1


@kernel
def read_moves(tree, node, visits, total, squares):
    """Add the statistics of a node's edges to arrays with an entry for each action."""
    edges = tree.edges
    edge = tree.nodes[node].first
    while edge != NONE:
        action = edges[edge].action
        visits[action] += edges[edge].visits
        total[action] += edges[edge].total
        squares[action] += edges[edge].squares
        edge = edges[edge].next


@kernel
def main_line(tree, node, action, out):
    """Write the line of most visited actions from `node` on into `out`, after `action`, with which
    it begins; returns its length, 0 if that was not searched."""
    nodes, edges = tree.nodes, tree.edges
    length = 0
    while node != NONE and length < len(out):
        best = NONE
        edge = nodes[node].first
        if length == 0:
            best = edge_of(tree, node, action)
            edge = NONE
        while edge != NONE:
            if best == NONE or edges[edge].visits > edges[best].visits:
                best = edge
            edge = edges[edge].next
        if best == NONE:
            break
        out[length] = edges[best].action
        length += 1
        node = NONE
        child = edges[best].child
        while child != NONE:
            if node == NONE or nodes[child].visits > nodes[node].visits:
                node = child
            child = nodes[child].sibling
    return length


@kernel
def transplant(old, root, new):
    """Copy all that hangs below `root`, itself first, into another tree, which is empty, as far as
    there is room: breadth first, so that what is dropped lies deep. Particles of the new root come
    along, the others stay behind; so do priors, which are soon worked out again."""
    nodes, edges, used = new.nodes, new.edges, new.used
    used[NODES] = 1
    used[EDGES] = 0
    nodes[0] = old.nodes[root]
    nodes[0].sibling = NONE
    nodes[0].above = NONE
    nodes[0].particle = NONE
    nodes[0].prior = NONE
    particle = old.nodes[root].particle
    while particle != NONE and used[PARTICLES] < len(new.worlds):
        keep(new, 0, old.worlds[particle])
        particle = old.links[particle]
    at = 0
    while at < used[NODES]:
        edge = nodes[at].first  # still one of the old tree
        nodes[at].first = NONE
        nodes[at].tried = ZERO
        last = NONE
        while edge != NONE and used[EDGES] < len(edges):
            here = used[EDGES]
            used[EDGES] = here + 1
            edges[here] = old.edges[edge]
            edges[here].next = NONE
            edges[here].child = NONE
            nodes[at].tried |= single(old.edges[edge].action)
            if last == NONE:
                nodes[at].first = here
            else:
                edges[last].next = here
            last = here
            child = old.edges[edge].child
            while child != NONE and used[NODES] < len(nodes):
                there = used[NODES]
                used[NODES] = there + 1
                nodes[there] = old.nodes[child]
                nodes[there].sibling = NONE
                nodes[there].particle = NONE
                nodes[there].prior = NONE
                attach(new, here, there)
                child = old.nodes[child].sibling
            edge = old.edges[edge].next
        at += 1
