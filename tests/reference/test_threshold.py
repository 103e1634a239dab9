"""The threshold mechanisms against exact probabilities of where they halt."""

import math

import mpmath
import numpy as np
import pytest

from nrverify import AboveThreshold, ReducedAboveThreshold, halting_rounds

# ε = Δ = 1, u = τ: with q = P(ξ ≥ |ζ|) = ½e^{−|ζ|/4} and E q = 1/3, E q² = 1/8, the probability of halting first at
# round 1, 2, 3 is ½, E q(1−q) = 5/24 and half of that, by symmetry of ζ.
EXACT = {1: 1 / 2, 2: 5 / 24, 3: 5 / 48}


def first_true(m, answer, rounds):
    return next((n for n in range(1, rounds + 1) if answer(m, n)), 0)


def test_above_threshold_halts_at_rounds_one_two_three_with_exact_probabilities(law):
    rng = np.random.default_rng(1)
    halts = np.array(
        [first_true(AboveThreshold(1.0, 3.0, 1.0, rng), lambda m, n: m.answer(3.0), 3) for _ in range(6000)]
    )
    for n, p in EXACT.items():
        assert law.frequency((halts == n).sum(), 6000, p)


def test_reduced_above_threshold_at_equal_epsilons_has_the_same_probabilities(law):
    rng = np.random.default_rng(2)
    halts = np.array(
        [first_true(ReducedAboveThreshold(-1.0, 2.0, rng), lambda m, n: m.answer(-1.0, 2.0), 3) for _ in range(6000)]
    )
    for n, p in EXACT.items():
        assert law.frequency((halts == n).sum(), 6000, p)


def test_many_runs_at_once_have_the_same_probabilities_and_redrawn_threshold_noise_is_rejected(law):
    halts = halting_rounds([0.0] * 3, [1.0] * 3, threshold=0.0, sensitivity=1.0, runs=40_000, seed=3)
    for n, p in EXACT.items():
        assert law.frequency((halts == n).sum(), 40_000, p)
    # Fresh threshold noise in each round would halt at round 2 with probability 1/4.
    assert not law.frequency((halts == 2).sum(), 40_000, 1 / 4)


def reduced_probability(u1, u2):
    """P(0, 1) for ε = (1, 2), Δ = 1, τ = 0: Z_1 ~ Lap(1), Z_2 = Z_1 + {0 w.p. ¼, else Lap(2)}; ξ ~ Lap(4), Lap(2)."""

    def tail(x, scales):
        """P(sum of independent Laplace of these scales > x) for one or two different scales, by partial fractions."""
        y = abs(x)
        if len(scales) == 1:
            upper = mpmath.exp(-y / scales[0]) / 2
        else:
            a, b = scales
            upper = (a**2 * mpmath.exp(-y / a) - b**2 * mpmath.exp(-y / b)) / (2 * (a**2 - b**2))
        return upper if x >= 0 else 1 - upper

    def integrand(z):
        silent = (1 - tail(z - u1, [4])) / 4 + (1 - tail(z - u1, [4, 2])) * 3 / 4
        return mpmath.exp(-abs(z)) / 2 * silent * tail(z - u2, [2])

    return float(mpmath.quad(integrand, sorted([-60, -20, -5, 0, u1, u2, 5, 20, 60])))


@pytest.mark.parametrize(("u1", "u2"), [(0.0, 0.0), (-3.0, 1.0), (2.0, -1.0)])
def test_reduced_above_threshold_at_rising_epsilons_halts_second_with_its_exact_probability(u1, u2, law):
    p = reduced_probability(u1, u2)
    halts = halting_rounds([5 + u1, 5 + u2], [1.0, 2.0], threshold=5.0, sensitivity=1.0, runs=40_000, seed=4)
    assert law.frequency((halts == 2).sum(), 40_000, p)

    rng = np.random.default_rng(5)
    rounds = [(5 + u1, 1.0), (5 + u2, 2.0)]
    halts = [
        first_true(ReducedAboveThreshold(5.0, 1.0, rng), lambda m, n: m.answer(*rounds[n - 1]), 2) for _ in range(3000)
    ]
    assert law.frequency(halts.count(2), 3000, p)


def test_after_the_first_true_there_are_no_more_answers():
    at, rat = AboveThreshold(1.0, 0.0, 1.0, rng=0), ReducedAboveThreshold(0.0, 1.0, rng=0)
    assert at.answer(1e9) is True
    assert rat.answer(1e9, 1.0) is True
    assert at.halted
    assert rat.halted
    with pytest.raises(ValueError, match="halted"):
        at.answer(0.0)
    with pytest.raises(ValueError, match="halted"):
        rat.answer(0.0, 2.0)


def test_infinite_utilities_are_answered_as_they_must_be():
    assert AboveThreshold(1.0, 0.0, 1.0, rng=0).answer(math.inf) is True
    assert AboveThreshold(1.0, 0.0, 1.0, rng=0).answer(-math.inf) is False


def test_a_refused_question_leaves_the_session_as_it_was():
    disturbed, quiet = (ReducedAboveThreshold(0.0, 1.0, rng=6) for _ in range(2))
    for n in range(200):
        for bad in ((0.0, 0.5), (0.0, 0.0), (0.0, math.nan), (0.0, math.inf), (math.nan, 1e6), (0.0, -1.0)):
            with pytest.raises(ValueError, match="must"):
                disturbed.answer(*bad) if n else disturbed.answer(bad[0], min(bad[1], 0.0))
        answers = disturbed.answer(-3.0, 1.0 + n), quiet.answer(-3.0, 1.0 + n)
        assert answers[0] == answers[1]
        if answers[0]:
            break
    disturbed, quiet = (AboveThreshold(1.0, 0.0, 1.0, rng=6) for _ in range(2))
    for _ in range(20):
        with pytest.raises(ValueError, match=r"utility .*: it must"):
            disturbed.answer(math.nan)
        assert disturbed.answer(-5.0) == quiet.answer(-5.0)
        if quiet.halted:
            break


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_parameters_must_be_positive_and_finite(bad):
    for build in (
        lambda: AboveThreshold(bad, 0.0, 1.0),
        lambda: AboveThreshold(1.0, 0.0, bad),
        lambda: ReducedAboveThreshold(0.0, bad),
        lambda: halting_rounds([0.0], [bad], 0.0, 1.0, 10, 0),
        lambda: halting_rounds([0.0], [1.0], 0.0, bad, 10, 0),
    ):
        with pytest.raises(ValueError, match="must be"):
            build()
    with pytest.raises(ValueError, match=r"threshold .*: it must be"):
        AboveThreshold(1.0, math.nan, 1.0)


def test_many_runs_refuse_epsilons_that_decrease_or_do_not_match():
    for utilities, epsilons in (([0, 0], [2, 1]), ([0, 0], [1]), ([], []), ([math.nan], [1])):
        with pytest.raises(ValueError, match=r"epsilon|utilities"):
            halting_rounds(utilities, epsilons, 0.0, 1.0, 10, 0)
    np.testing.assert_array_equal(
        halting_rounds([0.0], [1.0], 0.0, 1.0, 50, 7), halting_rounds([0.0], [1.0], 0.0, 1.0, 50, 7)
    )
