"""How long a decision by search takes, alone or beside OpenSpiel's `ISMCTSBot`.

What is timed is what a user calls: the whole of `decide`, from the view to the Decision, with the
belief, the worlds, the search, and the reasons that come with it. The peer's `step` finds an action
and nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence

from kibitz import rng
from kibitz.agents import agent
from kibitz.agents.searching import SearchAgent
from kibitz.arena import play_out
from kibitz.beliefs.cache import CACHE
from kibitz.bench.engine import SEED, Meter, clock
from kibitz.games.blob.rules import BlobRules
from kibitz.games.uno.rules import UnoRules
from kibitz.table import Table
from kibitz.view import View

TRICK = 4
"""Cards of a trick with four players, and bids before the first."""


def blob_bids(rules: BlobRules, deals: int) -> list[Table]:
    """Tables at the first bid, with the deals of `engine.dealt`."""
    return [Table(rules, SEED, index) for index in range(deals)]


def blob_plays(rules: BlobRules, deals: int) -> list[Table]:
    """The same deals after all bids and one trick, by random players, where there is a choice."""
    found: list[Table] = []
    index = 0
    while len(found) < deals:
        table = play_out(rules, ["random"] * 4, SEED, index)
        table.undo(table.plies - 2 * TRICK)
        if len(table.legal_actions()) > 1:
            found.append(table)
        index += 1
    return found


def uno_middles(games: int) -> list[Table]:
    """UNO between rule players, half-way through each game, at a decision with a choice."""
    rules = UnoRules()
    found: list[Table] = []
    index = 0
    while len(found) < games:
        table = play_out(rules, ["rule", "rule"], SEED, index)
        table.undo(table.plies - table.plies // 2)
        if len(table.legal_actions()) > 1:
            found.append(table)
        index += 1
    return found


def views(tables: Sequence[Table]) -> list[View]:
    """What the seat to act may know."""
    return [table.view(table.to_act) for table in tables]


def decisions(name: str, positions: Sequence[View], *, cold: bool) -> Meter:
    """Seconds of one decision, on average over the positions. `cold`: no belief is in the cache, so
    that working it out from the whole history is part of the time; else it is there already, as
    for somebody who has followed the game."""
    player = agent(name, positions[0].rules.game)
    assert isinstance(player, SearchAgent)
    own = rng.generator(SEED, stream=1)

    def meter() -> float:
        seconds = 0.0
        for view in positions:
            CACHE.clear()
            if not cold:
                player.belief(view).sample(1, SEED)  # Blob works it out when it is first asked
            seconds += clock(lambda view=view: player.decide(view, own))  # type: ignore[misc]
        return seconds / len(positions)

    return meter
