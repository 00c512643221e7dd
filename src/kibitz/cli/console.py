"""What all commands share: output, errors in one line, and progress."""

from __future__ import annotations

import logging
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment
from rich.text import Text

if TYPE_CHECKING:
    from kibitz import api

# C0 but for tab and new line, delete, C1; and what turns the direction of writing round
_OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def clean(text: str) -> str:
    """A text in which a terminal finds nothing to obey: each such character is a question mark."""
    return _OBEYED.sub("?", text)


class Screen(Console):
    """A console that cleans what it prints: names, records and what programs say come from
    anywhere. The colours are rich's own, and stay."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            if segment.control is None and _OBEYED.search(segment.text):
                yield Segment(clean(segment.text), segment.style)
            else:
                yield segment


class CleanFormatter(logging.Formatter):
    """For what is logged."""

    def format(self, record: logging.LogRecord) -> str:
        return clean(super().format(record))


out = Screen(highlight=False, soft_wrap=True)
err = Screen(stderr=True, highlight=False, soft_wrap=True)
ENDING = (signal.SIGTERM, signal.SIGHUP)
"""By these a system ends a program that does not say otherwise."""


def say(text: str | Text, style: str = "") -> None:
    """Prose: a terminal breaks it between words; elsewhere a line stays a line."""
    out.print(text, style=style, markup=False, soft_wrap=not out.is_terminal)


def warn(message: str) -> None:
    err.print(f"[yellow]kibitz:[/] {escape(' '.join(message.split()))}")


def fail(message: str) -> None:
    """One line that says what was wrong and what would be right."""
    err.print(f"[red]kibitz:[/] {escape(' '.join(message.split()))}")


_ended: list[int] = []
"""By which signal we were told to end."""


def ending(code: int) -> int:
    """The exit code: that of a signal if one has told us to end, else `code`."""
    return 128 + _ended[-1] if _ended else code


@contextmanager
def house(folder: Path | None) -> Iterator[api.House]:
    """The house whose games are kept in `folder`, else in memory. Its file is closed in the end,
    also when the system asks the program to end, or the terminal is closed."""
    from kibitz import api

    def end(number: int, _: Any) -> None:
        _ended.append(number)
        raise SystemExit(ending(0))

    found = api.House(api.Storage(folder))
    asked = [each for each in ENDING if signal.getsignal(each) is signal.SIG_DFL]
    for each in asked:
        signal.signal(each, end)
    try:
        yield found
    finally:
        for each in asked:
            signal.signal(each, signal.SIG_DFL)
        found.storage.close()


@contextmanager
def compiling(title: str = "Loading") -> Iterator[None]:
    """While kernels are compiled, say so: it takes a while, once on a machine."""
    from kibitz import api

    with err.status(escape(title), spinner="dots") as status:
        watch = api.watch_compilation
        began = time.monotonic()
        count = 0

        def tell(function: Any) -> None:
            nonlocal count
            count += 1
            module = function.__module__.removeprefix("kibitz.").replace("games.", "")
            seconds = time.monotonic() - began
            if err.is_terminal:
                where = f"{module}.{function.__name__}"
                status.update(f"Compiling for this machine, once: {seconds:.0f} s, {where}")
            elif count == 1:
                err.print(
                    "Compiling for this machine; this happens once and takes some seconds ..."
                )

        with watch(tell):
            yield


@contextmanager
def drawing(picture: Path | None, title: str) -> Iterator[None]:
    """Also write what is printed meanwhile as an SVG picture."""
    if picture is None:
        yield
        return
    from rich._export_format import CONSOLE_SVG_FORMAT

    # rich's picture asks a web host for its font; ours must not ask anybody for anything
    offline = re.sub(r",\s*url\([^)]*\) format\([^)]*\)", "", CONSOLE_SVG_FORMAT)
    out.record = True
    yield
    try:
        picture.write_text(out.export_svg(title=title, code_format=offline), encoding="utf-8")
    except OSError as error:
        from kibitz.api import KibitzError

        raise KibitzError(f"cannot write {picture}: {error.strerror}") from None


@contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on the terminal; nothing where there is none."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    began = time.monotonic()
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(title, total=total, rate="")

        def tell(done: int) -> None:
            rate = done / max(1e-9, time.monotonic() - began)
            bar.update(task, completed=done, rate=f"{rate:,.0f}/s")

        yield tell
