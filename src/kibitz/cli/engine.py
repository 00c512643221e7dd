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
    from kibitz.cli.console import house
    from kibitz.protocol.engine import serve

    with house(data) as kept:

        def leave() -> None:
            kept.storage.close()
            os._exit(0)  # Python itself would wait for the thread

        serve(house=kept, threads=threads, leave=leave)
