"""Blob's posterior by brute force, in plain Python: every deal is played through.

Nothing of Kibitz and none of its shortcuts: no voids, no counting, no particles. A deal fits if
every move seen was legal in it; its weight is the chance of those moves. Cards are texts.
"""

from collections import defaultdict
from itertools import combinations
from math import exp, factorial, inf, log2

from brute import RANKS, Blob

SURE = 1024


def deck(rules):
    return {rank + suit for suit in "CDHS"[: rules["suits"]] for rank in RANKS[: rules["ranks"]]}


def divisions(cards, sizes):
    """All ways to give `sizes` of the cards to as many holders, the rest to one more."""
    if not sizes:
        yield (frozenset(cards),)
        return
    for hand in combinations(sorted(cards), sizes[0]):
        for others in divisions(set(cards) - set(hand), sizes[1:]):
            yield (frozenset(hand), *others)


# --- the rule player -----------------------------------------------------------------------------


def rule_scores(position, seen):
    """What the rule player likes; `seen` are the cards that the seat to act knows of besides its
    own, so that the rest of the deck is hidden."""
    seat, players, trump = position.seat, position.players, position.trump
    hand = position.hands[seat]
    if len(position.bids) < players:
        expected = expected_tricks(position, seen)
        return {bid: -4 * abs(SURE * int(bid) - expected) / SURE for bid in position.legal()}
    wanted = position.bid_of(seat) > position.won[seat]
    last = len(position.trick) == players - 1
    scores = {}
    for card in position.legal():
        strength = RANKS.index(card[0]) + (13 if card[1] == trump else 0)
        trick = (*position.trick, (seat, card))
        taker, _ = max(trick, key=position._strength(trick[0][1][1]))
        wins = taker == seat
        if not position.trick:
            score = strength if wanted else -strength
        elif wanted and wins:
            score = 60 - strength if last else 30 + strength
        elif wanted:
            score = -strength
        elif wins:
            score = strength - 60 if last else -30 - strength
        else:
            score = strength
        scores[card] = score / 2
    assert set(scores) <= set(hand)
    return scores


def expected_tricks(position, hidden):
    seat, players, trump = position.seat, position.players, position.trump
    hand, cards = position.hands[seat], position.cards
    away = SURE - SURE * (players - 1) * cards // max(1, len(hidden))
    leads = position.dealer == (seat - 1) % players
    follow = min(SURE, 300 + 100 * (cards if leads else cards - 1))
    total = 0
    for card in hand:
        rank, suit = RANKS.index(card[0]), card[1]
        length = sum(other[1] == suit for other in hand)
        chance = SURE
        for other in hidden:
            if other[1] == suit and RANKS.index(other[0]) > rank:
                chance = chance * away // SURE
        if suit == trump:
            chance = max(chance, SURE * length // (length + players))
        else:
            if trump is not None:
                for _ in range(length):
                    chance = chance * 7 // 8
            chance = chance * follow // SURE
        total += chance
    return total


def chance_of(position, action, hidden, sharpness):
    """The chance that a player of some sharpness chooses `action`, which is legal."""
    legal = position.legal()
    if sharpness < 0:
        return 1.0
    if sharpness == 0:
        return 1 / len(legal)
    scores = rule_scores(position, hidden)
    if sharpness == inf:
        best = [a for a in legal if scores[a] == max(scores.values())]
        return 1 / len(best) if action in best else 0.0
    return 1 / sum(exp(sharpness * (scores[a] - scores[action])) for a in legal)


# --- the posterior -------------------------------------------------------------------------------


class Brute:
    """`model`: pairs of share and sharpness, or a function from a position to chances."""

    def __init__(self, rules, seat, hand, trump, turned, moves, model=((1.0, -1.0),)):
        self.rules, self.seat, self.model = rules, seat, model
        self.whole = deck(rules) - ({turned} if turned else set())
        own = frozenset(hand)
        players = rules["players"]
        others = [s for s in range(players) if s != seat]
        deals = []
        for *hands, _stock in divisions(self.whole - own, [len(own)] * len(others)):
            hands.insert(seat, own)
            start = Blob.start(rules, [" ".join(h) for h in hands], trump)
            if self.fits(start, moves):
                deals.append(start)
        self.left_out = []
        self.weights = self.weigh(deals, moves)

    @staticmethod
    def fits(position, moves):
        for move in moves:
            if move not in position.legal():
                return False
            position = position.after(move)
        return True

    def weigh(self, deals, moves):
        """{(hands, stock) now: chance}, one decision after the other."""
        kinds = [k for k, _ in enumerate(self.model)] if not callable(self.model) else [0]
        shares = [1.0] if callable(self.model) else [share for share, _ in self.model]
        players = self.rules["players"]
        likely = [[[1.0] * len(kinds) for _ in range(players)] for _ in deals]
        positions = list(deals)
        played = set()

        def weight(i):
            found = 1.0
            for seat in range(players):
                found *= sum(s * p for s, p in zip(shares, likely[i][seat], strict=True))
            return found

        for t, move in enumerate(moves):
            mover = positions[0].seat
            if mover != self.seat:
                before = [list(one[mover]) for one in likely]
                for i, position in enumerate(positions):
                    hidden = self.whole - position.hands[mover] - played
                    for k in kinds:
                        likely[i][mover][k] *= self.chance(position, move, hidden, k)
                if not any(weight(i) for i in range(len(deals))):
                    self.left_out.append(t)
                    for one, old in zip(likely, before, strict=True):
                        one[mover] = old
            positions = [position.after(move) for position in positions]
            if t >= players:
                played.add(move)
        total = sum(weight(i) for i in range(len(deals)))
        found = {}
        for i, position in enumerate(positions):
            stock = self.whole - played - frozenset().union(*position.hands)
            found[*position.hands, frozenset(stock)] = weight(i) / total
        return found

    def chance(self, position, move, hidden, kind):
        if callable(self.model):
            return self.model(position).get(move, 0.0)
        return chance_of(position, move, hidden, self.model[kind][1])

    # --- questions; a holder is a seat, or -1 for the stock ---

    def probability(self, card, holder):
        return sum(w for hands, w in self.weights.items() if card in hands[holder])

    def entropy(self):
        return -sum(w * log2(w) for w in self.weights.values() if w > 0)

    def hands(self, holder):
        found = defaultdict(float)
        for hands, weight in self.weights.items():
            found[hands[holder]] += weight
        return found

    def entropy_of(self, holder):
        return -sum(w * log2(w) for w in self.hands(holder).values() if w > 0)

    def can_follow(self, suit, holder):
        return sum(
            w for hands, w in self.weights.items() if any(c[1] == suit for c in hands[holder])
        )


# --- larger decks: counting with whole numbers ---------------------------------------------------


def count_deals(suits, sizes, forbidden):
    """In how many ways cards (`suits`: how many of each suit) can be dealt to hands of `sizes`,
    where hand h gets none of the suits in `forbidden[h]`. Suit by suit, exactly."""
    left = {tuple(sizes): 1}
    for suit, number in enumerate(suits):
        after = defaultdict(int)
        for rooms, ways in left.items():
            for given in spread(number, rooms, [suit in f for f in forbidden]):
                less = tuple(room - x for room, x in zip(rooms, given, strict=True))
                after[less] += ways * multinomial(given)
        left = after
    return left.get((0,) * len(sizes), 0)


def spread(number, rooms, closed):
    """Ways to spread `number` alike things over rooms, none into closed ones."""
    if not rooms:
        if number == 0:
            yield ()
        return
    for x in range(0 if closed[0] else min(number, rooms[0]), -1, -1):
        for others in spread(number - x, rooms[1:], closed[1:]):
            yield (x, *others)


def multinomial(parts):
    found = factorial(sum(parts))
    for part in parts:
        found //= factorial(part)
    return found
