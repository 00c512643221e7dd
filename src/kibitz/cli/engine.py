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
    from kibitz import api
    from kibitz.protocol.engine import serve

    storage = api.Storage(data)

    def leave() -> None:
        storage.close()
        os._exit(0)  # Python itself would wait for the thread

    serve(house=api.House(storage), threads=threads, leave=leave)
