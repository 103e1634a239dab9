"""Who draws and scores the chunks: this process, several on this machine, or a cluster; the results are the same."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.util import Finalize
from typing import Any

from nrverify.auditing.sampling.work_units import ChunkResult, Work, Worker
from nrverify.processes.pool import WorkerPool
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.host import Host
from nrverify.subjects.records.file import RecordsFile

AHEAD = 3
"""Loads under way for each worker: enough that none waits, few enough that memory does not grow."""
NEAR = 0.02
"""Seconds of work that are worth a call of another process."""
HERE_FIRST = 0.5
"""Seconds of work that are done here before other processes are started: to start them, each with a subject of its own,
takes about as long, and many audits are over by then."""
PATIENCE = 5.0
"""Seconds of waiting after which it is asked whether there is still anybody to wait for."""


@dataclass(frozen=True)
class Workers:
    """An executor, what it is to call with a load of chunks, and how many loads may be under way."""

    executor: Executor
    call: Callable[[Sequence[Work]], list[ChunkResult]]
    window: int
    load: float = 0.0
    """Seconds of work that are worth a call."""
    alive: Callable[[], None] = lambda: None
    """Raises when nobody is left who could finish a chunk."""

    def outcomes(self, loads: Iterable[Sequence[Work]]) -> Generator[ChunkResult, None, None]:
        """What became of each chunk, in the order of the loads whatever the order in which they were done."""
        waiting: deque[Future[list[ChunkResult]]] = deque()
        try:
            for load in loads:
                waiting.append(self.executor.submit(self.call, load))
                if len(waiting) >= self.window:
                    yield from self._next(waiting)
            while waiting:
                yield from self._next(waiting)
        finally:
            for future in waiting:
                future.cancel()

    def _next(self, waiting: deque[Future[list[ChunkResult]]]) -> list[ChunkResult]:
        future = waiting.popleft()
        while True:
            try:
                return future.result(timeout=PATIENCE)
            except TimeoutError:
                if future.done():
                    raise
                self.alive()


class Here(Executor):
    """Calls at once, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The future of a call that is done."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def alone(host: Host) -> Workers:
    """This process and its one host."""
    return Workers(Here(), Worker(host).run, 1)


class HereFirst(Executor):
    """Calls at once, in this process, until that took so long that others are worth their start; then they are called.

    Who draws a chunk changes nothing in it.
    """

    def __init__(self, worker: Worker, start: Callable[[], WorkerPool]) -> None:
        self._worker, self._start = worker, start
        self._seconds = 0.0
        self.pool: WorkerPool | None = None
        """The others, once they were started."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The future of a load: scored here, or by `fn` in the next free process."""
        if self.pool is None and self._seconds < HERE_FIRST:
            began = time.monotonic()
            future: Future[Any] = Future()
            future.set_result(self._worker.run(*args))
            self._seconds += time.monotonic() - began
            return future
        if self.pool is None:
            self.pool = self._start()
        return self.pool.submit(fn, *args, **kwargs)


@contextmanager
def several(host: Host, open_host: Callable[[], Host | RecordsFile], jobs: int) -> Iterator[Workers]:
    """This process, and after a while so many others, each with a host of its own; an interrupt ends them at once."""
    first = HereFirst(Worker(host), lambda: WorkerPool(jobs, _settle, (open_host,)))
    try:
        yield Workers(first, _score, AHEAD * jobs, NEAR)
    except BaseException:
        if first.pool is not None:
            first.pool.end()
        raise
    if first.pool is not None:
        first.pool.shutdown(wait=True, cancel_futures=True)


_WORKER: list[Worker | SubjectFailed] = []
"""The worker of this process, or why there is none."""


def _settle(open_host: Callable[[], Host | RecordsFile]) -> None:
    """Initialises a worker: opens a host that is closed when the worker exits."""
    try:
        host = open_host()
    except SubjectFailed as failure:
        _WORKER.append(failure)
    else:
        assert not isinstance(host, RecordsFile)
        _WORKER.append(Worker(host, elsewhere=True))
        Finalize(None, host.close, exitpriority=10)


def _score(load: Sequence[Work]) -> list[ChunkResult]:
    worker = _WORKER[0]
    if isinstance(worker, SubjectFailed):
        return [ChunkResult((), 0.0, 0.0, failed=str(worker))]
    return worker.run(load)
