"""The laws of Skellam noise, against Arb's Bessel functions, exact sums and the Poisson construction."""

import numpy as np
import pytest
from flint import arb, ctx
from scipy.stats import poisson

from nrverify.laws.process import Law, Process
from nrverify.laws.skellam import Skellam
from nrverify.laws.special.integer_sums import draw, gauss_rule


@pytest.fixture(autouse=True)
def _precision():
    before = ctx.prec
    ctx.prec = 400
    yield
    ctx.prec = before


def bessel(order, x):
    return arb(x).bessel_i(arb(abs(int(order))))


def pmf(mu, k):
    return bessel(k, mu) * (-arb(mu)).exp()


def bridge_pmf(rate, s, t, k, j):
    """P(X_s = j) P(X_{t-s} = k-j) / P(X_t = k), times exact."""
    before, after, whole = (2 * arb(rate) * u for u in (arb(s), arb(t) - arb(s), arb(t)))
    return bessel(j, before) * bessel(k - j, after) / bessel(k, whole)


def number(ball):
    return float(ball.mid())


@pytest.mark.parametrize("mean", [1e-3, 0.3, 5.0, 400.0, 1e5, 1e8])
def test_marginal_log_pmf_has_the_digits_of_arb_also_in_the_far_tails(mean):
    law = Skellam(0.25).marginal(4 * mean)
    for k in (0, -1, 3, 40, -700, 10_000):
        exact = pmf(2 * mean, k).log()
        assert law.logpdf(k) == pytest.approx(number(exact), rel=1e-13, abs=0)


@pytest.mark.parametrize(
    ("mean", "cuts"),
    [(5e-4, (0, 1, 4)), (1.0, (0, 2, 25)), (10.0, (0, 5, 60)), (150.0, (0, 200)), (1000.0, (50, 500))],
)
def test_marginal_tails_are_sums_of_the_pmf(mean, cuts):
    ctx.prec = 120
    law = Skellam(1.0).marginal(mean)
    for cut in cuts:
        upper = sum((pmf(2 * mean, k) for k in range(cut + 1, cut + 60 + int(10 * mean**0.5))), arb(0))
        assert law.sf(cut) == pytest.approx(number(upper), rel=2e-13, abs=0)
        assert law.cdf(-cut - 1) == pytest.approx(number(upper), rel=2e-13, abs=0)
        assert law.cdf_left(-cut) == law.cdf(-cut - 1)
        assert law.cdf(cut) == pytest.approx(number(1 - upper), rel=1e-14, abs=0)


@pytest.mark.parametrize("k", [0, 3, 20_000, 90_000])
def test_marginal_tail_at_mean_1e8_has_the_digits_of_the_edgeworth_expansion(k):
    # P(X > k) = (1/2π) ∫ φ(τ) e^{-i(k+½)τ} / 2i sin(τ/2) dτ, and (τ/2)/sin(τ/2) = exp(τ²/24 + τ⁴/2880 + …): the tail at
    # k + ½ of a smooth law with the cumulants μ - 1/12, μ + 1/120 and, to this order, μ. The next terms are O(z¹¹/μ³).
    mu = arb(2) * 10**8
    z = (arb(k) + arb(1) / 2) / mu.sqrt()

    def hermite(n):
        low, high = arb(1), z
        for i in range(1, n):
            low, high = high, z * high - i * low
        return high

    second, fourth, sixth = -1 / (12 * mu), (1 + 1 / (120 * mu)) / mu, 1 / mu**2
    tail = (z / arb(2).sqrt()).erfc() / 2
    density = (-z * z / 2).exp() / (2 * arb.pi()).sqrt()
    tail += density * (second / 2 * hermite(1) + fourth / 24 * hermite(3))
    tail += density * (second**2 / 8 * hermite(3) + (sixth / 720 + second * fourth / 48) * hermite(5))
    tail += density * fourth**2 / 1152 * hermite(7)
    assert Skellam(1.0).marginal(1e8).sf(k) == pytest.approx(number(tail), rel=1e-13, abs=0)


BRIDGES = [
    (0.5, 1.0, 3),
    (1e-3, 2e-3, -2),
    (10.0, 30.0, -20),
    (100.0, 1000.0, 50),
    (0.25, 1.0, 10_000),
    (2.0**-10, 1.0, 10_000),
    (5e7, 1e8, 10_000),
    (2.0**-20, 1e8, 3),
]


@pytest.mark.parametrize(("s", "t", "k"), BRIDGES)
def test_bridge_log_pmf_has_the_digits_of_arb(s, t, k):
    law = Skellam(1.0).bridge(s, t, k)
    middle = round(k * s / t)
    deviation = (2 * s * (1 - s / t) + abs(k) * s / t) ** 0.5
    for j in {middle, middle + 1, middle - 1, middle + round(3 * deviation), middle - round(8 * deviation), -middle}:
        exact = number(bridge_pmf(1.0, s, t, k, j).log())
        assert law.logpdf(j) == pytest.approx(exact, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("s", "t", "k"), [case for case in BRIDGES if case[1] < 1e8])
def test_bridge_cdf_is_the_sum_of_the_pmf_in_both_tails(s, t, k):
    ctx.prec = 200
    law = Skellam(1.0).bridge(s, t, k)
    middle = round(k * s / t)
    deviation = (2 * s * (1 - s / t) + abs(k) * s / t * (1 - s / t)) ** 0.5
    reach = 20 + int(11 * deviation)
    weights = [bridge_pmf(1.0, s, t, k, j) for j in range(middle - reach, middle + reach + 1)]
    assert number(sum(weights, arb(0))) == pytest.approx(1, abs=1e-14)
    for x in {middle - round(5 * deviation) - 1, middle - 1, middle, middle + round(2 * deviation) + 1}:
        cut = x - (middle - reach) + 1
        lower, upper = number(sum(weights[:cut], arb(0))), number(sum(weights[cut:], arb(0)))
        assert law.cdf(x) == pytest.approx(lower, rel=1e-11, abs=0)
        assert law.cdf_left(x + 1) == law.cdf(x + 0.5) == law.cdf(x)
        assert law.sf(x) == pytest.approx(upper, rel=1e-11, abs=0)


def test_bridge_of_a_huge_rate_is_symmetric_and_sums_to_one():
    law = Skellam(1e8).bridge(0.5, 1.0, 1000)
    assert law.cdf(499) == pytest.approx(law.sf(500), rel=1e-12, abs=0)
    assert law.cdf(499) + np.exp(law.logpdf(500)) + law.sf(500) == pytest.approx(1, abs=1e-13)
    x = np.arange(500 - 60_000, 500 + 60_001)
    p = np.exp(law.logpdf(x))
    assert p.sum() == pytest.approx(1, abs=1e-12)
    assert law.cdf(x[::997]) == pytest.approx(np.cumsum(p)[::997], rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("rate", [0.5, 20.0])
def test_the_bridge_averaged_over_the_marginal_is_the_earlier_marginal(rate):
    process = Skellam(rate)
    s, t = 0.6, 1.7
    k, j = np.arange(-150, 151), np.array([-3, 0, 1, 8])
    mixed = np.exp(process.marginal(t).logpdf(k) + process.bridge(s, t, k).logpdf(j[:, None])).sum(axis=1)
    assert mixed == pytest.approx([number(pmf(2 * rate * s, m)) for m in j], rel=1e-12, abs=0)


def test_forward_laws_form_a_semigroup():
    process = Skellam(2.0)
    x, y = np.arange(-100, 101), np.array([-2, 1, 9])
    steps = np.exp(process.forward(0.25, 1.0, 1).logpdf(x) + process.forward(1.0, 2.5, x).logpdf(y[:, None])).sum(
        axis=1
    )
    assert steps == pytest.approx([number(pmf(2 * 2.0 * 2.25, m - 1)) for m in y], rel=1e-12, abs=0)


def test_marginal_and_forward_make_the_same_pair_as_marginal_and_bridge():
    process = Skellam(0.7)
    s, t = np.meshgrid([0.1, 5.0, 190.0], [200.0, 3e5])
    for x, y in [(0, 3), (-4, 11), (50, 49)]:
        forwards = process.marginal(s).logpdf(x) + process.forward(s, t, x).logpdf(y)
        backwards = process.marginal(t).logpdf(y) + process.bridge(s, t, y).logpdf(x)
        assert forwards == pytest.approx(backwards, rel=1e-13, abs=0)


def test_rate_and_time_enter_by_their_product_and_the_bridge_reflects():
    j = np.arange(-6, 9)
    law = Skellam(2.0).bridge(0.5, 1.5, 4)
    assert np.array_equal(law.logpdf(j), Skellam(0.5).bridge(2.0, 6.0, 4).logpdf(j))
    assert law.logpdf(j) == pytest.approx(Skellam(2.0).bridge(0.5, 1.5, -4).logpdf(-j), rel=1e-14, abs=0)
    assert law.cdf(j) == pytest.approx(1 - Skellam(2.0).bridge(0.5, 1.5, -4).cdf_left(-j), abs=1e-14)


def test_at_equal_times_the_pmf_is_one_at_given_and_there_is_no_atom():
    for law in (Skellam(3.0).bridge(2.0, 2.0, -4), Skellam(3.0).forward(2.0, 2.0, -4)):
        assert law.atom == 0
        assert law.logpdf([-5, -4, 40]).tolist() == [-np.inf, 0, -np.inf]
        assert law.cdf([-np.inf, -4.5, -4, 3, np.inf]).tolist() == [0, 0, 1, 1, 1]
        assert law.cdf_left([-4, -3.5]).tolist() == [0, 1]
        assert law.rvs(np.random.default_rng(0), 3).tolist() == [-4] * 3


def test_between_the_integers_there_is_no_mass():
    process = Skellam(1.0)
    for law in (process.marginal(2.0), process.bridge(1.0, 2.0, 3), process.forward(1.0, 2.0, 3)):
        assert law.logpdf([0.5, np.inf, -np.inf]).tolist() == [-np.inf] * 3
        assert law.cdf(1.5) == law.cdf(1) == law.cdf_left(1.5) == law.cdf_left(2)
        assert law.cdf([-np.inf, -1e300, 1e300, np.inf]).tolist() == [0, 0, 1, 1]
        assert law.cdf(1) - law.cdf_left(1) == pytest.approx(np.exp(law.logpdf(1)), rel=1e-13, abs=0)


def test_the_discrete_gauss_rule_sums_polynomials_exactly():
    for width in (32, 76, 256, 2**14):
        nodes, weights = gauss_rule(width)
        for degree in (0, 1, 2, 11, 23, 40, 63):
            exact = sum(j**degree for j in range(width))
            assert (weights * nodes**degree).sum() == pytest.approx(exact, rel=1e-12, abs=0)


def largest_gap(draws, law: Law):
    """|F_n - F| at its largest over about 400 quantiles of the draws: at most its supremum over the line."""
    draws = np.sort(draws)
    x = np.unique(draws[:: len(draws) // 400])
    above, below = (np.searchsorted(draws, x, side) / len(draws) for side in ("right", "left"))
    return max(np.abs(above - law.cdf(x)).max(), np.abs(below - law.cdf_left(x)).max())


# Dvoretzky-Kiefer-Wolfowitz-Massart, for any law: a correct sampler exceeds this with probability at most 1e-9.
DRAWS = 40_000
LARGEST_GAP = np.sqrt(np.log(2 / 1e-9) / (2 * DRAWS))


def test_draws_follow_the_cdf_with_error_probability_1e_9():
    one, many = Skellam(1.0), Skellam(1e8)
    cases = {
        "marginal": (one.marginal(3.0), one.marginal(4.0)),
        "forward": (one.forward(1.0, 4.0, 2), one.forward(2.0, 4.0, 2)),
        "bridge": (one.bridge(1.0, 4.0, 5), one.bridge(1.0, 4.0, 6)),
        "bridge of small variance": (one.bridge(0.01, 0.02, 1), one.bridge(0.011, 0.02, 1)),
        "bridge of large order": (one.bridge(0.25, 1.0, -4000), one.bridge(0.251, 1.0, -4000)),
        "bridge of large rate": (many.bridge(0.5, 1.0, 20_000), many.bridge(0.55, 1.0, 20_000)),
    }
    for name, (law, wrong) in cases.items():
        draws = law.rvs(np.random.default_rng(23), DRAWS)
        assert draws.dtype == np.int64, name
        assert largest_gap(draws, law) < LARGEST_GAP, name
        assert largest_gap(draws, wrong) > LARGEST_GAP, name


def test_the_rejection_sampler_is_exact_where_its_hat_is_tight_and_in_heavy_tails_with_error_probability_2e_9():
    rng, x = np.random.default_rng(25), np.arange(-400, 401)
    uniform = np.where((x >= 0) & (x < 100), 0.01, 0.0)  # touches the hat at its far end
    geometric = np.tanh(0.05) * np.exp(-0.1 * np.abs(x))
    for weights in (uniform, geometric):
        with np.errstate(divide="ignore"):
            heights = np.log(weights)
        inside = np.count_nonzero(weights)

        def log_pmf(rows, points, heights=heights):
            return np.where(np.abs(points) <= 400, heights[np.clip(points, -400, 400).astype(int) + 400], -np.inf)

        draws = draw(log_pmf, np.zeros(DRAWS), rng)
        empirical = np.searchsorted(np.sort(draws), x, "right") / DRAWS
        assert np.abs(empirical - np.cumsum(weights)).max() < LARGEST_GAP
        assert 90 <= np.unique(draws).size <= inside


def test_the_bridge_is_the_binomial_thinning_of_two_poisson_counts():
    # Given X_t = k the counts are (m + k, m) with weight Poisson(m+k) Poisson(m); each point is before s with odds s/t.
    s, t, k = 0.75, 2.0, 2
    m = np.arange(60)
    weights = poisson.pmf(m + k, t) * poisson.pmf(m, t)
    rng = np.random.default_rng(24)
    count = rng.choice(m, p=weights / weights.sum(), size=DRAWS)
    thinned = rng.binomial(count + k, s / t) - rng.binomial(count, s / t)
    assert largest_gap(thinned, Skellam(1.0).bridge(s, t, k)) < LARGEST_GAP  # fails a true bridge w.p. <= 1e-9


def test_draws_have_the_shape_of_the_parameters_or_the_size_asked_for():
    rng = np.random.default_rng(0)
    process = Skellam(1.0)
    for law in (process.bridge([[1.0], [2.0]], 3.0, [0, 1, 2]), process.forward([[1.0], [2.0]], 3.0, [0, 1, 2])):
        assert law.rvs(rng).shape == (2, 3)
        assert law.rvs(rng, (5, 2, 3)).shape == (5, 2, 3)
        assert law.atom.shape == (2, 3)
        assert law.cdf(1).shape == (2, 3)


@pytest.mark.parametrize("mean", [1e-3, 0.4, 14.0, 15.5, 1e3, 1e8])
def test_loss_has_the_digits_of_arb_also_where_it_is_tiny(mean):
    for value, neighbour, release in [(0, 1, 0), (0, 1, 1), (5, -5, 1), (0, 10_000, 3), (7, 8, 9000)]:
        exact = (pmf(2 * mean, release - value) / pmf(2 * mean, release - neighbour)).log()
        assert Skellam(0.5).loss(2 * mean, value, neighbour, release) == pytest.approx(number(exact), rel=1e-13, abs=0)


def test_loss_sums_over_the_coordinates_and_t_broadcasts_over_the_releases():
    process = Skellam(1.5)
    value, neighbour = np.array([0, 1]), np.array([1, -3])
    release, t = np.array([[2, 5], [-7, 0], [1, 1]]), np.array([1.0, 4.0, 9.0])
    expected = [
        number(
            sum(
                ((pmf(3 * u, r - v) / pmf(3 * u, r - w)).log() for r, v, w in zip(row, value, neighbour, strict=True)),
                arb(0),
            )
        )
        for row, u in zip(release.tolist(), t.tolist(), strict=True)
    ]
    assert process.loss(t, value, neighbour, release) == pytest.approx(expected, rel=1e-13, abs=0)
    assert process.loss(t[:, None], 0, 1, release).shape == (3, 2)
    assert process.loss(1.0, 0.0, 1.0, 2.0) == process.loss(1.0, 0, 1, 2)


def test_bad_arguments_are_refused_with_their_value():
    process: Process = Skellam(1.0)
    for bad in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match=f"rate is {bad}"):
            Skellam(bad)
        with pytest.raises(ValueError, match=f"t is {bad}"):
            process.marginal(bad)
        with pytest.raises(ValueError, match=f"s is {bad}"):
            process.bridge(bad, 2.0, 0)
        with pytest.raises(ValueError, match=f"t is {bad}"):
            process.loss(bad, 0, 1, 2)
    with pytest.raises(ValueError, match="must not exceed"):
        process.forward(2.0, 1.0, 0)
    for call in (
        lambda x: process.bridge(1.0, 2.0, x),
        lambda x: process.forward(1.0, 2.0, x),
        lambda x: process.loss(1.0, x, 0, 0),
        lambda x: process.loss(1.0, 0, x, 0),
        lambda x: process.loss(1.0, 0, 1, x),
    ):
        for x in (0.5, np.nan, np.inf, 1e30):
            with pytest.raises(ValueError, match="must be an integer"):
                call(x)
    with pytest.raises(ValueError, match="x is nan"):
        process.bridge(1.0, 2.0, 0).cdf(np.nan)
    with pytest.raises(ValueError, match="overflows"):
        Skellam(1e200).marginal(1e200)


@pytest.mark.parametrize(("s", "t"), [(0.4, 1.0), (300.0, 1000.0), (4e5, 1e6)])
def test_tails_of_many_points_at_once_are_those_of_each_point_alone(s, t):
    """Points of one law share the sums between them; alone there is nothing to share. Far tails keep their digits."""
    rng = np.random.default_rng(11)
    given = np.rint(np.sqrt(2 * t) * np.array([-3.0, 0.0, 0.7]))[rng.integers(3, size=60)]
    x = np.rint(given * s / t + np.sqrt(2 * s) * rng.normal(scale=4.0, size=60))
    for together, apart in (
        (Skellam(1.0).bridge(s, t, given), lambda i: Skellam(1.0).bridge(s, t, given[i])),
        (Skellam(1.0).marginal(s), lambda i: Skellam(1.0).marginal(s)),
    ):
        for name in ("cdf", "cdf_left", "sf"):
            each = [getattr(apart(i), name)(x[i]) for i in range(len(x))]
            np.testing.assert_allclose(getattr(together, name)(x), each, rtol=1e-12, atol=0)


@pytest.mark.parametrize(("rate", "given"), [(1.5, 3), (1.5, -9), (2e4, 100_000)])
def test_draws_of_one_law_are_those_of_as_many_that_are_equal(rate, given):
    """Of one law the pmf is looked up, unless there are fewer draws than integers between them."""
    process, counts = Skellam(rate), np.full(500, given)
    many = process.bridge(3.0, 20.0, counts).rvs(np.random.default_rng(7))
    assert process.bridge(3.0, 20.0, given).rvs(np.random.default_rng(7), 500).tolist() == many.tolist()
