"""`nrverify audit`: audits an implementation and says what is excluded, with what probability of error."""

from __future__ import annotations

import difflib
import secrets
import sys
from typing import TYPE_CHECKING

import click

from nrverify.commands.options import check_writable, console_for, quiet_option, write_document

if TYPE_CHECKING:
    from collections.abc import Callable


def seed_or_random(ctx: click.Context, parameter: click.Parameter, value: str) -> int:
    """A whole number, or one drawn and printed for the word random."""
    if value == "random":
        drawn = secrets.randbelow(2**32)
        click.echo(f"seed {drawn}", err=True)
        return drawn
    if not value.isdigit() or int(value) >= 2**63:
        raise click.BadParameter(f"{value!r} is no seed: a whole number from 0, or 'random'", ctx, parameter)
    return int(value)


def known_checks(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """The checks asked for; an unknown one is a usage error that names the closest."""
    if not values:
        return values
    from nrverify.auditing.catalogue import catalogue

    checks = catalogue()
    for value in values:
        if value not in checks:
            close = difflib.get_close_matches(value, checks, n=1, cutoff=0.3)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise click.BadParameter(f"no check {value!r}.{hint}", ctx, parameter)
    return values


@click.command(name="audit")
@click.argument("subject")
@click.option("--alpha", type=float, default=1e-6, show_default=True, help="False-alarm probability of the whole run.")
@click.option("--samples", type=int, default=200_000, show_default=True, help="Sessions or runs in all.")
@click.option("--budget", type=float, default=120.0, show_default=True, help="Seconds the subject may take in all.")
@click.option("--timeout", type=float, default=60.0, show_default=True, help="Seconds one request may take.")
@click.option("--seed", default="0", show_default=True, callback=seed_or_random, help="Seed of the audit, or 'random'.")
@click.option("--check", "checks", multiple=True, callback=known_checks, help="Only this check (repeatable).")
@click.option("--keep-going", is_flag=True, help="Use the whole budget even when something is refuted.")
@click.option("--json", "json_file", metavar="FILE", help="The report as data ('-' is standard output).")
@quiet_option
def command(
    subject: str,
    alpha: float,
    samples: int,
    budget: float,
    timeout: float,
    seed: int,
    checks: tuple[str, ...],
    keep_going: bool,
    json_file: str | None,
    quiet: bool,
) -> None:
    """Audit the implementation at SUBJECT: python:package.module:Name or python:path/to/file.py:Name.

    Exit code 0 nothing refuted, 1 refuted, 2 a mistake in the command, 3 the subject could not be run,
    4 inconclusive, 70 a fault of nrverify's own.
    """
    check_writable(json_file)
    from nrverify.auditing.api import audit
    from nrverify.report.audit_terminal import print_audit

    try:
        report = audit(
            subject,
            alpha=alpha,
            seed=seed,
            samples=samples,
            budget=budget,
            timeout=timeout,
            keep_going=keep_going,
            checks=checks,
            progress=progress_line(quiet),
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if json_file is not None:
        write_document(json_file, report.to_json())
    if not quiet or report.exit_code:
        print_audit(report, console_for([json_file]))
    sys.exit(report.exit_code)


def progress_line(quiet: bool) -> Callable[[int, int], None] | None:
    """A line on a terminal's standard error that says how many samples were drawn."""
    if quiet or not sys.stderr.isatty():
        return None

    def show(drawn: int, total: int) -> None:
        sys.stderr.write(f"\r\x1b[2K{drawn} of at most {total} samples" if drawn < total else "\r\x1b[2K")
        sys.stderr.flush()

    return show
