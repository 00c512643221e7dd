"""What a player of the arena is guilty of when it cannot go on."""

from kibitz.games.base import KibitzError


class Fault(KibitzError):
    """A player that cannot go on: it crashed, came too late, or made no legal move. It loses."""
