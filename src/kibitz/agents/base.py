"""What an agent is: something that decides from a view, and what it has to say."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kibitz.games.base import check_source, finite
from kibitz.view import View, check_turn


@dataclass(frozen=True)
class Move:
    """What a search found out about one action."""

    action: int
    text: str
    visits: int
    share: float
    """Of the policy."""
    value: float
    """Expected return to come, in the game's own units."""
    error: float
    """Standard error of the value."""
    proved: bool = False
    """It wins for certain (`Belief.sure_wins`): the value is exact, whatever the search found."""


@dataclass(frozen=True)
class Decision:
    """An action of the seat that asked, and, from a search, what it found."""

    action: int
    policy: dict[int, float] = field(default_factory=dict)
    """A share for each action: its chance, or of a search its visits, by the temperature."""
    moves: tuple[Move, ...] = ()
    """Every action that was searched, the best first."""
    variation: tuple[str, ...] = ()
    """How the game goes on if everyone does what was searched most."""
    values: tuple[float, ...] = ()
    """Mean return to come of each seat, over the whole search."""
    simulations: int = 0
    worlds: int = 0
    """Worlds searched."""
    nodes: int = 0
    full: bool = False
    """The tree reached its limit of nodes and grew no more."""
    agreement: float | None = None
    """Share of the worlds, searched apart, that chose this action."""
    by_world: tuple[dict[int, tuple[int, float, float]], ...] = ()
    """Where worlds are searched apart: visits, value and error of each action in each of them."""
    seconds: float = 0.0
    belief: str = ""
    """What is known of the hidden cards, for a person; filled in by `advise`."""
    why: tuple[str, ...] = ()
    """Why this action, sentence by sentence; filled in by `advise`."""
    equal: tuple[int, ...] = ()
    """Actions whose value cannot be told from that of the best, which is among them."""

    def to_dict(self) -> dict[str, Any]:
        """For a program: JSON without infinities."""
        told: dict[str, Any] = finite(asdict(self))
        return told


def check_asked(view: Any, source: Any) -> None:
    """Refuse what no agent can decide from."""
    check_turn(view)
    check_source(source)


class Agent(Protocol):
    """A player: it gets a view and gives a decision."""

    name: str

    def decide(self, view: View, rng: NDArray[np.uint64]) -> Decision:
        """Choose an action of `view.actions`. All randomness comes from `rng`, so that a seed
        reproduces a game; it is the player's own stream, never the one that deals the cards."""
        ...
