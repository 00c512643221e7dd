"""Games that a client tells: what happened at some table elsewhere, as one seat saw it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from kibitz import api
from kibitz.protocol import messages as m
from kibitz.protocol.answers import analyse, believe

if TYPE_CHECKING:
    from kibitz.protocol.session import Session

REPLAYED = 50
"""Events that are told again for the price of one message."""


class _Game:
    """Told in words, or by events; either way there is a view once the deal is known."""

    def __init__(self, id: str, rules: api.Rules, seat: int) -> None:
        self.id = id
        self.rules = rules
        self.seat = seat
        self.telling: api.Telling | None = None
        self.steps: list[int] = []  # how many events were told at a time
        self.view: api.View | None = None
        self.story: api.Story | None = None

    def add(self, lines: list[str]) -> None:
        events = [api.game_of(self.rules).parse_event(line) for line in lines]
        if self.view is None:
            view = api.view_of(self.rules, self.seat, events)
        else:
            view = self.view.after(events)
        api.check_possible(view)
        self.view = view
        self.steps.append(len(lines))

    def tell(self, telling: api.Telling) -> None:
        self.telling, self.view = telling, telling.view

    def correct(self, moves: int) -> None:
        if self.telling is not None:
            self.tell(self.telling.undo(moves))
            return
        if moves > len(self.steps):
            raise api.KibitzError(f"only {len(self.steps)} were told: cannot take back {moves}")
        steps = self.steps[: len(self.steps) - moves]
        events = () if self.view is None else self.view.events[: sum(steps)]
        self.view = api.view_of(self.rules, self.seat, events) if events else None
        self.steps = steps

    @property
    def length(self) -> int:
        """Events so far."""
        return 0 if self.view is None else len(self.view.events)

    def frame(self, id: str) -> m.GameFrame:
        view = None if self.view is None else m.ViewContent(**self.view.to_dict())
        said = None if self.telling is None else list(self.telling.said)
        return m.GameFrame(id=id, game_id=self.id, view=view, said=said)


class ToldGames:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._games: dict[str, _Game] = {}
        self._count = 0

    def answers(self) -> dict[type[Any], Callable[[Any], Any]]:
        return {
            m.New: self._new,
            m.Tell: self._tell,
            m.AddEvents: self._event,
            m.ShowView: lambda r: self._find(r).frame(r.id),
            m.Correct: self._correct,
            m.Believe: self._believe,
            m.Analyse: self._analyse,
            m.Close: self._close,
        }

    def _find(self, request: m.OfGame) -> _Game:
        if request.game_id not in self._games:
            raise api.NotFound(f"there is no game {request.game_id!r} here; `new` makes one")
        return self._games[request.game_id]

    def _new(self, request: m.New) -> m.Answer:
        if len(self._games) >= self._session.limits.games:
            raise api.KibitzError(f"{len(self._games)} games are open: close one first")
        if request.told is not None and request.events is not None:
            raise api.KibitzError("tell the deal in words (told) or by events, not both")
        rules = api.rules(request.game, **request.rules)
        api.check_seat(rules, request.seat)
        game = _Game(f"g{self._count + 1}", rules, request.seat)
        if request.told is not None:
            game.tell(api.Telling(rules, request.seat, request.told))
        elif request.events:
            game.add(request.events)
        self._count += 1
        self._games[game.id] = game
        return game.frame(request.id)

    def _tell(self, request: m.Tell) -> m.Answer:
        game = self._find(request)
        if game.telling is None:
            raise api.KibitzError("this game is told by events: use `event`")
        self._has_room(game, 1)
        game.tell(game.telling.tell(request.said))
        return game.frame(request.id)

    def _event(self, request: m.AddEvents) -> m.Answer:
        game = self._find(request)
        if game.telling is not None:
            raise api.KibitzError("this game is told in words: use `tell`")
        self._has_room(game, len(request.events))
        game.add(request.events)
        return game.frame(request.id)

    def _has_room(self, game: _Game, more: int) -> None:
        most = self._session.limits.events
        if game.length + more > most:
            raise api.KibitzError(f"a game may have {most} events at most")

    def _correct(self, request: m.Correct) -> m.Answer:
        game = self._find(request)
        self._session.charge(game.length / REPLAYED)  # the game is told again from its beginning
        game.correct(request.moves)
        return game.frame(request.id)

    def _close(self, request: m.Close) -> m.Answer:
        del self._games[self._find(request).id]
        return m.Closed(id=request.id, game_id=request.game_id)

    def _seen(self, request: m.OfGame) -> tuple[_Game, api.View]:
        game = self._find(request)
        if game.view is None:
            raise api.KibitzError("nothing has been told yet: give the events of the deal")
        return game, game.view

    def _believe(self, request: m.Believe) -> Coroutine[Any, Any, None]:
        game, view = self._seen(request)

        def story() -> api.Story:
            game.story = api.Story(view) if game.story is None else game.story.go_on(view)
            return game.story

        return believe(self._session, request.id, view, story)

    def _analyse(self, request: m.Analyse) -> Coroutine[Any, Any, Any]:
        _, view = self._seen(request)
        limits = self._session.limits
        if request.ms is not None and request.ms > limits.ms:
            raise api.KibitzError(f"ms may be {limits.ms:g} at most")
        if request.sims is not None and request.sims > limits.sims:
            raise api.KibitzError(f"sims may be {limits.sims} at most")
        agent = request.agent or api.game_of(view.rules).coach
        check_agent(agent, view.rules.game, limits.any_agent)
        thinking = api.Thinking(view, agent, seed=request.seed, sims=request.sims, ms=request.ms)
        every = None if request.every_ms is None else request.every_ms / 1000
        return analyse(self._session, request.id, thinking, every)


def check_agent(name: str, game: str, any_agent: bool) -> None:
    """Refuse agents that a client may not ask for: their searches could take for ever."""
    played = api.game_of(api.rules_type(game))
    there = [level.name for level in played.levels]
    if name in there or name == played.coach:
        return
    if not any_agent:
        raise api.KibitzError(f"{name!r} is no level here; there are {', '.join(there)}")
    api.agent(name, game)
