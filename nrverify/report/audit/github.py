"""An audit in a GitHub workflow: annotations at the subject's line, and a step summary in Markdown."""

from __future__ import annotations

import html

from nrverify.auditing.core.report import Report
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.report.audit.finding_text import calculated, drawn_words, evidence_of, finding, subject_of
from nrverify.report.audit.source_location import Location, location_of

RUN_LEVELS = {"errored": "error", "inconclusive": "warning"}
SIGNS = {"consistent": "✅", "refuted": "❌", "inconclusive": "⚠️", "errored": "❌", "not-covered": "➖", "advice": "💡"}


def workflow_commands(report: Report, location: Location | None = None) -> str:
    """One workflow command a line for each refutation, each piece of advice, and a run that says nothing."""
    place = location or location_of(report.subject["address"])
    lines = []
    if report.verdict in RUN_LEVELS:
        level = RUN_LEVELS[report.verdict]
        lines.append(_command(level, place, f"nrverify: {report.verdict}", report.message or report.verdict))
    for check in report.checks:
        if check.verdict is CheckVerdict.REFUTED:
            lines.append(_command("error", place, f"nrverify: {check.id} refuted", finding(check)))
        elif check.verdict is CheckVerdict.ADVICE and check.message:
            lines.append(_command("notice", place, f"nrverify: {check.id}", check.message))
    return "".join(f"{line}\n" for line in lines)


def step_summary(report: Report) -> str:
    """The step summary: verdict, a table of the checks, and each refutation in full."""
    run = report.run
    drawn = f"{drawn_words(report)}, stopped: {run['stopped']}"
    sure = f"seed {run['seed']}, false alarm with probability at most {run['alpha']:g} for the whole run"
    lines = [
        f"### nrverify: {_text(subject_of(report))}: {SIGNS[report.verdict]} {report.verdict}",
        "",
        "Evaluated analytically (no sampling)." if calculated(report) else f"{drawn}; {sure}.",
        "",
    ]
    if report.message:
        lines += [_text(report.message), ""]
    if report.checks:
        lines += ["| check | verdict | evidence | smallest detectable fault, or why not covered |", "|---|---|---|---|"]
        lines += [_row(check) for check in report.checks]
        lines.append("")
    for check in report.checks:
        if check.verdict is CheckVerdict.REFUTED:
            body = "<br>\n".join(_text(line) for line in finding(check).split("\n"))
            lines += [f"**{check.id}**", "", body, ""]
    return "\n".join(lines) + "\n"


def _row(check: CheckResult) -> str:
    words = check.detectable if check.verdict is CheckVerdict.CONSISTENT else check.message
    if check.verdict is CheckVerdict.REFUTED:
        words = f"observed {check.observed}"
    verdict = f"{SIGNS[check.verdict]} {check.verdict.value}"
    return f"| `{check.id}` | {verdict} | {evidence_of(check)} | {_text(words or '')} |"


def _command(level: str, place: Location, title: str, message: str) -> str:
    properties = f"file={_property(place.path)},line={place.line},title={_property(title)}"
    return f"::{level} {properties}::{_message(message)}"


def _message(text: str) -> str:
    """Escaped as the runner unescapes it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def _text(text: str) -> str:
    """Words that may come from a subject, on one line and without markup."""
    plain = html.escape(" ".join(text.split()), quote=False)
    return "".join(f"\\{char}" if char in "\\`*_[]|#~@" else char for char in plain)
