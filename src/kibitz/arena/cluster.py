"""Cluster: the engine that plays the deals of a match on Ray.

Without an address a Ray is started for the match alone: it asks whoever speaks to it for a token
that nobody else knows, listens at this machine's loopback address alone, and ends with the match,
also where that is killed. Ray's processes are below a program of ours, for which a keeper stands
(see `keeper.py`): left to itself, Ray's agents live on.
"""

from __future__ import annotations

import importlib
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from kibitz.arena.deals import Plan, play_deal
from kibitz.arena.engines import AHEAD, DEATHS, Finished
from kibitz.arena.program import Fault, Program
from kibitz.games.base import KibitzError

HERE = "127.0.0.1"
STARTING = 120.0
"""Seconds for a Ray to start: a busy machine takes long."""

# Ray takes a loopback address for one that others must be able to reach, and listens everywhere
# instead, but where it is told that there is only this machine, as on desktop systems.
LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
QUIET = {"RAY_USAGE_STATS_ENABLED": "0"}

HEAD = f"""
import json, os, sys
told = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
sys.stdin.readline()
import ray
found = ray.init(
    address="local", include_dashboard=False, log_to_driver=False, logging_level="error",
    _node_ip_address="{HERE}",
)
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # nobody reads it any more
print(json.dumps({{"address": found.address_info["gcs_address"]}}), file=told, flush=True)
sys.stdin.read()
ray.shutdown()
"""
"""Starts a Ray, tells where, and ends it when its input ends."""


class Cluster:
    """On Ray: the one at an address, or one that is started on this machine. The machines of a
    cluster need the same Kibitz; a deal whose worker died is played again by another."""

    def __init__(self, address: str | None = None) -> None:
        self.address = address
        self._ray: Any = None
        self._head: Program | None = None
        self._before: dict[str, str | None] = {}
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
        own: dict[str, Any] = {}
        address = self.address
        if address is None:
            token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
            self._set({**QUIET, **LOOPBACK, **token})
            own = {"_node_ip_address": HERE}
        else:  # who started that one knows how it is reached
            self._set({name: os.environ.get(name, value) for name, value in QUIET.items()})
        try:
            ray = importlib.import_module("ray")
        except ImportError as error:
            self._leave()
            raise KibitzError(
                f"ray cannot be imported ({error}); it comes with the extra 'cluster': "
                "pip install 'kibitz[cluster]'"
            ) from None
        try:
            if address is None:
                _read_environment(ray)
                self._head = Program([sys.executable, "-c", HEAD])
                address = str(self._head.ask({"do": "start"}, STARTING)["address"])
            ray.init(address=address, log_to_driver=False, logging_level="error", **own)
        except (OSError, ValueError, RuntimeError, Fault, ray.exceptions.RayError) as error:
            self._leave()
            where = self.address or "this machine"
            raise KibitzError(f"no Ray at {where}: {' '.join(str(error).split())}") from None
        except BaseException:
            self._leave()
            raise
        self._ray = ray
        self._play = ray.remote(max_retries=DEATHS, retry_exceptions=False)(play_deal)

    def _set(self, environment: dict[str, str]) -> None:
        """Ray and all its processes read how to behave there."""
        self._before = {name: os.environ.get(name) for name in environment}
        os.environ.update(environment)

    def _leave(self) -> None:
        head, self._head = self._head, None
        if head is not None:
            head.close()
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        self._before = {}

    def __exit__(self, *_: object) -> None:
        if self._ray is None:
            return
        for reference in self._asked:
            self._ray.cancel(reference, force=True)
        self._ray.shutdown()
        self._ray = None
        self._leave()

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


def _read_environment(ray: Any) -> None:
    """Where Ray was imported before, it has read what the environment was then."""
    ray._private.ray_constants.ENABLE_RAY_CLUSTER = False
    with suppress(AttributeError):
        ray._raylet.Config.initialize("")
        ray._raylet.AuthenticationTokenLoader.instance().reset_cache()
