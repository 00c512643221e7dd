"""UNO as a POMDP for one seat, callable from Python: exact, plain and slow. For tiny decks, and the
reference that fast code is checked against.

States are the game's own records, so equal states are equal bytes: both hands, the draw deck and
the pile as multisets, the top card, the active colour, whose turn it is and what is pending. The
counter `plies` is no part of the model, because nothing but `max_plies` depends on it: states
passed in may have any count, those given back have 0, states that differ in it alone are the same,
and no game is cut short.

Probabilities of draws and deals are counted here, card by card; the kernels are asked only which
moves are legal and what the state looks like once chance has spoken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from math import comb, isfinite
from numbers import Real
from typing import Any, cast

import numpy as np

from kibitz import contract, players
from kibitz.games.base import IllegalMove, KibitzError, Rules, State, members, nearest
from kibitz.games.uno import notation
from kibitz.games.uno.game import GAME, Cards, counts
from kibitz.games.uno.layout import DRAW, STATE, WILD
from kibitz.games.uno.rules import UnoRules
from kibitz.players import RULE, UNIFORM, Player

Outcomes = list[tuple[float, State]]
"""Different states with their probabilities, none of them 0."""

Opponent = Callable[[State, tuple[int, ...]], Mapping[int, float]]
"""The opponent's observation (the record without the cards it has not seen) and its legal actions;
back comes the probability of each. Actions left out have probability 0."""

PLAYERS = {"uniform": Player(UNIFORM), "rule": Player(RULE)}
DEAL_LIMIT = 100_000
_NO_CLOCK = 1_000_000  # more plies than any step of the model makes


class UnoPOMDP:
    """The POMDP of the player in `seat` against an opponent whose policy is known.

    There are two views of a step. `successors` is one move of whoever is to act.
    `player_successors` is one step of the player: its move and the opponent's answers, until the
    player is to act again or the game is over. Rewards and the discount are per step of the player.
    Every step costs the step penalty, the winning one too: a win in n steps is worth 1 - n times
    the penalty, before the discount.

    `opponent` is "uniform" (the default), "rule", or a function of the opponent's own observation
    and its legal actions; it is never shown the true state. Actions are numbers or notation.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        seat: int = 0,
        opponent: str | Opponent | None = None,
        step_penalty: float = 0.0,
        discount: float = 0.95,
    ) -> None:
        if not isinstance(rules, UnoRules):
            raise KibitzError(f"rules must be of uno, such as rules('uno'), not {rules!r}")
        if seat not in (0, 1):
            raise KibitzError(f"seat must be 0 or 1, not {seat!r}")
        if not _is_number(discount) or not 0 <= discount <= 1:
            raise KibitzError(f"discount must be a number from 0 to 1, not {discount!r}")
        if not _is_number(step_penalty) or step_penalty < 0:
            raise KibitzError(f"step_penalty must be a number, 0 or more, not {step_penalty!r}")
        self.rules = rules
        self.seat = seat
        self.opponent: str | Opponent = _checked_opponent(opponent)
        self.step_penalty = float(step_penalty)
        self.discount = float(discount)
        self._rules = UnoRules(**{**rules.to_dict(), "max_plies": _NO_CLOCK})

    # --- states ---

    def state(self, **deal: Any) -> State:
        """A state in notation: ``hands=["R5 W", "G1"], top="R3"``, and for mid-game `deck`,
        `colour`, `pending` and `turn`."""
        return GAME.set_up(self.rules, deal)

    def key(self, state: State) -> bytes:
        """Equal for equal states and only for them: a key for dictionaries."""
        return _without_clock(state).tobytes()

    def is_over(self, state: State) -> bool:
        return int(state.turn) < 0

    def actions(self, state: State) -> tuple[int, ...]:
        """The legal actions of the seat to act; none when the game is over."""
        return tuple(members(contract.legal_actions(self._rules.params, state)))

    def initial_states(self, limit: int = DEAL_LIMIT) -> Outcomes:
        """Every deal with its probability; more than `limit` deals are refused."""
        deals = list(islice(_deals(self.rules), limit + 1))
        if len(deals) > limit:
            raise KibitzError(
                f"{self.rules} has more than {limit} deals; choose a smaller deck or hand_size, "
                "or raise limit"
            )
        total = sum(ways for ways, *_ in deals)
        return [
            (
                ways / total,
                self.state(
                    hands=[notation.cards_text(first), notation.cards_text(second)],
                    top=notation.card_text(top),
                ),
            )
            for ways, first, second, top in deals
        ]

    # --- one move of whoever is to act ---

    def successors(self, state: State, action: int | str) -> Outcomes:
        """The states after one move, with their probabilities."""
        move = self._legal(state, action)
        before = _without_clock(state)
        if move != DRAW:
            return [(1.0, self._after(before, move, ()))]
        number = max(1, int(before.pending))
        deck = _deck_for(before, number)
        if deck.total() < number:  # the impossible draw: the game ends here
            return [(1.0, self._after(before, move, ()))]
        total = comb(deck.total(), number)
        return [
            (ways / total, self._after(before, move, drawn))
            for ways, drawn in _multisets(list(deck.items()), number)
        ]

    def transition_probability(self, state: State, action: int | str, next_state: State) -> float:
        """P(next_state | state, action) for one move of whoever is to act."""
        return self._probability(self.successors(state, action), next_state)

    # --- one step of the player, the opponent's policy folded in ---

    def player_successors(self, state: State, action: int | str) -> Outcomes:
        """The states in which the player is to act again, or the game is over, after its move and
        the opponent's answers."""
        if not self.is_over(state) and int(state.turn) != self.seat:
            raise KibitzError(
                f"seat {int(state.turn)} is to act, not seat {self.seat}; "
                "until_player leads to the next state in which it is"
            )
        return _merged(
            (p * q, end)
            for p, after in self.successors(state, action)
            for q, end in self.until_player(after)
        )

    def player_transition_probability(
        self, state: State, action: int | str, next_state: State
    ) -> float:
        """P(next_state | state, action) for one step of the player."""
        return self._probability(self.player_successors(state, action), next_state)

    def until_player(self, state: State) -> Outcomes:
        """Where the opponent's moves lead until the player is to act or the game is over; `state`
        itself if that is so already. It ends: to move again the opponent has to play a card."""
        if int(state.turn) in (-1, self.seat):
            return [(1.0, _without_clock(state))]
        return _merged(
            (p * q * r, end)
            for action, p in self.opponent_policy(state).items()
            for q, after in self.successors(state, action)
            for r, end in self.until_player(after)
        )

    def opponent_policy(self, state: State) -> dict[int, float]:
        """The probability of each action of the opponent, who is to act; none of them 0."""
        other = 1 - self.seat
        if int(state.turn) != other:
            raise KibitzError(f"seat {other}, the opponent, is not to act")
        seen = self._seen(state, other)
        actions = self.actions(seen)
        if isinstance(self.opponent, str):
            out = np.zeros(contract.ACTIONS)
            players.chances(self._rules.params, seen, PLAYERS[self.opponent], out)
            return {action: float(out[action]) for action in actions if out[action] > 0}
        return _checked_policy(self.opponent(seen, actions), actions)

    # --- observations and rewards ---

    def observe(self, state: State) -> bytes:
        """proj(state): what the player sees, as the bytes of its record. That is its hand, the
        sizes of the other hand and of the deck, the pile, the top card, the colour, what is pending
        and whether the game is over. Events between two observations are not part of it."""
        return self._seen(state, self.seat).tobytes()

    def observation_probability(self, observation: bytes, state: State) -> float:
        """P(observation | state): 1 if the player sees just that, else 0. The data of the player's
        `View` is an observation, too."""
        if len(observation) != STATE.itemsize:
            raise KibitzError(
                f"an observation has {STATE.itemsize} bytes, not {len(observation)}; see observe"
            )
        record = cast(State, np.frombuffer(observation, STATE)[0])
        return 1.0 if self.key(record) == self.observe(state) else 0.0

    def reward(self, state: State, action: int | str, next_state: State) -> float:
        """+1 if `next_state` is won, -1 if it is lost, 0 if it is a draw or not over, for the
        player; less the step penalty if the move was its own, the one that ends the game included.
        Serves both views of a step; that
        `next_state` can follow is not checked."""
        self._legal(state, action)
        result = np.zeros(2)
        contract.returns(self._rules.params, next_state, result)
        penalty = self.step_penalty if int(state.turn) == self.seat else 0.0
        return float(result[self.seat]) - penalty

    # --- help ---

    def _legal(self, state: State, said: int | str) -> int:
        if self.is_over(state):
            raise IllegalMove(f"{said!r} is illegal: the game is over")
        action = notation.parse_action(said) if isinstance(said, str) else int(said)
        legal = self.actions(state)
        if action not in legal:
            names = ", ".join(notation.action_text(one) for one in legal)
            raise IllegalMove(f"{said!r} is illegal for seat {int(state.turn)}; legal are {names}")
        return action

    def _after(self, state: State, action: int, drawn: Iterable[int]) -> State:
        text = notation.cards_text(drawn)
        return _without_clock(GAME.apply_outcome(self._rules, state, action, text))

    def _seen(self, state: State, seat: int) -> State:
        out = GAME.new_state()
        contract.observe(self._rules.params, _without_clock(state), seat, out)
        return out

    def _probability(self, outcomes: Outcomes, state: State) -> float:
        key = self.key(state)
        return sum((p for p, found in outcomes if self.key(found) == key), 0.0)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and isfinite(value)  # numpy's numbers, too


def _checked_opponent(opponent: str | Opponent | None) -> str | Opponent:
    if opponent is None:
        return "uniform"
    if callable(opponent):
        return opponent
    if opponent not in PLAYERS:
        raise KibitzError(
            f"no opponent {opponent!r}{nearest(str(opponent), list(PLAYERS))}; there are "
            f"{', '.join(PLAYERS)}, or a function of its observation and legal actions"
        )
    return opponent


def _checked_policy(said: Mapping[int, float], legal: tuple[int, ...]) -> dict[int, float]:
    """What the opponent's function gave, if it is a distribution over the legal actions."""
    if not isinstance(said, Mapping):
        raise KibitzError(f"the opponent must give a dict action -> probability, not {said!r}")
    if illegal := [action for action in said if action not in legal]:
        raise KibitzError(f"the opponent gave action {illegal[0]!r}; legal are {legal}")
    if bad := [p for p in said.values() if not _is_number(p) or p < 0]:
        raise KibitzError(f"the opponent gave the probability {bad[0]!r}")
    total = sum(said.values())
    if abs(total - 1) > 1e-9:
        raise KibitzError(f"the opponent's probabilities sum to {total}, not to 1")
    return {action: float(p) / total for action, p in said.items() if p > 0}


def _without_clock(state: State) -> State:
    """A copy in which no plies are counted."""
    if getattr(state, "dtype", None) != STATE:
        raise KibitzError(f"not a state of uno: {state!r}")
    copy = state.copy()
    copy.plies = 0
    return copy


def _merged(outcomes: Iterable[tuple[float, State]]) -> Outcomes:
    """Equal states, none of which counts plies, as one; their probabilities are added."""
    total: dict[bytes, float] = {}
    states: dict[bytes, State] = {}
    for p, state in outcomes:
        key = state.tobytes()
        total[key] = total.get(key, 0.0) + p
        states[key] = state
    return [(total[key], states[key]) for key in states]


def _multisets(kinds: list[tuple[int, int]], size: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The distinct multisets of `size` cards of `kinds` (card, copies), which has as many. Each
    with its number of ways: copies are alike to a player, but not to chance."""
    if size == 0:
        yield 1, ()
        return
    (card, copies), rest = kinds[0], kinds[1:]
    room = sum(more for _, more in rest)
    for number in range(max(0, size - room), min(copies, size) + 1):
        for ways, others in _multisets(rest, size - number):
            yield comb(copies, number) * ways, (card,) * number + others


def _deck_for(state: State, number: int) -> Cards:
    """What a draw of `number` cards is taken from: the deck, with the pile below the top card if
    the deck is too small."""
    deck = counts(state.deck)
    if deck.total() >= number:
        return deck
    top = notation.card_of(int(state.colour) * 16 + int(state.top_rank))
    return deck + counts(state.pile) - Counter([top])


def _deals(rules: UnoRules) -> Iterator[tuple[int, tuple[int, ...], tuple[int, ...], int]]:
    """The deals (ways, hand of seat 0, hand of seat 1, card turned up), each equally often as its
    ways. One that turns up a wild is repeated as a whole: leaving it out is just that."""
    everything = counts((rules.params.deck_ones, rules.params.deck_twos))
    for first_ways, first in _multisets(list(everything.items()), rules.hand_size):
        left = everything - Counter(first)
        for second_ways, second in _multisets(list(left.items()), rules.hand_size):
            for top, copies in (left - Counter(second)).items():
                if top & 15 < WILD:
                    yield first_ways * second_ways * copies, first, second, top
