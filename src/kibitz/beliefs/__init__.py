"""Beliefs: what the hidden cards may be, for any game, and a cache of them.

A game's own belief kernels live with the game; here is the door to all of them. May import views
and games, never the table: a belief sees what a seat sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from kibitz.beliefs.cache import CACHE, BeliefCache
from kibitz.games import game_of
from kibitz.games.base import Event, KibitzError, Rules, check_seat, checked_seed
from kibitz.games.belief import Belief, Options
from kibitz.games.model import Chances, Model
from kibitz.games.model import model as read_model
from kibitz.view import View, checked_view

__all__ = ["Belief", "BeliefCache", "Source", "belief", "check_options", "read_options"]

MAX_PARTICLES = 10_000_000


class Source(Protocol):
    """What one seat saw: a `View`, or any object with these."""

    @property
    def rules(self) -> Rules: ...
    @property
    def seat(self) -> int: ...
    @property
    def events(self) -> Sequence[Event]: ...


def belief(
    source: Source,
    method: str = "auto",
    model: str | Model | Chances = "auto",
    n: int = 1000,
    seed: int = 0,
    *,
    exact_limit: int = 200_000,
    adaptive: bool = False,
    cache: BeliefCache | None = CACHE,
    evidence: Any = None,
) -> Belief:
    """What the seat of `source` may think of the hidden cards, from all that it saw.

    `method`: how it is worked out, "auto" for the best there is. `model`: how the others choose, a
    text such as "uniform", "rule:temperature=2" or "0.3*uniform + 0.7*rule", or a function; "auto"
    is the game's own. `n`: the number of particles, where there are any. A view without events is a
    bare observation: the belief is then uniform over what fits it, and the `evidence` of a
    `Position`.

    >>> import kibitz
    >>> table = kibitz.play_out(kibitz.rules("blob", players=3, cards=5), "rule", seed=1)
    >>> kibitz.belief(table.view(0)).method
    'exact'
    """
    if not all(hasattr(source, name) for name in ("rules", "seat", "events")):
        checked_view(source)
    game = game_of(source.rules)
    check_seat(source.rules, source.seat)
    options = read_options(source.rules, method, model, n, seed, exact_limit, adaptive)
    if isinstance(source, View) and not source.events:
        return game.bare_belief(source.rules, source.seat, source.observation, options, evidence)
    if cache is None:
        found = game.belief(source.rules, source.seat, options)
        for event in source.events:
            found = found.update(event)
        return found
    return cache.belief(source.rules, source.seat, options, source.events)


def check_options(
    rules: Rules, method: str, model: str | Model | Chances = "auto", n: int = 1000
) -> None:
    """Refuse what no belief of this game is made with, before there is anything to believe."""
    game_of(rules).belief(rules, 0, read_options(rules, method, model, n))


def read_options(
    rules: Rules,
    method: str = "auto",
    model: str | Model | Chances = "auto",
    n: int = 1000,
    seed: int = 0,
    exact_limit: int = 200_000,
    adaptive: bool = False,
) -> Options:
    """What a belief is made with, checked; the method by the belief itself."""
    if not isinstance(method, str):
        raise KibitzError(f"the method of a belief is a text such as 'auto', not {method!r}")
    if type(n) is not int or not 1 <= n <= MAX_PARTICLES:
        raise KibitzError(f"n must be a whole number from 1 to {MAX_PARTICLES:,}, not {n!r}")
    checked_seed(seed)
    return Options(
        method=method,
        model=read_model(game_of(rules).default_model if model == "auto" else model),
        n=n,
        seed=seed,
        exact_limit=exact_limit,
        adaptive=adaptive,
    )
