"""A report read back from its document."""

from __future__ import annotations

from typing import Any

from nrverify.auditing.audit import EXIT
from nrverify.auditing.core.results import FIELDS, CheckResult, CheckVerdict, Report

NUMBERS = ("statistic", "p_value", "e_value", "alpha")


def report_from(document: dict[str, Any]) -> Report:
    """The report whose `document()` this is."""
    return Report(
        document["verdict"],
        EXIT[document["verdict"]],
        document["subject"],
        document["run"],
        tuple(_check(row) for row in document["checks"]),
        document["message"],
    )


def _check(row: dict[str, Any]) -> CheckResult:
    fields = {key: row[key] for key in FIELDS}
    for key in NUMBERS:
        fields[key] = None if fields[key] is None else float(fields[key])
    return CheckResult(**{**fields, "verdict": CheckVerdict(row["verdict"]), "claims": tuple(row["claims"])})
