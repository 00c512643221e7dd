"""A table on the terminal: a person plays a seat of it, or watches one being played."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

from rich.text import Text

from kibitz import api
from kibitz.cli import terminal_draw as draw
from kibitz.cli.console import compiling
from kibitz.cli.terminal_input import COMMANDS, Left, ask, command, complain, meant, say, until

MENU, AGAIN = "menu", "again"
WATCHING = "blsr?q"
AFTER = "vwlsrnmq"


class AtTable:
    """One sitting, from now to its end. What is drawn comes from the view of the person's seat;
    all cards only when the game is over."""

    def __init__(self, house: api.House, sitting: api.Sitting, promised: str) -> None:
        self.house = house
        self.sitting = sitting
        self.promised = promised
        """The commitment, as it was shown before the deal."""
        self._told = 0
        """Events of the view that the person has read."""
        self._advice: tuple[int, api.Decision] | None = None
        """What the coach thinks, and after how many changes of the table."""
        self._on = False
        """Whether a game that is watched goes on by itself."""

    @property
    def names(self) -> list[str]:
        found = self.sitting.names()
        counts = Counter(found)
        return [f"{n} {seat}" if counts[n] > 1 else n for seat, n in enumerate(found)]

    def play(self) -> str:
        """Until the person leaves, or the game is over and it says what next."""
        say("? shows what you can type.", "dim")
        while not self.sitting.over:
            if self.sitting.watch:
                self._watch()
            elif self.sitting.mine:
                self._turn()
            else:
                self._others()
        self._finish()
        return self._after()

    def _save(self) -> None:
        try:
            self.house.save(self.sitting)
        except api.KibitzError as error:  # go on from what is written down
            self.sitting = self.house.find(self.sitting.id, self.sitting.token)
            self._told = 0
            if not isinstance(error, api.WentOn):  # not in another window
                raise
            complain(error)

    # --- moves ---

    def _others(self) -> None:
        """One move of an agent."""
        choice = self.sitting.choice()
        assert choice is not None
        player, view, luck = choice
        with compiling(f"{self.names[view.seat]} is thinking"):
            action = player.decide(view, luck).action
        self.sitting.answer(action)
        self._save()

    def _turn(self) -> None:
        """Draw the table, and ask until something was done."""
        self._draw()
        number = self.sitting.number
        while self.sitting.number == number and not self.sitting.over:
            try:
                self._do(ask(draw.prompt(self.sitting.view)))
            except api.KibitzError as error:
                complain(error)

    def _draw(self) -> None:
        view, names = self.sitting.view, self.names
        draw.line(f"move {view.plies + 1}")
        self._told = draw.news(view, names, self._told)
        draw.table(view, names)
        draw.hand(view)
        draw.choices(view)

    def _do(self, said: str) -> None:
        view = self.sitting.view
        letter = command(said)
        if letter is None:
            if said:
                self._move(view, meant(view, said))
            elif len(view.actions) == 1:
                self._move(view, list(view.actions))
            else:
                self._draw()
        elif letter == "q":
            raise Left
        elif letter == "?":
            draw.help(view, "".join(COMMANDS))
        elif letter == "h":
            draw.hint(view, self._coach(view))
        elif letter == "u":
            self.sitting.undo()
            self._save()
            self._told = len(self.sitting.view.events)
            say("Taken back.")
        else:
            draw.look(letter, view, self.names)

    def _move(self, view: api.View, actions: list[int]) -> None:
        action = actions[0] if len(actions) == 1 else _colour(view, actions)
        ply, text = self.sitting.table.plies, view.text(action)
        advice = self._coach(view) if self.sitting.coach and len(view.actions) > 1 else None
        self.sitting.play(text, ply)
        self._save()
        if advice is None:
            return
        found = api.grade(view, advice, action)
        if found is not None:
            graded = {"ply": ply, "move": text, **found.to_dict()}
            if self.sitting.graded(graded):
                self._save()
                draw.grade(graded)

    def _coach(self, view: api.View) -> api.Decision:
        if self._advice is None or self._advice[0] != self.sitting.number:
            self._advice = self.sitting.number, draw.think(view)
        return self._advice[1]

    # --- watching ---

    def _watch(self) -> None:
        view, names = self.sitting.view, self.names
        who = names[self.sitting.seat]
        if self._on:
            if view.events[-1].kind not in api.render_of(view.rules).joined:
                self._told = draw.news(view, names, self._told)
        else:
            draw.line(f"move {view.plies + 1}")
            self._told = draw.news(view, names, self._told)
            draw.table(view, names)
            draw.hand(view, f"the hand of {who}")
            while not self._next(ask("Enter goes on, a to the end> "), view):
                pass
        self._others()

    def _next(self, said: str, view: api.View) -> bool:
        """Whether to go on with the next move."""
        letter = command(said, WATCHING)
        if said.lower() in ("a", "all"):
            self._on = True
        elif letter == "q":
            raise Left
        elif letter == "?":
            more = [("Enter", "the next move"), ("a", "all moves, to the end")]
            draw.help(view, WATCHING, more)
        elif letter is not None:
            draw.look(letter, view, self.names)
        elif said:
            near = api.nearest(said.lower(), [COMMANDS[letter] for letter in WATCHING])
            complain(f"{said[:40]!r} is no command{near}: Enter goes on, ? shows what there is")
        return not said or self._on

    # --- the end ---

    def _finish(self) -> None:
        """The result and what it was worth, and all cards: the game is over."""
        view, names, frame = self.sitting.view, self.names, self.sitting.frame()
        draw.line("the end")
        draw.news(view, names, self._told)
        self._told = len(view.events)
        state, render = self.sitting.table.true_state(), api.render_of(view.rules)
        for drawn in render.result(state, self.sitting.seat, view.events, names):
            say(drawn)
        if self.sitting.undone:
            say(f"You took back {self.sitting.undone} time{'s' * (self.sitting.undone > 1)}.")
        draw.grades(frame["grades"])
        self._check(frame["reveal"]["secret"])

    def _check(self, secret: str) -> None:
        record = self.sitting.table.record()
        fair = api.check_deal(secret, self.promised, self.sitting.nonce, record)
        say()
        if fair:
            say(Text("The deal was fair: ", "green") + "my secret has the SHA-256 that I showed,")
            say("and all cards are those that it makes with your part.")
        else:
            say("The deal is NOT the one that was promised.", "bold red")
        for name, value in (
            ("my secret", secret),
            ("SHA-256", self.promised),
            ("your part", self.sitting.nonce),
        ):
            say(f"  {name:<10}{value}", "dim")

    def _after(self) -> str:
        say()
        say("v review, w FILE keeps the record, l log, n another game, m menu, q quit", "dim")
        while True:
            said = ask("What now> ")
            word, _, rest = said.partition(" ")
            letter = {"review": "v", "write": "w", "new": "n", "menu": "m"}.get(word.lower())
            letter = letter or command(word, AFTER)
            try:
                match letter:
                    case "q":
                        raise Left
                    case "n":
                        return AGAIN
                    case "m":
                        return MENU
                    case "v":
                        self._review()
                    case "w":
                        self._write(rest.strip())
                    case "l" | "s" | "r":
                        draw.look(letter, self.sitting.view, self.names)
                    case _:
                        complain("v reviews, w FILE keeps, l s r show, n again, m menu, q quits")
            except api.KibitzError as error:
                complain(error)

    def _review(self) -> None:
        from kibitz.cli.review import review

        seat = None if self.sitting.watch else self.sitting.seat
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "game.jsonl"
            api.append_record(file, self.sitting.table.record())
            try:
                review(file, seat=seat)
            except KeyboardInterrupt:
                complain("The review was stopped.")

    def _write(self, name: str) -> None:
        if not name:
            raise api.KibitzError("say which file, such as w games.jsonl")
        try:
            file = Path(name).expanduser()
        except RuntimeError as error:  # ~somebody who is not there
            raise api.KibitzError(f"cannot write {name}: {error}") from None
        api.append_record(file, self.sitting.table.record())
        say(f"Kept in {file}: `kibitz show {file}` replays it.")


def _colour(view: api.View, actions: list[int]) -> int:
    """Which colour a wild declares."""
    colours = {view.text(action).partition(":")[2]: action for action in actions}

    def read(said: str) -> int:
        if said[:1].upper() not in colours or said.lower() not in (
            *"rygb",
            "red",
            "yellow",
            "green",
            "blue",
        ):
            raise api.KibitzError(f"{said[:40]!r} is no colour: type one of {', '.join(colours)}")
        return colours[said[0].upper()]

    return until(f"Which colour, {' '.join(colours)}? ", read)
