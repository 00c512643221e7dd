"""Players of other engines at our tables: they play legally, reproduce, and see what we say.

OpenSpiel and RLCard come with the extra `peers`.
"""

import copy
import sys
from random import Random

import numpy as np
import pytest

import kibitz
from helpers import PURE, fewer, play_on
from kibitz import rng
from kibitz.arena.conformance import elsewhere
from kibitz.arena.deals import Plan
from kibitz.arena.players import Leak, decide, player
from kibitz.beliefs import belief
from kibitz.games.base import KibitzError
from kibitz.games.blob.notation import cards_of
from kibitz.games.blob.reshuffle import reshuffled
from kibitz.peers.oh_hell import oh_hell_position, our_action

pytest.importorskip("pyspiel", reason="needs the extra peers")
pytest.importorskip("rlcard", reason="needs the extra peers")

SETTING = {"trump": "turned", "miss": "penalty"}
BLOB = kibitz.rules("blob", players=4, cards=5, **SETTING)
SETTINGS = [
    BLOB,
    kibitz.rules("blob", players=3, cards=4, trump="turned", miss="tricks", dealer=1),
    kibitz.rules("blob", players=5, cards=2, suits=3, ranks=5, points_per_trick=3, **SETTING),
    kibitz.rules("blob", players=7, cards=7, **SETTING),
]
HONEST = "openspiel:bot=python,sims=8"
CPP = "openspiel:bot=cpp,sims=50"
LEAK = "leak:search=pomcp,sims=50"


def played(rules, names, index=0):
    """A whole game; the table refuses what is illegal."""
    sitting = [player(name, rules.game) for name in names]
    table = kibitz.Table(rules, seed=3, index=index)
    streams = [rng.generator(3, index, 1 + seat) for seat in range(rules.seats)]
    while not table.over:
        table.play(decide(sitting[table.to_act], table, streams[table.to_act]))
    return table


# --- playing -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [HONEST, CPP, "openspiel:bot=cpp,ms=2", LEAK, "leak:ms=2"])
@pytest.mark.parametrize("rules", SETTINGS[:3], ids=str)
def test_whole_rounds_are_played(name, rules):
    for index in range(fewer(3)):
        assert played(rules, [name] * rules.seats, index).over


@pytest.mark.parametrize("name", [HONEST, LEAK, "leak:search=ismcts,sims=20"])
def test_the_same_seed_is_the_same_round(name):
    names = [name, "rule", name, "random"]
    first, second = (played(BLOB, names).record().to_json() for _ in range(2))
    assert first == second


def test_leak_plays_whole_games_as_well():
    rules = kibitz.rules("blob-game", players=3, schedule=(2, 1))
    assert played(rules, ["leak:sims=20", "rule", "rule"]).over


def test_simulations_are_those_of_the_bot(monkeypatch):
    """Worlds are drawn anew for each."""
    from kibitz.peers import openspiel

    made = []

    def noted(view, world):
        made.append(world["hand"].tobytes())
        return oh_hell_position(view, world)

    monkeypatch.setattr(openspiel, "oh_hell_position", noted)
    view = kibitz.Table(BLOB, seed=1).view(0)
    player("openspiel:sims=30", "blob").decide(view, rng.generator(1))
    assert len(made) == 31  # one more to begin with
    assert len(set(made)) == 31


# --- UNO -----------------------------------------------------------------------------------------

SMALL = {"colours": 2, "ranks": "0123S+", "wilds": 4, "wild_fours": 4, "hand_size": 4}


@pytest.mark.parametrize("options", [{}, {"skip": "pass"}, {**SMALL, "max_plies": 150}], ids=str)
def test_rlcard_never_names_an_illegal_move(options):
    rules = kibitz.rules("uno", **options)
    bot = player("rlcard", "uno")
    for index in range(fewer(200)):
        table = kibitz.Table(rules, seed=5, index=index)
        own, other = rng.generator(5, index, 1), kibitz.agent("random", "uno")
        while not table.over:
            sitting = bot if table.to_act == index % 2 else other
            table.play(decide(sitting, table, own))
    assert bot.illegal == 0


def test_rlcard_reproduces_and_leaves_the_stream_of_numpy_alone():
    before = np.random.get_state()[1].tolist()
    games = [played(kibitz.rules("uno"), ["rlcard", "rlcard"]).record().to_json() for _ in range(2)]
    assert games[0] == games[1]
    assert np.random.get_state()[1].tolist() == before


@pytest.mark.parametrize(
    ("hand", "legal", "answers"),
    [
        # its own rules: a Wild+4 only if nothing else can be played, then the colour it has most of
        ("R5 R6 W W+4", ["r-5", "r-6", *(f"{c}-wild" for c in "rgby")], {"R5", "R6"}),
        ("B7 G7 G8 W+4", [f"{c}-wild_draw_4" for c in "rgby"], {"W+4:G"}),
        ("R5 R5 Y3", ["r-5", "r-5", "y-3"], {"R5", "Y3"}),
        ("G7 W", [f"{c}-wild" for c in "rgby"], {f"W:{c}" for c in "RGBY"}),
    ],
)
def test_rlcard_is_shown_what_its_own_game_would_show(hand, legal, answers):
    rules = kibitz.rules("uno")
    view = kibitz.Table.from_deal(rules, hands=[hand, "B0 B1 B2"], top="R3").view(0)
    bot = player("rlcard", "uno")
    shown = bot.raw_state(view)
    assert sorted(shown["raw_legal_actions"]) == sorted(legal)
    assert shown["raw_obs"]["num_cards"] == [len(hand.split()), 3]
    assert shown["raw_obs"]["target"] == "r-3"
    said = {view.text(bot.decide(view, rng.generator(k)).action) for k in range(40)}
    assert said == answers


# --- the same position ---------------------------------------------------------------------------


@pytest.mark.parametrize("rules", SETTINGS, ids=str)
def test_a_position_made_of_a_view_is_that_of_oh_hell(rules):
    """At every decision: the seat, the legal actions, and what OpenSpiel thinks the seat knows,
    whatever hidden cards are filled in; and no world breaks a void."""
    for index in range(fewer(4)):
        table, choice = kibitz.Table(rules, seed=8, index=index), Random(index)
        while not table.over:
            view = table.view(table.to_act)
            true = oh_hell_position(view, table.true_state())
            for world in belief(view, "counting").sample(3, index)[0]:
                theirs = oh_hell_position(view, world)
                assert theirs.current_player() == table.to_act
                legal = sorted(our_action(rules, each) for each in theirs.legal_actions())
                assert legal == sorted(table.legal_actions())
                seen = theirs.information_state_string(view.seat)
                assert seen == true.information_state_string(view.seat)
                replay = theirs.get_game().new_initial_state()
                for action in theirs.history():
                    assert action in replay.legal_actions()
                    replay.apply_action(action)
            table.play(choice.choice(table.legal_actions()))


# --- leaks ---------------------------------------------------------------------------------------


def with_cards(table, state):
    """The same table with other hidden cards."""
    other = elsewhere(table, table.to_act, 7)
    other._states = [*table._states[:-1], state]
    return other


def pairs(kind, number):
    """Tables that the seat to act cannot tell apart: `among` exchanges cards of the other hands,
    `undealt` a card of the next seat against one that was not dealt."""
    for index in range(number):
        table = play_on(kibitz.Table(BLOB, seed=2, index=index), index, plies=index % 13)
        seat, state = table.to_act, copy.deepcopy(table.true_state())
        if len(table.legal_actions()) < 2:
            continue
        if kind == "among":
            state = reshuffled(belief(table.view(seat)), state)(1, index)[0]
        else:
            next_seat, choice = (seat + 1) % 4, Random(index)
            # of one suit, so that no void is broken
            hand, stock = (cards_of(int(w)) for w in (state["hand"][next_seat], state["stock"]))
            swaps = [(a, b) for a in hand for b in stock if a >> 4 == b >> 4]
            if not swaps:
                continue
            both = np.uint64(sum(1 << card for card in choice.choice(swaps)))
            state["hand"][next_seat] ^= both
            state["stock"] ^= both
        if state.tobytes() != table.true_state().tobytes():
            yield table, with_cards(table, state)


def differ(name, kind, number):
    """In how many pairs the decision changes with the hidden cards, and of how many."""
    number, found = fewer(number), []
    for table, other in pairs(kind, number):
        seat = table.to_act
        assert table.view(seat).to_bytes() == other.view(seat).to_bytes()
        said = [
            decide(player(name, "blob"), each, rng.generator(4, 0, 1)) for each in (table, other)
        ]
        found.append(said[0] != said[1])
    assert len(found) > number / 3, "too little was exchanged: this proved nothing"
    return sum(found)


@pytest.mark.parametrize("kind", ["among", "undealt"])
def test_the_honest_bot_decides_by_what_is_seen(kind):
    assert differ(HONEST, kind, 60) == 0


@pytest.mark.skipif(PURE, reason="too few games for it")
def test_leak_knows_what_was_dealt_but_not_to_whom():
    assert differ("leak:sims=10", "among", 60) == 0
    assert differ("leak:sims=10", "undealt", 60) > 0


def first_bid(*others):
    """A table of three, one card each, a king to bid on, and clubs turned up."""
    rules = kibitz.rules("blob", players=3, cards=1, **SETTING)
    return kibitz.Table.from_deal(rules, hands=["KD", *others], turned="2C")


@pytest.mark.parametrize(
    "name", ["openspiel:sims=200", "openspiel:bot=cpp,sims=200", "leak:sims=200"]
)
def test_who_knows_what_was_dealt_is_caught_by_its_bid(name):
    """Two deals that look the same to the bidder: in one its king wins, in the other it cannot."""
    tables = first_bid("3H", "4S"), first_bid("AC", "KC")
    assert tables[0].view(0).to_bytes() == tables[1].view(0).to_bytes()
    for seed in range(fewer(5)):
        bids = [decide(player(name, "blob"), each, rng.generator(seed)) for each in tables]
        assert (bids == [1, 0]) == (name != "openspiel:sims=200")
        assert (bids[0] == bids[1]) == (name == "openspiel:sims=200")


def test_oh_hell_shuffles_what_was_dealt_alone():
    """Why the bot in C++ is not honest: with 31 of 52 cards undealt none of them ever comes up."""
    import pyspiel

    table = kibitz.Table(BLOB, seed=1)
    state = oh_hell_position(table.view(0), table.true_state())
    dealt = set(state.history()[2:23])
    for _ in range(50):
        source = pyspiel.UniformProbabilitySampler(0.0, 1.0)
        assert set(state.resample_from_infostate(0, source).history()[2:23]) == dealt


def test_reshuffled_worlds_are_possible_and_deal_no_card_anew():
    for index in range(fewer(30)):
        table = play_on(kibitz.Table(BLOB, seed=6, index=index), index, plies=4 + index % 15)
        seat, true = table.to_act, table.true_state()
        held = belief(table.view(seat))
        for world in reshuffled(held, true)(20, index):
            assert held.possible(world)
            assert world["stock"] == true["stock"]
            assert world["hand"][seat] == true["hand"][seat]


# --- names, options, rules -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "game", "said"),
    [
        ("openspiel", "uno", "openspiel plays blob, not uno"),
        ("openspiel", "blob-game", "openspiel plays blob, not blob-game"),
        ("rlcard", "blob", "rlcard plays uno, not blob"),
        ("leak", "uno", "leak plays blob and blob-game, not uno"),
        ("rlcard:sims=3", "uno", "takes no options"),
        ("openspiel:bot=c", "blob", "bot must be python or cpp"),
        ("openspiel:bot=python,ms=5", "blob", "give it sims, not ms"),
        ("openspiel:sims=1", "blob", "from 2 to"),
        ("openspiel:simz=10", "blob", "did you mean 'sims'"),
        ("leak:search=pomc", "blob", "did you mean 'pomcp'"),
        ("leak:simz=3", "blob", "leak has no option 'simz'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_line(name, game, said):
    with pytest.raises(KibitzError, match=said) as error:
        player(name, game)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("bot", ["python", "cpp"])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "needs the trump .* and miss .*: --rules trump=turned,miss=penalty$"),
        ({"trump": "turned"}, "needs miss tricks or penalty: --rules miss=penalty$"),
        ({**SETTING, "exact_bonus": 5}, "--rules exact_bonus=10$"),
        ({**SETTING, "players": 2}, "3 to 7 players: --rules players=4$"),
    ],
)
def test_rules_that_oh_hell_lacks_are_refused_in_a_line(bot, options, said):
    rules = kibitz.rules("blob", **options)
    with pytest.raises(KibitzError, match=said) as error:
        kibitz.simulate(rules, [f"openspiel:bot={bot},sims=2"] * rules.seats, 1)
    assert "\n" not in str(error.value)


def test_too_little_time_is_told():
    with pytest.raises(KibitzError, match="too little time"):
        played(BLOB, ["openspiel:bot=cpp,ms=0.00001"] * 4)


@pytest.mark.parametrize(
    ("name", "game", "module", "package"),
    [
        ("openspiel", "blob", "pyspiel", "open_spiel"),
        ("rlcard", "uno", "rlcard.models.uno_rule_models", "rlcard"),
    ],
)
def test_a_missing_extra_is_told(monkeypatch, name, game, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(KibitzError, match=rf"^{package} cannot.*kibitz\[peers\]"):
        player(name, game)


def test_they_play_in_the_arena_alone():
    for name in ("leak", "openspiel", "rlcard"):
        with pytest.raises(KibitzError, match="only in match, ladder and simulate"):
            kibitz.agent(name, "blob")
    listed = {each.name: each for each in kibitz.agent_list()}
    assert {name for name, each in listed.items() if each.arena} == {
        "cheat", "exec", "leak", "openspiel", "rlcard",
    }  # fmt: skip
    assert "sees more than it may" in listed["openspiel"].help
    assert [each.name for each in listed["openspiel"].options] == ["bot", "sims", "ms", "uct"]
    assert isinstance(player("leak", "blob"), Leak)


def test_a_match_that_they_cannot_play_is_refused_before_it():
    with pytest.raises(KibitzError, match="--rules trump=turned"):
        Plan.between(kibitz.rules("blob", players=3), ["rule", "openspiel"])
