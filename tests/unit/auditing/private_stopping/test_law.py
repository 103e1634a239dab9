"""`stopping.law` on batches made here: right ones are refuted with probability at most 1e-6, seeds are fixed."""

import numpy as np
import pytest
from scipy.special import ndtr

from nrverify.auditing.core.faults import halting
from nrverify.auditing.core.results import CheckVerdict
from nrverify.auditing.private_stopping.law import StoppingLaw

from .batches import DESIGN, stopped


def concluded(*batches):
    check = StoppingLaw()
    for batch in batches:
        part = check.empty_copy()
        part.observe(batch)
        check.merge(part)
    return check.conclude(1e-6)


def faults(result):
    assert result.verdict is CheckVerdict.REFUTED
    return (result.finding.fault, *result.finding.nearest)


def of_the_release(path, schedule):
    """Laplace noise made of the normal number of the release itself: the right law, from the wrong numbers."""
    z = path[:, :, 0] / np.sqrt(np.array(schedule))
    return np.copysign(-np.log(2 * ndtr(-np.abs(z))), z)


def before(releases, design):
    return np.concatenate([releases[:, :1], releases[:, :-1]], axis=1)


def exact(releases, design):
    return np.broadcast_to(design.array, releases.shape)


def test_the_right_law_is_spared():
    result = concluded(stopped(seed=1), stopped(seed=2))
    assert (result.verdict, result.samples) == (CheckVerdict.CONSISTENT, 8000)


def test_noise_shared_with_the_releases_is_said_to_be_shared():
    assert faults(concluded(stopped(query=of_the_release)))[0] is halting.SHARES_WITH_RELEASES


def test_a_utility_of_the_release_before_is_named():
    assert halting.UTILITY_OF_THE_RELEASE_BEFORE in faults(concluded(stopped(runs=8000, judged=before)))


def test_a_utility_of_the_exact_value_is_named():
    assert halting.UTILITY_OF_THE_EXACT_VALUE in faults(concluded(stopped(judged=exact)))


def test_the_last_charge_throughout_is_named():
    last = (DESIGN.epsilons[-1],) * 4
    assert halting.LAST_EPSILON_THROUGHOUT in faults(concluded(stopped(epsilons=last)))


def test_few_runs_leave_it_undecided():
    assert concluded(stopped(runs=100)).verdict is CheckVerdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("factor", "named"), [(0.5, "both noises doubled"), (2.0, "both noises halved")], ids=["half the ε", "twice the ε"]
)
def test_charges_of_another_size_are_named_first_where_they_rise(factor, named):
    charged = tuple(factor * epsilon for epsilon in DESIGN.epsilons)
    assert faults(concluded(stopped(runs=8000, epsilons=charged)))[0].title == named
