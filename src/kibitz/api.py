"""The public Python surface. `import kibitz` gives the same names; the command line imports only
this module.

Names are resolved when they are first used, because most need numba, which takes a second to
import: `kibitz.rules(...)` and everything that runs no kernel is instant.
"""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kibitz._jit import watch_compilation as watch_compilation
    from kibitz.agents import NAMES as AGENTS
    from kibitz.agents import Agent, Decision, agent
    from kibitz.agents import split_list as split_agents
    from kibitz.agents.base import Move
    from kibitz.agents.grading import Grade, grade
    from kibitz.agents.listing import AgentInfo, AgentOption, agent_list, shared_options
    from kibitz.agents.names import repeats, with_budget
    from kibitz.agents.thinking import Thinking, advise
    from kibitz.arena import (
        Calibration,
        PlayerSummary,
        Question,
        Simulation,
        calibrate,
        play_out,
        simulate,
    )
    from kibitz.arena.cluster import Cluster
    from kibitz.arena.deals import Plan, by_wins
    from kibitz.arena.engines import Engine
    from kibitz.arena.engines import local as local_engine
    from kibitz.arena.ladder import Ladder, ladder
    from kibitz.arena.ledger import Ledger
    from kibitz.arena.match import Match, MatchResult, Standing, Until
    from kibitz.beliefs import BeliefCache, belief
    from kibitz.beliefs.story import Story
    from kibitz.bench import Row
    from kibitz.bench import run as run_bench
    from kibitz.games import NAMES as GAMES
    from kibitz.games import game_of, render_of, rules, rules_from_dict, rules_from_json, rules_type
    from kibitz.games.base import (
        Event,
        Game,
        IllegalMove,
        KibitzError,
        Level,
        NotationError,
        Rules,
        RulesError,
        nearest,
    )
    from kibitz.games.belief import STOCK, Belief, BeliefError, Marginals
    from kibitz.games.model import Model, model
    from kibitz.games.render import percent
    from kibitz.games.uno.infer import infer_events
    from kibitz.games.uno.pomdp import UnoPOMDP
    from kibitz.games.uno.reference import UnoReference
    from kibitz.house import House, Sitting, Storage
    from kibitz.house.fair import check as check_deal
    from kibitz.house.house import NotFound
    from kibitz.house.sitting import PERSON
    from kibitz.house.storage import Unreadable, WentOn, data_folder
    from kibitz.plots import check_plot, plot_belief, plot_calibration, plot_ladder
    from kibitz.positions import Position, Seen, Telling, position, view_of
    from kibitz.reviews import Review, Reviewing, review
    from kibitz.rng import generator
    from kibitz.table import (
        Record,
        SeatRecord,
        Table,
        append_record,
        iter_records,
        parse_record,
        read_records,
    )
    from kibitz.view import View

_HOME = {
    "Ladder": ("kibitz.arena.ladder", "Ladder"),
    "ladder": ("kibitz.arena.ladder", "ladder"),
    "plot_ladder": ("kibitz.plots", "plot_ladder"),
    "Cluster": ("kibitz.arena.cluster", "Cluster"),
    "Engine": ("kibitz.arena.engines", "Engine"),
    "Ledger": ("kibitz.arena.ledger", "Ledger"),
    "Match": ("kibitz.arena.match", "Match"),
    "MatchResult": ("kibitz.arena.match", "MatchResult"),
    "Plan": ("kibitz.arena.deals", "Plan"),
    "Standing": ("kibitz.arena.match", "Standing"),
    "Until": ("kibitz.arena.match", "Until"),
    "by_wins": ("kibitz.arena.deals", "by_wins"),
    "local_engine": ("kibitz.arena.engines", "local"),
    "repeats": ("kibitz.agents.names", "repeats"),
    "with_budget": ("kibitz.agents.names", "with_budget"),
    "Reviewing": ("kibitz.reviews", "Reviewing"),
    "Grade": ("kibitz.agents.grading", "Grade"),
    "grade": ("kibitz.agents.grading", "grade"),
    "Review": ("kibitz.reviews", "Review"),
    "review": ("kibitz.reviews", "review"),
    "Seen": ("kibitz.positions", "Seen"),
    "Telling": ("kibitz.positions", "Telling"),
    "generator": ("kibitz.rng", "generator"),
    "PERSON": ("kibitz.house.sitting", "PERSON"),
    "Story": ("kibitz.beliefs.story", "Story"),
    "Level": ("kibitz.games.base", "Level"),
    "Thinking": ("kibitz.agents.thinking", "Thinking"),
    "check_deal": ("kibitz.house.fair", "check"),
    "data_folder": ("kibitz.house.storage", "data_folder"),
    "NotFound": ("kibitz.house.house", "NotFound"),
    "Storage": ("kibitz.house", "Storage"),
    "Unreadable": ("kibitz.house.storage", "Unreadable"),
    "WentOn": ("kibitz.house.storage", "WentOn"),
    "Sitting": ("kibitz.house", "Sitting"),
    "House": ("kibitz.house", "House"),
    "percent": ("kibitz.games.render", "percent"),
    "Move": ("kibitz.agents.base", "Move"),
    "advise": ("kibitz.agents.thinking", "advise"),
    "shared_options": ("kibitz.agents.listing", "shared_options"),
    "agent_list": ("kibitz.agents.listing", "agent_list"),
    "AgentOption": ("kibitz.agents.listing", "AgentOption"),
    "AgentInfo": ("kibitz.agents.listing", "AgentInfo"),
    "infer_events": ("kibitz.games.uno.infer", "infer_events"),
    "model": ("kibitz.games.model", "model"),
    "belief": ("kibitz.beliefs", "belief"),
    "Model": ("kibitz.games.model", "Model"),
    "STOCK": ("kibitz.games.belief", "STOCK"),
    "Marginals": ("kibitz.games.belief", "Marginals"),
    "BeliefError": ("kibitz.games.belief", "BeliefError"),
    "BeliefCache": ("kibitz.beliefs", "BeliefCache"),
    "Belief": ("kibitz.games.belief", "Belief"),
    "Calibration": ("kibitz.arena", "Calibration"),
    "Question": ("kibitz.arena", "Question"),
    "check_plot": ("kibitz.plots", "check_plot"),
    "plot_belief": ("kibitz.plots", "plot_belief"),
    "plot_calibration": ("kibitz.plots", "plot_calibration"),
    "calibrate": ("kibitz.arena", "calibrate"),
    "AGENTS": ("kibitz.agents", "NAMES"),
    "Agent": ("kibitz.agents", "Agent"),
    "Decision": ("kibitz.agents", "Decision"),
    "Event": ("kibitz.games.base", "Event"),
    "GAMES": ("kibitz.games", "NAMES"),
    "Game": ("kibitz.games.base", "Game"),
    "IllegalMove": ("kibitz.games.base", "IllegalMove"),
    "KibitzError": ("kibitz.games.base", "KibitzError"),
    "NotationError": ("kibitz.games.base", "NotationError"),
    "Position": ("kibitz.positions", "Position"),
    "PlayerSummary": ("kibitz.arena", "PlayerSummary"),
    "Record": ("kibitz.table", "Record"),
    "Row": ("kibitz.bench", "Row"),
    "Rules": ("kibitz.games.base", "Rules"),
    "RulesError": ("kibitz.games.base", "RulesError"),
    "SeatRecord": ("kibitz.table", "SeatRecord"),
    "Simulation": ("kibitz.arena", "Simulation"),
    "Table": ("kibitz.table", "Table"),
    "UnoPOMDP": ("kibitz.games.uno.pomdp", "UnoPOMDP"),
    "UnoReference": ("kibitz.games.uno.reference", "UnoReference"),
    "View": ("kibitz.view", "View"),
    "agent": ("kibitz.agents", "agent"),
    "append_record": ("kibitz.table", "append_record"),
    "game_of": ("kibitz.games", "game_of"),
    "nearest": ("kibitz.games.base", "nearest"),
    "iter_records": ("kibitz.table", "iter_records"),
    "parse_record": ("kibitz.table", "parse_record"),
    "play_out": ("kibitz.arena", "play_out"),
    "position": ("kibitz.positions", "position"),
    "read_records": ("kibitz.table", "read_records"),
    "render_of": ("kibitz.games", "render_of"),
    "rules": ("kibitz.games", "rules"),
    "rules_from_dict": ("kibitz.games", "rules_from_dict"),
    "rules_from_json": ("kibitz.games", "rules_from_json"),
    "rules_type": ("kibitz.games", "rules_type"),
    "run_bench": ("kibitz.bench", "run"),
    "simulate": ("kibitz.arena", "simulate"),
    "split_agents": ("kibitz.agents", "split_list"),
    "view_of": ("kibitz.positions", "view_of"),
    "watch_compilation": ("kibitz._jit", "watch_compilation"),
}

__all__ = [  # the names of _HOME, spelt out for type checkers
    "AGENTS",
    "GAMES",
    "PERSON",
    "STOCK",
    "Agent",
    "AgentInfo",
    "AgentOption",
    "Belief",
    "BeliefCache",
    "BeliefError",
    "Calibration",
    "Cluster",
    "Decision",
    "Engine",
    "Event",
    "Game",
    "Grade",
    "House",
    "IllegalMove",
    "KibitzError",
    "Ladder",
    "Ledger",
    "Level",
    "Marginals",
    "Match",
    "MatchResult",
    "Model",
    "Move",
    "NotFound",
    "NotationError",
    "Plan",
    "PlayerSummary",
    "Position",
    "Question",
    "Record",
    "Review",
    "Reviewing",
    "Row",
    "Rules",
    "RulesError",
    "SeatRecord",
    "Seen",
    "Simulation",
    "Sitting",
    "Standing",
    "Storage",
    "Story",
    "Table",
    "Telling",
    "Thinking",
    "UnoPOMDP",
    "UnoReference",
    "Unreadable",
    "Until",
    "View",
    "WentOn",
    "advise",
    "agent",
    "agent_list",
    "append_record",
    "belief",
    "by_wins",
    "calibrate",
    "check_deal",
    "check_plot",
    "data_folder",
    "game_of",
    "generator",
    "grade",
    "infer_events",
    "iter_records",
    "ladder",
    "local_engine",
    "model",
    "nearest",
    "parse_record",
    "percent",
    "play_out",
    "plot_belief",
    "plot_calibration",
    "plot_ladder",
    "position",
    "read_records",
    "render_of",
    "repeats",
    "review",
    "rules",
    "rules_from_dict",
    "rules_from_json",
    "rules_type",
    "run_bench",
    "shared_options",
    "simulate",
    "split_agents",
    "view_of",
    "watch_compilation",
    "with_budget",
]


_BY_GAME = {"COACH": "coach", "DEFAULT_AGENTS": "default_agent", "LEVELS": "levels"}
"""Names of before, for one release, and where a game has it now."""


def __getattr__(name: str) -> Any:
    if (attribute := _BY_GAME.get(name)) is not None:
        from kibitz.games import NAMES, game_of, rules_type

        warnings.warn(
            f"kibitz.{name} goes: each game has it, game_of(rules).{attribute}",
            DeprecationWarning,
            stacklevel=2,
        )
        return {game: getattr(game_of(rules_type(game)), attribute) for game in NAMES}
    if name not in _HOME:
        raise AttributeError(f"module 'kibitz' has no attribute {name!r}")
    module, attribute = _HOME[name]
    found = getattr(importlib.import_module(module), attribute)
    globals()[name] = found
    return found
