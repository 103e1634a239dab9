"""What one session of a faulty Brownian mechanism says against the law it claims, in nats.

A fault of the recursion draws the next noise, given the last one w at time t, from N(m, v) where N((s/t)w, s(t−s)/t) is
claimed: ½(v/v₀ − 1 − log(v/v₀)) + (m − m₀)²/2v₀ on average over the faulty path. Faults of the normals themselves add
the same amount for every release, whatever the times.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import quad
from scipy.special import comb
from scipy.stats import t as student

from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.calibrate.mixture import Part
from nrverify.calibrate.paths import first_time, next_times

Floats = NDArray[np.float64]

SESSIONS = 500
"""Sessions played out for each part of the mixture; what depends on the path is averaged over them."""


@dataclass(frozen=True)
class PathStep:
    """From the noise w (n, d) at times t (n, 1) to times s: before the first release w = 0 and t = ∞."""

    case: Case
    number: int
    noise: Floats
    t: Floats
    s: Floats

    @property
    def ratio(self) -> Floats:
        """s/t."""
        return self.s / self.t

    @property
    def mean(self) -> Floats:
        """(s/t)w, as claimed."""
        return self.ratio * self.noise

    @property
    def variance(self) -> Floats:
        """s(t−s)/t, as claimed."""
        return self.s * (1 - self.ratio)


Moments = Callable[[PathStep], tuple[ArrayLike, ArrayLike]]


def right(step: PathStep) -> tuple[Floats, Floats]:
    """The moments claimed."""
    return step.mean, step.variance


def no_more(d: int) -> float:
    """Nothing beyond the moments."""
    return 0.0


@dataclass(frozen=True)
class BrownianFault:
    """Wrong moments of the next noise, information in each release beyond them, and in each session as a whole."""

    moments: Moments = right
    each_release: Callable[[int], float] = no_more
    each_session: Callable[[int], float] = no_more

    def information(self, parts: list[Part]) -> float:
        """Nats per session drawn."""
        rng = np.random.default_rng(0)
        return math.fsum(part.weight * self._of_case(part.case, rng) for part in parts)

    def _of_case(self, case: Case, rng: np.random.Generator) -> float:
        d = len(case.value)
        noise, t = np.zeros((SESSIONS, d)), np.full((SESSIONS, 1), np.inf)
        times: list[Floats] = [np.full(SESSIONS, first_time(case.falling_rule))]
        releases: list[Floats] = []
        total = self.each_session(d)
        while True:
            s = times[-1][:, None]
            moving = np.flatnonzero(s[:, 0] < t[:, 0])
            if moving.size:
                step = PathStep(case, len(releases), noise[moving], t[moving], s[moving])
                mean, variance = (np.broadcast_to(m, step.noise.shape) for m in self.moments(step))
                ratio = variance / step.variance
                spent = 0.5 * (ratio - 1 - np.log(ratio)) + 0.5 * (mean - step.mean) ** 2 / step.variance
                total += (float(spent.sum()) + moving.size * self.each_release(d)) / SESSIONS
                noise[moving] = mean + np.sqrt(variance) * rng.standard_normal(step.noise.shape)
                t[moving] = s[moving]
            releases.append(case.array + noise)
            following = next_times(case.falling_rule, times, releases)
            if following is None:
                return total
            times.append(following)


def scaled(factor: float, of_first: bool) -> Moments:
    """The variance of every step, or of every step but the first, times the factor."""
    return lambda step: (step.mean, (factor if of_first or step.number else 1.0) * step.variance)


def root_mean(step: PathStep) -> tuple[Floats, Floats]:
    """The mean shrinks by √(s/t)."""
    return np.sqrt(step.ratio) * step.noise, step.variance


def doubled_after_extreme(step: PathStep) -> tuple[Floats, Floats]:
    """Twice the variance after noise beyond 2 standard deviations."""
    return step.mean, np.where(np.abs(step.noise) > 2 * np.sqrt(step.t), 2.0, 1.0) * step.variance


def scaled_by_value(step: PathStep) -> tuple[Floats, Floats]:
    """Deviations times 1 + |f|/5000."""
    return step.mean, (1 + np.abs(step.case.array) / 5000) ** 2 * step.variance


def smaller_in_sessions(step: PathStep) -> tuple[Floats, Floats]:
    """Sessions opened one by one have a bridge with nine tenths of its variance."""
    return step.mean, (0.9 if step.case.method == "open" and step.number else 1.0) * step.variance


def forgotten_from_the_seventh(step: PathStep) -> tuple[ArrayLike, ArrayLike]:
    """From the seventh release on the noise is drawn afresh."""
    return (0.0, step.s) if step.number >= 6 else (step.mean, step.variance)


@cache
def student_information() -> float:
    """KL(t₅ of unit variance ‖ N(0, 1)), by quadrature."""
    scale = math.sqrt(0.6)

    def integrand(z: float) -> float:
        log_density = float(student.logpdf(z / scale, 5)) - math.log(scale)
        return math.exp(log_density) * (log_density + 0.5 * math.log(2 * math.pi) + 0.5 * z * z)

    return 2 * (float(quad(integrand, 0, 30, limit=400)[0]) + float(quad(integrand, 30, np.inf, limit=400)[0]))


@cache
def uniform_sum_information() -> float:
    """KL(sum of twelve uniforms less 6 ‖ N(0, 1)): a spline of degree 11, by quadrature between its knots."""
    weights = [(-1) ** k * comb(12, k, exact=True) / math.factorial(11) for k in range(6)]

    def integrand(x: float) -> float:
        density = math.fsum(w * (x - k) ** 11 for k, w in enumerate(weights) if x > k)
        z = x - 6
        return density * (math.log(density) + 0.5 * math.log(2 * math.pi) + 0.5 * z * z)

    return 2 * math.fsum(float(quad(integrand, k + (k == 0) * 1e-9, k + 1)[0]) for k in range(6))


def correlated_information(correlation: float) -> Callable[[int], float]:
    """−½ log det of d coordinates with one correlation: (1−ρ)^{d−1}(1+(d−1)ρ)."""
    return lambda d: -0.5 * ((d - 1) * math.log1p(-correlation) + math.log1p((d - 1) * correlation))


BROWNIAN: dict[str, BrownianFault] = {
    "brownian-three-percent-small": BrownianFault(scaled(0.97, of_first=True)),
    "brownian-bridge-variance-tenth": BrownianFault(scaled(1.1, of_first=False)),
    "brownian-bridge-mean-root": BrownianFault(root_mean),
    "brownian-after-extreme": BrownianFault(doubled_after_extreme),
    "brownian-depends-on-value": BrownianFault(scaled_by_value),
    "brownian-adaptive-only": BrownianFault(smaller_in_sessions),
    "brownian-long-schedules": BrownianFault(forgotten_from_the_seventh),
    "brownian-correlated-coordinates": BrownianFault(each_release=correlated_information(0.1)),
    "brownian-correlated-sessions": BrownianFault(each_session=lambda d: -0.5 * d * math.log1p(-(0.2**2))),
    "brownian-heavy-tails": BrownianFault(each_release=lambda d: d * student_information()),
    "brownian-uniform-sum": BrownianFault(each_release=lambda d: d * uniform_sum_information()),
}
"""Faults whose information is known in closed form, or as an average of one over the faulty path."""
