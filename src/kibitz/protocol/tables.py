"""Tables as clients see them: moves in, frames out, the house's players between them.

Every change is written down before anybody is told of it. Agents that search think in turns with
everyone else's; those that do not answer at once.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from kibitz import api
from kibitz.protocol import messages as m
from kibitz.protocol.answers import analyse, believe
from kibitz.protocol.told import check_agent
from kibitz.protocol.work import Busy

if TYPE_CHECKING:
    from kibitz.protocol.session import Session

MOST_GRADED = 20
"""Moves of a client that are graded at a time."""
EVERY = 0.2
"""Seconds between two parts of a hint."""
MUCH = 10
"""Messages that it costs to list a visitor's games, or to send a review."""
TOLD = 200
"""Moves of a game that are told for the price of one message."""


class Tables:
    def __init__(self, session: Session, hub: dict[str, set[Session]]) -> None:
        self._session = session
        self._hub = hub
        """Who looks at which table: all of them hear of a change."""
        self._tokens: dict[str, str] = {}
        """Of the tables that this session looks at."""
        self._moving: set[str] = set()
        """Tables at which this session lets the agents move."""
        self._stories: dict[str, api.Story] = {}
        self._grading = 0

    def answers(self) -> dict[type[Any], Callable[[Any], Any]]:
        return {
            m.Hello: self._hello,
            m.SetSettings: self._settings,
            m.Commit: self._commit,
            m.Deal: self._deal,
            m.Sit: self._sit,
            m.Play: self._play,
            m.Step: self._step,
            m.Hint: self._hint,
            m.TableBelief: self._belief,
            m.TakeBack: self._undo,
            m.ReviewTable: self._review,
            m.ReviewShared: self._shared,
        }

    @property
    def _house(self) -> api.House:
        return self._session.house

    # --- people ---

    def _hello(self, request: m.Hello) -> m.Answer:
        self._session.charge(MUCH)
        visitor, settings = self._house.visitor(request.visitor)
        saved = self._house.saved(visitor)
        return m.Greeting(id=request.id, visitor=visitor, settings=settings, saved=saved)

    def _settings(self, request: m.SetSettings) -> m.Answer:
        settings = dict(request.settings)
        self._house.set(request.visitor, settings)
        return m.Settings(id=request.id, settings=settings)

    # --- sitting down ---

    def _commit(self, request: m.Commit) -> m.Answer:
        table, commitment = self._house.commit()
        return m.Commitment(id=request.id, table=table, commitment=commitment)

    def _deal(self, request: m.Deal) -> None:
        rules = api.rules(request.game, **request.rules)
        most = self._session.limits.plies
        if getattr(rules, "max_plies", 0) > most:
            raise api.RulesError(f"max_plies: a game at a table of the house has {most} at most")
        for name in request.opponents:
            check_agent(name, rules.game, self._session.limits.any_agent)
        self._make_room(request.table)
        sitting = self._house.deal(
            request.table,
            request.nonce,
            rules,
            request.opponents,
            request.seat,
            coach=request.coach,
            watch=request.watch,
            visitor=request.visitor,
        )
        self._look(sitting)
        self._tell(sitting, request.id, token=True)
        self._let_move(sitting)

    def _sit(self, request: m.Sit) -> None:
        sitting = self._house.find(request.table, request.token)
        self._look(sitting)
        self._tell(sitting, request.id, token=True)
        self._let_move(sitting)

    def _look(self, sitting: api.Sitting) -> None:
        self._make_room(sitting.id)
        self._hub.setdefault(sitting.id, set()).add(self._session)
        self._tokens[sitting.id] = sitting.token

    def _make_room(self, table: str) -> None:
        """If too many tables are looked at, one is left at which nobody thinks."""
        if table in self._tokens or len(self._tokens) < self._session.limits.tables:
            return
        idle = next((each for each in self._tokens if each not in self._moving), None)
        if idle is None:
            raise Busy(f"they think at {len(self._tokens)} tables of yours: wait for one of them")
        self._leave(idle)

    def leave(self) -> None:
        """Look at no table any more. Where others still do, one of them lets the agents move."""
        for table in tuple(self._tokens):
            self._leave(table)

    def _leave(self, table: str) -> None:
        del self._tokens[table]
        there = self._hub.get(table, set())
        there.discard(self._session)
        if not there:
            self._hub.pop(table, None)
        elif table in self._moving:
            next(iter(there)).tables.take_over(table)

    def take_over(self, table: str) -> None:
        """Let the agents move from now on."""
        self._moving.add(table)
        self._session.go_on(self._move_on(table, self._tokens[table]))

    # --- moves ---

    def _play(self, request: m.Play) -> None:
        sitting = self._house.find(request.table, request.token)
        self._look(sitting)
        before, ply = sitting.view if sitting.coach else None, sitting.table.plies
        sitting.play(request.move, request.ply)
        self._changed(sitting, request.id)
        if before is not None:
            made = sitting.table.record().actions[ply].partition(" ")[0]
            self._session.go_on(self._grade(sitting, before, ply, made))
        self._let_move(sitting)

    def _undo(self, request: m.TakeBack) -> None:
        sitting = self._house.find(request.table, request.token)
        sitting.undo()
        self._changed(sitting, request.id)

    def _changed(self, sitting: api.Sitting, id: str | None = None) -> None:
        """Write down, then tell everyone who looks."""
        self._house.save(sitting)
        self._tell(sitting, id)
        for other in tuple(self._hub.get(sitting.id, ())):  # one that does not read leaves
            if other is not self._session:
                other.answer(self._frame(sitting, None, False))

    def _tell(self, sitting: api.Sitting, id: str | None, token: bool = False) -> None:
        self._session.charge(sitting.table.plies / TOLD)
        self._session.answer(self._frame(sitting, id, token))

    @staticmethod
    def _frame(sitting: api.Sitting, id: str | None, token: bool) -> m.TableFrame:
        secret = sitting.token if token else None
        return m.TableFrame(id=id, token=secret, **sitting.frame())

    # --- the house's players ---

    def _let_move(self, sitting: api.Sitting) -> None:
        if sitting.watch or sitting.mine or sitting.over or self._moved(sitting.id):
            return
        self._moving.add(sitting.id)
        self._session.go_on(self._move_on(sitting.id, sitting.token))

    def _moved(self, id: str) -> bool:
        """Whether this session, or another that looks at the table, lets agents move already."""
        there = (self._session, *self._hub.get(id, ()))
        return any(id in each.tables._moving for each in there)

    async def _move_on(self, id: str, token: str) -> None:
        """Let agents move until it is the person's turn."""
        try:
            while not (sitting := self._house.find(id, token)).watch and await self._move(sitting):
                pass
        finally:
            self._moving.discard(id)

    async def _move(self, sitting: api.Sitting, request: str | None = None) -> bool:
        """One move of an agent; False if there was none to make."""
        choice = sitting.choice()
        if choice is None:
            return False
        number = sitting.table.plies, sitting.undone
        action = await self._decided(*choice)
        sitting = self._house.find(sitting.id, sitting.token)
        # else it was taken back meanwhile, or made by another who looks at the table
        if (sitting.table.plies, sitting.undone) == number:
            sitting.answer(action)
            self._changed(sitting, request)
        elif request is not None:
            self._tell(sitting, request)
        return True

    async def _decided(self, player: api.Agent, view: api.View, rng: Any) -> int:
        options = getattr(player, "options", None)
        if options is None:  # it does not search
            return player.decide(view, rng).action

        def decide() -> int:
            if len(view.actions) == 1 and self._session.limits.pace:
                time.sleep(options.ms / 1000)  # its place is taken as long as if it thought
            return player.decide(view, rng).action

        began = self._session.clock()
        # never refused: nobody would move then
        asking = self._session, "table"
        action = await self._session.work.once(asking, decide, limited=False)
        if pace := self._session.limits.pace:
            await asyncio.sleep(pace - (self._session.clock() - began) % pace)
        return action

    async def _step(self, request: m.Step) -> None:
        sitting = self._house.find(request.table, request.token)
        if not sitting.watch:
            raise api.IllegalMove("only a game that is watched is stepped through")
        if sitting.id in self._moving:
            raise api.IllegalMove("the move before this one is still being thought about")
        self._moving.add(sitting.id)
        try:
            if not await self._move(sitting, request.id):
                raise api.IllegalMove("the game is over")
        finally:
            self._moving.discard(sitting.id)

    # --- the coach ---

    def _thinking(self, view: api.View) -> api.Thinking:
        return api.Thinking(view, api.COACH[view.rules.game])

    def _hint(self, request: m.Hint) -> Coroutine[Any, Any, Any]:
        sitting = self._house.find(request.table, request.token)
        if not sitting.mine:
            raise api.IllegalMove("a hint is for your own move, and it is not your turn")
        return analyse(self._session, request.id, self._thinking(sitting.view), EVERY)

    async def _grade(self, sitting: api.Sitting, before: api.View, ply: int, made: str) -> None:
        """What the move that was made from `before` was worth."""
        action = next(a for a in before.actions if before.text(a) == made)
        thinking = self._thinking(before)
        if self._grading >= MOST_GRADED:
            return  # nobody plays so fast and reads grades
        self._grading += 1
        try:
            asking = self._session, "coach"
            async for _ in self._session.work.steps(asking, thinking.step, limited=False):
                pass
        finally:
            self._grading -= 1
        found = api.grade(before, thinking.decision(), action)
        if found is None:
            return
        sitting = self._house.find(sitting.id, sitting.token)
        if sitting.view.events[: len(before.events)] != before.events:
            return  # taken back meanwhile, and another way led here
        if sitting.graded({"ply": ply, "move": made, **found.to_dict()}):
            self._changed(sitting)

    def _belief(self, request: m.TableBelief) -> Coroutine[Any, Any, None]:
        sitting = self._house.find(request.table, request.token)
        view = sitting.view

        def story() -> api.Story:
            known = self._stories.get(sitting.id)
            found = api.Story(view) if known is None else known.go_on(view)
            self._stories = {sitting.id: found}  # a client looks at one table at a time
            return found

        return believe(self._session, request.id, view, story)

    # --- reviews ---

    def _review(self, request: m.ReviewTable) -> Coroutine[Any, Any, None]:
        sitting = self._house.find(request.table, request.token)
        if not sitting.over:
            raise api.IllegalMove("a review shows all cards: it is for a game that is over")
        return self._reviewed(request.id, sitting.share)

    def _shared(self, request: m.ReviewShared) -> Coroutine[Any, Any, None]:
        self._house.record(request.share)
        return self._reviewed(request.id, request.share)

    async def _reviewed(self, id: str, share: str) -> None:
        record = self._house.record(share)
        seat = self._house.seat_of(share)
        key = -1 if seat is None else seat
        found = self._house.review(share, key)
        self._session.charge(MUCH)
        if found is None:
            reviewing = api.Reviewing(record, seat)
            last = self._session.clock()
            asking, address = self._session, self._session.address
            async with aclosing(
                asking.work.steps(asking, reviewing.step, address=address)
            ) as steps:
                async for _ in steps:
                    if id in self._session.stopped:
                        raise api.KibitzError("the review was cancelled")
                    if self._session.clock() - last >= EVERY:
                        done, total = reviewing.progress
                        self._session.answer(m.Reviewed(id=id, final=False, done=done, total=total))
                        last = self._session.clock()
            found = reviewing.review().to_dict()
            self._house.keep_review(share, key, found)
        self._session.answer(m.Reviewed(id=id, final=True, review=found))
