"""Words about a claim that depend on its ledger and its verdict."""

from __future__ import annotations

from nrverify.ledger.claims import Ledger, Verdict
from nrverify.ledger.verdicts import Settled


def as_given(item: Settled) -> str:
    """What marks the rejected variant that is the claim itself."""
    return "as printed" if item.claim.ledger is Ledger.PAPER else "as stated"


def fails(item: Settled) -> str:
    """The heading over what rejects the claim."""
    if item.verdict is Verdict.TRUE_WITH_HYPOTHESIS:
        return "Without the hypothesis it fails"
    return "The printed form fails" if item.claim.ledger is Ledger.PAPER else "The statement fails"
