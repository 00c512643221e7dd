"""Histories of UNO on tiny decks, as one seat saw them, that between them hold everything a belief
has to deal with: what a history has is found out by `contents`, and a test asks for enough of each.

Each is the beginning of a seeded game. The seeds were searched for: the longer a game, the more
hands are possible, and these are few enough for brute force.
"""

from dataclasses import dataclass
from functools import cache
from random import Random

import kibitz
from brute_uno_belief import Public, as_lines, split
from kibitz import rng

DECKS = {
    # 8 to 20 cards; a letter after the number of cards tells decks of the same size apart
    "8": {"colours": 2, "ranks": "01+", "wilds": 1, "wild_fours": 1, "hand_size": 2},
    "9": {"colours": 1, "ranks": "0011SS+", "wilds": 1, "wild_fours": 1, "hand_size": 3},
    "10": {"colours": 2, "ranks": "01S+", "wilds": 1, "wild_fours": 1, "hand_size": 3},
    "10w": {"colours": 4, "ranks": "01", "wilds": 2, "wild_fours": 0, "hand_size": 2},
    "10f": {"colours": 2, "ranks": "0++", "wilds": 0, "wild_fours": 4, "hand_size": 2},
    "12": {"colours": 2, "ranks": "0011SR", "wilds": 0, "wild_fours": 0, "hand_size": 3},
    "14": {"colours": 2, "ranks": "0011S+", "wilds": 1, "wild_fours": 1, "hand_size": 3},
    "14c": {"colours": 3, "ranks": "0112", "wilds": 2, "wild_fours": 0, "hand_size": 4},
    "16": {"colours": 4, "ranks": "01+", "wilds": 2, "wild_fours": 2, "hand_size": 3},
    "20": {"colours": 2, "ranks": "0011SSRR++", "wilds": 0, "wild_fours": 0, "hand_size": 3},
}

POSITIONS = {
    # games that begin in the middle, with cards below the top one and a penalty to be drawn
    "they owe four": {
        "hands": ["R0 Y1 B+2", "G0 W B1"],
        "top": "W+4",
        "deck": "R1 G1 Y0 Y+2 W+4",
        "colour": "G",
        "pending": 4,
        "turn": 1,
    },
    "they owe two": {
        "hands": ["B0 G1 W", "Y+2 R1 B1"],
        "top": "G+2",
        "deck": "R+2",
        "pending": 2,
        "turn": 0,
    },
}


@dataclass(frozen=True)
class Recipe:
    deck: str
    skip: str
    players: str  # both of them: "random" or "rule"
    seed: int
    plies: int  # where the game is cut
    seat: int  # who looks
    position: str = ""  # where the game begins; else with a deal

    def __str__(self):
        parts = (self.deck, self.skip, self.players, self.seed, self.plies, self.seat)
        return "-".join(map(str, parts)) + (f" {self.position}" if self.position else "")

    @property
    def rules(self):
        return kibitz.rules("uno", skip=self.skip, max_plies=150, **DECKS[self.deck])


def play(recipe):
    """A table on which the game was played so far."""
    if recipe.position:
        deal = POSITIONS[recipe.position]
        table = kibitz.Table.from_deal(recipe.rules, seed=recipe.seed, **deal)
    else:
        table = kibitz.Table(recipe.rules, seed=recipe.seed)
    choice, own = Random(recipe.seed), rng.generator(recipe.seed, stream=1)
    rule_player = kibitz.agent("rule", "uno")
    while not table.over and table.plies < recipe.plies:
        if recipe.players == "random":
            table.play(choice.choice(table.legal_actions()))
        else:
            table.play(rule_player.decide(table.view(table.to_act), own).action)
    return table


@cache
def view(recipe):
    return play(recipe).view(recipe.seat)


def contents(seen):
    """What a view's history holds that matters to a belief, as a set of labels."""
    public = Public.before(seen.rules, seen.seat)
    me, other = str(seen.seat), str(1 - seen.seat)
    found, drawn_on, reshuffles = set(), set(), 0
    for line in as_lines(seen.events):
        match line.split():
            case [who, "draws", *_] if who == other and not public.pending:
                found.add("forced draw")
                drawn_on.add(public.colour)
            case [who, "draws", number] if who == other:
                found.add(f"penalty of {number}")
            case [who, "draws", *_] if who == me:
                found.add("own penalty" if public.pending else "own draw")
            case [who, "plays", action] if who == other:
                card, colour = split(action)
                found.add("play")
                if card.startswith("W"):
                    found.add("wild")
                elif colour in drawn_on:
                    found.add("plays a colour it drew on")
                if public.whole[card] == 2:
                    found.add("one of two copies")
                if card[1:] in ("S", "R") and not public.forfeit:
                    found.add("passing skip")
            case [who, "plays", action] if who == me:
                found.add("own play")
                if public.unseen[split(action)[0]]:
                    found.add("own play, copies unseen")
            case [who, "is", "skipped"]:
                found.add("skipped" if who == other else "skips me")
            case ["reshuffle"]:
                reshuffles += 1
                found.add("reshuffle, deck not empty" if public.deck_size else "reshuffle")
            case ["over", *_]:
                found.add("over")
        public = public.after(line)
    if reshuffles >= 3:
        found.add("three reshuffles")
    return found


EVERYTHING = {
    "forced draw",
    "one of two copies",
    "over",
    "own draw",
    "own penalty",
    "own play",
    "own play, copies unseen",
    "passing skip",
    "penalty of 2",
    "penalty of 4",
    "play",
    "plays a colour it drew on",
    "reshuffle",
    "reshuffle, deck not empty",
    "skipped",
    "skips me",
    "three reshuffles",
    "wild",
}

RECIPES = [
    Recipe("8", "forfeit", "rule", 28, 3, 1),
    Recipe("8", "pass", "rule", 4, 12, 0),
    Recipe("9", "forfeit", "random", 26, 4, 1),
    Recipe("9", "pass", "random", 36, 5, 1),
    Recipe("10", "forfeit", "random", 1, 21, 1),
    Recipe("10", "forfeit", "rule", 16, 8, 0),
    Recipe("10", "pass", "random", 1, 10, 1),
    Recipe("10", "pass", "random", 35, 40, 1),
    Recipe("10", "pass", "rule", 1, 11, 1),
    Recipe("10w", "forfeit", "random", 15, 4, 0),
    Recipe("10w", "pass", "random", 9, 3, 0),
    Recipe("10w", "pass", "random", 33, 15, 0),
    Recipe("10f", "forfeit", "rule", 7, 3, 1),
    Recipe("10f", "pass", "rule", 32, 3, 0),
    Recipe("12", "forfeit", "random", 21, 3, 1),
    Recipe("12", "forfeit", "rule", 14, 6, 1),
    Recipe("12", "pass", "random", 25, 3, 0),
    Recipe("12", "pass", "rule", 38, 3, 0),
    Recipe("14", "forfeit", "random", 25, 4, 0),
    Recipe("14", "forfeit", "rule", 8, 8, 0),
    Recipe("14", "forfeit", "rule", 36, 7, 1),
    Recipe("14", "pass", "random", 17, 26, 1),
    Recipe("14", "pass", "random", 39, 13, 0),
    Recipe("14c", "forfeit", "random", 6, 17, 0),
    Recipe("14c", "forfeit", "rule", 36, 3, 0),
    Recipe("14c", "pass", "random", 31, 15, 1),
    Recipe("14c", "pass", "rule", 4, 3, 1),
    Recipe("16", "forfeit", "random", 11, 19, 1),
    Recipe("16", "forfeit", "random", 32, 23, 0),
    Recipe("16", "forfeit", "random", 33, 29, 0),
    Recipe("16", "forfeit", "rule", 13, 22, 1),
    Recipe("16", "forfeit", "rule", 16, 13, 0),
    Recipe("16", "pass", "random", 26, 24, 1),
    Recipe("16", "pass", "random", 29, 8, 1),
    Recipe("16", "pass", "rule", 17, 22, 0),
    Recipe("16", "pass", "rule", 32, 20, 1),
    Recipe("20", "forfeit", "random", 8, 23, 1),
    Recipe("20", "forfeit", "rule", 3, 9, 0),
    Recipe("20", "forfeit", "rule", 12, 9, 0),
    Recipe("20", "forfeit", "rule", 36, 27, 0),
    Recipe("20", "pass", "random", 6, 10, 1),
    Recipe("20", "pass", "rule", 22, 9, 1),
    Recipe("20", "pass", "rule", 22, 10, 1),
    Recipe("20", "pass", "rule", 36, 15, 0),
    Recipe("16", "forfeit", "random", 1, 6, 0, "they owe four"),
    Recipe("16", "pass", "rule", 2, 8, 1, "they owe four"),
    Recipe("16", "forfeit", "random", 3, 5, 1, "they owe two"),
    Recipe("16", "pass", "random", 4, 7, 0, "they owe two"),
]
