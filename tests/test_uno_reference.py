"""The reference values of the UNO POMDP: against the library's exact belief along games, against a
search through all policies that knows no beliefs, and against what can be worked out by hand."""

from collections import Counter
from functools import cache
from itertools import pairwise
from math import fsum
from random import Random

import pytest

import kibitz
from brute_uno_policies import check_policies
from kibitz.games.uno.game import counts
from kibitz.games.uno.layout import DRAW
from kibitz.games.uno.notation import action_text, cards_text, parse_action

ONE = pytest.approx(1, abs=1e-12)
SKIPS = pytest.mark.parametrize("skip", ["forfeit", "pass"])
SEATS = pytest.mark.parametrize("seat", [0, 1])
OPPONENTS = {"uniform": "uniform", "rule": "rule:temperature=0"}
"""Opponents, and what a belief calls them."""

SIX = {"colours": 2, "ranks": "0S", "wilds": 1, "wild_fours": 1, "hand_size": 2}
EIGHT = {"colours": 2, "ranks": "01+", "wilds": 1, "wild_fours": 1, "hand_size": 2}
COPIES = {"colours": 2, "ranks": "00SS+", "wilds": 0, "wild_fours": 0, "hand_size": 3}
REVERSES = {"colours": 3, "ranks": "01SR", "wilds": 1, "wild_fours": 0, "hand_size": 2}


@cache
def reference(deck="EIGHT", skip="forfeit", heuristic=None, **more):
    rules = kibitz.rules("uno", skip=skip, **globals()[deck])
    return kibitz.UnoReference(kibitz.UnoPOMDP(rules, **more), heuristic)


def even(pomdp, *deals, **common):
    """A belief in which some states are equally likely."""
    return [(1.0, pomdp.state(**deal, **common)) for deal in deals]


def table_of(pomdp, belief):
    """The chance of each state; none stands twice."""
    found = {pomdp.key(state): p for p, state in belief}
    assert len(found) == len(belief)
    return found


def mixed(pomdp, parts):
    """The mean of beliefs with chances."""
    found = Counter()
    for chance, belief in parts:
        for key, p in table_of(pomdp, belief).items():
            found[key] += chance * p
    return found


def ahead(state):
    """A heuristic for seat 0: how many more cards seat 1 holds, less a little for what fits."""
    hand = counts(state.hand[1])
    like = sum(n for card, n in hand.items() if card >> 4 == state.colour)
    return 0.1 * (float(state.held[1]) - float(state.held[0])) - 0.01 * like


# --- beliefs along games -------------------------------------------------------------------------


def game(found, seed, steps):
    """Play at a table; yields at each of the player's turns its belief, updated by what it saw, and
    its view. The player moves at random, the opponent as the POMDP says."""
    pomdp, choice = found.pomdp, Random(seed)
    table = kibitz.Table(pomdp.rules, seed=seed)
    sights = [found.first_sight(table.true_state())]
    belief = action = None
    while steps and not table.over:
        state = table.true_state()
        if state.turn == pomdp.seat:
            seen = tuple(sights)
            belief = found.update(belief, action, seen) if belief else found.initial(seen)
            action, sights, steps = choice.choice(table.legal_actions()), [], steps - 1
            yield belief, table.view(pomdp.seat)
            move = action
        else:
            policy = pomdp.opponent_policy(state)
            [move] = choice.choices(list(policy), policy.values())
        table.play(move)
        sights.append(found.sight(state, move, table.true_state()))


def hands(belief, seat):
    """What the opponent may hold; each hand belongs to one state."""
    found = {tuple(sorted(counts(s.hand[1 - seat]).elements())): p for p, s in belief}
    assert len(found) == len(belief)
    return found


@SEATS
@pytest.mark.parametrize("opponent", OPPONENTS)
@pytest.mark.parametrize(
    ("deck", "skip"), [("EIGHT", "pass"), ("COPIES", "pass"), ("COPIES", "forfeit")]
)
def test_tau_is_the_exact_belief_of_the_library(deck, opponent, seat, skip):
    found = reference(deck, skip, seat=seat, opponent=opponent)
    happened, turns = Counter(), 0
    for seed in range(8):
        for belief, view in game(found, seed, steps=8):
            exact = kibitz.belief(view, method="exact", model=OPPONENTS[opponent])
            assert exact.surprises == ()
            assert hands(belief, seat) == pytest.approx(exact.distribution(), abs=1e-9)
            assert fsum(p for p, _ in belief) == ONE
            turns += len(belief) > 1
        kinds = [(e.kind, e.seat) for e in view.events]
        happened.update(kinds)
        chain = [("play", 1 - seat), ("skip", seat), ("play", 1 - seat)]
        happened["chain"] += any(kinds[i : i + 3] == chain for i in range(len(kinds)))
    assert turns > 8
    assert all(happened[what] for what in (("draw", 0), ("draw", 1), ("reshuffle", -1)))
    assert (happened["chain"] > 0) == (skip == "forfeit")


@SKIPS
@SEATS
def test_chances_sum_to_one_and_give_back_the_transition(seat, skip):
    """Sum over o of P(o | b, a) tau(b, a, o) is where the states lead, whatever is seen."""
    found = reference("COPIES", skip, seat=seat, opponent="uniform")
    pomdp, wide = found.pomdp, 0
    turns = [turn for seed in (1, 3) for turn in game(found, seed, steps=6)]
    for belief, _ in turns:
        for action in pomdp.actions(belief[0][1]):
            chances = found.observation_chances(belief, action)
            assert fsum(chances.values()) == ONE
            assert min(chances.values()) > 0
            after = [(p, found.update(belief, action, o)) for o, p in chances.items()]
            steps = [(p, pomdp.player_successors(state, action)) for p, state in belief]
            right = mixed(pomdp, steps)
            assert mixed(pomdp, after) == pytest.approx(right, abs=1e-12)
            reward = fsum(
                p * q * pomdp.reward(state, action, end)
                for p, state in belief
                for q, end in pomdp.player_successors(state, action)
            )
            assert found.reward(belief, action) == pytest.approx(reward, abs=1e-12)
            wide += len(belief) > 1 and len(chances) > 1
            for o, (_, posterior) in zip(chances, after, strict=True):
                assert {pomdp.observe(state) for _, state in posterior} == {o[-1].observation}
                assert (o[0].seat, o[0].action) == (seat, action)
                assert all(sight.seat == 1 - seat for sight in o[1:])
    assert wide > 3


@SEATS
def test_the_first_belief(seat):
    found = reference("SIX", seat=seat)
    pomdp, openings = found.pomdp, found.openings()
    assert fsum(openings.values()) == ONE
    deals = [(p, pomdp.until_player(state)) for p, state in pomdp.initial_states()]
    everything = mixed(pomdp, deals)
    assert table_of(pomdp, found.initial()) == pytest.approx(everything, abs=1e-12)
    each = [(p, found.initial(seen)) for seen, p in openings.items()]
    assert mixed(pomdp, each) == pytest.approx(everything, abs=1e-12)
    by_look = {}
    for seen, p in openings.items():
        by_look.setdefault(seen[-1].observation, []).append((p, found.initial(seen)))
    for look, parts in by_look.items():
        total = fsum(p for p, _ in parts)
        right = {key: p / total for key, p in mixed(pomdp, parts).items()}
        assert table_of(pomdp, found.initial(look)) == pytest.approx(right, abs=1e-12)
    several = max(map(len, by_look.values()))
    assert (several == 1) == (seat == 0), "who begins has seen nothing but the deal"
    over = [seen for seen in openings if pomdp.is_over(found.initial(seen)[0][1])]
    assert bool(over) == (seat == 1), "by a chain of skips"
    assert all(found.value(found.initial(seen), 3) == 0 for seen in over)


# --- two ways to one observation -----------------------------------------------------------------


@pytest.fixture
def either_order():
    """I play R0. The opponent may answer RS, RR, R1 or RR, RS, R1 and is left with one card; all
    looks the same then. YS could have been played on RS, and GR on RR: by what it chose, one order
    has a chance of 1/9 and the other of 1/12."""
    found = reference("REVERSES")
    deals = [
        {"hands": ["R0 Y1 G1 Y0", f"RS RR R1 {last}"], "deck": f"{other} G0"}
        for last, other in (("YS", "GR"), ("GR", "YS"))
    ]
    return found, even(found.pomdp, *deals, top="W", colour="R")


def test_the_way_to_an_observation_matters(either_order):
    found, belief = either_order
    chances = found.observation_chances(belief, "R0")
    ways = {tuple(action_text(sight.action) for sight in o): o for o in chances}
    assert len(ways) == len(chances)
    skip_first, reverse_first = ways["R0", "RS", "RR", "R1"], ways["R0", "RR", "RS", "R1"]
    assert skip_first[-1] == reverse_first[-1], "all looks the same in the end"
    for o, likely in ((skip_first, "YS"), (reverse_first, "GR")):
        assert chances[o] == pytest.approx((1 / 9 + 1 / 12) / 2)
        posterior = found.update(belief, "R0", o)
        last = {cards_text(counts(state.hand[1])): p for p, state in posterior}
        assert last == pytest.approx({"YS": 3 / 7, "GR": 3 / 7} | {likely: 4 / 7})
        # Y1 loses to YS and G1 to GR
        assert found.value(posterior, 1) == pytest.approx(-3 / 7)
        assert found.best(posterior, 1) == parse_action("G1" if likely == "YS" else "Y1")


def test_to_forget_the_way_would_cost_something(either_order):
    """What Q would be if only the last observation of a step were known."""
    found, belief = either_order
    pomdp = found.pomdp
    by_look = {}
    for o, p in found.observation_chances(belief, "R0").items():
        for q, state in found.update(belief, "R0", o):
            by_look.setdefault(o[-1].observation, []).append((p * q, state))
    later = fsum(fsum(p for p, _ in part) * found.value(part, 1) for part in by_look.values())
    forgetful = found.reward(belief, "R0") + pomdp.discount * later
    lost = pomdp.discount * (1 / 9 + 1 / 12) * (1 / 2 - 3 / 7)
    assert found.q(belief, "R0", 2) == pytest.approx(forgetful + lost)


# --- values against all policies -----------------------------------------------------------------


@SKIPS
@pytest.mark.parametrize(("seat", "opponent"), [(0, "uniform"), (1, "rule"), (1, "uniform")])
def test_q_is_that_of_the_best_of_all_policies(seat, opponent, skip):
    options = {"seat": seat, "opponent": opponent, "step_penalty": 0.03, "discount": 0.9}
    found = reference("SIX", skip, heuristic=ahead, **options)
    openings = list(found.openings())
    tried, longest = 0, 0
    for seen in openings[:: 4 if seat == 0 else 7]:
        belief = found.initial(seen)
        if found.pomdp.is_over(belief[0][1]):
            continue
        for depth in (1, 2, 3):
            number, decisions = check_policies(found, belief, depth)
            tried, longest = tried + number, max(longest, decisions)
    assert tried > 60
    assert longest > 1


def test_all_policies_know_the_way_to_an_observation(either_order):
    found, belief = either_order
    check_policies(found, belief, 2)


# --- what can be worked out by hand --------------------------------------------------------------

ANYTHING = [{"hands": ["RS R0 R1", hand]} for hand in ("Y0 Y1", "YS W", "Y+2 W+4")]
TEN = {"colours": 2, "ranks": "01S+", "wilds": 1, "wild_fours": 1, "hand_size": 2}


def ten(**more):
    found = reference("TEN", **more)
    return found, lambda *deals, **common: even(found.pomdp, *deals, **common)


@pytest.mark.parametrize("penalty", [0, 0.125])
@pytest.mark.parametrize("discount", [1, 0.5, 0])
def test_a_forced_win_and_what_it_costs_to_wait(discount, penalty):
    """A skip, and then the last card: the opponent never moves. Each of the steps costs."""
    found, belief_of = ten(discount=discount, step_penalty=penalty)
    belief = belief_of(*({"hands": ["RS R1", d["hands"][1]]} for d in ANYTHING), top="R0")
    assert found.reward(belief, "RS") == found.q(belief, "RS", 1) == -penalty
    worth = -penalty + discount * (1 - penalty)
    assert [found.q(belief, "RS", depth) for depth in (2, 6)] == pytest.approx([worth, worth])
    if discount == 1:
        assert found.value(belief, 2) == pytest.approx(worth)
        assert found.best(belief, 2) == parse_action("RS")
    [(_, last)] = belief_of({"hands": ["R1", "Y0 Y1"]}, top="R0")
    assert found.value([(1, last)], 1) == found.value([(1, last)], 6) == 1 - penalty


def test_a_win_that_takes_three_steps():
    """Two skips, then the last card."""
    found, belief_of = ten(discount=0.5)
    belief = belief_of({"hands": ["RS YS Y1", "R1 Y0"]}, {"hands": ["RS YS Y1", "W R1"]}, top="R0")
    assert [found.q(belief, "RS", depth) for depth in (1, 2, 3, 7)] == [0, 0, 0.25, 0.25]


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_a_lost_position(depth):
    """Whatever I draw, the opponent plays its last card; or it wins by a chain of skips."""
    found, belief_of = ten(step_penalty=0.25, discount=0.5)
    drawing = belief_of({"hands": ["Y1 Y+2", "W"]}, {"hands": ["Y1 Y+2", "R1"]}, top="R0")
    assert found.value(drawing, depth) == found.q(drawing, "draw", depth) == -1.25
    chain = belief_of({"hands": ["R1 Y0", "RS YS"]}, top="R0")
    assert found.q(chain, "R1", depth) == -1.25


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_the_winning_step_costs_the_penalty_as_every_other(depth):
    found, belief_of = ten(step_penalty=0.25, discount=1)
    at_once = belief_of({"hands": ["R1", "Y0 Y1"]}, top="R0")
    assert found.value(at_once, depth) == found.reward(at_once, "R1") == 0.75
    skipping = belief_of({"hands": ["R1 RS", "Y0 Y1"]}, top="R0")
    assert found.q(skipping, "RS", depth) == (0.5 if depth > 1 else -0.25), "two steps"


def test_the_end_counts_nothing_but_its_reward():
    """Half of the time the opponent wins at once; the heuristic is asked about the rest alone."""
    found, belief_of = ten(discount=0.5, heuristic=lambda state: 0.5 if state.turn == 0 else 1e9)
    belief = belief_of({"hands": ["R1 Y0", "Y1"]}, {"hands": ["R1 Y0", "Y+2"]}, top="R0")
    assert found.reward(belief, "R1") == -0.5
    assert found.q(belief, "R1", 1) == -0.5 + 0.5 * (0.5 * 0.5)
    [lost] = [o for o in found.observation_chances(belief, "R1") if o[-1].action != DRAW]
    over = found.update(belief, "R1", lost)
    assert [found.value(over, depth) for depth in (0, 1, 4)] == [0, 0, 0]
    assert found.q_values(over, 2) == {}
    with pytest.raises(kibitz.IllegalMove, match="the game is over"):
        found.best(over, 1)


def test_depth_0_is_the_mean_of_the_heuristic():
    found, belief_of = ten(heuristic=ahead)
    [(_, one), (_, other)] = belief_of(
        {"hands": ["R1 Y0 YS", "R+2 RS"]}, {"hands": ["R1 Y0 YS", "Y1 Y+2"]}, top="R0"
    )
    assert found.value([(3, one), (1, other)], 0) == pytest.approx(
        0.75 * ahead(one) + 0.25 * ahead(other)
    )
    assert ahead(one) != ahead(other)
    assert ten()[0].value([(3, one), (1, other)], 0) == 0


def test_a_deep_value_of_a_tiny_game_is_found():
    """Beliefs come again, so depth costs little; and each step more changes less."""
    found = reference("EIGHT")
    changes = []
    for seen in list(found.openings())[40:100:40]:
        values = [found.value(found.initial(seen), depth) for depth in range(7)]
        assert max(map(abs, values)) <= 1
        changes.append([abs(more - less) for less, more in pairwise(values)])
        assert all(change <= 0.95**depth + 1e-12 for depth, change in enumerate(changes[-1]))
    assert any(change[5] > 0 for change in changes), "some games are that long"


def test_equal_beliefs_are_equal_however_they_are_written():
    """Weights need not add up to 1, a state may stand twice, and nobody can change it later."""
    found, belief_of = ten()
    [(_, one), (_, other)] = belief_of(*ANYTHING[:2], top="R+2")
    written = [(6.0, one), (1.0, other), (1.0, other.copy()), (0.0, one)]
    right = found.q_values([(0.75, one), (0.25, other)], 2)
    assert found.q_values(written, 2) == pytest.approx(right)
    later = one.copy()
    later.plies = 17
    assert found.q_values([(6.0, later), (2.0, other)], 2) == pytest.approx(right)
    later.turn = -1
    assert found.q_values(written, 2) == pytest.approx(right)


# --- mistakes ------------------------------------------------------------------------------------


def test_what_is_no_belief_is_refused():
    found, belief_of = ten()
    belief = belief_of(*ANYTHING, top="R+2")
    [(_, mine), (_, theirs)] = belief_of(
        {"hands": ["R1 Y0", "Y1"]}, {"hands": ["RS Y0", "Y1"]}, top="R0"
    )
    for wrong, said in (
        ([], "a belief needs a state"),
        ([(0, mine)], "a belief needs a state"),
        ([(-1, mine)], "cannot have the weight -1"),
        ([(float("nan"), mine)], "cannot have the weight nan"),
        ([(1, mine), (1, theirs)], "must look the same to seat 0"),
        (belief_of(ANYTHING[0], top="R+2", turn=1), "seat 0 is not to act"),
    ):
        with pytest.raises(kibitz.KibitzError, match=said):
            found.value(wrong, 1)
    small = reference("SIX", seat=0)
    with pytest.raises(kibitz.KibitzError, match="must look the same"):
        small.value(small.initial(), 1)
    for depth in (-1, 1.5, None):
        with pytest.raises(kibitz.KibitzError, match="depth must be a whole number, 0 or more"):
            found.value(belief, depth)
    with pytest.raises(kibitz.KibitzError, match="1 or more, not 0"):
        found.q(belief, "R0", 0)
    with pytest.raises(kibitz.IllegalMove, match="legal are"):
        found.q(belief, "Y0", 1)
    with pytest.raises(kibitz.KibitzError, match="'R77'"):
        found.reward(belief, "R77")


def test_what_cannot_be_seen_is_refused():
    found = reference("SIX", seat=0)
    belief = even(
        found.pomdp,
        {"hands": ["RS R0", "YS W"]},
        {"hands": ["RS R0", "Y0 W"]},
        top="W+4",
        colour="R",
    )
    o = next(iter(found.observation_chances(belief, "R0")))
    for action, seen in (("RS", o), ("R0", o[:1]), ("R0", ()), ("R0", (*o, o[-1]))):
        with pytest.raises(kibitz.KibitzError, match=f"after {action}: its probability is 0"):
            found.update(belief, action, seen)
    for seen in (o, (), o[-1].observation):
        with pytest.raises(kibitz.KibitzError, match="first to act: its probability is 0"):
            found.initial(seen)
    with pytest.raises(kibitz.KibitzError, match="an observation has 80 bytes"):
        found.initial(b"")
