"""`nrverify.audit(subject)`: an audit as a library call."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterable
from importlib.metadata import version
from typing import Any

from nrverify.auditing.causes import explained
from nrverify.auditing.results import CheckResult, CheckVerdict, Report
from nrverify.auditing.settings import Settings
from nrverify.subjects.address import instance_of, load_python, parse
from nrverify.subjects.description import THRESHOLD, Description
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.host import Host

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
) -> Report:
    """Audits a subject (an object, a class, a factory, or an address as a string) and reports what is excluded.

    The whole run raises a false alarm with probability at most `alpha`. Mistakes in the arguments are a `ValueError`;
    a subject that cannot be run gives a report with verdict `errored`.
    """
    settings = Settings(alpha, samples, budget, timeout, seed, keep_going, tuple(checks))
    address = subject if isinstance(subject, str) else None
    open_host = _host(subject)
    started = time.monotonic()
    try:
        host = open_host(timeout)
    except SubjectFailed as failure:
        return _errored(address, None, settings, 0, started, str(failure))
    try:
        return _audited(host, address, settings, started, progress)
    finally:
        host.close()


def _host(subject: Any) -> Callable[[float], Host]:
    """How the subject is reached: an object or a python: address in a worker process, cmd: as a process of its own."""
    if not isinstance(subject, str):
        return lambda timeout: Host(lambda: instance_of(subject), timeout)
    address = parse(subject)
    if address.scheme == "python":
        return lambda timeout: Host(lambda: load_python(address.rest), timeout)
    raise ValueError(f"{subject!r}: subjects of the scheme {address.scheme!r} cannot be audited yet; use python:")


def _audited(
    host: Host, address: str | None, settings: Settings, started: float, progress: Callable[[int, int], None] | None
) -> Report:
    description = host.description
    engine = _engine(description.mechanism)(host, settings, progress)
    try:
        results = engine.run()
    except SubjectFailed as failure:
        return _errored(address, description, settings, engine.drawer.drawn, started, str(failure))
    verdict = _verdict(results)
    reproduce = _reproduce(address, settings)
    checks = explained(results, description, reproduce)
    run = _run(settings, engine.drawer.drawn, engine.stopped, started)
    message = engine.failure or (_would_do(checks, engine.drawer.drawn) if verdict == "inconclusive" else None)
    return Report(verdict, EXIT[verdict], _subject(address, description), run, checks, message)


def _engine(mechanism: str) -> Callable[..., Any]:
    """The engine that audits a mechanism."""
    if mechanism in THRESHOLD:
        from nrverify.auditing.threshold_engine import ThresholdAudit

        return ThresholdAudit
    if mechanism == "boundary":
        from nrverify.auditing.boundary_engine import BoundaryAudit

        return BoundaryAudit
    if mechanism == "private-stopping":
        from nrverify.auditing.stopping_engine import PrivateStoppingAudit

        return PrivateStoppingAudit
    from nrverify.auditing.engine import NoiseReductionAudit

    return NoiseReductionAudit


def _verdict(results: tuple[CheckResult, ...]) -> str:
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
    """What would make an inconclusive run say something."""
    advice = next(
        (check.message for check in checks if check.verdict is CheckVerdict.INCONCLUSIVE and check.message), None
    )
    words = f"{drawn} samples are too few to exclude anything useful; draw more with --samples or --budget"
    return f"{words} ({advice})" if advice else words


def _errored(
    address: str | None, description: Description | None, settings: Settings, drawn: int, started: float, message: str
) -> Report:
    subject = _subject(address, description)
    return Report("errored", EXIT["errored"], subject, _run(settings, drawn, "errored", started), (), message)


def _subject(address: str | None, description: Description | None) -> dict[str, Any]:
    fields = ("name", "version", "mechanism", "knob")
    return {**{field: getattr(description, field, None) for field in fields}, "address": address}


def _run(settings: Settings, drawn: int, stopped: str, started: float) -> dict[str, Any]:
    versions = {name: version(name) for name in ("nrverify", "numpy", "scipy")}
    return {
        "seed": settings.seed,
        "alpha": settings.alpha,
        "samples": drawn,
        "stopped": stopped,
        "versions": {**versions, "python": platform.python_version()},
        "seconds": round(time.monotonic() - started, 3),
    }


def _reproduce(address: str | None, settings: Settings) -> str:
    if address is None:
        return f"nrverify.audit(subject, alpha={settings.alpha!r}, seed={settings.seed}, samples={settings.samples})"
    return f"nrverify audit {address} --seed {settings.seed} --alpha {settings.alpha:g} --samples {settings.samples}"
