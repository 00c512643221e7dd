"""UNO: what is thought before the first move that a belief follows: after the deal, or where a
position was told with draws that came before it.

A draw is (number of cards, cards of which the hand had none then). The opponent has played nothing
since the first of them, so its hand is what it held before, then what each draw brought. What is
unseen now is all that these slots can hold: what I drew meanwhile was in the deck all the time, and
says nothing of the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.games.belief import BeliefError
from kibitz.games.uno import afresh
from kibitz.games.uno.evidence import Evidence, Words
from kibitz.games.uno.game import counts
from kibitz.games.uno.hands import Hands
from kibitz.games.uno.likelihood import Likelihood
from kibitz.games.uno.stories import Stories

Draws = tuple[tuple[int, int], ...]
NO_HAND = "by the rules no hand fits what was told"


def first_evidence(pool: Words, held: int, draws: Draws) -> Evidence:
    """Of an opponent that holds `held` cards now."""
    found = Evidence(pool).drew(held - drawn_in(draws))
    for number, blocked in draws:
        found = found.drew(number, np.uint64(blocked))
    return found


def drawn_in(draws: Draws) -> int:
    return sum(number for number, _ in draws)


def first_hands(
    likelihood: Likelihood, pool: Words, held: int, draws: Draws, limit: int, rng: Any
) -> Hands:
    """Every hand with its chance, or `TooMany`."""
    before = held - drawn_in(draws)
    found = Hands.start(likelihood, pool, before, counts(pool).total() - before, limit)
    evidence = first_evidence(pool, held, draws)
    for number, blocked in draws:
        left = found.cannot_play(pool, np.uint64(blocked), evidence, rng)
        if left is None:
            raise BeliefError(NO_HAND)
        found = left.draw(pool, number, rng)
    return found


def first_stories(
    likelihood: Likelihood, pool: Words, held: int, draws: Draws, n: int, rng: Any
) -> Stories:
    """Stories, all equally likely: without plays the slots are filled without any correction."""
    if not draws:
        return Stories.start(likelihood, n).draw(pool, held, rng)
    found = afresh.drawn(likelihood, pool, first_evidence(pool, held, draws), n, rng)
    if found is None:
        raise BeliefError(NO_HAND)
    return found
