"""Ladder: everyone against everyone, and how strong each of them is.

Every pair has cards of its own, so that what one pair was dealt says nothing of another. Where more
than two sit at a table, one of each sits among others of the other kind, in turn, and is compared
with each of them by points: more is a win, the same a draw.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from kibitz.arena.deals import Plan, Played
from kibitz.arena.engines import Engine
from kibitz.arena.ledger import Ledger
from kibitz.arena.match import Match, Until
from kibitz.arena.ratings import Rating, check_names, rate
from kibitz.games.base import KibitzError, Rules, check_count, check_rules, checked_seed, finite


@dataclass(frozen=True)
class Ladder:
    """How strong each of several players is, in Elo above one of them."""

    game: str
    rules: dict[str, Any]
    seed: int
    anchor: str
    deals: int
    """Of each pair, and where more than two play, each way round; unless it was stopped."""
    ratings: list[Rating]
    """The strongest first."""
    scores: dict[str, dict[str, float | None]]
    """Mean score of each against each."""
    faults: dict[str, int]
    known: int
    """Deals that had been played before, and were read."""
    stopped: bool
    """Not all games were played: those who were rated are there."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON, which knows no infinity: an end that is open is None."""
        told: dict[str, Any] = finite(asdict(self))
        for row, rating in zip(told["ratings"], self.ratings, strict=True):
            row["remark"] = rating.remark
        return told


def ladder(
    rules: Rules,
    names: Sequence[str],
    deals: int,
    engine: Engine,
    *,
    seed: int = 0,
    anchor: str = "random",
    ledger: Ledger | None = None,
    again: bool = False,
    progress: Callable[[int, int, str], None] | None = None,
) -> Ladder:
    """Play `deals` deals of every pair, and rate. `progress` is told the matches done, all of them,
    and what is played; `again` plays known deals anew. Ctrl-C rates what there is, if all can be
    compared by it."""
    check_rules(rules)
    check_count(deals, "deals")
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise KibitzError(f"a ladder names its players, such as ['random', 'rule'], not {names!r}")
    if len(names) < 2:
        raise KibitzError("a ladder needs two players at least")
    check_names(names, anchor)
    seed = checked_seed(seed)
    plans = _plans(rules, names, seed)
    results: dict[tuple[str, str], list[float]] = {}
    faults = dict.fromkeys(names, 0)
    stopped, known = False, 0
    try:
        for number, plan in enumerate(plans):
            first, second = plan.players[:2]
            if progress is not None:
                progress(number, len(plans), f"{first} and {second}")
            if again and ledger is not None:
                ledger.forget(plan)
            match = Match(plan, Until(deals), ledger)
            known += match.known
            match.play(engine)
            for side, count in match.faults().items():
                faults[side] += count
            values = [_score(games) for games in match.counted]
            if (second, first) in results:  # the other way round: seen from the first of the pair
                results[second, first] += [1 - value for value in values]
            else:
                results[first, second] = values
            if len(match.values) < deals:
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        stopped = True
        if not results:
            raise
    try:
        ratings = rate(names, results, anchor)
    except KibitzError as error:
        if not stopped:
            raise
        raise KibitzError(
            f"stopped too early to rate all: {error}; the same command goes on"
        ) from None
    return Ladder(
        game=rules.game,
        rules=rules.to_dict(),
        seed=seed,
        anchor=anchor,
        deals=deals,
        ratings=sorted(ratings, key=lambda rating: -rating.elo),
        scores={a: {b: _mean(results, a, b) for b in names} for a in names},
        faults=faults,
        known=known,
        stopped=stopped,
    )


def _plans(rules: Rules, names: Sequence[str], seed: int) -> list[Plan]:
    found: list[Plan] = []
    for pair in combinations(names, 2):
        first, second = sorted(pair)
        sides = [(first, second)] if rules.seats == 2 else [(first, second), (second, first)]
        for side in sides:
            found.append(Plan.between(rules, side, _seed_of(seed, side), luck=False))
    return found


def _seed_of(seed: int, pair: tuple[str, str]) -> int:
    """By the names of a pair, so that its games stay when others come to the ladder or leave it."""
    told = json.dumps([seed, *pair]).encode()
    return int.from_bytes(hashlib.blake2b(told, digest_size=16).digest())


def _score(games: Sequence[Played]) -> float:
    """What the first player made of a deal: the share of the others it beat, draws as halves."""
    shares = []
    for game in games:
        own, *others = game.returns
        shares.append(sum((own > o) + 0.5 * (own == o) for o in others) / len(others))
    return sum(shares) / len(shares)


def _mean(results: dict[tuple[str, str], list[float]], a: str, b: str) -> float | None:
    if values := results.get((a, b)):
        return sum(values) / len(values)
    if values := results.get((b, a)):
        return 1 - sum(values) / len(values)
    return None
