"""The test of a law under a time limit, in a process of its own: a law that never answers ends as one that is none."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from nrverify.auditing.own_law.selftest import mistakes
from nrverify.plain_text import plain_text
from nrverify.processes import descendants
from nrverify.processes.guardian import GUARDIAN
from nrverify.processes.leaving import adopt
from nrverify.subjects.address import describe_error
from nrverify.subjects.own_laws.loading import Specified, in_use, law_of, specified
from nrverify.subjects.own_laws.place import Place

MOST_MISTAKES = 5
"""Reported at most: the first says what to look at."""

T = TypeVar("T")


class Unanswered(ValueError):
    """What was to be found out of a law took too long, or ended its process, or raised."""


def loaded(law: Any, timeout: float, whole: bool = True) -> Specified:
    """The law at an address, or the object itself, which another process has looked at before this one does.

    `ValueError` where it cannot be loaded within the timeout; with `whole` also where a part of it cannot be used.
    """

    def looked_at() -> None:
        found = specified(law)
        if whole:
            with in_use(found):
                pass

    try:
        _elsewhere(looked_at, timeout)
    except Unanswered as failure:
        raise ValueError(f"the law {law if isinstance(law, str) else repr(law)} cannot be used: {failure}") from None
    return specified(law)


def wrong_with(law: Specified, timeout: float, short: bool = False) -> list[str]:
    """What is wrong with a law, in sentences; none where it is one."""
    try:
        return _elsewhere(lambda: [found.words for found in islice(mistakes(law, short), MOST_MISTAKES)], timeout)
    except Unanswered as failure:
        return [str(failure)]


def _elsewhere(asked: Callable[[], T], timeout: float) -> T:
    """What a function returns in a process of its own; its `ValueError`, or `Unanswered` where it comes to nothing."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    mark = descendants.new_mark()
    adopt()
    process = context.Process(target=_answer, args=(theirs, asked, mark), daemon=True)
    process.start()
    assert process.pid is not None
    GUARDIAN.watch(process.pid, mark)
    theirs.close()
    try:
        if not ours.poll(timeout):
            raise Unanswered(f"testing it took longer than {timeout:g} seconds (--timeout)")
        answer, error = ours.recv()
    except EOFError:
        process.join()
        raise Unanswered(f"its test ended with exit code {process.exitcode}") from None
    finally:
        descendants.end(process.pid, mark)
        process.join()
        GUARDIAN.release(process.pid)
        ours.close()
    if error is not None:
        raise error
    found: T = answer
    return found


def require(law: Specified, timeout: float) -> None:
    """`ValueError` where a short test finds that it is not a law."""
    if found := wrong_with(law, timeout, short=True):
        raise ValueError(
            f"the law {law.name!r} is not one: {found[0]}; `nrverify law {law.address}` tests it at length"
        )


@contextmanager
def judged_by(law: Specified | None, mechanism: str, timeout: float) -> Iterator[Place | None]:
    """With the law that judges a subject of this mechanism in use, tested in short; None where it is built in.

    `ValueError` where it is not a law, or not that of the subject.
    """
    found = law_of(law, mechanism)
    if found is None:
        yield None
        return
    with in_use(found):
        require(found, timeout)
        yield Place.of(found.source)


def _answer(connection: Connection, asked: Callable[[], Any], mark: str) -> None:
    os.setsid()
    os.environ[descendants.VARIABLE] = mark
    try:
        connection.send((asked(), None))
    except ValueError as error:
        connection.send((None, ValueError(plain_text(str(error), one_line=True))))
    except BaseException as error:
        connection.send((None, Unanswered(plain_text(f"it raised {describe_error(error)}", one_line=True))))
