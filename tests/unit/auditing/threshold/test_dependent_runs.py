"""Runs of a threshold mechanism that depend on each other, or on part of their seed, are refuted; others are not.

Right runs are refuted with probability at most 1e-6 a test; seeds are fixed.
"""

import numpy as np
import pytest

from nrverify.auditing.threshold.designs import Design
from nrverify.auditing.threshold.drawing import Runs, with_scores
from nrverify.auditing.threshold.faulty_laws import claimed_law
from nrverify.auditing.threshold.law import ThresholdLaw
from nrverify.auditing.threshold.run_streams import RunStreams
from nrverify.auditing.threshold.twin_seeds import twin

DESIGN = Design("a design", (0.0,) * 6, (1.0,) * 6)


def from_uniforms(u):
    """Bins by the quantiles of the claimed law."""
    return np.minimum(np.searchsorted(claimed_law(DESIGN).cumsum(), u), DESIGN.rounds)


def mirrored_halves(rng):
    u = rng.random(3000)
    return np.concatenate([u, 1 - u])


def mirrored_ends(rng):
    u = rng.random(3000)
    return np.concatenate([u, 1 - u[::-1]])


def neighbours_as_extreme(rng):
    """No correlation: of two neighbours both are in the middle, or both in the tails."""
    u = rng.random(3000)
    other = np.where(rng.random(3000) < 0.5, (u + 0.5) % 1.0, (1.5 - u) % 1.0)
    folded = np.where(np.abs(other - 0.5) < 0.25, (other + 0.5) % 1.0, other)
    same = np.where(np.abs(u - 0.5) < 0.25, 0.25 + 0.5 * rng.random(3000), folded)
    return np.stack([u, same], axis=1).ravel()


def stratified(rng, size=24):
    """Each request has one number in every twenty-fourth of the law, in random order: no two runs are alike."""
    strata = np.stack([rng.permutation(size) for _ in range(6000 // size)])
    return ((strata + rng.random(strata.shape)) / size).ravel()


def test_stratified_runs_of_a_request_spread_too_little():
    rng = np.random.default_rng(2)
    for draw, found in ((stratified, "shared-between-runs"), (lambda rng: rng.random(6000), None)):
        check = ThresholdLaw([DESIGN], ["run_many"])
        check.observe(with_scores(Runs(DESIGN, "run_many", from_uniforms(draw(rng)), request=24), rng))
        result = check.conclude(1e-6)
        assert (result.finding.fault.id if result.verdict == "refuted" else None) == found


@pytest.mark.parametrize(
    ("draw", "found"),
    [
        (lambda rng: rng.random(6000), None),
        (mirrored_halves, "shared-between-runs"),
        (mirrored_ends, "shared-between-runs"),
        (neighbours_as_extreme, "shared-between-runs"),
    ],
)
def test_dependent_runs_of_a_request(draw, found):
    rng = np.random.default_rng(1)
    check = ThresholdLaw([DESIGN], ["run_many"])
    check.observe(with_scores(Runs(DESIGN, "run_many", from_uniforms(draw(rng)), request=6000), rng))
    result = check.conclude(1e-6)
    assert (result.finding.fault.id if result.verdict == "refuted" else None) == found


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**53 - 1, 2**52])
def test_a_twin_agrees_in_the_last_bits_and_digits_and_in_no_more_than_32_bits(seed):
    other = twin(seed)
    assert 0 <= other < 2**53
    assert other != seed
    assert (other - seed) % 2**24 == 0
    assert (other - seed) % 10**6 == 0
    assert (other - seed) % 2**32 != 0
    assert (other - seed) % (2**31 - 1) != 0


@pytest.mark.parametrize(("same", "verdict"), [(0.0, "consistent"), (0.3, "refuted"), (1.0, "refuted")])
def test_runs_that_hang_on_part_of_their_seed(same, verdict):
    rng = np.random.default_rng(2)
    first, second = from_uniforms(rng.random(2000)), from_uniforms(rng.random(2000))
    second = np.where(rng.random(2000) < same, first, second)
    check = RunStreams()
    check.observe(Runs(DESIGN, "run", np.concatenate([first, second]), twins=2000))
    assert check.conclude(1e-6).verdict == verdict
