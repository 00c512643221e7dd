"""The UNO POMDP on tiny decks: against counting by hand, and against the kernels by sampling."""

from collections import Counter
from itertools import combinations, permutations
from math import fsum, sqrt

import numpy as np
import pytest

import kibitz
from kibitz import contract, players, rng
from kibitz.games.uno import notation
from kibitz.games.uno.game import counts
from kibitz.games.uno.layout import DRAW, WILD
from kibitz.games.uno.pomdp import PLAYERS

SKIPS = pytest.mark.parametrize("skip", ["forfeit", "pass"])
ONE = pytest.approx(1, abs=1e-12)

# ten cards of ten kinds, and fifteen with copies
TINY = {"colours": 2, "ranks": "01S+", "wilds": 1, "wild_fours": 1, "hand_size": 2}
COPIES = {"colours": 2, "ranks": "0011S+", "wilds": 2, "wild_fours": 1, "hand_size": 2}
FEW_DEALS = {"colours": 1, "ranks": "0011", "wilds": 2, "wild_fours": 0, "hand_size": 1}


def model(options=TINY, skip="forfeit", **more):
    return kibitz.UnoPOMDP(kibitz.rules("uno", skip=skip, **options), **more)


def by_key(pomdp, outcomes):
    """The outcomes as a dictionary; no state stands twice."""
    table = {pomdp.key(state): p for p, state in outcomes}
    assert len(table) == len(outcomes)
    return table


def fits(expected, seen):
    """Pearson's chi-square test of counts against probabilities, at four standard deviations: by
    chance one in 30,000 fails, and the seeds are fixed."""
    total = sum(seen.values())
    if set(seen) - set(expected):
        return False
    assert len(expected) > 1, "nothing to test"
    assert min(expected.values()) * total >= 5, "too few samples for this test"
    statistic = sum((seen[k] - total * p) ** 2 / (total * p) for k, p in expected.items())
    freedom = len(expected) - 1
    spread = 2 / (9 * freedom)  # Wilson and Hilferty's approximation of the bound
    return statistic <= freedom * (1 - spread + 4 * sqrt(spread)) ** 3


# --- probabilities over whole games --------------------------------------------------------------


def reachable(pomdp, starts, limit):
    """About `limit` states, or all, that can be reached from `starts`, deepest first."""
    states = {pomdp.key(state): state for state in starts}
    waiting = list(states.values())
    while waiting and len(states) < limit:
        state = waiting.pop()
        for action in pomdp.actions(state):
            for _, after in pomdp.successors(state, action):
                if states.setdefault(pomdp.key(after), after) is after:
                    waiting.append(after)
    return list(states.values())


def check_state(pomdp, state, chance):
    """The cards are all there, every action leads somewhere with probability 1, a play to one
    state, and what is passed in is never changed."""
    params, before = pomdp.rules.params, state.tobytes()
    parts = [counts(words) for words in (*state.hand, state.deck, state.pile)]
    assert sum(parts, Counter()) == counts((params.deck_ones, params.deck_twos))
    assert [part.total() for part in parts[:3]] == [*state.held, state.deck_size]
    assert bool(pomdp.actions(state)) != pomdp.is_over(state)
    for action in pomdp.actions(state):
        table = by_key(pomdp, pomdp.successors(state, action))
        assert fsum(table.values()) == ONE
        assert min(table.values()) > 0
        assert action == DRAW or len(table) == 1
        after = state.copy()
        contract.apply(params, after, action, chance)
        assert pomdp.key(after) in table
        if state.turn == pomdp.seat:
            outcomes = pomdp.player_successors(state, action)
            assert fsum(by_key(pomdp, outcomes).values()) == ONE
            assert all(end.turn in (-1, pomdp.seat) for _, end in outcomes)
    assert state.tobytes() == before


@SKIPS
@pytest.mark.parametrize(
    ("deck", "seat", "opponent"),
    [({"colours": 2, "ranks": "0S"}, 0, "uniform"), ({"colours": 1, "ranks": "00S+"}, 1, "rule")],
)
def test_probabilities_sum_to_one_over_all_states_of_a_game(deck, seat, opponent, skip):
    pomdp, chance = model({**TINY, **deck}, skip, seat=seat, opponent=opponent), rng.generator(1)
    states = reachable(pomdp, [state for _, state in pomdp.initial_states()], 10_000)
    assert 400 < len(states) < 10_000  # all of them
    larger = model(COPIES, skip, seat=seat, opponent=opponent)
    start = larger.state(hands=["Y1 YS", "R+2 W"], top="R0")
    for state in states:
        check_state(pomdp, state, chance)
    for state in reachable(larger, [start], 100):
        check_state(larger, state, chance)


# --- draws ---------------------------------------------------------------------------------------

WILD_FOUR_UP = {"hands": ["Y1 YS", "R0 W"], "top": "W+4", "colour": "R", "pending": 4}
DRAWS = {
    "one": {"hands": ["Y1 YS", "R+2 W"], "top": "R0"},
    "one by seat 1": {"hands": ["R+2 W", "Y1 YS"], "top": "R0", "turn": 1},
    "one, reshuffled": {"hands": ["Y1 YS", "R+2 W"], "top": "R0", "deck": ""},
    "two": {"hands": ["Y1 YS", "R0 W"], "top": "R+2", "pending": 2},
    "two, reshuffled": {"hands": ["Y1 YS", "R0 W"], "top": "R+2", "pending": 2, "deck": "R1"},
    "four": WILD_FOUR_UP,
    "four, reshuffled": {**WILD_FOUR_UP, "deck": "R1 Y0 W"},
}
EACH_DRAW = pytest.mark.parametrize("deal", DRAWS.values(), ids=DRAWS)


@EACH_DRAW
def test_a_draw_is_uniform_over_the_subsets_of_cards(deal):
    """Each card is an object here, so that every subset counts once."""
    pomdp = model(COPIES)
    state = pomdp.state(**deal)
    pile, top = counts(state.pile), Counter([notation.parse_card(deal["top"])])
    cards, number = list(counts(state.deck).elements()), max(1, int(state.pending))
    if "deck" in deal:  # too small
        cards, pile = cards + list((pile - top).elements()), top
    ways = Counter(tuple(sorted(subset)) for subset in combinations(cards, number))
    found = {}
    for p, after in pomdp.successors(state, "draw"):
        hand = counts(after.hand[state.turn]) - counts(state.hand[state.turn])
        found[tuple(sorted(hand.elements()))] = p
        assert (after.deck_size, after.pending) == (len(cards) - number, 0)
        assert (after.turn, counts(after.pile)) == (1 - state.turn, pile)
    assert found == pytest.approx({hand: n / ways.total() for hand, n in ways.items()}, abs=1e-12)
    assert pomdp.transition_probability(state, "draw", after) == p
    assert pomdp.transition_probability(state, "draw", state) == 0


@EACH_DRAW
def test_the_kernel_draws_with_these_probabilities(deal):
    pomdp, chance, seen = model(COPIES), rng.generator(7), Counter()
    state = pomdp.state(**deal)
    for _ in range(3_000):
        after = state.copy()
        contract.apply(pomdp.rules.params, after, DRAW, chance)
        seen[pomdp.key(after)] += 1
    expected = by_key(pomdp, pomdp.successors(state, "draw"))
    assert fits(expected, seen)
    assert not fits(dict.fromkeys(expected, 1 / len(expected)), seen), "copies count"


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    ("hands", "winner"),
    [(["R0 R1", "Y0 Y1 YS"], 0), (["Y0 Y1 YS", "R0 R1"], 1), (["R0 R1 RS", "Y0 Y1 YS"], -1)],
)
def test_a_draw_that_is_impossible_ends_the_game(hands, winner, seat):
    """Four cards are due, and deck and pile have fewer."""
    pomdp = model({**TINY, "ranks": "01S", "wilds": 0}, seat=seat)
    state = pomdp.state(hands=hands, top="W+4", colour="R", pending=4)
    [(p, after)] = pomdp.successors(state, "draw")
    assert (p, after.turn, after.winner) == (1, -1, winner)
    assert after.held.tolist() == state.held.tolist()
    assert pomdp.reward(state, "draw", after) == {-1: 0, seat: 1, 1 - seat: -1}[winner]
    contract.apply(pomdp.rules.params, state, DRAW, rng.generator(0))
    assert pomdp.key(state) == pomdp.key(after)


def test_the_count_of_plies_is_no_part_of_the_model():
    pomdp = model({**TINY, "max_plies": 1})
    state = pomdp.state(hands=["R1 RS", "Y0 Y1"], top="R0")
    [(_, after)] = pomdp.successors(state, "R1")
    assert (after.turn, after.plies) == (1, 0), "not cut short"
    later = state.copy()
    later.plies = 17
    assert (pomdp.key(later), pomdp.observe(later)) == (pomdp.key(state), pomdp.observe(state))
    assert pomdp.successors(later, "R1")[0][1].tobytes() == after.tobytes()


# --- the opponent folded in ----------------------------------------------------------------------


def opponents_hands(pomdp, state, action):
    """What the opponent may hold after a step of the player; each hand belongs to one state."""
    outcomes = pomdp.player_successors(state, action)
    table = {notation.cards_text(counts(end.hand[1]).elements()): p for p, end in outcomes}
    assert len(table) == len(outcomes)
    return table


def test_the_opponent_moves_on_after_its_skips():
    """On R1 it plays R+2 or RS. After RS it plays R+2 or YS; after YS it has to draw one of the
    three cards of the deck. Where a skip passes, it moves once."""
    deal = {"hands": ["R1 Y0 Y1", "RS YS R+2"], "top": "R0", "deck": "Y+2 W W+4"}
    drawn = {"R+2 Y+2": 1 / 12, "R+2 W": 1 / 12, "R+2 W+4": 1 / 12}
    pomdp = model()
    found = opponents_hands(pomdp, pomdp.state(**deal), "R1")
    assert found == pytest.approx({"RS YS": 1 / 2, "YS": 1 / 4, **drawn})
    pomdp = model(skip="pass")
    found = opponents_hands(pomdp, pomdp.state(**deal), "R1")
    assert found == pytest.approx({"RS YS": 1 / 2, "R+2 YS": 1 / 2})


def test_two_ways_to_a_state_add_up():
    """Skip and Reverse in either order, then R1: the same state."""
    pomdp = model({**TINY, "ranks": "01SR"})
    state = pomdp.state(hands=["R0 Y0", "RS RR R1 Y1"], top="W", colour="R")
    expected = {"RS RR Y1": 1 / 3, "RR Y1": 1 / 6, "RS Y1": 1 / 6, "Y1": 1 / 3}
    assert opponents_hands(pomdp, state, "R0") == pytest.approx(expected)


def test_skips_and_wins_end_the_step():
    pomdp = model(step_penalty=0.5)
    state = pomdp.state(hands=["R1 Y0", "RS YS"], top="R0")
    [(p, end)] = pomdp.player_successors(state, "R1")
    assert (p, end.winner) == (1, 1), "the opponent wins by a chain of skips"
    assert pomdp.player_transition_probability(state, "R1", end) == 1
    assert pomdp.player_transition_probability(state, "R1", state) == 0
    assert pomdp.reward(state, "R1", end) == -1.5
    state = pomdp.state(hands=["RS Y0", "R1 YS"], top="R0")
    [(p, after)] = pomdp.player_successors(state, "RS")
    assert (p, after.turn, after.held.tolist()) == (1, 0, [1, 2]), "I am to act at once"
    state = pomdp.state(hands=["R+2", "R1 YS"], top="R0")
    [(p, end)] = pomdp.player_successors(state, "R+2")
    assert (p, end.winner, end.held.tolist()) == (1, 0, [0, 2]), "a win comes before its effect"
    assert pomdp.reward(state, "R+2", end) == 0.5, "the winning step costs the penalty as well"


@SKIPS
@pytest.mark.parametrize("opponent", ["uniform", "rule"])
def test_steps_of_the_player_are_as_the_kernels_play_them(opponent, skip):
    pomdp, seen = model(COPIES, skip, opponent=opponent), Counter()
    player = PLAYERS[opponent]
    params, chance, choices = pomdp.rules.params, rng.generator(3), rng.generator(3, stream=2)
    scratch = np.zeros(contract.ACTIONS)
    # the rule player keeps R0; the other may come to draw, after two skips
    state = pomdp.state(hands=["R1 Y0 Y1", "RS YS R+2 R0"], top="R0")
    for _ in range(2_000):
        after = state.copy()
        contract.apply(params, after, notation.parse_action("R1"), chance)
        while after.turn == 1:
            move = players.choose(params, after, player, choices, scratch)
            contract.apply(params, after, move, chance)
        seen[pomdp.key(after)] += 1
    assert fits(by_key(pomdp, pomdp.player_successors(state, "R1")), seen)


def test_a_function_is_an_opponent_and_sees_only_its_own_cards():
    shown = []

    def opponent(observation, actions):
        shown.append(observation)
        return {actions[0]: 0.25, actions[-1]: 0.75}

    pomdp = model(opponent=opponent)
    for mine in ("R1 Y0", "R+2 W+4"):
        state = pomdp.state(hands=[mine, "RS Y1 W"], top="R0", turn=1)
        actions = pomdp.actions(state)
        assert pomdp.opponent_policy(state) == {actions[0]: 0.25, actions[-1]: 0.75}
    assert shown[0].tobytes() == shown[1].tobytes(), "my hand and the deck do not show"
    assert not counts(shown[0].hand[0]) + counts(shown[0].deck)
    assert counts(shown[0].hand[1]) == counts(state.hand[1])
    assert fsum(p for p, _ in pomdp.until_player(state)) == ONE


# --- observations, rewards, deals ----------------------------------------------------------------


def test_an_observation_is_certain_or_impossible_and_hides_what_it_should():
    mine, theirs = model(seat=0), model(seat=1)
    states = [mine.state(hands=["R1 Y0", hand], top="R0") for hand in ("RS Y1", "W W+4", "YS Y1")]
    other = mine.state(hands=["R1 YS", "RS Y1"], top="R0")
    seen = mine.observe(states[0])
    assert {mine.observe(state) for state in states} == {seen}
    assert len({mine.key(state) for state in states}) == 3
    assert [mine.observation_probability(seen, state) for state in states] == [1, 1, 1]
    assert mine.observation_probability(seen, other) == 0
    assert theirs.observation_probability(seen, states[0]) == 0
    assert theirs.observation_probability(theirs.observe(states[0]), states[0]) == 1


def test_what_a_view_holds_is_an_observation():
    table = kibitz.Table(kibitz.rules("uno", **TINY), seed=4)
    models = [kibitz.UnoPOMDP(table.rules, seat=seat) for seat in (0, 1)]
    while not table.over:
        for seat in (0, 1):
            said, state = table.view(seat).data, table.true_state()
            assert models[seat].observation_probability(said, state) == 1
            assert models[1 - seat].observation_probability(said, state) == 0
        table.play(table.legal_actions()[0])
    assert table.plies > 1


@pytest.mark.parametrize(("seat", "sign", "own"), [(0, 1, 0.1), (1, -1, 0)])
def test_rewards_of_both_seats_when_seat_0_moves(seat, sign, own):
    pomdp = model(seat=seat, step_penalty=0.1, discount=1)
    for hand, result in (("R1", sign), ("R1 Y0", 0)):
        state = pomdp.state(hands=[hand, "RS Y1"], top="R0")
        [(_, after)] = pomdp.successors(state, "R1")
        assert pomdp.reward(state, "R1", after) == pytest.approx(result - own)
    assert (pomdp.discount, model().discount) == (1, 0.95)


def dealt(state):
    """The hands, of one card each, and the card turned up."""
    return tuple(card for words in (*state.hand, state.pile) for card in counts(words))


def deals_by_hand(repeat_all):
    """Orders of six cards, each an object: a hand, a hand, the card turned up. If that is a wild
    either the whole deal is repeated, or (wrongly) only the turning up."""
    weights = Counter()
    for order in permutations(notation.parse_cards("R0 R0 R1 R1 W W")):
        tops = order[2:3] if repeat_all else [card for card in order[2:] if card != WILD]
        for top in tops:
            if top != WILD:
                weights[order[0], order[1], top] += 1 / len(tops)
    total = fsum(weights.values())
    return {deal: weight / total for deal, weight in weights.items()}


def test_deals_are_counted_and_dealt_with_their_probabilities():
    pomdp, chance, seen = model(FEW_DEALS), rng.generator(5), Counter()
    outcomes = pomdp.initial_states()
    expected = {dealt(state): p for p, state in outcomes}
    assert len(expected) == len(outcomes)
    assert expected == pytest.approx(deals_by_hand(repeat_all=True), abs=1e-12)
    state = outcomes[0][1].copy()
    for _ in range(3_000):
        contract.deal(pomdp.rules.params, state, chance)
        seen[dealt(state)] += 1
    assert fits(expected, seen)
    assert not fits(deals_by_hand(repeat_all=False), seen), "the whole deal is repeated"
    assert not fits(dict.fromkeys(expected, 1 / len(expected)), seen), "copies count"


def test_deals_of_a_tiny_deck_and_of_too_large_a_deck():
    pomdp = model({**TINY, "ranks": "0S+"})
    number = 6 * 21 * 10  # six tops, two cards of seven, two of five
    outcomes = pomdp.initial_states(limit=number)
    assert len(outcomes) == number
    assert fsum(p for p, _ in outcomes) == ONE
    assert all(state.turn == 0 and state.top_rank < WILD for _, state in outcomes)
    with pytest.raises(kibitz.KibitzError, match="more than 1259 deals"):
        pomdp.initial_states(limit=number - 1)
    with pytest.raises(kibitz.KibitzError, match="more than 100000 deals"):
        model({}).initial_states()


# --- mistakes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"discount": 1.1}, "discount must be a number from 0 to 1, not 1.1"),
        ({"discount": float("nan")}, "discount"),
        ({"step_penalty": -1}, "step_penalty must be a number, 0 or more, not -1"),
        ({"seat": 2}, "seat must be 0 or 1, not 2"),
        ({"opponent": "unifrom"}, "did you mean 'uniform'"),
        ({"opponent": 3}, "no opponent 3"),
    ],
)
def test_bad_options_are_refused(options, said):
    with pytest.raises(kibitz.KibitzError, match=said):
        model(**options)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"R1": 0.5, "RS": 0.4}, "sum to 0.9"),
        ({"R1": 0.5, "Y0": 0.5}, "legal are"),
        ({"R1": 1.5, "RS": -0.5}, "probability -0.5"),
        (None, "must give a dict"),
    ],
)
def test_an_opponent_that_gives_no_distribution_is_refused(given, said):
    answer = given and {notation.parse_action(text): p for text, p in given.items()}
    pomdp = model(opponent=lambda observation, actions: answer)
    state = pomdp.state(hands=["R+2 Y1", "R1 RS"], top="R0", turn=1)
    with pytest.raises(kibitz.KibitzError, match=said):
        pomdp.opponent_policy(state)


def test_what_cannot_be_done_is_refused():
    pomdp = model()
    state = pomdp.state(hands=["R1 Y0", "RS Y1"], top="R+2")
    with pytest.raises(kibitz.IllegalMove, match="'Y0' is illegal for seat 0; legal are R1"):
        pomdp.successors(state, "Y0")
    with pytest.raises(kibitz.KibitzError, match="seat 0 is to act, not seat 1"):
        model(seat=1).player_successors(state, "R1")
    [(_, over)] = pomdp.successors(pomdp.state(hands=["R1", "RS Y1"], top="R0"), "R1")
    assert pomdp.actions(over) == ()
    with pytest.raises(kibitz.IllegalMove, match="the game is over"):
        pomdp.player_successors(over, "draw")
    with pytest.raises(kibitz.KibitzError, match="an observation has 80 bytes"):
        pomdp.observation_probability(b"", state)
    with pytest.raises(kibitz.KibitzError, match="not a state of uno"):
        pomdp.key(np.zeros(1, np.uint64)[0])
    with pytest.raises(kibitz.KibitzError, match="rules must be of uno"):
        kibitz.UnoPOMDP(kibitz.rules("blob"))
