"""Records as JSON, what a seat's record may hold, and files of them."""

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kibitz
from helpers import PURE, RULE_SETS, clean_environment, examples, played
from kibitz import KibitzError
from kibitz.table.record import parse_record

EVERY = pytest.mark.parametrize("rules", RULE_SETS, ids=str)
UNO = kibitz.rules("uno")


# --- JSON ----------------------------------------------------------------------------------------


@EVERY
def test_records_survive_the_way_through_json(rules):
    table = played(rules, seed=2)
    for record in (table.record(), *(table.seat_record(seat) for seat in range(rules.seats))):
        text = record.to_json()
        assert "\n" not in text
        again = parse_record(text)
        assert type(again) is type(record)
        assert again == record
        assert again.to_json() == text


def test_a_record_names_rules_players_and_result():
    table = kibitz.Table.from_deal(UNO, hands=["R5", "B1"], top="R3", players=["Ann", "Zoë"])
    table.play("R5")
    content = json.loads(table.record().to_json())
    assert content["game"] == "uno"
    assert content["players"] == ["Ann", "Zoë"]
    assert content["deal"] == {"hands": ["R5", "B1"], "top": "R3"}
    assert content["actions"] == ["R5"]
    assert content["result"] == {"returns": [1, -1], "ending": "emptied", "plies": 1}
    assert content["rules_hash"] == UNO.digest
    assert kibitz.rules_from_dict({"game": "uno", **content["rules"]}) == UNO


def changed(**changes):
    return json.dumps(json.loads(played(UNO, plies=3).record().to_json()) | changes)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("nonsense", "not JSON"),
        ("[]", "a JSON object is needed"),
        ("3", "a JSON object is needed"),
        ("{}", "format None"),
        ('{"format": 99}', "format 99"),
        ('{"format": 1}', "not a record"),
        ("[" * 100_000, "nested too deeply"),
        ('{"format": ' + "1" * 5000 + "}", "not"),
        (changed(more=1), "more"),
        (changed(seed=-1), "seed"),
        (changed(seed="1"), "seed"),
        (changed(index=1.5), "index"),
        (changed(actions="R5"), "actions"),
        (changed(actions=[5]), "actions.0"),
        (changed(deal=[]), "deal"),
        (changed(result={"returns": [1]}), "result"),
        (changed(seat=0), "not a record"),
    ],
)
def test_lines_that_are_no_record_are_refused_in_words(line, said):
    with pytest.raises(KibitzError, match=said):
        parse_record(line)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)


@examples
@given(st.text() | json_values.map(json.dumps))
def test_any_text_is_a_record_or_a_kibitz_error(line):
    with pytest.raises(KibitzError):
        parse_record(line)


def places(value):
    """Every place inside a JSON value, as (container, key)."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(items):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places(inner)


@examples
@given(st.data())
def test_a_record_with_one_value_replaced_replays_or_is_a_kibitz_error(data):
    content = json.loads(played(UNO, seed=1, plies=12).record().to_json())
    container, key = data.draw(st.sampled_from(list(places(content))))
    container[key] = data.draw(json_values)
    with suppress(KibitzError):
        kibitz.Table.replay(parse_record(json.dumps(content)))


# --- what a seat's record may hold ---------------------------------------------------------------


@EVERY
def test_a_seat_record_holds_neither_seed_nor_deal_nor_another_seats_cards(rules):
    table = played(rules, seed=3)
    game = kibitz.game_of(rules)
    for seat in range(rules.seats):
        content = json.loads(table.seat_record(seat).to_json())
        assert set(content) == {
            *("format", "game", "rules", "rules_hash", "players", "result", "seat", "events")
        }
        events = [game.parse_event(line) for line in content["events"]]
        private = [event for event in events if event.kind in ("deal", "draw")]
        assert private
        for event in private:
            assert (len(event.cards) == event.number) if event.seat == seat else not event.cards
        assert [event.kind for event in events] == [event.kind for event in table.events()]


def test_a_seat_record_mentions_no_card_that_the_seat_did_not_see():
    """All cards named in the record are in the own hand or were put on the pile."""
    table = kibitz.Table.from_deal(UNO, hands=["R5 R6", "B1 B2"], top="R3")
    table.play("R5")
    line = table.seat_record(0).to_json()
    assert "R6" in line
    assert "B1" not in line
    assert "B2" not in line


# --- files ---------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path):
    return tmp_path / "games.jsonl"


def some_records(count):
    return [played(UNO, seed=seed, plies=4).record() for seed in range(count)]


def test_appending_adds_one_line(path):
    records = some_records(3)
    for number, record in enumerate(records, 1):
        kibitz.append_record(path, record)
        text = path.read_text()
        assert text.count("\n") == number
        assert text.endswith(record.to_json() + "\n")
    assert kibitz.read_records(path) == records


def test_whole_and_seat_records_may_share_a_file(path):
    table = played(UNO)
    for record in (table.record(), table.seat_record(1)):
        kibitz.append_record(path, record)
    assert kibitz.read_records(str(path)) == [table.record(), table.seat_record(1)]


APPENDER = """
import sys
import threading
from kibitz.table import append_record
from kibitz.table.record import parse_record

path, line, name, count = sys.argv[1:]
record = parse_record(line)
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(count)):
    append_record(path, record.model_copy(update={"players": [name, str(number)]}))
"""


def test_appends_from_several_processes_lose_nothing(path):
    count, names = (5 if PURE else 60), ["a", "b", "c"]
    line = played(UNO, seed=2).record().to_json()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", APPENDER, str(path), line, name, str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=clean_environment(),
        )
        for name in names
    ]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:  # all at once
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=300)
        assert process.returncode == 0
    found = [tuple(record.players) for record in kibitz.read_records(path)]
    assert sorted(found) == sorted((name, str(n)) for name in names for n in range(count))
    for name in names:
        assert [n for who, n in found if who == name] == [str(n) for n in range(count)]


def torn(path, keep=1):
    """A file whose last line was cut off, as by a power failure, in the middle of a letter."""
    records = some_records(keep + 1)
    for record in records[:keep]:
        kibitz.append_record(path, record)
    last = records[keep].model_copy(update={"players": ["Ann", "Zoë"]})
    last = json.dumps(last.model_dump(mode="json"), ensure_ascii=False).encode()
    with path.open("ab") as file:
        file.write(last[: last.index("ë".encode()) + 1])
    return records


def test_a_torn_last_line_is_reported_and_skipped(path):
    records = torn(path)
    warnings = []
    assert kibitz.read_records(path, warnings.append) == records[:1]
    assert len(warnings) == 1
    assert "line 2" in warnings[0]
    assert "torn last line" in warnings[0]
    assert "skipped" in warnings[0]
    assert kibitz.read_records(path) == records[:1], "nobody needs to listen"


def test_after_a_torn_line_the_next_record_is_readable(path):
    records = torn(path)
    kibitz.append_record(path, records[1])
    warnings = []
    assert kibitz.read_records(path, warnings.append) == records
    assert ["line 2" in warning for warning in warnings] == [True]


def test_a_bad_line_in_the_middle_is_reported_and_skipped(path):
    first, second = some_records(2)
    path.write_text(f"{first.to_json()}\nnonsense\n\n{second.to_json()}\n")
    warnings = []
    assert kibitz.read_records(path, warnings.append) == [first, second]
    assert len(warnings) == 1
    assert "line 2: not a record: not JSON" in warnings[0]


def test_no_more_of_a_file_is_read_than_is_asked_for(path):
    """By a file that never ends: read whole, it would fill the memory."""
    line = played(UNO).record().to_json() + "\n"
    os.mkfifo(path)
    written = 0

    def write():
        nonlocal written
        with suppress(BrokenPipeError), path.open("w") as file:
            while True:
                written += file.write(line)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    records = kibitz.iter_records(path)
    found = [next(records) for _ in range(3)]
    records.close()
    writer.join(60)
    assert not writer.is_alive()
    assert [record.to_json() + "\n" for record in found] == [line] * 3
    assert written < 1_000_000


def test_problems_before_a_record_are_told_with_it(path):
    (record,) = some_records(1)
    path.write_text(f"nonsense\n{record.to_json()}\n" + "more\n" * 3)
    warnings = []
    records = kibitz.iter_records(path, warnings.append)
    assert next(records) == record
    assert ["line 1" in warning for warning in warnings] == [True]
    assert list(records) == []
    assert len(warnings) == 4


@pytest.mark.parametrize("content", ["", "\n\n", "nonsense\n", "{}\n", '{"format":1'])
def test_a_file_without_a_readable_record_is_an_error(path, content):
    path.write_text(content)
    with pytest.raises(KibitzError, match=r"no game record in .*one line of JSON"):
        kibitz.read_records(path)


def test_a_file_that_is_not_there_is_an_error(path):
    with pytest.raises(KibitzError, match=r"cannot read .*games\.jsonl: no such file"):
        kibitz.read_records(path)


def test_a_folder_is_no_file_of_records(tmp_path):
    with pytest.raises(KibitzError, match=r"cannot read .*directory"):
        kibitz.read_records(tmp_path)


def test_a_record_cannot_be_added_to_a_file_in_no_folder(tmp_path):
    (record,) = some_records(1)
    with pytest.raises(KibitzError, match=r"cannot write .*no such file"):
        kibitz.append_record(tmp_path / "nowhere" / "games.jsonl", record)
