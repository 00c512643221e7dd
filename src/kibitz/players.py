"""Players: how a seat chooses, and how likely each choice is, as kernels over the contract.

A player is a kind and a sharpness. `UNIFORM` takes any legal action. `RULE` and `KEEN` score the
actions by the game's own `rule_scores` and `keen_scores`; their chances are in proportion to
exp(sharpness * score), and with infinite sharpness they play the best, ties at random. `SILENT`
stands for a choice that says nothing: as evidence every legal action has "chance" 1, and where it
has to play it is uniform. Play-outs, models of the others, priors and baseline players are all such
players. They read only what the seat to act may know: a state and that seat's observation give the
same choice.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz._jit import inline_kernel, kernel
from kibitz.bits import ONE, ZERO, lowest, popcount, select, single
from kibitz.contract import ACTIONS, keen_scores, legal_actions, rule_scores
from kibitz.rng import below, uniform

UNIFORM, RULE, KEEN, SILENT = range(4)
NAMES = ("uniform", "rule", "keen", "constraints")
"""Of each kind, as people write it."""


class Player(NamedTuple):
    """One player, as Python and the kernels take it."""

    kind: int
    sharpness: float = math.inf
    """1 / temperature; of no meaning for UNIFORM and SILENT."""

    def __str__(self) -> str:
        name = NAMES[self.kind]
        if self.kind in (UNIFORM, SILENT):
            return name
        return f"{name}:temperature={1 / self.sharpness:g}"


PLAYER = np.dtype((np.record, [("kind", np.int64), ("sharpness", np.float64)]))
"""The same as a record: several players are an array of them."""


def as_array(players: Iterable[Player]) -> NDArray[Any]:
    """Players as an array of records."""
    return np.array([tuple(player) for player in players], PLAYER)


# --- choosing ------------------------------------------------------------------------------------


@inline_kernel
def scores(params, state, kind, out):
    """Write how much a player of that kind, RULE or KEEN, likes each legal action."""
    if kind == KEEN:
        keen_scores(params, state, out)
    else:
        rule_scores(params, state, out)


@inline_kernel
def best_of(left, liking):
    """The actions of a set that have the highest score."""
    best = -np.inf
    chosen = ZERO
    while left != ZERO:
        action = lowest(left)
        left &= left - ONE
        score = liking[action]
        if score > best:
            best = score
            chosen = ZERO
        if score == best:
            chosen |= ONE << np.uint64(action)
    return chosen


@kernel
def favourites(params, state, kind, scratch):
    """The actions that a player of that kind, RULE or KEEN, likes best, as a set."""
    legal = legal_actions(params, state)
    if popcount(legal) == 1:
        return legal
    scores(params, state, kind, scratch)
    return best_of(legal, scratch)


@kernel
def soften(legal, sharpness, out):
    """Turn the score of each action of `legal` in `out` into exp(sharpness * score), scaled so that
    the best is 1; returns their sum. In that proportion they are chances of a player who does not
    always choose the best."""
    best = -np.inf
    left = legal
    while left != ZERO:
        best = max(best, out[lowest(left)])
        left &= left - ONE
    total = 0.0
    while legal != ZERO:
        action = lowest(legal)
        legal &= legal - ONE
        out[action] = np.exp(sharpness * (out[action] - best))
        total += out[action]
    return total


@inline_kernel
def any_of(options, rng):
    """One action of a set, each equally likely."""
    return lowest(select(options, below(rng, popcount(options))))


@kernel
def softly(params, state, kind, sharpness, rng, scratch):
    """An action of a player who does not always play the best."""
    left = legal_actions(params, state)
    action = lowest(left)
    if popcount(left) == 1:
        return action
    scores(params, state, kind, scratch)
    at = uniform(rng) * soften(left, sharpness, scratch)
    while left != ZERO:
        action = lowest(left)
        left &= left - ONE
        at -= scratch[action]
        if at < 0.0:
            break
    return action


@inline_kernel
def choose(params, state, player, rng, scratch):
    """An action of the seat to act. `scratch`: float64[ACTIONS]."""
    kind = player.kind
    if kind == UNIFORM or kind == SILENT:
        return any_of(legal_actions(params, state), rng)
    if player.sharpness == np.inf:
        return any_of(favourites(params, state, kind, scratch), rng)
    return softly(params, state, kind, player.sharpness, rng, scratch)


# --- how likely ----------------------------------------------------------------------------------


@inline_kernel
def share(options, out):
    """Give all actions of a set the same chance in `out`."""
    chance = 1.0 / popcount(options)
    while options != ZERO:
        out[lowest(options)] = chance
        options &= options - ONE


@kernel
def weigh(params, state, legal, player, out):
    """Write the chance of each action of `legal`, some or all of the legal ones, into `out`; the
    others are left alone."""
    if player.kind == UNIFORM or player.kind == SILENT or popcount(legal) == 1:
        share(legal, out)
        return
    scores(params, state, player.kind, out)
    if player.sharpness == np.inf:
        best = best_of(legal, out)
        left = legal
        while left != ZERO:
            out[lowest(left)] = 0.0
            left &= left - ONE
        share(best, out)
        return
    total = soften(legal, player.sharpness, out)
    while legal != ZERO:
        out[lowest(legal)] /= total
        legal &= legal - ONE


@kernel
def chances(params, state, player, out):
    """Write the chance of every action into `out`, float64[ACTIONS]."""
    for action in range(ACTIONS):
        out[action] = 0.0
    weigh(params, state, legal_actions(params, state), player, out)


@kernel
def likelihoods(params, state, action, players, scratch, out):
    """Write the chance that the seat to act, if it is `players[k]`, chooses `action` into `out[k]`;
    all 0 if it is illegal. `scratch`: float64[ACTIONS]."""
    legal = legal_actions(params, state)
    for k in range(len(players)):
        out[k] = 0.0
    if legal & single(action) == ZERO:
        return
    scored = SILENT  # whose scores are in `scratch`
    for k in range(len(players)):
        kind = players[k].kind
        if kind == SILENT:
            out[k] = 1.0
        elif kind == UNIFORM or popcount(legal) == 1:
            out[k] = 1.0 / popcount(legal)
        else:
            if kind != scored:
                scores(params, state, kind, scratch)
                scored = kind
            out[k] = chance_of(action, legal, players[k].sharpness, scratch)


@kernel
def chance_of(action, legal, sharpness, liking):
    """The chance of an action where all of `legal` have scores."""
    mine = liking[action]
    total = 0.0
    while legal != ZERO:
        score = liking[lowest(legal)]
        legal &= legal - ONE
        if sharpness == np.inf:
            total += np.inf if score > mine else (1.0 if score == mine else 0.0)
        else:
            total += np.exp(sharpness * (score - mine))
    return 1.0 / total
