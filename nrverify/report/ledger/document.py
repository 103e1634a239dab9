"""The ledger as data: `nrverify/ledger/1`."""

from __future__ import annotations

import json
from typing import Any

from nrverify.ledger.claims import Ledger
from nrverify.ledger.evidence import Core
from nrverify.ledger.tree import Use
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
        **_counts(verification.of(Ledger.PAPER)),
        "profile": verification.profile,
        "seed": verification.seed,
        "problems": list(verification.problems),
        "claims": _claims(verification.of(Ledger.PAPER)),
        "beyond": {
            **_counts(verification.of(Ledger.BEYOND)),
            "claims": _claims(verification.of(Ledger.BEYOND)),
        },
    }


def _counts(verification: Verification) -> dict[str, int]:
    return {
        "settled": verification.settled_count,
        "total": len(verification.settled),
        "kernel_checked": verification.kernel_checked,
    }


def _claims(verification: Verification) -> list[dict[str, Any]]:
    return [_claim(item) for item in verification.settled]


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
        "evidence": [_evidence(result, item) for result in item.results],
    }


def _evidence(result: Result, item: Settled) -> dict[str, Any]:
    finding = result.findings[item.claim.id]
    return {
        "name": result.name,
        "kind": result.kind.value,
        "outcome": result.outcome,
        "decides": finding.verdict is not None,
        "printed": finding.printed,
        "rejects": list(result.rejects),
        "samples": result.samples,
        "alpha": result.alpha,
        "seconds": round(result.seconds, 3),
        "message": result.message or None,
        "steps": [
            {"name": step.name, "checked": step.checked, "by": step.by, "tools": list(step.tools)}
            for step in result.steps
        ],
        "assumes": list(result.assumes),
        "uses": [_use(use) for use in result.uses],
        "core": None if result.core is None else _core(result.core),
    }


def _core(core: Core) -> dict[str, Any]:
    return {"file": core.file, "theorems": list(core.theorems), "unsaid": list(core.unsaid)}


def _use(use: Use) -> dict[str, Any]:
    return {
        "name": use.name,
        "claims": list(use.claims),
        "assumes": list(use.assumes),
        "uses": [_use(below) for below in use.uses],
    }
