"""Blob as the layers above use it: set-up, events and results in Python over the kernels.

A round and a whole game are one `Game` with two sets of rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kibitz import contract
from kibitz.games.base import STOCK, Event, Game, Level, NotationError, Rules, State, levels
from kibitz.games.belief import Options
from kibitz.games.blob import keen, kernels, notation, policy, told
from kibitz.games.blob.belief import BlobBelief, follow
from kibitz.games.blob.layout import (
    BIDDING,
    PLAYING,
    RANDOM_TRUMP,
    STATE,
    TURNED_TRUMP,
    BlobParams,
)
from kibitz.games.blob.rules import BlobGameRules, BlobRules
from kibitz.games.told import Told

if TYPE_CHECKING:
    from kibitz.games.render import Renderer

contract.provide(BlobParams, kernels, policy, keen)

AnyRules = BlobRules | BlobGameRules
_OUTCOME = re.compile(r"deal (.+) trump (\w+)(?: turned (\w+))?")


class BlobGame(Game):
    dtype: ClassVar[np.dtype[Any]] = STATE
    default_agent: ClassVar[str] = "pomcp:ms=50,keep=0,priors=keen"
    # It looks at all moves more than a player would: one that is seldom looked at is judged by how
    # badly one goes on after it at first.
    coach: ClassVar[str] = "pomcp:sims=20000,keep=0,explore=3"
    levels: ClassVar[tuple[Level, ...]] = levels(
        "a few dozen games in its head",
        "pomcp:sims=60,particles=200,keep=0,priors=keen",
        "pomcp:sims=600,keep=0,priors=keen",
    )

    def action_text(self, state: State, action: int) -> str:
        # by key: an attribute of a record takes ten times as long, and searches tell many actions
        return str(action) if state["phase"] == BIDDING else notation.card_text(action)

    def parse_action(self, state: State, text: str) -> int:
        parse = notation.parse_bid if state.phase == BIDDING else notation.parse_card
        return parse(text)

    def card_text(self, card: int) -> str:
        return notation.card_text(card)

    def parse_card(self, text: str) -> int:
        return notation.parse_card(text)

    def hand(self, state: State, holder: int) -> tuple[int, ...]:
        return notation.cards_of(state["stock"] if holder == STOCK else state["hand"][holder])

    def cards(self, rules: AnyRules, state: State) -> list[int]:
        places = (*state.hand, state.stock, state.played)
        turned = [int(state.turned)] if state.turned >= 0 else []
        return [*turned, *(card for place in places for card in notation.cards_of(place))]

    def card_of(self, state: State, action: int) -> int | None:
        return None if state.phase == BIDDING else action

    def event_text(self, event: Event) -> str:
        return notation.event_text(event)

    def parse_event(self, text: str) -> Event:
        return notation.parse_event(text)

    # --- set-up ---

    def deal_text(self, rules: AnyRules, state: State) -> dict[str, Any]:
        hands = [
            notation.cards_text(notation.cards_of(state.hand[seat]))
            for seat in range(rules.players)
        ]
        deal: dict[str, Any] = {"hands": hands, "trump": notation.trump_text(int(state.trump))}
        if state.turned >= 0:
            deal["turned"] = notation.card_text(int(state.turned))
        return deal

    def set_up(self, rules: AnyRules, deal: dict[str, Any]) -> State:
        """Options: hands (a text for each seat), trump if the rules leave it open, turned if they
        turn a card up. The rest of the deck is the stock."""
        known = {"hands", "trump", "turned"}
        if unknown := set(deal) - known:
            raise NotationError(f"a deal has no {sorted(unknown)[0]!r}; it has {sorted(known)}")
        state = self.new_state()
        self._open(rules, state, 0, deal)
        return state

    def _open(self, rules: AnyRules, state: State, index: int, deal: dict[str, Any]) -> None:
        """Begin round `index` in `state` with the hands told."""
        params = rules.params
        kernels.open_round(params, state, index)
        hands = deal.get("hands")
        if not isinstance(hands, list | tuple) or len(hands) != rules.players:
            raise NotationError(f"a deal needs hands for {rules.players} players")
        pool = int(params.deck)
        for seat, text in enumerate(hands):
            cards = notation.parse_cards(text)
            if len(cards) != state.cards:
                raise NotationError(
                    f"hand {seat} has {len(cards)} cards, not {state.cards}: {text!r}"
                )
            pool = self._take(pool, cards)
            state.hand[seat] = sum(1 << card for card in cards)
        code = (kernels.round_byte(params, index) >> 5) - 1
        trump, turned = self._trump(rules, code, deal)
        if turned is not None:
            pool = self._take(pool, (turned,))
            state.turned = turned
        else:
            state.turned = -1
        kernels.set_trump(state, trump)
        state.stock = pool

    @staticmethod
    def _take(pool: int, cards: tuple[int, ...]) -> int:
        for card in cards:
            if not pool >> card & 1:
                raise NotationError(
                    f"{notation.card_text(card)} is dealt twice or not in the deck of these rules"
                )
            pool ^= 1 << card
        return pool

    @staticmethod
    def _trump(rules: AnyRules, code: int, deal: dict[str, Any]) -> tuple[int, int | None]:
        """The trump of a deal, and the card turned up for it."""
        said = deal.get("trump")
        if code == TURNED_TRUMP:
            if not deal.get("turned"):
                raise NotationError("these rules turn a card up: say which, such as turned='QH'")
            card = notation.parse_card(deal["turned"])
            if said is not None and notation.parse_trump(said) != card >> 4:
                raise NotationError(f"trump is the suit of {deal['turned']}, not {said}")
            return card >> 4, card
        if deal.get("turned"):
            raise NotationError("these rules turn no card up")
        if code == RANDOM_TRUMP:
            if said is None:
                raise NotationError("these rules draw the trump: say which, such as trump='hearts'")
            trump = notation.parse_trump(said)
            if trump >= rules.suits:
                raise NotationError(f"trump: the deck has no {said}")
            return trump, None
        if said is not None and notation.parse_trump(said) != code:
            raise NotationError(f"trump is {notation.trump_text(code)} by the rules, not {said}")
        return code, None

    # --- chance: the deals of later rounds ---

    def outcome_text(self, rules: AnyRules, before: State, action: int, after: State) -> str:
        if after.round_index == before.round_index:
            return ""
        deal = self.deal_text(rules, after)
        text = f"deal {' | '.join(deal['hands'])} trump {deal['trump']}"
        return text + (f" turned {deal['turned']}" if "turned" in deal else "")

    def apply_outcome(self, rules: AnyRules, state: State, action: int, outcome: str) -> State:
        after = state.copy()
        contract.apply(rules.params, after, action, np.ones(2, np.uint64))
        if after.round_index == state.round_index:
            if outcome:
                raise NotationError(f"no deal can follow here: {outcome!r}")
            return after
        found = _OUTCOME.fullmatch(outcome)
        if not found:
            raise NotationError(f"a deal must follow here, not {outcome!r}")
        deal: dict[str, Any] = {"hands": [hand.strip() for hand in found[1].split("|")]}
        deal["trump"] = found[2]
        if found[3]:
            deal["turned"] = found[3]
        self._open(rules, after, int(after.round_index), deal)
        return after

    # --- events ---

    def opening_events(self, rules: AnyRules, state: State) -> list[Event]:
        values = (int(state.round_index), int(state.cards), int(state.dealer), int(state.trump))
        turned = (int(state.turned),) if state.turned >= 0 else ()
        found = [Event("round", values=values, cards=turned)]
        for seat in range(rules.players):
            hand = notation.cards_of(state.hand[seat])
            found.append(Event("deal", seat, number=len(hand), cards=hand))
        return found

    def events(self, rules: AnyRules, before: State, action: int, after: State) -> list[Event]:
        seat = int(before.turn)
        if before.phase == BIDDING:
            return [Event("bid", seat, action)]
        found = [Event("play", seat, action)]
        if before.in_trick + 1 < rules.players:
            return found
        found.append(Event("trick", self._taker(before, seat, action)))
        if before.left > 1:
            return found
        scores = tuple(int(after.total[s] - before.total[s]) for s in range(rules.players))
        found.append(Event("score", values=scores))
        if after.turn < 0:
            totals = tuple(int(after.total[s]) for s in range(rules.players))
            found.append(Event("over", values=totals, note=self.ending(after)))
        else:
            found += self.opening_events(rules, after)
        return found

    @staticmethod
    def _taker(before: State, seat: int, action: int) -> int:
        """Who takes the trick that `action` completes."""
        return seat if int(before.beats) >> action & 1 else int(before.best)

    def follow(self, rules: AnyRules, seat: int, seen: State | None, event: Event) -> State:
        before: Any = None if seen is None else np.array([seen], STATE)
        after: State = follow(rules, seat, before, event)[0][0]
        return after

    # --- beliefs ---

    weights: ClassVar[tuple[float, ...]] = (0.6, 0.5)

    def action_of(self, event: Event) -> int | None:
        return event.action if event.kind in ("bid", "play") else None

    def whole(self, rules: AnyRules) -> float:
        """What making a bid brings, so that a percentage point is one of the chance to make it;
        without a bonus, what all tricks bring."""
        params = rules.params
        most = max(kernels.round_byte(params, k) & 31 for k in range(params.rounds))
        return float(params.exact_bonus or max(1, params.points_per_trick * most))

    default_model: ClassVar[str] = "0.4*uniform + 0.2*rule:temperature=1 + 0.4*keen:temperature=8"

    quick_method: ClassVar[str] = "counting"

    leaks: ClassVar[bool] = True

    def reshuffled(self, belief: Any, true: State) -> Callable[[int, int], NDArray[Any]]:
        from kibitz.games.blob.reshuffle import reshuffled

        return reshuffled(belief, true)

    def belief(self, rules: AnyRules, seat: int, options: Options) -> BlobBelief:
        return BlobBelief(rules, seat, options)

    def bare_belief(
        self,
        rules: AnyRules,
        seat: int,
        observation: State,
        options: Options,
        evidence: Any = None,
    ) -> BlobBelief:
        return BlobBelief.bare(rules, seat, observation, options)

    # --- positions that people tell ---

    position_options: ClassVar[Mapping[str, str]] = told.OPTIONS

    def told(self, rules: AnyRules, options: Mapping[str, str]) -> Told:
        return told.read(rules, options)

    def begin(self, rules: AnyRules, seat: int, said: Mapping[str, str]) -> list[Event]:
        from kibitz.games.blob.narrate import begin

        return begin(rules, seat, said)

    def questions(self, rules: AnyRules, index: int = 0) -> dict[str, str]:
        cards = kernels.round_byte(rules.params, index) & 31
        trump = (kernels.round_byte(rules.params, index) >> 5) - 1
        found = {"hand": f"Your {cards} cards, such as AS TH 3D" if cards > 1 else "Your card"}
        if trump == RANDOM_TRUMP:
            found["trump"] = "Trump: clubs, diamonds, hearts, spades or none"
        if trump == TURNED_TRUMP:
            found["turned"] = "The card turned up for trump, such as QH"
        return found

    def told_with(self, rules: AnyRules, seen: State, said: str) -> dict[str, str]:
        """The next deal, with the card that ends a round."""
        from kibitz.games.blob.narrate import DEAL

        last = seen.left == 1 and seen.in_trick == rules.players - 1
        index = int(seen.round_index) + 1
        if seen.phase != PLAYING or not last or index == rules.params.rounds:
            return {}
        if len(said.split()) > 1:
            return {}
        self.parse_action(seen, said)  # before more is asked
        questions = self.questions(rules, index)
        return {word: questions[name] for word, name in DEAL.items() if name in questions}

    def happens(self, rules: AnyRules, seat: int, seen: Any, said: str) -> list[Event]:
        from kibitz.games.blob.narrate import happens

        return happens(rules, seat, seen, said)

    def rules_told(
        self, kind: type[Rules], said: Mapping[str, Any], told_of: Mapping[str, str]
    ) -> Rules:
        return told.rules_told(kind, said, told_of)

    # --- what people look at ---

    @cached_property
    def renderer(self) -> Renderer:
        from kibitz.games.blob.render import BlobRenderer

        return BlobRenderer(self)

    def shown(self, rules: AnyRules, observation: State, seat: int) -> dict[str, Any]:
        seen, seats = observation, range(rules.players)
        on, bids, won, totals = (seen[k].tolist() for k in ("trick", "bid", "won", "total"))
        left = int(seen.left)
        phase = {BIDDING: "bidding", PLAYING: "playing"}.get(int(seen.phase), "over")
        turn = int(seen.turn)
        order = [(turn + k) % rules.players for k in seats]  # the trick, oldest first
        down = order if phase == "playing" else []
        trick = [(s, on[s]) for s in down if on[s] >= 0]
        return {
            "hand": [notation.card_text(card) for card in notation.cards_of(seen.hand[seat])],
            "held": [left - (on[s] >= 0) for s in seats],
            "trump": notation.trump_text(int(seen.trump)),
            "turned": notation.card_text(int(seen.turned)) if seen.turned >= 0 else None,
            "dealer": int(seen.dealer),
            "cards": int(seen.cards),
            "round": int(seen.round_index) + 1,
            "rounds": int(rules.params.rounds),
            "phase": phase,
            "bids": [bids[s] if bids[s] >= 0 else None for s in seats],
            "won": [won[s] for s in seats],
            "trick": [{"seat": s, "card": notation.card_text(card)} for s, card in trick],
            "winning": int(seen.best) if trick else None,
            "totals": [totals[s] for s in seats],
        }

    # --- results ---

    def statistics(self, states: np.ndarray[Any, Any], rules: AnyRules) -> dict[str, Any]:
        rounds = rules.params.rounds
        schedule = [kernels.round_byte(rules.params, k) & 31 for k in range(rounds)]
        plies = sum(rules.players * (cards + 1) for cards in schedule)
        return {
            "plies": np.full(len(states), plies),
            "exact_bids": states["made"][:, : rules.players] / rounds,
        }


GAME = BlobGame()
