"""Threshold mechanisms with other scales, other noise and several positives, against mpmath and exact rationals."""

import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from nrverify.laws import threshold
from nrverify.laws.threshold.fixed_threshold import log_output
from nrverify.laws.threshold.whole_output import output_count

NOISES = ["laplace", "exponential", "gaussian"]


@pytest.fixture(autouse=True)
def _digits():
    with mp.workdps(22):
        yield


def cdf(noise, x):
    if noise == "laplace":
        return mp.exp(x) / 2 if x < 0 else 1 - mp.exp(-x) / 2
    if noise == "exponential":
        return -mp.expm1(-x) if x > 0 else mp.mpf(0)
    return mp.ncdf(x)


def survival(noise, x):
    if noise == "exponential":
        return mp.exp(-x) if x > 0 else mp.mpf(1)
    return cdf(noise, -x)


def density(noise, x):
    if noise == "laplace":
        return mp.exp(-abs(x)) / 2
    if noise == "exponential":
        return mp.exp(-x) if x >= 0 else mp.mpf(0)
    return mp.npdf(x)


def integral(bits, margins, b, c, noise):
    """∫ f(y/b)/b Π P(bit_n | y) dy by quadrature between all kinks."""
    margins, b, c = [mp.mpf(m) for m in margins], mp.mpf(b), mp.mpf(c)

    def integrand(y):
        rounds = (
            survival(noise, (y - a) / c) if bit else cdf(noise, (y - a) / c)
            for a, bit in zip(margins, bits, strict=True)
        )
        return density(noise, y / b) / b * mp.fprod(rounds)

    kinks = sorted({mp.mpf(0), *margins})
    reach = max(b, c) * (14 if noise == "gaussian" else 80)
    steps = [kinks[0] - reach * x for x in (1, 0.5, 0.25, 0.1, 0.03)] + kinks
    steps += [kinks[-1] + reach * x for x in (0.03, 0.1, 0.25, 0.5, 1)]
    return mp.quad(integrand, steps)


def redrawn(bits, margins, b, c, noise):
    """A wrong variant: the threshold's noise drawn afresh after every 1."""
    ends = [n + 1 for n, bit in enumerate(bits) if bit]
    parts = zip([0, *ends], [*ends, len(bits)], strict=True)
    return mp.fprod(integral(bits[i:j], margins[i:j], b, c, noise) for i, j in parts if i < j)


CASES = [
    ([0, 1, 0, 1], [0.5, -1.0, 2.0, 0.25], 2, (2.0, 4.0), 1.0),
    ([1, 1, 0, 0, 1], [0.0, 0.0, 1.5, -2.0, 3.0], 3, (1.0, 6.0), 0.5),
    ([0, 0, 1], [4.0, 4.0, -3.0], 5, (3.0, 0.75), 2.0),
    ([1], [-1.25], 1, (0.5, 1.0), 1.0),
    ([0, 0, 0, 0], [1.0, 2.0, 3.0, 4.0], 1, (2.0, 2.0), 1.0),
]


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(
    ("bits", "utilities", "positives", "scales", "epsilon"), CASES, ids=lambda case: str(case)[:16]
)
def test_probability_is_the_integral_over_one_threshold_noise(noise, bits, utilities, positives, scales, epsilon):
    sensitivity, level = 2.0, 0.25
    margins = [u - level for u in utilities]
    b, c = (scale * sensitivity / epsilon for scale in scales)
    computed = threshold.probability(
        bits,
        utilities=utilities,
        epsilons=[epsilon] * len(bits),
        threshold=level,
        sensitivity=sensitivity,
        scales=scales,
        noise=noise,
        positives=positives,
    )
    assert computed == pytest.approx(float(integral(bits, margins, b, c, noise)), rel=1e-12, abs=0)
    assert computed != pytest.approx(float(integral(bits, margins, b, 1.001 * c, noise)), rel=1e-7, abs=0)
    if sum(bits) > 1:
        assert computed != pytest.approx(float(redrawn(bits, margins, b, c, noise)), rel=1e-4, abs=0)


@pytest.mark.parametrize("scales", [(3, 4), (3000, 1), (1, 3000)])
@pytest.mark.parametrize("rounds", [1, 5, 20])
def test_exponential_noise_at_equal_margins_is_an_exact_rational(rounds, scales):
    # ∫ e^{-y/b}/b (1 - e^{-y/c})^n e^{-my/c} dy = Σ_k (-1)^k C(n, k) / (1 + (k + m) b/c).
    ratio = Fraction(*scales)
    for ones in (0, 1, 5):
        bits = [0] * rounds + [1] * ones
        exact = sum(
            (Fraction((-1) ** k * math.comb(rounds, k)) / (1 + (k + ones) * ratio) for k in range(rounds + 1)),
            Fraction(0),
        )
        computed = threshold.probability(
            bits,
            utilities=[1.0] * len(bits),
            epsilons=[0.3] * len(bits),
            threshold=1.0,
            scales=scales,
            noise="exponential",
            positives=9,
        )
        assert computed == pytest.approx(float(exact), rel=1e-12, abs=0)


@pytest.mark.parametrize("noise", NOISES)
def test_far_tails_keep_their_relative_accuracy(noise):
    for bits, utilities in [([1, 1], [-300.0, -260.0]), ([0, 1, 0], [90.0, -100.0, 95.0]), ([0, 0], [500.0, 480.0])]:
        if noise == "gaussian":
            utilities = [u / 10 for u in utilities]
        margins = np.asarray(utilities, dtype=np.longdouble)
        computed = float(log_output(bits, margins, np.longdouble(2), np.longdouble(3), noise))
        reach = 40 if noise == "gaussian" else 120
        with mp.workdps(25):
            # The mass is where the integrand is largest, not where mpmath looks first: integrate in small steps.
            low, high = min(0, *utilities) - reach, max(0, *utilities) + reach
            cuts = sorted({mp.mpf(x) for x in (*np.arange(low, high + 1, 2.0), 0, *utilities)})

            def integrand(y, bits=bits, utilities=utilities):
                rounds = (
                    survival(noise, (y - u) / 3) if bit else cdf(noise, (y - u) / 3)
                    for u, bit in zip(utilities, bits, strict=True)
                )
                return density(noise, y / 2) / 2 * mp.fprod(rounds)

            expected = mp.log(mp.quad(integrand, cuts, method="gauss-legendre", maxdegree=3))
        assert computed == pytest.approx(float(expected), rel=0, abs=1e-10)


def test_one_threshold_noise_agrees_with_the_law_of_noise_reduction_at_equal_epsilons():
    utilities = [0.3, -1.0, 2.0, 0.5, -0.2, 7.0]
    margins = np.asarray(utilities, dtype=np.longdouble)
    for bits in ([0, 0, 1], [0] * 6, [1], [0, 0, 0, 0, 0, 1]):
        walked = threshold.log_probability(bits, utilities=utilities, epsilons=[0.7] * 6)
        at_once = log_output(bits, margins, 2 / np.longdouble(0.7), 4 / np.longdouble(0.7), "laplace")
        assert walked == pytest.approx(float(at_once), rel=0, abs=1e-12)


def test_other_scales_with_rising_epsilons_are_those_of_the_general_law():
    arguments = {"utilities": [0.5, -1.0, 2.0], "epsilons": [0.5, 1.0, 2.0]}
    law = threshold.halting_law(**arguments, scales=(1, 3))
    assert np.exp(law).sum() == pytest.approx(1, abs=1e-13)
    assert threshold.log_probability([0, 0, 1], **arguments, scales=(1, 3)) == pytest.approx(law[2], abs=1e-13)
    assert threshold.log_probability([0, 0, 1], **arguments) != pytest.approx(law[2], abs=1e-3)
    # In the first round P(u + ξ >= ζ) is a closed form: P(Lap(b) + Lap(c) > x) = (c²e^{-x/c} - b²e^{-x/b})/2(c²-b²).
    b, c, x = 2.0, 6.0, -0.5
    first = 1 - (c**2 * math.exp(x / c) - b**2 * math.exp(x / b)) / (2 * (c**2 - b**2))
    assert math.exp(law[0]) == pytest.approx(first, rel=1e-13)


def outputs(rounds, positives):
    """All outputs of a mechanism that halts after so many 1s."""
    found = set()
    for bits in itertools.product((0, 1), repeat=rounds):
        ones = np.cumsum(bits)
        end = int(np.argmax(ones == positives)) + 1 if ones[-1] >= positives else rounds
        found.add(bits[:end])
    return sorted(found)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("positives", [1, 2, 3, 9])
def test_the_whole_output_is_the_sum_over_all_outputs(noise, positives):
    own, other = [0.5, -1.0, 2.0, 0.25], [-0.5, 0.0, 1.0, 1.25]
    arguments = {"epsilons": [1.0] * 4, "noise": noise, "positives": positives}
    every = outputs(4, positives)
    assert len(every) == output_count(4, positives)
    p, q = ([threshold.probability(bits, utilities=u, **arguments) for bits in every] for u in (own, other))
    assert math.fsum(p) == pytest.approx(1, abs=1e-12)
    for epsilon in (-0.5, 0.0, 0.2):
        expected = math.fsum(max(0.0, a - math.exp(epsilon) * b) for a, b in zip(p, q, strict=True))
        computed = threshold.total_hockey_stick(epsilon, utilities=own, neighbour=other, **arguments)
        assert computed == pytest.approx(expected, rel=1e-11, abs=0)
        reverse = threshold.total_hockey_stick(epsilon, utilities=other, neighbour=own, **arguments)
        assert epsilon <= 0 or computed != pytest.approx(reverse, rel=1e-4)


def test_five_positives_in_twenty_rounds_are_summed_and_agree_with_single_outputs():
    rounds = 20
    own = np.linspace(-3, 3, rounds)
    other = own + np.where(np.arange(rounds) % 2, 1.0, -1.0)
    arguments = {"epsilons": [1.0] * rounds, "positives": 5}
    assert output_count(rounds, 5) == 21_700
    total = threshold.total_hockey_stick([0.0, 20.0], utilities=own, neighbour=other, **arguments)
    assert 0.2 < total[0] < 0.3
    assert total[1] == 0
    bits = [int(n in (2, 7, 11, 19)) for n in range(rounds)]
    single = threshold.probability(bits, utilities=own, **arguments)
    expected = integral(bits, own, 2, 4, "laplace")
    assert single == pytest.approx(float(expected), rel=1e-11, abs=0)


def test_the_claim_of_default_scales_holds_for_one_positive_and_not_for_five():
    own, other = [0.0] * 12, [1.0] * 6 + [-1.0] * 6
    for positives, holds in ((1, True), (5, False)):
        total = threshold.total_hockey_stick(
            1.0, utilities=own, neighbour=other, epsilons=[1.0] * 12, positives=positives
        )
        assert (total == 0) == holds


def test_the_loss_of_exponential_noise_above_the_threshold_is_exact():
    # P(0) = ∫_u^∞ e^{-y/2}/2 (1 - e^{-(y-u)/4}) dy is proportional to e^{-u/2}.
    arguments = {"epsilons": [1.0], "noise": "exponential", "scales": (2, 4)}
    loss = threshold.privacy_loss([0], utilities=[5.0], neighbour=[4.0], **arguments)
    exact = -(5.0 - 4.0) / 2
    assert loss == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("noise", NOISES)
def test_very_different_scales_and_exponents_still_add_up_to_one(noise):
    # Narrow query noise hides from wide panels, and exponents of 1e9 are known to fewer digits than the tolerance.
    for scales, utilities in [((200.0, 0.02), [3.0, -40.0, 3.01]), ((0.02, 200.0), [0.0, 1.0, -3.0])]:
        arguments = {"utilities": utilities, "epsilons": [1.0] * 3, "scales": scales, "noise": noise, "positives": 2}
        total = math.fsum(threshold.probability(bits, **arguments) for bits in outputs(3, 2))
        assert total == pytest.approx(1, abs=1e-12)
    huge = {"utilities": [3e4, 3e4, -3e4], "epsilons": [1.0] * 3, "noise": noise, "positives": 3}
    assert -1e8 < threshold.log_probability([1, 0, 1], **huge) < -1e4


def test_bad_variants_are_refused_with_their_value():
    good = {"utilities": [0.0, 1.0], "epsilons": [1.0, 1.0]}
    with pytest.raises(ValueError, match=r"scales is \(2, 0\)|scales is 0.0: it must be finite and > 0"):
        threshold.probability([1], **good, scales=(2, 0))
    with pytest.raises(ValueError, match=r"scales is \[1\]: it must be a pair"):
        threshold.probability([1], **good, scales=[1])
    with pytest.raises(ValueError, match="noise is 'cauchy': it must be one of laplace, exponential, gaussian"):
        threshold.probability([1], **good, noise="cauchy")
    for bad in (0, 1.5, True, None, "2"):
        with pytest.raises(ValueError, match=r"positives is .*: it must be one integer"):
            threshold.probability([1], **good, positives=bad)
    with pytest.raises(ValueError, match="go on after the 2 ones"):
        threshold.probability([1, 1, 0], utilities=[0.0] * 3, epsilons=[1.0] * 3, positives=2)
    for variant in ({"positives": 2}, {"noise": "gaussian"}):
        with pytest.raises(ValueError, match=r"epsilons is .*: all must be equal"):
            threshold.probability([1], utilities=[0.0, 1.0], epsilons=[1.0, 2.0], **variant)
    with pytest.raises(ValueError, match="have 16777216 outputs, which must not be more"):
        threshold.total_hockey_stick(1.0, utilities=[0.0] * 24, neighbour=[1.0] * 24, epsilons=[1.0] * 24, positives=24)
