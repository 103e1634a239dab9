"""`nrverify audit --smoke`: whether an adapter answers, step by step, without an audit."""

from __future__ import annotations

import click

from nrverify.commands.options import console_for
from nrverify.report.escape import plain

EXIT_SUBJECT = 3
"""The subject could not be run."""


def print_trial(subject: str, timeout: float, trace: str | None, quiet: bool) -> int:
    """Prints each step as it is tried; the exit code, 0 or 3."""
    from nrverify.auditing.trial import trial
    from nrverify.subjects.trace import Trace

    if not 0 < timeout <= 1e6:
        raise click.UsageError(f"timeout is {timeout:g}: it must be above 0 and at most 1e6 seconds")
    console, worked = console_for([]), True
    try:
        for step in trial(subject, timeout, None if trace is None else Trace(trace)):
            worked = step.worked
            if not quiet or not worked:
                mark = "[green]✓[/]" if worked else "[bold red]✗[/]"
                console.print(f"{mark} {plain(step.name)}: {plain(step.words)}", highlight=False, soft_wrap=True)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    return 0 if worked else EXIT_SUBJECT
