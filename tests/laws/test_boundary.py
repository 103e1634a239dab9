"""Boundaries against their definitions in mpmath at 40 digits, and their guarantees against exact probabilities."""

import math

import mpmath as mp
import numpy as np
import pytest

from nrverify.laws.boundary import Grid, HalfNormalMixture, Linear, Mixture

mp.mp.dps = 40
DELTAS = [1e-300, 1e-6, 0.5, 1 - 1e-12]
EPSILONS = [1e-8, 1e-3, 0.3, 10.0, 1e8]


def relative_error(computed, exact):
    return abs(mp.mpf(float(computed)) / exact - 1)


def mixture_curve(t, rho, delta):
    t, rho, delta = mp.mpf(t), mp.mpf(rho), mp.mpf(delta)
    return mp.sqrt(2 * (t + rho) * mp.log(mp.sqrt((t + rho) / rho) / delta))


def half_normal_curve(t, rho, delta):
    """The defining equation in logarithms, by Newton's method from above."""
    t, rho = mp.mpf(t), mp.mpf(rho)
    level = -mp.log(mp.mpf(delta)) + mp.log(1 + t / rho) / 2
    u = min(mp.sqrt(2 * level), 2 * level)
    for _ in range(8):
        excess = mp.erf(u / mp.sqrt(2))
        u -= (u * u / 2 + mp.log1p(excess) - level) / (u + 2 * mp.npdf(u) / (1 + excess))
    return u * mp.sqrt(t + rho)


CURVES = {Mixture: mixture_curve, HalfNormalMixture: half_normal_curve}
MIXTURES = list(CURVES)


def psi(curve, t, rho, delta, sensitivity):
    t, D = mp.mpf(t), mp.mpf(sensitivity)
    return D**2 / (2 * t) + D / t * curve(t, rho, delta)


def least_quantile(cls, delta):
    """min over u of x(u)/√u at ρ = 1, and the minimising u, by golden section in log u."""

    def value(log_u):
        u = mp.exp(log_u)
        return CURVES[cls](u, 1, delta) / mp.sqrt(u)

    golden = (mp.sqrt(5) - 1) / 2
    level = -2 * mp.log(mp.mpf(delta))
    low, high = mp.log(level / (1 + level)) - 2, mp.log(level + 2) + 2
    left, right = high - golden * (high - low), low + golden * (high - low)
    f_left, f_right = value(left), value(right)
    while high - low > mp.mpf("1e-17"):
        if f_left < f_right:
            high, right, f_right = right, left, f_left
            left = high - golden * (high - low)
            f_left = value(left)
        else:
            low, left, f_left = left, right, f_right
            right = low + golden * (high - low)
            f_right = value(right)
    return value(low), mp.exp(low)


@pytest.mark.parametrize("sensitivity", [0.01, 1.0, 50.0])
def test_linear_floor_at_the_papers_tuning_does_not_depend_on_the_sensitivity(sensitivity):
    boundary = Linear.tightest_at(epsilon=0.3, delta=1e-6, sensitivity=sensitivity)
    assert boundary.floor == pytest.approx(0.14919442082463, abs=5e-15)
    assert boundary.delta == pytest.approx(1e-6, rel=1e-13, abs=0)


def test_linear_is_below_mixture_exactly_between_the_two_times_of_the_figure():
    linear = Linear.tightest_at(epsilon=0.3, delta=1e-6, sensitivity=1.0)
    mixture = Mixture.tightest_at(epsilon=0.3, delta=1e-6, sensitivity=1.0)
    times = np.geomspace(1, 1e5, 4001)
    between = (times > 134.326913563394) & (times < 689.227714634954)
    np.testing.assert_array_equal(linear(times) < mixture(times), between)
    for time, epsilon in [(134.326913563394, 0.497601), (689.227714634954, 0.217097)]:
        assert linear(time) == pytest.approx(mixture(time), rel=1e-14)
        assert linear(time) == pytest.approx(epsilon, abs=5e-7)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_linear_optimum_is_the_closed_form_to_full_precision(delta, epsilon):
    boundary = Linear.tightest_at(epsilon=epsilon, delta=delta, sensitivity=3.0)
    level, e = -mp.log(mp.mpf(delta)), mp.mpf(epsilon)
    with mp.workdps(60):
        a = (mp.sqrt(level**2 + level * e) - level) / 3
        t = mp.mpf(9) / (2 * (mp.sqrt(level + e) - mp.sqrt(level)) ** 2)
    assert relative_error(boundary.a, a) < 1e-14
    assert relative_error(boundary.b, level / (2 * a)) < 1e-14
    assert relative_error(boundary.b / boundary.a, t) < 1e-14
    # ε − Da loses the digits in which ε and the floor agree, at most half of ε here.
    assert relative_error(boundary.inverse(epsilon), t) < 1e-14 * max(1, epsilon / (epsilon - boundary.floor))


def test_linear_optimum_beats_its_neighbours():
    best = Linear.tightest_at(epsilon=0.7, delta=1e-4, sensitivity=2.0)
    for factor in (0.99, 1.01):
        other = Linear(a=best.a * factor, b=best.b / factor, sensitivity=2.0)
        assert other.inverse(0.7) > best.inverse(0.7)


@pytest.mark.parametrize("cls", MIXTURES)
@pytest.mark.parametrize("delta", DELTAS)
def test_mixtures_are_their_definitions(cls, delta):
    for rho, sensitivity, t in [(1.0, 1.0, 1.0), (11.6, 3.0, 344.0), (1e-3, 1.0, 1e6), (1e5, 2.0, 1e-4)]:
        computed = cls(rho=rho, delta=delta, sensitivity=sensitivity)(t)
        assert relative_error(computed, psi(CURVES[cls], t, rho, delta, sensitivity)) < 8e-15


@pytest.mark.parametrize("cls", MIXTURES)
@pytest.mark.parametrize("delta", DELTAS)
def test_mixture_optimum_is_the_brute_force_minimum(cls, delta):
    m, u = least_quantile(cls, delta)
    for epsilon in EPSILONS:
        e = mp.mpf(epsilon)
        boundary = cls.tightest_at(epsilon=epsilon, delta=delta, sensitivity=2.0)
        # Positive root of 2y² + 2my = ε in y = 1/√t, for D = 2.
        t = 1 / ((mp.sqrt(m * m + 2 * e) - m) / 2) ** 2
        assert relative_error(boundary.inverse(epsilon), t) < 1e-13
        assert relative_error(boundary.rho, t / u) < 1e-12


@pytest.mark.parametrize("delta", [1e-300, 1e-150, 1e-6, 0.9, 1 - 1e-15])
def test_mixture_optimum_is_lamberts_function(delta):
    with mp.workdps(400):
        w = (-mp.lambertw(-(mp.mpf(delta) ** 2) / mp.e, -1)).real
        t = ((mp.sqrt(w) + mp.sqrt(w + mp.mpf(0.6))) / mp.mpf(0.6)) ** 2
        boundary = Mixture.tightest_at(epsilon=0.3, delta=delta, sensitivity=1.0)
        assert relative_error(boundary.rho, t / (w - 1)) < 1e-14


def test_half_normal_needs_less_noise_than_the_mixture():
    for epsilon in (0.01, 0.3, 5.0):
        half = HalfNormalMixture.tightest_at(epsilon=epsilon, delta=1e-6, sensitivity=1.0)
        full = Mixture.tightest_at(epsilon=epsilon, delta=1e-6, sensitivity=1.0)
        assert half.inverse(epsilon) < full.inverse(epsilon)
        times = np.geomspace(1e-6, 1e9, 200)
        assert np.all(HalfNormalMixture(full.rho, 1e-6, 1.0)(times) < full(times))


@pytest.mark.parametrize("cls", MIXTURES)
@pytest.mark.parametrize("delta", DELTAS)
def test_mixture_inverse_undoes_the_boundary_over_seventeen_decades(cls, delta):
    for rho, sensitivity in [(1.0, 1.0), (1e4, 0.1), (1e-3, 50.0)]:
        boundary = cls(rho=rho, delta=delta, sensitivity=sensitivity)
        epsilons = np.geomspace(1e-9, 1e9, 37)
        times = boundary.inverse(epsilons)
        assert np.all(np.diff(times) < 0)
        np.testing.assert_allclose(boundary(times), epsilons, rtol=4e-15)
        assert relative_error(epsilons[18], psi(CURVES[cls], times[18], rho, delta, sensitivity)) < 1e-14


@pytest.mark.parametrize("cls", [Linear, *MIXTURES, Grid])
def test_tightest_parameters_scale_with_the_sensitivity(cls):
    one = cls.tightest_at(epsilon=0.3, delta=1e-6, sensitivity=1.0)
    seven = cls.tightest_at(epsilon=0.3, delta=1e-6, sensitivity=7.0)
    assert seven.inverse(0.3) == pytest.approx(49 * one.inverse(0.3), rel=1e-13)
    for name, power in [("a", -1), ("b", 1), ("rho", 2)]:
        if hasattr(one, name):
            assert getattr(seven, name) == pytest.approx(7.0**power * getattr(one, name), rel=1e-13)


BOUNDARIES = [
    Linear(0.1, 40.0, 1.0),
    Mixture(12.0, 1e-6, 1.0),
    HalfNormalMixture(12.0, 1e-6, 1.0),
    Grid([1.0, 5.0, 25.0], 1e-6, 1.0),
]


@pytest.mark.parametrize("boundary", BOUNDARIES, ids=lambda b: type(b).__name__)
def test_scalars_give_floats_and_arrays_are_elementwise(boundary):
    times = np.array([[1.0, 2.0, 300.0]])
    assert isinstance(boundary(2.0), float)
    assert isinstance(boundary(2), float)
    assert isinstance(boundary.inverse(60.0), float)
    assert boundary(times).shape == (1, 3)
    assert boundary(times)[0].tolist() == [boundary(t) for t in times[0].tolist()]
    np.testing.assert_allclose(boundary.inverse([60.0, 70.0]), [boundary.inverse(60.0), boundary.inverse(70.0)], 1e-15)


@pytest.mark.parametrize("boundary", BOUNDARIES, ids=lambda b: type(b).__name__)
@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, [1.0, 0.0]])
def test_times_and_epsilons_must_be_positive_and_finite(boundary, bad):
    with pytest.raises(ValueError, match="time"):
        boundary(bad)
    with pytest.raises(ValueError, match="epsilon"):
        boundary.inverse(bad)
    with pytest.raises(ValueError, match="times"):
        boundary.crossing_probability(times=[1.0, 0.0])


@pytest.mark.parametrize("boundary", BOUNDARIES, ids=lambda b: type(b).__name__)
def test_ways_of_looking_are_checked(boundary):
    with pytest.raises(ValueError, match="both"):
        boundary.crossing_probability(times=[1.0], interval=(1.0, 2.0))
    with pytest.raises(ValueError, match="at least one"):
        boundary.crossing_probability(times=[])
    for interval in [(2.0, 1.0), (-1.0, 2.0), (math.nan, 1.0), (1.0, 1.0)]:
        with pytest.raises(ValueError, match="interval"):
            boundary.crossing_probability(interval=interval)


@pytest.mark.parametrize("cls", [Mixture, HalfNormalMixture])
@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 2.0, math.nan])
def test_delta_lies_strictly_between_zero_and_one(cls, delta):
    with pytest.raises(ValueError, match="delta"):
        cls(rho=1.0, delta=delta, sensitivity=1.0)
    with pytest.raises(ValueError, match="delta"):
        cls.tightest_at(epsilon=1.0, delta=delta, sensitivity=1.0)
    with pytest.raises(ValueError, match="delta"):
        Grid([1.0], delta, 1.0)
    with pytest.raises(ValueError, match="delta"):
        Linear.tightest_at(epsilon=1.0, delta=delta, sensitivity=1.0)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_parameters_must_be_positive_and_finite(bad):
    for name in ("a", "b", "sensitivity"):
        with pytest.raises(ValueError, match=name):
            Linear(**{"a": 1.0, "b": 1.0, "sensitivity": 1.0, name: bad})
    for name in ("rho", "sensitivity"):
        with pytest.raises(ValueError, match=name):
            Mixture(**{"rho": 1.0, "delta": 0.1, "sensitivity": 1.0, name: bad})
        with pytest.raises(ValueError, match=name):
            HalfNormalMixture(**{"rho": 1.0, "delta": 0.1, "sensitivity": 1.0, name: bad})
    with pytest.raises(ValueError, match="times"):
        Grid([1.0, bad], 0.1, 1.0)


def test_linear_refuses_epsilons_at_or_below_its_floor_and_names_it():
    boundary = Linear.tightest_at(epsilon=0.3, delta=1e-6, sensitivity=1.0)
    for epsilon in (0.1, boundary.floor):
        with pytest.raises(ValueError, match=r"cannot be reached.*floor.*0\.1491944"):
            boundary.inverse(epsilon)
    assert boundary.inverse(boundary.floor * (1 + 1e-9)) > 1e9


def two_looks(heights, times):
    """P(W_s ≥ c or W_t ≥ d) = Q(c/√s) + ∫_{−∞}^{c} φ_s(x) Q((d−x)/√(t−s)) dx."""
    (c, d), (s, t) = (tuple(map(mp.mpf, pair)) for pair in (heights, times))
    first = mp.erfc(c / mp.sqrt(2 * s)) / 2
    points = [c - mp.sqrt(s) * k for k in range(40, -1, -2)]
    # The quadrature stops at an absolute error, so the integrand is given in units of the first term.
    density = lambda x: mp.exp(-x * x / (2 * s)) / mp.sqrt(2 * mp.pi * s) / first  # noqa: E731
    return first * (1 + mp.quad(lambda x: density(x) * mp.erfc((d - x) / mp.sqrt(2 * (t - s))) / 2, points))


@pytest.mark.parametrize("boundary", BOUNDARIES[:3], ids=lambda b: type(b).__name__)
def test_crossing_at_two_looks_is_the_bivariate_normal_probability(boundary):
    times = [150.0, 400.0]
    heights = [mp.mpf(boundary(t)) * t - mp.mpf(1) / 2 for t in times]
    exact = two_looks(heights, times)
    for looks in (times, times[::-1], [*times, times[0]]):
        assert relative_error(boundary.crossing_probability(times=looks), exact) < 1e-10


def test_linear_is_crossed_with_probability_exactly_delta():
    for delta in (1e-12, 1e-6, 0.3):
        boundary = Linear.tightest_at(epsilon=0.3, delta=delta, sensitivity=2.0)
        assert boundary.crossing_probability() == pytest.approx(delta, rel=1e-12, abs=0)
        # Bachelier and Lévy: P(∃t ≤ T) = Q((aT+b)/√T) + e^(−2ab) Q((b−aT)/√T).
        T, a, b = mp.mpf(100), mp.mpf(boundary.a), mp.mpf(boundary.b)
        exact = (
            mp.erfc((a * T + b) / mp.sqrt(2 * T)) / 2 + mp.exp(-2 * a * b) * mp.erfc((b - a * T) / mp.sqrt(2 * T)) / 2
        )
        assert relative_error(boundary.crossing_probability(interval=(0.0, 100.0)), exact) < 1e-10


def test_grid_at_one_look_is_the_normal_quantile():
    for delta in (1e-300, 1e-6, 0.3, 0.8):
        grid = Grid([4.0], delta, 3.0)
        z = mp.mpf(grid.quantile)
        assert relative_error(delta, mp.erfc(z / mp.sqrt(2)) / 2) < 1e-12
        assert grid(2.0) == pytest.approx(float(mp.mpf(9) / 4 + 3 * z / mp.sqrt(2)), rel=1e-14)
        assert grid.crossing_probability() == pytest.approx(delta, rel=1e-12, abs=0)


@pytest.mark.parametrize("delta", [1e-300, 1e-12, 1e-6, 0.2, 0.7])
def test_grid_at_two_looks_is_crossed_with_probability_exactly_delta(delta):
    grid = Grid([30.0, 10.0], delta, 1.0)
    heights = [mp.mpf(grid.quantile) * mp.sqrt(t) for t in (10, 30)]
    assert relative_error(delta, two_looks(heights, [10, 30])) < 1e-10
    assert grid.crossing_probability() == pytest.approx(delta, rel=1e-10, abs=0)
    assert Grid([1.0, 3.0], delta, 5.0).quantile == pytest.approx(grid.quantile, rel=1e-12)


def test_grid_needs_less_noise_than_continuous_looking_and_more_than_one_look():
    looks = [1.0, 2.0, 4.0, 8.0, 16.0]
    grid = Grid.tightest_at(epsilon=0.3, delta=1e-6, sensitivity=1.0, times=looks)
    assert [t / grid.times[0] for t in grid.times] == pytest.approx(looks)
    assert grid(min(grid.times)) == pytest.approx(0.3, rel=1e-13)
    assert grid.inverse(0.3) == min(grid.times)
    single = Grid.tightest_at(epsilon=0.3, delta=1e-6, sensitivity=1.0)
    linear = Linear.tightest_at(epsilon=0.3, delta=1e-6, sensitivity=1.0)
    assert len(single.times) == 1
    assert single.inverse(0.3) < grid.inverse(0.3) < linear.inverse(0.3)


def test_grid_inverse_is_a_look_of_the_grid():
    grid = Grid([25.0, 1.0, 5.0], 1e-6, 1.0)
    bounds = grid([1.0, 5.0, 25.0])
    for epsilon, look in [(bounds[0] * 2, 1.0), (bounds[0] * 0.999, 5.0), (bounds[1], 5.0), (bounds[1] * 0.999, 25.0)]:
        assert grid.inverse(float(epsilon)) == look
    with pytest.raises(ValueError, match=rf"cannot be reached.*{float(bounds[2])!r}"):
        grid.inverse(float(bounds[2]) * 0.999)


def test_grid_is_crossed_for_certain_when_looked_at_for_ever():
    assert Grid([1.0, 2.0], 1e-6, 1.0).crossing_probability(interval=(1.0, math.inf)) == 1.0
    assert Grid([1.0, 2.0], 1e-6, 1.0).crossing_probability(interval=(0.0, 1.0)) == 1.0


def test_boundaries_are_frozen_and_compare_by_their_parameters():
    assert Grid([1.0, 2.0], 1e-6, 1.0) == Grid((1.0, 2.0), 1e-6, 1.0)
    assert Mixture(1.0, 0.1, 1.0) == Mixture(rho=1.0, delta=0.1, sensitivity=1.0)
    for boundary in BOUNDARIES:
        with pytest.raises(AttributeError):
            boundary.sensitivity = 2.0
        assert hash(boundary) is not None


@pytest.mark.parametrize("delta", [1e-6, 0.2])
def test_mixture_is_crossed_with_probability_between_half_and_the_optional_stopping_bound(delta):
    bound = delta / (2 * float(mp.ncdf(mp.sqrt(-2 * mp.log(mp.mpf(delta))))))
    probabilities = [Mixture(rho, delta, 1.0).crossing_probability() for rho in (1.0, 300.0)]
    for probability in probabilities:
        assert delta / 2 * (1 - 1e-6) < probability < bound * (1 + 1e-6)
    assert probabilities[0] == pytest.approx(probabilities[1], rel=1e-6, abs=0)


@pytest.mark.parametrize("delta", [1e-6, 0.2])
def test_half_normal_mixture_is_crossed_with_probability_exactly_delta(delta):
    rho = 7.0
    boundary = HalfNormalMixture(rho, delta, 1.0)
    assert boundary.crossing_probability() == delta
    # By T the share 1 − E[M_T; not crossed] of δ has crossed. Under M the drift is half-normal of scale 1/√ρ, and to
    # have not crossed is at least to be below the curve at T.
    for T in (1e2, 1e4, 1e8):
        curve = half_normal_curve(T, rho, delta)
        missing = mp.quad(
            lambda x, T=T, curve=curve: 2 * mp.npdf(x) * mp.ncdf((curve - x * T / mp.sqrt(rho)) / mp.sqrt(T)),
            [0, 1e-4, 1e-3, 1e-2, 0.1, 1, 3, 9],
        )
        share = boundary.crossing_probability(interval=(0.0, T)) / delta
        assert 1 - float(missing) - 1e-6 < share < 1
    assert boundary.crossing_probability(interval=(0.0, 1e30)) == pytest.approx(delta, rel=1e-6, abs=0)
