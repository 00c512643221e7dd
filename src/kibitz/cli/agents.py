"""`agents`: who can play, with options and defaults."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated

import typer
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from kibitz import api
from kibitz.cli.arguments import Json
from kibitz.cli.console import out


def agents(
    name: Annotated[str | None, typer.Argument(help="one of them, with all its options")] = None,
    as_json: Json = False,
) -> None:
    """List who can play, with options and defaults.

    Examples:
      kibitz agents
      kibitz agents ismcts
      kibitz agents --json
    """
    found = api.agent_list()
    if name is not None:
        names = [each.name for each in found]
        if name not in names:
            hint = api.nearest(name, names)
            raise api.KibitzError(f"no agent {name!r}{hint}; there are {', '.join(names)}")
        found = [each for each in found if each.name == name]
    if as_json:
        print(json.dumps([each.to_dict() for each in found]))
        return
    grid = Grid(box=box.SIMPLE)
    grid.add_column("agent", style="bold")
    grid.add_column("what it does")
    for each in found:
        grid.add_row(each.name, each.help)
    out.print(grid)
    if name is None:
        shared = api.shared_options()
        _print_options("Options of every searching agent", shared)
        known = {option.name for option in shared}
        for each in found:
            own = [
                option
                for option in each.options
                if option.name not in known or option not in shared
            ]
            if own:
                _print_options(f"{each.name} besides", own)
        there = {game: api.game_of(api.rules_type(game)) for game in api.GAMES}
        for who, attribute in (("default", "default_agent"), ("coach", "coach")):
            games = ", ".join(f"{name}: {getattr(game, attribute)}" for name, game in there.items())
            out.print(f"{who} is, by game, {games}", style="dim", markup=False)
        return
    for each in found:
        if each.options:
            _print_options(f"Options, such as {each.name}:{each.example}", each.options)


def _print_options(title: str, options: Sequence[api.AgentOption]) -> None:
    out.print(Text(title, "bold"))
    grid = Grid(box=None, padding=(0, 2, 0, 2), show_header=False)
    for option in options:
        grid.add_row(f"{option.name}={option.default}", option.help, style="")
    out.print(grid)
    out.print()
