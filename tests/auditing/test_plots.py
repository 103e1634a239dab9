"""Plots: their limits are exact, they add up when partial checks are merged, and the audit collects them."""

import math
from dataclasses import astuple

import mpmath
import numpy as np
import pytest
from scipy.stats import beta, kstwo

import nrverify
from nrverify.auditing.boundary.claim import BoundaryClaim
from nrverify.auditing.boundary.plots import boundary_plots
from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.faults.noise import SHIFTED, WRONG_SCALE
from nrverify.auditing.core.plots.data import USUAL, Dots, Lines, Matrix, Quantiles, Tradeoff, Uniformity, WealthPlot
from nrverify.auditing.core.plots.limits import (
    correlations,
    dots_of,
    estimates,
    losses,
    massart,
    tradeoff,
    uniformity,
)
from nrverify.auditing.core.plots.sums import Correlations, Frequencies
from nrverify.auditing.core.transforms.rosenblatt import innovations
from nrverify.auditing.noise_reduction.checks.independence import CoordinateIndependence
from nrverify.auditing.noise_reduction.checks.law import LONGEST, AdaptiveLaw, TranscriptLaw
from nrverify.auditing.noise_reduction.checks.release_law import ReleaseLaw
from nrverify.auditing.noise_reduction.checks.ties import LaplaceTies
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.laws.brownian import Brownian
from nrverify.laws.laplace import Laplace
from nrverify.reference.simulate import simulate
from nrverify.statistics.wealth import MeanWealth, ScaleWealth
from nrverify.subjects.policies import Fixed

SCHEDULE = (4.0, 2.0, 1.0, 0.5)


def batch(kind, sessions, seed, d=2):
    value = np.arange(1.0, d + 1)
    releases = simulate(kind, value, list(SCHEDULE), sessions, seed)
    asked = np.broadcast_to(np.array(SCHEDULE), releases.shape[:2]).copy()
    process = {"brownian": Brownian(), "laplace": Laplace()}[kind]
    scale = np.abs(releases) + np.abs(value)
    found = innovations(process, releases - value, asked, scale, np.random.default_rng(seed), integer=False)
    case = Case("test", tuple(value), Fixed(SCHEDULE), "sample")
    return Batch(case, releases, asked, asked, found)


def numbers(plots):
    """All numbers of all plots, in their order."""

    def flat(part):
        if isinstance(part, (tuple, list)):
            return [x for item in part for x in flat(item)]
        return [part] if isinstance(part, (int, float)) else []

    return flat([astuple(plot) for plot in plots])


@pytest.mark.parametrize(
    "check",
    [ReleaseLaw(Knob(0.01, 1000.0, falling=True)), TranscriptLaw(), CoordinateIndependence()],
    ids=lambda c: c.id,
)
def test_plots_add_up_when_partial_checks_are_merged(check):
    parts = [batch("brownian", 300, seed) for seed in (1, 2, 3)]
    whole, merged = check.empty_copy(), check.empty_copy()
    for part in parts:
        whole.observe(part)
        fresh = merged.empty_copy()
        fresh.observe(part)
        merged.merge(fresh)
    assert numbers(merged.plots(1e-7)) == pytest.approx(numbers(whole.plots(1e-7)), rel=1e-9, abs=1e-12)
    assert whole.plots(1e-7)


def test_a_fresh_check_shows_nothing_of_the_one_it_came_from():
    seen = TranscriptLaw()
    seen.observe(batch("brownian", 200, 1))
    assert seen.plots(1e-7)
    assert seen.empty_copy().plots(1e-7) == ()


def test_frequencies_of_ties_add_up_and_are_near_their_probability():
    """(s/t)² = 1/4 for Laplace noise at halved times; a false alarm of the wide limits has probability 1e-9."""
    check, merged = LaplaceTies(), LaplaceTies()
    for seed in (1, 2):
        part = batch("laplace", 1000, seed, d=1)
        check.observe(part)
        fresh = merged.empty_copy()
        fresh.observe(part)
        merged.merge(fresh)
    (bars,) = (plot for plot in check.plots(1e-9) if plot.title == "Ties")
    (bar,) = bars.bars
    assert bar.exact == pytest.approx(0.25)
    assert bar.wide[0] < 0.25 < bar.wide[1]
    assert check.plots(1e-9) == merged.plots(1e-9)


@pytest.mark.parametrize("count", [50, 1000, 100_000])
@pytest.mark.parametrize("alpha", [0.05, 1e-7])
def test_bands_of_a_distribution_function_hold_but_for_alpha(count, alpha):
    assert kstwo.sf(massart(count, alpha), count) <= alpha


def test_the_distribution_is_shown_where_it_was_counted():
    counts = np.zeros(1024)
    counts[:512], counts[512:] = 3.0, 1.0
    shown, quantiles = uniformity(counts, 1e-6, "numbers")
    assert isinstance(shown, Uniformity)
    at = shown.levels.index(0.5)
    assert shown.difference[at] == pytest.approx(0.75 - 0.5)
    assert isinstance(quantiles, Quantiles)
    middle = min(range(len(quantiles.observed)), key=lambda i: abs(quantiles.observed[i]))
    assert quantiles.observed[middle] == pytest.approx(0.0, abs=0.06)
    assert quantiles.claimed[middle] == pytest.approx(0.6745, abs=0.06)


@pytest.mark.parametrize("alpha", [0.05, 1e-7])
def test_limits_of_a_variance_are_those_of_chi_square(alpha):
    """P(χ²_n ≤ S/high) = P(χ²_n ≥ S/low) = α/2, by the incomplete gamma function to 30 digits."""
    wealth = ScaleWealth(count=200, squares=230.0)
    (plot,) = estimates({Topic("variance", WRONG_SCALE): wealth}, alpha)
    assert isinstance(plot, Dots)
    low, high = plot.rows[0].wide
    with mpmath.workdps(30):
        below = mpmath.gammainc(100, 0, 230.0 / high / 2, regularized=True)
        above = mpmath.gammainc(100, 230.0 / low / 2, mpmath.inf, regularized=True)
    assert float(below) == pytest.approx(alpha / 2, rel=1e-8)
    assert float(above) == pytest.approx(alpha / 2, rel=1e-8)
    assert plot.rows[0].value == pytest.approx(1.15)


def test_limits_of_a_slope_are_normal():
    (plot,) = estimates({Topic("centre", SHIFTED): MeanWealth(cross=30.0, energy=900.0)}, 1e-6)
    low, high = plot.rows[0].wide
    half = float(mpmath.erfc((high - low) / 2 * 30 / mpmath.sqrt(2)))
    assert half == pytest.approx(1e-6, rel=1e-7)
    assert (low + high) / 2 == pytest.approx(30 / 900)


@pytest.mark.parametrize("rows", [20, 500])
def test_limits_of_a_correlation_are_exact(rows):
    """About a known centre r² has the beta law with parameters 1/2 and (n − 1)/2."""
    sums = Correlations("title", "column", 3)
    sums.add(np.random.default_rng(0).standard_normal((rows, 3)))
    (plot,) = correlations(sums, 1e-6)
    assert isinstance(plot, Matrix)
    for table, alpha in ((plot.narrow, USUAL / 3), (plot.wide, 1e-6 / 3)):
        assert beta.sf(table[1][0] ** 2, 0.5, (rows - 1) / 2) == pytest.approx(alpha, rel=1e-6)


def test_correlations_are_taken_over_rows_that_have_both():
    rng = np.random.default_rng(1)
    z = rng.standard_normal((400, 3))
    z[:, 1] = z[:, 0]
    z[200:, 2] = np.nan
    sums = Correlations("title", "column", 3)
    sums.add(z)
    assert sums.values[0, 1] == pytest.approx(1.0)
    assert sums.counts[0, 2] == 200
    expected = np.dot(z[:200, 0], z[:200, 2]) / math.sqrt(
        np.dot(z[:200, 0], z[:200, 0]) * np.dot(z[:200, 2], z[:200, 2])
    )
    assert sums.values[0, 2] == pytest.approx(expected)


def test_rows_that_have_everything_are_added_up_as_others_are():
    z = np.random.default_rng(2).standard_normal((50, 3))
    short, long = Correlations("title", "column", 3), Correlations("title", "column", 3)
    short.add(z)
    long.add(np.vstack([z, [[1.0, np.nan, 2.0]]]))
    long.add(np.array([[np.nan, np.nan, np.nan]]))
    assert short.values[0, 1] == pytest.approx(long.values[0, 1], rel=1e-12)
    assert short.squares[:, 1] == pytest.approx(long.squares[:, 1], rel=1e-12)
    assert short.counts[1].tolist() == long.counts[1].tolist()


def test_frequencies_are_kept_by_probability():
    sums = Frequencies("title", "axis")
    sums.add(np.array([True, False, True]), np.array([0.0, 0.5, 1.0]))
    assert sums.counts.sum() == 3
    assert sums.happened[0] == 1
    assert sums.happened[-1] == 1
    assert sums.foreseen.sum() == pytest.approx(1.5)


def test_limits_of_a_loss_are_those_of_a_binomial():
    """Given 80 events, P(at least 60 from the value) = α/2 at the lower limit, by the exact sum."""
    (dot,) = losses([("event", 60, 20, 1.0)], 1e-4)
    share = mpmath.mpf(1) / (1 + mpmath.exp(-dot.wide[0]))
    tail = sum(mpmath.binomial(80, k) * share**k * (1 - share) ** (80 - k) for k in range(60, 81))
    assert float(tail) == pytest.approx(1e-4 / 2, rel=1e-8)
    assert dot.value == pytest.approx(math.log(60.5 / 20.5))


def test_of_many_estimates_those_that_stand_out_are_shown():
    from nrverify.auditing.core.plots.limits import MOST_ROWS, PlotRow

    rows = [PlotRow(f"row {i}", i / 10, lambda alpha, i=i: (i / 10 - 0.1, i / 10 + 0.1), 0.0) for i in range(30)]
    shown = dots_of(rows, 1e-6)
    assert [dot.label for dot in shown] == [f"row {i}" for i in range(30 - MOST_ROWS, 30)]


def test_what_a_finding_tells_is_drawn_however_few_numbers_it_rests_on():
    topics = [Topic(f"variance {i}", WRONG_SCALE) for i in range(20)]
    bets = {topic: ScaleWealth() for topic in topics}
    for i, wealth in enumerate(bets.values()):
        wealth.add(1000 - 50 * i, 1500.0 - 50 * i)
    few = topics[-1]
    bets[few] = ScaleWealth()
    bets[few].add(5, 5.5)
    assert few.quantity not in [row.label for row in estimates(bets, 1e-6)[0].rows]
    assert few.quantity in [row.label for row in estimates(bets, 1e-6, few)[0].rows]


def test_the_last_event_of_a_trade_off_is_the_stop_itself():
    rng = np.random.default_rng(3)
    counts = np.stack(
        [np.bincount(rng.integers(0, 10, 300), minlength=12), np.bincount(rng.integers(2, 12, 500), minlength=12)]
    )
    plot = tradeoff(counts.astype(float), np.array([1000.0, 1000.0]), 1.5, 0.0, 1e-6)
    assert isinstance(plot, Tradeoff)
    assert (plot.neighbour[0], plot.value[0]) == (0.0, 0.0)
    assert (plot.neighbour[-1], plot.value[-1]) == pytest.approx((0.3, 0.5))
    assert list(plot.value) == sorted(plot.value)


def test_the_crossing_of_a_line_is_shown_exactly():
    """W meets at + b with probability e^{−2ab} = 1e-6; ψ(t) = (1/t)(1/2 + b) + a for Δ = 1."""
    a = 0.149194420824630
    b = math.log(1e6) / (2 * a)
    times = np.geomspace(1e-9, 1e9, 4000)
    shown = boundary_plots(
        (times, (0.5 + b) / times + a), BoundaryClaim(1e-6, 1.0, (1e-9, 1e9), False), None, "brownian"
    )
    crossing, curve = shown["boundary.crossing"]
    assert isinstance(crossing, Lines)
    assert crossing.lines[0].y[-1] == pytest.approx(1e-6, rel=1e-3)
    assert curve.lines[1].dotted
    assert all(own > alone for own, alone in zip(curve.lines[0].y, curve.lines[1].y, strict=True))


class Right:
    """Brownian noise, drawn from the end."""

    mechanism = "brownian"
    dimensions = (1,)

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        spans = np.diff(np.concatenate([[0.0], np.array(schedule[::-1])]))
        steps = rng.standard_normal((sessions, len(schedule), len(value))) * np.sqrt(spans)[:, None]
        return (value + np.cumsum(steps, axis=1))[:, ::-1]


def test_an_audit_collects_pictures_and_the_wealth_of_every_look():
    report = nrverify.audit(Right(), samples=1500)
    assert report.verdict != "refuted"
    wealth = next(plot for plot in report.plots["law.transcript"] if isinstance(plot, WealthPlot))
    check = next(check for check in report.checks if check.id == "law.transcript")
    assert list(wealth.samples) == sorted(set(wealth.samples))
    assert wealth.log_wealth[-1] == pytest.approx(math.log(check.e_value))
    assert wealth.log_goal == pytest.approx(-math.log(check.alpha))
    kinds = {type(plot) for plot in report.plots["law.transcript"]}
    assert {Uniformity, Quantiles, Matrix, Dots, WealthPlot} <= kinds
    assert report.asked
    assert "pictures" not in report.document()
    assert "asked" not in report.document()


def test_the_longest_schedule_has_room_in_the_matrix():
    assert AdaptiveLaw().correlations.columns == LONGEST
