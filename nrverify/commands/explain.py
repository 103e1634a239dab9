"""`nrverify explain`: one claim, its evidence run on the spot; or whatever else an audit names."""

from __future__ import annotations

import sys

import click

from nrverify.closest import closest
from nrverify.commands.options import console_for, verbose_option


@click.command(name="explain")
@click.argument("name", metavar="CLAIM|CHECK")
@verbose_option
def command(name: str, verbose: bool) -> None:
    """Explain a CLAIM (such as B13) and what decides it, or a CHECK of an audit (such as ties).

    With --verbose every piece of evidence for a claim, all steps of its derivations and every wrong variant that was
    rejected. Exit code 0; 1 when the claim is not settled, 2 for an unknown name.
    """
    from nrverify.ledger.claims import load_claims

    claims = load_claims()
    if name.upper() in claims:
        _explain_claim(name.upper(), verbose)
    from nrverify.auditing.explain.catalogue import catalogue
    from nrverify.auditing.explain.remarks import REMARKS
    from nrverify.report.audit.check_terminal import print_check, print_remark

    checks = catalogue()
    if name in checks:
        print_check(checks[name], console_for([]))
    elif name in REMARKS:
        print_remark(name, REMARKS[name], console_for([]))
    else:
        close = closest(name, [*claims, *checks, *REMARKS])
        hint = f" Did you mean {close}?" if close else f" Checks: {', '.join(checks)}. Claims: P01 to E13."
        raise click.UsageError(f"no claim or check {name!r}.{hint}")


def _explain_claim(id: str, verbose: bool) -> None:
    from nrverify.ledger.verification import verify
    from nrverify.report.ledger.claim_terminal import print_claim

    verification = verify([id], profile="quick", written=True)
    for item in verification.settled:
        print_claim(item, console_for([]), verbose)
    sys.exit(0 if verification.ok else 1)
