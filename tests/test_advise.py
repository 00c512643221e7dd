"""Advice: from Python and from the command line, for positions told and recorded."""

import json
import re

import pytest

import kibitz
from helpers import play_on
from kibitz import api
from kibitz.agents.names import ARENA
from kibitz.beliefs.cache import CACHE

UNO = ("--hand", "R5 G3 W", "--top", "R3", "--theirs", "5", "--drew", "red red")
BLOB = ("--players", "3", "--hand", "9C 5H", "--trump", "hearts", "--bids", "1 0 0")
PLAYED = ("--played", "2S 7C AS 3D 4H")
AGENT = ("--agent", "ismcts:sims=300")


def view_to_choose(game, seed=3, **rules):
    """A view of a seat that has a choice, some moves into a game."""
    table = play_on(kibitz.Table(kibitz.rules(game, **rules), seed=seed), seed, plies=6)
    while len(table.legal_actions()) < 2:
        table.play(table.legal_actions()[0])
    return table.view(table.to_act)


@pytest.mark.parametrize("game", ["uno", "blob", "blob-game"])
@pytest.mark.parametrize(
    "agent", ["flat:sims=200", "worlds", "ismcts:sims=200", "pomcp:sims=200", "default:ms=20"]
)
def test_advice_ranks_the_moves_and_says_why(game, agent):
    view = view_to_choose(game)
    found = kibitz.advise(view, agent, seed=1)
    assert found.action in view.actions
    assert {move.action for move in found.moves} <= set(view.actions)
    assert found.moves[0].action == found.action
    assert found.equal[0] == found.action
    assert sum(found.policy.values()) == pytest.approx(1)
    assert sum(move.visits for move in found.moves) == found.simulations
    assert found.variation[0] == view.text(found.action)
    assert found.belief
    assert found.moves[0].text in found.why[0]
    assert any("worlds" in sentence for sentence in found.why)
    assert json.loads(json.dumps(found.to_dict()))["action"] == found.action


@pytest.mark.parametrize(("game", "told"), [("uno", UNO), ("blob", (*BLOB, *PLAYED))])
def test_the_same_seed_gives_the_same_advice(run, game, told):
    def advice(*more):
        CACHE.clear()
        _, text, _ = run("advise", game, *told, "--json", *more)
        found = json.loads(text)
        assert found.pop("seconds") > 0
        return found

    first = advice()
    assert first == advice()
    assert first["simulations"] == int(
        re.search(r"sims=(\d+)", kibitz.game_of(kibitz.rules(game)).coach)[1]
    )
    assert first["moves"] != advice("--seed", 1)["moves"]
    assert not any("another time" in sentence for sentence in first["why"])
    timed = advice("--agent", "flat:ms=10")
    assert "thought for 10 ms: another time it may find a little else" in timed["why"][-1]


def test_whoever_thinks_by_the_clock_says_that_it_may_not_repeat(run, tmp_path):
    file, few = tmp_path / "games.jsonl", ("--rules", "hand_size=1")
    timed = ("--players", "flat:ms=1,rule")
    _, _, err = run("watch", "uno", "--seed", 4, *few, *timed, "--save", file)
    assert "flat:ms=1 thinks by the clock" in err
    _, _, err = run("review", file, "--agent", "flat:ms=1", "--plays", 50)
    assert "flat:ms=1 thinks by the clock" in err
    for quiet in (("watch", "uno", "--seed", 4, *few), ("review", file, "--plays", 50)):
        assert run(*quiet)[2] == ""


def test_moves_that_are_worth_the_same_are_called_equal():
    """A seat that has taken more tricks than it bid gets nothing whatever it plays."""
    position = kibitz.position(
        "blob", players=2, cards=3, hand="AS KS QS", trump="none", bids="0 1", played="AS 2S"
    )
    found = kibitz.advise(position, "ismcts:sims=400")
    assert set(found.equal) == set(position.view.actions)
    assert "equal" in found.why[0]
    assert {move.value for move in found.moves} == {0.0}


def test_a_clear_choice_is_not_called_equal():
    position = kibitz.position("uno", hand="RS R5 G5", top="R3", theirs=3)
    found = kibitz.advise(position, "flat:sims=4000")
    names = {move.action: move.text for move in found.moves}
    assert names[found.action] == "RS"
    assert [names[action] for action in found.equal] == ["RS"]
    pattern = r"RS \(win \d\d\.\d % ± 0\.\d\) is best; next is R5"
    assert re.match(pattern, found.why[0])


def test_a_forced_move_is_said_to_be_forced():
    position = kibitz.position("uno", hand="G1 Y2", top="R3", theirs=4)
    found = kibitz.advise(position)
    assert found.why == ("draw is the only legal move",)


def test_what_was_told_of_the_opponent_counts():
    """It had to draw on red twice: leading red is better than without that."""
    told = {"hand": "R5 G4 G6 B9", "top": "R4", "theirs": 3}

    def lead(**more):
        found = kibitz.advise(kibitz.position("uno", **told, **more), "flat:sims=40000", seed=1)
        values = {move.text: move.value for move in found.moves}
        return values["R5"] - values["G4"]

    assert lead(drew="red red") > lead() + 0.03


def test_advice_needs_a_seat_with_something_to_decide():
    table = kibitz.Table(kibitz.rules("uno"), seed=1)
    with pytest.raises(kibitz.KibitzError, match="seat 0 is to act"):
        kibitz.advise(table.view(1))
    with pytest.raises(kibitz.KibitzError, match="seed"):
        kibitz.advise(table.view(0), seed=-1)
    with pytest.raises(kibitz.KibitzError, match="did you mean 'ismcts'"):
        kibitz.advise(table.view(0), "ismct")
    with pytest.raises(kibitz.KibitzError, match="only in match, ladder and simulate"):
        kibitz.advise(table.view(0), "cheat")


def test_players_without_a_search_say_so():
    found = kibitz.advise(view_to_choose("uno"), "rule")
    assert "does not search" in found.why[0]


def test_worlds_in_which_two_moves_are_equal_are_no_wins():
    """5H takes the trick, which loses for certain; 9C is worth something in some worlds only."""
    told = {"hand": "9C 5H", "bids": "1 0 0", "played": "2S 7C AS 3D 4H"}
    position = kibitz.position("blob", players=3, trump="hearts", **told)
    found = kibitz.advise(position, "flat:sims=500")
    sentence = next(sentence for sentence in found.why if sentence.startswith("World by world"))
    better, worse = (int(n) for n in re.findall(r"(\d+) %", sentence))
    assert 10 < better < 60
    assert worse == 0


def test_a_better_value_than_that_of_the_choice_is_told():
    """Adding up visits can choose a move whose mean is worse; see the docs on determinization."""
    rules = kibitz.rules("uno", colours=2, ranks="01SR", wilds=1, wild_fours=0, hand_size=4)
    position = kibitz.position(rules, hand="RS RR YR W", top="Y1", theirs=1)
    found = kibitz.advise(position, "worlds:worlds=20,sims=2000", seed=1)
    best = max(found.moves, key=lambda move: move.value)
    if best.action != found.action:
        assert any(f"{best.text} looks better" in sentence for sentence in found.why)


def test_moves_that_were_not_searched_are_named():
    position = kibitz.position("uno", hand="R5 G3 W", top="R3", theirs=5)
    found = kibitz.advise(position, "ismcts:sims=3")
    assert any("Not searched" in sentence for sentence in found.why)


# --- the command line ----------------------------------------------------------------------------


def test_advise_prints_moves_and_reasons(run):
    code, out, err = run("advise", "uno", *UNO, *AGENT)
    assert (code, err) == (0, "")
    assert "win" in out
    assert "worlds" in out
    assert "The opponent has no red card with 77 %" in out
    code, again, _ = run("advise", "uno", *UNO, *AGENT)
    assert again.splitlines()[:8] == out.splitlines()[:8]  # the last line has the time


def test_advise_for_programs_and_in_other_spellings(run):
    code, out, _ = run("advise", "blob", *BLOB, *PLAYED, *AGENT, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["best"] == "9C"
    assert found["game"] == "blob"
    assert {move["text"] for move in found["moves"]} == {"9C", "5H"}
    words = ["players=3", "hand=9C 5H", "trump=hearts", "bids=1 0 0", "played=2S 7C AS 3D 4H"]
    _, same, _ = run("advise", "blob", *words, *AGENT, "--json")
    assert json.loads(same)["moves"] == found["moves"]


@pytest.mark.parametrize("game", kibitz.GAMES)
def test_help_shows_what_can_be_told(run, game, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    _, out, _ = run("advise", "--help")
    options = kibitz.game_of(api.rules_type(game)).position_options
    missing = [name for name in options if f"--{name} " not in out]
    assert not missing


@pytest.mark.parametrize("trump", ["H", "h", "Hearts", "hearts"])
def test_a_trump_may_be_a_letter(run, trump):
    told = [trump if word == "hearts" else word for word in (*BLOB, *PLAYED)]
    code, out, _ = run("advise", "blob", *told, *AGENT)
    assert code == 0
    assert out.splitlines()[0] == run("advise", "blob", *BLOB, *PLAYED, *AGENT)[1].splitlines()[0]
    rules = kibitz.rules("blob", trump=trump)
    assert rules == kibitz.rules("blob", trump="hearts")
    game = kibitz.rules("blob-game", trumps=f"{trump},none")
    assert game == kibitz.rules("blob-game", trumps=("hearts", "none"))
    assert kibitz.rules_from_json(rules.to_json()) == rules


def test_rules_go_with_a_position_in_either_spelling(run):
    by_name = run("advise", "blob", *BLOB, *PLAYED, *AGENT, "--miss", "penalty", "--json")
    by_rules = run("advise", "blob", *BLOB, *PLAYED, *AGENT, "--rules", "miss=penalty", "--json")
    first, second = (json.loads(out) for _, out, _ in (by_name, by_rules))
    assert first["moves"] == second["moves"]
    code, _, err = run("advise", "blob", *BLOB, "--rules", "players=4")
    assert code == 2
    assert "players is told twice" in err


def test_advise_from_a_record(run, tmp_path):
    file = tmp_path / "games.jsonl"
    run("watch", "uno", "--seed", "11", "--save", file)
    code, out, _ = run("advise", "uno", "--record", file, "--seat", "0", *AGENT, "--json")
    assert code == 0
    assert json.loads(out)["seat"] == 0
    code, _, err = run("advise", "uno", "--record", file, "--seat", "0", "--move", "999")
    assert code == 2
    assert "--move must be 0 to" in err
    _, _, err = run("advise", "blob", "--record", file, "--seat", "0")
    assert "has a game of uno there" in err
    _, _, err = run("advise", "uno", "--record", file, *UNO)
    assert "leave out" in err


def test_advise_draws_a_picture(run, tmp_path):
    picture = tmp_path / "advice.svg"
    code, _, _ = run("advise", "uno", *UNO, *AGENT, "--svg", picture)
    assert code == 0
    assert picture.read_text().startswith("<svg")
    _, _, err = run("advise", "uno", *UNO, "--svg", picture, "--json")
    assert "does not go with --json" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "tell the position"),
        (["--hand"], "'--hand' requires an argument"),
        (["--miss"], "--miss needs a value"),
        (["--rules", "hand_siz=3", "--hand", "R5"], "did you mean 'hand_size'"),
        (["--hand", "R5", "--top", "R3", "--theirs", "2", "--seat", "1"], "no --seat"),
        (["--hand", "R5", "--top", "R3", "--theirs", "2", "--move", "1"], "give --record"),
        (["R5"], "write name=value"),
        (["--hand", "R5", "--hand", "R6"], "told twice"),
        (["--hnd", "R5", "--top", "R3", "--theirs", "2"], "did you mean 'hand'"),
        (["--hand", "R5 R5 R5", "--top", "R3", "--theirs", "2"], "R5"),
        (["--hand", "R5", "--top", "X3", "--theirs", "2"], "X3"),
    ],
)
def test_what_is_told_wrongly_is_answered_with_what_would_be_right(run, words, said):
    code, out, err = run("advise", "uno", *words)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_agents_are_listed_with_their_options(run):
    code, out, _ = run("agents")
    assert code == 0
    for name in kibitz.AGENTS:
        assert name in out
    _, one, _ = run("agents", "pomcp")
    assert "others=auto" in one
    _, text, _ = run("agents", "--json")
    found = {each["name"]: each for each in json.loads(text)}
    levels = {level.name for level in kibitz.game_of(kibitz.rules("uno")).levels}
    assert set(found) == {*kibitz.AGENTS, *ARENA, *levels}
    defaults = {option["name"]: option["default"] for option in found["worlds"]["options"]}
    assert (defaults["worlds"], defaults["sims"]) == ("5", "50")
    code, _, err = run("agents", "pomp")
    assert code == 2
    assert "did you mean 'pomcp'" in err


def test_cheat_plays_in_simulate_and_nowhere_else(run):
    code, out, _ = run("simulate", "uno", "-n", "4", "-p", "cheat:sims=20,rule")
    assert code == 0
    assert "cheat:sims=20" in out
    for words in (("watch", "uno", "--players"), ("advise", "uno", *UNO, "--agent")):
        for name in ARENA:
            code, _, err = run(*words, name)
            assert code == 2
            assert "only in match, ladder and simulate" in err


def test_games_of_the_cheat_can_be_kept(run, tmp_path):
    path = tmp_path / "games"
    code, _, _ = run("simulate", "uno", "-n", "2", "-p", "cheat:sims=20,rule", "--save", str(path))
    assert code == 0
    assert len(kibitz.read_records(path)) == 2
