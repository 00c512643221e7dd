"""Playthroughs: whole games as text, to be read by people and compared to the letter by a test.

A file holds the rules, the seed, and for each move who was to act, what was legal, the move, what
happened, and a short hash of every seat's view. A change of the rules, of chance, of the notation
or of what a seat gets to see shows up as a difference. If it is meant, write the files anew:

    python -m tests.playthrough --update
"""

import argparse
import hashlib
import json
from pathlib import Path
from random import Random

import kibitz

FOLDER = Path(__file__).parent / "playthroughs"
TINY = {"colours": 2, "ranks": "0123SR+", "wilds": 1, "wild_fours": 1, "hand_size": 3}
GAMES = {
    "uno": (kibitz.rules("uno", max_plies=26), 3),
    "uno-tiny": (kibitz.rules("uno", max_plies=40, **TINY), 41),
    "uno-tiny-pass": (kibitz.rules("uno", max_plies=40, skip="pass", **TINY), 4),
    "uno-exhausted": (
        kibitz.rules("uno", colours=2, ranks="0++", wilds=0, wild_fours=2, hand_size=2),
        233,
    ),
    "blob": (kibitz.rules("blob", cards=3), 4),
    "blob-turned": (kibitz.rules("blob", players=3, cards=4, trump="turned", miss="tricks"), 6),
    "blob-game": (kibitz.rules("blob-game", players=2, start=2, miss="penalty"), 7),
}
"""Rules and seed by name of the file."""


def render(rules, seed, moves):
    """The lines of a game with these moves, or with random ones if `moves` is None."""
    table = kibitz.Table(rules, seed=seed)
    game, choice = kibitz.game_of(rules), Random(seed)
    yield f"rules {rules.to_json()}"
    yield f"seed {seed}"
    yield from happened(game, table.events())
    yield views(table)
    while not table.over:
        legal = table.legal()
        if moves is None:
            move = choice.choice(legal)
        elif table.plies < len(moves):
            move = moves[table.plies]
        else:
            yield "the moves end here"
            return
        yield ""
        yield f"ply {table.plies + 1}: seat {table.to_act} of {' '.join(legal)}"
        yield f"move {move}"
        yield from happened(game, table.play(move))
        yield views(table)


def happened(game, events):
    return [f"  {game.event_text(event)}" for event in events]


def views(table):
    """A short hash of what each seat has."""
    hashes = [
        hashlib.blake2b(table.view(seat).to_bytes(), digest_size=4).hexdigest()
        for seat in range(table.rules.seats)
    ]
    return "  views " + " ".join(hashes)


def replay(lines):
    """The lines that the game in `lines` gives now."""
    rules = kibitz.rules_from_dict(json.loads(lines[0].removeprefix("rules ")))
    seed = int(lines[1].removeprefix("seed "))
    moves = [line.removeprefix("move ") for line in lines if line.startswith("move ")]
    return list(render(rules, seed, moves))


def main():
    parser = argparse.ArgumentParser(description="Playthroughs of the games.")
    parser.add_argument("--update", action="store_true", help="write all files anew")
    arguments = parser.parse_args()
    for name, (rules, seed) in GAMES.items():
        text = "\n".join(render(rules, seed, None)) + "\n"
        path = FOLDER / f"{name}.txt"
        same = path.exists() and path.read_text() == text
        print(f"{name}: {'the same' if same else 'different'}")
        if arguments.update:
            path.write_text(text)


if __name__ == "__main__":
    main()
