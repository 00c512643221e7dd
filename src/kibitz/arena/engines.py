"""Engines: who plays the deals of a match. In this process, or in others on this machine; on Ray
see `cluster.py`.

An engine is a context that is asked for deals and gives their games back as they are finished, in
any order; nothing is started before it is asked. Where a worker dies its deals are played again by
another: a deal depends on its plan and its number alone.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Protocol

from kibitz.arena.deals import Plan, Played, play_deal
from kibitz.arena.program import kill_all
from kibitz.games.base import KibitzError

DEATHS = 5
"""Workers that may die at a deal before the match gives up: then it is no accident."""
AHEAD = 2
"""Deals that are asked for, for each worker: so that none waits."""


Finished = tuple[Plan, int, list[Played]]


class Engine(Protocol):
    """Where the games of a match are played: in this process, in several, or on a cluster."""

    def __enter__(self) -> Engine: ...

    def __exit__(self, *_: object) -> None: ...

    @property
    def room(self) -> int:
        """How many deals should be under way."""
        ...

    def ask(self, plan: Plan, deal: int) -> None:
        """Have a deal played."""
        ...

    def finished(self) -> Iterator[Finished]:
        """The deals that are finished; waits for one if there is none."""
        ...


class Here:
    """In this process, one deal after another."""

    room = 1

    def __init__(self) -> None:
        self._asked: list[tuple[Plan, int]] = []

    def __enter__(self) -> Here:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def ask(self, plan: Plan, deal: int) -> None:
        self._asked.append((plan, deal))

    def finished(self) -> Iterator[Finished]:
        if self._asked:
            plan, deal = self._asked.pop(0)
            yield plan, deal, play_deal(plan, deal)


class Processes:
    """In several processes on this machine."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._deaths: Counter[tuple[Plan, int]] = Counter()
        self._asked: dict[Future[list[Played]], tuple[Plan, int]] = {}

    @property
    def room(self) -> int:
        return AHEAD * self.jobs

    def __enter__(self) -> Processes:
        self._open()
        return self

    def _open(self) -> None:
        # spawned, not forked: threads of numba, and of whoever calls us, do not survive a fork
        self._pool = ProcessPoolExecutor(
            self.jobs, multiprocessing.get_context("spawn"), initializer=_deaf
        )

    def __exit__(self, *_: object) -> None:
        workers = list((self._pool._processes or {}).values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:  # what is half played is not wanted any more
            worker.terminate()
        for worker in workers:
            worker.join()

    def ask(self, plan: Plan, deal: int) -> None:
        try:
            self._asked[self._pool.submit(play_deal, plan, deal)] = plan, deal
        except BrokenProcessPool:
            self._again(plan, deal)

    def finished(self) -> Iterator[Finished]:
        done, _ = wait(self._asked, return_when=FIRST_COMPLETED)
        for future in done:
            plan, deal = self._asked.pop(future)
            try:
                games = future.result()
            except BrokenProcessPool:
                self._again(plan, deal)
                return
            yield plan, deal, games

    def _again(self, plan: Plan, deal: int) -> None:
        """A worker died, and with it the whole pool: everything under way is asked for anew."""
        left = [(plan, deal), *self._asked.values()]
        self._deaths.update(left)  # nobody knows which of them it was
        if max(self._deaths[each] for each in left) > DEATHS:
            raise KibitzError(f"the workers die again and again, at deal {deal} or near it")
        self._asked = {}
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._open()
        for each in left:
            self.ask(*each)


def _deaf() -> None:
    """Ctrl-C is for the one who leads the match. When that one is gone, or wants a worker to go,
    the programs that the worker runs go first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: _leave())
    leader = multiprocessing.parent_process()
    if leader is not None:

        def watch() -> None:
            leader.join()
            _leave()

        threading.Thread(target=watch, daemon=True).start()


def _leave() -> None:
    kill_all()
    os._exit(143)


def local_engine(jobs: int | None = None) -> Engine:
    """On this machine, with as many processes as there are cores unless told otherwise."""
    jobs = os.cpu_count() or 1 if jobs is None else jobs
    return Here() if jobs == 1 else Processes(jobs)
