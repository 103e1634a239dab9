"""One claim on a terminal: what it says, what became of it and what decided that; or, verbose, all there is."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from nrverify.ledger.claims import Verdict
from nrverify.ledger.evidence import Kind
from nrverify.ledger.record import Step, counted
from nrverify.ledger.verdicts import Result, Settled
from nrverify.report.ledger.terminal import STYLE, cut

MOST_STEPS = 12
"""Of a derivation that decides; all of them when verbose."""


def print_claim(item: Settled, console: Console, verbose: bool = False) -> None:
    """Statement, verdict, correction, what decides it with its steps, other evidence in a line each.

    Verbose: every piece of evidence with all its steps and every wrong variant it rejects.
    """
    _print_head(item, console)
    if verbose:
        for result in item.results:
            _print_evidence(result, console)
    else:
        _print_briefly(item, console)
    if item.problem:
        console.print(f"\n[{STYLE[Verdict.FAILED]}]failed[/] {escape(item.problem)}")
    if not verbose and item.results:
        words = f"All steps, and every wrong variant rejected: nrverify explain {item.claim.id} --verbose"
        console.print(f"\n{words}", style="dim", highlight=False)


def _print_head(item: Settled, console: Console) -> None:
    claim = item.claim
    console.print(f"[bold]{claim.id}[/] {escape(claim.title)}  [{STYLE[item.verdict]}]{item.verdict.value}[/]")
    console.print(escape(claim.where), style="dim")
    for heading, text in (("Statement", claim.statement), ("Why", claim.why), ("Correction", claim.correction)):
        if text.strip():
            console.print(f"\n[bold]{heading}.[/] {escape(text.strip())}", highlight=False)
    for latex in (claim.statement_latex, claim.correction_latex):
        if latex.strip():
            _say(console, latex.strip(), 2, "dim")


def _print_briefly(item: Settled, console: Console) -> None:
    exact_first = sorted(item.results, key=lambda result: list(Kind).index(result.kind))
    deciding = [
        result for result in exact_first if result.findings[item.claim.id].verdict is not None and not result.failed
    ]
    for result in deciding:
        _print_deciding(result, console)
    others = [result for result in exact_first if result not in deciding]
    if not others:
        return
    rejected = sum(len(result.rejects) for result in others)
    heading = "[bold]Evidence besides[/]" if deciding else "[bold]Evidence[/]"
    console.print(f"\n{heading}, with {rejected} wrong variants rejected", highlight=False)
    for result in others:
        style = "bold red" if result.failed else ""
        _say(console, cut(f"{result.kind.value} {result.outcome}: {_doc(result)}", _line(console)), 2, style)


def _print_deciding(result: Result, console: Console) -> None:
    """What decides the verdict: in words, step by step in a line each, and what it rejects."""
    words = f"\n[bold]Decided by[/] a {result.kind.value}: {result.outcome} [dim]({escape(result.name)})[/]"
    if result.kind is Kind.DERIVATION:
        words += f", {counted(result.steps)}"
    console.print(words, highlight=False)
    _say(console, _doc(result), 2)
    if result.kind is Kind.DERIVATION:
        for number, step in enumerate(result.steps[:MOST_STEPS], 1):
            _say(console, cut(f"{number}. {_step(step)}", _line(console)), 2, "" if step.checked else "italic")
        if (more := len(result.steps) - MOST_STEPS) > 0:
            _say(console, f"… {more} more step{'s' if more > 1 else ''}", 2)
    if result.rejects:
        _say(console, f"rejects: {'; '.join(result.rejects)}", 2, "green")


def _print_evidence(result: Result, console: Console) -> None:
    console.print(
        f"\n[bold]{escape(result.name)}[/] {result.kind.value}: {result.outcome}, {result.seconds:.2f} s",
        highlight=False,
    )
    if result.doc:
        console.print(escape(_doc(result)), highlight=False)
    for number, step in enumerate(result.steps, 1):
        _say(console, f"{number}. {_step(step)}", 2, "" if step.checked else "italic")
        if step.latex:
            _say(console, step.latex, 5, "dim")
    for variant in result.rejects:
        _say(console, f"rejects: {variant}", 2, "green")
    if result.samples is not None and result.alpha is not None:
        _say(console, f"{result.samples} samples, false alarm with probability at most {result.alpha:.3g}", 2)


def _step(step: Step) -> str:
    """A step and what checked it."""
    marks = {"words": "in words", "sympy": "by sympy"}
    mark = f" [{marks[step.by]}]" if step.by in marks else ""
    return f"{step.name}: {step.text}{mark}"


def _line(console: Console) -> int:
    """Characters of a line that is cut; on a narrow terminal it is folded instead."""
    return max(console.width, 60) - 2


def _doc(result: Result) -> str:
    return " ".join(result.doc.split())


def _say(console: Console, words: str, indent: int, style: str = "") -> None:
    """A paragraph, every line of it moved in."""
    console.print(Padding(escape(words), (0, 0, 0, indent), expand=False), style=style, highlight=False)
