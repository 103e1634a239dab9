"""A finding in words, the same in every reporter: claim, expected, observed, evidence, cause, effect, reproduction."""

from __future__ import annotations

import re

from nrverify.auditing.core.report import Report
from nrverify.auditing.core.results import CheckResult

PARTS = re.compile(r" (?=(?:Expected|Evidence:|Likely cause:|Effect:) )")
"""Where the one paragraph of a refutation's message is folded into lines."""

SMALLEST = 1e-300
"""A p-value below is said to be below it: 0 would say more than arithmetic can."""


def finding(check: CheckResult, reproduce: str | None = None) -> str:
    """A refuted check in full; `reproduce` replaces the command where the reader has a better one."""
    lines = PARTS.split(check.message or "no further words")
    command = reproduce or check.reproduce
    return "\n".join([*lines, f"Reproduce: {command}"] if command else lines)


def evidence_of(check: CheckResult) -> str:
    """What the verdict rests on: wealth, p-value, samples."""
    parts = []
    if check.e_value is not None:
        parts.append(f"e-value {check.e_value:.3g}")
    if check.p_value is not None:
        parts.append(f"p-value {check.p_value:.3g}" if check.p_value >= SMALLEST else f"p-value < {SMALLEST:g}")
    if check.samples is not None:
        parts.append(f"{check.samples} samples")
    return ", ".join(parts)


def calculated(report: Report) -> bool:
    """Whether the verdict rests on no samples: a boundary is judged by calculation."""
    return report.subject["mechanism"] == "boundary" and report.verdict != "errored"


def subject_of(report: Report) -> str:
    """The subject in a few words: name, version, mechanism."""
    subject = report.subject
    name = " ".join(str(part) for part in (subject["name"], subject["version"]) if part)
    name = name or subject["address"] or "subject"
    return f"{name} ({subject['mechanism']})" if subject["mechanism"] else name
