"""A claim's verdict is computed from what its evidence found, and fails when anything is missing or contradicts."""

import pytest

from nrverify.ledger.claims import Claim, Verdict
from nrverify.ledger.evidence import EvidenceKind, gap, holds, misprint, proof_wrong, refuted, supports
from nrverify.ledger.verdicts import Result, settle, verdict_of


def claim(verdict):
    return Claim("X01", "Section 1", "", "title", "statement", "", Verdict(verdict), "correction", "", "why", 1)


def result(finding, outcome="proved", kind=EvidenceKind.DERIVATION, message=""):
    return Result("symbolic.x.y", kind, outcome, {"X01": finding}, ("w",), None, None, 0.1, "", (), message)


@pytest.mark.parametrize(
    ("findings", "verdict"),
    [
        ([holds], Verdict.TRUE),
        ([refuted("p")], Verdict.FALSE),
        ([holds, proof_wrong("p")], Verdict.TRUE_PROOF_WRONG),
        ([misprint(), holds], Verdict.MISPRINT),
        ([gap(), supports], Verdict.GAP),
        ([holds, refuted("p")], Verdict.FAILED),
        ([supports], None),
        ([], None),
    ],
)
def test_the_strongest_finding_decides_and_contradictions_fail(findings, verdict):
    assert verdict_of(findings) is verdict


def test_a_claim_is_settled_when_its_evidence_arrives_at_the_recorded_verdict():
    assert settle(claim("true"), [result(holds)]).verdict is Verdict.TRUE


@pytest.mark.parametrize(
    ("recorded", "results", "problem"),
    [
        ("true", [], "no evidence decides it"),
        ("true", [result(supports)], "no evidence decides it"),
        ("true", [result(holds, outcome="failed", message="boom")], "boom"),
        ("true", [result(refuted("p"))], "says false, the ledger records true"),
        ("true", [result(holds), result(refuted("p"))], "contradicts itself"),
        ("not-checkable", [result(holds)], "yet it has evidence"),
    ],
)
def test_a_claim_fails_when_evidence_is_missing_failed_or_arrives_elsewhere(recorded, results, problem):
    settled = settle(claim(recorded), results)
    assert settled.verdict is Verdict.FAILED
    assert problem in settled.problem


def test_with_some_kinds_only_weaker_findings_do_not_contradict_the_record():
    assert settle(claim("false"), [result(supports)], partial=True).verdict is Verdict.FALSE
    assert settle(claim("true"), [result(refuted("p"))], partial=True).verdict is Verdict.FAILED


def test_a_claim_that_is_not_checkable_is_settled_without_evidence():
    assert settle(claim("not-checkable"), []).verdict is Verdict.NOT_CHECKABLE
