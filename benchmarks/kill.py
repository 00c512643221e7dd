"""Kill the server again and again while games are played: whatever a client was told must still be
there when it comes back."""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from running import Client, Gone, Message, Server, report, say

TABLES = [(game, level) for game in ("uno", "blob") for level in ("casual", "club")]
SAME = ("table", "game", "seat", "players", "commitment", "nonce")
"""What does not change while a game lasts."""


def lost(before: Message, after: Message, undoing: bool) -> str | None:
    """What is missing in the table as it is now of what the client was told; None if nothing is.
    `undoing`: whether the client had asked to take a move back and has not heard of it."""
    if different := [name for name in SAME if before[name] != after[name]]:
        return f"another table: {', '.join(different)} differ"
    told, there = before["view"]["events"], after["view"]["events"]
    if after["number"] < before["number"]:
        return f"change {before['number']} was told, and only {after['number']} is there"
    if after["undone"] == before["undone"]:
        if there[: len(told)] != told:
            return (
                f"{len(told)} events were told, and the {len(there)} there do not begin with them"
            )
        if any(grade not in after["grades"] for grade in before["grades"]):
            return "a grade that was told is not there"
    elif not (undoing and after["undone"] == before["undone"] + 1):
        return f"{after['undone']} moves were taken back, and {before['undone']} asked for"
    elif told[: len(there)] != there or len(there) >= len(told):
        return "after a move was taken back the events are not the beginning of those before"
    if before["outcome"] is not None and after["reveal"] != before["reveal"]:
        return "what was revealed at the end has changed"
    return None


class Player:
    """One person, who comes back to the same table after each crash."""

    def __init__(self, number: int, seed: int, run: Run) -> None:
        self.game, self.level = TABLES[number % len(TABLES)]
        self.dice = random.Random(f"{seed}-{number}")
        self.run = run
        self.token = ""
        self.frame: Message | None = None
        """The last that was heard of the table."""
        self.undoing = False

    async def play(self, url: str) -> None:
        """Play until the connection ends."""
        async with Client(url) as client:
            if self.frame is not None:
                await self.come_back(client, self.frame)
            self.run.back += 1
            while True:
                if self.frame is None or self.frame["outcome"] is not None:
                    self.run.counts["games"] += 1
                    dealt = await self.right(client, client.deal(self.game, self.level, coach=True))
                    self.token, self.frame = dealt["token"], dealt
                await self.turn(client, self.frame)

    async def come_back(self, client: Client, before: Message) -> None:
        """Sit down again, and see whether all is there."""
        after = await client.ask({"do": "sit", **self.seat(before)})
        self.run.counts["returns"] += 1
        if after["is"] != "table":
            self.run.losses.append(f"{self.game}: {after['message']}")
            self.frame = None
            return
        if missing := lost(before, after, self.undoing):
            self.run.losses.append(f"{self.game} against {self.level}: {missing}")
        self.run.counts["went on unheard"] += after["number"] > before["number"]
        self.frame, self.undoing = after, False

    def seat(self, frame: Message) -> Message:
        return {"table": frame["table"], "token": self.token}

    async def right(self, client: Client, asked: Any) -> Message:
        answer: Message = await asked
        if answer["is"] == "error":
            self.run.errors.append(f"{answer['code']}: {answer['message']}")
            raise Gone("stopped after an error")
        return answer

    async def turn(self, client: Client, frame: Message) -> None:
        """Wait for the own turn, and move, or take a move back now and then."""
        while frame["thinking"] is not None:
            pushed = await client.push()
            if pushed["is"] == "error":
                self.run.errors.append(f"unasked: {pushed['message']}")
            elif pushed["table"] != frame["table"]:
                continue  # a grade of the game before
            elif pushed["number"] > frame["number"]:
                self.heard(pushed)
                frame = pushed
        if frame["outcome"] is not None:
            return
        await asyncio.sleep(self.dice.uniform(0, 0.1))
        mine = tuple(f"{frame['seat']} {verb} " for verb in ("plays", "draws", "bids"))
        moved = any(line.startswith(mine) for line in frame["view"]["events"])
        if moved and self.dice.random() < 0.1:
            self.undoing = True
            after = await self.right(client, client.ask({"do": "undo", **self.seat(frame)}))
            self.run.counts["undone"] += 1
        else:
            move = self.dice.choice(frame["view"]["legal"])
            asked = {"do": "play", **self.seat(frame), "move": move, "ply": frame["view"]["plies"]}
            after = await self.right(client, client.ask(asked))
            self.run.counts["moves"] += 1
        self.heard(after)
        self.undoing = False

    def heard(self, frame: Message) -> None:
        """Also from one frame to the next nothing may be lost."""
        if self.frame is not None and (missing := lost(self.frame, frame, self.undoing)):
            self.run.losses.append(f"{self.game} against {self.level}, in play: {missing}")
        self.frame = frame


class Run:
    def __init__(self, said: argparse.Namespace) -> None:
        self.said = said
        self.counts: Counter[str] = Counter(games=0, moves=0, undone=0, returns=0)
        self.losses: list[str] = []
        self.errors: list[str] = []
        self.back = 0
        """Players who have found their table again since the last crash."""

    async def life(self, server: Server, players: list[Player], wait: float) -> None:
        """From a start of the server to its end."""
        self.back = 0
        await server.start()
        playing = [asyncio.create_task(self.guarded(p.play(server.url))) for p in players]
        while self.back < len(players) and not all(task.done() for task in playing):
            await asyncio.sleep(0.01)
        await asyncio.sleep(wait)
        server.kill()
        await asyncio.gather(*playing)

    async def guarded(self, playing: Any) -> None:
        try:
            await playing
        except Gone:
            pass
        except TimeoutError:
            self.errors.append("no answer within a minute")

    async def all(self, server: Server) -> None:
        said, dice = self.said, random.Random(self.said.seed)
        players = [Player(number, said.seed, self) for number in range(said.clients)]
        for kill in range(1, said.kills + 1):
            await self.life(server, players, dice.uniform(0.05, said.longest))
            say(f"kill {kill}: {self.counts['moves']} moves, {len(self.losses)} losses")
        await server.start()
        for player in players:
            if player.frame is not None:
                async with Client(server.url) as client:
                    await player.come_back(client, player.frame)


async def measure(said: argparse.Namespace) -> int:
    run = Run(said)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "games")
        try:
            await run.all(server)
            run.errors += server.complaints()
        finally:
            server.stop()
    rows = {
        "kills": said.kills, "clients": said.clients, **run.counts,
        "losses": len(run.losses), "errors": len(run.errors),
    }  # fmt: skip
    failures = list(dict.fromkeys([*run.losses, *run.errors]))
    if run.counts["moves"] < said.kills:
        failures.append("hardly anything was played: nothing could be lost")
    return report(rows, failures, said.json)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--clients", type=int, default=10)
    parser.add_argument("--longest", type=float, default=2.0, help="seconds of play before a kill")
    parser.add_argument("--seed", type=int, default=0, help="of the moves and the moments")
    parser.add_argument("--json", action="store_true")
    return asyncio.run(measure(parser.parse_args(arguments)))


if __name__ == "__main__":
    raise SystemExit(main())
