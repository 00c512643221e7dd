"""The kernels against a second implementation of the rules in plain Python (`brute.py`).

Counts: all lines of play from given deals, counted by depth, with every different draw as a branch;
and the sum of the results of the games that end at each depth. Playouts: random games in step.
"""

from collections import Counter
from random import Random

import numpy as np
import pytest

import kibitz
from brute import Blob, Uno
from helpers import RULE_SETS, dealt, fewer, legal, played, to_act
from kibitz import contract
from kibitz.games.blob import notation as blob_notation
from kibitz.games.uno import notation as uno_notation

# --- counting ------------------------------------------------------------------------------------


def tally(position, depth, branches, result, key):
    """Lines of play by length up to `depth`; and of those that end the game, by length, how many
    there are ("over") and the sum of each seat's results."""
    known = {}

    def count(position, depth):
        name = (key(position), depth)
        if name not in known:
            nodes, ends = Counter({0: 1}), Counter()
            children = branches(position)
            if not children:
                ends[0, "over"] = 1
                ends.update({(0, seat): r for seat, r in enumerate(result(position))})
            for child in children if depth else ():
                below, sums = count(child, depth - 1)
                nodes.update({length + 1: n for length, n in below.items()})
                ends.update({(length + 1, what): n for (length, what), n in sums.items()})
            known[name] = nodes, ends
        return known[name]

    nodes, ends = count(position, depth)
    return dict(nodes), {what: n for what, n in ends.items() if n}


def brute_branches(position):
    if isinstance(position, Blob):
        return [position.after(action) for action in position.legal()]
    found = []
    for action in position.legal():
        draws = position.draws() if action == "draw" else [()]
        found += [position.after(action, drawn) for drawn in draws]
    return found


def brute_key(position):
    if isinstance(position, Blob):
        return position
    multisets = (*position.hands, position.deck, position.pile)
    rest = (position.top, position.colour, position.pending, position.seat, position.plies)
    return (*(frozenset(m.items()) for m in multisets), *rest)


def kernel_branches(rules):
    """The same over the contract; draws through the records' `apply_outcome`."""
    game = kibitz.game_of(rules)

    def branches(state):
        found = []
        for action in legal(rules, state):
            if rules.game == "uno":
                for drawn in draws_in_words(state) if action == uno_notation.DRAW else [""]:
                    found.append(game.apply_outcome(rules, state, action, drawn))
            else:
                after = state.copy()
                contract.apply(rules.params, after, action, np.ones(2, np.uint64))
                found.append(after)
        return found

    return branches


def draws_in_words(state):
    """Every different draw from a state's own words, as text."""
    n = max(1, int(state.pending))
    pool = cards_in(state.deck)
    if pool.total() < n:
        top = uno_notation.card_of(int(state.colour) * 16 + int(state.top_rank))
        pool = pool + cards_in(state.pile) - Counter([top])
    if pool.total() < n:
        return [""]
    found = {()}
    for _ in range(n):  # one card more, in order, so that no multiset comes twice
        found = {
            (*some, card)
            for some in found
            for card in pool
            if pool[card] > some.count(card) and (not some or card >= some[-1])
        }
    return [uno_notation.cards_text(some) for some in sorted(found)]


def cards_in(words):
    """The multiset in two words as card -> copies."""
    found = Counter()
    for place in range(64):
        card = place % 16 if place % 16 >= 13 else place
        found[card] += (int(words[0]) >> place & 1) + (int(words[1]) >> place & 1)
    return +found


def kernel_result(rules):
    def result(state):
        out = np.zeros(rules.seats)
        contract.returns(rules.params, state, out)
        return [int(value) for value in out]

    return result


def check_counts(rules, deal, brute, depth):
    state = kibitz.game_of(rules).set_up(rules, deal)
    by_kernel = tally(
        state, depth, kernel_branches(rules), kernel_result(rules), lambda s: s.tobytes()
    )
    by_brute = tally(brute, depth, brute_branches, lambda p: p.result, brute_key)
    assert by_kernel == by_brute
    nodes, ends = by_brute
    assert ends, "no game ended: no results were compared"
    return nodes


SMALL = {"colours": 2, "ranks": "01SR+", "wilds": 1, "wild_fours": 1}
COPIES = {"colours": 2, "ranks": "0011S", "wilds": 2, "wild_fours": 0}
CUT_SHORT = {"colours": 1, "ranks": "012S+", "wilds": 1, "wild_fours": 1, "max_plies": 5}
ONE_COLOUR = {"colours": 1, "ranks": "0112S+", "wilds": 0, "wild_fours": 2}
NO_WILDS = {"colours": 3, "ranks": "0++", "wilds": 0, "wild_fours": 0}
UNO_DEALS = [
    (SMALL, ["R0 YS", "R1 W"], "Y0", 6),
    (SMALL, ["RS R+2 W+4", "Y1 YR"], "R1", 5),
    (SMALL, ["R0 R1 RS RR", "Y0 Y1 YS YR"], "Y+2", 6),
    (COPIES, ["R0 R0 YS", "Y1 W Y0"], "R1", 7),
    (COPIES, ["R0 R0 R1", "Y1 Y1 Y0"], "YS", 7),
    (CUT_SHORT, ["R0 W R+2", "RS R1"], "R2", 6),
    (CUT_SHORT, ["R0 W+4 RS", "W R1 R+2"], "R2", 6),
    (ONE_COLOUR, ["R0 R1", "RS W+4 W+4"], "R+2", 12),
    (ONE_COLOUR, ["R0 W+4 R1", "RS R2 R1"], "R+2", 9),
    (NO_WILDS, ["R+2 R+2 R0", "Y+2 G+2 G0"], "G+2", 12),
]


@pytest.mark.parametrize("skip", ["forfeit", "pass"])
@pytest.mark.parametrize(("options", "hands", "top", "depth"), UNO_DEALS)
def test_uno_has_as_many_lines_of_play_as_by_hand(options, hands, top, depth, skip):
    rules = kibitz.rules("uno", skip=skip, hand_size=1, **options)
    brute = Uno.start(rules.to_dict(), hands, top)
    nodes = check_counts(rules, {"hands": hands, "top": top}, brute, depth)
    assert sum(nodes.values()) > 30


BLOB_DEALS = [
    ({"players": 2, "suits": 2, "ranks": 3}, ["2C 4C", "3C 2D"], "clubs", None),
    ({"players": 2, "suits": 2, "ranks": 4}, ["2C 4C 3D", "5C 2D 5D"], None, None),
    ({"players": 3, "suits": 2, "ranks": 4}, ["2C 3D", "4C 5D", "3C 2D"], "diamonds", None),
    ({"players": 3, "suits": 3, "ranks": 3}, ["2C 3D", "2D 2H", "3C 4H"], "hearts", "3H"),
    ({"players": 4, "suits": 4, "ranks": 2}, ["2C", "3C", "2S", "3D"], "spades", "3S"),
    ({"players": 4, "suits": 2, "ranks": 4}, ["2C 5D", "3C 4C", "2D 3D", "5C 4D"], None, None),
]


@pytest.mark.parametrize("miss", ["zero", "tricks", "penalty"])
@pytest.mark.parametrize(("options", "hands", "trump", "turned"), BLOB_DEALS)
def test_blob_has_as_many_lines_of_play_as_by_hand(options, hands, trump, turned, miss):
    cards = len(hands[0].split())
    rules = kibitz.rules(
        "blob",
        cards=cards,
        miss=miss,
        points_per_trick=3,
        exact_bonus=5,
        trump="turned" if turned else trump or "none",
        dealer=0,
        **options,
    )
    deal = {"hands": hands, **({"turned": turned} if turned else {})}
    brute = Blob.start(rules.to_dict(), hands, trump)
    nodes = check_counts(rules, deal, brute, rules.players * (cards + 1))
    assert max(nodes) == rules.players * (cards + 1)


def test_counts_notice_a_wrong_rule():
    """The same comparison with a brute force that lets a Skip pass must fail."""
    rules = kibitz.rules("uno", hand_size=1, **SMALL)
    hands, top = ["RS R+2 W+4", "Y1 YR"], "R1"
    wrong = Uno.start(rules.to_dict() | {"skip": "pass"}, hands, top)
    with pytest.raises(AssertionError):
        check_counts(rules, {"hands": hands, "top": top}, wrong, 3)


# --- playouts in step ----------------------------------------------------------------------------


def uno_in_step(rules, seed):
    """One random game; the brute force is told which cards the kernel drew."""
    state, chance = dealt(rules, seed)
    game, choice = kibitz.game_of(rules), Random(seed)
    deal = game.deal_text(rules, state)
    brute = Uno.start(rules.to_dict(), deal["hands"], deal["top"])
    while True:
        actions = legal(rules, state)
        assert {uno_notation.action_text(a) for a in actions} == brute.legal()
        assert to_act(rules, state) == (-1 if brute.seat is None else brute.seat)
        if not actions:
            break
        action = choice.choice(actions)
        before = state.copy()
        contract.apply(rules.params, state, action, chance)
        drawn = game.outcome_text(rules, before, action, state).split()
        brute = brute.after(uno_notation.action_text(action), drawn)
        assert state.pending == brute.pending
        assert state.deck_size == brute.deck.total()
    assert game.ending(state) == brute.ending
    assert tuple(kernel_result(rules)(state)) == brute.result
    return brute.ending


def blob_in_step(rules, seed):
    """One random round or game, a brute-force round at a time."""
    state, chance = dealt(rules, seed)
    game, choice = kibitz.game_of(rules), Random(seed)
    total = (0,) * rules.players
    while to_act(rules, state) >= 0:
        deal = game.deal_text(rules, state)
        options = rules.to_dict() | {"dealer": int(state.dealer)}
        brute = Blob.start(options, deal["hands"], deal["trump"])
        while brute.seat is not None:
            assert to_act(rules, state) == brute.seat
            texts = {game.action_text(state, action): action for action in legal(rules, state)}
            assert set(texts) == brute.legal()
            text = choice.choice(sorted(texts))
            brute = brute.after(text)
            contract.apply(rules.params, state, texts[text], chance)
        total = tuple(a + b for a, b in zip(total, brute.result, strict=True))
        assert tuple(kernel_result(rules)(state)) == total
    return "played"


def in_step(rules, games):
    play = uno_in_step if rules.game == "uno" else blob_in_step
    return Counter(play(rules, seed) for seed in range(games))


@pytest.mark.parametrize("rules", RULE_SETS, ids=str)
def test_random_games_agree_move_by_move(rules):
    games = 20 if rules.deck_size > 50 else 150
    assert in_step(rules, fewer(games)).total() == fewer(games)


def test_random_games_reach_every_ending():
    """So that the agreement above covers all of them."""
    endings = Counter()
    for rules in RULE_SETS:
        if rules.game == "uno":
            endings += in_step(rules, 2)
    assert set(endings) == {"emptied", "exhausted", "truncated"}


def test_large_totals_do_not_wrap_around():
    """Random bids of 26 cards miss by several tricks, at 100 points each, 64 times."""
    rules = kibitz.rules(
        "blob-game",
        players=2,
        schedule=(26,) * 64,
        trumps=("none",),
        points_per_trick=100,
        miss="penalty",
    )
    assert blob_in_step(rules, 1) == "played"
    assert min(played(rules, seed=1).returns()) < -(2**15)


def test_both_sides_spell_cards_alike():
    assert uno_notation.card_text(2 * 16 + 12) == "G+2"
    assert uno_notation.action_text(3 * 16 + 14) == "W+4:B"
    assert blob_notation.card_text(2 * 16 + 10) == "QH"
