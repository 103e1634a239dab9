"""A gate in a test run: one audit, shared by its items; each item is one check of it."""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from nrverify.report.atomic_write import printable

if TYPE_CHECKING:
    from nrverify.auditing.core.report import Report
    from nrverify.auditing.core.results import CheckResult
    from nrverify.gating.declare import Gate

SUBJECT = "subject"
"""The one item of a gate whose subject does not say what it is."""


@dataclass
class GateRun:
    """What the command line says over the gates, where reports go, and what was audited so far."""

    alpha: float | None
    samples: int | None
    seed: int | None
    files: dict[str, str]
    folder: Path | None
    """Shared by the workers of a distributed run."""
    several: bool = False
    """Whether there is more than one gate, so that report files need their names."""
    _audited: dict[str, Report | Exception] = field(default_factory=dict)

    def settled(self, gate: Gate) -> Gate:
        """The gate as this run asks for it."""
        return gate.under(self.alpha, self.samples, self.seed)

    def options(self) -> str:
        """The options that are needed to repeat this run."""
        given = {"seed": self.seed, "alpha": self.alpha, "samples": self.samples}
        return "".join(f" --nrverify-{name} {value}" for name, value in given.items() if value is not None)

    def report(self, name: str, gate: Gate) -> Report:
        """The report of a gate, audited when it is first asked for; never twice, not even when that raises."""
        if name not in self._audited:
            try:
                self._audited[name] = self._once(name, gate)
            except Exception as error:
                self._audited[name] = error
        found = self._audited[name]
        if isinstance(found, Exception):
            raise found
        return found

    def _once(self, name: str, gate: Gate) -> Report:
        if self.folder is None or not self.folder.is_dir():
            return self._audit(name, gate)
        from nrverify.gating.shared_audit import once

        return once(self.folder, name, lambda: self._audit(name, gate))

    def _audit(self, name: str, gate: Gate) -> Report:
        from nrverify.auditing.audit import audit

        s = self.settled(gate).settings
        with without_warnings():
            report = audit(
                gate.subject,
                alpha=s.alpha,
                seed=s.seed,
                samples=s.samples,
                budget=s.budget,
                timeout=s.timeout,
                keep_going=s.keep_going,
                numerics=s.numerics,
                law=gate.law,
            )
        self._write(name, gate, report)
        return report

    def _write(self, name: str, gate: Gate, report: Report) -> None:
        from nrverify.report.atomic_write import write_whole
        from nrverify.report.audit.formats import DOCUMENTS
        from nrverify.report.audit.source_location import location_of_file, location_of_object

        place = location_of_object(gate.subject, location_of_file(gate.file, gate.line)) if self.files else None
        for kind, file in self.files.items():
            path = Path(file)
            if self.several:
                path = path.with_name(f"{path.stem}-{_in_file_names(name)}{path.suffix}")
            write_whole(str(path), DOCUMENTS[kind].fold(report, place))


class GateItem(pytest.Item):
    """One check of a gate's audit as a test."""

    def __init__(
        self, *, gate: Gate, run: GateRun, check: str, checks: tuple[str, ...], trouble: str | None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        assert self.parent is not None
        self.gate = gate
        self.check = check
        self.checks = checks
        self.trouble = trouble
        self._run = run
        self._address = f"{self.parent.nodeid}::{self.name}"
        self.gate_name = self._address.removesuffix(f"[{check}]")
        self.add_marker(pytest.mark.xdist_group(self.gate_name))

    def setup(self) -> None:
        """Audits, or takes the report; a subject that could not be run is an error of every item, not a failure."""
        if self.trouble is not None:
            _fail(self.trouble)
        try:
            report = self._run.report(self.gate_name, self.gate)
        except (ValueError, OSError) as error:
            _fail(f"{type(error).__name__}: {error}")
        others = [result for result in report.checks if result.id not in self.checks]
        self.user_properties.append(("nrverify", printable(_line(report))))
        self.user_properties += [("nrverify-note", printable(note)) for note in _notes(others)]
        if report.verdict == "errored":
            _fail(f"the subject could not be run: {report.message}")
        for result in others:
            if result.verdict == "refuted":
                _fail(f"{_heading(result, report)}, which has no item of its own: {result.message}")

    def runtest(self) -> None:
        """Passes, fails, skips or is expected to fail, by the verdict of its check."""
        from nrverify.auditing.core.results import CheckVerdict
        from nrverify.report.audit.test_outcomes import TestOutcome, judged

        report = self._without_expected(self._run.report(self.gate_name, self.gate))
        check = next((result for result in report.checks if result.id == self.check), None)
        if check is None:
            self._unanswered()
        expected = self.gate.expected_failures.get(self.check)
        if expected is not None and check.verdict is CheckVerdict.REFUTED:
            pytest.xfail(expected)
        item = judged(check, report, f"pytest {shlex.quote(self._address)}{self._run.options()}")
        if item.outcome is TestOutcome.SKIPPED:
            pytest.skip(printable(f"{self.check}: {item.reason}"))
        if item.outcome is not TestOutcome.PASSED:
            _fail(f"{_heading(check, report)}\n{item.reason}")
        if expected is not None:
            words = f"{self.check} is consistent, and was expected to be refuted ({expected}); {item.reason}"
            _fail(f"{words}. Take it out of expected_failures.")
        self.add_report_section("call", "nrverify", item.reason)

    def _unanswered(self) -> NoReturn:
        """A check that the audit did not come to: it was refuted before, or the subject is not what it said."""
        if self._run.report(self.gate_name, self.gate).verdict == "refuted":
            pytest.skip(f"{self.check}: not asked: another check was refuted")
        _fail(f"{self.check} was not asked: the subject is not of the mechanism and knob that it said at first")

    def _without_expected(self, report: Report) -> Report:
        """The report with the verdict of the checks that are not expected to fail."""
        if not self.gate.expected_failures:
            return report
        from nrverify.auditing.run import verdict_of

        others = tuple(result for result in report.checks if result.id not in self.gate.expected_failures)
        return replace(report, verdict=verdict_of(others))

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Where the gate is written, and the name of the item."""
        return self.path, self.gate.line - 1 if Path(self.gate.file) == self.path else None, self.name


@contextmanager
def without_warnings() -> Iterator[None]:
    """The warnings filters of somebody's test run are no part of the subject: "error" would break it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _fail(words: str) -> NoReturn:
    """A failure in words, without a traceback."""
    pytest.fail(printable(words), pytrace=False)


def _heading(check: CheckResult, report: Report) -> str:
    """The cause first: pytest cuts the line of its summary."""
    from nrverify.report.audit.finding_text import cause_of, subject_of

    parts = (cause_of(check), f"{check.id} is {check.verdict.value}", subject_of(report))
    return "; ".join(part for part in parts if part)


def _line(report: Report) -> str:
    from nrverify.report.audit.finding_text import subject_of

    run = report.run
    words = f"{report.verdict} after {run['samples']} samples, seed {run['seed']}, alpha {run['alpha']:g}"
    return f"{subject_of(report)}: {words}"


def _notes(results: list[CheckResult]) -> list[str]:
    """Results without an item of their own, advice and what is not covered: never a verdict, and never unsaid."""
    return [f"{result.verdict.value} {result.id}: {result.message}" for result in results if result.message]


def _in_file_names(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name.replace(".py::", "-").replace("::", "-"))
