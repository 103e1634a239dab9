"""`nrverify.audit(subject)`: an audit as a library call."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterable
from functools import partial
from importlib.metadata import version
from os import PathLike
from shlex import quote
from typing import Any

from nrverify.auditing.check_ids import unasked
from nrverify.auditing.core.results import CheckResult, CheckVerdict, Report
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.explain.message import CLAIM, explained
from nrverify.auditing.replay.recorder import Recorder
from nrverify.auditing.sampling.executor import Engine
from nrverify.auditing.sampling.workers import Crew
from nrverify.subjects.address import instance_of, load_python, parse
from nrverify.subjects.description import THRESHOLD, Description
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.host import Host
from nrverify.subjects.python.host import PythonHost
from nrverify.subjects.records.file import RecordsFile
from nrverify.subjects.replay.host import DoesNotFit

EXIT = {"consistent": 0, "refuted": 1, "errored": 3, "inconclusive": 4}


def audit(
    subject: Any,
    alpha: float = 1e-6,
    seed: int = 0,
    samples: int = 200_000,
    budget: float = 120.0,
    timeout: float = 60.0,
    keep_going: bool = False,
    checks: Iterable[str] = (),
    progress: Callable[[int, int], None] | None = None,
    record: str | PathLike[str] | Recorder | None = None,
    jobs: int | None = None,
    engine: str = "local",
    scheduler: str | None = None,
) -> Report:
    """Audits a subject (an object, a class, a factory, or an address as a string) and reports what is excluded.

    The whole run raises a false alarm with probability at most `alpha`. Mistakes in the arguments are a `ValueError`;
    a subject that cannot be run gives a report with verdict `errored`. `record` names a file from which
    `nrverify replay` recomputes the verdict without the subject. With `jobs` so many processes draw, with the engine
    "dask" those of a scheduler's cluster: the report is the same.
    """
    where = Engine(engine, scheduler, jobs)
    if where.scheduler is not None and isinstance(subject, str) and subject.startswith("records:"):
        raise ValueError("records are judged on this machine: leave out --engine dask")
    settings = Settings(alpha, samples, budget, timeout, seed, keep_going, tuple(checks))
    if unknown := [name for name in settings.only if name not in CLAIM]:
        raise ValueError(f"no check {unknown[0]!r}: one of {', '.join(CLAIM)}")
    open_host = opener(subject)
    recorder = record if record is None or isinstance(record, Recorder) else Recorder(record)
    if recorder is not None and recorder.named and where.scheduler is not None:
        raise ValueError("what a cluster draws is not recorded: leave out --record, or --engine dask")
    if recorder is None or where.scheduler is not None:
        return _opened(open_host, subject, settings, progress, where)
    try:
        report = _opened(recorder.opening(open_host), subject, settings, progress, where)
        recorder.leave(report, settings)
        return report
    finally:
        recorder.discard()


def _opened(
    open_host: Callable[[float], Host | RecordsFile],
    subject: Any,
    settings: Settings,
    progress: Callable[[int, int], None] | None,
    where: Engine,
) -> Report:
    """The report of an audit whose host is opened, used and closed here."""
    started = time.monotonic()
    address = subject if isinstance(subject, str) else None
    try:
        host = open_host(settings.timeout)
    except SubjectFailed as failure:
        return _errored(address, None, settings, 0, started, str(failure))
    try:
        if isinstance(host, RecordsFile):
            return audited(host, address, settings, started, progress)
        with where.crew(subject, host, open_host) as crew:
            return audited(host, address, settings, started, progress, crew)
    finally:
        host.close()


def description_of(subject: Any, timeout: float) -> Description:
    """What a subject says of itself; `SubjectFailed` where it cannot be reached or describes itself wrongly."""
    host = opener(subject)(timeout)
    host.close()
    return host.description


def opener(subject: Any, folder: str | None = None) -> Callable[[float], Host | RecordsFile]:
    """How the subject is reached: an object or a python: address in a worker process, cmd: as a process of its own.

    With a folder a Python subject gets an interpreter of its own there, and this process is not forked.
    """
    if not isinstance(subject, str):
        return lambda timeout: PythonHost(lambda: instance_of(subject), timeout, folder)
    address = parse(subject)
    if address.scheme == "python":
        return lambda timeout: PythonHost(lambda: load_python(address.rest), timeout, folder)
    if address.scheme == "cmd":
        from nrverify.subjects.command.host import ProcessHost

        return lambda timeout: ProcessHost(address.rest, timeout)
    return lambda timeout: RecordsFile(address.rest)


def audited(
    host: Host | RecordsFile,
    address: str | None,
    settings: Settings,
    started: float,
    progress: Callable[[int, int], None] | None,
    crew: Crew | None = None,
) -> Report:
    """The report of an audit whose host is open; what is sampled is drawn by the crew, or by the host alone.

    The settings were checked before: a `ValueError` from here on is no mistake of whoever asks, but a fault of its own.
    """
    try:
        return _judged(host, address, settings, started, progress, crew)
    except DoesNotFit:
        raise
    except ValueError as error:
        raise RuntimeError(f"{type(error).__name__}: {error}") from error


def _judged(
    host: Host | RecordsFile,
    address: str | None,
    settings: Settings,
    started: float,
    progress: Callable[[int, int], None] | None,
    crew: Crew | None,
) -> Report:
    description = host.description
    engine = _engine(host, crew)(host, settings, progress)
    try:
        results = (*engine.run(), *unasked(description, settings.only))
    except SubjectFailed as failure:
        seconds = getattr(engine.drawer, "subject_seconds", 0.0)
        return _errored(address, description, settings, engine.drawer.drawn, started, str(failure), seconds)
    verdict = verdict_of(results)
    reproduce = _reproduce(address, settings)
    checks = explained(results, description, settings.alpha, reproduce)
    seconds = getattr(engine.drawer, "subject_seconds", 0.0)
    run = _run(settings, engine.drawer.drawn, engine.stopped, started, seconds)
    message = engine.failure or (_would_do(checks, engine.drawer.drawn) if verdict == "inconclusive" else None)
    seen = (engine.pictures(), engine.asked)
    return Report(verdict, EXIT[verdict], _subject(address, description), run, checks, message, *seen)


def _engine(host: Host | RecordsFile, crew: Crew | None) -> Callable[..., Any]:
    """The engine that audits a mechanism, or what was recorded of it."""
    mechanism = host.description.mechanism
    if isinstance(host, RecordsFile):
        from nrverify.auditing.records.audit import records_audit

        return records_audit
    if mechanism in THRESHOLD:
        from nrverify.auditing.threshold.audit import ThresholdAudit

        return partial(ThresholdAudit, crew=crew)
    if mechanism == "boundary":
        from nrverify.auditing.boundary.audit import BoundaryAudit

        return BoundaryAudit
    if mechanism == "private-stopping":
        from nrverify.auditing.private_stopping.audit import PrivateStoppingAudit

        return partial(PrivateStoppingAudit, crew=crew)
    from nrverify.auditing.noise_reduction.audit import NoiseReductionAudit

    return partial(NoiseReductionAudit, crew=crew)


def verdict_of(results: tuple[CheckResult, ...]) -> str:
    """Refuted if any check is; inconclusive only if every check of the law is."""
    if any(result.verdict is CheckVerdict.REFUTED for result in results):
        return "refuted"
    judged = [r for r in results if r.verdict in (CheckVerdict.CONSISTENT, CheckVerdict.INCONCLUSIVE)]
    lawful = [
        r for r in judged if r.kind == "law" and ("law" in r.id.split(".") or r.id == "boundary.crossing")
    ] or judged
    if not lawful or all(result.verdict is CheckVerdict.INCONCLUSIVE for result in lawful):
        return "inconclusive"
    return "consistent"


def _would_do(checks: tuple[CheckResult, ...], drawn: int) -> str:
    """What would make an inconclusive run say something; or why it never could."""
    undecided = [check for check in checks if check.verdict is CheckVerdict.INCONCLUSIVE]
    missing = [check for check in checks if check.verdict is CheckVerdict.NOT_COVERED]
    if missing and not undecided:
        return "; ".join(f"{check.id} cannot be asked of this subject: {check.message}" for check in missing)
    advice = next((check.message for check in undecided if check.message), None)
    if advice and not drawn:
        return advice
    words = f"{drawn} samples are too few to exclude anything useful; draw more with --samples or --budget"
    return f"{words} ({advice})" if advice else words


def _errored(
    address: str | None,
    description: Description | None,
    settings: Settings,
    drawn: int,
    started: float,
    message: str,
    seconds: float = 0.0,
) -> Report:
    subject, run = _subject(address, description), _run(settings, drawn, "errored", started, seconds)
    return Report("errored", EXIT["errored"], subject, run, (), message)


def _subject(address: str | None, description: Description | None) -> dict[str, Any]:
    fields = ("name", "version", "mechanism", "knob")
    return {**{field: getattr(description, field, None) for field in fields}, "address": address}


def _run(settings: Settings, drawn: int, stopped: str, started: float, subject: float = 0.0) -> dict[str, Any]:
    versions = {name: version(name) for name in ("nrverify", "numpy", "scipy")}
    return {
        "seed": settings.seed,
        "alpha": settings.alpha,
        "samples": drawn,
        "stopped": stopped,
        "versions": {**versions, "python": platform.python_version()},
        "seconds": round(time.monotonic() - started, 3),
        "subject_seconds": round(subject, 3),
    }


def _reproduce(address: str | None, settings: Settings) -> str:
    if address is None:
        return f"nrverify.audit(subject, alpha={settings.alpha!r}, seed={settings.seed}, samples={settings.samples})"
    options = f"--seed {settings.seed} --alpha {settings.alpha:g} --samples {settings.samples}"
    return f"nrverify audit {quote(address)} {options}"
