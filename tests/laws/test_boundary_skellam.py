"""The Skellam boundary against mpmath's Bessel functions, and its crossing against sums and matrix exponentials."""

import math

import mpmath as mp
import numpy as np
import pytest
from scipy.linalg import expm

from nrverify.laws.boundary import SkellamLinear

mp.mp.dps = 40


def pmf(j, mu):
    return mp.exp(-mu) * mp.besseli(abs(j), mu)


def line(boundary, t):
    theta, mu = mp.mpf(boundary.theta), 2 * mp.mpf(boundary.rate) * mp.mpf(t)
    return (-mp.log(mp.mpf(boundary.delta)) + mu * (mp.cosh(theta) - 1)) / theta


@pytest.mark.parametrize("sensitivity", [1, 3])
@pytest.mark.parametrize(("theta", "delta"), [(0.3, 1e-6), (1.0, 0.01), (1e-3, 0.5), (4.0, 1e-300)])
def test_skellam_boundary_is_the_loss_at_the_largest_integer_below_the_line(theta, delta, sensitivity):
    boundary = SkellamLinear(theta=theta, delta=delta, sensitivity=sensitivity, rate=0.7)
    for t in (0.3, 11.0, 400.0):
        k = int(mp.ceil(line(boundary, t))) - 1
        mu = 2 * mp.mpf(0.7) * mp.mpf(t)
        exact = mp.log(mp.besseli(k, mu) / mp.besseli(k + sensitivity, mu))
        assert boundary(t) == pytest.approx(float(exact), rel=1e-11, abs=0)


def test_skellam_loss_stays_below_the_boundary_for_every_noise_below_the_line_and_every_neighbour():
    boundary = SkellamLinear(theta=0.6, delta=0.01, sensitivity=3, rate=0.5)
    for t in (0.5, 4.0, 30.0):
        k = int(mp.ceil(line(boundary, t))) - 1
        losses = {
            (x, m): mp.log(pmf(x, mp.mpf(t)) / pmf(x + m, mp.mpf(t))) for x in range(-k - 15, k + 2) for m in (1, 2, 3)
        }
        below = max(loss for (x, _), loss in losses.items() if x <= k)
        assert float(below) == pytest.approx(boundary(t), rel=1e-11)
        assert losses[k + 1, 3] > below


def test_skellam_inverse_is_the_smallest_time_that_reaches_epsilon():
    for sensitivity, delta, theta in [(1, 1e-6, 0.3), (2, 0.1, 0.8), (5, 1e-9, 0.05)]:
        boundary = SkellamLinear(theta=theta, delta=delta, sensitivity=sensitivity, rate=2.0)
        for epsilon in boundary.floor * np.array([1.02, 1.1, 1.7, 5.0, 40.0]):
            time = boundary.inverse(float(epsilon))
            assert boundary(time) <= epsilon * (1 + 1e-12)
            earlier = time * np.concatenate([np.linspace(0.001, 0.999999, 20000), 1 - np.geomspace(1e-10, 1e-6, 50)])
            assert boundary(earlier).min() > epsilon


def test_skellam_inverse_holds_at_a_corner_and_never_lands_behind_the_jump():
    boundary = SkellamLinear(theta=0.37, delta=1e-4, sensitivity=1, rate=0.9)
    for k in range(30, 45):
        corner = float((mp.mpf(0.37) * (k + 1) + mp.log(mp.mpf(1e-4))) / (mp.cosh(mp.mpf(0.37)) - 1) / mp.mpf(1.8))
        epsilon = boundary(corner * (1 - 1e-15))
        time = boundary.inverse(epsilon)
        assert boundary(time) <= epsilon * (1 + 1e-12)


@pytest.mark.parametrize(
    ("epsilon", "delta", "sensitivity"),
    [(1.0, 1e-6, 1), (0.3, 1e-3, 4), (6.0, 0.4, 2)],
)
def test_skellam_tightest_beats_every_other_tilt(epsilon, delta, sensitivity):
    best = SkellamLinear.tightest_at(epsilon=epsilon, delta=delta, sensitivity=sensitivity, rate=0.5)
    time = best.inverse(epsilon)
    assert best(time) == pytest.approx(epsilon, rel=1e-11)
    others = [
        SkellamLinear(theta=best.theta * factor, delta=delta, sensitivity=sensitivity, rate=0.5)
        for factor in np.concatenate([np.linspace(0.95, 1.05, 15), np.linspace(0.2, 1.6, 20)])
    ]
    reachable = [other.inverse(epsilon) for other in others if other.floor < epsilon * 0.999]
    assert len(reachable) > 20
    assert min(reachable) >= time * (1 - 1e-12)
    # Somewhere the tilt matters, or the comparison would show nothing.
    assert max(reachable) > time * 1.01


def test_skellam_time_scales_with_the_inverse_rate_and_tends_to_the_gaussian_one():
    slow = SkellamLinear.tightest_at(epsilon=0.3, delta=1e-6, sensitivity=2, rate=1.0)
    fast = SkellamLinear.tightest_at(epsilon=0.3, delta=1e-6, sensitivity=2, rate=8.0)
    assert fast.theta == slow.theta
    assert fast.inverse(0.3) == pytest.approx(slow.inverse(0.3) / 8, rel=1e-14)
    # Small epsilon: variance μ = 2·rate·t against the line's t* = D²/(2(√(ℓ+ε)−√ℓ)²), up to lattice terms O(ε).
    small = SkellamLinear.tightest_at(epsilon=0.001, delta=1e-6, sensitivity=1, rate=0.5)
    level = math.log(1e6)
    gaussian = 1 / (2 * (math.sqrt(level + 0.001) - math.sqrt(level)) ** 2)
    assert small.inverse(0.001) == pytest.approx(gaussian, rel=2e-3)


def test_skellam_crossing_at_looks_is_the_sum_over_all_paths():
    boundary = SkellamLinear(theta=0.8, delta=1e-5, sensitivity=1, rate=0.5)
    first, second = mp.mpf(12), mp.mpf(45)
    low, high = (int(mp.ceil(line(boundary, t))) for t in (first, second))
    jump = {j: pmf(j, second - first) for j in range(-200, 201)}
    exact = sum(pmf(j, first) for j in range(low, low + 120))
    for j in range(-100, low):
        exact += pmf(j, first) * sum(jump[i] for i in range(high - j, min(high - j + 120, 201)))
    for looks in ([12.0, 45.0], [45.0, 12.0, 45.0]):
        assert boundary.crossing_probability(times=looks) == pytest.approx(float(exact), rel=1e-12, abs=0)


@pytest.mark.parametrize(("theta", "delta"), [(0.02, 1e-6), (3.0, 1e-300), (0.5, 0.9)])
def test_skellam_crossing_at_one_look_is_the_tail(theta, delta):
    boundary = SkellamLinear(theta=theta, delta=delta, sensitivity=1, rate=0.5)
    for t in (0.4, 9.0, 80.0):
        start = int(mp.ceil(line(boundary, t)))
        exact = mp.nsum(lambda j, t=t, start=start: pmf(int(j) + start, mp.mpf(t)), [0, 120], method="direct")
        computed = boundary.crossing_probability(times=[t])
        assert computed == pytest.approx(float(exact), rel=1e-10, abs=delta * 1e-20)


def absorbed(theta, delta, start, end, lowest=-140):
    """P(X_μ ≥ B(μ) for some μ in [start, end]) by matrix exponentials of the walk's generator, piece by piece."""
    level, curvature = -math.log(delta), math.cosh(theta) - 1
    height = lambda mu: (level + mu * curvature) / theta  # noqa: E731

    def generator(top, absorbing):
        size = top - lowest + 1
        matrix = 0.5 * (np.eye(size, k=1) + np.eye(size, k=-1)) - np.eye(size)
        if absorbing:
            matrix[-1] = 0
        return matrix

    masses, crossed, mu = np.zeros(1 - lowest), 0.0, start
    masses[-lowest] = 1.0
    if start > 0:
        top = 140
        everywhere = np.zeros(top - lowest + 1)
        everywhere[-lowest] = 1.0
        everywhere = everywhere @ expm(generator(top, absorbing=False) * start)
        masses = everywhere[: math.ceil(height(start)) - lowest]
        crossed = everywhere[masses.size :].sum()
    barrier = math.floor(height(start)) + 1
    while mu < end - 1e-12:
        stop = min((theta * barrier - level) / curvature, end)
        padded = np.zeros(barrier - lowest + 1)
        padded[: masses.size] = masses
        padded = padded @ expm(generator(barrier, absorbing=True) * (stop - mu))
        crossed += padded[-1]
        masses, mu, barrier = padded[:-1], stop, barrier + 1
    return crossed


@pytest.mark.parametrize(
    ("theta", "delta", "start", "end"),
    [(1.0, 0.05, 0, 20), (1.0, 0.05, 3, 20), (0.5, 0.01, 2.5, 25), (3.0, 1e-4, 0, 3)],
)
def test_skellam_crossing_on_an_interval_is_that_of_the_absorbed_walk(theta, delta, start, end):
    boundary = SkellamLinear(theta=theta, delta=delta, sensitivity=1, rate=0.25)
    computed = boundary.crossing_probability(interval=(2 * start, 2 * end))
    assert computed == pytest.approx(absorbed(theta, delta, start, end), rel=1e-10, abs=0)


def test_skellam_crossing_over_all_time_is_the_limit_of_long_intervals_and_at_most_delta():
    boundary = SkellamLinear(theta=1.0, delta=0.05, sensitivity=1, rate=0.5)
    everything = boundary.crossing_probability()
    assert everything == pytest.approx(boundary.crossing_probability(interval=(0.0, 400.0)), rel=1e-10)
    assert boundary.crossing_probability(times=np.linspace(0.5, 60, 120)) < everything < 0.05
    for delta in (1e-300, 1e-6):
        tuned = SkellamLinear.tightest_at(epsilon=0.3, delta=delta, sensitivity=1, rate=0.5)
        # X jumps by 1, so it passes the line by less than 1 and at least e^(−θ) of δ is used up.
        assert delta * math.exp(-tuned.theta) < tuned.crossing_probability() < delta
    steep = SkellamLinear(theta=20.0, delta=1e-300, sensitivity=1, rate=0.5)
    assert 1e-300 * math.exp(-20) < steep.crossing_probability() < 1e-300


def test_skellam_boundary_refuses_what_it_cannot_do():
    boundary = SkellamLinear(theta=0.3, delta=1e-6, sensitivity=1, rate=1.0)
    with pytest.raises(ValueError, match=rf"cannot be reached.*floor {boundary.floor!r}"):
        boundary.inverse(0.1)
    assert boundary.floor == pytest.approx(math.asinh((math.cosh(0.3) - 1) / 0.3), rel=1e-14)
    with pytest.raises(ValueError, match=r"sensitivity is 1\.5"):
        SkellamLinear(theta=0.3, delta=1e-6, sensitivity=1.5, rate=1.0)
    with pytest.raises(ValueError, match=r"sensitivity is 1\.5"):
        SkellamLinear.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1.5, rate=1.0)
    for name in ("theta", "delta", "sensitivity", "rate"):
        for bad in (0, -1, math.nan, math.inf):
            with pytest.raises(ValueError, match=name):
                SkellamLinear(**{"theta": 0.3, "delta": 0.1, "sensitivity": 1, "rate": 1.0, name: bad})
    with pytest.raises(ValueError, match="time"):
        boundary(0.0)
    with pytest.raises(ValueError, match="too large"):
        boundary.inverse(1e5)


def test_skellam_floor_is_the_least_value_also_where_the_boundary_rises():
    boundary = SkellamLinear(theta=1.0, delta=0.9, sensitivity=1, rate=0.5)
    times = np.concatenate([np.linspace(0.01, 100, 200001), [1e4, 1e6]])
    assert boundary(times).min() >= boundary.floor * (1 - 1e-12)
    assert boundary(times).min() == pytest.approx(boundary.floor, rel=1e-3)
    assert boundary(boundary.inverse(boundary.floor * 1.0001)) <= boundary.floor * 1.0001 * (1 + 1e-12)


def test_skellam_scalars_give_floats_and_arrays_are_elementwise():
    boundary = SkellamLinear(theta=0.3, delta=1e-6, sensitivity=1, rate=1.0)
    assert isinstance(boundary(3), float)
    assert isinstance(boundary.inverse(0.4), float)
    assert boundary([1.0, 3.0]).tolist() == [boundary(1.0), boundary(3.0)]
    assert boundary.inverse([0.4, 2.0]).tolist() == [boundary.inverse(0.4), boundary.inverse(2.0)]
