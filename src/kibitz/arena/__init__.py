"""Many games between named players, summed up.

May import the table and everything below.
"""

from kibitz.arena.calibration import Calibration, calibrate
from kibitz.arena.scores import Question
from kibitz.arena.simulation import PlayerSummary, Simulation, play_out, simulate

__all__ = [
    "Calibration",
    "PlayerSummary",
    "Question",
    "Simulation",
    "calibrate",
    "play_out",
    "simulate",
]
