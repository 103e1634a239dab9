"""The ledger on a terminal: a table of claims, then what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from nrverify.ledger.claims import Ledger, Verdict
from nrverify.ledger.evidence import EvidenceKind
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

WIDTHS = {"claim": 5, "verdict": 20, "evidence": 11, "rejects": 7}
"""Columns that never shrink; the words about a claim take what is left."""

STACKED, NARROW = 60, 80
"""Below so many columns there is no table but a list; below so many the table leaves out the rejected variants."""

LETTER = {kind: kind.value[0].upper() for kind in EvidenceKind}
"""Kinds of evidence in a narrow column."""


def print_ledger(verification: Verification, console: Console, verbose: bool = False) -> None:
    """A table of claims for each ledger (verbose: with what each piece of evidence found), the counts of each, every
    problem in full."""
    if verification.settled and not any(item.ran for item in verification.settled):
        _print_kernel(verification, console)
        print_problems(verification, console)
        return
    shown = [ledger for ledger in Ledger if verification.of(ledger).settled] or [Ledger.PAPER]
    for ledger in shown:
        if ledger is not shown[0]:
            console.print()
        if ledger is Ledger.BEYOND:
            console.print("[bold]Beyond the paper[/]")
        _print_one(verification.of(ledger), console, verbose)
    console.print(_legend(verification), style="dim", highlight=False)
    _print_kernel(verification, console)
    print_problems(verification, console)


def _legend(verification: Verification) -> str:
    """What the letters say; the kernel's where it ran."""
    ran = any(result.ran and not result.counts for item in verification.settled for result in item.results)
    kinds = [kind for kind in EvidenceKind if kind is not EvidenceKind.KERNEL or ran]
    return "evidence: " + ", ".join(f"{LETTER[kind]} {kind.value}" for kind in kinds)


def _print_one(verification: Verification, console: Console, verbose: bool) -> None:
    if console.width < STACKED:
        _print_stacked(verification.settled, console)
    else:
        console.print(_table(verification.settled, console.width))
    if verbose:
        for item in verification.settled:
            _print_evidence_lines(item, console)
    _print_counts(verification, console)


def _table(settled: Iterable[Settled], width: int) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="bold")
    headings = ["claim", "verdict", "about", "evidence", "rejects"]
    if width < NARROW:
        headings.remove("rejects")
    fixed = [WIDTHS[heading] for heading in headings if heading in WIDTHS]
    room = width - sum(fixed) - 2 * len(fixed)
    for heading in headings:
        justify: Literal["left", "right"] = "right" if heading == "rejects" else "left"
        table.add_column(heading, width=WIDTHS.get(heading, room), no_wrap=True, justify=justify)
    for item in settled:
        cells = [
            item.claim.id,
            f"[{STYLE[item.verdict]}]{item.verdict.value}[/]",
            escape(cut(item.claim.title, room)),
            _kinds(item.results),
            str(sum(len(result.rejects) for result in item.results)),
        ]
        table.add_row(*cells[: len(headings)])
    return table


def _print_stacked(settled: Iterable[Settled], console: Console) -> None:
    for item in settled:
        words = f"{item.claim.id} [{STYLE[item.verdict]}]{item.verdict.value}[/]"
        console.print(f"{words} {escape(item.claim.title)}", highlight=False)


def _print_kernel(verification: Verification, console: Console) -> None:
    """What Coq checked and what that does not say; or, once, why it did not run."""
    if why := verification.kernel_not_run:
        words = f"NOT RUN: the kernel, on a core of {counted_claims(verification.for_a_kernel)}: {why}"
        console.print(escape(words), style="dim", highlight=False)
    if not (checked := verification.kernel_checked):
        return
    has = "has" if checked == 1 else "have"
    console.print(f"[bold]{counted_claims(checked)} {has} a kernel-checked core[/]", highlight=False)
    ran = {result.name: result for item in verification.settled for result in item.results if result.ran}
    for core in (result.core for result in ran.values() if result.core is not None and not result.failed):
        console.print(escape(f"  {core.file} does not say: {'; '.join(core.unsaid)}"), style="dim", highlight=False)


def print_problems(verification: Verification, console: Console) -> None:
    """What is wrong and nothing else: every claim that is not settled, and what went wrong outside any claim."""
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
        for words in result.core.unsaid if result.core is not None else ():
            console.print(Padding(f"does not say: {escape(words)}", (0, 0, 0, 4)), style="dim", highlight=False)


def _print_counts(verification: Verification, console: Console) -> None:
    counts = Counter(item.verdict for item in verification.settled)
    console.print()
    console.print(
        ", ".join(f"[{STYLE[verdict]}]{counts[verdict]} {verdict.value}[/]" for verdict in Verdict if counts[verdict])
    )
    evidence = {result.name: result for item in verification.settled for result in item.results if result.counts}
    rejected = sum(len(result.rejects) for result in evidence.values())
    if not evidence and any(result.ran for item in verification.settled for result in item.results):
        console.print("only the kernel's theorems ran: verdicts are those recorded, and do not depend on them")
        return
    console.print(f"{len(evidence)} pieces of evidence, {rejected} wrong variants rejected", highlight=False)
    if verification.partial:
        console.print("only some kinds of evidence ran: verdicts are those recorded, not contradicted by what ran")
    console.print(
        f"[bold]{verification.settled_count} of {len(verification.settled)} claims settled[/]: {verification.ways}",
        highlight=False,
    )


def cut(text: str, width: int) -> str:
    """The beginning of a text that is longer than one line may be."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def counted_claims(number: int) -> str:
    """So many claims."""
    return f"{number} claim{'' if number == 1 else 's'}"


def _kinds(results: tuple[Result, ...]) -> str:
    counts = Counter(result.kind for result in results if result.ran and not result.failed)
    return " ".join(f"{counts[kind]}{LETTER[kind]}" for kind in EvidenceKind if counts[kind])
