"""What a seat may think of the opponent's UNO hand, by brute force in plain Python: no kernels, no
belief of Kibitz. A history is the list of lines that the seat saw (see docs/notation.md), cards and
actions are texts, a hand is a sorted tuple of cards.

`posterior` keeps every possible hand with its weight and takes the lines one by one, each with the
row of the table that belongs to it (`Update`). `naive_posterior` knows no such rows: it plays every
deal and every draw through on the positions of `brute`, and counts.

A player is a function (hand, public) -> {action: chance}; a model is a list of (share, player):
which of them sits there is unknown, and the same for the whole game.
"""

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb, exp, log2
from typing import Any

from brute import UNO_COLOURS, Uno, uno_deck
from kibitz.games.uno.notation import event_text

OPENING = ("deal", "top", "pile", "start")


def as_lines(events):
    """Events as text; lines stay as they are."""
    return [event if isinstance(event, str) else event_text(event) for event in events]


def split(action):
    """Card and colour of a play."""
    card, _, colour = action.partition(":")
    return card, colour or card[0]


# --- what everybody sees, and the seat's own hand ------------------------------------------------


@dataclass(frozen=True)
class Public:
    rules: Any
    whole: Counter  # all cards of the game
    colours: str  # that a wild may declare
    forfeit: bool
    seat: int  # who looks
    hand: Counter  # its cards
    pile: Counter  # with the top card
    held: int = 0  # cards in the opponent's hand
    top: str = ""
    colour: str = ""
    pending: int = 0
    turn: int | None = 0  # None when the game is over

    @classmethod
    def before(cls, rules, seat):
        return cls(
            rules=rules,
            whole=uno_deck(rules.colours, rules.ranks, rules.wilds, rules.wild_fours),
            colours=UNO_COLOURS[: rules.colours],
            forfeit=rules.skip == "forfeit",
            seat=seat,
            hand=Counter(),
            pile=Counter(),
        )

    @property
    def unseen(self):
        """The opponent's hand and the deck together."""
        return self.whole - self.hand - self.pile

    @property
    def deck_size(self):
        return self.unseen.total() - self.held

    def after(self, line):
        """What is seen after one more line."""
        match line.split():
            case ["deal", seat, *cards]:
                if int(seat) == self.seat:
                    return replace(self, hand=Counter(cards))
                return replace(self, held=int(cards[0]))
            case ["top", card]:
                return replace(self, pile=Counter([card]), top=card, colour=card[0])
            case ["pile", *cards]:
                return replace(self, pile=self.pile + Counter(cards))
            case ["start", seat, "colour", colour, "pending", number]:
                return replace(self, turn=int(seat), colour=colour, pending=int(number))
            case [seat, "plays", action]:
                return self._after_play(int(seat), *split(action))
            case [seat, "draws", *cards]:
                found = replace(self, pending=0, turn=1 - int(seat))
                if int(seat) == self.seat:
                    return replace(found, hand=self.hand + Counter(cards))
                return replace(found, held=self.held + int(cards[0]))
            case [_, "is", "skipped"]:
                return self
            case ["reshuffle"]:
                return replace(self, pile=Counter([self.top]))
            case ["over", *_, ending]:
                return replace(
                    self, turn=None, pending=0 if ending == "exhausted" else self.pending
                )
        raise AssertionError(line)

    def _after_play(self, seat, card, colour):
        found = replace(self, pile=self.pile + Counter([card]), top=card, colour=colour)
        if seat == self.seat:
            found = replace(found, hand=self.hand - Counter([card]))
            left = found.hand.total()
        else:
            found = replace(found, held=self.held - 1)
            left = found.held
        if not left:  # wins before the card's effect
            return replace(found, turn=None)
        again = self.forfeit and card in [c + r for c in UNO_COLOURS for r in "SR"]
        pending = {"+2": 2, "+4": 4}.get(card[1:], 0)
        return replace(found, pending=pending, turn=seat if again else 1 - seat)


def plays(hand, public):
    """The plays that a hand has, nothing pending. Needs only `top`, `colour` and `colours`."""
    found = []
    for card in sorted(set(hand)):
        if card.startswith("W"):
            found += [f"{card}:{colour}" for colour in public.colours]
        elif card[0] == public.colour or card[1:] == public.top[1:]:
            found.append(card)
    return found


# --- players and models --------------------------------------------------------------------------


def constraints(hand, public):
    """Says nothing about choices: no chances, every legal action counts 1."""
    return dict.fromkeys(plays(hand, public) or ["draw"], 1.0)


def uniform(hand, public):
    legal = plays(hand, public) or ["draw"]
    return dict.fromkeys(legal, 1 / len(legal))


def rule(temperature):
    """One point for each card held of the colour, four more for an action card, twenty less for a
    wild; chances go by exp(points / temperature), and at 0 the best share them."""

    def points(hand, action):
        card, colour = split(action)
        held = sum(copies for other, copies in hand.items() if other[0] == colour)
        if card.startswith("W"):
            return held - 20
        return held + 4 * (card[1:] in ("S", "R", "+2"))

    def player(hand, public):
        legal = plays(hand, public)
        if not legal:
            return {"draw": 1.0}
        found = {action: points(hand, action) for action in legal}
        best = max(found.values())
        if temperature == 0:
            weights = {action: float(score == best) for action, score in found.items()}
        else:
            weights = {a: exp((score - best) / temperature) for a, score in found.items()}
        total = sum(weights.values())
        return {action: weight / total for action, weight in weights.items()}

    return player


MODELS = {
    "constraints": [(1, constraints)],
    "uniform": [(1, uniform)],
    "rule:temperature=1": [(1, rule(1))],
    "rule:temperature=4": [(1, rule(4))],
    "0.5*uniform + 0.5*rule:temperature=2": [(0.5, uniform), (0.5, rule(2))],
}
"""By the names that Kibitz has for them."""


# --- hands with their weights, one for each player that may sit there ----------------------------


def gain(hands, unseen, n):
    """All hands after n cards, one after the other, drawn from what is unseen and not in the hand,
    each copy equally likely. A deal is nothing else."""
    for _ in range(n):
        found = {}
        for hand, weights in hands.items():
            deck = unseen - Counter(hand)
            size = deck.total()
            for card, copies in deck.items():
                more = tuple(sorted((*hand, card)))
                chance = copies / size
                known = found.get(more, (0,) * len(weights))
                found[more] = tuple(k + w * chance for k, w in zip(known, weights, strict=True))
        hands = found
    return hands


def weighed(hands, factor):
    """Every weight times what `factor` gives for a hand: a number, or one for each player."""
    found = {}
    for hand, weights in hands.items():
        by = factor(hand)
        by = by if isinstance(by, list) else [by] * len(weights)
        new = tuple(w * f for w, f in zip(weights, by, strict=True))
        if any(new):
            found[hand] = new
    return found


class Update:
    """The seven rows of the table: what an event does to all hands. `public` is what was seen
    before it. The deck of a hand needs no keeping: it is what is unseen less the hand."""

    def opponent_plays(self, hands, public, action, players):
        card, _ = split(action)

        def likelihood(hand):
            if card not in hand:
                return 0
            return [player(Counter(hand), public).get(action, 0) for player in players]

        return self._lose(weighed(hands, likelihood), card)

    @staticmethod
    def _lose(hands, card):
        found = {}
        for hand, weights in hands.items():
            at = hand.index(card)
            found[hand[:at] + hand[at + 1 :]] = weights
        return found

    def opponent_draws_one(self, hands, public):
        nothing = weighed(hands, lambda hand: 0 if plays(hand, public) else 1)
        return gain(nothing, public.unseen, 1)

    def opponent_draws_penalty(self, hands, public, n):
        return gain(hands, public.unseen, n)

    def opponent_is_skipped(self, hands, public):
        return hands

    def i_draw(self, hands, public, cards):
        unseen = public.unseen
        for card in cards:
            size = unseen.total() - public.held
            # both of the loop, and used before it goes on
            hands = weighed(hands, lambda h: (unseen[card] - h.count(card)) / size)  # noqa: B023
            unseen = unseen - Counter([card])
        return hands

    def i_play(self, hands, public, card):
        return hands

    def reshuffle(self, hands, public):
        """The pile less its top is unseen from now on, and so it is in the deck of every hand."""
        return hands

    def take(self, hands, public, line, players):
        """The row that a line belongs to."""
        mine = line.startswith(str(public.seat))
        match line.split():
            case [_, "plays", action] if mine:
                return self.i_play(hands, public, split(action)[0])
            case [_, "plays", action]:
                return self.opponent_plays(hands, public, action, players)
            case [_, "draws", *cards] if mine:
                return self.i_draw(hands, public, cards)
            case [_, "draws", number] if public.pending:
                return self.opponent_draws_penalty(hands, public, int(number))
            case [_, "draws", _]:
                return self.opponent_draws_one(hands, public)
            case [_, "is", "skipped"] if not mine:
                return self.opponent_is_skipped(hands, public)
            case ["reshuffle"]:
                return self.reshuffle(hands, public)
        return hands


def look(rules, seat, events):
    """What the seat sees after these events."""
    public = Public.before(rules, seat)
    for line in as_lines(events):
        public = public.after(line)
    return public


def posteriors(rules, seat, events, models, update=None):
    """The posterior for each of several models, as a list: one pass serves them all."""
    update = update or Update()
    players = [player for model in models for _, player in model]
    shares = [share for model in models for share, _ in model]
    lines = as_lines(events)
    opening = [line for line in lines if line.startswith(OPENING)]
    public = look(rules, seat, opening)
    hands = gain({(): tuple(shares)}, public.unseen, public.held)
    for line in lines[len(opening) :]:
        hands = update.take(hands, public, line, players)
        public = public.after(line)
    found, start = [], 0
    for model in models:
        part = slice(start, start + len(model))
        start += len(model)
        found.append(normal({hand: sum(weights[part]) for hand, weights in hands.items()}))
    return found


def posterior(rules, seat, events, model, update=None):
    """{hand: chance} of the opponent, by all that `seat` saw."""
    return posteriors(rules, seat, events, [model], update)[0]


def normal(weights):
    total = sum(weights.values())
    assert total > 0, "no hand fits what was seen"
    return {hand: weight / total for hand, weight in weights.items() if weight}


# --- the same by playing everything through ------------------------------------------------------


def naive_posterior(rules, seat, events, model):
    """Every physical deal and every physical draw, from the start of the game to its end, on whole
    positions; nothing is merged, nothing cancelled. For very small decks."""
    other = 1 - seat
    lines = as_lines(events)
    opening = [line for line in lines if line.startswith(OPENING)]
    seen = look(rules, seat, opening)
    found = Counter()

    def play_on(position, rest, weight, player):
        if not rest:
            found[tuple(sorted(position.hands[other].elements()))] += weight
            return
        line, *rest = rest
        words = line.split()
        if words[0] == "reshuffle":
            assert position.deck.total() < max(1, position.pending)
            play_on(position, rest, weight, player)  # it comes about with the draw that needs it
        elif words[0] == "over" or words[1] == "is":
            play_on(position, rest, weight, player)
        elif words[1] == "plays":
            action = words[2]
            if int(words[0]) != position.seat or action not in position.legal():
                return
            if position.seat == other:
                chances = player(position.hands[other], position)
                assert set(chances) == position.legal()
                weight *= chances[action]
            play_on(position.after(action), rest, weight, player)
        elif position.legal() == {"draw"} and int(words[0]) == position.seat:
            draws = physical_draws(position)
            for drawn in draws:
                if position.seat == other or Counter(drawn) == Counter(words[2:]):
                    play_on(position.after("draw", drawn), rest, weight / len(draws), player)

    hidden = sorted(seen.unseen.elements())
    for share, player in model:
        for places in combinations(range(len(hidden)), seen.held):
            theirs = Counter(hidden[place] for place in places)
            start = Uno(
                hands=(seen.hand, theirs) if seat == 0 else (theirs, seen.hand),
                deck=seen.unseen - theirs,
                pile=seen.pile,
                top=seen.top,
                colour=seen.colour,
                colours=seen.colours,
                forfeit=seen.forfeit,
                max_plies=rules.max_plies,
                pending=seen.pending,
                seat=seen.turn,
            )
            play_on(start, lines[len(opening) :], share / comb(len(hidden), seen.held), player)
    return normal(found)


def physical_draws(position):
    """What a draw can take now, like copies told apart: all equally likely."""
    deck, _ = position._deck_for_draw()
    return list(combinations(sorted(deck.elements()), max(1, position.pending)))


# --- what follows from a posterior ---------------------------------------------------------------


def distance(p, q):
    """Total variation."""
    return sum(abs(p.get(key, 0) - q.get(key, 0)) for key in {*p, *q}) / 2


def mean(found, value):
    """The expectation of a number that a hand has."""
    return sum(chance * value(hand) for hand, chance in found.items())


def entropy(found):
    return -sum(chance * log2(chance) for chance in found.values())


def playable(hand, public):
    """The cards of a hand that could be played now, each copy."""
    fit = {split(action)[0] for action in plays(hand, public)}
    return [card for card in hand if card in fit]
