"""Integer releases beyond what the laws count with: judged by the law, never an error; right noise is not touched."""

from dataclasses import replace

import numpy as np
import pytest

from nrverify.auditing.core.transforms.rosenblatt import innovations
from nrverify.auditing.noise_reduction.checks.change_of_measure import ChangeOfMeasure
from nrverify.auditing.noise_reduction.checks.integers.equal_paths import equal_paths
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.observe import REACH, scored, show, show_any_order, show_labelled, within_reach
from nrverify.laws.discrete_laplace import DiscreteLaplace
from nrverify.subjects.describe import describe
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.policies import Fixed
from tests.unit.auditing.noise_reduction.batches import ALPHA, TIMES, labelled, skellam

FAMILIES = {"skellam": {"rate": 1.0}, "discrete-laplace": {}, "discrete-gaussian": {}}
ABSURD = (1e19, -1e19, 1e30, -1e80, 2.0**62 + 2**10)


def described(mechanism, **more):
    return describe({"mechanism": mechanism, "methods": ["sample"], "dimensions": [1], **FAMILIES[mechanism], **more})


def times_of(mechanism):
    return TIMES[:1] if mechanism == "discrete-gaussian" else TIMES


class Keeps:
    """A check that keeps what it is shown."""

    sees_any_order = True

    def observe(self, drawn):
        self.drawn = drawn

    observe_labelled = observe


@pytest.mark.parametrize("absurd", ABSURD)
@pytest.mark.parametrize("mechanism", FAMILIES)
def test_an_absurd_release_has_the_most_extreme_score(mechanism, absurd):
    rng, times, kept = np.random.default_rng(1), times_of(mechanism), Keeps()
    noise = skellam(rng, times, sessions=4)
    noise[2, 0] = absurd
    case = Case("a case", (0.0,), Fixed(times), "sample")
    asked = np.tile(times, (4, 1))
    show(described(mechanism), case, noise, asked, asked, rng, [kept])
    found = kept.drawn.innovations.z
    assert abs(found[2, 0, 0]) > 8
    assert np.sign(found[2, 0, 0]) == np.sign(absurd)
    assert np.abs(found[[0, 1, 3]]).max() < 8
    assert kept.drawn.releases[2, 0, 0] == absurd  # other checks see what was released


@pytest.mark.parametrize("mechanism", ["skellam", "discrete-laplace"])
def test_an_absurd_release_in_any_order_is_placed(mechanism):
    rng, kept = np.random.default_rng(2), Keeps()
    times = (1.0, 8.0, 4.0)
    noise = np.zeros((3, 3, 1))
    noise[1, 1] = 1e30
    case = Case("a case", (0.0,), Fixed(times), "sample", ranks=(0, 2, 1))
    show_any_order(described(mechanism, any_order=True), case, noise, np.tile(times, (3, 1)), rng, [kept])
    assert kept.drawn.placed is not None


@pytest.mark.parametrize("absurd", ABSURD)
@pytest.mark.parametrize("mechanism", FAMILIES)
def test_the_change_of_measure_takes_absurd_releases(mechanism, absurd):
    description, times = described(mechanism), times_of(mechanism)
    drawn = labelled(np.random.default_rng(3), lambda rng, n: skellam(rng, times, sessions=n), times, sessions=200)
    # Absurd releases of either label: all say the same of a label that is a fair coin.
    releases = drawn.releases.copy()
    releases[:150] = absurd
    check = ChangeOfMeasure(description.claimed_process)
    show_labelled(description, replace(drawn, releases=releases), [check], np.random.default_rng(4))
    assert check.sessions == 200
    # Skellam's loss of a difference of 2 vanishes in double precision at 2^61: 0, and the coin is fair given that.
    assert check.refuted(ALPHA) == (mechanism != "skellam")


@pytest.mark.parametrize("mechanism", FAMILIES)
def test_releases_within_reach_are_what_they_were(mechanism):
    releases = np.array([[[REACH]], [[-REACH]], [[np.nan]], [[7.0]], [[-1e15]]])
    np.testing.assert_array_equal(within_reach(described(mechanism), releases), releases)


@pytest.mark.parametrize(
    ("mechanism", "near", "far"),
    [
        ("skellam", 4e29, 6e29),
        ("discrete-laplace", 4e14, 6e14),
        ("discrete-gaussian", 4e29, 6e29),
    ],
)
def test_times_whose_noise_may_pass_the_reach_are_not_scored_whatever_is_released(mechanism, near, far):
    releases = np.zeros((1, 1, 1))
    assert scored(described(mechanism), releases, np.array([[near]]))
    assert not scored(described(mechanism), releases, np.array([[far]]))
    assert scored(described(mechanism), releases, None)
    described(mechanism, range=(1.0, near))
    with pytest.raises(SubjectFailed, match="the upper end of attribute range is"):
        described(mechanism, range=(1.0, far))


def test_equal_paths_of_absurd_integers_have_a_probability():
    noise, rng = np.full((1, 2, 2), REACH), np.random.default_rng(9)
    found = innovations(DiscreteLaplace(), noise, np.array([[2.0, 1.0]]), np.abs(noise), rng, integer=True)
    happened, probability = equal_paths(noise, found.log_weight)
    assert happened.all()
    assert probability == pytest.approx(0.0)
