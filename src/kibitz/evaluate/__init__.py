"""What a position is worth: games played out, a heuristic, or the exact end. Written over the
contract; no game is named here. May import `players` and what is below it.
"""
