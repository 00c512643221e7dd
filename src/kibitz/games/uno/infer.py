"""UNO: what happened between two observations of one seat, for those who see positions but are told
no moves.

Every move that could have been made is tried with the game's own rules, on a world in which it is
possible, until the second observation comes out. The top card alone would not do: a like card on a
like card leaves it as it was.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kibitz import contract
from kibitz.games.base import Event, KibitzError, NotationError, State, members
from kibitz.games.uno import kernels
from kibitz.games.uno.game import GAME, Cards, counts
from kibitz.games.uno.layout import DRAW
from kibitz.games.uno.narrate import world_for
from kibitz.games.uno.notation import card_of, cards_text
from kibitz.games.uno.rules import UnoRules

MOST_DRAWN = 4
_NAMES = {"held": "hand sizes", "deck_size": "deck size", "top_rank": "top card"}


def infer_events(rules: UnoRules, seat: int, before: State, after: State) -> list[Event]:
    """What happened between two observations, as `seat` saw it: at most one move of its own, and
    the opponent's before and after it.

    Observations do not always say everything: skips may have come in another order, a wild may have
    declared another colour before a second wild covered it, and of several cards played before a
    reshuffle only the top one is still seen. Of all that fits, the first is returned, compared move
    by move in the order of the actions' numbers. Unless there was a reshuffle, the same cards were
    played in all of them.
    Two observations that do not fit raise a `KibitzError` that says in what.
    """
    if type(seat) is not int or seat not in (0, 1):
        raise KibitzError(f"seat must be 0 or 1, not {seat!r}")
    search = _Search(rules, seat, _seen(rules, seat, before), _seen(rules, seat, after))
    return search.events()


def _seen(rules: UnoRules, seat: int, state: State) -> State:
    """What `seat` sees of a state; an observation stays as it is."""
    seen = GAME.new_state()
    contract.observe(rules.params, state, seat, seen)
    hidden = int(seen.held[1 - seat] + seen.deck_size)
    unseen = counts(kernels.unseen(rules.params, seen, seat)).total()
    if hidden != unseen:
        raise KibitzError(
            f"{unseen} cards are unseen, but the opponent's hand and the deck have {hidden}"
        )
    return seen


class _Search:
    def __init__(self, rules: UnoRules, seat: int, before: State, after: State) -> None:
        self.rules = rules
        self.seat = seat
        self.before = before
        self.after = after
        self.plies = int(after.plies) - int(before.plies)
        mine = counts(before.hand[seat]), counts(after.hand[seat])
        self.played: Cards = mine[0] - mine[1]
        self.drawn: Cards = mine[1] - mine[0]
        self.failed: set[tuple[bytes, bool]] = set()
        self.nearest: list[str] | None = None

    def events(self) -> list[Event]:
        if self.plies < 0:
            raise KibitzError("the second observation is the earlier one: it has fewer plies")
        if self.played.total() + bool(self.drawn) > 1:
            raise KibitzError(
                "a seat makes at most one move between two observations, but its hand lost "
                f"{cards_text(self.played.elements()) or 'nothing'} and gained "
                f"{cards_text(self.drawn.elements()) or 'nothing'}"
            )
        found = self._from(self.before, self.plies, False)
        if found is None:
            moves = f"{self.plies} move{'s' * (self.plies != 1)}"
            if self.nearest is None:
                raise KibitzError(f"{moves} cannot have been made between the two observations")
            raise KibitzError(
                f"no {moves} lead from one observation to the other; the nearest try differs in "
                + ", ".join(_NAMES.get(name, name) for name in self.nearest)
            )
        return found

    def _from(self, seen: State, left: int, moved: bool) -> list[Event] | None:
        """The events of the first `left` moves that lead from here to the end, or None. `moved`:
        whether the seat has made its own."""
        if left == 0:
            return self._arrived(seen)
        key = seen.tobytes(), moved
        if key in self.failed:  # skips in another order lead to the same position
            return None
        own = int(seen.turn) == self.seat
        if int(seen.turn) >= 0 and not (own and moved):
            for events, then in self._own(seen) if own else self._theirs(seen, left):
                rest = self._from(then, left - 1, moved or own)
                if rest is not None:
                    return events + rest
        self.failed.add(key)
        return None

    def _arrived(self, seen: State) -> list[Event] | None:
        fields = seen.dtype.names or ()
        wrong = [name for name in fields if np.any(seen[name] != self.after[name])]
        if wrong and (self.nearest is None or len(wrong) < len(self.nearest)):
            self.nearest = wrong
        return None if wrong else []

    # --- moves that may have been made, and where they lead ---

    def _own(self, seen: State) -> Iterator[tuple[list[Event], State]]:
        world = world_for(self.rules, self.seat, seen, DRAW, self.drawn)
        for action in members(contract.legal_actions(self.rules.params, world)):
            outcome = ""
            if action == DRAW:
                outcome = cards_text(self.drawn.elements())
            elif card_of(action) not in self.played:
                continue
            try:
                then = GAME.apply_outcome(self.rules, world, action, outcome)
            except NotationError:  # another number of cards, or some that were not there to draw
                continue
            yield self._told(world, action, then)

    def _theirs(self, seen: State, left: int) -> Iterator[tuple[list[Event], State]]:
        params = self.rules.params
        ones, _ = kernels.unseen(params, seen, self.seat)
        plays = members(kernels.playable(params, ones, seen.colour, seen.top_rank))
        for action in sorted([*plays, DRAW]):
            if action != DRAW and not self._may_show(seen, action, left):
                continue
            world = world_for(self.rules, self.seat, seen, action)
            if action not in members(contract.legal_actions(params, world)):
                continue
            then = world.copy()
            contract.apply(params, then, action, np.ones(2, np.uint64))  # whatever is drawn
            yield self._told(world, action, then)

    def _may_show(self, seen: State, action: int, left: int) -> bool:
        """Whether a play can lead to the pile that is seen in the end; only saves time."""
        if left == 1:
            return bool(action == self.after.colour * 16 + self.after.top_rank)
        if seen.deck_size < MOST_DRAWN * left:
            return True  # a reshuffle may hide it
        card = card_of(action)
        return counts(self.after.pile)[card] > counts(seen.pile)[card]

    def _told(self, world: State, action: int, then: State) -> tuple[list[Event], State]:
        events = GAME.events(self.rules, world, action, then)
        return [event.seen_by(self.seat) for event in events], _seen(self.rules, self.seat, then)
