"""Engines: who plays the deals of a match. In this process, in others on this machine, or on Ray.

An engine is a context that is asked for deals and gives their games back as they are finished, in
any order; nothing is started before it is asked. Where a worker dies its deals are played again by
another: a deal depends on its plan and its number alone.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol

from kibitz.arena.deals import Plan, Played, play_deal
from kibitz.arena.program import kill_all
from kibitz.games.base import KibitzError

DEATHS = 5
"""Workers that may die at a deal before the match gives up: then it is no accident."""
AHEAD = 2
"""Deals that are asked for, for each worker: so that none waits."""


Finished = tuple[Plan, int, list[Played]]


class Engine(Protocol):
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


class Cluster:
    """On Ray: the one at an address, or one that is started on this machine. The machines of a
    cluster need the same Kibitz; a deal whose worker died is played again by another."""

    def __init__(self, address: str | None = None) -> None:
        self.address = address
        self._ray: Any = None
        self._asked: dict[Any, tuple[Plan, int]] = {}

    @property
    def room(self) -> int:
        self._begin()
        return AHEAD * max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def __enter__(self) -> Cluster:
        return self

    def _begin(self) -> None:
        if self._ray is not None:
            return
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

    def __exit__(self, *_: object) -> None:
        if self._ray is None:
            return
        for reference in self._asked:
            self._ray.cancel(reference, force=True)
        self._ray.shutdown()

    def ask(self, plan: Plan, deal: int) -> None:
        self._begin()
        self._asked[self._play.remote(plan, deal)] = plan, deal

    def finished(self) -> Iterator[Finished]:
        ready, _ = self._ray.wait(list(self._asked))
        for reference in ready:
            plan, deal = self._asked.pop(reference)
            try:
                games = self._ray.get(reference)
            except self._ray.exceptions.RayError as error:
                why = " ".join(str(error).split())[-300:]
                raise KibitzError(f"deal {deal} cannot be played on the cluster: {why}") from None
            yield plan, deal, games


def local(jobs: int | None = None) -> Engine:
    """On this machine, with as many processes as there are cores unless told otherwise."""
    jobs = os.cpu_count() or 1 if jobs is None else jobs
    return Here() if jobs == 1 else Processes(jobs)
