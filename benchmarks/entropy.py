"""Which events tell most of the hidden cards: by how many bits the entropy of a seat's belief falls
with each kind of move of the others, over many games."""

from __future__ import annotations

import argparse
import math
from collections import defaultdict

import numpy as np

from kibitz.arena.simulation import play_out
from kibitz.beliefs import read_options
from kibitz.games import game_of, rules
from kibitz.games.base import Event, Rules

SETTINGS = {
    "uno": rules("uno"),
    "blob": rules("blob", players=4, cards=5),
}


def kind_of(game: str, event: Event, owed: int, trick: list[int], trump: int) -> str:
    """What sort of move it was, in words. `owed`: cards to draw as a penalty; `trick`: cards that
    lie in it; `trump`: the suit."""
    if game == "uno":
        if event.kind == "draw":
            number = f"{event.number} card" + "s" * (event.number > 1)
            return f"draws {number}, as a penalty" if owed else f"draws {number}: none fits"
        rank = event.action & 15
        return (
            "plays a wild" if rank >= 13 else "plays " + ("an action" if rank > 9 else "a number")
        )
    if event.kind == "bid":
        return f"bids {event.action}"
    if not trick:
        return "leads"
    if event.action >> 4 == trick[0] >> 4:
        return "follows suit"
    return "cannot follow: trumps" if event.action >> 4 == trump else "cannot follow: discards"


def watch(name: str, player: str, games: int, seed: int) -> dict[str, list[float]]:
    """The bits that each kind of move took away, in the eyes of one seat of each game."""
    setting: Rules = SETTINGS[name]
    game = game_of(setting)
    found: dict[str, list[float]] = defaultdict(list)
    for index in range(games):
        table = play_out(setting, [player] * setting.seats, seed, index)
        seat = index % setting.seats
        belief = game.belief(setting, seat, read_options(setting))
        before, owed, trump = math.nan, 0, -1
        trick: list[int] = []
        for step in table.steps():
            for event in step.events:
                belief = belief.update(event.seen_by(seat))
            first = step.events[0]
            after = belief.entropy()
            if game.action_of(first) is not None and first.seat != seat:
                found[kind_of(name, first, owed, trick, trump)].append(before - after)
            before = after
            for event in step.events:  # what lies on the table, for the next move
                if event.kind == "round":
                    trump = event.values[3]
                if event.kind == "play" and name == "blob":
                    trick.append(event.action)
                if event.kind == "trick":
                    trick = []
            owed = int(step.state.pending) if name == "uno" else 0
    return found


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--games", type=int, default=400)
    ask.add_argument("--player", default="rule", help="who plays in all seats")
    ask.add_argument("--seed", type=int, default=1)
    said = ask.parse_args()
    for name in SETTINGS:
        print(f"\n{name}, {said.games} games of `{said.player}`\n")
        print("| a move of another | in a game | bits less | of 100 such |\n|---|---|---|---|")
        found = watch(name, said.player, said.games, said.seed)
        for kind, bits in sorted(found.items(), key=lambda item: -float(np.mean(item[1]))):
            error = 1.96 * np.std(bits) / math.sqrt(len(bits))
            low, high = np.percentile(bits, [5, 95])
            print(
                f"| {kind} | {len(bits) / said.games:.2f} | {np.mean(bits):+.2f} ± {error:.2f} "
                f"| 90 from {low:+.1f} to {high:+.1f} |"
            )


if __name__ == "__main__":
    main()
