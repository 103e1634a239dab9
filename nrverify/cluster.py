"""A Dask cluster: what is submitted to it runs on its workers, and again elsewhere when one of them dies."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib.metadata import version
from threading import Condition, Event, Lock, Thread
from typing import Any

CONNECTING = 5.0
"""Seconds a scheduler has to answer."""
RETRIES = 3
"""Of a task that fails, as it does when its worker dies: one that fails four times is taken for the cause itself."""
ABANDONED = 30.0
"""Seconds without a single worker after which the cluster is given up."""
PATIENCE = 2.0
"""Seconds between looks at whether there is anybody to wait for."""
LOST = ("KilledWorker", "CommClosedError", "CancelledError", "FutureCancelledError")
"""What Dask raises when the cluster is at fault, and not what it was given."""


class NoCluster(ValueError):
    """There is no cluster to be had at the address given."""


class ClusterFailed(Exception):
    """The cluster was lost, or lost what it was given again and again."""


class Calls(Executor):
    """Calls on the workers of a cluster, as futures of the standard library.

    Dask's own executor takes a result for an error when the worker that gave it dies at that moment: the result is
    there, and the future behind it is said to be lost.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The future of the call; cancelling it cancels the call."""
        ours: Future[Any] = Future()
        theirs = self._client.submit(fn, *args, pure=False, retries=RETRIES, **kwargs)
        ours.add_done_callback(lambda done: _cancel(theirs) if done.cancelled() else None)
        theirs.add_done_callback(lambda done: _pass_on(done, ours))
        return ours


def _cancel(theirs: Any) -> None:
    if theirs.status != "cancelled":
        theirs.cancel()


def _pass_on(theirs: Any, ours: Future[Any]) -> None:
    """The outcome of a call, which is computed again should it be lost before it is here."""
    import asyncio

    try:
        result = theirs.result()
    except (CancelledError, asyncio.CancelledError):
        ours.cancel()
        ours.set_running_or_notify_cancel()
    except BaseException as error:
        if ours.set_running_or_notify_cancel():
            ours.set_exception(error)
    else:
        if ours.set_running_or_notify_cancel():
            ours.set_result(result)


class Cluster:
    """A connection to a scheduler."""

    def __init__(self, client: Any, address: str) -> None:
        self.client = client
        self.address = address
        self.executor: Executor = Calls(client)
        self._alone_since: float | None = None

    @property
    def threads(self) -> int:
        """How many tasks can run at once."""
        return sum(self.client.nthreads().values())

    def alive(self) -> None:
        """`ClusterFailed` when there has been no worker for a while."""
        if self.client.status == "running" and self._has_workers():
            self._alone_since = None
            return
        self._alone_since = self._alone_since or time.monotonic()
        if time.monotonic() - self._alone_since > ABANDONED:
            raise ClusterFailed(f"the Dask cluster at {self.address!r} has had no worker for {ABANDONED:g} seconds")

    def failure(self, words: str) -> ClusterFailed:
        """That the cluster failed, in its own words."""
        return ClusterFailed(f"the Dask cluster at {self.address!r} failed: {' '.join(words.split())[:300]}")

    def _has_workers(self) -> bool:
        try:
            return bool(self.client.nthreads())
        except Exception:  # whatever a connection that is being lost raises
            return False


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """A connection to the scheduler at that address, whose workers have the same nrverify.

    `NoCluster` when the extra is missing, nobody answers, there are no workers, or they have another version; what goes
    wrong later is `ClusterFailed`.
    """
    try:
        from distributed import Client
    except ImportError:
        raise NoCluster("the engine dask is not installed: pip install nrverify[dask]") from None
    import asyncio

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
    except Exception as error:
        if not _of_the_cluster(error):
            raise
        words = " ".join(str(error).split())[:300] or "the connection was lost"
        raise ClusterFailed(f"the Dask cluster at {address!r} failed: {words}") from error
    finally:
        # A scheduler that is lost cannot be told that the client leaves.
        with suppress(Exception):
            client.close(timeout=CONNECTING)


def _of_the_cluster(error: Exception) -> bool:
    """Whether an error is Dask's own, such as that of a client that was closed since its scheduler is lost."""
    return isinstance(error, (CancelledError, TimeoutError)) or type(error).__module__.startswith("distributed.")


async def _answer(address: str) -> None:
    import asyncio

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
"""Exact arithmetic has one precision for all threads of a process."""


class OneAtATime(Executor):
    """Calls on a cluster, one at a time in each process: exact arithmetic has one precision for all its threads.

    While calls are under way it is watched whether there is anybody to make them; a cluster that is lost fails them all
    with `ClusterFailed`.
    """

    def __init__(self, cluster: Cluster, jobs: int | None = None) -> None:
        """With at most so many calls under way."""
        self._cluster = cluster
        self._jobs = jobs
        self._waiting: dict[Future[Any], Future[Any] | None] = {}
        """The futures handed out, and those of the cluster behind them."""
        self._changed = Condition()
        self._failed: ClusterFailed | None = None
        self._over = Event()
        self._watcher = Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The future of the call."""
        ours: Future[Any] = Future()
        with self._changed:
            while self._jobs is not None and len(self._waiting) >= self._jobs and self._failed is None:
                self._changed.wait(PATIENCE)
            if self._failed is not None:
                raise self._failed
            self._waiting[ours] = None
        theirs = self._cluster.executor.submit(_in_turn, fn, *args, **kwargs)
        theirs.add_done_callback(lambda done: self._done(ours, done))
        return ours

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Nobody waits any longer."""
        self._over.set()
        self._watcher.join(PATIENCE)

    def _done(self, ours: Future[Any], theirs: Future[Any]) -> None:
        with self._changed:
            if self._waiting.pop(ours, ours) is ours:
                return  # it has failed before
            self._changed.notify_all()
        if not ours.set_running_or_notify_cancel():
            return  # whoever waited for it does so no more
        error: BaseException | None
        if theirs.cancelled():
            error = self._cluster.failure("the connection was lost")
        else:
            error = theirs.exception()
            if type(error).__name__ in LOST:
                error = self._cluster.failure(str(error))
        if error is None:
            ours.set_result(theirs.result())
        else:
            ours.set_exception(error)

    def _watch(self) -> None:
        while not self._over.wait(PATIENCE):
            try:
                self._cluster.alive()
            except ClusterFailed as failed:
                with self._changed:
                    self._failed = failed
                    waiting, self._waiting = list(self._waiting), {}
                    self._changed.notify_all()
                for future in waiting:
                    if future.set_running_or_notify_cancel():
                        future.set_exception(failed)
                return


def _in_turn(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    with _TURN:
        return fn(*args, **kwargs)
