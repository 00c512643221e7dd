"""Strategy fusion, as facts with numbers: searching worlds apart believes that it will know later
what it will have to guess, a search over information sets does not.

Three small positions of UNO. The truth is explicit expectation over all deals: `UnoReference`,
once with every unfinished game taken for lost and once for won.
"""

import numpy as np
import pytest

import kibitz
from helpers import PURE
from kibitz import rng
from kibitz.games.uno.notation import action_text

pytestmark = pytest.mark.skipif(PURE, reason="many simulations")
SEEDS = range(5)
REVERSES = {"colours": 2, "ranks": "01SR", "wilds": 1, "wild_fours": 0, "hand_size": 1}
NUMBERS = {"colours": 2, "ranks": "012S", "wilds": 2, "wild_fours": 0, "hand_size": 1}


class Example:
    """A hand, the top card, and the unseen cards: the other holds one of them, each as likely as
    the next, and the rest is the deck."""

    def __init__(self, deck, hand, top, unseen):
        rules, cards = kibitz.rules("uno", **deck), unseen.split()
        deals = [
            {"hands": [hand, card], "top": top, "deck": " ".join(c for c in cards if c != card)}
            for card in cards
        ]
        self.pomdp = kibitz.UnoPOMDP(rules, discount=1.0)
        self.belief = [(1.0, self.pomdp.state(**deal)) for deal in deals]
        self.view = kibitz.Table.from_deal(rules, seed=1, **deals[0]).view(0)

    def bounds(self, belief, depth=6):
        found = []
        for worth in (-1.0, 1.0):
            reference = kibitz.UnoReference(self.pomdp, lambda _, worth=worth: worth)
            values = reference.q_values(belief, depth)
            found.append({action_text(action): value for action, value in values.items()})
        return {move: (found[0][move], found[1][move]) for move in found[0]}

    def truth(self):
        """The least and the most that each move can be worth to one who does not see the card."""
        return self.bounds(self.belief)

    def knowing(self):
        """The same for one who will be shown the card after this move: the mean over the worlds of
        what each move is worth in them."""
        apart = [self.bounds([one]) for one in self.belief]
        return {move: tuple(np.mean([world[move] for world in apart], axis=0)) for move in apart[0]}

    def decisions(self, name):
        agent = kibitz.agent(name, "uno")
        return [agent.decide(self.view, rng.generator(seed)) for seed in SEEDS]

    def chosen(self, name):
        return {self.view.text(decision.action) for decision in self.decisions(name)}


WORLDS = "worlds:worlds=20,sims=2000"
HONEST = ["ismcts:sims=20000", "ismcts:sims=20000,observers=each", "pomcp:sims=20000"]


def test_a_later_guess_is_taken_for_knowledge():
    """Red is asked for; the other holds R1, Y1, YS or W. R0 loses to R1 and to W and wins else: 0.
    RR moves again, and leaves the choice to stay red (R0) or to go yellow (YR, Y0), which beats R1.
    Whoever will know the card gains by putting the choice off; whoever has to guess has only spent
    the Reverse."""
    example = Example(REVERSES, "R0 RR Y0 YR", "RS", "R1 Y1 YS W")
    truth, knowing = example.truth(), example.knowing()
    assert truth["R0"] == knowing["R0"] == pytest.approx((0, 0))
    assert truth["RR"][1] < -0.2
    assert knowing["RR"][0] > 0.15
    for name in HONEST:
        for decision in example.decisions(name):
            values = {move.text: move.value for move in decision.moves}
            assert example.view.text(decision.action) == "R0"
            assert values["R0"] == pytest.approx(0, abs=0.05)
            assert values["RR"] < -0.2


def test_worlds_puts_off_a_guess_and_thinks_it_has_gained_half_a_game():
    """Yellow 1 on top; the other holds R0, R1, R2 or W. Y0 loses to R0 and W, Y2 to R2 and W: 0.
    YS moves again and leaves the same choice, so it is worth no more (-0.01); but in each world but
    W the right one of Y0 and Y2 is known, and the mean of that is up to 1/2. Whether YS is played
    as well hangs on the play-outs: where Y0 or Y2 wins at once the visits are shared, and the keen
    player's are in a hurry."""
    example = Example(NUMBERS, "RS YS Y0 Y2", "Y1", "R0 R1 R2 W")
    truth, knowing = example.truth(), example.knowing()
    assert truth["Y0"] == truth["Y2"] == pytest.approx((0, 0))
    hopeful = kibitz.UnoReference(example.pomdp, lambda _: 1.0)
    assert truth["YS"][0] > -0.2
    assert hopeful.q(example.belief, "YS", depth=10) < -0.005
    assert knowing["YS"][0] > 0.25
    for decision in example.decisions(WORLDS):
        values = {move.text: move.value for move in decision.moves}
        assert values["YS"] > 0.3
        assert values["Y0"] == pytest.approx(0, abs=0.05)
    by_rule = f"{WORLDS},rollout=rule"
    assert example.chosen(by_rule) == {"YS"}
    for decision in example.decisions(by_rule):
        best = decision.moves[0]
        assert best.value > 0.4
        assert np.mean([world[best.action][1] for world in decision.by_world]) > 0.4
    for decision in example.decisions("ismcts:sims=20000"):
        assert example.view.text(decision.action) in {"Y0", "Y2"}
        assert max(move.value for move in decision.moves) == pytest.approx(0, abs=0.05)


def test_worlds_sees_no_merit_in_a_move_that_needs_no_knowledge():
    """YR, RR, RS and W are a win whatever the other holds: R0, R1, Y0 or YS. In each world one of
    W:R and W:Y wins as well, and is searched more; it is worth nothing to one who must guess. That
    YR is played after all is not the search's doing: the win is proved."""
    example = Example(REVERSES, "RS RR YR W", "Y1", "R0 R1 Y0 YS")
    truth = example.truth()
    assert truth["YR"] == pytest.approx((1, 1))
    assert truth["W:R"] == truth["W:Y"] == pytest.approx((0, 0))
    for decision in example.decisions(WORLDS):
        assert max(decision.moves, key=lambda move: move.visits).text in {"W:R", "W:Y"}
        assert {move.text for move in decision.moves if move.proved} >= {"YR"}
    for name in (WORLDS, *HONEST):
        assert example.chosen(name) <= {"YR", "RR", "RS", "W"}
    for name in HONEST:
        assert example.chosen(name) == {"YR"}
