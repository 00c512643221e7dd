"""Benchmarks: how fast the engine is, alone or beside its peers. See `engine` for what is measured
and why the comparison is fair; `python -m kibitz.bench.oh_hell` compares rules, not speed.

May import the arena and everything below. A new row is one more function in `BENCHMARKS`.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from kibitz.bench import engine, peers
from kibitz.bench.engine import Meter

__all__ = ["Row", "run"]

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

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class _Effort:
    """How much to measure. The figures of a quick run are good for nothing but tests."""

    peers: bool
    quick: bool

    def games(self, usual: int) -> int:
        return max(1, usual // 1000) if self.quick else usual

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


def _blob_round(effort: _Effort, cards: int) -> Row:
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
    name = f"blob_round_4x{cards}"
    return _row(name, value, "us", 20, how, "OpenSpiel oh_hell", peer_value)


def _blob_round_4x5(effort: _Effort) -> Row:
    return _blob_round(effort, 5)


def _blob_round_4x7(effort: _Effort) -> Row:
    return _blob_round(effort, 7)


def _uno_ply(effort: _Effort) -> Row:
    meters = [engine.uno_plies(effort.games(40_000))]
    how = "Uniformly random two-player UNO from one fixed deal, in one compiled loop."
    if not effort.peers:
        value = effort.medians(*meters)[0] * 1e9
        return _row("uno_ply", value, "ns", 17, how, "", None)
    eights = peers.crazy_eights(effort.games(2000), effort.games(2000))
    value, game = (seconds * 1e9 for seconds in effort.medians(*meters, eights.seconds))
    how += (
        " OpenSpiel: its C++ crazy_eights with players=2 and every other setting as it comes, by "
        f"MCTSBot with one simulation and a RandomRolloutEvaluator, {eights.plies:.1f} decisions a "
        "game, counted apart from the same deal; counting draws, which are chance nodes there, it "
        f"is {eights.nodes:.1f} nodes a game and {game / eights.nodes:.0f} ns a node."
    )
    return _row("uno_ply", value, "ns", 17, how, "OpenSpiel crazy_eights", game / eights.plies)


def _uno_game(effort: _Effort) -> Row:
    meters = [engine.uno_games(effort.games(20_000))]
    how = "Whole random UNO games, each with its deal, by two uniform players in one compiled loop."
    if not effort.peers:
        value = effort.medians(*meters)[0] * 1e6
        return _row("uno_game", value, "us", 200, how, "", None)
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
    return _row("uno_game", value, "us", 200, how, "RLCard Game.step", step)


BENCHMARKS: tuple[Callable[[_Effort], Row], ...] = (
    _blob_round_4x5,
    _blob_round_4x7,
    _uno_ply,
    _uno_game,
)


def run(peers: bool = False, progress: Progress | None = None, *, quick: bool = False) -> list[Row]:
    """All figures; with `peers` beside those of the other engines, which the extra `peers` must
    have installed. `progress` is told the name of each row before it is measured. `quick` measures
    next to nothing, to see that everything runs."""
    effort = _Effort(peers, quick)
    rows = []
    for benchmark in BENCHMARKS:
        if progress is not None:
            progress(benchmark.__name__.removeprefix("_"))
        rows.append(benchmark(effort))
    return rows
