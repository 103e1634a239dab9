"""A Dask cluster: what is submitted to it runs on its workers, and again elsewhere when one of them dies."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from importlib.metadata import version
from threading import BoundedSemaphore, Lock
from typing import Any

CONNECTING = 5.0
"""Seconds a scheduler has to answer."""
RETRIES = 3
ABANDONED = 30.0
"""Seconds without a single worker after which the cluster is given up."""


class NoCluster(ValueError):
    """There is no cluster to be had at the address given."""


class ClusterFailed(Exception):
    """The cluster was lost, or lost what it was given again and again."""


class Cluster:
    """A connection to a scheduler."""

    def __init__(self, client: Any, address: str) -> None:
        self.client = client
        self.address = address
        self.executor: Executor = client.get_executor(pure=False, retries=RETRIES)
        self._alone_since: float | None = None

    @property
    def threads(self) -> int:
        """How many tasks can run at once."""
        return sum(self.client.nthreads().values())

    def alive(self) -> None:
        """`ClusterFailed` when there has been no worker for a while."""
        if self.client.status == "running" and self.client.nthreads():
            self._alone_since = None
            return
        self._alone_since = self._alone_since or time.monotonic()
        if time.monotonic() - self._alone_since > ABANDONED:
            raise ClusterFailed(f"the Dask cluster at {self.address!r} has had no worker for {ABANDONED:g} seconds")


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """A connection to the scheduler at that address, whose workers have the same nrverify.

    `NoCluster` when the extra is missing, nobody answers, there are no workers, or they have another version; what goes
    wrong later is `ClusterFailed`.
    """
    try:
        from distributed import Client, KilledWorker
        from distributed.comm import CommClosedError
    except ImportError:
        raise NoCluster("the engine dask is not installed: pip install nrverify[dask]") from None
    # A client that cannot connect goes on trying, and complains when it is thrown away: so it is tried out first.
    try:
        with ThreadPoolExecutor(1) as outside_any_loop:
            outside_any_loop.submit(asyncio.run, _answer(address)).result()
    except Exception as error:
        words = " ".join(str(error).split())[:200]
        raise NoCluster(
            f"no Dask scheduler answers at {address!r} ({words or type(error).__name__}): start one with "
            "'dask scheduler' and give the address it prints, such as tcp://127.0.0.1:8786"
        ) from None
    client = Client(address, timeout=CONNECTING, set_as_default=False, name="nrverify")
    try:
        _check_workers(client, address)
        yield Cluster(client, address)
    except (KilledWorker, CommClosedError, CancelledError) as error:
        words = " ".join(str(error).split())[:300] or "the connection was lost"
        raise ClusterFailed(f"the Dask cluster at {address!r} failed: {words}") from error
    finally:
        client.close(timeout=CONNECTING)


async def _answer(address: str) -> None:
    from distributed.core import rpc

    async with rpc(address) as scheduler:
        found = await asyncio.wait_for(scheduler.identity(), CONNECTING)
        if found.get("type") != "Scheduler":
            raise ValueError(f"it is a {found.get('type')}")


def _check_workers(client: Any, address: str) -> None:
    found = client.run(_version, on_error="return")
    if not found:
        raise NoCluster(f"the Dask scheduler at {address!r} has no workers: start some with 'dask worker {address}'")
    own = _version()
    for worker, answer in found.items():
        if answer != own:
            has = f"has nrverify {answer}" if isinstance(answer, str) else f"cannot run nrverify ({answer!r:.200})"
            raise NoCluster(f"the Dask worker {worker} {has}; install nrverify {own} on every worker")


def _version() -> str:
    return version("nrverify")


_TURN = Lock()


class OneAtATime(Executor):
    """Calls on a cluster, one at a time in each process: exact arithmetic has one precision for all its threads."""

    def __init__(self, executor: Executor, jobs: int | None = None) -> None:
        """With at most so many calls under way."""
        self._executor = executor
        self._room = None if jobs is None else BoundedSemaphore(jobs)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The future of the call."""
        if self._room is None:
            return self._executor.submit(_in_turn, fn, *args, **kwargs)
        room = self._room
        room.acquire()
        future = self._executor.submit(_in_turn, fn, *args, **kwargs)
        future.add_done_callback(lambda _: room.release())
        return future


def _in_turn(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    with _TURN:
        return fn(*args, **kwargs)
