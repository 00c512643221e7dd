"""`rules`: the games, what can be chosen in one of them, and a check of a choice."""

from __future__ import annotations

import inspect
import json
from typing import Annotated

import typer
from rich import box
from rich.table import Table as Grid

from kibitz import api
from kibitz.cli.arguments import Json, RulesOption, read_rules
from kibitz.cli.console import out


def rules(
    game: Annotated[
        str | None,
        typer.Argument(help="uno, blob (one round) or blob-game (a whole game); else all"),
    ] = None,
    rule_texts: RulesOption = None,
    as_json: Json = False,
) -> None:
    """List the games, or the rules of one that you can choose, or check some.

    Examples:
      kibitz rules
      kibitz rules uno
      kibitz rules blob --rules players=5 --json
    """
    if game is None:
        if rule_texts:
            raise api.KibitzError(f"--rules are those of a game: {', '.join(api.GAMES)}")
        _print_games(as_json)
        return
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


def _print_games(as_json: bool) -> None:
    if as_json:
        print(json.dumps([json.loads(api.rules(game).to_json()) for game in api.GAMES]))
        return
    grid = Grid(box=box.SIMPLE)
    grid.add_column("game", style="bold")
    grid.add_column("what it is")
    for game in api.GAMES:
        told = (inspect.getdoc(api.rules_type(game)) or "").split("\n\n")[0]
        grid.add_row(game, " ".join(told.split()))
    out.print(grid)
    out.print("`kibitz rules GAME` lists what can be chosen in it", style="dim")
