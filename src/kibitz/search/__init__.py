"""Search: from worlds to a choice, one search for all games.

Written over the contract; no game is named here, and no hidden card is dealt: the worlds come from
a belief. May import `evaluate` and what is below it.
"""
