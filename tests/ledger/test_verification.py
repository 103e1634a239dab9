"""A verification settles every claim, and what is broken anywhere fails that claim and leaves the others."""

import dataclasses

import pytest

from nrverify.ledger import EvidenceKind, derivation, holds
from nrverify.ledger import verification as module
from nrverify.ledger.claims import Verdict, load_claims
from nrverify.ledger.suites import Located, Suites, load_suites
from nrverify.ledger.verification import verify


def raising(proof, form=1):
    """Raises."""
    raise KeyError("a suite's own mistake")


# In a tuple, so that pytest does not collect it as evidence of its own.
RAISES = (derivation({"B09": holds}, rejects={"two": {"form": 2}})(raising),)


def test_every_checkable_claim_has_evidence_and_readings_stay_few():
    bearing = {}
    for item in load_suites().evidence:
        for id in item.evidence.findings:
            bearing.setdefault(id, set()).add(item.evidence.kind)
    claims = load_claims()
    assert bearing.keys() <= claims.keys()
    for id, claim in claims.items():
        assert (id in bearing) == (claim.verdict is not Verdict.NOT_CHECKABLE), id
    assert sum(kinds == {EvidenceKind.READING} for kinds in bearing.values()) <= 20


def test_names_of_evidence_are_unique():
    names = [item.evidence.name for item in load_suites().evidence]
    assert len(names) == len(set(names))


def test_evidence_that_raises_fails_its_claim_and_leaves_the_others(monkeypatch):
    suites = load_suites()
    located = Located(RAISES[0], __name__, "RAISES")
    monkeypatch.setattr(
        module, "load_suites", lambda: dataclasses.replace(suites, evidence=[*suites.evidence, located])
    )
    monkeypatch.setattr("nrverify.ledger.runner.locate", _locate)
    done = verify(["B09", "A07"], profile="quick")
    verdicts = {item.claim.id: item.verdict for item in done.settled}
    assert verdicts == {"B09": Verdict.FAILED, "A07": Verdict.MISPRINT}
    assert not done.ok
    assert "KeyError" in next(item.problem for item in done.settled if item.claim.id == "B09")


def _locate(module_name, attribute):
    from nrverify.ledger.suites import locate

    return RAISES[0] if attribute == "RAISES" else locate(module_name, attribute)


def test_a_suite_that_cannot_be_imported_is_a_problem_and_the_others_still_run(monkeypatch):
    suites = load_suites()
    broken = Suites(suites.evidence, {"theirs.suite": "ImportError: no module named theirs"})
    monkeypatch.setattr(module, "load_suites", lambda: broken)
    done = verify(["A07"], profile="quick")
    assert done.settled_count == 1
    assert not done.ok
    assert "theirs.suite could not be imported" in done.problems[0]


def test_a_claim_without_evidence_fails(monkeypatch):
    monkeypatch.setattr(module, "load_suites", lambda: Suites([], {}))
    done = verify(["A07", "P08"])
    assert [item.verdict for item in done.settled] == [Verdict.NOT_CHECKABLE, Verdict.FAILED]


@pytest.mark.parametrize("seed", [1, 2])
def test_statistics_are_consistent_for_other_seeds(seed):
    """Each seed raises a false alarm with probability at most 1e-6."""
    done = verify(["B06", "R02"], kinds=[EvidenceKind.STATISTIC], profile="quick", seed=seed)
    assert done.ok, [item.problem for item in done.settled]


def test_claims_are_told_as_they_are_settled_and_each_once():
    told = []
    done = verify(["B09", "A07", "P04"], profile="quick", progress=lambda *seen: told.append(seen))
    assert [count for count, *_ in told] == list(range(1, len(told) + 1))
    assert {total for _, total, *_ in told} == {len(told)}
    settled = [item for *_, last in told for item in last]
    assert sorted(item.claim.id for item in settled) == ["A07", "B09", "P04"]
    verdicts = {item.claim.id: item.verdict for item in done.settled}
    assert {item.claim.id: item.verdict for item in settled} == verdicts
    for at, (*_, last) in enumerate(told):
        # Whatever bears on a claim has run by then, and the last of it just now.
        names = {result.name for _, _, result, _ in told[: at + 1]}
        for item in last:
            bearing = {result.name for result in item.results}
            assert bearing <= names
            assert told[at][2].name in bearing
