"""Every mechanism of unknown law in the catalogue is spared, and every mutant of one refuted by the check for it."""

import pytest

import nrverify
from nrverify.reference.mutants import hidden_places, textbook, textbook_wrong

OWN = {"textbook-fifty-streams": "randomness.streams", "textbook-price-of-the-last-run": "protocol.outputs"}
"""Mutants that another check than privacy.claim is for."""


@pytest.mark.slow
@pytest.mark.parametrize("entry", [*textbook_wrong.MUTANTS, *hidden_places.MUTANTS], ids=lambda entry: entry.name)
def test_a_mutant_is_refuted(entry):
    report = nrverify.audit(entry.subject, samples=300_000)
    refuted = {check.id for check in report.checks if check.verdict == "refuted"}
    assert OWN.get(entry.name, "privacy.claim") in refuted


@pytest.mark.slow
@pytest.mark.parametrize("entry", [*textbook.BENIGN, *hidden_places.BENIGN], ids=lambda entry: entry.name)
def test_a_right_one_is_spared(entry):
    report = nrverify.audit(entry.subject, samples=8_000)
    assert (report.verdict, report.privacy) == ("consistent", "consistent")
