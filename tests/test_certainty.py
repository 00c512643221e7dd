"""Certain is what the hard constraints prove, whatever a model or a sample says: a chance is
exactly 0 or 1 where no hand that fits, or every hand, has the card, and nowhere else."""

import re
from collections import Counter
from functools import partial

import pytest

import kibitz
from blob_histories import TINY, brute, some_table
from brute_uno_belief import MODELS, look, posterior
from helpers import PURE, fewer, members, play_on
from kibitz import contract
from kibitz.beliefs import belief
from kibitz.games.belief import STOCK
from kibitz.games.blob.layout import PLAYING
from kibitz.games.blob.layout import SUITS as BLOB_SUITS
from kibitz.games.blob.notation import card_text as blob_text
from kibitz.games.blob.notation import parse_card as parse_blob
from kibitz.games.uno.game import counts
from kibitz.games.uno.layout import WILD_FOURS, WILDS
from kibitz.games.uno.notation import COLOUR_NAMES, card_text
from uno_histories import RECIPES, view

SHARP = ("keen:temperature=0", "rule:temperature=0")
UNO_METHODS = ("exact", "particles", "slots")


def agrees(chance, cases):
    """Whether a chance is 0 if and only if something is so in no case, and 1 if it is so in all."""
    cases = set(cases)
    if cases == {True}:
        return chance == 1.0
    return chance == 0.0 if cases == {False} else 0.0 < chance < 1.0


# --- UNO ---


@pytest.mark.parametrize("recipe", RECIPES[:: 12 if PURE else 1], ids=str)
def test_uno_says_0_and_1_where_it_is_proved(recipe):
    """Against all hands that fit, by brute force."""
    seen = view(recipe)
    unseen = look(seen.rules, seen.seat, seen.events).unseen
    hands = [
        Counter(h) for h in posterior(seen.rules, seen.seat, seen.events, MODELS["constraints"])
    ]
    for method in UNO_METHODS:
        for model in (*SHARP, "auto"):
            found = belief(seen, method, model, 20, cache=None)
            table = found.marginals()
            for k, card in enumerate(table.cards):
                text, copies = card_text(card), unseen[card_text(card)]
                theirs, deck = table.chance[:, k]
                assert agrees(theirs, (hand[text] > 0 for hand in hands))
                assert agrees(deck, (hand[text] < copies for hand in hands))
                held, left = table.expected[:, k]
                assert held + left == pytest.approx(copies, abs=1e-12)
                assert held > theirs - 1e-12
                assert left > deck - 1e-12
                assert (held == 0, left == 0) == (theirs == 0, deck == 0)
            for colour, name in enumerate("RYGB"[: seen.rules.colours]):
                cases = (any(card[0] == name for card in hand) for hand in hands)
                assert agrees(found.colour_chance()[colour], cases)
            wild = (any(card[0] == "W" for card in hand) for hand in hands)
            assert agrees(found.has_any(WILDS | WILD_FOURS), wild)
            asked = {card_text(card) for card in found.asked}
            if found.asked:
                able = (not asked.isdisjoint(hand) for hand in hands)
                assert agrees(found.can_play(1 - seen.seat), able)


def hand_of(truth, seat):
    return {card_text(card) for card in counts(truth.hand[seat])}


def goes_on(action, card):
    played, _, colour = action.partition(":")
    return (
        card[0] == "W"
        or card[0] == (colour or played[0])
        or (not colour and card[1:] == played[1:])
    )


def uno_claims(remark):
    """What a remark says as certain of a hand: (what it is about, whether the hand has such)."""
    if match := re.fullmatch(r"The opponent has (a|no) (\w+) card\.", remark):
        colour = "RYGB"[COLOUR_NAMES.index(match[2])]
        yield (lambda card: card[0] == colour), match[1] == "a"
    for action, chance in re.findall(
        r"[Aa]fter (R\w+|Y\w+|G\w+|B\w+|W\S*) (?:[a-z ]*)with (0|100) %", remark
    ):
        yield partial(goes_on, action), chance == "100"


SMALL = kibitz.rules("uno", colours=3, ranks="00112S+", wilds=2, wild_fours=1, hand_size=5)
FULL = kibitz.rules("uno")


@pytest.mark.parametrize("model", SHARP)
@pytest.mark.parametrize(("rules", "plies"), [(SMALL, 60), (FULL, 45)], ids=["small", "full"])
def test_no_certain_remark_is_false_in_uno(rules, plies, model):
    """Random players do what a sharp model calls impossible all the time."""
    said = 0
    for seed in range(fewer(6)):
        table = kibitz.Table(rules, seed=seed)
        for _ in range(plies):
            if table.over:
                break
            view, truth = table.view(table.to_act), table.true_state()
            found = belief(view, model=model, n=60, cache=None)
            hand, deck = hand_of(truth, 1 - view.seat), {card_text(c) for c in counts(truth.deck)}
            for remark in found.remarks(view.actions):
                for about, has in uno_claims(remark):
                    assert any(map(about, hand)) == has, remark
                    said += 1
            marginals = found.marginals()
            for place, cards in ((1 - view.seat, hand), (STOCK, deck)):
                for card in marginals.cards:
                    chance = marginals.of(card, place)
                    assert chance not in (0.0, 1.0) or (card_text(card) in cards) == chance
            play_on(table, seed=1000 * seed + table.plies, plies=1)
    assert said or PURE


# --- Blob ---


@pytest.mark.parametrize("rules", TINY, ids=str)
def test_blob_says_0_and_1_where_it_is_proved(rules):
    for seed in range(fewer(8 if rules.players < 4 else 4)):
        table = some_table(rules, 300 + seed)
        seat = seed % rules.players
        deals = list(brute(table, seat).weights)
        for method in ("counting", "exact", "particles"):
            for model in (*SHARP, "auto"):
                found = belief(table.view(seat), method, model, 20, cache=None)
                marginals = found.marginals()
                for card in marginals.cards:
                    for holder in marginals.holders:
                        cases = (blob_text(card) in deal[holder] for deal in deals)
                        assert agrees(marginals.of(card, holder), cases)
                for holder in marginals.holders:
                    chance = None if holder == STOCK else found.can_play(holder)
                    if chance is not None:
                        asked = {blob_text(card) for card in found.asked}
                        cases = (not asked.isdisjoint(deal[holder]) for deal in deals)
                        assert agrees(chance, cases)


BLOB_SETS = [
    kibitz.rules("blob", players=4, cards=5),
    kibitz.rules("blob", players=3, cards=3, suits=2, ranks=5),
]


@pytest.mark.parametrize("model", SHARP)
@pytest.mark.parametrize("rules", BLOB_SETS, ids=str)
def test_no_certain_remark_is_false_in_blob(rules, model):
    said = 0
    for seed in range(fewer(8)):
        table = kibitz.Table(rules, seed=seed)
        while not table.over:
            view, truth = table.view(table.to_act), table.true_state()
            found = belief(view, model=model, n=60, cache=None)
            for remark in found.remarks(view.actions):
                said += holds_in_blob(remark, rules, truth, view.seat)
            marginals = found.marginals()
            for holder in marginals.holders:
                word = int(truth.stock if holder == STOCK else truth.hand[holder])
                for card in marginals.cards:
                    chance = marginals.of(card, holder)
                    assert chance not in (0.0, 1.0) or word >> card & 1 == chance
            play_on(table, seed=1000 * seed + table.plies, plies=1)
    assert said or PURE


def holds_in_blob(remark, rules, truth, seat):
    """Whether something is said as certain; if so, it is checked."""
    if match := re.fullmatch(r"Seat (\d) has no (.*)\.", remark):
        for suit in match[2].split(" and no "):
            assert not int(truth.hand[int(match[1])]) >> 16 * BLOB_SUITS.index(suit) & 0xFFFF
    elif match := re.fullmatch(
        r"(\w+), the highest trump still out, is (undealt|with seat (\d))\.", remark
    ):
        word = truth.hand[int(match[3])] if match[3] else truth.stock
        assert int(word) >> parse_blob(match[1]) & 1
    elif match := re.fullmatch(
        r"No later player can beat (\w+)\.|(\w+) stays ahead .* with (0|100) %\.", remark
    ):
        beaten = can_be_beaten(rules, truth, seat, parse_blob(match[1] or match[2]))
        assert beaten == (match[3] == "0")
    elif match := re.search(r"another player has it with (0|100) %", remark):
        card = parse_blob(re.search(r"(\w+);", remark)[1])
        assert (not int(truth.stock) >> card & 1) == (match[1] == "100")
    else:
        return False
    return True


def can_be_beaten(rules, truth, seat, card):
    """Whether somebody who plays after me in this trick has a legal card that takes the lead."""
    after = truth.copy()
    contract.apply(rules.params, after, card, kibitz.rng.generator(1))
    while after.phase == PLAYING and after.in_trick and after.best == seat:
        legal = members(contract.legal_actions(rules.params, after))
        if any(int(after.beats) >> c & 1 for c in legal):
            return True
        contract.apply(rules.params, after, legal[0], kibitz.rng.generator(1))
    return False
