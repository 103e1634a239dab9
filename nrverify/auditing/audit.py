"""`nrverify.audit(subject)`: an audit as a library call."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from os import PathLike
from typing import Any

from nrverify.auditing.core.report import Report
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.own_law.limited import judged_by, loaded
from nrverify.auditing.registry import known_ids
from nrverify.auditing.replay.recorder import Recorder
from nrverify.auditing.run import audit_host, errored
from nrverify.auditing.sampling.executor import Engine
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.host import Host
from nrverify.subjects.own_laws.loading import Specified, in_use
from nrverify.subjects.reach import opener
from nrverify.subjects.records.file import RecordsFile
from nrverify.subjects.trace import Trace


@dataclass(frozen=True)
class Claiming:
    """Opens hosts whose subjects claim something else than they say; a `ValueError` where none can."""

    open_host: Callable[[float], Host | RecordsFile]
    claim: tuple[float, float]

    def __call__(self, timeout: float) -> Host | RecordsFile:
        """The host, with its description changed."""
        from nrverify.auditing.claims.context import with_claim

        host = self.open_host(timeout)
        try:
            host.description = with_claim(host.description, self.claim)
        except ValueError:
            host.close()
            raise
        return host


Progress = Callable[[int, int], None]


def audit(
    subject: Any,
    alpha: float = 1e-6,
    seed: int = 0,
    samples: int = 200_000,
    budget: float = 120.0,
    timeout: float = 60.0,
    keep_going: bool = False,
    checks: Iterable[str] = (),
    progress: Progress | None = None,
    record: str | PathLike[str] | Recorder | None = None,
    jobs: int | None = None,
    engine: str = "local",
    scheduler: str | None = None,
    trace: str | PathLike[str] | None = None,
    numerics: str | None = None,
    claim: tuple[float, float] | None = None,
    law: Any = None,
) -> Report:
    """Audits a subject (an object, a class, a factory, or an address as a string) and reports what is excluded.

    The whole run raises a false alarm with probability at most `alpha`. Mistakes in the arguments are a `ValueError`;
    a subject that cannot be run gives a report with verdict `errored`. `record` names a file from which
    `nrverify replay` recomputes the verdict without the subject. With `jobs` that many processes draw, with the engine
    "dask" those of a scheduler's cluster: the report is the same. `trace` names a file for every request and reply.
    `numerics` stands in place of the subject's own word: with "exact" an attack on the last bits of releases refutes.
    `claim` is an (ε, δ) in place of whichever claim a subject with mechanism "any" makes.
    `law` is the law of one's own whose name is the subject's mechanism: an object, a class or an address.

    Parameters
    ----------
    subject
        What is audited: an object, a class, a function that returns one, or an address such as "python:mine.py:Mine".
    alpha
        The probability of any false alarm in the whole run.
    seed
        The same seed asks the same.
    samples, budget
        The most sessions or runs, and the most seconds from the subject's first answer on; whichever ends first.
    timeout
        Seconds that one request may take.
    keep_going
        Whether sampling goes on after a refutation, so that other checks are decided too.
    checks
        The checks to ask, by id; all where it is empty.

    Returns
    -------
    Report
        `verdict`, `law`, `privacy` and `checks`; as text by `str`, as a page in a notebook.

    Examples
    --------
    >>> import nrverify
    >>> class Charged:
    ...     mechanism, sensitivity, delta = "boundary", 1.0, 1e-6
    ...     boundary = nrverify.Linear.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1.0)
    ...
    ...     def epsilon(self, time):
    ...         return self.boundary(time)
    >>> report = nrverify.audit(Charged())
    >>> report.verdict, report.privacy
    ('consistent', 'consistent')
    """
    settings = Settings(alpha, samples, budget, timeout, seed, keep_going, tuple(checks), numerics, claim)
    given = None if law is None else loaded(law, settings.timeout)
    with nullcontext() if given is None else in_use(given):
        return _audit(
            subject,
            settings,
            Engine(engine, scheduler, jobs),
            progress,
            record,
            trace,
            given,
        )


def _audit(
    subject: Any,
    settings: Settings,
    executor: Engine,
    progress: Progress | None,
    record: str | PathLike[str] | Recorder | None,
    trace: str | PathLike[str] | None,
    law: Specified | None,
) -> Report:
    if law is not None and executor.scheduler is not None and not law.addressed:
        raise ValueError(
            "a law of one's own reaches the workers of a cluster from its own address: give law as text such as "
            f"'python:FILE.py:{type(law.law).__name__}', or leave out the engine dask"
        )
    if executor.scheduler is not None and isinstance(subject, str) and subject.startswith("records:"):
        raise ValueError("records are judged on this machine: leave out --engine dask")
    if unknown := [name for name in settings.only if name not in known_ids()]:
        raise ValueError(f"checks names {unknown[0]!r}: it must be one of {', '.join(known_ids())}")
    open_host = opener(subject) if settings.claim is None else Claiming(opener(subject), settings.claim)
    if trace is not None:
        if executor.scheduler is not None:
            raise ValueError("what a cluster draws is not traced: leave out --trace, or --engine dask")
        open_host = Trace(trace).opening(open_host)
    recorder = record if record is None or isinstance(record, Recorder) else Recorder(record)
    if recorder is not None and recorder.named and executor.scheduler is not None:
        raise ValueError("what a cluster draws is not recorded: leave out --record, or --engine dask")
    if recorder is None or executor.scheduler is not None:
        return _audit_subject(open_host, subject, settings, progress, executor, law)
    try:
        report = _audit_subject(recorder.opening(open_host), subject, settings, progress, executor, law)
        recorder.leave(report, settings)
        return report
    finally:
        recorder.discard()


def _audit_subject(
    open_host: Callable[[float], Host | RecordsFile],
    subject: Any,
    settings: Settings,
    progress: Progress | None,
    executor: Engine,
    law: Specified | None,
) -> Report:
    """The report of an audit whose host is opened, used and closed here."""
    started = time.monotonic()
    address = subject if isinstance(subject, str) else None
    try:
        host = open_host(settings.timeout)
    except SubjectFailed as failure:
        return errored(address, None, settings, 0, started, str(failure))
    try:
        with judged_by(law, host.description.mechanism, settings.timeout) as place:
            if isinstance(host, RecordsFile):
                return audit_host(host, address, settings, started, progress)
            with executor.workers(subject, host, open_host, place) as workers:
                return audit_host(host, address, settings, started, progress, workers)
    finally:
        host.close()
