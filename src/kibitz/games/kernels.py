"""What chance can do, as kernels over the contract: worlds that look as they do to a seat, and
where a move leads from each of them, either all with their chances, or some at random.

Chance is tried in full by a script in the place of the generator: see `kibitz.rng`.
"""

from collections import namedtuple

import numpy as np

from kibitz._jit import kernel
from kibitz.contract import apply, observe, sample_hidden
from kibitz.players import likelihoods
from kibitz.rng import next_script, script_chance, uniform

MOST_TRIED = 256
"""Outcomes of a move that are tried for one world in full; where there are more, some are drawn."""
DRAWN = 16

Look = namedtuple("Look", "seat seen data wanted")
"""What `seat` must see after a move: `wanted`, uint8[candidates, bytes]. `seen` is one record to
observe into, `data` its bytes."""


@kernel
def all_worlds(params, observation, seat, script, out, chances):
    """Write the next worlds that look like `observation` (one record) to `seat`, as many as `out`
    has room for; some come several times. Returns their number, and whether there are more; -1 if
    chance is no choice among a few."""
    count = 0
    while count < len(out):
        sample_hidden(params, observation[0], seat, script, out[count])
        chances[count] = script_chance(script)
        if chances[count] == 0.0:
            return -1, False
        count += 1
        if not next_script(script):
            return count, False
    return count, True


@kernel
def some_worlds(params, observation, seat, rng, out):
    """Fill `out` with worlds that look like `observation` to `seat`."""
    for i in range(len(out)):
        sample_hidden(params, observation[0], seat, rng, out[i])


@kernel
def looks_like(params, state, look):
    """Which of the candidates a state looks like, the last of them; else -1."""
    observe(params, state, look.seat, look.seen[0])
    for k in range(len(look.wanted) - 1, -1, -1):
        same = True
        for b in range(len(look.data)):
            if look.data[b] != look.wanted[k, b]:
                same = False
                break
        if same:
            return k
    return -1


@kernel
def choices(params, worlds, action, players, scratch, out):
    """Write the chance that the seat to act, if it is `players[k]`, chooses `action` in world i
    into `out[i, k]`; 0 where it may not. `scratch`: float64[64]."""
    for i in range(len(worlds)):
        likelihoods(params, worlds[i], action, players, scratch, out[i])


Moved = namedtuple("Moved", "worlds source which chances")
"""Worlds after a move, the number of the world that each comes of, the candidate that it looks
like, and the chance of what was seen, given that world."""


@kernel
def all_moves(params, worlds, action, look, script, most, out):
    """Write every world that `action` can lead to and that looks as it should into `out`, which is
    `Moved`. Returns their number, or -1 if there is no room, chance is no choice among a few, or
    more than `most` outcomes would have to be tried. The last place is for trying."""
    trial = out.worlds[len(out.worlds) - 1 :]
    count = 0
    tried = 0
    for i in range(len(worlds)):
        script[:] = np.uint64(0)
        more = True
        while more:
            tried += 1
            trial[0] = worlds[i]
            apply(params, trial[0], action, script)
            chance = script_chance(script)
            if chance == 0.0 or tried > most or count + 1 >= len(out.worlds):
                return -1
            which = looks_like(params, trial[0], look)
            if which >= 0:
                out.worlds[count] = trial[0]
                out.source[count] = i
                out.which[count] = which
                out.chances[count] = chance
                count += 1
            more = next_script(script)
    return count


@kernel
def some_moves(params, worlds, action, look, script, rng, out):
    """Write one world for each into `out`, that `action` leads to and that looks as it should, and
    the chance that it does so: worked out where few outcomes can be, else a fraction of those
    drawn. The last place is for trying."""
    trial = out.worlds[len(out.worlds) - 1 :]
    for i in range(len(worlds)):
        script[:] = np.uint64(0)
        total = 0.0
        left = MOST_TRIED
        while left > 0:
            trial[0] = worlds[i]
            apply(params, trial[0], action, script)
            chance = script_chance(script)
            left = left - 1 if chance > 0.0 else -1
            which = looks_like(params, trial[0], look) if chance > 0.0 else -1
            if which >= 0:
                total += chance
                if uniform(rng) * total < chance:
                    out.worlds[i] = trial[0]
                    out.which[i] = which
            if left >= 0 and not next_script(script):
                break
        if left <= 0:
            total = 0.0
            for _ in range(DRAWN):
                trial[0] = worlds[i]
                apply(params, trial[0], action, rng)
                which = looks_like(params, trial[0], look)
                if which >= 0:
                    total += 1.0 / DRAWN
                    out.worlds[i] = trial[0]
                    out.which[i] = which
        out.source[i] = i
        out.chances[i] = total
