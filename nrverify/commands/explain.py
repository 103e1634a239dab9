"""`nrverify explain`: one claim in full, its evidence run on the spot; or one check of an audit."""

from __future__ import annotations

import difflib
import sys

import click

from nrverify.commands.options import console_for


@click.command(name="explain")
@click.argument("name", metavar="CLAIM|CHECK")
def command(name: str) -> None:
    """Explain a CLAIM (such as B13) with the steps of its derivation, or a CHECK of an audit (such as ties)."""
    from nrverify.ledger.claims import load_claims

    claims = load_claims()
    if name.upper() in claims:
        _explain_claim(name.upper())
    from nrverify.auditing.catalogue import catalogue
    from nrverify.report.check_terminal import print_check

    checks = catalogue()
    if name not in checks:
        close = difflib.get_close_matches(name, [*claims, *checks], n=1, cutoff=0.4)
        close = close or difflib.get_close_matches(name.upper(), claims, n=1, cutoff=0.4)
        hint = f" Did you mean {close[0]}?" if close else f" Checks: {', '.join(checks)}. Claims: P01 to E13."
        raise click.UsageError(f"no claim or check {name!r}.{hint}")
    print_check(checks[name], console_for([]))


def _explain_claim(id: str) -> None:
    from nrverify.ledger.verification import verify
    from nrverify.report.ledger_terminal import print_claim

    verification = verify([id], profile="quick", written=True)
    for item in verification.settled:
        print_claim(item, console_for([]))
    sys.exit(0 if verification.ok else 1)
