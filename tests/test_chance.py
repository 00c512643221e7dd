"""Where the cards of a table come from: the cipher of tables with people, and that it changes
nothing for simulations."""

import hashlib
import json

import numpy as np
import pytest

import kibitz
from helpers import RULE_SETS
from kibitz import rng
from kibitz.table import Table, chance, parse_record

SEED = 0x0123456789ABCDEF0123456789ABCDEF

UNO_DEALT = {"hands": ["RS Y0 G2 B2 BS B+2 B+2", "R0 R9 Y1 GR B0 B5 W"], "top": "R5"}
UNO_PLAYED = (
    "RS, BS, B+2, draw G0 B3, B+2, draw RS W+4, B2, W+4:B, draw Y5 G4 G8 B8, W:B, B8, B5, Y5, "
    "Y1, Y0, B0, draw Y8, B3, draw Y+2, draw R1, draw R2, draw B6, draw G5, B6, draw G2, draw "
    "G4, draw R+2, draw YR, draw R2, draw G6, draw B4, G6, G8, GR, G4, B4, draw BR, G4, G0, G5"
)
BLOB_DEALT = {"hands": ["AS 9S", "3H 4D", "9H 8C"], "trump": "spades"}
BLOB_PLAYED = (
    "2, 2, 2, AS, 3H, 9H, 9S, 4D, 8C deal AS | 6C | JH trump hearts, 1, 1, 1, 6C, JH, AS deal "
    "TD | 2H | QD trump clubs"
)


def play(table, plies=10_000):
    while not table.over and table.plies < plies:
        table.play(table.legal_actions()[-1])
    return table


def test_the_words_are_sha256_in_counter_mode():
    found = chance.secret_words(SEED, 7, 0, 12)
    text = "".join(
        hashlib.sha256(f"kibitz chance 2:{SEED:032x}:7:{block}".encode()).hexdigest()
        for block in range(3)
    )
    assert [f"{int(word):016x}" for word in found] == [text[16 * k :][:16] for k in range(12)]
    assert chance.secret_words(SEED, 7, 8, 4).tolist() == found[8:].tolist()
    assert chance.secret_words(SEED, 8, 0, 12).tolist() != found.tolist()


def test_kernels_read_a_tape_word_by_word():
    words = chance.secret_words(SEED, 0, 0, 8)
    tape = rng.tape(words)
    assert [int(rng.next_word(tape)) for _ in range(8)] == words.tolist()
    assert int(tape[0, 0]) == 8
    beyond = {int(rng.next_word(tape)) for _ in range(100)}
    assert len(beyond) == 100  # it goes on, for whoever must come to an end
    assert int(tape[0, 0]) == 108  # and is noticed


def test_such_a_game_stays_what_it_is():
    """Records of tables with people verify as long as this holds."""
    table = Table(kibitz.rules("uno"), SEED, chance=chance.SECRET)
    assert table.record().deal == UNO_DEALT
    assert ", ".join(play(table, 40).record().actions) == UNO_PLAYED
    table = Table(kibitz.rules("blob-game", players=3, start=2), SEED, chance=chance.SECRET)
    assert table.record().deal == BLOB_DEALT
    assert ", ".join(play(table, 15).record().actions) == BLOB_PLAYED


@pytest.mark.parametrize("rules", RULE_SETS, ids=str)
def test_a_game_is_replayed_from_its_record(rules):
    table = play(Table(rules, SEED, chance=chance.SECRET))
    line = table.record().to_json()
    assert json.loads(line)["chance"] == 2
    again = Table.replay(parse_record(line))
    assert again.true_state().tobytes() == table.true_state().tobytes()
    if table.record().deal == Table(rules, SEED).record().deal:
        return  # a tiny deck: both versions deal the same
    lie = json.loads(line) | {"chance": 1}
    with pytest.raises(kibitz.KibitzError, match="seed"):
        Table.replay(parse_record(json.dumps(lie)))


@pytest.mark.parametrize("rules", RULE_SETS, ids=str)
def test_a_tape_that_is_too_short_makes_no_difference(rules, monkeypatch):
    whole = play(Table(rules, SEED, chance=chance.SECRET)).record()
    monkeypatch.setattr(chance, "FIRST", 4)
    assert play(Table(rules, SEED, chance=chance.SECRET)).record() == whole


@pytest.mark.parametrize("version", chance.VERSIONS)
def test_moves_taken_back_give_the_same_cards_again(version):
    table = play(Table(kibitz.rules("uno"), SEED, chance=version), 30)
    actions = table.record().actions
    table.undo(25)
    assert play(table, 30).record().actions == actions


def test_simulations_keep_their_numbers_and_their_records():
    table = play(Table(kibitz.rules("uno"), 5))
    content = json.loads(table.record().to_json())
    assert "chance" not in content
    assert parse_record(json.dumps(content)).chance == chance.PLAIN
    source = rng.generator(5)
    assert table._chance._rng.shape == source.shape == (2,)


def test_there_are_two_versions():
    for wrong in (0, 3, None, "2"):
        with pytest.raises(kibitz.KibitzError, match="chance is version 1 or 2"):
            Table(kibitz.rules("uno"), 5, chance=wrong)
    line = json.loads(Table(kibitz.rules("uno"), 5).record().to_json())
    with pytest.raises(kibitz.KibitzError, match="chance"):
        parse_record(json.dumps(line | {"chance": 3}))


def test_cards_are_even():
    """Of 4,000 deals every card lies on top equally often: chi-square of 51 degrees of freedom."""
    rules = kibitz.rules("blob", trump="turned", players=2, cards=1)
    tops = [
        Table(rules, seed, chance=chance.SECRET).record().deal["turned"] for seed in range(4000)
    ]
    counts = np.unique(tops, return_counts=True)[1]
    assert len(counts) == 52
    expected = 4000 / 52
    assert ((counts - expected) ** 2 / expected).sum() < 51 + 4 * np.sqrt(2 * 51)
