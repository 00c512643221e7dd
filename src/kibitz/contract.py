"""The contract: the handful of operations every game provides, as kernels.

An operation is dispatched on the type of its first argument, the game's `Params` (a NamedTuple of
numbers made from its friendly `Rules`), both from Python and inside kernels: generic code such as
rollouts or search is written once, against the names in this file, and compiles to the same machine
code as a copy written for one game. A game registers its kernels with
``contract.provide(Params, kernels, policy)`` when it is imported.

What is common to all games:

* `state` is one record of the game's dtype; many worlds are an array of them. It holds whole
  numbers and bit sets only, so equal states are equal bytes.
* Actions are whole numbers 0..63 within a phase of the game, so a set of actions is one word.
* Seats are 0..players-1. `rng` is the two words of `kibitz.rng`.
* A state never holds the order of a deck: what is drawn is decided when it is drawn.
"""

import functools
from typing import Any

from numba.extending import overload

from kibitz._jit import INLINE, PURE

ACTIONS = 64
"""Action numbers are below this."""

_KERNELS: dict = {}


def operation(stub):
    """Make `stub` an operation. Its body is never run: signature and docstring are the contract."""
    name = stub.__name__
    kernels = _KERNELS.setdefault(name, {})

    @functools.wraps(stub)
    def dispatch(params, *arguments):
        return kernels[type(params)](params, *arguments)

    if not PURE:
        # as `inline_kernel` compiles: an operation makes and returns no array
        @overload(dispatch, strict=False, jit_options={"error_model": "numpy", **INLINE})
        def typed(params, *arguments):
            kernel = kernels.get(getattr(params, "instance_class", None))
            return None if kernel is None else kernel.py_func

    return dispatch


def provide(params_type: type, *modules: Any) -> None:
    """Register a game's kernels: an operation is the function of its name in one of `modules`."""
    for name, kernels in _KERNELS.items():
        found = [getattr(module, name) for module in modules if hasattr(module, name)]
        if not found:
            raise TypeError(f"{params_type.__name__}: no kernel for the operation {name!r}")
        kernels[params_type] = found[-1]


@operation
def deal(params, state, rng):
    """Start a game in `state`, whatever it held before."""


@operation
def player_to_act(params, state):
    """The seat to act, or -1 when the game is over."""


@operation
def legal_actions(params, state):
    """The legal actions of the seat to act as a word; empty only when the game is over. It depends
    on nothing but what that seat may know."""


@operation
def apply(params, state, action, rng):
    """Play a legal action. Chance that follows (draws, the next deal) is taken from `rng`."""


@operation
def returns(params, state, out):
    """Write each seat's return so far into `out` (float64, one entry a seat); final when over."""


@operation
def observe(params, state, seat, out):
    """Write into the record `out` what `seat` may know of `state`: the same layout, with every card
    it has not seen taken out."""


@operation
def sample_hidden(params, observation, seat, rng, out):
    """Write into `out` a state that looks like `observation` to `seat`, uniform over all of them.
    Only what the observation itself proves is used; the history belongs to the belief."""


@operation
def rule_scores(params, state, out):
    """Write how much the rule player likes each legal action into `out` (float64, ACTIONS entries;
    the others are left alone). It plays the best; differences are in units in which a temperature
    of 1 softens it noticeably. Reads only what the seat to act may know: `state` may be its
    observation."""


@operation
def keen_scores(params, state, out):
    """The same for the keen player, the best that is nearly as quick: games are played out by it.
    The rule player stays what it is, for others are measured against it."""


# --- what a search asks besides ------------------------------------------------------------------


@operation
def glimpse(params, state, seat):
    """A word of what chance has shown `seat`: where the same actions were played from one state,
    those after look the same to the seat exactly if their words are equal, but for a chance of
    2^-64. By how much the word changes from one state to the next depends only on the action and on
    what chance shows the seat then, not on what it held before. `state` may be the seat's
    observation."""


@operation
def stage(params, state):
    """A number that changes when all hands are dealt anew: a search does not look beyond, for
    nothing that is decided now can be of use there."""


@operation
def bounds(params, state):
    """The least and the most that any seat's return can change by until the stage is over."""


@operation
def countdown(params, state):
    """How many decisions are left until the stage is over, if chance has no more part in it and
    their number is certain; else -1."""


@operation
def estimate(params, state, weights, out):
    """Write a guess at how each seat's return will have changed when the stage is over into `out`,
    from features of the state weighed by `weights` (float64; see the game's `Game.weights`). What
    a search takes where it stops looking; it may read every hand."""
