"""Tables as clients see them: moves in, frames out, the house's players between them.

Every change is written down before anybody is told of it, by the house's own thread; what comes
from there are frames and views, which no later change touches. Agents that search think in turns
with everyone else's; those that do not answer at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from kibitz import api
from kibitz.protocol import messages as m
from kibitz.protocol.answers import analyse, believe
from kibitz.protocol.pace import decided
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


Frame = dict[str, Any]
"""What `Sitting.frame` gives."""
Result = TypeVar("Result")


class Turn(NamedTuple):
    """The move of an agent that is next."""

    player: api.Agent
    view: api.View
    rng: Any
    number: tuple[int, int]
    """Moves made, and taken back: it is another turn if they changed."""


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
        self._gone = False
        self._order = asyncio.Lock()
        """What changes tables is done in the order in which it was asked."""
        self._begun: set[asyncio.Task[Any]] = set()

    def answers(self) -> dict[type[Any], Callable[[Any], Any]]:
        surely: dict[type[Any], Callable[[Any], Coroutine[Any, Any, Any]]] = {
            m.Hello: self._hello,
            m.SetSettings: self._settings,
            m.Deal: self._deal,
            m.Sit: self._sit,
            m.Play: self._play,
            m.TakeBack: self._undo,
        }
        return {
            **{kind: partial(self._in_order, answer) for kind, answer in surely.items()},
            m.Commit: self._commit,
            m.Step: self._step,
            m.Hint: self._hint,
            m.TableBelief: self._belief,
            m.ReviewTable: self._review,
            m.ReviewShared: self._shared,
        }

    def _in_order(self, answer: Callable[[Any], Coroutine[Any, Any, Any]], request: Any) -> None:
        async def answered() -> Any:
            async with self._order:
                return await answer(request)

        self._session.go_on(self._surely(answered()), request.id)

    def _surely(self, change: Coroutine[Any, Any, Result]) -> Coroutine[Any, Any, Result]:
        """What is begun is ended, and all who look are told, even if this client leaves."""
        task = asyncio.get_running_loop().create_task(change)
        self._begun.add(task)
        task.add_done_callback(self._ended)

        async def waiting() -> Result:
            return await asyncio.shield(task)

        return waiting()

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._begun.discard(task)
        if not task.cancelled():
            task.exception()  # whoever asked may not be there to hear it

    @property
    def _house(self) -> api.House:
        return self._session.house

    async def _do(self, job: Callable[[], Result]) -> Result:
        return await self._house.desk.do(job)

    # --- people ---

    async def _hello(self, request: m.Hello) -> m.Answer:
        self._session.charge(MUCH)
        found = await self._do(lambda: self._house.visitor(request.visitor))
        return m.Greeting(
            id=request.id,
            visitor=found.name,
            settings=found.settings,
            saved=found.saved,
            unreadable=found.unreadable,
        )

    async def _settings(self, request: m.SetSettings) -> m.Answer:
        settings = dict(request.settings)
        await self._do(lambda: self._house.set(request.visitor, settings))
        return m.Settings(id=request.id, settings=settings)

    # --- sitting down ---

    def _commit(self, request: m.Commit) -> m.Answer:
        table, commitment = self._house.commit()
        return m.Commitment(id=request.id, table=table, commitment=commitment)

    async def _deal(self, request: m.Deal) -> None:
        rules = api.rules(request.game, **request.rules)
        most = self._session.limits.plies
        if getattr(rules, "max_plies", 0) > most:
            raise api.RulesError(f"max_plies: a game at a table of the house has {most} at most")
        for name in request.opponents:
            check_agent(name, rules.game, self._session.limits.any_agent)
        self._make_room(request.table)

        def deal() -> tuple[Frame, str]:
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
            return sitting.frame(), sitting.token

        frame, token = await self._do(deal)
        self._look(request.table, token)
        self._tell(frame, request.id, token)
        self._let_move(frame, token)

    async def _sit(self, request: m.Sit) -> None:
        frame = await self._do(lambda: self._house.find(request.table, request.token).frame())
        self._make_room(request.table)
        self._look(request.table, request.token)
        self._tell(frame, request.id, request.token)
        self._let_move(frame, request.token)

    def _look(self, table: str, token: str) -> None:
        if not self._gone:
            self._hub.setdefault(table, set()).add(self._session)
            self._tokens[table] = token

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
        self._gone = True
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

    async def _play(self, request: m.Play) -> None:
        self._make_room(request.table)

        def play() -> tuple[Frame, api.View | None, int, str]:
            sitting = self._house.find(request.table, request.token)
            before, ply = sitting.view if sitting.coach else None, sitting.table.plies
            sitting.play(request.move, request.ply)
            self._house.save(sitting)
            made = sitting.table.record().actions[ply].partition(" ")[0]
            return sitting.frame(), before, ply, made

        frame, before, ply, made = await self._do(play)
        self._look(request.table, request.token)
        self._changed(frame, request.id)
        if before is not None and not self._gone:
            self._session.go_on(self._grade(request, before, ply, made))
        self._let_move(frame, request.token)

    async def _undo(self, request: m.TakeBack) -> None:
        def undo() -> Frame:
            sitting = self._house.find(request.table, request.token)
            sitting.undo()
            self._house.save(sitting)
            return sitting.frame()

        self._changed(await self._do(undo), request.id)

    def _changed(self, frame: Frame, id: str | None = None) -> None:
        """Tell everyone who looks of a change that is written down. All others see from one seat
        and asked for nothing: one line is for all of them."""
        if self._session in self._hub.get(frame["table"], ()) or id is not None:
            self._tell(frame, id)
        others = [each for each in self._hub.get(frame["table"], ()) if each is not self._session]
        if others:
            line = m.to_text(m.TableFrame(id=None, **frame))
            for other in others:
                other.send(line)

    def _tell(self, frame: Frame, id: str | None, token: str | None = None) -> None:
        self._session.charge(frame["view"]["plies"] / TOLD)
        self._session.answer(m.TableFrame(id=id, token=token, **frame))

    # --- the house's players ---

    def _let_move(self, frame: Frame, token: str) -> None:
        table = frame["table"]
        if frame["watch"] or frame["thinking"] is None or self._moved(table):
            return
        if self._gone:
            for other in tuple(self._hub.get(table, ()))[:1]:
                other.tables.take_over(table)
            return
        self._moving.add(table)
        self._session.go_on(self._move_on(table, token))

    def _moved(self, id: str) -> bool:
        """Whether this session, or another that looks at the table, lets agents move already."""
        there = (self, *(each.tables for each in self._hub.get(id, ())))
        return any(id in each._moving for each in there)

    async def _move_on(self, id: str, token: str) -> None:
        """Let agents move until it is the person's turn."""
        try:
            while turn := await self._do(lambda: self._turn(self._house.find(id, token))):
                await self._move(id, token, turn)
        finally:
            self._moving.discard(id)

    @staticmethod
    def _turn(sitting: api.Sitting, watch: bool = False) -> Turn | None:
        """The move of an agent that is next, if one is; a game that is watched waits for a step."""
        choice = sitting.choice() if sitting.watch == watch else None
        return None if choice is None else Turn(*choice, (sitting.table.plies, sitting.undone))

    async def _move(self, id: str, token: str, turn: Turn, request: str | None = None) -> None:
        """One move of an agent."""
        action = await decided(self._session, turn.player, turn.view, turn.rng)

        def answer() -> tuple[Frame | None, bool]:
            sitting = self._house.find(id, token)
            # else it was taken back meanwhile, or made by another who looks at the table
            due = (sitting.table.plies, sitting.undone) == turn.number
            if due:
                sitting.answer(action)
                self._house.save(sitting)
            return sitting.frame() if due or request is not None else None, due

        async def answered() -> None:
            frame, made = await self._do(answer)
            if frame is not None and made:
                self._changed(frame, request)
            elif frame is not None:
                self._tell(frame, request)

        await self._surely(answered())

    async def _step(self, request: m.Step) -> None:
        def next_turn() -> Turn:
            sitting = self._house.find(request.table, request.token)
            if not sitting.watch:
                raise api.IllegalMove("only a game that is watched is stepped through")
            turn = self._turn(sitting, watch=True)
            if turn is None:
                raise api.IllegalMove("the game is over")
            return turn

        turn = await self._do(next_turn)
        if request.table in self._moving:
            raise api.IllegalMove("the move before this one is still being thought about")
        self._moving.add(request.table)
        try:
            await self._move(request.table, request.token, turn, request.id)
        finally:
            self._moving.discard(request.table)

    # --- the coach ---

    def _thinking(self, view: api.View) -> api.Thinking:
        return api.Thinking(view, api.game_of(view.rules).coach)

    async def _hint(self, request: m.Hint) -> None:
        def asked() -> api.View | None:
            sitting = self._house.find(request.table, request.token)
            return sitting.view if sitting.mine else None

        view = await self._do(asked)
        if view is None:
            raise api.IllegalMove("a hint is for your own move, and it is not your turn")
        await analyse(self._session, request.id, self._thinking(view), EVERY)

    async def _grade(self, at: m.AtTable, before: api.View, ply: int, made: str) -> None:
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
        grade = {"ply": ply, "move": made, **found.to_dict()}

        def note() -> Frame | None:
            sitting = self._house.find(at.table, at.token)
            if sitting.view.events[: len(before.events)] != before.events:
                return None  # taken back meanwhile, and another way led here
            if not sitting.graded(grade):
                return None
            self._house.save(sitting)
            return sitting.frame()

        async def noted() -> None:
            frame = await self._do(note)
            if frame is not None:
                self._changed(frame)

        await self._surely(noted())

    async def _belief(self, request: m.TableBelief) -> None:
        table = request.table
        view = await self._do(lambda: self._house.find(table, request.token).view)

        def story() -> api.Story:
            known = self._stories.get(table)
            found = api.Story(view) if known is None else known.go_on(view)
            self._stories = {table: found}  # a client looks at one table at a time
            return found

        await believe(self._session, request.id, view, story)

    # --- reviews ---

    async def _review(self, request: m.ReviewTable) -> None:
        def share() -> str:
            sitting = self._house.find(request.table, request.token)
            if not sitting.over:
                raise api.IllegalMove("a review shows all cards: it is for a game that is over")
            return sitting.share

        await self._reviewed(request.id, await self._do(share))

    async def _shared(self, request: m.ReviewShared) -> None:
        await self._reviewed(request.id, request.share)

    async def _reviewed(self, id: str, share: str) -> None:
        record, seat, found = await self._do(lambda: self._house.finished(share))
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
            found = review = reviewing.review().to_dict()
            await self._do(lambda: self._house.keep_review(share, review))
        self._session.answer(m.Reviewed(id=id, final=True, review=found))
