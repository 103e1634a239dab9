"""The reproduction on a terminal: the data, the findings and where the figures are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nrverify.reproduce.result import Reproduction

if TYPE_CHECKING:
    from rich.console import Console

RESTING = {"stand-in": " (stand-in)", "synthetic": " (synthetic data)"}
COLOURS = {"reproduced": "green", "not reproduced": "red", "undecided": "yellow"}


def print_reproduction(reproduction: Reproduction, console: Console) -> None:
    """What was run on what, and each finding with its estimate, interval and verdict."""
    from rich.markup import escape
    from rich.table import Table

    for source in reproduction.sources:
        mark = "" if source.kind == "original" else "bold "
        console.print(f"[{mark}cyan]{source.task}[/]: {escape(source.label)}")
    if not reproduction.findings:
        return
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    for name in ("", "task", "measured", "estimate", "95 % interval", "verdict"):
        table.add_column(name, justify="right" if name == "estimate" else "left", overflow="fold")
    for finding in reproduction.findings:
        table.add_row(
            finding.id,
            finding.task,
            escape(finding.measure),
            f"{finding.estimate:.4g}",
            escape(f"[{finding.low:.4g}, {finding.high:.4g}]"),
            f"[{COLOURS[finding.verdict]}]{finding.verdict}[/]{RESTING.get(finding.data, '')}",
        )
    console.print(table)


def what_was_written(reproduction: Reproduction, folder: str, report: str) -> str:
    """Where the figures and the report went, and on what data they rest where that is not the paper's."""
    count = len(reproduction.figures)
    place = "the report to standard output" if report == "-" else f"the report to {report}"
    resting = [f"{source.task}: {source.label}" for source in reproduction.sources if source.kind != "original"]
    on = f". Not on the paper's data: {'; '.join(resting)}." if resting else "."
    return f"Wrote {count} figure{'s' if count != 1 else ''} to {folder} and {place}{on}"
