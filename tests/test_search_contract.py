"""What every game owes to a search: what a seat sees of chance, where a stage ends, what values can
be, how many decisions are left."""

from collections import Counter

import numpy as np
import pytest

import kibitz
from helpers import RULE_SETS, dealt, fewer, observed, random_states, random_steps, sampled, to_act
from kibitz import contract, rng
from kibitz.games.uno.game import counts

EVERY = pytest.mark.parametrize("rules", RULE_SETS, ids=str)


def glimpse(rules, state, seat):
    return int(contract.glimpse(rules.params, state, seat))


def stage(rules, state):
    return int(contract.stage(rules.params, state))


def returns(rules, state):
    out = np.zeros(rules.seats)
    contract.returns(rules.params, state, out)
    return out


@EVERY
def test_a_glimpse_is_of_what_the_seat_may_know(rules):
    for state in random_states(rules, 1):
        for seat in range(rules.seats):
            seen = observed(rules, state, seat)
            assert glimpse(rules, state, seat) == glimpse(rules, seen, seat)


@EVERY
def test_after_the_same_action_glimpses_are_equal_exactly_if_the_seat_sees_the_same(rules):
    differed = False
    for before, action, _, _, _ in random_steps(rules, 2):
        ends = []
        for seed in range(4):
            after = before.copy()
            contract.apply(rules.params, after, action, rng.generator(seed))
            ends.append(after)
        for seat in range(rules.seats):
            looks = [observed(rules, end, seat).tobytes() for end in ends]
            words = [glimpse(rules, end, seat) for end in ends]
            for k in range(1, len(ends)):
                assert (looks[0] == looks[k]) == (words[0] == words[k])
            differed |= len(set(looks)) > 1
    if rules == kibitz.rules(rules.game):
        assert differed == (rules.game != "blob")


@EVERY
def test_a_glimpse_changes_by_the_action_and_what_is_shown_whatever_was_held(rules):
    """Worlds that look the same to one seat, in which another acts: what the other sees change
    depends on the action and on the cards it draws, not on its hand."""
    changes = {}
    for number, (before, action, after, _, _) in enumerate(random_steps(rules, 3)):
        mover = to_act(rules, before)
        if stage(rules, before) != stage(rules, after):
            continue
        watcher = (mover + 1) % rules.seats
        for seed in range(6):
            world = sampled(rules, observed(rules, before, watcher), watcher, rng.generator(seed))
            if not int(contract.legal_actions(rules.params, world)) >> action & 1:
                continue
            moved = world.copy()
            contract.apply(rules.params, moved, action, rng.generator(seed, 1))
            change = (glimpse(rules, moved, mover) - glimpse(rules, world, mover)) % 2**64
            drawn = ()
            if rules.game == "uno":
                more = Counter(counts(moved.hand[mover]))
                more.subtract(counts(world.hand[mover]))
                drawn = tuple(sorted((c, n) for c, n in more.items() if n > 0))
            assert changes.setdefault((number, drawn), change) == change
    assert changes or rules.deck_size < 6


@EVERY
def test_stages_end_where_hands_are_dealt_anew_and_returns_stay_in_their_bounds(rules):
    for seed in range(fewer(4) + 1):
        state, _ = dealt(rules, seed)
        start, base = stage(rules, state), returns(rules, state)
        low, high = contract.bounds(rules.params, state)
        for before, _, after, _, _ in random_steps(rules, seed):
            new = rules.game == "blob-game" and after.round_index != before.round_index
            assert (stage(rules, before) != stage(rules, after)) == new
            if new or to_act(rules, after) < 0:
                change = returns(rules, after) - base
                assert (low <= change).all()
                assert (change <= high).all()
                if new:
                    start, base = stage(rules, after), returns(rules, after)
                    low, high = contract.bounds(rules.params, after)
        assert start == stage(rules, after)


@EVERY
def test_a_countdown_is_the_number_of_decisions_left(rules):
    steps = list(random_steps(rules, 5))
    counted = 0
    for k, (before, _, _, _, _) in enumerate(steps):
        said = int(contract.countdown(rules.params, before))
        if said < 0:
            continue
        counted += 1
        here = stage(rules, before)
        left = [s for s in steps[k:] if stage(rules, s[0]) == here]
        assert said == len(left)
        for _, _, after, chance_before, chance_after in left[:-1]:
            assert chance_before.tobytes() == chance_after.tobytes()
            assert stage(rules, after) == here
    assert bool(counted) == (rules.game != "uno")


@EVERY
def test_estimates_are_possible_values(rules):
    weights = np.array(kibitz.game_of(rules).weights)
    for state in random_states(rules, 6)[:-1]:
        out = np.full(rules.seats, np.nan)
        contract.estimate(rules.params, state, weights, out)
        low, high = contract.bounds(rules.params, state)
        assert (low - 1 <= out).all()
        assert (out <= high).all()
        if rules.game == "uno":
            assert out.sum() == 0


def test_an_estimate_likes_fewer_cards_and_wilds_and_an_opponent_who_cannot_play():
    rules = kibitz.rules("uno")
    game = kibitz.game_of(rules)

    def guess(mine, theirs):
        state = game.set_up(rules, {"hands": [mine, theirs], "top": "R5"})
        out = np.zeros(2)
        contract.estimate(rules.params, state, np.array(game.weights), out)
        return out[0]

    assert guess("G1 G2", "G3 G4 G6") > guess("G1 G2 G3", "G4 G6 G7") > guess("G1 G2 G3", "G4 G6")
    assert guess("W G2", "G3 G4") > guess("G1 G2", "G3 G4") > guess("G1 G2", "R3 R4")
