"""The threshold law against a second derivation: exponential polynomials through the reverse kernel, in exact numbers.

The code under test carries survival probabilities through the *forward* kernel by quadrature.  Here the sub-density of
the threshold noise is carried forward in rounds through the *reverse* kernel, exactly: on each piece between the
margins and 0 it is a sum of terms coefficient · y^power · e^{rate·y} with rational rates.
"""

import math
from fractions import Fraction
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest
from scipy.integrate import quad

from nrverify.laws import threshold
from nrverify.laws.threshold import law as threshold_law

ZERO = Fraction(0)


def added(f, g):
    total = dict(f)
    for term, weight in g.items():
        total[term] = total.get(term, 0) + weight
    return total


def multiplied(f, g):
    product = {}
    for (r, p), v in f.items():
        for (s, q), w in g.items():
            product[r + s, p + q] = product.get((r + s, p + q), 0) + v * w
    return product


class ExactLaw:
    """(P(N=1), …, P(N>n)) for rational margins and scales; `number` turns a rational into a coefficient."""

    def __init__(self, number, margins, threshold_scales, query_scales):
        self.number = number
        breaks = sorted({*margins, ZERO})
        self.lower, self.upper = [None, *breaks], [*breaks, None]
        self.probabilities = []
        density = self.times(self.exp_abs(-1 / threshold_scales[0]), 1 / (2 * threshold_scales[0]))
        t = threshold_scales[0]
        for a, s, c in zip(margins, threshold_scales, query_scales, strict=True):
            if s < t:
                density = self.reverse_step(density, s, t)
            t = s
            self.probabilities.append(self.integral(self.product(density, self.laplace_tail(a, c, -1))))
            density = self.product(density, self.laplace_tail(a, c, 1))
        self.probabilities.append(self.integral(density))

    def exp(self, x):
        return self.number(1) if x == 0 else mp.exp(self.number(x))

    def below(self, piece, a):
        return self.upper[piece] is not None and self.upper[piece] <= a

    def pieces(self):
        return range(len(self.lower))

    def product(self, f, g):
        return [multiplied(x, y) for x, y in zip(f, g, strict=True)]

    def times(self, f, factor):
        return [{term: weight * self.number(factor) for term, weight in x.items()} for x in f]

    def exp_abs(self, rate):
        return [{(-rate if self.below(i, ZERO) else rate, 0): self.number(1)} for i in self.pieces()]

    def laplace_tail(self, a, c, sign):
        """P(sign·(a + Lap(c)) < sign·y)."""
        small = {(sign / c, 0): self.exp(-sign * a / c) / 2}
        large = {(ZERO, 0): self.number(1), (-sign / c, 0): -self.exp(sign * a / c) / 2}
        return [small if self.below(i, a) == (sign > 0) else large for i in self.pieces()]

    def primitive(self, f):
        total = {}
        for (rate, power), weight in f.items():
            if rate == 0:
                total = added(total, {(rate, power + 1): weight / (power + 1)})
                continue
            w = weight / self.number(rate)
            for k in range(power, -1, -1):
                total = added(total, {(rate, k): w})
                w = -w * k / self.number(rate)
        return total

    def at(self, f, y):
        """f(y), with y = None an infinite end, where f vanishes."""
        if y is None:
            return self.number(0)
        return sum((w * self.number(y) ** p * self.exp(r * y) for (r, p), w in f.items()), self.number(0))

    def integral(self, f):
        primitives = [self.primitive(x) for x in f]
        return sum(self.at(primitives[i], self.upper[i]) - self.at(primitives[i], self.lower[i]) for i in self.pieces())

    def running(self, f):
        """∫_{−∞}^y f and ∫_y^∞ f on each piece."""
        primitives = [self.primitive(x) for x in f]
        parts = [self.at(F, hi) - self.at(F, lo) for F, lo, hi in zip(primitives, self.lower, self.upper, strict=True)]
        before = [added(F, {(ZERO, 0): sum(parts[:i]) - self.at(F, self.lower[i])}) for i, F in enumerate(primitives)]
        after = [
            added({term: -w for term, w in F.items()}, {(ZERO, 0): sum(parts[i + 1 :]) + self.at(F, self.upper[i])})
            for i, F in enumerate(primitives)
        ]
        return before, after

    def reverse_step(self, density, s, t):
        """Atom (s/t)e^{−|z|(1/s−1/t)} at z; density (1−s²/t²)/2s · e^{−|y|/s−|z−y|/t+|z|/t}."""
        tilted = self.product(density, self.exp_abs(1 / t))
        up = [{(1 / t, 0): self.number(1)} for _ in self.pieces()]
        down = [{(-1 / t, 0): self.number(1)} for _ in self.pieces()]
        before, _ = self.running(self.product(tilted, up))
        _, after = self.running(self.product(tilted, down))
        spread = [added(x, y) for x, y in zip(self.product(before, down), self.product(after, up), strict=True)]
        atom = self.times(self.product(density, self.exp_abs(1 / t - 1 / s)), s / t)
        jump = self.times(self.product(spread, self.exp_abs(-1 / s)), (1 - s * s / (t * t)) / (2 * s))
        return [added(x, y) for x, y in zip(atom, jump, strict=True)]


def as_mpf(x):
    return mp.mpf(Fraction(x).numerator) / Fraction(x).denominator


def exact_logs(margins, threshold_scales, query_scales):
    """The logarithms of the law to 60 digits (cancellation in the sums costs up to 40 of the 120 carried)."""
    with mp.workdps(120):
        law = ExactLaw(as_mpf, *([Fraction(x) for x in xs] for xs in (margins, threshold_scales, query_scales)))
        assert abs(sum(law.probabilities) - 1) < mp.mpf(10) ** -60
        return [mp.log(p) for p in law.probabilities]


def exact_logs_of(utilities, epsilons):
    levels = [Fraction(e) for e in epsilons]
    return exact_logs(utilities, [2 / e for e in levels], [4 / e for e in levels])


ORDINARY = [
    ([0.3], [0.7]),
    ([1.5, -2.0], [0.5, 2.0]),
    ([-0.4, 2.2, 0.9], [1.0, 1.0, 1.0]),
    ([2.0, 2.0, -3.0], [0.5, 0.5, 2.0]),  # 1/4·(½+½) = ½·½: a rate meets the kernel's, powers of y appear
    ([-3.0, 0.5, 0.5, 4.0], [0.1, 0.2, 0.4, 0.8]),
    ([1.0, -1.0, 2.0, -2.0, 0.0], [0.3, 0.3, 0.31, 1.7, 1.7]),
    ([-1.0, 3.5, 0.25, -6.0, 2.0, 1.0], [1.0] * 6),
    ([4.0, -20.0, 1.0, 0.2], [0.001, 0.1, 1.0, 10.0]),
    ([3.0, 2000.0, -2000.0], [0.01, 1.0, 1.5]),  # a layer far narrower than the noise that made it: needs refinement
]
EXTREME = [
    ([1e6], [1.0]),
    ([-1e6, 1e6], [0.1, 0.3]),
    ([1e6, 1e6, -1e6], [1.0, 1.0, 1.0]),
    ([1e6, -1e6, 1e6], [0.1, 0.11, 0.3]),
    ([1e6, 50.0, -50.0], [0.1, 0.1, 0.2]),
    ([50.0, -50.0, 50.0], [0.001, 0.01, 10.0]),
    ([1e6, 1e6, 1e6], [0.001, 0.01, 10.0]),
    ([1e6, 999990.0, 1000003.0, -50.0], [0.1, 0.11, 0.3, 1.0]),
]


@pytest.mark.parametrize(("utilities", "epsilons"), ORDINARY)
def test_law_is_that_of_the_exact_exponential_polynomials(utilities, epsilons):
    law = threshold.halting_law(utilities=utilities, epsilons=epsilons)
    expected = exact_logs_of(utilities, epsilons)
    assert np.abs(law - np.array([float(x) for x in expected])).max() < 1e-14


@pytest.mark.parametrize(
    ("threshold_scales", "query_scales"),
    [([4.0, 2.0, 1.0], [4.0, 2.0, 1.0]), ([2.0, 1.0, 0.5], [8.0, 4.0, 2.0]), ([4.0, 4.0, 4.0], [1.0, 9.0, 0.25])],
)
def test_law_of_wrong_noise_scales_is_exact_too(threshold_scales, query_scales):
    margins = [-4.0, 1.5, 0.25]
    law = threshold_law.log_halting_law(margins, threshold_scales, query_scales).astype(float)
    expected = [float(x) for x in exact_logs(margins, threshold_scales, query_scales)]
    right = threshold.halting_law(utilities=margins, epsilons=[0.5, 1.0, 2.0])
    assert np.abs(law - expected).max() < 1e-14
    assert np.abs(law - right).max() > 0.01


@pytest.mark.parametrize(("utilities", "epsilons"), EXTREME)
def test_log_probabilities_far_from_the_threshold_are_right_to_their_last_digit(utilities, epsilons):
    law = threshold.halting_law(utilities=utilities, epsilons=epsilons)
    for log_p, expected in zip(law, exact_logs_of(utilities, epsilons), strict=True):
        assert abs(log_p - expected) <= 1e-13 + np.spacing(abs(float(expected)))


@pytest.mark.parametrize(("utilities", "epsilons"), [case for case in ORDINARY + EXTREME if len(case[0]) > 1])
def test_privacy_loss_is_the_difference_of_exact_logarithms(utilities, epsilons):
    neighbour = [u + (1.0 if i % 2 else -0.5) for i, u in enumerate(utilities)]
    own, other = exact_logs_of(utilities, epsilons), exact_logs_of(neighbour, epsilons)
    for n in range(1, len(utilities) + 1):
        bits = [0] * (n - 1) + [1]
        loss = threshold.privacy_loss(bits, utilities=utilities, neighbour=neighbour, epsilons=epsilons)
        assert loss == pytest.approx(float(own[n - 1] - other[n - 1]), rel=1e-12, abs=1e-12)
    zeros = [0] * len(utilities)
    loss = threshold.privacy_loss(zeros, utilities=utilities, neighbour=neighbour, epsilons=epsilons)
    assert loss == pytest.approx(float(own[-1] - other[-1]), rel=1e-12, abs=1e-12)


def test_small_losses_keep_an_absolute_accuracy_of_1e_minus_14():
    utilities, epsilons = [0.5, -1.0, 2.0], [0.5, 0.75, 2.0]
    neighbour = [u + 2.0**-20 for u in utilities]
    own, other = exact_logs_of(utilities, epsilons), exact_logs_of(neighbour, epsilons)
    loss = threshold.privacy_loss([0, 0, 1], utilities=utilities, neighbour=neighbour, epsilons=epsilons)
    assert loss == pytest.approx(float(own[2] - other[2]), abs=1e-14, rel=0)


def halts_at_threshold(n):
    """P(N = n) with equal ε and u = τ: ∫_0^1 v[(1−v/2)^{n−1} v/2 + (v/2)^{n−1}(1−v/2)]dv, v = e^{−|y|/c}."""
    half = Fraction(1, 2)
    first = sum(math.comb(n - 1, k) * (-half) ** k * half / (k + 3) for k in range(n))
    return first + half ** (n - 1) * (Fraction(1, n + 1) - half / (n + 2))


def test_equal_epsilons_at_the_threshold_give_rational_probabilities():
    assert [halts_at_threshold(n) for n in (1, 2, 3)] == [Fraction(1, 2), Fraction(5, 24), Fraction(5, 48)]
    for n in (1, 2, 3, 6, 12):
        bits = [0] * (n - 1) + [1]
        p = threshold.probability(bits, utilities=[7.0] * n, epsilons=[0.3] * n, threshold=7.0, sensitivity=2.0)
        assert p == pytest.approx(float(halts_at_threshold(n)), rel=1e-14)


@pytest.mark.parametrize("epsilons", [[1, 2, 4, 8, 16], [1, 1, 2, 3, 3]])
def test_growing_epsilons_at_the_threshold_give_rational_probabilities(epsilons):
    levels = [Fraction(e) for e in epsilons]
    exact = ExactLaw(Fraction, [ZERO] * 5, [2 / e for e in levels], [4 / e for e in levels]).probabilities
    assert sum(exact) == 1
    law = threshold.halting_law(utilities=[0.0] * 5, epsilons=epsilons)
    assert np.exp(law) == pytest.approx([float(p) for p in exact], rel=1e-14)


def laplace_pdf(y, b):
    return math.exp(-abs(y) / b) / (2 * b)


def laplace_cdf(y, b):
    return math.exp(y / b) / 2 if y < 0 else 1 - math.exp(-y / b) / 2


def integral(f, breaks):
    return sum(quad(f, lo, hi, epsabs=1e-15, epsrel=1e-13)[0] for lo, hi in pairwise(breaks))


def test_three_rounds_agree_with_nested_quadrature_of_the_definition():
    """P(001) = E[P(ξ_1 < ζ_1 − u_1) P(ξ_2 < ζ_2 − u_2) P(ξ_3 ≥ ζ_3 − u_3)], ζ_{n−1} = ζ_n or ζ_n + Lap(b_{n−1})."""
    u, levels = (0.75, -1.25, 0.5), (0.8, 1.6, 1.6)

    def survived(n, z):
        """P(no halt before round n | ζ_n = z)."""
        if n == 0:
            return 1.0
        b, stay = 2 / levels[n - 1], (levels[n - 1] / levels[n]) ** 2

        def survives(y):
            return survived(n - 1, y) * laplace_cdf(y - u[n - 1], 4 / levels[n - 1])

        if stay == 1:
            return survives(z)
        breaks = sorted([z - 35 * b, z, z + 35 * b, *u[:n]])
        return stay * survives(z) + (1 - stay) * integral(lambda y: laplace_pdf(y - z, b) * survives(y), breaks)

    def halts(z):
        return laplace_pdf(z, 2 / levels[2]) * survived(2, z) * laplace_cdf(u[2] - z, 4 / levels[2])

    expected = integral(halts, [-35.0, u[1], 0.0, u[2], u[0], 25.0])
    assert threshold.probability([0, 0, 1], utilities=u, epsilons=levels) == pytest.approx(expected, rel=1e-11)


def test_law_is_that_of_the_simulated_mechanism():
    """400,000 runs; each of 5 frequencies is off by 6 standard deviations with probability below 1e-8."""
    rng, runs = np.random.default_rng(20240607), 400_000
    u, levels = np.array([-2.0, 1.0, -4.0, 0.5]), np.array([0.5, 0.9, 0.9, 3.0])
    times = 2 / levels
    noise = np.empty((4, runs))
    noise[3] = rng.laplace(scale=times[3], size=runs)
    for n in (2, 1, 0):
        jumps = rng.random(runs) >= (times[n + 1] / times[n]) ** 2
        noise[n] = noise[n + 1] + jumps * rng.laplace(scale=times[n], size=runs)
    halts = u[:, None] + rng.laplace(scale=2 * times[:, None], size=(4, runs)) >= noise
    rounds = np.where(halts.any(axis=0), halts.argmax(axis=0), 4)
    p = np.exp(threshold.halting_law(utilities=u, epsilons=levels))
    frequencies = np.bincount(rounds, minlength=5) / runs
    assert np.all(np.abs(frequencies - p) < 6 * np.sqrt(p * (1 - p) / runs))


def test_falling_utilities_may_never_halt():
    law = threshold.halting_law(utilities=-np.arange(1.0, 81.0), epsilons=[1.0] * 80)
    assert np.exp(law[-1]) == pytest.approx(0.182936, abs=5e-7)


@pytest.mark.parametrize(
    ("spread", "epsilons"),
    [(5.0, np.ones(60)), (5.0, np.geomspace(0.1, 10, 60)), (3000.0, np.repeat(np.geomspace(0.001, 10, 15), 4))],
)
def test_sixty_rounds_sum_to_one(spread, epsilons):
    utilities = np.random.default_rng(3).normal(0, spread, 60)
    law = threshold.halting_law(utilities=utilities, epsilons=epsilons)
    assert np.exp(law).sum() == pytest.approx(1, abs=1e-14)


def test_one_output_and_the_whole_law_agree():
    utilities, epsilons = [1.0, -2.0, 0.5, 3.0], [0.2, 0.4, 0.4, 1.5]
    law = threshold.halting_law(utilities=utilities, epsilons=epsilons)
    for n in range(1, 5):
        bits = [0] * (n - 1) + [1]
        one = threshold.log_probability(bits, utilities=utilities, epsilons=epsilons)
        assert one == pytest.approx(law[n - 1], abs=1e-14)
        assert threshold.probability(bits, utilities=utilities, epsilons=epsilons) == pytest.approx(
            math.exp(one), rel=1e-15
        )
    never = threshold.log_probability([0] * 4, utilities=utilities, epsilons=epsilons)
    assert never == pytest.approx(law[-1], abs=1e-14)


def test_law_depends_on_margins_in_units_of_the_sensitivity_only():
    utilities, epsilons = np.array([1.0, -2.5, 0.5]), [0.5, 1.0, 3.0]
    law = threshold.halting_law(utilities=utilities, epsilons=epsilons)
    moved = threshold.halting_law(utilities=4 * utilities + 1024, epsilons=epsilons, threshold=1024, sensitivity=4)
    assert np.array_equal(law, moved)
    rescaled = threshold.halting_law(utilities=utilities / 8, epsilons=8 * np.array(epsilons))
    assert rescaled == pytest.approx(law, abs=1e-14)


def test_a_higher_utility_makes_halting_by_its_round_likelier():
    for n in range(3):
        utilities = np.array([0.3, -1.0, 2.0])
        survival = []
        for shift in (-1e4, -3.0, 0.0, 1e-3, 3.0, 1e4):
            moved = utilities + shift * (np.arange(3) == n)
            survival.append(threshold.log_probability([0, 0, 0], utilities=moved, epsilons=[0.5, 0.6, 2.0]))
        assert np.all(np.diff(survival) < 0)


def test_entries_after_the_last_bit_do_not_matter():
    short = threshold.log_probability([0, 1], utilities=[1.0, 2.0], epsilons=[0.5, 1.0])
    long = threshold.log_probability([0, 1], utilities=[1.0, 2.0, -9.0], epsilons=[0.5, 1.0, 7.0])
    assert short == long
