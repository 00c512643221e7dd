"""Agents by name, such as ``rule`` or ``ismcts:ms=100``; options stand after a colon."""

from __future__ import annotations

from typing import Any, cast

from kibitz.agents.base import Agent
from kibitz.agents.baselines import PlayerAgent, SlippingAgent
from kibitz.agents.methods import SEARCHES, Function
from kibitz.agents.options import (
    PlayerOptions,
    SlipOptions,
    check_budget,
    read_options,
    split_commas,
)
from kibitz.agents.searching import SearchAgent, check_search
from kibitz.games import game_of, rules_type
from kibitz.games.base import LEVELS, KibitzError, nearest
from kibitz.games.model import Chances, Model
from kibitz.players import KEEN, RULE, UNIFORM, Player

_PLAYERS = {"random": UNIFORM, "rule": RULE, "keen": KEEN}
_STANDING = ("default", "coach")
"""Names that stand for an agent of each game, which options may change."""

ARENA = {
    "cheat": "sees the true cards",
    "leak": "sees which cards were not dealt",
    "openspiel": "is a player of another engine",
    "rlcard": "is a player of another engine",
    "exec": "runs a program of your own",
}
"""Who plays in the arena alone, and why."""

_PROGRAMS = (".py", ".js", ".sh", ".rb", ".jar", ".exe")

_SEARCH_TOO = (*_STANDING, "cheat", "leak", "openspiel")

AGENTS: tuple[str, ...] = (*_PLAYERS, *SEARCHES, *_STANDING)


def split_agents(text: str) -> list[str]:
    """Split a list of agents at its commas, if not in quotes. A part with "=" and no ":" before it
    is a further option of the agent before it: "a:x=1,y=2,b" names two agents."""
    found: list[str] = []
    for part in split_commas(text):
        if "=" in part and ":" not in part.partition("=")[0]:
            if not found:
                raise KibitzError(f"{part!r} is an option without an agent before it")
            found[-1] += "," + part
        else:
            found.append(part)
    return found


def with_budget(name: str, ms: float | None = None, sims: int | None = None) -> str:
    """The same player with another budget, if it searches and names none of its own."""
    check_budget(ms, sims)
    base, _, options = name.partition(":")
    given = {part.partition("=")[0].strip() for part in options.split(",")}
    if (ms is None and sims is None) or base not in (*SEARCHES, *_SEARCH_TOO):
        return name
    if given & {"ms", "sims"}:
        return name
    budget = [f"ms={ms:g}"] if ms is not None else []
    budget += [f"sims={sims}"] if sims is not None else []
    return f"{base}:{','.join(filter(None, [options, *budget]))}"


def checked_agent(found: Any) -> Agent:
    """An agent that somebody made, if it is one."""
    if isinstance(found, type):
        raise KibitzError(f"an agent is an object: write {found.__name__}(), not {found.__name__}")
    if not callable(getattr(found, "decide", None)):
        raise KibitzError(
            f"an agent is a name such as 'rule', or has a name and decide(view, rng); {found!r} "
            "has no decide"
        )
    if not isinstance(getattr(found, "name", None), str):
        raise KibitzError(f"an agent has a name, a text; {found!r} has none")
    return cast(Agent, found)


def repeats(name: str, game: str) -> bool:
    """Whether an agent decides alike with the same seed: not if it thinks by the clock."""
    found = agent(name, game)
    return not (isinstance(found, SearchAgent) and found.options.ms)


def agent(
    name: str | Agent,
    game: str,
    *,
    evaluator: Function | None = None,
    model: Model | Chances | None = None,
) -> Agent:
    """The agent of that name for a game; one that you made yourself is what it is. Whatever no game
    could be played with is refused here, before there is one.

    A search may be given functions of your own, which are a thousand times slower than what they
    stand in for. `evaluator(rules, state)` gives what each seat can expect from a state on, until
    the hands are dealt anew. `model(rules, state)` gives the chance of each action of the seat to
    act, which is the only one whose hand it is shown; the belief uses it, and `pomcp` for the
    others' moves.
    """
    if evaluator is not None or model is not None:
        found = agent(name, game)
        if not isinstance(found, SearchAgent):
            raise KibitzError(f"{found.name} does not search: it has no use for functions")
        for what, function in (("an evaluator", evaluator), ("a model", model)):
            if function is not None and not callable(function) and not isinstance(function, Model):
                raise KibitzError(f"{what} is a function of rules and a state, not {function!r}")
        found.evaluator = evaluator
        found.model = found.model if model is None else model
        return found
    kind = rules_type(game)  # says so if there is no such game
    if not isinstance(name, str):
        return checked_agent(name)
    base, _, options = name.partition(":")
    if base in LEVELS:
        if options:
            raise KibitzError(f"level {base!r} takes no options, not {options!r}")
        (level,) = (each for each in game_of(kind).levels if each.name == base)
        found = agent(level.agent, game)
        found.name = name
        return found
    if base in _STANDING:
        stands = game_of(kind).default_agent if base == "default" else game_of(kind).coach
        base, _, standard = stands.partition(":")
        given = {part.partition("=")[0].strip() for part in options.split(",")}
        instead = {"ms", "sims"} if given & {"ms", "sims"} else set()
        kept = [o for o in standard.split(",") if o.partition("=")[0] not in given | instead]
        options = ",".join([*kept, options] if options else kept)
    if base in ARENA:
        raise KibitzError(f"{base} {ARENA[base]}: it plays only in match, ladder and simulate")
    if base in SEARCHES:
        method = SEARCHES[base]
        search = read_options(method.Options, base, options)
        check_search(search, base, game)
        return SearchAgent(name, method, search)
    if base not in _PLAYERS:
        there = (*AGENTS, *LEVELS, *ARENA)
        if "/" in base or base.endswith(_PROGRAMS):
            raise KibitzError(
                f"no agent {name!r}; a program of your own is written exec:COMMAND, such as "
                f"exec:python3 {base if base.endswith('.py') else 'bot.py'}"
            )
        raise KibitzError(
            f"no agent {name!r}{nearest(base, there)}; there are "
            f"{', '.join((*AGENTS, *LEVELS))}; in match, ladder and simulate also "
            f"{', '.join(ARENA)} (exec:COMMAND)"
        )
    likes = _PLAYERS[base]
    said = read_options(SlipOptions if likes == UNIFORM else PlayerOptions, base, options)
    player = Player(likes)
    if isinstance(said, PlayerOptions) and said.temperature > 0:
        player = Player(likes, 1 / said.temperature)
    steady: Agent = PlayerAgent(base if player == Player(likes) else name, player)
    return SlippingAgent(name, steady, said.slips) if said.slips > 0 else steady
