"""UNO as the layers above use it: set-up, events and results in Python over the kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kibitz import contract
from kibitz.games.base import STOCK, Event, Game, Level, NotationError, Scale, State, levels
from kibitz.games.belief import Belief, Options
from kibitz.games.told import Told
from kibitz.games.uno import keen, kernels, notation, policy
from kibitz.games.uno.layout import (
    COLOURS,
    DRAW,
    EMPTIED,
    EXHAUSTED,
    REVERSE,
    RUNNING,
    SKIP,
    STATE,
    TRUNCATED,
    WILD,
    WILD_FOUR,
    UnoParams,
)
from kibitz.games.uno.rules import UnoRules

if TYPE_CHECKING:
    from kibitz.games.render import Renderer

contract.provide(UnoParams, kernels, policy, keen)

ENDINGS = {RUNNING: "running", EMPTIED: "emptied", EXHAUSTED: "exhausted", TRUNCATED: "truncated"}

OPTIONS = {
    "hand": "your cards",
    "top": "the card on top of the pile",
    "colour": "the colour in force, needed after a wild",
    "theirs": "how many cards the opponent holds",
    "pile": "other cards that you know to be in the pile",
    "pending": "cards that you must draw now: 0, 2 or 4",
    "drew": "the opponent's draws since it last played, oldest first: the colour or the top card "
    "on which it had to draw one, or +2 or +4 for a penalty",
}
"""What can be told of a position."""

Cards = Counter[int]


def counts(words: Any) -> Cards:
    """The multiset that two words stand for, as card -> copies."""
    ones, twos = int(words[0]), int(words[1])
    found: Cards = Counter()
    for card in notation.CARDS:
        if card in (WILD, WILD_FOUR):
            copies = (ones & (0x0001000100010001 << card)).bit_count()
        else:
            copies = (ones >> card & 1) + (twos >> card & 1)
        if copies:
            found[card] = copies
    return found


def set_words(words: Any, cards: Iterable[int]) -> None:
    """Write a multiset into its two words."""
    words[0] = words[1] = 0
    for card in cards:
        words[0], words[1] = kernels.put(words[0], words[1], np.uint64(1 << card))


def top_card(state: State) -> int:
    """The card on top of the pile."""
    rank = int(state.top_rank)
    return rank if rank >= WILD else int(state.colour) * 16 + rank


class UnoGame(Game):
    dtype: ClassVar[np.dtype[Any]] = STATE
    default_agent: ClassVar[str] = "flat:ms=100"
    coach: ClassVar[str] = "flat:sims=50000"  # well enough to see two percentage points
    levels: ClassVar[tuple[Level, ...]] = levels(
        "some games in its head", "flat:sims=250", "flat:sims=2500"
    )

    def action_text(self, state: State, action: int) -> str:
        return notation.action_text(action)

    def parse_action(self, state: State, text: str) -> int:
        return notation.parse_action(text)

    def card_text(self, card: int) -> str:
        return notation.card_text(card)

    def parse_card(self, text: str) -> int:
        return notation.parse_card(text)

    def hand(self, state: State, holder: int) -> tuple[int, ...]:
        words = state["deck"] if holder == STOCK else state["hand"][holder]
        return tuple(sorted(counts(words).elements(), key=notation.CARDS.index))

    def cards(self, rules: UnoRules, state: State) -> list[int]:
        places = (*state.hand, state.deck, state.pile)
        return [card for words in places for card in counts(words).elements()]

    def card_of(self, state: State, action: int) -> int | None:
        return None if action == DRAW else notation.card_of(action)

    def event_text(self, event: Event) -> str:
        return notation.event_text(event)

    def parse_event(self, text: str) -> Event:
        return notation.parse_event(text)

    # --- set-up ---

    def deal_text(self, rules: UnoRules, state: State) -> dict[str, Any]:
        top = top_card(state)
        deal: dict[str, Any] = {
            "hands": [notation.cards_text(counts(state.hand[seat]).elements()) for seat in (0, 1)],
            "top": notation.card_text(top),
        }
        if not self._fresh(state):
            deal["deck"] = notation.cards_text(counts(state.deck).elements())
            deal["colour"] = COLOURS[state.colour]
            deal["pending"] = int(state.pending)
            deal["turn"] = int(state.turn)
        return deal

    def set_up(self, rules: UnoRules, deal: dict[str, Any]) -> State:
        """Options: hands (two texts), top; and for a position in mid-game deck (the rest is then in
        the pile below the top card), colour (after a wild), pending, turn."""
        known = {"hands", "top", "deck", "colour", "pending", "turn"}
        if unknown := set(deal) - known:
            raise NotationError(f"a deal has no {sorted(unknown)[0]!r}; it has {sorted(known)}")
        hands = deal.get("hands")
        if not isinstance(hands, list | tuple) or len(hands) != 2 or not deal.get("top"):
            raise NotationError(
                "a deal needs two hands and top, such as hands=['R5 W', 'G1'], top='R3'"
            )
        everything = counts((rules.params.deck_ones, rules.params.deck_twos))
        top = notation.parse_card(deal["top"])
        held = [Counter(notation.parse_cards(hand)) for hand in hands]
        rest = Counter(everything)
        rest.subtract(held[0] + held[1] + Counter([top]))
        if "deck" in deal:
            deck = Counter(notation.parse_cards(deal["deck"]))
            rest.subtract(deck)
            pile = +rest + Counter([top])
        else:
            deck, pile = +rest, Counter([top])
        if short := [card for card, copies in rest.items() if copies < 0]:
            name = notation.card_text(short[0])
            raise NotationError(f"{name}: the deck has {everything[short[0]]}, the deal has more")
        if any(not hand for hand in held):
            raise NotationError("each hand needs at least one card")
        state = self.new_state()
        for seat in (0, 1):
            set_words(state.hand[seat], held[seat].elements())
            state.held[seat] = held[seat].total()
        set_words(state.deck, deck.elements())
        set_words(state.pile, pile.elements())
        state.deck_size = deck.total()
        state.top_rank = top & 15
        state.colour = self._colour(rules, deal, top)
        state.pending = self._number(deal, "pending", (0, 2, 4))
        state.turn = self._number(deal, "turn", (0, 1))
        state.winner = -1
        return state

    @staticmethod
    def _number(deal: dict[str, Any], name: str, allowed: tuple[int, ...]) -> int:
        value = deal.get(name, 0)
        if type(value) is not int or value not in allowed:
            raise NotationError(f"{name} must be one of {allowed}, not {value!r}")
        return value

    @staticmethod
    def _colour(rules: UnoRules, deal: dict[str, Any], top: int) -> int:
        open_colours = COLOURS[: rules.colours]
        own = COLOURS[top >> 4] if top & 15 < WILD else None
        said = deal.get("colour", own)
        if not isinstance(said, str) or said.upper() not in open_colours or len(said) != 1:
            raise NotationError(f"colour must be one of {', '.join(open_colours)} after a wild")
        if own is not None and said.upper() != own:
            raise NotationError(f"colour: {notation.card_text(top)} makes the colour {own}")
        return COLOURS.index(said.upper())

    @staticmethod
    def _fresh(state: State) -> bool:
        """Whether a game can begin so; else it was set up in mid-game, with more to tell."""
        one_card = counts(state.pile).total() == 1
        return bool(one_card and state.top_rank < WILD and not state.pending and not state.turn)

    # --- chance ---

    def _drawn(self, before: State, after: State) -> tuple[int, ...]:
        seat = before.turn
        return tuple((counts(after.hand[seat]) - counts(before.hand[seat])).elements())

    def outcome_text(self, rules: UnoRules, before: State, action: int, after: State) -> str:
        return notation.cards_text(self._drawn(before, after)) if action == DRAW else ""

    def apply_outcome(self, rules: UnoRules, state: State, action: int, outcome: str) -> State:
        after = state.copy()
        if action != DRAW:
            if outcome:
                raise NotationError(f"{notation.action_text(action)} draws no {outcome!r}")
            contract.apply(rules.params, after, action, np.zeros(2, np.uint64))
            return after
        drawn = Counter(notation.parse_cards(outcome))
        seat, n = int(state.turn), max(1, int(state.pending))
        if state.deck_size < n:
            kernels.reshuffle(after)
        if after.deck_size < n:  # the kernel ends the game without drawing
            n = 0
        if drawn.total() != n:
            raise NotationError(f"the draw is of {n} cards, not {outcome!r}")
        missing = drawn - counts(after.deck)
        if missing:
            raise NotationError(f"{notation.cards_text(missing)} cannot be drawn: not in the deck")
        if n == 0:
            after = state.copy()
            contract.apply(rules.params, after, DRAW, np.zeros(2, np.uint64))
            return after
        # Leave exactly these cards in the deck, let the kernel draw them all, give the rest back.
        rest = counts(after.deck) - drawn
        set_words(after.deck, drawn.elements())
        after.deck_size = n
        contract.apply(rules.params, after, DRAW, np.ones(2, np.uint64))
        set_words(after.deck, rest.elements())
        after.deck_size = rest.total()
        assert after.held[seat] == state.held[seat] + n
        return after

    # --- events ---

    def opening_events(self, rules: UnoRules, state: State) -> list[Event]:
        found = []
        for seat in (0, 1):
            hand = tuple(counts(state.hand[seat]).elements())
            found.append(Event("deal", seat, number=len(hand), cards=hand))
        top = top_card(state)
        found.append(Event("top", action=top))
        below = tuple((counts(state.pile) - Counter([top])).elements())
        if below:
            found.append(Event("pile", cards=below))
        if not self._fresh(state):
            values = (int(state.colour), int(state.pending))
            found.append(Event("start", int(state.turn), values=values))
        return found

    def events(self, rules: UnoRules, before: State, action: int, after: State) -> list[Event]:
        seat = int(before.turn)
        found = []
        if action == DRAW:
            if before.deck_size < max(1, before.pending):
                found.append(Event("reshuffle"))
            if drawn := self._drawn(before, after):
                found.append(Event("draw", seat, number=len(drawn), cards=drawn))
        else:
            found.append(Event("play", seat, action))
            stops = rules.skip == "forfeit" and action & 15 in (SKIP, REVERSE)
            if stops and after.held[seat]:  # who plays the last card wins before its effect
                found.append(Event("skip", 1 - seat))
        if after.turn < 0:
            result = np.zeros(2)
            contract.returns(rules.params, after, result)
            values = tuple(int(v) for v in result)
            found.append(Event("over", values=values, note=self.ending(after)))
        return found

    def follow(self, rules: UnoRules, seat: int, seen: State | None, event: Event) -> State:
        from kibitz.games.uno import following

        before = following.nothing_seen() if seen is None else following.copied(seen)
        after: State = following.follow(rules, seat, before, event)[0]
        return after

    # --- beliefs ---

    weights: ClassVar[tuple[float, ...]] = (0.2, -0.1, 0.3)

    def action_of(self, event: Event) -> int | None:
        return event.action if event.kind == "play" else DRAW if event.kind == "draw" else None

    def value_text(self, value: float, error: float) -> str:
        if value == 1 and error == 0:  # a search never comes to that
            return "a sure win"
        chance = 50 * (1 + value)
        shown = "<0.1" if chance < 0.05 else ">99.9" if chance >= 99.95 else f"{chance:.1f}"
        return f"win {shown} % ± {50 * error:.1f}"

    scale: ClassVar[Scale] = Scale("win %", factor=50.0, zero=50.0, low=0.0, high=100.0)

    particles_per_ms: ClassVar[int] = 500

    cards_are_drawn: ClassVar[bool] = True

    quick_method: ClassVar[str] = "slots"

    def belief(self, rules: UnoRules, seat: int, options: Options) -> Belief:
        from kibitz.games.uno.belief import UnoBelief

        return UnoBelief(rules, seat, options)

    def bare_belief(
        self,
        rules: UnoRules,
        seat: int,
        observation: State,
        options: Options,
        evidence: Any = None,
    ) -> Belief:
        """`evidence`: the opponent's last draws, see `evidence.Draws`."""
        from kibitz.games.uno.belief import UnoBelief

        return UnoBelief.bare(rules, seat, observation, options, evidence or ())

    # --- positions that people tell ---

    position_options: ClassVar[Mapping[str, str]] = OPTIONS

    def told(self, rules: UnoRules, options: Mapping[str, str]) -> Told:
        from kibitz.games.uno.told import read

        return read(rules, options)

    def begin(self, rules: UnoRules, seat: int, told: Mapping[str, str]) -> list[Event]:
        from kibitz.games.uno.narrate import begin

        return begin(rules, seat, told)

    def questions(self, rules: UnoRules, index: int = 0) -> dict[str, str]:
        return {
            "hand": f"Your {rules.hand_size} cards, such as R5 G+2 W",
            "top": "The card turned up, such as R3",
        }

    def happens(self, rules: UnoRules, seat: int, seen: Any, said: str) -> list[Event]:
        from kibitz.games.uno.narrate import happens

        return happens(rules, seat, seen, said)

    # --- what people look at ---

    @cached_property
    def renderer(self) -> Renderer:
        from kibitz.games.uno.render import UnoRenderer

        return UnoRenderer(self)

    def shown(self, rules: UnoRules, observation: State, seat: int) -> dict[str, Any]:
        seen = observation
        return {
            "hand": notation.cards_text(counts(seen.hand[seat]).elements()).split(),
            "held": [int(number) for number in seen.held],
            "top": notation.card_text(top_card(seen)),
            "colour": COLOURS[int(seen.colour)],
            "deck": int(seen.deck_size),
            "pile": counts(seen.pile).total(),
            "pending": int(seen.pending),
        }

    # --- results ---

    def ending(self, state: State) -> str:
        return ENDINGS[int(state.ending)]


GAME = UnoGame()
