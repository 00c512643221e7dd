"""Kuhn poker, the smallest game of cards with hidden hands: an example of a game in one file."""

import sys
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from kibitz import contract
from kibitz._jit import inline_kernel
from kibitz.bits import lowest, popcount, select
from kibitz.games.base import Event, Game, IllegalMove, NotationError, Rules, Scale, State
from kibitz.rng import below

PASS, BET = 0, 1
STATE = [
    ("card", np.int8, (3,)),  # of each seat, and the one left over; -1 is hidden
    ("turn", np.int8),  # -1 when the game is over
    ("plies", np.int8),
    ("bets", np.int8),  # bit k: move k was a bet
]


class Params(NamedTuple):
    bet: int


class KuhnRules(Rules):
    """Kuhn poker: two players put in a chip each and get one of J, Q and K. They pass or bet in
    turn; who answers a bet with a pass folds. The higher card takes the chips."""

    game: ClassVar[str] = "kuhn"
    title: ClassVar[str] = "Kuhn poker"
    plays: ClassVar[str] = "kuhn:GAME"
    bet: Annotated[int, Field(ge=1, le=100, description="chips in a bet")] = 1
    seats: ClassVar[int] = 2

    def _make_params(self) -> Params:
        return Params(self.bet)


@inline_kernel
def deal(params, state, rng):
    state.card[:] = -1
    state.turn = state.plies = state.bets = 0
    sample_hidden(params, state, 0, rng, state)


@inline_kernel
def player_to_act(params, state):
    return np.int64(state.turn)


@inline_kernel
def legal_actions(params, state):
    return np.uint64(1 << PASS | 1 << BET) if state.turn >= 0 else np.uint64(0)


@inline_kernel
def apply(params, state, action, rng):
    state.bets |= action << state.plies
    state.plies += 1
    over = state.plies == 3 or (state.plies == 2 and state.bets != 0b10)  # a pass, then a bet
    state.turn = -1 if over else state.plies % 2


@inline_kernel
def compared(state):
    """Whether the game ended without a fold: nobody has bet, or the last two moves were bets."""
    return state.turn < 0 and (state.bets == 0 or state.bets >> (state.plies - 2) == 3)


@inline_kernel
def returns(params, state, out):
    gain = 1.0 if state.bets == 1 else -1.0  # a fold: who has bet gains
    if compared(state):
        gain = 1.0 + params.bet if state.bets else 1.0
        if state.card[0] < state.card[1]:
            gain = -gain
    out[0] = gain if state.turn < 0 else 0.0
    out[1] = -out[0]


@inline_kernel
def observe(params, state, seat, out):
    for place in range(3):
        seen = place == seat or (place < 2 and compared(state))
        out.card[place] = state.card[place] if seen else -1
    out.turn, out.plies, out.bets = state.turn, state.plies, state.bets


@inline_kernel
def sample_hidden(params, observation, seat, rng, out):
    left = np.uint64(0b111)
    for place in range(3):
        out.card[place] = observation.card[place]
        if out.card[place] >= 0:
            left ^= np.uint64(1) << np.uint64(out.card[place])
    for place in range(3):
        if out.card[place] < 0:
            drawn = select(left, below(rng, popcount(left)))
            left ^= drawn
            out.card[place] = lowest(drawn)
    out.turn, out.plies, out.bets = observation.turn, observation.plies, observation.bets


@inline_kernel
def rule_scores(params, state, out):
    out[PASS] = 0.0
    out[BET] = 2.0 * (state.card[state.turn] - 1)  # a king bets, a jack passes, a queen does either


keen_scores = rule_scores


@inline_kernel
def glimpse(params, state, seat):
    return np.uint64(0)  # after the deal, chance shows nothing


@inline_kernel
def stage(params, state):
    return 0


@inline_kernel
def bounds(params, state):
    return -1.0 - params.bet, 1.0 + params.bet


@inline_kernel
def countdown(params, state):
    return 1 if state.bets and state.turn >= 0 else -1


@inline_kernel
def estimate(params, state, weights, out):
    out[0] = 1.0 if state.card[0] > state.card[1] else -1.0
    out[1] = -out[0]


contract.provide(Params, sys.modules[__name__])


class KuhnGame(Game):
    dtype: ClassVar[np.dtype[Any]] = np.dtype((np.record, STATE))
    action_names = ("pass", "bet")
    card_names = ("J", "Q", "K")
    scale: ClassVar[Scale] = Scale("chips")

    def hand(self, state: State, holder: int) -> tuple[int, ...]:
        return (int(state.card[holder]),) if state.card[holder] >= 0 else ()

    def cards(self, rules: KuhnRules, state: State) -> list[int]:
        return state.card.tolist()

    def deal_text(self, rules: KuhnRules, state: State) -> dict[str, Any]:
        return {"hands": [self.card_text(card) for card in state.card[:2]]}

    def set_up(self, rules: KuhnRules, deal: dict[str, Any]) -> State:
        cards = [self.parse_card(hand) for hand in deal.get("hands", ())]
        if len(set(cards)) != 2 or len(cards) != 2:
            raise NotationError("a deal has two hands of a card each, such as hands=['K', 'Q']")
        state = self.new_state()
        state.card[:] = [*cards, 3 - sum(cards)]
        return state

    def opening_events(self, rules: KuhnRules, state: State) -> list[Event]:
        return [Event("deal", seat, number=1, cards=self.hand(state, seat)) for seat in (0, 1)]

    def events(self, rules: KuhnRules, before: State, action: int, after: State) -> list[Event]:
        found = [Event("play", int(before.turn), action)]
        if compared(after):
            found.append(Event("show", cards=tuple(after.card[:2].tolist())))
        return found

    def follow(self, rules: KuhnRules, seat: int, seen: State | None, event: Event) -> State:
        after = self.new_state() if seen is None else seen.copy()
        if seen is None:
            after.card[:] = -1
        if event.kind == "play" and event.seat == after.turn:
            contract.apply(rules.params, after, event.action, np.zeros(2, np.uint64))
        elif event.kind == "deal" and not after.plies:
            after.card[event.seat] = event.cards[0] if event.cards else -1
        elif event.kind == "show" and compared(after):
            after.card[:2] = event.cards
        else:
            raise IllegalMove(f"{self.event_text(event)!r} cannot be now")
        return after

    def action_of(self, event: Event) -> int | None:
        return event.action if event.kind == "play" else None

    def shown(self, rules: KuhnRules, observation: State, seat: int) -> dict[str, Any]:
        hand = [self.card_text(card) for card in self.hand(observation, seat)]
        moves = [self.action_names[observation.bets >> k & 1] for k in range(observation.plies)]
        return {"hand": hand, "moves": moves}


GAME = KuhnGame()
