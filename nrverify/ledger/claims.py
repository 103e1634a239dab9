"""The 100 checkable statements of the paper, and what holds beyond it, as data."""

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


class Ledger(StrEnum):
    """Which book a statement stands in; their counts are kept apart."""

    PAPER = "paper"
    BEYOND = "beyond"


FILES = {Ledger.PAPER: "claims.toml", Ledger.BEYOND: "beyond.toml"}


@dataclass(frozen=True)
class Claim:
    """A statement in our own words, with the verdict its evidence must arrive at."""

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
    ledger: Ledger = Ledger.PAPER


def load_claims() -> dict[str, Claim]:
    """All claims: those of the paper in the order of its parts, then those beyond it."""
    return {claim.id: claim for ledger in Ledger for claim in _claims_of(ledger)}


def _claims_of(ledger: Ledger) -> list[Claim]:
    document = tomllib.loads(files("nrverify.ledger").joinpath(FILES[ledger]).read_text(encoding="utf-8"))
    return [Claim(**{**entry, "verdict": Verdict(entry["verdict"]), "ledger": ledger}) for entry in document["claim"]]


def select_claims(claims: dict[str, Claim], wanted: Iterable[str]) -> dict[str, Claim]:
    """The claims asked for by id, in ledger order; all of them when none is named."""
    names = {name.upper() for name in wanted}
    return {id: claim for id, claim in claims.items() if not names or id in names}
