"""Meters of the other engines, OpenSpiel and RLCard, from the extra `peers`.

Each meter plays the peer at the best it can do: OpenSpiel without leaving C++ for as long as it is
timed, RLCard without its environment around the game. What is compared, and why that is fair, is in
`kibitz.bench.engine`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.bench.engine import Meter, clock
from kibitz.games.base import State
from kibitz.games.blob.rules import BlobRules
from kibitz.peers import library
from kibitz.peers.oh_hell import deal_oh_hell, load_oh_hell
from kibitz.peers.openspiel import cpp_ismcts

# --- OpenSpiel -----------------------------------------------------------------------------------


def _rollouts(game: Any, state: Any, n: int) -> Meter:
    """Seconds of one random game on from `state`, all inside C++: a search of one simulation asks
    its evaluator once, at the root, and that plays `n` games and averages them."""
    pyspiel = library("pyspiel")
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=n, seed=1)
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 1, False, 1, False)

    def meter() -> float:
        return clock(lambda: bot.step(state)) / n

    return meter


def oh_hell_rounds(rules: BlobRules, state: State, n: int) -> Meter:
    """Seconds of one random round from our freshly dealt `state`."""
    game = load_oh_hell(rules)
    return _rollouts(game, deal_oh_hell(game, rules, state, int(state["dealer"])), n)


def ismcts_steps(states: Sequence[Any], sims: int, explore: float) -> Meter:
    """Seconds of one `ISMCTSBot.step`, on average over positions: a fresh world for each simulation
    by the game's own `resample_from_infostate`, a random rollout each, the most visited action."""
    bot = cpp_ismcts(1, sims, explore)

    def work() -> None:
        for state in states:
            bot.step(state)

    return lambda: clock(work) / len(states)


@dataclass(frozen=True)
class CrazyEights:
    """Random games from one deal of `crazy_eights(players=2)`."""

    seconds: Meter  # of one game
    plies: float  # decisions in a game
    nodes: float  # decisions and chance nodes


def crazy_eights(n: int, counted: int) -> CrazyEights:
    """`counted` games are played in Python beforehand to count their plies."""
    game = library("pyspiel").load_game("crazy_eights(players=2)")
    source = random.Random(1)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(source.choice(state.legal_actions()))
    plies = nodes = 0
    for _ in range(counted):
        playing = state.clone()
        while not playing.is_terminal():
            nodes += 1
            plies += not playing.is_chance_node()
            # A chance node is a draw from a deck without equal cards: uniform, as the moves are.
            playing.apply_action(source.choice(playing.legal_actions()))
    return CrazyEights(_rollouts(game, state, n), plies / counted, nodes / counted)


# --- RLCard --------------------------------------------------------------------------------------


def rlcard_games(n: int) -> Meter:
    """Seconds of one random UNO game by `Game.step`, which tells the legal actions anyway."""
    game = _rlcard_game()
    uniform = random.Random(1).random

    def play() -> None:
        for _ in range(n):
            state, _ = game.init_game()
            while not game.is_over():
                legal = state["legal_actions"]
                state, _ = game.step(legal[int(uniform() * len(legal))])

    return lambda: clock(play) / n


def rlcard_bare_games(n: int) -> Meter:
    """The same by the two calls inside `Game.step` that a random game cannot do without."""
    game = _rlcard_game()
    uniform = random.Random(1).random

    def play() -> None:
        for _ in range(n):
            game.init_game()
            players, turn = game.players, game.round
            while not turn.is_over:
                legal = turn.get_legal_actions(players, turn.current_player)
                turn.proceed_round(players, legal[int(uniform() * len(legal))])

    return lambda: clock(play) / n


def rlcard_runs(n: int) -> Meter:
    """Seconds of one game by `env.run` with two of RLCard's random agents."""
    rlcard = library("rlcard")
    agents = library("rlcard.agents")
    env = rlcard.make("uno", config={"seed": 1})
    env.set_agents([agents.RandomAgent(num_actions=env.num_actions) for _ in range(2)])

    def play() -> None:
        for _ in range(n):
            env.run()

    return lambda: clock(play) / n


def _rlcard_game() -> Any:
    game = library("rlcard.games.uno").Game()
    game.np_random.seed(1)
    return game
