"""nrverify's own laws pass every vector: a second check of them, in ball arithmetic."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

from nrverify.laws import threshold
from nrverify.laws.boundary import Grid, HalfNormalMixture, Linear, Mixture, SkellamLinear
from nrverify.laws.brownian import Brownian
from nrverify.laws.crossing import crossing_probability, line_crossing_probability
from nrverify.laws.discrete_gaussian import DiscreteGaussian
from nrverify.laws.discrete_laplace import DiscreteLaplace
from nrverify.laws.divergence import hockey_stick, loss_tail
from nrverify.laws.laplace import Laplace
from nrverify.laws.skellam import Skellam
from tests.vectors.reading import documents, faults, numbers


def _distribution(law, x, *names):
    asked = {"pmf": lambda: math.exp(law.logpdf(x)), "cdf": lambda: law.cdf(x), "cdf_left": lambda: law.cdf_left(x)}
    return {name: float(asked.get(name, lambda: law.sf(x))()) for name in names}


def _skellam_tightest(epsilon, delta, sensitivity, rate):
    boundary = SkellamLinear.tightest_at(epsilon=epsilon, delta=delta, sensitivity=sensitivity, rate=rate)
    time = boundary.inverse(epsilon)
    return {"level": math.ceil(boundary.line(time) - 1e-9) - 1, "time": time}


def _grid_boundary(times, delta, sensitivity, time):
    boundary = Grid(times, delta, sensitivity)
    return {"quantile": boundary.quantile, "epsilon": boundary(time)}


def _grid_weighted(times, weights, delta, sensitivity, time):
    boundary = Grid(times, delta, sensitivity, weights=weights)
    earlier, later = boundary.heights[1]
    return {"earlier": earlier, "later": later, "epsilon": boundary(time)}


def _linear_tightest(**inputs):
    line = Linear.tightest_at(**inputs)
    return {"a": line.a, "b": line.b, "time": line.inverse(inputs["epsilon"])}


def _tightest(family, **inputs):
    boundary = family.tightest_at(**inputs)
    return {"rho": boundary.rho, "time": boundary.inverse(inputs["epsilon"])}


def _grid_crossing(times, heights):
    if np.isnan(heights).any() or len(times) != len(heights):
        raise ValueError("heights")
    return {"probability": crossing_probability(dict(zip(times, heights, strict=True)).__getitem__, times=times)[0]}


def _divergence(process, epsilon, time, shift):
    if shift == 0:
        raise ValueError("a shift of 0 is no pair of neighbours")
    asked = {"shift": shift, "time": time}
    return {
        "hockey_stick": hockey_stick(process, epsilon, **asked),
        "loss_tail": loss_tail(process, epsilon, **asked),
    }


LAWS = {
    "brownian-loss": lambda time, value, neighbour, release: {"loss": Brownian().loss(time, value, neighbour, release)},
    "laplace-loss": lambda time, value, neighbour, release: {"loss": Laplace().loss(time, value, neighbour, release)},
    "skellam-loss": lambda rate, time, value, neighbour, release: {
        "loss": Skellam(rate).loss(time, value, neighbour, release)
    },
    "linear-boundary": lambda a, b, sensitivity, time: {"epsilon": Linear(a, b, sensitivity)(time)},
    "linear-inverse": lambda a, b, sensitivity, epsilon: {"time": Linear(a, b, sensitivity).inverse(epsilon)},
    "linear-tightest": _linear_tightest,
    "mixture-boundary": lambda rho, delta, sensitivity, time: {"epsilon": Mixture(rho, delta, sensitivity)(time)},
    "mixture-inverse": lambda rho, delta, sensitivity, epsilon: {
        "time": Mixture(rho, delta, sensitivity).inverse(epsilon)
    },
    "mixture-tightest": lambda **inputs: _tightest(Mixture, **inputs),
    "half-normal-boundary": lambda rho, delta, sensitivity, time: {
        "epsilon": HalfNormalMixture(rho, delta, sensitivity)(time)
    },
    "half-normal-inverse": lambda rho, delta, sensitivity, epsilon: {
        "time": HalfNormalMixture(rho, delta, sensitivity).inverse(epsilon)
    },
    "half-normal-tightest": lambda **inputs: _tightest(HalfNormalMixture, **inputs),
    "grid-boundary": _grid_boundary,
    "grid-weighted": _grid_weighted,
    "grid-tightest": lambda **inputs: {"time": min(Grid.tightest_at(**inputs).times)},
    "skellam-boundary": lambda theta, delta, sensitivity, rate, time: {
        "epsilon": SkellamLinear(theta, delta, sensitivity, rate)(time)
    },
    "skellam-inverse": lambda theta, delta, sensitivity, rate, epsilon: {
        "time": SkellamLinear(theta, delta, sensitivity, rate).inverse(epsilon)
    },
    "skellam-tightest": _skellam_tightest,
    "brownian-bridge-moments": lambda s, t, given: {
        "mean": float((law := Brownian().bridge(s, t, given)).mean),
        "variance": float(law.deviation) ** 2,
    },
    "brownian-bridge-cdf": lambda s, t, given, x: _distribution(Brownian().bridge(s, t, given), x, "cdf", "sf"),
    "laplace-tie": lambda s, t: {"probability": float(Laplace().forward(s, t, 0.0).atom)},
    "laplace-bridge-atom": lambda s, t, given: {"atom": float(Laplace().bridge(s, t, given).atom)},
    "laplace-bridge-cdf": lambda s, t, given, x: _distribution(
        Laplace().bridge(s, t, given), x, "cdf", "cdf_left", "sf"
    ),
    "skellam-marginal": lambda rate, time, x: _distribution(Skellam(rate).marginal(time), x, "pmf", "cdf", "sf"),
    "skellam-bridge": lambda rate, s, t, given, x: _distribution(
        Skellam(rate).bridge(s, t, given), x, "pmf", "cdf", "sf"
    ),
    "discrete-laplace-marginal": lambda time, x: _distribution(DiscreteLaplace().marginal(time), x, "pmf", "cdf", "sf"),
    "discrete-laplace-bridge": lambda s, t, given, x: _distribution(
        DiscreteLaplace().bridge(s, t, given), x, "pmf", "cdf", "sf"
    ),
    "discrete-laplace-loss": lambda time, value, neighbour, release: {
        "loss": DiscreteLaplace().loss(time, value, neighbour, release)
    },
    "discrete-laplace-divergence": lambda **inputs: _divergence(DiscreteLaplace(), **inputs),
    "discrete-gaussian-marginal": lambda time, x: _distribution(
        DiscreteGaussian().marginal(time), x, "pmf", "cdf", "sf"
    ),
    "discrete-gaussian-loss": lambda time, value, neighbour, release: {
        "loss": DiscreteGaussian().loss(time, value, neighbour, release)
    },
    "discrete-gaussian-divergence": lambda **inputs: _divergence(DiscreteGaussian(), **inputs),
    "threshold-probability": lambda bits, **inputs: {
        "probability": threshold.probability(bits, **inputs),
        "log_probability": threshold.log_probability(bits, **inputs),
    },
    "threshold-loss": lambda bits, **inputs: {"loss": threshold.privacy_loss(bits, **inputs)},
    "threshold-worst-loss": lambda epsilons: {"loss": threshold.worst_loss(epsilons)},
    "threshold-margin-tail": lambda eta, epsilon, sensitivity: {
        "probability": threshold.margin_tail(eta, epsilon, sensitivity)
    },
    "threshold-utility-margin": lambda probability, epsilon, sensitivity: {
        "eta": threshold.utility_margin(probability, epsilon, sensitivity)
    },
    "line-crossing": lambda a, b, lo, hi: {"probability": line_crossing_probability(a, b, (lo, hi))},
    "grid-crossing": _grid_crossing,
    "half-normal-crossing": lambda rho, delta: {
        "probability": HalfNormalMixture(rho, delta, 1.0).crossing_probability()
    },
    "mixture-crossing": lambda rho, delta: {"probability": Mixture(rho, delta, 1.0).crossing_probability()},
}
DOCUMENTS = documents()


def failing(name, law):
    document = DOCUMENTS[name]
    found = {case["id"]: faults(case, lambda case=case: law(**numbers(document, case))) for case in document["cases"]}
    return {case: reasons for case, reasons in found.items() if reasons}


@pytest.mark.parametrize("name", LAWS)
def test_law_passes_every_case(name):
    assert not failing(name, LAWS[name])


def _laplace_moments(s, t, given):
    law = Laplace().bridge(s, t, given)
    if s == t:
        return {"mean": given, "variance": 0.0}
    cuts = sorted({-60.0 * s - abs(given), 0.0, given, 60.0 * s + abs(given)})

    def moment(k):
        pieces = [
            quad(lambda y: y**k * math.exp(law.logpdf(y)), a, b, epsabs=1e-16, epsrel=1e-13, limit=200)[0]
            for a, b in pairwise(cuts)
        ]
        return math.fsum(pieces) + float(law.atom) * given**k

    return {"mean": 0.0 if given == 0 else moment(1), "variance": moment(2) - moment(1) ** 2}


def _skellam_moments(rate, s, t, given):
    if s == t:
        Skellam(rate).bridge(s, t, given)
        return {"mean": given, "variance": 0.0}
    points = np.arange(given - 200, given + 201)
    masses = np.exp(Skellam(rate).bridge(s, t, given).logpdf(points))
    mean = float(masses @ points)
    return {"mean": given * (s / t) if given == 0 else mean, "variance": float(masses @ (points - mean) ** 2)}


def test_moments_are_those_of_the_laws():
    # Quadrature of a density and sums over a lattice: 1e-10 is a million times their rounding here.
    for name, law in (("laplace-bridge-moments", _laplace_moments), ("skellam-bridge-moments", _skellam_moments)):
        for case in DOCUMENTS[name]["cases"]:
            if case["result"] == "valid":
                found = law(**numbers(DOCUMENTS[name], case))
                for output, expected in case["outputs"].items():
                    assert found[output] == pytest.approx(float(expected["value"]), rel=1e-10, abs=0), case["id"]


def test_every_function_is_compared():
    assert set(LAWS) | {"laplace-bridge-moments", "skellam-bridge-moments"} == set(DOCUMENTS)
