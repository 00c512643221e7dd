"""Pictures of beliefs, calibration and ladders, as PNG or SVG files.

matplotlib is an extra and takes a while to import: it is imported when something is drawn, without
its state for interactive use, so that no display is needed. Colours are those that people who are
colour-blind can tell apart, and nothing is told by colour alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.games import rules_type
from kibitz.games.base import KibitzError, percent
from kibitz.games.belief import STOCK, Belief, holder_text
from kibitz.games.render import plural

if TYPE_CHECKING:
    from kibitz.arena import Calibration, Question
    from kibitz.arena.ladder import Ladder


SUFFIXES = (".png", ".svg")
LANE = 16
"""Cards of a suit or colour have numbers next to each other, a lane of sixteen: see `layout.py`."""
COLOUR_MAP = "YlGnBu"
FEW = 30
"""Fewer forecasts than this say little: their markers are hollow."""
FORECASTERS = {  # colours of Okabe and Ito, each with a marker of its own
    "uniform": ("#7f7f7f", "s", "--"),
    "constraints": ("#E69F00", "^", "-."),
    "full": ("#0072B2", "o", "-"),
}
TITLES = {
    "has_card": "Another seat has a given card",
    "can_play": "Another seat has a card that is asked for",
}
MARKS = {"reshuffle": ("reshuffle", "#D55E00"), "round": ("next round", "#009E73")}


def check_plot(path: str | Path) -> None:
    """Raise a `KibitzError` now if nothing can be drawn to this file."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise KibitzError(f"{path}: a picture is a file that ends in .png or .svg")
    if not Path(path).absolute().parent.is_dir():
        raise KibitzError(f"cannot write {path}: no such folder")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise KibitzError("pictures need matplotlib: pip install 'kibitz[plot]'") from None


def new_figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save(figure: Any, path: str | Path) -> None:
    import matplotlib

    svg = Path(path).suffix.lower() == ".svg"
    # the same picture gives the same bytes: no date, no random names
    with matplotlib.rc_context({"svg.hashsalt": "kibitz"}):
        try:
            figure.savefig(path, dpi=150, metadata={"Date": None} if svg else None)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise KibitzError(f"cannot write {path}: {reason}") from None


def tidy(axes: Any) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(True, color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)


# --- a belief ------------------------------------------------------------------------------------


def plot_belief(beliefs: Sequence[Belief], path: str | Path, move: int | None = None) -> None:
    """Draw who may hold what after `move` (else the last), and how the missing bits go down.

    `beliefs[k]` is the belief of one seat after k moves of one game.
    """
    check_plot(path)
    moves = len(beliefs) - 1
    move = moves if move is None else move
    if not 0 <= move <= moves:
        raise KibitzError(f"move must be 0 to {moves}, not {move}")
    belief = beliefs[move]
    found = belief.marginals()
    others = sum(holder != STOCK for holder in found.holders)
    # with one other seat, what it does not have is in the stock: there is nothing more to draw
    rows = [k for k, holder in enumerate(found.holders) if holder != STOCK or others > 1]
    across = 1 if len(rows) == 1 else 2
    down = -(-len(rows) // across)
    width = 11.0
    panel = (width / across) * 0.26 + 0.35
    figure = new_figure(width, 1.0 + down * panel + 3.0)
    figure.suptitle(
        f"{belief.rules}: what seat {belief.seat} may think after move {move} of {moves}",
        fontsize=13,
        fontweight="bold",
    )
    grid = figure.add_gridspec(down + 1, across, height_ratios=[panel] * down + [2.6])
    panels = []
    for place, row in enumerate(rows):
        axes = figure.add_subplot(grid[place // across, place % across])
        image = _heat_map(axes, belief, row, small=across > 1)
        panels.append(axes)
    bar = figure.colorbar(image, ax=panels, ticks=[0, 0.05, 0.25, 0.5, 1], pad=0.01, aspect=30)
    bar.set_label("chance to have the card")
    bar.ax.set_yticklabels(["0 %", "5 %", "25 %", "50 %", "100 %"])
    bar.outline.set_visible(False)
    _entropy(figure.add_subplot(grid[down, :]), beliefs, move)
    save(figure, path)


def _heat_map(axes: Any, belief: Belief, row: int, small: bool) -> Any:
    """The cards that one holder may have: a row a suit or colour, blank where none is hidden."""
    from matplotlib import colormaps
    from matplotlib.colors import PowerNorm

    found = belief.marginals()
    places = [divmod(card, LANE) for card in found.cards]
    lanes = max((lane for lane, _ in places), default=0) + 1
    ranks = max((rank for _, rank in places), default=0) + 1
    cells = np.full((lanes, ranks), np.nan)
    # most chances are small: by the root they can be told apart
    norm, colours = PowerNorm(0.5, 0, 1), colormaps[COLOUR_MAP]
    for card, (lane, rank), chance in zip(found.cards, places, found.chance[row], strict=True):
        cells[lane, rank] = chance
        red, green, blue, _ = colours(norm(chance))
        ink = "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.42 else "white"
        style = {"ha": "center", "va": "center", "color": ink}
        axes.text(rank, lane - 0.2, belief.card_text(card), fontsize=6 if small else 8, **style)
        axes.text(rank, lane + 0.2, percent(chance), fontsize=7 if small else 10, **style)
    image = axes.imshow(cells, cmap=colours, norm=norm, aspect="auto")
    axes.set_facecolor("#f4f4f4")
    axes.set_xticks([])  # or minor ticks at the same places are left out
    axes.set_yticks([])
    axes.set_xticks(np.arange(ranks + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(lanes + 1) - 0.5, minor=True)
    axes.grid(True, which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="both", length=0, labelbottom=False, labelleft=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    holder = found.holders[row]
    hidden = plural(belief.sizes[holder], "hidden card")
    axes.set_title(f"{holder_text(holder)}, {hidden} (chances in %)", fontsize=10, loc="left")
    return image


def _entropy(axes: Any, beliefs: Sequence[Belief], move: int) -> None:
    """Missing bits by move, with the moments at which the game begins anew."""
    bits = [belief.entropy() for belief in beliefs]
    axes.plot(range(len(bits)), bits, color="#0072B2", linewidth=1.8)
    told: set[str] = set()
    for k in range(1, len(beliefs)):
        for event in beliefs[k].events[len(beliefs[k - 1].events) :]:
            if event.kind in MARKS:
                label, colour = MARKS[event.kind]
                axes.axvline(
                    k,
                    color=colour,
                    linewidth=1.2,
                    linestyle="--" if event.kind == "reshuffle" else ":",
                    label=None if event.kind in told else label,
                )
                told.add(event.kind)
    axes.plot([move], [bits[move]], "o", color="black", markersize=8, label=f"move {move}, above")
    axes.set_title("How much is missing to know all hidden cards", fontsize=10, loc="left")
    axes.set_xlabel("moves played")
    axes.set_ylabel("entropy, bits")
    axes.set_xlim(0, max(1, len(bits) - 1))
    axes.set_ylim(0, max(1.0, 1.08 * max(bits)))
    axes.xaxis.get_major_locator().set_params(integer=True)
    tidy(axes)
    above = {"loc": "lower right", "bbox_to_anchor": (1, 1), "ncols": 3, "borderaxespad": 0.2}
    axes.legend(frameon=False, fontsize=9, **above)


# --- calibration ---------------------------------------------------------------------------------


def plot_calibration(found: Calibration, path: str | Path) -> None:
    """Draw what was said against how often it was so, for each question and forecaster."""
    check_plot(path)
    figure = new_figure(5.8 * len(found.questions), 6.8)
    who = ", ".join(dict.fromkeys(found.players))
    title = f"{found.game}: calibration over {found.games:,} games between {who} players"
    figure.suptitle(title, fontsize=12, fontweight="bold")
    grid = figure.add_gridspec(2, len(found.questions), height_ratios=[4, 1])
    for column, (name, question) in enumerate(found.questions.items()):
        axes = figure.add_subplot(grid[0, column])
        _reliability(axes, question)
        axes.set_title(TITLES[name], fontsize=11, loc="left")
        _histogram(figure.add_subplot(grid[1, column], sharex=axes), question)
    save(figure, path)


def plot_ladder(found: Ladder, path: str | Path) -> None:
    """Draw the Elo of each player above the anchor, with its interval."""
    check_plot(path)
    ratings = found.ratings[::-1]  # the strongest on top
    figure = new_figure(8.0, 1.6 + 0.42 * len(ratings))
    axes = figure.add_subplot()
    axes.axvline(0, color="#bbbbbb", linewidth=1.2, zorder=1)
    room = max(100.0, max(abs(rating.elo) for rating in ratings))
    for place, rating in enumerate(ratings):
        low = max(rating.low, rating.elo - room)  # an open end goes as far as there is room
        high = min(rating.high, rating.elo + room)
        axes.plot([low, high], [place, place], color="#0072B2", linewidth=2.2, zorder=2)
        axes.plot(rating.elo, place, color="#0072B2", marker="o", markersize=7, zorder=3)
        axes.annotate(
            f"{rating.elo:+.0f}", (rating.elo, place), (0, 7), textcoords="offset points",
            ha="center", fontsize=9,
        )  # fmt: skip
    axes.set_yticks(range(len(ratings)), [rating.name for rating in ratings])
    axes.set_ylim(-0.6, len(ratings) - 0.2)
    axes.set_xlabel(f"Elo above {found.anchor}, with 95 % intervals")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#eeeeee")
    name = rules_type(found.game).title
    up_to = "up to " if found.stopped else ""
    title = f"{name}: {up_to}{found.deals:,} mirrored deals of each pair"
    axes.set_title(title, fontsize=12, fontweight="bold", loc="left")
    save(figure, path)


def _reliability(axes: Any, question: Question) -> None:
    axes.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=1.2, zorder=1)
    for name, (colour, marker, line) in FORECASTERS.items():
        score = question.scores[name]
        parts = [part for part in score.bins if part.n]
        axes.plot(
            [part.forecast for part in parts],
            [part.observed for part in parts],
            color=colour,
            marker=marker,
            linestyle=line,
            linewidth=1.6,
            markersize=6,
            label=f"{name}: log loss {score.log_loss:.4f}, Brier {score.brier:.4f}",
        )
        for part in parts:
            if part.error is not None and part.observed is not None:
                # what chance explains, as far as there can be such a share
                ends = max(0.0, part.observed - part.error), min(1.0, part.observed + part.error)
                axes.plot([part.forecast] * 2, ends, color=colour, linewidth=1.2, alpha=0.7)
        few = [part for part in parts if part.n < FEW]
        axes.plot(
            [part.forecast for part in few],
            [part.observed for part in few],
            color=colour,
            marker=marker,
            linestyle="none",
            markersize=6,
            markerfacecolor="white",
        )
    tidy(axes)
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_ylabel(
        f"how often it was so (hollow: fewer than {FEW} forecasts);\n"
        "bars: 95 % for a whole curve at once"
    )
    axes.tick_params(labelbottom=False)
    axes.legend(frameon=False, fontsize=9, loc="upper left")


def _histogram(axes: Any, question: Question) -> None:
    """How many forecasts lie in each bin."""
    for name, (colour, _, line) in FORECASTERS.items():
        bins = question.scores[name].bins
        edges = [*(part.low for part in bins), bins[-1].high]
        axes.stairs([part.n for part in bins], edges, color=colour, linestyle=line, linewidth=1.6)
    axes.set_yscale("symlog", linthresh=1)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("what was said (chance)")
    axes.set_ylabel("forecasts")
    tidy(axes)
