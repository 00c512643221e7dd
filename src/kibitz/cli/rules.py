"""`rules`: what can be chosen, and a check of a choice."""

from __future__ import annotations

from rich.table import Table as Grid

from kibitz.cli.console import out
from kibitz.cli.options import read_rules


def run(game: str, rule_texts: list[str], as_json: bool) -> None:
    chosen = read_rules(game, rule_texts)
    if as_json:
        print(chosen.to_json())
        return
    grid = Grid(title=f"{chosen}   hash {chosen.digest}")
    for name in ("option", "value", "meaning"):
        grid.add_column(name, overflow="fold")
    for name, value in chosen.to_dict().items():
        shown = ", ".join(str(v) for v in value) if isinstance(value, list) else str(value)
        grid.add_row(name, shown, type(chosen).model_fields[name].description or "")
    out.print(grid)
