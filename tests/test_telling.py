"""A game told move by move: what a person says at a real table gives exactly what the seat sees."""

import json
from collections import Counter
from contextlib import suppress
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kibitz
from helpers import PURE, RULE_SETS, examples, fewer
from kibitz import KibitzError, Telling
from kibitz.games.uno.infer import infer_events

UNO = kibitz.rules("uno")
SEVEN = "R5 G3 W Y0 B7 BS G+2"


# --- what a person says ---


def beginning(table, seat):
    """What a person can tell of the deal: the own hand, and what lies on the table."""
    told = {}
    for line in table.view(seat).history():
        word, *rest = line.split()
        if word == "deal" and rest[0] == str(seat):
            told["hand"] = " ".join(rest[1:])
        elif word == "top":
            told["top"] = rest[0]
        elif word == "round":
            told.update(open_trump(table.rules, line))
    return told


def open_trump(rules, line):
    """Of a round, what the rules do not say already: 'round 2 cards 3 dealer 1 trump hearts'."""
    words = line.split()
    number, said = int(words[1]) - 1, dict(zip(words[6::2], words[7::2], strict=True))
    trumps = rules.trumps if rules.game == "blob-game" else (rules.trump,)
    kind = trumps[number % len(trumps)]
    known = {"random": {"trump": said["trump"]}, "turned": {"turned": said.get("turned")}}
    return known.get(kind, {})


def said_of(table, seat, mover, lines):
    """What a person in `seat` says of a move, from the lines that it saw of it."""
    found, mine = [], []
    for line in lines:
        word, *rest = line.split()
        if rest and rest[0] in ("plays", "bids"):
            found = [rest[1]]
        elif rest and rest[0] == "draws":
            found = ["draw", *(rest[1:] if mover == seat else [])]
        elif word == "round":
            mine = [f"{k} {v}" for k, v in open_trump(table.rules, line).items()]
        elif word == "deal" and rest[0] == str(seat):
            found += ["deal", *rest[1:], *mine]
    return " ".join(found or ["draw"])  # too few cards were left: nothing was drawn


def follow(rules, seed, plies):
    """A random game; after every move each seat's telling must be what it sees at the table."""
    table, choice = kibitz.Table(rules, seed=seed), Random(seed)
    tellings = [Telling(rules, seat, beginning(table, seat)) for seat in range(rules.seats)]
    for _ in range(plies):
        for seat, telling in enumerate(tellings):
            view = table.view(seat)
            assert telling.view == view
            assert telling.view.to_bytes() == view.to_bytes()
        if table.over:
            break
        mover = table.to_act
        before = [len(table.view(seat).events) for seat in range(rules.seats)]
        table.play(choice.choice(table.legal_actions()))
        for seat, telling in enumerate(tellings):
            lines = table.view(seat).history()[before[seat] :]
            tellings[seat] = telling.tell(said_of(table, seat, mover, lines))
    return table, tellings


@pytest.mark.parametrize("rules", RULE_SETS, ids=str)
def test_a_game_told_is_what_the_seat_sees(rules):
    for seed in range(fewer(8 if rules.deck_size < 30 else 2)):
        _, tellings = follow(rules, seed, fewer(160))
        for telling in tellings:
            again = Telling.from_dict(json.loads(json.dumps(telling.to_dict())))
            assert again.view == telling.view
            assert again.said == telling.said


def met(rules, seeds):
    """Kinds of events and endings met in some games told."""
    found = set()
    for seed in seeds:
        table, _ = follow(rules, seed, 400)
        found |= {event.kind for event in table.events()}
        found |= {event.note for event in table.events() if event.kind == "over"}
    return found


@pytest.mark.skipif(PURE, reason="needs many games")
def test_the_games_told_reach_every_corner():
    tiny = {"colours": 2, "wilds": 1, "wild_fours": 1, "hand_size": 3, "max_plies": 150}
    seen = met(kibitz.rules("uno", **tiny, ranks="01S+"), range(20))
    assert {"reshuffle", "skip", "draw", "emptied", "exhausted"} <= seen
    assert "truncated" in met(kibitz.rules("uno", max_plies=9), range(2))
    assert "skip" not in met(kibitz.rules("uno", **tiny | {"skip": "pass"}, ranks="01S+"), range(5))


def test_whole_games_of_the_usual_length():
    for name, plies in (("uno", 1000), ("blob", 100), ("blob-game", fewer(300))):
        follow(kibitz.rules(name), 3, plies)


# --- tellings ---


def test_a_telling_never_changes_and_goes_back():
    first = Telling(UNO, 0, {"hand": SEVEN.split(), "top": "r3"})
    assert first.view.to_act == 0
    second = first.tell("R5")
    third = second.tell(" draw ")
    assert third.view.history()[-2:] == ("0 plays R5", "1 draws 1")
    assert third.said == ("R5", "draw")
    assert first.said == ()
    assert len(first.view.events) == 3
    for moves, before in enumerate((third, second, first)):
        again = third.undo(moves)
        assert (again.to_dict(), again.view) == (before.to_dict(), before.view)
    assert second.tell("R7").view != third.view
    for moves in (3, -1, "1", True):
        with pytest.raises(KibitzError, match="cannot take back"):
            third.undo(moves)


def test_advice_on_a_game_told():
    telling = Telling(UNO, 1, {"hand": SEVEN, "top": "R3"}).tell("R+2").tell("draw G1 G4")
    telling = telling.tell("R8")
    found = kibitz.advise(telling.view, "rule")
    assert telling.view.text(found.action) in telling.view.legal


def test_what_is_no_telling_is_refused():
    good = Telling(UNO, 0, {"hand": SEVEN, "top": "R3"}).tell("R5").to_dict()
    for changes, match in (
        ({"seat": 2}, "seat must be 0 to 1"),
        ({"seat": "0"}, "seat cannot be"),
        ({"told": None}, "told cannot be"),
        ({"told": {"hand": {}}}, "hand must be a text"),
        ({"said": "R5"}, "said cannot be"),
        ({"said": ["R5", 7]}, "move 2, 7: a move is told as a text"),
        ({"said": ["R5", "R5", "R5"]}, "move 3, 'R5'"),
        ({"more": 1}, "nothing else"),
        ({"rules": {"game": "chess"}}, "no game"),
    ):
        with pytest.raises(KibitzError, match=match):
            Telling.from_dict({**good, **changes})
    with pytest.raises(KibitzError, match="nothing else"):
        Telling.from_dict([])
    with pytest.raises(KibitzError, match=r"kibitz\.rules"):
        Telling("uno", 0, {})
    with pytest.raises(KibitzError, match="what is told of the deal"):
        Telling(UNO, 0, "R5")


# --- UNO: what cannot be, and what is missing ---


@pytest.mark.parametrize(
    ("told", "match"),
    [
        ({}, "the beginning of a game needs hand"),
        ({"hand": SEVEN}, "needs top"),
        ({"hand": SEVEN, "top": "R3", "theirs": 7}, "has no 'theirs'"),
        ({"hand": "R5", "top": "R3"}, "hand: 7 cards are dealt to each player, but 1 are told"),
        ({"hand": SEVEN, "top": "W"}, "no game begins with a wild"),
        ({"hand": SEVEN, "top": "X3"}, "top: 'X3' is no UNO card"),
        ({"hand": SEVEN, "top": "Y0"}, "Y0 is told 2 times"),
    ],
)
def test_uno_beginnings_that_cannot_be(told, match):
    with pytest.raises(KibitzError, match=match):
        Telling(UNO, 0, told)


def test_uno_moves_that_cannot_be():
    mine = Telling(UNO, 0, {"hand": SEVEN, "top": "R3"})

    def refused(telling, said, match):
        with pytest.raises(KibitzError, match=match):
            telling.tell(said)

    refused(mine, "", "nothing was told")
    refused(mine, "R6", "not in the hand")
    refused(mine, "Y0", "does not go on the top card")
    refused(mine, "W", "must say the colour")
    refused(mine, "R5 R5", "one move at a time")
    refused(mine, "draw R1", "you can play R5, W:R, W:Y, G3")
    theirs = mine.tell("R5")
    refused(theirs, "R5 R5", "one move at a time")
    refused(theirs, "G4", "does not go on the top card")
    refused(theirs.tell("R5").tell("W:Y"), "Y0", "no copy is unseen")
    refused(theirs, "draw R1", "tell only 'draw'")
    must = theirs.tell("R+2")
    refused(must, "R7", "2 cards must be drawn")
    refused(must, "draw", "you draw 2 cards: tell which, such as 'draw R0 R1'")
    refused(must, "draw R1", "tell which")
    refused(must, "draw R1 X", "'X' is no UNO card")
    refused(must, "draw Y0 R1", "Y0 cannot be drawn")
    refused(must, "draw R3 R3", "R3 cannot be drawn")
    assert must.tell("draw R3, r1").view.history()[-1] == "0 draws R1 R3"


def test_uno_draws_that_no_hand_explains():
    rules = kibitz.rules("uno", colours=1, ranks="0123", wilds=0, wild_fours=0, hand_size=1)
    telling = Telling(rules, 0, {"hand": "R0", "top": "R1"})
    assert telling.tell("R0").view.over
    with pytest.raises(KibitzError, match="the game is over"):
        telling.tell("R0").tell("draw")
    with pytest.raises(KibitzError, match="seat 0 must have a card that goes on R1"):
        Telling(rules, 1, {"hand": "R0", "top": "R1"}).tell("draw")


def test_uno_reshuffle_follows_by_itself():
    rules = kibitz.rules("uno", colours=2, ranks="012+", wilds=0, wild_fours=0, hand_size=3)
    told = Telling(rules, 1, {"hand": "Y0 Y1 Y2", "top": "R0"})
    told = told.tell("R1").tell("Y1").tell("Y+2")  # one card in the deck, R0 R1 Y1 below the top
    assert int(told.view.observation.deck_size) == 1
    with pytest.raises(KibitzError, match="Y0 cannot be drawn"):
        told.tell("draw R0 Y0")
    then = told.tell("draw R0 R1")
    assert then.view.history()[-2:] == ("reshuffle", "1 draws R0 R1")
    assert told.tell("draw R0 R2").view.history()[-1] == "1 draws R0 R2"
    with pytest.raises(KibitzError, match="cannot be drawn: not in the deck"):
        told.tell("draw R2 R+2")  # one of them is what the other holds


@pytest.mark.parametrize("theirs", ["R1", "R2"])
def test_a_draw_from_deck_and_pile_leaves_the_other_what_fits(theirs):
    """R1 and R2 are unseen, and one of them is in the pile as well: I can draw both, and then the
    other holds the one that was in the pile."""
    rules = kibitz.rules("uno", colours=1, ranks="001122++", wilds=0, wild_fours=0, hand_size=3)
    table = kibitz.Table.from_deal(rules, hands=[f"R0 {theirs} R+2", "R1 R2 R+2"], top="R0")
    telling = Telling(rules, 1, beginning(table, 1))
    for move in ("R0", theirs, "R+2"):
        table.play(move)
        telling = telling.tell(move)
    before = table.view(1)
    assert int(before.observation.deck_size) == 1
    for drawn in ("R0 R0", "R0 R1", "R0 R2", "R1 R2", f"{theirs} {theirs}"):
        then = telling.tell(f"draw {drawn}")
        assert then.view.history()[-2:] == ("reshuffle", f"1 draws {drawn}")
        seen = before.observation, then.view.observation
        assert infer_events(rules, 1, *seen) == list(then.view.events[-2:])


def test_uno_ends_when_nothing_can_be_drawn():
    rules = kibitz.rules("uno", colours=1, ranks="0+", wilds=1, wild_fours=2, hand_size=2)
    telling = Telling(rules, 1, {"hand": "W W+4", "top": "R0"}).tell("W+4:R")
    with pytest.raises(KibitzError, match="ends the game: tell only 'draw'"):
        telling.tell("draw R+2")
    assert telling.tell("draw").view.history()[-2:] == ("reshuffle", "over +1 -1 exhausted")


# --- Blob: what cannot be, and what is missing ---

GAME = kibitz.rules("blob-game", players=2, schedule=(1, 2, 1), trumps=("random", "turned"))


def blob_refused(telling, said, match):
    with pytest.raises(KibitzError, match=match):
        telling.tell(said)


@pytest.mark.parametrize(
    ("told", "match"),
    [
        ({"trump": "hearts"}, "the beginning of a game needs hand"),
        ({"hand": "AS KH"}, "hand: 1 card is dealt to each player in round 1, but 2 are told"),
        ({"hand": "AS"}, "say which trump was drawn"),
        ({"hand": "AS", "trump": "cups"}, "is no trump"),
        ({"hand": "AS", "trump": "none", "turned": "2C"}, "turn no card up"),
        ({"hand": "AS", "trump": "none", "bids": "1"}, "has no 'bids'"),
    ],
)
def test_blob_beginnings_that_cannot_be(told, match):
    with pytest.raises(KibitzError, match=match):
        Telling(GAME, 0, told)


def test_blob_beginning_with_a_card_turned_up():
    rules = kibitz.rules("blob", players=3, cards=2, trump="turned", ranks=4)
    told = {"hand": "2C 3C", "turned": "5H"}
    assert Telling(rules, 0, told).view.history()[0].endswith("trump hearts turned 5H")
    for changes, match in (
        ({"turned": None}, "turn a card up"),
        ({"turned": "2C"}, "2C was turned up and is out of play"),
        ({"turned": "AS"}, "turned: AS is not in the deck"),
        ({"hand": "AS 2C"}, "hand: AS is not in the deck"),
        ({"trump": "spades"}, "trump=spades: 5H was turned up"),
    ):
        with pytest.raises(KibitzError, match=match):
            Telling(rules, 0, {**told, **changes})


def test_blob_moves_that_cannot_be():
    rules = kibitz.rules("blob", players=3, cards=2, trump="hearts", suits=4, ranks=3)
    telling = Telling(rules, 0, {"hand": "2C 3D"})
    blob_refused(telling, "QH", "is no bid")
    blob_refused(telling, "3", "do not allow that bid; the rules allow 0, 1, 2")
    blob_refused(telling.tell("1").tell("1"), "0", "the rules allow 1, 2")
    playing = telling.tell("1").tell("1").tell("1")
    blob_refused(playing, "1", "is no card")
    blob_refused(playing, "4C", "0 plays 4C: .*; the rules allow 2C, 3D")
    led = playing.tell("2C")
    blob_refused(led, "2C", "known to be elsewhere")
    blob_refused(led, "3D", "known to be elsewhere")
    blob_refused(led, "4C deal 2C 3C", "no deal follows this, so tell only '4C'")
    void = led.tell("2S").tell("3C")  # seat 1 has no clubs, seat 2 takes
    assert void.view.to_act == 2
    blob_refused(void.tell("2D").tell("3D"), "4C", "none of that suit")
    over = void.tell("2D").tell("3D").tell("4D")
    assert over.view.over
    blob_refused(over, "4D", "the game is over")


def test_blob_voids_that_leave_no_hands():
    rules = kibitz.rules("blob", players=2, cards=3, trump="none", suits=2, ranks=3)
    telling = Telling(rules, 0, {"hand": "4C 2D 3D"}).tell("1").tell("1").tell("4C")
    blob_refused(telling, "4D", "no hands are left that fit")  # all others are clubs
    assert telling.tell("2C").view.to_act == 0


def test_the_next_hand_is_told_with_the_last_card():
    telling = Telling(GAME, 1, {"hand": "AS", "trump": "none"})
    assert telling.view.to_act == 0
    telling = telling.tell("0").tell("0").tell("2S")
    blob_refused(
        telling,
        "AS",
        r"this card ends the round: tell your next hand with it, such as "
        r"'AS deal AS KS turned 2C'$",
    )
    blob_refused(telling, "AS KH KD", r"\('KH': the word 'deal' comes first\)")
    blob_refused(telling, "AS deal KH turned 2C", "2 cards are dealt to each player in round 2")
    blob_refused(telling, "AS deal KH KD", "turn a card up")
    blob_refused(telling, "AS deal KH KD turned KH", "KH was turned up")
    blob_refused(telling, "AS deal KH deal KD", "deal is told twice")
    blob_refused(telling, "AS deal KH KH turned 2C", "KH is told twice")
    then = telling.tell("as DEAL kd kh Turned 10c")
    assert then.view.history()[-5:] == (
        "1 takes the trick",
        "scores 10 0",
        "round 2 cards 2 dealer 0 trump clubs turned TC",
        "deal 0 2",
        "deal 1 KH KD",
    )
    then = then.tell("0").tell("0").tell("KD").tell("2D").tell("KH")
    blob_refused(then, "2H", r"such as '2H deal AS trump clubs'$")
    assert then.tell("2H deal 2S trump spades").tell("0").tell("0").tell("3S").view.to_act == 1


# --- anything else is refused in words ---

WORDS = ["draw", "R5", "G+2", "W:R", "W+4:B", "W", "1", "0", "QH", "2C", "AS", "deal", "trump"]
WORDS += [
    "hearts",
    "none",
    "turned",
    "10♥",
    "ß",
    "²",
    "-1",
    "d",
    "over",
    "reshuffle",
    ",",
    "R",
    "'",
]
anything = st.text(max_size=12) | st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
FUZZED = [
    Telling(UNO, 0, {"hand": SEVEN, "top": "R3"}),
    Telling(UNO, 1, {"hand": SEVEN, "top": "R3"}).tell("R+2"),
    Telling(GAME, 1, {"hand": "AS", "trump": "none"}),
    Telling(GAME, 1, {"hand": "AS", "trump": "none"}).tell("0").tell("0").tell("2S"),
]


@examples
@given(st.sampled_from(FUZZED), st.lists(anything, max_size=4))
def test_any_words_are_told_or_refused(telling, words):
    for said in words:
        try:
            telling = telling.tell(said)
        except KibitzError:
            continue
        view = telling.view
        assert kibitz.view_of(view.rules, view.seat, view.events) == view
        assert Telling.from_dict(telling.to_dict()).view == view


values = anything | st.integers() | st.none() | st.lists(anything, max_size=3) | st.floats()


@examples
@given(
    st.sampled_from([UNO, GAME]),
    st.dictionaries(st.sampled_from(["hand", "top", "trump", "turned", "x"]) | anything, values),
)
def test_any_beginning_is_told_or_refused(rules, told):
    with suppress(KibitzError):
        assert Telling(rules, 0, told).view.to_act == 0


# --- moves that are possible one by one, but not together ---

TINY = [
    {"colours": 2, "ranks": "012S", "wilds": 1, "wild_fours": 0, "hand_size": 2},
    {"colours": 2, "ranks": "012+", "wilds": 0, "wild_fours": 0, "hand_size": 2},
    {"colours": 2, "ranks": "0112", "wilds": 0, "wild_fours": 0, "hand_size": 2},
]


def all_moves(rules):
    """Every play of a deck, in notation."""
    colours = "RYGB"[: rules.colours]
    ranks = {rank if rank != "+" else "+2" for rank in rules.ranks}
    wilds = ["W"] * (rules.wilds > 0) + ["W+4"] * (rules.wild_fours > 0)
    plain = {f"{colour}{rank}" for colour in colours for rank in ranks}
    return sorted(plain | {f"{wild}:{colour}" for wild in wilds for colour in colours})


def guesses(view, choice):
    """What may have been done, by a person who does not think about hands."""
    moves = all_moves(view.rules)
    if view.legal == ("draw",):
        cards = [move for move in moves if ":" not in move]
        number = max(1, int(view.observation.pending))
        drawn = [" ".join(choice.choices(cards, k=number)) for _ in range(6)]
        return ["draw", *(f"draw {cards}" for cards in drawn)]
    return view.legal or ["draw", *moves]


def explained(telling, said):
    """Whether a hand is left by the exact belief, which tries all; None for a move that is
    impossible by itself."""
    seen = telling.view
    try:
        events = kibitz.game_of(seen.rules).happens(seen.rules, 0, seen.observation, said)
    except KibitzError:
        return None
    now = kibitz.view_of(seen.rules, 0, [*seen.events, *events])
    try:
        kibitz.belief(now, "exact", "constraints")
    except kibitz.BeliefError:
        return False
    return True


def test_what_no_hand_explains_is_refused():
    choice, answers = Random(1), Counter()
    for seed in range(fewer(180)):
        rules = kibitz.rules("uno", **TINY[seed % len(TINY)])
        telling = Telling(rules, 0, beginning(kibitz.Table(rules, seed=seed), 0))
        for _ in range(30):
            later = []
            for said in guesses(telling.view, choice):
                fits = explained(telling, said)
                answers[fits, "reshuffle" in telling.view.history()] += 1
                if fits:
                    later.append(telling.tell(said))
                elif fits is False:
                    with pytest.raises(KibitzError, match="no hand fits what was told; this or a"):
                        telling.tell(said)
            if not later:
                break
            telling = choice.choice([later[0], *later])  # a draw, if it can be: it tells most
    if not PURE:
        assert min(answers[fits, after] for fits in (True, False) for after in (True, False)) > 20
