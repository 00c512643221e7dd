"""Blob: the rules as kernels (see `contract` for what each operation promises)."""

import numpy as np

from kibitz._jit import inline_kernel, kernel
from kibitz.bits import ALL, ONE, ZERO, lowest, popcount, select, single, word
from kibitz.games.blob.layout import (
    BIDDING,
    LANE,
    MISS_PENALTY,
    MISS_TRICKS,
    NO_TRUMP,
    OVER,
    PLAYING,
    RANDOM_TRUMP,
    TURNED_TRUMP,
)
from kibitz.rng import below, mixed


@kernel
def suit_of(card):
    """All cards of a card's suit."""
    return LANE << word(card & 48)


@kernel
def round_byte(params, index):
    """What the schedule says of a round: cards in five bits, trump code + 1 above them."""
    return np.int64((params.schedule[index >> 3] >> word(8 * (index & 7))) & word(255))


# --- chance --------------------------------------------------------------------------------------


@kernel
def draw_set(pool, size, n, rng):
    """n cards of the `size` in `pool`, every subset equally likely."""
    out = ZERO
    for _ in range(n):
        card = select(pool, below(rng, size))
        pool ^= card
        out |= card
        size -= 1
    return out


@kernel
def set_trump(state, suit):
    state.trump = suit
    state.trumps = ZERO if suit == NO_TRUMP else LANE << word(16 * suit)


@kernel
def choose_trump(params, state, code, rng):
    """Fix the trump of a round whose hands are dealt."""
    state.turned = -1
    if code == TURNED_TRUMP:
        card = select(state.stock, below(rng, popcount(state.stock)))
        state.stock ^= card
        state.turned = lowest(card)
        set_trump(state, lowest(card) >> 4)
    elif code == RANDOM_TRUMP:
        suits = 0
        for suit in range(4):
            suits += params.deck & (LANE << word(16 * suit)) != ZERO
        drawn = below(rng, suits + 1)
        set_trump(state, drawn if drawn < suits else NO_TRUMP)
    else:
        set_trump(state, code)


@kernel
def clear_trick(state):
    for seat in range(8):
        state.trick[seat] = -1
    state.in_trick = 0
    state.led = ALL
    state.beats = ALL


@kernel
def open_round(params, state, index):
    """Everything of a new round but its cards and trump."""
    players = params.players
    state.round_index = index
    state.cards = round_byte(params, index) & 31
    state.left = state.cards
    state.dealer = (params.first_dealer + index) % players
    state.turn = (state.dealer + 1) % players
    state.phase = BIDDING
    state.bid_sum = 0
    state.best = -1
    state.played = ZERO
    for seat in range(8):
        state.bid[seat] = -1
        state.won[seat] = 0
        state.hand[seat] = ZERO
    clear_trick(state)


@kernel
def deal_round(params, state, index, rng):
    open_round(params, state, index)
    pool = params.deck
    size = popcount(pool)
    for seat in range(params.players):
        state.hand[seat] = draw_set(pool, size, state.cards, rng)
        pool ^= state.hand[seat]
        size -= state.cards
    state.stock = pool
    choose_trump(params, state, (round_byte(params, index) >> 5) - 1, rng)


@kernel
def deal(params, state, rng):
    for seat in range(8):
        state.total[seat] = 0
        state.made[seat] = 0
    deal_round(params, state, 0, rng)


# --- moves ---------------------------------------------------------------------------------------


@inline_kernel
def player_to_act(params, state):
    return state.turn


@inline_kernel
def legal_actions(params, state):
    if state.phase == PLAYING:
        hand = state.hand[state.turn]
        follow = hand & state.led
        return follow if follow != ZERO else hand
    if state.phase == OVER:
        return ZERO
    bids = (ONE << word(state.cards + 1)) - ONE
    if state.turn == state.dealer:  # the bids may not add up to the number of tricks
        forbidden = state.cards - state.bid_sum
        if forbidden >= 0:
            bids &= ~single(forbidden)
    return bids


@kernel
def score(params, bid, won):
    missed = 0
    if params.miss == MISS_TRICKS:
        missed = params.points_per_trick * won
    elif params.miss == MISS_PENALTY:
        missed = -params.points_per_trick * abs(bid - won)
    # chosen last, so that no branch hangs on what cannot be predicted
    return params.exact_bonus + params.points_per_trick * bid if bid == won else missed


@kernel
def finish_round(params, state, rng):
    for seat in range(params.players):
        # wide numbers, or plain Python would wrap around at 127
        state.total[seat] += score(params, np.int64(state.bid[seat]), np.int64(state.won[seat]))
        state.made[seat] += state.bid[seat] == state.won[seat]
    if state.round_index + 1 < params.rounds:
        deal_round(params, state, state.round_index + 1, rng)
    else:
        state.phase = OVER
        state.turn = -1


@inline_kernel
def apply_bid(params, state, bid):
    seat = state.turn & 7  # not negative, which the compiler cannot know: no index wrap-around
    state.bid[seat] = bid
    state.bid_sum += bid
    if seat == state.dealer:
        state.phase = PLAYING
    state.turn = seat + 1 if seat + 1 < params.players else 0


@inline_kernel
def apply_play(params, state, action, rng):
    seat = state.turn & 7
    card = single(action)
    state.hand[seat] ^= card
    state.played |= card
    state.trick[seat] = action
    suit = suit_of(action)
    if state.in_trick == 0:
        state.led = suit
    # Whether it wins cannot be predicted, so nothing branches on it: all bits are set if it does.
    wins = ZERO - ((state.beats >> word(action)) & ONE)
    beats = (suit & ~(card + card - ONE)) | (state.trumps & ~suit)
    state.beats ^= (state.beats ^ beats) & wins
    state.best ^= (state.best ^ seat) & np.int64(wins)
    state.in_trick += 1
    if state.in_trick < params.players:
        state.turn = seat + 1 if seat + 1 < params.players else 0
        return
    winner = state.best & 7
    state.won[winner] += 1
    state.left -= 1
    state.turn = winner
    clear_trick(state)
    if state.left == 0:
        finish_round(params, state, rng)


@inline_kernel
def apply(params, state, action, rng):
    if state.phase == PLAYING:
        apply_play(params, state, action, rng)
    else:
        apply_bid(params, state, action)


@kernel
def returns(params, state, out):
    """Points of the finished rounds."""
    for seat in range(params.players):
        out[seat] = state.total[seat]


# --- what a seat may know ------------------------------------------------------------------------


@kernel
def copy_public(params, state, out):
    out.played = state.played
    out.led = state.led
    out.beats = state.beats
    out.trumps = state.trumps
    for seat in range(8):
        out.total[seat] = state.total[seat]
        out.bid[seat] = state.bid[seat]
        out.won[seat] = state.won[seat]
        out.made[seat] = state.made[seat]
        out.trick[seat] = state.trick[seat]
    out.in_trick = state.in_trick
    out.best = state.best
    out.left = state.left
    out.cards = state.cards
    out.bid_sum = state.bid_sum
    out.dealer = state.dealer
    out.trump = state.trump
    out.turned = state.turned
    out.round_index = state.round_index
    out.phase = state.phase
    out.turn = state.turn


@kernel
def observe(params, state, seat, out):
    copy_public(params, state, out)
    out.stock = ZERO
    for other in range(8):
        out.hand[other] = ZERO
    out.hand[seat] = state.hand[seat]


@kernel
def unseen(params, observation, seat):
    """The deck less the seat's hand, what was played and the card turned up."""
    pool = params.deck & ~(observation.hand[seat] | observation.played)
    if observation.turned >= 0:
        pool &= ~single(observation.turned)
    return pool


@kernel
def hand_size(observation, seat):
    """Cards in a hand, which is public: one for each trick left that the seat has not played to."""
    return observation.left - (observation.trick[seat] >= 0)


@kernel
def sample_hidden(params, observation, seat, rng, out):
    copy_public(params, observation, out)
    pool = unseen(params, observation, seat)
    size = popcount(pool)
    for other in range(8):
        out.hand[other] = ZERO
    out.hand[seat] = observation.hand[seat]
    for other in range(params.players):
        if other != seat:
            n = hand_size(observation, other)
            out.hand[other] = draw_set(pool, size, n, rng)
            pool ^= out.hand[other]
            size -= n
    out.stock = pool


# --- what a search asks besides ------------------------------------------------------------------


@inline_kernel
def glimpse(params, state, seat):
    """Its hand and the trump: chance shows something only when a round is dealt."""
    return state.hand[seat] + mixed(state.trumps + word(state.round_index))


@inline_kernel
def stage(params, state):
    return state.round_index


@inline_kernel
def bounds(params, state):
    most = params.points_per_trick * state.cards
    low = -most if params.miss == MISS_PENALTY else 0
    return np.float64(low), np.float64(params.exact_bonus + most)


@inline_kernel
def countdown(params, state):
    """Cards to play: a round has no chance in it once it is dealt."""
    if state.phase != PLAYING:
        return -1
    return np.int64(state.left) * params.players - state.in_trick


@kernel
def estimate(params, state, weights, out):
    """The chance that a bid is made is `weights[0]` at best, and falls with the distance between
    the tricks still wanted and a fair share of those left, as quickly as `weights[1]` says."""
    share = np.float64(state.left) / params.players
    for seat in range(params.players):
        bid = np.int64(state.bid[seat])
        wanted = np.float64(bid - state.won[seat])
        if bid < 0:  # it will know what it wants
            bid = 0
            wanted = share
        chance = weights[0] / (1.0 + weights[1] * abs(wanted - share))
        if wanted < 0.0 or wanted > state.left:
            chance = 0.0
        made = np.float64(score(params, bid, bid))
        missed = np.float64(score(params, bid, bid + 1))
        out[seat] = chance * made + (1.0 - chance) * missed


# --- what a seat sees happen ---------------------------------------------------------------------


@kernel
def watch_round(params, observation, index, trump, turned):
    """A round begins, as it looks to a seat that has not taken up its cards."""
    open_round(params, observation, index)
    observation.stock = ZERO
    observation.turned = turned
    set_trump(observation, trump)


@kernel
def watch_move(params, observation, seat, action):
    """The seat to act bids or plays, as `seat` sees it; the deal that may follow is told later."""
    index = observation.round_index
    if observation.phase == PLAYING and observation.turn != seat:
        observation.hand[observation.turn] = single(action)  # shown, and at once played
    apply(params, observation, action, np.ones(2, np.uint64))
    if observation.round_index != index:
        watch_round(params, observation, observation.round_index, NO_TRUMP, -1)
