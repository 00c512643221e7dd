"""Text: cards, actions and events of both games, and rules as options and JSON."""

import json
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kibitz
from helpers import PURE, RULE_SETS, clean_environment, examples, played
from kibitz import KibitzError, NotationError, RulesError, rng
from kibitz.arena.kernels import play_games
from kibitz.games.blob import notation as blob
from kibitz.games.uno import notation as uno
from kibitz.players import UNIFORM, Player, as_array

EVERY = pytest.mark.parametrize("rules", RULE_SETS, ids=str)
UNO_ACTIONS = [16 * colour + rank for colour in range(4) for rank in range(15)] + [15]
BLOB_CARDS = [16 * suit + rank for suit in range(4) for rank in range(13)]


# --- cards and actions ---------------------------------------------------------------------------


def test_every_uno_card_survives_the_way_through_text():
    texts = [uno.card_text(card) for card in uno.CARDS]
    assert len(set(texts)) == 54
    assert [uno.parse_card(text) for text in texts] == list(uno.CARDS)


def test_every_uno_action_survives_the_way_through_text():
    texts = [uno.action_text(action) for action in UNO_ACTIONS]
    assert len(set(texts)) == 61
    assert [uno.parse_action(text) for text in texts] == UNO_ACTIONS


def test_every_blob_card_and_bid_survives_the_way_through_text():
    texts = [blob.card_text(card) for card in BLOB_CARDS]
    assert len(set(texts)) == 52
    assert [blob.parse_card(text) for text in texts] == BLOB_CARDS
    assert [blob.parse_bid(str(bid)) for bid in range(27)] == list(range(27))
    assert [blob.parse_trump(blob.trump_text(t)) for t in range(-1, 4)] == [-1, 0, 1, 2, 3]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        *[("r5", "R5"), (" R5 ", "R5"), ("g+", "G+2"), ("g+2", "G+2"), ("ys", "YS"), ("br", "BR")],
        *[("w:g", "W:G"), ("w4:b", "W+4:B"), ("W+4:y", "W+4:Y"), ("d", "draw"), ("DRAW", "draw")],
    ],
)
def test_uno_is_lenient(said, meant):
    assert uno.action_text(uno.parse_action(said)) == meant


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        *[("qh", "QH"), (" tc", "TC"), ("10d", "TD"), ("10♦", "TD")],
        *[("a♠", "AS"), ("2♥", "2H"), ("k♣", "KC")],
    ],
)
def test_blob_is_lenient(said, meant):
    assert blob.card_text(blob.parse_card(said)) == meant


@pytest.mark.parametrize("text", ["", "R", "5R", "R10", "X5", "W5", "R5 R6", "W+2", "R+4", "+2"])
def test_what_is_no_uno_action_is_refused_with_an_example(text):
    with pytest.raises(NotationError, match="such as R5"):
        uno.parse_action(text)


@pytest.mark.parametrize("text", ["w", "W+4", "w4"])
def test_a_wild_must_say_its_colour(text):
    with pytest.raises(NotationError, match="must say the colour it declares"):
        uno.parse_action(text)


@pytest.mark.parametrize("text", ["", "Q", "HQ", "1H", "11H", "QX", "QH QD"])
def test_what_is_no_blob_card_is_refused_with_an_example(text):
    with pytest.raises(NotationError, match="such as QH"):
        blob.parse_card(text)


@pytest.mark.parametrize("text", ["", "x", "-1", "1.5", "100", "²", "٣", "1e1"])
def test_what_is_no_bid_is_refused_with_an_example(text):
    with pytest.raises(NotationError, match="such as 2"):
        blob.parse_bid(text)


@examples
@given(st.lists(st.sampled_from(uno.CARDS)), st.lists(st.sampled_from(BLOB_CARDS)))
def test_lists_of_cards_have_one_spelling(some, others):
    for module, cards in ((uno, some), (blob, others)):
        text = module.cards_text(cards)
        assert module.cards_text(module.parse_cards(text)) == text
        assert module.cards_text(cards[::-1]) == text
        assert sorted(module.parse_cards(text)) == sorted(cards)


# --- events --------------------------------------------------------------------------------------


@EVERY
def test_every_event_of_a_game_survives_the_way_through_text(rules):
    game = kibitz.game_of(rules)
    for seed in range(1 if PURE else 4):
        table = played(rules, seed=seed)
        seen = [event for seat in range(rules.seats) for event in table.view(seat).events]
        for event in {*table.events(), *seen}:
            text = game.event_text(event)
            assert game.parse_event(text) == event
            assert "\n" not in text


@pytest.mark.parametrize("game", ["uno", "blob"])
def test_an_event_that_a_game_does_not_have_is_refused(game):
    with pytest.raises(NotationError, match="no event 'castle'"):
        kibitz.game_of(kibitz.rules(game)).event_text(kibitz.Event("castle"))


# --- fuzz ----------------------------------------------------------------------------------------

PARSERS = [uno.parse_card, uno.parse_cards, uno.parse_action, uno.parse_event]
PARSERS += [blob.parse_card, blob.parse_cards, blob.parse_bid, blob.parse_trump, blob.parse_event]
WORDS = "deal top pile start colour pending plays draws is skipped reshuffle over round cards"
WORDS += " dealer trump turned bids takes the trick scores played none hearts draw 0 1 2 7 8 12 -1"
WORDS += " +1 -1 +0 R5 W W+4 W:R G+2 QH 2C AS 10D ٣ 1-2"
near_text = st.lists(st.sampled_from(WORDS.split()), max_size=7).map(" ".join)
letters = st.text("RYGBWSD0123456789+-: TJQKACHdealopyscr♠é", max_size=16)


@pytest.mark.parametrize("parse", PARSERS, ids=lambda p: f"{p.__module__[13:17]}-{p.__name__}")
@examples
@given(text=st.text() | near_text | letters)
def test_any_text_parses_or_is_a_notation_error(parse, text):
    with suppress(NotationError):
        parse(text)


LINES = {
    uno: sorted({*played(kibitz.rules("uno"), seed=3).view(0).history(), "pile R5 W"}),
    blob: sorted({*played(kibitz.rules("blob-game", start=2), seed=3).view(0).history()}),
}


@pytest.mark.parametrize("module", [uno, blob], ids=["uno", "blob"])
@examples
@given(data=st.data())
def test_a_damaged_event_parses_or_is_a_notation_error(module, data):
    line = data.draw(st.sampled_from(LINES[module]))
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, min(len(line), start + 4)))
    with suppress(NotationError):
        module.parse_event(line[:start] + data.draw(letters) + line[end:])


HUGE = "9" * 5000  # longer than Python turns into a number


@pytest.mark.parametrize(
    ("module", "text"),
    [
        (uno, f"deal 0 {HUGE}"),
        (uno, f"0 draws {HUGE}"),
        (uno, f"start 0 colour R pending {HUGE}"),
        (uno, f"over +{HUGE} -1 emptied"),
        (blob, f"deal 0 {HUGE}"),
        (blob, f"round {HUGE} cards 1 dealer 0 trump none"),
        (blob, f"round 1 cards {HUGE} dealer 0 trump none"),
        (blob, f"scores {HUGE} 1"),
        (blob, f"over {HUGE} 1 played"),
        (blob, f"0 bids {HUGE}"),
        (blob, "scores 1-2"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_strange_numbers_are_refused_in_words(module, text):
    with pytest.raises(NotationError):
        module.parse_event(text)


def test_a_long_bad_line_is_refused_at_once():
    """Matching it must not try every way to cut the digits into numbers: that takes for ever."""
    script = "import sys; from kibitz.games.blob import notation; notation.parse_event(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", script, "scores " + "1" * 60 + "x"],
        capture_output=True,
        text=True,
        timeout=120,  # of what would take for ever
        env=clean_environment(),
        check=False,
    )
    assert "NotationError" in done.stderr


# --- rules ---------------------------------------------------------------------------------------


@EVERY
def test_rules_survive_the_way_through_json(rules):
    again = kibitz.rules_from_json(rules.to_json())
    assert again == rules
    assert again == kibitz.rules_from_dict(json.loads(rules.to_json()))
    assert hash(again) == hash(rules)
    assert (again.to_json(), again.digest) == (rules.to_json(), rules.digest)
    assert str(again) == str(rules)
    assert again.params == rules.params
    assert again == rules, "also after the parameters were made"


@EVERY
def test_the_options_that_changed_make_the_same_rules(rules):
    assert kibitz.rules(rules.game, **rules.changed()) == rules


def test_different_rules_have_different_hashes():
    assert len({rules.digest for rules in RULE_SETS}) == len(RULE_SETS)
    assert len(set(RULE_SETS)) == len(RULE_SETS)


def test_equal_decks_are_equal_rules_however_they_are_spelt():
    assert kibitz.rules("uno", ranks="+S10") == kibitz.rules("uno", ranks="01S+")
    assert kibitz.rules("blob", players=3) == kibitz.rules("blob", players=3, dealer=2)


def test_rules_cannot_be_changed():
    rules = kibitz.rules("uno")
    with pytest.raises(ValueError, match="frozen"):
        rules.hand_size = 3


@pytest.mark.parametrize(
    ("game", "options", "said"),
    [
        ("uno", {"skip": "jump"}, "'forfeit' or 'pass'"),
        ("uno", {"hand_sise": 5}, "did you mean 'hand_size'"),
        ("uno", {"hand_size": 0}, "hand_size=0: .* 1"),
        ("uno", {"hand_size": 54}, "hand_size=54: .* 53"),
        ("uno", {"hand_size": "many"}, "hand_size='many': .*integer"),
        (
            "uno",
            {"hand_size": 5, "colours": 1, "ranks": "01"},
            "need 11 .* deck has 10",
        ),
        ("uno", {"colours": 5}, "colours=5: .* 4"),
        ("uno", {"ranks": "01X"}, "'X' is no rank; use the letters of 0123456789SR"),
        ("uno", {"ranks": "0111"}, "'1' stands 3 times; at most two"),
        ("uno", {"ranks": ""}, "at least one of"),
        ("uno", {"max_plies": 0}, "max_plies=0"),
        ("blob", {"players": 1}, "players=1: .* 2"),
        ("blob", {"players": 9}, "players=9: .* 8"),
        ("blob", {"cards": 14}, "need 56 cards, but the deck has 52; at most 13 each"),
        ("blob", {"cards": 13, "trump": "turned"}, "and the card turned up need 53.*at most 12"),
        ("blob", {"trump": "swords"}, "trump='swords'"),
        (
            "blob",
            {"players": 2, "suits": 2, "trump": "spades"},
            "only clubs, diamonds",
        ),
        ("blob", {"dealer": 4}, "seats are 0 to 3"),
        ("blob", {"miss": "maybe"}, "'zero', 'tricks' or 'penalty'"),
        ("blob-game", {"schedule": (7, 0)}, "rounds have 1 to"),
        ("blob-game", {"schedule": (1,) * 65}, "schedule: at most 64 entries"),
        ("blob-game", {"trumps": "hearts " * 10_000}, "trumps: at most 64 entries"),
        ("uno", {"ranks": "0" * 10_000}, "ranks: at most 26 characters"),
        ("uno", {"wilds": "w" * 10_000}, "wilds='www.* \\.\\.\\.: .*integer"),
        ("uno", {"x" * 10_000: 1}, "no option 'xxx.* \\.\\.\\.; there are skip"),
        ("blob-game", {"schedule": (14,)}, "at most 13 each"),
        ("blob-game", {"trumps": ()}, "trumps"),
        ("blob-game", {"players": 8}, "at most 6 each"),
        ("blob-game", {"start": 0}, "start=0: .* 1"),
    ],
)
def test_rules_that_cannot_be_played_are_refused_with_what_would_be_right(game, options, said):
    with pytest.raises(RulesError, match=said) as found:
        kibitz.rules(game, **options)
    assert len(str(found.value)) < 300


@pytest.mark.parametrize("game", kibitz.GAMES)
def test_every_list_and_text_in_rules_has_a_limit(game):
    kind = type(kibitz.rules(game))
    for name, said in kind.model_json_schema()["properties"].items():
        for form in (said, *said.get("anyOf", ())):
            if form.get("type") == "array":
                assert form["maxItems"] <= 100, name
                form = form["items"]
            if form.get("type") == "string" and "enum" not in form:
                assert form["maxLength"] <= 100, name


def test_an_unknown_game_is_refused_with_the_nearest():
    with pytest.raises(KibitzError, match=r"did you mean 'blob'.*there are uno, blob, blob-game"):
        kibitz.rules("blobb")


@pytest.mark.parametrize(
    "text",
    [
        *["", "{", "[]", "3", "{}", '{"game": "chess"}', '{"game": 5}', '{"game": "uno", "x": 1}'],
        *['{"game": "uno", "hand_size": 99}', "[" * 100_000, '{"game": ' + HUGE + "}"],
    ],
    ids=lambda text: text[:40],
)
def test_text_that_is_no_rules_is_refused_in_words(text):
    with pytest.raises(KibitzError):
        kibitz.rules_from_json(text)


def test_a_schedule_may_be_text():
    rules = kibitz.rules("blob-game", schedule="3, 2 1", trumps="none,hearts")
    assert rules.schedule == (3, 2, 1)
    assert rules.trumps == ("none", "hearts")


def some(**options):
    """Any of these options, each left out at times, and now and then a wrong value."""
    wrong = st.sampled_from([None, "", "x", -1, 0, 99, 10**30, 1.5, [], [1]])
    mixed = {name: values | values | values | wrong for name, values in options.items()}
    return st.fixed_dictionaries({}, optional=mixed)


TRUMPS = ["random", "turned", "none", "clubs", "diamonds", "hearts", "spades"]
COMMON = {
    "players": st.integers(1, 9),
    "suits": st.integers(1, 4),
    "ranks": st.integers(1, 13),
    "points_per_trick": st.integers(0, 100),
    "exact_bonus": st.integers(0, 1000),
    "miss": st.sampled_from(["zero", "tricks", "penalty"]),
    "dealer": st.integers(0, 8),
}
OPTIONS = {
    "uno": some(
        skip=st.sampled_from(["forfeit", "pass"]),
        hand_size=st.integers(0, 12),
        colours=st.integers(0, 5),
        ranks=st.text("0123456789SR+X", max_size=9),
        wilds=st.integers(0, 5),
        wild_fours=st.integers(0, 5),
        max_plies=st.integers(0, 200),
    ),
    "blob": some(cards=st.integers(0, 14), trump=st.sampled_from(TRUMPS), **COMMON),
    "blob-game": some(
        start=st.integers(0, 4),
        schedule=st.lists(st.integers(0, 5), max_size=4),
        trumps=st.lists(st.sampled_from(TRUMPS), max_size=3),
        **COMMON,
    ),
}


def made(game, options):
    """The rules, or what is wrong with the options."""
    try:
        return kibitz.rules(game, **options), None
    except RulesError as error:
        return None, str(error)


@pytest.mark.parametrize("game", OPTIONS)
@examples
@given(data=st.data())
def test_any_options_are_refused_in_words_or_can_be_played_to_the_end(game, data):
    rules, problem = made(game, data.draw(OPTIONS[game]))
    if rules is None:
        assert problem.startswith(f"{game} rules: ")
        return
    finals = np.zeros(1, kibitz.game_of(rules).dtype)
    rewards = np.zeros((1, rules.seats))
    players = as_array([Player(UNIFORM)] * rules.seats)
    play_games(rules.params, players, *rng.words(1), 0, True, finals, rewards)
    assert finals[0].turn == -1
    assert kibitz.rules_from_dict(json.loads(rules.to_json())) == rules
