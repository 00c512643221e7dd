"""`check(rules)`: whether a game keeps what it promises to the layers above.

For those who write a game, and for the project's own. Each check plays random games by the rules
and says what failed and where: the rules, the seed, the move. None knows which game it is.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz import _jit, contract, rng
from kibitz.agents import agent
from kibitz.arena.simulation import in_kernels, refereed
from kibitz.games import game_of, rules_from_json
from kibitz.games.base import Event, KibitzError, Rules, State, check_rules, members
from kibitz.table import SeatRecord, Table, parse_record
from kibitz.table.chance import PLAIN, Chance
from kibitz.view import view_of

PLAYERS = ("random", "rule", "keen")
WORLDS = 4
"""Other worlds, or other chance, that are tried at a move."""


class NotConformant(KibitzError):
    """A promise that a game does not keep."""


class Move(NamedTuple):
    """A move of a random game, and where it is: for messages."""

    before: State
    action: int
    after: State
    chance: tuple[NDArray[np.uint64], NDArray[np.uint64]]
    """Before and after."""
    where: str


def check(rules: Rules, games: int = 2, seed: int = 0, only: Sequence[str] = ()) -> dict[str, int]:
    """Play random games by `rules` and hold the game to its promises, or only to those of `CHECKS`
    that are named; how often each was looked at. What is not kept is a `NotConformant`, which says
    what, and where it happened."""
    check_rules(rules)
    if unknown := set(only) - set(CHECKS):
        raise KibitzError(f"no check {min(unknown)!r}; there are {', '.join(CHECKS)}")
    found = {}
    for name in only or CHECKS:
        found[name] = 0
        for number in range(games):
            try:
                found[name] += CHECKS[name](rules, seed + number)
            except KibitzError as error:
                raise NotConformant(f"{rules}: {name}: {error}") from None
    return found


def _need(kept: Any, what: str, where: str) -> None:
    if not kept:
        raise NotConformant(f"{what} ({where})")


# --- random games --------------------------------------------------------------------------------


def garbage(rules: Rules) -> State:
    """A record that holds nonsense: whoever writes into it must write every field."""
    dtype = game_of(rules).dtype
    found: State = np.frombuffer(bytearray(b"\xa5" * dtype.itemsize), dtype)[0]
    return found


def dealt(rules: Rules, seed: int, index: int = 0) -> tuple[State, NDArray[np.uint64]]:
    """A dealt state, and the chance stream as it stands after the deal."""
    state, chance = garbage(rules), rng.generator(seed, index)
    contract.deal(rules.params, state, chance)
    return state, chance


def legal_in(rules: Rules, state: State) -> list[int]:
    return members(contract.legal_actions(rules.params, state))


def random_moves(rules: Rules, seed: int) -> Iterator[Move]:
    game, (state, chance), choice = game_of(rules), dealt(rules, seed), Random(seed)
    number = 0
    while options := legal_in(rules, state):
        action, number = choice.choice(options), number + 1
        before, stream = state.copy(), chance.copy()
        contract.apply(rules.params, state, action, chance)
        where = f"seed {seed}, move {number}: {game.action_text(before, action)}"
        yield Move(before, action, state.copy(), (stream, chance.copy()), where)
    turn = int(contract.player_to_act(rules.params, state))
    _need(turn < 0, f"nothing is legal, but seat {turn} is to act", f"seed {seed}, move {number}")


def random_states(rules: Rules, seed: int) -> Iterator[tuple[State, str]]:
    yield dealt(rules, seed)[0], f"seed {seed}, the deal"
    for move in random_moves(rules, seed):
        yield move.after, move.where


def observed(rules: Rules, state: State, seat: int) -> State:
    seen = garbage(rules)
    contract.observe(rules.params, state, seat, seen)
    return seen


def sampled(rules: Rules, seen: State, seat: int, generator: NDArray[np.uint64]) -> State:
    world = garbage(rules)
    contract.sample_hidden(rules.params, seen, seat, generator, world)
    return world


def _table(rules: Rules, seed: int) -> Table:
    """A table with a random game on it."""
    table, choice = Table(rules, seed), Random(seed)
    while not table.over:
        table.play(choice.choice(table.legal_actions()))
    return table


# --- the checks ----------------------------------------------------------------------------------


def cards(rules: Rules, seed: int) -> int:
    """No card appears, vanishes or turns into another, in the game and in sampled worlds."""
    game, seen = game_of(rules), 0
    deck = Counter(game.cards(rules, dealt(rules, seed)[0]))
    for seen, (state, where) in enumerate(random_states(rules, seed), 1):
        now, seat = Counter(game.cards(rules, state)), seen % rules.seats
        text = ", ".join(game.card_text(card) for card in [*(now - deck), *(deck - now)])
        _need(now == deck, f"cards were made or lost: {text}", where)
        world = sampled(rules, observed(rules, state, seat), seat, rng.generator(seed, seen))
        _need(Counter(game.cards(rules, world)) == deck, "a sampled world has other cards", where)
    return seen


def seeds(rules: Rules, seed: int) -> int:
    """The same seed is the same game, whatever the record held; others are others."""
    first, second = (list(random_states(rules, seed)) for _ in range(2))
    for (state, where), (again, _) in zip(first, second, strict=True):
        _need(state.tobytes() == again.tobytes(), "the same seed gave another state", where)
    clean = game_of(rules).new_state()
    contract.deal(rules.params, clean, rng.generator(seed))
    same = clean.tobytes() == first[0][0].tobytes()
    _need(same, "a deal depends on what the record held", first[0][1])
    deals = {dealt(rules, other)[0].tobytes() for other in range(50)}
    _need(len(deals) > 1, "all seeds give the same deal", "seeds 0 to 49")
    return len(first)


def legal(rules: Rules, seed: int) -> int:
    """There are legal actions exactly until the game is over, and each can be played."""
    moves = list(random_moves(rules, seed))
    for move in moves:
        for action in legal_in(rules, move.before):
            after = move.before.copy()
            contract.apply(rules.params, after, action, move.chance[0].copy())
            turn = int(contract.player_to_act(rules.params, after))
            text = game_of(rules).action_text(move.before, action)
            where = f"{move.where}; but {text} was played"
            _need(-1 <= turn < rules.seats, f"seat {turn} is to act", where)
            _need(after.tobytes() != move.before.tobytes(), "nothing changed", where)
            over = turn < 0
            _need(over != bool(legal_in(rules, after)), "legal actions, but nobody to act", where)
    return len(moves)


def elsewhere(table: Table, seat: int, seed: int) -> Table:
    """The same table in another world that `seat` cannot tell from the true one: other hidden cards
    now, other hidden cards in all that happened, other chance to come."""
    rules, choice, other = table.rules, Random(seed), copy.copy(table)
    state = table.true_state()
    deck = sorted(set(game_of(rules).cards(rules, state)))
    seen = observed(rules, state, seat)
    world = sampled(rules, seen, seat, rng.generator(seed, 0, 99))
    other._states, other._events, other._seen = [*table._states[:-1], world], [], []

    def with_other_cards(event: Event) -> Event:
        if event.seat in (-1, seat) or not event.cards:
            return event
        return event._replace(cards=tuple(choice.choices(deck, k=len(event.cards))))

    for step in table._events:
        other._note([with_other_cards(event) for event in step])
    other._chance, other._deal, other.seed = Chance(PLAIN, seed, 99), {}, seed
    return other


def _all_that_a_seat_gets(table: Table, seat: int) -> dict[str, Any]:
    """Everything that reaches a seat, and everything computed for it from the true state."""
    rules, state, view = table.rules, table.true_state(), table.view(seat)
    gets: dict[str, Any] = {
        "observation": observed(rules, state, seat).tobytes(),
        "view": view.to_bytes(),
        "seat record": table.seat_record(seat).to_json(),
        "glimpse": int(contract.glimpse(rules.params, state, seat)),
    }
    if table.to_act != seat:
        return gets
    gets["legal"] = tuple(table.legal())
    for name, scores in (("rule", contract.rule_scores), ("keen", contract.keen_scores)):
        out = np.zeros(contract.ACTIONS)
        scores(rules.params, state, out)
        gets[f"{name} scores"] = out.tobytes()
    for name in PLAYERS:
        own = rng.generator(5, 0, 1)
        gets[f"{name} agent"] = (agent(name, rules.game).decide(view, own), own.tobytes())
    return gets


def hidden(rules: Rules, seed: int) -> int:
    """Nothing that a seat gets depends on cards that it has not seen."""
    table, choice, exchanged = Table(rules, seed), Random(seed), 0
    while True:
        for seat in {table.to_act, choice.randrange(rules.seats)} - {-1}:
            truth = _all_that_a_seat_gets(table, seat)
            other = elsewhere(table, seat, choice.getrandbits(60))
            exchanged += other._state.tobytes() != table._state.tobytes()
            found = _all_that_a_seat_gets(other, seat)
            leaks = [name for name in truth if truth[name] != found[name]]
            where = f"seed {seed}, after move {table.plies}, seat {seat}"
            _need(not leaks, f"hidden cards show in {', '.join(leaks)}", where)
        if table.over:
            return exchanged
        table.play(choice.choice(table.legal_actions()))


def worlds(rules: Rules, seed: int) -> int:
    """A sampled world looks like the observation that it was sampled from, to that seat; an
    observation of an observation is itself."""
    seen = 0
    for seen, (state, where) in enumerate(random_states(rules, seed), 1):
        for seat in range(rules.seats):
            look = observed(rules, state, seat)
            again = observed(rules, look, seat)
            place = f"{where}, seat {seat}"
            _need(again.tobytes() == look.tobytes(), "an observation changes if observed", place)
            world = sampled(rules, look, seat, rng.generator(seed, seen, 9))
            same = observed(rules, world, seat).tobytes() == look.tobytes()
            _need(same, "a sampled world looks different", place)
            looks = contract.player_to_act(rules.params, look)
            turn = contract.player_to_act(rules.params, state)
            _need(looks == turn, "an observation does not say who is to act", place)
    return seen


def notation(rules: Rules, seed: int) -> int:
    """Actions and events are read as they are written, and what a seat saw is followed from event
    to event to what it sees."""
    game, table = game_of(rules), _table(rules, seed)
    for step in table.steps():
        for action in legal_in(rules, step.state):
            text = game.action_text(step.state, action)
            kept = game.parse_action(step.state, text) == action
            _need(kept, f"action {action} is written {text!r}, which is read otherwise", text)
    for seat in range(rules.seats):
        view, where = table.view(seat), f"seed {seed}, seat {seat}"
        for event, line in zip(view.events, view.history(), strict=True):
            _need(game.parse_event(line) == event, f"{line!r} is read otherwise", where)
        same = view_of(rules, seat, view.events).to_bytes() == view.to_bytes()
        _need(same, "following the events does not give the observation", where)
    return table.plies


def replay(rules: Rules, seed: int) -> int:
    """A record replays to the same game, from its deal and from what chance did."""
    table, where = _table(rules, seed), f"seed {seed}"
    record = parse_record(table.record().to_json())
    assert not isinstance(record, SeatRecord)
    again = Table.replay(record)
    for number, (step, same) in enumerate(zip(table.steps(), again.steps(), strict=True)):
        kept = step.state.tobytes() == same.state.tobytes() and step.events == same.events
        _need(kept, "the replay differs", f"{where}, move {number}")
    _need(again.record().to_json() == table.record().to_json(), "another record", where)
    for seat in range(rules.seats):
        seen = parse_record(table.seat_record(seat).to_json())
        assert isinstance(seen, SeatRecord)
        same_events = tuple(seen.checked_events()) == table.view(seat).events
        _need(same_events, "a seat's record has other events", f"{where}, seat {seat}")
    return table.plies


def kernels(rules: Rules, seed: int) -> int:
    """Games inside a kernel are the games at a table between agents that get views."""
    names = [PLAYERS[seat % len(PLAYERS)] for seat in range(rules.seats)]
    finals, rewards = in_kernels(rules, names, seed, 0, WORLDS)
    states, returns = refereed(rules, names, seed, 0, WORLDS)
    for game in range(WORLDS):
        where = f"seed {seed}, game {game}"
        same = finals[game].tobytes() == states[game].tobytes()
        _need(same, "a kernel and a table end in other states", where)
        _need((rewards[game] == returns[game]).all(), "other returns", where)
    return WORLDS


def search(rules: Rules, seed: int) -> int:
    """What a search asks: glimpses, stages, bounds, countdowns, estimates."""
    params, game, moves = rules.params, game_of(rules), list(random_moves(rules, seed))
    weights = np.array(game.weights, float)
    stages = [int(contract.stage(params, move.before)) for move in moves]
    for number, move in enumerate(moves):
        low, high = (float(end) for end in contract.bounds(params, move.before))
        out = np.full(rules.seats, np.nan)
        contract.estimate(params, move.before, weights, out)
        inside = (low - 1 <= out).all() and (out <= high + 1).all()
        _need(inside, f"an estimate {out} is out of bounds {low}, {high}", move.where)
        left = int(contract.countdown(params, move.before))
        ahead = [k for k in range(number, len(moves)) if stages[k] == stages[number]]
        _need(left in (-1, len(ahead)), f"{left} decisions are said to be left", move.where)
        for k in ahead[:-1] if left >= 0 else []:
            still = moves[k].chance[0].tobytes() == moves[k].chance[1].tobytes()
            _need(still, "a countdown, but chance has a part", moves[k].where)
        gained = _returns(rules, moves[ahead[-1]].after) - _returns(rules, move.before)
        inside = (low <= gained).all() and (gained <= high).all()
        _need(inside, f"returns changed by {gained}, out of bounds {low}, {high}", move.where)
        _check_glimpses(rules, move)
    return len(moves)


def _returns(rules: Rules, state: State) -> NDArray[np.float64]:
    out = np.zeros(rules.seats)
    contract.returns(rules.params, state, out)
    return out


def _check_glimpses(rules: Rules, move: Move) -> None:
    """After one action from one state, glimpses are equal exactly if the seat sees the same."""
    ends = []
    for seed in range(WORLDS):
        after = move.before.copy()
        contract.apply(rules.params, after, move.action, rng.generator(seed))
        ends.append(after)
    for seat in range(rules.seats):
        seen = [observed(rules, end, seat) for end in ends]
        words = [int(contract.glimpse(rules.params, end, seat)) for end in ends]
        own = [int(contract.glimpse(rules.params, look, seat)) for look in seen]
        where = f"{move.where}, seat {seat}"
        _need(own == words, "the glimpse of an observation is another", where)
        for look, word in zip(seen, words, strict=True):
            equal = look.tobytes() == seen[0].tobytes()
            _need(equal == (word == words[0]), "glimpses are not equal as what is seen is", where)
    _check_change_of_glimpse(rules, move)


def _check_change_of_glimpse(rules: Rules, move: Move) -> None:
    """By how much a seat's glimpse changes follows from what it sees of the move, whatever it held:
    in worlds that look the same to another seat."""
    params, game, changes = rules.params, game_of(rules), dict[Any, int]()
    mover = int(contract.player_to_act(params, move.before))
    watcher = (mover + 1) % rules.seats
    seen = observed(rules, move.before, watcher)
    for seed in range(WORLDS):
        world = sampled(rules, seen, watcher, rng.generator(seed))
        if move.action not in legal_in(rules, world):
            continue
        after = world.copy()
        contract.apply(params, after, move.action, rng.generator(seed, 1))
        if contract.stage(params, after) != contract.stage(params, world):
            continue
        before, now = (int(contract.glimpse(params, state, mover)) for state in (world, after))
        events = game.events(rules, world, move.action, after)
        key = tuple(event.seen_by(mover) for event in events)
        change = (now - before) % 2**64
        same = changes.setdefault(key, change) == change
        _need(same, "the change of a glimpse depends on what was held", move.where)


def signature(rules: Rules, seed: int) -> str:
    """A digest of what the kernels compute in a random game."""
    found, generator = hashlib.blake2b(digest_size=8), rng.generator(seed, 1)
    for number, (state, _) in enumerate(random_states(rules, seed)):
        seat = number % rules.seats
        seen = observed(rules, state, seat)
        parts = [state, seen, sampled(rules, seen, seat, generator), generator]
        numbers = [
            contract.glimpse(rules.params, state, seat),
            contract.stage(rules.params, state),
            contract.countdown(rules.params, state),
        ]
        guess = np.zeros(rules.seats)
        contract.estimate(rules.params, state, np.array(game_of(rules).weights, float), guess)
        words = np.array([int(number) % 2**64 for number in numbers], np.uint64)
        parts += [_returns(rules, state), guess, words]
        if legal_in(rules, state):
            for scores in (contract.rule_scores, contract.keen_scores):
                out = np.zeros(contract.ACTIONS)
                scores(rules.params, state, out)
                parts.append(out)
        for part in parts:
            found.update(part.tobytes())
    return found.hexdigest()


def plain(rules: Rules, seed: int) -> int:
    """Compiled code computes what the same source computes as plain Python."""
    if _jit.PURE:
        return 0
    done = subprocess.run(
        [sys.executable, "-m", "kibitz.arena.conformance", rules.to_json(), str(seed)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    where = f"seed {seed}"
    _need(done.returncode == 0, f"plain Python fails: {done.stderr.strip()[-300:]}", where)
    said = json.loads(done.stdout)
    _need(said == signature(rules, seed), "compiled code and plain Python differ", where)
    return 1


CHECKS: dict[str, Callable[[Rules, int], int]] = {
    each.__name__: each
    for each in (cards, seeds, legal, hidden, worlds, notation, replay, kernels, search, plain)
}

if __name__ == "__main__":
    print(json.dumps(signature(rules_from_json(sys.argv[1]), int(sys.argv[2]))))
