"""What a belief says that matters to a choice: the chances against brute force, and never a word
too much."""

import re
from itertools import combinations
from random import Random

import pytest

import kibitz
from helpers import PURE, fewer, members
from kibitz import contract
from kibitz.games.blob import notation as blob_text
from kibitz.games.blob import remarks as blob_remarks
from kibitz.games.uno import notation as uno_text
from kibitz.games.uno import remarks as uno_remarks

UNO = kibitz.rules("uno", colours=3, ranks="0123SR+", wilds=1, wild_fours=1, hand_size=3)
BLOB = kibitz.rules("blob", players=3, suits=2, ranks=5, cards=2)


# --- UNO ---


def goes_on(card, action):
    """Whether a card, as text, can be played after an action."""
    played, _, colour = action.partition(":")
    if card.startswith("W"):
        return True
    if colour:
        return card[0] == colour
    return card[0] == played[0] or card[1:] == played[1:]


@pytest.mark.parametrize("drew", [None, "red", "green red"])
def test_the_chance_of_an_answer(drew):
    told = kibitz.position(UNO, hand="R2 Y0 RS R+2 W", top="R0", theirs=4, drew=drew)
    belief = told.belief(method="exact")
    judged = 0
    for action in told.view.actions:
        text = told.view.text(action)
        found = uno_remarks.reply(belief, action)
        assert found.action == text
        if text == "RS":
            assert found.instead == "it is your turn again"
        elif text == "R+2":
            assert found.instead == "the opponent must draw 2"
        else:
            expected = sum(
                chance
                for hand, chance in belief.distribution().items()
                if any(goes_on(uno_text.card_text(card), text) for card in hand)
            )
            assert found.chance == pytest.approx(expected, abs=1e-9)
            judged += 1
    assert judged >= 4


def test_uno_sentences():
    told = kibitz.position("uno", hand="R5 G3 R+2", top="R3", theirs=5, drew="red red")
    actions = {told.view.text(action): action for action in told.view.actions}
    belief = told.belief(seed=1)
    answers, *colours = belief.remarks([actions["R5"], actions["G3"]])
    pattern = r"After R5 the opponent can answer with (\d+) %, after G3 with (\d+) %\."
    found = re.fullmatch(pattern, answers)
    chances = [uno_remarks.reply(belief, actions[text]).chance for text in ("R5", "G3")]
    assert [int(part) for part in found.groups()] == [round(100 * c) for c in chances]
    assert re.fullmatch(r"The opponent has no red card with \d\d %\.", colours[0])
    penalty, *_ = belief.remarks([actions["R+2"], actions["R5"]])
    assert penalty.startswith("After R+2 the opponent must draw 2, after R5 the opponent can")
    fresh = kibitz.position("uno", hand="R5 G3", top="R3", theirs=5).belief(seed=1)
    assert len(fresh.remarks([actions["R5"]])) == 1  # of the colours nothing is known


def test_the_last_card_of_the_opponent():
    told = kibitz.position("uno", hand="R5 G3", top="R3", theirs=1)
    (sentence,) = told.belief(method="exact").remarks(told.view.actions)
    # of the 105 cards unseen, 24 - 2 are red, 6 more are a five, 8 are wild
    unseen, red, fives, wilds = 108 - 3, 25 - 2, 6, 8
    chance = (red + fives + wilds) / unseen
    assert f"it can go out after R5 with {100 * chance:.0f} %" in sentence.replace(
        "after R5 it can go out", "it can go out after R5"
    )
    last = kibitz.position("uno", hand="R5", top="R3", theirs=1)
    (sentence,) = last.belief(method="exact").remarks(last.view.actions)
    assert sentence == "The opponent has one card: after R5 you have won."
    draw = kibitz.position("uno", hand="B5", top="R3", theirs=2)
    assert draw.belief().remarks(draw.view.actions)[0].startswith("After draw the opponent can")


def test_a_sharp_model_proves_nothing():
    """A player that never plays a wild while it has something else: so says the model alone."""
    told = kibitz.position(UNO, hand="Y0 Y1", top="R0", theirs=3)
    belief = told.belief("rule:temperature=0", method="exact")
    for line in ("0 plays Y0", "1 plays W:R"):
        belief = belief.update(uno_text.parse_event(line))
    assert 0 < belief.colour_chance()[1] < 1e-12
    assert "The opponent has no yellow card with >99 %." in belief.remarks(())


# --- Blob ---


def deals(belief):
    """Every way the hidden cards can lie, in plain Python: {seat: cards} for the other seats."""
    hidden = set(belief.marginals().cards)
    (first, few), (second, more) = ((s, n) for s, n in belief.sizes.items() if s != kibitz.STOCK)
    for one in combinations(sorted(hidden), few):
        for other in combinations(sorted(hidden - set(one)), more):
            yield {first: one, second: other}


def beats(card, other, led, trump):
    """Whether `other`, played later, takes the lead from `card`."""
    if other >> 4 == card >> 4:
        return other > card
    return other >> 4 == trump


@pytest.mark.parametrize("trump", ["clubs", "diamonds", "none"])
@pytest.mark.parametrize("played", ["", "3C", "5D 4D 2D"])
def test_the_chance_that_nobody_can_beat_a_card(trump, played):
    hands = {"": "6C 4D", "3C": "6C 5D", "5D 4D 2D": "5D 4C"}
    told = kibitz.position(BLOB, hand=hands[played], trump=trump, bids="0 0 0", played=played)
    belief = told.belief("constraints")
    assert belief.method == "counting"
    seen, number = belief.observation, blob_text.parse_trump(trump)
    for card in told.view.actions:
        if not int(seen.beats) >> card & 1:
            continue
        led = int(seen.led).bit_length() - 1 >> 4 if seen.in_trick else card >> 4
        later = [s for s in range(3) if s != told.view.seat and seen.trick[s] < 0]
        good = total = 0
        for deal in deals(belief):
            total += 1
            for seat in later:
                follow = [c for c in deal[seat] if c >> 4 == led]
                if any(beats(card, c, led, number) for c in follow or deal[seat]):
                    break
            else:
                good += 1
        assert total == belief.distinct
        assert blob_remarks.unbeaten(belief, card) == pytest.approx(good / total, abs=1e-9)


def test_a_sample_comes_near():
    rules = kibitz.rules("blob", players=4, cards=5, trump="spades")
    told = kibitz.position(rules, hand="KS QH 9H 3D 2C", bids="1 1 1 1")
    belief = told.belief("constraints")
    assert belief.distinct > blob_remarks.DEALS
    worlds, _ = belief.sample(fewer(40_000), 3)
    card = blob_text.parse_card("KS")
    ace = blob_text.parse_card("AS")
    held = sum(int(world.hand[s]) >> ace & 1 for world in worlds for s in (1, 2, 3)) / len(worlds)
    assert blob_remarks.unbeaten(belief, card) == pytest.approx(1 - held, abs=0.03)
    assert blob_remarks.held_by_others(belief, [ace]) == pytest.approx(15 / 47)


def test_blob_sentences():
    told = kibitz.position("blob", players=3, hand="AS KH 3D", trump="hearts", bids="1 0")
    assert told.belief("constraints").remarks(told.view.actions) == (
        "The bids so far add up to 1 of 3 tricks.",
        "You may not bid 2, since the bids would add up to the tricks.",
        "1 trump is higher than your KH, AH; another player has it with 12 %.",
    )
    first = kibitz.position("blob", players=3, hand="AS KH 3D", trump="clubs")
    assert first.belief().remarks(first.view.actions) == (
        "You have no clubs; 13 trumps are unseen; the others hold 1.6 of them on average.",
    )
    told = kibitz.position(
        "blob", players=3, hand="9C 5H", trump="hearts", bids="1 0 0", played="2S 7C AS 3D 4H"
    )
    found = told.belief().remarks(told.view.actions)
    assert found[:2] == ("9C cannot take this trick.", "5H takes this trick.")
    assert found[2].startswith("AH, the highest trump still out, is most likely undealt (")
    assert found[3] == "Seat 0 has no diamonds."
    best = kibitz.position("blob", players=2, hand="AH 3D", trump="hearts", bids="1 0")
    assert best.belief().remarks(best.view.actions[::-1])[:3:2] == (
        "No later player can beat AH.",
        "Your AH is the highest trump still in play.",
    )


# --- both: never a word too much ---

PROVED = {
    "uno": r"The opponent has (a|no) (\w+) card\.",
    "blob": r"Seat (\d) has no (.*)\.|No later player can beat (\w+)\.|(\w+) takes this trick\.",
}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rules", [UNO, kibitz.rules("blob", players=4, cards=5)], ids=str)
def test_what_is_said_to_be_so_is_so(rules, seed):
    table, choice = kibitz.Table(rules, seed=seed), Random(seed)
    said = 0
    while not table.over and table.plies < fewer(60):
        view, truth = table.view(table.to_act), table.true_state()
        belief = kibitz.belief(view, n=50, seed=seed)
        found = belief.remarks(view.actions)
        assert len(found) <= 4
        for remark in found:
            assert remark.endswith(".")
            assert remark[0].isupper() or remark[0].isdigit()
            match = re.fullmatch(PROVED[rules.game], remark)
            if match and rules.game == "uno":
                number = uno_text.COLOUR_NAMES.index(match[2])
                held = int(truth.hand[1 - view.seat][0]) >> 16 * number & 0x1FFF
                assert bool(held) == (match[1] == "a")
            elif match and match[1]:
                for suit in match[2].split(" and no "):
                    lane = 0xFFFF << 16 * kibitz.games.blob.layout.SUITS.index(suit)
                    assert not int(truth.hand[int(match[1])]) & lane
            elif match:
                card = blob_text.parse_card(match[3] or match[4])
                after = truth.copy()
                contract.apply(rules.params, after, card, kibitz.rng.generator(1))
                mover = int(after.turn)
                while after.in_trick and after.best == view.seat:  # try all that they can do
                    legal = members(contract.legal_actions(rules.params, after))
                    assert not any(int(after.beats) >> c & 1 for c in legal)
                    contract.apply(rules.params, after, legal[0], kibitz.rng.generator(1))
                assert not after.in_trick or after.best == view.seat
                assert mover >= -1
            said += match is not None
        table.play(choice.choice(table.legal_actions()))
    assert said or rules.game == "uno" or PURE  # few moves are made then
