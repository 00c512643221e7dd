"""How what Kibitz has found becomes an answer: analyses and beliefs, for tables and told games."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from kibitz import api
from kibitz.protocol import messages as m

if TYPE_CHECKING:
    from kibitz.protocol.session import Session


def analysis(
    id: str, thinking: api.Thinking, decision: api.Decision, final: bool, cancelled: bool = False
) -> m.Analysis:
    view = thinking.view
    game = api.game_of(view.rules)
    scale = game.scale
    return m.Analysis(
        id=id,
        final=final,
        cancelled=cancelled,
        ply=view.plies,
        best=view.text(decision.action),
        moves=[
            m.MoveFound(
                move=move.text,
                value=move.value,
                error=move.error,
                text=game.value_text(move.value, move.error),
                visits=move.visits,
                share=move.share,
                equal=move.action in decision.equal,
                proved=move.proved,
            )
            for move in decision.moves
        ],
        units=scale.units,
        factor=scale.factor,
        zero=scale.zero,
        why=list(decision.why),
        line=list(decision.variation),
        belief=decision.belief,
        simulations=decision.simulations,
    )


async def analyse(
    session: Session, id: str, thinking: api.Thinking, every: float | None
) -> api.Decision:
    """Think in turns with others; tell what was found every so many seconds, and at the end."""
    last = session.clock()
    work = session.work
    with work.place(session, session.address):
        async with aclosing(work.steps(session, thinking.step, limited=False)) as steps:
            async for _ in steps:
                if id in session.stopped:
                    found = thinking.decision()
                    session.answer(analysis(id, thinking, found, final=True, cancelled=True))
                    return found
                if every is not None and session.clock() - last >= every:
                    session.answer(analysis(id, thinking, thinking.decision(), final=False))
                    last = session.clock()
        found = await work.once(session, thinking.explained, limited=False)
    session.answer(analysis(id, thinking, found, final=True))
    return found


async def believe(
    session: Session, id: str, view: api.View, begin: Callable[[], api.Story]
) -> None:
    """What the seat may think now, and how much was missing over the game. `begin` may have to wait
    for whoever works on the same story, so it is not called here but where work is done."""

    def found() -> tuple[dict[str, Any], str]:
        known = story.belief  # that of the view, unless another who asked has gone on since
        belief = known if known is not None and known.events == view.events else api.belief(view)
        return belief.to_dict(), belief.summary()

    work = session.work
    with work.place(session, session.address):
        story = await work.once(session, begin, limited=False)
        async with aclosing(work.steps(session, story.step, limited=False)) as steps:
            async for _ in steps:
                if id in session.stopped:
                    raise api.KibitzError("the belief was cancelled")
        content, text = await work.once(session, found, limited=False)
    session.answer(
        m.BeliefFound(id=id, ply=view.plies, belief=content, text=text, history=list(story.history))
    )
