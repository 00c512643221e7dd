"""What must be true of every game under every rule set: cards are conserved, seeds reproduce games,
nothing hidden leaks, sampled worlds are uniform, and kernels and table play the same games.

The checks that carry most weight are shown to be able to fail: each is run against a wrapper with a
planted fault, which it must catch.
"""

import copy
from collections import Counter
from itertools import combinations
from random import Random

import numpy as np
import pytest

import kibitz
from helpers import (
    PURE,
    RULE_SETS,
    TINY_SETS,
    dealt,
    fewer,
    fits,
    garbage,
    legal,
    members,
    observed,
    played,
    random_states,
    random_steps,
    sampled,
    to_act,
)
from kibitz import contract, policy, rng
from kibitz.arena.kernels import play_games
from kibitz.games.base import Event
from kibitz.table.chance import PLAIN, Chance

EVERY = pytest.mark.parametrize("rules", RULE_SETS, ids=str)
WILD, WILD_FOUR, DRAW = 13, 14, 15


def uno(**options):
    return kibitz.rules("uno", **options)


def blob(**options):
    return kibitz.rules("blob", **options)


# --- (a) cards are conserved ---------------------------------------------------------------------


def uno_deck(rules):
    """All cards of an UNO deck as (colour, rank); wilds are (None, rank)."""
    deck = Counter()
    for colour in range(rules.colours):
        deck.update((colour, "0123456789SR+".index(rank)) for rank in rules.ranks)
    deck[None, WILD] = rules.wilds
    deck[None, WILD_FOUR] = rules.wild_fours
    return +deck


def uno_cards(words):
    """The multiset in two words, read without the engine's help; its form must be canonical."""
    ones, twos = int(words[0]), int(words[1])
    assert twos & ones == twos, "a second copy without a first"
    found = Counter()
    for bit in (*members(ones), *members(twos)):
        colour, rank = divmod(bit, 16)
        assert rank <= WILD_FOUR
        found[(colour if rank < WILD else None), rank] += 1
    for rank in (WILD, WILD_FOUR):
        assert not any(twos >> (16 * lane + rank) & 1 for lane in range(4)), "wilds are in one word"
        lanes = [ones >> (16 * lane + rank) & 1 for lane in range(4)]
        assert lanes == sorted(lanes, reverse=True), "wilds fill the lowest lanes"
    return found


def check_uno_cards(rules, state):
    hands = [uno_cards(state.hand[seat]) for seat in (0, 1)]
    deck, pile = uno_cards(state.deck), uno_cards(state.pile)
    assert hands[0] + hands[1] + deck + pile == uno_deck(rules)
    assert [hand.total() for hand in hands] == state.held.tolist()
    assert deck.total() == state.deck_size
    top = (int(state.colour) if state.top_rank < WILD else None, int(state.top_rank))
    assert pile[top] > 0


def check_blob_cards(rules, state):
    whole = [16 * suit + rank for suit in range(rules.suits) for rank in range(rules.ranks)]
    places = [*state.hand, state.stock, state.played]
    found = [card for place in places for card in members(place)]
    if state.turned >= 0:
        found.append(int(state.turned))
    assert sorted(found) == sorted(whole)
    for seat in range(8):
        size = state.left - (state.trick[seat] >= 0) if seat < rules.players else 0
        assert int(state.hand[seat]).bit_count() == size
    assert int(state.played).bit_count() == sum(state.won) * rules.players + state.in_trick


def check_cards(rules, state):
    (check_uno_cards if rules.game == "uno" else check_blob_cards)(rules, state)


def check_conservation(rules, seeds, apply=None):
    for seed in seeds:
        check_cards(rules, dealt(rules, seed)[0])
        for _, _, after, _, _ in random_steps(rules, seed, apply):
            check_cards(rules, after)


@EVERY
def test_cards_are_conserved(rules):
    check_conservation(rules, range(fewer(8)))


def draw_from_nowhere(params, state, action, chance):
    """A fault: a drawn card stays in the deck as well."""
    deck, size = state.deck.copy(), int(state.deck_size)
    contract.apply(params, state, action, chance)
    if action == DRAW and size:
        state.deck[:], state.deck_size = deck, size


def draw_one_and_lose_another(params, state, action, chance):
    """A fault that all sizes hide: the card drawn is not the card that leaves the deck."""
    seat = state.turn
    contract.apply(params, state, action, chance)
    red_zero, blue_nine = np.uint64(1), np.uint64(1 << (3 * 16 + 9))
    if action == DRAW and state.hand[seat, 0] & red_zero and not state.hand[seat, 0] & blue_nine:
        state.hand[seat, 0] ^= red_zero | blue_nine


def keep_the_card(params, state, action, chance):
    """A fault: a card that is played stays in the hand."""
    seat, playing = state.turn, state.phase == 1
    contract.apply(params, state, action, chance)
    if playing and state.turn >= 0:
        state.hand[seat] |= np.uint64(1 << action)


@pytest.mark.parametrize(
    ("rules", "faulty_apply"),
    [
        (uno(), draw_from_nowhere),
        (uno(), draw_one_and_lose_another),
        (blob(), keep_the_card),
    ],
)
def test_an_apply_that_makes_or_loses_cards_is_caught(rules, faulty_apply):
    with pytest.raises(AssertionError):
        check_conservation(rules, range(20), faulty_apply)


# --- (b) the same seed is the same game ----------------------------------------------------------


@EVERY
def test_the_same_seed_gives_the_same_game_to_the_bit(rules):
    for seed in range(fewer(4)):
        first, second = random_states(rules, seed), random_states(rules, seed)
        assert [s.tobytes() for s in first] == [s.tobytes() for s in second]


@EVERY
def test_seeds_and_indices_give_different_deals(rules):
    by_seed = {dealt(rules, seed)[0].tobytes() for seed in range(50)}
    by_index = {dealt(rules, 0, index)[0].tobytes() for index in range(50)}
    assert len(by_seed) > 1
    assert len(by_index) > 1


# --- (c) legal actions ---------------------------------------------------------------------------


@EVERY
def test_there_are_legal_actions_exactly_until_the_game_is_over(rules):
    for seed in range(fewer(8)):
        *running, last = random_states(rules, seed)
        assert all(legal(rules, state) and to_act(rules, state) >= 0 for state in running)
        assert legal(rules, last) == []
        assert to_act(rules, last) == -1


@EVERY
def test_every_legal_action_can_be_played(rules):
    """From the states of one game, also the moves that the game did not take."""
    for seed in range(1 if PURE else 2):
        for before, _, _, chance, _ in random_steps(rules, seed):
            for action in legal(rules, before):
                after = before.copy()
                contract.apply(rules.params, after, action, chance.copy())
                check_cards(rules, after)
                assert after.tobytes() != before.tobytes()
                assert to_act(rules, after) in range(-1, rules.seats)
                assert bool(legal(rules, after)) == (to_act(rules, after) >= 0)


# --- (d) the leak test ---------------------------------------------------------------------------


def with_other_cards(rules, event, seat, choice):
    """The event as it would have been with other hidden cards."""
    if event.kind not in ("deal", "draw") or event.seat == seat or not event.cards:
        return event
    kinds = 64 if rules.game == "uno" else 16 * rules.suits
    ranks = 13 if rules.game == "uno" else rules.ranks
    cards = [card for card in range(kinds) if card % 16 < ranks]
    return event._replace(cards=tuple(choice.choices(cards, k=len(event.cards))))


def with_hidden_cards_exchanged(table, seat, seed):
    """The same table in another world that `seat` cannot tell from the true one: other hidden cards
    now, other hidden cards in all that happened, other chance to come."""
    rules, choice = table.rules, Random(seed)
    other = copy.copy(table)
    seen = observed(rules, table.true_state(), seat)
    other._states = [*table._states[:-1], sampled(rules, seen, seat, rng.generator(seed, 0, 99))]
    other._events, other._seen = [], []
    for step in table._events:
        other._note([with_other_cards(rules, e, seat, choice) for e in step])
    other._chance = Chance(PLAIN, seed, 99)
    other._deal, other.seed = {}, seed
    return other


PLAYERS = {"random": policy.UNIFORM, "rule": policy.RULE, "keen": policy.KEEN}


def all_that_a_seat_gets(table, seat):
    """Everything that reaches a seat, and everything computed for it from the true state."""
    rules, state, view = table.rules, table.true_state(), table.view(seat)
    gets = {
        "observation": observed(rules, state, seat).tobytes(),
        "view": view.to_bytes(),
        "seat record": table.seat_record(seat).to_json(),
    }
    if table.to_act != seat:
        return gets
    scores, scratch, chances = np.zeros(64), np.zeros(64), np.zeros(64)
    contract.rule_scores(rules.params, state, scores)
    gets |= {"legal": tuple(table.legal()), "rule scores": scores.tobytes()}
    contract.keen_scores(rules.params, state, scores)
    gets |= {"keen scores": scores.tobytes()}
    for name, number in PLAYERS.items():
        policy.probabilities(rules.params, state, number, chances, scratch)
        own = rng.generator(5, 0, 1)
        choice = policy.choose(rules.params, state, number, own, scratch)
        gets[f"{name} policy"] = (chances.tobytes(), int(choice), own.tobytes())
        own = rng.generator(5, 0, 1)
        decision = kibitz.agent(name, rules.game).decide(view, own)
        gets[f"{name} agent"] = (decision, own.tobytes())
        assert decision.action == choice, "an observation gives the choice of the true state"
    return gets


def leaks(rules, seeds):
    """What differed for some seat after hidden cards were exchanged; how many worlds did differ."""
    found, exchanged = set(), 0
    for seed in seeds:
        table, choice = kibitz.Table(rules, seed=seed), Random(seed)
        while True:
            for seat in {table.to_act, choice.randrange(rules.seats)} - {-1}:
                truth = all_that_a_seat_gets(table, seat)
                other = with_hidden_cards_exchanged(table, seat, choice.getrandbits(60))
                exchanged += other._state.tobytes() != table._state.tobytes()
                elsewhere = all_that_a_seat_gets(other, seat)
                found |= {name for name in truth if truth[name] != elsewhere[name]}
            if table.over or found:
                break
            table.play(choice.choice(table.legal_actions()))
    return found, exchanged


@EVERY
def test_nothing_that_a_seat_gets_depends_on_hidden_cards(rules):
    found, exchanged = leaks(rules, range(1 if PURE and rules.deck_size > 25 else 2))
    assert found == set()
    all_in_two_hands = rules.game == "blob" and rules.deck_size == 2 * rules.cards
    assert (exchanged > 0) != all_in_two_hands, "no hidden card exchanged: this proved nothing"


def observe_everything(params, state, seat, out):
    """A leak: the whole true state."""
    for name in out.dtype.names:
        out[name] = state[name]


def observe_one_undealt_card(params, state, seat, out):
    """A small leak: whether one undealt card is still there, hidden in a sign."""
    TRUE_OBSERVE(params, state, seat, out)
    if "stock" in out.dtype.names:
        out.best -= 1 if int(state.stock) & 1 else 0
    else:
        out.winner -= 1 if int(state.deck[0]) & 1 else 0


def legal_by_the_next_hand(params, state):
    """A leak: an action is withheld if the next player holds the card of that number."""
    word = TRUE_LEGAL(params, state)
    if int(word).bit_count() < 2:
        return word
    hands = state.hand if state.hand.ndim == 1 else state.hand[:, 0]
    left = int(word) & ~int(hands[1 - state.turn if len(hands) == 2 else (state.turn + 1) % 4])
    return np.uint64(left) if left else word


def scores_by_the_next_hand(params, state, out):
    """A leak: the rule player likes what the next player cannot answer."""
    TRUE_SCORES(params, state, out)
    out[0] += int(state.hand[1 - state.turn].sum()) % 1009


def show_everything(event, seat):
    """A leak: everybody sees what is dealt and drawn."""
    return event


TRUE_OBSERVE, TRUE_LEGAL = contract.observe, contract.legal_actions
TRUE_SCORES = contract.rule_scores


@pytest.mark.parametrize("rules", [uno(), blob()], ids=str)
@pytest.mark.parametrize(
    ("where", "name", "leak", "caught"),
    [
        (contract, "observe", observe_everything, "view"),
        (contract, "observe", observe_one_undealt_card, "observation"),
        (contract, "legal_actions", legal_by_the_next_hand, "legal"),
        (contract, "rule_scores", scores_by_the_next_hand, "rule scores"),
        (contract, "keen_scores", scores_by_the_next_hand, "keen scores"),
        (Event, "seen_by", show_everything, "seat record"),
    ],
)
def test_a_planted_leak_is_caught(monkeypatch, rules, where, name, leak, caught):
    monkeypatch.setattr(where, name, leak)
    found, _ = leaks(rules, range(20))
    assert caught in found


# --- (e) sampled worlds --------------------------------------------------------------------------


@EVERY
def test_a_sampled_world_looks_the_same_and_is_whole(rules):
    for seed in range(fewer(4)):
        generator = rng.generator(seed, 0, 9)
        for k, state in enumerate(random_states(rules, seed)):
            seat = k % rules.seats
            seen = observed(rules, state, seat)
            world = sampled(rules, seen, seat, generator)
            assert observed(rules, world, seat).tobytes() == seen.tobytes()
            check_cards(rules, world)


@EVERY
def test_an_observation_of_an_observation_is_itself(rules):
    for state in random_states(rules, 3):
        for seat in range(rules.seats):
            seen = observed(rules, state, seat)
            assert observed(rules, seen, seat).tobytes() == seen.tobytes()


def hidden_hands_uno(rules, state, seat):
    """Every hand the other may hold with its weight: the ways to take it from the unseen copies."""
    seen = uno_cards(state.hand[seat]) + uno_cards(state.pile)
    unseen = sorted((uno_deck(rules) - seen).elements(), key=str)
    hands = combinations(range(len(unseen)), int(state.held[1 - seat]))
    return Counter(tuple(unseen[k] for k in hand) for hand in hands)


def hidden_hands_blob(rules, state, seat):
    """Every way the unseen cards may lie in the other hands, all equally likely."""
    seen = int(state.hand[seat]) | int(state.played)
    if state.turned >= 0:
        seen |= 1 << int(state.turned)
    whole = int(rules.params.deck)
    others = [s for s in range(rules.players) if s != seat]

    def ways(pool, seats):
        if not seats:
            return [()]
        size = int(state.hand[seats[0]]).bit_count()
        found = []
        for hand in combinations(members(pool), size):
            word = sum(1 << card for card in hand)
            found += [(word, *rest) for rest in ways(pool & ~word, seats[1:])]
        return found

    return Counter(ways(whole & ~seen, others))


def hidden_in(rules, world, seat):
    if rules.game == "uno":
        return tuple(sorted(uno_cards(world.hand[1 - seat]).elements(), key=str))
    return tuple(int(world.hand[s]) for s in range(rules.players) if s != seat)


def uniform_worlds(rules, seat, plies, seed, sample, number):
    """Whether `sample(rules, state, observation, seat, generator)` is uniform over all worlds."""
    state = random_states(rules, seed)[plies]
    enumerate_hands = hidden_hands_uno if rules.game == "uno" else hidden_hands_blob
    generator, seen = rng.generator(17, 0, 9), observed(rules, state, seat)
    counts = Counter(
        hidden_in(rules, sample(rules, state, seen, seat, generator), seat) for _ in range(number)
    )
    return fits(enumerate_hands(rules, state, seat), counts)


def honest(rules, state, seen, seat, generator):
    return sampled(rules, seen, seat, generator)


def keep_the_stock(rules, state, seen, seat, generator):
    """OpenSpiel 2.0.2's fault in `oh_hell`: only cards that really were dealt are exchanged."""
    while True:
        world = sampled(rules, seen, seat, generator)
        if world.stock == state.stock:
            return world


def kinds_instead_of_copies(rules, state, seen, seat, generator):
    """A fault: every different hand equally likely, as if there were one copy of each card."""
    ways = hidden_hands_uno(rules, state, seat)
    while True:
        world = sampled(rules, seen, seat, generator)
        if rng.below(generator, ways[hidden_in(rules, world, seat)]) == 0:
            return world


COPIES = uno(colours=2, ranks="0011S", wilds=2, wild_fours=1, hand_size=2)
THREE = blob(players=3, suits=2, ranks=4, cards=2, trump="turned")


@pytest.mark.parametrize(
    ("rules", "seat", "plies", "seed"),
    [(COPIES, 0, 0, 1), (COPIES, 1, 0, 2), (COPIES, 1, 2, 3), (THREE, 0, 0, 1), (THREE, 2, 4, 2)],
)
def test_sampled_worlds_are_uniform(rules, seat, plies, seed):
    assert uniform_worlds(rules, seat, plies, seed, honest, 800 if PURE else 4000)


@pytest.mark.parametrize(
    ("rules", "sample"), [(COPIES, kinds_instead_of_copies), (THREE, keep_the_stock)]
)
def test_a_biased_sampler_fails_the_same_check(rules, sample):
    assert not uniform_worlds(rules, 0, 0, 1, sample, 400 if PURE else 2000)


def test_deals_are_uniform():
    """Hands and card turned up together, against all deals without a wild turned up."""
    rules = uno(colours=1, ranks="0112", wilds=1, wild_fours=0, hand_size=1)
    whole = sorted(uno_deck(rules).elements(), key=str)
    expected = Counter(
        (whole[a], whole[b], whole[c])
        for a in range(5)
        for b in range(5)
        for c in range(5)
        if len({a, b, c}) == 3 and whole[c][1] != WILD
    )
    seen = Counter()
    for seed in range(fewer(3000) + 400):
        state, _ = dealt(rules, seed)
        cards = [next(iter(uno_cards(words))) for words in (*state.hand, state.pile)]
        seen[tuple(cards)] += 1
    assert fits(expected, seen)


# --- (f) chance ----------------------------------------------------------------------------------


@EVERY
def test_only_draws_and_deals_take_from_the_chance_stream(rules):
    for seed in range(fewer(8)):
        for before, action, after, chance_before, chance_after in random_steps(rules, seed):
            if rules.game == "uno":
                drawn = action == DRAW and int(after.held.sum()) > int(before.held.sum())
            else:
                drawn = after.round_index > before.round_index
            assert (chance_before.tobytes() != chance_after.tobytes()) == drawn


@EVERY
def test_agents_leave_the_chance_stream_alone(rules):
    table = played(rules, plies=min(3, rules.seats))
    chance = table._chance.mark()
    for name in ("random", "rule"):
        if not table.over:
            view = table.view(table.to_act)
            kibitz.agent(name, rules.game).decide(view, rng.generator(1, 0, 1))
    assert table._chance.mark().tobytes() == chance.tobytes()


def kernel_games(rules, policies, seed, first, count, rotate=True):
    """Games played inside one kernel: final states and returns."""
    finals = np.zeros(count, kibitz.game_of(rules).dtype)
    rewards = np.zeros((count, rules.seats))
    numbers = np.array(policies)
    play_games(rules.params, numbers, *rng.words(seed), first, rotate, finals, rewards)
    return finals, rewards


SEVERAL = [RULE_SETS[0], *TINY_SETS[::3], *(r for r in RULE_SETS if r.game == "blob-game")]


@pytest.mark.parametrize("rules", SEVERAL, ids=str)
def test_a_game_depends_on_its_index_and_no_other_game(rules):
    policies = [policy.RULE, policy.UNIFORM] * rules.seats
    policies = policies[: rules.seats]
    together, rewards = kernel_games(rules, policies, 7, 0, 6)
    for index in (5, 2):
        alone, reward = kernel_games(rules, policies, 7, index, 1)
        assert alone[0].tobytes() == together[index].tobytes()
        assert reward[0].tolist() == rewards[index].tolist()


# --- policies ------------------------------------------------------------------------------------


def probabilities(rules, state, number):
    """The probability of each action that a policy may choose."""
    out = np.full(64, np.nan)
    policy.probabilities(rules.params, state, number, out, np.zeros(64))
    return {action: float(p) for action, p in enumerate(out) if p != 0}


@pytest.mark.parametrize("number", [policy.UNIFORM, policy.RULE], ids=["random", "rule"])
@pytest.mark.parametrize("rules", [uno(), blob()], ids=str)
def test_a_policy_chooses_with_its_probabilities(rules, number):
    states = [state for seed in range(20) for state in random_states(rules, seed)[:-1]]
    state = next(s for s in states if len(probabilities(rules, s, number)) > 1)
    own, scratch = rng.generator(3, 0, 1), np.zeros(64)
    seen = Counter(
        int(policy.choose(rules.params, state, number, own, scratch)) for _ in range(fewer(2000))
    )
    assert fits(probabilities(rules, state, number), seen)


@EVERY
def test_the_random_player_takes_any_legal_action_and_the_others_the_best(rules):
    for state in random_states(rules, 4)[:-1]:
        options = legal(rules, state)
        share = 1 / len(options)
        assert probabilities(rules, state, policy.UNIFORM) == dict.fromkeys(options, share)
        players = {policy.RULE: contract.rule_scores, policy.KEEN: contract.keen_scores}
        for number, liking in players.items():
            scores = np.full(64, np.nan)
            liking(rules.params, state, scores)
            best = [a for a in options if scores[a] == max(scores[options])]
            assert probabilities(rules, state, number) == dict.fromkeys(best, 1 / len(best))


# --- (g) the fast path is the slow path ----------------------------------------------------------


def refereed_game(rules, names, seed, index, rotate):
    """A game at a table between agents that get views."""
    seats = rules.seats
    shift = index % seats if rotate else 0
    agents = [kibitz.agent(names[(seat - shift) % seats], rules.game) for seat in range(seats)]
    streams = [rng.generator(seed, index, 1 + seat) for seat in range(seats)]
    table = kibitz.Table(rules, seed=seed, index=index)
    while not table.over:
        seat = table.to_act
        table.play(agents[seat].decide(table.view(seat), streams[seat]).action)
    return table


@pytest.mark.parametrize("rotate", [True, False])
@pytest.mark.parametrize("rules", RULE_SETS[:: 2 if PURE else 1], ids=str)
def test_kernels_play_the_games_of_the_table(rules, rotate):
    names = (["rule", "random", "random"] * 3)[: rules.seats]
    numbers = [policy.RULE if name == "rule" else policy.UNIFORM for name in names]
    for seed in (0, 2**100 + 5):
        finals, rewards = kernel_games(rules, numbers, seed, 2, 2, rotate)
        for k in range(2):
            table = refereed_game(rules, names, seed, 2 + k, rotate)
            assert table.true_state().tobytes() == finals[k].tobytes()
            assert table.returns() == rewards[k].tolist()


@pytest.mark.parametrize("rules", SEVERAL, ids=str)
def test_simulate_sums_up_the_same_games_with_and_without_a_file(rules, tmp_path):
    names = (["rule", "random"] * 4)[: rules.seats]
    fast = kibitz.simulate(rules, names, 7, seed=3)
    slow = kibitz.simulate(rules, names, 7, seed=3, save=tmp_path / "games.jsonl")
    assert slow.players == fast.players
    assert slow.plies == fast.plies
    records = kibitz.read_records(tmp_path / "games.jsonl")
    assert [record.index for record in records] == list(range(7))


def test_a_deal_does_not_depend_on_what_the_record_held():
    for rules in RULE_SETS:
        clean = kibitz.game_of(rules).new_state()
        contract.deal(rules.params, clean, rng.generator(4))
        dirty = garbage(rules)
        contract.deal(rules.params, dirty, rng.generator(4))
        assert clean.tobytes() == dirty.tobytes()


def test_a_game_without_some_operation_is_refused():
    class Params:
        pass

    with pytest.raises(TypeError, match=r"Params.*deal"):
        contract.provide(Params, object())


# --- streams -------------------------------------------------------------------------------------


def test_streams_of_a_seed_differ_and_use_all_of_it():
    """Every bit of the seed, the index and the stream number matters."""
    base = (5, 0, 0)
    seen = {rng.generator(*base).tobytes()}
    changes = [(1 << bit, 0, 0) for bit in range(128)]
    changes += [(0, 1 << bit, 0) for bit in range(64)] + [(0, 0, 1 << bit) for bit in range(8)]
    for change in changes:
        seen.add(rng.generator(*(a ^ b for a, b in zip(base, change, strict=True))).tobytes())
    assert len(seen) == 1 + len(changes)


def unmixed(word):
    """The inverse of the mixer, by which a player would work its way back to the seed."""
    mask = 2**64 - 1
    word ^= (word >> 31) ^ (word >> 62)
    word = word * pow(0x94D049BB133111EB, -1, 2**64) & mask
    word ^= (word >> 27) ^ (word >> 54)
    word = word * pow(0xBF58476D1CE4E5B9, -1, 2**64) & mask
    return word ^ (word >> 30) ^ (word >> 60)


def seed_words_by_undoing(stream, index, number):
    """Undo the shuffle of `reseed` on a player's stream, as if nothing were added at its end."""
    mask, golden = 2**64 - 1, 0x9E3779B97F4A7C15

    def mix(x):
        return int(rng.mixed(np.uint64(x & mask)))

    left, right = (int(word) for word in stream)
    right ^= mix(left)
    left ^= mix(right)
    right ^= mix(left)
    tag = mix(mix(index + golden) ^ (number + golden & mask))
    a, b = left ^ tag, (right - tag) & mask
    return (unmixed(a) - golden) & mask, unmixed(b) ^ mix(a)


def test_a_player_cannot_undo_its_stream_to_find_the_seed():
    """The stream is made one-way by adding the seed's words at the end; take that away again and
    the same attack finds the seed, so the attack itself is sound."""
    secret = 0x0123456789ABCDEF_FEDCBA9876543210
    high, low = secret >> 64, secret & (2**64 - 1)
    stream = rng.generator(secret, 3, 1)
    assert high not in seed_words_by_undoing(stream, 3, 1)
    first = int(rng.mixed(np.uint64((high + 0x9E3779B97F4A7C15) % 2**64)))
    second = int(rng.mixed(np.uint64(low) ^ rng.mixed(np.uint64(first))))
    for odd in (0, 1):  # the lowest bit is set to keep the stream off zero
        bare = [(int(stream[0]) - first) % 2**64, (int(stream[1]) - odd - second) % 2**64]
        found = seed_words_by_undoing(bare, 3, 1)
        if found[0] == high:
            break
    assert found == (high, low)
