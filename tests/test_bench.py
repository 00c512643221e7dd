"""The benchmarks run and their rows are well formed. No figure is judged here: the machine that
runs the tests is busy."""

import dataclasses
import json

import pytest

from kibitz import bench

COMPARED = ["blob_round_4x5", "blob_round_4x7", "uno_ply", "uno_game"]
NAMES = [*COMPARED, "blob_belief", "blob_sample", "uno_update_1000", "uno_update_100000"]
FIELDS = ["name", "value", "unit", "peer", "peer_value", "ratio", "goal", "how", "limit"]


def test_without_peers() -> None:
    told: list[str] = []
    rows = bench.run(progress=told.append, quick=True)
    assert [row.name for row in rows] == told == NAMES
    for row in rows:
        assert list(row.to_dict()) == FIELDS
        assert row.value > 0
        assert row.unit in ("ns", "us", "ms")
        to_reach = row.goal if row.name in COMPARED else row.limit
        assert to_reach is not None
        assert to_reach > 0
        assert None in (row.goal, row.limit)
        assert row.how.endswith(".")
        assert (row.peer, row.peer_value, row.ratio) == (None, None, None)
    assert json.loads(json.dumps([row.to_dict() for row in rows])) == [r.to_dict() for r in rows]


def test_with_peers() -> None:
    rows = bench.run(peers=True, quick=True)
    assert [row.name for row in rows] == NAMES
    for row in rows[: len(COMPARED)]:
        assert row.peer is not None
        assert row.peer.split()[0] in ("OpenSpiel", "RLCard")
        assert row.peer.split()[0] in row.how
        assert row.peer_value is not None
        assert row.peer_value > 0
        assert row.ratio == row.peer_value / row.value
    json.dumps([row.to_dict() for row in rows])


def test_rows_are_frozen() -> None:
    row = bench.Row("x", 1.0, "us", None, None, None, None, "By hand.")
    with pytest.raises(dataclasses.FrozenInstanceError):
        row.value = 2.0  # type: ignore[misc]
