"""Bets have average at most one under the null, and grow at the rate of the information under an alternative."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr, ndtri
from scipy.stats import norm

from nrverify.statistics.estimate import Measure
from nrverify.statistics.labels import LabelBets, LabelWealth, epsilon_lower_bound, fit_logistic
from nrverify.statistics.portfolio import Portfolio
from nrverify.statistics.wealth import (
    EFFECT_SIZES,
    BinWealth,
    ExponentialWealth,
    MeanWealth,
    RatioWealth,
    ScaleWealth,
    TieWealth,
    sum_log,
    uniform_bins,
)


def wealth_after(wealth, *observations, log_density=0.0):
    wealth.bet(*observations)
    return np.exp(wealth.log_e + log_density)


@pytest.mark.parametrize("wealth", [ScaleWealth, MeanWealth])
def test_one_normal_observation_multiplies_the_wealth_by_one_on_average(wealth):
    def integrand(z):
        return wealth_after(wealth(), np.array([z]), log_density=norm.logpdf(z))

    average = sum(quad(integrand, a, b, epsabs=1e-12, limit=200)[0] for a, b in [(-40, -3), (-3, 3), (3, 40)])
    assert average == pytest.approx(1.0, abs=1e-8)


def test_one_exponential_observation_multiplies_the_wealth_by_one_on_average():
    def integrand(x):
        return wealth_after(ExponentialWealth(), np.array([x]), log_density=-x)

    average = quad(integrand, 0, 5, epsabs=1e-12)[0] + quad(integrand, 5, 2000, epsabs=1e-12, limit=500)[0]
    assert average == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize("p", [0.0, 1e-12, 0.3, 1 - 1e-12, 1.0])
@pytest.mark.parametrize("h", [-60.0, 1.0, 3.0])
def test_one_event_multiplies_the_wealth_by_one_on_average_also_when_it_is_certain(p, h):
    outcomes = [wealth_after(TieWealth(), np.array([a]), np.array([p]), np.array([h])) for a in (True, False)]
    weights = [p, 1 - p]
    average = sum(weight * outcome for weight, outcome in zip(weights, outcomes, strict=True) if weight)
    assert average == pytest.approx(1.0, rel=1e-3)


def test_one_observation_in_a_cell_multiplies_the_wealth_by_one_on_average():
    weights = np.array([0.5, 0.3, 0.2])
    average = sum(w * wealth_after(BinWealth(weights), row) for w, row in zip(weights, np.eye(3), strict=True))
    # The logarithms of Γ(10⁵) that cancel are of order 10⁶: ten digits are left.
    assert average == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("spread", [0.1, 5.0, 300.0])
def test_the_sum_of_logarithms_is_that_of_each_also_when_products_overflow(spread):
    logs = spread * np.random.default_rng(4).uniform(-1, 1, 1003)
    assert sum_log(np.exp(logs)) == pytest.approx(math.fsum(logs), rel=1e-12)


def test_events_of_one_probability_are_bet_on_as_if_each_had_its_own():
    happened = np.random.default_rng(5).random(100) < 0.3
    one, each = TieWealth(), TieWealth()
    one.bet(happened, 0.25)
    each.bet(happened, np.full(100, 0.25), np.ones(100))
    assert one.log_wealth == pytest.approx(each.log_wealth, rel=1e-12)
    # θ = 6 against p = 1/4, by hand.
    hits = int(happened.sum())
    assert one.log_wealth[-1] == pytest.approx(6 * hits - 100 * math.log(0.75 + 0.25 * math.exp(6)), rel=1e-12)
    assert (one.count, one.happened, one.foreseen) == (each.count, each.happened, each.foreseen) == (100, hits, 25.0)


@pytest.mark.parametrize(
    ("wealth", "arguments"),
    [
        (ScaleWealth(), lambda rng: (rng.standard_normal(50),)),
        (MeanWealth(), lambda rng: (rng.standard_normal(50), rng.standard_normal(50))),
        (ExponentialWealth(), lambda rng: (rng.exponential(size=50),)),
        (TieWealth(), lambda rng: (rng.random(50) < 0.5, rng.random(50), rng.standard_normal(50))),
        (BinWealth(np.array([0.25, 0.75])), lambda rng: (rng.integers(0, 9, 2),)),
        (RatioWealth(["a", "b"]), lambda rng: ({"a": rng.normal(), "b": rng.normal()},)),
        (LabelBets(2, 1e-3, 0.5), lambda rng: (rng.standard_normal((2, 50)), rng.random(50), rng.random(50) < 0.5)),
    ],
    ids=lambda x: type(x).__name__,
)
def test_what_two_have_seen_is_merged_into_what_one_would_have_seen(wealth, arguments):
    """Sums are folded in another order: they agree to rounding."""
    rng = np.random.default_rng(6)
    parts = [arguments(rng) for _ in range(3)]
    alone, merged = wealth.empty_copy(), wealth.empty_copy()
    assert alone.log_e == wealth.empty_copy().log_e
    for part in parts:
        alone.bet(*part)
        scored = merged.empty_copy()
        scored.bet(*part)
        merged.merge(scored)
    assert merged.log_e == pytest.approx(alone.log_e, rel=1e-12)
    assert alone.log_e != wealth.empty_copy().log_e


def test_an_impossible_cell_refutes_at_once():
    assert wealth_after(BinWealth(np.array([1.0, 0.0])), [3, 1]) == np.inf


def test_log_wealth_grows_at_the_rate_of_the_information():
    rng = np.random.default_rng(3)
    n, factor = 20_000, 1.1
    wealth = ScaleWealth()
    wealth.bet(np.sqrt(factor) * rng.standard_normal(n))
    information = 0.5 * n * (factor - 1 - np.log(factor))
    assert wealth.log_e == pytest.approx(information, rel=0.25)
    assert wealth.ratio == pytest.approx(factor, rel=0.05)


def test_a_portfolio_is_the_weighted_average_of_its_families():
    first, second = MeanWealth(), ScaleWealth()
    portfolio = Portfolio({"mean": (3.0, first), "scale": (1.0, second)})
    z = np.full(50, 1.0)
    first.bet(z)
    second.bet(z)
    assert np.exp(portfolio.log_e) == pytest.approx(0.75 * np.exp(first.log_e) + 0.25 * np.exp(second.log_e))
    assert portfolio.leading == "mean"


def test_named_alternatives_are_fixed_in_advance():
    wealth = RatioWealth(["a", "b"])
    wealth.bet({"a": 2.0})
    assert np.exp(wealth.log_e) == pytest.approx((np.exp(2.0) + 1.0) / 2)
    assert wealth.best == "a"
    with pytest.raises(KeyError):
        wealth.bet({"c": 1.0})


def test_the_cells_of_the_omnibus_partition_the_unit_interval():
    edges, weights = uniform_bins()
    assert np.all(np.diff(edges) > 0)
    assert weights.sum() == pytest.approx(1.0, abs=1e-15)
    assert ndtr(ndtri(edges)) == pytest.approx(edges)


def test_a_mean_is_estimated_as_a_shift_or_as_a_slope():
    shift, slope = MeanWealth(cross=5.0, energy=10.0), MeanWealth(cross=5.0, energy=10.0, slopes=True)
    for found, measure in ((shift.estimate(), Measure.SHIFT), (slope.estimate(), Measure.SLOPE)):
        assert (found.measure, found.expected, found.observed) == (measure, 0.0, 0.5)
        assert found.error == pytest.approx(10.0**-0.5)
    assert slope.empty_copy().slopes


def test_a_cell_is_estimated_with_its_limits():
    bins = BinWealth(np.array([0.5, 0.25, 0.25]))
    bins.bet([1, 8, 1])
    found = bins.estimate()
    assert (found.measure, found.expected, found.observed, found.count) == (Measure.SHARE, 0.25, 0.8, 10)
    assert found.numbers == {"low": 0.5, "high": 0.75}


def test_events_are_estimated_as_counts_and_along_a_covariate_as_odds():
    happened, h = np.arange(100) % 2 == 0, np.where(np.arange(100) % 2 == 0, 1.0, -1.0)
    plain, along = TieWealth(), TieWealth(along=True).empty_copy()
    plain.bet(happened, 0.4)
    along.bet(happened, 0.5, h)
    counts = plain.estimate()
    assert (counts.measure, counts.observed, counts.count) == (Measure.EVENTS, 50.0, 100)
    assert counts.expected == pytest.approx(40.0)
    odds = along.estimate()
    assert odds.measure is Measure.ODDS
    assert 1 < odds.numbers["least_odds"] < odds.observed
    assert (odds.numbers["happened"], odds.numbers["foreseen"]) == (50.0, 50.0)
    against = along.empty_copy()
    against.bet(happened, 0.5, -h)
    assert against.estimate().observed < 1


def test_effects_bet_on_are_symmetric_and_reach_down_to_what_a_budget_can_see():
    assert np.abs(EFFECT_SIZES).min() == pytest.approx(0.004)
    assert set(np.round(EFFECT_SIZES, 12)) == set(np.round(-EFFECT_SIZES, 12))


@pytest.mark.parametrize("delta", [0.0, 0.05])
def test_a_bet_on_labels_cannot_win_against_a_claim_that_holds(delta):
    # Under a tight pure claim the label has probability at most σ(E); at exactly σ(E) the bet is fair before its price.
    claim = np.array([1.0])
    sigma = 1 / (1 + np.exp(-1.0))
    average = 0.0
    for label, weight in ((True, sigma), (False, 1 - sigma)):
        wealth = LabelWealth(1, delta, smallest_claim=1.0)
        wealth.bet(np.array([[3.0]]), claim, np.array([label]))
        average += weight * np.exp(wealth.log_e)
    assert average <= 1.0 + 1e-12
    if delta == 0.0:
        assert average == pytest.approx(1.0, abs=1e-9)


def test_the_empirical_epsilon_is_the_logit_of_the_clopper_pearson_limit():
    from scipy.stats import beta

    low = beta.ppf(0.05, 900, 101)
    assert epsilon_lower_bound(900, 1000, 0.95) == pytest.approx(np.log(low / (1 - low)), rel=1e-9)
    assert epsilon_lower_bound(0, 10, 0.95) == 0.0


def test_logistic_regression_finds_the_log_odds():
    rng = np.random.default_rng(1)
    x = rng.standard_normal((20_000, 2))
    label = rng.random(20_000) < 1 / (1 + np.exp(-(x @ np.array([1.0, -0.5]) + 0.25)))
    # Within five standard errors, so wrong with probability below 1e-5.
    assert fit_logistic(x, label) == pytest.approx([1.0, -0.5, 0.25], abs=0.1)


def test_both_directions_multiplied_have_mean_one_where_the_claim_is_tight():
    # Randomised response at exactly E: both answers, both labels, all stakes; the mean by enumeration, not by samples.
    claim = 0.7
    truth = 1 / (1 + math.exp(-claim))
    mean = np.zeros((4, 3, 1))
    for label in (True, False):
        for answer in (True, False):
            bets = LabelBets(4, 0.0, claim)
            predicted = np.array([[2.0], [0.9], [0.3], [-2.0]]) * (1 if answer else -1)
            bets.bet(predicted, np.array([claim]), np.array([label]))
            towards, away = bets.sides
            probability = 0.5 * (truth if answer == label else 1 - truth)
            mean += probability * np.exp(towards.log_wealth + away.log_wealth)
    assert np.allclose(mean[:3], 1.0, rtol=1e-12, atol=0)
    assert (mean[3] < 1).all()  # a guess that is wrong about the sign loses


def test_with_delta_both_directions_pay_and_the_mean_stays_below_one():
    # Randomised response that fails with probability δ: then the label itself is shown. This is (E, δ) ex-post and DP.
    claim, delta = 0.7, 0.05
    truth = 1 / (1 + math.exp(-claim))
    mean = np.zeros((1, 3, 3))
    for label in (True, False):
        for answer, losses, chance in (
            (True, 2.0, (1 - delta) * truth),
            (False, 2.0, (1 - delta) * (1 - truth)),
            (True, 30.0, delta),
        ):
            shown = answer == label
            bets = LabelBets(1, delta, claim)
            bets.bet(np.array([[losses if shown else -losses]]), np.array([claim]), np.array([label]))
            towards, away = bets.sides
            mean += 0.5 * chance * np.exp(towards.log_wealth + away.log_wealth)
    assert (mean <= 1.0).all()
    assert mean.max() > 0.95  # the price is hardly more than it must be


def test_at_most_one_direction_stakes_on_a_session():
    bets = LabelBets(3, 0.0, 0.5)
    predicted = np.array([[3.0], [0.0], [-3.0]])
    bets.bet(predicted, np.array([0.5]), np.array([True]))
    towards, away = (side.log_wealth[:, 0, 0] for side in bets.sides)
    assert towards[0] > 0 == away[0]
    assert towards[1] == 0 == away[1]
    assert towards[2] == 0 > away[2]


def test_what_a_portfolio_is_worth_follows_bets_asked_for_by_name_and_merged():
    portfolio = Portfolio({"mean": (1.0, MeanWealth()), "scale": (3.0, ScaleWealth())})
    assert portfolio.log_e == pytest.approx(0.0, abs=1e-12)
    z = np.random.default_rng(5).normal(0.0, 1.5, 60)
    portfolio["scale"].bet(z)
    alone = ScaleWealth()
    alone.bet(z)
    # A quarter of the wealth is still what it was.
    assert portfolio.log_e == pytest.approx(np.log(0.25 + 0.75 * np.exp(alone.log_e)), rel=1e-12)
    other = portfolio.empty_copy()
    assert other.log_e == pytest.approx(0.0, abs=1e-12)
    other["scale"].bet(z)
    portfolio.merge(other)
    alone.bet(z)
    assert portfolio.log_e == pytest.approx(np.log(0.25 + 0.75 * np.exp(alone.log_e)), rel=1e-12)
    portfolio.bets["scale"].bet(z)
    alone.bet(z)
    assert portfolio.log_e == pytest.approx(np.log(0.25 + 0.75 * np.exp(alone.log_e)), rel=1e-12)
