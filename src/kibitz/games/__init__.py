"""The games, by name. A game may import the contract and what lies below it, never another game.

Asking for rules is cheap; asking for a game imports its kernels, and numba with them.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kibitz.games.base import Game, KibitzError, Rules, nearest, read_object

if TYPE_CHECKING:
    from kibitz.games.render import Renderer

_RULES = {
    "uno": ("kibitz.games.uno.rules", "UnoRules"),
    "blob": ("kibitz.games.blob.rules", "BlobRules"),
    "blob-game": ("kibitz.games.blob.rules", "BlobGameRules"),
}
_GAMES = {
    "uno": "kibitz.games.uno.game",
    "blob": "kibitz.games.blob.game",
    "blob-game": "kibitz.games.blob.game",
}

GAMES: tuple[str, ...] = tuple(_RULES)


def rules_type(name: str) -> type[Rules]:
    if not isinstance(name, str) or name not in _RULES:
        hint = nearest(name, GAMES) if isinstance(name, str) else ""
        raise KibitzError(f"no game {name!r}{hint}; there are {', '.join(GAMES)}")
    module, attribute = _RULES[name]
    found: type[Rules] = getattr(importlib.import_module(module), attribute)
    return found


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
    if (name := getattr(rules, "game", None)) not in _GAMES:
        raise KibitzError(f"rules come from kibitz.rules(...), not {rules!r}")
    found: Game = importlib.import_module(_GAMES[name]).GAME
    return found


def render_of(rules: Rules) -> Renderer:
    """What draws this game on a terminal."""
    return game_of(rules).renderer
