"""One check of an audit on a terminal: what it asks, what it catches, what it misses."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from nrverify.auditing.catalogue import Entry


def print_check(entry: Entry, console: Console) -> None:
    """The check in full."""
    console.print(f"[bold]{entry.id}[/] {escape(entry.claim)}", highlight=False)
    if entry.claims:
        console.print(f"bears on {', '.join(entry.claims)} of the ledger", style="dim", highlight=False)
    for doc in entry.docs:
        for paragraph in doc.split("\n\n"):
            console.print()
            console.print(escape(" ".join(paragraph.split())), highlight=False)
