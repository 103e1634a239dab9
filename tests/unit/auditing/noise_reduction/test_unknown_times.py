"""Checks of ε-knobs whose times are not known: each refuted by the noise it exists for, and spared by right noise.

Every statement that right noise is spared is wrong with probability at most 6e-8, the level of a check.
"""

import numpy as np
import pytest

from nrverify.auditing.core.applicable import applicable
from nrverify.auditing.core.faults import alternative_of
from nrverify.auditing.explain.text import worded
from nrverify.auditing.noise_reduction.unknown_times.coordinate_signs import SIZES, UnknownCoordinates
from nrverify.auditing.noise_reduction.unknown_times.increment_signs import SignIncrements
from nrverify.auditing.noise_reduction.unknown_times.increments import IncrementLaw, _log_shares
from nrverify.auditing.noise_reduction.unknown_times.release_shape import UnknownReleases, laplace_scores, normal_scores
from nrverify.auditing.noise_reduction.unknown_times.value_sizes import UnknownValues
from nrverify.auditing.registry import declarations_for
from tests.unit.auditing.noise_reduction.batches import ALPHA, brownian, fault, laplace, seen, skellam
from tests.unit.auditing.noise_reduction.epsilon.epsilon_batches import by_epsilon, epsilon_context

RNG = 20261118


def rng():
    return np.random.default_rng(RNG)


# The shape of releases


@pytest.mark.parametrize(("scores", "noise"), [(normal_scores, brownian), (laplace_scores, laplace)])
def test_releases_of_the_claimed_family_are_spared_whatever_their_scale(scores, noise):
    numbers = rng()
    drawn = [by_epsilon(factor * noise(numbers, sessions=4000)) for factor in (1e-3, 1.0, 1e6)]
    assert fault(seen(UnknownReleases(scores), *drawn)) is None


def redrawn_beyond(noise, limit):
    """Normal noise of one release, the numbers beyond so many deviations taken out."""
    return noise[np.abs(noise[:, 0, 0]) < limit]


@pytest.mark.parametrize(
    ("noise", "expected"),
    [
        (lambda: laplace(rng(), sessions=4000), "wrong-shape"),
        (lambda: brownian(rng(), sessions=4000) + 0.2, "shifted"),
        (lambda: redrawn_beyond(rng().standard_normal((60_000, 1, 1)), 3.0), "wrong-shape"),
    ],
    ids=["laplace", "shifted", "cut at 3"],
)
def test_releases_of_another_shape_or_centre_are_refuted(noise, expected):
    drawn = noise()
    epsilons = (0.5, 0.6, 1.0, 2.5)[: drawn.shape[1]]
    assert fault(seen(UnknownReleases(normal_scores), by_epsilon(drawn, epsilons))) == expected


def test_heavy_tails_are_named_by_their_alternative():
    noise = rng().standard_t(12, (30_000, 1, 1))
    found = seen(UnknownReleases(normal_scores), by_epsilon(noise, (0.5,))).conclude(ALPHA).finding
    assert (found.fault.id, found.estimate.measure) == ("wrong-shape", "alternative")
    assert "Student t, 12 degrees" in alternative_of(found.estimate.alternatives[0]).title


def test_what_would_have_been_caught_is_a_share():
    check = seen(UnknownReleases(normal_scores), by_epsilon(brownian(rng(), sessions=4000)))
    (size,) = check.conclude(ALPHA).sizes
    # Hoeffding: P(|share − p| > h) ≤ 2e^{−2nh²}; bets on sixteen bins that pay their weight need up to twice as much.
    hoeffding = np.sqrt(np.log(2 / ALPHA) / (2 * 4000))
    assert hoeffding < size.value < 2 * hoeffding
    assert UnknownReleases(normal_scores).conclude(ALPHA).sizes == ()


# Whether the noise ignores the value


@pytest.mark.parametrize(
    ("values", "factors", "expected"),
    [
        ((3.0, -3.0), (1.0, 1.0), None),
        ((3.0, -3.0), (1.0, 2.0), "depends-on-value"),
        ((3.0, 1000.0), (1.0, 0.5), "depends-on-value"),
        ((3.0, 4.0), (1.0, 2.0), None),
    ],
    ids=["equal", "louder below 0", "quieter far from 0", "two values of one kind"],
)
def test_noise_that_depends_on_the_kind_of_value_is_refuted(values, factors, expected):
    """Twice the noise is the larger with probability ½ + (2/π) atan(1/3) = 0.705, compared 512 times."""
    numbers = rng()
    drawn = [
        by_epsilon(factor * brownian(numbers, times=(2.0,)), (0.5,), value)
        for value, factor in zip(values, factors, strict=True)
    ]
    assert fault(seen(UnknownValues(), *drawn)) == expected


def test_the_finding_counts_comparisons():
    numbers = rng()
    drawn = [by_epsilon(factor * brownian(numbers, times=(2.0,)), (0.5,), value) for value, factor in ((3, 1), (-3, 2))]
    result = worded(seen(UnknownValues(), *drawn).conclude(ALPHA), UnknownValues.declaration)
    estimate = result.finding.estimate
    assert (estimate.expected, estimate.count) == (256.0, 512)
    assert result.observed == f"larger noise at values below 0 than at others: {estimate.observed:.0f} of 512"


# Independence of coordinates


def shared_sizes(numbers):
    """The same size in all coordinates, each with a sign of its own."""
    size = np.abs(brownian(numbers, d=1, sessions=4000))
    return size * numbers.choice([-1.0, 1.0], (4000, 1, 3))


@pytest.mark.parametrize(
    ("noise", "expected"),
    [
        (lambda numbers: brownian(numbers, d=3, sessions=4000), None),
        (lambda numbers: laplace(numbers, d=3, sessions=4000), None),
        (lambda numbers: skellam(numbers, d=3, sessions=4000), None),
        (lambda numbers: np.repeat(brownian(numbers, sessions=4000), 3, axis=2), "shared-between-coordinates"),
        (shared_sizes, "shared-between-coordinates"),
    ],
    ids=["brownian", "laplace", "skellam", "one draw", "one size"],
)
def test_noise_shared_by_coordinates_is_refuted(noise, expected):
    shown = by_epsilon(noise(rng()))
    check = seen(UnknownCoordinates(integer=bool((shown.releases % 1 == 0).all())), shown)
    assert fault(check) == expected
    if noise is shared_sizes:
        assert check.finding(ALPHA).quantity == SIZES.quantity


def test_one_coordinate_says_nothing():
    check = seen(UnknownCoordinates(), by_epsilon(brownian(rng())))
    assert (check.sessions, check.conclude(ALPHA).sizes) == (0, ())


# Increments


def fresh_normal(numbers):
    return np.sqrt((8.0, 4.0, 1.0, 0.3))[:, None] * numbers.standard_normal((2000, 4, 1))


@pytest.mark.parametrize(
    ("noise", "expected"),
    [
        (brownian, None),
        (fresh_normal, "fresh-noise"),
        (lambda numbers: brownian(numbers) + 1.0, "shifted"),
    ],
    ids=["bridge", "fresh", "shifted"],
)
def test_gaussian_increments_that_depend_or_are_not_centred_are_refuted(noise, expected):
    """In batches: the law is learned on the first, and bet on the others."""
    drawn = noise(rng())
    check = seen(IncrementLaw(), *(by_epsilon(part) for part in np.split(drawn, 5)))
    assert fault(check) == expected


def test_the_finding_of_increments_names_the_pair_and_its_numbers():
    """Fresh noise at t and s < t: the correlation of X_s and X_t − X_s is −√(s/(s + t)), here −0.577 to −0.447."""
    check = seen(IncrementLaw(), *(by_epsilon(part) for part in np.split(fresh_normal(rng()), 5)))
    result = worded(check.conclude(ALPHA), IncrementLaw.declaration)
    numbers = result.finding.numbers
    times = (8.0, 4.0, 1.0, 0.3)
    t, s = times[int(numbers["release"]) - 2], times[int(numbers["release"]) - 1]
    assert numbers["observed"] == pytest.approx(-np.sqrt(s / (s + t)), abs=0.1)
    assert result.observed.startswith(f"correlation {numbers['observed']:.3g}, centre ")
    assert result.observed.endswith(f"(a case, release {numbers['release']:.0f})")


@pytest.mark.parametrize(
    ("noise", "expected"),
    [
        (laplace, None),
        (skellam, None),
        (lambda numbers: numbers.laplace(scale=np.array((8.0, 4.0, 1.0, 0.3))[:, None], size=(2000, 4, 1)), "fresh"),
        (lambda numbers: laplace(numbers) * np.array((-1.0, 1.0, 1.0, 1.0))[:, None], "fresh"),
    ],
    ids=["laplace", "skellam", "fresh", "first turned"],
)
def test_steps_whose_signs_depend_on_the_release_are_refuted(noise, expected):
    found = fault(seen(SignIncrements(), by_epsilon(noise(rng()))))
    assert found == (None if expected is None else "fresh-noise")


# Which form is asked


def forms(context):
    checks, missing = applicable(declarations_for(context.description.mechanism), context.description, context, ())
    return {check.id: type(check).__name__ for check in checks}, {result.id: result.message for result in missing}


@pytest.mark.parametrize(
    ("mechanism", "increments", "release"),
    [
        ("brownian", "IncrementLaw", "UnknownReleases"),
        ("laplace", "SignIncrements", "UnknownReleases"),
        ("skellam", "SignIncrements", None),
    ],
)
def test_without_times_the_forms_for_unknown_times_are_asked(mechanism, increments, release):
    asked, missing = forms(epsilon_context(mechanism))
    assert asked["law.increments"] == increments
    assert asked.get("law.release") == release
    assert (asked["law.value"], asked["independence.coordinates"]) == ("UnknownValues", "UnknownCoordinates")
    assert asked["privacy.epsilon"] == "EpsilonClaim"
    unknown = {id for id, why in missing.items() if "offer time_of(epsilon)" in why}
    assert {"law.transcript", "law.adaptive", "independence.sessions", "loss.stopping"} <= unknown
    assert ("law.release" in unknown) == (release is None)


def test_with_times_the_forms_for_known_times_are_asked():
    asked, missing = forms(epsilon_context("brownian", times_known=True))
    assert (asked["law.release"], asked["law.value"]) == ("ReleaseLaw", "ValueLaw")
    assert asked["independence.coordinates"] == "CoordinateIndependence"
    assert missing["law.increments"] == "the times are known: law.transcript judges the steps by them"


@pytest.mark.parametrize("times_known", [False, True])
def test_one_dimension_is_the_reason_whatever_is_known_of_the_times(times_known):
    _, missing = forms(epsilon_context("brownian", times_known, dimensions=(1,)))
    assert missing["independence.coordinates"] == "the subject has one dimension"


def test_checks_whose_question_is_the_same_at_any_value_see_neighbours_too():
    at_any = {cls: cls.any_value for cls in (UnknownReleases, UnknownCoordinates, SignIncrements)}
    assert all(at_any.values())
    assert not UnknownValues.any_value
    assert not IncrementLaw.any_value


def test_the_shares_of_the_pairs_are_fixed_and_add_up_to_one():
    """So the wealth is one martingale, however many pairs are met."""
    few, many = (np.exp(_log_shares(count)) for count in (10, 3000))
    assert np.array_equal(few, many[:10])
    assert many.sum() == pytest.approx(1.0)
    assert IncrementLaw().log_e == 0.0
