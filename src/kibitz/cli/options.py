"""Reading what people type: rules, agents and files to write."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from kibitz import api
from kibitz.cli.console import warn

if TYPE_CHECKING:
    from kibitz.api import Rules


def split_rules(texts: Iterable[str] | None) -> dict[str, str]:
    """Options of the form name=value, several in one text separated by commas or blanks. A part
    without "=" goes on with the value before it: "schedule=3,2,1,miss=zero" has two options."""
    found: dict[str, str] = {}
    last = ""
    for text in texts or ():
        for part in text.replace(",", " ").split():
            name, equals, value = part.partition("=")
            if equals:
                last = name.replace("-", "_")
                found[last] = value
            elif last:
                found[last] += "," + part
            else:
                raise api.KibitzError(f"--rules {part!r}: write name=value, such as hand_size=5")
    return found


def read_rules(game: str, texts: Iterable[str] | None) -> Rules:
    """Rules from the command line."""
    return api.rules(game, **split_rules(texts))


def check_writable(*files: Path | None) -> None:
    """Say now that a file cannot be written, not when the work is done."""
    for file in files:
        if file is None:
            continue
        folder = file.absolute().parent
        if file.is_dir():
            raise api.KibitzError(f"cannot write {file}: it is a folder")
        if not folder.is_dir():
            raise api.KibitzError(f"cannot write {file}: there is no folder {file.parent}")
        if not os.access(file if file.exists() else folder, os.W_OK):
            raise api.KibitzError(f"cannot write {file}: permission denied")


def warn_of_time(game: str, names: Iterable[str]) -> None:
    """Say who may not do the same again."""
    timed = [name for name in dict.fromkeys(names) if not api.repeats(name, game)]
    if timed:
        warn(
            f"{', '.join(timed)} thinks by the clock: another time it may come to something else; "
            "with sims in place of ms it does not"
        )
