"""No hidden card reaches a client before the end of the game.

Two games that look the same to the client's seat are played over the protocol, with everything that
can be asked asked at every turn: hints, beliefs, taking back, wrong moves, moves out of turn,
reviews and records that are not due. Every byte that is sent and every line that is logged must be
the same, but for the commitment, which must hang on the secret; leaks planted in each place are
caught.
"""

import copy
import itertools
import logging
import zlib

import numpy as np
import pytest

import kibitz
from kibitz.house.sitting import Sitting
from kibitz.protocol import tables
from kibitz.web.server import make_app
from wire import look_alikes, spoken

GAMES = [
    (kibitz.rules("uno"), 0, 3, 14),
    (kibitz.rules("uno", skip="pass"), 1, 7, 20),
    (kibitz.rules("blob", players=3, cards=4), 1, 2, 7),
    (kibitz.rules("blob", players=4, cards=5, trump="turned"), 2, 4, 10),
    (kibitz.rules("blob-game", players=3, start=3), 0, 1, 6),
]
SECRETS = ("0123456789abcdef" * 2, "fedcba9876543210" * 2)
QUICK = {"uno": "flat:sims=300", "blob": "pomcp:sims=300,keep=0"}
QUICK["blob-game"] = QUICK["blob"]


async def everything(ask, seat, house, record):
    """Play the record's game and ask for all that can be asked on the way."""
    wrong = ("nonsense", "R5", "QH", "99", "W", "draw", "", "\0")
    frame = await ask(do="sit", **seat)
    while frame["view"]["plies"] < len(record.actions):
        ply = frame["view"]["plies"]
        await ask(do="hint", **seat)
        await ask(do="belief", **seat)
        for move in wrong:
            await ask(do="play", **seat, move=move, ply=0)
            if move not in frame["view"]["legal"]:
                await ask(do="play", **seat, move=move)
        await ask(do="review", **seat)
        await ask(do="step", **seat)
        await ask(do="sit", table=seat["table"], token="guess")
        await ask(text='{"id": "x", "do": "play"')
        move = record.actions[ply].partition(" ")[0]
        await ask(do="play", **seat, move=move, ply=ply)
        await ask(do="undo", **seat)
        await ask(do="play", **seat, move=move, ply=ply)
        await ask(do="play", **seat, move=move, ply=ply)  # a double click
        for share in ("", "id0", "id1", "id2", seat["table"]):
            await ask(do="review-shared", share=share)
        frame = await ask(do="sit", **seat)
    await ask(do="hello", visitor="nobody")
    await get(house, f"/record/{seat['table']}.jsonl", ask)


async def get(house, path, ask):
    """What the web server answers; it is put among what was said."""
    scope = {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(),
        "query_string": b"", "headers": [(b"host", b"localhost")], "client": ("127.0.0.1", 1),
        "scheme": "http", "server": ("localhost", 80), "root_path": "", "http_version": "1.1",
    }  # fmt: skip
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    await make_app(house)(scope, receive, send)
    assert sent[0]["status"] == 404
    logging.getLogger("kibitz").info("served %s", sent)


@pytest.fixture(scope="module", params=GAMES, ids=lambda g: f"{g[0]} seat {g[1]}")
def records(request):
    found = look_alikes(*request.param)
    assert len(found) > 3, "nothing to compare"
    step = max(1, len(found) // 3)
    return found[0], found[1::step][:3]


@pytest.fixture(autouse=True)
def quick_coach(monkeypatch):
    for game, coach in QUICK.items():
        monkeypatch.setattr(type(kibitz.game_of(kibitz.rules(game))), "coach", coach)


def told(record, secret, caplog, talk=everything):
    caplog.clear()
    caplog.set_level(logging.DEBUG, logger="kibitz")
    lines = spoken(record, secret, talk)
    return lines, [entry.getMessage() for entry in caplog.records]


def same(records, caplog):
    first, others = records
    expected = told(first, SECRETS[0], caplog)
    return all(told(other, SECRETS[1], caplog) == expected for other in others)


def test_every_byte_is_the_same_when_hidden_cards_are_exchanged(records, caplog, capfd):
    capfd.readouterr()
    first, others = records
    expected = told(first, SECRETS[0], caplog)
    assert len(expected[0]) > 60
    assert not any('"code":"failed"' in line for line in expected[0])
    kinds = {line.partition('"is":"')[2].partition('"')[0] for line in expected[0]}
    assert kinds >= {"table", "analysis", "belief", "error", "commitment", "hello"}
    printed = capfd.readouterr()
    for other in others:
        found = told(other, SECRETS[1], caplog)
        for before, after in itertools.zip_longest(expected[0], found[0]):
            assert after == before
        assert found[1] == expected[1]
        assert capfd.readouterr() == printed


def _leaky_frame(sitting, clean=Sitting.frame):
    """One number that hangs on the true cards."""
    return {**clean(sitting), "undone": zlib.crc32(sitting.table.true_state().tobytes())}


async def _leaky_hint(self, request):
    """A coach that searches the true world instead of those that may be."""
    sitting = self._house.find(request.table, request.token)
    if not sitting.mine:
        raise kibitz.IllegalMove("not your turn")
    thinking = self._thinking(sitting.view)
    true = np.array([sitting.table.true_state()], kibitz.game_of(sitting.rules).dtype)
    thinking._belief = copy.copy(thinking.belief)
    sure = lambda n, seed: (np.repeat(true, n), np.full(n, 1 / n))  # noqa: E731
    object.__setattr__(thinking._belief, "sample", sure)
    await tables.analyse(self._session, request.id, thinking, None)


def _leaky_save(self, sitting, clean=kibitz.House.save):
    logging.getLogger("kibitz").info("saved %s", sitting.table.true_state().tobytes().hex())
    clean(self, sitting)


LEAKS = {
    "frame": (Sitting, "frame", _leaky_frame),
    "hint": (tables.Tables, "_hint", _leaky_hint),
    "log": (kibitz.House, "save", _leaky_save),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_planted_leak_is_caught(records, caplog, monkeypatch, leak):
    monkeypatch.setattr(*LEAKS[leak])
    assert not same(records, caplog)


def test_the_commitment_is_all_that_hangs_on_the_secret(records, caplog):
    first, _ = records
    assert told(first, SECRETS[0], caplog) == told(first, SECRETS[1], caplog)
