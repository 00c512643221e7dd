"""Compiled code and plain Python give the same games, to the bit; and plain Python shows how much
of the rules the tests reach, which compiled code cannot show.

Run as a program, this prints the digests that both must have in common.
"""

import hashlib
import json
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import pytest

import kibitz
from helpers import (
    clean_environment,
    dealt,
    legal,
    observed,
    play_on,
    random_states,
    sampled,
    split,
    to_act,
)
from kibitz import bits, contract, players, rng
from kibitz.arena.kernels import play_games, rollouts
from kibitz.players import RULE, UNIFORM, Player, as_array

TESTS = Path(__file__).parent
TINY = {"colours": 2, "ranks": "0123SR+", "wilds": 1, "wild_fours": 2, "hand_size": 3}
FIXED = [
    kibitz.rules("uno"),
    kibitz.rules("uno", skip="pass", max_plies=60, **TINY),
    kibitz.rules("uno", colours=1, ranks="0112S+", wild_fours=2, hand_size=3, max_plies=60),
    kibitz.rules("blob"),
    kibitz.rules("blob", players=2, cards=26, trump="none", miss="penalty"),
    kibitz.rules("blob", players=8, cards=6, trump="turned", miss="tricks"),
    kibitz.rules("blob", players=3, suits=2, ranks=4, cards=2, trump="random"),
    kibitz.rules("blob-game", players=3, start=2, trumps=("random", "turned", "none")),
]


# --- compiled = plain Python ---------------------------------------------------------------------


def digests():
    """Of everything that the kernels compute in games with fixed seeds, by rules and part."""
    found = {}
    for rules in FIXED:
        parts = {
            "states": states_of_games(rules),
            "observations and sampled worlds": worlds(rules),
            "rule player": decisions(rules),
            "games inside a kernel": kernel_games(rules),
            "rollouts": some_rollouts(rules),
            "searches": searches(rules),
            "luck and skill": luck(rules),
        }
        found |= {f"{rules}: {name}": digest(data) for name, data in parts.items()}
    return found | {"bits": digest(bit_operations()), "random numbers": digest(random_numbers())}


def digest(data):
    return hashlib.blake2b(b"".join(data), digest_size=8).hexdigest()


def states_of_games(rules):
    return [state.tobytes() for seed in range(3) for state in random_states(rules, seed)]


def worlds(rules):
    generator = rng.generator(1, 2, 3)
    for k, state in enumerate(random_states(rules, 4)):
        seen = observed(rules, state, k % rules.seats)
        yield seen.tobytes()
        yield sampled(rules, seen, k % rules.seats, generator).tobytes()


def decisions(rules):
    for state in random_states(rules, 5):
        if to_act(rules, state) >= 0:
            scores, chances = np.zeros(64), np.zeros(64)
            contract.rule_scores(rules.params, state, scores)
            players.chances(rules.params, state, Player(RULE), chances)
            yield scores.tobytes() + chances.tobytes()
            contract.keen_scores(rules.params, state, scores)
            yield scores.tobytes()


def kernel_games(rules):
    finals = np.zeros(4, kibitz.game_of(rules).dtype)
    rewards = np.zeros((4, rules.seats))
    sitting = as_array([Player(RULE), Player(UNIFORM)] * 4)[: rules.seats]
    play_games(rules.params, sitting, *rng.words(3), 5, True, finals, rewards)
    return [finals.tobytes(), rewards.tobytes()]


def some_rollouts(rules):
    state, _ = dealt(rules, 6)
    start = np.zeros(1, state.dtype)
    start[0] = state
    total = np.zeros(rules.seats)
    plies = rollouts(rules.params, start, start.copy(), 3, rng.generator(7), total)
    return [str(int(plies)).encode(), total.tobytes(), bytes(legal(rules, start[0]))]


SEARCHES = [
    "flat:sims=30",
    "ismcts:sims=30",
    "ismcts:sims=30,observers=each",
    "ismcts:sims=30,priors=keen,noise=0.2,horizon=20",
    "pomcp:sims=30,discount=0.5",  # whose powers are exact: elsewhere the last bit may differ
    "worlds:worlds=3,sims=10,exact=4",
]


def searches(rules):
    """Visits and values of every move at a choice in the middle of a game."""
    table = kibitz.Table(rules, seed=9)
    for step in range(rules.seats + 3):
        if not table.over and (step <= rules.seats or len(table.legal_actions()) == 1):
            table.play(table.legal_actions()[0])
    for name in [] if table.over else SEARCHES:
        agent = kibitz.agent(f"{name},model=constraints,particles=50", rules.game)
        found = agent.decide(table.view(table.to_act), rng.generator(10, 0, 1))
        yield repr((found.action, found.moves, found.values, found.nodes)).encode()


def luck(rules):
    """Of the first moves of a game."""
    table = play_on(kibitz.Table(rules, seed=11), 11, 6)
    game, states = kibitz.game_of(rules), [step.state for step in table.steps()]
    said = [text.partition(" ")[0] for text in table.record().actions]
    actions = [game.parse_action(s, text) for s, text in zip(states, said, strict=False)]
    found = split(rules, states, actions, plays=2)
    yield repr((found.values, found.parts)).encode()


def bit_operations():
    words = [rng.next_word(generator) for generator in [rng.generator(8)] for _ in range(200)]
    for word in words:
        for rank in range(int(word).bit_count()):
            yield int(bits.select_portable(np.uint64(word), rank)).to_bytes(8)
        yield int(bits.lowest_bit(np.uint64(word))).to_bytes(8)


def random_numbers():
    generator = rng.generator(2**127 + 3, 9, 1)
    for n in (1, 2, 3, 10, 52, 108, 2**31 + 1):
        yield from (str(int(rng.below(generator, n))).encode() for _ in range(50))
    tape = rng.tape(np.arange(3, dtype=np.uint64))
    yield from (str(int(rng.next_word(tape))).encode() for _ in range(9))  # beyond its end


def test_plain_python_computes_what_compiled_code_does():
    done = subprocess.run(
        [sys.executable, __file__],
        env=clean_environment(NUMBA_DISABLE_JIT="1"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    pure, compiled = json.loads(done.stdout), digests()
    assert {name for name in compiled if pure[name] != compiled[name]} == set()
    assert len(set(compiled.values())) == len(compiled), "each digest is of something else"


# --- coverage ------------------------------------------------------------------------------------

UNO_BELIEF = ["afresh", "belief", "following", "estimates", "evidence", "exact", "filter", "hands"]
UNO_BELIEF += ["hypotheses", "infer", "likelihood", "moves", "slots", "stories", "tally"]
UNO_BELIEF += ["schedule", "weighing"]
BLOB_BELIEF = ["belief", "counting", "deals", "estimates", "inference", "posterior"]
GAMES = ["uno_rules", "blob_rules", "table", "records", "chance", "notation", "conformance"]
GAMES += ["positions", "telling", "plugins"]
PARTS = {
    "games": (
        GAMES,
        {
            "rules": [
                "games/*/rules.py",
                "games/*/layout.py",
                "games/__init__.py",
                "games/base.py",
            ],
            "kernels": ["games/*/kernels.py", "games/*/policy.py", "players.py", "rng.py"],
            "notation and events": ["games/*/notation.py", "games/*/game.py"],
            "view": ["view.py"],
            "table and records": ["table/*.py"],
        },
    ),
    "beliefs of UNO": (
        ["uno_belief", "uno_belief_use", "beliefs", "model", "story"],
        {
            "beliefs": ["beliefs/*.py", "games/belief.py", "games/model.py", "particles.py"],
            "beliefs of UNO": [f"games/uno/{name}.py" for name in UNO_BELIEF],
        },
    ),
    "beliefs of Blob": (
        ["blob_belief", "blob_particles", "blob_following"],
        {"beliefs of Blob": [f"games/blob/{name}.py" for name in BLOB_BELIEF]},
    ),
}
"""Files of tests, and what they must reach by themselves: so each can run when there is room."""

SLOW = ["processes", "long_bad", "uniform", "biased", "planted", "different_deals", "sums_up"]
SLOW += ["every_command", "people_and_programs", "its_source_changes"]
SLOW += ["where_they_are_few", "rules_the_truth_out"]  # of too few games they find nothing
"""Tests left out here: they take long and reach nothing that the others do not."""


def covered(report, patterns):
    """Lines and branches reached, in per cent of all that these files have."""
    reached = there = 0
    for name, file in report["files"].items():
        inside = name.split("kibitz/", 1)[1]
        if any(fnmatch(inside, p) and inside.count("/") == p.count("/") for p in patterns):
            summary = file["summary"]
            reached += summary["covered_lines"] + summary["covered_branches"]
            there += summary["num_statements"] + summary["num_branches"]
    return 100 * reached / there


@pytest.mark.parametrize("part", PARTS)
def test_the_tests_pass_in_plain_python_and_reach_nearly_all_of_the_rules(tmp_path, part):
    chosen, reached = PARTS[part]
    environment = clean_environment(NUMBA_DISABLE_JIT="1", COVERAGE_FILE=str(tmp_path / "data"))

    def coverage(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "coverage", *arguments],
            cwd=TESTS.parent,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    files = [f"tests/test_{name}.py" for name in chosen]
    options = ["-p", "no:xdist", "-p", "no:cacheprovider", "-k", f"not ({' or '.join(SLOW)})"]
    done = coverage("run", "-m", "pytest", *options, *files)
    written = coverage("json", "-o", str(tmp_path / "report.json"))
    assert written.returncode == 0, written.stdout + done.stdout
    report = json.loads((tmp_path / "report.json").read_text())
    percent = {name: covered(report, patterns) for name, patterns in reached.items()}
    assert {name: p for name, p in percent.items() if p < 90} == {}
    assert done.returncode == 0, done.stdout[-3000:]


if __name__ == "__main__":
    print(json.dumps(digests()))
