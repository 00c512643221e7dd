"""Blob in step with OpenSpiel's `oh_hell`: the same deals, the same moves, 0 differences.

    python benchmarks/oh_hell.py --rounds 100000

Our kernels deal; the deal is forced through the chance nodes of `oh_hell`; then both play the same
random moves. Compared are, at every decision, the seat to act, bidding or playing, and the legal
actions (so the winner of every trick but the last, who leads to the next); at the end, that both
are over, the tricks of each seat (so the winner of the last) and the returns.

The settings are all of `settings()`: 3 to 7 players, decks of several sizes, from one trick to as
many as the deck allows, several values of a trick, both values of `off_bid_penalty` (False is our
miss="tricks", True miss="penalty"), every dealer in turn. Needs the extra `peers`.
"""

from __future__ import annotations

import argparse
import itertools
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz import contract, rng
from kibitz.games import game_of
from kibitz.games.base import KibitzError, State
from kibitz.games.blob.layout import BIDDING
from kibitz.games.blob.rules import BlobRules
from kibitz.peers.oh_hell import deal_oh_hell, load_oh_hell, oh_hell_card

DECKS = ((4, 13), (4, 8), (4, 4), (3, 13), (3, 5), (2, 13), (2, 6), (1, 13))
"""Suits, and cards in each."""
TRICKS = (1, 2, 3, 5, 7, 10, 17)
POINTS = (1, 3, 0, 7, 100)
BID = 64
"""Bids are bits from here up in a set that may hold cards or bids."""
PROGRESS_EVERY = 5000
_TRICKS_WON = re.compile(r"Tricks Won: +([0-9 ]+)")


def settings() -> list[dict[str, Any]]:
    """What can be set alike on both sides, as options of `BlobRules`."""
    found: list[dict[str, Any]] = []
    for players, (suits, ranks) in itertools.product(range(3, 8), DECKS):
        most = (suits * ranks - 1) // players
        for cards in sorted({min(tricks, most) for tricks in TRICKS} - {0}):
            for miss in ("tricks", "penalty"):
                options = {"players": players, "suits": suits, "ranks": ranks, "cards": cards}
                points = POINTS[len(found) % len(POINTS)]
                found.append({**options, "miss": miss, "points_per_trick": points})
    return found


@dataclass(frozen=True)
class Report:
    rounds: int
    settings: int
    decisions: int
    differences: int
    """Rounds that differ: each is left at its first difference."""
    first: str | None
    """The first difference, in words."""

    def __str__(self) -> str:
        return (
            f"{self.rounds} rounds, {self.settings} settings, {self.decisions} decisions: "
            f"{self.differences} differences"
        )


class _Pair:
    """One setting on both sides. `changed` options are ours alone: a fault, to see it found."""

    def __init__(self, setting: dict[str, Any], changed: dict[str, Any]) -> None:
        options = {**setting, "trump": "turned", "exact_bonus": 10}
        self.ours = [
            BlobRules(**{**options, "dealer": dealer, **changed})
            for dealer in range(setting["players"])
        ]
        self.game = load_oh_hell(BlobRules(**options))
        self.action, self.bit = self._numbers(self.ours[0])

    @staticmethod
    def _numbers(rules: BlobRules) -> tuple[dict[int, int], dict[int, int]]:
        """OpenSpiel's number of an action -> ours, and -> its bit in a set."""
        suits = [range(16 * suit, 16 * suit + rules.ranks) for suit in range(rules.suits)]
        cards = {oh_hell_card(rules, card): card for suit in suits for card in suit}
        bids = {rules.deck_size + bid: bid for bid in range(rules.cards + 1)}
        bits = {theirs: 1 << ours for theirs, ours in cards.items()}
        bits |= {theirs: 1 << BID + ours for theirs, ours in bids.items()}
        return cards | bids, bits

    def play(self, dealer: int, seed: int, index: int) -> tuple[int, str | None]:
        """Play round `index`: the decisions made, and the first difference if there is one."""
        rules = self.ours[dealer]
        params = rules.params
        chance, choice = rng.generator(seed, index), rng.generator(seed, index, stream=1)
        state = game_of(rules).new_state()
        contract.deal(params, state, chance)
        theirs = deal_oh_hell(self.game, rules, state, dealer)
        decisions = 0
        said = None
        while not theirs.is_terminal():
            seat, their_seat = contract.player_to_act(params, state), theirs.current_player()
            if seat != their_seat:
                said = f"the seat to act is {seat}, there {their_seat}"
                break
            actions = theirs.legal_actions()
            legal = int(contract.legal_actions(params, state))
            if state["phase"] == BIDDING:
                legal <<= BID
            if legal != sum([self.bit[action] for action in actions]):
                said = f"the legal actions are {legal:#x}, there {actions}"
                break
            action = actions[rng.below(choice, len(actions))]
            contract.apply(params, state, self.action[action], chance)
            theirs.apply_action(action)
            decisions += 1
        else:
            said = self._ending(params, state, theirs)
        if said is not None:
            said = f"round {index} of seed {seed}, {rules}, dealer {dealer}: {said}\n{theirs}"
        return decisions, said

    @staticmethod
    def _ending(params: Any, state: State, theirs: Any) -> str | None:
        """What differs once `oh_hell` is over."""
        if contract.player_to_act(params, state) >= 0:
            return "the round goes on, there it is over"
        won = state["won"][: params.players].tolist()
        found = _TRICKS_WON.search(str(theirs))
        their_won = [int(n) for n in found[1].split()] if found else None
        if won != their_won:
            return f"tricks won {won}, there {their_won}"
        scores = np.zeros(params.players)
        contract.returns(params, state, scores)
        if scores.tolist() != theirs.returns():
            return f"returns {scores.tolist()}, there {theirs.returns()}"
        return None


def compare(
    rounds: int,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
    changed: dict[str, Any] | None = None,
) -> Report:
    """Play `rounds` rounds in step, the settings in turn. `progress` is told the rounds done.
    `changed` options replace ours, to show that a difference is found."""
    if rounds < 1:
        raise KibitzError(f"rounds must be at least 1, not {rounds}")
    if not 0 <= seed <= rng.MAX_SEED:
        raise KibitzError(f"seed must be a whole number from 0 to 2^128 - 1, not {seed}")
    pairs = [_Pair(setting, changed or {}) for setting in settings()[:rounds]]
    decisions = differences = 0
    first = None
    for index in range(rounds):
        lap, k = divmod(index, len(pairs))
        made, said = pairs[k].play(lap % len(pairs[k].ours), seed, index)
        decisions += made
        if said is not None:
            differences += 1
            first = first or said
        if progress is not None:
            progress(index + 1)
    return Report(rounds, len(pairs), decisions, differences, first)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="Play Blob in step with OpenSpiel's oh_hell and count the differences.",
    )
    parser.add_argument("--rounds", type=int, default=10_000, help="rounds to play")
    parser.add_argument("--seed", type=int, default=0, help="seed of deals and moves")
    given = parser.parse_args(arguments)
    began = time.perf_counter()

    def progress(done: int) -> None:
        if done % PROGRESS_EVERY == 0 and done < given.rounds:
            seconds = time.perf_counter() - began
            print(f"{done} of {given.rounds} rounds, {seconds:.0f} s", file=sys.stderr)

    try:
        report = compare(given.rounds, given.seed, progress)
    except KibitzError as error:
        parser.error(str(error))
    if report.first is not None:
        print(f"first difference: {report.first}")
    print(report)
    return 1 if report.differences else 0


if __name__ == "__main__":
    sys.exit(main())
