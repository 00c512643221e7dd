"""How much was missing after each move: a belief told over a game."""

import pytest

import kibitz
from helpers import PURE

RULES = [
    kibitz.rules("uno", colours=1, ranks="0123", wilds=0, wild_fours=0, hand_size=1, max_plies=30),
    kibitz.rules("blob", players=2, cards=2, suits=1, ranks=6, trump="none"),
]
if not PURE:
    RULES += [kibitz.rules("uno"), kibitz.rules("blob-game", players=3, start=2)]


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_a_story_has_the_entropy_after_every_move(rules):
    table = kibitz.Table(rules, seed=4)
    story, expected = kibitz.Story(table.view(0)), []
    while not table.over and table.plies < 14:
        expected.append(kibitz.belief(table.view(0)).entropy())
        if table.plies % 3 == 0:  # now and then: what is known is not worked out again
            story = story.go_on(table.view(0))
            while story.step():
                pass
            assert len(story.history) == table.plies + 1
        table.play(table.legal_actions()[0])
    bits = [bits for _, bits in story.history]
    assert [ply for ply, _ in story.history] == list(range(len(bits)))
    assert bits == expected[: len(bits)]


def test_another_game_is_another_story():
    first, second = (kibitz.Table(RULES[0], seed=seed).view(0) for seed in (1, 2))
    assert first.events != second.events
    story = kibitz.Story(first)
    while story.step():
        pass
    assert not story.step()
    other = story.go_on(second)
    assert other is not story
    assert other.history == []
