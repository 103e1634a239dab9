"""Who draws and scores the chunks: this process, several on this machine, or a cluster; the results are the same."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.util import Finalize
from types import FrameType
from typing import Any

from nrverify.auditing.sampling.work_units import Outcome, Station, Work
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.host import Host
from nrverify.subjects.records.file import RecordsFile

AHEAD = 3
"""Loads under way for each worker: enough that none waits, few enough that memory does not grow."""
NEAR = 0.02
"""Seconds of work that are worth a call of another process."""
GRACE = 3.0
"""Seconds a worker that is told to leave has to finish what cannot be interrupted."""
PATIENCE = 5.0
"""Seconds of waiting after which it is asked whether there is still anybody to wait for."""


@dataclass(frozen=True)
class Crew:
    """An executor, what it is to call with a load of chunks, and how many loads may be under way."""

    executor: Executor
    call: Callable[[Sequence[Work]], list[Outcome]]
    window: int
    load: float = 0.0
    """Seconds of work that are worth a call."""
    alive: Callable[[], None] = lambda: None
    """Raises when nobody is left who could finish a chunk."""

    def outcomes(self, loads: Iterable[Sequence[Work]]) -> Generator[Outcome, None, None]:
        """What became of each chunk, in the order of the loads whatever the order in which they were done."""
        waiting: deque[Future[list[Outcome]]] = deque()
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

    def _next(self, waiting: deque[Future[list[Outcome]]]) -> list[Outcome]:
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


def alone(host: Host) -> Crew:
    """This process and its one host."""
    return Crew(Here(), Station(host).run, 1)


@contextmanager
def several(open_host: Callable[[], Host | RecordsFile], jobs: int) -> Iterator[Crew]:
    """So many processes of this machine, each with a host of its own; an interrupt ends them at once."""
    context = get_context("fork")
    pool = ProcessPoolExecutor(jobs, context, _settle, (open_host, os.getpid()))
    try:
        yield Crew(pool, _score, AHEAD * jobs, NEAR)
        pool.shutdown(wait=True, cancel_futures=True)
    except BaseException:
        _end(pool)
        raise


def _end(pool: ProcessPoolExecutor) -> None:
    """Ends the workers, and does not wait for a subject that hangs."""
    workers = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.terminate()
    deadline = time.monotonic() + GRACE
    for worker in workers:
        worker.join(max(0.0, deadline - time.monotonic()))
        worker.kill()
    pool.shutdown(wait=True)


_STATION: list[Station | SubjectFailed] = []
"""The one station of a worker process, or why there is none."""


class _Leaving(BaseException):
    """A worker is to end while it opens its host, which cleans up after itself."""


def _settle(open_host: Callable[[], Host | RecordsFile], lead: int) -> None:
    """A worker's first act: its host, which ends with it, and with the process it works for."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    try:
        host = open_host()
    except SubjectFailed as failure:
        _STATION.append(failure)
    except _Leaving:
        os._exit(1)
    else:
        assert not isinstance(host, RecordsFile)
        _STATION.append(Station(host))
        Finalize(None, host.close, exitpriority=10)
    # Not before: a process with threads is not to be forked.
    threading.Thread(target=_leave_with, args=(lead,), daemon=True).start()


def _leave(number: int, frame: FrameType | None) -> None:
    """Ends the subject and this worker, whatever either is about."""
    if not _STATION:
        raise _Leaving
    if isinstance(_STATION[0], Station):
        _STATION[0].host.close()
    os._exit(1)


def _leave_with(lead: int) -> None:
    while os.getppid() == lead:
        time.sleep(1.0)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(1)


def _score(load: Sequence[Work]) -> list[Outcome]:
    station = _STATION[0]
    if isinstance(station, SubjectFailed):
        return [Outcome((), 0.0, 0.0, failed=str(station))]
    return station.run(load)
