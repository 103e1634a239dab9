"""An audit as SARIF 2.1.0: each refutation, and each piece of advice, a result at the subject's file and line.

A run that could not be made or said nothing is a result too: a log without results would close open alerts.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from nrverify.auditing.core.report import Report
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.explain.catalogue import Entry, catalogue
from nrverify.report.audit.finding_text import finding, subject_of
from nrverify.report.audit.source_location import Location, location_of

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
PAPER = "https://arxiv.org/abs/2206.07234"
LEVELS = {CheckVerdict.REFUTED: "error", CheckVerdict.ADVICE: "note"}
RUN_RULES = {
    "errored": ("audit.errored", "error", "The subject can be run."),
    "inconclusive": ("audit.inconclusive", "warning", "The audit draws enough samples to exclude something useful."),
}
"""Rules of the run itself: id, level and statement by the run's verdict."""


def sarif(report: Report, location: Location | None = None) -> str:
    """The log."""
    return json.dumps(sarif_log(report, location), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def sarif_log(report: Report, location: Location | None = None) -> dict[str, Any]:
    """The log as data; without a location the subject's address gives it."""
    place = location or location_of(report.subject["address"])
    checks = catalogue()
    rules = [_rule(check, checks.get(check.id)) for check in report.checks]
    found = [(check.id, LEVELS[check.verdict], _text(check)) for check in report.checks if _shown(check)]
    if report.verdict in RUN_RULES:
        id, level, statement = RUN_RULES[report.verdict]
        rules.append(_descriptor(id, level, statement, statement))
        found.append((id, level, report.message or statement))
    order = {rule["id"]: index for index, rule in enumerate(rules)}
    results = [_result(id, order[id], level, text, report, place) for id, level, text in found]
    version = report.run["versions"]["nrverify"]
    driver = {"name": "nrverify", "version": version, "informationUri": PAPER, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"nrverify/{_identity(report)}/"},
        "invocations": [_invocation(report)],
        "columnKind": "utf16CodeUnits",
        "results": results,
        "properties": {"subject": report.subject, "run": report.document()["run"], "verdict": report.verdict},
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _shown(check: CheckResult) -> bool:
    return check.verdict is CheckVerdict.REFUTED or (check.verdict is CheckVerdict.ADVICE and bool(check.message))


def _text(check: CheckResult) -> str:
    return finding(check) if check.verdict is CheckVerdict.REFUTED else check.message or ""


def _rule(check: CheckResult, entry: Entry | None) -> dict[str, Any]:
    level = "error" if entry is not None else "note"
    if entry is None:
        statement = f"{check.id}: advice on the subject, which never changes the verdict."
        return _descriptor(check.id, level, statement, statement)
    return _descriptor(check.id, level, entry.claim, "\n\n".join(entry.docs))


def _descriptor(id: str, level: str, statement: str, explanation: str) -> dict[str, Any]:
    return {
        "id": id,
        "shortDescription": {"text": statement},
        "fullDescription": {"text": explanation.partition("\n\n")[0]},
        "help": {"text": f"{explanation}\n\nMore: nrverify explain {id}"},
        "defaultConfiguration": {"level": level},
        "properties": {"tags": ["security", "privacy", "differential-privacy"], "precision": "very-high"},
    }


def _result(id: str, index: int, level: str, text: str, report: Report, place: Location) -> dict[str, Any]:
    # "](" would make a link of words that may come from the subject.
    words = f"{subject_of(report)}: {text}".replace("](", "] (")
    artifact = {"uri": place.uri} if place.path.startswith("/") else {"uri": place.uri, "uriBaseId": "%SRCROOT%"}
    return {
        "ruleId": id,
        "ruleIndex": index,
        "level": level,
        "message": {"text": words},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": place.line}}}],
        "partialFingerprints": {"nrverifyCheck/v1": _fingerprint(id, report)},
    }


def _identity(report: Report) -> str:
    """What stays the same from run to run: the subject's address, or its name."""
    return str(report.subject["address"] or report.subject["name"] or "subject")


def _fingerprint(id: str, report: Report) -> str:
    """Of the subject and the check alone, so that a finding stays one alert when lines, seeds or numbers change."""
    return hashlib.sha256(f"{_identity(report)}\n{id}".encode("utf-8", "backslashreplace")).hexdigest()


def _invocation(report: Report) -> dict[str, Any]:
    ran = report.verdict != "errored"
    invocation: dict[str, Any] = {
        "executionSuccessful": ran,
        "exitCode": report.exit_code,
        "exitCodeDescription": report.verdict,
    }
    if report.message:
        level = "warning" if ran else "error"
        invocation["toolExecutionNotifications"] = [{"level": level, "message": {"text": report.message}}]
    return invocation
