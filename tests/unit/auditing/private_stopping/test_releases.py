"""`stopping.releases` on batches made here: right ones are refuted with probability at most 1e-6, seeds are fixed."""

import numpy as np
import pytest

from nrverify.auditing.core.faults import noise as of_noise
from nrverify.auditing.core.results import CheckVerdict
from nrverify.auditing.private_stopping.releases import StoppingReleases

from .batches import THREE, bridged, fresh, stopped


def concluded(runs):
    check = StoppingReleases()
    check.observe(runs)
    return check.conclude(1e-6)


def scaled(factor):
    return lambda schedule, shape, rng: factor * bridged(schedule, shape, rng)


def shifted(schedule, shape, rng):
    return bridged(schedule, shape, rng) + 1.0


def shared(schedule, shape, rng):
    return np.repeat(bridged(schedule, (shape[0], 1), rng), shape[1], axis=2)


def none_at_all(schedule, shape, rng):
    return np.zeros((shape[0], len(schedule), shape[1]))


def heavy(schedule, shape, rng):
    """Student noise with 3 degrees of freedom, of the right variance, scaled down by the path of one number."""
    number = rng.standard_t(3, size=(shape[0], 1, shape[1])) / np.sqrt(3)
    return number * np.sqrt(np.array(schedule))[:, None]


@pytest.mark.parametrize("options", [{"runs": 8000}, {"design": THREE}])
def test_right_releases_are_spared(options):
    assert concluded(stopped(**options)).verdict is CheckVerdict.CONSISTENT


@pytest.mark.parametrize(
    ("noise", "faults"),
    [
        (fresh, (of_noise.FRESH_NOISE,)),
        (scaled(1.2), (of_noise.WRONG_SCALE, of_noise.WRONG_BRIDGE_VARIANCE)),
        (scaled(2.0), (of_noise.DEVIATION_FOR_VARIANCE, of_noise.WRONG_BRIDGE_VARIANCE)),
        (shifted, (of_noise.SHIFTED, of_noise.WRONG_BRIDGE_MEAN)),
        (shared, (of_noise.SHARED_COORDINATES,)),
        (none_at_all, (of_noise.VALUE_IN_CLEAR, of_noise.NO_NOISE)),
        (heavy, (of_noise.WRONG_SHAPE, of_noise.WRONG_BRIDGE_VARIANCE, of_noise.FRESH_NOISE)),
    ],
    ids=["fresh", "too much", "far too much", "shifted", "shared", "none", "heavy tails"],
)
def test_wrong_releases_are_refuted_and_the_fault_is_named(noise, faults):
    result = concluded(stopped(THREE, noise=noise))
    assert result.verdict is CheckVerdict.REFUTED
    assert result.finding.fault in faults


def test_few_runs_leave_it_undecided():
    assert concluded(stopped(runs=100)).verdict is CheckVerdict.INCONCLUSIVE
