"""`calibrate`: are beliefs as sure as they should be? Forecasts against the true cards.

At every decision three forecasters are asked, from the view of the seat to act:

* **uniform**: what is seen now and nothing of how it came about;
* **constraints**: the whole history, but choices say nothing;
* **full**: the history and a model of the players.

They say of every other seat and hidden card how likely the seat has it, and how likely a seat has a
card of the sort that is asked for now. Decisions before a round's bidding is over are left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from math import comb
from typing import Any

import numpy as np

from kibitz import rng
from kibitz.agents import Agent, agent
from kibitz.arena.players import check_players, for_seats
from kibitz.arena.scores import Array, Question, Tally, question
from kibitz.beliefs import belief, check_options
from kibitz.games import game_of
from kibitz.games.base import Rules, State, check_count, check_rules, finite
from kibitz.games.belief import STOCK, Belief
from kibitz.games.model import Chances, Model
from kibitz.games.model import model as read_model
from kibitz.table import Table
from kibitz.view import View

UNIFORM, CONSTRAINTS, FULL = "uniform", "constraints", "full"
QUESTIONS = HAS_CARD, CAN_PLAY = "has_card", "can_play"
PAIRS = [(FULL, UNIFORM), (FULL, CONSTRAINTS)]


@dataclass(frozen=True)
class Calibration:
    """What beliefs said in many games, scored against the true cards."""

    game: str
    rules: dict[str, Any]
    seed: int
    players: list[str]
    model: str
    particles: int
    games: int
    decisions: int
    seconds: float
    stopped: bool
    """Stopped before all games were played."""
    questions: dict[str, Question]
    """`has_card` and `can_play`, as far as they came up."""

    def to_dict(self) -> dict[str, Any]:
        """Numbers only; what is infinite is None."""
        found: dict[str, Any] = finite(asdict(self))
        return found


def calibrate(
    rules: Rules,
    games: int,
    seed: int = 0,
    players: str | Agent | Sequence[str | Agent] = "rule",
    model: str | Model | Chances = "auto",
    n: int = 1000,
    progress: Callable[[int], None] | None = None,
    *,
    method: str = "auto",
) -> Calibration:
    """Play `games` games between agents (one name stands for all seats; they rotate as in
    `simulate`, and the games are the same) and score what beliefs said of the hidden cards.
    `progress` is told the number of games done; Ctrl-C stops and sums up what there is."""
    check_rules(rules)
    check_count(games, "games")
    sitting = [agent(each, rules.game) for each in for_seats(players, rules)]
    check_players(sitting, rules)
    check_options(rules, method, model, n)
    asked = Forecasters(rules, {CONSTRAINTS: CONSTRAINTS, FULL: model}, n, method)
    played: list[GameScores] = []
    stopped = False
    began = time.perf_counter()
    try:
        while len(played) < games:
            played.append(play_game(rules, sitting, seed, len(played), asked))
            if progress is not None:
                progress(len(played))
    except KeyboardInterrupt:
        if not played:
            raise
        stopped = True
    return Calibration(
        game=rules.game,
        rules=rules.to_dict(),
        seed=seed,
        players=[each.name for each in sitting],
        model=str(asked.models[FULL]),
        particles=n,
        games=len(played),
        decisions=sum(game.decisions for game in played),
        seconds=time.perf_counter() - began,
        stopped=stopped,
        questions={
            name: question([game.tallies[name] for game in played], asked.names, PAIRS, seed)
            for name in QUESTIONS
            if any(game.tallies[name].asked for game in played)
        },
    )


class Forecasters:
    """Who is asked: the uniform one, and a belief for each model."""

    def __init__(
        self, rules: Rules, models: dict[str, str | Model | Chances], n: int, method: str
    ) -> None:
        standard = game_of(rules).default_model
        self.models = {
            name: read_model(standard if said == "auto" else said) for name, said in models.items()
        }
        self.n, self.method = n, method
        self.names = [UNIFORM, *models]

    def belief(self, view: View, name: str, seed: int) -> Belief:
        return belief(view, self.method, self.models[name], self.n, seed, cache=None)

    def bare(self, view: View) -> Belief:
        """What is seen now alone. Where deals are not counted in closed form, one particle will do
        and nothing need be enumerated: see `_chances`."""
        return belief(replace(view, events=()), model=CONSTRAINTS, n=1, exact_limit=0)


class Watcher:
    """What one seat's forecasters think, brought up to date when it is asked."""

    def __init__(self, asked: Forecasters, seed: int) -> None:
        self.asked, self.seed = asked, seed
        self.beliefs: dict[str, Belief] = {}

    def look(self, view: View) -> list[Belief]:
        """The belief of each forecaster; the first is that of the bare observation."""
        for name in self.asked.models:
            if name not in self.beliefs:
                self.beliefs[name] = self.asked.belief(view, name, self.seed)
            for event in view.events[len(self.beliefs[name].events) :]:
                self.beliefs[name] = self.beliefs[name].update(event)
        return [self.asked.bare(view), *self.beliefs.values()]


class GameScores:
    """What one game gave."""

    def __init__(self, forecasters: int) -> None:
        self.tallies = {name: Tally(forecasters) for name in QUESTIONS}
        self.decisions = 0

    def add(self, beliefs: list[Belief], truth: State) -> None:
        self.decisions += 1
        first = beliefs[0]
        found = [_chances(belief) for belief in beliefs]
        for holder in first.marginals().holders:
            if holder == STOCK:
                continue
            has = set(first.holding(truth, holder))
            chances = np.stack([has_card[holder] for has_card, _ in found])
            so = np.array([card in has for card in sorted(first.marginals().cards)], bool)
            self.tallies[HAS_CARD].add(chances, so)
            said = [can_play[holder] for _, can_play in found]
            if None not in said:
                able = np.array([not has.isdisjoint(first.asked)])
                self.tallies[CAN_PLAY].add(np.array(said, float)[:, None], able)


def _chances(belief: Belief) -> tuple[dict[int, Array], dict[int, float | None]]:
    """By holder: the chance of each card, in the order of their numbers, and of being able to
    play. A bare observation that had to be sampled is worked out instead: it is uniform, and its
    sampling error would count against it."""
    found = belief.marginals()
    order = np.argsort(found.cards)
    seats = [holder for holder in found.holders if holder != STOCK]
    if belief.events or belief.entropy_is_exact:
        rows = {holder: found.chance[found.holders.index(holder)][order] for holder in seats}
        return rows, {holder: belief.can_play(holder) for holder in seats}
    copies = np.rint(found.expected.sum(axis=0)).astype(int)
    sizes = belief.sizes
    total, asked_for = sum(sizes.values()), set(belief.asked)
    wanted = sum(int(copies[k]) for k, card in enumerate(found.cards) if card in asked_for)

    def some(copies: int, size: int) -> float:
        return 1 - comb(total - copies, size) / comb(total, size)

    cards, plays = {}, {}
    for holder, size in sizes.items():
        cards[holder] = np.array([some(int(copies[k]), size) for k in order])
        asked = belief.can_play(holder) is not None
        plays[holder] = some(wanted, size) if asked else None
    return cards, plays


def play_game(
    rules: Rules, agents: list[Agent], seed: int, index: int, asked: Forecasters
) -> GameScores:
    """Play one game, as `simulate` does, and ask the forecasters at every decision."""
    seats = range(rules.seats)
    table = Table(rules, seed, index)
    streams = [rng.generator(seed, index, rng.SEATS + seat) for seat in seats]
    sitting = [agents[(seat - index) % rules.seats] for seat in seats]
    # other random numbers in every game, or all games would share the same sampling errors
    high, low = rng.generator(seed, index, rng.CALIBRATION).tolist()
    watchers = [Watcher(asked, high << 64 | low) for _ in seats]
    found = GameScores(len(asked.names))
    while not table.over:
        seat = table.to_act
        view, truth = table.view(seat), table.true_state()
        happened = table.play(sitting[seat].decide(view, streams[seat]).action)
        if happened[0].kind != "bid":
            found.add(watchers[seat].look(view), truth)
    return found
