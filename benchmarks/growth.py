"""How the time of a decision grows with the simulations, and with the particles of the belief.

    python benchmarks/growth.py --plot growth.png

Both should grow linearly. The tables show the time of one decision and of one simulation, and at
the end the slope of the line through the points on logarithmic scales: 1 is linear, less means that
a fixed cost still shows. The particles of a belief cost time where it is worked out ("+ belief"),
and hardly any where worlds are drawn from it. A tree that outgrows the caches of the processor, or
has many nodes below one edge, takes longer for each simulation: that is in the figures. No tree has
a limit of nodes here, but for those of the last table, which shows what a limit does.

CPU time, the median of a few repeats, from two positions of each game.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kibitz import plots
from kibitz.bench import engine
from kibitz.bench.engine import oh_hell_rules
from kibitz.games import rules_type
from kibitz.games.base import KibitzError
from kibitz.search.tree import EDGE, NODE
from kibitz.view import View

NUMBERS = (100, 300, 1000, 3000, 10_000, 30_000, 100_000)
QUICK = (5, 10, 20, 40)
FIXED = 1000
"""Simulations while the number of particles grows."""
WORLDS = 5
"""Worlds of the agent `worlds`, which share the simulations out."""
POSITIONS = 2
SEARCHES = {
    "flat": ("#7f7f7f", "s"),
    "worlds": ("#E69F00", "^"),
    "ismcts": ("#0072B2", "o"),
    "pomcp": ("#D55E00", "D"),
}
UNLIMITED = "nodes=100000000"
LIMITS = (1000, 200_000)
"""Of nodes: one that is reached at once, and the default."""


@dataclass(frozen=True)
class Curve:
    """The time of a decision over one number."""

    game: str
    agent: str
    over: str
    """What grows: "simulations" or "particles"."""
    numbers: tuple[int, ...]
    seconds: tuple[float, ...]
    """Of one decision."""
    simulations: tuple[int, ...]
    anew: bool = False
    """The belief is worked out from the whole history as part of the decision."""

    @property
    def each(self) -> tuple[float, ...]:
        """Seconds of one simulation."""
        return tuple(s / n for s, n in zip(self.seconds, self.simulations, strict=True))

    @property
    def slope(self) -> float:
        """The exponent of growth, over all points."""
        return _slope(self.numbers, self.seconds)

    @property
    def late_slope(self) -> float:
        """The same over the upper half of the points, where fixed costs show less."""
        half = len(self.numbers) // 2
        return _slope(self.numbers[half:], self.seconds[half:])

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "slope": self.slope, "late_slope": self.late_slope}


@dataclass(frozen=True)
class Limit:
    """A search with a limit of nodes."""

    game: str
    agent: str
    nodes: int | None
    simulations: int
    seconds: float

    @property
    def megabytes(self) -> float:
        """That the tree sets aside: nodes and edges have as many places each."""
        places = min(self.nodes or self.simulations + 1, self.simulations + 1)
        return places * float(NODE.itemsize + EDGE.itemsize) / 1e6

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "megabytes": self.megabytes}


def _slope(numbers: Sequence[float], seconds: Sequence[float]) -> float:
    return float(np.polyfit(np.log(numbers), np.log(seconds), 1)[0])


def _seconds(name: str, seen: Sequence[View], repeats: int, anew: bool = False) -> float:
    meter = engine.decisions(name, seen, cold=anew)
    return statistics.median(meter() for _ in range(repeats))


def _repeats(n: int, quick: bool) -> int:
    """Short times are measured more often."""
    return 1 if quick else 15 if n <= 1000 else 7 if n <= 10_000 else 3


def _searches(kind: str, n: int) -> tuple[str, int]:
    """An agent with n simulations in all, and how many those are exactly."""
    if kind == "worlds":
        each = max(1, n // WORLDS)
        return f"worlds:worlds={WORLDS},sims={each},{UNLIMITED}", WORLDS * each
    keep = ",keep=0" if kind == "pomcp" else ""
    return f"{kind}:sims={n},{UNLIMITED}{keep}", n


def measure(
    progress: Callable[[str], None] | None = None, *, quick: bool = False
) -> tuple[list[Curve], list[Limit]]:
    """All curves, and what limits do. `quick` measures next to nothing, to see that it runs."""
    numbers = QUICK if quick else NUMBERS
    seen = {
        "blob": engine.views(engine.blob_bids(oh_hell_rules(5), POSITIONS)),
        "uno": engine.views(engine.uno_middles(POSITIONS)),
    }
    tell = progress or (lambda text: None)
    curves = []
    for game, positions in seen.items():
        for kind in ("flat", "worlds", "ismcts", "pomcp"):
            tell(f"{game} {kind} over simulations")
            named = [_searches(kind, n) for n in numbers]
            _seconds(named[0][0], positions, 1)  # compiles
            times = [_seconds(name, positions, _repeats(n, quick)) for name, n in named]
            done = tuple(n for _, n in named)
            curves.append(Curve(game, kind, "simulations", done, tuple(times), done))
    fixed = QUICK[0] if quick else FIXED
    for kind, anew in itertools.product(("ismcts", "pomcp"), (False, True)):
        tell(f"uno {kind} over particles")
        name = f"{_searches(kind, fixed)[0]},belief=particles"
        times = [
            _seconds(f"{name},particles={n}", seen["uno"], _repeats(n, quick), anew)
            for n in numbers
        ]
        every = (fixed,) * len(numbers)
        curves.append(Curve("uno", kind, "particles", tuple(numbers), tuple(times), every, anew))
    limits = []
    sims = 4 if quick else NUMBERS[-1]
    for game, kind in (("blob", "ismcts"), ("uno", "pomcp")):
        tell(f"{game} {kind} with limits of nodes")
        keep = ",keep=0" if kind == "pomcp" else ""
        for nodes in (*LIMITS, None):
            said = f"nodes={nodes}" if nodes else UNLIMITED
            name = f"{kind}:sims={sims},{said}{keep}"
            limits.append(Limit(game, kind, nodes, sims, _seconds(name, seen[game], 3)))
    return curves, limits


def _told(curves: list[Curve], limits: list[Limit]) -> str:
    lines = []
    for over in ("simulations", "particles"):
        chosen = [curve for curve in curves if curve.over == over]
        title = "us of one simulation" if over == "simulations" else f"ms of {FIXED} simulations"
        numbers = "".join(f"{n:>9,}" for n in chosen[0].numbers)
        lines += [f"{title}, over {over}:", f"{'':20}{numbers}    slope  upper half"]
        for curve in chosen:
            values = (
                [1e6 * s for s in curve.each]
                if over == "simulations"
                else [1e3 * s for s in curve.seconds]
            )
            row = "".join(f"{value:9.2f}" for value in values)
            label = f"{curve.game} {curve.agent}" + (" + belief" if curve.anew else "")
            lines.append(f"{label:20}{row}{curve.slope:9.2f}{curve.late_slope:9.2f}")
        lines.append("")
    lines.append(f"a node takes {NODE.itemsize} bytes, an edge {EDGE.itemsize}; limits of nodes:")
    for limit in limits:
        most = "none" if limit.nodes is None else f"{limit.nodes:,}"
        lines.append(
            f"{limit.game} {limit.agent}, {limit.simulations:,} simulations, limit {most}: "
            f"{1e6 * limit.seconds / limit.simulations:.2f} us each, {limit.megabytes:.1f} MB"
        )
    return "\n".join(lines)


def plot(curves: Sequence[Curve], path: str | Path) -> None:
    """Draw the time of a decision over simulations, a panel for each game, and over particles."""
    panels = list(dict.fromkeys((curve.over, curve.game) for curve in curves))
    figure = plots.new_figure(4.4 * len(panels), 4.6)
    first = None
    for column, (over, game) in enumerate(panels):
        axes = figure.add_subplot(1, len(panels), column + 1, sharey=first)
        first = first or axes
        chosen = [curve for curve in curves if (curve.over, curve.game) == (over, game)]
        for curve in chosen:
            _draw(axes, curve)
        _linear(axes, chosen)
        plots.tidy(axes)
        fixed = f", {chosen[0].simulations[0]:,} simulations" if over == "particles" else ""
        title = f"{rules_type(game).title}{fixed}"
        axes.set_title(title, fontsize=12, loc="left", fontweight="bold")
        axes.set_xlabel(over, fontsize=11)
        ticks = sorted({n for n in chosen[0].numbers if str(n).strip("0") == "1"})
        axes.set_xticks(ticks, [f"{n:,}" for n in ticks])
        axes.minorticks_off()
        axes.tick_params(labelsize=11, labelleft=column == 0)
        axes.legend(frameon=False, fontsize=10, loc="upper left", borderaxespad=0.2)
    if first is not None:
        first.set_ylabel("time of one decision", fontsize=11)
        low, high = first.get_ylim()
        first.set_ylim(low, 12 * high)  # room for the legends
        times = {"0.1 ms": 1e-4, "1 ms": 1e-3, "10 ms": 0.01, "0.1 s": 0.1, "1 s": 1.0}
        first.set_yticks(list(times.values()), list(times))
    plots.save(figure, path)


def _draw(axes: Any, curve: Curve) -> None:
    colour, marker = SEARCHES[curve.agent]
    name = f"{curve.agent} with its belief" if curve.anew else curve.agent
    axes.loglog(
        curve.numbers,
        curve.seconds,
        color=colour,
        marker=marker,
        markersize=6,
        linewidth=1.8,
        linestyle="-" if curve.over == "simulations" or curve.anew else ":",
        markerfacecolor="white" if curve.over == "particles" and not curve.anew else colour,
        label=f"{name}, slope {curve.late_slope:.2f}",
    )


def _linear(axes: Any, curves: Sequence[Curve]) -> None:
    """What would be linear, below all curves, to compare their slopes with."""
    top = max(max(curve.numbers) for curve in curves)
    low = top / 100
    grown = [curve.seconds[-1] for curve in curves if curve.anew or curve.over == "simulations"]
    times = [0.4 * min(grown) * number / top for number in (low, top)]
    axes.loglog([low, top], times, color="#999999", linewidth=1.2, linestyle="--", label="linear")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="Time of a decision over simulations and over particles.",
    )
    parser.add_argument("--plot", metavar="FILE", help="draw the curves, as .png or .svg")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="hardly measure: see that it runs")
    given = parser.parse_args(arguments)
    try:
        if given.plot:
            plots.check_plot(given.plot)
        curves, limits = measure(lambda text: print(text, file=sys.stderr), quick=given.quick)
        if given.plot:
            plot(curves, given.plot)
    except KibitzError as error:
        parser.error(str(error))
    if given.json:
        found = {
            "curves": [curve.to_dict() for curve in curves],
            "limits": [limit.to_dict() for limit in limits],
        }
        print(json.dumps(found, indent=2))
    else:
        print(_told(curves, limits))
    return 0


if __name__ == "__main__":
    sys.exit(main())
