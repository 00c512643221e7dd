"""`play --terminal`: everything the page does, line by line, over ssh or from a file of answers.

The files beside this one: `terminal_start` asks what is played and deals, `terminal_table` is the
table, `terminal_real` a table elsewhere that a person tells of; `terminal_draw` draws, and
`terminal_input` reads what is typed.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from kibitz import api
from kibitz.cli.console import compiling, house
from kibitz.cli.terminal_input import Left, prepare, say
from kibitz.cli.terminal_real import RealTable
from kibitz.cli.terminal_start import REAL, WATCH, Choice, Given, ask_game, choice, deal, menu
from kibitz.cli.terminal_table import AGAIN, AtTable


def play_here(
    game: str | None,
    rules: list[str] | None,
    level: str | None,
    seat: int | None,
    coach: bool | None,
    data: Path | None,
) -> None:
    given = Given(game, tuple(rules or ()), level, seat, coach)
    with compiling():
        given.check()
    with house(data or api.data_folder()) as kept:
        visit = _Visit(kept, data, given)
        prepare()
        try:
            visit.stay()
        except (Left, KeyboardInterrupt):
            say()
            say(visit.farewell())


class _Visit:
    """One person at the terminal, from table to table."""

    def __init__(self, house: api.House, data: Path | None, given: Given) -> None:
        self._data = data
        self._folder = data or api.data_folder()
        self._house = house
        self._given = given
        self._table: AtTable | RealTable | None = None

    def stay(self) -> None:
        """Until the person leaves."""
        wanted: str | None = self._given.game
        while True:
            chosen = None
            if wanted in api.GAMES:
                chosen = choice(str(wanted), self._given)
            else:
                said = menu(self._house)
                if isinstance(said, dict):
                    self._go_on(said["table"], said["token"])
                elif said == REAL:
                    self._table = RealTable.open(self._folder, None, self._given)
                    self._table.play()
                elif said == WATCH:
                    chosen = choice(ask_game(), self._given, watch=True)
                else:
                    chosen = choice(said, self._given)
            if chosen is not None:
                self._sit(chosen)
            self._table = wanted = None
            self._given = Given()  # what the command line said was for the first game

    def _sit(self, chosen: Choice) -> None:
        """Play this, as often as the person wants it."""
        again = AGAIN
        while again == AGAIN:
            self._table = AtTable(self._house, *deal(self._house, chosen))
            again = self._table.play()
            self._table = None

    def _go_on(self, table: str, token: str) -> None:
        with compiling():
            sitting = self._house.find(table, token)
        promised = sitting.frame()["commitment"]
        say(f"The commitment to its deal was {promised}.", "dim")
        self._table = AtTable(self._house, sitting, promised)
        if self._table.play() == AGAIN:
            self._sit(_like(self._table.sitting))

    def farewell(self) -> str:
        again = "kibitz play --terminal"
        if self._data is not None:
            again += f" --data {shlex.quote(str(self._data))}"
        match self._table:
            case AtTable(sitting=sitting) if not sitting.over:
                return f"The game is kept: `{again}` goes on with it."
            case RealTable(told=told) if not told.view.over:
                return f"What you told is kept: `{again}`, then real, goes on with it."
        return f"Good-bye. `{again}` opens again."


def _like(sitting: api.Sitting) -> Choice:
    """Another game of the same kind."""
    players = [name for name in sitting.table.players or [] if name != api.PERSON]
    return Choice(sitting.rules, tuple(players), sitting.seat, sitting.coach, sitting.watch)
