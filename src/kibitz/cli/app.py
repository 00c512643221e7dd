"""The commands, each a function in a file of its own; `kibitz COMMAND --help` has examples."""

from __future__ import annotations

import inspect
import io
import logging
import os
import sys
from typing import Annotated, Any

import typer

from kibitz import __version__
from kibitz.cli.advise import advise
from kibitz.cli.agents import agents
from kibitz.cli.belief import belief
from kibitz.cli.bench import bench
from kibitz.cli.calibrate import calibrate
from kibitz.cli.engine import engine
from kibitz.cli.ladder import ladder
from kibitz.cli.match import match
from kibitz.cli.play import play
from kibitz.cli.review import review
from kibitz.cli.rules import rules
from kibitz.cli.simulate import simulate
from kibitz.cli.watch import show, watch

app = typer.Typer(
    name="kibitz",
    help="Kibitz plays card games with hidden hands: UNO and Blob (Oh Hell).",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"kibitz {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    pass


COMMANDS = (
    play, engine, watch, show, belief, advise, review, agents, rules, simulate, match, ladder,
    calibrate, bench,
)  # fmt: skip
"""As `kibitz --help` lists them. What a docstring says after "Examples:" is shown last."""

for command in COMMANDS:
    about, _, examples = str(inspect.getdoc(command)).partition("\n\nExamples:\n")
    app.command(
        help=about,
        epilog="\n\n".join(["[b]Examples[/]", *examples.splitlines()]),
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True}
        if command is advise  # it takes any rule of a game as an option
        else None,
    )(command)

# Typer brings its own copy of click, or the real one, depending on its version; either way a bad
# parameter is a usage error, which is what click raises for all that people mistype.
_UsageError: Any = typer.BadParameter.__bases__[0]
INTERRUPTED = 130


def main() -> None:
    """Run the command line. What people got wrong is told in one line, with exit code 2."""
    for stream in (sys.stdout, sys.stderr):  # a terminal without ♥ gets a ? rather than an error
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    _log_clean()
    sys.exit(_run())


def _log_clean() -> None:
    """What is logged may quote anybody."""
    from kibitz.cli.console import CleanFormatter

    handler = logging.StreamHandler()
    handler.setFormatter(CleanFormatter())
    logging.getLogger("kibitz").addHandler(handler)


def _run() -> int:
    from kibitz.cli.console import fail

    try:
        code = typer.main.get_command(app).main(prog_name="kibitz", standalone_mode=False)
        if code == INTERRUPTED:  # Ctrl-C, which typer turns into an exit code
            fail("stopped")
        return code if isinstance(code, int) else 0
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # it carries the help, not a complaint
            error.show()
            return 2
        where = error.ctx.command_path if error.ctx else "kibitz"
        fail(f"{error.format_message().rstrip('.')}; `{where} --help` shows what there is")
    except ValueError as error:
        from kibitz.api import KibitzError

        if not isinstance(error, KibitzError):
            raise
        fail(str(error))
    except OSError as error:  # a full disk, or whoever read our output has gone
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - keeps the interpreter quiet at exit
        if isinstance(error, BrokenPipeError):
            return 0
        fail(f"cannot write the output: {error.strerror}")
    return 2
