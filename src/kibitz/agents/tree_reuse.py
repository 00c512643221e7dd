"""The part of a search tree that came true, for the next decision.

The tree branches on the seat's own actions, and below each on what it saw until its next decision:
the others' moves, in order, and its own cards. When the next view comes, what really happened
picks the branch.
"""

from __future__ import annotations

import numpy as np

from kibitz import contract
from kibitz.games import game_of
from kibitz.rng import mixed
from kibitz.search.search import Tree
from kibitz.search.tree import NONE, edge_of, follow
from kibitz.view import View


def reused(tree: Tree, old: View, chosen: int, view: View) -> Tree | None:
    """The branch that `view` belongs to, as a tree of its own, if `tree` was grown for the view
    `old` and `chosen` was played then; None if there is none."""
    seen = len(old.events)
    if (
        view.rules != old.rules
        or view.seat != old.seat
        or len(view.events) <= seen
        or view.events[:seen] != old.events
        or not len(tree)
    ):
        return None
    edge = edge_of(tree.arrays, tree.root, chosen)
    if edge == NONE:
        return None
    game = game_of(view.rules)
    key = np.uint64(0)
    mine = 0
    for event in view.events[seen:]:
        action = game.action_of(event)
        if action is None:
            continue
        if event.seat == view.seat:
            mine += 1
            if mine > 1 or action != chosen:
                return None  # more happened than one decision of ours
        else:
            key = np.uint64(mixed(key + np.uint64(action + 1)))
    shown = contract.glimpse(view.rules.params, view.observation, view.seat)
    key = np.uint64(mixed(key ^ np.uint64(shown)))
    node = follow(tree.arrays, edge, key)
    return None if node == NONE else tree.below(int(node))
