"""`simulate`: play many games between named players and sum them up."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from kibitz import rng
from kibitz.agents import Agent, agent
from kibitz.agents.baselines import PlayerAgent
from kibitz.arena.deals import by_wins, returns_within
from kibitz.arena.kernels import play_games
from kibitz.arena.players import Player, check_players, decide, for_seats, seated, tell_end
from kibitz.arena.statistics import Estimate, student
from kibitz.games import game_of
from kibitz.games.base import Rules, check_count, check_rules, checked_seed
from kibitz.players import as_array
from kibitz.table import Table, append_record

CHUNKS = 256, 65_536
"""Games that kernels play in one go: at first, and at most."""
CHUNK_SECONDS = 0.2
Z95 = 1.959963984540054

Interval = tuple[float, float]
_Games = tuple[Any, NDArray[np.float64]]
"""The last states of some games, and what each seat got."""
_Play = Callable[[int, int], _Games]
"""Plays so many games from the one of that number on."""


@dataclass(frozen=True)
class PlayerSummary:
    agent: str
    wins: int
    draws: int
    win_rate: float
    """(wins + draws / 2) / games; a win is the best result alone, a draw the best result shared."""
    ci95: Interval
    """95 % interval of win_rate."""
    mean_score: float | None
    mean_score_ci95: Interval | None
    exact_bid_rate: float | None
    exact_bid_ci95: Interval | None


@dataclass(frozen=True)
class Simulation:
    """Many games between players, summed up."""

    game: str
    rules: dict[str, Any]
    seed: int
    games: int
    seconds: float
    plies: float
    """Mean number of moves in a game."""
    games_per_second: float
    stopped: bool
    """Stopped before all games were played."""
    players: list[PlayerSummary]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def wilson(rate: float, n: int) -> Interval:
    """Wilson's 95 % interval of a rate; with draws as halves it errs on the wide side."""
    z = Z95
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def simulate(
    rules: Rules,
    players: str | Agent | Sequence[str | Agent],
    games: int,
    seed: int = 0,
    *,
    fixed_seats: bool = False,
    save: str | Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> Simulation:
    """Play `games` games between players: names, or agents of your own, one for each seat or one
    for all. Seats rotate by one each game unless `fixed_seats`. `progress` is told the number of
    games done; Ctrl-C stops and sums up what there is. `save` appends a record of every game to a
    file, which needs the slower way through a Table; the games are the same.

    >>> import kibitz
    >>> kibitz.simulate(kibitz.rules("uno"), ["rule", "random"], 1000).players[0].wins > 500
    True
    """
    check_rules(rules)
    check_count(games, "games")
    given = for_seats(players, rules)
    seed = checked_seed(seed)
    check_players(given, rules)
    rotate = not fixed_seats
    with seated(given, rules.game) as sitting:
        fixed = [a.player for a in sitting if isinstance(a, PlayerAgent)]
        if len(fixed) == len(sitting) and save is None:
            play, chunk, most = _fast(rules, as_array(fixed), seed, rotate), *CHUNKS
        else:
            # a game at a time, so that Ctrl-C loses none
            play, chunk, most = _slow(rules, sitting, seed, rotate, save), 1, 1
        tally, stopped = _Tally(rules, rotate), False
        began = time.perf_counter()
        try:
            while tally.games < games:
                chunk = min(chunk, games - tally.games)
                before = time.perf_counter()
                tally.add(*play(tally.games, chunk))
                if progress is not None:
                    progress(tally.games)
                if time.perf_counter() - before < CHUNK_SECONDS / 2:
                    chunk = min(2 * chunk, most)
        except KeyboardInterrupt:
            if tally.games == 0:
                raise
            stopped = True
        seconds = time.perf_counter() - began
    return Simulation(
        game=rules.game,
        rules=rules.to_dict(),
        seed=seed,
        games=tally.games,
        seconds=seconds,
        plies=tally.plies / tally.games,
        games_per_second=tally.games / seconds,
        stopped=stopped,
        players=[
            tally.player(said if isinstance(said, str) else said.name, k)
            for k, said in enumerate(given)
        ],
    )


def play_out(
    rules: Rules, players: str | Agent | Sequence[str | Agent], seed: int, index: int = 0
) -> Table:
    """Play one game between agents: names, or agents of your own, one for each seat or one for all.
    The table holds what happened.

    >>> import kibitz
    >>> table = kibitz.play_out(kibitz.rules("uno"), ["rule", "random"], seed=1)
    >>> table.returns()
    [1.0, -1.0]
    """
    check_rules(rules)
    sitting = [agent(each, rules.game) for each in for_seats(players, rules)]
    check_players(sitting, rules)
    return _play_table(rules, sitting, seed, index)


def _play_table(rules: Rules, sitting: Sequence[Player], seed: int, index: int) -> Table:
    table = Table(rules, seed, index, [player.name for player in sitting])
    streams = [rng.generator(seed, index, rng.SEATS + seat) for seat in range(rules.seats)]
    while not table.over:
        seat = table.to_act
        table.play(decide(sitting[seat], table, streams[seat]))
    tell_end(sitting, table.returns())
    return table


def in_kernels(
    rules: Rules, names: Sequence[str], seed: int, first: int, count: int
) -> tuple[Any, NDArray[np.float64]]:
    """Games between players of `kibitz.players`, as kernels play them: final states and returns."""
    sitting = [cast(PlayerAgent, agent(name, rules.game)) for name in names]
    return _fast(rules, as_array(each.player for each in sitting), seed, True)(first, count)


def refereed(
    rules: Rules, names: Sequence[str], seed: int, first: int, count: int
) -> tuple[Any, NDArray[np.float64]]:
    """The same games at tables, between agents that get views."""
    sitting = [agent(name, rules.game) for name in names]
    return _slow(rules, sitting, seed, True, None)(first, count)


def _fast(rules: Rules, players: NDArray[Any], seed: int, rotate: bool) -> _Play:
    """All are players of `kibitz.players`: the games are played inside kernels."""
    high, low = rng.words(seed)

    def play(first: int, count: int) -> _Games:
        finals, rewards = np.zeros(count, game_of(rules).dtype), np.zeros((count, rules.seats))
        play_games(rules.params, players, high, low, first, rotate, finals, rewards)
        return finals, rewards

    return play


def _slow(
    rules: Rules, players: Sequence[Player], seed: int, rotate: bool, save: str | Path | None
) -> _Play:
    """Any players, each given a View, at a Table."""

    def play(first: int, count: int) -> _Games:
        finals, rewards = np.zeros(count, game_of(rules).dtype), np.zeros((count, rules.seats))
        for k in range(count):
            shift = (first + k) % rules.seats if rotate else 0
            sitting = [players[(seat - shift) % rules.seats] for seat in range(rules.seats)]
            table = _play_table(rules, sitting, seed, first + k)
            finals[k], rewards[k] = table.true_state(), table.returns()
            if save is not None:
                append_record(save, table.record())
        return finals, rewards

    return play


class _Tally:
    """Adds up games as they come, keeping sums only."""

    def __init__(self, rules: Rules, rotate: bool) -> None:
        seats = rules.seats
        self.rules, self.rotate = rules, rotate
        self.games = 0
        self.plies = 0
        self.wins = np.zeros(seats, np.int64)
        self.draws = np.zeros(seats, np.int64)
        self.score = np.zeros((2, seats))  # sum, sum of squares
        self.exact = np.zeros((2, seats))
        self.exact_bids = False

    def add(self, finals: Any, rewards: NDArray[np.float64]) -> None:
        count, seats = rewards.shape
        shift = (self.games + np.arange(count)) % seats if self.rotate else np.zeros(count, int)
        places = (np.arange(seats) + shift[:, None]) % seats  # seat of each player
        scores = np.take_along_axis(rewards, places, axis=1)
        best = scores == scores.max(axis=1, keepdims=True)
        alone = best.sum(axis=1, keepdims=True) == 1
        self.wins += (best & alone).sum(axis=0)
        self.draws += (best & ~alone).sum(axis=0)
        self.score += [scores.sum(axis=0), (scores**2).sum(axis=0)]
        statistics = game_of(self.rules).statistics(finals, self.rules)
        self.plies += int(statistics["plies"].sum())
        if "exact_bids" in statistics:
            self.exact_bids = True
            exact = np.take_along_axis(statistics["exact_bids"], places, axis=1)
            self.exact += [exact.sum(axis=0), (exact**2).sum(axis=0)]
        self.games += count

    def _mean(
        self, sums: NDArray[np.float64], player: int, ends: Interval
    ) -> tuple[float, Interval]:
        total, squares, n = float(sums[0, player]), float(sums[1, player]), self.games
        mean = total / n
        deviation = math.sqrt(max(0.0, squares / n - mean * mean) * n / max(1, n - 1))
        if deviation < 1e-9 * (ends[1] - ends[0]):  # rounding
            deviation = 0.0
        error = student(max(1, n - 1)) * deviation / math.sqrt(n)
        found = Estimate(mean, mean - error, mean + error, n, deviation).within(*ends)
        return mean, (found.low, found.high)

    def player(self, name: str, k: int) -> PlayerSummary:
        wins, draws = int(self.wins[k]), int(self.draws[k])
        rate = (wins + draws / 2) / self.games
        score, score_ci, exact, exact_ci = None, None, None, None
        if not by_wins(self.rules):
            score, score_ci = self._mean(self.score, k, returns_within(self.rules))
        if self.exact_bids:
            exact, exact_ci = self._mean(self.exact, k, (0.0, 1.0))
        interval = wilson(rate, self.games)
        return PlayerSummary(name, wins, draws, rate, interval, score, score_ci, exact, exact_ci)
