"""The kernel that mends stories when the opponent had nothing playable: all stories of a tiny pool
go in, with their weights, and what comes out must be the stories that fit, with theirs.

Slots have lived through different draws, so one may hold what another may not. Were they all alike,
weights without a correction would do by symmetry, and a test could not tell.
"""

from collections import Counter
from functools import cache
from itertools import permutations
from math import sqrt

import numpy as np
import pytest

import kibitz
from helpers import PURE, fewer
from kibitz import rng
from kibitz.games.uno import filter, weighing
from kibitz.games.uno.game import set_words
from kibitz.games.uno.hypotheses import SCALE, Conduct, blocked_by
from kibitz.games.uno.layout import BATCH, EMPTIED_BY, HISTORY, PLAY
from kibitz.games.uno.notation import parse_card, parse_cards
from kibitz.games.uno.stories import REAL

RULES = kibitz.rules("uno")
PARTICLES = fewer(1_000_000)


def on(*tops):
    """All cards that could be played on one of these, as bits."""
    found = 0
    for top in map(parse_card, tops):
        found |= int(blocked_by(top >> 4, top & 15))
    return found


class Case:
    """A pool; of each slot, oldest first, the top cards on which nothing in it could be played; and
    the top card now. `emptied`: slots of which, in each story, a play has emptied one; the card is
    not in the pool. `first`: what the opponent may have held before the first slot."""

    def __init__(self, pool, slots, top, emptied=(), first=("",)):
        self.pool = parse_cards(pool)
        self.blocked = [on(*tops.split()) for tops in slots]
        self.playable = on(top)
        self.emptied = emptied or (None,)
        self.first = [parse_cards(hand) for hand in first]

    def stories(self):
        """All (first hand, slots) that fit what was seen before now, each with the number of ways
        in which copies of cards can lie so: all ways are equally likely."""
        found = Counter()
        for hand in self.first:
            left = list((Counter(self.pool) - Counter(hand)).elements())
            for gone in self.emptied:
                filled = [s for s in range(len(self.blocked)) if s != gone]
                for cards in permutations(left, len(filled)):
                    if any(self.blocked[s] >> c & 1 for s, c in zip(filled, cards, strict=True)):
                        continue
                    row = dict(zip(filled, cards, strict=True)) | {gone: EMPTIED_BY}
                    found[hand, tuple(row[s] for s in range(len(self.blocked)))] += 1
        return found

    def fits(self, story):
        """Whether the hand of a story has nothing playable."""
        first, row = story
        held = [*first, *(card for card in row if card < EMPTIED_BY)]
        return not any(self.playable >> card & 1 for card in held)


CASES = {
    "three ages": Case("R0 R2 Y1 Y2 Y2 G0 G2 G2 B1 B2 W W", ["Y1 G0", "Y1", ""], "R0"),
    "two of one age": Case("R1 Y2 G1 G2 G2 B1 B2 B2 R2 W", ["Y1", "Y1", ""], "R0"),
    "one is emptied": Case("R1 Y2 G1 G2 G2 B1 B2 B2 R2 W", ["Y1", "", ""], "R0", emptied=(0, 1)),
    "a first hand": Case("R1 R2 Y2 G1 G2 B2 B2 W", ["G1", ""], "R0", first=("Y2", "R2", "B2")),
}
ALIKE = Case("R0 R2 Y1 Y2 G0 G2 G2 B1 W W+4", ["", ""], "R0")
EACH = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


class Cleared:
    """Every story of a case equally often, after `clear`."""

    def __init__(self, case, seed):
        self.case = case
        self.ways = case.stories()
        self.known = list(self.ways)
        self.before = np.repeat(np.arange(len(self.known)), PARTICLES // len(self.known))
        rows = np.array([row for _, row in self.known], np.uint8)
        hands = np.array([hand_words(story) for story in self.known])
        ways = np.array(list(self.ways.values()), REAL)
        self.old_rows, self.old_weights = rows[self.before], ways[self.before]
        self.rows, self.weights = self.old_rows.copy(), self.old_weights.copy()
        self.hands = hands[self.before]
        begin = np.array([words(first) for first, _ in self.known])[self.before]
        self.changed = clear(case, begin, self.hands, self.rows, self.weights, seed)

    def shares(self, weights):
        """{story: share of the weights}."""
        first = np.array([self.case.first.index(hand) for hand, _ in self.known])[self.before]
        code = first  # a story as one number
        for column in self.rows.T.astype(np.int64):
            code = code << 8 | column
        _, where, place = np.unique(code, return_index=True, return_inverse=True)
        totals = np.bincount(place, weights)
        return {
            (self.case.first[first[i]], tuple(self.rows[i].tolist())): total / totals.sum()
            for i, total in zip(where, totals, strict=True)
            if total
        }

    def right(self):
        """{story: chance}, of all that have nothing playable."""
        left = {story: n for story, n in self.ways.items() if self.case.fits(story)}
        return {story: n / sum(left.values()) for story, n in left.items()}

    def error(self, weights):
        """Total variation from what is right."""
        right, shares = self.right(), self.shares(weights)
        return sum(abs(right.get(s, 0) - shares.get(s, 0)) for s in right | shares) / 2

    def noise(self):
        """More than twice the error that sampling makes."""
        return sqrt(len(self.right()) / len(self.weights))

    def uncorrected(self):
        """The weights as they would be without a correction, but for dead ends."""
        return np.where(self.weights > 0, self.old_weights, 0)


def clear(case, begin, hands, slots, weights, seed):
    """What a belief does when the opponent has nothing playable, in place; which stories were
    mended. All stories are as likely: the choice of the card that was played says nothing."""
    emptied = case.emptied != (None,)
    history = np.zeros(1 + emptied, HISTORY)
    history["kind"][0], history["number"][0] = BATCH, len(case.blocked)
    played = [parse_card("Y0")] * emptied
    card_of = np.array([*range(EMPTIED_BY), *played], np.uint8)
    if emptied:
        history["kind"][1], history["action"][1], history["silent"][1] = PLAY, played[0], 1
    conduct = Conduct(RULES.params, np.ones(1), np.zeros((1, 128)), history, card_of)
    n = len(hands)
    like = np.full((n, 1), SCALE**emptied)
    rows = filter.Rows(begin, np.ones((1, 1)), hands, slots, like, weights)
    rivals = filter.Rivals(np.zeros(n, np.uint8), np.empty_like(slots), np.empty(n))
    blocked, playable = np.array(case.blocked, np.uint64), np.uint64(case.playable)
    clean, other, scratch = np.empty(len(blocked)), np.zeros(n), np.empty((2, 1))
    filter.clear(*words(case.pool), rows, blocked, playable, rivals, clean, rng.generator(seed))
    weighing.judge_rivals(conduct, rows, rivals, other, scratch)
    assert np.isin(other, (0.0, SCALE**emptied)).all()
    weighing.correct(conduct.shares, rows, rivals, other)
    return rivals.fate == filter.MENDED


@cache
def cleared(case, seed=1):
    return Cleared(case, seed)


def words(cards):
    found = np.zeros(2, np.uint64)
    set_words(found, cards)
    return found


def hand_words(story):
    first, row = story
    return words([*first, *(card for card in row if card < EMPTIED_BY)])


@EACH
def test_what_is_left_is_what_fits_and_as_likely(case):
    found = cleared(case)
    assert len(found.right()) > 3
    assert set(found.shares(found.weights)) == set(found.right())
    assert found.error(found.weights) < found.noise()


@EACH
def test_the_mean_weight_is_the_chance_of_nothing_playable(case):
    """But for chance: whether a rival is drawn, and which, makes the weights differ a little."""
    found = cleared(case, seed=2)
    clean = sum(n for story, n in found.ways.items() if case.fits(story))
    mean = found.weights.sum(dtype=float) / found.old_weights.sum(dtype=float)
    assert mean == pytest.approx(clean / found.ways.total(), abs=1 / sqrt(len(found.weights)))


@pytest.mark.skipif(PURE, reason="needs more samples than plain Python can draw")
@EACH
def test_without_the_correction_it_would_be_wrong(case):
    found = cleared(case)
    assert found.error(found.uncorrected()) > 4 * found.noise()


def test_slots_that_are_alike_need_no_correction():
    """So the test above can only be made with slots that are not."""
    found = cleared(ALIKE)
    assert found.error(found.weights) < found.noise()
    assert found.error(found.uncorrected()) < found.noise()


@EACH
def test_stories_are_mended_only_where_they_must_be(case):
    found = cleared(case)
    alive = found.weights > 0
    different = found.rows != found.old_rows
    must = [[c < EMPTIED_BY and case.playable >> c & 1 for c in row] for _, row in found.known]
    assert (different == np.array(must, bool)[found.before])[alive].all()
    assert (found.changed == different.any(axis=1))[alive].all()
    for story in found.shares(found.weights):
        first = np.array([hand == story[0] for hand, _ in found.known])[found.before]
        same = alive & first & (found.rows == story[1]).all(axis=1)
        assert (found.hands[same] == hand_words(story)).all()


def test_the_dead_stay_dead():
    case = CASES["three ages"]
    hand, row = np.zeros((1, 2), np.uint64), np.zeros((1, 3), np.uint8)
    weights = np.zeros(1, REAL)
    changed = clear(case, hand.copy(), hand, row, weights, seed=1)
    assert (weights[0], changed[0], row.any(), hand.any()) == (0, False, False, False)
