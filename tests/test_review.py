"""Reviews: grades from what the player saw, all that a page needs, and the command."""

import itertools
import json
import math
import sys
from types import SimpleNamespace

import pytest

import kibitz
from helpers import PURE, fewer, play_on, played
from kibitz.agents.base import Decision, Move
from kibitz.agents.grading import BANDS, NAMES

QUICK = {"uno": "flat:sims=300", "blob": "pomcp:sims=300,keep=0"}
QUICK["blob-game"] = QUICK["blob"]
RULES = [
    kibitz.rules("uno"),
    kibitz.rules("blob"),
    kibitz.rules("blob-game", players=3, start=3, trumps=("random", "turned", "none")),
]
names = pytest.mark.parametrize("rules", RULES, ids=str)


def looked_at(table, seat=None, agent=None, **more):
    """A review of the game on a table, with little work."""
    more = {"plays": fewer(200), **more}
    return kibitz.review(table.record(), seat, agent or QUICK[table.rules.game], **more)


# --- grades --------------------------------------------------------------------------------------


def decision(*values, error=0.001):
    """A search that found these values for actions 0, 1, ... of a Blob bid."""
    moves = [Move(k, str(k), 100, 0.1, value, error) for k, value in enumerate(values)]
    return Decision(0, moves=tuple(moves))


BID = kibitz.position("blob", players=2, hand="AS KH 9H 3D 2C", trump="hearts").view


@pytest.mark.parametrize(
    ("loss", "name"),
    [
        (1.9, "good"),
        (2.1, "inaccuracy"),
        (4.9, "inaccuracy"),
        (5.1, "mistake"),
        (9.9, "mistake"),
        (10.1, "blunder"),
        (90, "blunder"),
    ],
)
def test_a_grade_is_a_band_of_percentage_points(loss, name):
    """Ten points are at stake in a bid: a point is ten percentage points."""
    found = kibitz.grade(BID, decision(9.5, 9.5 - loss / 10), 1)
    assert (found.name, found.best) == (name, "0")
    assert found.loss == pytest.approx(loss)
    assert found.error == pytest.approx(0.01 * math.sqrt(2))


def test_the_best_move_and_what_cannot_be_told_from_it_are_best():
    found = decision(5.0, 4.0, 6.0, error=0.4)
    assert kibitz.grade(BID, found, 0) == kibitz.Grade("best", 0.0, 0.0, "0")
    near = kibitz.grade(BID, found, 1)
    assert (near.name, near.loss) == ("best", pytest.approx(10.0))
    assert kibitz.grade(BID, found, 2).loss == 0.0, "nothing is lost by a move of higher value"
    assert kibitz.grade(BID, decision(5.0, 4.0, error=0.3), 1).name == "blunder"


def test_a_move_that_was_not_searched_has_no_grade():
    assert kibitz.grade(BID, decision(5.0, 4.0), 3) is None


def test_a_forced_move_is_forced():
    view = kibitz.position("uno", hand="R5 G4", top="R3", theirs=5).view
    forced = kibitz.grade(view, Decision(view.actions[0]), view.actions[0])
    assert forced == kibitz.Grade("forced", 0.0, 0.0, "R5")


def neighbours(view):
    """Pairs of cards in the hand with nothing between them that anybody still holds: to play the
    one or the other is the same."""
    seen = view.observation
    on_table = sum(1 << int(card) for card in seen.trick if card >= 0)
    live = int(view.rules.params.deck) & ~(int(seen.played) & ~on_table)
    cards = sorted(view.actions)
    return [
        (a, b)
        for a, b in itertools.pairwise(cards)
        if a >> 4 == b >> 4 and not any(live >> c & 1 for c in range(a + 1, b))
    ]


@pytest.mark.skipif(PURE, reason="searches of 20,000 simulations")
def test_nobody_is_blamed_for_a_card_as_good_as_the_best():
    rules = kibitz.rules("blob", players=4, cards=5, trump="random")
    graded = []
    for seed in range(100, 125):
        table = kibitz.play_out(rules, ["rule"] * 4, seed)
        while table.plies > 4:  # back to the first card
            table.undo()
            view = table.view(table.to_act)
            for pair in neighbours(view):
                thinking = kibitz.Thinking(view, "coach")
                while thinking.step():
                    pass
                found = thinking.decision()
                if found.action in pair:
                    graded += [kibitz.grade(view, found, action).name for action in pair]
    assert len(graded) > 50
    assert not {"mistake", "blunder"} & set(graded), graded


def test_bands_rise_and_names_are_distinct():
    bounds = [bound for bound, _ in BANDS]
    assert bounds == sorted(bounds)
    assert math.isinf(bounds[-1])
    assert len(set(NAMES)) == len(NAMES)


def test_what_is_at_stake():
    def whole(name, **options):
        rules = kibitz.rules(name, **options)
        return kibitz.game_of(rules).whole(rules)

    assert whole("uno") == 2
    assert whole("blob") == whole("blob-game") == 10
    assert whole("blob", exact_bonus=0, cards=5, points_per_trick=3) == 15
    assert whole("blob-game", exact_bonus=0, schedule=(2, 4, 1)) == 4
    assert whole("blob", exact_bonus=0, points_per_trick=0) == 1


# --- the whole review ----------------------------------------------------------------------------


def planted():
    """Seat 0 holds two cards that fit and one more that wins at once if the other is played first;
    it played the wrong one: after R5 any move ends the game, after RS it moves again."""
    rules = kibitz.rules("uno")
    table = kibitz.Table.from_deal(rules, hands=["RS R5", "R1 R2 R3 R4 R6 R7 R8"], top="R3", seed=1)
    table.play("R5")  # RS, then R5, would have won
    return play_on(table, 3, 6)


def test_a_planted_blunder_is_found_and_stands_first():
    found = kibitz.review(planted().record(), 0, plays=50)
    first = found.worst[0]
    assert (first.ply, first.move) == (0, "R5")
    assert (first.grade.name, first.grade.best) == ("blunder", "RS")
    assert first.grade.loss > 10
    told = found.to_dict()
    assert told["worst"][0] == 0
    assert told["moves"][0]["best"] == "RS"


def test_grades_hang_on_what_the_seat_saw_and_on_nothing_else():
    """Hidden cards exchanged: the truth changes, the grades do not."""
    rules = kibitz.rules("uno")
    hidden = ["R1 R2 R3 R4 R6 R7 R8", "B1 B2 B3 B4 G6 G7 W+4"]
    found = []
    for theirs in hidden:
        table = kibitz.Table.from_deal(rules, hands=["RS R5 G1 G2 Y3", theirs], top="R3", seed=1)
        table.play("RS")
        table.play("R5")
        found.append(looked_at(table, 0))
    one, other = (
        [(m.move, m.grade, m.decision.moves, m.decision.values) for m in f.moves] for f in found
    )
    assert one == other
    assert all(grade is not None for _, grade, *_ in one)
    assert found[0].luck.values[0] != found[1].luck.values[0]


def test_a_grade_is_what_advice_says():
    table = played(kibitz.rules("blob", players=3, cards=3), 3)
    found = looked_at(table, 1, seed=5)
    move = next(m for m in found.moves if m.seat == 1)
    before = kibitz.Table.replay(table.record(), move.ply)
    advice = kibitz.advise(before.view(1), QUICK["blob"], seed=5)
    assert advice.moves == move.decision.moves
    action = kibitz.game_of(table.rules).parse_action(before.true_state(), move.move)
    assert kibitz.grade(before.view(1), advice, action) == move.grade


@names
def test_the_json_has_everything(rules):
    table = played(rules, 8)
    found = looked_at(table)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    seats = range(rules.seats)
    assert told["format"] == 1
    assert (told["game"], told["rules"]) == (rules.game, table.record().rules)
    assert told["result"]["returns"] == table.returns()
    assert told["result"]["finished"]
    assert told["start"]["hands"] == [hand.split() for hand in table.record().deal["hands"]]
    assert len(told["moves"]) == table.plies
    assert [move["ply"] for move in told["moves"]] == list(range(table.plies))
    for move in told["moves"]:
        assert move["grade"]["name"] in NAMES
        assert (move["seen"] is None) == (move["grade"]["name"] == "forced")
        assert (move["moves"] == []) == (move["grade"]["name"] == "forced")
        assert len(move["hands"]) == len(move["truth"]["value"]) == rules.seats
        for seat in seats:
            assert told["low"] - 1e-9 <= move["truth"]["value"][seat] <= told["high"] + 1e-9
    for part in told["split"]:
        total = sum(share["value"] for share in part["parts"])
        assert total == pytest.approx(part["result"], abs=1e-9)
        assert part["result"] == told["end"]["value"][part["seat"]]
    losses = [told["moves"][ply]["grade"]["loss"] for ply in told["worst"]]
    assert losses == sorted(losses, reverse=True)
    events = [line for move in told["moves"] for line in move["events"]]
    game = kibitz.game_of(rules)
    assert told["start"]["events"] + events == [game.event_text(e) for e in table.events()]
    if rules.game == "uno":
        assert (told["units"], told["low"], told["high"]) == ("win %", 0, 100)
        assert told["end"]["value"] == [50 * (1 + v) for v in table.returns()]
    else:
        assert told["units"] == "points"


def test_hands_are_those_before_the_move():
    table = kibitz.Table.from_deal(kibitz.rules("uno"), hands=["R5 RS", "G1 B2"], top="R3", seed=1)
    table.play("R5")
    assert looked_at(table).to_dict()["moves"][0]["hands"] == [["R5", "RS"], ["G1", "B2"]]


def test_only_the_asked_seat_is_judged():
    found = looked_at(played(kibitz.rules("blob", players=3, cards=2), 1), 2)
    assert {m.seat for m in found.moves if m.grade} == {2}
    assert found.accuracy(0) is None
    accuracy = found.accuracy(2)
    assert sum(accuracy["grades"].values()) == 3
    assert accuracy["moves"] == 3 - accuracy["grades"]["forced"]


def test_what_a_seat_sees_is_on_the_scale_of_the_truth():
    """A search tells what a round will bring; points so far and rounds to come are added."""
    rules = kibitz.rules("blob-game", players=2, schedule=(2, 2, 2), trumps=("hearts",))
    table = kibitz.play_out(rules, ["rule", "rule"], 2)
    found = looked_at(table)
    last_round = [k for k, step in enumerate(table.steps()) if step.state.round_index == 2]
    before = table.steps()[last_round[0]].state.total[:2].tolist()
    assert max(before) > 12
    for move in found.to_dict()["moves"]:
        if move["seen"]:
            beside = found.luck.beside[move["ply"]][move["seat"]]
            assert beside <= move["seen"]["value"] <= beside + 12
            assert move["ply"] not in last_round or beside == before[move["seat"]]


def test_an_unfinished_game_is_reviewed_as_far_as_it_goes():
    table = played(kibitz.rules("blob-game", players=3, start=3), 1, plies=8)
    found = looked_at(table)
    told = found.to_dict()
    assert not told["result"]["finished"]
    assert told["result"]["winners"] == []
    assert told["result"]["error"][0] > 0
    assert len(told["moves"]) == 8
    for seat in told["split"]:
        assert sum(part["value"] for part in seat["parts"]) == pytest.approx(seat["result"])


def test_a_position_that_was_set_up_is_told_from_a_deal():
    table = kibitz.Table.from_deal(kibitz.rules("uno"), hands=["R5 R6", "G1 B2"], top="R3", seed=1)
    assert looked_at(play_on(table, 1)).luck.parts[1].worth.value == (0.0, 0.0)
    assert looked_at(played(kibitz.rules("uno"), 1)).luck.parts[1].worth.value != (0.0, 0.0)


def test_a_game_without_a_move_can_be_reviewed():
    told = looked_at(kibitz.Table(kibitz.rules("uno"), seed=1)).to_dict()
    assert (told["moves"], told["worst"]) == ([], [])


def test_the_same_seed_gives_the_same_review_and_another_does_not():
    table = played(kibitz.rules("blob", players=3, cards=3), 2)
    assert looked_at(table, seed=1).to_dict() == looked_at(table, seed=1).to_dict()
    assert looked_at(table, seed=1).luck != looked_at(table, seed=2).luck


def test_progress_reaches_its_end():
    told = []
    table = played(kibitz.rules("blob", players=2, cards=2), 2)
    looked_at(table, 0, progress=lambda done, total: told.append((done, total)))
    assert told == [(k, 9) for k in range(10)], "six moves, three of them judged"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"seat": 5}, "seat must be 0 to 1, not 5"),
        ({"agent": "rule"}, "rule does not search, so it cannot judge"),
        ({"agent": "nobody"}, "no agent 'nobody'"),
        ({"plays": 0}, "plays must be a whole number from 1"),
        ({"seed": -1}, "seed must be a whole number"),
    ],
)
def test_mistakes_are_told(more, said):
    table = played(kibitz.rules("uno"), 1, plies=2)
    with pytest.raises(kibitz.KibitzError, match=said):
        looked_at(table, **more)


def test_what_one_seat_saw_cannot_be_reviewed():
    with pytest.raises(kibitz.KibitzError, match="a review needs all cards"):
        kibitz.review(played(kibitz.rules("uno"), 1).seat_record(0))


def test_there_is_a_coach_for_every_game():
    for game in kibitz.GAMES:
        assert kibitz.agent("coach", game).options.ms == 0, "by simulations, so that it reproduces"


# --- the command ---------------------------------------------------------------------------------


@pytest.fixture
def games(tmp_path):
    """A file with a game of UNO, a round of Blob and what seat 1 saw of it."""
    path = tmp_path / "games.jsonl"
    kibitz.append_record(path, planted().record())
    table = played(kibitz.rules("blob", players=5, cards=3), 2)
    kibitz.append_record(path, table.record())
    kibitz.append_record(path, table.seat_record(1))
    return path


def test_review_prints_grades_and_luck(run, games):
    code, out, err = run("review", games, "--seat", 0, "--plays", 100)
    assert (code, err) == (0, "")
    assert "R5      blunder" in out
    for text in ("seat 0 is dealt", "Win chance of seat 0", "decisions of seat 1", "the deal"):
        assert text in out
    assert max(len(line) for line in out.splitlines()) <= 82


def test_review_of_all_seats(run, games):
    code, out, err = run("review", games, "--game", 2, "--plays", 100, "--agent", QUICK["blob"])
    assert (code, err) == (0, "")
    for seat in range(5):
        assert f"decisions of seat {seat}" in out
    assert "standard errors are at most" in out


def test_review_as_json_is_that_of_the_api(run, games):
    arguments = ["--plays", 50, "--agent", QUICK["uno"], "--seed", 3, "--json"]
    code, out, _ = run("review", games, *arguments)
    assert code == 0
    record = kibitz.read_records(games)[0]
    expected = kibitz.review(record, None, QUICK["uno"], plays=50, seed=3).to_dict()
    assert json.loads(out) == json.loads(json.dumps(expected))


def test_review_of_a_game_longer_than_the_graph(run, tmp_path):
    path = tmp_path / "long.jsonl"
    rules = kibitz.rules("blob-game", players=4, start=4)
    kibitz.append_record(path, played(rules, 1).record())
    code, out, _ = run("review", path, "--plays", 5, "--agent", "pomcp:sims=30,keep=0")
    assert code == 0
    assert max(len(line) for line in out.splitlines()) <= 82


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--game", 3], "this record holds what one seat saw; a review needs all cards"),
        (["--game", 9], "has 3 games; --game must be 1 to 3"),
        (["--seat", 2], "seat must be 0 to 1, not 2"),
        (["--agent", "rule"], "does not search"),
        (["--plays", 0], "plays must be a whole number"),
        (["--html", "nowhere/review.html"], "there is no folder nowhere"),
    ],
)
def test_review_tells_mistakes_in_one_line(run, games, arguments, said):
    code, out, err = run("review", games, *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert said in err


def test_the_page_is_written_from_the_same_review(run, games, tmp_path, monkeypatch):
    written = []
    report = SimpleNamespace(write_report=lambda review, path: written.append((review, path)))
    monkeypatch.setitem(sys.modules, "kibitz.web", SimpleNamespace(report=report))
    monkeypatch.setitem(sys.modules, "kibitz.web.report", report)
    page = tmp_path / "review.html"
    arguments = ["--plays", 50, "--agent", QUICK["uno"], "--json", "--html", page]
    code, out, _ = run("review", games, *arguments)
    assert code == 0
    [(told, path)] = written
    assert (json.loads(json.dumps(told)), path) == (json.loads(out), page)


def test_interrupt_says_so(run, games, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(kibitz.api, "review", interrupted)
    assert run("review", games) == (130, "", "kibitz: stopped\n")
