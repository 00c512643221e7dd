"""Luck and skill: parts that add up to the result, values that are right, honest errors."""

import numpy as np
import pytest

import kibitz
from helpers import fewer, play_on, played, split
from kibitz import contract, rng
from kibitz.evaluate.known import FIXED, RANDOMNESS, by_fixed_player, loose_chances, play_deals
from kibitz.evaluate.known import play_on as kernel_play_on
from kibitz.games.base import members

TINY = {"colours": 2, "ranks": "0112S+", "wilds": 1, "wild_fours": 1, "hand_size": 3}
RULES = [
    kibitz.rules("uno"),
    kibitz.rules("uno", skip="pass"),
    kibitz.rules("uno", skip="pass", max_plies=60, **TINY),
    kibitz.rules("blob"),
    kibitz.rules("blob", players=3, cards=4, trump="turned", miss="penalty"),
    kibitz.rules("blob-game", players=3, start=3, trumps=("random", "turned", "none")),
]
names = pytest.mark.parametrize("rules", RULES, ids=str)


def states_and_actions(table):
    states = [step.state for step in table.steps()]
    said = [text.partition(" ")[0] for text in table.record().actions]
    game = kibitz.game_of(table.rules)
    return states, [game.parse_action(s, text) for s, text in zip(states, said, strict=False)]


def luck_of(table, **more):
    return split(table.rules, *states_and_actions(table), **more)


@names
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_parts_add_up_to_the_result(rules, seed):
    table = played(rules, seed)
    luck = luck_of(table, plays=fewer(100), seed=seed)
    total = np.sum([part.worth.value for part in luck.parts], axis=0)
    assert total == pytest.approx(table.returns(), abs=1e-9)
    assert luck.values[-1].value == tuple(table.returns())
    assert luck.values[-1].error == (0.0,) * rules.seats


@names
def test_moves_lead_from_one_value_to_the_next(rules):
    luck = luck_of(played(rules, 4), plays=fewer(60))
    for k, (changed, drawn) in enumerate(zip(luck.decisions, luck.draws, strict=True)):
        moved = np.add(changed.value, drawn.value)
        step = np.subtract(luck.values[k + 1].value, luck.values[k].value)
        assert moved == pytest.approx(step, abs=1e-9)


@names
def test_decisions_and_draws_are_those_of_the_seat_that_moved(rules):
    table = played(rules, 4)
    luck = luck_of(table, plays=fewer(60))
    movers = [step.seat for step in table.steps()[1:]]
    for part in luck.parts:
        if part.of is not None:
            moves = luck.decisions if part.kind == "decisions" else luck.draws
            own = [m.value for m, seat in zip(moves, movers, strict=True) if seat == part.of]
            assert part.worth.value == pytest.approx(np.sum(own, axis=0), abs=1e-9)


@names
def test_there_is_no_luck_without_chance_and_no_skill_without_choice(rules):
    table = played(rules, 5)
    states, actions = states_and_actions(table)
    luck = luck_of(table, plays=fewer(60))
    game = kibitz.game_of(rules)
    nothing = (0.0,) * rules.seats
    lucky = chosen = 0
    for k, action in enumerate(actions):
        drew = game.outcome_text(rules, states[k], action, states[k + 1])
        choice = len(members(contract.legal_actions(rules.params, states[k]))) > 1
        lucky += bool(drew)
        chosen += choice
        if not drew:
            assert luck.draws[k].value == luck.draws[k].error == nothing
        if not choice:
            assert luck.decisions[k].value == luck.decisions[k].error == nothing
    assert chosen
    kinds = {part.kind for part in luck.parts}
    assert ("draws" in kinds) == (rules.game == "uno" and lucky > 0)


def played_on(rules, state, n, seed):
    """Mean and error of each seat's return when a state is played on, by the plain way."""
    start = np.zeros(1, kibitz.game_of(rules).dtype)
    start[0] = state
    sums = np.zeros((2, rules.seats))
    weights = np.array(kibitz.game_of(rules).weights)
    source = rng.generator(seed, stream=99)
    kernel_play_on(rules.params, start, -1, n, by_fixed_player(rules.seats, weights), source, sums)
    mean = sums[0] / n
    return mean, np.sqrt((sums[1] / n - mean**2) / n)


@pytest.mark.parametrize("rules", [r for r in RULES if r.game != "blob-game"], ids=str)
def test_values_are_those_of_playing_on_and_errors_are_honest(rules):
    """Each value is put together from many estimates; here it is found at once, with more games.
    Far from it would be five errors, and on average they are about one."""
    table = played(rules, 6)
    luck = luck_of(table, plays=fewer(400), seed=3)
    off = []
    for k, step in enumerate(table.steps()[:-1]):
        mean, error = played_on(rules, step.state, fewer(20_000), k)
        both = np.hypot(error, luck.values[k].error) + 1e-9
        off += list(np.abs(mean - luck.values[k].value) / both)
    assert max(off) < 5
    typical = np.sqrt(np.mean(np.square(off)))
    assert typical < 1.5
    assert typical > 0.3 or rules.game == "blob", "in Blob many values are certain"


@names
def test_errors_of_parts_are_honest(rules):
    """The same game split with many seeds: the parts spread as their errors say. Where nearly all
    games end alike the errors are larger, on purpose: few games do not prove a value."""
    table = played(rules, 7)
    runs = [luck_of(table, plays=fewer(100), seed=seed) for seed in range(fewer(40))]
    for k, part in enumerate(runs[0].parts):
        values = np.array([run.parts[k].worth.value[0] for run in runs])
        said = np.sqrt(np.mean([run.parts[k].worth.error[0] ** 2 for run in runs]))
        if len(runs) > 20:
            assert values.std(ddof=1) <= 1.4 * said, part
            assert part.kind != "seat" or values.std(ddof=1) >= 0.6 * said


def test_the_fixed_player_is_the_one_that_plays_on():
    """V is weighed by its chances: they are those with which it acts."""
    rules = kibitz.rules("uno")
    table = played(rules, 1, plies=4)
    chance = np.zeros(64)
    loose_chances(rules.params, table.true_state(), FIXED, RANDOMNESS, chance)
    assert chance.sum() == pytest.approx(1)
    assert set(np.flatnonzero(chance)) == set(table.legal_actions())


def test_a_seat_is_worth_what_fresh_deals_bring():
    """Alone at the table, so to speak: each player gets the same in the mean of all dealers."""
    rules = kibitz.rules("uno", hand_size=1, colours=1, ranks="0", wilds=4, wild_fours=0)
    sums = np.zeros((2, 2))
    before = np.zeros(1, kibitz.game_of(rules).dtype)
    source = rng.generator(1, stream=99)
    evaluator = by_fixed_player(rules.seats, np.zeros(3))
    play_deals(rules.params, before, -1, fewer(500), evaluator, source, sums)
    assert sums[0].tolist() == [fewer(500), -fewer(500)], "whoever begins can always play"


def test_later_rounds_do_not_change_what_a_move_is_worth():
    """The first round of a game is split as the same round alone, but for what is added for the
    rounds to come."""
    options = {"players": 3, "trumps": ("hearts",)}
    long = played(kibitz.rules("blob-game", schedule=(3, 2), **options), 2)
    short = kibitz.Table.from_deal(
        kibitz.rules("blob-game", schedule=(3,), **options), **long.record().deal
    )
    for text in long.record().actions[:12]:
        short.play(text.partition(" ")[0])
    assert short.over
    plays = fewer(2000)
    ours, alone = luck_of(long, plays=plays), luck_of(short, plays=plays, dealt=False)
    added = ours.beside[0]
    assert min(added) > 3, "what a round of two cards is worth"
    assert set(ours.beside[:12]) == {added}
    for k in range(12):
        for a, b in [(ours.decisions[k], alone.decisions[k]), (ours.values[k], alone.values[k])]:
            gap = np.subtract(a.value, b.value) - (added if a is ours.values[k] else 0)
            assert (np.abs(gap) <= 5 * np.hypot(a.error, b.error) + 1e-9).all()


def test_a_position_that_was_set_up_has_no_luck_of_the_deal():
    rules = kibitz.rules("uno")
    table = kibitz.Table.from_deal(rules, hands=["R5 R6", "G1 B2"], top="R3", seed=1)
    play_on(table, 1)
    parts = {part.kind: part.worth for part in luck_of(table, plays=50, dealt=False).parts}
    assert parts["deal"].value == parts["deal"].error == (0.0, 0.0)


def test_good_play_is_skill_and_bad_play_is_not():
    """Of many rounds: the keen player does better than one at random, and it is in its
    decisions, not in its luck."""
    rules = kibitz.rules("blob", players=2, cards=4, trump="hearts")
    found = {"decisions": [0.0, 0.0], "deal": [0.0, 0.0]}
    rounds = fewer(200)
    for seed in range(rounds):
        table = kibitz.play_out(rules, ["keen", "random"], seed)
        for part in luck_of(table, plays=30, seed=seed).parts:
            if part.kind == "deal":
                found["deal"] = np.add(found["deal"], part.worth.value)
            elif part.kind == "decisions":
                found["decisions"][part.of] += part.worth.value[part.of]
    mean = {kind: np.divide(values, rounds) for kind, values in found.items()}
    if rounds > 50:
        assert mean["decisions"][0] > 0 > -1 > mean["decisions"][1]
        assert np.abs(mean["deal"]).max() < 1
