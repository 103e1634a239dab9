"""An audit on a terminal: the verdict, a table of checks, and every finding in full."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from nrverify.auditing.core.report import Report
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.report.audit.finding_text import SMALLEST, answers, calculated, drawn_words, follows, lines_of
from nrverify.report.audit.refutation import print_refutation, print_refutation_in_brief, shown_of
from nrverify.report.escape import plain
from nrverify.subjects.noise_families import FAMILIES

STYLE = {
    "consistent": "green",
    "refuted": "bold red",
    "inconclusive": "yellow",
    "errored": "bold red",
    "not-covered": "dim",
    "advice": "cyan",
}

STACKED, NARROW, WIDE = 60, 90, 120
"""Below the first width there is no table but a list; below the second the table leaves out samples and evidence; from
the third on it says at what value each check refutes."""

MEANING = {
    "consistent": "no check found a fault; each says how small a fault it would have found",
    "refuted": "the implementation is not what it claims to be",
    "inconclusive": "too few samples to exclude anything useful",
    "errored": "the subject could not be run",
}

NOT_COVERED = CheckVerdict.NOT_COVERED
REMARKS = (CheckVerdict.ADVICE, NOT_COVERED)
"""Verdicts that judge nothing."""


def print_audit(report: Report, console: Console, verbose: bool = False, table: bool = False) -> None:
    """A refuted audit in a dozen lines, any other (and with `table`) as a table of all checks.

    Verbose: with what every check expected and observed.
    """
    _print_head(report, console)
    if report.verdict == "refuted" and not (verbose or table):
        print_refutation(report, console)
        _say(console, "; ".join([_drawn(report), *_sure(report)]), "dim")
        return
    checks = shown_of(report.checks)
    if checks:
        console.print()
        if console.width < STACKED:
            _print_stacked(checks, console)
        else:
            console.print(_table(checks, console.width))
    if report.asked:
        _say(console, f"\nTested range: {plain('; '.join(report.asked))}.", "dim")
    _print_findings(report.checks, console, verbose)
    if verbose:
        for check in report.checks:
            if check.verdict is not CheckVerdict.NOT_COVERED:
                _print_details(check, console)
    _print_remarks(report, console)
    _print_run(report, console)


def print_problems(report: Report, console: Console) -> None:
    """What is wrong and nothing else: whose verdict it is, and the likely cause of every refutation."""
    _print_head(report, console, answered=False)
    print_refutation_in_brief(report, console)


def _print_findings(checks: Iterable[CheckResult], console: Console, verbose: bool) -> None:
    """Every refutation in full, but those with their cause in common with another (verbose: those too)."""
    refuted = [check for check in checks if check.verdict is CheckVerdict.REFUTED]
    following = [check for check in refuted if not verbose and follows(check)]
    for check in refuted:
        if check not in following:
            _print_finding(check, console)
    if following:
        _say(console, f"\n[{STYLE['refuted']}]refuted[/], probably for the same cause: {_names(following)}")


def knob_words(report: Report) -> list[str]:
    """What releases are asked for, where there is a choice."""
    subject = report.subject
    return [f"knob {subject['knob']}"] if subject["knob"] and subject["mechanism"] in FAMILIES else []


def _print_head(report: Report, console: Console, answered: bool = True) -> None:
    subject = report.subject
    name = " ".join(str(part) for part in (subject["name"], subject["version"]) if part)
    what = [str(subject["mechanism"] or "unknown"), *knob_words(report)]
    _say(console, f"[bold]{plain(name or subject['address'] or 'subject')}[/] ({plain(', '.join(what))})")
    _say(console, f"[{STYLE[report.verdict]}]{report.verdict}[/]: {_meaning(report)}")
    if report.checks and answered:
        _say(console, answers(report))
    if report.message:
        _say(console, plain(report.message))


def _meaning(report: Report) -> str:
    return "nothing could be asked of it" if _nothing_judged(report) else MEANING[report.verdict]


def _nothing_judged(report: Report) -> bool:
    """Whether every check is not covered, or only advice."""
    remarks = bool(report.checks) and all(check.verdict in REMARKS for check in report.checks)
    return report.verdict == "inconclusive" and remarks


def _table(checks: tuple[CheckResult, ...], width: int) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("check", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    if width >= NARROW:
        table.add_column("samples", justify="right", no_wrap=True)
        table.add_column("evidence", no_wrap=True)
    if width >= WIDE:
        table.add_column("refutes at", no_wrap=True)
    table.add_column("smallest detectable fault", overflow="fold")
    for check in checks:
        evidence, refutes_at = _evidence(check)
        cells = [check.id, f"[{STYLE[check.verdict]}]{check.verdict.value}[/]"]
        if width >= NARROW:
            cells += ["" if check.samples is None else str(check.samples), evidence]
        if width >= WIDE:
            cells.append(refutes_at)
        table.add_row(*cells, plain(check.detectable or ""))
    return table


def _print_stacked(checks: tuple[CheckResult, ...], console: Console) -> None:
    for check in checks:
        _say(console, f"{plain(check.id)} [{STYLE[check.verdict]}]{check.verdict.value}[/]")
        if check.detectable:
            _say(console, plain(check.detectable), indent=2)


def _evidence(check: CheckResult) -> tuple[str, str]:
    """The number a verdict rests on, and the one that would refute."""
    if check.verdict in REMARKS:
        return "", ""
    if check.e_value is not None:
        return f"e = {check.e_value:.2g}", f"e = {1 / check.alpha:.2g}" if check.alpha else ""
    if check.p_value is not None:
        seen = f"p = {check.p_value:.2g}" if check.p_value >= SMALLEST else f"p < {SMALLEST:g}"
        return seen, f"p = {check.alpha:.2g}" if check.alpha else ""
    return "", ""


def _print_finding(check: CheckResult, console: Console) -> None:
    _say(console, f"\n[{STYLE['refuted']}]refuted[/] [bold]{plain(check.id)}[/]")
    for part in lines_of(check):
        _say(console, plain(part), indent=2)
    if check.reproduce:
        console.print(f"  Reproduce: {plain(check.reproduce)}", highlight=False, soft_wrap=True)  # copied whole


def _print_details(check: CheckResult, console: Console) -> None:
    _say(console, f"\n[bold]{plain(check.id)}[/] [{STYLE[check.verdict]}]{check.verdict.value}[/]")
    evidence, refutes_at = _evidence(check)
    rows = {
        "claims": ", ".join(check.claims),
        "expected": check.expected,
        "observed": check.observed,
        "samples": "" if check.samples is None else str(check.samples),
        "evidence": f"{evidence}, refuted at {refutes_at}" if refutes_at else evidence,
        "smallest detectable fault": check.detectable,
    }
    for name, words in rows.items():
        if words:
            _say(console, f"{name}: {plain(words)}", indent=2)


def _print_remarks(report: Report, console: Console) -> None:
    """Advice and what is not covered, checks with the same reason together.

    Where nothing could be judged, the head has said why.
    """
    nothing_judged = _nothing_judged(report)
    together: dict[tuple[CheckVerdict, str], list[CheckResult]] = {}
    for check in shown_of(report.checks):
        if check.verdict in REMARKS and check.message and not (nothing_judged and check.verdict is NOT_COVERED):
            together.setdefault((check.verdict, check.message), []).append(check)
    for index, ((verdict, message), group) in enumerate(together.items()):
        gap = "\n" if index == 0 else ""
        _say(console, f"{gap}[{STYLE[verdict]}]{verdict.value}[/] {_names(group)}: {plain(message)}")


def _print_run(report: Report, console: Console) -> None:
    run = report.run
    if calculated(report):
        early = "; stopped because its time was used" if run["stopped"] == "time" else ""
        _say(console, f"\nevaluated analytically in {run['seconds']:.1f} s (no sampling){early}")
        return
    parts = [
        _drawn(report),
        f"stopped: {plain(str(run['stopped']))}{_pace(run)}",
        f"seed {run['seed']}",
        *_sure(report),
    ]
    _say(console, f"\n{'; '.join(parts)}")


def _drawn(report: Report) -> str:
    words = drawn_words(report)
    if after := report.run.get("after_refutation"):
        words += f" ({after:,} of them after the refutation, to see what it means)"
    return f"{words} in {report.run['seconds']:.1f} s"


def _sure(report: Report) -> list[str]:
    return (
        [] if report.verdict == "errored" else [f"false alarm probability of the run at most {report.run['alpha']:g}"]
    )


def _pace(run: Mapping[str, Any]) -> str:
    """Where the time was up: how fast sessions were drawn, and what more time would buy."""
    if run["stopped"] != "time" or not run["samples"] or not run["seconds"]:
        return ""
    pace = run["samples"] / run["seconds"]
    return f" ({pace:.3g} a second; four times the --budget would halve the faults that it can find)"


def _names(checks: Iterable[CheckResult]) -> str:
    return plain(", ".join(check.id for check in checks))


def _say(console: Console, words: str, style: str = "", indent: int = 0) -> None:
    """A paragraph, folded at the width of the terminal."""
    console.print(Padding(words, (0, 0, 0, indent), expand=False) if indent else words, style=style, highlight=False)
