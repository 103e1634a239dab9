"""Audits of boundaries: exact crossing probabilities against closed forms, and every way a boundary can be wrong."""

import math
import time

import mpmath
import numpy as np
import pytest
from scipy.special import ndtri

import nrverify
from nrverify.auditing.boundary.skellam_enclosure import first_above
from nrverify.laws.boundary import HalfNormalMixture, Linear, Mixture, SkellamLinear
from nrverify.laws.crossing import line_crossing_probability
from nrverify.laws.crossing.steps import stepped_crossing
from nrverify.reference.mutants import benign_claims, boundary


def subject(psi, inverse=None, **attributes):
    """A boundary subject with this ψ."""
    defaults = {"mechanism": "boundary", "sensitivity": 1.0, "delta": 1e-6}
    methods = {"epsilon": lambda self, time: psi(time)}
    if inverse is not None:
        methods["time"] = lambda self, epsilon: inverse(epsilon)
    return type("Subject", (), {**defaults, **attributes, **methods})


def check(report, name):
    return next(result for result in report.checks if result.id == name)


def refuted(report):
    return [result.id for result in report.checks if result.verdict == "refuted"]


def fault(report, name):
    return check(report, name).finding.fault.id


# Stepped curves


def test_a_line_cut_into_pieces_is_crossed_as_the_line_is():
    a, b, times = 0.4, 16.0, np.geomspace(4.0, 400.0, 120)
    heights = a * times + b
    expected = line_crossing_probability(a, b, interval=(4.0, 400.0))
    assert stepped_crossing(times, heights[:-1], heights[1:]) == pytest.approx(expected, rel=1e-7)


def test_a_jump_down_crosses_what_lies_between():
    # Two constant levels: P = P(max_{[0,1]} ≥ 3) + P(max < 3, max_{[1,2]} ≥ 2.5), the second by quadrature of the
    # reflected density φ(x) − φ(x − 6) below 3 against 2Q(2.5 − x).
    with mpmath.workdps(30):
        phi, tail = mpmath.npdf, lambda x: mpmath.erfc(x / mpmath.sqrt(2)) / 2
        density = lambda x: phi(x) - phi(x - 6)  # noqa: E731
        first = 2 * tail(3)
        between = mpmath.quad(density, [2.5, 3])
        later = mpmath.quad(lambda x: density(x) * 2 * tail(2.5 - x), [-12, -4, 0, 2, 2.5])
        expected = float(first + between + later)
    times = np.concatenate([np.geomspace(1e-4, 1.0, 60), np.linspace(1.0, 2.0, 21)[1:]])
    starts = np.where(times[:-1] < 1.0, 3.0, 2.5)
    assert stepped_crossing(times, starts, starts) == pytest.approx(expected, rel=1e-6)


def test_an_increasing_boundary_is_refuted():
    report = nrverify.audit(subject(lambda t: 10 + t))
    assert "boundary.monotone" in refuted(report)
    assert (report.law, report.privacy) == ("not-covered", "refuted")


# Right boundaries


@pytest.mark.parametrize(
    ("kind", "delta", "sensitivity"),
    [
        (HalfNormalMixture, 0.05, 0.01),
        (HalfNormalMixture, 1e-6, 1.0),
        (HalfNormalMixture, 1e-9, 30.0),
        (Linear, 0.05, 30.0),
        (Linear, 1e-9, 1.0),
    ],
)
def test_boundaries_crossed_with_probability_exactly_delta_are_consistent(kind, delta, sensitivity):
    right = kind.tightest_at(epsilon=0.5, delta=delta, sensitivity=sensitivity)
    report = nrverify.audit(subject(right, right.inverse, delta=delta, sensitivity=sensitivity))
    assert (report.verdict, report.exit_code) == ("consistent", 0)
    crossing = check(report, "boundary.crossing")
    assert crossing.statistic == pytest.approx(delta, rel=2e-3)
    assert "t/Δ² in [1e-9, 1e9]" in crossing.expected
    assert check(report, "boundary.inverse").verdict == "consistent"
    assert report.run["samples"] == 0


def test_the_paper_mixture_is_consistent_and_advised_to_save_noise():
    right = Mixture.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1.0)
    report = nrverify.audit(subject(right))
    assert report.exit_code == 0
    advice = check(report, "boundary.waste")
    assert advice.verdict == "advice"
    # The half-normal mixture, tuned at the same ε, needs this much less noise.
    exact = HalfNormalMixture.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1.0)
    saved = 100 * (1 - exact.inverse(1.0) / right.inverse(1.0))
    said = float(advice.message.split(") ")[-1].split(" %")[0])
    assert said == pytest.approx(saved, abs=0.7)


@pytest.mark.parametrize("name", ["boundary-retuned-on-interval", "boundary-skellam-linear"])
def test_unusual_but_right_boundaries_are_not_refuted(name):
    entry = next(entry for entry in benign_claims.CLAIMS if entry.name == name)
    assert nrverify.audit(entry.subject).exit_code == 0


def test_a_right_boundary_in_steps_that_round_up_is_consistent():
    ratio = 1.15
    right = HalfNormalMixture.tightest_at(epsilon=0.3, delta=1e-6, sensitivity=1.0)
    report = nrverify.audit(subject(lambda t: right(ratio ** math.floor(math.log(t) / math.log(ratio)))))
    assert report.exit_code == 0


def test_a_step_at_the_same_height_changes_nothing():
    right = Linear.tightest_at(epsilon=0.3, delta=1e-6, sensitivity=1.0)
    report = nrverify.audit(subject(lambda t: math.inf if t < 1e-3 else right(t)))
    assert report.exit_code == 0


# Wrong boundaries


@pytest.mark.parametrize("ratio", [1.15, 2.0])
def test_steps_that_round_down_are_refuted(ratio):
    right = HalfNormalMixture.tightest_at(epsilon=0.3, delta=1e-6, sensitivity=1.0)
    report = nrverify.audit(subject(lambda t: right(ratio ** math.ceil(math.log(t) / math.log(ratio)))))
    assert refuted(report) == ["boundary.crossing"]


def test_half_a_percent_above_delta_is_refuted_and_a_twentieth_of_a_percent_is_not():
    for factor, code in ((1.005, 1), (1.0005, 0)):
        line = Linear.tightest_at(epsilon=0.3, delta=factor * 1e-6, sensitivity=1.0)
        assert nrverify.audit(subject(line)).exit_code == code


def test_a_dip_in_a_right_boundary_is_refuted():
    right = Linear.tightest_at(epsilon=0.3, delta=1e-6, sensitivity=1.0)
    report = nrverify.audit(subject(lambda t: right(t) * (0.9 if 300 < t < 306 else 1.0)))
    assert "boundary.monotone" in refuted(report)


@pytest.mark.parametrize(
    "name",
    [
        "boundary-pointwise-minimum",
        "boundary-mixture-delta-doubled",
        "boundary-inverse-off",
        "boundary-truncated",
        "boundary-skellam-floor",
    ],
)
def test_mutants_are_refuted(name):
    mutant = next(mutant for mutant in boundary.MUTANTS if mutant.name == name)
    report = nrverify.audit(mutant.subject)
    assert report.exit_code == 1
    message = next(result.message for result in report.checks if result.verdict == "refuted")
    assert "Likely cause" in message


def test_a_claimed_interval_is_honoured():
    z = -float(ndtri(1e-6))

    def psi(t):
        if not 1.0 <= t <= 1.0001:
            raise AssertionError(f"asked at {t}")
        return 0.5 / t + z / math.sqrt(t)

    # One look has probability δ; a ratio of 1.0001 adds to it, by more than a thousandth.
    report = nrverify.audit(subject(psi, interval=(1.0, 1.0001)))
    assert refuted(report) == ["boundary.crossing"]
    high = nrverify.audit(subject(lambda t: 1.01 * psi(t), interval=(1.0, 1.0001)))
    assert high.exit_code == 0
    assert "t in [1, 1]" in check(high, "boundary.crossing").expected


@pytest.mark.parametrize("value", [float("nan"), 0.0, -1.0])
def test_improper_values_are_refuted(value):
    right = Linear.tightest_at(epsilon=0.3, delta=1e-6, sensitivity=1.0)
    report = nrverify.audit(subject(lambda t: value if 10 < t < 20 else right(t)))
    assert (report.exit_code, refuted(report)) == (1, ["boundary.values"])
    assert fault(report, "boundary.values") == "boundary-value"
    others = {result.id: (result.kind, result.verdict) for result in report.checks}
    assert others["boundary.crossing"] == others["boundary.inverse"] == ("privacy", "inconclusive")


@pytest.mark.parametrize(
    ("short", "verdict", "said"),
    [(0.0, "consistent", False), (1e-12, "consistent", False), (5e-7, "consistent", True), (3e-6, "refuted", False)],
)
def test_an_inverse_by_bisection_may_fall_short_by_a_millionth_which_is_said(short, verdict, said):
    right = Linear.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1.0)
    found = check(
        nrverify.audit(subject(right, lambda epsilon: right.inverse(epsilon) * (1 - short))), "boundary.inverse"
    )
    assert found.verdict == verdict
    assert ("round it up" in (found.message or "")) == said


def test_an_absolute_tolerance_is_not_judged_where_epsilon_is_beyond_use():
    right = Linear.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1.0)
    report = nrverify.audit(subject(right, lambda epsilon: right.inverse(epsilon) - 1e-9))
    assert check(report, "boundary.inverse").verdict == "consistent"


def test_an_inverse_without_noise_is_refuted():
    right = Linear.tightest_at(epsilon=0.3, delta=1e-6, sensitivity=1.0)
    for answer in (0.0, math.inf, math.nan):
        assert refuted(nrverify.audit(subject(right, lambda epsilon, a=answer: a))) == ["boundary.inverse"]


def test_exceptions_hangs_and_wrong_types_mean_it_could_not_be_run():
    def raises(t):
        raise RuntimeError("no such time")

    def hangs(t):
        time.sleep(60)

    for psi, words in ((raises, "no such time"), (lambda t: "1", "one number"), (lambda t: [1.0, 2.0], "shape")):
        report = nrverify.audit(subject(psi))
        assert report.exit_code == 3
        assert words in report.message
    assert nrverify.audit(subject(hangs), timeout=0.3).exit_code == 3
    assert nrverify.audit(subject(lambda t: 1 / t, sensitivity=0.5, process="skellam")).exit_code == 3


# Skellam boundaries


def test_the_barrier_is_the_first_integer_whose_loss_is_above():
    rng = np.random.default_rng(3)
    for _ in range(40):
        mu, sensitivity = float(np.exp(rng.uniform(-3, 6))), int(rng.integers(1, 5))
        epsilon = float(rng.uniform(0.05, 4.0))
        with mpmath.workdps(30):
            loss = lambda x: mpmath.log(mpmath.besseli(abs(x), mu) / mpmath.besseli(abs(x + sensitivity), mu))  # noqa: B023,E731
            x = int(first_above(np.array([epsilon]), np.array([mu]), sensitivity)[0])
            assert loss(x) > epsilon >= loss(x - 1)


@pytest.mark.parametrize(("epsilon", "sensitivity", "rate", "delta"), [(3.0, 2, 0.2, 1e-3)])
def test_skellam_crossing_agrees_with_the_tilted_lattice_recursion(epsilon, sensitivity, rate, delta):
    right = SkellamLinear.tightest_at(epsilon=epsilon, delta=delta, sensitivity=sensitivity, rate=rate)
    report = nrverify.audit(subject(right, process="skellam", rate=rate, sensitivity=sensitivity, delta=delta))
    assert report.exit_code == 0
    expected = right.crossing_probability()
    assert check(report, "boundary.crossing").statistic == pytest.approx(expected, rel=3e-4)


def test_a_skellam_boundary_for_twice_the_rate_is_refuted():
    wrong = SkellamLinear.tightest_at(epsilon=2.0, delta=1e-6, sensitivity=1, rate=2.0)
    report = nrverify.audit(subject(wrong, process="skellam", rate=1.0, sensitivity=1))
    assert refuted(report) == ["boundary.crossing"]


def test_a_boundary_of_many_lines_is_settled_where_each_has_its_share():
    """The lowest of 25 lines a + (b + ½)/t, each crossed with probability e^{−2ab} = δ/25: by the union bound right."""
    level = math.log(25e6)
    lines = [(math.sqrt(level / 2 / t), math.sqrt(level * t / 2)) for t in 4.0 ** np.arange(-8, 17)]
    report = nrverify.audit(subject(lambda t: min(a + (b + 0.5) / t for a, b in lines)))
    assert report.verdict == "consistent"
    numbers = check(report, "boundary.crossing").finding.estimate.numbers
    low, high = numbers["low"], numbers["high"]
    assert 1 / 25 < low / 1e-6 <= high / 1e-6 < 1
    assert high < 1.001 * low


def test_a_boundary_of_nine_lines_that_all_have_the_whole_delta_is_refuted():
    level = math.log(1e6)
    lines = [(math.sqrt(level / 2 / t), math.sqrt(level * t / 2)) for t in 4.0 ** np.arange(-4, 5)]
    report = nrverify.audit(subject(lambda t: min(a + (b + 0.5) / t for a, b in lines)))
    assert refuted(report) == ["boundary.crossing"]
