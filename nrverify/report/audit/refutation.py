"""A refuted audit on a terminal in a dozen lines: what is wrong, where to look, what it means, how to repeat it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.padding import Padding

from nrverify.auditing.core.report import Report
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.report.audit.finding_text import follows, lines_of, pointers
from nrverify.report.escape import plain

IN_FULL = 2
"""Refutations with causes of their own that are told in full: a third would not be read before the first is mended."""
MOST_NAMES = 6
"""Checks that a line names; more are counted."""
HEADINGS = {
    CheckVerdict.REFUTED: "Refuted by",
    CheckVerdict.CONSISTENT: "No fault found by",
    CheckVerdict.INCONCLUSIVE: "Undecided",
    CheckVerdict.ADVICE: "Advice of",
    CheckVerdict.NOT_COVERED: "Not covered",
}


def print_refutation(report: Report, console: Console) -> None:
    """The refutations that have causes of their own, and where everything else is said."""
    refuted = [check for check in report.checks if check.verdict is CheckVerdict.REFUTED]
    told = [check for check in refuted if not follows(check)][:IN_FULL] or refuted[:1]
    for check in told:
        console.print(f"\n[bold red]refuted[/] [bold]{plain(check.id)}[/]", highlight=False)
        for part in _parts(check):
            console.print(Padding(plain(part), (0, 0, 0, 2), expand=False), highlight=False)
    console.print()
    for line in _by_verdict(shown_of(report.checks)):
        console.print(plain(line), style="dim", highlight=False)
    if command := next((check.reproduce for check in told if check.reproduce), None):
        # Folded by the terminal and not here, so that it can be copied whole.
        console.print(f"Reproduce: {plain(command)}", highlight=False, soft_wrap=True)
    words = "All checks: --table; with pictures: --html FILE; those left undecided: --keep-going."
    console.print(words, style="dim", highlight=False)


def shown_of(checks: Iterable[CheckResult]) -> tuple[CheckResult, ...]:
    """Without the checks that are not covered because there is nothing for them to judge."""
    return tuple(check for check in checks if check.gap or check.verdict is not CheckVerdict.NOT_COVERED)


def _parts(check: CheckResult) -> Iterator[str]:
    """The sentences of a refutation but those on its error probability, which is said of the run."""
    explanation = check.explanation
    if explanation is None:
        yield from lines_of(check)
        return
    yield from (explanation.statement, explanation.seen, explanation.cause)
    yield explanation.effect
    yield from pointers(check)


def _by_verdict(checks: Iterable[CheckResult]) -> Iterator[str]:
    """The checks, by verdict."""
    for verdict, heading in HEADINGS.items():
        if found := [check.id for check in checks if check.verdict is verdict]:
            more = f" and {len(found) - MOST_NAMES} more" if len(found) > MOST_NAMES else ""
            yield f"{heading}: {', '.join(found[:MOST_NAMES])}{more}"
