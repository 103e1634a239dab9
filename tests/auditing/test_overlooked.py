"""Faults that are easily overlooked are refuted by the check that asks for them, and their right relatives spared.

Budgets are about three times what the fault needed when this was written. A right relative is refuted by chance with
probability at most 1e-6, the level of the run.
"""

import pytest

from nrverify import audit
from nrverify.reference.mutants.overlooked import OVERLOOKED, RELATIVES

NEEDED = {
    "brownian-rare-shared-coordinates": (1_000, "independence.coordinates"),
    "brownian-value-on-subject": (1_500, "law.release"),
    "brownian-middling-values": (4_500, "law.value"),
    "brownian-seed-plus-coordinate": (2_500, "randomness.streams"),
    "brownian-one-coordinate-small": (120_000, "law.transcript"),
    "brownian-polar-in-two-dimensions": (8_000, "independence.coordinates"),
    "brownian-last-is-first": (600, "ties"),
    "laplace-coins-two-apart": (400, "independence.coordinates"),
    "skellam-rare-shared-coordinates": (1_000, "independence.coordinates"),
    "epsilon-brownian-equal-sizes-two-apart": (400, "independence.coordinates"),
    "stopping-few-streams": (3_000, "randomness.streams"),
    "stopping-rare-shared-coordinates": (2_500, "stopping.releases"),
    "threshold-mirrored-runs": (12_000, "threshold.law"),
    "threshold-runs-of-few-streams": (400, "randomness.streams"),
}
"""Samples, and the check that is there for the fault."""
SPARED = 3_000
"""Samples of a right relative: as many as most of the faults need several times over."""


def test_every_overlooked_fault_has_a_budget():
    assert {entry.name for entry in OVERLOOKED} == NEEDED.keys()


@pytest.mark.parametrize("entry", OVERLOOKED, ids=lambda entry: entry.name)
def test_an_overlooked_fault_is_refuted_by_the_check_that_asks_for_it(entry):
    samples, check = NEEDED[entry.name]
    report = audit(entry.subject, samples=samples, budget=600.0)
    assert report.verdict == "refuted"
    assert check in {result.id for result in report.checks if result.verdict == "refuted"}


@pytest.mark.parametrize("entry", RELATIVES, ids=lambda entry: entry.name)
def test_a_right_relative_is_spared(entry):
    report = audit(entry.subject, samples=SPARED, budget=600.0)
    assert report.verdict in ("consistent", "inconclusive"), [r.message for r in report.checks if r.message]
    judged = {result.id for result in report.checks if result.verdict in ("consistent", "inconclusive")}
    assert "randomness.streams" in judged
