"""Match: one player against others on mirrored deals, until enough is known.

The unit is the deal, not the game: the games of a deal hang together, and only what is left between
the players after its rotations tells of their strength. Deals count in the order of their numbers,
whoever finishes first, so that the same seed comes to the same end.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from kibitz.arena.deals import Plan, Played, by_wins, outcome, outcomes_within
from kibitz.arena.engines import Engine
from kibitz.arena.ledger import Ledger
from kibitz.arena.luck import OTHERS, mean_promise
from kibitz.arena.statistics import (
    Estimate,
    Sequential,
    control,
    elo,
    estimate,
    score,
    student,
)
from kibitz.games import game_of
from kibitz.games.base import KibitzError, Rules, check_count, finite

FEWEST = 12
"""Deals from which on luck can be taken out: below there is nothing to fit it to."""
MOST = 1_000_000
"""Deals after which even a sequential test gives up."""


@dataclass(frozen=True)
class Until:
    """When a match ends: after so many deals, or when a sequential test has decided."""

    deals: int | None = None
    between: tuple[float, float] | None = None
    """The two hypotheses: Elo where games are won or lost, else points a game."""
    luckless: bool = False
    """Whether the test counts deals with the luck of draws taken out: all of it, as it was told,
    since what is fitted to the deals of a match would change those that have been counted. That
    leaves the mean as it is, and decides with fewer deals. For games in which cards are drawn."""

    def check(self, plan: Plan) -> None:
        """Whether a match by this plan can end so."""
        if self.deals is None and self.between is None:
            raise KibitzError("say when the match ends: after so many games, or by a test")
        if self.deals is not None:
            check_count(self.deals, "deals")
        if self.between is not None and not self.between[0] < self.between[1]:
            raise KibitzError(
                f"a test is between two strengths, the lower first, such as 0,10, not "
                f"{self.between[0]:g},{self.between[1]:g}"
            )
        if self.luckless and not plan.luck:
            raise KibitzError("a test without luck needs a match that tells luck")
        if self.luckless and not game_of(plan.rules).cards_are_drawn:
            raise KibitzError(
                f"nothing is drawn in {plan.rules.game}: there is no luck of draws to take out"
            )


@dataclass(frozen=True)
class Side:
    """How one of the players did, whatever its seat."""

    name: str
    points: float
    """Mean return of a game."""
    wins: int
    draws: int
    moves: int
    ms: float
    """Mean milliseconds of a decision."""
    slowest: float
    """Milliseconds of the longest."""
    faults: int
    fault: str | None
    """The first, in words."""


@dataclass(frozen=True)
class MatchResult:
    """How strong the first player of a match is against the others, and how sure that is."""

    game: str
    rules: dict[str, Any]
    players: list[str]
    seed: int
    deals: int
    games: int
    known: int
    """Deals that had been played before, and were read."""
    measure: str
    """What is measured: `score` (a win counts 1, a draw a half) or `points` (a game, less the mean
    of the others')."""
    mean: float
    ci95: tuple[float, float]
    elo: float | None
    elo_ci95: tuple[float, float] | None
    without_luck: dict[str, Any] | None
    """The same with luck taken out, where it is told: `mean`, `ci95`, and `saved`, how many plain
    deals each one is then worth; `kind` says what luck (see luck.py)."""
    seats: list[dict[str, Any]]
    """The same from each seat."""
    pairs: dict[str, int] | None
    """Of two players: deals by how many of both games the first won, a draw counting half."""
    test: dict[str, Any] | None
    """Of a sequential test: hypotheses, log likelihood ratio, bounds, and what it decided."""
    ended: str
    """Why the match ended, in words."""
    sides: list[Side]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON, which knows no infinity: an end that is open is None."""
        told: dict[str, Any] = finite(asdict(self))
        return told


@dataclass(frozen=True)
class Standing:
    """Where a match stands, for those who watch."""

    deals: int
    estimate: Estimate
    llr: float | None
    bounds: tuple[float, float] | None


class Match:
    """A plan that is played deal by deal, until enough is known."""

    def __init__(self, plan: Plan, until: Until, ledger: Ledger | None = None) -> None:
        if not isinstance(plan, Plan):
            raise KibitzError(f"a match is played by a Plan.between(rules, names), not {plan!r}")
        until.check(plan)
        self.plan, self.until = plan, until
        self.ledger = ledger or Ledger()
        self.test: Sequential | None = None
        if until.between is not None:
            low, high = until.between
            if by_wins(plan.rules):  # without luck a deal can be worth more than all
                ends = None if until.luckless else (0.0, 1.0)
                self.test = Sequential(score(low), score(high), ends=ends)
            else:
                self.test = Sequential(low, high)
        self._ends = outcomes_within(plan.rules)
        self._done: dict[int, list[Played]] = self.ledger.played(plan)
        self._known = frozenset(self._done)
        self.counted: list[list[Played]] = []
        """The games of each deal, in order."""
        self.values: list[float] = []
        """What each deal was worth to the first player, in order."""
        self._counts: Counter[float] = Counter()
        self._tested: Counter[float] = Counter()  # what the test counts: these, or without luck
        self.verdict: str | None = None

    # --- playing ---

    def play(
        self, engine: Engine, progress: Callable[[Callable[[], Standing]], None] | None = None
    ) -> MatchResult:
        """Play until it is decided. `progress` is told after each deal, and may ask how it stands.
        Ctrl-C stops, and sums up what there is: the rest can be played another time."""
        began = time.perf_counter()
        stopped = False
        self._count()
        try:
            self._play(engine, progress)
        except KeyboardInterrupt:
            if not self.values:
                raise
            stopped = True
        return self._result(time.perf_counter() - began, stopped)

    def _play(
        self, engine: Engine, progress: Callable[[Callable[[], Standing]], None] | None
    ) -> None:
        under_way: set[int] = set()
        ahead = 0
        while not self._ended():
            while len(under_way) < engine.room and ahead < self._most():
                if ahead not in self._done:
                    engine.ask(self.plan, ahead)
                    under_way.add(ahead)
                ahead += 1
            for plan, deal, games in engine.finished():
                self.ledger.add(plan, games)
                if plan == self.plan:  # else it was asked for a match that ended early
                    under_way.discard(deal)
                    self._done[deal] = games
            self._count()
            if progress is not None and self.values:
                progress(self.standing)

    @property
    def known(self) -> int:
        """Deals that are asked for and had been played before."""
        return sum(deal < self._most() for deal in self._known)

    def _most(self) -> int:
        return MOST if self.until.deals is None else self.until.deals

    def _count(self) -> None:
        """Take what has been played into account, as far as no deal is missing."""
        while not self._ended() and (games := self._done.get(len(self.values))) is not None:
            self.ledger.tell(self.plan, games)
            self.counted.append(games)
            worth = [outcome(self.plan.rules, game.returns) for game in games]
            self.values.append(sum(worth) / len(worth))
            self._counts[self.values[-1]] += 1
            if self.test is not None:
                drawn = self._drawn(games) if self.until.luckless else 0.0
                self._tested[self.values[-1] - drawn] += 1
                self.verdict = self.test.verdict(self._tested)

    def _drawn(self, games: Sequence[Played]) -> float:
        """What the draws of a deal were worth to the first player."""
        return float(np.mean([_gained(self.plan.rules, game.luck) for game in games]))

    def _ended(self) -> bool:
        return self.verdict is not None or len(self.values) >= self._most()

    def faults(self) -> dict[str, int]:
        """How often each player could not go on."""
        found = dict.fromkeys(self.plan.players, 0)
        for games in self.counted:
            for game in games:
                for name, fault in zip(self.plan.players, game.faults, strict=True):
                    found[name] += fault is not None
        return found

    def standing(self) -> Standing:
        llr = None if self.test is None else self.test.llr(self._tested)
        bounds = None if self.test is None else self.test.bounds
        return Standing(len(self.values), self._estimate(), llr, bounds)

    # --- what came of it ---

    def _estimate(self) -> Estimate:
        alone = len(set(self.plan.players)) == 1
        if alone and len(self.values) > 1 and len(set(self.values)) == 1:
            return estimate(self.values)  # who plays itself is level for certain
        return estimate(self.values, self._ends)

    def _result(self, seconds: float, stopped: bool) -> MatchResult:
        plan = self.plan
        rules, games = plan.rules, [game for deal in self.counted for game in deal]
        found = self._estimate()
        wins = by_wins(rules)
        return MatchResult(
            game=rules.game,
            rules=rules.to_dict(),
            players=list(plan.players),
            seed=plan.seed,
            deals=len(self.values),
            games=len(games),
            known=sum(deal < len(self.values) for deal in self._known),
            measure="score" if wins else "points",
            mean=found.mean,
            ci95=(found.low, found.high),
            elo=elo(found.mean) if wins else None,
            elo_ci95=(elo(found.low), elo(found.high)) if wins else None,
            without_luck=self._without_luck(),
            seats=self._by_seat(),
            pairs=self._pairs() if wins and rules.seats == 2 else None,
            test=self._test_told(),
            ended=self._why(stopped),
            sides=[self._side(name, games) for name in dict.fromkeys(plan.players)],
            seconds=seconds,
        )

    def _without_luck(self) -> dict[str, Any] | None:
        plan, plain = self.plan, estimate(self.values)
        if not plan.luck or len(self.values) < FEWEST or not plain.deviation:
            return None  # or nothing varies that luck could explain
        draws = np.array([self._drawn(games) for games in self.counted])
        kind, extra = "draws", 0.0
        if draws.any():
            found = control(self.values, draws)
        else:
            kind = "promise"
            told = [games[0].promise for games in self.counted]
            if None in told:
                return None
            found = control(self.values, np.array(told, float) - mean_promise(plan.rules))
            # the mean was taken from other deals, and has an error of its own; their promises are
            # known less well, and so vary more
            extra = 2 * max(0.0, plain.deviation**2 - found.deviation**2) / OTHERS
        if not math.isfinite(found.deviation):
            return None
        half = math.hypot(found.high - found.mean, student(OTHERS) * math.sqrt(extra))
        least, most = self._ends  # what is taken away may carry a mean past them, not the truth
        found = replace(found, low=found.mean - half, high=found.mean + half)
        if least < found.mean < most:
            found = found.within(least, most)
        mean, *ends = (min(most, max(least, x)) for x in (found.mean, found.low, found.high))
        return {"kind": kind, "mean": mean, "ci95": tuple(ends), "saved": found.saved}

    def _by_seat(self) -> list[dict[str, Any]]:
        """How the first player did in each seat."""
        rows = []
        for seat in range(self.plan.rules.seats):  # it sat there in the game of that rotation
            worth = [outcome(self.plan.rules, games[seat].returns) for games in self.counted]
            found = estimate(worth, self._ends)
            rows.append({"seat": seat, "mean": found.mean, "ci95": (found.low, found.high)})
        return rows

    def _pairs(self) -> dict[str, int]:
        return {f"{half / 2:g}": self._counts[half / 4] for half in range(5)}

    def _test_told(self) -> dict[str, Any] | None:
        if self.test is None or self.until.between is None:
            return None
        return {
            "between": list(self.until.between),
            "luckless": self.until.luckless,
            "llr": self.test.llr(self._tested),
            "bounds": list(self.test.bounds),
            "accepted": self.verdict,
        }

    def _why(self, stopped: bool) -> str:
        unit = "Elo" if by_wins(self.plan.rules) else "points"
        played = "1 deal" if len(self.values) == 1 else f"{len(self.values)} deals"
        if self.verdict is not None and self.until.between is not None:
            low, high = self.until.between
            said = (low, high) if self.verdict == "H0" else (high, low)
            return f"the test decided for {said[0]:g} {unit}, against {said[1]:g}"
        if stopped:
            return "stopped; the same command goes on with it"
        if self.until.between is not None:
            return f"after {played}, the test undecided"
        return f"after {played}, as asked"

    def _side(self, name: str, games: Sequence[Played]) -> Side:
        """Over all seats that a player of that name had."""
        places = [k for k, each in enumerate(self.plan.players) if each == name]
        moves = sum(game.moves[k] for game in games for k in places)
        seconds = sum(game.seconds[k] for game in games for k in places)
        faults = [game.faults[k] for game in games for k in places if game.faults[k]]
        best = [
            (game.returns[k] == max(game.returns), game.returns.count(max(game.returns)))
            for game in games
            for k in places
        ]
        return Side(
            name=name,
            points=sum(g.returns[k] for g in games for k in places) / (len(games) * len(places)),
            wins=sum(top and many == 1 for top, many in best),
            draws=sum(top and many > 1 for top, many in best),
            moves=moves,
            ms=1000 * seconds / max(1, moves),
            slowest=1000 * max(game.slowest[k] for game in games for k in places),
            faults=len(faults),
            fault=faults[0] if faults else None,
        )


def _gained(rules: Rules, returns: Sequence[float]) -> float:
    """What returns that were gained are worth to the first player, in what is measured."""
    own, *others = returns
    return own / 2 if by_wins(rules) else own - sum(others) / len(others)
