"""Who may sit down in the arena: every agent by its name, programs of others (`exec:`, foreign.py),
players of other engines (`peers`), and those who sit at the table itself and see more than they
may, such as `cheat`.

`cheat` shows how strong a search would be that had nothing to guess: a ceiling, not a player. It is
no agent, because agents get views; it exists only here, where the games are anyway the computer's.
Even it does not know what will be drawn: a state has no order of the deck.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from functools import lru_cache
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from kibitz import contract
from kibitz import rng as random
from kibitz.agents import Agent, Decision, agent
from kibitz.agents.methods import SEARCHES
from kibitz.agents.options import read_options
from kibitz.agents.searching import SearchAgent, check_search
from kibitz.arena.foreign import Foreign
from kibitz.arena.program import Fault as Fault
from kibitz.games import game_of, names, rules_type
from kibitz.games.base import KibitzError, Rules, nearest
from kibitz.games.belief import Belief
from kibitz.search.search import Draw
from kibitz.table import Table
from kibitz.view import View


class Cheat:
    """A search whose every world is the true one. `cheat:search=NAME,...` takes the options of that
    search; without a name it is `worlds` with one world."""

    search = "worlds"

    def __init__(self, name: str, game: str) -> None:
        self.name = name
        base, _, options = name.partition(":")
        parts = [part for part in options.split(",") if part]
        said = [part.removeprefix("search=") for part in parts if part.startswith("search=")]
        search = said[-1] if said else self.search
        if search not in SEARCHES:
            hint = nearest(search, list(SEARCHES))
            raise KibitzError(
                f"{base}: no search {search!r}{hint}; there are {', '.join(SEARCHES)}"
            )
        rest = [part for part in parts if not part.startswith("search=")]
        if search == self.search == "worlds":
            given = {part.partition("=")[0] for part in rest}
            rest += [] if "worlds" in given else ["worlds=1"]
            rest += [] if given & {"sims", "ms"} else ["sims=1000"]
        method = SEARCHES[search]
        chosen = read_options(method.Options, base, ",".join(rest))
        check_search(chosen, base, game)
        self._agent = SearchAgent(name, method, chosen)

    def decide_at(self, table: Table, rng: NDArray[np.uint64]) -> Decision:
        began = time.monotonic()
        view = table.view(table.to_act)
        seed = int(random.next_word(rng))
        belief = self._agent.belief(view)
        return self._agent.think(belief, view, seed, self._draw(belief, table), began)

    def check(self, view: View) -> None:
        self._agent.check(view)

    def hasty(self) -> Cheat:
        """The same with next to no time: to have everything compiled."""
        found = copy(self)
        found._agent = self._agent.hasty()
        return found

    def _draw(self, belief: Belief, table: Table) -> Draw:
        true = np.zeros(1, game_of(table.rules).dtype)
        true[0] = table.true_state()
        return lambda n, _: np.repeat(true, n)


class Leak(Cheat):
    """A search that knows which cards were not dealt, as OpenSpiel's in C++ does: in its worlds the
    others share what they truly hold. `leak:search=NAME,...`; else it is `pomcp`."""

    search = "pomcp"

    def _draw(self, belief: Belief, table: Table) -> Draw:
        return game_of(table.rules).reshuffled(belief, table.true_state())


class Knowing(Protocol):
    """A player that is given the table itself, and so the true cards. No agent can be one."""

    name: str

    def decide_at(self, table: Table, rng: NDArray[np.uint64]) -> Decision: ...


Player = Agent | Knowing


def player(name: str | Agent, game: str) -> Player:
    """The player of that name."""
    if not isinstance(name, str):
        return agent(name, game)
    match name.partition(":")[0]:
        case "cheat":
            return Cheat(name, game)
        case "exec":
            return Foreign(name)
        case "leak":
            if not game_of(rules_type(game)).leaks:
                there = [name for name in names() if game_of(rules_type(name)).leaks]
                raise KibitzError(f"leak plays {' and '.join(there)}, not {game}")
            return Leak(name, game)
        case "openspiel":
            from kibitz.peers.openspiel import openspiel

            return openspiel(name, game)
        case "rlcard":
            from kibitz.peers.rlcard import rlcard

            return rlcard(name, game)
    return agent(name, game)


def for_seats(players: str | Agent | Sequence[str | Agent], rules: Rules) -> list[str | Agent]:
    """A player for each seat: one alone stands for all of them."""
    given: list[str | Agent]
    if isinstance(players, str) or not isinstance(players, Sequence):
        given = [players]
    else:
        given = list(players)
    if len(given) == 1:
        given *= rules.seats
    if len(given) != rules.seats:
        raise KibitzError(
            f"{rules} has {rules.seats} seats, but {len(given)} players were given: name "
            f"{rules.seats}, or one for all"
        )
    return given


def check_players(names: Sequence[str | Agent], rules: Rules) -> None:
    """Refuse whom no game by these rules could be played with: now, not at a first decision, which
    would be counted as a loss."""
    for name in {said if isinstance(said, str) else id(said): said for said in names}.values():
        found = player(name, rules.game)
        if (fits := getattr(found, "fits", None)) is not None:
            fits(rules)
        if isinstance(found, SearchAgent | Cheat):
            for view in beginnings(rules):
                try:
                    found.check(view)
                except KibitzError as error:
                    raise KibitzError(f"{found.name}: {error}") from None


@lru_cache(maxsize=16)
def beginnings(rules: Rules) -> tuple[View, ...]:
    """What is seen at the first decision of each stage of a game."""
    table, anybody = Table(rules, 0), agent("random", rules.game)
    source, found, last = random.generator(0), [], -1
    while not table.over:
        view = table.view(table.to_act)
        if (stage := int(contract.stage(rules.params, view.observation))) != last:
            found.append(view)
            last = stage
        table.play(anybody.decide(view, source).action)
    return tuple(found)


@contextmanager
def seated(names: Sequence[str | Agent], game: str) -> Iterator[list[Player]]:
    """The players of those names, for as long as there are games. In the end, however it comes
    about, programs that they run are ended."""
    with ExitStack() as leaving:
        players = [player(name, game) for name in names]
        for each in players:
            if (close := getattr(each, "close", None)) is not None:
                leaving.callback(close)
        yield players


def decide(player: Player, table: Table, rng: NDArray[np.uint64]) -> int:
    """The action of a player whose turn it is."""
    if (at_table := getattr(player, "decide_at", None)) is not None:
        return int(at_table(table, rng).action)
    found = cast(Agent, player).decide(table.view(table.to_act), rng)
    if not isinstance(action := getattr(found, "action", None), int | np.integer):
        raise KibitzError(
            f"{player.name} decided on {found!r}: decide gives a Decision, such as "
            "Decision(view.actions[0])"
        )
    return int(action)


def tell_end(players: Sequence[Player], returns: Sequence[float]) -> None:
    """Tell those players that want to know it how the game went."""
    for each in players:
        if (end := getattr(each, "end", None)) is not None:
            end(returns)
