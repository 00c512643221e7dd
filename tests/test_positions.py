"""Positions: a view from events alone, and positions that people tell."""

from collections import Counter
from itertools import permutations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kibitz
from brute import uno_deck
from helpers import RULE_SETS, examples, fewer, fits, members
from kibitz.games.blob import notation as blob_text
from kibitz.games.uno import notation as uno_text
from kibitz.games.uno.game import counts

TINY = {"colours": 3, "ranks": "012S+", "wilds": 1, "wild_fours": 1, "hand_size": 3}
UNO = kibitz.rules("uno")
BLOB_SETS = [rules for rules in RULE_SETS if rules.game == "blob"]


# --- a view from events ---


@pytest.mark.parametrize("rules", RULE_SETS, ids=str)
def test_view_of_events_is_that_of_the_table(rules):
    table, choice = kibitz.Table(rules, seed=5), Random(5)
    for _ in range(fewer(60)):
        for seat in range(rules.seats):
            view = table.view(seat)
            found = kibitz.view_of(rules, seat, view.events)
            assert found == view
            assert found.to_bytes() == view.to_bytes()
        if table.over:
            break
        table.play(choice.choice(table.legal_actions()))


@pytest.mark.parametrize("game", ["uno", "blob", "blob-game"])
def test_view_of_a_whole_game(game):
    table = kibitz.play_out(kibitz.rules(game), ["random"] * kibitz.rules(game).seats, seed=9)
    for seat in range(table.rules.seats):
        view = table.view(seat)
        assert kibitz.view_of(table.rules, seat, iter(view.events)).to_bytes() == view.to_bytes()


def test_view_of_what_cannot_be():
    view = kibitz.Table(UNO, seed=1).view(0)
    with pytest.raises(kibitz.KibitzError, match="at least those of the deal"):
        kibitz.view_of(UNO, 0, [])
    with pytest.raises(kibitz.KibitzError, match="seat must be 0 to 1"):
        kibitz.view_of(UNO, 2, view.events)
    with pytest.raises(kibitz.KibitzError, match=r"kibitz\.rules"):
        kibitz.view_of("uno", 0, view.events)
    with pytest.raises(kibitz.KibitzError, match="seat 0's turn"):
        kibitz.view_of(UNO, 0, [*view.events, kibitz.Event("draw", 1, number=1)])


# --- UNO positions ---


def told_of(view):
    """A position of UNO as a person would tell it, with all that was seen of the pile."""
    seen = view.observation
    rank, colour = int(seen.top_rank), int(seen.colour)
    top = rank if rank >= 13 else colour * 16 + rank
    return {
        "hand": uno_text.cards_text(counts(seen.hand[view.seat]).elements()),
        "top": uno_text.card_text(top),
        "colour": uno_text.COLOUR_NAMES[colour],
        "theirs": int(seen.held[1 - view.seat]),
        "pile": uno_text.cards_text((counts(seen.pile) - Counter([top])).elements()),
        "pending": int(seen.pending),
    }


@pytest.mark.parametrize("seed", range(5))
def test_uno_position_is_what_the_table_shows(seed):
    table, choice, met = kibitz.Table(UNO, seed=seed), Random(seed), 0
    while not table.over and table.plies < fewer(60):
        if table.to_act == 0:
            view = table.view(0)
            found = kibitz.position(UNO, **told_of(view)).view
            same = found.observation.copy()
            same.plies = view.observation.plies
            assert same.tobytes() == view.data
            assert found.actions == view.actions
            assert (found.seat, found.to_act, found.events) == (0, 0, ())
            met += 1
        table.play(choice.choice(table.legal_actions()))
    assert met


def test_uno_position_in_a_few_words():
    found = kibitz.position("uno", hand="r5, G3 W", top="R3", theirs=5, drew=None)
    assert found == kibitz.position(UNO, hand=["R5", "G3", "W"], top="R3", theirs="5")
    assert found.view.legal == ("R5", "W:R", "W:Y", "G3", "W:G", "W:B")
    assert found.belief().observation.deck_size == 108 - 4 - 5
    small = kibitz.position("uno", **TINY, hand="R1", top="W", colour="Y", theirs=1)
    assert small.view.rules == kibitz.rules("uno", **TINY)
    assert small.view.observation.colour == 1
    assert small.view.legal == ("draw",)
    must = kibitz.position("uno", hand="R5", top="R+2", theirs=1, pending=2)
    assert must.view.legal == ("draw",)


def goes_on(card, told):
    """Whether a card could have been played where the opponent drew, by what is told of it."""
    if card.startswith("W"):
        return True
    if told in ("red", "yellow"):
        return card[0] == told[0].upper()
    return card[0] == told[0] or card[1:] == told[1:]


def brute(rules, seen, theirs, drew):
    """The chance of each hand: every way to put unseen cards into its slots, one by one, and the
    draws judged as they come."""
    deck = uno_deck(rules.colours, rules.ranks, rules.wilds, rules.wild_fours)
    unseen = sorted((deck - Counter(seen.split())).elements())
    penalty = {"+2": 2, "+4": 4}
    found = Counter()
    for slots in permutations(range(len(unseen)), theirs):
        cards = [unseen[k] for k in slots]
        held = theirs - sum(penalty.get(told, 1) for told in drew)
        for told in drew:
            if told not in penalty and any(goes_on(card, told) for card in cards[:held]):
                break
            held += penalty.get(told, 1)
        else:
            found[tuple(sorted(cards))] += 1
    return {hand: number / found.total() for hand, number in found.items()}


def in_text(distribution):
    return {
        tuple(sorted(uno_text.card_text(card) for card in hand)): chance
        for hand, chance in distribution.items()
    }


DRAWS = [
    ("R1", 3, ["red"]),
    ("R1", 4, ["R1"]),
    ("R1", 4, ["yellow", "red"]),
    ("R1", 4, ["Y0", "R1"]),
    ("R1", 3, ["R1", "R1"]),
    ("R+2", 4, ["red", "+2"]),
    ("RS", 4, ["Y0"]),  # a Skip of mine came on the pile since
]


@pytest.mark.parametrize(("top", "theirs", "drew"), DRAWS, ids=str)
def test_draws_told_bar_cards_exactly(top, theirs, drew):
    rules = kibitz.rules("uno", **TINY)
    expected = brute(rules, f"R2 Y2 {top}", theirs, drew)
    told = kibitz.position(rules, hand="R2 Y2", top=top, theirs=theirs, drew=drew)
    found = told.belief(method="exact")
    chances = in_text(found.distribution())
    assert chances.keys() == expected.keys()
    for hand, chance in expected.items():
        assert chances[hand] == pytest.approx(chance, abs=1e-9)
    for card, chance in zip(found.marginals().cards, found.marginals().chance[0], strict=True):
        text = uno_text.card_text(card)
        with_it = sum(p for hand, p in expected.items() if text in hand)
        assert chance == pytest.approx(with_it, abs=1e-9)
    for colour in range(3):
        some = sum(p for h, p in expected.items() if any(c[0] == "RYG"[colour] for c in h))
        assert found.colour_chance()[colour] == pytest.approx(some, abs=1e-9)
    assert "exact" in found.summary()


@pytest.mark.parametrize("method", ["particles", "slots"])
def test_draws_told_are_sampled_without_weights(method):
    rules = kibitz.rules("uno", **TINY)
    drew, n = ["yellow", "red"], fewer(20_000)
    expected = brute(rules, "R2 Y2 R1", 4, drew)
    told = kibitz.position(rules, hand="R2 Y2", top="R1", theirs=4, drew=drew)
    found = told.belief(method=method, n=n, seed=3)
    assert found.method == method
    assert found.ess == pytest.approx(n)
    rare = {hand for hand, p in expected.items() if p * n < 5}
    seen = {h: p * n for h, p in in_text(found.distribution()).items()}
    assert seen.keys() <= expected.keys()
    if n > 5000:
        assert fits({h: p for h, p in expected.items() if h not in rare},
                    {h: c for h, c in seen.items() if h not in rare})  # fmt: skip


def test_a_told_position_goes_on():
    rules = kibitz.rules("uno", **TINY)
    told = kibitz.position(rules, hand="R2 Y2 Y1", top="R1", theirs=3, drew="red")
    exact = told.belief("constraints", method="exact")
    lines = ["0 plays Y1", "1 draws 1", "0 plays Y2"]
    for line in lines:
        exact = exact.update(uno_text.parse_event(line))
    expected = brute(rules, "R2 Y2 Y1 R1", 4, ["red", "Y1"])
    found = in_text(exact.distribution())
    assert found.keys() == expected.keys()
    assert all(found[hand] == pytest.approx(p, abs=1e-9) for hand, p in expected.items())
    # and further, where the other methods must follow
    others = [told.belief(n=4000, method=method, seed=2) for method in ("particles", "slots")]
    exact = told.belief(method="exact")
    for line in [*lines, "1 plays Y0"]:
        event = uno_text.parse_event(line)
        exact, *others = (belief.update(event) for belief in (exact, *others))
    for other in others:
        assert np.abs(exact.marginals().chance - other.marginals().chance).max() < 0.06
        assert exact.marginals().cards == other.marginals().cards


WRONG_UNO = [
    ({"hnad": "R5"}, "did you mean 'hand'"),
    ({"hand_sise": 3}, "did you mean 'hand_size'"),
    ({"hand_size": 0}, "hand_size"),
    ({"hand": None}, "needs hand"),
    ({"top": " "}, "needs top"),
    ({"theirs": None}, "needs theirs"),
    ({"hand": 5.5}, "must be a text"),
    ({"hand": "R5 X7"}, "hand: 'X7' is no UNO card"),
    ({"top": "R5 R6"}, "top: 'R5 R6' is no UNO card"),
    ({"hand": "R3 R3"}, "R3 is told 3 times .* has 2"),
    ({"hand": "B7", "colours": 2}, "B7 is told 1 times .* has none"),
    ({"pile": "W W W W"}, "W is told 5 times"),
    ({"theirs": 0}, "theirs must be a whole number"),
    ({"theirs": "many"}, "theirs must be a whole number"),
    ({"theirs": 105}, "only 104 of the deck's 108"),
    ({"top": "W"}, "say which colour"),
    ({"top": "W", "colour": "pink"}, "'pink' is no colour"),
    ({"top": "W+4", "colour": "blue", "colours": 2}, "only red, yellow"),
    ({"colour": "green"}, "R3 makes it red"),
    ({"pending": 2}, "with R3 on top it is 0"),
    ({"top": "R+2", "pending": 4}, "it is 0 or 2"),
    ({"pending": "two"}, "pending must be"),
    ({"top": "R+2", "pending": 2, "drew": "red"}, "has just played"),
    ({"drew": "pink"}, "neither a colour"),
    ({"drew": "W"}, "say the colour"),
    ({"drew": "blue", "colours": 2}, "not in the deck"),
    ({"drew": "red green"}, "the top card would still be the same"),
    ({"drew": "R4"}, "not R3 with red"),
    ({"drew": "red +4"}, "the last draw, \\+4"),
    ({"drew": "red red red red red"}, "at least 6"),
    ({"colours": 1, "ranks": "33556677", "hand_size": 2, "drew": "red"}, "too few"),
]


@pytest.mark.parametrize(("change", "message"), WRONG_UNO, ids=str)
def test_wrong_uno_positions(change, message):
    right = {"hand": "R5 R3 W", "top": "R3", "theirs": 5}
    with pytest.raises(kibitz.KibitzError, match=message):
        kibitz.position("uno", **right | change)


# --- Blob positions ---


def told_of_round(table, dealt):
    """A position of Blob as the seat to act would tell it: with the cards it was dealt, or those
    that it still has."""
    view = table.view(table.to_act)
    mine = next(e for e in view.events if e.kind == "deal" and e.seat == view.seat).cards
    now = members(view.observation.hand[view.seat])
    trump, turned = int(view.observation.trump), int(view.observation.turned)
    told = {
        "hand": blob_text.cards_text(mine if dealt else now),
        "trump": blob_text.trump_text(trump),
        "bids": [e.action for e in view.events if e.kind == "bid"],
        "played": [blob_text.card_text(e.action) for e in view.events if e.kind == "play"],
    }
    return view, told | ({"turned": blob_text.card_text(turned)} if turned >= 0 else {})


@pytest.mark.parametrize("rules", BLOB_SETS, ids=str)
def test_blob_position_is_the_view_of_the_table(rules):
    table, choice = kibitz.Table(rules, seed=8), Random(8)
    while not table.over and table.plies < fewer(200):
        view, told = told_of_round(table, dealt=bool(table.plies % 2))
        assert kibitz.position(rules, **told) == kibitz.Position(view)
        if rules.trump in ("random", "turned"):  # the number of cards follows from the hand
            options = rules.changed() | {"cards": None, "trump": None} | told
            assert kibitz.position("blob", **options).view == view
        table.play(choice.choice(table.legal_actions()))


def test_blob_position_in_a_few_words():
    found = kibitz.position("blob", players=3, hand="AS KH 3D", trump="hearts", bids="1 0", seat=2)
    assert found.view.rules == kibitz.rules("blob", players=3, cards=3)
    assert found.view.history() == (
        "round 1 cards 3 dealer 2 trump hearts",
        "deal 0 3",
        "deal 1 3",
        "deal 2 AS KH 3D",
        "0 bids 1",
        "1 bids 0",
    )
    assert found.view.legal == ("0", "1", "3")
    assert found.belief().seat == 2
    turned = kibitz.position("blob", players=3, hand="AS KH 3D", turned="2C", trump="turned")
    assert turned.view.rules.trump == "turned"
    fixed = kibitz.position(kibitz.rules("blob", cards=1, trump="spades"), hand="2S")
    assert fixed.view.observation.trump == 3
    later = kibitz.position("blob-game", players=3, schedule=(1, 2), hand="2S 3S", round=2)
    assert later.view.history()[0] == "round 2 cards 2 dealer 0 trump hearts"
    assert later.view.seat == 1


WRONG_BLOB = [
    ({"hnad": "2S"}, "did you mean 'hand'"),
    ({"player": 3}, "did you mean 'players'"),
    ({"players": 30}, "players"),
    ({"hand": ""}, "needs hand"),
    ({"hand": "AS KH XX"}, "hand: 'XX' is no card"),
    ({"hand": "AS KH AS"}, "AS is told twice"),
    ({"hand": "AS KH", "cards": 3}, "3 cards are dealt .* tell the 3"),
    ({"hand": "AS KH 2S"}, "hand: 2S was played by seat 0"),
    ({"hand": "AS", "played": "2S 4S AS", "bids": "0 0 0", "cards": 1}, "the round is over"),
    ({"trump": None}, "say which trump"),
    ({"trump": "bells"}, "'bells' is no trump"),
    ({"trump": "spades", "suits": 2}, "the deck has no spades"),
    ({"trump": "turned"}, "say which, such as turned"),
    ({"turned": "2H", "trump": "spades"}, "whose suit it is"),
    ({"turned": "KH"}, "KH was turned up"),
    ({"ranks": 5}, "AS is not in the deck"),
    ({"bids": "1 0 1 1"}, "3 players make 3 bids"),
    ({"bids": "1 0 x"}, "'x' is no bid"),
    ({"bids": "1 4 1"}, "4 is more than the 3 tricks"),
    ({"bids": "1 1 1"}, "do not allow that bid"),
    ({"bids": "1 0"}, "after all 3 bids"),
    ({"played": "2S 2S"}, "2S is told twice"),
    ({"played": "2S 9Z"}, "played: '9Z' is no card"),
    ({"seat": 0}, "seat 2 is to act"),
    ({"seat": 7}, "seat must be"),
    ({"round": 2}, "round must be"),
    ({"hand": "3D 3S", "played": "2S 3S 4D 4C 5C 6C 7C 8C 4S", "cards": 4}, "is not; tell all"),
]


@pytest.mark.parametrize(("change", "message"), WRONG_BLOB, ids=str)
def test_wrong_blob_positions(change, message):
    right = {
        "players": 3,
        "hand": "AS KH 3D",
        "trump": "hearts",
        "bids": "1 0 1",
        "played": "2S 4S",
    }
    assert kibitz.position("blob", **right).view.legal == ("AS",)
    with pytest.raises(kibitz.KibitzError, match=message):
        kibitz.position("blob", **right | change)


def test_revoking_is_noticed():
    told = {"players": 2, "trump": "none", "bids": "1 0"}
    # seat 1 had no spade, and has one after all
    with pytest.raises(kibitz.KibitzError, match=r"1 plays 3S.*none of that suit"):
        kibitz.position("blob", **told, hand="AS KS", played="9S 2H QS 3S", cards=4)
    # my own, who held a heart when they were led
    with pytest.raises(kibitz.KibitzError, match=r"0 plays 3D.*may not be played"):
        kibitz.position("blob", **told | {"dealer": 0}, hand="AH 3D 4D", played="2H 3D 9C")


# --- whatever is told ---

TOKENS = "R5 R3 G+2 W W+4 red G blue +2 0 1 2 3 7 99 -1 AS KH 3D 10C 2♥ hearts none turned random x"
WORDS = st.sampled_from([*TOKENS.split(), "é", "٣", "R5,G3", "'", "\x00"])
VALUES = st.one_of(
    st.none(),
    st.lists(WORDS, max_size=6).map(" ".join),
    st.lists(WORDS, max_size=4),
    st.integers(-2, 40),
    st.floats(),
    st.text(max_size=5),
)
NAMES = ["hand", "top", "theirs", "colour", "pile", "pending", "drew", "trump", "turned", "bids"]
NAMES += ["played", "seat", "round", "players", "cards", "colours", "ranks", "dealer", "nonsense"]


@examples
@given(
    st.sampled_from(["uno", "blob", "blob-game", "chess"]),
    st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=7),
    st.booleans(),
)
def test_whatever_is_told_is_a_position_or_refused(game, told, most):
    right = {
        "uno": {"hand": "R5 G3", "top": "R3", "theirs": 4},
        "blob": {"hand": "AS KH", "trump": "none", "players": 3, "bids": "0 1"},
        "blob-game": {"hand": "AS", "schedule": (1, 2), "players": 2},
    }
    try:
        found = kibitz.position(game, **(right.get(game, {}) if most else {}) | told)
    except kibitz.KibitzError:
        pass
    else:
        assert found.view.to_act == found.view.seat
        assert found.view.actions
        assert found.belief(n=20).possible(found.belief(n=20).sample(1, 1)[0][0])


@examples
@given(
    st.lists(st.sampled_from(["2S", "3S", "AS", "2H", "KH", "3D", "4D"]), max_size=7),
    st.lists(st.sampled_from(["AS", "KH", "3D", "9C", "2H"]), min_size=1, max_size=4),
    st.lists(st.integers(0, 3), max_size=3),
)
def test_whatever_is_said_to_be_played(played, hand, bids):
    try:
        found = kibitz.position(
            "blob", players=3, hand=hand, played=played, bids=bids, trump="hearts"
        )
    except kibitz.KibitzError:
        pass
    else:
        assert set(found.view.legal) <= {*hand, *map(str, range(8))}
