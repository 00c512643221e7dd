"""Belief: what one seat can know of the hidden cards, for every game the same.

A belief is made of what the seat saw, event by event; `update` gives a new one and leaves the old
alone, so that analysis can step back. It depends on nothing but those events, the model of the
others, the method, the number of particles and the seed: built event by event or from the whole
history it is the same.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from kibitz import rng as random
from kibitz.games import game_of
from kibitz.games.base import (
    STOCK,
    Event,
    Game,
    KibitzError,
    Rules,
    State,
    check_source,
    nearest,
    percent,
)
from kibitz.games.model import Model
from kibitz.players import Player

__all__ = ["STOCK", "Belief", "BeliefError", "Marginals", "Options"]

T = TypeVar("T")

AUTO = 10
"""With "auto", exact up to this many hypotheses for each particle asked for."""
SHOWN = 5
"""Cards that a summary has a line for."""
BELOW_ONE = float(np.nextafter(1.0, 0.0))


def unproved(chance: Any) -> Any:
    """Chances of what is neither proved nor disproved, whatever a model or a sample says: never 0
    and never 1, which stand for proof alone."""
    return np.clip(chance, 1 - BELOW_ONE, BELOW_ONE)


def but_proved(chance: Any, proved: Any) -> NDArray[np.float64]:
    """The same, but for those that are `proved`: 0 or 1 there, and anything between elsewhere."""
    found: NDArray[np.float64] = np.where((proved == 0) | (proved == 1), proved, unproved(chance))
    return found


def bits(chances: NDArray[np.float64]) -> float:
    """Entropy."""
    some = chances[chances > 0]
    return max(0.0, float(-some @ np.log2(some)))


def holder_name(holder: int) -> str:
    return "stock" if holder == STOCK else str(holder)


def holder_text(holder: int) -> str:
    return "stock" if holder == STOCK else f"seat {holder}"


class BeliefError(KibitzError):
    """What was told cannot have happened by the rules: no hands fit it."""


@dataclass(frozen=True)
class Options:
    """What a belief is made with, besides what was seen."""

    method: str
    model: Model
    n: int
    seed: int
    exact_limit: int = 200_000
    """Most hypotheses that are enumerated."""
    adaptive: bool = False
    """More particles when hands are short; see the game's belief."""


@dataclass(frozen=True)
class Marginals:
    """Who holds what."""

    cards: tuple[int, ...]
    """The kinds of cards with a copy unseen."""
    holders: tuple[int, ...]
    """The other seats, then STOCK."""
    chance: NDArray[np.float64]
    """[holder, card]: that the holder has at least one copy. It is 0 or 1 if and only if the rules
    and what was seen prove it, whatever the model says."""
    expected: NDArray[np.float64]
    """[holder, card]: expected number of copies; over the holders they add up to those unseen."""

    def of(self, card: int, holder: int) -> float:
        """The chance that `holder` has a copy; 0 for a card that is not hidden."""
        if holder not in self.holders:
            raise KibitzError(f"hidden cards are with {self.holders}, not with {holder!r}")
        if card not in self.cards:
            return 0.0
        return float(self.chance[self.holders.index(holder), self.cards.index(card)])


def source_of_worlds(n: int, source: NDArray[np.uint64] | int) -> NDArray[np.uint64]:
    """The generator that n worlds are drawn with: itself, or the one of a seed."""
    if not isinstance(n, int | np.integer) or n < 1:
        raise KibitzError(f"at least one world must be asked for, not {n!r}")
    if isinstance(source, int | np.integer):
        return random.generator(int(source), stream=random.SAMPLES)
    check_source(source)
    return source


def remembered(question: Callable[[Any], T]) -> Callable[[Any], T]:
    """A method whose answer is worked out once for each belief."""

    @functools.wraps(question)
    def answer(belief: Belief) -> T:
        memo = belief._memo
        if question.__name__ not in memo:
            memo[question.__name__] = question(belief)
        found: T = memo[question.__name__]
        return found

    return answer


class Belief(ABC):
    """What `seat` may think of the hidden cards."""

    rules: Rules
    seat: int
    options: Options
    events: tuple[Event, ...]
    """What the seat saw."""
    recoveries: int = 0
    """How often no hypothesis survived, and all were drawn afresh from the whole history."""

    methods: ClassVar[tuple[str, ...]]
    """How it can be worked out; "auto" is the best there is."""

    def __init__(self, rules: Rules, seat: int, options: Options) -> None:
        if (said := options.method) not in self.methods:
            hint = nearest(said, self.methods)
            raise KibitzError(f"no method {said!r}{hint}; there are {', '.join(self.methods)}")
        self.rules, self.seat, self.options = rules, seat, options
        self.events = ()
        self._memo: dict[str, Any] = {}
        """What was worked out, of this belief alone: an update begins with nothing."""

    @property
    def game(self) -> Game:
        return game_of(self.rules)

    @property
    def _limit(self) -> int:
        """How many hypotheses may be enumerated."""
        most = self.options.exact_limit
        by_method = {"exact": most, "auto": min(most, AUTO * self.options.n)}
        return by_method.get(self.options.method, 0)

    @property
    @abstractmethod
    def observation(self) -> State:
        """What it sees now: the game's record without the hidden cards. Not to be written to."""

    @property
    @abstractmethod
    def method(self) -> str:
        """The method in use."""

    @abstractmethod
    def update(self, event: Event) -> Belief:
        """The belief after one more event, as the seat saw it."""

    def sample(self, n: int, rng: NDArray[np.uint64] | int) -> tuple[NDArray[Any], NDArray[Any]]:
        """n worlds (states of the game, all cards in place) and their weights, which add up to 1.
        `rng`: a generator of `kibitz.rng`, or a seed."""
        return self._worlds(n, source_of_worlds(n, rng)), np.full(n, 1 / n)

    @abstractmethod
    def _worlds(self, n: int, rng: NDArray[np.uint64]) -> NDArray[Any]:
        """n worlds, each as often as it is likely."""

    @property
    def holders(self) -> tuple[int, ...]:
        """Who may have hidden cards: the other seats, then STOCK."""
        return (*(seat for seat in range(self.rules.seats) if seat != self.seat), STOCK)

    @property
    @abstractmethod
    def sizes(self) -> dict[int, int]:
        """Hidden cards of each holder."""

    @abstractmethod
    def marginals(self) -> Marginals: ...

    def errors(self) -> NDArray[np.float64] | None:
        """Standard errors of the chances in `marginals`, [holder, card], by sampling alone: 0 where
        they are exact, None where nobody knows. What a wrong model costs is not in them."""
        return np.zeros_like(self.marginals().chance) if self.entropy_is_exact else None

    @abstractmethod
    def entropy(self) -> float:
        """Bits that are missing to know all hidden hands; see `entropy_is_exact`."""

    @property
    @abstractmethod
    def entropy_is_exact(self) -> bool: ...

    @property
    def n(self) -> int:
        """The number of hypotheses."""
        return self.distinct if self.entropy_is_exact else self.options.n

    def _tempered(self, chance: Any, prior: Any) -> Any:
        """Chances by a sample, as if it had one member more that follows `prior`: what no member
        has is rare, not impossible."""
        ess = self.ess
        return chance if self.entropy_is_exact else (ess * chance + prior) / (ess + 1)

    @property
    @abstractmethod
    def ess(self) -> float:
        """How many equally weighted worlds the belief is worth; infinite if it is exact."""

    @property
    @abstractmethod
    def distinct(self) -> int:
        """How many different worlds the belief holds."""

    @abstractmethod
    def possible(self, world: State) -> bool:
        """Whether the hidden cards may lie as in `world` by the rules and all that was seen,
        whatever the model says."""

    def rules_out(self, world: State) -> bool:
        """Whether the belief is exact and gives `world` no chance at all."""
        return False

    def check(self) -> None:
        """Raise a `BeliefError` if no hidden cards at all explain what was seen. What a seat sees
        at a table is always explained; what a person tells may not be, though every event by itself
        could be. Games whose `update` notices have nothing to do here."""
        return

    def can_play(self, holder: int) -> float | None:
        """The chance that a seat has a card of the sort that is asked for now: in UNO one that can
        be played, in Blob one of the suit led. None if nothing is asked of it."""
        return None

    @property
    def asked(self) -> tuple[int, ...]:
        """The cards of that sort; none if nothing is asked."""
        return ()

    def holding(self, world: State, holder: int) -> tuple[int, ...]:
        """The kinds of cards that a holder has in a world."""
        return tuple(sorted(set(self.game.hand(world, holder))))

    def card_text(self, card: int) -> str:
        return self.game.card_text(card)

    def parse_card(self, text: str) -> int:
        return self.game.parse_card(text)

    @abstractmethod
    def players(self, seat: int) -> list[tuple[Player, float]]:
        """What kind of player another seat is: each player of the model, with its chance."""

    @property
    @abstractmethod
    def surprises(self) -> tuple[Event, ...]:
        """What happened though the model calls it impossible. The belief then keeps the hard
        constraints and the rest of the history, and leaves that choice out."""

    def summary(self) -> str:
        """For a person, in a few lines: sizes, what is proved, the cards that matter most, and how
        sure all of it is."""
        sizes = self.sizes
        where = ", ".join(f"{holder_text(holder)} {size}" for holder, size in sizes.items())
        lines = [f"seat {self.seat}: {sum(sizes.values())} hidden cards ({where})"]
        for holder in sizes:
            if facts := self.facts(holder):
                lines.append(f"{holder_text(holder)} has {' and '.join(facts)}")
        lines += [f"{self.card_text(card)}: {self._odds(card)}" for card in self._foremost()]
        about = "" if self.entropy_is_exact else "about "
        lines.append(f"{about}{self.entropy():.1f} bits missing: {self._worked_out()}")
        if self.surprises:
            told = "; ".join(self.game.event_text(event) for event in self.surprises)
            lines.append(f"left out, since the model calls it impossible: {told}")
        return "\n".join(lines)

    def _foremost(self) -> Sequence[int]:
        """The hidden cards that a summary has a line for, those that matter most."""
        return self.marginals().cards[:SHOWN]

    def _odds(self, card: int) -> str:
        chances = [(self.probability(card, holder), holder) for holder in self.holders]
        likely = sorted((pair for pair in chances if pair[0] > 0), key=lambda pair: -pair[0])
        return ", ".join(f"{holder_text(holder)} {percent(chance)} %" for chance, holder in likely)

    def _worked_out(self) -> str:
        """What the numbers stand on."""
        model = f"weighed by {self.options.model}"
        if self.entropy_is_exact:
            return f"{self.distinct:,} deals, {model}"
        worth = f"{self.options.n:,} particles worth {self.ess:,.0f}, {self.distinct:,} different"
        again = f", begun again {self.recoveries} times" if self.recoveries else ""
        return f"{worth}{again}, {model}"

    def remarks(self, actions: Sequence[int]) -> tuple[str, ...]:
        """What is thought that matters to the choice between these actions of the seat, best
        first: at most four sentences for a person, the most telling first. What is not proved is
        said with its chance."""
        return ()

    def facts(self, holder: int) -> tuple[str, ...]:
        """What is proved of a holder's cards, in a few words each, such as "no clubs"."""
        return ()

    def any_of(self, seat: int) -> dict[str, float]:
        """The chance that a seat has a card of a set that people ask for, such as a colour."""
        return {}

    def to_dict(self) -> dict[str, Any]:
        """For a program: numbers and notation only. Holders are seats, or "stock"."""
        found, errors = self.marginals(), self.errors()
        names = [holder_name(holder) for holder in found.holders]
        others = [holder for holder in found.holders if holder != STOCK]
        sets = {seat: self.any_of(seat) for seat in others}
        may = {holder_name(seat): self.can_play(seat) for seat in others}

        def cards(values: NDArray[np.float64]) -> dict[str, dict[str, float]]:
            return {
                self.card_text(card): dict(zip(names, map(float, column), strict=True))
                for card, column in zip(found.cards, values.T, strict=True)
            }

        return {
            "game": self.rules.game,
            "seat": self.seat,
            "method": self.method,
            "model": str(self.options.model),
            "n": self.n,
            "ess": None if np.isinf(self.ess) else self.ess,
            "distinct": self.distinct,
            "recoveries": self.recoveries,
            "entropy": self.entropy(),
            "entropy_is_exact": self.entropy_is_exact,
            "held": {holder_name(holder): size for holder, size in self.sizes.items()},
            "can_play": {name: chance for name, chance in may.items() if chance is not None},
            "cards": cards(found.chance),
            "expected": cards(found.expected),
            "errors": None if errors is None else cards(errors),
            "any": {
                name: {holder_name(seat): row[name] for seat, row in sets.items()}
                for name in sets[others[0]]
            },
            "facts": {holder_name(holder): list(self.facts(holder)) for holder in found.holders},
            "players": {
                holder_name(seat): {str(player): chance for player, chance in self.players(seat)}
                for seat in others
            },
            "surprises": [self.game.event_text(event) for event in self.surprises],
        }

    def sure_wins(self, actions: Sequence[int]) -> dict[int, tuple[int, ...]]:
        """The actions of the seat that win, whatever the others hold, choose and draw: proved by
        the rules and what was seen, so the model has no part in it. Each with a line that wins, as
        far as nobody else has a choice. What is not there is not denied. Games in which nothing is
        proved have nothing to do here."""
        return {}

    def probability(self, card: int | str, holder: int) -> float:
        """The chance that `holder` (a seat, or STOCK) has a copy of a card."""
        number = self.parse_card(card) if isinstance(card, str) else card
        return self.marginals().of(number, holder)
