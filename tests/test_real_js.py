"""The page of a real table: a person is offered every move that can be, and no other card."""

from collections import Counter
from typing import NamedTuple

import pytest

import kibitz
from helpers import fewer, members, played
from kibitz.games.blob import notation as blob_notation
from kibitz.games.uno import notation as uno_notation
from kibitz.games.uno.game import counts
from page_scripts import needs_node, run

pytestmark = needs_node

SCRIPT = """
import { gameOf } from "./games/index.js";
console.log(JSON.stringify(given.map(({ view, words }) => {
  const { real } = gameOf(view.game);
  const drawn = real.drawable?.(view);
  return {
    could: view.to_act >= 0 && view.to_act !== view.seat ? real.could(view) : [],
    hidden: Object.fromEntries(real.hidden(view)),
    draw: drawn?.number,
    drawn: Object.fromEntries(drawn?.cards ?? []),
    deck: Object.fromEntries(real.deck(view.rules)),
    read: words.map(real.cardIn),
  };
})));
"""
GAMES = {
    "uno": kibitz.rules("uno"),
    "uno tiny": kibitz.rules(
        "uno", colours=2, ranks="0011SSRR++", wilds=1, wild_fours=1, hand_size=3, max_plies=150
    ),
    "uno pass": kibitz.rules("uno", skip="pass", hand_size=40),
    "blob": kibitz.rules("blob", players=4, cards=6, trump="turned"),
    "blob many": kibitz.rules("blob", players=8, cards=6, trump="random"),
    "blob two": kibitz.rules("blob", players=2, cards=26, trump="none", dealer=0),
}


class Position(NamedTuple):
    """One of a game, and what came of it."""

    to_act: int
    view: dict
    hidden: Counter
    """What the seat cannot see."""
    action: str
    """The move that was made next, with its draws."""


def positions(rules, seeds):
    """Every seat's through random games."""
    found = []
    for seed in range(seeds):
        table = played(rules, seed)
        actions = table.record().actions
        while table.plies:
            table.undo()
            for seat in range(rules.seats):
                view = table.view(seat).to_dict()
                hidden = face_down(rules, table.true_state(), seat)
                found.append(Position(table.to_act, view, hidden, actions[table.plies]))
    return found


def face_down(rules, state, seat):
    others = [other for other in range(rules.seats) if other != seat]
    if rules.game == "uno":
        there = counts(state.deck) + counts(state.hand[others[0]])
        return Counter({uno_notation.card_text(card): n for card, n in there.items()})
    words = [state.stock, *(state.hand[other] for other in others)]
    return Counter(blob_notation.card_text(card) for word in words for card in members(word))


@pytest.mark.parametrize("name", GAMES)
def test_a_person_is_offered_what_can_be(name, tmp_path):
    rules = GAMES[name]
    found = positions(rules, fewer(4) + 1)
    answers = run(tmp_path, SCRIPT, [{"view": each.view, "words": []} for each in found])
    told = 0
    for each, answer in zip(found, answers, strict=True):
        assert sum(answer["deck"].values()) == rules.deck_size
        assert Counter(answer["hidden"]) == each.hidden, each.view["events"]
        move, *drawn = each.action.split()
        if each.to_act != each.view["seat"]:
            told += 1
            assert move in answer["could"], each
        elif move == "draw":
            assert answer["draw"] == len(drawn)
            assert Counter(drawn) <= Counter(answer["drawn"])
    assert told > 0


def test_cards_are_read_as_people_write_them(tmp_path):
    uno = kibitz.Table(GAMES["uno"], seed=1).view(0).to_dict()
    blob = kibitz.Table(GAMES["blob"], seed=1).view(0).to_dict()
    first, second = run(
        tmp_path,
        SCRIPT,
        [
            {"view": uno, "words": ["r5", "G+", "g+2", "w", "W4", "w+4", "bS", "yr", "X1", "R10"]},
            {"view": blob, "words": ["qh", "10d", "TD", "A♠", "1S", "QX", "R5"]},
        ],
    )
    assert first["read"] == ["R5", "G+2", "G+2", "W", "W+4", "W+4", "BS", "YR", None, None]
    assert second["read"] == ["QH", "TD", "TD", "AS", None, None, None]
