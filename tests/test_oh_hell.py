"""Blob in step with OpenSpiel's `oh_hell`, and that the comparison would notice if it were not.

OpenSpiel comes with the extra `peers`, which the tests need.
"""

from collections.abc import Callable
from typing import Any

import oh_hell
import pytest

from kibitz import contract, peers
from kibitz.games.base import KibitzError
from kibitz.games.blob import kernels


def test_in_step() -> None:
    report = oh_hell.compare(1500, seed=11)
    assert report.first is None
    assert report.differences == 0
    assert report.rounds == 1500
    assert report.settings == len(oh_hell.settings())
    assert report.decisions > 20_000


def test_settings_cover_what_oh_hell_has() -> None:
    settings = oh_hell.settings()
    assert {s["players"] for s in settings} == {3, 4, 5, 6, 7}
    assert {s["suits"] for s in settings} == {1, 2, 3, 4}
    for miss in ("tricks", "penalty"):
        assert {s["points_per_trick"] for s in settings if s["miss"] == miss} == set(oh_hell.POINTS)
    full = [s for s in settings if s["suits"] * s["ranks"] == s["players"] * s["cards"] + 1]
    assert full, "no setting deals the whole deck"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"miss": "zero"}, "returns"),
        ({"exact_bonus": 9}, "returns"),
        ({"points_per_trick": 2}, "returns"),
        ({"dealer": 0}, "the seat to act"),
    ],
)
def test_wrong_rules_are_noticed(changed: dict[str, Any], said: str) -> None:
    report = oh_hell.compare(1000, changed=changed)
    assert report.differences > 100
    assert report.first is not None
    assert said in report.first


def test_a_wrong_legal_set_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = contract.legal_actions

    def every_bid(params: Any, state: Any) -> int:
        legal = int(right(params, state))
        return (2 << int(state.cards)) - 1 if state.phase == 0 else legal

    _expect(monkeypatch, "legal_actions", every_bid, "the legal actions")


def test_a_wrong_trump_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = contract.deal

    def no_trump(params: Any, state: Any, chance: Any) -> None:
        right(params, state, chance)
        kernels.set_trump(state, -1)

    _expect(monkeypatch, "deal", no_trump, "tricks won")


def _expect(patch: pytest.MonkeyPatch, name: str, wrong: Callable[..., Any], said: str) -> None:
    patch.setattr(contract, name, wrong)
    report = oh_hell.compare(300)
    assert report.differences > 10
    assert report.first is not None
    assert said in report.first


def test_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert oh_hell.main(["--rounds", "20", "--seed", "5"]) == 0
    assert capsys.readouterr().out.startswith("20 rounds, 20 settings, ")

    faulty = oh_hell.Report(3, 3, 40, 1, "the seat to act")
    monkeypatch.setattr(oh_hell, "compare", lambda *_: faulty)
    assert oh_hell.main([]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out == [
        "first difference: the seat to act",
        "3 rounds, 3 settings, 40 decisions: 1 differences",
    ]


@pytest.mark.parametrize("arguments", [["--rounds", "0"], ["--seed", "-1"]])
def test_bad_arguments(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        oh_hell.main(arguments)
    assert stopped.value.code == 2
    assert "must be" in capsys.readouterr().err


def test_a_missing_peer_is_explained() -> None:
    with pytest.raises(KibitzError, match=r"kibitz\[peers\]"):
        peers.library("no_such_engine")
