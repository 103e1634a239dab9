"""What one session of a faulty discrete mechanism says against the law it claims, in nats.

Read from the least noisy time upwards discrete Laplace noise is a walk with independent steps, as Laplace noise is:
the first is a draw at s, and from s to t it stays with weight c(p_s)/c(p_t) or moves by a draw at t. So the information
of a wrong draw, or of a wrong weight, is a sum over steps of divergences of two laws on the integers, here summed term
by term. A discrete Gaussian mechanism releases once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, logsumexp

from nrverify.calibrate.mixture import Part
from nrverify.subjects.policies import Fixed

Floats = NDArray[np.float64]
LogWeights = Callable[[float], Floats]
"""log P(|X| = j), j = 0, 1, …, of a draw at t, each sign by itself: the weight of j counts twice for j > 0."""


def points(t: float) -> Floats:
    """0, 1, … as far as a draw of a scale up to 1.5t + 1 has any weight that a double could add."""
    return np.arange(math.ceil(60 * (t + 1)) + 1, dtype=np.float64)


def laplace(t: float, of: float | None = None) -> Floats:
    """The log-pmf of discrete Laplace noise of scale t, on the points of another t where it is given."""
    return np.asarray(math.log(math.tanh(0.5 / t)) - points(t if of is None else of) / t)


def gaussian(t: float, of: float | None = None) -> Floats:
    """The log-pmf of discrete Gaussian noise with the parameter t."""
    return _normalised(-(points(math.sqrt(t if of is None else of)) ** 2) / (2 * t))


def zero_twice(t: float) -> Floats:
    """A size and a sign, and minus zero is not drawn again."""
    weights = math.log(-math.expm1(-1 / t)) - points(t) / t
    weights[1:] -= math.log(2)
    return np.asarray(weights)


def rounded_laplace(t: float) -> Floats:
    """Laplace noise rounded to integers."""
    weights = math.log(math.sinh(0.5 / t)) - points(t) / t
    weights[0] = math.log(-math.expm1(-0.5 / t))
    return np.asarray(weights)


def rounded_normal(t: float) -> Floats:
    """Normal noise of variance t rounded to integers; both ends of a cell by their upper tail."""
    j = points(math.sqrt(t))
    above, below = (log_ndtr(-(j + end) / math.sqrt(t)) for end in (0.5, -0.5))
    with np.errstate(divide="ignore"):
        return np.asarray(below + np.log1p(-np.exp(above - below)))


def truncated(claimed: LogWeights, most: Callable[[float], int]) -> LogWeights:
    """Noise beyond a limit is drawn again."""

    def weights(t: float) -> Floats:
        cut = claimed(t)
        cut[most(t) + 1 :] = -np.inf
        return _normalised(cut)

    return weights


def of_parameter(law: Callable[[float, float], Floats], moved: Callable[[float], float]) -> LogWeights:
    """The right law with a wrong parameter."""
    return lambda t: law(moved(t), t)


def fraction(most: int, least: float) -> Callable[[float], float]:
    """A parameter that becomes a fraction with so small a denominator."""
    return lambda t: float(Fraction(t).limit_denominator(most)) or least


def short_series(t: float) -> float:
    """The scale of geometric numbers whose coin ends the series of e^{−1/t} after two terms."""
    return -1 / math.log(max(1 - 1 / t + 0.5 / t**2, 0.01) if t > 0.6 else 0.01)


def uncentred(t: float) -> Floats:
    """Discrete Laplace numbers of scale ⌊√t⌋ + 1 that are kept with probability e^{−j²/2t}."""
    j = points(math.sqrt(t))
    return _normalised(-j / (math.floor(math.sqrt(t)) + 1) - j * j / (2 * t))


def stays(s: float, t: float) -> float:
    """The weight of staying from s to t > s, as claimed."""
    return math.exp(1 / t - 1 / s) * (math.expm1(-1 / t) / math.expm1(-1 / s)) ** 2


@dataclass(frozen=True)
class DiscreteFault:
    """A wrong draw of the law claimed, or a wrong weight of staying."""

    draw: LogWeights
    claimed: LogWeights = laplace
    stay: Callable[[float, float], float] = stays

    def information(self, parts: list[Part]) -> float:
        """Nats per session drawn."""
        return math.fsum(part.weight * len(part.case.value) * self._of_schedule(part.case.rule) for part in parts)

    def _of_schedule(self, rule: object) -> float:
        assert isinstance(rule, Fixed)
        schedule = rule.schedule
        total = divergence(self.draw, self.claimed, schedule[-1], 0.0, 0.0)
        for t, s in pairwise(schedule):
            if s < t:
                total += divergence(self.draw, self.claimed, t, self.stay(s, t), stays(s, t))
        return total


@lru_cache(maxsize=4096)
def divergence(draw: LogWeights, claimed: LogWeights, t: float, stay: float, stay_claimed: float) -> float:
    """KL of a step that stays with some weight or is drawn at t, from one that does so as claimed."""
    own, right = _step(draw(t), stay), _step(claimed(t), stay_claimed)
    some = np.isfinite(own)
    terms = np.exp(own[some]) * (own[some] - right[some])
    return float(2 * terms.sum() - (terms[0] if some[0] else 0.0))


def _step(weights: Floats, stay: float) -> Floats:
    if stay == 0:
        return weights
    step = weights + math.log1p(-stay)
    step[0] = np.logaddexp(step[0], math.log(stay))
    return np.asarray(step)


def _normalised(weights: Floats) -> Floats:
    both = np.concatenate([weights, weights[1:]])
    return np.asarray(weights - logsumexp(both))


DISCRETE: dict[str, DiscreteFault] = {
    "discrete-zero-twice": DiscreteFault(zero_twice),
    "discrete-laplace-rounded-continuous": DiscreteFault(rounded_laplace),
    "discrete-laplace-truncated": DiscreteFault(truncated(laplace, lambda t: max(1, math.ceil(6 * t)))),
    "discrete-laplace-biased-coin": DiscreteFault(of_parameter(laplace, short_series)),
    "discrete-laplace-rounded-scale": DiscreteFault(of_parameter(laplace, fraction(2, 0.5))),
    "discrete-laplace-scale-in-eighths": DiscreteFault(of_parameter(laplace, fraction(8, 0.125))),
    "discrete-laplace-scale-limited": DiscreteFault(of_parameter(laplace, fraction(10, 0.1))),
    "discrete-laplace-continuous-stay": DiscreteFault(laplace, stay=lambda s, t: (s / t) ** 2),
    "discrete-gaussian-rounded-normal": DiscreteFault(rounded_normal, gaussian),
    "discrete-gaussian-integer-deviation": DiscreteFault(
        of_parameter(gaussian, lambda t: float(math.ceil(math.sqrt(t)) ** 2)), gaussian
    ),
    "discrete-gaussian-sigma-rounded": DiscreteFault(
        of_parameter(gaussian, lambda t: float(round(math.sqrt(t)) ** 2)), gaussian
    ),
    "discrete-gaussian-variance-in-eighths": DiscreteFault(of_parameter(gaussian, fraction(8, 0.125)), gaussian),
    "discrete-gaussian-variance-limited": DiscreteFault(of_parameter(gaussian, fraction(16, 0.0625)), gaussian),
    "discrete-gaussian-truncated": DiscreteFault(
        truncated(gaussian, lambda t: max(1, math.ceil(3 * math.sqrt(t)))), gaussian
    ),
    "discrete-gaussian-uncentred-rejection": DiscreteFault(uncentred, gaussian),
}
"""Faults whose information is a sum over steps, and over the integers."""
