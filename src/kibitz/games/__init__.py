"""The games, by name: those of this package, and those that others install with an entry point of
the group `kibitz.games`, whose name is the game's and whose object its `Rules`. A game may import
the contract and what lies below it, never another game.

Asking for rules is cheap; asking for a game imports its kernels, and numba with them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, cast

from kibitz.games.base import Game, KibitzError, Rules, nearest, read_object

if TYPE_CHECKING:
    from kibitz.games.render import Renderer

    GAMES: tuple[str, ...]
    """All games that there are, by name."""

GROUP = "kibitz.games"
_OWN = {
    "uno": "kibitz.games.uno.rules:UnoRules",
    "blob": "kibitz.games.blob.rules:BlobRules",
    "blob-game": "kibitz.games.blob.rules:BlobGameRules",
}


@cache
def _installed() -> dict[str, type[Rules]]:
    """The rules of games from other packages. One that cannot be used is named, once, and left out:
    the others can be played without it."""
    found: dict[str, type[Rules]] = {}
    for point in entry_points(group=GROUP):
        try:
            kind = point.load()
            if not (isinstance(kind, type) and issubclass(kind, Rules)):
                raise TypeError(f"{point.value} is no class of Rules")
            if kind.game != point.name or point.name in (*_OWN, *found):
                raise TypeError(f"its rules are of {kind.game!r}, or there is such a game already")
            found[point.name] = kind
        except Exception as error:  # whatever the code of others raises
            why = f"{type(error).__name__}: {error}".splitlines()[0]
            print(f"kibitz: the game {point.name!r} is left out: {why}", file=sys.stderr)
    return found


def names() -> tuple[str, ...]:
    """All games that there are."""
    return (*_OWN, *_installed())


def rules_type(name: str) -> type[Rules]:
    if isinstance(name, str) and name in _OWN:
        return cast(type[Rules], resolve_name(_OWN[name]))
    kind = _installed().get(name) if isinstance(name, str) else None
    if kind is None:
        hint = nearest(name, names()) if isinstance(name, str) else ""
        raise KibitzError(f"no game {name!r}{hint}; there are {', '.join(names())}")
    return kind


def rules(name: str, /, **options: Any) -> Rules:
    """Rules of a game, checked: ``rules("uno", skip="pass")``."""
    return rules_type(name)(**options)


def rules_from_dict(data: Mapping[str, Any]) -> Rules:
    """Rules from a game's name and its options."""
    if not isinstance(data, Mapping):
        raise KibitzError(f"rules are told as names and values, not as {data!r}")
    options = dict(data)
    return rules(str(options.pop("game", "")), **options)


def rules_from_json(text: str) -> Rules:
    """Rules from what `Rules.to_json` wrote."""
    return rules_from_dict(read_object(text, "not rules"))


def game_of(rules: Rules | type[Rules]) -> Game:
    """The game that plays by these rules, or by rules of this kind."""
    kind = rules if isinstance(rules, type) else type(rules)
    if not issubclass(kind, Rules):
        raise KibitzError(f"rules come from kibitz.rules(...), not {rules!r}")
    return _game(kind)


@cache
def _game(kind: type[Rules]) -> Game:
    return cast(Game, resolve_name(kind.plays))


def render_of(rules: Rules) -> Renderer:
    """What draws this game on a terminal."""
    return game_of(rules).renderer


def __getattr__(name: str) -> Any:
    if name == "GAMES":  # not before somebody asks: it imports the games of other packages
        return names()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
