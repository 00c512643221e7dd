"""Mirrored deals: the same cards, played once for every rotation of the players over the seats.

The cards of a deal and the random numbers of each seat depend on (seed, number of the deal, seat)
alone, so luck of the cards is the same for everyone who sits there, and what is left between the
players is how they play. `play_deal` is what a process or a cluster is asked to do: everything it
needs is in the plan, and the same plan gives the same games wherever they are played.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from kibitz import contract, rng
from kibitz.agents import agent
from kibitz.arena.luck import PROMISED, luck_of_draws, promise, source_of
from kibitz.arena.players import Player, decide, player, seated, tell_end
from kibitz.games import game_of
from kibitz.games.base import KibitzError, Rules
from kibitz.table import Table

PACKAGE = Path(__file__).parent.parent


@dataclass(frozen=True)
class Plan:
    """What is played: all that decides the games."""

    rules: Rules
    players: tuple[str, ...]
    """By name; the first is the one who is measured. In the first game of a deal player k sits in
    seat k, in the next one further, and so on."""
    seed: int = 0
    luck: bool = True
    """Whether luck is told, so that it can be taken out: see luck.py."""

    @classmethod
    def between(
        cls, rules: Rules, names: Sequence[str], seed: int = 0, *, luck: bool = True
    ) -> Plan:
        """A plan for one player among others: `names` has one for each seat, or two, the second of
        which then takes all other seats."""
        seats = rules.seats
        given = [names[0], *[names[1]] * (seats - 1)] if len(names) == 2 else list(names)
        if len(given) != seats:
            raise KibitzError(
                f"{rules} has {seats} seats: name {seats} players, or two, the second of whom "
                f"takes the other seats, not {len(names)}"
            )
        try:
            seed = rng.checked(seed, "seed", rng.MAX_SEED)
        except ValueError as error:
            raise KibitzError(str(error)) from None
        for name in given:  # what cannot be is said now, not counted as a loss later
            found = player(name, rules.game)
            if (fits := getattr(found, "fits", None)) is not None:
                fits(rules)
        return cls(rules, tuple(given), seed, luck)

    def to_dict(self) -> dict[str, Any]:
        rules = {"game": self.rules.game, **self.rules.to_dict()}
        seed = str(self.seed)  # may be longer than numbers in JSON can be
        return {"rules": rules, "players": list(self.players), "seed": seed, "luck": self.luck}

    @property
    def key(self) -> str:
        """What names its games: another version of Kibitz may play others."""
        return json.dumps({**self.to_dict(), "sources": _sources()}, sort_keys=True)


@cache
def _sources() -> str:
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class Played:
    """One game. Lists are by player, not by seat."""

    deal: int
    shift: int
    """Player k sat in seat (k + shift) mod seats."""
    returns: list[float]
    plies: int
    ending: str
    moves: list[int]
    """Decisions of each player."""
    seconds: list[float]
    """Time that each player took for them."""
    slowest: list[float]
    """Seconds of the longest decision."""
    faults: list[str | None] = field(default_factory=list)
    """Why a player could not go on; None if it could."""
    luck: list[float] = field(default_factory=list)
    """Where it is told: what each player gained by draws, as returns; see luck.py."""
    promise: float | None = None
    """Of the deal, in its first game, where luck is told and nothing was drawn."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def play_deal(plan: Plan, deal: int) -> list[Played]:
    """All games of a deal, one for each rotation."""
    rules = plan.rules
    with seated(plan.players, rules.game) as players:
        games = [play_game(plan, deal, shift, players) for shift in range(rules.seats)]
    if plan.luck and not any(any(game.luck) for game in games):
        first = Table(rules, plan.seed, deal).true_state()
        source = source_of(plan.seed, deal, rules.seats)
        games[0] = replace(games[0], promise=promise(rules, first, PROMISED, source))
    return games


def play_game(plan: Plan, deal: int, shift: int, players: Sequence[Player]) -> Played:
    """One game. A player that cannot go on gets the least that it could have had: of two the other
    wins, of more the rule player takes its seat, so that the others have their game."""
    rules, seats = plan.rules, plan.rules.seats
    names = [plan.players[(seat - shift) % seats] for seat in range(seats)]
    sitting = [_fresh(players[(seat - shift) % seats], rules.game) for seat in range(seats)]
    table = Table(rules, plan.seed, deal, names)
    streams = [rng.generator(plan.seed, deal, 1 + seat) for seat in range(seats)]
    low, high = (float(bound) for bound in contract.bounds(rules.params, table.true_state()))
    moves, seconds, slowest = [0] * seats, [0.0] * seats, [0.0] * seats
    faults: list[str | None] = [None] * seats
    while not table.over:
        seat = table.to_act
        began = time.perf_counter()
        try:
            table.play(decide(sitting[seat], table, streams[seat]), seat)
        except Exception as error:  # whatever a player does, the match goes on
            faults[seat] = _told(error)
            if seats == 2:
                break
            sitting[seat] = agent("rule", rules.game)
            continue
        took = time.perf_counter() - began
        if faults[seat] is None:  # else it is not the player's own any more
            moves[seat] += 1
            seconds[seat] += took
            slowest[seat] = max(slowest[seat], took)
    returns = table.returns()
    for seat, fault in enumerate(faults):
        if fault is not None:
            returns[seat] = low
            if seats == 2:
                returns[1 - seat] = high
    luck = luck_of_draws(table, source_of(plan.seed, deal, shift)) if plan.luck else []
    ending = game_of(rules).ending(table.true_state()) if table.over else "fault"
    tell_end(sitting, returns)
    return Played(
        deal, shift, _by_player(returns, shift), table.plies, ending, _by_player(moves, shift),
        _by_player(seconds, shift), _by_player(slowest, shift), _by_player(faults, shift),
        _by_player(luck, shift),
    )  # fmt: skip


def _fresh(known: Player, game: str) -> Player:
    """What a player keeps from one game may not reach the next, so each has players of its own;
    programs, which are told when a game begins, play on."""
    return known if hasattr(known, "close") else player(known.name, game)


def _by_player(by_seat: list[Any], shift: int) -> list[Any]:
    return [by_seat[(k + shift) % len(by_seat)] for k in range(len(by_seat))]


def _told(error: Exception) -> str:
    text = " ".join(str(error).split())[:500]
    return text if isinstance(error, KibitzError) else f"{type(error).__name__}: {text}"


def outcome(rules: Rules, returns: Sequence[float], who: int = 0) -> float:
    """What a game was worth to a player: 1 for a win, a half for a draw, where games are won or
    lost; else its points less the mean of the others'."""
    own = returns[who]
    others = [value for k, value in enumerate(returns) if k != who]
    if by_wins(rules):
        best = max(others)
        return 0.5 if own == best else float(own > best)
    return own - sum(others) / len(others)


def by_wins(rules: Rules) -> bool:
    """Whether a game is won or lost, rather than scored."""
    return game_of(rules).scale.units == "win %"
