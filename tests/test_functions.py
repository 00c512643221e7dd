"""Functions of one's own in a search: as evaluators, and as models of the others."""

import numpy as np
import pytest

import kibitz
from helpers import fewer
from kibitz import contract, players, rng
from kibitz.players import RULE, Player
from kibitz.search.selection import ASKED

RULES = {
    "uno": kibitz.rules("uno"),
    "blob": kibitz.rules("blob", players=3, cards=4, trump="hearts"),
}
GAMES = pytest.mark.parametrize("game", RULES)
SEARCHES = [
    "flat",
    "worlds:worlds=3",
    "ismcts",
    "ismcts:observers=each",
    "ismcts:priors=keen,noise=0.2",
    "pomcp:keep=0",
    "pomcp:keep=1,priors=keen,discount=0.5",
]


def a_view(game, seed=0):
    """The first decision with several choices of a random game."""
    table = kibitz.Table(RULES[game], seed=seed)
    while len(table.legal_actions()) < 3:
        table.play(table.legal_actions()[0])
    return table.view(table.to_act)


def estimated(rules, state):
    """What the game's own estimate says, as a function."""
    out = np.zeros(contract.ACTIONS)
    contract.estimate(rules.params, state, np.array(kibitz.game_of(rules).weights), out)
    return out[: rules.seats]


def rule_player(rules, state):
    out = np.zeros(contract.ACTIONS)
    players.chances(rules.params, state, Player(RULE), out)
    return {action: float(share) for action, share in enumerate(out) if share}


def decide(agent, view, seed=1):
    return agent.decide(view, rng.generator(seed, 0, 1))


@GAMES
@pytest.mark.parametrize("name", SEARCHES)
def test_a_function_takes_the_place_of_a_kernel(game, name):
    """The same walks: what differs is only who is asked for the value of a leaf."""
    view, joint = a_view(game), "," if ":" in name else ":"
    text = f"{name}{joint}sims={fewer(200) + 20}"
    compiled = decide(kibitz.agent(f"{text},horizon=0", game), view)
    asked = decide(kibitz.agent(text, game, evaluator=estimated), view)
    assert [(m.action, m.visits) for m in asked.moves] == [
        (m.action, m.visits) for m in compiled.moves
    ]
    assert [m.value for m in asked.moves] == pytest.approx([m.value for m in compiled.moves])
    assert asked.values == pytest.approx(compiled.values)
    assert asked.nodes == compiled.nodes
    other = decide(kibitz.agent(text, game), view)
    assert [m.visits for m in other.moves] != [m.visits for m in asked.moves]


@GAMES
def test_the_others_play_by_the_model(game):
    """A function that plays as the rule player does leads to the values that it leads to."""
    view = a_view(game, 2)
    text = f"pomcp:sims={fewer(1500)},keep=0,particles=100"
    named = "rule:temperature=0"
    asked = decide(kibitz.agent(text, game, model=rule_player), view)
    known = decide(kibitz.agent(f"{text},model={named},others={named}", game), view)
    values = {move.action: move for move in known.moves}
    for move in asked.moves:
        other = values[move.action]
        assert abs(move.value - other.value) < 5 * (move.error + other.error)


def test_a_model_is_shown_no_hand_but_that_of_the_seat_to_act():
    shown = []

    def model(rules, state):
        seat = int(state.turn)
        shown.append([s == seat or not state.hand[s] for s in range(rules.players)])
        return rule_player(rules, state)

    view = a_view("blob")
    agent = kibitz.agent("pomcp:sims=20,particles=20", "blob", model=model)
    search = agent.search(1)
    search.begin(view, agent.belief(view))
    assert search._problem.search.modelled == ASKED
    decide(agent, view)
    assert len(shown) > 20
    assert all(map(all, shown))


def test_the_coach_takes_an_agent_with_functions():
    view = a_view("blob")
    agent = kibitz.agent("ismcts:sims=100", "blob", evaluator=estimated)
    found = kibitz.advise(view, agent, seed=3)
    assert found.simulations == 100
    assert found.why


@pytest.mark.parametrize(
    ("name", "functions", "said"),
    [
        ("rule", {"evaluator": estimated}, "rule does not search"),
        ("flat", {"evaluator": 3}, "an evaluator is a function"),
        ("flat", {"model": "rule"}, "a model is a function"),
    ],
)
def test_what_is_no_function_is_refused(name, functions, said):
    with pytest.raises(kibitz.KibitzError, match=said):
        kibitz.agent(name, "blob", **functions)


@pytest.mark.parametrize(
    ("functions", "said"),
    [
        ({"evaluator": lambda rules, state: [1.0]}, "a number for each of the 3 seats"),
        ({"evaluator": lambda rules, state: None}, "a number for each of the 3 seats"),
        ({"evaluator": lambda rules, state: ["a", "b", "c"]}, "a number for each"),
        ({"evaluator": lambda rules, state: [float("nan")] * 3}, "a number for each"),
        ({"model": lambda rules, state: {63: 1.0}}, "gives no chance to any of the legal actions"),
    ],
)
def test_what_a_function_may_not_say_is_told(functions, said):
    agent = kibitz.agent("pomcp:sims=50,belief=auto", "blob", **functions)
    with pytest.raises(kibitz.KibitzError, match=said):
        decide(agent, a_view("blob"))
