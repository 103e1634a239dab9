"""What a check's verdict means to a test runner: passed, failed, errored or skipped, and why.

No outcome is reported as passed by default: only a check that ran and is consistent has passed. What is not
covered, stopped by another's refutation or only advice is skipped with its reason; a run that is
inconclusive as a whole has failed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from nrverify.auditing.core.report import Report
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.report.audit.finding_text import finding

FEWEST_SESSIONS = 1000
"""Below so many sessions a check says nothing."""


class TestOutcome(StrEnum):
    """The four words every test runner knows."""

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Judged:
    """An outcome and its reason."""

    outcome: TestOutcome
    reason: str


def judged(check: CheckResult, report: Report, reproduce: str | None = None) -> Judged:
    """The outcome of one check of a report."""
    message = check.message or ""
    match check.verdict:
        case CheckVerdict.REFUTED:
            return Judged(TestOutcome.FAILED, finding(check, reproduce))
        case CheckVerdict.CONSISTENT:
            return Judged(
                TestOutcome.PASSED, f"smallest detectable fault: {check.detectable or 'what the check describes'}"
            )
        case CheckVerdict.INCONCLUSIVE if report.verdict == "inconclusive":
            return Judged(TestOutcome.FAILED, f"inconclusive: {would_do(check, report)}")
        case CheckVerdict.INCONCLUSIVE:
            return Judged(TestOutcome.SKIPPED, f"inconclusive: {message or would_do(check, report)}")
        case CheckVerdict.NOT_COVERED:
            return Judged(TestOutcome.SKIPPED, f"not covered: {message}")
        case CheckVerdict.ADVICE if message:
            return Judged(TestOutcome.SKIPPED, f"advice: {message}")
        case CheckVerdict.ADVICE:
            return Judged(TestOutcome.PASSED, "nothing to advise")
        case CheckVerdict.ERRORED:
            return Judged(TestOutcome.ERRORED, message or "the subject could not be asked this")


def would_do(check: CheckResult, report: Report) -> str:
    """How much would make an inconclusive check say something."""
    drawn = int(report.run["samples"])
    if check.message:
        return f"{drawn} samples were drawn; {check.message}"
    if check.samples and check.samples < FEWEST_SESSIONS:
        needed = math.ceil(drawn * FEWEST_SESSIONS / check.samples)
        return f"{drawn} samples were drawn; about {needed} would do"
    return f"{drawn} samples are too few to exclude anything useful; allow more samples or a larger budget"


def count(outcomes: list[Judged], outcome: TestOutcome) -> int:
    """How many came to this."""
    return sum(item.outcome is outcome for item in outcomes)
