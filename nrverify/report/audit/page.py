"""An audit as a page: the verdict and what it excludes, then for every check a plot of why."""

from __future__ import annotations

import math
from dataclasses import dataclass

from markupsafe import Markup

from nrverify.auditing.core.report import Report
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.explain.catalogue import Entry, catalogue
from nrverify.report.audit.finding_text import SMALLEST, answers, calculated, follows, lines_of, pointers
from nrverify.report.audit.refutation import shown_of
from nrverify.report.audit.terminal import MEANING, knob_words
from nrverify.report.page.charts.axes import number
from nrverify.report.page.charts.draw import Chart, chart
from nrverify.report.page.charts.shares import strip
from nrverify.report.page.environment import render
from nrverify.report.page.inline_math import set_prose

TONE = {
    "consistent": "good",
    "refuted": "bad",
    "inconclusive": "warn",
    "errored": "bad",
    "not-covered": "mute",
    "advice": "gap",
}

WORST_FIRST = (
    CheckVerdict.REFUTED,
    CheckVerdict.ERRORED,
    CheckVerdict.INCONCLUSIVE,
    CheckVerdict.CONSISTENT,
    CheckVerdict.ADVICE,
    CheckVerdict.NOT_COVERED,
)
"""What must be acted upon comes first."""

STOPPED = {
    "refuted": "stopped at the look that refuted",
    "samples": "used all samples",
    "time": "used its time",
    "errored": "stopped by an error",
}


@dataclass(frozen=True)
class CheckView:
    """A check as the page shows it."""

    id: str
    claim: Markup
    verdict: str
    tone: str
    open: bool
    evidence: Markup
    facts: tuple[tuple[str, Markup], ...]
    finding: tuple[Markup, ...]
    follows: bool
    """Whether its cause is that of another finding."""
    message: Markup
    reproduce: str
    charts: tuple[Chart, ...]
    docs: tuple[Markup, ...]
    claims: tuple[str, ...]


def audit_html(report: Report) -> str:
    """The whole page."""
    entries = catalogue()
    shown = shown_of(report.checks)
    ordered = sorted(shown, key=lambda check: WORST_FIRST.index(check.verdict))
    checks = [_check(check, report, entries.get(check.id)) for check in ordered]
    counts = [(verdict.value, sum(c.verdict is verdict for c in shown)) for verdict in WORST_FIRST]
    subject, run = report.subject, report.run
    return render(
        "audit.html",
        name=subject["name"] or subject["address"] or "subject",
        subject_words=", ".join(_subject_words(report)),
        address=subject["address"] or "",
        verdict=report.verdict,
        tone=TONE[report.verdict],
        meaning=MEANING[report.verdict],
        answers=answers(report) if report.checks else "",
        message=report.message or "",
        refuted=[view for view in checks if view.verdict == "refuted" and not view.follows],
        following=[view for view in checks if view.follows],
        refuted_count=sum(view.verdict == "refuted" for view in checks),
        excluded=[
            (check.id, _prose(check.detectable)) for check in report.checks if _excludes(check) and check.detectable
        ],
        asked=_prose("; ".join(report.asked)),
        checks=checks,
        legend=[(name, count, TONE[name]) for name, count in counts if count],
        bar=strip([(name, count, TONE[name]) for name, count in counts if count], "Checks by verdict"),
        run_facts=_run_facts(report),
        alpha=_prose(number(float(run["alpha"]))),
        versions=", ".join(f"{name} {version}" for name, version in run["versions"].items()),
    )


def _excludes(check: CheckResult) -> bool:
    return check.verdict is CheckVerdict.CONSISTENT


def _subject_words(report: Report) -> list[str]:
    subject = report.subject
    words = [str(subject["version"])] if subject["version"] else []
    if subject["mechanism"]:
        words.append(str(subject["mechanism"]))
    return words + knob_words(report)


def _run_facts(report: Report) -> list[tuple[str, Markup]]:
    run = report.run
    rows = [
        ("Samples", f"{int(run['samples']):,}"),
        ("Error of the whole run", f"at most {number(float(run['alpha']))}"),
        ("Sampling", STOPPED.get(str(run["stopped"]), str(run["stopped"]))),
        ("Seed", str(run["seed"])),
    ]
    if calculated(report):
        rows = [("Samples", "none: it is evaluated analytically")]
    took = ("Time", Markup(f"{float(run['seconds']):.1f} s"))
    return [*((name, _prose(words)) for name, words in rows), took]


def _check(check: CheckResult, report: Report, entry: Entry | None) -> CheckView:
    refuted = check.verdict is CheckVerdict.REFUTED
    finding = tuple(_prose(part) for part in (*lines_of(check), *pointers(check))) if refuted else ()
    return CheckView(
        id=check.id,
        claim=_prose(entry.claim if entry else ""),
        verdict=check.verdict.value,
        tone=TONE[check.verdict.value],
        open=(refuted and not follows(check)) or (check.verdict is CheckVerdict.ADVICE and check.kind == "numerics"),
        evidence=_prose(_evidence(check) or ("" if refuted else check.message or "")),
        facts=_facts(check),
        finding=finding,
        follows=follows(check),
        message=Markup() if refuted else _prose(check.message or ""),
        reproduce=check.reproduce or "",
        charts=_charts(check, report),
        docs=tuple(_prose(doc) for doc in _docs(check, entry)),
        claims=check.claims,
    )


def _docs(check: CheckResult, entry: Entry | None) -> tuple[str, ...]:
    """What the check asks, in the form that this subject met."""
    if entry is None:
        return ()
    return (entry.forms[check.claims],) if check.claims in entry.forms else entry.docs


def _charts(check: CheckResult, report: Report) -> tuple[Chart, ...]:
    """Those in which something lies beyond the limits first."""
    return tuple(sorted((chart(plot) for plot in report.plots.get(check.id, ())), key=lambda item: not item.beyond))


def _facts(check: CheckResult) -> tuple[tuple[str, Markup], ...]:
    rows = [
        ("Expected", check.expected),
        ("Observed", check.observed),
        ("Smallest detectable fault", check.detectable),
        ("Samples", None if check.samples is None else f"{check.samples:,}"),
        ("Evidence", _evidence(check) or None),
    ]
    return tuple((name, _prose(words)) for name, words in rows if words)


def _evidence(check: CheckResult) -> str:
    """The number the verdict rests on beside the one that would refute."""
    if check.e_value is not None and check.alpha:
        value = "more than 10³⁰⁰" if check.e_value > 1e300 else number(_rounded(check.e_value))
        return f"e-value {value}, {number(_rounded(1 / check.alpha))} refutes"
    if check.p_value is not None and check.alpha:
        value = number(_rounded(check.p_value)) if check.p_value >= SMALLEST else "less than 10⁻³⁰⁰"
        return f"p-value {value}, {number(_rounded(check.alpha))} refutes"
    return ""


def _rounded(value: float) -> float:
    return float(f"{value:.2g}") if math.isfinite(value) else value


def _prose(words: str) -> Markup:
    return Markup(set_prose(words))
