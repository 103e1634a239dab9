"""A plan on a terminal: what each check would be able to catch."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from nrverify.auditing.plan import Plan


def print_plan(plan: Plan, console: Console) -> None:
    """The plan in full."""
    subject = plan.subject
    name = " ".join(str(part) for part in (subject["name"], subject["version"]) if part)
    console.print(f"[bold]{escape(name)}[/] ({escape(str(subject['mechanism']))})", highlight=False)
    if exact := subject["mechanism"] == "boundary":
        words = "A boundary is judged by calculation: nothing is sampled, whatever the budget."
    else:
        words = (
            f"What {plan.samples} samples can detect, with a false alarm with probability at most {plan.alpha:g} for "
            "the whole run. Nothing was sampled."
        )
    console.print(words, highlight=False)
    console.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("check", no_wrap=True)
    table.add_column("samples", justify="right", no_wrap=True)
    table.add_column("would catch", ratio=1)
    for check in plan.checks:
        samples = "" if check.samples is None else str(check.samples)
        words = escape(check.detectable or "") + ("" if check.enough else " [yellow](too few to judge by)[/]")
        table.add_row(check.id, samples, words)
    console.print(table)
    for result in plan.not_covered:
        console.print(f"\n[dim]not-covered[/] {result.id}: {escape(result.message or '')}", highlight=False)
    if not exact:
        console.print(
            "\nA fault of the size given is caught with probability about a half, one a third larger almost surely. "
            "A slow subject may meet --budget first.",
            highlight=False,
        )
