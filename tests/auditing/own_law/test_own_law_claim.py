"""The claim of an ε-knob by a law of one's own: proved by its bound, refuted by its densities, else undecided."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import cauchy, norm

from nrverify import audit
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.noise_reduction.audit import NoiseReductionMechanism
from nrverify.auditing.noise_reduction.design.knob import knob_of
from nrverify.auditing.noise_reduction.epsilon.own_law_claim import ABOVE, DEPENDS, MANY, OFFER, OwnLawClaim
from nrverify.auditing.noise_reduction.epsilon.own_law_loss import OwnLoss, last_tells_all
from nrverify.laws import Brownian
from nrverify.laws.divergence import hockey_stick
from nrverify.subjects.describe import describe
from nrverify.subjects.noise_families import FAMILIES
from nrverify.subjects.own_laws.loading import in_use, specified


class OwnCauchy:
    """One release of Cauchy noise, with the exact bound on its loss."""

    name = "own-cauchy"

    def marginal(self, t):
        return cauchy(scale=t)

    def epsilon(self, t, shift):
        return float(np.sum(2 * np.arcsinh(np.abs(shift) / (2 * t))))


class UnboundedCauchy(OwnCauchy):
    """The same without the bound."""

    name = "own-cauchy-unbounded"
    epsilon = None


class OwnNormal:
    """A Brownian motion."""

    name = "own-normal"

    def marginal(self, t):
        return norm(scale=np.sqrt(t))

    def bridge(self, s, t, given):
        return norm(loc=s / t * given, scale=np.sqrt(s * (t - s) / t))


class Shrinking(OwnNormal):
    """X_t is half of X_s and fresh noise: what is added depends on the noise, so two releases tell more than one."""

    name = "own-shrinking"

    def bridge(self, s, t, given):
        return norm(loc=s / (2 * t) * given, scale=np.sqrt(s - s * s / (4 * t)))


class OwnGeometric:
    """A difference of two geometric numbers, without a bound on its loss."""

    name, integer = "own-geometric", True

    def marginal(self, t):
        return TwoSided(np.exp(-1 / np.asarray(t)))


class TwoSided:
    def __init__(self, p):
        self.p = p

    def logpdf(self, x):
        return np.log((1 - self.p) / (1 + self.p)) + np.abs(x) * np.log(self.p)

    def cdf(self, x):
        x = np.floor(x)
        return np.where(x < 0, self.p**-x, 1 - self.p ** (x + 1) / 1) / np.where(x < 0, 1 + self.p, 1) - np.where(
            x < 0, 0, -(self.p ** (x + 1)) * self.p / (1 + self.p)
        )

    def sf(self, x):
        return 1 - self.cdf(x)


def claim(law, time_of, **said):
    """What the check concludes of a subject that names its times so."""
    with in_use(specified(law)):
        given = {"mechanism": law.name, "knob": "epsilon", "sensitivity": 1.0, "methods": ["sample", "time_of"]}
        description = describe(given | {"dimensions": [1]} | said)
        asked = NoiseReductionMechanism(SimpleNamespace(description=description), Settings())
        check = next(one for one in asked.checks if one.id == "privacy.epsilon")
        assert isinstance(check, OwnLawClaim)
        known = {}

        def times_of(epsilons):
            known.update((float(e), float(time_of(e))) for e in epsilons)

        times_of.known = known
        check.ask_densely(times_of, knob_of(description))
        return check.conclude(1e-7)


def exact(epsilon):
    return 1 / (2 * np.sinh(epsilon / 2))


def test_a_bound_of_at_most_epsilon_proves_the_claim():
    result = claim(OwnCauchy, exact)
    assert (result.verdict, result.message) == ("consistent", None)
    assert result.finding.estimate.observed == pytest.approx(result.finding.estimate.expected, rel=1e-12)


def test_a_bound_that_grows_with_the_dimension_proves_nothing_in_many():
    """A shift of 1/3 in three coordinates loses 3·2·arcsinh(1/6t), which is more than 2·arcsinh(1/2t)."""
    result = claim(OwnCauchy, exact, dimensions=[1, 3])
    assert (result.verdict, result.message) == ("inconclusive", ABOVE)


def test_too_little_noise_is_refuted_by_the_densities_with_their_divergence():
    result = claim(OwnCauchy, lambda epsilon: 0.9 * exact(epsilon))
    assert (result.verdict, result.finding.fault.id) == ("refuted", "too-little-noise-for-claim")
    numbers = result.finding.estimate.numbers
    t, epsilon = numbers["time"], numbers["epsilon"]
    worst = quad(
        lambda x: max(0.0, cauchy.pdf(x, scale=t) - np.exp(epsilon) * cauchy.pdf(x - 1, scale=t)),
        -50 * t,
        50 * t,
        points=[0.0, 1.0],
        limit=500,
    )[0]
    assert 0.95 * worst < result.finding.estimate.observed < worst


@pytest.mark.parametrize("less", [0.5, 0.99, 0.999])
def test_a_claim_without_a_bound_is_refuted_too(less):
    assert claim(UnboundedCauchy, lambda epsilon: less * exact(epsilon)).verdict == "refuted"


def test_without_a_bound_nothing_is_proved():
    result = claim(UnboundedCauchy, exact)
    assert (result.verdict, result.message) == ("inconclusive", OFFER)


@pytest.mark.parametrize(("factor", "verdict"), [(1.01, "consistent"), (0.95, "refuted")])
def test_differential_privacy_with_a_delta_is_judged_by_the_divergence(factor, verdict):
    """The least variance at ε = 1 by bisection of the closed form of the Gaussian hockey stick."""

    low, high = 0.1, 1000.0
    for _ in range(60):
        middle = np.sqrt(low * high)
        above = hockey_stick(Brownian(), 1.0, shift=1.0, time=middle) > 1e-5
        low, high = (middle, high) if above else (low, middle)
    result = claim(OwnNormal, lambda epsilon: factor * high, delta=1e-5, guarantee="dp", range=(1.0, 1.001))
    assert result.verdict == verdict


def test_many_looks_at_noise_without_a_bound_are_not_decided():
    result = claim(OwnNormal, lambda epsilon: 100 / epsilon, delta=1e-5)
    assert (result.verdict, result.message) == ("inconclusive", OFFER)
    assert MANY.startswith("no look breaks the claim alone")


def test_a_law_whose_earlier_releases_tell_more_proves_nothing():
    for law, expected in ((OwnNormal, True), (Shrinking, False)):
        with in_use(specified(law)):
            assert last_tells_all(FAMILIES[law.name], [0.5, 1.0, 4.0]) is expected
    result = claim(Shrinking, lambda epsilon: 1e4 / epsilon, delta=0.1, guarantee="dp")
    assert (result.verdict, result.message) == ("inconclusive", DEPENDS)


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_the_divergence_of_integer_noise_is_its_sum(epsilon):
    with in_use(specified(OwnGeometric)):
        found = OwnLoss("own-geometric", 2.0, 1).divergence(epsilon, 1.5)
    j, p = np.arange(-400, 401), np.exp(-1 / 1.5)
    weight = (1 - p) / (1 + p) * p ** np.abs(j)
    moved = (1 - p) / (1 + p) * p ** np.abs(j - 2)
    assert found.lower == pytest.approx(0.98 * np.maximum(weight - np.exp(epsilon) * moved, 0).sum(), rel=1e-6)


def test_an_audit_says_what_the_law_proves():
    class Subject:
        mechanism, knob, sensitivity, dimensions = "own-cauchy", "epsilon", 1.0, (1,)

        def time_of(self, epsilon):
            return float(exact(epsilon))

        def sample(self, value, schedule, sessions, seed):
            (epsilon,) = schedule
            noise = np.random.default_rng(seed).standard_cauchy((sessions, 1, value.size))
            return value + exact(epsilon) * noise

    report = audit(Subject, law=OwnCauchy, samples=300)
    found = next(check for check in report.checks if check.id == "privacy.epsilon")
    assert (found.verdict, report.privacy) == ("consistent", "consistent")
    assert "the law bounds the loss by" in found.observed
