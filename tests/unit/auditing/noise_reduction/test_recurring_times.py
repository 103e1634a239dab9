"""Noise whose scale is wrong up at one time and down at another is seen at the times that are asked for again.

Right noise is refuted with probability at most 6e-8 a test; seeds are fixed.
"""

import numpy as np
import pytest

from nrverify.auditing.core.transforms.rosenblatt import innovations
from nrverify.auditing.noise_reduction.checks.release_law import ReleaseLaw
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import ROUNDED_DOWN, Case
from nrverify.auditing.noise_reduction.design.knob import EPSILONS, Knob
from nrverify.auditing.noise_reduction.design.varying import recurring, varied
from nrverify.laws.brownian import Brownian
from nrverify.laws.discrete_laplace import DiscreteLaplace
from nrverify.subjects.policies import Fixed
from tests.unit.auditing.noise_reduction.batches import ALPHA, batch, brownian, fault, seen

KNOB = Knob(1.0, 1000.0, falling=True)
TIMES = recurring((), KNOB)
UP_AND_DOWN = {1.9: 0.75, 2.5: 1.25}
"""Factors of the variance at two times, whose errors cancel in a sum over all."""


def observed(variances, times=TIMES, sessions=700, seed=5):
    """The check after one release at each of two times and at 1.0, of which the first have these variances."""
    rng, check = np.random.default_rng(seed), ReleaseLaw(KNOB, recur=times)
    for at in (1.9, 2.5, 1.0):
        noise = np.sqrt(variances.get(at, 1.0)) * brownian(rng, (at,), sessions, d=2)
        seen(check, batch(noise, (at,)))
    return check


def test_errors_up_and_down_are_seen_time_by_time_and_the_time_is_named():
    found = observed(UP_AND_DOWN).conclude(ALPHA).finding
    assert found.fault.id == "wrong-scale"
    assert found.quantity == f"variance of the first release at time {found.estimate.numbers['time']:g}"
    assert found.estimate.observed == pytest.approx(UP_AND_DOWN[found.estimate.numbers["time"]], abs=0.1)
    assert fault(observed(UP_AND_DOWN, times=())) is None


def test_right_noise_is_spared_at_every_time():
    assert fault(observed({})) is None


def test_a_wrong_scale_at_all_times_is_not_said_of_one():
    found = observed({1.9: 0.7, 2.5: 0.7, 1.0: 0.7}).conclude(ALPHA).finding
    assert found.quantity == "variance of the first release"


def test_the_wealth_of_sessions_at_many_times_is_that_of_the_times_in_turn():
    """A record has sessions whose first times differ; and workers share times among them."""
    rng = np.random.default_rng(6)
    parts = [batch(brownian(rng, (at,), 50), (at,)) for at in (1.9, 2.5, 1.9)]
    apart, together = ReleaseLaw(KNOB, recur=TIMES), ReleaseLaw(KNOB, recur=TIMES)
    seen(apart, *parts)
    releases, asked = (np.concatenate([getattr(part, name) for part in parts]) for name in ("releases", "asked"))
    scores = innovations(Brownian(), releases, asked, np.abs(releases), rng, integer=False)
    together.observe(Batch(parts[0].case, releases, asked, asked, scores))
    assert together._times.counts.tolist() == apart._times.counts.tolist()
    assert together._times.log_e == pytest.approx(apart._times.log_e, rel=1e-9)


def test_the_size_at_one_time_is_stated_where_every_time_was_asked():
    assert len(observed({}).conclude(ALPHA).sizes) == 1
    sizes = observed({}, times=(1.9, 2.5, 1.0), sessions=2000).conclude(ALPHA).sizes
    assert sizes[1].quantity == "variance of the first release at any one of 3 times asked"
    assert sizes[1].value > sizes[0].value


def drawn(rng, at, factor, sessions=60_000):
    """Discrete Laplace noise at a time, of a scale so many times that."""
    p = -np.expm1(-1 / (factor * at))
    noise = (rng.geometric(p, (sessions, 1, 1)) - rng.geometric(p, (sessions, 1, 1))).astype(float)
    asked = np.full((sessions, 1), at)
    scores = innovations(DiscreteLaplace(), noise, asked, np.abs(noise), rng, integer=True)
    return Batch(Case("a case", (0.0,), Fixed((at,)), "sample"), noise, asked, asked, scores)


@pytest.mark.parametrize(("factor", "found"), [(1.0, None), (0.965, "wrong-scale")])
def test_scales_rounded_down_by_little_add_up_by_their_exact_likelihood(factor, found):
    rng, check = np.random.default_rng(7), ReleaseLaw(KNOB, DiscreteLaplace())
    for at in ROUNDED_DOWN[16][:2]:
        seen(check, drawn(rng, at, factor, 30_000))
    for at in (3.0, 5.0):
        seen(check, drawn(rng, at, 2 - factor, 30_000))
    result = check.conclude(ALPHA)
    assert (result.finding and result.finding.fault.id) == found
    if found:
        assert "denominators up to 16" in result.finding.quantity


def test_what_comes_again_is_asked_by_subjects_that_release_once_and_known_before():
    case, rng = Case("single", (2.0,), Fixed((10.0,)), "sample"), np.random.default_rng(1)
    asked = {varied(case, KNOB, False, rng, alone=True).rule.schedule[0] for _ in range(500)}
    assert set(TIMES) <= asked
    assert {1.9, 7 / 3, 2.5, np.pi / 2} <= set(TIMES)
    assert not set(TIMES) & {varied(case, KNOB, False, rng).rule.schedule[0] for _ in range(500)}
    epsilons = Knob(0.2, 5.0, falling=False)
    assert len(recurring((), epsilons)) == EPSILONS
    assert {varied(case, epsilons, False, rng, alone=True).rule.schedule[0] for _ in range(500)} == set(
        recurring((), epsilons)
    )
