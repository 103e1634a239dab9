"""A refuted audit on a terminal in a dozen lines: what is wrong, where to look, what it means, how to repeat it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.padding import Padding

from nrverify.auditing.core.report import Report
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.report.audit.finding_text import follows, lines_of, pointers
from nrverify.report.escape import plain

IN_FULL = 2
"""Refutations with causes of their own that are told in full: a third would not be read before the first is mended."""
MOST_NAMES = 4
"""Checks that a line names; more are counted."""
COUNTED = {
    CheckVerdict.CONSISTENT: "found no fault",
    CheckVerdict.INCONCLUSIVE: "undecided (--keep-going)",
    CheckVerdict.ADVICE: "with advice",
    CheckVerdict.NOT_COVERED: "not covered",
}


def print_refutation(report: Report, console: Console) -> None:
    """The refutations that have causes of their own, and where everything else is said."""
    refuted = [check for check in report.checks if check.verdict is CheckVerdict.REFUTED]
    told = [check for check in refuted if not follows(check)][:IN_FULL] or refuted[:1]
    for check in told:
        statement, *parts = _parts(check)
        console.print(f"\n[bold red]refuted[/] [bold]{plain(check.id)}[/]: {plain(statement)}", highlight=False)
        for part in parts:
            console.print(Padding(plain(part), (0, 0, 0, 2), expand=False), highlight=False)
    console.print()
    if refuted != told:
        console.print(f"Refuted by: {plain(_named(refuted))}.", style="dim", highlight=False)
    console.print(f"{_others(shown_of(report.checks))}All checks: --table or --html FILE.", style="dim")
    print_command(told, console)


def print_refutation_in_brief(report: Report, console: Console) -> None:
    """The refutations that have causes of their own and their likely causes, and how to repeat them."""
    told = [check for check in report.checks if check.verdict is CheckVerdict.REFUTED and not follows(check)]
    for check in told:
        words = check.explanation.cause or check.explanation.seen if check.explanation else check.message
        console.print(f"[bold red]refuted[/] [bold]{plain(check.id)}[/]: {plain(words or '')}", highlight=False)
    print_command(told, console)


def print_command(checks: Iterable[CheckResult], console: Console) -> None:
    """The command that repeats a refutation, folded by the terminal and not here, so that it can be copied whole."""
    if command := next((check.reproduce for check in checks if check.reproduce), None):
        console.print(f"Reproduce: {plain(command)}", highlight=False, soft_wrap=True)


def shown_of(checks: Iterable[CheckResult]) -> tuple[CheckResult, ...]:
    """Without the checks that have nothing to judge and are therefore not covered, and without advice on nothing."""
    said = {CheckVerdict.NOT_COVERED: "gap", CheckVerdict.ADVICE: "message"}
    return tuple(check for check in checks if check.verdict not in said or getattr(check, said[check.verdict]))


def _parts(check: CheckResult) -> Iterator[str]:
    """The sentences of a refutation but those on its error probability, which is said of the run."""
    explanation = check.explanation
    if explanation is None:
        yield from lines_of(check)
        return
    yield from (explanation.statement, explanation.seen, explanation.cause)
    yield explanation.effect
    yield from pointers(check)


def _named(checks: Sequence[CheckResult]) -> str:
    """The ids of checks, those beyond the first few counted."""
    more = f" and {len(checks) - MOST_NAMES} more" if len(checks) > MOST_NAMES else ""
    return ", ".join(check.id for check in checks[:MOST_NAMES]) + more


def _others(checks: Sequence[CheckResult]) -> str:
    """How many checks have which other verdict, as a sentence."""
    counts = Counter(check.verdict for check in checks)
    parts = [f"{counts[verdict]} {words}" for verdict, words in COUNTED.items() if counts[verdict]]
    return f"Other checks: {', '.join(parts)}. " if parts else ""
