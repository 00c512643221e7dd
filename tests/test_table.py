"""The table as a program uses it: moves, views, undo, set-up deals and replay."""

import dataclasses
import json

import pytest

import kibitz
from helpers import PURE, RULE_SETS, play_on, played
from kibitz import IllegalMove, KibitzError, NotationError

EVERY = pytest.mark.parametrize("rules", RULE_SETS, ids=str)
UNO = kibitz.rules("uno")
BLOB = kibitz.rules("blob", players=3, cards=2, trump="random")
TURNED = kibitz.rules("blob", players=2, cards=1, trump="turned")
GAME = kibitz.rules("blob-game", players=2, schedule=(2, 1, 2))


def uno_table(**options):
    """Seat 0 may play R5 or a wild; seat 1 holds nothing red but a wild."""
    deal = {"hands": ["R5 G7 W", "B1 B2 W+4"], "top": "R3", "seed": 3}
    return kibitz.Table.from_deal(UNO, **(deal | options))


def everything(table):
    """All that a table holds, to see whether it changed."""
    return (
        [state.tobytes() for state in table._states],
        [chance.tobytes() for chance in table._chances],
        table._chance.mark().tobytes(),
        list(table._actions),
        table.events(),
        table.record().to_json(),
    )


# --- moves ---------------------------------------------------------------------------------------


def test_a_table_tells_whose_turn_it_is_and_what_is_legal():
    table = uno_table()
    assert (table.to_act, table.over, table.plies) == (0, False, 0)
    assert table.legal() == ["R5", "W:R", "W:Y", "W:G", "W:B"]
    assert table.returns() == [0, 0]


def test_a_move_may_be_said_in_text_or_by_number():
    by_text, by_number = uno_table(), uno_table()
    for move in ("W:G", "w+4:b", " draw "):
        number = by_number._game.parse_action(by_number._state, move)
        assert by_text.play(move) == by_number.play(number)
    assert everything(by_text) == everything(by_number)
    assert by_text.plies == 3


def test_play_says_what_happened():
    table = uno_table()
    events = table.play("R5")
    assert [(event.kind, event.seat) for event in events] == [("play", 0)]
    assert table.events()[-1:] == events


@pytest.mark.parametrize(
    ("move", "named"),
    [
        *[("G7", "G7"), ("R6", "R6"), ("draw", "draw"), ("W", "W"), ("nonsense", "nonsense")],
        *[("", "''"), (2 * 16 + 7, "G7"), (47, "47"), (-1, "-1"), (1000, "1000")],
    ],
)
def test_an_illegal_move_is_named_the_legal_ones_are_listed_and_nothing_changes(move, named):
    table = uno_table()
    before = everything(table)
    with pytest.raises(IllegalMove) as caught:
        table.play(move)
    assert named in str(caught.value)
    assert "legal are R5, W:R, W:Y, W:G, W:B" in str(caught.value)
    assert everything(table) == before


@pytest.mark.parametrize("move", ["3", "QH", "x", 40])
def test_an_illegal_bid_lists_the_legal_ones(move):
    table = kibitz.Table(BLOB, seed=1)
    before = everything(table)
    with pytest.raises(IllegalMove, match="legal are 0, 1, 2"):
        table.play(move)
    assert everything(table) == before


@EVERY
def test_a_finished_game_takes_no_more_moves(rules):
    table = played(rules, seed=4)
    before = everything(table)
    assert (table.over, table.to_act, table.legal()) == (True, -1, [])
    with pytest.raises(IllegalMove, match="over"):
        table.play(0)
    assert everything(table) == before


def test_a_table_without_a_seed_gets_one_and_can_be_repeated():
    first, second = kibitz.Table(UNO), kibitz.Table(UNO)
    assert first.seed != second.seed
    again = kibitz.Table(UNO, seed=first.seed)
    assert again.view(0) == first.view(0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"seed": -1}, "seed must be"),
        ({"seed": 2**128}, "seed must be"),
        ({"index": -1}, "index must be"),
        ({"index": 2**64}, "index must be"),
        ({"players": ["a"]}, "2 players are needed"),
    ],
)
def test_impossible_tables_are_refused(options, said):
    with pytest.raises(KibitzError, match=said):
        kibitz.Table(UNO, **options)


def test_the_largest_seed_and_index_are_accepted():
    assert not kibitz.Table(UNO, seed=2**128 - 1, index=2**64 - 1).over


# --- undo ----------------------------------------------------------------------------------------


@EVERY
def test_undo_goes_back_and_the_same_moves_give_the_same_cards(rules):
    table = played(rules, seed=6)
    final = everything(table)
    actions = list(table._actions)
    for plies in {1, len(actions) // 2, len(actions)}:
        table.undo(plies)
        assert table.plies == len(actions) - plies
        for action in actions[len(actions) - plies :]:
            table.play(action)
        assert everything(table) == final


def test_undo_of_everything_is_the_deal():
    table = kibitz.Table(UNO, seed=9)
    start = everything(table)
    play_on(table).undo(table.plies)
    assert everything(table) == start


def test_undo_reopens_a_finished_game_to_other_moves():
    table = kibitz.Table.from_deal(UNO, hands=["R5", "B1"], top="R3")
    table.play("R5")
    table.undo()
    assert (table.over, table.legal()) == (False, ["R5"])


@pytest.mark.parametrize("plies", [-1, 3])
def test_undo_cannot_go_back_before_the_deal(plies):
    table = played(UNO, plies=2)
    before = everything(table)
    with pytest.raises(KibitzError, match="cannot take back"):
        table.undo(plies)
    assert everything(table) == before


# --- set-up deals --------------------------------------------------------------------------------

TWO = ["R5 W", "G1 G2"]


@pytest.mark.parametrize(
    ("deal", "said"),
    [
        ({"hands": TWO}, "two hands and top"),
        ({"top": "R3"}, "two hands and top"),
        ({"hands": ["R5"], "top": "R3"}, "two hands and top"),
        ({"hands": "R5 W", "top": "R3"}, "two hands and top"),
        ({"hands": TWO, "top": "R3", "trump": "hearts"}, "no 'trump'"),
        ({"hands": TWO, "top": "X9"}, "no UNO card"),
        ({"hands": ["R5 R5 R5", "G1"], "top": "R3"}, "R5: the deck has 2"),
        ({"hands": ["R0", "R0"], "top": "R3"}, "R0: the deck has 1"),
        ({"hands": ["R5", ""], "top": "R3"}, "at least one card"),
        ({"hands": TWO, "top": "W"}, "colour must be one of R, Y, G, B"),
        ({"hands": TWO, "top": "W", "colour": "X"}, "colour must be one of R, Y, G, B"),
        ({"hands": TWO, "top": "R3", "colour": "B"}, "R3 makes the colour R"),
        ({"hands": TWO, "top": "R3", "pending": 3}, "pending must be one of"),
        ({"hands": TWO, "top": "R3", "turn": 2}, "turn must be one of"),
        ({"hands": TWO, "top": "R3", "deck": "R5 R5"}, "R5: the deck has 2"),
        ({"hands": [5, 6], "top": "R3"}, "not 5"),
        ({"hands": TWO, "top": 3}, "3 is no UNO card"),
        ({"hands": TWO, "top": "R3", "deck": 7}, "not 7"),
    ],
)
def test_impossible_uno_deals_are_refused_in_words(deal, said):
    with pytest.raises(NotationError, match=said):
        kibitz.Table.from_deal(UNO, **deal)


THREE = ["2C 3C", "4C 5C", "6C 7C"]


@pytest.mark.parametrize(
    ("rules", "deal", "said"),
    [
        (BLOB, {"trump": "hearts"}, "hands for 3 players"),
        (BLOB, {"hands": THREE[:2], "trump": "hearts"}, "hands for 3 players"),
        (BLOB, {"hands": ["2C", "4C 5C", "6C 7C"], "trump": "none"}, "hand 0 has 1 cards, not 2"),
        (BLOB, {"hands": ["2C 2C", "4C 5C", "6C 7C"], "trump": "none"}, "2C is dealt twice"),
        (BLOB, {"hands": ["2C 3C", "2C 5C", "6C 7C"], "trump": "none"}, "2C is dealt twice"),
        (BLOB, {"hands": ["2X 3C", "4C 5C", "6C 7C"], "trump": "none"}, "no card"),
        (BLOB, {"hands": THREE}, "say which, such as trump"),
        (BLOB, {"hands": THREE, "trump": "swords"}, "no trump"),
        (BLOB, {"hands": THREE, "trump": "hearts", "turned": "2H"}, "turn no card up"),
        (BLOB, {"hands": THREE, "trump": "hearts", "top": "2H"}, "no 'top'"),
        (TURNED, {"hands": ["2C", "3C"]}, "say which, such as turned"),
        (TURNED, {"hands": ["2C", "3C"], "turned": "3C"}, "3C is dealt twice"),
        (TURNED, {"hands": ["2C", "3C"], "turned": "4C", "trump": "hearts"}, "trump"),
        (GAME, {"hands": ["2C 3C", "4C 5C"], "trump": "hearts"}, "spades by the rules"),
        (BLOB, {"hands": [1, 2, 3], "trump": "none"}, "not 1"),
        (BLOB, {"hands": THREE, "trump": 3}, "3 is no trump"),
        (TURNED, {"hands": ["2C", "3C"], "turned": 4}, "4 is no card"),
    ],
)
def test_impossible_blob_deals_are_refused_in_words(rules, deal, said):
    with pytest.raises(NotationError, match=said):
        kibitz.Table.from_deal(rules, **deal)


def test_a_trump_that_the_deck_does_not_have_is_refused():
    rules = kibitz.rules("blob", players=2, suits=2, cards=1)
    with pytest.raises(NotationError, match="the deck has no hearts"):
        kibitz.Table.from_deal(rules, hands=["2C", "3C"], trump="hearts")


def test_a_position_in_mid_game_can_be_set_up():
    table = kibitz.Table.from_deal(
        UNO, hands=TWO, top="W", colour="g", pending=0, turn=1, deck="R1 R2 R3"
    )
    state = table.true_state()
    assert (table.to_act, table.legal()) == (1, ["G1", "G2"])
    assert (state.deck_size, state.held.tolist()) == (3, [2, 2])
    history = table.view(0).history()
    assert history[2] == "top W"
    assert history[3].startswith("pile ")
    assert history[4] == "start 1 colour G pending 0"


@pytest.mark.parametrize("colour", "RYGB")
def test_the_colour_after_a_wild_set_up_is_told_to_the_players(colour):
    table = kibitz.Table.from_deal(UNO, hands=TWO, top="W", colour=colour)
    assert table.view(1).history()[-1] == f"start 0 colour {colour} pending 0"


# --- views ---------------------------------------------------------------------------------------


def test_a_view_shows_the_own_hand_and_the_sizes_of_the_others():
    view = uno_table().view(1)
    assert view.history() == ("deal 0 3", "deal 1 B1 B2 W+4", "top R3")
    assert (view.seat, view.to_act, view.actions, view.legal) == (1, 0, (), ())
    assert view.observation.held.tolist() == [3, 3]
    assert view.observation.hand[0].tolist() == [0, 0]


def test_a_view_of_the_seat_to_act_holds_the_legal_actions():
    table = uno_table()
    view = table.view(0)
    assert view.legal == tuple(table.legal())
    assert view.actions == tuple(table.legal_actions())
    assert not view.over


@pytest.mark.parametrize("seat", [-1, 2])
def test_there_is_no_view_of_a_seat_that_is_not_there(seat):
    with pytest.raises(KibitzError, match="seat must be 0 to 1"):
        uno_table().view(seat)


@EVERY
def test_a_view_survives_the_way_through_bytes(rules):
    table = played(rules, plies=7)
    for seat in range(rules.seats):
        view = table.view(seat)
        again = kibitz.View.from_bytes(view.to_bytes())
        assert again.to_bytes() == view.to_bytes()
        assert again == view
        assert hash(again) == hash(view)
        assert again.observation.tobytes() == view.observation.tobytes()


def test_views_are_equal_exactly_when_their_bytes_are():
    table = kibitz.Table(BLOB, seed=3)
    views = [table.view(seat) for seat in (0, 1, 2)]
    table.play("0")
    views += [table.view(seat) for seat in (0, 1, 2)] + [table.view(0)]
    for one in views:
        for other in views:
            assert (one == other) == (one.to_bytes() == other.to_bytes())
    assert views[3] == views[6]


def test_a_view_cannot_be_changed():
    table = uno_table()
    view = table.view(0)
    before = view.to_bytes()
    with pytest.raises(dataclasses.FrozenInstanceError):
        view.seat = 1
    with pytest.raises(ValueError, match="read-only"):
        view.observation.hand[1, 0] = 5
    with pytest.raises(ValueError, match="read-only"):
        view.observation.turn = 1
    assert view.to_bytes() == before


def test_a_view_does_not_change_when_the_game_goes_on():
    table = kibitz.Table(UNO, seed=2)
    view = table.view(0)
    before = view.to_bytes()
    play_on(table)
    assert view.to_bytes() == before


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"3", b"\xff\xfe", b"[" * 100_000], ids=len)
def test_bytes_that_are_no_view_are_refused_in_words(data):
    with pytest.raises(KibitzError):
        kibitz.View.from_bytes(data)


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"observation": "00"},
        {"observation": "no hex"},
        {"observation": 5},
        {"events": ["0 plays nonsense"]},
        {"events": [5]},
        {"events": None},
        {"rules": {"game": "chess"}},
        {"rules": {"game": "uno", "hand_size": 99}},
        {"rules": "uno"},
        {"seat": 2},
        {"seat": "0"},
        {"to_act": None},
        {"to_act": 7},
        {"actions": 5},
        {"actions": ["R5"]},
        {"actions": [99]},
        {"to_act": 1},
    ],
    ids=str,
)
def test_a_damaged_view_is_refused_in_words(change):
    content = json.loads(uno_table().view(0).to_bytes())
    assert change.keys() < content.keys()
    with pytest.raises(KibitzError):
        kibitz.View.from_bytes(json.dumps(content | change).encode())


def test_a_true_state_is_a_copy():
    table = uno_table()
    before = everything(table)
    table.true_state().hand[:] = 0
    assert everything(table) == before


def test_steps_are_the_deal_and_every_move_with_who_made_it():
    table = uno_table()
    table.play("R5")
    table.play("W+4:B")
    table.play("draw")
    steps = table.steps()
    assert [step.seat for step in steps] == [-1, 0, 1, 0]
    assert [event for step in steps for event in step.events] == table.events()
    assert steps[-1].state.tobytes() == table.true_state().tobytes()


# --- replay --------------------------------------------------------------------------------------


@EVERY
def test_a_record_replays_to_the_same_table(rules):
    table = played(rules, seed=12)
    assert everything(kibitz.Table.replay(table.record())) == everything(table)


@EVERY
def test_part_of_a_record_replays_and_the_game_goes_on_as_it_did(rules):
    table = played(rules, seed=13)
    record, actions = table.record(), list(table._actions)
    for plies in {0, 1, len(actions) // 2}:
        part = kibitz.Table.replay(record, plies)
        assert part.plies == plies
        for action in actions[plies:]:
            part.play(action)
        assert everything(part) == everything(table)


def test_an_unfinished_game_has_a_record_without_result():
    table = played(UNO, plies=5)
    record = table.record()
    assert record.result is None
    assert everything(kibitz.Table.replay(record)) == everything(table)


@EVERY
def test_a_record_without_seed_replays_the_cards_it_holds(rules):
    table = played(rules, seed=14)
    record = table.record().model_copy(update={"seed": None})
    again = kibitz.Table.replay(record)
    assert [state.tobytes() for state in again._states] == [s.tobytes() for s in table._states]
    assert again.record() == record


@pytest.mark.parametrize("top", [f"W {c}" for c in "RYGB"] + [f"W+4 {c}" for c in "RYGB"] + ["R+2"])
@pytest.mark.parametrize("more", [{}, {"turn": 1}, {"deck": "R1 R2 R3 R4 B1"}, {"pending": 2}])
def test_a_set_up_position_replays(top, more):
    card, _, colour = top.partition(" ")
    deal = {"hands": TWO, "top": card} | ({"colour": colour} if colour else {}) | more
    table = play_on(kibitz.Table.from_deal(UNO, seed=5, **deal), plies=12)
    again = kibitz.Table.replay(table.record())
    assert everything(again) == everything(table)


def with_draw():
    """A record of a game in which one card was drawn, and where that was."""
    record = played(UNO, seed=1).record()
    drawing = [len(move.split()) == 2 and move.startswith("draw ") for move in record.actions]
    return record, drawing.index(True)


def test_other_cards_than_those_of_the_seed_are_refused():
    record, place = with_draw()
    other = "R9" if record.actions[place] == "draw G9" else "G9"
    actions = [*record.actions[:place], f"draw {other}", *record.actions[place + 1 :]]
    with pytest.raises(KibitzError, match=f"move {place + 1}, 'draw {other}': .*seed"):
        kibitz.Table.replay(record.model_copy(update={"actions": actions}))


@pytest.mark.parametrize(
    ("move", "said"),
    [
        ("draw", "the draw is of 1 cards"),
        ("draw R1 R2", "the draw is of 1 cards"),
        ("draw XX", "no UNO card"),
        ("draw W W W W W", "the draw is of 1 cards"),
        ("fly R1", "no UNO action"),
    ],
)
def test_a_draw_that_cannot_be_is_refused(move, said):
    record, place = with_draw()
    actions = [*record.actions[:place], move, *record.actions[place + 1 :]]
    with pytest.raises(KibitzError, match=f"move {place + 1}.*{said}"):
        kibitz.Table.replay(record.model_copy(update={"actions": actions}))


def test_a_card_that_is_not_in_the_deck_cannot_be_drawn():
    table = kibitz.Table.from_deal(UNO, hands=["G1 G2", "R0 Y1"], top="B3")
    table.play("draw")
    record = table.record().model_copy(update={"actions": ["draw R0"]})
    with pytest.raises(KibitzError, match="R0 cannot be drawn: not in the deck"):
        kibitz.Table.replay(record)


def test_cards_after_a_move_that_draws_none_are_refused():
    record = uno_table(seed=None).record().model_copy(update={"actions": ["R5 R1"]})
    with pytest.raises(KibitzError, match="R5 draws no 'R1'"):
        kibitz.Table.replay(record)


@pytest.mark.parametrize(
    ("replace", "said"),
    [
        ((" trump hearts", ""), "a deal must follow here"),
        ((" trump hearts", " trump clubs"), "trump is hearts by the rules"),
        (("deal ", "deal 2C | "), "hands for 2 players"),
    ],
)
def test_a_later_deal_that_cannot_be_is_refused(replace, said):
    record = played(GAME, seed=3).record()
    actions = [move.replace(*replace) for move in record.actions]
    assert actions != record.actions
    with pytest.raises(KibitzError, match=said):
        kibitz.Table.replay(record.model_copy(update={"actions": actions, "seed": None}))


def test_a_deal_where_none_can_follow_is_refused():
    record = played(BLOB, plies=1).record()
    actions = [record.actions[0] + " deal 2C"]
    with pytest.raises(KibitzError, match="no deal can follow here"):
        kibitz.Table.replay(record.model_copy(update={"actions": actions}))


def test_a_later_deal_that_is_not_of_the_seed_is_refused():
    record = played(GAME, seed=3).record()
    place = next(k for k, move in enumerate(record.actions) if "deal" in move)
    text, _, trump = record.actions[place].partition(" trump ")
    card, _, hands = text.partition(" deal ")
    first, second = hands.split(" | ")
    actions = list(record.actions)
    actions[place] = f"{card} deal {second} | {first} trump {trump}"
    with pytest.raises(KibitzError, match="not those of the record's seed"):
        kibitz.Table.replay(record.model_copy(update={"actions": actions}))


def test_a_result_that_is_not_of_the_game_is_refused():
    record = played(UNO, seed=1).record()
    result = record.result.model_copy(update={"plies": record.result.plies + 1})
    with pytest.raises(KibitzError, match="the game ends"):
        kibitz.Table.replay(record.model_copy(update={"result": result}))


def test_rules_that_are_not_of_the_hash_are_refused():
    record = played(UNO, seed=1).record()
    rules = record.rules | {"skip": "pass"}
    with pytest.raises(KibitzError, match="hash"):
        kibitz.Table.replay(record.model_copy(update={"rules": rules}))


@pytest.mark.parametrize(
    "changes",
    [
        {"deal": {"hands": ["R5", 6], "top": "R3"}},
        {"deal": {"hands": ["R5", "R6"], "top": 3}},
        {"deal": {"hands": ["R5", "R6"], "top": "R3", "seed": 4}},
        {"deal": {"hands": ["R5", "R6"], "top": "R3", "rules": 4}},
        {"deal": {"hands": ["R5", "R6"], "top": "R3", "deck": []}},
        {"deal": {}},
        {"index": 2**64},
        {"seed": 2**128},
        {"players": ["one"]},
        {"game": "chess"},
        {"actions": ["", ""]},
    ],
    ids=str,
)
def test_a_damaged_record_is_refused_in_words(changes):
    record = kibitz.Table(UNO, seed=1).record()
    with pytest.raises(KibitzError):
        kibitz.Table.replay(record.model_copy(update=changes))


def test_the_tests_above_play_games_with_reshuffles():
    """So that replay and undo were tried on them."""
    plies = 60 if PURE else 150
    rules = kibitz.rules("uno", colours=2, ranks="01S+", hand_size=3, max_plies=plies)
    kinds = {event.kind for seed in range(20) for event in played(rules, seed=seed).events()}
    assert {"play", "draw", "reshuffle", "skip", "over"} <= kinds


# --- records that lie ----------------------------------------------------------------------------


def test_a_deal_that_is_not_the_seeds_is_refused_even_without_moves():
    record = kibitz.Table(UNO, seed=3).record()
    other = kibitz.Table(UNO, seed=4).record().deal
    with pytest.raises(KibitzError, match="not that of the record's seed"):
        kibitz.Table.replay(record.model_copy(update={"deal": other}))


def test_a_deal_that_was_given_replays_with_the_chance_of_its_seed():
    table = kibitz.Table.from_deal(UNO, seed=3, hands=["R5 R6", "G1 G2"], top="B0")
    table.play("draw")
    again = kibitz.Table.replay(table.record())
    assert again.record() == table.record()
    for side in (table, again):
        side.play("draw")
    assert again.record() == table.record()


@pytest.mark.parametrize("action", [2.5, None, "", b"R5"])
def test_what_is_no_action_is_an_illegal_move(action):
    table = kibitz.Table(UNO, seed=3)
    with pytest.raises(kibitz.IllegalMove, match="legal are"):
        table.play(action)
    assert table.plies == 0


@pytest.mark.parametrize("options", [{"seed": 1.5}, {"seed": "1"}, {"seed": 1, "index": 0.5}])
def test_seeds_and_indices_are_whole_numbers(options):
    with pytest.raises(KibitzError, match="whole number"):
        kibitz.Table(UNO, **options)


@pytest.mark.parametrize("plies", [-1, 10_000])
def test_replay_stops_only_within_the_game(plies):
    record = kibitz.play_out(UNO, ["rule", "rule"], seed=1).record()
    with pytest.raises(KibitzError, match="plies must be 0 to"):
        kibitz.Table.replay(record, plies)


# --- honesty -------------------------------------------------------------------------------------


def test_a_move_out_of_turn_says_nothing_of_the_hand_whose_turn_it_is():
    table = uno_table()
    with pytest.raises(IllegalMove) as caught:
        table.play("B1", seat=1)
    assert str(caught.value) == "seat 1 cannot move: it is seat 0's turn"
    table.play("R5", seat=0)
    assert table.plies == 1


def test_cards_of_an_unknown_kind_of_event_are_hidden_from_the_others():
    swap = kibitz.Event("exchange", seat=1, number=2, cards=(3, 4))
    assert swap.seen_by(0).cards == ()
    assert swap.seen_by(1).cards == (3, 4)


def test_what_a_table_prints_shows_no_card():
    assert repr(uno_table()) == "<Table uno, 0 plies, seat 0 to act>"


def test_changing_a_record_or_a_list_of_players_does_not_change_the_table():
    players = ["rule", "random"]
    table = kibitz.Table(UNO, seed=1, players=players)
    before = table.record().to_json()
    players[0] = "nobody"
    table.record().deal["hands"][0] = "R5"
    assert table.record().to_json() == before


def test_a_changed_copy_of_rules_plays_by_the_changed_rules():
    rules = kibitz.rules("uno")
    assert rules.params.forfeit
    other = rules.model_copy(update={"skip": "pass"})
    assert not other.params.forfeit
    assert other.digest == kibitz.rules("uno", skip="pass").digest
    with pytest.raises(kibitz.RulesError):
        rules.model_copy(update={"skip": "never"})
    game = kibitz.rules("blob-game", players=3).model_copy(update={"players": 4, "start": 3})
    assert game == kibitz.rules("blob-game", players=4, start=3)


@pytest.mark.parametrize("wrong", ["uno", None, {}])
def test_a_table_needs_rules(wrong):
    with pytest.raises(KibitzError, match="rules come from"):
        kibitz.Table(wrong)


def test_only_whole_records_replay():
    with pytest.raises(KibitzError, match="one seat"):
        kibitz.Table.replay(kibitz.Table(UNO, seed=1).seat_record(0))
