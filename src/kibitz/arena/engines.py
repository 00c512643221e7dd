"""Engines: who plays the deals of a match. In this process, in others on this machine, or on Ray.

An engine is a context that is asked for deals and gives games back as they are finished, in any
order. Where a worker dies its deals are played again by another: a deal depends on its plan and its
number alone.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol

from kibitz.arena.deals import Plan, Played, play_deal
from kibitz.games.base import KibitzError

DEATHS = 5
"""Workers in a row that may die before the match gives up: then it is no accident."""
AHEAD = 2
"""Deals that are asked for, for each worker: so that none waits."""


class Engine(Protocol):
    def __enter__(self) -> Engine: ...

    def __exit__(self, *_: object) -> None: ...

    @property
    def room(self) -> int:
        """How many deals should be under way."""
        ...

    def ask(self, deal: int) -> None:
        """Have a deal played."""
        ...

    def finished(self) -> Iterator[tuple[int, list[Played]]]:
        """The deals that are finished; waits for one if there is none."""
        ...


class Here:
    """In this process, one deal after another."""

    room = 1

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._asked: list[int] = []

    def __enter__(self) -> Here:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def ask(self, deal: int) -> None:
        self._asked.append(deal)

    def finished(self) -> Iterator[tuple[int, list[Played]]]:
        if self._asked:
            deal = self._asked.pop(0)
            yield deal, play_deal(self.plan, deal)


class Processes:
    """In several processes on this machine."""

    def __init__(self, plan: Plan, jobs: int) -> None:
        self.plan, self.jobs = plan, jobs
        self._deaths = 0
        self._asked: dict[Future[list[Played]], int] = {}

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

    def ask(self, deal: int) -> None:
        try:
            self._asked[self._pool.submit(play_deal, self.plan, deal)] = deal
        except BrokenProcessPool:
            self._again(deal)

    def finished(self) -> Iterator[tuple[int, list[Played]]]:
        done, _ = wait(self._asked, return_when=FIRST_COMPLETED)
        for future in done:
            deal = self._asked.pop(future, None)
            if deal is None:
                continue  # of a pool that broke
            try:
                games = future.result()
            except BrokenProcessPool:
                self._again(deal)
                return
            self._deaths = 0
            yield deal, games

    def _again(self, deal: int) -> None:
        """A worker died, and with it the whole pool: everything under way is asked for anew."""
        self._deaths += 1
        if self._deaths > DEATHS:
            raise KibitzError(f"the workers die again and again, at deal {deal} among others")
        left = [deal, *self._asked.values()]
        self._asked = {}
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._open()
        for each in left:
            self.ask(each)


def _deaf() -> None:
    """Ctrl-C is for the one who leads the match."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class Cluster:
    """On Ray: the one at an address, or one that is started on this machine. The machines of a
    cluster need the same Kibitz; a deal whose worker died is played again by another."""

    def __init__(self, plan: Plan, address: str | None = None) -> None:
        self.plan, self.address = plan, address
        self._asked: dict[Any, int] = {}

    @property
    def room(self) -> int:
        return AHEAD * max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def __enter__(self) -> Cluster:
        try:
            self._ray = importlib.import_module("ray")
        except ImportError as error:
            raise KibitzError(
                f"ray cannot be imported ({error}); it comes with the extra 'cluster': "
                "pip install 'kibitz[cluster]'"
            ) from None
        # one of our own asks nobody outside this machine, and is reached by nobody
        own: dict[str, Any] = {} if self.address else {"_node_ip_address": "127.0.0.1"}
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            self._ray.init(
                address=self.address or "local", include_dashboard=False, log_to_driver=False,
                logging_level="error", **own,
            )  # fmt: skip
        except (ConnectionError, ValueError, RuntimeError) as error:
            where = self.address or "this machine"
            raise KibitzError(f"no Ray at {where}: {' '.join(str(error).split())}") from None
        self._play = self._ray.remote(max_retries=DEATHS, retry_exceptions=False)(play_deal)
        self._plan = self._ray.put(self.plan)
        return self

    def __exit__(self, *_: object) -> None:
        for reference in self._asked:
            self._ray.cancel(reference, force=True)
        self._ray.shutdown()

    def ask(self, deal: int) -> None:
        self._asked[self._play.remote(self._plan, deal)] = deal

    def finished(self) -> Iterator[tuple[int, list[Played]]]:
        ready, _ = self._ray.wait(list(self._asked))
        for reference in ready:
            deal = self._asked.pop(reference)
            try:
                games = self._ray.get(reference)
            except self._ray.exceptions.WorkerCrashedError:
                raise KibitzError(f"the workers die again and again at deal {deal}") from None
            yield deal, games


def local(plan: Plan, jobs: int | None = None) -> Engine:
    """On this machine, with as many processes as there are cores unless told otherwise."""
    jobs = os.cpu_count() or 1 if jobs is None else jobs
    return Here(plan) if jobs == 1 else Processes(plan, jobs)
