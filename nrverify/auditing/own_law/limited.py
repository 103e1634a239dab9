"""The test of a law under a time limit, in a process of its own: a law that never answers ends as one that is none."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

from nrverify.auditing.own_law.selftest import mistakes
from nrverify.plain_text import plain_text
from nrverify.processes import descendants
from nrverify.processes.guardian import GUARDIAN
from nrverify.processes.leaving import adopt
from nrverify.subjects.address import describe_error
from nrverify.subjects.own_laws.loading import Specified, in_use, law_of
from nrverify.subjects.own_laws.place import Place

MOST_MISTAKES = 5
"""Reported at most: the first says what to look at."""


def wrong_with(law: Specified, timeout: float, short: bool = False) -> list[str]:
    """What is wrong with a law, in sentences; none where it is one."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    mark = descendants.new_mark()
    adopt()
    process = context.Process(target=_test, args=(theirs, law, short, mark), daemon=True)
    process.start()
    assert process.pid is not None
    GUARDIAN.watch(process.pid, mark)
    theirs.close()
    try:
        if not ours.poll(timeout):
            return [f"testing it took longer than {timeout:g} seconds (--timeout)"]
        found: list[str] = ours.recv()
        return found
    except EOFError:
        process.join()
        return [f"its test ended with exit code {process.exitcode}"]
    finally:
        descendants.end(process.pid, mark)
        process.join()
        GUARDIAN.release(process.pid)
        ours.close()


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


def _test(connection: Connection, law: Specified, short: bool, mark: str) -> None:
    os.setsid()
    os.environ[descendants.VARIABLE] = mark
    try:
        found = []
        for mistake in mistakes(law, short):
            found.append(mistake.words)
            if len(found) == MOST_MISTAKES:
                break
        connection.send(found)
    except BaseException as error:
        connection.send([plain_text(f"it raised {describe_error(error)}", one_line=True)])
