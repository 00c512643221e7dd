"""What a person at the table sees, from its own view and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from rich import box
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from kibitz import api
from kibitz.cli.console import compiling, out
from kibitz.cli.terminal_input import numbered, points, say

BAR = 20
"""Width of a full bar."""
STYLES = {
    "best": "green",
    "good": "green",
    "inaccuracy": "yellow",
    "mistake": "dark_orange",
    "blunder": "bold red",
}
OPENING = ("deal",)
"""Events that the drawing of the table tells anyway."""


def line(title: str = "") -> None:
    out.print()
    width = min(out.width, 80)
    text = f"── {title} " if title else ""
    say(Text(text + "─" * max(0, width - len(text)), "dim"))


def news(view: api.View, names: Sequence[str], since: int) -> int:
    """What happened after the first `since` events; how many there are now."""
    events = [event for event in view.events[since:] if event.kind not in OPENING]
    for text in api.render_of(view.rules).lines(events, names):
        say(text)
    return len(view.events)


def table(view: api.View, names: Sequence[str]) -> None:
    out.print()
    drawn = api.render_of(view.rules).table(view.rules, view.observation, view.seat, names)
    say(Padding(drawn, (0, 0, 0, 2), expand=False))


def hand(view: api.View, title: str = "your hand") -> None:
    """The cards, and below each that can be played the number that plays it."""
    card_text = api.render_of(view.rules).card
    cells = [(card_text(card), number) for card, number in numbered(view)]
    if not cells:
        return
    wide = max(card.cell_len for card, _ in cells) + 1
    row = max(1, (min(out.width, 80) - 4) // wide)
    out.print()
    say(Text(f"  {title}", "dim"))
    for begin in range(0, len(cells), row):
        cards, numbers = Text("  "), Text("  ")
        for card, number in cells[begin : begin + row]:
            cards += card + " " * (wide - card.cell_len)
            numbers += Text(number.center(card.cell_len).ljust(wide), "bold")
        say(cards)
        if numbers.plain.strip():
            say(Text.assemble(numbers))


def choices(view: api.View) -> None:
    """What can be done besides playing a card of the hand."""
    if note := api.render_of(view.rules).note(view.observation, view.actions):
        say(f"  {note}")


def prompt(view: api.View) -> str:
    return f"Your {api.render_of(view.rules).verb(view.observation)}> "


# --- what the coach says -------------------------------------------------------------------------


def think(view: api.View) -> api.Decision:
    """What the coach makes of the position, with reasons."""
    with compiling("The coach is thinking"):
        thinking = api.Thinking(view, api.game_of(view.rules).coach)
        while thinking.step():
            pass
        return thinking.explained()


def hint(view: api.View, decision: api.Decision) -> None:
    if not decision.moves:
        say(f"Only one move: {view.text(decision.action)}.")
        return
    game = api.game_of(view.rules)
    scale = game.scale
    values = [scale.zero + scale.factor * move.value for move in decision.moves]
    low = min(0.0, *values) if scale.low is None else scale.low
    high = max(values) if scale.high is None else scale.high
    grid = Grid(box=box.SIMPLE, padding=(0, 1), pad_edge=False)
    grid.add_column("move", style="bold", no_wrap=True)
    grid.add_column("worth", justify="right", no_wrap=True)
    grid.add_column(f"{low:.3g} to {high:.3g} {scale.units}", width=BAR)
    for move, value in zip(decision.moves, values, strict=True):
        share = max(0.0, min(1.0, (value - low) / max(1e-9, high - low)))
        equal = move.action in decision.equal and len(decision.equal) > 1
        best = move.action == decision.action
        grid.add_row(
            move.text + (" =" if equal else ""),
            game.value_text(move.value, move.error),
            Text("█" * round(BAR * share), "green" if best or equal else "blue"),
        )
    say(grid)
    reasons = [f"{reason.rstrip('.')}." for reason in decision.why]
    if len(decision.variation) > 1:
        reasons.append(f"It may go on: {' '.join(decision.variation)}.")
    points(reasons)
    note = "± is one standard error"
    if len(decision.equal) > 1:
        note += "; = cannot be told from the best"
    say(f"{decision.simulations:,} games in its head; {note}", "dim")


def grade(found: dict[str, Any]) -> None:
    """What a move was worth."""
    name = found["name"]
    if name == "forced":
        return
    shown = Text.assemble((f"{name.capitalize()}", STYLES.get(name, "")))
    if name != "best":
        shown += f": {found['best']} is worth {found['loss']:.1f} ± {found['error']:.1f} "
        shown += "percentage points more"
    elif found["move"] != found["best"]:
        shown += f", as good as {found['best']}"
    say(shown + ".")


def grades(found: Sequence[dict[str, Any]]) -> None:
    """All grades of a game in two lines."""
    judged = [each for each in found if each["name"] != "forced"]
    if not judged:
        return
    counts = [
        Text.assemble((f"{number} {name}", style))
        for name, style in STYLES.items()
        if (number := sum(each["name"] == name for each in judged))
    ]
    # what cannot be told from the best gave nothing away
    lost = [0.0 if each["name"] == "best" else float(each["loss"]) for each in judged]
    mean = sum(lost) / len(lost)
    say(
        Text("Your moves: ")
        + Text(", ").join(counts)
        + f"; mean loss {mean:.1f} percentage points."
    )
    worst = judged[lost.index(max(lost))]
    if worst["name"] not in ("best", "good"):
        say(
            f"The worst was move {worst['ply'] + 1}, {worst['move']}: {worst['best']} was better "
            f"by {worst['loss']:.1f}."
        )


# --- what the person asks for --------------------------------------------------------------------


def look(letter: str, view: api.View, names: Sequence[str]) -> bool:
    """Show what a command asks for; False if it asks for something else."""
    render = api.render_of(view.rules)
    match letter:
        case "b":
            belief(view)
        case "l":
            for text in render.lines(view.events, names):
                say(text)
        case "s":
            say(render.score_sheet(view.events, names))
        case "r":
            rules(view.rules)
        case _:
            return False
    return True


def belief(view: api.View) -> None:
    if view.over:
        say("The game is over: nothing is left to guess.")
        return
    with compiling("Counting what they may hold"):
        found = api.belief(view)
        drawn, told = api.render_of(view.rules).belief(found), found.summary()
    say(drawn)
    say(told)
    say("chances in percent; 0 and 100 only where it is proved", "dim")


def rules(chosen: api.Rules) -> None:
    points(api.render_of(chosen).rules_text(chosen))
    if changed := chosen.changed():
        text = ", ".join(f"{name}={value}" for name, value in changed.items())
        say(f"Not as usual: {text}", "dim")


HELP = {
    "h": "hint: every move, what it is worth, and why",
    "b": "belief: what the others may hold",
    "u": "undo: back to your last decision",
    "l": "log: all that happened",
    "s": "scores: bids, tricks and points, round by round",
    "r": "rules: how this is played",
    "?": "help: this list",
    "q": "quit: the game is kept, and goes on when you come back",
}


def help(
    view: api.View,
    letters: str,
    more: Sequence[tuple[str, str]] = (),
    otherwise: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """`more`: what is typed for a move; `otherwise`: what a letter means here."""
    meanings = {**HELP, **otherwise}
    grid = Grid.grid(padding=(0, 2, 0, 0))
    for key, meaning in [
        *(more or api.render_of(view.rules).moves),
        *((letter, meanings[letter]) for letter in letters),
    ]:
        grid.add_row(Text(f"  {key}", "bold"), Text(meaning))
    say(grid)
