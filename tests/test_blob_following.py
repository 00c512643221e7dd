"""Blob's belief through a game: every event, every seat, all rules; and what it refuses."""

import math

import numpy as np
import pytest

import kibitz
from blob_histories import (
    MIXED,
    TINY,
    counted,
    shown_now,
    some_table,
)
from brute_blob_belief import divisions
from helpers import PURE, RULE_SETS, fewer, members, play_on, random_steps
from kibitz import contract
from kibitz.beliefs import belief
from kibitz.games.base import Event, KibitzError
from kibitz.games.belief import STOCK, BeliefError, Options
from kibitz.games.blob import counting, deals
from kibitz.games.blob.layout import PLAYING, STATE
from kibitz.games.blob.notation import card_text
from kibitz.games.model import model as read_model
from kibitz.view import View

BLOB_SETS = [rules for rules in RULE_SETS if rules.game != "uno"]


def start(rules, seat, method="auto", model="constraints", n=50, seed=0):
    return kibitz.game_of(rules).belief(rules, seat, Options(method, read_model(model), n, seed))


def steps(rules, seed):
    """A random game as every seat sees it: new events for each, and the true state after them."""
    game = kibitz.game_of(rules)
    first = True
    for before, action, after, _, _ in random_steps(rules, seed):
        if first:
            yield game.opening_events(rules, before), before
            first = False
        yield game.events(rules, before, action, after), after


def rounds_of(rules):
    return rules.schedule if rules.game == "blob-game" else (rules.cards,)


LONGER = kibitz.rules("blob-game", players=4, schedule=(3, 12))


@pytest.mark.parametrize("rules", [*BLOB_SETS, LONGER], ids=str)
def test_never_fails(rules):
    """Every seat, every event, any rules: the observation is the table's, the truth is possible,
    every question has an answer."""
    plies = rules.players * sum(1 + int(b) for b in rounds_of(rules))
    for seed in range(fewer(max(5, min(25, 2000 // (plies * rules.players))))):
        beliefs = [start(rules, s, n=20, model=MIXED) for s in range(rules.players)]
        for index, (events, state) in enumerate(steps(rules, seed)):
            for seat in range(rules.players):
                for event in events:
                    beliefs[seat] = beliefs[seat].update(event.seen_by(seat))
                    if len(events) > 2 and seat == index % rules.players:
                        beliefs[seat].marginals()
                found = beliefs[seat]
                seen = np.zeros(1, STATE)
                contract.observe(rules.params, state, seat, seen[0])
                assert found.observation.tobytes() == seen.tobytes()
                assert found.possible(state)
                if seat == index % rules.players and (seed + index) % 7 == 0:
                    check_sound(found)


def check_sound(found):
    marginals = found.marginals()
    np.testing.assert_allclose(marginals.chance.sum(axis=0), 1)
    sizes = list(found.sizes.values())
    np.testing.assert_allclose(marginals.expected.sum(axis=1), sizes, atol=1e-9)
    assert ((marginals.chance >= 0) & (marginals.chance <= 1)).all()
    worlds, weights = found.sample(3, 1)
    assert all(found.possible(world) for world in worlds)
    assert weights.sum() == pytest.approx(1)
    assert 0 <= found.entropy() <= math.log2(found._counted.number) + 1e-9
    assert found.ess >= 1 - 1e-9
    assert all(found.entropy_of(holder) >= 0 for holder in marginals.holders)
    for seat in range(found.rules.players):
        assert found.can_play(seat) is None or 0 <= found.can_play(seat) <= 1
    assert f"seat {found.seat}" in found.summary()
    assert found.to_dict()["seat"] == found.seat


def test_nothing_hidden():
    """The last card of a deal of the whole deck."""
    for options in ({"players": 4, "cards": 13}, {"players": 2, "cards": 26}):
        rules = kibitz.rules("blob", **options)
        table = some_table(rules, 1, rules.players * (rules.cards + 1) - 1)
        last = table.to_act
        found = belief(table.view(last), cache=None)
        assert found.marginals().cards == ()
        assert found.entropy() == 0
        assert found.sample(2, 0)[0][0].tobytes() == table._state.tobytes()
        check_sound(found)


def test_history_and_events_agree():
    """Step by step or at once, with a cache or without, and whatever was asked in between."""
    rules = kibitz.rules("blob-game", players=3, schedule=(3, 4))
    table = play_on(kibitz.Table(rules, seed=5), 5, 21)
    events = table.view(1).events
    step_by_step = start(rules, 1, model=MIXED, method="particles")
    kept = []
    for event in events:
        kept.append((step_by_step, step_by_step.observation.tobytes()))
        step_by_step.marginals()
        step_by_step = step_by_step.update(event)
    at_once = start(rules, 1, model=MIXED, method="particles")
    for event in events:
        at_once = at_once.update(event)
    assert at_once.to_dict() == step_by_step.to_dict()
    assert at_once.events == events
    asked = belief(table.view(1), "particles", MIXED, 50)
    again = belief(table.view(1), "particles", MIXED, 50)
    assert asked.to_dict() == again.to_dict() == at_once.to_dict()
    for old, data in kept:  # nothing old has changed, and the past can be taken up again
        assert old.observation.tobytes() == data
    old, _ = kept[-4]
    for event in events[-4:]:
        old = old.update(event)
    assert old.to_dict() == at_once.to_dict()
    assert old.sample(5, 3)[0].tobytes() == at_once.sample(5, 3)[0].tobytes()
    other = belief(table.view(1), "particles", MIXED, 50, seed=1)
    assert other.to_dict() != at_once.to_dict()


@pytest.mark.parametrize("rules", [kibitz.rules("blob"), TINY[0], TINY[3]], ids=str)
def test_sampled_worlds_could_have_been(rules):
    """The leak test from the other side: deal a sampled world anew, make the same moves, all legal,
    and the seat sees the same and thinks the same."""
    game = kibitz.game_of(rules)
    for seed in range(fewer(6)):
        table = some_table(rules, seed)
        seat = seed % rules.players
        found = belief(table.view(seat), model=MIXED, n=50, cache=None)
        moves = [e for e in found.events if e.kind in ("bid", "play")]
        for world in found.sample(3, seed)[0]:
            first = world.copy()
            for event in moves:
                if event.kind == "play":
                    first.hand[event.seat] |= np.uint64(1 << event.action)
            again = kibitz.Table.from_deal(rules, **game.deal_text(rules, first))
            for event in moves:
                again.play(event.action)
            assert again._state.tobytes() == world.tobytes()
            assert again.view(seat) == table.view(seat)
            other = belief(again.view(seat), model=MIXED, n=50, cache=None)
            assert other.to_dict() == found.to_dict()


def test_one_kernel_from_a_history():
    """The kernel that search and bench use gives what the object says."""
    rules = kibitz.rules("blob", cards=6)
    scratch = counting.scratch()
    for seed in range(fewer(20)):
        table = some_table(rules, seed)
        seat = seed % 4
        found = counted(table, seat)
        moves = np.array([e.action for e in found.events if e.kind in ("bid", "play")], np.int64)
        seen, split, out = np.zeros(1, STATE), np.zeros(1, counting.SPLIT)[0], np.zeros((9, 4))
        voids = deals.from_history(
            rules.params, found._opening, seat, moves, seen, split, scratch, out
        )
        assert voids == found._voids
        assert seen.tobytes() == found.observation.tobytes()
        assert split.deals == found._counted.number
        np.testing.assert_array_equal(out, found._counted.chances())


def test_bare_observation():
    """Without a history: sizes, and the voids that the trick on the table shows."""
    seen = 0
    for seed in range(fewer(60)):
        rules = TINY[seed % 4]
        table = some_table(rules, seed)
        view = table.view(seed % rules.players)
        bare = View(view.rules, view.seat, (), view.to_act, view.actions, view.data)
        found = belief(bare, cache=None)
        shown = {
            s: int(table._state.led)
            for s in range(rules.players)
            if table._state.trick[s] in shown_now(table) and s != view.seat
        }
        seen += bool(shown)
        sizes = [size for holder, size in found.sizes.items() if holder != STOCK]
        others = [holder for holder in found.sizes if holder != STOCK]
        number = sum(
            not any(
                seat in shown and shown[seat] >> card & 1
                for seat, hand in zip(others, hands, strict=True)
                for card in hand
            )
            for *hands, _stock in divisions(found.marginals().cards, sizes)
        )
        assert found.distinct == number
        assert found.possible(table._state)
        if view.to_act >= 0:
            mover = view.to_act
            action = table.legal_actions()[0]
            table.play(action)
            kind = "bid" if view.observation.phase != PLAYING else "play"
            check_sound(found.update(Event(kind, mover, action)))
    assert seen or PURE


# --- refusals ------------------------------------------------------------------------------------


def test_wrong_options():
    table = some_table(kibitz.rules("blob"), 1, 8)
    with pytest.raises(KibitzError, match=r"no method 'exat' \(did you mean 'exact'\?\)"):
        belief(table.view(0), method="exat", cache=None)
    found = belief(table.view(0), method="exact", cache=None)
    with pytest.raises(KibitzError, match="deals are possible, more than exact_limit=200,000"):
        found.entropy()
    sound = counted(table, 0)
    with pytest.raises(KibitzError, match="hidden cards are with"):
        sound.possible_cards(0)
    with pytest.raises(KibitzError, match="is not hidden"):
        sound.most_likely_holder(next(e.action for e in _plays(some_table(table.rules, 1, 9))))
    with pytest.raises(KibitzError, match="at least one world"):
        sound.sample(0, 1)
    with pytest.raises(KibitzError, match="between 0 and 1"):
        sound.sample(2, 1, diversity=3)
    own = members(sound.observation.hand[0])[0]
    assert sound.most_likely_holder(own) == 0
    assert sound.probability(card_text(own), 1) == 0


def _plays(table):
    return [e for e in table.view(0).events if e.kind == "play"]


def test_what_cannot_have_happened():
    rules = kibitz.rules("blob", players=2, cards=2, suits=2, ranks=2, trump="none", dealer=1)
    table = kibitz.Table.from_deal(rules, hands=["2C 3C", "2D 3D"], trump="none")
    found = counted(table, 0)

    def told(*lines):
        now = found
        for line in lines:
            now = now.update(kibitz.game_of(rules).parse_event(line))
        return now

    bids = ("0 bids 0", "1 bids 0")
    for lines, why in (
        (("1 bids 0",), "not that seat's turn"),
        (("0 plays 2C",), "not that seat's turn"),
        (("0 bids 3",), "do not allow that bid"),
        (("0 bids 0", "1 bids 2"), "do not allow that bid"),
        ((*bids, "0 plays 2D"), "not in its hand"),
        ((*bids, "0 plays 2C", "1 plays 3C"), "known to be elsewhere"),
        (("deal 0 2C 3C", "0 bids 0", "deal 0 2C 3C"), "no hand of this round"),
        (("deal 0 2C AS",), "no hand of this round"),
        (("round 2 cards 2 dealer 1 trump none",), "no round 2"),
        (("round 1 cards 2 dealer 0 trump none",), "does not deal"),
        (("round 1 cards 2 dealer 1 trump clubs",), "not the trump"),
    ):
        with pytest.raises(BeliefError, match=why):
            told(*lines)
    with pytest.raises(BeliefError, match="Blob has no event"):
        found.update(Event("draw", 0))


def test_no_hands_are_left():
    """Each move could be, all of them together cannot."""
    rules = kibitz.rules("blob", players=3, cards=2, suits=2, ranks=3, trump="none", dealer=2)
    found = start(rules, 0)
    lines = [
        "round 1 cards 2 dealer 2 trump none",
        "deal 0 2C 2D",
        "deal 1 2",
        "deal 2 2",
        "0 bids 0",
        "1 bids 0",
        "2 bids 0",
        "0 plays 2C",
        "1 plays 3D",  # no clubs: its other card is the last diamond
    ]
    for line in lines:
        found = found.update(kibitz.game_of(rules).parse_event(line))
    assert found.voids(1) == ("clubs",)
    assert [card_text(card) for card in found.possible_cards(1)] == ["4D"]
    with pytest.raises(BeliefError, match="no hands are left"):
        found.update(kibitz.game_of(rules).parse_event("2 plays 4D"))
