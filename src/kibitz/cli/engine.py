"""`engine`: the protocol on standard streams."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer


def engine(
    schema: Annotated[bool, typer.Option("--schema", help="print the JSON Schema")] = False,
    threads: Annotated[int, typer.Option(min=1, max=64, help="searches at the same time")] = 1,
    data: Annotated[
        Path | None, typer.Option(help="folder to keep tables in; else they are forgotten")
    ] = None,
) -> None:
    """Answer requests in JSON lines on standard streams: for bots and coaches in any language.

    Examples:
      kibitz engine
      echo '{"id": "1", "do": "version"}' | kibitz engine
      kibitz engine --schema > messages.json
    """
    from kibitz.protocol import messages

    if schema:
        print(json.dumps(messages.schema(), indent=2))
        return
    from kibitz.cli.console import ending, house
    from kibitz.protocol.engine import INTERRUPTED, serve

    with house(data) as kept:

        def leave(code: int) -> None:
            kept.storage.close()
            os._exit(ending(code))  # Python itself would wait for the thread

        try:
            serve(house=kept, threads=threads, leave=leave)
        except (KeyboardInterrupt, SystemExit):
            leave(INTERRUPTED)  # a thread may have begun that nobody knows of
