"""The page's own check of the deal: the same cards as Python deals and draws, those of games that
were dealt before there was a cipher included, and any lie found out."""

import hashlib
import json
import random

import pytest

import kibitz
from helpers import RULE_SETS, fewer
from kibitz.house import fair
from page_scripts import needs_node, run

pytestmark = needs_node

SCRIPT = """
import { sha256 } from "./sha256.js";
import { verifyDeal } from "./verify.js";
const { cases, texts } = given;
console.log(JSON.stringify({ found: cases.map(verifyDeal), hashes: texts.map(sha256) }));
"""


@pytest.fixture
def asked(tmp_path):
    """What the page's script says of the cases, and the SHA-256 of the texts."""

    def ask(cases, texts=()):
        return run(tmp_path, SCRIPT, {"cases": cases, "texts": list(texts)})

    return ask


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def fair_case(rules, number, digits=64, choose=None):
    """A game as the server deals it, with random moves or those that `choose` picks."""
    source = random.Random(number)
    secret, nonce = (
        f"{source.getrandbits(4 * digits):0{digits}x}",
        f"{source.getrandbits(128):032x}",
    )
    seed = fair.seed(secret, nonce)
    table = kibitz.Table(rules, seed=seed, chance=fair.chance(secret))
    state = table.view(1).to_dict()["state"]
    heard = []
    while not table.over:
        heard = list(table.view(1).history())
        table.play((choose or source.choice)(table.legal_actions()))
    record = table.record()
    return {
        "actions": record.actions,
        "events": list(table.view(1).history()),
        "heard": heard,
        "commitment": digest(secret),
        "secret": secret,
        "nonce": nonce,
        "game": record.game,
        "rules": json.loads(json.dumps(record.rules)),
        "deal": record.deal,
        "seat": 1,
        "seen": {name: state.get(name) for name in ("hand", "top", "trump", "turned")},
        "asked": json.loads(json.dumps(record.rules)),
    }, f"{seed:032x}"


@pytest.mark.parametrize("digits", [32, 64], ids=["of before", "of today"])
def test_every_rule_set_deals_and_draws_the_same_cards_in_the_page(asked, digits):
    made = [fair_case(rules, number, digits) for rules in RULE_SETS for number in range(fewer(30))]
    answers = asked([case for case, _ in made])["found"]
    assert len(answers) == len(made) > 0
    for (case, seed), answer in zip(made, answers, strict=True):
        assert answer["ok"], (case["game"], case["rules"], answer["text"])
        assert answer["seed"] == seed


def test_a_deck_that_is_used_up_is_shuffled_the_same_way(asked):
    """Both only draw while they can, so that decks come to their end and the pile comes back."""
    rules = [
        kibitz.rules("uno", ranks="0011SS++", hand_size=3, skip=skip, wilds=wilds)
        for skip in ("pass", "forfeit") for wilds in (0, 4)
    ]  # fmt: skip
    made = [fair_case(each, number, choose=max)[0] for each in rules for number in range(fewer(20))]
    ends = [case["events"][-1] for case in made]
    assert sum("reshuffle" in case["events"] for case in made) > 10
    assert any(end.endswith("exhausted") for end in ends)
    assert [answer["text"] for answer in asked(made)["found"] if not answer["ok"]] == []


def swapped(hands):
    """The same hands with the first cards of two seats exchanged, which differ."""
    first, second = hands[0].split(), hands[1].split()
    first[0], second[0] = second[0], first[0]
    return [" ".join(first), " ".join(second), *hands[2:]]


def otherwise(case):
    """Lies about what was drawn or dealt later: the seats' own draws, the others', later rounds."""
    for ply, action in enumerate(case["actions"]):
        move, _, told = action.partition(" ")
        if move == "draw" and told:
            other = "R5" if told != "R5" else "R6"
            line = f"{other} {told.partition(' ')[2]}".strip()
        elif told:
            hands, _, rest = told.removeprefix("deal ").partition(" trump")
            line = f"deal {' | '.join(swapped(hands.split(' | ')))} trump{rest}"
            yield changed(case, "actions", ply, f"{move} {told.replace('trump ', 'trump x')}")
        else:
            continue
        yield changed(case, "actions", ply, f"{move} {line}")
        yield changed(case, "actions", ply, move)
    for place, line in enumerate(case["events"]):
        if line.startswith("1 draws "):
            card = "B9" if line != "1 draws B9" else "B8"
            yield changed(case, "events", place, f"1 draws {card}")
        if line.startswith("0 draws "):
            yield changed(case, "events", place, "0 draws 9")
        if line.startswith("deal 1 ") and place > 3:
            yield changed(case, "events", place, "deal 1 2C")
        if " plays " in line:
            seat = line.partition(" ")[0]
            yield changed(case, "events", place, f"{1 - int(seat in '12')} plays{line[7:]}")


def changed(case, name, place, line):
    lines = list(case[name])
    lines[place] = line
    return case | {name: lines, "heard": []}


def tampered(case):
    """Every way in which a server could lie."""
    deal = case["deal"]
    other = "0" if case["secret"][0] != "0" else "1"
    yield case | {"secret": other + case["secret"][1:]}
    yield case | {"commitment": digest("another secret")}
    yield case | {"nonce": case["nonce"][::-1]}
    yield case | {"deal": deal | {"hands": swapped(deal["hands"])}}
    yield case | {"deal": deal | {"hands": deal["hands"][:1]}}
    yield case | {"deal": {}}
    yield case | {"deal": deal | {"turn": 1}}
    yield case | {"secret": None}
    yield case | {"secret": case["secret"][:32]}  # as if it were dealt by the generator of before
    yield case | {"secret": case["secret"][:40]}
    actions, events = case["actions"], case["events"]
    yield case | {"actions": actions[:-1]}
    yield case | {"actions": [*actions, actions[-1]]}
    yield case | {"actions": [actions[1], actions[0], *actions[2:]]}
    yield case | {"actions": []}
    yield case | {"events": []}
    yield case | {"events": [*events[:2], *events[3:]]}
    yield case | {"heard": [*case["heard"][:-1], "0 plays nothing"]}
    yield from otherwise(case)
    yield case | {"nonce": ""}
    yield case | {"game": "whist"}
    seen = case["seen"]
    yield case | {"seat": 0}
    yield case | {"seen": seen | {"hand": deal["hands"][0]}}
    yield case | {"asked": case["asked"] | {"players": 9}}
    if "top" in deal:
        other = "R5" if deal["top"] != "R5" else "R6"
        yield case | {"deal": deal | {"top": other}}
        yield case | {"seen": seen | {"top": other}}
        yield case | {"rules": case["rules"] | {"wilds": 3}}
        yield case | {"rules": case["rules"] | {"max_plies": 10}}  # the same cards, another game
    else:
        other = "hearts" if deal["trump"] != "hearts" else "none"
        yield case | {"deal": deal | {"trump": other}}
        yield case | {"seen": seen | {"trump": other}}
    if "turned" in deal:
        yield case | {"seen": seen | {"turned": "2C" if deal["turned"] != "2C" else "3C"}}
        yield case | {"deal": {key: deal[key] for key in ("hands", "trump")}}


@pytest.mark.parametrize(
    "rules",
    [
        kibitz.rules("uno"),
        kibitz.rules("blob", trump="turned"),
        kibitz.rules("blob-game", players=3, trumps=("random",)),
    ],
    ids=lambda rules: rules.game,
)
def test_a_lie_is_found_out(rules, asked):
    case, _ = fair_case(rules, 5)
    lies = list(tampered(case))
    answers = asked([case, *lies])["found"]
    assert answers[0]["ok"]
    for lie, answer in zip(lies, answers[1:], strict=True):
        assert not answer["ok"], lie
        assert answer["text"]


def test_rules_may_be_asked_for_in_more_than_one_way(asked):
    uno, _ = fair_case(kibitz.rules("uno", ranks="0011SS"), 1)
    game, _ = fair_case(kibitz.rules("blob-game", players=3, schedule=(3, 2), trumps=("none",)), 2)
    found = asked(
        [
            uno | {"asked": {"ranks": "S10S10", "hand_size": "7"}},
            game | {"asked": {"players": 3, "start": 7, "schedule": "3, 02", "trumps": "none"}},
        ]
    )["found"]
    assert [each["text"] for each in found if not each["ok"]] == []


def test_sha256_is_sha256(asked):
    texts = ["", "abc", "é♥", *("x" * n for n in (55, 56, 63, 64, 65, 119, 120, 1000))]
    assert asked([], texts)["hashes"] == [digest(text) for text in texts]
