"""Our own figures, and the rules by which ours and a peer's are measured.

What is measured is the work under every search: uniformly random games, as fast as each engine can
play them.

* The same work. For Blob it is the same game from the same deal: OpenSpiel's `oh_hell` is a setting
  of ours, and `benchmarks/oh_hell.py` shows that both agree move by move. UNO has no such twin. Its
  nearest kin in OpenSpiel is `crazy_eights`, compared by the ply because the games differ in
  length; RLCard plays UNO with rules of its own, compared by the game.
* Each at its best: ours in one compiled loop, OpenSpiel in C++ throughout, RLCard by the leanest
  public loop there is. No tree, no network, nothing printed.
* CPU time of this process, ours and the peer's in turn so that a busy machine slows both, medians
  of several repeats after one that is thrown away (it compiles, or fills caches).

Of a search what is timed is what a user calls: the whole of `decide`, from the view to the
Decision, with the belief, the worlds, the search, and the reasons that come with it. OpenSpiel's
`ISMCTSBot` finds an action and nothing more.

A `Meter` measures once and returns seconds for one unit of work.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz import contract, rng
from kibitz.agents import agent
from kibitz.agents.searching import SearchAgent
from kibitz.arena import play_out
from kibitz.arena.kernels import play_games, rollouts
from kibitz.beliefs.cache import CACHE
from kibitz.games import game_of
from kibitz.games.base import Rules
from kibitz.games.blob.rules import BlobRules
from kibitz.games.uno.rules import UnoRules
from kibitz.players import UNIFORM, Player, as_array
from kibitz.table import Table
from kibitz.view import View

Meter = Callable[[], float]
SEED = 1


def clock(work: Callable[[], object]) -> float:
    """CPU seconds that `work` takes."""
    began = time.process_time()
    work()
    return time.process_time() - began


def oh_hell_rules(cards: int) -> BlobRules:
    """Four players with OpenSpiel's default scoring."""
    return BlobRules(players=4, cards=cards, trump="turned", miss="tricks")


def dealt(rules: Rules, index: int = 0) -> NDArray[Any]:
    """A freshly dealt position, always the same, as an array of one state."""
    start = np.zeros(1, game_of(rules).dtype)
    contract.deal(rules.params, start[0], rng.generator(SEED, index))
    return start


def mean(meters: Sequence[Meter]) -> Meter:
    """The mean of several meters, each read once."""
    return lambda: sum(meter() for meter in meters) / len(meters)


def _rollouts(rules: Rules, start: NDArray[Any], n: int) -> Callable[[], tuple[float, int]]:
    """CPU seconds and plies of `n` random games on from `start`."""
    params, scratch = rules.params, start.copy()
    generator, total = rng.generator(SEED, stream=1), np.zeros(rules.seats)

    def measure() -> tuple[float, int]:
        began = time.process_time()
        plies = rollouts(params, start, scratch, n, generator, total)
        return time.process_time() - began, plies

    return measure


def rounds(rules: BlobRules, start: NDArray[Any], n: int) -> Meter:
    """Seconds of one random Blob round from `start`."""
    measure = _rollouts(rules, start, n)
    return lambda: measure()[0] / n


def uno_plies(n: int) -> Meter:
    """Seconds of one ply of random UNO."""
    rules = UnoRules()
    measure = _rollouts(rules, dealt(rules), n)

    def meter() -> float:
        seconds, plies = measure()
        return seconds / plies

    return meter


def uno_games(n: int) -> Meter:
    """Seconds of one random UNO game, the deal included."""
    rules = UnoRules()
    finals = np.zeros(n, game_of(rules).dtype)
    rewards = np.zeros((n, 2))
    policies = as_array([Player(UNIFORM)] * 2)
    high, low = rng.words(SEED)

    def play() -> None:
        play_games(rules.params, policies, high, low, 0, True, finals, rewards)

    return lambda: clock(play) / n


# --- decisions by search --------------------------------------------------------------------------

TRICK = 4
"""Cards of a trick with four players, and bids before the first."""


def blob_bids(rules: BlobRules, deals: int) -> list[Table]:
    """Tables at the first bid, with the deals of `dealt`."""
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
