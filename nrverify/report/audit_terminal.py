"""An audit on a terminal: the verdict, a table of checks, and every finding in full."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from nrverify.auditing.results import CheckResult, CheckVerdict, Report

STYLE = {
    "consistent": "green",
    "refuted": "bold red",
    "inconclusive": "yellow",
    "errored": "bold red",
    "not-covered": "dim",
    "advice": "cyan",
}

NARROW = 90
"""Below so many columns a table leaves out samples and evidence, which the report as data has."""

MEANING = {
    "consistent": "nothing is refuted; what would have been caught is in the last column",
    "refuted": "the implementation is not what it claims to be",
    "inconclusive": "too few samples to exclude anything useful",
    "errored": "the subject could not be run",
}


def print_audit(report: Report, console: Console) -> None:
    """The whole report."""
    subject, run = report.subject, report.run
    name = " ".join(str(part) for part in (subject["name"], subject["version"]) if part)
    what = ", ".join(
        str(part) for part in (subject["mechanism"], subject["knob"] and f"knob {subject['knob']}") if part
    )
    console.print(
        f"[bold]{escape(name or subject['address'] or 'subject')}[/] ({escape(what or 'unknown')})", highlight=False
    )
    style = STYLE[report.verdict]
    console.print(f"[{style}]{report.verdict}[/]: {MEANING[report.verdict]}", highlight=False)
    if report.message:
        console.print(escape(report.message), highlight=False)
    if report.checks:
        console.print()
        console.print(_table(report.checks, narrow=console.width < NARROW))
    for check in report.checks:
        if check.verdict is CheckVerdict.REFUTED:
            _print_finding(check, console)
    for check in report.checks:
        if check.verdict in (CheckVerdict.ADVICE, CheckVerdict.NOT_COVERED) and check.message:
            console.print(
                f"\n[{STYLE[check.verdict]}]{check.verdict.value}[/] {check.id}: {escape(check.message)}",
                highlight=False,
            )
    console.print(
        f"\n{run['samples']} sessions or runs in {run['seconds']:.1f} s, stopped: {run['stopped']}; "
        f"seed {run['seed']}, false alarm with probability at most {run['alpha']:g} for the whole run",
        highlight=False,
    )


def _table(checks: tuple[CheckResult, ...], narrow: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("check", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    if not narrow:
        table.add_column("samples", justify="right", no_wrap=True)
        table.add_column("evidence", no_wrap=True)
    table.add_column("would have caught", ratio=1)
    for check in checks:
        samples = "" if check.samples is None else str(check.samples)
        table.add_row(
            check.id,
            f"[{STYLE[check.verdict]}]{check.verdict.value}[/]",
            *(() if narrow else (samples, _evidence(check))),
            escape(check.detectable or ""),
        )
    return table


def _evidence(check: CheckResult) -> str:
    if check.e_value is not None:
        return f"e = {check.e_value:.2g}"
    if check.p_value is not None:
        return f"p = {check.p_value:.2g}"
    return ""


def _print_finding(check: CheckResult, console: Console) -> None:
    console.print(f"\n[{STYLE['refuted']}]refuted[/] [bold]{check.id}[/]", highlight=False)
    console.print(Padding(escape(check.message or ""), (0, 0, 0, 2)), highlight=False)
    if check.reproduce:
        console.print(Padding(f"Reproduce: {escape(check.reproduce)}", (0, 0, 0, 2)), highlight=False)
