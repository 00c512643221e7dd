"""Mistakes in Python and in options: told in words of the game, and before anything runs."""

import re
from dataclasses import dataclass

import numpy as np
import pytest

import kibitz
from kibitz import api, arena
from kibitz.arena import deals, simulation

UNO = kibitz.rules("uno")
TABLE = kibitz.Table(UNO, seed=1)
VIEW = TABLE.view(TABLE.to_act)
OTHER = TABLE.view(1 - TABLE.to_act)
RECORD = TABLE.record()
BIDDING = kibitz.Table(kibitz.rules("blob", players=3, cards=2), seed=1).view(0)
SOURCE = kibitz.generator(1)


class First:
    """Plays the first legal move."""

    name = "first"

    def decide(self, view, rng):
        return kibitz.Decision(view.actions[0])


@dataclass
class Changing(First):
    """Cannot be a key, as objects of many classes."""

    name: str = "changing"


class Number(First):
    def decide(self, view, rng):
        return view.actions[0]


class Nameless:
    decide = First.decide


class Undecided:
    name = "undecided"


# --- agents --------------------------------------------------------------------------------------

SEATED = {
    "play_out": lambda player: kibitz.play_out(UNO, [player, "rule"], 1),
    "simulate": lambda player: kibitz.simulate(UNO, [player, "rule"], 1),
    "calibrate": lambda player: kibitz.calibrate(UNO, 1, players=[player, "rule"]),
    "match": lambda player: kibitz.Plan.between(UNO, [player, "rule"]),
    "advise": lambda player: kibitz.advise(VIEW, player),
    "Thinking": lambda player: kibitz.Thinking(VIEW, player),
    "review": lambda player: kibitz.review(RECORD, agent=player),
    "agent": lambda player: kibitz.agent(player, "uno"),
    "ladder": lambda player: kibitz.ladder(UNO, ["random", player], 1, kibitz.local_engine(1)),
}
"""All that take an agent."""
BY_NAME = {"match", "ladder"}
"""They make their players anew for each game."""

WRONG_NAMES = [
    ("flat:sims=100,model=hoarder", "no model 'hoarder'"),
    ("flat:sims=100,model=rule:temperature=hot", "no model|is no model"),
    ("flat:sims=100,belief=particels", "did you mean 'particles'"),
    ("pomcp:sims=100,others=hoarder", "no model 'hoarder'"),
    ("flat:simz=100", "did you mean 'sims'"),
    ("flat:sims=0", "from 1 to"),
    ("bot.py", "exec:python3 bot.py"),
    ("rul", "did you mean 'rule'"),
]


@pytest.fixture
def no_game(monkeypatch):
    """Fails the test as soon as a game is played or a search begins."""

    def began(*arguments, **named):
        raise AssertionError("something ran")

    monkeypatch.setattr(deals, "_play", began)
    monkeypatch.setattr(simulation, "_play_table", began)
    monkeypatch.setattr(simulation, "play_games", began)
    monkeypatch.setattr(arena.calibration, "play_game", began)
    monkeypatch.setattr("kibitz.agents.methods.search_block", began)
    monkeypatch.setattr("kibitz.reviews.reviewing._judged", began)


@pytest.mark.parametrize("where", SEATED)
@pytest.mark.parametrize(("name", "said"), WRONG_NAMES)
def test_a_wrong_option_is_refused_before_anything_runs(no_game, where, name, said):
    with pytest.raises(kibitz.KibitzError, match=said):
        SEATED[where](name)


@pytest.mark.parametrize("where", SEATED)
@pytest.mark.parametrize(
    ("player", "said"),
    [
        (Undecided(), "has no decide"),
        (Nameless(), "has a name"),
        (First, r"write First\(\)"),
        (None, "has no decide"),
    ],
)
def test_an_object_that_is_no_agent_is_refused(no_game, where, player, said):
    with pytest.raises(kibitz.KibitzError, match="names its players" if where in BY_NAME else said):
        SEATED[where](player)


@pytest.mark.parametrize("player", [First(), Changing()])
def test_an_agent_of_your_own_plays_by_itself_and_with_others(player):
    assert kibitz.play_out(UNO, player, 1).players == [player.name] * 2
    found = kibitz.simulate(UNO, [player, "rule"], 4)
    assert [each.agent for each in found.players] == [player.name, "rule"]
    assert kibitz.calibrate(UNO, 1, players=player, n=50).players == [player.name] * 2
    assert kibitz.advise(VIEW, player).action == VIEW.actions[0]


def test_what_decides_nothing_is_told_by_name():
    with pytest.raises(kibitz.KibitzError, match=r"first decided on .*: decide gives a Decision"):
        kibitz.play_out(UNO, [Number(), Number()], 1)


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("flat:sims=10,belief=exact", UNO),
        ("cheat:belief=exact", UNO),
        # the first round has few deals, the second too many
        ("flat:sims=10,belief=exact", kibitz.rules("blob-game", players=4, schedule=(1, 9))),
    ],
)
def test_a_method_that_these_rules_are_too_large_for_is_refused(no_game, name, rules):
    others = ["rule"] * (rules.seats - 1)
    for play in (
        lambda: kibitz.Plan.between(rules, [name, *others]),
        lambda: kibitz.simulate(rules, [name, *others], 1),
    ):
        with pytest.raises(kibitz.KibitzError, match=rf"{re.escape(name)}: .*exact_limit"):
            play()
    small = kibitz.rules("uno", colours=1, ranks="0123", wilds=0, wild_fours=0, hand_size=1)
    kibitz.Plan.between(small, [name, "rule"])


def test_one_player_stands_for_all_seats():
    rules = kibitz.rules("blob", players=3, cards=2)
    found = kibitz.simulate(rules, "rule", 3)
    assert [each.agent for each in found.players] == ["rule"] * 3
    assert kibitz.play_out(rules, ["rule"], 1).players == ["rule"] * 3
    with pytest.raises(kibitz.KibitzError, match="3 seats, but 2 players were given: name 3, or"):
        kibitz.simulate(rules, ["rule", "rule"], 3)


# --- budgets -------------------------------------------------------------------------------------


@pytest.mark.parametrize("ms", [0, -1, float("nan"), float("inf"), "5"])
def test_no_time_is_no_budget(ms):
    for use in (
        lambda: kibitz.Thinking(VIEW, "flat", ms=ms),
        lambda: api.with_budget("flat", ms=ms),
    ):
        with pytest.raises(kibitz.KibitzError, match="ms must be more than 0"):
            use()


@pytest.mark.parametrize("sims", [0, -1, 1.5, "5", True])
def test_no_simulations_are_no_budget(sims):
    for use in (
        lambda: kibitz.Thinking(VIEW, "flat", sims=sims),
        lambda: api.with_budget("flat", sims=sims),
    ):
        with pytest.raises(kibitz.KibitzError, match="sims must be a whole number from 1"):
            use()


# --- what is wanted ------------------------------------------------------------------------------

WANTED = {
    "a view is wanted": [
        lambda: kibitz.advise(TABLE),
        lambda: kibitz.Thinking(TABLE),
        lambda: kibitz.belief(TABLE),
        lambda: kibitz.belief(TABLE.view),
        lambda: kibitz.Position(TABLE),
        lambda: kibitz.grade(TABLE, None, 3),
        *(
            lambda name=name: kibitz.agent(name, "uno").decide(TABLE, SOURCE)
            for name in ("random", "rule", "rule:slips=1", "flat:sims=10", "pomcp:sims=10")
        ),
    ],
    "nothing to decide": [
        *(
            lambda name=name: kibitz.agent(name, "uno").decide(OTHER, SOURCE)
            for name in ("random", "rule:slips=1", "flat:sims=10")
        ),
    ],
    "random numbers come from": [
        *(
            lambda source=source: kibitz.agent("rule", "uno").decide(VIEW, source)
            for source in (5, None, np.random.default_rng(1), np.zeros(2))
        ),
    ],
    "random numbers come from|at least one world": [
        *(
            lambda more=more, view=view: kibitz.belief(view, n=50).sample(*more)
            for more in ((3, None), (3, "x"), (3, np.zeros(2)), (0, 1), (1.5, 1), (None, 1))
            for view in (VIEW, BIDDING)
        ),
    ],
    "rules come from": [
        lambda: kibitz.Table("uno"),
        lambda: kibitz.play_out("uno", ["rule"] * 2, 1),
        lambda: kibitz.simulate("uno", ["rule"] * 2, 1),
        lambda: kibitz.calibrate("uno", 1),
        lambda: kibitz.Plan.between("uno", ["rule"] * 2),
        lambda: kibitz.ladder("uno", ["random", "rule"], 1, None),
        lambda: kibitz.view_of("uno", 0, []),
        lambda: kibitz.game_of("uno"),
    ],
    "no game": [
        lambda: kibitz.rules(None),
        lambda: kibitz.agent("rule", "unno"),
        lambda: kibitz.agent("rule", UNO),
        lambda: kibitz.agent("default", "unno"),
    ],
    "must be at least 1": [
        lambda: kibitz.simulate(UNO, "rule", 1.5),
        lambda: kibitz.calibrate(UNO, True),
        lambda: kibitz.Match(kibitz.Plan.between(UNO, ["rule"] * 2), kibitz.Until(1.5)),
        lambda: kibitz.ladder(UNO, ["random", "rule"], 0, None),
    ],
    "names its players": [
        lambda: kibitz.Plan.between(UNO, "rule"),
        lambda: kibitz.ladder(UNO, "rule", 1, None),
    ],
    "method": [
        lambda: kibitz.belief(VIEW, method="exakt"),
        lambda: kibitz.belief(VIEW, method=None),
        lambda: kibitz.calibrate(UNO, 1, method="exakt"),
    ],
    "record": [
        lambda: kibitz.Table.replay(RECORD.to_json()),
        lambda: kibitz.review(TABLE),
        lambda: kibitz.parse_record(3),
        lambda: kibitz.append_record("/dev/null", TABLE),
    ],
    "plies must be": [lambda: kibitz.Table.replay(RECORD, "3")],
    "cannot take back": [lambda: TABLE.undo("1")],
    "plays must be": [lambda: kibitz.review(RECORD, plays=0)],
    "is no event": [lambda: kibitz.view_of(UNO, 0, ["top R3"])],
    "list of 2 names": [lambda: kibitz.Table(UNO, players="rule")],
    "names and values": [lambda: kibitz.rules_from_dict("uno")],
    "played by a Plan": [lambda: kibitz.Match(UNO, kibitz.Until(5))],
}


@pytest.mark.parametrize(
    ("said", "mistake"), [(said, one) for said, many in WANTED.items() for one in many]
)
def test_a_mistake_is_told_in_words_before_anything_runs(no_game, said, mistake):
    with pytest.raises(kibitz.KibitzError, match=said):
        mistake()
