"""RLCard's rule player of UNO, as it comes, at our table.

It plays under our rules, but sees the table as in RLCard's own game, where a Wild+4 may be played
only if nothing else can. So it keeps its Wild+4 to the last, as it does at home; it plays no Wild
while a coloured card fits, and among these any.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz import rng as random
from kibitz.agents.base import Decision
from kibitz.games.base import KibitzError
from kibitz.games.uno.game import counts, top_card
from kibitz.games.uno.layout import COLOURS, DRAW, WILD, WILD_FOUR
from kibitz.peers import library, version
from kibitz.view import View

TRAITS = (*"0123456789", "skip", "reverse", "draw_2", "wild", "wild_draw_4")
"""RLCard's names of our ranks."""


def rlcard(name: str, game: str) -> RuleBot:
    if game != "uno":
        raise KibitzError(f"rlcard plays uno, not {game}")
    if options := name.partition(":")[2]:
        raise KibitzError(f"rlcard takes no options, not {options!r}")
    return RuleBot(name)


class RuleBot:
    """`UNORuleAgentV1`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.illegal = 0
        """How often it named a move that our rules do not have; the first legal one was made."""
        self._agent = library("rlcard.models.uno_rule_models").UNORuleAgentV1()
        self._card = library("rlcard.games.uno.card").UnoCard
        self._round = library("rlcard.games.uno.round").UnoRound
        self._player = library("rlcard.games.uno.player").UnoPlayer

    def version(self) -> str:
        return version("rlcard")

    def decide(self, view: View, rng: NDArray[np.uint64]) -> Decision:
        action = view.actions[0]
        if len(view.actions) > 1:
            said = our_action(self._answer(self.raw_state(view), rng))
            self.illegal += said not in view.actions
            action = said if said in view.actions else action
        return Decision(action, {action: 1.0})

    def raw_state(self, view: View) -> dict[str, Any]:
        """What RLCard's game would show of this position, as far as our rules allow its moves (with
        fewer colours a Wild cannot declare all). How many cards the other has is known; which they
        are is left open, since only their number is looked at."""
        seen = view.observation
        players = [self._player(seat, None) for seat in range(2)]
        for card, copies in counts(seen.hand[view.seat]).items():
            # every wild has a colour there, until it is played; equal ones differ in it
            colours = range(copies) if card in (WILD, WILD_FOUR) else [card >> 4] * copies
            players[view.seat].hand += [self._made(c, card & 15) for c in colours]
        players[1 - view.seat].hand = [None] * int(seen.held[1 - view.seat])
        turn = self._round(None, 2, None)
        turn.target = self._made(int(seen.colour), top_card(seen) & 15)
        raw = turn.get_state(players, view.seat)
        legal = [said for said in raw["legal_actions"] if our_action(said) in view.actions]
        return {"raw_obs": raw, "raw_legal_actions": legal}

    def _made(self, colour: int, rank: int) -> Any:
        kind = "wild" if rank >= WILD else "number" if rank < 10 else "action"
        return self._card(kind, COLOURS[colour].lower(), TRAITS[rank])

    def _answer(self, state: dict[str, Any], rng: NDArray[np.uint64]) -> str:
        """Its move. It draws from numpy's own stream, which is put back as it was."""
        before = np.random.get_state()
        np.random.seed(int(random.next_word(rng)) & 0xFFFFFFFF)
        try:
            return str(self._agent.step(state))
        finally:
            np.random.set_state(before)


def our_action(said: str) -> int:
    """A move such as "r-draw_2" or "draw" in our numbers."""
    if said == "draw":
        return DRAW
    colour, trait = said.split("-")
    return COLOURS.lower().index(colour) * 16 + TRAITS.index(trait)
