"""The public Python surface: `import kibitz` gives the names of the first block below. Those of the
second are for the command line, the server and the protocol, which import only this module.

A name is written once, where type checkers read it. It is resolved when it is first used, because
most need numba, which takes a second to import: `kibitz.rules(...)` and everything that runs no
kernel is instant.
"""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

if TYPE_CHECKING:
    from kibitz.agents import AGENTS as AGENTS
    from kibitz.agents import Agent as Agent
    from kibitz.agents import Decision as Decision
    from kibitz.agents import agent as agent
    from kibitz.agents.base import Move as Move
    from kibitz.agents.grading import Grade as Grade
    from kibitz.agents.grading import grade as grade
    from kibitz.agents.listing import agent_list as agent_list
    from kibitz.agents.thinking import Thinking as Thinking
    from kibitz.agents.thinking import advise as advise
    from kibitz.arena import Calibration as Calibration
    from kibitz.arena import Simulation as Simulation
    from kibitz.arena import calibrate as calibrate
    from kibitz.arena import play_out as play_out
    from kibitz.arena import simulate as simulate
    from kibitz.arena.cluster import Cluster as Cluster
    from kibitz.arena.conformance import check as check
    from kibitz.arena.deals import Plan as Plan
    from kibitz.arena.engines import Engine as Engine
    from kibitz.arena.engines import local_engine as local_engine
    from kibitz.arena.ladder import Ladder as Ladder
    from kibitz.arena.ladder import ladder as ladder
    from kibitz.arena.ledger import Ledger as Ledger
    from kibitz.arena.match import Match as Match
    from kibitz.arena.match import MatchResult as MatchResult
    from kibitz.arena.match import Until as Until
    from kibitz.beliefs import belief as belief
    from kibitz.beliefs.story import Story as Story
    from kibitz.games import GAMES as GAMES
    from kibitz.games import game_of as game_of
    from kibitz.games import rules as rules
    from kibitz.games import rules_from_dict as rules_from_dict
    from kibitz.games import rules_from_json as rules_from_json
    from kibitz.games.base import Event as Event
    from kibitz.games.base import Game as Game
    from kibitz.games.base import IllegalMove as IllegalMove
    from kibitz.games.base import KibitzError as KibitzError
    from kibitz.games.base import NotationError as NotationError
    from kibitz.games.base import Rules as Rules
    from kibitz.games.base import RulesError as RulesError
    from kibitz.games.belief import STOCK as STOCK
    from kibitz.games.belief import Belief as Belief
    from kibitz.games.belief import BeliefError as BeliefError
    from kibitz.games.belief import Marginals as Marginals
    from kibitz.games.model import Model as Model
    from kibitz.games.model import model as model
    from kibitz.games.uno.infer import infer_events as infer_events
    from kibitz.games.uno.pomdp import UnoPOMDP as UnoPOMDP
    from kibitz.games.uno.reference import UnoReference as UnoReference
    from kibitz.house import House as House
    from kibitz.house import Sitting as Sitting
    from kibitz.house import Storage as Storage
    from kibitz.house.fair import check_deal as check_deal
    from kibitz.house.house import NotFound as NotFound
    from kibitz.plots import plot_belief as plot_belief
    from kibitz.plots import plot_calibration as plot_calibration
    from kibitz.plots import plot_ladder as plot_ladder
    from kibitz.positions import Position as Position
    from kibitz.positions import Telling as Telling
    from kibitz.positions import position as position
    from kibitz.reviews import Review as Review
    from kibitz.reviews import review as review
    from kibitz.rng import generator as generator
    from kibitz.table import Record as Record
    from kibitz.table import SeatRecord as SeatRecord
    from kibitz.table import Table as Table
    from kibitz.table import append_record as append_record
    from kibitz.table import iter_records as iter_records
    from kibitz.table import parse_record as parse_record
    from kibitz.table import read_records as read_records
    from kibitz.view import View as View
    from kibitz.view import view_of as view_of

if TYPE_CHECKING:
    from kibitz._jit import watch_compilation as watch_compilation
    from kibitz.agents import split_agents as split_agents
    from kibitz.agents.listing import AgentInfo as AgentInfo
    from kibitz.agents.listing import AgentOption as AgentOption
    from kibitz.agents.listing import shared_options as shared_options
    from kibitz.agents.names import repeats as repeats
    from kibitz.agents.names import with_budget as with_budget
    from kibitz.arena import PlayerSummary as PlayerSummary
    from kibitz.arena import Question as Question
    from kibitz.arena.deals import by_wins as by_wins
    from kibitz.arena.match import Standing as Standing
    from kibitz.beliefs import BeliefCache as BeliefCache
    from kibitz.bench import Row as Row
    from kibitz.bench import run_bench as run_bench
    from kibitz.games import render_of as render_of
    from kibitz.games import rules_type as rules_type
    from kibitz.games.base import Level as Level
    from kibitz.games.base import check_seat as check_seat
    from kibitz.games.base import nearest as nearest
    from kibitz.games.base import percent as percent
    from kibitz.house.sitting import PERSON as PERSON
    from kibitz.house.storage import Unreadable as Unreadable
    from kibitz.house.storage import WentOn as WentOn
    from kibitz.house.storage import data_folder as data_folder
    from kibitz.plots import check_plot as check_plot
    from kibitz.positions import check_possible as check_possible
    from kibitz.reviews import Reviewing as Reviewing


def _homes() -> list[dict[str, str]]:
    """The names of each block above, and the module that each is from."""
    blocks = [part for part in ast.parse(Path(__file__).read_bytes()).body if type(part) is ast.If]
    return [
        {
            line.names[0].name: str(line.module)
            for line in block.body
            if type(line) is ast.ImportFrom
        }
        for block in blocks[:2]
    ]


PUBLIC, INNER = _homes()

_BY_GAME = {"COACH": "coach", "DEFAULT_AGENTS": "default_agent", "LEVELS": "levels"}
"""Names of before, for one release, and where a game has it now."""

if not TYPE_CHECKING:  # who checks types would believe in any name

    def __getattr__(name: str) -> Any:
        if attribute := _BY_GAME.get(name):
            from kibitz.games import game_of, names, rules_type

            warn(
                f"kibitz.{name} goes: each game has it, game_of(rules).{attribute}",
                DeprecationWarning,
                stacklevel=2,
            )
            return {game: getattr(game_of(rules_type(game)), attribute) for game in names()}
        module = PUBLIC.get(name) or INNER.get(name)
        if module is None:
            raise AttributeError(f"module 'kibitz' has no attribute {name!r}")
        found = getattr(importlib.import_module(module), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted(PUBLIC | INNER)
