"""Blob for tests of the belief: tiny rules, tables in mid-game, and brute force on them."""

import math
from random import Random

import numpy as np

import kibitz
from brute_blob_belief import Brute
from helpers import members, play_on
from kibitz import contract
from kibitz.beliefs import belief
from kibitz.games.blob.layout import PLAYING
from kibitz.games.blob.notation import card_text, parse_card, trump_text

TINY = [
    kibitz.rules("blob", **options)
    for options in (
        {"players": 3, "cards": 2, "suits": 2, "ranks": 4, "trump": "turned"},
        {"players": 2, "cards": 3, "suits": 2, "ranks": 4, "trump": "clubs"},
        {"players": 4, "cards": 2, "suits": 3, "ranks": 3, "trump": "diamonds", "dealer": 1},
        {"players": 3, "cards": 3, "suits": 3, "ranks": 3, "trump": "none"},
        {"players": 2, "cards": 4, "suits": 4, "ranks": 2, "trump": "hearts"},
    )
]
MODELS = {
    "uniform": ((1.0, 0.0),),
    "rule:temperature=1": ((1.0, 1.0),),
    "rule:temperature=0": ((1.0, math.inf),),
    "0.3*uniform + 0.7*rule:temperature=2": ((0.3, 0.0), (0.7, 0.5)),
    "0.5*rule:temperature=0 + 0.5*constraints": ((0.5, math.inf), (0.5, -1.0)),
}
SMALL = kibitz.rules("blob", players=3, cards=3, suits=3, ranks=4, trump="clubs")
MIXED = "0.2*uniform + 0.8*rule:temperature=1"


def some_table(rules, seed, plies=None):
    """A random game, stopped at random."""
    if plies is None:
        plies = Random(seed).randint(0, rules.players * (rules.cards + 1))
    return play_on(kibitz.Table(rules, seed=seed), seed, plies)


def history(table, seat):
    """Hand, trump, card turned up and moves of a round, as texts."""
    events = table.view(seat).events
    hand = next([card_text(c) for c in e.cards] for e in events if e.cards and e.seat == seat)
    turned = card_text(events[0].cards[0]) if events[0].cards else None
    moves = [
        str(e.action) if e.kind == "bid" else card_text(e.action)
        for e in events
        if e.kind in ("bid", "play")
    ]
    return hand, trump_text(events[0].values[3]), turned, moves


def brute(table, seat, model=((1.0, -1.0),)):
    return Brute(table.rules.to_dict(), seat, *history(table, seat), model)


def counted(table, seat, **options):
    return belief(table.view(seat), method="counting", cache=None, **options)


def deal_of(world, players):
    """Who holds what in a world, as the keys of `Brute.weights`."""
    words = [*world.hand[:players], world.stock]
    return tuple(frozenset(card_text(c) for c in members(word)) for word in words)


def as_world(found, hands):
    world = found.observation.copy()
    words = [sum(1 << parse_card(card) for card in hand) for hand in hands]
    world.hand[: len(words) - 1] = words[:-1]
    world.stock = words[-1]
    return world


def agrees(found, reference, tolerance=1e-9):
    """Whether a belief says the same as brute force."""
    marginals = found.marginals()
    chances = all(
        abs(marginals.of(card, holder) - reference.probability(card_text(card), holder)) < tolerance
        for card in marginals.cards
        for holder in marginals.holders
    )
    hands = all(
        abs(found.entropy_of(holder) - reference.entropy_of(holder)) < tolerance
        for holder in marginals.holders
    )
    return chances and hands and abs(found.entropy() - reference.entropy()) < tolerance


def shown_now(table):
    """Seats that do not follow suit in the trick in progress."""
    state = table._state
    return [card for card in state.trick if card >= 0 and not int(state.led) >> int(card) & 1]


def odd_player(rules, state):
    """Bids high with high cards, plays high cards more often: chances from the own hand alone."""
    seat = int(contract.player_to_act(rules.params, state))
    assert [s for s in range(8) if state.hand[s]] == [seat]
    actions = members(contract.legal_actions(rules.params, state))
    if state.phase == PLAYING:
        likes = {action: 1 + (action & 15) for action in actions}
    else:
        ranks = sum(card & 15 for card in members(state.hand[seat]))
        likes = {action: 1 + action * ranks for action in actions}
    return {action: like / sum(likes.values()) for action, like in likes.items()}


def keen_player(rules, state):
    """The keen player at temperature 8, from its scores."""
    actions, scores = members(contract.legal_actions(rules.params, state)), np.zeros(64)
    contract.keen_scores(rules.params, state, scores)
    likes = np.exp((scores[actions] - scores[actions].max()) / 8)
    return dict(zip(actions, likes / likes.sum(), strict=True))


def odd_player_again(position):
    hand = position.hands[position.seat]
    if len(position.bids) == position.players:
        likes = {card: 1 + "23456789TJQKA".index(card[0]) for card in position.legal()}
    else:
        ranks = sum("23456789TJQKA".index(card[0]) for card in hand)
        likes = {bid: 1 + int(bid) * ranks for bid in position.legal()}
    return {action: like / sum(likes.values()) for action, like in likes.items()}
