"""An audit as JUnit XML: one suite for the subject, one test case a check."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from nrverify.auditing.core.report import Report
from nrverify.auditing.core.results import CheckResult
from nrverify.report.audit.finding_text import subject_of
from nrverify.report.audit.test_outcomes import Judged, TestOutcome, count, judged

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped."""

TAGS = {TestOutcome.FAILED: "failure", TestOutcome.ERRORED: "error", TestOutcome.SKIPPED: "skipped"}


def junit(report: Report) -> str:
    """The document."""
    cases = [(check.id, judged(check, report), check) for check in report.checks]
    rows: list[tuple[str, Judged, CheckResult | None]] = [*cases]
    if report.verdict == "errored":
        rows.append(("subject", Judged(TestOutcome.ERRORED, report.message or "the subject could not be run"), None))
    elif report.verdict == "inconclusive" and not any(item.outcome is TestOutcome.FAILED for _, item, _ in cases):
        rows.append(("run", Judged(TestOutcome.FAILED, report.message or "inconclusive"), None))
    outcomes = [item for _, item, _ in rows]
    totals = _totals(outcomes, report)
    root = ElementTree.Element("testsuites", {"name": "nrverify", **totals})
    suite = ElementTree.SubElement(root, "testsuite", {"name": clean(subject_of(report)), **totals})
    suite.set("skipped", str(count(outcomes, TestOutcome.SKIPPED)))
    _add_properties(suite, report)
    classname = clean(f"nrverify.{report.subject['name'] or 'subject'}")
    for name, item, check in rows:
        case = ElementTree.SubElement(suite, "testcase", {"classname": classname, "name": name, "time": "0"})
        _add_outcome(case, item, check.verdict.value if check is not None else report.verdict)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def clean(text: str) -> str:
    """The text with what XML cannot hold written as #xHH."""
    return FORBIDDEN.sub(lambda found: f"#x{ord(found.group()):02X}", text)


def _totals(outcomes: list[Judged], report: Report) -> dict[str, str]:
    return {
        "tests": str(len(outcomes)),
        "failures": str(count(outcomes, TestOutcome.FAILED)),
        "errors": str(count(outcomes, TestOutcome.ERRORED)),
        "time": f"{report.run['seconds']:.3f}",
    }


def _add_properties(suite: ElementTree.Element, report: Report) -> None:
    properties = ElementTree.SubElement(suite, "properties")
    shown = {"verdict": report.verdict, "law": report.law, "privacy": report.privacy, **report.subject, **report.run}
    for name, value in shown.items():
        if isinstance(value, str | int | float):
            ElementTree.SubElement(properties, "property", {"name": name, "value": clean(str(value))})


def _add_outcome(case: ElementTree.Element, item: Judged, verdict: str) -> None:
    reason = clean(item.reason)
    if item.outcome is TestOutcome.PASSED:
        ElementTree.SubElement(case, "system-out").text = reason
        return
    first = reason.partition("\n")[0]
    element = ElementTree.SubElement(case, TAGS[item.outcome], {"message": first, "type": verdict})
    if item.outcome is not TestOutcome.SKIPPED:
        element.text = reason
