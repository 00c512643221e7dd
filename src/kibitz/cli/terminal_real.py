"""A real table: a person tells what happens at it, and gets advice at each turn of its own.

What was told is kept in a file, so that a game can be left and taken up again.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from kibitz import api
from kibitz.cli import terminal_draw as draw
from kibitz.cli.console import compiling
from kibitz.cli.terminal_input import COMMANDS, Left, ask, command, complain, meant, say, until, yes
from kibitz.cli.terminal_start import Given, ask_game, ask_rules, ask_seat

FILE = "told.json"


class RealTable:
    def __init__(self, folder: Path, told: api.Telling) -> None:
        self.file = folder / FILE
        self.told = told
        self._read = 0
        """Events that the person has read."""

    @classmethod
    def open(cls, folder: Path, game: str | None, given: Given) -> RealTable:
        """Go on with what was told before, or begin."""
        if (before := _kept(folder)) is not None:
            moves = len(before.said)
            if yes(f"Go on with the {before.rules} of before, {moves} moves told?"):
                return cls(folder, before)
        rules = ask_rules(game or ask_game(), given)
        seat = ask_seat(rules, given, "Your seat")
        table = cls(folder, _begin(rules, seat))
        table._keep()
        return table

    @property
    def names(self) -> list[str]:
        seats, me = range(self.told.rules.seats), self.told.seat
        return ["You" if seat == me else f"Seat {seat}" for seat in seats]

    def _keep(self) -> None:
        """Write down all that was told; the file is whole at any moment."""
        whole = self.file.with_suffix(".new")
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            whole.write_text(json.dumps(self.told.to_dict()), encoding="utf-8")
            os.replace(whole, self.file)
        except OSError as error:
            complain(f"cannot keep what you told in {self.file}: {error.strerror}")

    def play(self) -> None:
        say("Tell what each player does; u takes a slip back, ? helps.", "dim")
        while not (self.told.view.over and self._ended()):
            view = self.told.view
            draw.line(f"move {view.plies + 1}")
            self._read = draw.news(view, self.names, self._read)
            draw.table(view, self.names)
            draw.hand(view)
            if view.to_act == view.seat:
                draw.choices(view)
                self._advise(view)
            before = self.told
            while self.told is before:
                try:
                    self._do(ask(self._prompt(view)))
                except api.KibitzError as error:
                    complain(error)
        self.file.unlink(missing_ok=True)

    def _ended(self) -> bool:
        """Whether that was all; the last move may have been a slip like any other."""
        draw.line("the end")
        self._read = draw.news(self.told.view, self.names, self._read)
        draw.look("s", self.told.view, self.names)
        if command(ask("Enter ends, u takes the last move back> ")) != "u":
            return True
        self._take_back()
        return False

    def _take_back(self) -> None:
        self._tell(self.told.undo())
        self._read = len(self.told.view.events)
        say("Taken back.")

    def _prompt(self, view: api.View) -> str:
        who = "you" if view.to_act == view.seat else self.names[view.to_act].lower()
        return f"What did {who} do> "

    @staticmethod
    def _advise(view: api.View) -> None:
        if len(view.actions) > 1:
            draw.hint(view, draw.think(view))

    def _do(self, said: str) -> None:
        view = self.told.view
        mine = view.to_act == view.seat
        match command(said):
            case "q":
                raise Left
            case "u":
                self._take_back()
            case "h":
                if not mine:
                    raise api.KibitzError("advice is for your own move, and it is not your turn")
                draw.hint(view, draw.think(view))
            case "?":
                more = api.render_of(view.rules).told
                draw.help(view, "".join(COMMANDS), more, {"u": "undo: takes the last move back"})
            case None if not said:
                draw.table(view, self.names)
                draw.hand(view)
            case None:
                said = self._completed(view, said) if mine else said
                self._tell(self.told.tell(_with_next_deal(view, said)))
            case letter:
                draw.look(letter, view, self.names)

    def _completed(self, view: api.View, said: str) -> str:
        """A move of the person's own: by number, too, and with the cards that were drawn."""
        first, _, rest = said.partition(" ")
        if first.lower() in ("d", "draw"):
            if view.legal == ("draw",) and not rest:
                rest = ask("Which cards did you draw? ")
            return f"draw {rest}"
        if rest.lower() not in ("", "r", "y", "g", "b", "red", "yellow", "green", "blue"):
            return said
        actions = meant(view, said)
        if len(actions) > 1:
            raise api.KibitzError(f"tell the colour, too, such as {view.text(actions[0])}")
        return view.text(actions[0])

    def _tell(self, told: api.Telling) -> None:
        self.told = told
        self._keep()


def _with_next_deal(view: api.View, said: str) -> str:
    """The card that ends a round of a whole game is told together with the next deal."""
    questions = api.game_of(view.rules).told_with(view.rules, view.observation, said)
    if questions:
        say("That ends the round.")
    for word, question in questions.items():
        said += f" {word} {until(f'{question}: ', _something)}"
    return said


def _kept(folder: Path) -> api.Telling | None:
    try:
        data = json.loads((folder / FILE).read_text(encoding="utf-8"))
        with compiling():
            return api.Telling.from_dict(data)
    except (OSError, ValueError):  # none, or none that can be gone on with
        return None


def _begin(rules: api.Rules, seat: int) -> api.Telling:
    """Ask for the deal, and again for what cannot be."""
    with compiling():
        questions = api.game_of(rules).questions(rules)
    told: dict[str, str] = {}
    while True:
        for name, question in questions.items():
            if name not in told:
                told[name] = until(f"{question}: ", _something)
        try:
            with compiling():
                return api.Telling(rules, seat, told)
        except api.KibitzError as error:
            complain(error)
            wrong = str(error).partition(":")[0]
            told = {name: said for name, said in told.items() if name != wrong}
            if wrong not in questions:
                told = {}


def _something(said: str) -> str:
    if not said:
        raise api.KibitzError("tell the cards, such as R5 or QH")
    return said
