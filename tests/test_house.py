"""The house: fair deals, games that are found again, and nothing lost."""

import hashlib
import json
import sqlite3

import pytest

import kibitz
from kibitz.house import fair
from kibitz.house.sitting import Sitting

NONCE = "0123456789abcdef" * 2
UNO = kibitz.rules("uno")
BLOB = kibitz.rules("blob", players=3, cards=3)
WHOLE = kibitz.rules("blob-game", players=3, start=2)


def opened(house, rules=UNO, opponents=("casual",), seat=0, **options):
    table, _ = house.commit()
    return house.deal(table, NONCE, rules, list(opponents), seat, **options)


def move_on(house, sitting, plies=10_000):
    """Let everybody play, the person the first legal move."""
    while not sitting.over and sitting.table.plies < plies:
        choice = sitting.choice()
        if choice is None:
            sitting.play(sitting.view.legal[0], sitting.table.plies)
        else:
            player, view, generator = choice
            sitting.answer(player.decide(view, generator).action)
        house.save(sitting)
    return sitting


def play(table):
    """Let the first legal moves be played to the end."""
    while not table.over:
        table.play(table.legal_actions()[0])
    return table


@pytest.fixture
def house():
    return kibitz.House()


# --- fair deals ----------------------------------------------------------------------------------


def test_the_commitment_is_to_the_secret_that_made_the_deal(house):
    table, promised = house.commit()
    sitting = house.deal(table, NONCE, UNO, ["casual"])
    move_on(house, sitting)
    frame = sitting.frame()
    secret = frame["reveal"]["secret"]
    assert len(bytes.fromhex(secret)) == 32
    assert hashlib.sha256(secret.encode()).hexdigest() == promised == frame["commitment"]
    digest = hashlib.sha256(f"{secret}:{NONCE}".encode()).digest()
    again = kibitz.Table(UNO, seed=int.from_bytes(digest[:16], "big"), chance=2)
    assert again.record().deal == frame["reveal"]["deal"]
    assert frame["reveal"]["actions"] == sitting.table.record().actions
    assert kibitz.api.check_deal(secret, promised, NONCE, house.finished(sitting.share).record)


def test_secret_and_nonce_both_make_the_deal():
    secrets = ["0" * 64, "1" * 64]
    seeds = {fair.seed(secret, nonce) for secret in secrets for nonce in (NONCE, "f" * 32)}
    assert len(seeds) == 4
    assert all(seed < 2**128 for seed in seeds)


@pytest.mark.parametrize("digits", [32, 64], ids=["of before", "of today"])
def test_what_was_not_dealt_by_the_secret_is_found_out(digits):
    """Another seed, another index, and the other version of chance, which the secret names: else a
    house could choose between two deals."""
    secret = "5c" * (digits // 2)
    promised, seed, chance = fair.commitment(secret), fair.seed(secret, NONCE), fair.chance(secret)

    def checked(record):
        return kibitz.api.check_deal(secret, promised, NONCE, record)

    def dealt(*given, **options):
        return play(kibitz.Table(UNO, *given, **options)).record()

    right = dealt(seed, chance=chance)
    assert chance == right.chance == (2 if digits == 64 else 1)
    assert checked(right)
    assert not checked(dealt(seed + 1, chance=chance))
    assert not checked(dealt(seed, 1, chance=chance))
    assert not checked(dealt(seed, chance=3 - chance))
    assert not checked(right.model_copy(update={"chance": 3 - chance}))
    ply = next(k for k, move in enumerate(right.actions) if move.startswith("draw "))
    for card in ("R5", "B6"):
        actions = [*right.actions[:ply], f"draw {card}", *right.actions[ply + 1 :]]
        assert actions == right.actions or not checked(
            right.model_copy(update={"actions": actions})
        )


@pytest.mark.parametrize("nonce", ["", "xyz", "A" * 32, "0" * 31, "0" * 65, "0" * 31 + "\n"])
def test_a_nonce_must_be_random_digits(house, nonce):
    table, _ = house.commit()
    with pytest.raises(kibitz.KibitzError, match="hexadecimal"):
        house.deal(table, nonce, UNO, ["casual"])
    house.deal(table, NONCE, UNO, ["casual"])  # the promise still holds


def test_secrets_are_new_each_time(house):
    assert len({house.commit()[1] for _ in range(100)}) == 100


def test_a_table_is_dealt_once(house):
    table, _ = house.commit()
    house.deal(table, NONCE, UNO, ["casual"])
    with pytest.raises(kibitz.NotFound):
        house.deal(table, NONCE, UNO, ["casual"])


def test_nothing_is_revealed_before_the_end(house):
    sitting = move_on(house, opened(house), plies=10)
    frame = sitting.frame()
    assert frame["reveal"] is None
    assert frame["outcome"] is None
    assert sitting.secret not in json.dumps(frame)
    assert sitting.token not in json.dumps(frame)
    assert str(sitting.table.seed) not in json.dumps(frame)


def test_agents_draw_nothing_from_the_deal(house):
    """Their random numbers come from a secret of their own, anew for each move."""
    promised = [house.commit()[0] for _ in range(2)]
    house.secret = lambda table: "0" * 32  # the same deal twice
    first, second = (house.deal(t, NONCE, UNO, ["casual"], 1) for t in promised)
    assert first.table.record().deal == second.table.record().deal
    generators = [sitting.choice()[2].tolist() for sitting in (first, second)]
    assert generators[0] != generators[1]
    streams = [kibitz.generator(first.table.seed, 0, stream).tolist() for stream in range(9)]
    assert not any(generator in streams for generator in generators)
    assert first.choice()[2].tolist() == generators[0]
    move_on(house, first, 1)
    assert first.mine or first.choice()[2].tolist() != generators[0]


# --- playing -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [UNO, kibitz.rules("uno", skip="pass"), BLOB, WHOLE], ids=str)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_game_is_played_to_its_end(house, rules, seat):
    sitting = move_on(house, opened(house, rules, seat=seat))
    frame = sitting.frame()
    assert frame["outcome"]["returns"] == sitting.table.returns()
    assert frame["players"][seat] == {"name": "You", "level": None}
    found = house.finished(frame["reveal"]["share"])
    assert kibitz.Table.replay(found.record).over
    assert found.seat == seat


def test_the_person_plays_in_turn_and_once(house):
    sitting = opened(house, seat=1)
    with pytest.raises(kibitz.IllegalMove, match="it is seat 0's turn"):
        sitting.play("draw")
    move_on(house, sitting, 1)
    while not sitting.mine:
        move_on(house, sitting, sitting.table.plies + 1)
    ply, move = sitting.table.plies, sitting.view.legal[0]
    with pytest.raises(kibitz.IllegalMove, match="chosen at move"):
        sitting.play(move, ply - 1)
    sitting.play(move, ply)
    with pytest.raises(kibitz.IllegalMove):
        sitting.play(move, ply)


def test_taking_back_leads_to_the_own_last_decision(house):
    sitting = move_on(house, opened(house, BLOB, seat=1), 5)
    while not sitting.mine:
        move_on(house, sitting, sitting.table.plies + 1)
    before, events = sitting.view.to_bytes(), sitting.view.events
    sitting.play(sitting.view.legal[-1])
    while not sitting.mine:
        move_on(house, sitting, sitting.table.plies + 1)
    sitting.undo()
    assert sitting.view.to_bytes() == before
    assert sitting.undone == 1
    sitting.undo()
    assert sitting.mine
    assert len(sitting.view.events) < len(events)


def test_there_must_be_something_to_take_back(house):
    with pytest.raises(kibitz.IllegalMove, match="not moved yet"):
        opened(house).undo()
    with pytest.raises(kibitz.IllegalMove, match="watching"):
        opened(house, watch=True).undo()
    with pytest.raises(kibitz.IllegalMove, match="all cards were shown"):
        move_on(house, opened(house, BLOB)).undo()


def test_grades_of_moves_taken_back_are_forgotten(house):
    sitting = opened(house)
    move = sitting.view.legal[0]
    sitting.play(move)
    note = {"ply": 0, "move": move, "name": "best", "loss": 0.0, "error": 0.0, "best": move}
    assert sitting.graded(note)
    assert not sitting.graded(note)  # once is enough
    assert not sitting.graded({**note, "ply": 99})
    assert sitting.frame()["grades"] == [note]
    sitting.undo()
    assert sitting.frame()["grades"] == []
    assert not sitting.graded(note)  # the search ended too late


def test_watching_is_from_behind_one_seat(house):
    sitting = move_on(house, opened(house, WHOLE, ["casual"], 2, watch=True), 9)
    assert sitting.frame()["view"]["seat"] == 2
    assert all(player["level"] == "casual" for player in sitting.frame()["players"])
    with pytest.raises(kibitz.IllegalMove, match="watching"):
        sitting.play("draw")


@pytest.mark.parametrize(
    ("opponents", "seat", "said"),
    [
        (["casual", "casual"], 0, "1 opponents are needed"),
        (["nobody"], 0, "no agent 'nobody'"),
        (["you"], 0, "the person"),
        (["casual"], 5, "seat must be 0 to 1"),
        (["cheat"], 0, "sees the true cards"),
    ],
)
def test_wrong_tables_are_refused(house, opponents, seat, said):
    with pytest.raises(kibitz.KibitzError, match=said):
        opened(house, opponents=opponents, seat=seat)


# --- keeping -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [UNO, BLOB, WHOLE], ids=str)
def test_a_game_goes_on_after_a_restart_as_it_would_have(tmp_path, rules):
    first = kibitz.House(kibitz.Storage(tmp_path))
    sitting = move_on(first, opened(first, rules, ["novice"]), 7)
    kept = sitting.to_dict()
    second = kibitz.House(kibitz.Storage(tmp_path))
    again = second.find(sitting.id, sitting.token)
    assert again is not sitting
    assert again.frame() == sitting.frame()
    assert again.to_dict() == kept
    whole = move_on(kibitz.House(), Sitting.from_dict(kept)).table.record()
    assert move_on(second, again).table.record() == whole


def test_only_the_token_opens_a_table(house):
    sitting = opened(house)
    assert house.find(sitting.id, sitting.token) is sitting
    messages = set()
    for table, token in [(sitting.id, "guess"), ("nowhere", sitting.token), (sitting.id, "ü")]:
        with pytest.raises(kibitz.NotFound) as error:
            house.find(table, token)
        messages.add(str(error.value))
    assert len(messages) == 1  # which of the two was wrong is not told


def test_two_servers_on_one_file_do_not_undo_each_other(tmp_path):
    first, second = (kibitz.House(kibitz.Storage(tmp_path)) for _ in range(2))
    here = opened(first)
    there = second.find(here.id, here.token)
    here.play(here.view.legal[0])
    first.save(here)
    there.play(there.view.legal[-1])
    with pytest.raises(kibitz.KibitzError, match="went on elsewhere"):
        second.save(there)
    assert second.find(here.id, here.token).table.record() == here.table.record()


def test_records_are_shared_only_when_the_game_is_over(house):
    sitting = move_on(house, opened(house), 5)
    assert sitting.share == ""
    for name in ("", sitting.id, sitting.token):
        with pytest.raises(kibitz.NotFound):
            house.finished(name)


def test_visitors_find_their_games_and_settings_again(tmp_path):
    house = kibitz.House(kibitz.Storage(tmp_path))
    name, settings, *_ = house.visitor(None)
    assert settings == {}
    house.set(name, {"theme": "dark"})
    sitting = move_on(house, opened(house, visitor=name), 4)
    opened(house)  # somebody else's
    house = kibitz.House(kibitz.Storage(tmp_path))
    found = house.visitor(name)
    assert found[:2] == (name, {"theme": "dark"})
    (saved,) = found.saved
    assert (saved["table"], saved["token"]) == (sitting.id, sitting.token)
    assert (saved["plies"], saved["over"]) == (4, False)
    games, unreadable = house.saved()
    assert (len(games), unreadable) == (2, 0)
    assert house.visitor("guessed").name != "guessed"
    assert house.visitor(house.visitor(None).name).saved == []
    with pytest.raises(kibitz.NotFound):
        house.set("guessed", {})
    with pytest.raises(kibitz.KibitzError, match="characters"):
        house.set(name, {"x": "y" * 10_000})


def test_a_list_of_long_games_is_short_and_reads_none_of_them(house, monkeypatch):
    """Whoever comes back is told of fifty games, whatever they are."""
    longest = kibitz.rules(
        "blob-game", players=2, points_per_trick=99, exact_bonus=999, miss="penalty",
        schedule=range(1, 27), trumps=["random", "diamonds"] * 32, dealer=1,
    )  # fmt: skip
    name = house.visitor(None).name
    for _ in range(50):
        opened(house, rules=longest, visitor=name)
    sitting = move_on(house, opened(house, rules=longest, visitor=name), 400)
    read, loads = [], json.loads
    monkeypatch.setattr(json, "loads", lambda text: read.append(len(text)) or loads(text))
    saved = house.visitor(name).saved
    assert len(saved) == 50
    assert len(json.dumps(saved)) < 50 * 400
    assert sum(read) < len(json.dumps(sitting.to_dict())) / 4


def test_reviews_are_kept(tmp_path):
    house = kibitz.House(kibitz.Storage(tmp_path))
    share = move_on(house, opened(house, BLOB)).share
    assert house.finished(share).review is None
    house.keep_review(share, {"a": 1})
    assert kibitz.House(kibitz.Storage(tmp_path)).finished(share).review == {"a": 1}


def test_a_file_of_another_version_is_not_touched(tmp_path):
    file = sqlite3.connect(tmp_path / "kibitz.sqlite")
    file.execute("PRAGMA user_version=99")
    file.close()
    with pytest.raises(kibitz.KibitzError, match="version is 99"):
        kibitz.Storage(tmp_path)


def test_a_folder_that_cannot_be_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(kibitz.KibitzError, match="cannot keep games in"):
        kibitz.Storage(tmp_path / "file" / "below")


def test_most_tables_are_in_the_file_only(monkeypatch):
    from kibitz.house import house as module

    monkeypatch.setattr(module, "OPEN", 3)
    house = kibitz.House()
    there = [opened(house) for _ in range(6)]
    assert len(house._open) == 3
    for sitting in there:
        assert house.find(sitting.id, sitting.token).frame() == sitting.frame()
