"""`kibitz play --terminal`, played in this process: a person who types is an object with lines."""

import copy
import hashlib
import io
import os
import re
import secrets
import subprocess
import sys

import pytest

import kibitz
from helpers import clean_environment, play_on, sampled
from kibitz import api, rng
from kibitz.cli import app, terminal_draw
from kibitz.cli.terminal_input import Left, meant
from kibitz.cli.terminal_table import AtTable
from kibitz.house import fair

ANSI = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Person:
    """Standard input: answers one after the other, or what a function makes of the output."""

    def __init__(self, answers, output):
        self.answers = answers if callable(answers) else iter(answers)
        self.output = output
        self.typed = []
        self.closed = False

    def isatty(self):
        return False

    def readline(self):
        if callable(self.answers):
            answer = self.answers(self.output.getvalue())
        else:
            answer = next(self.answers, None)
        if isinstance(answer, type):
            raise answer
        if answer is None:
            return ""  # the end of the file
        self.typed.append(answer)
        return f"{answer}\n"


@pytest.fixture(autouse=True)
def quick_and_the_same(monkeypatch):
    """The same secrets in every run, and a coach that thinks for a moment."""
    monkeypatch.setattr(api.House, "secret", lambda self, table: "5c" * 16)
    monkeypatch.setattr(secrets, "randbits", lambda n: 11)
    monkeypatch.setenv("COLUMNS", "80")
    for game in api.GAMES:
        played = api.game_of(api.rules_type(game))
        monkeypatch.setattr(type(played), "coach", "flat:sims=300")


@pytest.fixture
def sit(monkeypatch, tmp_path):
    """Run the command with these answers: exit code, and all that was printed."""

    def call(answers, *arguments, data=tmp_path):
        output, errors = io.StringIO(), io.StringIO()
        monkeypatch.setattr(sys, "stdin", Person(answers, output))
        monkeypatch.setattr(sys, "stdout", output)
        monkeypatch.setattr(sys, "stderr", errors)
        words = ["kibitz", "play", "--terminal", "--data", str(data), *arguments]
        monkeypatch.setattr(sys, "argv", words)
        code = app._run()
        return code, output.getvalue(), errors.getvalue()

    return call


UNO = ("uno", "--level", "casual", "--seat", "0")
BLOB = ("blob", "--level", "casual", "--seat", "1", "--rules", "players=3,cards=3,trump=hearts")


def first_move(text):
    """A person who plays the first card that it can, until the game is over."""
    last = text.rsplit("\n", 1)[-1]
    drawn = text.rsplit("──", 1)[-1]
    if last.startswith("Your part"):
        return "mine"
    if last.startswith("Which colour"):
        return "g"
    if last.startswith("Your bid"):
        return re.search(r"You may bid (\d+)", drawn)[1]
    if last.startswith("Your move"):
        return "d" if "You cannot play" in drawn else "1"
    assert last.startswith("What now"), last
    return None


def records(folder):
    house = api.House(api.Storage(folder))
    return [house.find(game["table"], game["token"]) for game in house.saved()[0]]


# --- whole games ---------------------------------------------------------------------------------


def test_a_whole_game_of_uno(sit, tmp_path):
    code, text, _ = sit(first_move, *UNO, "--coach")
    assert code == 0
    assert "The deal was fair" in text
    assert re.search(r"(You win|Casual wins): the hand is empty", text)
    assert re.search(r"Your moves: .*mean\s+loss\s+[0-9.]+\s+percentage\s+points", text)
    assert text.rstrip().endswith("opens again.")
    (sitting,) = records(tmp_path)
    assert sitting.over
    assert not sitting.undone
    assert sitting.nonce == hashlib.sha256(b"mine").hexdigest()[:32]
    assert sitting.grades, "the coach has graded the moves"
    assert max(len(line) for line in text.splitlines()) <= 80


def test_the_commitment_is_shown_before_the_deal_and_the_secret_only_at_the_end(sit):
    _, text, _ = sit(first_move, *UNO, "--no-coach")
    secret = "5c" * 16
    before, _, after = text.partition("── the end")
    assert text.index(fair.commitment(secret)) < text.index("── move 1 ")
    assert secret not in before
    assert secret in after


def test_a_round_of_blob(sit, tmp_path):
    code, text, _ = sit(first_move, *BLOB, "--coach")
    assert code == 0
    assert "The deal was fair" in text
    assert "taken/bid" in text
    (sitting,) = records(tmp_path)
    assert sitting.over
    mine = [s.events[0] for s in sitting.table.steps()[1:] if s.seat == 1]
    assert [event.kind for event in mine] == ["bid", "play", "play", "play"]
    totals = [int(t) for t in sitting.table.returns()]
    row = next(line for line in text.splitlines() if line.startswith("round 1"))
    assert [int(word) for word in re.findall(r"/\d=? +(\d+)", row)] == totals


def test_a_whole_game_of_blob_has_a_score_sheet_of_all_rounds(sit, tmp_path):
    rules = ("--rules", "players=3,schedule=2,1,2")
    code, text, _ = sit(
        first_move, "blob-game", "--level", "casual", "--seat", "2", "--no-coach", *rules
    )
    assert code == 0, text
    assert all(f"round {number} " in text for number in (1, 2, 3))
    assert "Round 2 of 3: 1 card" in text


def test_another_game_and_the_menu_after_it(sit, tmp_path):
    wanted = iter(["x", "w", f"w {tmp_path / 'kept.jsonl'}", "l", "n"])

    def answer(text):
        return first_move(text) or next(wanted, "q")

    code, text, _ = sit(answer, *UNO, "--no-coach")
    assert code == 0
    assert text.count("The deal was fair") == 2
    assert text.count("this is its SHA-256") == 2
    (record,) = api.read_records(tmp_path / "kept.jsonl", pytest.fail)
    assert record in [sitting.table.record() for sitting in records(tmp_path)]
    assert "say which file" in text


def test_what_the_command_line_said_is_for_the_first_game(sit):
    wanted = iter(["w ~nobody-at-all/x.jsonl", "m", "blob", "", "", "", ""])

    def answer(text):
        last = text.rsplit("\n", 1)[-1]
        if last.startswith(("What now", "What shall", "Rules", "Your opponents", "Your seat")):
            return next(wanted)
        return first_move(text) if last.startswith(("Your", "Which")) else "q"

    code, text, err = sit(answer, *UNO, "--rules", "skip=pass", "--no-coach")
    assert code == 0, err
    assert "cannot write ~nobody-at-all/x.jsonl" in " ".join(text.split())
    assert "0 to 3 (3 deals first)" in text  # of Blob, which knows of no skip


def test_the_grades_of_a_game_are_summed_up_as_a_review_does(capsys):
    one = {"ply": 0, "move": "a", "best": "b"}
    noise = {**one, "name": "best", "loss": 6.2, "error": 3.4}
    terminal_draw.grades([noise, {**one, "ply": 4, "name": "mistake", "loss": 5.5, "error": 1.0}])
    said = capsys.readouterr().out
    assert "mean loss 2.8" in said
    assert "The worst was move 5" in said


def test_a_review_is_offered(sit):
    wanted = iter(["v"])
    short = ("blob", "--level", "casual", "--seat", "0", "--rules", "players=2,cards=1")
    code, text, _ = sit(lambda text: first_move(text) or next(wanted, None), *short, "--no-coach")
    assert code == 0
    assert "Luck and skill" in text


# --- what can be asked at the table --------------------------------------------------------------


def test_hint_belief_log_scores_rules_and_help(sit):
    lines = ["mine", "h", "b", "l", "s", "r", "?", "hint", "q"]
    code, text, _ = sit(lines, *UNO, "--coach", "--rules", "skip=pass")
    assert code == 0
    hint = text.partition("> h\n")[2].partition("Your move")[0]
    assert "win" in hint
    assert "±" in hint
    assert "█" in hint
    assert "•" in hint
    assert "The opponent holds 7 cards" in text
    assert "You are dealt" in text
    assert "no points here" in text
    assert "just pass the turn" in text
    assert "skip=pass" in text
    assert "back to your last decision" in text
    assert hint == text.partition("> hint\n")[2].partition("Your move")[0]


def test_a_hint_has_every_move_and_the_grade_agrees_with_it(sit, tmp_path):
    code, text, _ = sit(["mine", "h", "0", "q"], *BLOB, "--coach")
    assert code == 0
    (sitting,) = records(tmp_path)
    assert [grade["move"] for grade in sitting.grades] == ["0"]
    hint = text.partition("> h\n")[2].partition("Your bid")[0]
    best = re.search(r"^ (\d)", hint.split("─\n", 1)[-1].split("── \n")[-1], re.MULTILINE)
    moves = re.findall(r"^ (\d)(?: =)? +-?[0-9.]+ points ±", hint, re.MULTILINE)
    assert sorted(moves) == ["0", "1", "2", "3"]
    assert best
    assert sitting.grades[0]["best"] == moves[0]


def test_undo_goes_back_to_the_decision_before(sit, tmp_path):
    code, text, _ = sit(["mine", "u", "1", "g", "u", "q"], *UNO, "--no-coach")
    assert code == 0
    assert "you have not moved yet" in text
    assert "Taken back." in text
    (sitting,) = records(tmp_path)
    assert sitting.table.plies == 0
    assert sitting.undone == 1
    tables = [t.partition("> ")[0] for t in re.split(r"── move 1 ─+\n", text)[1:]]
    assert tables[-1].strip() in tables[0]  # the same but for what had happened


def test_quit_and_go_on(sit, tmp_path):
    code, text, _ = sit(["mine", "1", "g", "quit"], *UNO, "--coach")
    assert code == 0
    assert f"The game is kept: `kibitz play --terminal --data {tmp_path}`" in " ".join(text.split())
    (before,) = records(tmp_path)
    hand = text.rpartition("your hand\n")[2].partition("Your move")[0]

    def answer(text):
        return "go on" if text.endswith("[uno]: ") else first_move(text)

    code, text, _ = sit(answer)
    assert code == 0
    assert "uno against casual, " in text
    assert hand in text, "the hand is the one that was left"
    (after,) = records(tmp_path)
    assert after.over
    assert after.table.record().deal == before.table.record().deal
    moves = before.table.record().actions
    assert after.table.record().actions[: len(moves)] == moves
    assert "The deal was fair" in text
    assert "1  uno" in sit(["q"])[1]
    assert "go on" not in sit(["q"])[1]


def test_questions_with_wrong_answers_are_asked_again(sit, tmp_path):
    lines = [
        "chess",
        "9",
        "blob",
        "?",
        "cards=99",
        "crads=2",
        "players=3 cards=2",
        "mastr",
        "a,b,c",
    ]
    lines += ["novice,1", "3", "-1", "2", "maybe", "n", "my own part", "q"]
    code, text, _ = sit(lines)
    assert code == 0
    for said in (
        "'chess' is none of them",
        "'9' is none of them",
        "cards dealt to each seat",
        "cards='99'",
        "did you mean 'cards'?",
        "did you mean 'master'?",
        "2 players are needed, or one for all, not 3",
        "from 0 to 2, not '3'",
        "from 0 to 2, not '-1'",
        "'maybe': answer y or n",
    ):
        assert said in " ".join(text.split()), said
    (sitting,) = records(tmp_path)
    assert sitting.table.players == ["novice", "beginner", "you"]
    assert sitting.rules == kibitz.rules("blob", players=3, cards=2)
    assert not sitting.coach


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chess"], "no game 'chess'"),
        (["uno", "--seat", "2"], "from 0 to 1"),
        (["uno", "--level", "exprt"], "did you mean 'expert'"),
        (["blob", "--level", "club,club"], "3 players are needed"),
        (["uno", "--rules", "skp=pass"], "no option 'skp'"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_asked(sit, arguments, said):
    code, text, errors = sit([], *arguments)
    assert (code, text) == (2, "")
    assert said in errors


def test_leaving_at_any_question_is_polite(sit, tmp_path):
    lines = ["1", "", "casual", "0", "y", "mine", "h", "1", "g"]
    for end in (None, KeyboardInterrupt):
        for number in range(len(lines) + 1):
            folder = tmp_path / f"{end}{number}"
            code, text, errors = sit([*lines[:number], end], data=folder)
            assert code == 0
            assert "Traceback" not in text + errors
            kept = "The game is kept" in text
            assert kept == (number >= 6)
            assert len(records(folder)) == kept


def test_ctrl_c_while_somebody_thinks_keeps_the_game(sit, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("kibitz.agents.baselines.PlayerAgent.decide", interrupted)
    code, text, _ = sit(["mine"], "uno", "--level", "casual", "--seat", "1", "--no-coach")
    assert code == 0
    assert "The game is kept" in text
    assert [sitting.table.plies for sitting in records(tmp_path)] == [0]


def test_a_game_that_goes_on_in_another_window_is_taken_up_there(sit, tmp_path):
    def answer(text):
        last = text.rsplit("\n", 1)[-1]
        if last.startswith("Your part"):
            return "mine"
        if text.count("Your move>") == 1 and not text.endswith("? "):
            (other,) = records(tmp_path)
            other.play(other.view.legal[0])
            api.House(api.Storage(tmp_path)).save(other)
            return "1"
        return "g" if last.startswith("Which colour") else "q"

    code, text, _ = sit(answer, *UNO, "--no-coach")
    assert code == 0
    assert "went on elsewhere" in text
    assert "The game is kept" in text


# --- watching ------------------------------------------------------------------------------------


def test_watch_step_by_step_and_to_the_end(sit, tmp_path):
    lines = ["watch", "2", "players=3,cards=2", "casual", "1", "mine", "", "", "b", "h", "?", "a"]
    code, text, _ = sit(lines)
    assert code == 0
    assert "the hand of Casual 1" in text
    assert "── move 3 " in text
    assert "── move 4 " not in text
    assert "'h' is no command" in text
    assert "hidden cards" in text
    assert "The deal was fair" in text
    (sitting,) = records(tmp_path)
    assert sitting.over
    assert sitting.watch


def test_watching_shows_one_seat_only(sit, tmp_path):
    lines = ["watch", "uno", "", "casual", "0", "mine", "", "l", "b"]
    _, text, _ = sit(lines)
    (sitting,) = records(tmp_path)
    theirs = sitting.table.record().deal["hands"][1]
    hand = re.search(r"the hand of Casual 0\n(.*)\n", text)[1]
    assert sorted(hand.split()) == sorted(sitting.table.record().deal["hands"][0].split())
    assert sorted(hand.split()) != sorted(theirs.split())
    assert "Casual 1 is dealt 7 cards" in text
    assert "The game is kept" in text


# --- what is typed -------------------------------------------------------------------------------


def uno_view(hand="R5 R7 G3 B9 BS W W+4", top="R3"):
    table = kibitz.Table.from_deal(kibitz.rules("uno"), hands=[hand, "Y1 Y2"], top=top, seed=1)
    return table.view(0)


@pytest.mark.parametrize(
    ("said", "moves"),
    [
        ("1", ["R5"]),
        ("2", ["R7"]),
        ("3", ["G3"]),
        ("r7", ["R7"]),
        ("4", ["W:R", "W:Y", "W:G", "W:B"]),
        ("4:g", ["W:G"]),
        ("4 blue", ["W:B"]),
        ("w", ["W:R", "W:Y", "W:G", "W:B"]),
        ("W:Y", ["W:Y"]),
        ("w4 r", ["W+4:R"]),
        ("5", ["W+4:R", "W+4:Y", "W+4:G", "W+4:B"]),
    ],
)
def test_moves_by_number_and_in_notation(said, moves):
    view = uno_view()
    assert sorted(view.text(action) for action in meant(view, said)) == sorted(moves)


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("6", "no card has the number 6: you may play R5, R7, G3, W, W+4"),
        ("0", "no card has the number 0"),
        ("B9", "B9 cannot be played now: you may play R5"),
        ("Y7", "you do not hold Y7: you may"),
        ("d", "draw is not allowed now"),
        ("1:g", "no colour is declared so"),
        ("R77", "'R77' is no move and no command (did you mean 'R7'?)"),
        ("hnit", "did you mean 'hint'?"),
        ("\x1b[A", "is no move and no command"),
        ("x" * 500, "is no move"),
    ],
)
def test_wrong_moves_are_told_what_would_be_right(said, reply):
    with pytest.raises(kibitz.KibitzError) as error:
        meant(uno_view(), said)
    assert reply in str(error.value)
    assert len(str(error.value)) < 200
    assert "\x1b" not in str(error.value)


def test_wrong_bids_and_cards_of_blob():
    rules = kibitz.rules("blob", players=2, cards=2, trump="none", dealer=0)
    table = kibitz.Table.from_deal(rules, hands=["AS 2H", "KS 3D"], seed=1)
    table.play("1")
    view = table.view(0)
    assert [view.text(a) for a in meant(view, "2")] == ["2"]
    for said, reply in (("1", "1 is not allowed now: you may bid 0, 2"), ("AS", "no move")):
        with pytest.raises(kibitz.KibitzError) as error:
            meant(view, said)
        assert reply in str(error.value)
    table.play("0")
    table.play("KS")
    view = table.view(0)
    assert [view.text(a) for a in meant(view, "1")] == ["AS"]
    assert [view.text(a) for a in meant(view, "a♠")] == ["AS"]
    with pytest.raises(kibitz.KibitzError, match="2H cannot be played now: you may play AS"):
        meant(view, "2H")


def test_the_colour_of_a_wild_is_asked_for(sit, monkeypatch):
    answers = ["W", "purple", "green", "l", "q"]
    text = at_table(kibitz.Table.from_deal(
        kibitz.rules("uno"), hands=["R1 W", "Y1 Y2"], top="R3", seed=1, players=["you", "casual"]
    ), 0, answers, monkeypatch)  # fmt: skip
    assert "'purple' is no colour: type one of R, Y, G, B" in text
    assert "You play  W  declares  G" in text


# --- hidden cards stay hidden --------------------------------------------------------------------


def at_table(table, seat, answers, monkeypatch, coach=True):
    """What is printed to a person who sits down at this table."""
    output = io.StringIO()
    monkeypatch.setattr(sys, "stdin", Person(answers, output))
    monkeypatch.setattr(sys, "stdout", output)
    sitting = api.Sitting("table", "token", table, seat, False, coach, "5c" * 16, "ab" * 16, 3)
    with pytest.raises(Left):
        AtTable(api.House(), sitting, fair.commitment(sitting.secret)).play()
    return output.getvalue()


EVERYTHING = ["h", "b", "l", "s", "r", "?", "99", "nonsense", "exit"]


@pytest.mark.parametrize(
    ("rules", "seat", "plies"),
    [
        (kibitz.rules("uno"), 0, 12),
        (kibitz.rules("uno", skip="pass"), 1, 9),
        (kibitz.rules("blob", players=3, cards=5), 0, 9),
        (kibitz.rules("blob", players=4, cards=4, trump="turned"), 2, 2),
        (kibitz.rules("blob-game", players=3, schedule=(2, 4)), 1, 12),
    ],
    ids=str,
)
def test_what_is_printed_does_not_depend_on_hidden_cards(rules, seat, plies, monkeypatch):
    players = ["you" if k == seat else "casual" for k in range(rules.seats)]
    table = play_on(kibitz.Table(rules, seed=5, players=players), 5, plies)
    while table.to_act != seat:
        play_on(table, 5, 1)
    other = copy.deepcopy(table)
    world = sampled(rules, table.view(seat).observation, seat, rng.generator(9))
    other._states[-1] = world
    assert world.hand.tobytes() != table.true_state().hand.tobytes()
    assert other.view(seat) == table.view(seat)
    wrong = [card for card in ("Y9", "B2", "2S", "AH") if card not in table.legal()]
    first, second = (
        at_table(each, seat, [*wrong, *EVERYTHING], monkeypatch) for each in (table, other)
    )
    assert first == second
    assert "What now" not in first


def test_a_move_and_its_grade_do_not_depend_on_hidden_cards(monkeypatch):
    """After a Skip the same player moves again, whatever the other holds."""
    texts = []
    for theirs in ("Y1 Y2 W", "B7 G+2 R3"):
        table = kibitz.Table.from_deal(
            kibitz.rules("uno"), hands=["RS R5 G8", theirs], top="R3", seed=1,
            players=["you", "casual"],
        )  # fmt: skip
        texts.append(at_table(table, 0, ["RS", "h", "b", "u", "l", "q"], monkeypatch))
    assert texts[0] == texts[1]
    assert "You play  RS" in texts[0]
    assert re.search(r"Best|Good|Inaccuracy|Mistake|Blunder", texts[0])


# --- fairness ------------------------------------------------------------------------------------


def test_a_deal_that_was_not_promised_is_noticed():
    secret, nonce = "0f" * 16, "ab" * 16
    promised = fair.commitment(secret)
    table = play_on(kibitz.Table(kibitz.rules("uno"), fair.seed(secret, nonce)))
    record = table.record()
    assert api.check_deal(secret, promised, nonce, record)
    assert not api.check_deal("1f" * 16, promised, nonce, record)
    assert not api.check_deal(secret, fair.commitment("1f" * 16), nonce, record)
    assert not api.check_deal(secret, promised, "cd" * 16, record)
    others = kibitz.Table(kibitz.rules("uno"), 7).record()
    dealt = record.model_copy(update={"deal": others.deal})
    assert not api.check_deal(secret, promised, nonce, dealt)
    assert not api.check_deal(secret, promised, nonce, others)
    number = next(k for k, move in enumerate(record.actions) if move.startswith("draw "))
    cards = ["draw R0" if k == number else move for k, move in enumerate(record.actions)]
    if cards == record.actions:
        cards[number] = "draw Y0"
    drawn = record.model_copy(update={"actions": cards})
    assert not api.check_deal(secret, promised, nonce, drawn)


# --- a real table --------------------------------------------------------------------------------

HAND = "R5 G3 W Y0 B7 BS G+2"


def test_a_real_table_of_uno(sit, tmp_path):
    lines = ["real", "uno", "", "0", "R5", "W", HAND, "R3"]  # a hand too short, and a wrong card
    lines += ["Q9", "1", "d", "u", "Y5", "h", "b", "?", "d", "G9", "q"]
    code, text, _ = sit(lines)
    assert code == 0
    said = " ".join(text.split())
    assert "7 cards are dealt to each player, but 1" in said
    assert "no game begins with a wild" in said
    assert text.count("0 to 100 win %") >= 2, "advice at each turn of one's own"
    assert "Taken back." in text
    assert "What you told is kept" in said
    code, text, _ = sit(["real", "y", "l", "q"])
    assert code == 0
    assert "Seat 1 draws 1 card" not in text  # it was taken back
    assert "Seat 1 plays  Y5" in text


def test_a_real_table_of_blob_with_two_rounds(sit, tmp_path):
    lines = ["real", "blob-game", "players=2 schedule=1,2 trumps=hearts,random", "0", "AS"]
    lines += ["1", "1", "AS", "3D", "KH 2C", "spades"]  # the next deal is asked for
    lines += ["1", "0", "4C", "2C", "5C", "KH", "u", "KH", ""]  # the last move as a slip
    code, text, _ = sit([*lines, "q"])
    assert code == 0, text
    assert text.count("── the end") == 2
    assert "That ends the round." in text
    assert re.search(r"round 2 +2 ♠", text)
    assert not (tmp_path / "told.json").exists()


# --- odd surroundings ----------------------------------------------------------------------------


def test_a_pipe_with_odd_bytes_and_without_colours(tmp_path):
    command = [sys.executable, "-c", "from kibitz.cli import main; main()"]
    words = ["play", "uno", "-t", "--level", "casual", "--seat", "0", "--no-coach"]
    done = subprocess.run(
        [*command, *words, "--data", str(tmp_path)],
        input=b"\xff\xfe\x00\n\x1b[31m\n[bold]\n\xf0\x9f\x83\x8f\n",
        env=clean_environment(
            NO_COLOR="1", KIBITZ_CACHE_DIR=os.environ.get("KIBITZ_CACHE_DIR", ""), LC_ALL="C.UTF-8"
        ),
        capture_output=True,
        timeout=300,
    )
    text = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    assert "The game is kept" in text
    assert "'[bold]' is no move" in text
    assert not ANSI.search(text.replace("\x1b[31m", "", 1)), "no colours, nothing echoed twice"
