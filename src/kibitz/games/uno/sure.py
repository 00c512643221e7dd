"""UNO: wins that are sure, whatever the opponent holds, plays and draws.

A small search over what the seat knows. Where the seat keeps the move (Skip and Reverse that
forfeit, and +2 and Wild+4, on which the opponent must draw) one good line is enough. Where the
opponent has a choice, every card that it may hold is tried, and that it draws: a card may be there
unless the rules prove that it is not, and what it drew since is anything unseen. Its hand is never
guessed, so a proof holds in every world; what I would draw is not known either, so a line on which
I draw proves nothing. Few turns of the opponent are looked at, and few positions: what is not
found is not denied.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from kibitz.games.uno.game import counts
from kibitz.games.uno.layout import DRAW, DRAW_TWO, REVERSE, SKIP, WILD, WILD_FOUR

if TYPE_CHECKING:
    from kibitz.games.uno.estimates import Estimates

TURNS = 2
"""Of the opponent with a choice."""
NODES = 300
"""Positions that are looked at for a decision: a few milliseconds. On the full
deck more find nothing more."""
PENALTY = {DRAW_TWO: 2, WILD_FOUR: 4}

Line = tuple[int, ...]
"""Moves of both, as far as the opponent has no choice."""

UNTOUCHED, DREW, RESHUFFLED = range(3)
"""What the opponent may hold: what it may hold now, also what is unseen, or any card at all."""


class Known(NamedTuple):
    """What the seat would know later on."""

    hand: tuple[int, ...]
    colour: int
    rank: int
    theirs: int
    deck: int
    pile: int
    plies: int
    drew: int = UNTOUCHED
    shown: tuple[int, ...] = ()
    """Cards that the opponent has played since."""


class TooMany(Exception):
    """More positions than may be looked at."""


def sure_wins(belief: Estimates, actions: Iterable[int]) -> dict[int, Line]:
    """The actions of the seat that are proved to win, each with a line that does."""
    seen = belief.observation
    if seen.turn != belief.seat or seen.pending:
        return {}
    start = Known(
        hand=tuple(sorted(counts(seen.hand[belief.seat]).elements())),
        colour=int(seen.colour),
        rank=int(seen.top_rank),
        theirs=int(seen.held[1 - belief.seat]),
        deck=int(seen.deck_size),
        pile=counts(seen.pile).total(),
        plies=int(seen.plies),
    )
    solver = Solver(belief)
    found: dict[int, Line] = {}
    tried = [action for action in actions if action != DRAW]
    for turns in range(solver.fewest_turns(start), TURNS + 1):
        for action in tried:
            if action not in found:
                try:
                    line = solver.play(start, action, turns)
                except TooMany:
                    return found
                if line is not None:
                    found[action] = line
    return found


class Solver:
    def __init__(self, belief: Estimates) -> None:
        rules = belief.rules
        self._belief = belief
        self._forfeit = rules.skip == "forfeit"
        self._colours = range(rules.colours)
        self._max_plies = rules.max_plies
        self._whole = counts((rules.params.deck_ones, rules.params.deck_twos))
        self._left = NODES
        self._memo: dict[tuple[Known, int, bool], Line | None] = {}
        self._held: dict[int, bool] = {}

    def keeps(self, card: int) -> bool:
        """Whether the seat moves again after this card, and the opponent has no choice before."""
        rank = card & 15
        return rank in PENALTY or (self._forfeit and rank in (SKIP, REVERSE))

    def fewest_turns(self, known: Known) -> int:
        """How often the opponent has a choice before the hand can be empty."""
        return max(0, sum(not self.keeps(card) for card in known.hand) - 1)

    def _plays(self, known: Known, cards: Iterable[int]) -> list[int]:
        """The plays that these cards allow, a wild in each colour."""
        found = []
        for card in cards:
            if card >= WILD and card >> 4 == 0:
                found += [16 * colour + card for colour in self._colours]
            elif card >> 4 == known.colour or card & 15 == known.rank:
                found.append(card)
        return found

    # --- my move ---

    def mine(self, known: Known, turns: int) -> Line | None:
        if self.fewest_turns(known) > turns:
            return None
        key = known, turns, True
        if key not in self._memo:
            self._count()
            self._memo[key] = self._mine(known, turns)
        return self._memo[key]

    def _mine(self, known: Known, turns: int) -> Line | None:
        plays = self._plays(known, dict.fromkeys(known.hand))
        if not plays:
            return () if self._exhausted(known, 1) and len(known.hand) < known.theirs else None
        for action in plays:
            line = self.play(known, action, turns)
            if line is not None:
                return line
        return None

    def play(self, known: Known, action: int, turns: int) -> Line | None:
        """A line that wins, beginning with this legal play; None if none is found."""
        if len(known.hand) == 1:
            return (action,)
        rank = action & 15
        card = rank if rank >= WILD else action
        at = known.hand.index(card)
        after = known._replace(
            hand=known.hand[:at] + known.hand[at + 1 :],
            colour=action >> 4,
            rank=rank,
            pile=known.pile + 1,
            plies=known.plies + 1,
        )
        if after.plies >= self._max_plies:
            return None
        if rank in PENALTY:
            line = self._they_draw(after, PENALTY[rank], turns)
        elif self.keeps(card):
            line = self.mine(after, turns)
        else:
            return None if self.theirs(after, turns) is None else (action,)
        return None if line is None else (action, *line)

    # --- the opponent's move ---

    def theirs(self, known: Known, turns: int) -> Line | None:
        """Not None if the seat wins whatever the opponent does, which has a choice now."""
        if turns == 0:
            return None
        key = known, turns, False
        if key not in self._memo:
            self._count()
            self._memo[key] = self._theirs(known, turns - 1)
        return self._memo[key]

    def _theirs(self, known: Known, turns: int) -> Line | None:
        plays = self._plays(known, self._cards(known))
        if plays and (known.theirs == 1 or known.plies + 1 >= self._max_plies):
            return None
        for action in plays:
            rank = action & 15
            after = known._replace(
                colour=action >> 4,
                rank=rank,
                theirs=known.theirs - 1,
                pile=known.pile + 1,
                plies=known.plies + 1,
                shown=(*known.shown, rank if rank >= WILD else action),
            )
            if rank in PENALTY:  # then the seat draws what nobody knows, unless nothing is left
                over = self._exhausted(after, PENALTY[rank])
                won = over and len(after.hand) < after.theirs
            elif self.keeps(action):
                won = self.theirs(after, turns) is not None
            else:
                won = self.mine(after, turns) is not None
            if not won:
                return None
        return self._they_draw(known, 1, turns)

    def _they_draw(self, known: Known, number: int, turns: int) -> Line | None:
        if self._exhausted(known, number):
            return (DRAW,) if len(known.hand) < known.theirs else None
        deck, pile, drew = known.deck, known.pile, max(DREW, known.drew)
        if deck < number:
            deck, pile, drew = deck + pile - 1, 1, RESHUFFLED
        after = known._replace(
            theirs=known.theirs + number,
            deck=deck - number,
            pile=pile,
            plies=known.plies + 1,
            drew=drew,
        )
        if after.plies >= self._max_plies:
            return None
        line = self.mine(after, turns)
        return None if line is None else (DRAW, *line)

    # --- what may be ---

    @staticmethod
    def _exhausted(known: Known, number: int) -> bool:
        """Whether the game ends because so many cannot be drawn: the smaller hand then wins."""
        return known.deck + known.pile - 1 < number

    def _cards(self, known: Known) -> list[int]:
        """The cards that the opponent may hold, each at least once."""
        if known.drew == RESHUFFLED:
            return list(self._whole)
        unseen = self._belief.unseen() - Counter(known.shown)
        return [card for card in unseen if known.drew == DREW or self._may_hold(card)]

    def _may_hold(self, card: int) -> bool:
        if card not in self._held:
            self._held[card] = self._belief.may_hold(card)
        return self._held[card]

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise TooMany
