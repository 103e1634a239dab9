"""The ledger as data: `nrverify/ledger/1`."""

from __future__ import annotations

import json
from typing import Any

from nrverify.ledger.verdicts import Result, Settled
from nrverify.ledger.verification import Verification

SCHEMA = "nrverify/ledger/1"


def ledger_json(verification: Verification) -> str:
    """The whole ledger as one JSON document."""
    return json.dumps(ledger_document(verification), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def ledger_document(verification: Verification) -> dict[str, Any]:
    """The document behind the JSON report."""
    return {
        "schema": SCHEMA,
        "settled": verification.settled_count,
        "total": len(verification.settled),
        "profile": verification.profile,
        "seed": verification.seed,
        "problems": list(verification.problems),
        "claims": [_claim(item) for item in verification.settled],
    }


def _claim(item: Settled) -> dict[str, Any]:
    return {
        "id": item.claim.id,
        "where": item.claim.where,
        "label": item.claim.label,
        "statement": item.claim.statement,
        "verdict": item.verdict.value,
        "correction": item.claim.correction or None,
        "why": item.claim.why or None,
        "problem": item.problem or None,
        "evidence": [_evidence(result) for result in item.results],
    }


def _evidence(result: Result) -> dict[str, Any]:
    return {
        "name": result.name,
        "kind": result.kind.value,
        "outcome": result.outcome,
        "rejects": list(result.rejects),
        "samples": result.samples,
        "alpha": result.alpha,
        "seconds": round(result.seconds, 3),
        "message": result.message or None,
        "steps": [{"name": step.name, "checked": step.checked, "by": step.by} for step in result.steps],
    }
