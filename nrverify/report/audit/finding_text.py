"""A finding in words, the same in every reporter: claim, expected, observed, evidence, cause, effect, reproduction."""

from __future__ import annotations

from nrverify.auditing.core.report import Report
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.subjects.description import ANY, THRESHOLD
from nrverify.subjects.guarantees import guarantee_words

SMALLEST = 1e-300
"""A p-value below is said to be below it: 0 would say more than arithmetic can."""
RUNS = (*THRESHOLD, "private-stopping", *ANY)
"""Mechanisms that are run; of the others sessions are opened."""


def finding(check: CheckResult, reproduce: str | None = None) -> str:
    """A refuted check in full; `reproduce` replaces the command where the reader has a better one."""
    command = reproduce or check.reproduce
    lines = lines_of(check)
    return "\n".join([*lines, f"Reproduce: {command}"] if command else lines)


def lines_of(check: CheckResult) -> tuple[str, ...]:
    """The parts of a refutation, a line each."""
    return check.explanation.lines if check.explanation is not None else (check.message or "(no details)",)


def pointers(check: CheckResult) -> tuple[str, ...]:
    """Where to look in the code, and one session that shows it, of a refutation that has a cause of its own."""
    finding = check.finding
    if finding is None or follows(check):
        return ()
    look = f"Look at: {finding.fault.look}." if finding.fault is not None and finding.fault.look else ""
    session = f"One session: {finding.texts['session']}." if "session" in finding.texts else ""
    return tuple(part for part in (look, session) if part)


def follows(check: CheckResult) -> bool:
    """Whether its cause is that of another refuted check."""
    return check.explanation is not None and check.explanation.follows is not None


def cause_of(check: CheckResult) -> str:
    """The likely cause in a few words, or the check whose cause it shares."""
    if check.explanation is None:
        return ""
    if check.explanation.follows is not None:
        return f"as {check.explanation.follows}"
    return check.explanation.cause.removeprefix("Likely cause: ").rstrip(".")


def answers(report: Report) -> str:
    """Both answers of an audit, is the noise what it is said to be and is the privacy claim kept; and which claim."""
    both = f"law: {report.law} · privacy claim: {report.privacy}"
    judged = guarantee_words(report.subject.get("mechanism"), report.subject.get("guarantee"))
    return both if judged is None or report.privacy == "not-covered" else f"{both} (judged: {judged})"


def evidence_of(check: CheckResult) -> str:
    """What the verdict rests on: wealth, p-value, samples."""
    parts = []
    if check.verdict in (CheckVerdict.NOT_COVERED, CheckVerdict.ADVICE):
        return ""
    if check.e_value is not None:
        parts.append(f"e-value {check.e_value:.3g}")
    if check.p_value is not None:
        parts.append(f"p-value {check.p_value:.3g}" if check.p_value >= SMALLEST else f"p-value < {SMALLEST:g}")
    if check.samples is not None:
        parts.append(f"{check.samples} samples")
    return ", ".join(parts)


def drawn_words(report: Report) -> str:
    """How much was drawn, in the word for what this mechanism is asked for."""
    count = report.run["samples"]
    unit = "run" if report.subject["mechanism"] in RUNS else "session"
    return f"{count:,} {unit}{'' if count == 1 else 's'}"


def calculated(report: Report) -> bool:
    """Whether the verdict rests on no samples: a boundary is judged by calculation."""
    return report.subject["mechanism"] == "boundary" and report.verdict != "errored"


def subject_of(report: Report) -> str:
    """The subject in a few words: name, version, mechanism."""
    subject = report.subject
    name = " ".join(str(part) for part in (subject["name"], subject["version"]) if part)
    name = name or subject["address"] or "subject"
    return f"{name} ({subject['mechanism']})" if subject["mechanism"] else name
