"""The rules of both games once more, in plain Python with sets and counters: nothing of Kibitz.

Cards and actions are texts ("G+2", "W:R", "draw", "QH", "3"), so that both sides can be compared
without sharing any numbers. A position is a small object; `after` gives a new one.
"""

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations

UNO_COLOURS = "RYGB"


# --- UNO -----------------------------------------------------------------------------------------


def uno_deck(colours, ranks, wilds, wild_fours):
    deck = Counter()
    for colour in UNO_COLOURS[:colours]:
        deck.update(colour + ("+2" if rank == "+" else rank) for rank in ranks)
    deck.update({"W": wilds, "W+4": wild_fours})
    return +deck


@dataclass(frozen=True)
class Uno:
    """A position of UNO. Multisets are Counters that nobody changes."""

    hands: tuple
    deck: Counter
    pile: Counter  # with the top card
    top: str
    colour: str
    colours: str  # that a wild may declare
    forfeit: bool
    max_plies: int
    pending: int = 0
    seat: int | None = 0  # None when the game is over
    plies: int = 0
    result: tuple = (0, 0)
    ending: str = "running"

    @classmethod
    def start(cls, rules, hands, top):
        """`rules`: the options as a dictionary; hands and top card as text."""
        hands = tuple(Counter(hand.split()) for hand in hands)
        whole = uno_deck(rules["colours"], rules["ranks"], rules["wilds"], rules["wild_fours"])
        pile = Counter([top])
        return cls(
            hands=hands,
            deck=whole - hands[0] - hands[1] - pile,
            pile=pile,
            top=top,
            colour=top[0],
            colours=UNO_COLOURS[: rules["colours"]],
            forfeit=rules["skip"] == "forfeit",
            max_plies=rules["max_plies"],
        )

    def legal(self):
        if self.seat is None:
            return set()
        plays = set()
        for card in self.hands[self.seat]:
            if card.startswith("W"):
                plays |= {f"{card}:{colour}" for colour in self.colours}
            elif card[0] == self.colour or card[1:] == self.top[1:]:
                plays.add(card)
        return {"draw"} if self.pending or not plays else plays

    def draws(self):
        """Every different multiset that a draw can take now; none if it is impossible."""
        deck, _ = self._deck_for_draw()
        n = max(1, self.pending)
        if deck.total() < n:
            return [()]
        return sorted(set(combinations(sorted(deck.elements()), n)))

    def _deck_for_draw(self):
        """Deck and pile after the reshuffle, if the draw needs one."""
        if self.deck.total() >= max(1, self.pending):
            return self.deck, self.pile
        top = Counter([self.top])
        return self.deck + (self.pile - top), top

    def after(self, action, drawn=()):
        if action == "draw":
            found = self._after_draw(Counter(drawn))
        else:
            found = self._after_play(*(action.split(":") if ":" in action else (action, action[0])))
        found = replace(found, plies=self.plies + 1)
        if found.seat is not None and found.plies >= self.max_plies:
            found = replace(found, seat=None, ending="truncated")
        return found

    def _after_draw(self, drawn):
        deck, pile = self._deck_for_draw()
        n = max(1, self.pending)
        base = replace(self, deck=deck, pile=pile, pending=0)
        if deck.total() < n:
            sizes = [hand.total() for hand in self.hands]
            result = (0, 0)
            if sizes[0] != sizes[1]:
                result = (1, -1) if sizes[0] < sizes[1] else (-1, 1)
            return replace(base, seat=None, result=result, ending="exhausted")
        assert drawn.total() == n
        assert drawn <= deck
        hands = list(self.hands)
        hands[self.seat] = hands[self.seat] + drawn
        return replace(base, hands=tuple(hands), deck=deck - drawn, seat=1 - self.seat)

    def _after_play(self, card, colour):
        hands = list(self.hands)
        hands[self.seat] = hands[self.seat] - Counter([card])
        pile = self.pile + Counter([card])
        base = replace(self, hands=tuple(hands), pile=pile, top=card, colour=colour)
        if not hands[self.seat]:
            result = (1, -1) if self.seat == 0 else (-1, 1)
            return replace(base, seat=None, result=result, ending="emptied")
        pending = {"+2": 2, "+4": 4}.get(card[1:], 0)
        again = self.forfeit and card[1:] in ("S", "R") and not card.startswith("W")
        return replace(base, pending=pending, seat=self.seat if again else 1 - self.seat)


# --- Blob ----------------------------------------------------------------------------------------

RANKS = "23456789TJQKA"
SUITS = {"clubs": "C", "diamonds": "D", "hearts": "H", "spades": "S"}


@dataclass(frozen=True)
class Blob:
    """A position in a round of Blob."""

    hands: tuple  # of frozensets
    trump: str | None
    dealer: int
    cards: int
    points: int
    bonus: int
    miss: str
    seat: int | None
    bids: tuple = ()  # in the order of the seats, dealer's left first
    trick: tuple = ()  # of (seat, card)
    won: tuple = ()

    @classmethod
    def start(cls, rules, hands, trump):
        """`rules`: the options as a dictionary; trump by name, or None."""
        players = len(hands)
        return cls(
            hands=tuple(frozenset(hand.split()) for hand in hands),
            trump=SUITS.get(trump),
            dealer=rules["dealer"],
            cards=len(hands[0].split()),
            points=rules["points_per_trick"],
            bonus=rules["exact_bonus"],
            miss=rules["miss"],
            seat=(rules["dealer"] + 1) % players,
            won=(0,) * players,
        )

    @property
    def players(self):
        return len(self.hands)

    def legal(self):
        if self.seat is None:
            return set()
        if len(self.bids) < self.players:
            bids = set(range(self.cards + 1))
            if self.seat == self.dealer:
                bids.discard(self.cards - sum(self.bids))
            return {str(bid) for bid in bids}
        hand = self.hands[self.seat]
        if self.trick:
            led = self.trick[0][1][1]
            return {card for card in hand if card[1] == led} or set(hand)
        return set(hand)

    def after(self, action):
        following = (self.seat + 1) % self.players
        if len(self.bids) < self.players:
            return replace(self, bids=(*self.bids, int(action)), seat=following)
        hands = list(self.hands)
        hands[self.seat] = hands[self.seat] - {action}
        trick = (*self.trick, (self.seat, action))
        if len(trick) < self.players:
            return replace(self, hands=tuple(hands), trick=trick, seat=following)
        taker, _ = max(trick, key=self._strength(trick[0][1][1]))
        won = tuple(tricks + (seat == taker) for seat, tricks in enumerate(self.won))
        over = not any(hands)
        return replace(self, hands=tuple(hands), trick=(), won=won, seat=None if over else taker)

    def _strength(self, led):
        def strength(play):
            _, card = play
            return card[1] == self.trump, card[1] == led, RANKS.index(card[0])

        return strength

    def bid_of(self, seat):
        return self.bids[(seat - self.dealer - 1) % self.players]

    @property
    def result(self):
        """The score of each seat; nothing before the end."""
        if self.seat is not None:
            return (0,) * self.players
        return tuple(self._score(self.bid_of(seat), self.won[seat]) for seat in range(self.players))

    def _score(self, bid, won):
        if bid == won:
            return self.bonus + self.points * bid
        return {"zero": 0, "tricks": self.points * won, "penalty": -self.points * abs(bid - won)}[
            self.miss
        ]
