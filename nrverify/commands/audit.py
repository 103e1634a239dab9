"""`nrverify audit`: audits an implementation and says what is excluded, with what probability of error."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from nrverify.closest import closest
from nrverify.commands.documents import check_documents, document_options, table_option, write_documents
from nrverify.commands.options import (
    MOST_JOBS,
    ClusterLost,
    Whole,
    check_engine,
    check_writable,
    engine_options,
    quiet_option,
    verbose_option,
)
from nrverify.commands.replay_files import record_options, recorder_for, say_what_was_left


def seed_or_random(ctx: click.Context, parameter: click.Parameter, value: str) -> int:
    """An integer, or one drawn and printed for the word random."""
    if value == "random":
        drawn = secrets.randbelow(2**32)
        click.echo(f"seed {drawn}", err=True)
        return drawn
    from nrverify.auditing.core.settings import seed_from

    try:
        return seed_from(value)
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, parameter) from None


def epsilon_and_delta(ctx: click.Context, parameter: click.Parameter, value: str | None) -> tuple[float, float] | None:
    """The ε and δ of --claim."""
    if value is None:
        return None
    from nrverify.auditing.core.settings import claim_from

    try:
        return claim_from(value)
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, parameter) from None


def known_checks(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """The checks asked for; an unknown one is a usage error that names the closest."""
    if not values:
        return values
    from nrverify.auditing.explain.catalogue import catalogue
    from nrverify.auditing.explain.remarks import REMARKS

    checks = catalogue()
    for value in values:
        if value in REMARKS:
            raise click.BadParameter(
                f"{value} is a remark of audits and cannot be selected with --check", ctx, parameter
            )
        if value not in checks:
            close = closest(value, checks)
            hint = f" Did you mean {close}?" if close else ""
            raise click.BadParameter(f"no check {value!r}.{hint}", ctx, parameter)
    return values


@contextmanager
def _law_in_use(law: str | None, timeout: float) -> Iterator[None]:
    """With the law at an address in use, if one is given; one that is not a law is a usage error."""
    if law is None:
        yield
        return
    from nrverify.auditing.core.settings import Settings
    from nrverify.auditing.own_law.limited import loaded
    from nrverify.subjects.own_laws.loading import in_use

    try:
        given = loaded(law, Settings(timeout=timeout).timeout)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    with in_use(given):
        yield


@click.command(name="audit")
@click.argument("subject")
@click.option("--alpha", type=float, default=1e-6, show_default=True, help="False-alarm probability of the whole run.")
@click.option(
    "--samples", type=Whole(), metavar="INTEGER", default=200_000, show_default=True, help="Sessions or runs in all."
)
@click.option(
    "--budget", type=float, default=120.0, show_default=True, help="Wall seconds of the run, from the first answer on."
)
@click.option("--timeout", type=float, default=60.0, show_default=True, help="Seconds one request may take.")
@click.option("--seed", default="0", show_default=True, callback=seed_or_random, help="Seed of the audit, or 'random'.")
@click.option("--check", "checks", multiple=True, callback=known_checks, help="Only this check (repeatable).")
@click.option(
    "--numerics",
    type=click.Choice(["idealized", "exact"]),
    help="What is claimed of the last bits, in place of the subject's own word; with exact an attack refutes.",
)
@click.option(
    "--claim",
    metavar="EPS[,DELTA]",
    callback=epsilon_and_delta,
    help="The privacy claimed, in place of the subject's own claim; for mechanism any.",
)
@click.option(
    "--law", metavar="ADDRESS", help="The law of one's own that judges: python:FILE.py:Name (see nrverify law)."
)
@click.option("--keep-going", is_flag=True, help="Use the whole budget even when something is refuted.")
@click.option("--plan", "only_plan", is_flag=True, help="Say what the budget can detect, and sample nothing.")
@click.option("--smoke", is_flag=True, help="Try every request once, in about a second, and judge nothing.")
@click.option("--trace", metavar="FILE", help="Every request and reply, one JSON object per line.")
@click.option("--jobs", type=Whole(1, MOST_JOBS), help="Processes that draw (default: 1). Never changes a result.")
@engine_options
@record_options
@document_options
@table_option
@quiet_option
@verbose_option
def command(
    subject: str,
    alpha: float,
    samples: int,
    budget: float,
    timeout: float,
    seed: int,
    checks: tuple[str, ...],
    numerics: str | None,
    claim: tuple[float, float] | None,
    law: str | None,
    keep_going: bool,
    only_plan: bool,
    smoke: bool,
    trace: str | None,
    jobs: int | None,
    engine: str,
    scheduler: str | None,
    record: str | None,
    no_record: bool,
    quiet: bool,
    verbose: bool,
    github: bool,
    table: bool,
    **files: str | None,
) -> None:
    """Audit the implementation at SUBJECT: python:package.module:Name, python:path/to/file.py:Name or "cmd:PROGRAM".

    A program in any language answers one JSON object per line (nrverify/subjects/PROTOCOL.md); records:FILE judges
    transcripts recorded elsewhere (nrverify/subjects/RECORDS.md). A refutation leaves a record for `nrverify replay`.

    Exit code 0 nothing refuted, 1 refuted, 2 usage error, 3 the subject could not be run,
    4 inconclusive, 70 an internal error.
    """
    check_documents(files, github)
    check_engine(engine, scheduler)
    if only_plan:
        from nrverify.commands.plan import print_plan_of

        with _law_in_use(law, timeout):
            sys.exit(print_plan_of(subject, alpha, samples, timeout, checks, files, quiet, claim))
    check_writable(trace)
    if smoke:
        from nrverify.commands.smoke import print_trial

        with _law_in_use(law, timeout):
            sys.exit(print_trial(subject, timeout, trace, quiet))
    recorder = recorder_for(subject, record, no_record)
    from nrverify.auditing.audit import audit
    from nrverify.cluster import ClusterFailed
    from nrverify.report.progress import samples_progress

    try:
        with samples_progress(quiet, budget) as progress:
            report = audit(
                subject,
                alpha=alpha,
                seed=seed,
                samples=samples,
                budget=budget,
                timeout=timeout,
                keep_going=keep_going,
                checks=checks,
                progress=progress,
                record=recorder,
                jobs=jobs,
                engine=engine,
                scheduler=scheduler,
                trace=trace,
                numerics=numerics,
                claim=claim,
                law=law,
            )
    except ClusterFailed as error:
        raise ClusterLost(str(error)) from error
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    write_documents(report, files, github, quiet, verbose, table)
    say_what_was_left(recorder, files, quiet and report.exit_code == 0)
    sys.exit(report.exit_code)
