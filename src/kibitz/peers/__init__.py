"""Other engines: their games in step with ours, and their players at our tables.

They come with the extra `peers` and are imported when they are first needed. May import the table
and everything below: one of their players cannot do without the true cards.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from typing import Any

from kibitz.games.base import KibitzError

_PACKAGES = {"pyspiel": "open_spiel"}


def version(package: str) -> str:
    """Of a peer that is installed."""
    return f"{package} {importlib.metadata.version(package)}"


def library(name: str) -> Any:
    """A peer's module, or an error that says how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise KibitzError(
            f"{_PACKAGES.get(package, package)} cannot be imported ({error}); it comes with the "
            "extra 'peers': pip install 'kibitz[peers]'"
        ) from None
