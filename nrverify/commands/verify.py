"""`nrverify verify`: runs all evidence for the paper's claims and prints the ledger."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from nrverify.closest import closest
from nrverify.commands.options import (
    check_writable,
    console_for,
    engine_options,
    executor_for,
    jobs_option,
    quiet_option,
    seed_option,
    verbose_option,
    write_all,
)

if TYPE_CHECKING:
    from nrverify.ledger.verification import Verification

KINDS = ("derivation", "certificate", "property", "statistic", "reading", "kernel")
"""Of the ledger, written out here: `--help` must not import it."""
PROFILES = ("quick", "standard", "deep")
"""Of the ledger, written out here: `--help` must not import it."""


def known_claims(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """The claims asked for, in capitals; an unknown one is a usage error that names the closest."""
    from nrverify.ledger.claims import load_claims

    claims = load_claims()
    for value in values:
        if value.upper() not in claims:
            close = closest(value, claims)
            hint = (
                f" Did you mean {close}?"
                if close
                else " Claims are P01 to E13 and X01 to X16: 'nrverify verify' lists them."
            )
            raise click.BadParameter(f"no claim {value!r}.{hint}", ctx, parameter)
    return tuple(value.upper() for value in values)


def known_kind(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """The kinds asked for; an unknown one is a usage error that names the closest."""
    for value in values:
        if value not in KINDS:
            close = closest(value, KINDS)
            hint = f" Did you mean {close}?" if close else ""
            raise click.BadParameter(f"no kind {value!r}: one of {', '.join(KINDS)}.{hint}", ctx, parameter)
    return values


@click.command(name="verify")
@click.argument("claims", nargs=-1, callback=known_claims)
@click.option(
    "--kind", "kinds", multiple=True, callback=known_kind, help=f"Only this kind of evidence: {', '.join(KINDS)}."
)
@click.option(
    "--profile", type=click.Choice(PROFILES), default="standard", show_default=True, help="How much is sampled."
)
@click.option("--json", "json_file", metavar="FILE", help="The ledger as data ('-' is standard output).")
@click.option("--markdown", "markdown_file", metavar="FILE", help="The ledger as a document to read.")
@click.option("--html", "html_file", metavar="FILE", help="The ledger as one page for a browser, with every step.")
@jobs_option
@engine_options
@seed_option
@quiet_option
@verbose_option
def command(
    claims: tuple[str, ...],
    kinds: tuple[str, ...],
    profile: str,
    json_file: str | None,
    markdown_file: str | None,
    html_file: str | None,
    jobs: int | None,
    engine: str,
    scheduler: str | None,
    seed: int,
    quiet: bool,
    verbose: bool,
) -> None:
    """Run all evidence for the paper's CLAIMS (default: all) and print the ledger.

    The kernel's theorems run only if asked for (--kind kernel) and where coqc is found; no verdict depends on them.

    Exit code 0 when every claim is settled, 1 when one is not, 2 for a usage error.
    """
    files = [json_file, markdown_file, html_file]
    check_writable(*files)
    from nrverify.ledger.evidence import EvidenceKind
    from nrverify.ledger.verification import verify
    from nrverify.report.ledger.document import ledger_json
    from nrverify.report.ledger.markdown import ledger_markdown
    from nrverify.report.ledger.terminal import print_ledger, print_problems
    from nrverify.report.progress import evidence_progress

    written = html_file is not None
    with executor_for(jobs, engine, scheduler) as executor, evidence_progress(quiet) as progress:
        verification = verify(
            claims, [EvidenceKind(kind) for kind in kinds], profile, seed, executor, progress, written
        )
    write_all(
        (json_file, lambda: ledger_json(verification)),
        (markdown_file, lambda: ledger_markdown(verification)),
        (html_file, lambda: _page(verification)),
    )
    if not quiet:
        print_ledger(verification, console_for(files), verbose)
    elif not verification.ok:
        print_problems(verification, console_for(files))
    sys.exit(0 if verification.ok else 1)


def _page(verification: Verification) -> str:
    from nrverify.report.ledger.page import ledger_html

    return ledger_html(verification)
