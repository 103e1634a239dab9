"""Crossing probabilities against closed forms, quadrature and symmetries that share nothing with the engines."""

import math

import mpmath
import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss
from scipy.special import log_ndtr, ndtr, ndtri

from nrverify.laws.crossing import crossing_probability, line_crossing_probability
from nrverify.laws.crossing.curve_sampling import level_of, pieces
from nrverify.laws.crossing.piecewise import segment_crossing


def half_normal_curve(delta, rho):
    """The curve 2√(ρ/(t+ρ))·exp(U²/2)·Φ(U) = 1/δ, U = x/√(t+ρ): crossed with probability exactly δ."""

    def curve(t):
        t = np.asarray(t, dtype=float)
        target = -math.log(2.0 * delta) + 0.5 * np.log1p(t / rho)
        u = np.sqrt(np.maximum(2.0 * target, 0.01))
        for _ in range(40):
            slope = u + np.exp(-0.5 * u * u - log_ndtr(u)) / math.sqrt(2.0 * math.pi)
            u = u - (0.5 * u * u + log_ndtr(u) - target) / slope
        return u * np.sqrt(t + rho)

    return curve


def mixture_curve(delta, rho):
    return lambda t: np.sqrt(2.0 * (t + rho) * np.log(np.sqrt((t + rho) / rho) / delta))


def looks_by_forward_recursion(times, heights, nodes):
    """Textbook recursion: sub-density of surviving paths in W itself on one Gauss–Legendre rule a look."""
    node, weight = leggauss(nodes)
    t, top = times[0], heights[0]
    low = -8.5 * math.sqrt(t)
    x = low + 0.5 * (top - low) * (node + 1.0)
    mass = 0.5 * (top - low) * weight * np.exp(-0.5 * x * x / t) / math.sqrt(2.0 * math.pi * t)
    total = ndtr(-top / math.sqrt(t))
    for later, height in zip(times[1:], heights[1:], strict=True):
        dt = later - t
        total += (mass * ndtr((x - height) / math.sqrt(dt))).sum()
        low = -8.5 * math.sqrt(later)
        y = low + 0.5 * (height - low) * (node + 1.0)
        density = np.exp(-0.5 * (y[:, None] - x) ** 2 / dt) @ mass / math.sqrt(2.0 * math.pi * dt)
        mass = 0.5 * (height - low) * weight * density
        t, x = later, y
    return total


# Finite grids


@pytest.mark.parametrize(("n", "ratio"), [(10, 100.0), (100, 100.0), (100, 1e4)])
@pytest.mark.parametrize("delta", [0.3, 1e-6, 1e-12])
def test_grid_agrees_with_the_textbook_recursion(n, ratio, delta):
    z = -ndtri(delta)
    times = np.geomspace(1.0, ratio, n)
    expected = looks_by_forward_recursion(times, z * np.sqrt(times), 400)
    found = crossing_probability(lambda t: z * np.sqrt(t), times=times[::-1])
    assert found.probability == pytest.approx(expected, rel=1e-9)
    assert found.error <= 1e-8 * found.probability
    assert abs(found.probability - expected) <= found.error + 1e-10 * expected


@pytest.mark.parametrize(
    ("n", "ratio", "multiple"), [(10, 100.0, 9.241467), (100, 100.0, 30.401124), (100, 1e4, 47.032409)]
)
def test_per_look_quantiles_multiply_the_error_by_the_published_factors(n, ratio, multiple):
    z = -ndtri(1e-6)
    found = crossing_probability(lambda t: z * math.sqrt(t), times=np.geomspace(1.0, ratio, n))
    assert found.probability / 1e-6 == pytest.approx(multiple, abs=6e-7)


@pytest.mark.parametrize("heights", [(1.0, 2.5), (6.0, 8.0), (-1.0, 0.5), (9.0, 9.5), (30.0, 31.0)])
def test_two_looks_agree_with_high_precision_quadrature(heights):
    first, second = heights
    with mpmath.workdps(30):
        density = lambda x: mpmath.npdf(x) * mpmath.erfc((second - x) / mpmath.sqrt(2)) / 2  # noqa: E731
        points = [first - 60, first - 20, first - 8, first - 3, first - 1, first]
        expected = mpmath.erfc(first / mpmath.sqrt(2)) / 2 + mpmath.quad(density, points)
    found = crossing_probability(lambda t: first if t < 1.5 else second, times=[2.0, 1.0, 2.0])
    assert found.probability == pytest.approx(float(expected), rel=1e-12)


def test_nearly_equal_looks_add_only_what_they_can():
    # Two looks dt apart at a level: P = Q + ∫φ(c − u√dt)·Q(u)du·√dt, here by mpmath.
    for dt in (1e-4, 1e-8):
        with mpmath.workdps(40):
            root = mpmath.sqrt(dt)
            added = mpmath.quad(lambda u: mpmath.npdf(3 - u * root) * mpmath.erfc(u / mpmath.sqrt(2)) / 2, [0, 4, 15])  # noqa: B023
            expected = mpmath.erfc(3 / mpmath.sqrt(2)) / 2 + root * added
        found = crossing_probability(lambda t: 3.0, times=[1.0, 1.0 + dt])
        step = (1.0 + dt) - 1.0
        assert step == pytest.approx(dt, rel=1e-7)
        assert found.probability == pytest.approx(float(expected), rel=1e-9)


def test_looks_where_the_curve_is_infinite_never_count():
    found = crossing_probability(lambda t: 1.0 if t == 2.0 else math.inf, times=[1.0, 2.0, 3.0])
    assert found.probability == pytest.approx(float(ndtr(-1.0 / math.sqrt(2.0))), rel=1e-14)
    assert crossing_probability(lambda t: math.inf, times=[1.0, 2.0]).probability == 0.0
    assert crossing_probability(lambda t: -math.inf, times=[1.0]).probability == 1.0


# Straight lines


@pytest.mark.parametrize(("a", "b"), [(1.0, 0.2), (2.0, 3.0), (0.1, 60.0), (10.0, 30.0)])
def test_line_over_all_times_is_crossed_with_probability_exp_minus_2ab(a, b):
    assert line_crossing_probability(a, b) == pytest.approx(math.exp(-2.0 * a * b), rel=1e-13)
    found = crossing_probability(lambda t: a * t + b)
    assert found.probability == pytest.approx(math.exp(-2.0 * a * b), rel=1e-9)
    assert abs(found.probability - math.exp(-2.0 * a * b)) <= found.error


def test_lines_that_must_be_crossed():
    assert line_crossing_probability(0.0, 1.0) == 1.0
    assert line_crossing_probability(-1.0, 1.0) == 1.0
    assert line_crossing_probability(1.0, 0.0) == 1.0
    assert line_crossing_probability(1.0, -2.0) == 1.0


@pytest.mark.parametrize("interval", [(0.5, 3.0), (0.0, 2.0), (1.0, 1.001), (2.0, math.inf), (1e-3, 0.2)])
@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (-0.5, 2.0), (1.5, -0.5), (3.0, 9.0)])
def test_line_on_an_interval_agrees_with_conditioning_on_its_start(a, b, interval):
    lo, hi = interval
    if (lo == 0.0 and b <= 0.0) or (math.isinf(hi) and a <= 0.0):
        assert line_crossing_probability(a, b, interval) == 1.0
        return
    with mpmath.workdps(25):
        tail = lambda x: mpmath.erfc(x / mpmath.sqrt(2)) / 2  # noqa: E731

        def later(gap):
            if math.isinf(hi):
                return mpmath.exp(-2 * a * gap)
            span = mpmath.mpf(hi) - lo
            root = mpmath.sqrt(span)
            return tail((gap + a * span) / root) + mpmath.exp(-2 * a * gap) * tail((gap - a * span) / root)

        if lo == 0.0:
            expected = later(mpmath.mpf(b))
        else:
            c, root = a * mpmath.mpf(lo) + b, mpmath.sqrt(lo)
            density = lambda g: mpmath.npdf((c - g) / root) / root * later(g)  # noqa: E731
            places = {s * root for s in (0, 0.01, 0.05, 0.2, 0.5, 1, 2, 4, 8, 16, 40)}
            places |= {c + s * root for s in (-12, -6, -3, -1, 0, 1, 3, 6, 12) if c + s * root > 0}
            expected = tail(c / root) + mpmath.quad(density, sorted(places))
    assert line_crossing_probability(a, b, interval) == pytest.approx(float(expected), rel=1e-11)
    found = crossing_probability(lambda t: a * t + b, interval=interval)
    assert found.probability == pytest.approx(float(expected), rel=1e-9)


def test_line_probability_keeps_its_digits_at_1e_minus_300():
    expected = mpmath.exp(-2 * mpmath.mpf(345))
    assert line_crossing_probability(1.0, 345.0) == pytest.approx(float(expected), rel=1e-12)
    with mpmath.workdps(30):
        q = lambda x: mpmath.erfc(x / mpmath.sqrt(2)) / 2  # noqa: E731
        expected = q(mpmath.mpf(37)) + mpmath.exp(-2 * 7 * 30) * q(mpmath.mpf(30) - 7)
    assert line_crossing_probability(7.0, 30.0, (0.0, 1.0)) == pytest.approx(float(expected), rel=1e-12)


# Smooth curves


@pytest.mark.parametrize("delta", [0.4, 0.05, 1e-6, 1e-9, 1e-12])
def test_half_normal_mixture_curve_is_crossed_with_probability_delta(delta):
    found = crossing_probability(half_normal_curve(delta, 3.0))
    assert found.probability == pytest.approx(delta, rel=1e-9)
    assert abs(found.probability - delta) <= found.error <= 1e-6 * delta


@pytest.mark.parametrize("delta", [0.05, 1e-6])
def test_mixture_curve_is_crossed_with_a_little_more_than_half_of_delta(delta):
    small = crossing_probability(mixture_curve(delta, 1.0))
    assert 0.5 * delta < small.probability <= 0.5 * delta / ndtr(math.sqrt(2.0 * math.log(1.0 / delta)))
    large = crossing_probability(mixture_curve(delta, 1e7))
    assert large.probability == pytest.approx(small.probability, rel=1e-9)


def test_daniels_curve_agrees_with_its_closed_form_density():
    d, k1, k2 = 1.0, 0.5, 0.5

    def curve(t):
        return 0.5 * d - t / d * math.log(0.5 * k1 + math.sqrt(0.25 * k1 * k1 + k2 * math.exp(-d * d / t)))

    # Survivors have density φ_t(x) − k₁φ_t(x−d) − k₂φ_t(x−2d) below the curve, where it vanishes on the curve.
    hi = 1.7
    c, root = curve(hi), math.sqrt(hi)
    survive = ndtr(c / root) - k1 * ndtr((c - d) / root) - k2 * ndtr((c - 2.0 * d) / root)
    found = crossing_probability(curve, interval=(0.0, hi))
    assert found.probability == pytest.approx(1.0 - float(survive), rel=1e-9)


def test_time_inversion_and_scaling_leave_the_probability_unchanged():
    curve = mixture_curve(1e-4, 1.0)
    found = crossing_probability(curve, interval=(0.5, 20.0)).probability
    inverted = crossing_probability(lambda u: u * curve(1.0 / u), interval=(0.05, 2.0)).probability
    scaled = crossing_probability(lambda t: 3.0 * curve(t / 9.0), interval=(4.5, 180.0)).probability
    assert inverted == pytest.approx(found, rel=1e-9)
    assert scaled == pytest.approx(found, rel=1e-9)


def test_a_curve_of_one_float_and_a_curve_of_arrays_give_the_same():
    scalar = crossing_probability(lambda t: math.sqrt(4.0 + t), interval=(0.0, 9.0))
    vector = crossing_probability(lambda t: np.sqrt(4.0 + t), interval=(0.0, 9.0))
    assert scalar.probability == pytest.approx(vector.probability, rel=1e-13)


# Kinks and jumps


def two_steps(first, second):
    """W below `first` on (0, 1] and below `second` on (1, 2], by reflection and one quadrature."""
    with mpmath.workdps(25):
        q = lambda x: mpmath.erfc(x / mpmath.sqrt(2)) / 2  # noqa: E731
        alive = lambda x: mpmath.npdf(x) - mpmath.npdf(2 * first - x)  # noqa: E731
        low = min(first, second)
        crossed = 2 * q(mpmath.mpf(first))
        crossed += mpmath.quad(lambda x: alive(x) * 2 * q(second - x), [low - 25, low - 8, low - 3, low - 1, low])
        if second < first:
            crossed += mpmath.quad(alive, [second, 0.5 * (first + second), first])
        return float(crossed)


@pytest.mark.parametrize(("first", "second"), [(2.0, 1.0), (1.0, 2.0), (1.5, 1.49), (7.0, 6.0), (6.0, 6.5)])
def test_step_curves_agree_with_reflection(first, second):
    found = crossing_probability(lambda t: first if t <= 1.0 else second, interval=(0.0, 2.0))
    expected = two_steps(first, second)
    assert found.probability == pytest.approx(expected, rel=1e-8)
    assert abs(found.probability - expected) <= found.error


def test_the_place_of_a_jump_is_found_wherever_it_is():
    for at in (0.1, 0.777, 1.9999):
        found = crossing_probability(lambda t, at=at: 2.0 if t <= at else 1.5, interval=(0.0, 2.0)).probability
        scale = math.sqrt(at)
        # Scaled so that the jump is at 1; the end is then at 2/at, reached by conditioning as in two_steps.
        with mpmath.workdps(20):
            first, second, root = 2.0 / scale, 1.5 / scale, mpmath.sqrt(2.0 / at - 1.0)
            q = lambda x: mpmath.erfc(x / mpmath.sqrt(2)) / 2  # noqa: E731
            alive = lambda x: mpmath.npdf(x) - mpmath.npdf(2 * first - x)  # noqa: B023, E731
            places = [second - 20, second - 6, second - 2, second - 0.5, second - 0.05, second - 0.005, second]
            expected = 2 * q(mpmath.mpf(first)) + mpmath.quad(alive, [second, first])
            expected += mpmath.quad(lambda x: alive(x) * 2 * q((second - x) / root), places)  # noqa: B023
        assert found == pytest.approx(float(expected), rel=1e-7)


def test_the_lower_of_two_lines_agrees_with_conditioning_at_the_kink():
    # min(2t + 3, t + 4) is 2t + 3 up to t = 1, then t + 4.
    with mpmath.workdps(25):
        q = lambda x: mpmath.erfc(x / mpmath.sqrt(2)) / 2  # noqa: E731
        first = q(mpmath.mpf(5)) + mpmath.exp(-12) * q(mpmath.mpf(1))
        alive = lambda x: mpmath.npdf(x) * (1 - mpmath.exp(-6 * (5 - x)))  # noqa: E731
        expected = float(first + mpmath.quad(lambda x: alive(x) * mpmath.exp(-2 * (5 - x)), [-20, -5, 0, 3, 4.5, 5]))
    found = crossing_probability(lambda t: np.minimum(2.0 * t + 3.0, t + 4.0))
    assert found.probability == pytest.approx(expected, rel=1e-8)
    assert abs(found.probability - expected) <= found.error


def test_the_engine_for_jumps_agrees_with_the_law_of_a_smooth_curve():
    # The half-normal curve on (0.04, 1e9)ρ, cut in two pieces; what is left out is known from the Volterra engine.
    curve = half_normal_curve(1e-6, 1.0)
    parts, resolved = pieces(lambda x: level_of(curve, x), math.log(0.05), math.log(1e5), 1e-11)
    assert resolved
    assert len(parts) == 1
    stepped, error = segment_crossing(parts)
    smooth = crossing_probability(curve, interval=(0.05, 1e5)).probability
    assert abs(stepped - smooth) <= error
    assert stepped == pytest.approx(smooth, rel=1e-5)


def test_a_curve_too_rough_to_resolve_is_enclosed():
    smooth = mixture_curve(0.01, 1.0)
    exact = crossing_probability(smooth, interval=(1.0, 4.0)).probability
    rough = crossing_probability(
        lambda t: round(math.sqrt(2.0 * (t + 1.0) * math.log(math.sqrt(t + 1.0) / 0.01)), 3), interval=(1.0, 4.0)
    )
    assert abs(rough.probability - exact) <= rough.error + 0.0005 * 4.0 * exact
    assert rough.error <= 0.02 * exact


def test_raising_the_curve_lowers_the_probability():
    low = crossing_probability(lambda t: 3.0 + (t > 1.0), interval=(0.0, 4.0))
    high = crossing_probability(lambda t: 3.01 + (t > 1.0), interval=(0.0, 4.0))
    assert high.probability + high.error < low.probability - low.error


# What cannot be asked


def test_both_times_and_interval_are_refused():
    with pytest.raises(ValueError, match="both"):
        crossing_probability(lambda t: 1.0, times=[1.0], interval=(0.0, 1.0))


@pytest.mark.parametrize("times", [[0.0, 1.0], [-1.0], [math.nan], [math.inf], []])
def test_bad_looks_are_refused(times):
    with pytest.raises(ValueError, match=r"times is .*: it must be"):
        crossing_probability(lambda t: 1.0, times=times)


@pytest.mark.parametrize("interval", [(1.0, 1.0), (2.0, 1.0), (-1.0, 1.0), (math.nan, 1.0), (0.0, math.nan)])
def test_bad_intervals_are_refused(interval):
    with pytest.raises(ValueError, match="interval"):
        crossing_probability(lambda t: 1.0, interval=interval)
    with pytest.raises(ValueError, match="interval"):
        line_crossing_probability(1.0, 1.0, interval)


def test_a_curve_that_is_nan_is_refused_with_its_time():
    with pytest.raises(ValueError, match=r"t = 2\.0"):
        crossing_probability(lambda t: math.nan if t == 2.0 else 1.0, times=[1.0, 2.0])
