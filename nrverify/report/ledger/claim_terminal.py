"""One claim on a terminal: what it says, what became of it and what decided that; or, verbose, all there is."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from nrverify.ledger.claims import Ledger, Verdict
from nrverify.ledger.evidence import EvidenceKind
from nrverify.ledger.record import DerivationStep, counted
from nrverify.ledger.tree import Use, all_assumptions
from nrverify.ledger.verdicts import Result, Settled
from nrverify.report.ledger.terminal import STYLE, cut
from nrverify.report.ledger.words import as_given, fails

MOST_STEPS = 12
"""Of a derivation that decides, by their names; all of them, with their formulas, when verbose."""


def print_claim(item: Settled, console: Console, verbose: bool = False) -> None:
    """Statement, verdict, correction, what decides it with its steps, other evidence in a line each.

    Verbose: every piece of evidence with all its steps and every wrong variant it rejects.
    """
    _print_head(item, console)
    if verbose:
        for result in (*item.deciding, *item.supporting):
            _print_evidence(result, console)
    else:
        _print_briefly(item, console)
        _print_cores(item, console)
    if item.problem:
        console.print(f"\n[{STYLE[Verdict.FAILED]}]failed[/] {escape(item.problem)}")
    if not verbose and item.results:
        coq = any(_not_asked(result) for result in item.results)
        more = "wrong variants, theorems for Coq" if coq else "and every wrong variant rejected"
        words = f"All steps, {more}: nrverify explain {item.claim.id} --verbose"
        console.print(f"\n{words}", style="dim", highlight=False)


def _print_head(item: Settled, console: Console) -> None:
    claim = item.claim
    console.print(f"[bold]{claim.id}[/] {escape(claim.title)}  [{STYLE[item.verdict]}]{item.verdict.value}[/]")
    console.print(escape(claim.where), style="dim")
    beyond = item.claim.ledger is Ledger.BEYOND
    correction = "More precisely" if item.verdict is Verdict.TRUE else "What holds instead" if beyond else "Correction"
    for heading, text in (("Statement", claim.statement), ("Why", claim.why), (correction, claim.correction)):
        if text.strip():
            console.print(f"\n[bold]{heading}.[/] {escape(text.strip())}", highlight=False)


def _print_briefly(item: Settled, console: Console) -> None:
    deciding = [result for result in item.deciding if not result.failed]
    others = [result for result in (*item.deciding, *item.supporting) if result not in deciding and result.counts]
    failing = [result for result in deciding if result.findings[item.claim.id].printed is not None]
    if failing:
        console.print(f"\n[bold]{fails(item)}[/]: each rejects it, and establishes the form it accepts")
    for result in deciding:
        if not (failing and result is deciding[0]):
            console.print()
        _print_deciding(result, item, console)
    if not others:
        return
    rejected = sum(len(result.rejects) for result in others)
    heading = "The corrected form holds" if failing else "Evidence besides" if deciding else "Evidence"
    console.print(f"\n[bold]{heading}[/], with {rejected} wrong variants rejected", highlight=False)
    for result in others:
        style = "bold red" if result.failed else ""
        _say(console, cut(f"{result.kind.value} {result.outcome}: {_doc(result)}", _line(console)), 2, style)


def _print_cores(item: Settled, console: Console) -> None:
    """Theorems that Coq was asked about, with what they do not say; they bear on no verdict."""
    for result in item.results:
        if result.core is None or _not_asked(result):
            continue
        why = f" ({result.message})" if result.message else ""
        console.print(f"\n[bold]For a kernel[/]: {result.outcome}{escape(why)}", highlight=False)
        _say(console, f"{result.core.file}: {_doc(result)}", 2)
        _say(console, f"does not say: {'; '.join(result.core.unsaid)}", 2, "dim")


def _not_asked(result: Result) -> bool:
    """Whether it is a theorem for Coq that did not run: that is left to the long form."""
    return result.core is not None and result.outcome == "not-run"


def _print_deciding(result: Result, item: Settled, console: Console) -> None:
    """What decides the verdict: in words, step by step in a line each, and what it rejects."""
    words = f"[bold]Decided by[/] a {result.kind.value}: {result.outcome} [dim]({escape(result.name)})[/]"
    if result.kind is EvidenceKind.DERIVATION:
        words += f", {counted(result.steps)}"
    console.print(words, highlight=False)
    _say(console, _doc(result), 2)
    if result.kind is EvidenceKind.DERIVATION:
        for number, step in enumerate(result.steps[:MOST_STEPS], 1):
            mark = f" [{step.mark}]" if step.mark else ""
            _say(console, f"{number}. {step.name}{mark}", 2, "" if step.checked else "italic")
        if (more := len(result.steps) - MOST_STEPS) > 0:
            _say(console, f"… {more} more step{'s' if more > 1 else ''}", 2)
    _print_ground(result, console, tree=False)
    _print_sampling(result, console)
    if result.rejects:
        printed = result.findings[item.claim.id].printed
        variants = [f"{name} ({as_given(item)})" if name == printed else name for name in result.rejects]
        _say(console, f"rejects: {'; '.join(variants)}", 2, "green")


def _print_evidence(result: Result, console: Console) -> None:
    console.print(
        f"\n[bold]{escape(result.name)}[/] {result.kind.value}: {result.outcome}, {result.seconds:.2f} s",
        highlight=False,
    )
    if result.doc:
        console.print(escape(_doc(result)), highlight=False)
    if result.core is not None:
        if result.message:
            _say(console, result.message, 2)
        _say(console, f"{result.core.file}: {', '.join(result.core.theorems)}", 2)
        for words in result.core.unsaid:
            _say(console, f"does not say: {words}", 2)
    for number, step in enumerate(result.steps, 1):
        _say(console, f"{number}. {_step(step)}", 2, "" if step.checked else "italic")
        if step.latex:
            _say(console, step.latex, 5, "dim")
    _print_ground(result, console, tree=True)
    for variant in result.rejects:
        _say(console, f"rejects: {variant}", 2, "green")
    _print_sampling(result, console)


def _print_ground(result: Result, console: Console, tree: bool) -> None:
    """What it assumes, itself and through what it uses, and what it uses: in a line, or as a tree to the bottom."""
    assumed = all_assumptions(result.assumes, result.uses)
    if assumed:
        _say(console, f"assumed: {'; '.join(assumed)}", 2)
    if tree:
        _print_uses(result.uses, console, 2)
    elif result.uses:
        _say(console, f"uses: {', '.join(_short(use) for use in result.uses)}", 2)


def _short(use: Use) -> str:
    return f"{use.name.rpartition('.')[2]} ({use.claims[0]})"


def _print_uses(uses: tuple[Use, ...], console: Console, indent: int) -> None:
    for use in uses:
        name = use.name.removeprefix("symbolic.")
        _say(console, f"uses {name} (nrverify explain {use.claims[0]})", indent, "dim")
        _print_uses(use.uses, console, indent + 2)


def _print_sampling(result: Result, console: Console) -> None:
    """How much was sampled here: the words above name the sizes of the standard profile."""
    if result.samples is None or result.alpha is None:
        return
    here = f"this run: {result.samples:,} samples (quick; named above: standard)"
    _say(console, f"{here}; false alarm: {result.alpha:.0e}", 2)


def _step(step: DerivationStep) -> str:
    """A step and what checked it."""
    mark = f" [{step.mark}]" if step.mark else ""
    return f"{step.name}: {step.text}{mark}"


def _line(console: Console) -> int:
    """Characters of a line that is cut; on a narrow terminal it is folded instead."""
    return max(console.width, 60) - 2


def _doc(result: Result) -> str:
    return " ".join(result.doc.split())


def _say(console: Console, words: str, indent: int, style: str = "") -> None:
    """A paragraph, every line of it moved in."""
    console.print(Padding(escape(words), (0, 0, 0, indent), expand=False), style=style, highlight=False)
