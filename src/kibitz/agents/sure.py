"""Sure wins in a decision: what is proved counts, not what a search made of it.

A search plays games out with slips, so that a win which cannot be missed reads 98 %, and two of
them seem to differ. The search still takes all of its time: who answered at once would tell that
it had won.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from kibitz.agents.base import Decision, Move
from kibitz.agents.options import SearchOptions
from kibitz.contract import bounds
from kibitz.games.belief import Belief
from kibitz.view import View

Sure = Mapping[int, tuple[int, ...]]
"""Actions that win for certain, each with a line."""


def sure_wins(options: SearchOptions, belief: Belief | None, view: View) -> Sure:
    """What is proved of a choice. With a discount a win is worth more the sooner it comes, and no
    proof says how soon."""
    if belief is None or len(view.actions) == 1 or options.discount < 1:
        return {}
    return belief.sure_wins(view.actions)


def with_sure_wins(decision: Decision, view: View, sure: Sure) -> Decision:
    """The decision, with these actions as sure wins: one of them is played, and their values are
    what a win brings."""
    if not sure:
        return decision
    searched = {move.action: move for move in decision.moves}
    most = float(bounds(view.rules.params, view.observation)[1])
    visits = {action: searched[action].visits if action in searched else 0 for action in sure}
    total = sum(visits.values())
    policy = {a: n / total if total else 1 / len(sure) for a, n in visits.items()}
    proved = [
        Move(action, view.text(action), visits[action], policy[action], most, 0.0, proved=True)
        for action in sorted(sure, key=lambda a: -visits[a])
    ]
    others = [
        dataclasses.replace(move, share=0.0) for move in decision.moves if move.action not in sure
    ]
    best = proved[0].action if decision.action not in sure else decision.action
    proved.sort(key=lambda move: move.action != best)
    return dataclasses.replace(
        decision,
        action=best,
        policy={**{move.action: 0.0 for move in others}, **policy},
        moves=(*proved, *others),
        variation=tuple(view.text(action) for action in sure[best]),
    )
