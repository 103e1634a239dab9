"""A pool of worker processes that share nothing: each has a pipe of its own, so that ending one harms no other.

`concurrent.futures.ProcessPoolExecutor` hands out work through one queue with locks; a worker that is killed may hold
them, and whoever waits for the pool then waits for ever.
"""

from __future__ import annotations

import contextlib
import pickle
import queue
import signal
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from types import TracebackType
from typing import Any

from nrverify.processes.descendants import adopt, end
from nrverify.processes.guardian import GUARDIAN

GRACE = 5.0
"""Seconds a worker with nothing more to do has to end."""

Task = tuple[Future[Any], bytes]


@dataclass(frozen=True)
class _Worker:
    process: ForkProcess
    connection: Connection
    mark: str = ""


class WorkerPool(Executor):
    """So many forks of this process; leaving it by an exception ends them, and everything below them, at once."""

    def __init__(
        self, workers: int, initializer: Callable[..., None] | None = None, arguments: tuple[Any, ...] = ()
    ) -> None:
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._over = False
        self._workers: list[_Worker] = []
        try:
            for _ in range(workers):
                self._workers.append(self._forked(initializer, arguments))
        except BaseException:
            self.end()
            raise
        # Not before: a process with threads is not to be forked.
        self._at_work = workers
        self._threads = [threading.Thread(target=self._serve, args=(one,), daemon=True) for one in self._workers]
        for thread in self._threads:
            thread.start()

    def _forked(self, initializer: Callable[..., None] | None, arguments: tuple[Any, ...]) -> _Worker:
        context = get_context("fork")
        ours, theirs = context.Pipe()
        others = [ours, *(worker.connection for worker in self._workers)]
        process = context.Process(target=_work, args=(theirs, others, initializer, arguments))
        process.start()
        theirs.close()
        assert process.pid is not None
        GUARDIAN.watch(process.pid)
        return _Worker(process, ours)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The future of a call that the next free worker makes."""
        future: Future[Any] = Future()
        call = pickle.dumps((fn, args, kwargs))
        with self._lock:
            if self._over:
                raise RuntimeError("the pool is over: nothing more can be submitted")
            if not self._at_work:
                raise BrokenProcessPool("all workers have died")
            self._tasks.put((future, call))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the workers when the work is done, or, with `cancel_futures`, when what is under way is."""
        self._close(cancel_futures)
        if wait:
            for thread in self._threads:
                thread.join()
            self._bury(GRACE)

    def end(self) -> None:
        """Ends the workers now; what was submitted is cancelled."""
        self._close(cancel=True)
        for worker in self._workers:
            assert worker.process.pid is not None
            end(worker.process.pid)
        self._bury(GRACE)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        if error is None:
            self.shutdown(wait=True)
        else:
            self.end()
        return None

    def _close(self, cancel: bool) -> None:
        with self._lock:
            self._over = True
            if cancel:
                self._drain(lambda future: future.cancel())
            for _ in self._workers:
                self._tasks.put(None)

    def _drain(self, do: Callable[[Future[Any]], Any]) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                task = self._tasks.get_nowait()
                if task is not None:
                    do(task[0])

    def _bury(self, grace: float) -> None:
        """Lets the workers end, and ends those that do not."""
        for worker in self._workers:
            with contextlib.suppress(OSError):
                worker.connection.close()
        for worker in self._workers:
            pid = worker.process.pid
            assert pid is not None
            worker.process.join(grace)
            if worker.process.is_alive():
                end(pid)
                worker.process.join()
            GUARDIAN.release(pid)

    def _serve(self, worker: _Worker) -> None:
        """The thread of a worker: hands it one task after the other, and takes back what became of each."""
        while (task := self._tasks.get()) is not None:
            future, call = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                worker.connection.send_bytes(call)
                answer = worker.connection.recv_bytes()
            except (EOFError, OSError):
                self._lost(worker, future)
                return
            try:
                result, error = pickle.loads(answer)
            except Exception as failure:
                result, error = None, failure
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

    def _lost(self, worker: _Worker, future: Future[Any]) -> None:
        """A worker has died: its task fails, and with the last worker all tasks do."""
        died = f"a worker process died (exit code {worker.process.exitcode}) before its task was done"
        with self._lock:
            self._at_work -= 1
            if not self._at_work and not self._over:
                self._drain(lambda waiting: waiting.set_exception(BrokenProcessPool(died)))
        future.set_exception(BrokenProcessPool(died))


def _work(
    connection: Connection,
    others: list[Connection],
    initializer: Callable[..., None] | None,
    arguments: tuple[Any, ...],
) -> None:
    """A worker: makes the calls that come, until no more can come."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    adopt()
    for other in others:
        other.close()
    if initializer is not None:
        initializer(*arguments)
    while True:
        try:
            function, args, kwargs = pickle.loads(connection.recv_bytes())
        except (EOFError, OSError):
            return
        try:
            answer = _pickled(function(*args, **kwargs), None)
        except Exception as error:
            error.add_note(traceback.format_exc())
            answer = _pickled(None, error)
        try:
            connection.send_bytes(answer)
        except OSError:
            # Whoever asked has died meanwhile, and so will this process.
            return


def _pickled(result: Any, error: Exception | None) -> bytes:
    """A result, or an error, or that it cannot be sent."""
    try:
        return pickle.dumps((result, error))
    except Exception as failure:
        words = f"cannot be sent back: {type(failure).__name__}: {failure}"
        return pickle.dumps((None, RuntimeError(f"{'the result' if error is None else repr(error)} {words}")))
