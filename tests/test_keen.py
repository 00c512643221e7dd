"""The keen player: what it likes, and that it is better than the rule player."""

import numpy as np
import pytest

import kibitz
from helpers import PURE, problem
from kibitz import rng
from kibitz.arena.kernels import play_games
from kibitz.players import KEEN, RULE, Player, as_array, choose


@pytest.mark.parametrize(
    ("top", "mine", "other", "likes"),
    [
        ("R5", "R1 Y5 Y2 Y3", "B1 B2 B3", "Y5"),  # from the colour that it has none left of
        ("R5", "R1 RS YS", "B1 B2 B3", "R1"),  # keeps what ends the game in one go
        ("R5", "R1 R2 Y1 B9", "B1 B2 B3", "R2"),  # the other one leads from red to yellow
        ("R5", "R1 R+2 Y9 G9", "B1 B2 B3", "R+2"),
        ("R5", "R1 R+2 Y+2 G9", "B1 B2 B3", "R1"),  # keeps +2s that are two ...
        ("R5", "R1 R+2 Y+2 G9", "B1 B2", "R+2"),  # ... until the other one is nearly out
        ("R5", "W Y5 Y2", "B1 B2 B3", "Y5"),
        ("R5", "W Y1 Y2 G3", "B1 B2 B3", "W:Y"),  # where it holds most
        ("R5", "R1 RS", "B1 B2 B3", "RS"),
    ],
)
def test_what_the_keen_player_likes(top, mine, other, likes):
    table = kibitz.Table.from_deal(kibitz.rules("uno"), hands=[mine, other], top=top, seed=1)
    assert table.to_act == 0
    decision = kibitz.agent("keen", "uno").decide(table.view(0), rng.generator(1))
    assert table.view(0).text(decision.action) == likes


@pytest.mark.skipif(PURE, reason="in plain Python it takes too long")
def test_the_keen_player_beats_the_rule_player():
    """In 61.8 games of 100, over 400,000; 40,000 know that to within 0.5."""
    rules = kibitz.rules("uno")
    finals = np.zeros(40_000, kibitz.game_of(rules).dtype)
    rewards = np.zeros((len(finals), 2))
    players = as_array([Player(KEEN), Player(RULE)])
    play_games(rules.params, players, *rng.words(1), 0, True, finals, rewards)
    keen = np.arange(len(finals)) % 2  # its seat, as players rotate
    won = (1 + rewards[np.arange(len(finals)), keen].mean()) / 2
    assert won == pytest.approx(0.618, abs=0.01)


def blob(hand, *others, cards=3, **rules):
    """A round of three with clubs for trumps; seat 0 leads."""
    rules = kibitz.rules("blob", players=3, cards=cards, dealer=2, **rules)
    return kibitz.Table.from_deal(rules, hands=[hand, *others], trump="clubs")


@pytest.mark.parametrize(
    ("bids", "hand", "likes"),
    [
        ((0, 1, 1), "2C KD 3H", "2C"),  # no trick wanted: what is beaten first
        ((0, 1, 1), "2D 8D JH", "2D"),
        ((1, 1, 0), "2D AD 2H", "AD"),  # a trick wanted
        ((1, 1, 0), "2C AC 3H", "3H"),  # ... that is certain, and can wait
        ((3, 1, 0), "AC KC 2D", "AC"),
    ],
)
def test_what_the_keen_player_of_blob_leads(bids, hand, likes):
    table = blob(hand, "5D 6D 7D", "5S 6S 7S")
    for bid in bids:
        table.play(str(bid))
    decision = kibitz.agent("keen", "blob").decide(table.view(0), rng.generator(1))
    assert table.view(0).text(decision.action) == likes


@pytest.mark.parametrize(
    ("bids", "hand", "likes"),
    [
        ((1, 1, 0), "2D AD 3H", "AD"),  # wanted
        ((1, 0, 0), "2D AD 3H", "2D"),  # not wanted
        ((1, 0, 0), "KS 9S 3H", "KS"),  # rid of it
        ((1, 1, 0), "2C AC 3H", "AC"),
    ],
)
def test_what_the_keen_player_of_blob_answers(bids, hand, likes):
    table = blob("5D 6D 7D", hand, "2S 3S 4S")
    for said in (*map(str, bids), "7D"):
        table.play(said)
    decision = kibitz.agent("keen", "blob").decide(table.view(1), rng.generator(1))
    assert table.view(1).text(decision.action) == likes


@pytest.mark.parametrize(
    ("hand", "bid"), [("AC KC QC", "3"), ("AC 2D 3H", "1"), ("2D 3H 4S", "0"), ("AD KD 2H", "1")]
)
def test_what_the_keen_player_of_blob_bids(hand, bid):
    view = blob(hand, "5D 6D 7D", "5S 6S 7S").view(0)
    assert view.text(kibitz.agent("keen", "blob").decide(view, rng.generator(1)).action) == bid


@pytest.mark.skipif(PURE, reason="in plain Python it takes too long")
@pytest.mark.parametrize(("players", "cards", "gain"), [(3, 3, 1.5), (4, 5, 1.05), (5, 7, 1.07)])
def test_the_keen_player_of_blob_makes_more_points(players, cards, gain):
    """One among rule players, over 120,000 rounds; 20,000 know that to within 0.1."""
    rules = kibitz.rules("blob", players=players, cards=cards)
    finals = np.zeros(20_000, kibitz.game_of(rules).dtype)
    rewards = np.zeros((len(finals), players))
    numbers = as_array([Player(KEEN)] + [Player(RULE)] * (players - 1))
    play_games(rules.params, numbers, *rng.words(1), 0, True, finals, rewards)
    rows = np.arange(len(finals))
    own = rewards[rows, rows % players]
    others = (rewards.sum(axis=1) - own) / (players - 1)
    assert (own - others).mean() == pytest.approx(gain, abs=0.15)


@pytest.mark.parametrize(("said", "likes"), [("", "R2"), ("rollout=rule", "RS")])
def test_games_are_played_out_by_it_unless_another_is_named(said, likes):
    """The rule player likes action cards; the keen one keeps the rank it holds again."""
    rules = kibitz.rules("uno")
    table = kibitz.Table.from_deal(rules, hands=["R2 RS YS", "B1 B2 B3"], top="R5", seed=1)
    found = problem(f"flat:{said}", table.view(0))
    state, scratch = table.true_state(), np.zeros(64)
    (player, _) = found.evaluator.players
    action = choose(rules.params, state, player, rng.generator(1), scratch)
    assert table.view(0).text(int(action)) == likes
