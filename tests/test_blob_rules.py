"""The rules of Blob one by one, each on a deal that shows it."""

import pytest

import kibitz
from helpers import dealt, legal, played
from kibitz import contract, rng

FOUR = ["AC KC", "2C 3D", "4C AS", "5C 6H"]


def table(hands, *, trump="none", turned=None, **options):
    """A round with these hands; the last seat deals, so seat 0 bids and leads first."""
    players = len(hands)
    options = {"players": players, "cards": len(hands[0].split()), **options}
    rules = kibitz.rules("blob", trump="turned" if turned else trump, **options)
    deal = {"turned": turned} if turned else {}
    return kibitz.Table.from_deal(rules, hands=hands, **deal)


def moves(game, text):
    """Play a line of moves; what the last one caused comes back as text."""
    happened = []
    for move in text.split():
        happened = game.play(move)
    return [kibitz.game_of(game.rules).event_text(event) for event in happened]


def taker(hands, trump, line):
    """Who takes the first trick, after everybody bid nothing."""
    game = table(hands, trump=trump)
    moves(game, "0 " * len(hands))
    happened = moves(game, line)
    return next(int(event[0]) for event in happened if event.endswith("takes the trick"))


# --- bidding -------------------------------------------------------------------------------------


def test_bids_go_round_from_the_dealers_left_and_the_dealer_bids_last():
    game = table(FOUR, dealer=1)
    order = []
    for bid in ("0", "1", "0", "0"):
        order.append(game.to_act)
        game.play(bid)
    assert order == [2, 3, 0, 1]
    assert game.to_act == 2, "the dealer's left leads"


def test_a_bid_is_from_nothing_to_all_tricks():
    assert table(FOUR).legal() == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("bids", "left"),
    [("0 0 0", ["0", "1"]), ("0 1 0", ["0", "2"]), ("1 1 0", ["1", "2"]), ("0 0 2", ["1", "2"])],
)
def test_the_dealer_may_not_make_the_bids_add_up(bids, left):
    game = table(FOUR)
    moves(game, bids)
    assert game.legal() == left


@pytest.mark.parametrize("bids", ["2 1 0", "2 2 2", "1 1 1"])
def test_nothing_is_forbidden_if_the_sum_is_exceeded_already(bids):
    game = table(FOUR)
    moves(game, bids)
    assert game.legal() == ["0", "1", "2"]


def test_only_the_dealer_is_restricted():
    game = table(FOUR)
    for bid in ("0", "0"):
        assert game.legal() == ["0", "1", "2"]
        game.play(bid)
    assert game.legal() == ["0", "1", "2"]


# --- playing -------------------------------------------------------------------------------------


def test_the_leader_may_play_anything():
    game = table(["AC KD", "2C 3D"])
    moves(game, "0 0")
    assert game.legal() == ["AC", "KD"]


def test_suit_must_be_followed():
    game = table(["AC KD", "2C 3D"])
    moves(game, "0 0 AC")
    assert game.legal() == ["2C"]


def test_who_cannot_follow_may_play_anything_and_need_not_trump():
    game = table(["AC KD", "2S 3D"], trump="spades")
    moves(game, "0 0 AC")
    assert game.legal() == ["3D", "2S"]


def test_the_highest_card_of_the_led_suit_takes_the_trick():
    assert taker(["4C", "9C", "AD", "TC"], "none", "4C 9C AD TC") == 3


def test_a_higher_card_of_another_suit_takes_nothing():
    assert taker(["4C", "AS", "AD", "3C"], "none", "4C AS AD 3C") == 0


def test_the_lowest_trump_beats_the_led_suit():
    assert taker(["AC", "2D", "KC", "QC"], "diamonds", "AC 2D KC QC") == 1


def test_the_highest_trump_wins():
    assert taker(["AC", "2D", "9D", "5D"], "diamonds", "AC 2D 9D 5D") == 2


def test_a_led_trump_is_beaten_by_higher_trumps_only():
    assert taker(["4D", "AC", "5D", "AS"], "diamonds", "4D AC 5D AS") == 2


def test_the_winner_of_a_trick_leads_the_next():
    game = table(FOUR)
    moves(game, "0 0 0 0 KC 2C 4C 5C")
    assert game.to_act == 0
    other = table(["2C KC", "AC 3D", "4C AS", "5C 6H"])
    moves(other, "0 0 0 0 2C AC 4C 5C")
    assert other.to_act == 1
    assert other.legal() == ["3D"]


# --- scores --------------------------------------------------------------------------------------

LINE = "AC 2C KC 3D"  # two players, AC KC against 2C 3D: seat 0 takes both tricks


@pytest.mark.parametrize(
    ("miss", "points", "bonus", "bids", "scores"),
    [
        ("zero", 1, 10, "2 1", [12, 0]),
        ("zero", 1, 10, "1 0", [0, 10]),
        ("zero", 5, 7, "2 2", [17, 0]),
        ("tricks", 1, 10, "1 0", [2, 10]),
        ("tricks", 5, 7, "1 2", [10, 0]),
        ("penalty", 1, 10, "0 1", [-2, -1]),
        ("penalty", 5, 7, "0 0", [-10, 7]),
        ("penalty", 5, 7, "2 2", [17, -10]),
        ("tricks", 0, 0, "0 0", [0, 0]),
    ],
)
def test_scores(miss, points, bonus, bids, scores):
    game = table(["AC KC", "2C 3D"], miss=miss, points_per_trick=points, exact_bonus=bonus)
    happened = moves(game, bids + " " + LINE)
    assert game.returns() == scores
    text = " ".join(str(score) for score in scores)
    assert happened[-2:] == [f"scores {text}", f"over {text} played"]


def test_nothing_is_scored_before_the_round_is_over():
    game = table(["AC KC", "2C 3D"])
    moves(game, "2 1 AC 2C KC")
    assert game.returns() == [0, 0]
    assert not game.over


def test_margins_are_against_the_mean_of_the_others_and_add_up_to_zero():
    game = table(["AC", "2C", "3C"], exact_bonus=10, points_per_trick=2)
    moves(game, "1 0 1 AC 2C 3C")
    assert game.returns() == [12, 10, 0]
    assert game.margins() == [12 - 5, 10 - 6, 0 - 11]


# --- trump and the card turned up ----------------------------------------------------------------


def test_the_card_turned_up_makes_trump_and_is_out_of_play():
    game = table(["AC", "2D"], turned="3D")
    state = game.true_state()
    assert kibitz.game_of(game.rules).deal_text(game.rules, state)["trump"] == "diamonds"
    turned = 1 << (16 + 1)
    assert not (int(state.hand[0]) | int(state.hand[1]) | int(state.stock)) & turned
    assert moves(game, "0 0 AC 2D")[1] == "1 takes the trick"


def test_everybody_sees_the_card_turned_up():
    rules = kibitz.rules("blob", trump="turned")
    game = kibitz.Table(rules, seed=3)
    opening = {game.view(seat).history()[0] for seat in range(4)}
    assert len(opening) == 1
    assert " turned " in opening.pop()


def test_a_random_trump_is_each_suit_or_none():
    state_of = [dealt(kibitz.rules("blob"), seed)[0] for seed in range(60)]
    assert {int(state.trump) for state in state_of} == {-1, 0, 1, 2, 3}
    two_suits = kibitz.rules("blob", suits=2, players=2)
    assert {int(dealt(two_suits, seed)[0].trump) for seed in range(40)} == {-1, 0, 1}


# --- players and decks ---------------------------------------------------------------------------


@pytest.mark.parametrize("players", range(2, 9))
def test_two_to_eight_can_play(players):
    game = played(kibitz.rules("blob", players=players, cards=5), seed=players)
    assert game.plies == players * 6
    tricks = [event for event in game.events() if event.kind == "trick"]
    assert len(tricks) == 5


def test_thirteen_cards_for_four_leave_no_stock():
    game = kibitz.Table(kibitz.rules("blob", cards=13), seed=1)
    assert game.true_state().stock == 0
    assert played(game.rules).over


def test_undealt_cards_stay_out_of_play():
    game = played(kibitz.rules("blob", players=3, cards=2), seed=4)
    state = game.true_state()
    assert int(state.stock).bit_count() == 52 - 6
    assert int(state.played).bit_count() == 6


# --- whole games ---------------------------------------------------------------------------------


def rounds_of(game):
    """(cards, dealer, trump) of every round that was opened."""
    return [event.values[1:] for event in game.events() if event.kind == "round"]


def test_the_schedule_goes_down_has_a_one_card_round_for_each_player_and_goes_up():
    assert kibitz.rules("blob-game").schedule == (7, 6, 5, 4, 3, 2, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7)
    assert kibitz.rules("blob-game", players=3, start=2).schedule == (2, 1, 1, 1, 2)
    assert kibitz.rules("blob-game", players=2, start=1).schedule == (1, 1)


def test_a_game_plays_its_schedule_while_dealer_and_trump_rotate():
    game = played(kibitz.rules("blob-game", players=3, schedule=(3, 2, 1, 1, 2, 3)), seed=2)
    spades, hearts, clubs, diamonds, none = 3, 2, 0, 1, -1
    assert rounds_of(game) == [
        (3, 2, spades),
        (2, 0, hearts),
        (1, 1, clubs),
        (1, 2, diamonds),
        (2, 0, none),
        (3, 1, spades),
    ]
    assert game.over


def test_the_first_dealer_and_the_rotation_can_be_chosen():
    rules = kibitz.rules("blob-game", players=2, schedule=(1, 1, 1), trumps=("hearts",), dealer=0)
    assert rounds_of(played(rules)) == [(1, 0, 2), (1, 1, 2), (1, 0, 2)]


def test_the_dealers_left_bids_and_leads_in_every_round():
    game = kibitz.Table(kibitz.rules("blob-game", players=3, schedule=(1, 1, 1)), seed=6)
    for first in (0, 1, 2):
        assert game.to_act == first
        for _ in range(3):
            game.play(game.legal()[0])
        assert game.to_act == first
        for _ in range(3):
            game.play(game.legal()[0])
    assert game.over


def test_totals_add_up_the_rounds():
    game = played(kibitz.rules("blob-game", players=4, start=3, miss="penalty"), seed=8)
    scores = [event.values for event in game.events() if event.kind == "score"]
    assert len(scores) == len(game.rules.schedule) == 8
    assert game.returns() == [sum(column) for column in zip(*scores, strict=True)]


def test_a_new_round_is_a_new_deal_of_the_whole_deck():
    rules = kibitz.rules("blob-game", players=2, schedule=(3, 3), suits=2, trumps=("none",))
    state, _ = dealt(rules, 1)
    first = state.hand[:2].tolist()
    chance = rng.generator(9)
    while state.round_index == 0:
        contract.apply(rules.params, state, legal(rules, state)[0], chance)
    assert state.hand[:2].tolist() != first
    assert sum(int(hand).bit_count() for hand in state.hand) == 6
    assert (int(state.played), state.won.sum(), state.bid.tolist()) == (0, 0, [-1] * 8)
