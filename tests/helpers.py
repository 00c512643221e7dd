"""What the tests share: rule sets that reach every corner, and ways to play random games."""

import os
from collections import Counter
from math import sqrt
from random import Random

from hypothesis import settings

import kibitz
from kibitz import _jit, contract
from kibitz.agents.methods import SEARCHES
from kibitz.agents.options import read_options
from kibitz.arena import conformance
from kibitz.arena.conformance import dealt as dealt
from kibitz.arena.conformance import garbage as garbage
from kibitz.arena.conformance import observed as observed
from kibitz.arena.conformance import sampled as sampled
from kibitz.games.base import members as members
from kibitz.reviews.luck import splitting

legal = conformance.legal_in
PURE = _jit.PURE
"""Kernels run as plain Python, many times slower: tests then play fewer games."""

examples = settings(
    deadline=None, derandomize=True, database=None, max_examples=20 if PURE else 100
)
"""For hypothesis: the same examples in every run, and as many as the speed allows."""


def fewer(number):
    """`number` of games, or a twentieth of it where kernels are slow."""
    return max(1, number // 20) if PURE else number


# --- rule sets -----------------------------------------------------------------------------------

SHORT = {"max_plies": 150}  # tiny decks can go round for ever
UNO = [
    {},
    {"skip": "pass"},
    {"hand_size": 53},
    {"max_plies": 9, "skip": "pass"},
    {"max_plies": 1},
    {"wilds": 0, "wild_fours": 0},
    {"colours": 1, "ranks": "0123", "wilds": 0, "wild_fours": 0, "hand_size": 1, **SHORT},
    {"colours": 1, "ranks": "0", "wilds": 4, "wild_fours": 4, "hand_size": 4, **SHORT},
    {"colours": 1, "ranks": "01S+", "wilds": 1, "wild_fours": 1, "hand_size": 2, **SHORT},
    {"colours": 2, "ranks": "01S+", "wilds": 1, "wild_fours": 1, "hand_size": 3, **SHORT},
    {"colours": 2, "ranks": "01R+", "wilds": 1, "wild_fours": 1, "skip": "pass", **SHORT}
    | {"hand_size": 3},
    {"colours": 2, "ranks": "0011SSRR++", "wilds": 0, "wild_fours": 0, "hand_size": 3, **SHORT},
    {"colours": 2, "ranks": "0++", "wilds": 0, "wild_fours": 4, "hand_size": 3, **SHORT},
    {"colours": 3, "ranks": "0112", "wilds": 2, "wild_fours": 0, "hand_size": 5, **SHORT},
]
BLOB = [
    {},
    {"players": 2, "cards": 26, "trump": "none", "miss": "penalty"},
    {"players": 2, "cards": 1, "trump": "turned"},
    {"players": 3, "cards": 17, "trump": "hearts", "dealer": 0},
    {"players": 4, "cards": 13, "trump": "random", "miss": "tricks"},
    {"players": 5, "cards": 10, "trump": "turned", "miss": "penalty", "points_per_trick": 3},
    {"players": 6, "cards": 5, "trump": "clubs", "exact_bonus": 0, "miss": "tricks"},
    {"players": 7, "cards": 7, "trump": "spades", "points_per_trick": 0},
    {"players": 8, "cards": 6, "trump": "turned", "dealer": 3},
    {"players": 2, "cards": 1, "suits": 1, "ranks": 2, "trump": "none"},
    {"players": 2, "cards": 4, "suits": 2, "ranks": 4, "trump": "random"},
    {"players": 3, "cards": 2, "suits": 2, "ranks": 4, "trump": "turned", "miss": "tricks"},
    {"players": 4, "cards": 2, "suits": 3, "ranks": 3, "trump": "diamonds", "miss": "penalty"},
]
BLOB_GAME = [
    {"players": 2, "schedule": (2, 1, 2)},
    {"players": 3, "start": 2, "trumps": ("random", "turned", "hearts"), "dealer": 1},
    {"players": 4, "schedule": (1, 3), "miss": "penalty", "suits": 3, "trumps": ("none",)},
    {"players": 8, "schedule": (6, 1), "trumps": ("turned", "random"), "miss": "tricks"},
]
RULE_SETS = [
    kibitz.rules(game, **options)
    for game, sets in (("uno", UNO), ("blob", BLOB), ("blob-game", BLOB_GAME))
    for options in sets
][:: 3 if PURE else 1]
TINY_SETS = [rules for rules in RULE_SETS if rules.deck_size <= 25]


# --- playing -------------------------------------------------------------------------------------


def to_act(rules, state):
    return int(contract.player_to_act(rules.params, state))


def random_steps(rules, seed):
    """Play a random game; yields (before, action, after, chance before, chance after)."""
    for move in conformance.random_moves(rules, seed):
        yield move.before, move.action, move.after, *move.chance


def random_states(rules, seed):
    """All states of a random game."""
    return [state for state, _ in conformance.random_states(rules, seed)]


def play_on(table, seed=0, plies=10_000):
    """Random moves at a table until the game is over, or for so many plies."""
    choice = Random(seed)
    while not table.over and plies > 0:
        table.play(choice.choice(table.legal_actions()))
        plies -= 1
    return table


def played(rules, seed=1, plies=10_000):
    """A table with a random game on it."""
    return play_on(kibitz.Table(rules, seed=seed), seed, plies)


# --- statistics ----------------------------------------------------------------------------------


def fits(expected, seen):
    """Pearson's chi-square test of counts against weights, at four standard deviations: by chance
    one in 30,000 fails, and the seeds are fixed."""
    total, weight = sum(seen.values()), sum(expected.values())
    means = {key: total * w / weight for key, w in expected.items()}
    assert len(means) > 1, "nothing to test"
    assert min(means.values()) >= 5, "too few samples for this test"
    if set(seen) - set(means):
        return False
    statistic = sum((Counter(seen)[key] - mean) ** 2 / mean for key, mean in means.items())
    freedom = len(means) - 1
    spread = 2 / (9 * freedom)  # Wilson and Hilferty's approximation of the bound
    return statistic <= freedom * (1 - spread + 4 * sqrt(spread)) ** 3


# --- other processes -----------------------------------------------------------------------------


def clean_environment(**more):
    """This process's environment without what coverage, pytest and numba were told."""
    kept = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("COV", "KIBITZ_", "NUMBA_", "PYTEST_"))
    }
    return kept | more


def problem(text, view):
    """What an agent such as "flat:sims=5" asks of the kernels in a position."""
    name, _, options = text.partition(":")
    method = SEARCHES[name]
    search = method(read_options(method.Options, name, options), 1, steady=True)
    search.begin(view, kibitz.belief(view))
    return search._problem


def split(*game, **options):
    """Luck and skill of a game, worked out to the end."""
    steps = splitting(*game, **options)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value
