"""Families of noise: what sets each process apart, said once; a new one is a row here and its laws.

A law of one's own becomes a row of the same table while it is audited. What a family does not know is None, and the
checks that need it are not covered. The claim "everything so far costs at most ε" of an ε-knob needs mathematics of its
own, in `auditing/noise_reduction/epsilon/`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from nrverify.laws.process import Process

Floats = NDArray[np.float64]


HARDLY_LESS = 1 - 2e-6
"""Of two times that a comparison with a tolerance takes for the same: where doubles can hold what is between them."""


@dataclass(frozen=True)
class NoiseFamily:
    """A kind of noise, as far as subjects and audits must know it beyond its laws."""

    process: Callable[[float], Process]
    """Its laws, at a rate; one that is not `rated` ignores it."""
    norm: int
    """How far apart two values are, for a sensitivity: by the sum of their differences (1), or Euclidean (2)."""
    telling: Callable[[float, float], float]
    """A difference in value whose loss is of order 2, at a time and a rate."""
    times: Callable[[float], tuple[float, float]]
    """The times asked for when the subject names no range, at a rate."""
    variance: Callable[[Floats, float], Floats] | None = None
    """Its variance at a time and a rate; None where it is not known, or infinite."""
    steps: Callable[[Floats], Floats] | None = None
    """The scale of the steps between growing times, from 0 on; None where they have no law that only a scale sets
    apart."""
    likeliest: Callable[[Floats, float], float] | None = None
    """Of integer noise: a bound on the probability of any one transcript at falling times, at a rate."""
    integer: bool = False
    """Whether noise and values are integers."""
    rated: bool = False
    """Whether it is one of many, told apart by a rate: a difference of Poisson counts."""
    tied: bool = False
    """Whether a release may equal the one before."""
    staying: str = ""
    """With what probability a release at s < t stays where the one at t is, in growing time: for sentences."""
    jumps: bool = False
    """Whether it stays with probability (s/t)² and jumps by Laplace noise of scale t: the Laplace process."""
    pure: bool = False
    """Whether a look at scale t costs at most ‖shift‖₁/t, so that its claims need no δ."""
    bound: Callable[[Floats, Floats], Floats] | None = None
    """The most that a look at a time loses when the value moves by `shift`, at each of some times."""
    symmetric: Callable[[], bool] = lambda: True
    """Whether noise is as often below −x as above x, worked out when it is needed."""
    increments: bool = False
    """Whether its law can be tested without knowing the times: independent Gaussian increments."""
    hardly_less: float = HARDLY_LESS
    """The ratio of the two closest times that are asked for."""
    once: bool = False
    """Whether it has no bridge: the law is that of one release."""
    sensitivity: str = ""
    """What a sensitivity must be, beyond a positive number: "an integer" or "the root of an integer"."""
    own: bool = False
    """Whether it is a law of one's own: nothing beyond its interface is known of it."""
    source: Mapping[str, str | None] | None = None
    """Where a law of one's own comes from: its `address`, and the `sha256` of its file."""

    def distance(self, difference: Floats) -> float:
        """How far apart two values are, for a sensitivity: the norm of their difference."""
        return float(np.abs(difference).sum() if self.norm == 1 else np.sqrt((difference**2).sum()))


def _brownian(rate: float) -> Process:
    from nrverify.laws.brownian import Brownian

    return Brownian()


def _laplace(rate: float) -> Process:
    from nrverify.laws.laplace import Laplace

    return Laplace()


def _skellam(rate: float) -> Process:
    from nrverify.laws.skellam import Skellam

    return Skellam(rate)


def _discrete_laplace(rate: float) -> Process:
    from nrverify.laws.discrete_laplace import DiscreteLaplace

    return DiscreteLaplace()


def _discrete_gaussian(rate: float) -> Any:
    from nrverify.laws.discrete_gaussian import DiscreteGaussian

    return DiscreteGaussian()


def _absolute_bound(times: Floats, shift: Floats) -> Floats:
    """‖shift‖₁/t: of Laplace noise, and of discrete Laplace noise."""
    return np.asarray(np.abs(shift).sum() / times)


def _likeliest_counts(times: Floats, rate: float) -> float:
    """The steps in growing time are independent, and each is most likely 0."""
    from scipy.special import ive

    spans = -np.diff(np.append(times, 0.0))
    return float(np.prod(ive(0, 2 * rate * spans)))


def _likeliest_discrete_laplace(times: Floats, rate: float) -> float:
    """The least noisy release is most likely 0, and so is each step in growing time, by staying or by a draw of 0."""
    process = _discrete_laplace(rate)
    weight = float(np.exp(process.marginal(times[-1]).logpdf(0)))
    for s, t in zip(times[:0:-1], times[-2::-1], strict=True):
        weight *= float(np.exp(process.forward(s, t, 0).logpdf(0))) if s < t else 1.0
    return weight


def _likeliest_discrete_gaussian(times: Floats, rate: float) -> float:
    return float(np.exp(_discrete_gaussian(rate).marginal(times[-1]).logpdf(0)))


def _brownian_variance(times: Floats, rate: float) -> Floats:
    return times


def _laplace_variance(times: Floats, rate: float) -> Floats:
    return 2 * times**2


def _skellam_variance(times: Floats, rate: float) -> Floats:
    return 2 * rate * times


def _discrete_laplace_variance(times: Floats, rate: float) -> Floats:
    """2p/(1 − p)² with p = e^{−1/t}."""
    p = np.exp(-1 / times)
    return np.asarray(2 * p / np.expm1(-1 / times) ** 2)


FAMILIES: dict[str, NoiseFamily] = {
    "brownian": NoiseFamily(
        _brownian,
        2,
        telling=lambda time, rate: math.sqrt(2 * time),
        times=lambda rate: (0.01, 1000.0),
        variance=_brownian_variance,
        steps=lambda times: np.sqrt(np.diff(times, prepend=0.0)),
        increments=True,
    ),
    "laplace": NoiseFamily(
        _laplace,
        1,
        telling=lambda time, rate: 2 * time,
        times=lambda rate: (0.01, 1000.0),
        variance=_laplace_variance,
        steps=lambda times: times,
        tied=True,
        staying="(s/t)², not s/t",
        jumps=True,
        pure=True,
        bound=_absolute_bound,
    ),
    "skellam": NoiseFamily(
        _skellam,
        2,
        telling=lambda time, rate: max(1.0, round(math.sqrt(2 * rate * time))),
        times=lambda rate: (0.1 / rate, 1000.0 / rate),
        variance=_skellam_variance,
        likeliest=_likeliest_counts,
        integer=True,
        rated=True,
        sensitivity="an integer",
    ),
    "discrete-laplace": NoiseFamily(
        _discrete_laplace,
        1,
        telling=lambda time, rate: max(1.0, round(2 * time)),
        times=lambda rate: (0.25, 1000.0),
        variance=_discrete_laplace_variance,
        likeliest=_likeliest_discrete_laplace,
        staying="c(p_s)/c(p_t) with c(p) = p/(1 − p)² and p_t = e^(−1/t), not (s/t)²",
        integer=True,
        pure=True,
        bound=_absolute_bound,
        sensitivity="an integer",
    ),
    "discrete-gaussian": NoiseFamily(
        _discrete_gaussian,
        2,
        telling=lambda time, rate: max(1.0, round(math.sqrt(2 * time))),
        times=lambda rate: (0.1, 1000.0),
        likeliest=_likeliest_discrete_gaussian,
        integer=True,
        once=True,
        sensitivity="the root of an integer",
    ),
}
"""The families that are built in, and while it is audited a law of one's own."""

BUILT_IN = tuple(FAMILIES)


def own_names() -> tuple[str, ...]:
    """The laws of one's own that are in use."""
    return tuple(name for name in FAMILIES if name not in BUILT_IN)
