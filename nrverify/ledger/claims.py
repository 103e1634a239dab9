"""The 100 checkable statements of the paper, as data."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files


class Verdict(StrEnum):
    """What became of a statement of the paper."""

    TRUE = "true"
    TRUE_WITH_HYPOTHESIS = "true-with-hypothesis"
    TRUE_PROOF_WRONG = "true-proof-wrong"
    FALSE = "false"
    MISPRINT = "misprint"
    GAP = "gap"
    NOT_CHECKABLE = "not-checkable"
    FAILED = "failed"
    """Not settled: evidence is missing, failed, or contradicts the recorded verdict."""


@dataclass(frozen=True)
class Claim:
    """A statement of the paper in our own words, with the verdict its evidence must arrive at."""

    id: str
    where: str
    label: str
    title: str
    statement: str
    statement_latex: str
    verdict: Verdict
    correction: str
    correction_latex: str
    why: str
    weight: int


def load_claims() -> dict[str, Claim]:
    """All claims of the ledger, in the order of the paper's parts."""
    document = tomllib.loads(files("nrverify.ledger").joinpath("claims.toml").read_text(encoding="utf-8"))
    claims = [Claim(**{**entry, "verdict": Verdict(entry["verdict"])}) for entry in document["claim"]]
    return {claim.id: claim for claim in claims}


def select_claims(claims: dict[str, Claim], wanted: Iterable[str]) -> dict[str, Claim]:
    """The claims asked for by id, in ledger order; all of them when none is named."""
    names = {name.upper() for name in wanted}
    return {id: claim for id, claim in claims.items() if not names or id in names}
