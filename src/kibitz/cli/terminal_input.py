"""Questions to a person, line by line: on any terminal, or answered by a file of lines; and what it
means by what it types: a move, by number or in notation, or a command."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from rich.table import Table as Grid
from rich.text import Text

from kibitz import api
from kibitz.cli.console import clean, out

Read = TypeVar("Read")
LEAVING = ("q", "quit", "exit")
MOST = 2000
"""Characters of an answer; nobody needs more, and messages repeat what was typed."""


class Left(Exception):
    """The person went away: Ctrl-C, Ctrl-D, the end of the lines, or `q`."""


def prepare() -> None:
    """Line editing where there is any; an odd byte becomes an odd letter, not an error."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    if _is_terminal():
        with suppress(ImportError):
            import readline  # noqa: F401 - `input` uses it once it is there


def _is_terminal() -> bool:
    return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()


def say(what: Any = "", style: str | None = None) -> None:
    """Print, broken at words to the width of the terminal."""
    shown = Text(what, style or "") if isinstance(what, str) else what
    out.print(shown, soft_wrap=False)


def points(sentences: Iterable[str], style: str = "") -> None:
    """A list, each sentence beside its mark."""
    grid = Grid.grid(padding=(0, 1, 0, 0))
    for sentence in sentences:
        grid.add_row("•", Text(sentence, style))
    say(grid)


def listed(options: Iterable[tuple[str, str]]) -> None:
    """Names, numbered from 1, and what they mean."""
    grid = Grid.grid(padding=(0, 2, 0, 0))
    for number, (name, meaning) in enumerate(options, 1):
        grid.add_row(f"  {number:>2}", Text(name, "bold"), Text(meaning))
    say(grid)


def complain(error: Exception | str) -> None:
    """One line that says what would be right."""
    say(Text(" ".join(str(error).split()), "yellow"))


def ask(prompt: str) -> str:
    """One line that the person types."""
    try:
        if _is_terminal():
            return input(clean(prompt)).strip()[:MOST]
        # a file of answers: show them, so that what is printed reads like what was played
        out.print(Text(prompt), end="")
        try:
            answer = input().strip()[:MOST]
        except EOFError:
            out.print()
            raise
        out.print(Text(answer))
        return answer
    except (EOFError, KeyboardInterrupt, RuntimeError):  # RuntimeError: there is no input at all
        raise Left from None


def until(prompt: str, read: Callable[[str], Read]) -> Read:
    """Ask until the answer can be read; `q` leaves."""
    while True:
        answer = ask(prompt)
        if answer.lower() in LEAVING:
            raise Left
        try:
            return read(answer)
        except api.KibitzError as error:
            complain(error)


def choose(prompt: str, options: Sequence[tuple[str, str]], default: str) -> str:
    """One of the named options, by its name or its number; each comes with what it means."""
    names = [name for name, _ in options]
    listed(options)

    def read(answer: str) -> str:
        said = answer.lower() or default
        if said in names:
            return said
        if said.isascii() and said.isdecimal() and len(said) < 4 and 1 <= int(said) <= len(names):
            return names[int(said) - 1]
        raise api.KibitzError(
            f"{answer[:40]!r} is none of them{api.nearest(said, names)}: "
            f"type a number from 1 to {len(names)}, or a name"
        )

    return until(f"{prompt} [{default}]: ", read)


def yes(prompt: str, default: bool = True) -> bool:
    def read(answer: str) -> bool:
        said = answer.lower() or ("y" if default else "n")
        if said in ("y", "yes"):
            return True
        if said in ("n", "no"):
            return False
        raise api.KibitzError(f"{answer[:40]!r}: answer y or n")

    return until(f"{prompt} [{'Y/n' if default else 'y/N'}]: ", read)


# --- moves and commands --------------------------------------------------------------------------

COMMANDS = {
    "h": "hint",
    "b": "belief",
    "u": "undo",
    "l": "log",
    "s": "scores",
    "r": "rules",
    "?": "help",
    "q": "quit",
}
_LETTERS = {word: letter for letter, word in COMMANDS.items()} | {"exit": "q", "score": "s"}
_WITH_COLOUR = re.compile(r"(\d+|w|w4|w\+4)[: ]\s*(r|y|g|b|red|yellow|green|blue)", re.IGNORECASE)


def command(said: str, there: str = "".join(COMMANDS)) -> str | None:
    """The letter of a command, of those that there are here."""
    letter = _LETTERS.get(said.lower(), said.lower())
    return letter if len(letter) == 1 and letter in there else None


def numbered(view: api.View) -> list[tuple[int, str]]:
    """The cards of the hand, each with the number that plays it, or nothing if it cannot be
    played now."""
    seen, game = view.observation, api.game_of(view.rules)
    playable = {game.card_of(seen, action) for action in view.actions}
    found, number = [], 0
    for card in game.hand(seen, view.seat):
        number += card in playable
        found.append((card, str(number) if card in playable else ""))
    return found


def numbers_are_moves(view: api.View) -> bool:
    """Whether a number that is typed is a move itself, such as a bid, and no place in the hand."""
    return any(text.isdecimal() for text in view.legal)


def meant(view: api.View, said: str, commands: str = "".join(COMMANDS)) -> list[int]:
    """The legal actions that were meant: one, or several that differ in the colour declared."""
    said = said.strip()
    colour = ""
    if found := _WITH_COLOUR.fullmatch(said):
        said, colour = found[1], found[2][0].upper()
    if said.isascii() and said.isdecimal() and not numbers_are_moves(view):
        actions = _by_number(view, said)
    else:
        actions = _by_notation(view, said, commands)
    if colour:
        actions = [action for action in actions if view.text(action).endswith(f":{colour}")]
        if not actions:
            raise api.KibitzError(f"no colour is declared so; you may {_choices(view)}")
    return actions


def _by_number(view: api.View, said: str) -> list[int]:
    card_of = api.game_of(view.rules).card_of
    cards = {number: card for card, number in numbered(view) if number}
    card = cards.get(said.lstrip("0"))
    if card is None:
        raise api.KibitzError(f"no card has the number {said[:9]}: you may {_choices(view)}")
    return [a for a in view.actions if card_of(view.observation, a) == card]


def _by_notation(view: api.View, said: str, commands: str) -> list[int]:
    wild = said.upper().replace("W4", "W+4")
    if actions := [a for a in view.actions if view.text(a).partition(":")[0].upper() == wild]:
        return actions
    seen, game = view.observation, api.game_of(view.rules)
    try:
        action = game.parse_action(seen, said)
    except api.NotationError:
        if wild in ("W", "W+4"):
            raise api.KibitzError(f"you do not hold {wild}: you may {_choices(view)}") from None
        words = [*view.legal, *(COMMANDS[letter] for letter in commands)]
        near = api.nearest(said.upper(), words) or api.nearest(said.lower(), words)
        raise api.KibitzError(
            f"{said[:40]!r} is no move and no command{near}: you may {_choices(view)}; ? helps"
        ) from None
    if action in view.actions:
        return [action]
    card, text = game.card_of(seen, action), game.action_text(seen, action)
    if card is None:
        why = f"{text} is not allowed now"
    elif card not in game.hand(seen, view.seat):
        why = f"you do not hold {text.partition(':')[0]}"
    else:
        why = f"{text.partition(':')[0]} cannot be played now"
    raise api.KibitzError(f"{why}: you may {_choices(view)}")


def _choices(view: api.View) -> str:
    seen, game = view.observation, api.game_of(view.rules)
    if numbers_are_moves(view):
        return f"{game.renderer.verb(seen)} {', '.join(view.legal)}"
    texts = {game.card_of(seen, a): view.text(a).partition(":")[0] for a in view.actions}
    cards = dict.fromkeys(card for card, number in numbered(view) if number)
    plays = [f"play {', '.join(texts[card] for card in cards)}"] if cards else []
    others = [view.text(a) for a in view.actions if game.card_of(seen, a) is None]
    return " or ".join([*plays, *others])
