"""`nrverify audit --plan`: what a budget can detect, before anything is sampled."""

from __future__ import annotations

from collections.abc import Mapping

import click

from nrverify.commands.options import console_for, write_document


def print_plan_of(
    subject: str,
    alpha: float,
    samples: int,
    timeout: float,
    checks: tuple[str, ...],
    files: Mapping[str, str | None],
    quiet: bool,
    claim: tuple[float, float] | None = None,
) -> int:
    """Prints the plan, or why there is none; the exit code."""
    from nrverify.auditing.claims.context import with_claim
    from nrverify.auditing.core.report import EXIT
    from nrverify.auditing.core.settings import Settings
    from nrverify.auditing.plan.plan import plan
    from nrverify.plain_text import plain_text
    from nrverify.report.audit.plan_terminal import print_plan
    from nrverify.subjects.address import parse
    from nrverify.subjects.errors import SubjectFailed
    from nrverify.subjects.reach import description_of

    if others := [f"--{name}" for name, file in files.items() if file is not None and name != "json"]:
        raise click.UsageError(f"--plan writes --json alone: leave out {', '.join(others)}")
    try:
        if parse(subject).scheme == "records":
            raise click.UsageError("records are judged as they are: there is nothing to plan")
        settings = Settings(alpha=alpha, samples=samples, timeout=timeout, only=checks)
        description = description_of(subject, timeout)
        if claim is not None:
            description = with_claim(description, claim)
        found = plan(description, settings, subject)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    except SubjectFailed as failure:
        click.echo(plain_text(f"{subject} could not be run: {failure}", one_line=True), err=True)
        return EXIT["errored"]
    if (file := files.get("json")) is not None:
        write_document(file, found.to_json())
    if not quiet:
        print_plan(found, console_for([file]))
    return 0
