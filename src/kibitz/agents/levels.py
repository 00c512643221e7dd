"""Levels: named players from beginner to full strength, for people who choose an opponent.

A level is an agent like any other, with a configuration of its own; the weaker ones make slips
(any legal move, now and then) and answer at once.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Level:
    name: str
    agent: str
    """What stands for it, in the names of agents."""
    help: str

    @property
    def title(self) -> str:
        return self.name.capitalize()


def _ladder(easy: str, club: str, expert: str, master: str) -> tuple[Level, ...]:
    return (
        Level("beginner", "rule:slips=0.7", "Mostly any card that fits. Answers at once."),
        Level("novice", "rule:slips=0.15", "Knows the tricks, forgets them often. At once."),
        Level("casual", "rule", "Plays by simple rules, without a slip. At once."),
        Level("club", club, f"Thinks ahead a little: {easy}."),
        Level("expert", expert, "Thinks ahead, and minds what you may hold."),
        Level("master", master, "Full strength: as long as it needs, about a tenth of a second."),
    )


_BLOB = _ladder(
    "a few dozen games in its head",
    "pomcp:sims=60,particles=200,keep=0,priors=keen",
    "pomcp:sims=600,keep=0,priors=keen",
    "default",
)
LEVELS: dict[str, tuple[Level, ...]] = {
    "uno": _ladder("some games in its head", "flat:sims=250", "flat:sims=2500", "default"),
    "blob": _BLOB,
    "blob-game": _BLOB,
}
"""The levels of each game, the weakest first."""

NAMES: tuple[str, ...] = tuple(level.name for level in _BLOB)

COACH = {
    "uno": "flat:sims=50000",
    "blob": "pomcp:sims=20000,keep=0,explore=3",
    "blob-game": "pomcp:sims=20000,keep=0,explore=3",
}
"""Who advises, coaches and judges, in about the time that `default` has: by simulations, so that
the same position gets the same advice and the same grade again. It must know the worse moves as
well as the best: in UNO well enough to see two percentage points; in Blob it looks at all of them
more than a player would, because a move that is seldom looked at is judged by how badly one goes on
after it at first."""
