"""What changed between two reports of audits: verdicts, faults and what would have been found, check by check."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nrverify.auditing.core.report import Report
from nrverify.auditing.core.results import CheckResult, CheckVerdict

ABSENT = "absent"
FACTOR = 1.1
"""Sizes that differ by less are called the same: they move with the number of samples drawn."""


@dataclass(frozen=True)
class Change:
    """One difference between two reports."""

    what: str
    """The check, or what of the run."""
    old: str
    new: str
    refutes: bool = False
    """Whether the new report refutes what the old one did not."""


def changes(old: Report, new: Report) -> Iterator[Change]:
    """All differences: of the subject, of the answers, then check by check."""
    for key in ("name", "version", "mechanism", "knob", "guarantee", "numerics", "granularity"):
        before, after = (str(report.subject.get(key) or ABSENT) for report in (old, new))
        if before != after:
            yield Change(f"subject: {key}", before, after)
    for name in ("verdict", "law", "privacy"):
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            yield Change(name, before, after, refutes=name == "verdict" and after == "refuted")
    earlier, later = ({check.id: check for check in report.checks} for report in (old, new))
    for id in {**earlier, **later}:
        yield from _of_check(id, earlier.get(id), later.get(id))


def _of_check(id: str, old: CheckResult | None, new: CheckResult | None) -> Iterator[Change]:
    before, after = _state(old), _state(new)
    if before != after:
        refuted = new is not None and new.verdict is CheckVerdict.REFUTED
        yield Change(id, before, after, refuted and (old is None or old.verdict is not CheckVerdict.REFUTED))
    elif old is not None and new is not None and old.sizes and new.sizes:
        sizes = old.sizes[0].value, new.sizes[0].value
        if max(sizes) > FACTOR * min(sizes):
            yield Change(f"{id}: smallest detectable fault", old.detectable or "", new.detectable or "")


def _state(check: CheckResult | None) -> str:
    if check is None:
        return ABSENT
    fault = check.finding.fault.id if check.finding is not None and check.finding.fault is not None else ""
    return f"refuted ({fault})" if check.verdict is CheckVerdict.REFUTED and fault else check.verdict.value
