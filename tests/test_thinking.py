"""Thinking in steps, and the levels."""

import time
from itertools import count
from types import SimpleNamespace

import pytest

import kibitz
from helpers import problem
from kibitz.agents import methods
from kibitz.agents import thinking as thinking_module
from kibitz.agents.methods import BLOCK
from kibitz.search import search
from kibitz.search.search import Tree

POSITIONS = {
    "uno": kibitz.position("uno", hand="R5 G3 W B7", top="R3", theirs=5),
    "blob": kibitz.position("blob", players=3, hand="AS KH 3D", trump="hearts", bids="1 0"),
}


def thought(game, agent, **options):
    thinking = kibitz.Thinking(POSITIONS[game], agent, **options)
    while thinking.step():
        pass
    return thinking


@pytest.mark.parametrize("game", POSITIONS)
@pytest.mark.parametrize("agent", ["flat", "ismcts", "ismcts:observers=each", "pomcp", "worlds"])
def test_steps_lead_to_what_a_search_finds(game, agent):
    sims = 200 if agent == "worlds" else 2 * BLOCK + 100
    thinking = thought(game, agent, sims=sims, seed=1)
    found = thinking.explained()
    assert found.simulations == thinking.simulations == (5 * sims if agent == "worlds" else sims)
    assert sum(move.visits for move in found.moves) == found.simulations
    assert found.why
    assert found.equal
    assert sum(found.policy.values()) == pytest.approx(1)
    settings = f"{agent}{',' if ':' in agent else ':'}sims={sims}"
    whole = kibitz.advise(POSITIONS[game], settings, seed=2)
    by_action = {move.action: move for move in whole.moves}
    for move in found.moves:
        other = by_action[move.action]
        assert abs(move.value - other.value) < 6 * (move.error + other.error) + 0.05


@pytest.mark.parametrize("game", POSITIONS)
def test_it_is_the_same_however_it_was_interrupted(game):
    once = thought(game, "pomcp:keep=0", sims=3 * BLOCK)
    again = kibitz.Thinking(POSITIONS[game], "pomcp:keep=0", sims=3 * BLOCK)
    partial = []
    while again.step():
        partial.append(again.decision())
        time.sleep(0.002)
    assert [found.simulations for found in partial] == [BLOCK, 2 * BLOCK]
    assert again.decision().moves == once.decision().moves
    assert again.decision().values == pytest.approx(once.decision().values)
    other = thought(game, "pomcp:keep=0", sims=3 * BLOCK, seed=5)
    assert other.decision().moves != once.decision().moves


def test_time_is_kept(monkeypatch):
    """By a clock of our own, on which every look takes 10 ms: it is asked once everything is
    compiled, and twice before and once after each step."""
    clock = count(1000, 10)
    told = SimpleNamespace(monotonic=lambda: next(clock) / 1000)
    monkeypatch.setattr(methods, "time", told)
    monkeypatch.setattr(thinking_module, "time", told)
    left = []

    def search_block(asked, tree, starts, sims, source, deadline):
        left.append(round(1000 * deadline) - 1000)
        assert len(left) < 20, "it goes on for ever"
        return search.search_block(asked, tree, starts, sims, source)

    monkeypatch.setattr(methods, "search_block", search_block)
    thinking = thought("uno", "flat", ms=150)
    _, *left = left  # the first was to have everything compiled
    assert len(set(left)) == 1, "the deadline moves"
    assert len(left) > 2
    assert thinking.simulations == sum([128, 256, 512, *[BLOCK] * 20][: len(left)])


@pytest.mark.parametrize("seconds", [0.0, -1.0, None])
def test_a_search_ends_when_its_time_is_over(seconds):
    """With no time left it does the fewest simulations there are, with time enough all."""
    asked = problem("flat", POSITIONS["uno"].view)
    tree = Tree(asked.draw(1, 0).dtype, 2, 501)
    deadline = 0.0 if seconds is None else time.monotonic() + seconds
    search.search_block(asked, tree, asked.draw(500, 1), 500, kibitz.generator(1), deadline)
    assert tree.simulations == (500 if seconds is None else search.FEWEST)


def test_before_the_first_step_there_is_a_legal_move():
    thinking = kibitz.Thinking(POSITIONS["uno"])
    assert thinking.decision().action in thinking.view.actions


def test_one_legal_move_is_not_thought_about():
    position = kibitz.position("uno", hand="G3", top="R5", theirs=5)
    thinking = kibitz.Thinking(position)
    assert not thinking.step()
    assert "only legal move" in thinking.explained().why[0]


def test_who_does_not_search_says_so():
    thinking = kibitz.Thinking(POSITIONS["blob"], "rule")
    assert not thinking.step()
    assert "does not search" in thinking.explained().why[0]


def test_mistakes_are_told():
    table = kibitz.Table(kibitz.rules("uno"), seed=1)
    with pytest.raises(kibitz.KibitzError, match="nothing to decide"):
        kibitz.Thinking(table.view(1 - table.to_act))
    with pytest.raises(kibitz.KibitzError, match="seed"):
        kibitz.Thinking(POSITIONS["uno"], seed=-1)


# --- levels --------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", kibitz.GAMES)
def test_there_are_six_levels_and_all_can_play(game):
    levels = kibitz.game_of(kibitz.rules(game)).levels
    assert len(levels) >= 6
    assert len({level.agent for level in levels}) == len(levels)
    table = kibitz.Table(kibitz.rules(game), seed=3)
    view = table.view(table.to_act)
    for level in levels:
        player = kibitz.agent(level.name, game)
        assert player.name == level.name
        assert player.decide(view, kibitz.generator(1, stream=1)).action in view.actions


def test_a_level_has_no_options_of_its_own():
    with pytest.raises(kibitz.KibitzError, match="takes no options"):
        kibitz.agent("beginner:slips=1", "uno")


def test_slips_are_as_many_as_they_should_be():
    position = kibitz.position("uno", hand="R5 R+2 RS G3 G+2 W", top="R3", theirs=2)
    steady = kibitz.agent("rule", "uno")
    wanted = set(steady.decide(position.view, kibitz.generator(0, stream=1)).policy)
    slipping = kibitz.agent("rule:slips=0.5", "uno")
    generator = kibitz.generator(7, stream=1)
    rounds = 2000
    other = sum(
        slipping.decide(position.view, generator).action not in wanted for _ in range(rounds)
    )
    expected = 0.5 * (1 - len(wanted) / len(position.view.actions))
    assert 0 < expected < 0.5
    assert abs(other / rounds - expected) < 4 * (expected * (1 - expected) / rounds) ** 0.5


def test_a_stronger_level_wins_more():
    found = kibitz.simulate(kibitz.rules("uno"), ["casual", "beginner"], games=300, seed=1)
    casual, beginner = found.players
    assert casual.win_rate > beginner.win_rate
