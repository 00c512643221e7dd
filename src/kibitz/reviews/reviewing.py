"""A finished game looked at again: what each move was worth to one who saw what the player saw, and
what it was worth with all cards open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Literal

from kibitz.agents.base import Decision
from kibitz.agents.grading import BEST, FORCED, NAMES, Grade, grade
from kibitz.agents.names import agent as named
from kibitz.agents.searching import SearchAgent
from kibitz.agents.thinking import Thinking
from kibitz.games import game_of
from kibitz.games.base import KibitzError, Rules, check_seat, checked_seed
from kibitz.reviews.luck import PLAYS, Luck, Part, Value, check_plays, splitting
from kibitz.table import Record, SeatRecord, Table
from kibitz.view import View

FORMAT: Literal[1] = 1
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Reviewed:
    """One move of the game."""

    ply: int
    """Moves before it: the first is 0."""
    seat: int
    move: str
    events: tuple[str, ...]
    """What happened, with all cards."""
    hands: tuple[tuple[str, ...], ...]
    """The true hands before it."""
    decision: Decision | None
    """What the coach would have done, if the seat was judged."""
    grade: Grade | None


@dataclass(frozen=True)
class Review:
    """A finished game, judged: its moves, the course it took, and what was luck."""

    rules: Rules
    players: tuple[str, ...] | None
    seat: int | None
    """Whose moves were judged; None: everybody's."""
    agent: str
    """Who judged them."""
    plays: int
    seed: int
    finished: bool
    ending: str
    start: dict[str, Any]
    """How it was dealt, the hands as lists, and the events that told it."""
    moves: tuple[Reviewed, ...]
    luck: Luck

    @property
    def worst(self) -> tuple[Reviewed, ...]:
        """The judged moves that were not the best, the largest loss first."""
        found = [m for m in self.moves if m.grade and m.grade.name not in (BEST, FORCED)]
        return tuple(sorted(found, key=lambda m: (-m.grade.loss if m.grade else 0.0, m.ply)))

    def accuracy(self, seat: int) -> dict[str, Any] | None:
        """How well a seat chose where it had a choice; None if it was not judged."""
        grades = [m.grade for m in self.moves if m.seat == seat and m.grade]
        if not grades:
            return None
        chosen = [g.loss if g.name != BEST else 0.0 for g in grades if g.name != FORCED]
        counts = Counter(g.name for g in grades)
        return {
            "seat": seat,
            "moves": len(chosen),
            "loss": sum(chosen) / max(1, len(chosen)),
            "grades": {name: counts[name] for name in NAMES},
        }

    def to_dict(self) -> dict[str, Any]:
        """For a program; values in the units that people know, see `Game.scale`."""
        scale = game_of(self.rules).scale
        seats = range(self.rules.seats)
        values = [scale.zero + scale.factor * v for each in self.luck.values for v in each.value]
        end = self._shown(self.luck.values[-1])
        return {
            "format": FORMAT,
            "game": self.rules.game,
            "rules": self.rules.to_dict(),
            "players": None if self.players is None else list(self.players),
            "seat": self.seat,
            "agent": self.agent,
            "plays": self.plays,
            "seed": self.seed,
            "units": scale.units,
            "factor": scale.factor,
            "zero": scale.zero,
            "low": min(0.0, *values) if scale.low is None else scale.low,
            "high": max(values) if scale.high is None else scale.high,
            "result": {
                "finished": self.finished,
                "ending": self.ending,
                "plies": len(self.moves),
                **end,
                "winners": self._winners(),
            },
            "start": self.start,
            "moves": [self._move(move) for move in self.moves],
            "end": end,
            "worst": [move.ply for move in self.worst],
            "accuracy": [self.accuracy(seat) for seat in seats],
            "split": [
                {
                    "seat": seat,
                    "result": end["value"][seat],
                    "error": end["error"][seat],
                    "parts": [self._part(part, seat) for part in self.luck.parts],
                }
                for seat in seats
            ],
        }

    def name(self, seat: int) -> str:
        """What to call a seat."""
        return f"{self.players[seat]} ({seat})" if self.players else f"seat {seat}"

    def _winners(self) -> list[int]:
        if not self.finished:
            return []
        last = self.luck.values[-1].value
        return [seat for seat, value in enumerate(last) if value == max(last)]

    def _shown(self, found: Value) -> dict[str, Any]:
        scale = game_of(self.rules).scale
        return {
            "value": [scale.zero + scale.factor * value for value in found.value],
            "error": [scale.factor * error for error in found.error],
            "returns": list(found.value),
        }

    def _change(self, found: Value) -> dict[str, Any]:
        """A difference of values: the zero of the scale has no part in it."""
        factor = game_of(self.rules).scale.factor
        return {
            "value": [factor * value for value in found.value],
            "error": [factor * error for error in found.error],
        }

    def _part(self, part: Part, seat: int) -> dict[str, Any]:
        told = self._shown(part.worth) if part.kind == "seat" else self._change(part.worth)
        of = "" if part.of is None else f" of {self.name(part.of)}"
        return {
            "name": f"{part.kind}{of}",
            "kind": part.kind,
            "of": part.of,
            "value": told["value"][seat],
            "error": told["error"][seat],
        }

    def _move(self, move: Reviewed) -> dict[str, Any]:
        game, scale = game_of(self.rules), game_of(self.rules).scale
        seen, moves = None, []
        if move.decision is not None and move.decision.moves:
            # a search counts what is to come until the round is over
            best, beside = move.decision.moves[0], self.luck.beside[move.ply][move.seat]
            seen = {
                "value": scale.zero + scale.factor * (beside + best.value),
                "error": scale.factor * best.error,
            }
            moves = [
                {
                    "move": each.text,
                    "value": scale.zero + scale.factor * each.value,
                    "error": scale.factor * each.error,
                    "visits": each.visits,
                    "text": game.value_text(each.value, each.error),
                }
                for each in move.decision.moves
            ]
        return {
            "ply": move.ply,
            "seat": move.seat,
            "move": move.move,
            "events": list(move.events),
            "hands": [list(hand) for hand in move.hands],
            "truth": self._shown(self.luck.values[move.ply]),
            "decision": self._change(self.luck.decisions[move.ply]),
            "luck": self._change(self.luck.draws[move.ply]),
            "seen": seen,
            "grade": None if move.grade is None else move.grade.to_dict(),
            "best": None if move.grade is None else move.grade.best,
            "moves": moves,
        }


class Reviewing:
    """A review that is worked out step by step, for those who take turns or want to stop it."""

    def __init__(
        self,
        record: Record | SeatRecord,
        seat: int | None = None,
        agent: str = "coach",
        *,
        plays: int = PLAYS,
        seed: int = 0,
    ) -> None:
        if not isinstance(record, Record | SeatRecord):
            raise KibitzError(f"a review needs a record, such as table.record(), not {record!r}")
        if not isinstance(record, Record):
            raise KibitzError(
                "this record holds what one seat saw; a review needs all cards, in a whole record "
                "such as `kibitz simulate --save` writes"
            )
        table = Table.replay(record)
        self.rules = rules = table.rules
        if seat is not None:
            check_seat(rules, seat)
        self.seed = checked_seed(seed)
        coach = game_of(rules).coach
        self.coach = coach if agent == "coach" else agent
        if not isinstance(named(self.coach, rules.game), SearchAgent):
            raise KibitzError(
                f"{self.coach} does not search, so it cannot judge; take one that does, such as "
                f"{coach}"
            )
        check_plays(plays)
        self.record, self.seat, self.plays = record, seat, plays
        self.progress = (0, 1)
        """Steps that are done, and how many there are."""
        self._steps = self._work(table)
        self._found: Review | None = None

    def step(self) -> bool:
        """Work out a little more; False when all is done."""
        try:
            self.progress = next(self._steps)
        except StopIteration as end:
            self._found = self._found or end.value
            return False
        return True

    def review(self) -> Review:
        """All of it, whatever is still to be worked out."""
        while self.step():
            pass
        assert self._found is not None
        return self._found

    def _work(self, table: Table) -> Generator[tuple[int, int], None, Review]:
        rules, record, game = self.rules, self.record, game_of(self.rules)
        steps, finished = table.steps(), table.over
        states = [step.state for step in steps]
        actions = [
            game.parse_action(states[ply], text.partition(" ")[0])
            for ply, text in enumerate(record.actions)
        ]
        views = _views(table, self.seat)
        total = len(views) + len(actions)
        yield 0, total
        judged = {}
        for number, (ply, view) in enumerate(views.items(), 1):
            judged[ply] = _judged(view, self.coach, self.seed)
            yield number, total
        splitting_up = splitting(
            rules, states, actions, dealt=not record.set_up, plays=self.plays, seed=self.seed
        )
        while True:
            try:
                yield len(views) + next(splitting_up), total
            except StopIteration as end:
                luck = end.value
                break
        deals = [game.deal_text(rules, state) for state in states]
        return Review(
            rules=rules,
            players=None if record.players is None else tuple(record.players),
            seat=self.seat,
            agent=self.coach,
            plays=self.plays,
            seed=self.seed,
            finished=finished,
            ending=game.ending(states[-1]),
            start={
                **deals[0],
                "hands": [list(hand) for hand in _hands(deals[0])],
                "events": [game.event_text(event) for event in steps[0].events],
            },
            moves=tuple(
                Reviewed(
                    ply=ply,
                    seat=steps[ply + 1].seat,
                    move=game.action_text(states[ply], action),
                    events=tuple(game.event_text(event) for event in steps[ply + 1].events),
                    hands=_hands(deals[ply]),
                    decision=judged.get(ply),
                    grade=grade(views[ply], judged[ply], action) if ply in judged else None,
                )
                for ply, action in enumerate(actions)
            ),
            luck=luck,
        )


def review(
    record: Record | SeatRecord,
    seat: int | None = None,
    agent: str = "coach",
    *,
    plays: int = PLAYS,
    seed: int = 0,
    progress: Progress | None = None,
) -> Review:
    """Judge the moves of `seat`, or of all seats, and split the result into luck and skill.

    Each decision is searched again by `agent` from the view that the seat had then, and nothing
    else; `coach` is the game's own. Luck is worked out with all cards open: see `luck`, which
    has `plays`. A record that ends before its game does is reviewed as far as it goes; its result
    is what could be expected then. `progress` is told how much is done, and of how much.

    >>> import kibitz
    >>> record = kibitz.play_out(kibitz.rules("uno"), "rule", seed=1).record()
    >>> [move.move for move in kibitz.review(record, 0, "flat:sims=20", plays=10).moves][:2]
    ['G+2', 'draw']
    """
    reviewing = Reviewing(record, seat, agent, plays=plays, seed=seed)
    while reviewing.step():
        if progress is not None:
            progress(*reviewing.progress)
    return reviewing.review()


def _views(table: Table, seat: int | None) -> dict[int, View]:
    """What the seat, or each seat, saw when it had to act, by the moves before; undoes them all."""
    found = {}
    while table.plies:
        table.undo()
        if seat in (None, table.to_act):
            found[table.plies] = table.view(table.to_act)
    return dict(sorted(found.items()))  # in order, so that one belief follows from another


def _judged(view: View, coach: str, seed: int) -> Decision:
    """The coach's decision, from the view alone."""
    if len(view.actions) == 1:
        return Decision(view.actions[0], {view.actions[0]: 1.0})
    thinking = Thinking(view, coach, seed=seed)  # as at the table: the same grade here and there
    while thinking.step():
        pass
    return thinking.decision()


def _hands(deal: dict[str, Any]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(hand.split()) for hand in deal["hands"])
