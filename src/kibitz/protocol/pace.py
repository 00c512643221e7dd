"""Pace: when players that search are heard. A person must not learn from the clock whether a player
had a choice, so the moment is fixed before the player begins, from what moves at such tables took
lately, whoever made them: `least`, or the first multiple of it that leaves room enough.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict, deque
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from kibitz import api

if TYPE_CHECKING:
    from kibitz.protocol.session import Session

UNKNOWN = 4
"""Multiples of `least` where nobody played yet."""
ROOM = 1.5
"""How much longer than the slowest of late a move may take and still be in time."""
LATELY = 100
"""Moves that are remembered of a kind of table."""
LONGEST = 10.0
"""Seconds: nobody is waited for longer."""
KINDS = 1000
HASTY = "rule"
"""Who moves for a player whose search is not done in time."""


class Pace:
    def __init__(self) -> None:
        self._took: OrderedDict[Hashable, deque[float]] = OrderedDict()

    def due(self, kind: Hashable, least: float) -> float:
        """Seconds from the beginning of a turn to the move that is now to be thought about."""
        took = self._took.get(kind)
        steps = UNKNOWN if took is None else math.ceil(ROOM * max(took) / least)
        return min(max(1, steps) * least, max(least, LONGEST))

    def took(self, kind: Hashable, seconds: float) -> None:
        """Note how long a move took, from its turn on."""
        self._took.setdefault(kind, deque(maxlen=LATELY)).append(seconds)
        self._took.move_to_end(kind)
        while len(self._took) > KINDS:
            self._took.popitem(last=False)


async def decided(session: Session, player: api.Agent, view: api.View, rng: Any) -> int:
    """The move of a player, when it is due."""
    if getattr(player, "options", None) is None:  # it does not search
        return player.decide(view, rng).action
    own = rng.copy()
    asking = session, "table"
    # never refused: nobody would move then
    thinking = session.work.once(asking, lambda: player.decide(view, own).action, limited=False)
    if not session.limits.pace:
        return await thinking
    pace, kind = session.work.pace, (view.rules.digest, player.name)
    due, began = pace.due(kind, session.limits.pace), session.clock()

    async def timed() -> int:
        action = await thinking
        pace.took(kind, session.clock() - began)
        return action

    # the move comes neither earlier nor later than was fixed before it was thought about
    task = asyncio.create_task(timed())
    try:
        await asyncio.sleep(due)
        if task.done():
            return task.result()
    finally:
        task.cancel()
    pace.took(kind, due)  # or longer: the next gets more time
    return api.agent(HASTY, view.rules.game).decide(view, rng).action
