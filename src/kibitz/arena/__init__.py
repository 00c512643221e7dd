"""Many games between named players, summed up.

May import the table and everything below.
"""

from kibitz.arena.simulation import PlayerSummary, Simulation, play_out, simulate

__all__ = ["PlayerSummary", "Simulation", "play_out", "simulate"]
