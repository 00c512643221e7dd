"""Many tables at once: how long a player waits for an answer, and whether anybody is left waiting,
first without and then with clients that analyse without a pause."""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from running import Client, Gone, Message, Server, percentiles, report, say

GAMES = ("uno", "blob")
PARTS = ("without", "with")
"""The two halves of a run: without and with clients that analyse."""


@dataclass
class Figures:
    """What one half of the run has measured."""

    answers: list[float] = field(default_factory=list)
    """Milliseconds from a move to its answer."""
    replies: list[float] = field(default_factory=list)
    """Milliseconds from a move until it is the player's turn again, or the game is over."""
    seconds: float = 0.0
    server: float = 0.0
    client: float = 0.0


class Run:
    def __init__(self, said: argparse.Namespace) -> None:
        self.said = said
        self.figures = {part: Figures() for part in PARTS}
        self.part = ""
        """Which half it is now; nothing is measured before, after and between them."""
        self.ending = False
        self.moves = [0] * said.tables
        self.games = 0
        self.analyses = [0] * said.analysing
        self.errors: list[str] = []

    async def wait(self, client: Client, frame: Message) -> Message:
        """The table when it is the player's turn, or over."""
        while frame["thinking"] is not None:
            pushed = await client.push()
            if pushed["is"] == "error":
                self.errors.append(f"pushed: {pushed['message']}")
            elif pushed["table"] == frame["table"] and pushed["number"] > frame["number"]:
                frame = pushed
        return frame

    def right(self, answer: Message, kind: str) -> bool:
        if answer["is"] == kind:
            return True
        self.errors.append(f"{answer.get('code')}: {answer.get('message')}")
        return False

    async def player(self, number: int) -> None:
        """One person: plays, thinks, and begins again when a game is over."""
        said, dice = self.said, random.Random(f"{self.said.seed}-{number}")
        game = GAMES[number % 2]
        async with Client(said.url) as client:
            await asyncio.sleep(dice.uniform(0, 2 * said.think))
            while not self.ending:
                frame = await client.deal(game, said.level, seat=0)
                if not self.right(frame, "table"):
                    return
                token = frame["token"]
                frame = await self.wait(client, frame)
                while frame["outcome"] is None and not self.ending:
                    await asyncio.sleep(dice.uniform(0.5, 1.5) * said.think)
                    moved = await self.move(client, number, frame, token, dice)
                    if moved is None:
                        return
                    frame = moved
                self.games += frame["outcome"] is not None

    async def move(
        self, client: Client, number: int, frame: Message, token: str, dice: random.Random
    ) -> Message | None:
        view, part = frame["view"], self.part
        move = dice.choice(view["legal"])
        request = {"do": "play", "table": frame["table"], "token": token, "move": move}
        began = time.perf_counter()
        answer = await client.ask({**request, "ply": view["plies"]})
        answered = time.perf_counter()
        if not self.right(answer, "table"):
            return None
        after = await self.wait(client, answer)
        replied = time.perf_counter()
        if part and part == self.part:
            self.moves[number] += 1
            self.figures[part].answers.append(1000 * (answered - began))
            self.figures[part].replies.append(1000 * (replied - began))
        return after

    async def analyser(self, number: int) -> None:
        """One who asks for hints and analyses, each as soon as the last has come."""
        async with Client(self.said.url) as client:
            while not self.ending:
                frame = await client.deal(GAMES[number % 2], self.said.level)
                token = frame["token"]
                frame = await self.wait(client, frame)
                told = await client.ask(
                    {"do": "new", "game": frame["game"], "rules": frame["view"]["rules"],
                     "events": frame["view"]["events"]}
                )  # fmt: skip
                if not self.right(told, "game"):
                    return
                seed = 0
                while frame["outcome"] is None and not self.ending:
                    at = {"table": frame["table"], "token": token}
                    hint = await client.ask({"do": "hint", **at})
                    seed += 1
                    asked = {"do": "analyse", "game_id": told["game_id"], "seed": seed}
                    other = await client.ask(asked)
                    if not (self.right(hint, "analysis") and self.right(other, "analysis")):
                        return
                    self.analyses[number] += 2 * (self.part == "with")
                    played = await client.ask({"do": "play", **at, "move": hint["best"]})
                    if not self.right(played, "table"):
                        return
                    frame = await self.wait(client, played)
                await client.ask({"do": "close", "game_id": told["game_id"]})

    async def guarded(self, work: Any) -> None:
        try:
            await work
        except Gone as error:
            self.errors.append(f"connection lost: {error}")
        except TimeoutError:
            self.errors.append("no answer within a minute")

    async def half(self, part: str, server: Server, seconds: float) -> None:
        found = self.figures[part]
        server_began, client_began, began = server.cpu(), time.process_time(), time.monotonic()
        self.part = part
        await asyncio.sleep(seconds)
        self.part = ""
        found.seconds = time.monotonic() - began
        found.server = server.cpu() - server_began
        found.client = time.process_time() - client_began

    async def all(self, server: Server) -> None:
        said = self.said
        said.url = server.url
        say(f"{said.tables} tables sit down, half UNO and half Blob, against {said.level}")
        players = [asyncio.create_task(self.guarded(self.player(n))) for n in range(said.tables)]
        await asyncio.sleep(2 + 2 * said.think)
        say(f"{said.seconds / 2:g} s of play")
        await self.half("without", server, said.seconds / 2)
        say(f"{said.seconds / 2:g} s of play, {said.analysing} clients analyse without a pause")
        others = [
            asyncio.create_task(self.guarded(self.analyser(n))) for n in range(said.analysing)
        ]
        await asyncio.sleep(1)
        await self.half("with", server, said.seconds / 2)
        self.ending = True
        await asyncio.gather(*players, *others)

    def rows(self) -> Message:
        found: Message = {
            "tables": self.said.tables,
            "games finished": self.games,
            "moves": sum(self.moves),
            "moves of one client": {
                "least": min(self.moves), "median": statistics.median(self.moves),
                "most": max(self.moves),
            },
            "errors": len(self.errors),
        }  # fmt: skip
        for part, each in self.figures.items():
            name = f"{part} analyses"
            found[f"{name}: moves a second"] = len(each.answers) / each.seconds
            found[f"{name}: answer, ms"] = percentiles(each.answers)
            found[f"{name}: own turn again, ms"] = percentiles(each.replies)
            share = {"server": each.server, "client": each.client}
            found[f"{name}: processor, %"] = {k: 100 * v / each.seconds for k, v in share.items()}
        found["analyses of each client"] = self.analyses
        return found

    def failures(self) -> list[str]:
        found = list(dict.fromkeys(self.errors))
        if min(self.moves) < statistics.median(self.moves) / 3:
            found.append("a client got less than a third of the median's moves: it was starved")
        if self.analyses and min(self.analyses) == 0:
            found.append("a client that analyses got no answer")
        for part, each in self.figures.items():
            if not each.answers:
                found.append(f"no moves in the half {part} analyses")
        return found


async def measure(said: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "games")
        say("starting the server")
        await server.start()
        run = Run(said)
        try:
            await run.all(server)
            run.errors += server.complaints()
        finally:
            server.stop()
    return report(run.rows(), run.failures(), said.json)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=120, help="of play, both halves together")
    parser.add_argument("--think", type=float, default=0.5, help="mean seconds before a move")
    parser.add_argument("--analysing", type=int, default=5, help="clients that analyse")
    parser.add_argument("--level", default="casual", help="of the opponents")
    parser.add_argument("--seed", type=int, default=0, help="of the players' choices")
    parser.add_argument("--json", action="store_true")
    return asyncio.run(measure(parser.parse_args(arguments)))


if __name__ == "__main__":
    raise SystemExit(main())
