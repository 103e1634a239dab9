"""What a wrong law of the halt means beside twice the charge."""

import math

import pytest

from nrverify.auditing.private_stopping.effects import price_of_halt


@pytest.mark.parametrize(
    "fault",
    ["no-query-noise", "threshold-noise-redrawn", "last-epsilon-throughout", "utility-of-the-exact-value"],
)
def test_a_halt_that_loses_more_than_was_paid_is_a_leak_with_its_number(fault):
    found = price_of_halt(fault, 1e-6)
    assert found.effect == "leak"
    assert found.loss > found.claim
    assert "is claimed: a leak" in found.words


@pytest.mark.parametrize(
    "fault", ["first-epsilon-throughout", "utility-of-the-release-before", "query-noise-doubled", "threshold-ignored"]
)
def test_faults_that_only_cost_accuracy_are_not_told_to_leak(fault):
    assert price_of_halt(fault, 1e-6) is None


def test_a_halt_that_delta_allows_is_no_leak():
    # The halt after thirty rounds of a redrawn threshold has a probability of about 2e-6.
    rare, common = (price_of_halt("threshold-noise-redrawn", delta) for delta in (1e-9, 1e-3))
    assert rare.loss > 0
    assert common is None or common.loss < rare.loss
    assert math.isfinite(rare.loss)
