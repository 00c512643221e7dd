"""The page's own check of the deal: the same cards as Python deals, and any lie found out."""

import hashlib
import json
import random

import pytest

import kibitz
from helpers import RULE_SETS, fewer
from page_scripts import needs_node, run

pytestmark = needs_node

SCRIPT = """
import { verifyDeal, sha256 } from "./verify.js";
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


def fair_case(rules, number):
    """A deal as the server makes it."""
    source = random.Random(number)
    secret, nonce = f"{source.getrandbits(128):032x}", f"{source.getrandbits(128):032x}"
    seed = int(digest(f"{secret}:{nonce}")[:32], 16)
    table = kibitz.Table(rules, seed=seed)
    record, state = table.record(), table.view(1).to_dict()["state"]
    return {
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


def test_every_rule_set_deals_the_same_cards_in_the_page(asked):
    made = [fair_case(rules, number) for rules in RULE_SETS for number in range(fewer(60))]
    answers = asked([case for case, _ in made])["found"]
    assert len(answers) == len(made) > 0
    for (case, seed), answer in zip(made, answers, strict=True):
        assert answer["ok"], (case["game"], case["rules"], answer["text"])
        assert answer["seed"] == seed


def swapped(hands):
    """The same hands with the first cards of two seats exchanged, which differ."""
    first, second = hands[0].split(), hands[1].split()
    first[0], second[0] = second[0], first[0]
    return [" ".join(first), " ".join(second), *hands[2:]]


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
