"""`nrverify explain`: one claim in full, its evidence run on the spot."""

from __future__ import annotations

import sys

import click

from nrverify.commands.options import console_for
from nrverify.commands.verify import known_claims


@click.command(name="explain")
@click.argument("claim", nargs=1, callback=lambda ctx, parameter, value: known_claims(ctx, parameter, (value,))[0])
def command(claim: str) -> None:
    """Explain a CLAIM: its statement, verdict and correction, its evidence and the steps of its derivation."""
    from nrverify.ledger.verification import verify
    from nrverify.report.ledger_terminal import print_claim

    verification = verify([claim], profile="quick")
    for item in verification.settled:
        print_claim(item, console_for([]))
    sys.exit(0 if verification.ok else 1)
