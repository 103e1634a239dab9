"""An audit as SARIF 2.1.0: each refutation, under the rule of its fault, and each piece of advice, a result.

A run that could not be made or said nothing is a result too: a log without results would close open alerts.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from nrverify.auditing.core.faults import fault_of
from nrverify.auditing.core.faults.forms import general_id
from nrverify.auditing.core.faults.noise import UNKNOWN
from nrverify.auditing.core.report import Report
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.report.audit.finding_text import finding, subject_of
from nrverify.report.audit.source_location import Location, location_of

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
PAPER = "https://arxiv.org/abs/2206.07234"
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
    found = [_of_check(check) for check in report.checks if _shown(check)]
    if report.verdict in RUN_RULES:
        id, level, statement = RUN_RULES[report.verdict]
        found.append(_Found(_descriptor(id, level, statement, statement), id, level, report.message or statement))
    rules = list({one.rule["id"]: one.rule for one in found}.values())
    order = {rule["id"]: index for index, rule in enumerate(rules)}
    results = [_result(one, order[one.rule["id"]], report, place) for one in found]
    version = report.run["versions"]["nrverify"]
    driver = {"name": "nrverify", "version": version, "informationUri": PAPER, "rules": rules}
    answers = {"verdict": report.verdict, "law": report.law, "privacy": report.privacy}
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"nrverify/{_identity(report)}/"},
        "invocations": [_invocation(report)],
        "columnKind": "utf16CodeUnits",
        "results": results,
        "properties": {"subject": report.subject, "run": report.document()["run"], **answers},
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


@dataclass(frozen=True)
class _Found:
    """A result with its rule: the fault of a refuted check, or the remark itself."""

    rule: dict[str, Any]
    check: str
    level: str
    text: str


def _shown(check: CheckResult) -> bool:
    return check.verdict is CheckVerdict.REFUTED or (check.verdict is CheckVerdict.ADVICE and bool(check.message))


def _of_check(check: CheckResult) -> _Found:
    if check.verdict is not CheckVerdict.REFUTED:
        statement = f"{check.id}: advice on the subject, which never changes the verdict."
        return _Found(_descriptor(check.id, "note", statement, statement), check.id, "note", check.message or "")
    named = check.finding.fault if check.finding is not None and check.finding.fault is not None else UNKNOWN
    fault = fault_of(general_id(named))
    explanation = f"{_sentence(fault.cause)} {_sentence(fault.consequence)}"
    if fault.look:
        explanation += f" Where to look: {fault.look}."
    return _Found(
        _descriptor(fault.id, "error", _sentence(fault.cause), explanation), check.id, "error", finding(check)
    )


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _descriptor(id: str, level: str, statement: str, explanation: str) -> dict[str, Any]:
    return {
        "id": id,
        "shortDescription": {"text": statement},
        "fullDescription": {"text": explanation.partition("\n\n")[0]},
        "help": {"text": explanation},
        "defaultConfiguration": {"level": level},
        "properties": {"tags": ["security", "privacy", "differential-privacy"], "precision": "very-high"},
    }


def _result(found: _Found, index: int, report: Report, place: Location) -> dict[str, Any]:
    # "](" would make a link of words that may come from the subject.
    words = f"{subject_of(report)}: {found.text}".replace("](", "] (")
    artifact = {"uri": place.uri} if place.path.startswith("/") else {"uri": place.uri, "uriBaseId": "%SRCROOT%"}
    return {
        "ruleId": found.rule["id"],
        "ruleIndex": index,
        "level": found.level,
        "message": {"text": words},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": place.line}}}],
        "partialFingerprints": {"nrverifyCheck/v1": _fingerprint(found.check, report)},
        "properties": {"check": found.check},
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
