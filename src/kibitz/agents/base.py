"""What an agent is: something that decides from a view."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kibitz.view import View


@dataclass(frozen=True)
class Decision:
    """An action of the seat that asked, and the probability with which each action was chosen."""

    action: int
    policy: dict[int, float] = field(default_factory=dict)


class Agent(Protocol):
    name: str

    def decide(self, view: View, rng: NDArray[np.uint64]) -> Decision:
        """Choose an action of `view.actions`. All randomness comes from `rng`, so that a seed
        reproduces a game; it is the player's own stream, never the one that deals the cards."""
        ...
