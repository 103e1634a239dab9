"""The audit of a boundary in this process: what it asks, and what it says of checks that it could not put."""

import math

import pytest

from nrverify.auditing.boundary.audit import CHECKS, BoundaryAudit
from nrverify.auditing.boundary.claim import claim_of
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.registry import declarations_for
from nrverify.subjects.errors import SubjectFailed
from tests.unit.auditing.boundary.host import CurveHost

LEVEL = 0.5 * math.log(1e6)
KINDS = {
    "boundary.values": "protocol",
    "boundary.monotone": "protocol",
    "boundary.crossing": "privacy",
    "boundary.inverse": "privacy",
}


def line(t):
    return 0.2 + (LEVEL / 0.2 + 0.5) / t


def audited(host, **settings):
    audit = BoundaryAudit(host, Settings(**settings), scan=600)
    return audit, {result.id: result for result in audit.run()}


def test_a_right_line_is_consistent_and_nothing_is_drawn():
    audit, results = audited(CurveHost(line, lambda epsilon: (LEVEL / 0.2 + 0.5) / (epsilon - 0.2)))
    assert {id: result.verdict for id, result in results.items()} == dict.fromkeys(KINDS, "consistent")
    assert {id: result.kind for id, result in results.items()} == KINDS
    assert (audit.drawer.drawn, audit.stopped, audit.failure, audit.suspect) == (0, "samples", None, None)
    assert set(audit.plots()) == {"boundary.crossing", "boundary.monotone"}
    assert audit.asked == ("all t > 0, looked at for t/Δ² in [1e-9, 1e9], t in [1e-09, 1e+09]",)


@pytest.mark.parametrize(
    ("psi", "refuted", "fault"),
    [
        (lambda t: math.nan if 10 < t < 20 else line(t), "boundary.values", "boundary-value"),
        (lambda t: line(t) - 0.5 / t, "boundary.crossing", "drift-missing"),
        (lambda t: line(t) * (0.9 if 300 < t < 320 else 1.0), "boundary.monotone", "boundary-rises"),
    ],
    ids=["improper", "crossed", "rises"],
)
def test_wrong_curves_are_refuted(psi, refuted, fault):
    audit, results = audited(CurveHost(psi))
    assert results[refuted].verdict == "refuted"
    assert results[refuted].finding.fault.id == fault
    assert audit.stopped == "refuted"


def test_checks_that_could_not_be_put_have_their_declared_kind():
    _, results = audited(CurveHost(lambda t: math.nan))
    assert {id: result.kind for id, result in results.items()} == KINDS
    others = [result for id, result in results.items() if id != "boundary.values"]
    assert {result.verdict for result in others} == {"inconclusive"}
    assert results["boundary.crossing"].decisive
    assert "no proper value" in results["boundary.crossing"].message


def test_a_subject_out_of_time_is_inconclusive():
    audit, results = audited(CurveHost(line), budget=1e-6)
    assert audit.stopped == "time"
    assert results["boundary.crossing"].verdict == "inconclusive"
    assert "--budget" in results["boundary.crossing"].message


def test_without_an_inverse_that_check_is_not_covered():
    _, results = audited(CurveHost(line))
    assert results["boundary.inverse"].verdict == "not-covered"
    assert "time(epsilon)" in results["boundary.inverse"].message


def test_only_the_checks_asked_for_are_returned():
    _, results = audited(CurveHost(line), only=("boundary.crossing",))
    assert list(results) == ["boundary.crossing"]


def test_waste_is_advice_of_the_kind_of_the_crossing():
    _, results = audited(CurveHost(lambda t: 1.3 * line(t)))
    assert (results["boundary.waste"].verdict, results["boundary.waste"].kind) == ("advice", "privacy")


def test_every_check_is_declared_for_boundaries_and_for_private_stopping():
    ids = [check.id for check in CHECKS]
    assert [one.id for one in declarations_for("boundary")] == ids == list(KINDS)
    assert all(one.weight == 0.0 and "private-stopping" in one.mechanisms for one in declarations_for("boundary"))


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"process": "skellam", "sensitivity": 0.5}, "sensitivity is 0.5"),
        ({"interval": (2e9, math.inf)}, "interval is"),
    ],
)
def test_claims_that_make_no_sense_cannot_be_run(attributes, words):
    with pytest.raises(SubjectFailed, match=words):
        claim_of(CurveHost(line, **attributes).description)
