"""A plan on a terminal: what each check would be able to catch."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from nrverify.auditing.plan.plan import AuditPlan, Planned

STACKED = 60
"""Below so many columns there is no table but a list."""


def print_plan(plan: AuditPlan, console: Console) -> None:
    """The plan in full."""
    subject = plan.subject
    name = " ".join(str(part) for part in (subject["name"], subject["version"]) if part)
    console.print(f"[bold]{escape(name)}[/] ({escape(str(subject['mechanism']))})", highlight=False)
    if exact := subject["mechanism"] == "boundary":
        words = "A boundary is evaluated analytically: nothing is sampled, whatever the budget."
    else:
        words = (
            f"What {plan.samples} samples can detect, with a false alarm with probability at most {plan.alpha:g} for "
            "the whole run. Nothing was sampled."
        )
    console.print(words, highlight=False)
    console.print()
    if console.width < STACKED:
        for check in plan.checks:
            console.print(f"[bold]{check.id}[/] {_samples(check)}", highlight=False)
            console.print(Padding(_words(check), (0, 0, 0, 2), expand=False), highlight=False)
    else:
        console.print(_table(plan.checks))
    for result in plan.not_covered:
        console.print(f"\n[dim]not-covered[/] {result.id}: {escape(result.message or '')}", highlight=False)
    if not exact:
        console.print(
            "\nSizes are half-widths of confidence limits at one look; a bet valid at every look needs a larger fault. "
            "A slow subject may meet --budget first.",
            highlight=False,
        )


def _table(checks: Iterable[Planned]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("check", no_wrap=True)
    table.add_column("samples", justify="right", no_wrap=True)
    table.add_column("would catch", ratio=1)
    for check in checks:
        table.add_row(check.id, _samples(check), _words(check))
    return table


def _samples(check: Planned) -> str:
    return "" if check.samples is None else str(check.samples)


def _words(check: Planned) -> str:
    return escape(check.detectable or "") + ("" if check.enough else " [yellow](too few to judge by)[/]")
