"""A Python subject in a worker process of its own, which cannot hang, exit or kill the audit."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from nrverify.processes import descendants
from nrverify.processes.guardian import GUARDIAN
from nrverify.processes.leaving import adopt
from nrverify.subjects.address import describe_error
from nrverify.subjects.description import Description
from nrverify.subjects.errors import ReleaseRefused, SubjectFailed, SubjectRefused
from nrverify.subjects.python.channel import BadMessage, Channel, Late
from nrverify.subjects.python.interpreter import Interpreter
from nrverify.subjects.requests import A_co, Request, ScalarRequest

QUICK = 1 / 32
"""Of the time limit: what takes less is followed by a piece of twice the size, so that a function that suddenly takes
ten times as long is still within the limit."""


class PythonHost:
    """Requests to a subject in its own process, each under a time limit; counts the time the subject took."""

    def __init__(self, load: Callable[[], Any], timeout: float, folder: str | None = None) -> None:
        """Forks this process, or with a folder starts an interpreter there."""
        context = multiprocessing.get_context("fork")
        self.timeout = timeout
        self.seconds = 0.0
        self._ended = False
        ours, theirs = context.Pipe()
        prints, printing = os.pipe()
        self._mark = descendants.new_mark()
        adopt()
        self._process: ForkProcess | Interpreter
        if folder is not None:
            self._process = Interpreter(theirs, printing, load, folder, self._mark)
        else:
            arguments = (theirs, printing, (ours, prints), load, self._mark)
            self._process = context.Process(target=_forked, args=arguments, daemon=True)
            self._process.start()
        assert self._process.pid is not None
        GUARDIAN.watch(self._process.pid, self._mark)
        theirs.close()
        os.close(printing)
        self._channel = Channel(ours, prints)
        try:
            self.description: Description = self._receive("loading the subject")
        except BaseException:
            self.close()
            raise

    def ask(self, request: Request[A_co]) -> A_co:
        """Sends the request to the worker and waits for what it answers."""
        if isinstance(request, ScalarRequest) and len(request.numbers) > 1:
            answers: Any = np.concatenate(list(self._in_pieces(request)))
            return cast(A_co, answers)
        return self._exchange(request)

    def _in_pieces(self, request: ScalarRequest) -> Iterator[NDArray[np.float64]]:
        """The numbers in pieces that grow while they are quick: the time limit is that of one call of the function."""
        rest, size = list(request.numbers), 1
        while rest:
            started = time.monotonic()
            yield self._exchange(replace(request, numbers=rest[:size]))
            rest = rest[size:]
            size = 2 * size if time.monotonic() - started < self.timeout * QUICK else max(size // 2, 1)

    def _exchange(self, request: Request[A_co]) -> A_co:
        started = time.monotonic()
        try:
            self._channel.send(request, self.timeout)
        except Late:
            raise SubjectFailed(self._late(request.words)) from None
        except OSError:
            words = f"the subject's process ended {self._ending()} before {request.words}"
            raise SubjectFailed(words) from None
        try:
            answer: A_co = self._receive(request.words)
            return answer
        finally:
            self.seconds += time.monotonic() - started

    def close(self) -> None:
        """Ends the worker and everything it started; never waits for it."""
        if not self._ended and self._process.pid is not None:
            self._ended = True
            # First, and not after it has seen the connection closed and gone: what it started is found through it.
            descendants.end(self._process.pid, self._mark)
            self._process.join()
            GUARDIAN.release(self._process.pid)
        self._channel.close()

    def _receive(self, what: str) -> Any:
        try:
            outcome, payload = self._channel.receive(self.timeout)
        except Late:
            raise SubjectFailed(self._late(what)) from None
        except (EOFError, ConnectionResetError):
            raise SubjectFailed(f"the subject's process ended {self._ending()} during {what}") from None
        except (BadMessage, TypeError, ValueError) as error:
            raise SubjectFailed(f"the subject's process answered {what} with something else: {error}") from None
        if outcome == "failed":
            raise SubjectFailed(payload)
        if outcome == "refused":
            raise SubjectRefused(payload)
        if outcome == "withheld":
            raise ReleaseRefused(payload)
        return payload

    def _late(self, what: str) -> str:
        return f"{what} took longer than {self.timeout:g} seconds (--timeout)"

    def _ending(self) -> str:
        self._process.join(timeout=2)
        code = self._process.exitcode
        if code is not None and code < 0:
            return f"by signal {signal.Signals(-code).name}"
        return f"with exit code {code}"


def _forked(
    connection: Connection, printing: int, parents: tuple[Connection, int], load: Callable[[], Any], mark: str
) -> None:
    parents[0].close()
    os.close(parents[1])
    os.setsid()
    os.environ[descendants.VARIABLE] = mark
    os.dup2(printing, 2)
    os.close(printing)
    serve(connection, load)


def serve(connection: Connection, load: Callable[[], Any]) -> None:
    """The worker: loads the subject, then answers requests until the audit closes the connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    descendants.adopt()
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    from nrverify.subjects.adapter import Adapter

    adapter: Adapter | None = None

    def ready() -> Description:
        nonlocal adapter
        adapter = Adapter(load())
        return adapter.description

    _answer(connection, ready)
    while adapter is not None:
        try:
            request = connection.recv()
        except (EOFError, OSError):
            break
        _answer(connection, partial(adapter.ask, request))
    os._exit(0)


def _answer(connection: Connection, call: Callable[[], Any]) -> None:
    try:
        reply = ("ok", call())
    except ReleaseRefused as refusal:
        reply = ("withheld", str(refusal))
    except SubjectRefused as refusal:
        reply = ("refused", str(refusal))
    except SubjectFailed as failure:
        reply = ("failed", str(failure))
    except BaseException as error:
        reply = ("failed", f"the subject raised {describe_error(error)}")
    connection.send(reply)
