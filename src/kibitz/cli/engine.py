"""`engine`: the protocol on standard streams."""

from __future__ import annotations

import json
import os
from pathlib import Path


def run(schema: bool, threads: int, data: Path | None) -> None:
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
