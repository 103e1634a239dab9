"""One check of an audit on a terminal: what it asks, what it catches, what it misses; or a remark of an audit."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from nrverify.auditing.core.faults import Fault
from nrverify.auditing.explain.catalogue import Entry
from nrverify.auditing.explain.experiments import experiment_of
from nrverify.auditing.explain.remarks import Remark


def print_check(entry: Entry, console: Console) -> None:
    """The check in full."""
    console.print(f"[bold]{entry.id}[/] {escape(entry.claim)}", highlight=False)
    if entry.claims:
        console.print(f"bears on {', '.join(entry.claims)} of the ledger", style="dim", highlight=False)
    for doc in entry.docs:
        for paragraph in doc.split("\n\n"):
            console.print()
            console.print(escape(" ".join(paragraph.split())), highlight=False)


def print_fault(fault: Fault, console: Console) -> None:
    """The fault in full."""
    console.print(f"[bold]{fault.id}[/]: a fault that audits name", highlight=False)
    rows = {"Likely cause": fault.cause, "If so": fault.consequence, "Where to look": fault.look}
    for name, words in rows.items():
        if words:
            console.print(f"\n[bold]{name}.[/] {escape(words[:1].upper() + words[1:])}.", highlight=False)
    experiment = experiment_of(fault)
    console.print(f"\n[bold]How it looks.[/] {escape(experiment.symptom.replace('`', ''))}", highlight=False)
    console.print("\n[bold]To confirm it[/], with subject and value = np.zeros(2):\n", highlight=False)
    for line in experiment.code.split("\n"):
        # Folded by the terminal and not here, so that it can be copied whole.
        console.print(f"    {escape(line)}", highlight=False, soft_wrap=True)
    if experiment.about:
        console.print(f"\n{escape(experiment.about.replace('`', ''))}", highlight=False)


def print_remark(id: str, remark: Remark, console: Console) -> None:
    """The remark in full."""
    console.print(f"[bold]{id}[/] {escape(remark.about)}", highlight=False)
    console.print("no check: it never changes a verdict", style="dim", highlight=False)
    console.print(f"\n{escape(remark.words)}", highlight=False)


def print_term(written: str, words: str, console: Console) -> None:
    """A term of the glossary."""
    console.print(f"[bold]{escape(written)}[/]: {escape(words)}", highlight=False)
