"""Agents: they get a `View` and give a `Decision`. By name, everywhere: `rule`, `ismcts:ms=100`.

May import everything up to `view`; never the table, so that no agent can reach a true state.
"""

from kibitz.agents.base import Agent, Decision
from kibitz.agents.names import AGENTS, agent, split_agents

__all__ = ["AGENTS", "Agent", "Decision", "agent", "split_agents"]
