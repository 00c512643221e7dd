"""Table: one game, refereed."""

from __future__ import annotations

import operator
import secrets
from contextlib import suppress
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz import contract, rng
from kibitz.games import game_of
from kibitz.games.base import (
    Event,
    IllegalMove,
    KibitzError,
    NotationError,
    Rules,
    State,
    check_rules,
    check_seat,
    members,
)
from kibitz.table.chance import PLAIN, SECRET, VERSIONS, Chance
from kibitz.table.record import FORMAT, Record, Result, SeatRecord
from kibitz.view import View


class Step(NamedTuple):
    """One move of a game, as the referee sees it."""

    seat: int
    """Who moved; -1 for the deal."""
    events: list[Event]
    state: State
    """The true state afterwards."""


class Table:
    """Owns the true state of one game.

    The cards come from the chance stream of (seed, index) and nothing else touches it, so the same
    seed gives the same game whoever plays. Without a seed the operating system gives one.
    `chance`: the version of that stream, see the module `chance`.
    """

    def __init__(
        self,
        rules: Rules,
        seed: int | None = None,
        index: int = 0,
        players: list[str] | None = None,
        chance: int = PLAIN,
    ) -> None:
        source = seed if seed is not None else secrets.randbits(64)
        self._begin(rules, source, index, players, chance)
        state = self._game.new_state()
        self._chance.run(lambda rng: contract.deal(rules.params, state, rng))
        self._open(state)

    def _begin(
        self,
        rules: Rules,
        seed: int | None,
        index: int,
        players: list[str] | None,
        chance: int,
    ) -> None:
        check_rules(rules)
        if isinstance(players, str):
            raise KibitzError(f"players are a list of {rules.seats} names, not {players!r}")
        if players is not None and len(players) != rules.seats:
            raise KibitzError(f"{rules.seats} players are needed, not {len(players)}")
        try:
            self.seed = None if seed is None else rng.checked(seed, "seed", rng.MAX_SEED)
            self.index = rng.checked(index, "index", rng.MAX_INDEX)
        except ValueError as error:
            raise KibitzError(str(error)) from None
        if chance not in VERSIONS:
            raise KibitzError(f"chance is version {PLAIN} or {SECRET}, not {chance!r}")
        self.rules = rules
        self.chance = chance
        self.players = None if players is None else list(players)
        self._set_up = False
        self._game = game_of(rules)
        source = secrets.randbits(128) if self.seed is None else self.seed
        self._chance = Chance(chance, source, self.index)

    def _open(self, state: State) -> None:
        self._deal = self._game.deal_text(self.rules, state)
        self._states = [state]
        self._chances = [self._chance.mark()]
        self._actions: list[int] = []
        # kept because they are asked for again and again: who is to act in each state, and moves
        # in notation
        self._turns = [self._turn(state)]
        self._texts: list[str] = []
        self._events: list[list[Event]] = []
        # by step and seat: kept, since views are asked for at every move
        self._seen: list[list[list[Event]]] = []
        self._note(self._game.opening_events(self.rules, state))

    def _note(self, happened: list[Event]) -> None:
        seats = range(self.rules.seats)
        self._events.append(happened)
        self._seen.append([[event.seen_by(seat) for event in happened] for seat in seats])

    @classmethod
    def from_deal(
        cls,
        rules: Rules,
        *,
        seed: int | None = None,
        index: int = 0,
        players: list[str] | None = None,
        **deal: Any,
    ) -> Table:
        """A table with given cards, in the game's notation: for UNO ``hands=["R5 W", "G1 G2"],
        top="R3"``, for Blob ``hands=[...], trump="hearts"``. Later chance comes from the seed."""
        return cls._dealt(rules, seed, index, players, deal)

    @classmethod
    def _dealt(
        cls,
        rules: Rules,
        seed: int | None,
        index: int,
        players: list[str] | None,
        deal: dict[str, Any],
        chance: int = PLAIN,
    ) -> Table:
        table = cls.__new__(cls)
        table._begin(rules, seed, index, players, chance)
        table._set_up = True
        table._open(table._game.set_up(rules, deal))
        return table

    def __repr__(self) -> str:
        turn = "over" if self.over else f"seat {self.to_act} to act"
        return f"<Table {self.rules}, {self.plies} plies, {turn}>"

    # --- the game now ---

    @property
    def _state(self) -> State:
        return self._states[-1]

    @property
    def to_act(self) -> int:
        """The seat to act, -1 when the game is over."""
        return self._turns[-1]

    def _turn(self, state: State) -> int:
        return int(contract.player_to_act(self.rules.params, state))

    @property
    def over(self) -> bool:
        return self.to_act < 0

    @property
    def plies(self) -> int:
        return len(self._actions)

    def returns(self) -> list[float]:
        """Each seat's return so far; final when the game is over."""
        out = np.zeros(self.rules.seats)
        contract.returns(self.rules.params, self._state, out)
        return [float(value) for value in out]

    def margins(self) -> list[float]:
        """Each seat's return less the mean of the others': they add up to zero."""
        values = self.returns()
        total = sum(values)
        return [v - (total - v) / (len(values) - 1) for v in values]

    def legal_actions(self) -> list[int]:
        return members(contract.legal_actions(self.rules.params, self._state))

    def legal(self) -> list[str]:
        """The legal actions of the seat to act, in notation."""
        return [self._game.action_text(self._state, action) for action in self.legal_actions()]

    def view(self, seat: int) -> View:
        """What `seat` may know now."""
        check_seat(self.rules, seat)
        seen = self._game.new_state()
        contract.observe(self.rules.params, self._state, seat, seen)
        return View.of(self.rules, seat, (e for step in self._seen for e in step[seat]), seen)

    def events(self) -> list[Event]:
        """Everything that happened, with all cards: the referee's knowledge."""
        return [event for step in self._events for event in step]

    def true_state(self) -> State:
        """A copy of the true state, all cards included. For referees and statistics; nothing of it
        may reach a player."""
        return self._state.copy()

    def actions(self) -> list[int]:
        """The actions played so far."""
        return list(self._actions)

    def steps(self) -> list[Step]:
        """The deal and every move so far, with all cards: the referee's knowledge."""
        movers = [-1, *self._turns]
        return [
            Step(movers[k], list(self._events[k]), self._states[k].copy())
            for k in range(len(self._states))
        ]

    # --- moves ---

    def play(self, action: int | str, seat: int | None = None) -> list[Event]:
        """Play an action, by number or in notation, for the seat to act; what happened comes back.
        An illegal one raises `IllegalMove` and changes nothing. Its message lists the legal moves,
        which tell of the hand: pass the `seat` that asked, and out of turn it learns nothing."""
        if seat is not None and seat != self.to_act:
            turn = "the game is over" if self.over else f"it is seat {self.to_act}'s turn"
            raise IllegalMove(f"seat {seat} cannot move: {turn}")
        action = self._checked(action)
        return self._push(action, self._applied(action))

    def _applied(self, action: int) -> State:
        """The state after an action and the chance that follows it."""

        def apply(rng: NDArray[np.uint64]) -> State:
            after = self._state.copy()
            contract.apply(self.rules.params, after, action, rng)
            return after

        found: State = self._chance.run(apply)
        return found

    def _checked(self, said: int | str) -> int:
        state = self._state
        if self.over:
            raise IllegalMove(f"{said!r} is illegal: the game is over")
        legal = self.legal_actions()
        try:
            if isinstance(said, str):
                action = self._game.parse_action(state, said)
            else:
                action = operator.index(said)
        except (NotationError, TypeError) as error:
            raise IllegalMove(f"{error}; legal are {self._legal_text()}") from None
        if action not in legal:
            name = said if isinstance(said, str) else f"action {said}"
            if not isinstance(said, str) and 0 <= action < contract.ACTIONS:
                with suppress(IndexError):  # a number that is no card either
                    name = self._game.action_text(state, action)
            raise IllegalMove(
                f"{name} is illegal for seat {self.to_act}; legal are {self._legal_text()}"
            )
        return action

    def _legal_text(self) -> str:
        return ", ".join(self.legal())

    def _push(self, action: int, after: State) -> list[Event]:
        before = self._state
        happened = self._game.events(self.rules, before, action, after)
        outcome = self._game.outcome_text(self.rules, before, action, after)
        text = self._game.action_text(before, action)
        self._texts.append(f"{text} {outcome}" if outcome else text)
        self._turns.append(self._turn(after))
        self._states.append(after)
        self._chances.append(self._chance.mark())
        self._actions.append(action)
        self._note(happened)
        return happened

    def undo(self, plies: int = 1) -> None:
        """Take back moves. The chance stream goes back too: the same moves give the same cards."""
        if type(plies) is not int or not 0 <= plies <= len(self._actions):
            raise KibitzError(f"cannot take back {plies!r} of {len(self._actions)} moves")
        keep = len(self._actions) - plies
        del self._states[keep + 1 :], self._chances[keep + 1 :]
        del self._events[keep + 1 :], self._seen[keep + 1 :], self._turns[keep + 1 :]
        del self._actions[keep:], self._texts[keep:]
        self._chance.back(self._chances[-1])

    # --- records ---

    def _result(self) -> Result | None:
        if not self.over:
            return None
        ending = self._game.ending(self._state)
        return Result(returns=self.returns(), ending=ending, plies=self.plies)

    def record(self) -> Record:
        """The whole game, with all cards."""
        return Record(
            format=FORMAT,
            game=self.rules.game,
            rules=self.rules.to_dict(),
            rules_hash=self.rules.digest,
            seed=self.seed,
            index=self.index,
            chance=self.chance,
            set_up=self._set_up,
            deal=deepcopy(self._deal),
            actions=list(self._texts),
            players=list(self.players) if self.players else None,
            result=self._result(),
        )

    def seat_record(self, seat: int) -> SeatRecord:
        """The game as `seat` saw it: no seed, no deal, no card that it did not see."""
        return SeatRecord(
            format=FORMAT,
            game=self.rules.game,
            rules=self.rules.to_dict(),
            rules_hash=self.rules.digest,
            seat=seat,
            events=list(self.view(seat).history()),
            players=list(self.players) if self.players else None,
            result=self._result(),
        )

    @classmethod
    def replay(cls, record: Record, plies: int | None = None) -> Table:
        """A table on which the recorded game was played, or its first `plies` moves.

        Chance is taken from the record itself. If the record has a seed, the chance stream is
        followed as well, so that the game can go on from here as it would have; a record whose
        cards are not those of its seed is refused.
        """
        if not isinstance(record, Record):
            raise KibitzError(
                "only a whole record can be replayed, such as table.record(), not what one seat saw"
            )
        rules = record.checked_rules()
        if plies is not None and (type(plies) is not int or not 0 <= plies <= len(record.actions)):
            raise KibitzError(f"plies must be 0 to {len(record.actions)}, not {plies!r}")
        if record.set_up or record.seed is None:
            table = cls._dealt(
                rules, record.seed, record.index, record.players, record.deal, record.chance
            )
            table._set_up = record.set_up
        else:
            table = cls(rules, record.seed, record.index, record.players, record.chance)
            if table._deal != record.deal:
                raise KibitzError("the deal is not that of the record's seed")
        for number, move in enumerate(record.actions[:plies], 1):
            try:
                table._replay_move(move)
            except KibitzError as error:
                raise KibitzError(f"move {number}, {move!r}: {error}") from None
        if table.plies == len(record.actions) and table._result() != record.result:
            raise KibitzError(f"the game ends {table._result()}, not {record.result} as recorded")
        return table

    def _replay_move(self, move: str) -> None:
        text, _, outcome = move.partition(" ")
        action = self._checked(text)
        after = self._game.apply_outcome(self.rules, self._state, action, outcome)
        if self.seed is not None and self._applied(action).tobytes() != after.tobytes():
            raise KibitzError("the cards are not those of the record's seed")
        self._push(action, after)
