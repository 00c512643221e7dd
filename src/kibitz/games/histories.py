"""The belief of games that have none of their own: what can have happened, played through.

It begins with the worlds that look like the first observation, by `sample_hidden`. Each event moves
them on by `apply`; a world that the event is impossible in, or that does not look as it should
afterwards, goes; the others are weighed by how likely the model chooses so, and by the chance of
what was seen. Where few worlds are possible, all are kept with their exact chances (a script in
the place of the generator tries all that chance can do); else they are a sample, which is resampled
when few of them bear most of the weight.

A sample that began with the deal knows nothing better as the game goes on: when none is left, the
belief begins again with what is seen now, forgets what the moves have said, and counts that in
`recoveries`. So it is right for small games, and a beginning for others.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz import contract
from kibitz import rng as random
from kibitz.games import kernels
from kibitz.games.base import Event, Game, IllegalMove, KibitzError, Rules, State, members
from kibitz.games.belief import (
    STOCK,
    Belief,
    BeliefError,
    Marginals,
    Options,
    bits,
    but_proved,
    remembered,
)
from kibitz.games.model import chance as chance_said
from kibitz.particles import effective_size, resample
from kibitz.players import SILENT, Player, as_array

Array = NDArray[Any]

CHUNK = 8192
REPEATS = 200
"""How often a world may come among all that chance can do, on average, before they are too many."""
CHOICES = 64
"""Choices of chance in one move or deal that a script has room for."""
PLAIN = 256
"""Worlds that look like what is seen now, which shares of a sample are drawn towards."""
TRIES = 10_000
"""Worlds in which a move is tried, to learn what a seat sees after it."""
NO_WORLD = "by the rules no hidden cards explain what was seen"


def followed(game: Game, rules: Rules, seat: int, seen: State, event: Event) -> State:
    """What a seat sees after a move, by playing it in worlds that look like `seen`."""
    action = game.action_of(event)
    if action is None:  # it belongs to a move, and was seen with it
        return seen
    params, rng = rules.params, random.generator(0, stream=random.HISTORIES)
    world, after = game.new_state(), game.new_state()
    for _ in range(TRIES):
        contract.sample_hidden(params, seen, seat, rng, world)
        if contract.player_to_act(params, world) != event.seat:
            break
        if action not in members(contract.legal_actions(params, world)):
            continue
        then = world.copy()
        contract.apply(params, then, action, rng)
        if event in (each.seen_by(seat) for each in game.events(rules, world, action, then)):
            contract.observe(params, then, seat, after)
            return after
    raise IllegalMove(f"{game.event_text(event)!r} cannot be by the rules and what was seen")


@dataclass(frozen=True)
class Known:
    """What can be the case."""

    worlds: Array
    """Those that are possible by the rules: all of them, each once, if `exact`."""
    mass: Array
    """float[worlds, casts + 1]: the joint chance of the world and the kinds of the other players;
    and last that of the world if choices said nothing."""
    exact: bool
    recoveries: int = 0
    left_out: tuple[Event, ...] = ()

    @cached_property
    def weights(self) -> Array:
        found: Array = self.mass[:, :-1].sum(axis=1)
        return found

    def merged(self) -> Known:
        """The same worlds, each once, in the order of their bytes."""
        data = self.worlds.view(np.dtype((np.void, self.worlds.dtype.itemsize)))
        _, first, place = np.unique(data, return_index=True, return_inverse=True)
        mass = np.zeros((len(first), self.mass.shape[1]))
        np.add.at(mass, place.ravel(), self.mass)
        return replace(self, worlds=self.worlds[first], mass=mass)


@dataclass(frozen=True)
class Move:
    """A move that is being watched."""

    event: Event
    before: Known
    start: State
    """The observation before it."""
    seen: tuple[State, ...]
    """What was seen after it, and after each event that followed: after one of them it was over,
    and the rest belong to the move to come."""
    number: int
    """Of the event, by which random numbers are drawn."""


class Histories(Belief):
    methods = ("auto", "exact", "particles")

    def __init__(
        self, rules: Rules, seat: int, options: Options, observation: State | None = None
    ) -> None:
        super().__init__(rules, seat, options)
        self._seen: State | None = None
        self._move: Move | None = None
        if observation is not None:
            self._seen = self.game.new_state()
            contract.observe(rules.params, observation, seat, self._seen)
        self.shares, self.kinds = options.model.arrays
        others = [self.shares if other != seat else [1.0] for other in range(rules.seats)]
        self._casts = np.array(list(product(*(range(len(kinds)) for kinds in others))))
        """[cast, seat]: what kind of player sits where."""
        self._prior = np.array([*(np.prod(shares) for shares in product(*others)), 1.0])

    # --- events ---

    def update(self, event: Event) -> Histories:
        found = copy(self)
        found._memo = {}
        found._seen = self.game.follow(self.rules, self.seat, self._seen, event)
        found.events = (*self.events, event)
        if self.game.action_of(event) is not None:
            number = len(self.events)
            found._move = Move(event, self._known, self.observation, (found._seen,), number)
        elif self._move is not None:
            found._move = replace(self._move, seen=(*self._move.seen, found._seen))
        return found

    @property
    def observation(self) -> State:
        if self._seen is None:
            raise BeliefError("nothing has been seen yet")
        return self._seen

    @property
    @remembered
    def _known(self) -> Known:
        move, stage = self._move, contract.stage
        params = self.rules.params
        if move is None:
            return self._begun(0)
        if stage(params, move.start) != stage(params, self.observation):  # dealt anew
            return replace(self._begun(move.number), recoveries=move.before.recoveries)
        return self._moved(move)

    def _random(self, number: int) -> NDArray[np.uint64]:
        return random.generator(self.options.seed, number, random.HISTORIES + self.seat)

    def _begun(self, number: int) -> Known:
        """What can be the case by the observation alone."""
        found = self._all_worlds() if self._limit else None
        if found is not None:
            return found
        if self.options.method == "exact":
            raise self._too_many()
        worlds = np.zeros(self.options.n, self.game.dtype)
        rng = self._random(number)
        kernels.some_worlds(self.rules.params, self._one(), self.seat, rng, worlds)
        return Known(worlds, np.tile(self._prior / len(worlds), (len(worlds), 1)), exact=False)

    def _too_many(self) -> BeliefError:
        return BeliefError(
            f"exact: more worlds are possible than exact_limit = {self.options.exact_limit:,}; use "
            "method='particles'"
        )

    def _one(self) -> Array:
        """The observation as an array of one, which kernels take."""
        return np.array([self.observation], self.game.dtype)

    def _all_worlds(self) -> Known | None:
        """Every world that looks like the observation, or None if they are too many."""
        script, limit = random.script(CHOICES), self._limit
        found, more = Known(np.zeros(0, self.game.dtype), np.zeros((0, 1)), exact=True), True
        left = REPEATS * limit
        while more:
            worlds, chance = np.zeros(CHUNK, self.game.dtype), np.zeros(CHUNK)
            count, more = kernels.all_worlds(
                self.rules.params, self._one(), self.seat, script, worlds, chance
            )
            if count < 0 or count > left:
                return None
            left -= count
            mass = np.concatenate([found.mass, chance[:count, None]])
            worlds = np.concatenate([found.worlds, worlds[:count]])
            found = replace(found, worlds=worlds, mass=mass).merged()
            if len(found.worlds) > limit:
                return None
        return replace(found, mass=found.mass * self._prior)

    # --- one move ---

    def _moved(self, move: Move) -> Known:
        rng = self._random(move.number)
        before, like = self._chosen(move, move.before)
        if before.exact:
            found = self._every_way(move, before, like)
            if found is not None:
                return found
            if self.options.method == "exact":
                raise self._too_many()
            before, like = self._chosen(move, self._resampled(move.before, rng))
        found = self._some_ways(move, before, like, rng)
        if found is None:
            again = self._begun(move.number)
            return replace(again, recoveries=before.recoveries + 1, left_out=before.left_out)
        worth = min(len(found.worlds), effective_size(found.weights))
        return found if worth >= self.options.n / 2 else self._resampled(found, rng)

    def _chosen(self, move: Move, known: Known) -> tuple[Known, Array]:
        """The worlds in which the move is legal; and [world, cast]: how likely who made it chooses
        so, 1 in the last column."""
        event, worlds, params = move.event, known.worlds, self.rules.params
        mine = event.seat == self.seat
        function = None if mine else self.options.model.function
        silent = as_array([Player(SILENT)])
        players = np.concatenate([silent if mine or function else self.kinds, silent])
        found, scratch = np.zeros((len(worlds), len(players))), np.zeros(contract.ACTIONS)
        kernels.choices(params, worlds, self._action(move), players, scratch, found)
        legal = np.flatnonzero(found[:, -1])
        if function:
            seen = self.game.new_state()
            for i in legal:
                contract.observe(params, worlds[i], event.seat, seen)
                found[i, 0] = chance_said(function(self.rules, seen), self._action(move))
        kinds = self._casts[:, event.seat] % (len(players) - 1)  # I have one kind
        like: Array = found[legal[:, None], np.append(kinds, -1)]
        return replace(known, worlds=worlds[legal], mass=known.mass[legal]), like

    def _action(self, move: Move) -> int:
        action = self.game.action_of(move.event)
        assert action is not None
        return action

    def _look(self, move: Move) -> Any:
        seen = np.zeros(1, self.game.dtype)
        wanted = np.stack([np.frombuffer(each.tobytes(), np.uint8) for each in move.seen])
        return kernels.Look(self.seat, seen, seen.view(np.uint8), wanted)

    def _room(self, size: int) -> Any:
        """For that many moved worlds, and one to try with."""
        worlds = np.zeros(size + 1, self.game.dtype)
        whence, which = np.zeros((2, size), np.int64)
        return kernels.Moved(worlds, whence, which, np.zeros(size))

    def _every_way(self, move: Move, before: Known, like: Array) -> Known | None:
        """All that can be the case after a move, or None if it is too much."""
        room = self._room(4 * self._limit)
        count = kernels.all_moves(
            self.rules.params, before.worlds, self._action(move), self._look(move),
            random.script(CHOICES), REPEATS * self._limit, room,
        )  # fmt: skip
        if not count:
            raise BeliefError(NO_WORLD)
        if count < 0:
            return None
        found = self._weighed(move, before, like, kernels.Moved(*(c[:count] for c in room)))
        found = found.merged()
        return found if len(found.worlds) <= self._limit else None

    def _some_ways(self, move: Move, before: Known, like: Array, rng: Any) -> Known | None:
        """One way from each of a sample, or None if none looks as it should."""
        room = self._room(len(before.worlds))
        kernels.some_moves(
            self.rules.params, before.worlds, self._action(move), self._look(move),
            random.script(CHOICES), rng, room,
        )  # fmt: skip
        alive = np.flatnonzero(room.chances)
        if not len(alive):
            return None
        return self._weighed(move, before, like, kernels.Moved(*(c[alive] for c in room)))

    def _weighed(self, move: Move, before: Known, like: Array, moved: Any) -> Known:
        """Worlds after a move. A choice that the model calls impossible is left out; and all those
        before it, if they have ruled out every world in which the move can be."""
        moved = kernels.Moved(*(c[moved.which == moved.which.max()] for c in moved))
        silent = before.mass[moved.source] * moved.chances[:, None]
        mass, left_out, recoveries = silent * like[moved.source], before.left_out, before.recoveries
        if not mass[:, :-1].any():
            mass, left_out = silent, (*left_out, move.event)
        if not mass[:, :-1].any():
            mass, recoveries = silent[:, -1:] * self._prior, recoveries + 1
        mass[:, :-1] /= mass[:, :-1].sum()
        mass[:, -1] /= mass[:, -1].sum()
        return Known(moved.worlds, mass, before.exact, recoveries, left_out)

    def _resampled(self, known: Known, rng: Any) -> Known:
        index = np.empty(self.options.n, np.int64)
        resample(known.weights, rng, index)
        mass = known.mass[index] / known.weights[index, None] / len(index)
        return replace(known, worlds=known.worlds[index], mass=mass, exact=False)

    # --- what is thought ---

    def check(self) -> None:
        _ = self._known

    @property
    def method(self) -> str:
        return "exact" if self._known.exact else "particles"

    @property
    def n(self) -> int:
        return len(self._known.worlds)

    @property
    def recoveries(self) -> int:  # type: ignore[override]
        return self._known.recoveries

    @property
    def surprises(self) -> tuple[Event, ...]:
        return self._known.left_out

    @property
    def ess(self) -> float:
        return np.inf if self._known.exact else float(effective_size(self._known.weights))

    @property
    def entropy_is_exact(self) -> bool:
        return self._known.exact

    @property
    @remembered
    def _kinds(self) -> Known:
        """Each world once."""
        return self._known if self._known.exact else self._known.merged()

    @property
    def distinct(self) -> int:
        return int(np.count_nonzero(self._kinds.weights))

    def entropy(self) -> float:
        """Of a sample, that of its shares: never more than log2 n."""
        return bits(self._kinds.weights)

    def _worlds(self, n: int, rng: NDArray[np.uint64]) -> Array:
        index = np.empty(n, np.int64)
        resample(self._known.weights, rng, index)
        return self._known.worlds[index]

    @property
    def sizes(self) -> dict[int, int]:
        world = self._known.worlds[0]
        return {holder: len(self.game.hand(world, holder)) for holder in self.holders}

    def _copies(self, worlds: Array, cards: tuple[int, ...]) -> Array:
        """[world, holder, card]: copies."""
        found = np.zeros((len(worlds), len(self.holders), len(cards)))
        column = {card: k for k, card in enumerate(cards)}
        for i, world in enumerate(worlds):
            for row, holder in enumerate(self.holders):
                for card in self.game.hand(world, holder):
                    found[i, row, column[card]] += 1
        return found

    @remembered
    def marginals(self) -> Marginals:
        known = self._kinds
        world = known.worlds[0]
        cards = sorted({card for holder in self.holders for card in self.game.hand(world, holder)})
        copies = self._copies(known.worlds, tuple(cards))
        expected = np.tensordot(known.weights, copies, 1)
        chance = np.tensordot(known.weights, copies > 0, 1)
        if known.exact:
            some, every = (copies > 0).any(axis=0), (copies > 0).all(axis=0)
            proved = np.where(every, 1.0, np.where(some, np.nan, 0.0))
        else:
            plain = np.zeros(PLAIN, self.game.dtype)
            rng = self._random(len(self.events))
            kernels.some_worlds(self.rules.params, self._one(), self.seat, rng, plain)
            other = self._copies(plain, tuple(cards))
            expected = self._tempered(expected, other.mean(axis=0))
            chance = self._tempered(chance, (other > 0).mean(axis=0))
            proved = np.where(copies[0].sum(axis=1, keepdims=True) > 0, np.nan, 0.0)
        chance = but_proved(chance, np.broadcast_to(proved, chance.shape))
        return Marginals(tuple(cards), self.holders, chance, expected)

    def players(self, seat: int) -> list[tuple[Player, float]]:
        if seat not in self.holders or seat == STOCK:
            raise KibitzError(f"the other seats are {self.holders[:-1]}, not {seat!r}")
        casts = self._known.mass[:, :-1].sum(axis=0)
        found = np.bincount(self._casts[:, seat], casts, len(self.shares))
        return list(zip(self.options.model.players, map(float, found), strict=True))

    def possible(self, world: State) -> bool:
        """By what is seen now; and by all that was seen, if the belief is exact."""
        seen = self.game.new_state()
        contract.observe(self.rules.params, world, self.seat, seen)
        if seen.tobytes() != self.observation.tobytes():
            return False
        return not self._known.exact or self._mass_of(world) is not None

    def rules_out(self, world: State) -> bool:
        return self._known.exact and not self._mass_of(world)

    def _mass_of(self, world: State) -> float | None:
        """The chance of a world, None if it is not among those that are kept."""
        data = world.tobytes()
        for each, weight in zip(self._known.worlds, self._known.weights, strict=True):
            if each.tobytes() == data:
                return float(weight)
        return None
