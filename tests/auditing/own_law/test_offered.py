"""What a law of one's own offers beside its densities is tested against them: score, draws, forward law, bound."""

import numpy as np
import pytest
from scipy import stats

from nrverify.auditing.own_law.limited import wrong_with
from nrverify.subjects.own_laws.loading import specified
from nrverify.subjects.own_laws.process import OwnProcess
from tests.support.logarithmic import Drawn, Logarithmic


def with_(part, change):
    """The law with one part of its law objects changed."""

    class Changed(Logarithmic):
        def marginal(self, t):
            law = super().marginal(t)
            setattr(law, part, change(law))
            return law

    return Changed


class BridgeDraws(Logarithmic):
    def bridge(self, s, t, given):
        law = super().bridge(s, t, given)
        law.rvs = lambda rng, size: rng.normal(law.mean, 1.03 * law.deviation, size)
        return law


class BrownianForward(Logarithmic):
    def forward(self, s, t, given):
        return Drawn(given, np.sqrt(t - s))


class HalfTheBound(Logarithmic):
    def epsilon(self, t, shift):
        return 0.5 * super().epsilon(t, shift)


class BoundInWords(Logarithmic):
    def epsilon(self, t, shift):
        return "3"


def test_a_law_whose_every_part_fits_is_one():
    assert wrong_with(specified(Logarithmic), timeout=60.0) == []


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (with_("score", lambda law: lambda x: 1.001 * (x - law.mean) / law.deviation), "it must be the normal score"),
        (with_("score", lambda law: lambda x: -(x - law.mean) / law.deviation), "it must be the normal score"),
        (
            with_("rvs", lambda law: lambda rng, size: rng.normal(0, 1.03 * law.deviation, size)),
            "variance of the normal",
        ),
        (with_("rvs", lambda law: lambda rng, size: rng.normal(0, 1.03 * law.deviation, 3)), "it must be (20000,)"),
        (BridgeDraws, "rvs() "),
        (BrownianForward, "they must agree (Bayes)"),
        (HalfTheBound, "it must be a bound on it"),
        (BoundInWords, "epsilon(0.01, shift) is '3': it must be a bound"),
    ],
)
def test_a_part_that_does_not_fit_is_named(law, words):
    found = wrong_with(specified(law), timeout=60.0)
    assert found
    assert words in found[0]


class Frozen:
    """Laws that are frozen distributions of scipy."""

    name = "frozen"

    def marginal(self, t):
        return stats.logistic(scale=t)


class Gathering:
    """The gamma process: close in time its bridge has a density without bound, next to the release before."""

    name, range = "gathering", (1.0, 500.0)

    def marginal(self, t):
        return stats.gamma(np.asarray(t) / 10)

    def bridge(self, s, t, given):
        return stats.beta(s / 10, (t - s) / 10, scale=np.where(given > 0, given, 1e-300))


def test_a_frozen_distribution_of_scipy_is_a_law_and_draws():
    law = specified(Frozen)
    assert wrong_with(law, timeout=60.0) == []
    drawn = OwnProcess(law.law).marginal(2.0).rvs(np.random.default_rng(0), (1000,))
    assert np.allclose(drawn, stats.logistic(scale=2.0).rvs(size=1000, random_state=np.random.default_rng(0)))


def test_where_doubles_cannot_hold_a_density_the_reason_is_said():
    found = wrong_with(specified(Gathering), timeout=60.0)
    assert any("doubles cannot hold it" in words for words in found)
