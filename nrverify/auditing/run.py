"""One run: the audit that fits a mechanism or its records, its verdict, and its report."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from shlex import quote
from typing import Any

from nrverify.auditing.check_ids import not_covered
from nrverify.auditing.core.declaration import CheckKind
from nrverify.auditing.core.report import EXIT, Report
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.explain.explanation import explained, untold
from nrverify.auditing.explain.remarks import misspelt_attributes
from nrverify.auditing.mechanisms import audit_of
from nrverify.auditing.registry import declarations_for
from nrverify.auditing.sampling.audit import Mechanism
from nrverify.auditing.sampling.workers import Workers
from nrverify.subjects.describe import attributes
from nrverify.subjects.description import Description
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.guarantees import guarantee_of
from nrverify.subjects.host import Host
from nrverify.subjects.limits import NUMERICS
from nrverify.subjects.noise_families import FAMILIES
from nrverify.subjects.own_laws.process import LawFailed
from nrverify.subjects.records.file import RecordsFile
from nrverify.subjects.replay.host import DoesNotFit


def audit_host(
    host: Host | RecordsFile,
    address: str | None,
    settings: Settings,
    started: float,
    progress: Callable[[int, int], None] | None,
    workers: Workers | None = None,
) -> Report:
    """The report of an audit whose host is open; what is sampled is drawn by the workers, or by the host alone.

    The settings were checked before, so a `ValueError` from here on is an internal error, not a usage error.
    """
    try:
        return _report(host, address, settings, started, progress, workers)
    except DoesNotFit:
        raise
    except LawFailed as failure:
        raise ValueError(f"the law {host.description.mechanism!r} is not one: {failure}") from failure
    except ValueError as error:
        raise RuntimeError(f"{type(error).__name__}: {error}") from error


def _report(
    host: Host | RecordsFile,
    address: str | None,
    settings: Settings,
    started: float,
    progress: Callable[[int, int], None] | None,
    workers: Workers | None,
) -> Report:
    description = host.description
    try:
        running = audit_of(host, settings, progress, workers)
    except SubjectFailed as failure:
        return errored(address, description, settings, 0, started, str(failure))
    try:
        unread = misspelt_attributes(description, settings.only)
        results = (*running.run(), *not_covered(description, settings.only, settings.numerics), *unread)
    except SubjectFailed as failure:
        seconds = getattr(running.drawer, "subject_seconds", 0.0)
        return errored(address, description, settings, running.drawer.drawn, started, str(failure), seconds)
    verdict = verdict_of(results)
    declared = declarations_for(description.mechanism)
    reproduce = _reproduce(address, settings)
    told = (declared, description, running.suspect, settings.alpha, reproduce)
    checks = explained(results, *told)
    if untold(checks) and (measured := running.measure_loss()) is not None:
        checks = explained(results, *told, measured)
    seconds = getattr(running.drawer, "subject_seconds", 0.0)
    refused = getattr(running, "refused_settings", None)
    run = _run(settings, running.drawer.drawn, running.stopped, started, seconds, refused)
    message = running.failure
    if message is None and verdict == "inconclusive":
        message = _what_would_help(checks, running.drawer.drawn, getattr(running, "more", Mechanism.more))
    run["after_refutation"] = getattr(getattr(running, "mechanism", None), "after_refutation", 0)
    seen = (running.plots(), running.asked)
    subject = _subject(address, description, settings) | {"guarantee": _guarantee(running, description)}
    return Report(verdict, EXIT[verdict], subject, run, checks, message, *seen)


def verdict_of(results: tuple[CheckResult, ...]) -> str:
    """Refuted if any check is; inconclusive only if every decisive check is (those of the law, for a boundary ψ)."""
    if any(result.verdict is CheckVerdict.REFUTED for result in results):
        return "refuted"
    judged = [r for r in results if r.verdict in (CheckVerdict.CONSISTENT, CheckVerdict.INCONCLUSIVE)]
    others = [result for result in judged if result.kind != CheckKind.NUMERICS]
    # An attack on the last bits leaves the verdict what it is without it, unless nothing else was asked.
    last_bits = [r for r in results if r.kind == CheckKind.NUMERICS and r.verdict is not CheckVerdict.NOT_COVERED]
    deciding = [result for result in judged if result.decisive] or others or last_bits
    if not deciding or all(result.verdict is CheckVerdict.INCONCLUSIVE for result in deciding):
        return "inconclusive"
    return "consistent"


def _what_would_help(checks: tuple[CheckResult, ...], drawn: int, more: str) -> str:
    """What would make an inconclusive run say something; or why it never could."""
    undecided = [check for check in checks if check.verdict is CheckVerdict.INCONCLUSIVE]
    not_covered = [check for check in checks if check.verdict is CheckVerdict.NOT_COVERED]
    if not_covered and not undecided:
        return "; ".join(f"{check.id} does not apply to this subject: {check.message}" for check in not_covered)
    advice = next((check.message for check in undecided if check.message), None)
    if advice and not drawn:
        return advice
    words = f"{drawn} {more}"
    return f"{words} ({advice})" if advice else words


def errored(
    address: str | None,
    description: Description | None,
    settings: Settings,
    drawn: int,
    started: float,
    message: str,
    seconds: float = 0.0,
) -> Report:
    """The report of a subject that could not be run, and how long it took until then."""
    subject, run = _subject(address, description, settings), _run(settings, drawn, "errored", started, seconds)
    return Report("errored", EXIT["errored"], subject, run, (), message)


def _guarantee(running: Any, description: Description) -> str | None:
    """What was judged: as the subject says, or by default and by how many releases it was found to make."""
    context = getattr(getattr(running, "mechanism", None), "context", None)
    return str(found) if (found := getattr(context, "guarantee", None)) else guarantee_of(description)


def _subject(address: str | None, description: Description | None, settings: Settings) -> dict[str, Any]:
    fields = ("name", "version", "mechanism", "knob", "guarantee", "numerics", "granularity", "law")
    said = {field: getattr(description, field, None) for field in fields}
    if description is not None:
        family = FAMILIES.get(description.mechanism)
        said["law"] = None if family is None or family.source is None else dict(family.source)
        said["guarantee"] = guarantee_of(description)
        if description.mechanism in attributes()["numerics"].applies:
            said["numerics"] = settings.numerics or description.numerics or NUMERICS[0]
    return {**said, "address": address}


def _run(
    settings: Settings,
    drawn: int,
    stopped: str,
    started: float,
    subject_seconds: float,
    refused: dict[str, Any] | None = None,
) -> dict[str, Any]:
    versions = {name: version(name) for name in ("nrverify", "numpy", "scipy")}
    return {
        "seed": settings.seed,
        "alpha": settings.alpha,
        "samples": drawn,
        "stopped": stopped,
        "versions": {**versions, "python": platform.python_version()},
        "seconds": seconds_since(started),
        "subject_seconds": round(subject_seconds, 3),
        "refused": refused,
    }


def seconds_since(started: float) -> float:
    """On the clock of the wall, to the millisecond."""
    return round(time.monotonic() - started, 3)


def _reproduce(address: str | None, settings: Settings) -> str:
    if address is None:
        numerics = f", numerics={settings.numerics!r}" if settings.numerics else ""
        shared = f"alpha={settings.alpha!r}, seed={settings.seed}, samples={settings.samples}"
        claim = f", claim={settings.claim!r}" if settings.claim else ""
        return f"nrverify.audit(subject, {shared}{numerics}{claim})"
    options = f"--seed {settings.seed} --alpha {settings.alpha:g} --samples {settings.samples}"
    options += f" --numerics {settings.numerics}" if settings.numerics else ""
    if settings.claim:
        epsilon, delta = settings.claim
        options += f" --claim {epsilon!r},{delta!r}" if delta else f" --claim {epsilon!r}"
    return f"nrverify audit {quote(address)} {options}"
