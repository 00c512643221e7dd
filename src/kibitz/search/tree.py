"""The tree of a search as two arrays of records, and what it takes to walk and to grow it.

A *node* is a point at which somebody decides, as an observer knows it; an *edge* is an action tried
there. Below an edge hang the nodes that can follow: one, unless chance or somebody outside the tree
has shown the observer different things, told apart by their `key`. Statistics are the edges', and
are those of the seat that chose the action: everyone maximises its own value.
"""

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
NODES, EDGES = 0, 1
"""Places in `used`: how many records are taken."""


@inline_kernel
def new_node(nodes, used, key):
    """A node, or NONE if there is no room."""
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
    return node


@inline_kernel
def new_edge(nodes, edges, used, node, action, seat):
    """An edge for an action that `node` has none for, or NONE if there is no room."""
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
def edge_of(nodes, edges, node, action):
    """The edge of an action, or NONE."""
    edge = nodes[node].first
    while edge != NONE and edges[edge].action != action:
        edge = edges[edge].next
    return edge


@inline_kernel
def place(index, edge, key):
    """Where the node below `edge` with that key is looked for first."""
    return np.int64(mixed(key + np.uint64(edge)) & np.uint64(len(index) - 1))


@inline_kernel
def follow(nodes, edges, index, edge, key):
    """The node below `edge` with that key, or NONE. The first child is found at once, the others by
    their hash: what can be drawn are thousands."""
    node = np.int64(edges[edge].child)
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
def attach(nodes, edges, index, edge, node):
    """Hang a node below an edge."""
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
def grow(nodes, edges, index, used, edge, key):
    """A new node below `edge`; NONE if there is no room."""
    node = new_node(nodes, used, key)
    if node != NONE:
        attach(nodes, edges, index, edge, node)
    return node


@kernel
def read_moves(nodes, edges, node, visits, total, squares):
    """Add the statistics of a node's edges to arrays with an entry for each action."""
    edge = nodes[node].first
    while edge != NONE:
        action = edges[edge].action
        visits[action] += edges[edge].visits
        total[action] += edges[edge].total
        squares[action] += edges[edge].squares
        edge = edges[edge].next


@kernel
def favourites(nodes, edges, node, action, out):
    """Write the line of most visited actions from `node` on into `out`, after `action`, with which
    it begins; returns its length, 0 if that was not searched."""
    length = 0
    while node != NONE and length < len(out):
        best = NONE
        edge = nodes[node].first
        if length == 0:
            best = edge_of(nodes, edges, node, action)
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
def transplant(
    nodes, edges, worlds, links, root, to_nodes, to_edges, to_index, to_worlds, to_links, used
):
    """Copy all that hangs below `root`, itself first, into another tree, which is empty, as far as
    there is room: breadth first, so that what is dropped lies deep. Particles of the new root come
    along, the others stay behind; returns their number."""
    used[NODES] = 1
    used[EDGES] = 0
    to_nodes[0] = nodes[root]
    to_nodes[0].sibling = NONE
    to_nodes[0].above = NONE
    to_nodes[0].particle = NONE
    kept = 0
    particle = nodes[root].particle
    while particle != NONE and kept < len(to_worlds):
        to_worlds[kept] = worlds[particle]
        to_links[kept] = to_nodes[0].particle
        to_nodes[0].particle = kept
        kept += 1
        particle = links[particle]
    at = 0
    while at < used[NODES]:
        edge = to_nodes[at].first  # still one of the old tree
        to_nodes[at].first = NONE
        to_nodes[at].tried = ZERO
        last = NONE
        while edge != NONE and used[EDGES] < len(to_edges):
            here = used[EDGES]
            used[EDGES] = here + 1
            to_edges[here] = edges[edge]
            to_edges[here].next = NONE
            to_edges[here].child = NONE
            to_nodes[at].tried |= single(edges[edge].action)
            if last == NONE:
                to_nodes[at].first = here
            else:
                to_edges[last].next = here
            last = here
            child = edges[edge].child
            while child != NONE and used[NODES] < len(to_nodes):
                there = used[NODES]
                used[NODES] = there + 1
                to_nodes[there] = nodes[child]
                to_nodes[there].sibling = NONE
                to_nodes[there].particle = NONE
                attach(to_nodes, to_edges, to_index, here, there)
                child = nodes[child].sibling
            edge = edges[edge].next
        at += 1
    return kept
