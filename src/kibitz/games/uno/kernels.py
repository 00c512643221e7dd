"""UNO: the rules as kernels (see `contract` for what each operation promises)."""

import numpy as np

from kibitz._jit import inline_kernel, kernel
from kibitz.bits import ONE, ZERO, highest, lowest, lowest_bit, popcount, select, single, word
from kibitz.games.uno.layout import (
    COLOURED,
    COLUMN,
    DRAW,
    DRAW_ONLY,
    DRAW_TWO,
    EMPTIED,
    EXHAUSTED,
    LANE,
    REVERSE,
    RUNNING,
    SKIP,
    TRUNCATED,
    WILD,
    WILD_FOUR,
    WILD_FOURS,
    WILDS,
)
from kibitz.rng import below, mixed

# --- multisets of cards in two words -------------------------------------------------------------


@kernel
def put(ones, twos, card):
    """The multiset with one more `card`, given as a single bit; of a wild's column, any bit."""
    if card & COLOURED:
        return ones | card, twos | (ones & card)
    column = WILDS if card & WILDS else WILD_FOURS
    return ones | lowest_bit(~ones & column), twos


@kernel
def take(ones, twos, card):
    """The multiset with one `card` less; it must be there."""
    if card & COLOURED:
        return ones ^ (card & ~twos), twos & ~card
    column = WILDS if card & WILDS else WILD_FOURS
    return ones ^ single(highest(ones & column)), twos


@inline_kernel
def move(from_ones, from_twos, to_ones, to_twos, card):
    """Move a card, which must be there, between two multisets: `take` and `put` in one branch, for
    the two places that every game spends its time in."""
    if card & COLOURED:
        return (
            from_ones ^ (card & ~from_twos),
            from_twos & ~card,
            to_ones | card,
            to_twos | (to_ones & card),
        )
    column = WILDS if card & WILDS else WILD_FOURS
    return (
        from_ones ^ single(highest(from_ones & column)),
        from_twos,
        to_ones | lowest_bit(~to_ones & column),
        to_twos,
    )


@kernel
def count(ones, twos):
    return popcount(ones) + popcount(twos)


@kernel
def _first(column, n):
    """The lowest n bits of a column; two shifts because a shift by 64 is undefined."""
    half = word(8 * (4 - n))
    return (column >> half) >> half


@kernel
def plus(ones, twos, more_ones, more_twos):
    coloured = (ones | more_ones) & COLOURED
    wilds = popcount(ones & WILDS) + popcount(more_ones & WILDS)
    fours = popcount(ones & WILD_FOURS) + popcount(more_ones & WILD_FOURS)
    both = ones & more_ones & COLOURED
    return coloured | _first(WILDS, wilds) | _first(WILD_FOURS, fours), twos | more_twos | both


@kernel
def minus(ones, twos, less_ones, less_twos):
    coloured = ((twos & ~less_twos) | (ones & ~less_ones)) & COLOURED
    wilds = popcount(ones & WILDS) - popcount(less_ones & WILDS)
    fours = popcount(ones & WILD_FOURS) - popcount(less_ones & WILD_FOURS)
    return coloured | _first(WILDS, wilds) | _first(WILD_FOURS, fours), twos & ~less_ones


@inline_kernel
def pick(ones, twos, size, rng):
    """A card of the multiset, each copy equally likely, as a single bit."""
    index = below(rng, size)
    first = popcount(ones)
    inside = index < first
    return select(ones if inside else twos, index if inside else index - first)


# --- chance --------------------------------------------------------------------------------------


@inline_kernel
def draw_cards(state, seat, n, rng):
    """Move n cards from the deck, which has them, to a hand."""
    ones = state.deck[0]
    twos = state.deck[1]
    hand_ones = state.hand[seat, 0]
    hand_twos = state.hand[seat, 1]
    size = state.deck_size
    for _ in range(n):
        card = pick(ones, twos, size, rng)
        ones, twos, hand_ones, hand_twos = move(ones, twos, hand_ones, hand_twos, card)
        size -= 1
    state.deck[0] = ones
    state.deck[1] = twos
    state.hand[seat, 0] = hand_ones
    state.hand[seat, 1] = hand_twos
    state.deck_size = size
    state.held[seat] += n


@kernel
def reshuffle(state):
    """The pile except the top card joins the deck."""
    top = single(state.colour * 16 + state.top_rank)
    ones, twos = take(state.pile[0], state.pile[1], top)
    ones, twos = plus(state.deck[0], state.deck[1], ones, twos)
    state.deck[0] = ones
    state.deck[1] = twos
    state.deck_size = count(ones, twos)
    state.pile[0], state.pile[1] = put(ZERO, ZERO, top)


@kernel
def deal(params, state, rng):
    """The whole deal is repeated while a wild is turned up, so that the first belief is exactly
    uniform over the subsets of what is unseen."""
    while True:
        for seat in range(2):
            state.hand[seat, 0] = ZERO
            state.hand[seat, 1] = ZERO
            state.held[seat] = 0
        state.deck[0] = params.deck_ones
        state.deck[1] = params.deck_twos
        state.deck_size = count(params.deck_ones, params.deck_twos)
        draw_cards(state, 0, params.hand_size, rng)
        draw_cards(state, 1, params.hand_size, rng)
        card = pick(state.deck[0], state.deck[1], state.deck_size, rng)
        if card & COLOURED:
            break
    ones, twos = take(state.deck[0], state.deck[1], card)
    state.deck[0] = ones
    state.deck[1] = twos
    state.deck_size -= 1
    state.pile[0] = card
    state.pile[1] = ZERO
    state.plies = 0
    state.top_rank = lowest(card) & 15
    state.colour = lowest(card) >> 4
    state.pending = 0
    state.turn = 0
    state.winner = -1
    state.ending = RUNNING


# --- moves ---------------------------------------------------------------------------------------


@inline_kernel
def player_to_act(params, state):
    return state.turn


@kernel
def playable(params, held, colour, rank):
    """The plays open to a hand whose first word is `held`, nothing pending."""
    plays = held & ((LANE << word(colour * 16)) | (COLUMN << word(rank))) & COLOURED
    if held & WILDS:
        plays |= WILDS & params.lanes
    if held & WILD_FOURS:
        plays |= WILD_FOURS & params.lanes
    return plays


@inline_kernel
def legal_actions(params, state):
    if state.turn < 0:
        return ZERO
    if state.pending > 0:
        return DRAW_ONLY
    plays = playable(params, state.hand[state.turn, 0], state.colour, state.top_rank)
    return plays if plays != ZERO else DRAW_ONLY


@kernel
def finish(state, winner, ending):
    state.turn = -1
    state.winner = winner
    state.ending = ending


@inline_kernel
def apply_draw(params, state, rng):
    seat = state.turn
    n = max(1, state.pending)
    state.pending = 0
    if state.deck_size < n:
        reshuffle(state)
        if state.deck_size < n:
            difference = state.held[0] - state.held[1]
            winner = -1 if difference == 0 else (0 if difference < 0 else 1)
            finish(state, winner, EXHAUSTED)
            return
    draw_cards(state, seat, n, rng)
    state.turn = 1 - seat


@inline_kernel
def apply_play(params, state, action):
    seat = state.turn
    rank = action & 15
    card = single(action)
    ones, twos, pile_ones, pile_twos = move(
        state.hand[seat, 0], state.hand[seat, 1], state.pile[0], state.pile[1], card
    )
    state.hand[seat, 0] = ones
    state.hand[seat, 1] = twos
    state.pile[0] = pile_ones
    state.pile[1] = pile_twos
    state.held[seat] -= 1
    state.top_rank = rank
    state.colour = action >> 4
    if state.held[seat] == 0:  # wins before the card's effect
        finish(state, seat, EMPTIED)
        return
    state.pending = 2 if rank == DRAW_TWO else (4 if rank == WILD_FOUR else 0)
    if not (params.forfeit and (rank == SKIP or rank == REVERSE)):
        state.turn = 1 - seat


@inline_kernel
def apply(params, state, action, rng):
    state.plies += 1
    if action == DRAW:
        apply_draw(params, state, rng)
    else:
        apply_play(params, state, action)
    if state.plies >= params.max_plies and state.turn >= 0:
        finish(state, -1, TRUNCATED)


@kernel
def returns(params, state, out):
    """+1 for the winner, -1 for the loser, 0 for a draw or a game not over."""
    out[0] = 0.0
    out[1] = 0.0
    if state.winner >= 0:
        out[state.winner] = 1.0
        out[1 - state.winner] = -1.0


# --- what a seat may know ------------------------------------------------------------------------


@kernel
def copy_public(state, out):
    for k in range(2):
        out.pile[k] = state.pile[k]
        out.held[k] = state.held[k]
    out.deck_size = state.deck_size
    out.plies = state.plies
    out.top_rank = state.top_rank
    out.colour = state.colour
    out.pending = state.pending
    out.turn = state.turn
    out.winner = state.winner
    out.ending = state.ending


@kernel
def observe(params, state, seat, out):
    copy_public(state, out)
    for k in range(2):
        out.hand[seat, k] = state.hand[seat, k]
        out.hand[1 - seat, k] = ZERO
        out.deck[k] = ZERO


@kernel
def unseen(params, observation, seat):
    """The pool U: all cards less the seat's hand and the pile."""
    ones, twos = minus(params.deck_ones, params.deck_twos, observation.pile[0], observation.pile[1])
    return minus(ones, twos, observation.hand[seat, 0], observation.hand[seat, 1])


@kernel
def sample_hidden(params, observation, seat, rng, out):
    copy_public(observation, out)
    ones, twos = unseen(params, observation, seat)
    other = 1 - seat
    for k in range(2):
        out.hand[seat, k] = observation.hand[seat, k]
        out.hand[other, k] = ZERO
    out.deck[0] = ones
    out.deck[1] = twos
    hidden = observation.held[other]
    out.deck_size = observation.deck_size + hidden
    out.held[other] = 0
    draw_cards(out, other, hidden, rng)


# --- what a search asks besides ------------------------------------------------------------------


@kernel
def glimpse(params, state, seat):
    """A sum over the cards held: all that chance shows one seat alone is what it draws."""
    total = ZERO
    for k in range(2):
        left = state.hand[seat, k]
        while left != ZERO:
            card = lowest(left)
            left &= left - ONE
            total += mixed(word(card if card & 15 < WILD else card & 15))
    return total


@inline_kernel
def stage(params, state):
    return 0


@inline_kernel
def bounds(params, state):
    return -1.0, 1.0


@inline_kernel
def countdown(params, state):
    return -1  # somebody may always have to draw


@kernel
def could_play(params, state, seat):
    """How many different cards a hand could play now, if nothing were pending."""
    held = state.hand[seat, 0]
    lanes = (LANE << word(state.colour * 16)) | (COLUMN << word(state.top_rank)) | ~COLOURED
    return popcount(held & lanes)


@kernel
def estimate(params, state, weights, out):
    """(n2 - n1) w0 + w1 (cards that the other could play) + w2 (own wilds), taken from both sides
    and squeezed to between -1 and 1."""
    lead = weights[0] * np.float64(state.held[1] - state.held[0])
    playable = could_play(params, state, 1) - could_play(params, state, 0)
    lead += 0.5 * weights[1] * np.float64(playable)
    wilds = popcount(state.hand[0, 0] & ~COLOURED) - popcount(state.hand[1, 0] & ~COLOURED)
    lead += 0.5 * weights[2] * np.float64(wilds)
    out[0] = lead / (1.0 + abs(lead))
    out[1] = -out[0]


# --- a seat's observation, advanced by what it sees ----------------------------------------------
# It comes as an array of one record: numba takes those from Python in a fifth of the time.


@kernel
def see_play(params, seen, seat, mover, action):
    """`mover` plays; nobody's cards but those of `seat` are in the observation."""
    state = seen[0]
    if mover != seat:  # its card comes out of nowhere
        state.hand[mover, 0], state.hand[mover, 1] = put(ZERO, ZERO, single(action))
    state.turn = mover
    state.plies += 1
    apply_play(params, state, action)


@kernel
def see_draw(seen, mover, n, ones, twos):
    """`mover` draws n cards, of which those known are given."""
    state = seen[0]
    hand = state.hand[mover]
    hand[0], hand[1] = plus(hand[0], hand[1], ones, twos)
    state.held[mover] += n
    state.deck_size -= n
    state.pending = 0
    state.turn = 1 - mover
    state.plies += 1


@kernel
def see_reshuffle(seen):
    state = seen[0]
    deck_size = state.deck_size + count(state.pile[0], state.pile[1]) - 1
    reshuffle(state)
    state.deck[0] = ZERO
    state.deck[1] = ZERO
    state.deck_size = deck_size
