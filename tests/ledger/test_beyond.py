"""The second ledger is well formed, and its counts are kept apart from the paper's."""

import re

import pytest

from nrverify.ledger.claims import Ledger, Verdict, load_claims
from nrverify.ledger.verification import verify
from nrverify.report.ledger.document import ledger_document
from nrverify.report.ledger.markdown import ledger_markdown

BEYOND = [claim for claim in load_claims().values() if claim.ledger is Ledger.BEYOND]


def test_ids_are_numbered_without_a_gap_after_the_hundred_of_the_paper():
    assert [claim.id for claim in BEYOND] == [f"X{number:02d}" for number in range(1, len(BEYOND) + 1)]
    assert len(load_claims()) == 100 + len(BEYOND)


@pytest.mark.parametrize("claim", BEYOND, ids=lambda claim: claim.id)
def test_a_claim_is_complete(claim):
    assert claim.verdict in (Verdict.TRUE, Verdict.FALSE)
    assert all((claim.statement, claim.why, claim.title, claim.where))
    assert len(claim.title.split()) <= 9
    assert not re.search(r"\bSection\b", claim.where)
    if claim.verdict is Verdict.FALSE:
        assert claim.correction
        assert claim.correction_latex != claim.statement_latex


@pytest.fixture(scope="module")
def verification():
    return verify(["A07", "X05", "X14", "X02"], profile="quick")


def test_counts_of_the_two_ledgers_are_kept_apart(verification):
    document = ledger_document(verification)
    assert verification.ok
    assert (document["settled"], document["total"]) == (1, 1)
    assert (document["beyond"]["settled"], document["beyond"]["total"]) == (3, 3)
    assert [claim["id"] for claim in document["beyond"]["claims"]] == ["X02", "X05", "X14"]


def test_the_document_has_the_second_ledger_at_its_end(verification):
    text = ledger_markdown(verification)
    paper, beyond = text.split("# Beyond the paper")
    assert "**1 of 1 statements are settled**" in paper
    assert "**3 of 3 statements are settled**" in beyond
    assert "X14" not in paper
    assert "**What holds instead:**" in beyond
