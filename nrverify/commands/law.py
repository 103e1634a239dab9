"""`nrverify law`: whether a law of one's own is one, before anything is judged by it."""

from __future__ import annotations

import sys

import click

from nrverify.commands.options import console_for
from nrverify.report.escape import plain

EXIT_NOT_A_LAW = 2
"""That of a mistake in what was given, as it is where an audit is given such a law."""


@click.command(name="law")
@click.argument("address")
@click.option("--timeout", type=float, default=60.0, show_default=True, help="Seconds that the test may take.")
def command(address: str, timeout: float) -> None:
    """Test the law of noise at ADDRESS: python:FILE.py:Name or python:package.module:Name.

    Densities must integrate to one, cdf and logpdf agree, marginal and bridge fit by Bayes, each to 1e-6; `score`,
    `rvs`, `forward` and `epsilon`, where they are there, must fit them. Exit code 0, or 2 when it is not a law, raises
    or takes longer than --timeout.
    """
    from nrverify.auditing.own_law.limited import loaded, wrong_with
    from nrverify.auditing.own_law.selftest import described

    if not 0 < timeout <= 1e6:
        raise click.UsageError(f"timeout is {timeout:g}: it must be above 0 and at most 1e6 seconds")
    try:
        law = loaded(address, timeout, whole=False)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    found = wrong_with(law, timeout)
    console = console_for([])
    if found:
        console.print(f"{plain(law.name)} is not a law:", highlight=False)
        for words in found:
            console.print(f"  {plain(words)}", highlight=False, soft_wrap=True)
        sys.exit(EXIT_NOT_A_LAW)
    console.print(f"{plain(law.name)} is a law ({plain(described(law.law))})", highlight=False)
