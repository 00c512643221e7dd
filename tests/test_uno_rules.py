"""The rules of UNO one by one, each on a deal that shows it."""

from collections import Counter

import pytest

import kibitz
from helpers import dealt, fits, play_on, played

BOTH_SKIPS = pytest.mark.parametrize("skip", ["forfeit", "pass"])
TINY = {"colours": 2, "ranks": "0123SR+", "wilds": 1, "wild_fours": 1, "hand_size": 2}


def table(hands, top, *, deal=None, **options):
    """A table with these cards; `deal` holds what a position in mid-game needs besides."""
    return kibitz.Table.from_deal(
        kibitz.rules("uno", **options), hands=hands, top=top, seed=1, **(deal or {})
    )


def lines(events):
    return [kibitz.game_of(kibitz.rules("uno")).event_text(event) for event in events]


# --- what may be played --------------------------------------------------------------------------


def test_the_active_colour_the_same_rank_and_wilds_may_be_played():
    game = table(["R5 G3 G4 YS W W+4", "B1"], "R3")
    wilds = [f"{wild}:{colour}" for wild in ("W", "W+4") for colour in "RYGB"]
    assert set(game.legal()) == {"R5", "G3", *wilds}


def test_the_same_rank_on_another_colour_changes_the_colour():
    game = table(["G3 R1", "G7 R7"], "R3")
    game.play("G3")
    assert game.legal() == ["G7"]


@pytest.mark.parametrize(("card", "top"), [("GS", "RS"), ("GR", "RR"), ("G+2", "R+2")])
def test_action_cards_match_by_rank_too(card, top):
    assert table([f"{card} Y1", "B1"], top).legal() == [card]


def test_reverse_does_not_match_the_colour_red():
    """Both are written R."""
    assert table(["YR B5", "B1"], "R3").legal() == ["draw"]


def test_draw_is_legal_only_if_nothing_is_playable():
    assert "draw" not in table(["R5 G4", "B1"], "R3").legal()
    assert "draw" not in table(["W G4", "B1"], "R3").legal()
    assert table(["G5 G4", "B1"], "R3").legal() == ["draw"]


def test_two_copies_of_a_card_are_one_action():
    assert table(["R5 R5", "B1"], "R3").legal() == ["R5"]


def test_a_drawn_card_is_not_played_at_once():
    """Only the red card is left to draw; it would fit, but the turn passes."""
    game = table(["Y0 Y1", "R1 R2"], "R3", deal={"deck": "R0"}, **TINY)
    assert lines(game.play("draw")) == ["0 draws R0"]
    assert game.to_act == 1
    game.play("R1")
    assert "R0" in game.legal()


# --- wilds ---------------------------------------------------------------------------------------


def test_a_wild_declares_the_colour_that_must_follow():
    game = table(["W R1", "B5 G5 R5"], "R3")
    game.play("W:G")
    assert game.legal() == ["G5"]


def test_a_wild_on_top_matches_nothing_by_rank():
    game = table(
        [
            "W R1 R2",
            "B5 B6",
        ],
        "R3",
    )
    game.play("W:G")
    assert game.legal() == ["draw"]


def test_a_wild_declares_only_colours_of_the_deck():
    game = table(["W W+4", "Y1"], "R3", **TINY)
    assert game.legal() == ["W:R", "W+4:R", "W:Y", "W+4:Y"]
    one_colour = table(["W R1", "R2"], "R3", **(TINY | {"colours": 1}))
    assert one_colour.legal() == ["R1", "W:R"]


def test_wild_four_may_be_played_with_the_colour_in_hand():
    assert "W+4:B" in table(["R5 W+4", "B1"], "R3").legal()


# --- penalties -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("move", "n"), [("R+2", 2), ("W+4:R", 4)])
@BOTH_SKIPS
def test_after_a_penalty_card_the_other_can_only_draw_and_loses_the_turn(move, n, skip):
    game = table(["R+2 W+4 R1", "R5 R+2 W W+4"], "R3", skip=skip)
    game.play(move)
    assert game.legal() == ["draw"], "no stacking, and a playable card does not help"
    game.play("draw")
    state = game.true_state()
    assert (state.held[1], state.pending, state.turn) == (4 + n, 0, 0)
    assert "R1" in game.legal()


def test_a_draw_takes_one_card_when_nothing_is_pending():
    game = table(["G5 G4", "B1"], "R3")
    game.play("draw")
    state = game.true_state()
    assert (state.held.tolist(), state.deck_size, state.turn) == ([3, 1], 104 - 1, 1)


def test_drawn_cards_leave_the_deck_and_only_their_number_is_public():
    game = table(["R+2 R1", "R0"], "R3", deal={"deck": "Y1 Y2"}, **TINY)
    game.play("R+2")
    game.play("draw")
    assert game.true_state().deck_size == 0
    assert game.view(1).history()[-1] == "1 draws Y1 Y2"
    assert game.view(0).history()[-1] == "1 draws 2"


# --- skip and reverse ----------------------------------------------------------------------------


@pytest.mark.parametrize("card", ["RS", "RR"])
def test_with_forfeit_the_same_player_moves_again(card):
    game = table([f"{card} R1", "R5"], "R3", skip="forfeit")
    assert lines(game.play(card)) == [f"0 plays {card}", "1 is skipped"]
    assert game.to_act == 0


@pytest.mark.parametrize("card", ["RS", "RR"])
def test_with_pass_the_turn_simply_passes(card):
    game = table([f"{card} R1", "R5"], "R3", skip="pass")
    assert lines(game.play(card)) == [f"0 plays {card}"]
    assert game.to_act == 1
    assert game.legal() == ["R5"]


def test_skips_can_follow_each_other():
    game = table(["RS RR GS R1", "R5"], "R3")
    for move in ("RS", "RR"):
        game.play(move)
        assert game.to_act == 0
    assert game.legal() == ["R1"]


# --- reshuffle and the impossible draw -----------------------------------------------------------


def test_the_pile_but_its_top_card_joins_a_deck_that_is_too_short():
    """Deck Y1, pile Y2 Y3 R0 R3 with R3 on top: a draw of two takes from Y1 Y2 Y3 R0."""
    deal = {"deck": "Y1", "pending": 2}
    rest = {"colours": 2, "ranks": "0123", "wilds": 0, "wild_fours": 0, "hand_size": 1}
    game = table(["R1 R2", "Y0"], "R3", deal=deal, **rest)
    happened = lines(game.play("draw"))
    assert happened[0] == "reshuffle"
    assert set(happened[1].split()[2:]) < {"Y1", "Y2", "Y3", "R0"}
    state = game.true_state()
    assert (state.deck_size, state.held[0]) == (2, 4)
    assert lines([game.events()[2]]) == ["top R3"]
    assert int(state.pile[0]).bit_count() == 1


def test_a_deck_that_is_just_long_enough_is_not_reshuffled():
    deal = {"deck": "Y1 Y2", "pending": 2}
    rest = {"colours": 2, "ranks": "0123", "wilds": 0, "wild_fours": 0, "hand_size": 1}
    game = table(["R1 R2", "Y0"], "R3", deal=deal, **rest)
    assert lines(game.play("draw")) == ["0 draws Y1 Y2"]
    assert game.true_state().deck_size == 0


def test_a_wild_that_is_reshuffled_can_declare_any_colour_again():
    """The wild lies below the top card of the pile, and the deck is empty."""
    rest = {"colours": 2, "ranks": "01", "wilds": 1, "wild_fours": 0, "hand_size": 1}
    game = table(["Y0", "R0 Y1"], "R1", deal={"deck": ""}, **rest)
    assert lines(game.play("draw")) == ["reshuffle", "0 draws W"]
    game.play("R0")
    assert game.legal() == ["W:R", "Y0", "W:Y"]


IMPOSSIBLE = {"colours": 1, "ranks": "012+", "wilds": 0, "wild_fours": 1, "hand_size": 1}


@pytest.mark.parametrize(
    ("hands", "returns"),
    [
        (["R0", "R1 R2"], [1, -1]),
        (["R0 R1", "R2"], [-1, 1]),
        (["R0", "R1"], [0, 0]),
    ],
)
def test_if_a_draw_is_impossible_the_fewer_cards_win_and_equal_hands_are_a_draw(hands, returns):
    game = table(hands, "W+4", deal={"colour": "R", "pending": 4}, **IMPOSSIBLE)
    assert game.play("draw")[-1].note == "exhausted"
    assert game.over
    assert game.returns() == returns
    assert game.record().result.ending == "exhausted"


def test_nobody_draws_when_a_draw_is_impossible():
    game = table(["R0", "R1 R2"], "W+4", deal={"colour": "R", "pending": 4}, **IMPOSSIBLE)
    assert [event.kind for event in game.play("draw")] == ["reshuffle", "over"]
    assert game.true_state().held.tolist() == [1, 2]


# --- the end -------------------------------------------------------------------------------------


@pytest.mark.parametrize("move", ["R5", "RS", "RR", "R+2", "W:B", "W+4:B"])
@BOTH_SKIPS
def test_an_empty_hand_wins_at_once_before_the_effect_of_the_card(move, skip):
    game = table([move.split(":")[0], "R1"], "R3", skip=skip)
    game.play(move)
    assert game.over
    assert game.returns() == [1, -1]
    assert (game.true_state().pending, game.record().result.ending) == (0, "emptied")
    assert game.legal() == []


def test_the_other_seat_can_win_too():
    game = table(["G5 G6", "R1"], "R3")
    game.play("draw")
    game.play("R1")
    assert game.returns() == [-1, 1]


def test_a_game_is_cut_short_as_a_draw_and_the_record_says_so():
    game = played(kibitz.rules("uno", max_plies=3), seed=2)
    assert (game.plies, game.returns()) == (3, [0, 0])
    assert game.record().result.ending == "truncated"
    assert game.view(0).history()[-1] == "over +0 +0 truncated"


@pytest.mark.parametrize("card", ["RS", "RR"])
@pytest.mark.parametrize(("hand", "skip", "told"), [
    ("R1", "forfeit", ["1 is skipped", "over +0 +0 truncated"]),
    ("R1", "pass", ["over +0 +0 truncated"]),
    ("", "forfeit", ["over +1 -1 emptied"]),
])  # fmt: skip
def test_a_skip_is_told_though_the_game_ends_with_it(card, hand, skip, told):
    """But not if it was the last card, which wins before its effect. A belief takes what is told,
    and so does a game that is told move by move."""
    game = table([f"{card} {hand}", "G1 G2"], "R3", skip=skip, max_plies=1)
    assert lines(game.play(card)) == [f"0 plays {card}", *told]
    for seat in (0, 1):
        view = game.view(seat)
        assert list(view.history()[-len(told) :]) == told
        assert kibitz.view_of(game.rules, seat, view.events) == view
        assert kibitz.belief(view, n=20).observation.turn == -1
    assert kibitz.Table.replay(game.record()).events() == game.events()


def test_a_win_with_the_last_move_allowed_is_a_win():
    game = table(["R5", "R1"], "R3", max_plies=1)
    game.play("R5")
    assert game.returns() == [1, -1]
    assert game.record().result.ending == "emptied"


# --- the deal ------------------------------------------------------------------------------------


def test_no_deal_turns_up_a_wild():
    """With eight wilds among nine cards the first card turned up mostly is one."""
    rules = kibitz.rules("uno", colours=1, ranks="01", wilds=4, wild_fours=4, hand_size=2)
    tops = {dealt(rules, seed)[0].top_rank for seed in range(200)}
    assert tops == {0, 1}


def test_repeating_the_whole_deal_leaves_the_hands_uniform():
    """One wild among four cards, one card each: given that it was not turned up, it is in either
    hand or in the deck with equal chance. Had only the card turned up been replaced, it would be in
    the deck half the time."""
    rules = kibitz.rules("uno", colours=1, ranks="012", wilds=1, wild_fours=0, hand_size=1)
    seen = Counter()
    for seed in range(1000):
        state, _ = dealt(rules, seed)
        wild = [bool(int(words[0]) >> 13) for words in (*state.hand, state.deck)]
        seen[wild.index(True)] += 1
    assert fits({0: 1, 1: 1, 2: 1}, seen)
    assert not fits({0: 1, 1: 1, 2: 1}, {0: 250, 1: 250, 2: 500})


@pytest.mark.parametrize("top", ["RS", "RR", "R+2"])
@BOTH_SKIPS
def test_an_action_card_turned_up_has_no_effect(top, skip):
    game = table(["R1 R2", "R5"], top, skip=skip)
    assert game.to_act == 0
    assert game.legal() == ["R1", "R2"]


def test_the_standard_deal():
    game = kibitz.Table(kibitz.rules("uno"), seed=5)
    state = game.true_state()
    assert state.held.tolist() == [7, 7]
    assert (state.deck_size, state.turn, state.pending) == (108 - 15, 0, 0)


def test_the_standard_deck_has_108_cards_of_54_kinds():
    rules = kibitz.rules("uno")
    assert rules.deck_size == 108
    assert Counter(rules.ranks) == Counter("0" + 2 * "123456789SR+")
    assert (rules.colours, rules.wilds, rules.wild_fours) == (4, 4, 4)


def test_a_random_game_ends():
    game = play_on(kibitz.Table(kibitz.rules("uno"), seed=11), 11)
    assert game.over
    assert game.plies > 10
