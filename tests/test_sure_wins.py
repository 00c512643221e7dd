"""Sure wins in UNO: what is proved wins in every world that fits, against every reply and draw; and
it is said to be sure wherever moves are told."""

from collections import Counter
from random import Random

import pytest

import kibitz
from brute import Uno
from brute_uno_belief import MODELS, look, posterior
from helpers import PURE, fewer
from kibitz.agents.grading import grade
from kibitz.beliefs import belief
from kibitz.games.uno.estimates import Estimates
from kibitz.games.uno.notation import card_text, parse_event
from kibitz.games.uno.sure import Solver
from kibitz.protocol.answers import analysis

SHORT = {"max_plies": 40}
DECKS = [
    {"colours": 2, "ranks": "01S+", "wilds": 1, "wild_fours": 1, "hand_size": 3},
    {"colours": 2, "ranks": "0SR+", "wilds": 1, "wild_fours": 0, "hand_size": 3},
    {"colours": 2, "ranks": "0011SR", "wilds": 0, "wild_fours": 0, "hand_size": 3},
    {"colours": 2, "ranks": "01S+", "wilds": 2, "wild_fours": 0, "hand_size": 3, "skip": "pass"},
    {"colours": 1, "ranks": "0011SS+", "wilds": 1, "wild_fours": 1, "hand_size": 3},
    {"colours": 2, "ranks": "0++", "wilds": 0, "wild_fours": 3, "hand_size": 3},
    {"colours": 2, "ranks": "01S+", "wilds": 1, "wild_fours": 1, "hand_size": 3, "max_plies": 6},
]
RULES = [kibitz.rules("uno", **{**SHORT, **deck}) for deck in DECKS]


def worlds(view):
    """Every position that fits what a seat saw, by brute force."""
    rules, me = view.rules, view.seat
    public = look(rules, me, view.events)
    for hand in posterior(rules, me, view.events, MODELS["constraints"]):
        hands = [public.hand, Counter(hand)] if me == 0 else [Counter(hand), public.hand]
        yield Uno(
            hands=tuple(hands),
            deck=public.unseen - Counter(hand),
            pile=public.pile,
            top=public.top,
            colour=public.colour,
            colours=public.colours,
            forfeit=public.forfeit,
            max_plies=rules.max_plies,
            pending=public.pending,
            seat=public.turn,
            plies=view.plies,
        )


def told(world, action, drawn, me):
    """What `me` sees of a move: lines of events."""
    seat = world.seat
    if action != "draw":
        skipped = world.after(action).seat == seat
        return [f"{seat} plays {action}", *([f"{1 - seat} is skipped"] if skipped else [])]
    number = max(1, world.pending)
    lines = ["reshuffle"] if world.deck.total() < number else []
    return [*lines, f"{seat} draws {' '.join(drawn) if seat == me else number}"]


class Judge:
    """Follows the proofs through every world, reply and draw."""

    def __init__(self, rules, me):
        self.rules, self.me = rules, me
        self._asked = {}
        self.choices = 0

    def sure(self, events):
        if events not in self._asked:
            view = kibitz.view_of(self.rules, self.me, events)
            found = belief(view, n=20, cache=None).sure_wins(view.actions)
            self._asked[events] = [view.text(action) for action in found]
        return self._asked[events]

    def wins(self, world, events, action=None):
        if world.seat is None:
            return world.result[self.me] == 1
        if world.seat == self.me:
            if action is None and world.legal() == {"draw"}:
                actions = ["draw"]
            else:
                actions = [action] if action else self.sure(events)[:1]
            if not actions:
                return False  # a win was proved, and now none is
        else:
            actions = sorted(world.legal())
            self.choices += actions != ["draw"]
        for action in actions:
            for drawn in world.draws() if action == "draw" else [()]:
                after = world.after(action, drawn)
                lines = [] if after.seat is None else told(world, action, drawn, self.me)
                if not self.wins(after, (*events, *map(parse_event, lines))):
                    return False
        return True


def checked(rules, seeds):
    """How many actions were proved in random games, and how often the opponent had a choice after
    one; asserts that each proof holds."""
    proved = choices = 0
    for seed in seeds:
        table, choice = kibitz.Table(rules, seed=seed), Random(seed)
        while not table.over:
            view = table.view(table.to_act)
            found = belief(view, n=20, cache=None).sure_wins(view.actions)
            for action, line in found.items():
                assert line[0] == action
                judge = Judge(rules, view.seat)
                for world in worlds(view):
                    assert judge.wins(world, view.events, view.text(action)), (seed, view.history())
                proved += 1
                choices += judge.choices > 0
            table.play(choice.choice(table.legal_actions()))
    return proved, choices


@pytest.mark.parametrize("rules", RULES[: 1 if PURE else None], ids=str)
def test_what_is_proved_wins_in_every_world_against_every_reply(rules):
    proved, choices = checked(rules, range(fewer(40)))
    assert proved >= 50 or PURE
    assert choices >= 10 or rules not in RULES[:2] or PURE


FAULTS = {
    "the opponent never has an answer": (Estimates, "may_hold", lambda self, card: False),
    "every Skip keeps the move": (Solver, "keeps", lambda self, card: card & 15 in (10, 11, 12)),
    "nothing is ever drawn in vain": (Solver, "_exhausted", lambda self, known, number: True),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_proof_that_is_none_is_found_out(monkeypatch, fault):
    monkeypatch.setattr(*FAULTS[fault])

    def check():
        for rules in RULES[:4]:
            checked(rules, range(fewer(40)))

    with pytest.raises(AssertionError):
        check()


def chain(hand, top, colour, rules):
    """Whether a hand can be emptied without a turn of the opponent's, in plain Python."""
    colours = "RYGB"[: rules.colours]
    for card in set(hand):
        rest = hand - Counter([card])
        wild = card.startswith("W")
        if not wild and card[0] != colour and card[1:] != top[1:]:
            continue
        if not rest:
            return True
        if card[1:] not in ("+2", "+4", *("SR" if rules.skip == "forfeit" else "")):
            continue
        for declared in colours if wild else card[0]:
            if chain(rest, card, declared, rules):
                return True
    return False


@pytest.mark.parametrize("skip", ["forfeit", "pass"])
def test_every_win_without_a_turn_of_the_opponent_is_found(skip):
    rules, choice, found = kibitz.rules("uno", skip=skip), Random(1), 0
    cards = [card_text(card) for card in range(64) if card & 15 < 13] + ["W", "W+4"]
    for _ in range(fewer(400)):
        keeping = [card for card in cards if card[1:] in ("S", "R", "+2", "+4")]
        hand = choice.sample(keeping, choice.randint(0, 4)) + choice.sample(cards, 1)
        top = choice.choice(cards[:-2])
        view = kibitz.position(rules, hand=" ".join(hand), top=top, theirs=5).view
        sure = belief(view, n=20, cache=None).sure_wins(view.actions)
        expected = chain(Counter(hand), top, top[0], rules)
        assert not expected or sure
        found += expected
    assert found > 20 or PURE


def test_a_proof_depends_on_what_was_seen_alone():
    rules, same = RULES[0], 0
    for seed in range(fewer(20)):
        table, choice = kibitz.Table(rules, seed=seed), Random(seed)
        while not table.over:
            view = table.view(table.to_act)
            answers = [
                belief(view, method, model, 20, seed=n, cache=None).sure_wins(view.actions)
                for n, method in enumerate(("exact", "particles", "slots"))
                for model in ("auto", "rule:temperature=0", "constraints")
            ]
            assert all(answer == answers[0] for answer in answers)
            same += bool(answers[0])
            table.play(choice.choice(table.legal_actions()))
    assert same or PURE


# --- how they are told ---


@pytest.fixture
def position():
    return kibitz.position("uno", hand="RS R+2 R5", top="R3", theirs=5)


PLAYERS = {"flat:sims=40": 40, "worlds:sims=9": 45, "ismcts:sims=40": 40, "pomcp:sims=40": 40}


@pytest.mark.parametrize("player", PLAYERS)
def test_a_sure_win_is_said_to_be_sure(position, player):
    view = position.view
    sure = [view.actions[view.legal.index(text)] for text in ("RS", "R+2")]
    found = kibitz.advise(position, player, seed=3)
    assert set(found.equal) == set(sure)
    assert found.action in sure
    proved = {move.text: (move.value, move.error) for move in found.moves if move.proved}
    assert proved == {"RS": (1.0, 0.0), "R+2": (1.0, 0.0)}
    assert [move.proved for move in found.moves] == [True, True, False]
    assert sum(found.policy.values()) == pytest.approx(1)
    assert all(found.policy[move.action] == move.share for move in found.moves)
    first, second = (move.text for move in found.moves[:2])
    assert found.why[0] == (
        f"{first} and {second} win whatever the others hold and draw: none is better"
    )
    lines = {"RS": "RS, R+2, draw, R5", "R+2": "R+2, draw, RS, R5"}
    assert found.why[1] == f"The line is {lines[first]}"
    for action in sure:
        judged = grade(view, found, action)
        assert (judged.name, judged.loss) == ("best", 0.0)
    # no less is searched: who answered at once would tell that it had won
    assert found.simulations == PLAYERS[player]
    played = kibitz.agent(player, "uno").decide(view, kibitz.rng.generator(1))
    assert played.action in sure
    assert played.simulations == PLAYERS[player]


def test_a_sure_win_reads_so_and_nothing_else_does():
    text = kibitz.game_of(kibitz.rules("uno")).value_text
    assert text(1.0, 0.0) == "a sure win"
    assert text(1.0, 0.0004) == "win >99.9 % ± 0.0"
    assert text(-1.0, 0.01) == "win <0.1 % ± 0.5"
    assert text(0.5, 0.01) == "win 75.0 % ± 0.5"


def test_programs_are_told_so_too(position):
    thinking = kibitz.Thinking(position, "flat:sims=60")
    while thinking.step():
        pass
    told = analysis("1", thinking, thinking.explained(), final=True)
    assert [(move.text, move.proved, move.equal) for move in told.moves[:2]] == [
        ("a sure win", True, True)
    ] * 2
    assert (told.moves[2].proved, told.moves[2].equal) == (False, False)
    assert told.moves[2].text.startswith("win ")
    assert told.line[0] == told.best


def test_a_hint_is_sure_before_anything_was_searched(position):
    thinking = kibitz.Thinking(position, "flat:sims=5000")
    assert [move.proved for move in thinking.decision().moves] == [True, True]
    while thinking.step():
        pass
    assert [move.proved for move in thinking.decision().moves] == [True, True, False]


def test_the_only_move_may_be_a_sure_win():
    last = kibitz.position("uno", hand="R5", top="R3", theirs=2)
    (said,) = kibitz.advise(last, "flat:sims=20").why
    assert said == "R5 is the only legal move, and it wins whatever the others hold and draw"
    other = kibitz.position("uno", hand="R5 G1", top="R3", theirs=2)
    (said,) = kibitz.advise(other, "flat:sims=20").why
    assert said == "R5 is the only legal move"
