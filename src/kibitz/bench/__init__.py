"""Speed: what `kibitz bench` measures on any machine, alone or beside the peers. See `engine` for
what is measured and why the comparison is fair. What the project once measured to choose, and to
state in its documents, is no part of the program: it is in `benchmarks/` of the repository.

May import the arena and everything below. A new row is one more function in `BENCHMARKS`.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from kibitz.bench import beliefs, engine, peers
from kibitz.bench.engine import Meter
from kibitz.peers.oh_hell import oh_hell_position, span
from kibitz.table import Table

__all__ = ["Row", "run_bench"]

Progress = Callable[[str], None]

DEALS = 8
"""Blob positions to average over: a round takes a tenth more or less from one deal to another."""


@dataclass(frozen=True)
class Row:
    """One figure; what does not apply is None."""

    name: str
    value: float
    unit: str
    peer: str | None
    peer_value: float | None
    ratio: float | None
    """peer_value / value."""
    goal: float | None
    """The ratio to reach."""
    how: str
    """How both sides were measured."""
    limit: float | None = None
    """The value to stay below, where there is no peer."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class _Effort:
    """How much to measure. The figures of a quick run are good for nothing but tests."""

    peers: bool
    quick: bool

    def games(self, usual: int) -> int:
        return max(1, usual // 1000) if self.quick else usual

    def positions(self) -> int:
        """To average a decision over: they differ in length and in the number of choices."""
        return 1 if self.quick else DEALS

    def medians(self, *meters: Meter) -> list[float]:
        """Seconds by each meter, measured in turn."""
        for meter in meters:
            meter()
        taken = [[meter() for meter in meters] for _ in range(2 if self.quick else 9)]
        return [statistics.median(column) for column in zip(*taken, strict=True)]


def _row(
    name: str, value: float, unit: str, goal: float, how: str, peer: str, peer_value: float | None
) -> Row:
    if peer_value is None:
        return Row(name, value, unit, None, None, None, goal, how)
    return Row(name, value, unit, peer, peer_value, peer_value / value, goal, how)


def _blob_round(name: str, effort: _Effort, cards: int) -> Row:
    rules = engine.oh_hell_rules(cards)
    starts = [engine.dealt(rules, index) for index in range(DEALS)]
    ours, theirs_too = effort.games(25_000), effort.games(1250)
    meters = [engine.mean([engine.rounds(rules, start, ours) for start in starts])]
    how = (
        f"Uniformly random rounds of 4 players with {cards} cards and a trump turned up, from "
        f"{DEALS} fixed deals before the first bid, in one compiled loop each."
    )
    if effort.peers:
        meters.append(
            engine.mean([peers.oh_hell_rounds(rules, start[0], theirs_too) for start in starts])
        )
        how += (
            " OpenSpiel: the same deals in its C++ oh_hell, MCTSBot with one simulation, whose "
            "RandomRolloutEvaluator plays all rounds inside C++."
        )
    value, *theirs = (seconds * 1e6 for seconds in effort.medians(*meters))
    peer_value = theirs[0] if theirs else None
    return _row(name, value, "us", 20, how, "OpenSpiel oh_hell", peer_value)


def _uno_ply(name: str, effort: _Effort) -> Row:
    meters = [engine.uno_plies(effort.games(40_000))]
    how = "Uniformly random two-player UNO from one fixed deal, in one compiled loop."
    if not effort.peers:
        value = effort.medians(*meters)[0] * 1e9
        return _row(name, value, "ns", 17, how, "", None)
    eights = peers.crazy_eights(effort.games(2000), effort.games(2000))
    value, game = (seconds * 1e9 for seconds in effort.medians(*meters, eights.seconds))
    how += (
        " OpenSpiel: its C++ crazy_eights with players=2 and every other setting as it comes, by "
        f"MCTSBot with one simulation and a RandomRolloutEvaluator, {eights.plies:.1f} decisions a "
        "game, counted apart from the same deal; counting draws, which are chance nodes there, it "
        f"is {eights.nodes:.1f} nodes a game and {game / eights.nodes:.0f} ns a node."
    )
    return _row(name, value, "ns", 17, how, "OpenSpiel crazy_eights", game / eights.plies)


def _uno_game(name: str, effort: _Effort) -> Row:
    meters = [engine.uno_games(effort.games(20_000))]
    how = "Whole random UNO games, each with its deal, by two uniform players in one compiled loop."
    if not effort.peers:
        value = effort.medians(*meters)[0] * 1e6
        return _row(name, value, "us", 200, how, "", None)
    meters.append(peers.rlcard_games(effort.games(200)))
    meters.append(peers.rlcard_bare_games(effort.games(200)))
    meters.append(peers.rlcard_runs(effort.games(100)))
    value, step, bare, whole = (seconds * 1e6 for seconds in effort.medians(*meters))
    how += (
        " RLCard: init_game, then Game.step with a random one of the legal actions it returned, "
        "no environment. "
        f"Its env.run with two RandomAgents takes {whole:.0f} us, a factor of {whole / value:.0f}; "
        f"the bare rules inside Game.step take {bare:.0f} us, a factor of {bare / value:.0f}."
    )
    return _row(name, value, "us", 200, how, "RLCard Game.step", step)


def _alone(name: str, value: float, unit: str, limit: float | None, how: str) -> Row:
    return Row(name, value, unit, None, None, None, None, how, limit)


def _blob_belief(name: str, effort: _Effort) -> Row:
    where = beliefs.BlobPositions(8 if effort.quick else 1000)
    value = effort.medians(where.beliefs())[0] * 1e6
    how = (
        "From the encoded history of a round to voids, counting table and exact marginals: 4 "
        "players, 7 cards, 2 to 6 tricks played at random, at least one void, in one compiled loop."
    )
    return _alone(name, value, "us", 10, how)


def _blob_sample(name: str, effort: _Effort) -> Row:
    where = beliefs.BlobPositions(4 if effort.quick else 100)
    value = effort.medians(where.deals(effort.games(10_000)))[0] * 1e6
    how = "A deal drawn uniformly from all that fit such a position, its table given."
    return _alone(name, value, "us", 2, how)


def _uno_update(name: str, effort: _Effort, n: int, limit: float) -> Row:
    games = 1 if effort.quick else 200
    found = beliefs.uno_updates(n, games)
    how = (
        f"Mean over all {found.events:,} events of {games} games between rule players, through "
        f"Belief.update with {n:,} particles, mending, resampling and rejuvenation included; "
        f"{found.recoveries} recoveries."
    )
    if n <= 1000:
        held = beliefs.uno_diversity(n, games)
        how += (
            f" While 4 cards or more are held at least {100 * held.stories:.0f} % of the stories "
            f"are distinct; in {100 * held.below_half:.1f} % of the positions fewer than half of "
            f"the hands are, and where the entropy leaves room for more at least "
            f"{100 * held.hands:.0f} %. A belief with 10 worlds takes {held.kilobytes:.0f} kB, "
            f"median over all moves of the opponent, at most {held.most_kilobytes:.0f}."
        )
    return _alone(name, found.seconds * 1e3, "ms", limit, how)


def _ismcts(name: str, effort: _Effort, tables: list[Table], options: str, where: str) -> Row:
    sims = max(2, effort.games(1000))  # with one alone OpenSpiel has nothing to choose by
    seen = engine.views(tables)
    meters = [engine.decisions(f"ismcts:sims={sims},rollout=uniform{options}", seen, cold=True)]
    how = (
        f"A decision of information-set search with {sims:,} simulations, each from a fresh world "
        f"and with one uniformly random rollout, {where}: the whole of decide, from the view to "
        "the Decision with its values, errors and principal line, the belief worked out anew."
    )
    if effort.peers:
        theirs_too = [oh_hell_position(t.view(t.to_act), t.true_state()) for t in tables]
        explore = span(seen[0])
        meters.append(peers.ismcts_steps(theirs_too, sims, explore))
        how += (
            " OpenSpiel: the same positions, ISMCTSBot in C++ with as many simulations, worlds by "
            "oh_hell's own resampling, RandomRolloutEvaluator with one rollout, exploration "
            f"{explore:g} (ours is 1 over returns scaled to 0..1), the most visited action. Its "
            "nodes are what the seat to act knows, ours what the searching seat knows, so its "
            "tree stays shallower."
        )
    value, *theirs = (seconds * 1e3 for seconds in effort.medians(*meters))
    return _row(name, value, "ms", 10, how, "OpenSpiel ISMCTSBot", theirs[0] if theirs else None)


def _ismcts_bids(name: str, effort: _Effort) -> Row:
    tables = engine.blob_bids(engine.oh_hell_rules(5), effort.positions())
    where = f"at the first bid of {len(tables)} deals of 4 players with 5 cards"
    return _ismcts(name, effort, tables, "", where)


def _ismcts_plays(name: str, effort: _Effort) -> Row:
    tables = engine.blob_plays(engine.oh_hell_rules(5), effort.positions())
    where = (
        f"after the bids and one trick of {len(tables)} rounds of 4 players with 5 cards, over all "
        "deals that fit alike (belief=counting)"
    )
    return _ismcts(name, effort, tables, ",belief=counting", where)


def _worlds(name: str, effort: _Effort) -> Row:
    rules, number = engine.oh_hell_rules(5), effort.positions()
    bids = engine.views(engine.blob_bids(rules, number))
    plays = engine.views(engine.blob_plays(rules, number))
    player = f"worlds:worlds=5,sims={effort.games(50)}"
    value, known, anew = (
        seconds * 1e3
        for seconds in effort.medians(
            engine.decisions(player, bids, cold=True),
            engine.decisions(player, plays, cold=False),
            engine.decisions(player, plays, cold=True),
        )
    )
    how = (
        f"A decision of {player} at the first bid of {number} deals of 4 players with 5 cards, "
        "from the view to the Decision, the belief included. After the bids and one trick "
        f"{known:.2g} ms, and {anew:.2g} ms where the belief, which weighs the choices seen, is "
        "worked out anew."
    )
    return _alone(name, value, "ms", 2, how)


def _uno_pomcp_sims(name: str, effort: _Effort) -> Row:
    sims = effort.games(2000)
    seen = engine.views(engine.uno_middles(effort.positions()))
    player = f"pomcp:sims={sims},keep=0,particles=1000"
    value = effort.medians(engine.decisions(player, seen, cold=False))[0] / sims * 1e6
    how = (
        f"One simulation of {player}, half-way through {len(seen)} games between rule players: the "
        f"time of a decision over its {sims:,} simulations, {1e6 / value:,.0f} a second. The "
        "belief is up to date beforehand: see uno_update_1000 for what that takes."
    )
    return _alone(name, value, "us", None, how)


BENCHMARKS: dict[str, Callable[[str, _Effort], Row]] = {
    "blob_round_4x5": partial(_blob_round, cards=5),
    "blob_round_4x7": partial(_blob_round, cards=7),
    "uno_ply": _uno_ply,
    "uno_game": _uno_game,
    "blob_belief": _blob_belief,
    "blob_sample": _blob_sample,
    "uno_update_1000": partial(_uno_update, n=1000, limit=0.2),
    "uno_update_100000": partial(_uno_update, n=100_000, limit=15),
    "ismcts_1000_blob_4x5": _ismcts_bids,
    "ismcts_1000_blob_4x5_play": _ismcts_plays,
    "worlds_5x50_blob_4x5": _worlds,
    "uno_pomcp_sims": _uno_pomcp_sims,
}


def run_bench(
    peers: bool = False, progress: Progress | None = None, *, quick: bool = False
) -> list[Row]:
    """All figures; with `peers` beside those of the other engines, which the extra `peers` must
    have installed. `progress` is told the name of each row before it is measured. `quick` measures
    next to nothing, to see that everything runs."""
    effort = _Effort(peers, quick)
    rows = []
    for name, benchmark in BENCHMARKS.items():
        if progress is not None:
            progress(name)
        rows.append(benchmark(name, effort))
    return rows
