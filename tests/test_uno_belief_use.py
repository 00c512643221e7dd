"""UNO beliefs as people use them: what they are told, what they answer, and what they refuse."""

import threading
from dataclasses import replace

import numpy as np
import pytest
from convergence import DECKS
from soundness import Findings, check_games

import kibitz
from helpers import PURE
from kibitz.games.belief import Options
from kibitz.games.uno.evidence import Evidence
from kibitz.games.uno.stories import Stories

RULES = kibitz.rules("uno", colours=2, ranks="0123SR+", wilds=1, wild_fours=1, hand_size=3)
OPENING = ("deal 0 R0 R1 Y2", "deal 1 3", "top R2")
N = 40 if PURE else 300


class Told:
    """What a seat was told, in notation."""

    seat = 0

    def __init__(self, *lines, rules=RULES):
        self.rules = rules
        self.events = tuple(kibitz.game_of(rules).parse_event(line) for line in lines)


def believe(*lines, **options):
    return kibitz.belief(Told(*OPENING, *lines), cache=None, n=N, **options)


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["1 plays R3"], "it is seat 0's turn"),
        (["0 plays R3"], "it is not in the hand"),
        (["0 draws W"], "the hand has a card that can be played"),
        (["0 plays R0", "1 plays R0"], "no copy is unseen"),
        (["0 plays R0", "1 plays Y3"], "it does not go on the top card"),
        (["0 plays R0", "1 plays G0"], "the colours are R, Y"),
        (["0 plays R0", "1 draws 2"], "the draw is of 1"),
        (["0 plays R0", "1 plays R+2", "0 plays R1"], "2 cards must be drawn"),
        (["0 plays R0", "1 plays R+2", "0 draws 2"], "the seat sees what it draws"),
        (["0 plays R0", "1 plays R+2", "0 draws R0 W"], "no copy of R0 is unseen"),
        (["0 plays R0", "over +1 -1 emptied", "1 plays R3"], "the game is over"),
    ],
)
@pytest.mark.parametrize("method", ["exact", "particles", "slots"])
def test_what_cannot_have_happened(lines, said, method):
    with pytest.raises(kibitz.BeliefError, match=said):
        believe(*lines, method=method)


def test_draws_from_an_empty_deck_need_a_reshuffle():
    rules = kibitz.rules("uno", colours=1, ranks="0123+", wilds=0, wild_fours=0, hand_size=2)
    told = ["deal 0 R0 R1", "deal 1 2", "top R2"]
    kibitz.belief(Told(*told, rules=rules), cache=None)
    with pytest.raises(kibitz.BeliefError, match="reshuffled first"):
        kibitz.belief(Told(*told, "0 plays R0", "1 plays R+2", "0 draws R3 R2", rules=rules))


def test_no_hand_fits():
    """The opponent drew on red with nothing playable, and red is all there is."""
    rules = kibitz.rules("uno", colours=1, ranks="0123", wilds=0, wild_fours=0, hand_size=1)
    lines = ["deal 0 R0", "deal 1 1", "top R2", "start 1 colour R pending 0", "1 draws 1"]
    for method in ("exact", "particles", "slots"):
        with pytest.raises(kibitz.BeliefError, match="no hand fits"):
            _ = kibitz.belief(Told(*lines, rules=rules), method=method, cache=None).ess


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "particle"}, "did you mean 'particles'"),
        ({"model": "rull"}, "did you mean 'rule'"),
        ({"n": 0}, "n must be"),
        ({"seed": -1}, "seed must be"),
        ({"method": "exact", "exact_limit": 10}, "more than exact_limit = 10"),
    ],
)
def test_bad_options(options, said):
    with pytest.raises(kibitz.KibitzError, match=said):
        kibitz.belief(Told(*OPENING), cache=None, **options).entropy()


def test_bad_events_and_seats():
    told = Told(*OPENING)
    with pytest.raises(kibitz.KibitzError, match="no event 'bid'"):
        kibitz.belief(told, cache=None).update(kibitz.Event("bid"))
    with pytest.raises(kibitz.BeliefError, match="begins with"):
        kibitz.belief(Told("deal 0 R0 R1 Y2"), cache=None).entropy()
    told.seat = 2
    with pytest.raises(kibitz.KibitzError, match="seat must be 0 to 1"):
        kibitz.belief(told)
    with pytest.raises(kibitz.KibitzError, match="hidden cards are with"):
        believe().probability("R0", 0)


# --- what is answered ----------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["exact", "particles", "slots"])
def test_answers(method):
    found = believe("0 plays R0", "1 plays R3", "0 plays R1", "1 draws 1", method=method)
    assert found.method == method
    text = found.summary()
    assert "The opponent holds 3 cards" in text
    assert "Could play on R1" in text
    table = found.marginals()
    assert table.expected[0].sum() == pytest.approx(3, abs=0.05)
    assert (table.expected.sum(axis=0) >= 0.99).all()
    assert found.probability("R0", 1) == 0  # it lies in the pile
    assert 0 < found.probability("Y0", 1) < 1
    assert 0 < found.probability("Y0", kibitz.STOCK) < 1
    assert found.can_play(0) is None
    assert sum(chance for _, chance in found.players(found.opponent)) == pytest.approx(1)
    worlds, weights = found.sample(5, 3)
    assert weights.sum() == pytest.approx(1)
    assert all(found.possible(world) for world in worlds)
    assert not any(found.rules_out(world) for world in worlds)
    assert set(found.holding(worlds[0], 1)) & set(found.holding(worlds[0], kibitz.STOCK)) == set()


def test_a_world_that_is_impossible():
    found = believe("0 plays R0", "1 draws 1", method="exact")
    world = found.sample(1, 1)[0][0]
    wrong = world.copy()
    wrong.hand[0] = 0
    assert not found.possible(wrong)
    wrong = world.copy()
    wrong.hand[1], wrong.deck = world.deck, world.hand[1]
    assert not found.possible(wrong)


def test_forced_draws_are_remembered():
    """What was playable at the draw came with it or later: at most one of the cards."""
    found = believe("0 plays R0", "1 draws 1", method="particles")
    reds = [c for c in found.asked if c >> 4 == 0 and c < 13]
    worlds, _ = found.sample(50, 1)
    assert max(len(set(reds) & set(found.holding(world, 1))) for world in worlds) <= 1


def test_more_particles_where_it_matters():
    found = believe("0 plays R0", method="particles")
    assert found.n == N
    larger = found.resized(2 * N)
    assert (larger.n, found.n) == (2 * N, N)
    assert larger.update(found.events[-1]._replace(seat=1, action=3)).n == 2 * N
    assert believe("0 plays R0", method="exact").resized(7).method == "exact"
    adaptive = believe("0 plays R0", "1 plays R3", method="particles", adaptive=True)
    assert adaptive.n == 4 * N  # two cards are left


def test_particles_are_drawn_afresh_when_none_is_left(monkeypatch):
    monkeypatch.setattr(Stories, "play", lambda *arguments: None)
    found = believe("0 plays R0", "1 plays R3", method="particles", model="uniform")
    assert found.recoveries == 1
    assert all(found.possible(world) for world in found.sample(20, 1)[0])


def test_auto_turns_to_particles_when_there_are_too_many_hands():
    told = Told("deal 0 R0 R1 R+2", "deal 1 3", "top R2", "0 plays R+2", "1 draws 2")
    options = {"cache": None, "exact_limit": 230, "n": N}
    before = Told()
    before.events = told.events[:-1]
    assert kibitz.belief(before, **options).method == "exact"
    assert kibitz.belief(told, **options).method == "particles"
    with pytest.raises(kibitz.BeliefError, match="too many hands"):
        kibitz.belief(told, method="exact", **options)


@pytest.mark.skipif(PURE, reason="numpy's settings, which plain Python needs, are per thread")
def test_beliefs_can_be_updated_on_threads():
    """Kernels run without the interpreter's lock: nothing may be shared between updates."""
    before = believe("0 plays R0", method="particles")
    event = kibitz.game_of(RULES).parse_event("1 plays R3")
    right = before.update(event).sample(20, 1)[0].tobytes()
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(before.update(event).sample(20, 1)[0]))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [worlds.tobytes() for worlds in found] == [right] * 8


def test_entropy_estimates_are_near_the_truth():
    """Also after a reshuffle, with cards left in the deck."""
    rules = kibitz.rules(
        "uno", colours=2, ranks="0011S+", wilds=1, wild_fours=1, hand_size=3, max_plies=150
    )
    if PURE:
        pytest.skip("needs many stories")
    differences = []
    for seed in range(12):
        view = kibitz.play_out(rules, ["random", "rule"], seed).view(seed % 2)
        for cut in (8, 14, 30):
            part = replace(view, events=view.events[:cut])
            right = kibitz.belief(part, method="exact", cache=None).entropy()
            found = kibitz.belief(part, method="particles", n=400, cache=None)
            assert not found.entropy_is_exact
            differences.append(found.entropy() - right)
    assert np.abs(np.mean(differences)) < 0.25
    assert np.quantile(np.abs(differences), 0.9) < 0.8


# --- against the truth ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["uno", "blob"])
def test_beliefs_are_sound(name):
    rules = kibitz.rules(name, **({"cards": 4} if PURE and name == "blob" else {}))
    game = kibitz.game_of(rules)
    options = Options("auto", kibitz.model(game.default_model), 20, 0)
    found = check_games(rules, 0, 1 if PURE else 12, options, "random")
    assert found.sound, found.first_fault
    assert found.checks > 50


@pytest.mark.skipif(PURE, reason="needs more games than plain Python can play")
@pytest.mark.parametrize(
    ("rules", "particles", "first", "games"),
    [
        (kibitz.rules("uno"), 30, 0, 100),
        (kibitz.rules("uno"), 100, 264, 1),  # at the end no hand was left, and none was found anew
        (kibitz.rules("uno", hand_size=30), 30, 0, 50),
        (kibitz.rules("uno", hand_size=50), 100, 0, 40),
        (kibitz.rules("uno", hand_size=50), 100, 213, 1),  # three copies of a card, nearly
        (kibitz.rules("uno", hand_size=50), 30, 2497, 1),  # only dead ends were drawn
        *((deck, 30, 0, 100) for deck in DECKS),
    ],
    ids=str,
)
def test_beliefs_follow_every_legal_game(rules, particles, first, games):
    """After a reshuffle that leaves cards in the deck, own draws pin those cards down; and the
    default model calls nothing impossible. Thousands of games more are a command."""
    game = kibitz.game_of(rules)
    options = Options("particles", kibitz.model(game.default_model), particles, 0)
    found = check_games(rules, first, games, options, "random", truth=False)
    assert found.sound, found.first_fault
    assert found.updates > 10 * games


@pytest.mark.skipif(PURE, reason="long games")
def test_a_hand_that_nothing_explains_is_tried_once(monkeypatch):
    """After a reshuffle that left three of forty cards in the deck there are thousands of ways in
    which things may have begun, all leading to ten hands: to try all ways again for each of them
    took minutes."""
    tried = 0
    plain = Evidence._beginnings

    def counted(self, hand, choice=None):
        nonlocal tried
        for begin in plain(self, hand, choice):
            tried += 1
            assert tried < 50_000, "it tries the same again and again"
            yield begin

    monkeypatch.setattr(Evidence, "_beginnings", counted)
    rules = kibitz.rules("uno", hand_size=50)
    game = kibitz.game_of(rules)
    options = Options("particles", kibitz.model(game.default_model), 30, 0)
    found = check_games(rules, 8504, 1, options, "random", truth=False)
    assert found.sound, found.first_fault
    assert tried > 1000


def test_unsound_beliefs_are_found(monkeypatch):
    rules = RULES
    game = kibitz.game_of(rules)
    options = Options("auto", kibitz.model("uniform"), 20, 0)
    kind = type(game.belief(rules, 0, options))
    with monkeypatch.context() as patch:
        patch.setattr(kind, "possible", lambda *_: False)
        assert check_games(rules, 0, 1, options, "random").impossible
    with monkeypatch.context() as patch:
        patch.setattr(kind, "update", lambda self, event: 1 / 0)
        found = check_games(rules, 0, 2, options, "random")
        assert found.raised == 2
        assert "ZeroDivisionError" in found.first_fault
    with monkeypatch.context() as patch:
        patch.setattr(kind, "surprises", (None,))
        assert check_games(rules, 0, 1, options, "random").surprised == 2
    both = Findings(games=1, raised=1, first_fault="a")
    both.add(Findings(games=2, checks=3))
    assert (both.games, both.checks, both.raised, both.sound) == (3, 3, 1, False)


def test_models_that_call_the_truth_impossible_break_nothing():
    """Random players and the rule player at temperature 0, or nearly: choices are left out."""
    for method in ("auto", "particles", "slots"):
        for model in ("rule:temperature=0", "rule:temperature=0.02"):
            options = Options(method, kibitz.model(model), N, 0)
            found = check_games(RULES, 0, 1 if PURE else 8, options, "random")
            assert not found.raised, found.first_fault
            # an exact belief may give the truth no chance under such a model, and only then
            assert found.sound or found.exact, found.first_fault


def test_a_function_may_call_choices_impossible():
    def never_wild(rules, state):
        return {action: 0.0 if action & 15 >= 13 else 0.2 for action in range(64)}

    options = Options("particles", kibitz.model(never_wild), 20, 0)
    found = check_games(RULES, 3, 1 if PURE else 3, options, "random")
    assert found.sound, found.first_fault


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("reshuffle", "the deck has the 1 to be drawn"),
        ("1 is skipped", "no Skip or Reverse"),
        ("over +1 -1 bored", "emptied, exhausted or truncated"),
        ("top R3", "belongs to the beginning"),
    ],
)
def test_events_that_do_not_fit(line, said):
    with pytest.raises(kibitz.BeliefError, match=said):
        believe("0 plays R0", line)


@pytest.mark.skipif(PURE, reason="a hundred thousand hands, one by one")
def test_more_hands_on_the_way_than_in_the_end():
    rules = kibitz.rules("uno", colours=3, ranks="0123456789", wilds=1, wild_fours=0, hand_size=10)
    view = kibitz.Table(rules, seed=1).view(0)
    found = kibitz.belief(view, n=20_000, cache=None)
    assert found.method in ("exact", "particles")


def test_worlds_are_asked_for_sensibly():
    with pytest.raises(kibitz.KibitzError, match="at least one world"):
        believe().sample(0, 1)
    assert len(believe().sample(2, np.int64(3))[0]) == 2
