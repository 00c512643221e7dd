"""Two games that look the same to one seat, played over the protocol: what the leak test needs.

A record is changed where its seat could not see: a card that another seat holds unseen, or held
unseen to the end, becomes another card that is unseen as well. The changed record must replay by
the rules; then both are played move by move over the wire, with the others' moves and all draws
from the record.
"""

import asyncio
import re
from itertools import count

import kibitz
from kibitz.agents.base import Decision
from kibitz.house import House, Sitting
from kibitz.house.desk import Desk
from kibitz.protocol.session import LOCAL, Session
from kibitz.protocol.work import Work
from kibitz.table import Table


class ScriptedTable(Table):
    """Follows a record: the same moves, and the draws that the record tells."""

    script: list

    def play(self, action, seat=None):
        before = len(self._events)
        if seat is not None and seat != self.to_act:
            return super().play(action, seat)  # it refuses
        chosen = self._checked(action)
        move = self.script[self.plies]
        assert self._game.action_text(self._state, chosen) == move.partition(" ")[0], "off script"
        self._replay_move(move)
        return self._events[before]


class ScriptedAgent:
    name = "script"

    def __init__(self, table):
        self.table = table

    def decide(self, view, rng):
        move = self.table.script[view.plies].partition(" ")[0]
        (action,) = (a for a in view.actions if view.text(a) == move)
        return Decision(action)


def scripted_table(record):
    table = ScriptedTable._dealt(record.checked_rules(), None, 0, record.players, record.deal)
    table.script = record.actions
    return table


class AtOnce(Desk):
    """Without a thread: whose turn it is would be chance."""

    async def do(self, job):
        return job()


class InTurn(Work):
    """The same for searches."""

    async def _run(self, step):
        return step()


class ScriptedHouse(House):
    """Everything that is not the cards is fixed: ids, tokens, the clock, the order of events."""

    def __init__(self, record, secret):
        numbers = count()
        super().__init__(clock=lambda: 1000.0, token=lambda: f"id{next(numbers)}", key=b"fixed")
        self.desk = AtOnce(self.storage)
        self.scripted = record
        self.secret = lambda table: secret

    def deal(self, id, nonce, rules, opponents, seat=0, **options):
        sitting = super().deal(id, nonce, rules, opponents, seat, **options)
        sitting.table = table = scripted_table(self.scripted)
        sitting._agents = [
            None if name == "you" else ScriptedAgent(table) for name in self.scripted.players
        ]
        sitting.luck = int(sitting.secret, 16)
        return sitting


def look_alikes(rules, seat, seed, plies):
    """Records of a game of `plies` moves that nobody in `seat` can tell apart."""
    players = ["casual"] * rules.seats
    players[seat] = "you"
    table = kibitz.Table(rules, seed=seed, players=players)
    agents = {s: kibitz.agent("casual", rules.game) for s in range(rules.seats)}
    while not table.over and (table.plies < plies or table.to_act != seat):
        mover = table.to_act
        generator = kibitz.generator(seed, table.plies, 1 + mover)
        table.play(agents[mover].decide(table.view(mover), generator).action)
    assert not table.over
    record = table.record().model_copy(update={"set_up": True, "seed": None})
    view = table.view(seat).to_bytes()
    found = [record]
    for other in exchanged(record, table, seat):
        try:
            replayed = scripted_table(other)
            for move in other.actions:
                replayed._replay_move(move)
        except (kibitz.KibitzError, AssertionError):
            continue
        if replayed.view(seat).to_bytes() == view:
            found.append(other)
    return found


def exchanged(record, table, seat):
    """Records in which a hidden card is another: in a hand that was dealt, or in a draw."""
    state, belief = table.true_state(), kibitz.belief(table.view(seat), n=50)
    others = [s for s in range(table.rules.seats) if s != seat]
    held = {s: [belief.card_text(c) for c in belief.holding(state, s)] for s in others}
    stock = [belief.card_text(c) for c in belief.holding(state, kibitz.STOCK)]
    hands = record.deal["hands"]
    for s in others:
        for card in held[s]:
            for new in stock:
                if new == card or new in held[s]:
                    continue
                yield from _dealt(record, hands, s, card, new)
                yield from _drawn(record, table, s, card, new)
        for t in others:
            for card in held[s] if s < t else []:
                for new in held[t]:
                    if card in hands[s].split() and new in hands[t].split():
                        changed = list(hands)
                        changed[s] = _swap(hands[s], card, new)
                        changed[t] = _swap(hands[t], new, card)
                        yield record.model_copy(update={"deal": {**record.deal, "hands": changed}})


def _swap(text, old, new):
    words = text.split()
    words[words.index(old)] = new
    return " ".join(words)


def _dealt(record, hands, seat, card, new):
    if card in hands[seat].split():
        changed = list(hands)
        changed[seat] = _swap(hands[seat], card, new)
        yield record.model_copy(update={"deal": {**record.deal, "hands": changed}})


def _drawn(record, table, seat, card, new):
    movers = [step.seat for step in table.steps()][1:]
    for ply, move in enumerate(record.actions):
        text, _, drawn = move.partition(" ")
        if movers[ply] == seat and re.match("draw", text) and card in drawn.split():
            actions = list(record.actions)
            actions[ply] = f"{text} {_swap(drawn, card, new)}"
            yield record.model_copy(update={"actions": actions})


# --- on the wire ---------------------------------------------------------------------------------


async def conversation(record, secret, talk, limits=LOCAL):
    """All that the house says while `talk(ask, sitting)` plays the record's game."""
    house = ScriptedHouse(record, secret)
    said = []
    work = InTurn()
    # the clock goes on by a second each time it is looked at, so hints come in parts
    session = Session(house, work, said.append, limits, clock=count().__next__)
    numbers = count(1)

    async def ask(text=None, **fields):
        import json

        session.receive(text or json.dumps({"id": str(next(numbers)), **fields}))
        await session.finish()
        return json.loads(said[-1]) if said else None

    rules = record.checked_rules()
    promised = await ask(do="commit")
    seat = record.players.index("you")
    dealt = await ask(
        do="deal", table=promised["table"], nonce="0123456789abcdef" * 2, game=rules.game,
        rules=rules.to_dict(), seat=seat, opponents=["casual"], coach=True,
    )  # fmt: skip
    await talk(ask, {"table": dealt["table"], "token": "id1"}, house, record)
    work.close()
    commitment = promised["commitment"]
    return [line.replace(commitment, "COMMITMENT") for line in said]


def spoken(record, secret, talk):
    return asyncio.run(conversation(record, secret, talk))


__all__ = ["Sitting", "look_alikes", "spoken"]
