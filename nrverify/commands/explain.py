"""`nrverify explain`: one claim, its evidence run on the spot; or whatever else an audit names."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click

from nrverify.closest import closest
from nrverify.commands.options import console_for, verbose_option


@click.command(name="explain")
@click.argument("name", metavar="CLAIM|CHECK|FAULT|TERM")
@verbose_option
def command(name: str, verbose: bool) -> None:
    """Explain a CLAIM (such as B13) and what decides it, a CHECK of an audit (such as ties), a FAULT that an audit
    names (such as fresh-noise), or a TERM of a report (such as e-value).

    With --verbose every piece of evidence for a claim, all steps of its derivations and every wrong variant that was
    rejected. Exit code 0; 1 when the claim is not settled, 2 for an unknown name.
    """
    from nrverify.ledger.claims import load_claims

    claims = load_claims()
    if name.upper() in claims:
        sys.exit(_explain_claim(name.upper(), verbose))
    _explain_term(name, claims)


def _explain_term(name: str, claims: Iterable[str]) -> None:
    """A check, a fault, a remark or a term; a usage error that names the closest for anything else."""
    from nrverify.auditing.core.faults import known_faults
    from nrverify.auditing.explain.catalogue import catalogue
    from nrverify.auditing.explain.remarks import REMARKS
    from nrverify.glossary import terms
    from nrverify.report.audit.check_terminal import print_check, print_fault, print_remark, print_term

    checks, faults, glossary = catalogue(), known_faults(), terms()
    if name in checks:
        print_check(checks[name], console_for([]))
    elif name in faults:
        print_fault(faults[name], console_for([]))
    elif name in REMARKS:
        print_remark(name, REMARKS[name], console_for([]))
    elif name.lower() in glossary:
        written, words = glossary[name.lower()]
        print_term(written, words, console_for([]))
    else:
        close = closest(name, [*claims, *checks, *REMARKS, *faults, *glossary])
        hint = f" Did you mean {close}?" if close else f" Checks: {', '.join(checks)}. Claims: P01 to E13, X01 to X16."
        raise click.UsageError(f"no claim, check, fault or term {name!r}.{hint}")


def _explain_claim(id: str, verbose: bool) -> int:
    """Prints a claim; the exit code."""
    from nrverify.ledger.verification import verify
    from nrverify.report.ledger.claim_terminal import print_claim

    verification = verify([id], profile="quick", written=True)
    for item in verification.settled:
        print_claim(item, console_for([]), verbose)
    return 0 if verification.ok else 1
