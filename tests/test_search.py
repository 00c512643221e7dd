"""What must be true of every search: simulations are counted, seeds reproduce decisions, trees are
sound, budgets are kept, and nothing that is hidden reaches a decision."""

import copy
import dataclasses
import time
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kibitz
from helpers import PURE, examples, fewer, observed, problem, to_act
from kibitz import contract, rng
from kibitz.agents.methods import SEARCHES, Pomcp, Worlds, run_out
from kibitz.agents.options import particles_of, read_options
from kibitz.arena.conformance import elsewhere
from kibitz.arena.players import Cheat, player
from kibitz.contract import ACTIONS
from kibitz.games.base import KibitzError
from kibitz.players import KEEN, Player
from kibitz.search.search import Tree, search_block
from kibitz.search.selection import by_bounds
from kibitz.search.tree import EDGE, NODE, NONE

TINY = {"colours": 2, "ranks": "0123S+", "wilds": 1, "wild_fours": 1, "hand_size": 4}
SOME = [
    kibitz.rules("uno"),
    kibitz.rules("uno", skip="pass", max_plies=80, **TINY),
    kibitz.rules("blob", players=3, cards=4, trump="hearts"),
    kibitz.rules("blob", players=2, suits=2, ranks=4, cards=4, trump="random", miss="penalty"),
    kibitz.rules("blob-game", players=4, schedule=(2, 1), miss="tricks"),
]
RULES = pytest.mark.parametrize("rules", SOME, ids=str)
SIMS = 20 if PURE else 200
AGENTS = [
    f"flat:sims={SIMS}",
    f"worlds:worlds=4,sims={SIMS // 4}",
    f"ismcts:sims={SIMS}",
    f"ismcts:sims={SIMS},observers=each",
    f"pomcp:sims={SIMS},keep=0",
]


def decide(name, view, seed=0):
    return kibitz.agent(name, view.rules.game).decide(view, rng.generator(seed, 0, 1))


def plain(decision):
    """All of it but the time it took."""
    return repr(dataclasses.replace(decision, seconds=0.0))


def choices(rules, number=3, seed=0):
    """Tables at which somebody has more than one move, from several stages of random games."""
    found, choice = [], Random(seed)
    for index in range(50):
        table = kibitz.Table(rules, seed=seed, index=index)
        for _ in range(choice.randrange(10)):
            if not table.over:
                table.play(choice.choice(table.legal_actions()))
        while not table.over and len(table.legal_actions()) == 1:
            table.play(table.legal_actions()[0])
        if not table.over:
            found.append(table)
        if len(found) == number:
            break
    return found


def views(rules, number=3, seed=0):
    return [table.view(table.to_act) for table in choices(rules, number, seed)]


# --- visits --------------------------------------------------------------------------------------


@RULES
@pytest.mark.parametrize("more", ["", ",priors=keen", ",noise=0.5", ",exact=8", ",horizon=3"])
def test_the_visits_of_the_moves_add_up_to_the_simulations(rules, more):
    for view in views(rules, 1 if PURE else 3):
        for name in AGENTS:
            decision = decide(name + more, view)
            assert decision.simulations == SIMS
            assert sum(move.visits for move in decision.moves) == SIMS, name
            assert sum(move.share for move in decision.moves) == pytest.approx(1)
            assert {move.action for move in decision.moves} <= set(view.actions)
            assert np.isfinite([(move.value, move.error) for move in decision.moves]).all()
            assert decision.action == decision.moves[0].action


def test_the_number_of_worlds_is_what_was_drawn():
    view = views(SOME[2])[0]
    assert decide("worlds:worlds=7,sims=10", view).worlds == 7
    assert decide("flat:sims=30", view).worlds == 30


def test_one_world_is_one_world():
    assert decide("worlds:worlds=1,sims=50", views(SOME[2])[0]).worlds == 1


def test_a_tree_far_from_its_limit_is_not_called_full():
    for name in AGENTS:
        assert not decide(f"{name},nodes=100000", views(SOME[0])[0]).full, name


def test_the_value_of_a_move_is_its_mean_over_the_worlds():
    """Within the error that is said of it, which is that of such a mean."""
    decision = decide("worlds:worlds=20,sims=200", views(SOME[4])[0])
    for move in decision.moves:
        apart = [found[move.action][1] for found in decision.by_world if found[move.action][0]]
        assert move.value == pytest.approx(np.mean(apart), abs=4 * move.error)


# --- the tree ------------------------------------------------------------------------------------


def grown(text, view, sims, nodes=10_000, particles=0):
    """A tree as an agent grows it."""
    asked = problem(text, view)
    tree = Tree(kibitz.game_of(view.rules).dtype, view.rules.seats, nodes, particles, priors=True)
    search_block(asked, tree, asked.draw(sims, 1), sims, rng.generator(1, 0, 40))
    return tree


def knowing(options, view, true, seed):
    """The decision of `worlds` when it knows the true state."""
    search = Worlds(options, seed)
    search.begin(view, None, draw=lambda n, _: np.repeat(true, n))
    return run_out(search)


def listed(records, first, link):
    found = []
    while first != NONE:
        found.append(int(first))
        first = records[first][link]
    return found


def check_tree(tree, roots=(0,)):
    """Walk all of it. Every record that is taken hangs somewhere, once; what passes an edge has
    passed its node, and what passes a node has passed the edge above. Returns sums of visits."""
    nodes, edges = tree.arrays.nodes, tree.arrays.edges
    seen_nodes, seen_edges, waiting = set(roots), set(), list(roots)
    while waiting:
        node = waiting.pop()
        here = listed(edges, nodes[node]["first"], "next")
        actions = [int(edges[edge]["action"]) for edge in here]
        assert len(set(actions)) == len(actions)
        assert int(nodes[node]["tried"]) == sum(1 << action for action in actions)
        visits = sum(int(edges[edge]["visits"]) for edge in here)
        # of the node's visits all went on, but the first, which only valued it
        assert nodes[node]["visits"] - visits in ((0,) if node in roots else (0, 1))
        for edge in here:
            assert edge not in seen_edges
            seen_edges.add(edge)
            assert -1e-9 <= edges[edge]["total"] <= edges[edge]["visits"] + 1e-9
            assert edges[edge]["squares"] <= edges[edge]["total"] + 1e-9
            below = listed(nodes, edges[edge]["child"], "sibling")
            assert len({int(nodes[child]["key"]) for child in below}) == len(below)
            assert sum(int(nodes[child]["visits"]) for child in below) <= edges[edge]["visits"]
            assert edges[edge]["visits"] <= edges[edge]["available"] + 1
            assert not seen_nodes & set(below)
            seen_nodes |= set(below)
            waiting += below
    assert len(seen_nodes) == tree.arrays.used[0]
    assert len(seen_edges) == tree.arrays.used[1]


TREES = ["ismcts", "ismcts:priors=keen", "pomcp", "pomcp:noise=0.3", "flat"]


@RULES
def test_a_tree_is_sound(rules):
    for view in views(rules, 2):
        for text in TREES:
            tree = grown(text, view, SIMS)
            check_tree(tree)
            assert tree.simulations == tree.arrays.nodes[0].visits == SIMS


@RULES
def test_a_full_tree_is_sound_and_goes_on_learning(rules):
    for view in views(rules, 1):
        for text in TREES:
            tree = grown(text, view, SIMS, nodes=12)
            assert tree.arrays.used[0] <= 12
            assert tree.arrays.nodes[0].visits == SIMS
            assert tree.moves()[0].sum() == SIMS


def test_a_wrong_count_in_a_tree_is_noticed():
    tree = grown("ismcts", views(SOME[2])[0], SIMS)
    tree.arrays.edges[tree.arrays.nodes[0].first].visits += 1
    with pytest.raises(AssertionError):
        check_tree(tree)


@pytest.mark.skipif(PURE, reason="many simulations")
@RULES
@pytest.mark.parametrize("name", ["worlds:worlds=2", "ismcts", "ismcts:observers=each", "pomcp"])
def test_a_limit_of_nodes_is_kept(rules, name):
    joint, grew = "," if ":" in name else ":", []
    for view in views(rules, 2):
        decision = decide(f"{name}{joint}nodes=50,sims=2000", view)
        trees = 2 if name.startswith("worlds") else 1
        assert decision.nodes <= 50 * trees
        assert sum(move.visits for move in decision.moves) == decision.simulations == 2000 * trees
        grew.append(decision.full)
    if rules in (SOME[0], SOME[2]):  # the others may be over before
        assert any(grew)


def test_a_tree_for_each_observer_has_room_for_every_root():
    view = views(kibitz.rules("blob", players=4, cards=3), 1)[0]
    for nodes in range(2, 9):
        decision = decide(f"ismcts:observers=each,sims=2000,nodes={nodes}", view)
        assert sum(move.visits for move in decision.moves) == 2000


def copied(tree, nodes, particles=0):
    other = Tree(tree.arrays.worlds.dtype, len(tree.sums), nodes, particles)
    other.take(tree)
    return other


def test_a_copied_tree_is_the_same_and_a_cut_one_is_sound():
    for rules in SOME[:3]:
        tree = grown("ismcts", views(rules)[0], SIMS, particles=50)
        whole = copied(tree, int(tree.arrays.used.max()) + 1, 50)
        check_tree(whole)
        assert whole.arrays.used[:2].tolist() == tree.arrays.used[:2].tolist()
        assert np.array_equal(whole.moves(), tree.moves())
        best = int(np.argmax(tree.moves()[0]))
        assert whole.line(best) == tree.line(best) != []
        for size in (1, 2, 5, 20):
            cut = copied(tree, size)
            assert cut.arrays.used[0] <= size
            assert cut.arrays.used[1] <= size
            assert cut.arrays.nodes[0].visits == tree.arrays.nodes[0].visits
            kept = cut.moves()[0]
            assert all(kept[a] in (0, tree.moves()[0][a]) for a in range(ACTIONS))
            for node in range(int(cut.arrays.used[0])):
                edges = listed(cut.arrays.edges, cut.arrays.nodes[node]["first"], "next")
                tried = sum(1 << int(cut.arrays.edges[edge]["action"]) for edge in edges)
                assert int(cut.arrays.nodes[node]["tried"]) == tried


def test_a_branch_copied_on_its_own_keeps_its_statistics():
    tree = grown("ismcts", views(SOME[2])[0], SIMS)
    child = int(tree.arrays.edges[tree.arrays.nodes[0].first].child)
    branch = tree.below(child)
    other = copied(branch, 1000)
    assert other.arrays.nodes[0].visits == tree.arrays.nodes[child].visits
    assert np.array_equal(other.moves(), branch.moves())


# --- seeds ---------------------------------------------------------------------------------------


@RULES
def test_the_same_seed_gives_the_same_decision(rules):
    differ = False
    for view in views(rules, 2):
        for name in AGENTS:
            first, second = decide(name, view, 3), decide(name, view, 3)
            assert plain(first) == plain(second)
            differ |= plain(first) != plain(decide(name, view, 4))
    assert differ


@RULES
def test_threads_change_nothing(rules):
    for view in views(rules, 2):
        one, four = (
            decide(f"worlds:worlds=9,sims={SIMS // 4},threads={threads}", view)
            for threads in (1, 4)
        )
        assert plain(one) == plain(four)


# --- nothing hidden ------------------------------------------------------------------------------


def test_where_nothing_is_hidden_worlds_is_a_search_of_the_true_state():
    rules = SOME[3]  # the whole deck is in two hands
    for table in choices(rules, 4):
        view, true = table.view(table.to_act), np.zeros(1, kibitz.game_of(rules).dtype)
        true[0] = table.true_state()
        for number in (1, 5):
            name = f"worlds=5,sims={SIMS}".replace("5", str(number), 1)
            options = read_options(Worlds.Options, "worlds", name)
            found = knowing(options, view, true, int(rng.next_word(rng.generator(0, 0, 1))))
            assert plain(decide(f"worlds:{name}", view)) == plain(found)
    assert found.agreement is not None


@pytest.mark.parametrize("rules", SOME[2:], ids=str)
def test_a_tree_for_each_observer_is_the_same_in_blob_where_all_moves_are_public(rules):
    for view in views(rules, 3):
        one, each = (decide(f"ismcts:sims={SIMS},observers={who}", view) for who in ("one", "each"))
        assert one.moves == each.moves
        assert one.values == each.values


# --- everyone for itself -------------------------------------------------------------------------


def worth(rules, state, friend=None):
    """What each seat gets if all see every card and take what is best for themselves, any of their
    best moves equally often; or, with a `friend`, what is best for that seat."""
    out = np.zeros(rules.seats)
    contract.returns(rules.params, state, out)
    if to_act(rules, state) < 0:
        return out
    seat, found = to_act(rules, state) if friend is None else friend, []
    for action in range(ACTIONS):
        if int(contract.legal_actions(rules.params, state)) >> action & 1:
            after = state.copy()
            contract.apply(rules.params, after, action, rng.generator(0))
            found.append(worth(rules, after, friend))
    best = max(values[seat] for values in found)
    return np.mean([values for values in found if values[seat] > best - 1e-9], axis=0)


@pytest.mark.skipif(PURE, reason="many simulations")
def test_everyone_takes_what_is_best_for_itself():
    """Where the others could do the searching seat a favour and would not: it is worth what they
    leave it, not what they could."""
    rules = kibitz.rules("blob", players=3, cards=3, trump="hearts")
    compared = 0
    for seed in range(300):
        table, choice = kibitz.Table(rules, seed=seed), Random(seed)
        while table.true_state().left > 2 or table.true_state().phase == 0:
            table.play(choice.choice(table.legal_actions()))
        state, view = table.true_state(), table.view(table.to_act)
        selfish = worth(rules, state)[view.seat]
        if len(view.actions) < 2 or worth(rules, state, view.seat)[view.seat] - selfish < 6:
            continue
        true = np.zeros(1, state.dtype)
        true[0] = state
        found = knowing(Worlds.Options(worlds=1, sims=4000), view, true, 1)
        assert found.moves[0].value == pytest.approx(selfish, abs=2)
        compared += 1
    assert compared > 10


# --- guidance ------------------------------------------------------------------------------------


@RULES
def test_the_first_action_searched_is_the_one_that_the_keen_player_likes(rules):
    looked = 0
    for view in views(rules, 20):
        scores = np.zeros(64)
        contract.keen_scores(rules.params, view.observation, scores)
        liked = [a for a in view.actions if scores[a] == max(scores[list(view.actions)])]
        found = decide("ismcts:sims=1,priors=keen,heat=0.1", view, 1)
        if len(liked) == 1 and len(view.actions) > 1:
            assert found.action == liked[0]
            looked += 1
    assert looked > 5


def test_others_may_be_keen():
    (view,) = views(kibitz.rules("blob", players=3, cards=3), 1)
    others = problem("pomcp:others=keen", view).others
    assert [tuple(player) for player in others.players] == [Player(KEEN)]
    assert others.shares.tolist() == [[1.0]] * 3


@RULES
def test_noise_at_the_root_is_of_the_seed_and_changes_the_search(rules):
    differ = False
    for view in views(rules, 2):
        name = f"ismcts:sims={SIMS},priors=keen"
        noisy = [decide(f"{name},noise=0.9", view, seed) for seed in (1, 1, 2)]
        assert plain(noisy[0]) == plain(noisy[1])
        differ |= noisy[0].moves != noisy[2].moves
        differ |= noisy[0].moves != decide(name, view, 1).moves
    assert differ


@pytest.mark.parametrize(
    ("game", "said", "number"),
    [
        ("blob", "sims=50", 1000),
        ("blob", "ms=2", 50),
        ("blob", "ms=1", 30),
        ("blob", "ms=16", 400),
        ("blob", "ms=500", 1000),
        ("blob", "ms=2,particles=700", 700),
        ("uno", "ms=2", 1000),
        ("uno", "ms=1", 500),
    ],
)
def test_a_belief_leaves_most_of_a_short_time_to_the_search(game, said, number):
    rules = kibitz.rules(game)
    options = read_options(Pomcp.Options, "pomcp", said)
    assert particles_of(options, rules) == number
    table = kibitz.Table(rules, seed=1)
    view = table.view(table.to_act)
    assert kibitz.agent(f"pomcp:{said}", game).belief(view).options.n == number


def test_a_temperature_draws_from_the_policy():
    view = views(SOME[0], 1)[0]
    found = [decide("flat:sims=40,temperature=1,explore=5", view, seed) for seed in range(40)]
    assert len({decision.action for decision in found}) > 1
    assert all(decision.policy[decision.action] > 0 for decision in found)
    for decision in found:
        assert {m.action: m.share for m in decision.moves} == decision.policy
        assert decision.policy == pytest.approx({m.action: m.visits / 40 for m in decision.moves})
    cold = decide("flat:sims=40,temperature=0.01,explore=5", view)
    top = [move.visits for move in cold.moves]
    assert top[0] == top[1] or cold.policy[cold.action] > 0.5


# --- what is kept --------------------------------------------------------------------------------


def a_game_with(name, rules, seed, plies=60):
    """Play seat 0 by an agent; yields agent, table and decision at each of its turns."""
    table, choice = kibitz.Table(rules, seed=seed), Random(seed)
    agent, stream = kibitz.agent(name, rules.game), rng.generator(seed, 0, 1)
    while not table.over and plies:
        plies -= 1
        if table.to_act == 0:
            view = table.view(0)
            kept = agent._before
            decision = agent.decide(view, stream)
            yield kept, view, decision
            action = decision.action
        else:
            action = choice.choice(table.legal_actions())
        table.play(action)  # refuses what is illegal


@pytest.mark.skipif(PURE, reason="whole games of searches")
@RULES
def test_the_part_of_the_tree_that_came_true_is_found_again(rules):
    found = 0
    for seed in range(3):
        for kept, view, decision in a_game_with(f"pomcp:sims={SIMS}", rules, seed):
            branch = kept.branch(view) if kept else None
            if branch is not None:
                check_branch = branch.arrays.nodes[branch.root].visits
                assert check_branch > 0
                found += 1
                if decision.moves:
                    assert sum(move.visits for move in decision.moves) >= SIMS
                    assert {move.action for move in decision.moves} <= set(view.actions)
    assert found


@RULES
def test_a_view_that_does_not_go_on_from_the_kept_one_finds_nothing(rules):
    table = choices(rules, 1)[0]
    view = table.view(table.to_act)
    agent = kibitz.agent(f"pomcp:sims={SIMS}", rules.game)
    agent.decide(view, rng.generator(1))
    kept = agent._before
    assert isinstance(kept, Pomcp)
    assert kept.branch(view) is None, "nothing has happened yet"
    other = kibitz.Table(rules, seed=1234)
    assert kept.branch(other.view(view.seat)) is None
    assert kept.branch(dataclasses.replace(view, seat=(view.seat + 1) % rules.seats)) is None
    for action in table.legal_actions():
        if action != kept.chosen:
            more = copy.deepcopy(table)
            more.play(action)
            assert kept.branch(more.view(view.seat)) is None


def particles_at(tree, node):
    arrays = tree.arrays
    return [arrays.worlds[k] for k in listed_links(arrays.links, arrays.nodes[node]["particle"])]


def listed_links(links, first):
    found = []
    while first != NONE:
        found.append(int(first))
        first = links[first]
    return found


@pytest.mark.skipif(PURE, reason="too few simulations to find a branch again")
@RULES
def test_the_particles_of_a_kept_node_look_as_the_seat_sees_it(rules):
    """After one decision of a new agent: its tree holds nothing but worlds of its belief."""
    compared = 0
    for table in choices(rules, fewer(20)):
        agent, choice = kibitz.agent(f"pomcp:sims={SIMS},root=tree", rules.game), Random(1)
        seat = table.to_act
        table.play(agent.decide(table.view(seat), rng.generator(1)).action)
        while table.to_act not in (-1, seat):
            table.play(choice.choice(table.legal_actions()))
        view = table.view(seat)
        branch = agent._before.branch(view)
        for world in particles_at(branch, branch.root) if branch else ():
            assert observed(rules, world, seat).tobytes() == view.data
            compared += 1
    assert compared


def test_a_search_from_the_particles_of_the_tree_starts_where_the_game_stands():
    """Every simulation must begin with a legal move: else its world was of another position."""
    for rules in SOME[:2]:
        for seed in range(4):
            for kept, view, decision in a_game_with(f"pomcp:sims={SIMS},root=tree", rules, seed):
                branch = kept.branch(view) if kept else None
                before = 0 if branch is None else branch.moves()[0].sum()
                if decision.moves:
                    assert sum(move.visits for move in decision.moves) == before + SIMS


# --- time ----------------------------------------------------------------------------------------


@pytest.mark.skipif(PURE, reason="nothing is compiled")
@pytest.mark.parametrize("name", ["flat", "worlds", "ismcts", "pomcp:keep=0"])
def test_a_budget_of_time_is_kept(name):
    """By the time that the process itself took, the least of five: other work on the machine does
    not count. All of the budget's time passes in any case."""
    view = views(SOME[0], 1)[0]
    joint = "," if ":" in name else ":"
    for ms in (20, 50):
        agent = kibitz.agent(f"{name}{joint}ms={ms}", "uno")
        agent.decide(view, rng.generator(0))
        taken, used = [], []
        for seed in range(5):
            wall, cpu = time.monotonic(), time.process_time()
            agent.decide(view, rng.generator(seed))
            taken.append(1000 * (time.monotonic() - wall))
            used.append(1000 * (time.process_time() - cpu))
        assert min(used) <= 1.1 * ms + 5
        assert min(taken) >= 0.8 * ms


# --- leaks ---------------------------------------------------------------------------------------

HONEST = ["random", "rule", *AGENTS, f"pomcp:sims={SIMS}", f"pomcp:sims={SIMS},root=tree"]


def exchanged(rules, seed):
    """Pairs of tables that the seat to act cannot tell apart."""
    for table in choices(rules, 1 if PURE else 4, seed):
        other = elsewhere(table, table.to_act, seed + 17)
        if other.true_state().tobytes() != table.true_state().tobytes():
            yield table, other


@pytest.mark.parametrize("rules", [*SOME[:3], SOME[4]], ids=str)
def test_no_decision_depends_on_hidden_cards(rules):
    pairs = list(exchanged(rules, 5))
    assert pairs, "nothing was exchanged: this proved nothing"
    for table, other in pairs:
        seat = table.to_act
        for name in HONEST:
            assert plain(decide(name, table.view(seat))) == plain(decide(name, other.view(seat)))


@pytest.mark.parametrize("rules", [*SOME[:3], SOME[4]], ids=str)
def test_the_cheat_is_caught_by_the_same_test(rules):
    caught = 0
    for table, other in exchanged(rules, 5):
        cheat = Cheat(f"cheat:sims={SIMS}", rules.game)
        said = [cheat.decide_at(each, rng.generator(1)) for each in (table, other)]
        caught += plain(said[0]) != plain(said[1])
    assert caught


# --- names and options ---------------------------------------------------------------------------

WORDS = st.text(st.characters(codec="utf-8"), max_size=12)
NAMES = st.sampled_from(["sims", "ms", "rollout", "explore", "worlds", "keep", "simz", "nodes"])
PARTS = st.one_of(
    WORDS,
    st.tuples(NAMES, WORDS | st.integers().map(str) | st.floats().map(str)).map("=".join),
)


@examples
@given(st.sampled_from(sorted(SEARCHES)), st.lists(PARTS, max_size=4).map(",".join))
def test_options_are_read_or_refused_with_a_reason(kind, text):
    try:
        found = read_options(SEARCHES[kind].Options, kind, text)
    except KibitzError:
        return
    assert isinstance(found, SEARCHES[kind].Options)
    assert found.sims >= 1


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("ismts", "ismcts"),
        ("world", "worlds"),
        ("pomcp:simz=3", "sims"),
        ("flat:rollot=rule", "rollout"),
        ("ismcts:observers=eech", "each"),
        ("worlds:thread=2", "threads"),
    ],
)
def test_a_misspelt_name_gets_the_nearest(name, hint):
    with pytest.raises(KibitzError, match=f"did you mean.*{hint}|{hint}\\?"):
        kibitz.agent(name, "uno")


@pytest.mark.parametrize("text", ["sims=0", "sims", "sims=", "ms=-1", "ms=nan", "ms=1,ms=2"])
def test_an_option_that_makes_no_sense_is_refused(text):
    with pytest.raises(KibitzError):
        kibitz.agent(f"flat:{text}", "uno")


def test_the_cheat_plays_only_in_the_arena():
    with pytest.raises(KibitzError, match="cheat"):
        kibitz.agent("cheat", "uno")
    assert isinstance(player("cheat:sims=10", "uno"), Cheat)
    rules = kibitz.rules("blob", players=2, cards=2)
    done = kibitz.simulate(rules, ["cheat:sims=20", "random"], fewer(4), seed=1)
    assert len(done.players) == 2
    with pytest.raises(KibitzError, match="search"):
        player("cheat:search=ismct", "uno")


def test_searches_never_draw_from_the_stream_of_a_games_chance(monkeypatch):
    """Whoever asks for advice with the seed of the game would else be shown its cards."""
    streams, made = set(), rng.generator

    def spied(seed, index=0, stream=rng.CHANCE):
        streams.add(stream)
        return made(seed, index, stream)

    for view in [views(rules, 1)[0] for rules in SOME]:
        source = made(1, 0, 1)
        with monkeypatch.context() as patch:
            patch.setattr(rng, "generator", spied)
            for name in AGENTS:
                kibitz.agent(name, view.rules.game).decide(view, source)
            kibitz.advise(view, "flat:sims=50")
            kibitz.belief(view, seed=1, cache=None).sample(2, 1)
    assert streams
    assert rng.CHANCE not in streams


def test_nothing_grows_beyond_the_stage():
    """The next deal of a game of Blob is no part of the tree."""
    view = views(kibitz.rules("blob-game", players=3, start=2), 1)[0]
    one = decide("ismcts:sims=2000", view)
    each = decide("ismcts:sims=2000,observers=each", view)
    assert each.nodes <= 3 * one.nodes


@pytest.mark.skipif(PURE, reason="millions of states")
def test_a_world_that_is_too_large_to_be_solved_is_played_out():
    table = kibitz.Table(kibitz.rules("blob", players=2, cards=12, trump="none"), seed=1)
    for bid in ("1", "2"):
        table.play(bid)
    view = table.view(table.to_act)
    assert decide("ismcts:exact=24,sims=20", view).simulations == 20


def test_many_worlds_keep_to_the_time_and_to_the_nodes():
    view = views(kibitz.rules("blob"), 1)[0]
    decide("worlds:worlds=300,ms=20", view)
    found = decide("worlds:worlds=300,ms=20,nodes=6000", view)
    assert 1 <= found.worlds <= 300
    assert found.nodes <= 6000


def test_an_action_that_was_seldom_legal_is_not_taken_for_neglected():
    """Two actions of equal value and visits: the bound grows with how often each was available,
    not with how often the node was visited."""
    nodes, edges = np.zeros(1, NODE), np.zeros(2, EDGE)
    nodes["visits"], nodes["tried"], nodes["first"] = 1000, 0b11, 0
    edges["visits"], edges["total"], edges["action"], edges["next"] = 5, 2.5, [0, 1], [1, NONE]
    search = problem("ismcts", views(SOME[0])[0]).search
    tree = Tree(kibitz.game_of(SOME[0]).dtype, 2, 2).arrays._replace(nodes=nodes, edges=edges)
    for often, chosen in (([10, 1000], 1), ([1000, 10], 0)):
        edges["available"] = often
        found = by_bounds(search, tree, 0, np.uint64(0b11), rng.generator(1))
        assert tuple(map(int, found)) == (chosen, chosen)
        assert edges["available"].tolist() == [number + 1 for number in often]
    edges["available"] = [10, 1000]
    found = by_bounds(search, tree, 0, np.uint64(0b01), rng.generator(1))
    assert int(found[0]) == 0
    assert edges["available"].tolist() == [11, 1000]
