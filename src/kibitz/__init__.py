"""Kibitz: an engine for card games with hidden hands.

import kibitz

table = kibitz.Table(kibitz.rules("uno", skip="pass"), seed=1)
print(table.legal())
table.play(table.legal()[0])
print(table.view(0).history())
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from kibitz.api import *  # noqa: F403


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(import_module("kibitz.api"), name)


def __dir__() -> list[str]:
    return [*globals(), *import_module("kibitz.api").__all__]
