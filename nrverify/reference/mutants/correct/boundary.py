"""Right boundaries as subjects, from their formulas (Theorem bm_ploss; for Skellam noise the martingale e^{θX}).

A loss above ψ(t) = Δ²/2t + Δ c(t)/t means that a Brownian motion has met the curve c; mutants get c, or ψ, wrong.
"""

from __future__ import annotations

import math

from scipy.optimize import brentq
from scipy.special import lambertw, log_ndtr

TUNED_AT = 1.0
"""The ε at which the boundaries here are as tight as they get."""


def linear_slope(epsilon: float, level: float, sensitivity: float) -> float:
    """a = (√(ℓ²+ℓε) − ℓ)/Δ, the slope of the line that needs least noise at ε; b = ℓ/2a."""
    return (math.sqrt(level * level + level * epsilon) - level) / sensitivity


def mixture_rho(epsilon: float, delta: float, sensitivity: float) -> float:
    """ρ = t*/(w−1) with w = −W₋₁(−δ²/e) and t* = (Δ(√w+√(w+2ε))/2ε)²."""
    w = mixture_level(delta)
    tightest = (sensitivity * (math.sqrt(w) + math.sqrt(w + 2 * epsilon)) / (2 * epsilon)) ** 2
    return tightest / (w - 1)


def mixture_level(delta: float) -> float:
    """w = −W₋₁(−δ²/e)."""
    return -float(lambertw(-(delta**2) / math.e, -1).real)


class Boundary:
    """ψ(t) = Δ²/2t + Δ c(t)/t, with its inverse found by bisection."""

    mechanism = "boundary"
    sensitivity = 1.0
    delta = 1e-6

    @property
    def level(self) -> float:
        """ℓ = log(1/δ)."""
        return math.log(1 / self.delta)

    def curve(self, time: float) -> float:
        """c(t), which a Brownian motion meets with probability at most δ."""
        raise NotImplementedError

    def epsilon(self, time: float) -> float:
        """ψ(t)."""
        return self.sensitivity * (self.sensitivity / 2 + self.curve(time)) / time

    def time(self, epsilon: float) -> float:
        """The t with ψ(t) = ε; ValueError where ε is not reached between 1e-12 and 1e12."""
        if not self.epsilon(1e12) < epsilon < self.epsilon(1e-12):
            raise ValueError(f"epsilon = {epsilon!r} is not reached; the smallest is {self.epsilon(1e12)!r}")

        def excess(log_time: float) -> float:
            return self.epsilon(math.exp(log_time)) - epsilon

        return math.exp(float(brentq(excess, math.log(1e-12), math.log(1e12), xtol=1e-14, rtol=1e-15)))


class Linear(Boundary):
    """c(t) = at + b with ab = ℓ/2: met with probability e^{−2ab} = δ."""

    @property
    def slope(self) -> float:
        """a."""
        return linear_slope(TUNED_AT, self.level, self.sensitivity)

    @property
    def intercept(self) -> float:
        """b = ℓ/2a."""
        return self.level / (2 * self.slope)

    def curve(self, time: float) -> float:
        """at + b."""
        return self.slope * time + self.intercept

    def time(self, epsilon: float) -> float:
        """Δ(Δ/2 + b)/(ε − Δa); ValueError at and below the floor Δa."""
        above = epsilon - self.sensitivity * self.slope
        if not above > 0:
            raise ValueError(f"epsilon = {epsilon!r} is not reached; it must be above {self.sensitivity * self.slope}")
        return self.sensitivity * (self.sensitivity / 2 + self.intercept) / above


class Mixture(Boundary):
    """c(t) = √(2(t+ρ) log(√((t+ρ)/ρ)/δ)), the paper's, which is two-sided and so has nearly 2 to spare."""

    @property
    def rho(self) -> float:
        """ρ, tuned."""
        return mixture_rho(TUNED_AT, self.delta, self.sensitivity)

    def curve(self, time: float) -> float:
        """√((t+ρ)(2ℓ + log(1+t/ρ)))."""
        return math.sqrt((time + self.rho) * (2 * self.level + math.log1p(time / self.rho)))


class HalfNormalMixture(Boundary):
    """The curve c that solves 2√(ρ/(t+ρ)) e^{u²/2} Φ(u) = 1/δ at u = c/√(t+ρ): met with probability exactly δ."""

    def curve(self, time: float) -> float:
        """√(t+ρ)·u(t)."""
        rho = mixture_rho(TUNED_AT, self.delta, self.sensitivity)
        target = self.level + 0.5 * math.log1p(time / rho) - math.log(2)

        def excess(u: float) -> float:
            return 0.5 * u * u + float(log_ndtr(u)) - target

        return math.sqrt(time + rho) * float(brentq(excess, -40.0, 2 + 2 * math.sqrt(2 * target + 4), xtol=1e-14))


class SkellamLinear:
    """ψ(t) = log I_k(μ)/I_{k+Δ}(μ), μ = 2t, k = ⌈B(t)⌉ − 1, B(t) = (ℓ + μ(cosh θ − 1))/θ: X stays below B."""

    mechanism = "boundary"
    process = "skellam"
    rate = 1.0
    sensitivity = 1
    delta = 1e-6
    theta = 0.5

    def line(self, time: float) -> float:
        """B(t)."""
        return (math.log(1 / self.delta) + 2 * self.rate * time * (math.cosh(self.theta) - 1)) / self.theta

    def largest_noise(self, time: float) -> int:
        """The largest integer below B(t)."""
        return math.ceil(self.line(time)) - 1

    def epsilon(self, time: float) -> float:
        """ψ(t)."""
        k, mu = self.largest_noise(time), 2 * self.rate * time
        return -sum(math.log(bessel_ratio(k + j, mu)) for j in range(self.sensitivity))


def bessel_ratio(k: int, mu: float) -> float:
    """I_{k+1}(μ)/I_k(μ), by its continued fraction 1/(2(k+1)/μ + I_{k+2}/I_{k+1}) run back from a close bound."""
    far = k + 400
    ratio = mu / (far + 1.0 + math.hypot(far + 1.0, mu))
    for order in range(far - 1, k - 1, -1):
        ratio = 1 / (2 * (order + 1) / mu + ratio)
    return ratio
