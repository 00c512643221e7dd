"""What every game looks like from Python: its `Rules`, and the `Game` that ties rules, kernels,
notation and events together.

Imports neither numba nor any game: rules can be made, checked and printed at once.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

if TYPE_CHECKING:
    from kibitz.games.belief import Belief, Options
    from kibitz.games.render import Renderer
    from kibitz.games.told import Told

State = np.record
"""One record of a game's dtype."""


STOCK = -1
"""The holder of hidden cards that is no seat: UNO's deck, Blob's undealt cards."""
LONGEST_SAID = 80
"""Characters of what somebody gave us that a message repeats."""


class KibitzError(ValueError):
    """Bad input, in words for the person who gave it: what was wrong and what would be right."""


class RulesError(KibitzError):
    """Rules that cannot be played."""


class NotationError(KibitzError):
    """Text that is not a card, an action or a deal."""


class IllegalMove(KibitzError):
    """A move that the rules do not allow now; the message lists those they do."""


def shortened(text: str) -> str:
    """What a message repeats of a text that may be very long."""
    return text if len(text) <= LONGEST_SAID else f"{text[: LONGEST_SAID - 4]} ..."


def nearest(word: str, words: Sequence[str]) -> str:
    """A hint such as (did you mean 'x'?), or nothing if no word is near."""
    found = difflib.get_close_matches(word[:LONGEST_SAID], words, n=1)
    return f" (did you mean {found[0]!r}?)" if found else ""


def percent(chance: float) -> str:
    """A chance in percent; 0 and 100 stand only where it is proved."""
    if chance in (0.0, 1.0):
        return f"{100 * chance:.0f}"
    if chance < 0.005:
        return "<1"
    return ">99" if chance >= 0.995 else f"{100 * chance:.0f}"


def members(word: Any) -> list[int]:
    """The numbers in a set of 64 bits."""
    bits = int(word)
    return [number for number in range(bits.bit_length()) if bits >> number & 1]


def read_object(text: str, what: str) -> dict[str, Any]:
    """A JSON object from outside, or a `KibitzError` that says why it is none."""
    try:
        found = json.loads(text)
    except TypeError:
        raise KibitzError(f"{what}: a text is needed, not {text!r}") from None
    except json.JSONDecodeError as error:
        raise KibitzError(f"{what}: not JSON ({error.msg} at column {error.colno})") from None
    except (ValueError, RecursionError):
        raise KibitzError(f"{what}: numbers too long or nested too deeply") from None
    if not isinstance(found, dict):
        raise KibitzError(f"{what}: a JSON object is needed")
    return found


class Rules(BaseModel):
    """Immutable, validated parameters of a game. Equal rules are equal objects with equal hashes
    and equal JSON. `params` is what the kernels take."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    game: ClassVar[str]
    title: ClassVar[str]
    """What people call it."""
    plays: ClassVar[str]
    """Where its `Game` is, as "module:NAME": imported when it is asked for, with its kernels."""

    def __init__(self, /, **options: Any) -> None:
        try:
            super().__init__(**options)
        except ValidationError as error:
            raise RulesError(f"{self.game} rules: {self._explain(error)}") from None

    @classmethod
    def _explain(cls, error: ValidationError) -> str:
        first = error.errors()[0]
        names = list(cls.model_fields)
        where = str(first["loc"][0]) if first["loc"] else ""
        if first["type"] == "extra_forbidden":
            known = ", ".join(names)
            return f"no option {shortened(repr(where))}{nearest(where, names)}; there are {known}"
        if first["type"] in ("too_long", "string_too_long"):
            what = "entries" if first["type"] == "too_long" else "characters"
            return f"{where}: at most {first['ctx']['max_length']} {what}"
        said = str(first["msg"]).removeprefix("Value error, ")
        said = said[0].lower() + said[1:]
        return f"{where}={shortened(repr(first['input']))}: {said}" if where else said

    @property
    def seats(self) -> int:
        raise NotImplementedError

    @cached_property
    def params(self) -> Any:
        """The same rules as the NamedTuple of numbers that kernels dispatch on."""
        return self._make_params()

    def _make_params(self) -> Any:
        raise NotImplementedError

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A changed copy, checked like any other, with `params` and `digest` of its own."""
        # from `changed`, or an option that follows from another would hold it where it was
        return type(self)(**{**self.changed(), **(update or {})})

    def to_dict(self) -> dict[str, Any]:
        return self.model_dump(mode="json")

    def to_json(self) -> str:
        return json.dumps({"game": self.game, **self.to_dict()}, separators=(",", ":"))

    @cached_property
    def digest(self) -> str:
        """A short hash that names these rules in records. Made from what differs from the
        defaults, so that records stay readable when a game gets a new option."""
        text = json.dumps([self.game, self.changed()], sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()

    def changed(self) -> dict[str, Any]:
        """The fewest options that make these rules: those that do not follow from the others."""
        options = self.to_dict()
        for name in reversed(list(options)):  # what is derived stands after what it is derived from
            without = {k: v for k, v in options.items() if k != name}
            with suppress(RulesError):
                if type(self)(**without) == self:
                    options = without
        return options

    def __str__(self) -> str:
        options = ", ".join(f"{k}={v}" for k, v in self.changed().items())
        return f"{self.game}({options})" if options else self.game


def check_rules(rules: Any) -> None:
    """Refuse what are no rules, such as the name of a game."""
    if not isinstance(rules, Rules):
        raise KibitzError(f"rules come from kibitz.rules(...), not {rules!r}")


def check_seat(rules: Any, seat: Any) -> None:
    """Refuse a seat that is not at the table, and what are no rules."""
    check_rules(rules)
    if type(seat) is not int or seat not in range(rules.seats):
        raise KibitzError(f"seat must be 0 to {rules.seats - 1}, not {seat!r}")


def check_count(number: Any, name: str) -> None:
    """Refuse what is no number of things to do."""
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise KibitzError(f"{name} must be at least 1, a whole number, not {number!r}")


def checked_seed(seed: Any) -> int:
    """A seed of games, as a number."""
    from kibitz import rng  # it needs numba, and rules alone do not

    try:
        return rng.checked(seed, "seed", rng.MAX_SEED)
    except ValueError as error:
        raise KibitzError(str(error)) from None


def check_source(source: Any) -> None:
    """Refuse what no kernel draws random numbers from; it would say so in terms of its own."""
    if not isinstance(source, np.ndarray) or source.dtype != np.uint64 or source.shape != (2,):
        raise KibitzError(f"random numbers come from kibitz.generator(seed), not {source!r}")


class Event(NamedTuple):
    """Something that happened at the table, as the referee or as one seat saw it. Which fields mean
    something depends on `kind`; the game's notation prints and parses all of them."""

    kind: str
    seat: int = -1
    action: int = -1
    number: int = 0
    cards: tuple[int, ...] = ()
    values: tuple[int, ...] = ()
    note: str = ""

    def seen_by(self, seat: int) -> Event:
        """The event as `seat` may see it. Cards of an event that belongs to a seat are that seat's
        alone (the hand it was dealt, what it draws); their number stays, it is public."""
        return self if self.seat in (-1, seat) else self._replace(cards=())


def finite(value: Any) -> Any:
    """The same for JSON, which knows no infinity and no keys but texts: None instead."""
    if isinstance(value, dict):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Scale(NamedTuple):
    """How a return is told to people: `zero + factor * value` in `units`."""

    units: str
    factor: float = 1.0
    zero: float = 0.0
    low: float | None = None
    """The least that can be, in these units, if a picture should begin there; so `high`."""
    high: float | None = None


@dataclass(frozen=True)
class Level:
    """A named player, from beginner to full strength: an agent with a configuration of its own. The
    weaker ones make slips (any legal move, now and then) and answer at once."""

    name: str
    agent: str
    """What stands for it, in the names of agents."""
    help: str

    @property
    def title(self) -> str:
        return self.name.capitalize()


LEVELS = ("beginner", "novice", "casual", "club", "expert", "master")
"""The names of the levels, the weakest first; every game has them all."""


def levels(easy: str, club: str, expert: str) -> tuple[Level, ...]:
    """The levels of a game: those that search differ from game to game. `easy`: how far `club`
    thinks ahead."""
    played = {
        "beginner": ("rule:slips=0.7", "Mostly any card that fits. Answers at once."),
        "novice": ("rule:slips=0.15", "Knows the tricks, forgets them often. At once."),
        "casual": ("rule", "Plays by simple rules, without a slip. At once."),
        "club": (club, f"Thinks ahead a little: {easy}."),
        "expert": (expert, "Thinks ahead, and minds what you may hold."),
        "master": (
            "default",
            "Full strength: as long as it needs, about a tenth of a second.",
        ),
    }
    return tuple(Level(name, *played[name]) for name in LEVELS)


def _named(names: Sequence[str], text: str, what: str) -> int:
    """The number of what is called so, whatever its capitals."""
    there = {name.lower(): number for number, name in enumerate(names)}
    if (word := text.strip().lower()) not in there:
        hint = nearest(word, list(there))
        raise NotationError(f"no {what} {shortened(repr(text))}{hint}; it is {', '.join(names)}")
    return there[word]


class Game(ABC):
    """A game as the layers above use it; the instance serves all rules of the game.

    Its kernels are registered with the contract when its module is imported. States passed in are
    never changed. Text is in the game's notation.
    """

    dtype: ClassVar[np.dtype[Any]]

    # --- who plays ---

    default_agent: ClassVar[str] = "ismcts:ms=100"
    """What the agent `default` stands for: the best by measurement."""

    coach: ClassVar[str] = "ismcts:sims=20000"
    """Who advises, coaches and judges, in about the time that `default` has: by simulations, so
    that the same position gets the same advice and the same grade again. It must know the worse
    moves as well as the best."""

    levels: ClassVar[tuple[Level, ...]] = levels(
        "a few dozen games in its head", "ismcts:sims=100", "ismcts:sims=1000"
    )
    """The weakest first."""

    def new_state(self) -> State:
        return cast(State, np.zeros(1, self.dtype)[0])

    # --- notation ---

    action_names: ClassVar[Sequence[str]] = ()
    """What actions are called, by number, in a game where each is called the same at all times."""

    card_names: ClassVar[Sequence[str]] = ()
    """What kinds of cards are called, by number."""

    def action_text(self, state: State, action: int) -> str:
        """An action of the seat to act in `state`."""
        return self.action_names[action]

    def parse_action(self, state: State, text: str) -> int:
        """The action meant by `text` in `state`; it need not be legal."""
        return _named(self.action_names, text, "move")

    def card_text(self, card: int) -> str:
        return self.card_names[card]

    def parse_card(self, text: str) -> int:
        return _named(self.card_names, text, "card")

    def event_text(self, event: Event) -> str:
        """One line: what kind it is, and `name=value` for all it says, as in
        ``play seat=0 action=bet`` or ``over values=1/-1``."""
        said = {
            "seat": str(event.seat) if event.seat >= 0 else "",
            "action": self.action_names[event.action] if event.action >= 0 else "",
            "number": str(event.number) if event.number else "",
            "cards": "/".join(self.card_text(card) for card in event.cards),
            "values": "/".join(map(str, event.values)),
            "note": event.note,
        }
        return " ".join([event.kind, *(f"{name}={text}" for name, text in said.items() if text)])

    def parse_event(self, text: str) -> Event:
        kind, *parts = text.split() or [""]
        said: dict[str, Any] = dict(part.partition("=")[::2] for part in parts)
        try:
            for name in said.keys() & {"seat", "number"}:
                said[name] = int(said[name])
            if "action" in said:
                said["action"] = _named(self.action_names, said["action"], "move")
            if "cards" in said:
                said["cards"] = tuple(map(self.parse_card, said["cards"].split("/")))
            if "values" in said:
                said["values"] = tuple(int(value) for value in said["values"].split("/"))
            return Event(kind, **said)
        except (TypeError, ValueError) as error:
            raise NotationError(f"{shortened(repr(text))} is no event: {error}") from None

    # --- cards ---

    @abstractmethod
    def hand(self, state: State, holder: int) -> tuple[int, ...]:
        """The cards of a seat, copies and all, as they are laid out, or of STOCK, those that are
        hidden from all; none if they are hidden in `state`."""

    @abstractmethod
    def cards(self, rules: Any, state: State) -> Sequence[int]:
        """Every card of a state, wherever it lies: the same from the deal to the end."""

    def card_of(self, state: State, action: int) -> int | None:
        """The card of the hand that an action plays, if it plays one."""
        return None

    # --- chance made visible: what records need to replay without random numbers ---

    @abstractmethod
    def deal_text(self, rules: Any, state: State) -> dict[str, Any]:
        """How a game that begins in `state` was dealt, in notation: what `set_up` takes."""

    @abstractmethod
    def set_up(self, rules: Any, deal: dict[str, Any]) -> State:
        """The first state of a game dealt as told; all cards are checked."""

    def outcome_text(self, rules: Any, before: State, action: int, after: State) -> str:
        """What chance did after `action`; empty if nothing."""
        return ""

    def apply_outcome(self, rules: Any, state: State, action: int, outcome: str) -> State:
        """The state after a legal `action` with chance as told."""
        from kibitz import contract

        if outcome:
            raise NotationError(f"nothing is drawn or dealt here, so there is no {outcome!r}")
        after = state.copy()
        contract.apply(rules.params, after, action, np.ones(2, np.uint64))
        return after

    # --- what the seats get to see ---

    @abstractmethod
    def opening_events(self, rules: Any, state: State) -> list[Event]:
        """How the game began."""

    @abstractmethod
    def events(self, rules: Any, before: State, action: int, after: State) -> list[Event]:
        """What happened when `action` was played, in order."""

    def follow(self, rules: Any, seat: int, seen: State | None, event: Event) -> State:
        """What `seat` sees after an event, as it saw that: `seen` before it, None at first. What
        cannot be by the rules and `seen` is refused with a `KibitzError`; whether any hidden cards
        explain a whole history is for a belief to say. Moves are followed by playing them; a game
        says itself how it begins, and may say the rest, which is faster."""
        from kibitz.games.histories import followed

        if seen is None:
            raise KibitzError(f"{self.event_text(event)!r} is not how a game begins")
        return followed(self, rules, seat, seen, event)

    # --- what a seat may think of the rest ---

    default_model: ClassVar[str] = "0.5*uniform + 0.5*rule:temperature=1"
    """How players of this game choose, as long as nobody says otherwise: see `games.model`."""

    particles_per_ms: ClassVar[int] = 25
    """Particles of the belief that a search can afford for each millisecond it has."""

    cards_are_drawn: ClassVar[bool] = False
    """Whether cards are drawn in the course of play, which is luck that can be told."""

    quick_method: ClassVar[str] = "auto"
    """The method of a belief that works nothing out before it is asked: for those who only want
    what the seat sees."""

    def belief(self, rules: Any, seat: int, options: Options) -> Belief:
        """What `seat` thinks before anything has happened."""
        from kibitz.games.histories import Histories

        return Histories(rules, seat, options)

    leaks: ClassVar[bool] = False
    """Whether `reshuffled` is there: worlds that know which cards were not dealt."""

    def reshuffled(self, belief: Any, true: State) -> Callable[[int, int], NDArray[Any]]:
        """Draws n worlds by a seed in which the others share the cards that they hold in `true`,
        the true state: for the player `leak`, never for an agent."""
        raise NotImplementedError

    def bare_belief(
        self, rules: Any, seat: int, observation: State, options: Options, evidence: Any = None
    ) -> Belief:
        """What `seat` may think that knows only what it sees now, not how it came about, but for
        the `evidence` of a position that was told."""
        from kibitz.games.histories import Histories

        return Histories(rules, seat, options, observation)

    # --- positions that people tell ---

    position_options: ClassVar[Mapping[str, str]] = {
        "seat": "who is to act; else it is seat 0",
        "events": "what that seat saw, as `kibitz show --json` writes it, with ; between",
    }
    """What can be told of a position: names, and what they mean."""

    def told(self, rules: Any, options: Mapping[str, str]) -> Told:
        """The position that was told, by the names of `position_options`; the seat told of is to
        act. What cannot be is refused with a `KibitzError` that says why."""
        from kibitz.games.told import Told, check_names, whole_number

        check_names(options, self.position_options, ("events",), "events='...; ...'")
        seat = whole_number("seat", options.get("seat", "0"), 0, rules.seats - 1)
        return Told(seat, tuple(self.begin(rules, seat, options)))

    def begin(self, rules: Any, seat: int, told: Mapping[str, str]) -> list[Event]:
        """How a game began, as `seat` saw it: from its hand and what was turned up, which is all
        that it can tell."""
        return self.happens(rules, seat, None, told.get("events", ""))

    def questions(self, rules: Any, index: int = 0) -> dict[str, str]:
        """What is asked of the deal of a round, to `begin`: only what the rules leave open."""
        return {"events": f"The deal: {self.position_options['events']}"}

    def told_with(self, rules: Any, seen: State, said: str) -> dict[str, str]:
        """What must be told together with a move, in words that follow it, and the questions for
        it; nothing, if `said` has it or needs none."""
        return {}

    def happens(self, rules: Any, seat: int, seen: State | None, said: str) -> list[Event]:
        """What the seat to act did and what followed from it, as `seat` saw it, whose observation
        is `seen`. `said`: an action in notation, with the cards that `seat` got by it. What cannot
        be is refused with a `KibitzError` that says why, or what is missing."""
        from kibitz.games.told import of_action

        if seen is not None and ";" not in said:
            try:
                action = self.parse_action(seen, said)
            except NotationError:
                action = None
            if action is not None:
                return of_action(self, rules, seat, seen, action)
        return [self.parse_event(line) for line in said.split(";") if line.strip()]

    def rules_told(
        self, kind: type[Rules], said: Mapping[str, Any], told: Mapping[str, str]
    ) -> Rules:
        """Rules of `kind` with the options that were said, and what the position tells of them."""
        return kind(**said)

    # --- what a search asks ---

    weights: ClassVar[tuple[float, ...]] = ()
    """Of the features of the game's `estimate`."""

    @abstractmethod
    def action_of(self, event: Event) -> int | None:
        """The action of `event.seat` that an event tells of, or None if it tells of none."""

    def value_text(self, value: float, error: float) -> str:
        """What a return of `value` to come means to a person, give or take `error`."""
        scale = self.scale
        return f"{scale.zero + scale.factor * value:.2f} {scale.units} ± {scale.factor * error:.2f}"

    # --- what people look at ---

    @cached_property
    def renderer(self) -> Renderer:
        """Draws the game on a terminal."""
        from kibitz.games.render import Renderer

        return Renderer(self)

    @abstractmethod
    def shown(self, rules: Any, observation: State, seat: int) -> dict[str, Any]:
        """What a seat sees now, in notation and numbers, for programs that draw it."""

    # --- what a review asks ---

    scale: ClassVar[Scale] = Scale("points")
    """How returns are told to people."""

    def whole(self, rules: Any) -> float:
        """What is at stake in a decision, as a return: a hundredth of it is a percentage point, in
        which losses are told."""
        from kibitz import contract, rng

        state = self.new_state()
        contract.deal(rules.params, state, rng.generator(0))
        low, high = contract.bounds(rules.params, state)
        return float(high - low)

    # --- results ---

    def ending(self, state: State) -> str:
        """Why a finished game ended, in one word."""
        return "running" if state["turn"] >= 0 else "played"

    def statistics(self, states: np.ndarray[Any, Any], rules: Any) -> dict[str, Any]:
        """Of many finished games: `plies` (array), and what else the game counts."""
        return {"plies": states["plies"].astype(np.int64)}
