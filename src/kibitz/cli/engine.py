"""`engine`: the protocol on standard streams."""

from __future__ import annotations

import json
from pathlib import Path


def run(schema: bool, threads: int, data: Path | None) -> None:
    from kibitz.protocol import messages

    if schema:
        print(json.dumps(messages.schema(), indent=2))
        return
    from kibitz import api
    from kibitz.protocol.engine import serve

    serve(house=api.House(api.Storage(data)), threads=threads)
