"""Sitting: one table with a person at it, who plays a seat or watches it being played.

Agents get views and random numbers of their own, drawn from a secret that has nothing to do with
the deal. For each move the generator begins anew from the number of the move, so that a game that
was stored and taken up again goes on as it would have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz import rng
from kibitz.agents import Agent, agent
from kibitz.agents.searching import SearchAgent
from kibitz.games import game_of
from kibitz.games.base import LEVELS, IllegalMove, Rules, check_seat, shortened
from kibitz.house import fair
from kibitz.table import Table, parse_record
from kibitz.table.record import Record
from kibitz.view import View

PERSON = "you"
"""The player that is no agent."""


@dataclass
class Sitting:
    """A table with a person at it. Nothing but `frame` leaves the house."""

    id: str
    token: str
    """Whoever knows it sits in the person's seat."""
    table: Table
    seat: int
    watch: bool
    coach: bool
    secret: str
    nonce: str
    luck: int
    """Seed of the agents' random numbers."""
    grades: list[dict[str, Any]] = field(default_factory=list)
    undone: int = 0
    number: int = 0
    """Counts every change."""
    share: str = ""
    """Names the record once the game is over."""
    visitor: str | None = None

    def __post_init__(self) -> None:
        game = self.rules.game
        players = self.table.players or []
        self._agents: list[Agent | None] = [
            None if name == PERSON else _steady(agent(name, game)) for name in players
        ]

    @classmethod
    def open(
        cls,
        id: str,
        token: str,
        rules: Rules,
        players: list[str],
        seat: int,
        *,
        secret: str,
        nonce: str,
        luck: int,
        coach: bool = False,
    ) -> Sitting:
        """A new game. `players`: a name for each seat, `PERSON` for the person's if it plays."""
        check_seat(rules, seat)
        for name in players:  # before anything is dealt
            if name != PERSON:
                agent(name, rules.game)
        seed, chance = fair.seed(secret, nonce), fair.chance(secret)
        table = Table(rules, seed, players=players, chance=chance)
        watch = PERSON not in players
        return cls(id, token, table, seat, watch, coach, secret, nonce, luck)

    @property
    def rules(self) -> Rules:
        return self.table.rules

    @property
    def over(self) -> bool:
        return self.table.over

    @property
    def view(self) -> View:
        """What the person may know."""
        return self.table.view(self.seat)

    @property
    def mine(self) -> bool:
        """Whether it is for the person to move."""
        return not self.watch and self.table.to_act == self.seat

    @property
    def title(self) -> str:
        """What to call the game in a list."""
        return title(self.rules, self.table.players or [], self.watch)

    # --- moves ---

    def play(self, move: str, ply: int | None = None) -> None:
        """The person's move. `ply`: how many moves it saw when it chose, if it says so."""
        if self.watch:
            raise IllegalMove("you are watching: the moves are made by the players")
        if ply is not None and ply != self.table.plies:
            raise IllegalMove(f"that was chosen at move {ply}, and now it is {self.table.plies}")
        self.table.play(move, self.seat)
        self._changed()

    def choice(self) -> tuple[Agent, View, NDArray[np.uint64]] | None:
        """Whose turn it is, what it may know, and its random numbers; None if it is the person's
        turn or nobody's. Thinking with them changes nothing here: `answer` plays the move."""
        seat = self.table.to_act
        player = self._agents[seat] if seat >= 0 else None
        if player is None:
            return None
        generator = rng.generator(self.luck, self.table.plies, rng.SEATS + seat)
        return player, self.table.view(seat), generator

    def answer(self, action: int) -> None:
        """The move of the agent whose turn it is."""
        self.table.play(action)
        self._changed()

    def undo(self) -> None:
        """Back to the person's last decision before this one."""
        if self.watch:
            raise IllegalMove("you are watching: there is nothing of yours to take back")
        if self.over:  # its cards and its secret have been shown
            raise IllegalMove("the game is over and all cards were shown: nothing is taken back")
        movers = [step.seat for step in self.table.steps()][1:]
        mine = [ply for ply, seat in enumerate(movers) if seat == self.seat]
        if not mine:
            raise IllegalMove("you have not moved yet: there is nothing to take back")
        self.table.undo(len(movers) - mine[-1])
        self.grades = [grade for grade in self.grades if grade["ply"] < self.table.plies]
        self.undone += 1
        self._changed()

    def graded(self, grade: dict[str, Any]) -> bool:
        """Note what a move of the person's was worth, unless it was taken back meanwhile."""
        ply = grade["ply"]
        moves = self.table.record().actions
        there = ply < len(moves) and moves[ply].partition(" ")[0] == grade["move"]
        if not there or any(old["ply"] == ply for old in self.grades):
            return False
        self.grades = sorted([*self.grades, grade], key=lambda each: int(each["ply"]))
        self._changed()
        return True

    def _changed(self) -> None:
        self.number += 1

    # --- what leaves the house ---

    def names(self) -> list[str]:
        """What to call the players."""
        found = self.table.players or []
        if self.rules.seats == 2 and not self.watch:
            return [_name(name) for name in found]
        return [
            _name(name) if name == PERSON else f"{_name(name)} {seat}"
            for seat, name in enumerate(found)
        ]

    def frame(self) -> dict[str, Any]:
        """All that the person may know of the table now."""
        players = self.table.players or []
        seat = self.table.to_act
        return {
            "table": self.id,
            "number": self.number,
            "game": self.rules.game,
            "seat": self.seat,
            "watch": self.watch,
            "coach": self.coach,
            "undone": self.undone,
            "players": [
                {"name": shown, "level": None if name == PERSON else name}
                for shown, name in zip(self.names(), players, strict=True)
            ],
            "commitment": fair.commitment(self.secret),
            "nonce": self.nonce,
            "view": self.view.to_dict(),
            "thinking": None if self.over or self.mine else seat,
            "grades": self.grades,
            "outcome": self._outcome() if self.over else None,
            "reveal": self._reveal() if self.over else None,
        }

    def _outcome(self) -> dict[str, Any]:
        returns = self.table.returns()
        ending = game_of(self.rules).ending(self.table.true_state())
        best = max(returns)
        winners = [seat for seat, value in enumerate(returns) if value == best]
        names = self.names()
        if len(winners) == len(returns):
            text = "A draw"
        elif not self.watch and winners == [self.seat]:
            text = "You win"
        else:
            text = f"{' and '.join(names[seat] for seat in winners)} "
            text += "wins" if len(winners) == 1 else "share the win"
        return {"returns": returns, "ending": ending, "text": text}

    def _reveal(self) -> dict[str, Any]:
        record = self.table.record()
        return {
            "secret": self.secret,
            "share": self.share,
            "deal": record.deal,
            "actions": record.actions,
            "rules": self.rules.to_dict(),
        }

    # --- keeping ---

    def to_dict(self) -> dict[str, Any]:
        """Everything, the secret included: for the house's own file."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        del found["table"]
        return {**found, "luck": str(self.luck), "record": self.table.record().to_json()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Sitting:
        record = record_of(data)
        rest = {name: value for name, value in data.items() if name != "record"}
        return cls(**{**rest, "luck": int(data["luck"]), "table": Table.replay(record)})


def _steady(player: Agent) -> Agent:
    """A player that people hear: when it moves tells nothing of its cards."""
    if isinstance(player, SearchAgent):
        player.steady = True
    return player


def record_of(data: dict[str, Any]) -> Record:
    """The record in what `to_dict` gave."""
    record = parse_record(data["record"])
    assert isinstance(record, Record)
    return record


def title(rules: Rules, players: Sequence[str], watch: bool) -> str:
    others = dict.fromkeys(name for name in players if name != PERSON)
    names = " and ".join(others) or "nobody"
    kind = shortened(str(rules))
    return f"{kind}: {names} watched" if watch else f"{kind} against {names}"


def _name(player: str) -> str:
    if player == PERSON:
        return "You"
    return player.capitalize() if player in LEVELS else player
