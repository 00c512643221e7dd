"""A day in little: clients play, ask for hints, beliefs and reviews, and many leave in the middle
of searches, while the server's memory is watched. After the first minutes it must not grow."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

from running import Client, Gone, Message, Server, report, say

GAMES = ("uno", "blob")
LEVELS = ("casual", "club")
EVERY = 2.0
"""Seconds between two looks at the memory."""
AT_ONCE = 4
"""Searches that a client may have under way."""
LONG = 2_000_000
"""Simulations that nobody waits for."""
BUSY = "busy"
PATIENCE = 600
"""Seconds to wait for an answer: those who leave have the server search more than it can."""


class Run:
    def __init__(self, said: argparse.Namespace) -> None:
        self.said = said
        self.counts: Counter[str] = Counter(moves=0, games=0, analyses=0, left=0, busy=0)
        self.errors: list[str] = []
        self.memory: list[tuple[float, float]] = []
        """Seconds since the beginning, and MiB."""
        self.ending = False

    async def asked(self, client: Client, kind: str, request: Message) -> Message | None:
        """The answer, or None if there was too much to do."""
        answer = await client.ask(request, PATIENCE)
        if answer["is"] == kind:
            return answer
        if answer.get("code") == BUSY:
            self.counts["busy"] += 1
        else:
            self.errors.append(f"{answer.get('code')}: {answer.get('message')}")
        return None

    async def my_turn(self, client: Client, frame: Message) -> Message:
        while frame["thinking"] is not None:
            pushed = await client.push(PATIENCE)
            if pushed["is"] == "table" and pushed["table"] == frame["table"]:
                frame = pushed if pushed["number"] > frame["number"] else frame
        return frame

    async def player(self, url: str, dice: random.Random) -> None:
        """One person: a game with hints and beliefs, and its review at the end."""
        async with Client(url) as client:
            coach = dice.random() < 0.3
            frame = await client.deal(dice.choice(GAMES), dice.choice(LEVELS), coach=coach)
            if frame["is"] != "table":
                self.errors.append(str(frame.get("message")))
                return
            at = {"table": frame["table"], "token": frame["token"]}
            frame = await self.my_turn(client, frame)
            while frame["outcome"] is None and not self.ending:
                if dice.random() < 0.1:
                    verb, kind = dice.choice([("hint", "analysis"), ("belief", "belief")])
                    self.counts["analyses"] += 1
                    await self.asked(client, kind, {"do": verb, **at})
                move = dice.choice(frame["view"]["legal"])
                moved = await self.asked(client, "table", {"do": "play", **at, "move": move})
                if moved is None:
                    return
                self.counts["moves"] += 1
                frame = await self.my_turn(client, moved)
                await asyncio.sleep(dice.uniform(0, 2 * self.said.think))
            self.counts["games"] += frame["outcome"] is not None
            if frame["outcome"] is not None and dice.random() < 0.1:
                await self.asked(client, "review", {"do": "review", **at})

    async def leaver(self, url: str, dice: random.Random) -> None:
        """One who asks for as much as it may, and is gone before the answers come."""
        game = dice.choice(GAMES)
        async with Client(url) as client:
            frame = await client.deal(game, "casual")
            frame = await self.my_turn(client, frame)
            view = frame["view"]
            new = {"do": "new", "game": game, "rules": view["rules"], "events": view["events"]}
            told = await self.asked(client, "game", new)
            if told is None or frame["outcome"] is not None:
                return
            asked = {"do": "analyse", "game_id": told["game_id"], "sims": LONG}
            waiting = [
                asyncio.create_task(client.ask({**asked, "seed": dice.getrandbits(32)}))
                for _ in range(AT_ONCE)
            ]
            await asyncio.sleep(dice.uniform(0.1, 2))
            self.counts["left"] += 1
        for each in await asyncio.gather(*waiting, return_exceptions=True):
            self.counts[BUSY] += isinstance(each, dict) and each.get("code") == BUSY

    async def again(
        self, number: int, visit: Callable[[str, random.Random], Awaitable[None]], url: str
    ) -> None:
        """One visit after another."""
        dice = random.Random(f"{self.said.seed}-{number}")
        while not self.ending:
            try:
                await visit(url, dice)
            except Gone as error:
                self.errors.append(f"connection lost: {error}")
            except TimeoutError:
                self.errors.append("an answer did not come")
            await asyncio.sleep(dice.uniform(0, 1))

    async def watch(self, server: Server) -> None:
        began = time.monotonic()
        while True:
            self.memory.append((time.monotonic() - began, server.memory()))
            if len(self.memory) % 30 == 0:
                seconds, memory = self.memory[-1]
                say(f"{seconds / 60:4.0f} min  {memory:6.0f} MiB  {dict(self.counts)}")
            await asyncio.sleep(EVERY)

    async def all(self, server: Server) -> None:
        said, url = self.said, server.url
        visits = [self.player] * said.players + [self.leaver] * said.leaving
        clients = [
            asyncio.create_task(self.again(number, visit, url))
            for number, visit in enumerate(visits)
        ]
        watching = asyncio.create_task(self.watch(server))
        await asyncio.sleep(60 * said.minutes)
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
        self.ending = True
        _, undone = await asyncio.wait(clients, timeout=30)
        for each in undone:
            each.cancel()

    def around(self, minute: float) -> list[float]:
        """What was in use in the half minute on either side."""
        found = [each for seconds, each in self.memory if abs(seconds / 60 - minute) <= 0.5]
        return found or [float("nan")]


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
    mark = statistics.median(run.around(said.mark))
    end = max(run.around(said.minutes))
    by_minute = [statistics.median(run.around(k)) for k in range(round(said.minutes) + 1)]
    rows: Message = {
        "minutes": said.minutes, "players": said.players, "leaving": said.leaving, **run.counts,
        "errors": len(run.errors), "MiB by minute": [round(each) for each in by_minute],
        f"MiB in minute {said.mark:g}, median": mark, "MiB in the last minute, most": end,
    }  # fmt: skip
    failures = list(dict.fromkeys(run.errors))
    if not end - mark <= said.most:
        failures.append(
            f"{end - mark:.0f} MiB more than in minute {said.mark:g}: {said.most} may be"
        )
    if min(run.counts["games"], run.counts["left"]) == 0:
        failures.append("hardly anything happened: nothing could grow")
    return report(rows, failures, said.json)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--mark", type=float, default=5, help="minute from which it may not grow")
    parser.add_argument("--most", type=float, default=100, help="MiB that it may grow all the same")
    parser.add_argument("--players", type=int, default=30)
    parser.add_argument("--leaving", type=int, default=30, help="who leave while they are answered")
    parser.add_argument("--think", type=float, default=1.0, help="mean seconds before a move")
    parser.add_argument("--seed", type=int, default=0, help="of the clients' choices")
    parser.add_argument("--json", action="store_true")
    return asyncio.run(measure(parser.parse_args(arguments)))


if __name__ == "__main__":
    raise SystemExit(main())
