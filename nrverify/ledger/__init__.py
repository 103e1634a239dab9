"""The ledger: claims of the paper, evidence that runs, and verdicts computed from it."""

from nrverify.ledger.evidence import (
    Evidence,
    Kind,
    Refuted,
    Undecided,
    certificate,
    derivation,
    gap,
    holds,
    misprint,
    needs,
    proof_wrong,
    property_,
    reading,
    refuted,
    statistic,
    supports,
)

__all__ = [
    "Evidence",
    "Kind",
    "Refuted",
    "Undecided",
    "certificate",
    "derivation",
    "gap",
    "holds",
    "misprint",
    "needs",
    "proof_wrong",
    "property_",
    "reading",
    "refuted",
    "statistic",
    "supports",
]
