"""A foreign seat: any program that speaks JSON lines on its standard streams can sit in the arena.

    exec:COMMAND                  such as  exec:python3 bot.py
    exec:COMMAND,ms=1000,mb=512   with limits of its own

The command is split as a shell would, but no shell runs it. A comma ends it, unless in quotes:
`exec:bot "--ranks=1,2",ms=1000`. docs/extend.md describes the messages.

What is sent is `View.to_dict()` and nothing else of the game, so a foreign player knows what any
agent knows. A view that does not go on from the last begins a new game, so nobody has to say it.
The two cannot be confused: a game goes on with the seat's own move, which no first decision has
seen.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz import rng as random
from kibitz.agents import Decision
from kibitz.agents.options import ExecOptions, read_options, split_commas
from kibitz.arena.program import Fault, Program, short
from kibitz.games.base import KibitzError, Rules
from kibitz.view import View

PROTOCOL = 1
LAST_LINES = 3


class Foreign:
    """The program is started when it is first asked, and plays one game after another. Whatever
    goes wrong is a `Fault`; the program is then killed, and started anew for the next game."""

    def __init__(self, name: str) -> None:
        self.name = name
        command, *limits = split_commas(name.partition(":")[2])
        try:
            self._command = shlex.split(command)
        except ValueError as error:
            raise KibitzError(f"exec: {command!r} has {str(error).lower()}") from None
        if not self._command:
            raise KibitzError("exec: write the command after it, such as exec:python3 bot.py")
        self.limits = read_options(ExecOptions, "exec", ",".join(limits))
        self._program: Program | None = None
        self._asked = 0
        self._last: View | None = None

    @property
    def pid(self) -> int | None:
        """Of the program, if it runs."""
        return None if self._program is None else self._program.pid

    def fits(self, _: Rules) -> None:
        """Any rules will do, but there must be such a program."""
        if shutil.which(self._command[0]) is None:
            raise KibitzError(f"exec: {self._command[0]!r} is no program that can be run")

    def version(self) -> list[str]:
        """What tells this program from another of the same name: where it is run, and what is in
        those words of the command that are files."""
        found = [os.getcwd()]
        for word in (shutil.which(self._command[0]) or "", *self._command[1:]):
            with suppress(OSError, ValueError):
                found.append(hashlib.blake2b(Path(word).read_bytes(), digest_size=8).hexdigest())
        return found

    def decide(self, view: View, rng: NDArray[np.uint64]) -> Decision:
        try:
            if self._last is None or not _goes_on(self._last, view):
                self._begin(view, rng)
            self._last = view
            ms = self.limits.ms
            move = self._ask(ms / 1000, "move", do="decide", view=view.to_dict(), ms=ms)
            actions = dict(zip(view.legal, view.actions, strict=True))
            if not isinstance(move, str) or move not in actions:
                raise Fault(f"may not play {short(str(move))}; legal are {', '.join(actions)}")
            return Decision(actions[move])
        except Fault as fault:
            said = self._last_words()
            self._kill()
            raise Fault(f"{self.name} {fault}" + (f"; it said: {said}" if said else "")) from None
        except BaseException:  # such as Ctrl-C: an answer is on its way that nobody waits for
            self._kill()
            raise

    def end(self, returns: Sequence[float]) -> None:
        """The game is over: for programs that learn, or count."""
        if self._program is not None and self._last is not None:
            self._asked += 1
            self._program.tell({"id": self._asked, "do": "end", "returns": list(returns)})
        self._last = None

    def close(self) -> None:
        """No more games. The program has a moment to end by itself."""
        program, self._program, self._last = self._program, None, None
        if program is not None:
            program.close()

    def _begin(self, view: View, rng: NDArray[np.uint64]) -> None:
        if self._program is None:
            self._asked = 0
            self._program = Program(self._command, self.limits.mb)
        ready = self._ask(
            self.limits.start,
            "ready",
            do="begin",
            protocol=PROTOCOL,
            game=view.rules.game,
            rules=view.rules.to_dict(),
            seat=view.seat,
            # for programs that throw dice: the same games again with the same seed
            seed=int(random.next_word(rng)) >> 32,
        )
        if ready is not True:
            raise Fault(f"is not ready: it says {short(str(ready))}")

    def _ask(self, seconds: float, wanted: str, **question: Any) -> Any:
        assert self._program is not None
        self._asked += 1
        answer = self._program.ask({"id": self._asked, **question}, seconds)
        if answer.get("id") != self._asked:
            said = short(str(answer.get("id")))
            raise Fault(f"answers another question: the id is {said}, not {self._asked}")
        if wanted not in answer:
            raise Fault(f"answers {question['do']!r} without {wanted!r}: {short(str(answer))}")
        return answer[wanted]

    def _last_words(self) -> str:
        lines = self._program.last_words().splitlines() if self._program is not None else []
        said = [" ".join(line.split()) for line in lines if line.strip()]
        text = " / ".join(said[-LAST_LINES:])
        return "".join(each if each.isprintable() else "?" for each in text)

    def _kill(self) -> None:
        program, self._program, self._last = self._program, None, None
        if program is not None:
            program.kill()


def _goes_on(last: View, view: View) -> bool:
    """The same game, later."""
    seen = len(last.events)
    return (
        (view.rules, view.seat) == (last.rules, last.seat)
        and len(view.events) > seen
        and view.events[:seen] == last.events
    )
