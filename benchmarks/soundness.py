"""Beliefs put to the test against the truth: many random games, every seat, after every move.

    python benchmarks/soundness.py uno --games 20000
    python benchmarks/soundness.py uno --small --method particles --particles 30 --games 2000
    python benchmarks/soundness.py uno --rules hand_size=50 --games 20000 --without-truth

Random players do what a model of sensible ones does not expect, so this reaches corners that good
games never see. Checked after each move: nothing raises; the true cards are possible by the
belief's own account, and so is a world it samples when the seat is to act; what it believes to see
is what the seat sees; where the belief is exact, the true cards have a positive chance; and no
choice is called impossible by a model in which some players may do anything.
"""

from __future__ import annotations

import argparse
import json
import time
import traceback
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from typing import Any

from convergence import DECKS

from kibitz import contract
from kibitz.arena.simulation import play_out
from kibitz.games import game_of, rules_from_json
from kibitz.games import rules as make_rules
from kibitz.games.base import KibitzError, Rules
from kibitz.games.belief import Options
from kibitz.games.model import model

CHUNK = 50


@dataclass
class Findings:
    """What the beliefs of many games did."""

    games: int = 0
    updates: int = 0
    checks: int = 0
    """Positions in which the true cards were looked up."""
    exact: int = 0
    """Of these, with an exact belief."""
    recoveries: int = 0
    """Beliefs drawn afresh because no hypothesis was left."""
    impossible: int = 0
    """True cards that a belief ruled out: must be 0."""
    misread: int = 0
    """Beliefs that see something else than their seat: must be 0."""
    raised: int = 0
    """Updates that raised: must be 0."""
    surprised: int = 0
    """Beliefs that left a choice out though their model calls none impossible: must be 0."""
    first_fault: str = ""

    def add(self, other: Findings) -> None:
        for name, value in asdict(other).items():
            if name != "first_fault":
                setattr(self, name, getattr(self, name) + value)
        self.first_fault = self.first_fault or other.first_fault

    @property
    def sound(self) -> bool:
        return not (self.impossible or self.misread or self.raised or self.surprised)


def check_games(
    rules: Rules, first: int, games: int, options: Options, player: str, truth: bool = True
) -> Findings:
    """Play `games` games and follow each with a belief for every seat. Without `truth` they are
    followed, and the true cards are not looked up: with large hands that takes most of the time."""
    found = Findings()
    for index in range(first, first + games):
        try:
            _check_game(rules, index, options, player, truth, found)
        except Exception:  # the point is to find out whether there is any
            found.raised += 1
            found.first_fault = found.first_fault or f"game {index}: {traceback.format_exc()}"
        found.games += 1
    return found


def _check_game(
    rules: Rules, index: int, options: Options, player: str, truth: bool, found: Findings
) -> None:
    table = play_out(rules, [player] * rules.seats, options.seed, index)
    game = game_of(rules)
    beliefs = [game.belief(rules, seat, options) for seat in range(rules.seats)]
    seen = game.new_state()
    for step in table.steps():
        turn = contract.player_to_act(rules.params, step.state)
        for seat in range(rules.seats):
            for event in step.events:
                beliefs[seat] = beliefs[seat].update(event.seen_by(seat))
                found.updates += 1
            belief = beliefs[seat]
            if not truth:
                continue
            contract.observe(rules.params, step.state, seat, seen)
            found.checks += 1
            fault = ""
            if belief.observation.tobytes() != seen.tobytes():
                found.misread += 1
                fault = "misread"
            if turn == seat:  # it would be asked now
                world = belief.sample(1, index)[0][0]
                if not belief.possible(world):
                    found.impossible += 1
                    fault = "sampled what is impossible"
            if not belief.possible(step.state) or belief.rules_out(step.state):
                found.impossible += 1
                fault = "impossible"
            found.exact += belief.entropy_is_exact
            if fault:
                where = f"game {index}, seat {seat}, after {len(belief.events)} events: {fault}"
                found.first_fault = found.first_fault or where
    found.recoveries += sum(getattr(belief, "recoveries", 0) for belief in beliefs)
    if options.model.broad and (surprised := [b.seat for b in beliefs if b.surprises]):
        found.surprised += len(surprised)
        where = f"game {index}, seat {surprised[0]}: surprised by what its model allows"
        found.first_fault = found.first_fault or where


def _chunk(
    text: str, first: int, games: int, options: Options, player: str, truth: bool
) -> Findings:
    return check_games(rules_from_json(text), first, games, options, player, truth)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("game")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="index of the first game")
    parser.add_argument("--particles", type=int, default=200)
    parser.add_argument("--method", default="auto")
    parser.add_argument("--model", default="auto")
    parser.add_argument("--player", default="random", help="an agent, at all seats")
    parser.add_argument("--rules", action="append", default=[], help="name=value")
    parser.add_argument("--small", action="store_true", help="ten small UNO decks, games of each")
    parser.add_argument(
        "--without-truth", action="store_true", help="do not look up the true cards: quicker"
    )
    parser.add_argument("--jobs", type=int, default=2)
    said = parser.parse_args()
    options: dict[str, Any] = {}
    for text in said.rules:
        name, _, value = text.partition("=")
        options[name] = int(value) if value.isdigit() else value
    try:
        chosen = DECKS if said.small else (make_rules(said.game, **options),)
        asked = Options(
            method=said.method,
            model=model(game_of(chosen[0]).default_model if said.model == "auto" else said.model),
            n=said.particles,
            seed=0,
        )
    except KibitzError as error:
        parser.error(str(error))
    total, began = Findings(), time.monotonic()
    starts = range(said.first, said.first + said.games, CHUNK)
    with ProcessPoolExecutor(said.jobs) as pool:
        waiting = [
            pool.submit(
                _chunk,
                rules.to_json(),
                start,
                min(CHUNK, said.first + said.games - start),
                asked,
                said.player,
                not said.without_truth,
            )
            for rules in chosen
            for start in starts
        ]
        for done in as_completed(waiting):
            total.add(done.result())
            print(f"\r{total.games:,} of {said.games * len(chosen):,} games", end="", flush=True)
    print(f"\r{json.dumps({**asdict(total), 'seconds': round(time.monotonic() - began, 1)})}")
    raise SystemExit(0 if total.sound else 1)


if __name__ == "__main__":
    main()
