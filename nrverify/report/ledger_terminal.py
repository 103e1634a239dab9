"""The ledger on a terminal: a table of claims, then what is wrong."""

from __future__ import annotations

from collections import Counter

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from nrverify.ledger.claims import Verdict
from nrverify.ledger.evidence import Kind
from nrverify.ledger.verdicts import Result, Settled
from nrverify.ledger.verification import Verification

STYLE = {
    Verdict.TRUE: "green",
    Verdict.TRUE_WITH_HYPOTHESIS: "green",
    Verdict.TRUE_PROOF_WRONG: "yellow",
    Verdict.FALSE: "red",
    Verdict.MISPRINT: "yellow",
    Verdict.GAP: "yellow",
    Verdict.NOT_CHECKABLE: "dim",
    Verdict.FAILED: "bold white on red",
}

WIDTHS = {"claim": 6, "verdict": 20, "evidence": 11, "rejects": 8}
"""Columns that never shrink; the words about a claim take what is left."""

LETTER = {kind: kind.value[0].upper() for kind in Kind}


def print_ledger(verification: Verification, console: Console, verbose: bool = False) -> None:
    """The table of claims (verbose: with what each piece of evidence found), the counts, every problem in full."""
    table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="bold")
    room = max(8, console.width - sum(WIDTHS.values()) - len(WIDTHS) - 1)
    for heading in ("claim", "verdict", "about", "evidence", "rejects"):
        width = WIDTHS.get(heading, room)
        table.add_column(heading, width=width, no_wrap=True, justify="right" if heading == "rejects" else "left")
    for item in verification.settled:
        table.add_row(
            item.claim.id,
            f"[{STYLE[item.verdict]}]{item.verdict.value}[/]",
            escape(_cut(item.claim.title, room)),
            _kinds(item.results),
            str(sum(len(result.rejects) for result in item.results)),
        )
    console.print(table)
    if verbose:
        for item in verification.settled:
            _print_evidence_lines(item, console)
    _print_counts(verification, console)
    for item in verification.settled:
        if item.verdict is Verdict.FAILED:
            console.print(f"[{STYLE[Verdict.FAILED]}]{item.claim.id} failed[/] {escape(item.problem)}")
    for problem in verification.problems:
        console.print(f"[{STYLE[Verdict.FAILED]}]problem[/] {escape(problem)}")


def _print_evidence_lines(item: Settled, console: Console) -> None:
    console.print(f"\n[bold]{item.claim.id}[/] [{STYLE[item.verdict]}]{item.verdict.value}[/]", highlight=False)
    for result in item.results:
        samples = "" if result.samples is None else f", {result.samples} samples"
        console.print(
            Padding(f"{result.kind.value} {escape(result.name)}: {result.outcome}{samples}", (0, 0, 0, 2)),
            highlight=False,
            style="bold red" if result.failed else "",
        )
        for variant in result.rejects:
            console.print(Padding(f"rejects {escape(variant)}", (0, 0, 0, 4)), style="dim", highlight=False)


def _print_counts(verification: Verification, console: Console) -> None:
    counts = Counter(item.verdict for item in verification.settled)
    console.print()
    console.print(
        ", ".join(f"[{STYLE[verdict]}]{counts[verdict]} {verdict.value}[/]" for verdict in Verdict if counts[verdict])
    )
    evidence = {result.name: result for item in verification.settled for result in item.results}
    rejected = sum(len(result.rejects) for result in evidence.values())
    console.print(f"{len(evidence)} pieces of evidence, {rejected} wrong variants rejected", highlight=False)
    if verification.partial:
        console.print("only some kinds of evidence ran: verdicts are those recorded, not contradicted by what ran")
    console.print(
        f"[bold]{verification.settled_count} of {len(verification.settled)} claims settled[/]", highlight=False
    )


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _kinds(results: tuple[Result, ...]) -> str:
    counts = Counter(result.kind for result in results)
    return " ".join(f"{counts[kind]}{LETTER[kind]}" for kind in Kind if counts[kind])


def print_claim(item: Settled, console: Console) -> None:
    """One claim in full: statement, verdict, correction, evidence and the steps of its derivations."""
    claim = item.claim
    console.print(f"[bold]{claim.id}[/] {escape(claim.title)}  [{STYLE[item.verdict]}]{item.verdict.value}[/]")
    console.print(escape(claim.where), style="dim")
    for heading, text in (("Statement", claim.statement), ("Why", claim.why), ("Correction", claim.correction)):
        if text.strip():
            console.print(f"\n[bold]{heading}.[/] {escape(text.strip())}", highlight=False)
    for latex in (claim.statement_latex, claim.correction_latex):
        if latex.strip():
            console.print(f"  {escape(latex.strip())}", style="dim", highlight=False)
    for result in item.results:
        _print_evidence(result, console)
    if item.problem:
        console.print(f"\n[{STYLE[Verdict.FAILED]}]failed[/] {escape(item.problem)}")


def _print_evidence(result: Result, console: Console) -> None:
    console.print(
        f"\n[bold]{escape(result.name)}[/] {result.kind.value}: {result.outcome}, {result.seconds:.2f} s",
        highlight=False,
    )
    if result.doc:
        console.print(escape(" ".join(result.doc.split())), highlight=False)
    for number, step in enumerate(result.steps, 1):
        console.print(f"  {number}. {escape(step.name)}: {escape(step.text)}", highlight=False)
        if step.latex:
            console.print(f"     {escape(step.latex)}", style="dim", highlight=False)
    for variant in result.rejects:
        console.print(f"  rejects: {escape(variant)}", style="green", highlight=False)
    if result.samples is not None and result.alpha is not None:
        console.print(f"  {result.samples} samples, false alarm with probability at most {result.alpha:.3g}")
