"""Textbook mechanisms keep, and their mutants break, their claims: by closed forms, not by an audit."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from nrverify.reference.mutants import textbook, textbook_wrong


def hockey_stick(p, q, epsilon):
    """sup P(S) − e^ε Q(S) of two discrete laws, in the worse direction."""
    p, q = np.asarray(p), np.asarray(q)
    return max(np.maximum(p - math.exp(epsilon) * q, 0).sum(), np.maximum(q - math.exp(epsilon) * p, 0).sum())


def exponential(scores, factor):
    weights = np.exp(factor * np.asarray(scores, dtype=float))
    return weights / weights.sum()


def permute_and_flip(scores, factor):
    """P(candidate) by all orders."""
    from itertools import permutations

    best, law = max(scores), np.zeros(len(scores))
    for order in permutations(range(len(scores))):
        left = 1.0
        for place in order:
            taken = math.exp(factor * (scores[place] - best))
            law[place] += left * taken / math.factorial(len(scores))
            left *= 1 - taken
    return law


@pytest.mark.parametrize(("right", "wrong", "law"), [
    (textbook.Exponential, textbook_wrong.ExponentialUnhalved, exponential),
    (textbook.PermuteAndFlip, textbook_wrong.PermuteAndFlipUnhalved, permute_and_flip),
])  # fmt: skip
def test_choices_keep_their_claim_and_without_the_factor_do_not(right, wrong, law):
    for subject, broken in ((right, False), (wrong, True)):
        sticks = [hockey_stick(law(x, subject.factor), law(y, subject.factor), 1.0) for x, y in subject.neighbours]
        assert (max(sticks) > 1e-3) == broken
        x, _ = subject.neighbours[0]
        drawn = [str(one) for one in np.asarray(subject().run_many(x, 4000, 5)).tolist()]
        names = ("ann", "bob", "eve") if right is textbook.Exponential else ("0", "1", "2")
        shares = [drawn.count(name) / 4000 for name in names]
        # Six standard errors: exceeded with probability below 1e-8.
        assert np.allclose(shares, law(x, subject.factor), atol=6 * 0.5 / math.sqrt(4000))


def test_randomized_response_tells_the_truth_as_often_as_its_claim_allows():
    odds = textbook.RandomizedResponse.truth / (1 - textbook.RandomizedResponse.truth)
    assert math.log(odds) == pytest.approx(1.0, rel=1e-12)
    assert textbook_wrong.TruthTooOften.truth / (1 - textbook_wrong.TruthTooOften.truth) > math.e * 1.5


@pytest.mark.parametrize(
    ("subject", "broken"), [(textbook.GaussianSum, False), (textbook_wrong.GaussianTooSmall, True)]
)
def test_gaussian_noise_is_just_enough(subject, broken):
    s = subject.deviation
    delta = ndtr(0.5 / s - s) - math.e * ndtr(-0.5 / s - s)
    assert (delta > 0.04) if broken else (0.0099 < delta <= 0.01)


def test_amplification_is_that_of_the_mixture():
    """At outputs below 0 the density ratio is (1 − q) + q e^−2, above 1 it is (1 − q) + q e²: the claim is tight."""
    q = textbook.SubsampledCount.share
    assert textbook.SubsampledCount.epsilon == pytest.approx(math.log(1 - q + q * math.exp(2)), rel=1e-12)
    assert textbook_wrong.AmplifiedTooMuch.epsilon < textbook.SubsampledCount.epsilon - 0.4


def test_the_smooth_sensitivity_of_neighbours_is_close_and_the_local_one_is_not():
    """|log S(x) − log S(y)| ≤ β for neighbours, by its definition."""
    beta = 1 / (2 * math.log(2 / 0.01))
    right, wrong = textbook.SmoothMedian(), textbook_wrong.LocalSensitivity()
    for x, y in textbook.SmoothMedian.neighbours:
        assert abs(math.log(right.sensitivity_at(sorted(x)) / right.sensitivity_at(sorted(y)))) <= beta + 1e-12
    assert [wrong.sensitivity_at(sorted(data)) for data in wrong.neighbours[0]] == [0.0, 1.0]


def test_propose_test_release_shows_a_close_vote_with_probability_delta():
    shown = textbook.ProposeTestRelease().run_many([2, 2], 200_000, 3)
    # Six standard errors of a share of 0.01.
    assert sum(one is not None for one in shown) / 200_000 == pytest.approx(0.01, abs=6 * 0.1 / math.sqrt(200_000))
