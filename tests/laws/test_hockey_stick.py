"""Hockey-stick divergences and loss tails of the five families, against sums and integrals at 40 digits."""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest

from nrverify.laws import Brownian, DiscreteGaussian, DiscreteLaplace, Laplace, Skellam
from nrverify.laws.divergence import closed_forms, hockey_stick, integer_tails, loss_tail

FAMILIES = [Brownian(), Laplace(), Skellam(1.0), DiscreteLaplace(), DiscreteGaussian()]


@pytest.fixture(autouse=True)
def _digits():
    with mp.workdps(40):
        yield


def weight(process, t, j):
    t = mp.mpf(t)
    if isinstance(process, DiscreteLaplace):
        return mp.exp(-abs(j) / t)
    if isinstance(process, DiscreteGaussian):
        return mp.exp(-(mp.mpf(j) ** 2) / (2 * t))
    return mp.besseli(abs(j), 2 * t)


def brute(process, epsilon, shift, t, reach, sign=1):
    """(Σ(P - e^ε P')₊, P(P > e^ε P')) over all integer vectors within reach; sign = -1: a wrong variant, P' > e^ε P."""
    weights = {j: weight(process, t, j) for j in range(-2 * reach, 2 * reach + 1)}
    whole = mp.fsum(weights.values())
    masses = {j: w / whole for j, w in weights.items()}
    factor, excess, tail = mp.exp(mp.mpf(epsilon)), [], []
    for noise in itertools.product(range(-reach, reach + 1), repeat=len(shift)):
        p = mp.fprod(masses[j] for j in noise)
        other = mp.fprod(masses[j - k] for j, k in zip(noise, shift, strict=True))
        # At equality, which is that of exponents, both orders of rounding must count as equal.
        if sign * (p - factor * other) > mp.mpf(10) ** -30 * p:
            excess.append(sign * (p - factor * other))
            tail.append(p)
    return float(mp.fsum(excess)), float(mp.fsum(tail))


INTEGER_CASES = [
    (DiscreteLaplace(), [3], 1.3, 50),
    (DiscreteGaussian(), [-3], 1.3, 25),
    (Skellam(1.0), [3], 1.3, 45),
    (DiscreteGaussian(), [1], 30.0, 110),
    (Skellam(1.0), [1], 9.0, 90),
    (DiscreteLaplace(), [2, -1], 0.4, 15),
    (DiscreteGaussian(), [2, 1], 0.8, 10),
    (DiscreteGaussian(), [1, -1], 5.5, 22),
    (DiscreteGaussian(), [2, 4], 3.0, 18),
    (Skellam(1.0), [2, 0, 1], 0.6, None),
    (Skellam(1.0), [1, 1], 0.9, 16),
    (DiscreteLaplace(), [1, 1, 2], 0.15, 5),
]


@pytest.mark.parametrize(("process", "shift", "t", "reach"), INTEGER_CASES, ids=lambda case: str(case)[:24])
def test_integer_families_are_the_sums_of_their_definition(process, shift, t, reach):
    moved, reach = ([2, 1], 16) if reach is None else (shift, reach)  # a coordinate that does not move adds nothing
    for epsilon in (-1.3, 0.0, 0.31, 2.1):
        excess, tail = brute(process, epsilon, moved, t, reach)
        assert hockey_stick(process, epsilon, shift=shift, time=t) == pytest.approx(excess, rel=1e-11, abs=1e-30)
        assert loss_tail(process, epsilon, shift=shift, time=t) == pytest.approx(tail, rel=1e-11, abs=1e-30)


def test_the_brute_force_tells_the_right_pair_from_the_reversed_one_and_one_time_from_another():
    right = hockey_stick(Skellam(1.0), 0.31, shift=3, time=1.3)
    reversed_pair, _ = brute(Skellam(1.0), 0.31, [3], 1.3, 45, sign=-1)
    other_time, _ = brute(Skellam(1.0), 0.31, [3], 1.3001, 45)
    assert right != pytest.approx(reversed_pair, rel=1e-3)
    assert right != pytest.approx(other_time, rel=1e-6)


def one_laplace(e, a):
    """(H, P(L > e)) of one coordinate, by its closed form."""
    if e >= a:
        return mp.mpf(0), mp.mpf(0)
    if e < -a:
        return 1 - mp.exp(e), mp.mpf(1)
    positive = 1 - mp.exp((abs(e) - a) / 2)
    return (positive if e >= 0 else -mp.expm1(e) + mp.exp(e) * positive), 1 - mp.exp((e - a) / 2) / 2


def two_laplace(e, a, b):
    """The same of two coordinates: atoms and density of the first loss, integrated over those of the second."""
    results = []
    for which in (0, 1):
        cuts = sorted({-a, a, *(x for x in (e - b, e + b, e) if -a < x < a)})
        inner = mp.quad(lambda l, w=which: mp.exp(-(a - l) / 2) / 4 * one_laplace(e - l, b)[w], cuts)
        results.append(float(inner + one_laplace(e - a, b)[which] / 2 + mp.exp(-a) / 2 * one_laplace(e + a, b)[which]))
    return results


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.3, 2.0), (5.0, 2**-7)])
def test_laplace_in_two_coordinates_is_the_convolution_by_quadrature(a, b):
    for epsilon in (-2.25, -0.5, 0.0, 0.2, 1.5, a + b - 1e-7):
        excess, tail = two_laplace(mp.mpf(epsilon), mp.mpf(a), mp.mpf(b))
        at = {"shift": [4 * a, -4 * b], "time": 4.0}
        assert hockey_stick(Laplace(), epsilon, **at) == pytest.approx(excess, rel=1e-11, abs=0)
        assert loss_tail(Laplace(), epsilon, **at) == pytest.approx(tail, rel=1e-11, abs=0)
    wrong = two_laplace(mp.mpf(0.2), mp.mpf(a), mp.mpf(b) * 1.001)[0]
    assert hockey_stick(Laplace(), 0.2, shift=[a, b], time=1.0) != pytest.approx(wrong, rel=1e-10)


def test_laplace_in_three_coordinates_agrees_with_the_lattice_of_a_fine_discrete_laplace():
    # With p = e^{-1/t} and steps of 1/n the discrete losses approach the continuous ones with an error of order n^-2.
    errors = []
    for n in (40, 80):
        fine = hockey_stick(DiscreteLaplace(), 0.4, shift=[n, 2 * n, n // 2], time=float(n))
        errors.append(fine - hockey_stick(Laplace(), 0.4, shift=[1.0, 2.0, 0.5], time=1.0))
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.05)
    assert abs(errors[1]) < 1e-4


def test_at_the_largest_loss_the_divergence_keeps_its_digits():
    for shift, t in [([1.0], 1 / 3), ([0.1, 0.7], 0.3), ([2.0, 2.0, 1.0], 7.0)]:
        largest = sum(map(mp.mpf, shift)) / mp.mpf(t)
        epsilon = float(largest) * (1 - 1e-13)
        below = largest - mp.mpf(epsilon)
        # Within a gap below the largest loss every coordinate is beyond both values or within the gap of it: to first
        # order in the gap only all atoms together, of probability 2^-d, and one coordinate inside at a time matter.
        expected = mp.mpf(2) ** -len(shift) * below
        assert hockey_stick(Laplace(), epsilon, shift=shift, time=t) == pytest.approx(float(expected), rel=1e-9)
        assert hockey_stick(Laplace(), math.nextafter(float(largest), 99.0), shift=shift, time=t) == 0
    epsilon = 3 / 1.7 * (1 - 1e-13)
    gap = mp.mpf(3) / mp.mpf(1.7) - mp.mpf(epsilon)
    p = mp.exp(-1 / mp.mpf(1.7))
    assert hockey_stick(DiscreteLaplace(), epsilon, shift=3, time=1.7) == pytest.approx(
        float(-mp.expm1(-gap) / (1 + p)), rel=1e-12
    )


def test_brownian_depends_on_the_euclidean_length_alone():
    at = {"time": 3.0}
    assert hockey_stick(Brownian(), 0.7, shift=[3.0, -4.0], **at) == hockey_stick(Brownian(), 0.7, shift=5, **at)
    assert hockey_stick(Brownian(), 0.7, shift=5.0, **at) == closed_forms.gaussian_hockey_stick(
        0.7, shift=5.0, time=3.0
    )
    assert loss_tail(Brownian(), -0.7, shift=5.0, **at) == closed_forms.gaussian_loss_tail(-0.7, shift=5.0, time=3.0)
    s = 5 / mp.sqrt(3)
    exact = mp.ncdf(s / 2 + mp.mpf(0.7) / s) - mp.exp(-mp.mpf(0.7)) * mp.ncdf(-s / 2 + mp.mpf(0.7) / s)
    assert hockey_stick(Brownian(), -0.7, shift=5.0, time=3.0) == pytest.approx(float(exact), rel=1e-13)


@pytest.mark.parametrize(
    ("process", "shift", "t"),
    [
        (Skellam(1.0), 1, 2e3),
        (Skellam(1.0), 70, 2e3),
        (DiscreteGaussian(), 1, 4e3),
        (DiscreteGaussian(), [60, 80], 4e4),
    ],
    ids=str,
)
def test_sums_by_discrete_gauss_rules_are_those_point_by_point(process, shift, t, monkeypatch):
    epsilons = np.array([0.0, 0.5, 2.0, 5.0]) * (np.linalg.norm(shift) / math.sqrt(t))
    direct = [f(process, epsilons, shift=shift, time=t) for f in (hockey_stick, loss_tail)]
    monkeypatch.setattr(integer_tails, "_DIRECT", 0)
    by_rules = [f(process, epsilons, shift=shift, time=t) for f in (hockey_stick, loss_tail)]
    np.testing.assert_allclose(by_rules, direct, rtol=1e-12, atol=0)
    assert not np.array_equal(by_rules, direct)  # the two ways were both taken


def test_many_coordinates_of_a_discrete_gaussian_are_those_of_their_convolution(monkeypatch):
    reduced = hockey_stick(DiscreteGaussian(), [0.0, 0.3, 1.5], shift=[1, -2, 1], time=16.0)
    monkeypatch.setattr("nrverify.laws.divergence.discrete_gaussian._SMOOTH", 1e9)
    convolved = hockey_stick(DiscreteGaussian(), [0.0, 0.3, 1.5], shift=[1, -2, 1], time=16.0)
    np.testing.assert_allclose(reduced, convolved, rtol=1e-12, atol=0)


@pytest.mark.parametrize("process", [Skellam(0.5), DiscreteGaussian()], ids=str)
def test_for_huge_variance_integers_are_close_to_brownian(process):
    for epsilon in (0.0, 1e-5, 3e-5):
        gaussian = hockey_stick(Brownian(), epsilon, shift=100, time=1e14)
        assert hockey_stick(process, epsilon, shift=100, time=1e14) == pytest.approx(gaussian, rel=1e-7)


@pytest.mark.parametrize("process", FAMILIES, ids=str)
def test_shapes_zero_shifts_and_extremes(process):
    assert isinstance(hockey_stick(process, 1.0, shift=1, time=2.0), float)
    assert hockey_stick(process, [[0.0, 1.0]], shift=1, time=2.0).shape == (1, 2)
    assert hockey_stick(process, [-1.0, 0.0, 1.0], shift=[0, 0], time=2.0).tolist() == [-math.expm1(-1), 0, 0]
    assert loss_tail(process, [-1.0, 0.0, 1.0], shift=0, time=2.0).tolist() == [1, 0, 0]
    times = (1e-300, 1e-5, 1e3) if isinstance(process, Skellam) else (1e-320, 1e-5, 1e5, 1e290)
    for shift, t in itertools.product((1, [3, 1], 10**6), times):
        for epsilon in (-1e300, -1e5, 0.0, 1e-300, 800.0, 1e300):
            for f in (hockey_stick, loss_tail):
                assert 0 <= f(process, epsilon, shift=shift, time=t) <= 1
        assert hockey_stick(process, 1e300, shift=shift, time=1.0) == 0
        assert hockey_stick(process, -1e300, shift=shift, time=1.0) == 1


@pytest.mark.parametrize("process", [Brownian(), Laplace(), DiscreteLaplace()], ids=str)
def test_the_divergence_is_the_integral_of_the_tail(process):
    # H(ε) = ∫_ε^∞ e^{ε-l} P(L > l) dl lies between its lower and upper sums.
    l = np.linspace(0.25, 8.25, 4001)
    for shift, t in ((2, 3.0), ([1, 1], 1.5)):
        tails = np.exp(0.25 - l) * loss_tail(process, l, shift=shift, time=t)
        lower, upper = tails[1:].sum() * 0.002, tails[:-1].sum() * 0.002 + tails[-1]
        assert lower - 1e-13 <= hockey_stick(process, 0.25, shift=shift, time=t) <= upper + 1e-13
        assert upper - lower < 2e-3


def test_bad_arguments_are_refused_with_their_value():
    with pytest.raises(ValueError, match=r"shift is 0\.5: it must be an integer"):
        hockey_stick(DiscreteLaplace(), 1.0, shift=0.5, time=1.0)
    with pytest.raises(ValueError, match=r"time is 0\.0: it must be finite and > 0"):
        loss_tail(Laplace(), 1.0, shift=1.0, time=0.0)
    with pytest.raises(ValueError, match="epsilon is nan: it must be finite"):
        hockey_stick(Laplace(), math.nan, shift=1.0, time=1.0)
    with pytest.raises(ValueError, match=r"shift of shape \(1, 2\) must be one number"):
        hockey_stick(Laplace(), 1.0, shift=[[1.0, 2.0]], time=1.0)
    with pytest.raises(ValueError, match="process is 'laplace': it must be a Brownian"):
        hockey_stick("laplace", 1.0, shift=1.0, time=1.0)
    with pytest.raises(ValueError, match="must not need more"):
        hockey_stick(Laplace(), 0.0, shift=np.arange(1.0, 41.0), time=1.0)
    with pytest.raises(ValueError, match="must not have more"):
        hockey_stick(Skellam(1.0), 0.5, shift=[1] * 9, time=3.0)
    with pytest.raises(ValueError, match="must not exceed"):
        hockey_stick(DiscreteLaplace(), 0.5, shift=[2**30, 1], time=3.0)
