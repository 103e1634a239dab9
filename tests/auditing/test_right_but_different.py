"""Mechanisms that keep their claim with another law: no leak is told of them, and of mutants that leak one is."""

import math

import pytest

from nrverify import audit
from nrverify.reference.mutants import DIFFERENT, MUTANTS
from nrverify.report.audit.finding_text import answers

BY_NAME = {entry.name: entry.subject for entry in (*DIFFERENT, *MUTANTS)}
LEAKING = (
    *("brownian-fresh-noise", "brownian-variance-for-deviation", "brownian-stale-time", "brownian-bridge-from-first"),
    *("brownian-reseeded-each-release", "brownian-repeated-time-fresh", "brownian-seed-ignored"),
    *("threshold-query-noise-halved", "threshold-scales-swapped", "threshold-redrawn", "threshold-query-noise-once"),
    *("threshold-gaussian-query-noise", "threshold-sensitivity-ignored", "threshold-query-noise-quartered"),
    *("reduced-threshold-query-noise-halved", "epsilon-laplace-half-the-scale", "epsilon-brownian-half-the-noise"),
)
"""At their first refutation; the table of the kill matrix has all of them, also when the audit goes on."""


def refuted(report):
    return [check for check in report.checks if check.verdict == "refuted"]


@pytest.mark.parametrize("name", ["different-threshold-lyu", "different-threshold-exponential"])
def test_a_private_threshold_with_other_noise_is_refuted_in_its_law_alone(name):
    report = audit(BY_NAME[name], samples=20_000)
    assert (report.law, report.privacy) != ("consistent", "refuted")
    assert report.law == "refuted"
    assert report.privacy in ("consistent", "inconclusive")
    assert answers(report).startswith(f"law: refuted · privacy claim: {report.privacy}")
    assert "leak" not in {check.effect for check in refuted(report)}
    assert all("a leak" not in check.message for check in refuted(report))


@pytest.mark.parametrize("name", ["different-laplace-snapped", "different-epsilon-laplace-snapped"])
def test_a_snapped_laplace_mechanism_is_refuted_in_its_law_alone(name):
    report = audit(BY_NAME[name], samples=5_000)
    assert report.law == "refuted"
    assert report.privacy in ("consistent", "inconclusive", "not-covered")
    found = refuted(report)
    assert "leak" not in {check.effect for check in found}
    assert any("no violation of the privacy claim was shown" in check.message for check in found)


def test_there_are_thirty_of_them():
    assert len({entry.name for entry in DIFFERENT}) >= 30


@pytest.mark.slow
@pytest.mark.parametrize("name", [entry.name for entry in DIFFERENT])
def test_nothing_that_is_right_is_told_it_leaks(name):
    report = audit(BY_NAME[name], samples=6_000)
    assert report.privacy != "refuted"
    assert "leak" not in {check.effect for check in refuted(report)}


@pytest.mark.slow
@pytest.mark.parametrize("name", LEAKING)
def test_what_leaks_is_told_so_with_a_number(name):
    found = refuted(audit(BY_NAME[name]))
    told = [check for check in found if check.effect == "leak"]
    assert told
    numbers = told[0].finding.numbers
    loss = numbers.get("loss", numbers["observed"])
    assert loss is not None
    assert not math.isnan(float(loss))
