"""Whether a person can hear from the clock that a player had no choice: rounds of Blob against
players that search, while others analyse; then the true cards tell which moves were forced."""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np
from running import Client, Message, Server, percentiles, report, say

from kibitz import contract
from kibitz.games.base import members
from kibitz.table import Record, Table, parse_record

SHUFFLES = 5000
LEAST = 0.001
"""A likelihood below this is no chance any more."""


class Run:
    def __init__(self, said: argparse.Namespace, server: Server) -> None:
        self.said = said
        self.server = server
        self.found: dict[tuple[int, int], dict[bool, list[float]]] = {}
        self.ending = False

    async def rounds(self, players: int, cards: int) -> None:
        """Play, and note how long each move of a player took."""
        rules = {"players": players, "cards": cards}
        dice = random.Random(f"{self.said.seed}-{players}")
        times = self.found[players, cards] = {True: [], False: []}
        async with Client(self.server.url) as client:
            for number in range(self.said.rounds + 1):
                frame = await client.deal("blob", self.said.level, rules=rules)
                token, waited = frame["token"], {}
                last = time.monotonic()
                while frame["outcome"] is None:
                    plies = frame["view"]["plies"]
                    if frame["thinking"] is None:
                        move = dice.choice(frame["view"]["legal"])
                        at = {"table": frame["table"], "token": token}
                        frame = await client.ask({"do": "play", **at, "move": move})
                    else:
                        frame = await client.push()
                        if frame["view"]["plies"] == plies + 1:
                            waited[plies] = time.monotonic() - last
                    last = time.monotonic()
                if number:  # in the first round nobody knows yet how long it takes
                    for ply, forced in self.plays(frame["reveal"]["share"]):
                        if ply in waited:
                            times[forced].append(waited[ply])

    def plays(self, share: str) -> list[tuple[int, bool]]:
        """Which moves were cards, and which of them forced, by the game's record."""
        url = f"http://127.0.0.1:{self.server.port}/record/{share}.jsonl"
        with urllib.request.urlopen(url) as answer:
            record = parse_record(answer.read().decode())
        assert isinstance(record, Record)
        steps, rules = Table.replay(record).steps(), record.checked_rules()
        found = []
        for ply in range(rules.seats, len(record.actions)):
            legal = members(contract.legal_actions(rules.params, steps[ply].state))
            found.append((ply, len(legal) == 1))
        return found

    async def analyser(self) -> None:
        """One who asks for hints without a pause."""
        async with Client(self.server.url) as client:
            while not self.ending:
                frame = await client.deal("uno", "casual", seat=0)
                at = {"table": frame["table"], "token": frame["token"]}
                while not self.ending:
                    answer: Message = await client.ask({"do": "hint", **at})
                    if answer["is"] == "error":
                        break

    def rows(self) -> Message:
        rows: Message = {"level": self.said.level, "clients that analyse": self.said.analysing}
        for (players, cards), times in self.found.items():
            name = f"{players} x {cards}"
            for forced, each in times.items():
                kind = "forced" if forced else "free"
                rows[f"{name}: {kind} moves"] = len(each)
                rows[f"{name}: {kind}, ms"] = percentiles([1000 * t for t in each])
            rows[f"{name}: largest difference of the distributions"] = difference(**both(times))
            rows[f"{name}: chance of one as large"] = self.chance(times)
        return rows

    def chance(self, times: dict[bool, list[float]]) -> float:
        """Of a difference as large as this if it does not matter which moves were forced."""
        source, there = np.random.default_rng(1), np.array([*times[True], *times[False]])
        real, cut = difference(**both(times)), len(times[True])
        as_large = 0
        for _ in range(SHUFFLES):
            mixed = source.permutation(there)
            as_large += difference(mixed[:cut], mixed[cut:]) >= real - 1e-12
        return (as_large + 1) / (SHUFFLES + 1)

    def failures(self) -> list[str]:
        return [
            f"{players} x {cards}: forced moves come at other times than free ones"
            for (players, cards), times in self.found.items()
            if self.chance(times) < LEAST
        ]


def both(times: dict[bool, list[float]]) -> dict[str, np.ndarray]:
    return {"forced": np.array(times[True]), "free": np.array(times[False])}


def difference(forced: np.ndarray, free: np.ndarray) -> float:
    """Kolmogorov and Smirnov's: the largest difference of the two shares below any time."""
    at = np.concatenate([forced, free])
    shares = [np.searchsorted(np.sort(each), at, "right") / len(each) for each in (forced, free)]
    return float(np.abs(shares[0] - shares[1]).max())


async def measure(said: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "games")
        say("starting the server")
        await server.start()
        run = Run(said, server)
        try:
            others = [asyncio.create_task(run.analyser()) for _ in range(said.analysing)]
            for players, cards in ((8, 6), (4, 13)):
                say(f"{said.rounds} rounds of {players} x {cards} against {said.level}")
                await run.rounds(players, cards)
            run.ending = True
            await asyncio.gather(*others, return_exceptions=True)
            complaints = server.complaints()
        finally:
            server.stop()
    return report(run.rows(), [*run.failures(), *complaints], said.json)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10, help="of each kind of table")
    parser.add_argument("--level", default="expert", help="of the players: one that searches")
    parser.add_argument("--analysing", type=int, default=2, help="clients that analyse")
    parser.add_argument("--seed", type=int, default=0, help="of the person's choices")
    parser.add_argument("--json", action="store_true")
    return asyncio.run(measure(parser.parse_args(arguments)))


if __name__ == "__main__":
    raise SystemExit(main())
