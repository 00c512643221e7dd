"""The part of a search tree that came true: kept from one decision to the next.

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


class Kept:
    def __init__(self, tree: Tree, view: View, action: int) -> None:
        self.tree, self.view, self.action = tree, view, action

    def found(self, view: View) -> Tree | None:
        """The branch that `view` belongs to, as a tree of its own, or None."""
        old = self.view
        known = len(old.events)
        if (
            view.rules != old.rules
            or view.seat != old.seat
            or len(view.events) <= known
            or view.events[:known] != old.events
        ):
            return None
        tree, game = self.tree, game_of(view.rules)
        if not tree.used[0]:
            return None
        edge = edge_of(tree.nodes, tree.edges, tree.root, self.action)
        if edge == NONE:
            return None
        key = np.uint64(0)
        mine = 0
        for event in view.events[known:]:
            action = game.action_of(event)
            if action is None:
                continue
            if event.seat == view.seat:
                mine += 1
                if mine > 1 or action != self.action:
                    return None  # more happened than one decision of ours
            else:
                key = np.uint64(mixed(key + np.uint64(action + 1)))
        seen = contract.glimpse(view.rules.params, view.observation, view.seat)
        key = np.uint64(mixed(key ^ np.uint64(seen)))
        node = follow(tree.nodes, tree.edges, tree.index, edge, key)
        return None if node == NONE else tree.below(int(node))
