"""Matches by which the agents were chosen and by which their strength is stated, sheet by sheet.

A sheet is a list of matches; each is what `kibitz match` plays, and can be played by itself with
the command that `--list` prints. What has been played is kept in a file and not played again, so a
sheet that was stopped goes on. The figures in docs/results.md come from here.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kibitz import api

RESULTS = Path(__file__).parent.parent / "build" / "strength.sqlite"


@dataclass(frozen=True)
class Row:
    """One match."""

    game: str
    players: tuple[str, ...]
    """Who is measured, then the others: one for each seat, or one for all of them."""
    games: int
    """At most, where there is a test."""
    seed: int
    rules: str = ""
    test: tuple[float, float] | None = None
    """Hypotheses of a sequential test, in Elo or in points."""
    luckless: bool = False
    """Whether the test counts deals with the luck of draws taken out."""

    @property
    def command(self) -> str:
        words = ["kibitz", "match", self.game, *self.players]
        words += ["--rules", self.rules] if self.rules else []
        words += ["--games", str(self.games)]
        words += ["--sprt", f"{self.test[0]:g},{self.test[1]:g}"] if self.test else []
        words += ["--luckless"] if self.luckless else []
        return shlex.join([*words, "--seed", str(self.seed)])

    def play(self, ledger: api.Ledger, engine: api.Engine) -> api.MatchResult:
        said = dict(part.split("=") for part in self.rules.split(",") if part)
        rules = api.rules(self.game, **said)
        plan = api.Plan.between(rules, list(self.players), self.seed)
        deals = -(-self.games // rules.seats)
        return api.Match(plan, api.Until(deals, self.test, self.luckless), ledger).play(engine)


# --- choosing: a setting against the one that stood before, which is named in the sheet ----------


def instead(game: str, base: str, changes: list[str], **match: object) -> list[Row]:
    """Each of `changes` against `base`: options that are added to it, or another agent."""
    rows = []
    for change in changes:
        other = change if ":" in change.partition("=")[0] else f"{base},{change}"
        rows.append(Row(game, (other, base), **match))  # type: ignore[arg-type]
    return rows


def uno(ms: int) -> list[Row]:
    changes = [
        f"pomcp:keep=0,priors=keen,ms={ms}",
        f"pomcp:keep=0,patience=1000000,ms={ms}",
        f"ismcts:priors=keen,ms={ms}",
        f"worlds:worlds=20,ms={ms}",
        "explore=0.3", "explore=2", "randomness=0", "randomness=0.3", "rollout=rule",
        "rollout=uniform", "particles=300", "model=rule", "model=0.4*uniform+0.3*rule+0.3*keen",
        "model=constraints",
    ]  # fmt: skip
    match = {"games": 2000, "seed": 161, "test": (0, 20), "luckless": True}
    return instead("uno", f"default:ms={ms}", changes, **match)


BEFORE = "0.6*uniform+0.2*rule:temperature=0.5+0.2*rule:temperature=2"
"""Blob's model of the others before a keen player was part of it."""


def blob(ms: int) -> list[Row]:
    changes = [
        "explore=0.3", "priors=none", "randomness=0", "rollout=rule",
        "rollout=uniform", "others=keen", f"model={BEFORE}", "model=constraints",
        f"ismcts:priors=keen,ms={ms}", f"worlds:worlds=50,ms={ms}",
    ]  # fmt: skip
    match = {"games": 1600, "seed": 163, "test": (0, 0.3)}
    return instead("blob", f"default:ms={ms}", changes, **match)


BLOB = "players=4,cards=5"


def blob_models() -> list[Row]:
    """For whom the belief takes the others, against three kinds of players; the keen one guides."""
    rules = "0.15*rule:temperature=0.5+0.15*rule:temperature=2"
    models = [
        BEFORE,
        f"0.3*uniform+{rules}+0.4*keen",
        f"0.3*uniform+{rules}+0.4*keen:temperature=8",
        f"0.3*uniform+{rules}+0.2*keen:temperature=8+0.2*keen:temperature=40",
        "0.2*uniform+0.1*rule:temperature=0.5+0.1*rule:temperature=2+0.6*keen",
        "0.3*uniform+0.3*rule:temperature=1+0.4*keen",
        "0.25*uniform+0.25*rule:temperature=1+0.5*keen:temperature=8",
        "0.4*uniform+0.2*rule:temperature=1+0.4*keen:temperature=8",
        "0.6*uniform+0.1*rule:temperature=1+0.3*keen:temperature=8",
        "keen,others=keen",
    ]
    base = "pomcp:keep=0,sims=4000,particles=400"
    return [
        Row("blob", (f"{base},priors=keen,model={model}", other), 4000, seed=507, rules=BLOB)
        for model in models
        for other in ("keen", "random", f"{base},model={BEFORE}")
    ]


# --- peers ---------------------------------------------------------------------------------------

OH_HELL = "trump=turned,miss=penalty"
"""The rules of OpenSpiel's `oh_hell`."""


def constants() -> list[Row]:
    """OpenSpiel's bots with other constants among rule players: which suits them best?"""
    bots = [f"openspiel:bot=python,sims=200,uct={uct}" for uct in (1, 3, 10, 30)]
    bots += [f"openspiel:bot=cpp,ms=10,uct={uct}" for uct in (1, 3, 10, 30)]
    rules = f"players=4,cards=5,{OH_HELL}"
    return [Row("blob", (bot, "rule"), games=800, seed=64, rules=rules) for bot in bots]


def tables() -> list[tuple[int, int, str]]:
    """Players, cards and rules of the tables at which Kibitz and OpenSpiel meet."""
    return [
        (players, cards, f"players={players},cards={cards},{OH_HELL}")
        for players in (3, 4, 5)
        for cards in (3, 5, 7)
    ]


def honest() -> list[Row]:
    """One of ours among OpenSpiel's honest bots and the other way round, at equal simulations. With
    three cards the difference is small, and a deal is soon over: more of them. The model is the one
    that stood when the first of these was played."""
    ours = f"pomcp:keep=0,others=keen,priors=keen,particles=200,sims=100,model={BEFORE}"
    bot = "openspiel:bot=python,sims=100,uct=10"
    deals = {
        (3, 3): 2500, (4, 3): 2600, (5, 3): 2500,
        (3, 5): 400, (4, 5): 500, (5, 5): 400,
        (3, 7): 200, (4, 7): 250, (5, 7): 300,
    }  # fmt: skip
    return [
        Row("blob", pair, games=players * deals[players, cards], seed=77, rules=rules)
        for players, cards, rules in tables()
        for pair in ((ours, bot), (bot, ours))
    ]


def leaking() -> list[Row]:
    """OpenSpiel's C++ bot, which sees which cards were not dealt: ours without and with that."""
    bot = "openspiel:bot=cpp,ms=10,uct=30"
    ours, leak = (
        f"{name}keep=0,others=keen,priors=keen,ms=10" for name in ("pomcp:", "leak:search=pomcp,")
    )
    return [
        Row("blob", pair, games=players * 50, seed=68, rules=rules)
        for players, _, rules in tables()
        for pair in ((ours, bot), (leak, bot))
    ]


# --- what more time and more worlds are worth ----------------------------------------------------


def more_time(game: str, test: tuple[float, float], games: list[int]) -> list[Row]:
    """The default agent with other times: sixteen times as much by a sequential test, and each step
    of four times by its interval, which must not reach below -1 % of what is at stake: a game of
    UNO, or the 17 points of seven tricks bid and made."""
    rows = []
    for (more, less), most in zip(
        [(32, 2), (128, 8), (8, 2), (32, 8), (128, 32)], games, strict=True
    ):
        pair = f"default:ms={more}", f"default:ms={less}"
        if more // less == 16:
            rows.append(Row(game, pair, most, seed=86, test=test, luckless=game == "uno"))
        else:
            rows.append(Row(game, pair, most, seed=86))
    return rows


def how_many_worlds() -> list[Row]:
    """1,000 simulations, and then 50 in each world."""
    shapes = [(1, 1000), (5, 200), (20, 50), (50, 20), (200, 5)]
    shapes += [(1, 50), (5, 50), (50, 50), (100, 50)]
    return [
        Row("blob", (f"worlds:worlds={worlds},sims={sims}", "rule"), 1600, seed=69, rules=BLOB)
        for worlds, sims in shapes
    ]


SHEETS: dict[str, Callable[[], list[Row]]] = {
    "uno": lambda: uno(16),
    "blob": lambda: blob(16),
    "models": blob_models,
    "constants": constants,
    "honest": honest,
    "leaking": leaking,
    "time-uno": lambda: more_time("uno", (0, 5), [8000, 8000, 3000, 2400, 2000]),
    "time-blob": lambda: more_time("blob", (0, 0.2), [8000, 6000, 4000, 2400, 1600]),
    "worlds": how_many_worlds,
}


# --- telling -------------------------------------------------------------------------------------


def line(row: Row, result: api.MatchResult) -> str:
    """A row of the table."""

    def value(mean: float, low: float, high: float) -> str:
        if result.measure == "score":
            return f"{100 * mean:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
        return f"{mean:+.2f} ({low:+.2f} to {high:+.2f})"

    luck = result.without_luck
    cells = [
        f"`{row.players[0]}`",
        f"`{row.players[1]}`",
        value(result.mean, *result.ci95),
        value(luck["mean"], *luck["ci95"]) if luck else "",
        f"{result.games:,}",
        result.ended,
        " ".join(f"{side.ms:.1f}" for side in result.sides),
    ]
    if row.rules:
        cells.insert(0, row.rules)
    faults = sum(side.faults for side in result.sides)
    return f"| {' | '.join(cells)} |" + (f" {faults} FAULTS" if faults else "")


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("sheets", nargs="*", help=f"of {', '.join(SHEETS)}")
    ask.add_argument("--list", action="store_true", help="print the commands instead")
    ask.add_argument("--jobs", type=int, help="processes; else one for each core")
    ask.add_argument("--results", type=Path, default=RESULTS, help="SQLite file of results")
    said = ask.parse_args()
    if wrong := [name for name in said.sheets if name not in SHEETS]:
        ask.error(f"no sheet {wrong[0]!r}; there are {', '.join(SHEETS)}")
    for name in said.sheets or SHEETS:
        print(f"\n## {name}\n", flush=True)
        rows = SHEETS[name]()
        if said.list:
            print("\n".join(row.command for row in rows))
            continue
        said.results.parent.mkdir(parents=True, exist_ok=True)
        with api.Ledger(said.results) as ledger, api.local_engine(said.jobs) as engine:
            for row in rows:
                began = time.monotonic()
                print(line(row, row.play(ledger, engine)), flush=True)
                print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
