"""How often the loss ever passes a boundary when one looks densely and stops at the first passage (Theorem priv_bound).

The adversary looks from the noisiest time down and stops as soon as the loss is above ψ(T); what happens is a crossing
of Brownian motion on a grid, whose exact probability is known. At a δ that simulation reaches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from nrverify.experiments.batches import Batch, batches
from nrverify.laws.boundary import HalfNormalMixture, Linear, Mixture, SkellamLinear
from nrverify.laws.brownian import Brownian
from nrverify.laws.crossing import line_crossing_probability
from nrverify.laws.skellam import Skellam
from nrverify.laws.special.bessel import log_ratio
from nrverify.ledger import refuted, statistic, supports
from nrverify.ledger.experiment import Experiment
from nrverify.reference.schedules import geometric
from nrverify.reference.simulate import simulate
from nrverify.statistics.proportions import binomial

Floats = npt.NDArray[np.float64]
Boundary = Callable[[Floats], Floats]

DELTA = 0.1
"""Large, so that passages are frequent: a few tens of thousands of sessions tell 0.10 from 0.12. Nothing in the theorem
depends on its size; rare_passages has a small one."""
SENSITIVITY = 2.0
"""Not 1, so that a Δ left out or squared by mistake shows."""
TUNED_AT = 1.5
"""The ε at which the boundaries are tightest."""
LOOKS = geometric(400.0, 0.82, 40)
"""Forty looks over a factor of 2,300 in time, around where the boundaries are tuned."""
VALUE, NEIGHBOUR = [1.5], [-0.5]
"""At a distance of exactly the sensitivity."""

LINEAR = Linear.tightest_at(epsilon=TUNED_AT, delta=DELTA, sensitivity=SENSITIVITY)
MIXTURE = Mixture.tightest_at(epsilon=TUNED_AT, delta=DELTA, sensitivity=SENSITIVITY)
HALF_NORMAL = HalfNormalMixture.tightest_at(epsilon=TUNED_AT, delta=DELTA, sensitivity=SENSITIVITY)
BOUNDARIES: dict[str, Linear | Mixture | HalfNormalMixture] = {
    "linear": LINEAR,
    "mixture": MIXTURE,
    "half-normal mixture": HALF_NORMAL,
}


def from_curve(curve: Callable[[Floats], Floats]) -> Boundary:
    """ψ(t) = Δ²/2t + (Δ/t)c(t) for a curve c that W must stay below."""
    return lambda t: np.asarray(SENSITIVITY**2 / (2 * t) + SENSITIVITY / t * curve(t))


def own_quantile(t: Floats) -> Floats:
    """z_δ√t: right for each look alone."""
    return np.asarray(-ndtri(DELTA) * np.sqrt(t))


def tuned_anew(t: Floats) -> Floats:
    """√(2ℓt), the least of the lines at each time: re-tuned at every look."""
    return np.asarray(np.sqrt(-2 * np.log(DELTA) * t))


def losses(experiment: Experiment, standard: int, case: int = 0) -> Iterator[tuple[Batch, Floats]]:
    """The loss at every look, a batch at a time: an adversary stops at the first above ψ, if there is one."""
    for batch in batches(experiment, standard, case):
        releases = simulate("brownian", VALUE, LOOKS, batch.size, batch.seed)
        yield batch, Brownian().loss(LOOKS, VALUE, NEIGHBOUR, releases)


def passages(experiment: Experiment, boundary: Boundary, standard: int, case: int = 0) -> tuple[int, int]:
    """In how many of how many sessions the adversary could stop above the boundary."""
    bounds = boundary(np.array(LOOKS))
    count = total = 0
    for batch, loss in losses(experiment, standard, case):
        count, total = count + int(np.any(loss > bounds, axis=1).sum()), total + batch.size
    return count, total


@statistic(
    {"B09": supports, "B10": supports, "B11": supports, "B12": supports, "B18": refuted("tuned anew at every look")},
    rejects={
        "each look's own quantile": {"boundary": from_curve(own_quantile)},
        "tuned anew at every look": {"boundary": from_curve(tuned_anew)},
    },
    share=0.03,
)
def boundary_holds_at_every_look(experiment: Experiment, boundary: Boundary = LINEAR) -> None:
    """P(L > ψ at some look) ≤ δ for an adversary who stops at the first look above a line fixed in advance.

    δ = 0.1, forty looks; 32,000 sessions refute a failure probability of 0.12 with power 1 − 1e-6. A boundary re-tuned
    at each look, or made of each look's own quantile, fails.
    """
    count, total = passages(experiment, boundary, 32_000)
    experiment.test("passages of ψ, at most δ", binomial(count, total, DELTA, "greater"))


@statistic(
    {"B08": supports, "B09": supports, "B12": supports},
    rejects={
        "passed a third less often": {"ratio": 2 / 3},
        "passed half as often again": {"ratio": 1.5},
    },
    share=0.03,
    tests=3,
)
def passage_frequencies(experiment: Experiment, ratio: float = 1.0) -> None:
    """The linear, mixture and half-normal boundaries are passed as often as the exact law of forty looks says.

    Two-sided, so that slack is seen too: the mixture is passed less than half as often as the half-normal mixture with
    the same δ. 120,000 sessions each; a third more or less is seen with power 1 − 1e-6, already in the quick profile.
    """
    for case, (name, boundary) in enumerate(BOUNDARIES.items()):
        exact = boundary.crossing_probability(times=LOOKS)
        count, total = passages(experiment, boundary, 120_000, case)
        experiment.test(f"{name}: {exact / DELTA:.4f} δ at these looks", binomial(count, total, ratio * exact))


def e_to_minus_2ab(line: Linear) -> float:
    """P(∃t: W_t ≥ at + b), for t between the first and the last look."""
    return line_crossing_probability(line.a, line.b, interval=(LOOKS[-1], LOOKS[0]))


@statistic(
    {"B09": supports, "M03": supports},
    rejects={
        "e^{−ab}": {"probability": lambda line: math.exp(-line.a * line.b)},
        "at the looks alone": {"probability": lambda line: line.crossing_probability(times=LOOKS)},
    },
    share=0.03,
    tests=2,
)
def line_watched_continuously(experiment: Experiment, probability: Callable[[Linear], float] = e_to_minus_2ab) -> None:
    """Looking at every instant the linear boundary is passed with probability e^{−2ab} = δ, less what the ends cut off.

    Between two looks a path below the line at both meets it with probability e^{−2gg'/(t−s)}, g and g' the gaps.
    48,000 sessions see a sixth more or less with power 1 − 1e-6.
    """
    line = LINEAR
    t = np.array(LOOKS)
    height = line.a * t + line.b
    count = total = 0
    for batch, loss in losses(experiment, 48_000):
        gap = height - (loss - SENSITIVITY**2 / (2 * t)) * t / SENSITIVITY
        between = np.exp(-2 * np.maximum(gap[:, 1:], 0.0) * np.maximum(gap[:, :-1], 0.0) / -np.diff(t))
        met = np.any(gap <= 0, axis=1) | np.any(batch.rng.random(between.shape) < between, axis=1)
        count, total = count + int(met.sum()), total + batch.size
    exact = probability(line)
    experiment.test(f"{exact / DELTA:.4f} δ", binomial(count, total, exact))
    experiment.test("at most δ", binomial(count, total, line.delta, "greater"))


SKELLAM_RATE = 0.8
"""Not 1 or ½, so that a rate left out, or a factor 2 in the variance, shows."""
SKELLAM_LOOKS = geometric(40.0, 0.8, 20)
"""Twenty looks over a factor of 70 in time, from many steps of the lattice to few."""
SKELLAM_LINE = SkellamLinear.tightest_at(epsilon=TUNED_AT, delta=DELTA, sensitivity=2, rate=SKELLAM_RATE)
"""At the sensitivity 2 as above, where one step of the lattice makes a difference."""


def skellam_boundary(t: Floats) -> Floats:
    """ψ(t) = log I_k(μ)/I_{k+Δ}(μ), k the largest integer below the line."""
    return np.asarray(SKELLAM_LINE(t))


def one_step_lower(t: Floats) -> Floats:
    """k − 1 for k: a strict inequality taken for a weak one."""
    k = np.ceil(SKELLAM_LINE.line(t)) - 2
    return np.asarray(log_ratio(np.abs(k), np.abs(k + 2), 2 * SKELLAM_RATE * t))


@statistic(
    {"N14": supports},
    rejects={"the boundary one step of the lattice too low": {"boundary": one_step_lower}},
    share=0.03,
    tests=2,
)
def skellam_boundary_passages(experiment: Experiment, boundary: Boundary = skellam_boundary) -> None:
    """The loss of Skellam noise passes its boundary as often as the exact lattice law says, and at most δ.

    24,000 sessions see three tenths more or less with power 1 − 1e-6.
    """
    bounds = boundary(np.array(SKELLAM_LOOKS))
    count = total = 0
    for batch in batches(experiment, 24_000):
        releases = simulate("skellam", [2], SKELLAM_LOOKS, batch.size, batch.seed, rate=SKELLAM_RATE)
        loss = Skellam(SKELLAM_RATE).loss(SKELLAM_LOOKS, [2], [0], releases)
        count, total = count + int(np.any(loss > bounds * (1 + 1e-9), axis=1).sum()), total + batch.size
    experiment.test("at most δ", binomial(count, total, DELTA, "greater"))
    exact = SKELLAM_LINE.crossing_probability(times=SKELLAM_LOOKS)
    experiment.test(f"{exact / DELTA:.4f} δ at these looks", binomial(count, total, exact))
