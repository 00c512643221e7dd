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
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

from kibitz import contract, rng
from kibitz.agents import agent
from kibitz.arena.luck import PROMISED, luck_of_draws, promise, source_of
from kibitz.arena.players import Player, beginnings, check_players, decide, player, seated, tell_end
from kibitz.games import game_of
from kibitz.games.base import KibitzError, Rules, check_rules, checked_seed
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
        check_rules(rules)
        if isinstance(names, str) or not all(isinstance(name, str) for name in names):
            raise KibitzError(
                f"a match names its players, who are made anew for each game, such as "
                f"['default', 'rule']; not {names!r}"
            )
        seats = rules.seats
        given = [names[0], *[names[1]] * (seats - 1)] if len(names) == 2 else list(names)
        if len(given) != seats:
            raise KibitzError(
                f"{rules} has {seats} seats: name {seats} players"
                + (", or two, the second of whom takes the other seats" if seats > 2 else "")
                + f", not {len(names)}"
            )
        seed = checked_seed(seed)
        check_players(given, rules)
        return cls(rules, tuple(given), seed, luck)

    def to_dict(self) -> dict[str, Any]:
        rules = {"game": self.rules.game, **self.rules.to_dict()}
        seed = str(self.seed)  # may be longer than numbers in JSON can be
        return {"rules": rules, "players": list(self.players), "seed": seed, "luck": self.luck}

    @cached_property
    def key(self) -> str:
        """What names its games: another version of Kibitz, of another engine or of a program may
        play others."""
        found = [player(name, self.rules.game) for name in dict.fromkeys(self.players)]
        versions = [each.version() for each in found if hasattr(each, "version")]
        told = {**self.to_dict(), "sources": _sources(), "versions": versions}
        return json.dumps(told, sort_keys=True)


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
    _warm(rules, plan.players)
    games = [play_game(plan, deal, shift) for shift in range(rules.seats)]
    if plan.luck and not any(any(game.luck) for game in games):
        first = Table(rules, plan.seed, deal).true_state()
        source = source_of(plan.seed, deal, rules.seats)
        games[0] = replace(games[0], promise=promise(rules, first, PROMISED, source))
    return games


@lru_cache(maxsize=64)
def _warm(rules: Rules, names: tuple[str, ...]) -> None:
    """Have loaded or compiled what these players need, once in a process: nobody's clock pays."""
    others = [agent("rule", rules.game)] * rules.seats
    _play(Table(rules, 0), others, 0, 0)
    with seated(names, rules.game) as players:
        for known in dict(zip(names, players, strict=True)).values():
            if (hasty := getattr(known, "hasty", None)) is not None:
                _play(Table(rules, 0), [hasty(), *others[1:]], 0, 0)


def play_game(plan: Plan, deal: int, shift: int, players: Sequence[Player] | None = None) -> Played:
    """One game, by players of its own: one who sat in both games of a deal would know in the second
    what the others hold. `players`: these instead, in the order of the plan."""
    if players is None:
        with seated(plan.players, plan.rules.game) as fresh:
            return play_game(plan, deal, shift, fresh)
    seats = plan.rules.seats
    sitting = [players[(seat - shift) % seats] for seat in range(seats)]
    names = [plan.players[(seat - shift) % seats] for seat in range(seats)]
    table = Table(plan.rules, plan.seed, deal, names)
    told = _play(table, sitting, plan.seed, deal)
    returns = _returns(table, told.faults)
    luck = luck_of_draws(table, source_of(plan.seed, deal, shift)) if plan.luck else []
    ending = game_of(plan.rules).ending(table.true_state()) if table.over else "fault"
    tell_end(sitting, returns)
    return Played(
        deal, shift, _by_player(returns, shift), table.plies, ending,
        _by_player(told.moves, shift), _by_player(told.seconds, shift),
        _by_player(told.slowest, shift), _by_player(told.faults, shift), _by_player(luck, shift),
    )  # fmt: skip


@dataclass
class _Told:
    """What is noted of each seat while a game is played."""

    moves: list[int]
    seconds: list[float]
    slowest: list[float]
    faults: list[str | None]


def _play(table: Table, sitting: Sequence[Player], seed: int, deal: int) -> _Told:
    """Play to the end. For one who cannot go on the rule player does, so that the others have their
    game; where a game is won or lost it is over."""
    rules, seats = table.rules, table.rules.seats
    sitting = list(sitting)
    streams = [rng.generator(seed, deal, rng.SEATS + seat) for seat in range(seats)]
    told = _Told([0] * seats, [0.0] * seats, [0.0] * seats, [None] * seats)
    while not table.over:
        seat = table.to_act
        began = time.perf_counter()
        try:
            table.play(decide(sitting[seat], table, streams[seat]), seat)
        except Exception as error:  # whatever a player does, the match goes on
            told.faults[seat] = _said(error)
            if by_wins(rules) and seats == 2:
                break
            sitting[seat] = agent("rule", rules.game)
            continue
        took = time.perf_counter() - began
        if told.faults[seat] is None:  # else it is not the player's own any more
            told.moves[seat] += 1
            told.seconds[seat] += took
            told.slowest[seat] = max(told.slowest[seat], took)
    return told


def _returns(table: Table, faults: Sequence[str | None]) -> list[float]:
    """Each seat's return; of one that could not go on, the least that it could have had."""
    returns = table.returns()
    if not any(faults):
        return returns
    low = high = 0.0
    stage = -1
    for step in table.steps():
        if (now := int(contract.stage(table.rules.params, step.state))) != stage:
            stage = now
            if contract.player_to_act(table.rules.params, step.state) >= 0:
                least, most = contract.bounds(table.rules.params, step.state)
                low, high = low + float(least), high + float(most)
    if not table.over:  # one of two gave up
        return [low if fault is not None else high for fault in faults]
    return [low if faults[seat] is not None else value for seat, value in enumerate(returns)]


def _by_player(by_seat: list[Any], shift: int) -> list[Any]:
    return [by_seat[(k + shift) % len(by_seat)] for k in range(len(by_seat))]


def _said(error: Exception) -> str:
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


@lru_cache(maxsize=16)
def returns_within(rules: Rules) -> tuple[float, float]:
    """The least and the most that a game can return."""
    ends = [contract.bounds(rules.params, view.observation) for view in beginnings(rules)]
    return sum(float(low) for low, _ in ends), sum(float(high) for _, high in ends)


def outcomes_within(rules: Rules) -> tuple[float, float]:
    """The least and the most that a game can be worth to a player, as `outcome` tells it."""
    if by_wins(rules):
        return 0.0, 1.0
    low, high = returns_within(rules)
    return low - high, high - low


def by_wins(rules: Rules) -> bool:
    """Whether a game is won or lost, rather than scored."""
    return game_of(rules).scale.units == "win %"
