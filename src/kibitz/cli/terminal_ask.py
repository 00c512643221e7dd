"""Questions to a person, line by line: on any terminal, or answered by a file of lines."""

from __future__ import annotations

import io
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
