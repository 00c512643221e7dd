"""What must be true of every game under every rule set, by `kibitz.check`, which those who write a
game use too; and what only these games promise: how their cards lie, and that worlds are uniform.

Every check is shown to be able to fail: each is run against a planted fault, which it must catch.
"""

from collections import Counter
from itertools import combinations, count

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
    legal,
    members,
    observed,
    played,
    random_states,
    random_steps,
    sampled,
)
from kibitz import contract, players, rng
from kibitz.agents.baselines import PlayerAgent
from kibitz.arena.conformance import CHECKS, NotConformant
from kibitz.arena.kernels import play_games
from kibitz.games.base import Event
from kibitz.players import KEEN, RULE, UNIFORM, Player, as_array

EVERY = pytest.mark.parametrize("rules", RULE_SETS, ids=str)
WILD, WILD_FOUR, DRAW = 13, 14, 15


def uno(**options):
    return kibitz.rules("uno", **options)


def blob(**options):
    return kibitz.rules("blob", **options)


# --- what every game promises --------------------------------------------------------------------


@EVERY
def test_a_game_keeps_its_promises(rules):
    compiled = [name for name in CHECKS if name != "plain" or rules == kibitz.rules(rules.game)]
    found = kibitz.check(rules, 1 if PURE and rules.deck_size > 25 else 2, only=compiled)
    all_in_two_hands = rules.game == "blob" and rules.deck_size == 2 * rules.cards
    assert (found["hidden"] > 0) != all_in_two_hands, "no card exchanged: this proved nothing"


def test_what_cannot_be_checked_is_refused():
    with pytest.raises(kibitz.KibitzError, match="rules come from"):
        kibitz.check("uno")
    with pytest.raises(kibitz.KibitzError, match="no check 'leaks'; there are cards, seeds"):
        kibitz.check(uno(), only=["leaks"])


# --- every check can fail ------------------------------------------------------------------------

OPERATIONS = ("apply", "deal", "observe", "sample_hidden", "legal_actions", "rule_scores")
TRUE = {name: getattr(contract, name) for name in (*OPERATIONS, "countdown")}
DEALS = count()


def draw_from_nowhere(params, state, action, chance):
    """A drawn card stays in the deck as well."""
    deck, size = state.deck.copy(), int(state.deck_size)
    TRUE["apply"](params, state, action, chance)
    if action == DRAW and size:
        state.deck[:], state.deck_size = deck, size


def draw_one_and_lose_another(params, state, action, chance):
    """All sizes hide it: the card drawn is not the card that leaves the deck."""
    seat = state.turn
    TRUE["apply"](params, state, action, chance)
    red_zero, blue_nine = np.uint64(1), np.uint64(1 << (3 * 16 + 9))
    if action == DRAW and state.hand[seat, 0] & red_zero and not state.hand[seat, 0] & blue_nine:
        state.hand[seat, 0] ^= red_zero | blue_nine


def keep_the_card(params, state, action, chance):
    """A card that is played stays in the hand."""
    seat, playing = state.turn, state.phase == 1
    TRUE["apply"](params, state, action, chance)
    if playing and state.turn >= 0:
        state.hand[seat] |= np.uint64(1 << action)


def wait_now_and_then(params, state, action, chance):
    """The highest of several actions does nothing."""
    word = int(TRUE["legal_actions"](params, state))
    if word.bit_count() == 1 or action != word.bit_length() - 1:
        TRUE["apply"](params, state, action, chance)


def deal_by_the_clock(params, state, chance):
    TRUE["deal"](params, state, rng.generator(next(DEALS)))


def deal_onto_what_was_there(params, state, chance):
    before = int(state.turn)
    TRUE["deal"](params, state, chance)
    state.turn = before % 2


def never_forced(params, state):
    """Who has one choice has none."""
    word = TRUE["legal_actions"](params, state)
    return word if int(word).bit_count() > 1 else np.uint64(0)


def legal_by_the_next_hand(params, state):
    """An action is withheld if the next player holds the card of that number."""
    word = TRUE["legal_actions"](params, state)
    if int(word).bit_count() < 2:
        return word
    hands = state.hand if state.hand.ndim == 1 else state.hand[:, 0]
    left = int(word) & ~int(hands[1 - state.turn if len(hands) == 2 else (state.turn + 1) % 4])
    return np.uint64(left) if left else word


def observe_everything(params, state, seat, out):
    for name in out.dtype.names:
        out[name] = state[name]


def observe_one_undealt_card(params, state, seat, out):
    """Whether one undealt card is still there, hidden in a sign."""
    TRUE["observe"](params, state, seat, out)
    if "stock" in out.dtype.names:
        out.best -= 1 if int(state.stock) & 1 else 0
    else:
        out.winner -= 1 if int(state.deck[0]) & 1 else 0


def observe_another_turn(params, state, seat, out):
    TRUE["observe"](params, state, seat, out)
    out.turn = -1


def sample_what_is_seen(params, observation, seat, rng, out):
    observe_everything(params, observation, seat, out)


def sample_any_deal(params, observation, seat, rng, out):
    TRUE["deal"](params, out, rng)


def scores_by_the_next_hand(params, state, out):
    """The rule player likes what the next player cannot answer."""
    TRUE["rule_scores"](params, state, out)
    out[0] += int(state.hand[1 - state.turn].sum()) % 1009


def hopeful(params, state, weights, out):
    out[:] = 1000.0


FAULTS = [
    ("uno", "cards", "apply", draw_from_nowhere, "were made or lost"),
    ("uno", "cards", "apply", draw_one_and_lose_another, "were made or lost: .*, move"),
    ("blob", "cards", "apply", keep_the_card, "were made or lost"),
    ("uno blob", "cards", "sample_hidden", sample_what_is_seen, "world has other cards"),
    ("uno blob", "seeds", "deal", deal_by_the_clock, "gave another state .seed 0, the deal"),
    ("uno blob", "seeds", "deal", deal_onto_what_was_there, "what the record held"),
    ("uno blob", "legal", "apply", wait_now_and_then, "nothing changed"),
    ("uno blob", "legal", "legal_actions", never_forced, "nothing is legal, but seat"),
    ("uno blob", "hidden", "observe", observe_everything, "show in .*view"),
    ("uno blob", "hidden", "observe", observe_one_undealt_card, "show in observation"),
    ("uno blob", "hidden", "legal_actions", legal_by_the_next_hand, "show in .*legal"),
    ("uno blob", "hidden", "rule_scores", scores_by_the_next_hand, "show in .*rule scores"),
    ("uno blob", "hidden", "keen_scores", scores_by_the_next_hand, "show in .*keen scores"),
    ("uno blob", "hidden", "glimpse", lambda p, s, seat: s.hand.sum(), "show in glimpse"),
    ("uno blob", "worlds", "sample_hidden", sample_any_deal, "looks different .*, seat 0"),
    ("uno blob", "worlds", "observe", observe_another_turn, "who is to act"),
    ("uno", "search", "glimpse", lambda p, s, seat: np.uint64(0), "glimpses are not equal"),
    ("uno blob", "search", "countdown", lambda p, s: 1000, "1000 decisions are said"),
    ("uno blob", "search", "bounds", lambda p, s: (-0.5, 0.5), "out of bounds -0.5, 0.5"),
    ("uno blob", "search", "estimate", hopeful, "an estimate"),
]


@pytest.mark.parametrize(
    ("game", "check", "operation", "fault", "said"),
    [(game, *fault) for games, *fault in FAULTS for game in games.split()],
)
def test_a_planted_fault_is_caught(monkeypatch, game, check, operation, fault, said):
    monkeypatch.setattr(contract, operation, fault)
    with pytest.raises(NotConformant, match=f"{game}: {check}: .*{said}"):
        kibitz.check(kibitz.rules(game), 20, only=[check])


def forget_how_long(self, rules, seat, seen, event):
    after = TRUE_FOLLOW(self, rules, seat, seen, event).copy()
    after["plies"] = 0
    return after


def draw_anything(self, rules, state, action, outcome):
    after = state.copy()
    contract.apply(rules.params, after, action, rng.generator(len(outcome)))
    return after


def first_of_all(self, view, rng):
    return kibitz.Decision(view.actions[0])


GAME = type(kibitz.game_of(uno()))
TRUE_FOLLOW = GAME.follow


@pytest.mark.parametrize(
    ("check", "where", "name", "fault", "said"),
    [
        ("hidden", Event, "seen_by", lambda event, seat: event, "show in .*seat record"),
        ("notation", GAME, "action_text", lambda *_: "R5", "is written 'R5'"),
        ("notation", GAME, "follow", forget_how_long, "following the events .*, seat 0"),
        ("replay", GAME, "apply_outcome", draw_anything, "the cards are not those"),
        ("replay", GAME, "outcome_text", lambda *_: "", "draw"),
        ("kernels", PlayerAgent, "decide", first_of_all, "end in other states"),
    ],
)
def test_a_fault_outside_of_kernels_is_caught(monkeypatch, check, where, name, fault, said):
    monkeypatch.setattr(where, name, fault)
    with pytest.raises(NotConformant, match=f"uno: {check}: .*{said}"):
        kibitz.check(uno(), only=[check])


# --- how the cards lie ---------------------------------------------------------------------------


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


@EVERY
def test_cards_lie_as_the_layout_says(rules):
    generator = rng.generator(0, 0, 9)
    for seed in range(fewer(8)):
        for k, state in enumerate(random_states(rules, seed)):
            seat = k % rules.seats
            check_cards(rules, state)
            check_cards(rules, sampled(rules, observed(rules, state, seat), seat, generator))


# --- (e) sampled worlds --------------------------------------------------------------------------


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


def kernel_games(rules, sitting, seed, first, count, rotate=True):
    """Games played inside one kernel: final states and returns."""
    finals = np.zeros(count, kibitz.game_of(rules).dtype)
    rewards = np.zeros((count, rules.seats))
    play_games(rules.params, as_array(sitting), *rng.words(seed), first, rotate, finals, rewards)
    return finals, rewards


SEVERAL = [RULE_SETS[0], *TINY_SETS[::3], *(r for r in RULE_SETS if r.game == "blob-game")]


@pytest.mark.parametrize("rules", SEVERAL, ids=str)
def test_a_game_depends_on_its_index_and_no_other_game(rules):
    sitting = ([Player(RULE), Player(UNIFORM)] * rules.seats)[: rules.seats]
    together, rewards = kernel_games(rules, sitting, 7, 0, 6)
    for index in (5, 2):
        alone, reward = kernel_games(rules, sitting, 7, index, 1)
        assert alone[0].tobytes() == together[index].tobytes()
        assert reward[0].tolist() == rewards[index].tolist()


# --- players -------------------------------------------------------------------------------------


EVERYBODY = [Player(UNIFORM), Player(RULE), Player(KEEN), Player(RULE, 0.5), Player(KEEN, 0.1)]


def chances(rules, state, player):
    """The chance of each action that a player may choose."""
    out = np.full(64, np.nan)
    players.chances(rules.params, state, player, out)
    return {action: float(p) for action, p in enumerate(out) if p != 0}


@pytest.mark.parametrize("player", EVERYBODY, ids=str)
@pytest.mark.parametrize("rules", [uno(), blob()], ids=str)
def test_a_player_chooses_with_its_chances(rules, player):
    states = [state for seed in range(20) for state in random_states(rules, seed)[:-1]]
    found = ((state, chances(rules, state, player)) for state in states)
    state, expected = next(
        (s, c) for s, c in found if len(c) > 1 and min(c.values()) * fewer(2000) > 6
    )
    own, scratch = rng.generator(3, 0, 1), np.zeros(64)
    seen = Counter(
        int(players.choose(rules.params, state, player, own, scratch)) for _ in range(fewer(2000))
    )
    assert fits(expected, seen)


@EVERY
def test_the_random_player_takes_any_legal_action_and_the_others_the_best(rules):
    for state in random_states(rules, 4)[:-1]:
        options = legal(rules, state)
        share = 1 / len(options)
        assert chances(rules, state, Player(UNIFORM)) == dict.fromkeys(options, share)
        for kind, liking in ((RULE, contract.rule_scores), (KEEN, contract.keen_scores)):
            scores = np.full(64, np.nan)
            liking(rules.params, state, scores)
            best = [a for a in options if scores[a] == max(scores[options])]
            assert chances(rules, state, Player(kind)) == dict.fromkeys(best, 1 / len(best))


# --- (g) the fast path is the slow path ----------------------------------------------------------


@pytest.mark.parametrize("rules", SEVERAL, ids=str)
def test_simulate_sums_up_the_same_games_with_and_without_a_file(rules, tmp_path):
    names = (["rule", "random"] * 4)[: rules.seats]
    fast = kibitz.simulate(rules, names, 7, seed=3)
    slow = kibitz.simulate(rules, names, 7, seed=3, save=tmp_path / "games.jsonl")
    assert slow.players == fast.players
    assert slow.plies == fast.plies
    records = kibitz.read_records(tmp_path / "games.jsonl")
    assert [record.index for record in records] == list(range(7))


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


# --- what a search asks of these games -----------------------------------------------------------


@EVERY
def test_stages_are_rounds_and_only_they_are_counted_down(rules):
    for before, _, after, _, _ in random_steps(rules, 5):
        ends = [int(contract.stage(rules.params, state)) for state in (before, after)]
        new = rules.game == "blob-game" and after.round_index != before.round_index
        assert (ends[0] != ends[1]) == new
        assert (int(contract.countdown(rules.params, before)) < 0) == (
            rules.game == "uno" or before.phase == 0
        )


def test_an_estimate_likes_fewer_cards_and_wilds_and_an_opponent_who_cannot_play():
    rules = kibitz.rules("uno")
    game = kibitz.game_of(rules)

    def guess(mine, theirs):
        state = game.set_up(rules, {"hands": [mine, theirs], "top": "R5"})
        out = np.zeros(2)
        contract.estimate(rules.params, state, np.array(game.weights), out)
        return out[0]

    assert guess("G1 G2", "G3 G4 G6") > guess("G1 G2 G3", "G4 G6 G7") > guess("G1 G2 G3", "G4 G6")
    assert guess("W G2", "G3 G4") > guess("G1 G2", "G3 G4") > guess("G1 G2", "R3 R4")
