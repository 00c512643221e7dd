"""The benchmarks run and their rows are well formed. No figure is judged here: the machine that
runs the tests is busy."""

import dataclasses
import json
from pathlib import Path

import growth
import pytest

from kibitz import bench
from kibitz.bench import engine
from kibitz.peers.oh_hell import oh_hell_card, oh_hell_position

PLAYED = ["blob_round_4x5", "blob_round_4x7", "uno_ply", "uno_game"]
BELIEFS = ["blob_belief", "blob_sample", "uno_update_1000", "uno_update_100000"]
SEARCHED = ["ismcts_1000_blob_4x5", "ismcts_1000_blob_4x5_play"]
OPEN = "uno_pomcp_sims"
"""The row with nothing to reach."""
NAMES = [*PLAYED, *BELIEFS, *SEARCHED, "worlds_5x50_blob_4x5", OPEN]
COMPARED = [*PLAYED, *SEARCHED]
FIELDS = ["name", "value", "unit", "peer", "peer_value", "ratio", "goal", "how", "limit"]


def test_without_peers() -> None:
    told: list[str] = []
    rows = bench.run_bench(progress=told.append, quick=True)
    assert [row.name for row in rows] == told == NAMES
    for row in rows:
        assert list(row.to_dict()) == FIELDS
        assert row.value > 0
        assert row.unit in ("ns", "us", "ms")
        to_reach = row.goal if row.name in COMPARED else row.limit
        assert (to_reach is None) == (row.name == OPEN)
        assert to_reach is None or to_reach > 0
        assert None in (row.goal, row.limit)
        assert row.how.endswith(".")
        assert (row.peer, row.peer_value, row.ratio) == (None, None, None)
    assert json.loads(json.dumps([row.to_dict() for row in rows])) == [r.to_dict() for r in rows]


def test_with_peers() -> None:
    rows = bench.run_bench(peers=True, quick=True)
    assert [row.name for row in rows] == NAMES
    for row in rows:
        if row.name not in COMPARED:
            continue
        assert row.peer is not None
        assert row.peer.split()[0] in ("OpenSpiel", "RLCard")
        assert row.peer.split()[0] in row.how
        assert row.peer_value is not None
        assert row.peer_value > 0
        assert row.ratio == row.peer_value / row.value
    json.dumps([row.to_dict() for row in rows])


def test_both_sides_search_the_same_positions() -> None:
    rules = engine.oh_hell_rules(5)
    bids, plays = engine.blob_bids(rules, 2), engine.blob_plays(rules, 2)
    assert bids[1].true_state() == engine.dealt(rules, 1)[0]
    for table in (*bids, *plays):
        theirs = oh_hell_position(table.view(table.to_act), table.true_state())
        assert theirs.current_player() == table.to_act
        ours = table.legal_actions()
        if table in bids:
            cards = {rules.deck_size + bid for bid in ours}
        else:
            cards = {oh_hell_card(rules, card) for card in ours}
        assert set(theirs.legal_actions()) == cards
    for table in engine.uno_middles(2):
        assert len(table.legal_actions()) > 1


def test_rows_are_frozen() -> None:
    row = bench.Row("x", 1.0, "us", None, None, None, None, "By hand.")
    with pytest.raises(dataclasses.FrozenInstanceError):
        row.value = 2.0  # type: ignore[misc]


def test_growth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "growth.png"
    assert growth.main(["--quick", "--plot", str(picture)]) == 0
    assert "uno pomcp + belief" in capsys.readouterr().out
    assert picture.read_bytes().startswith(b"\x89PNG")
    curve = growth.Curve("uno", "flat", "simulations", (10, 100), (1.0, 10.0), (10, 100))
    assert curve.slope == pytest.approx(1)
    assert curve.each == (0.1, 0.1)
