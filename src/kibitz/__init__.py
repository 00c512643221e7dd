"""Kibitz: an engine for card games with hidden hands.

import kibitz

table = kibitz.Table(kibitz.rules("uno", skip="pass"), seed=1)
print(table.legal())
table.play(table.legal()[0])
print(table.view(0).history())
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from kibitz.api import *  # noqa: F403
else:

    def __getattr__(name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        api = _import_module("kibitz.api")
        found = getattr(api, name)
        if name in api.INNER:
            from warnings import warn

            warn(f"kibitz.{name} is not public any more", DeprecationWarning, stacklevel=2)
        return found


def __dir__() -> list[str]:
    return ["__version__", *_import_module("kibitz.api").PUBLIC]
