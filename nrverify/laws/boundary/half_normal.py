"""The half-normal mixture boundary: the one-sided mixture, crossed with probability exactly δ (corrects B08, M06)."""

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import erf, ndtr

from nrverify.laws.boundary.mixture_boundary import MixtureBoundary
from nrverify.laws.validation.boundaries import (
    log_inverse,
    require_positive,
    require_probability,
)
from nrverify.laws.validation.times import Floats


@dataclass(frozen=True)
class HalfNormalMixture(MixtureBoundary):
    """ψ(t) = D²/(2t) + (D/t) x(t), where x(t) solves 2√(ρ/(t+ρ)) e^(U²/2) Φ(U) = 1/δ, U = x/√(t+ρ).

    The left side at x = W_t is the mixture of the martingales e^(λW−λ²t/2) over a half-normal λ > 0. It is continuous,
    starts at 1 and tends to 0, so that it ever reaches 1/δ with probability exactly δ.

    Parameters
    ----------
    rho
        Where the boundary is tightest, as a time.
    delta
        The probability with which the bound may fail.
    sensitivity
        D, the largest ℓ2 distance of the values of neighbours.

    Examples
    --------
    >>> from nrverify import HalfNormalMixture
    >>> boundary = HalfNormalMixture.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1.0)
    >>> round(boundary.inverse(1.0), 2)
    31.66
    >>> boundary.crossing_probability()
    1e-06
    """

    def _quantile(self, time: Any) -> Floats:
        """U(t): U²/2 + log 2Φ(U) = ℓ + log(1+t/ρ)/2."""
        return _half_normal_quantile(log_inverse(self.delta) + 0.5 * np.log1p(np.asarray(time) / self.rho))

    def curve(self, time: Any) -> Any:
        """c(t) = U(t)√(t+ρ), which W must meet for a violation."""
        return self._quantile(time) * np.sqrt(time + self.rho)

    def _curve_growth(self, t: Floats) -> Floats:
        """t c'/c = (t/(t+ρ))(1 + 1/(U g'(U)))/2."""
        quantile = self._quantile(t)
        return np.asarray(0.5 * t / (t + self.rho) * (1 + 1 / (quantile * (quantile + _inverse_mills(quantile)))))

    def _ever(self) -> float:
        """Exactly δ."""
        return self.delta

    @classmethod
    def tightest_at(cls, *, epsilon: float, delta: float, sensitivity: float) -> Self:
        """The ρ that minimises the inverse at epsilon.

        x(t) = √ρ X(t/ρ), so for fixed t the least x(t) is m√t with m = min X(u)/√u. With g(U) = U²/2 + log 2Φ(U),
        X(u) = U√(1+u) and g(U) = ℓ + log(1+u)/2, the minimum is where u = U g'(U). Then D²/(2t) + Dm/√t = ε gives
        t* = (D(m + √(m²+2ε))/(2ε))², and ρ = t*/u.
        """
        require_positive(epsilon=epsilon, sensitivity=sensitivity)
        require_probability(delta)
        quantile = _stationary_quantile(log_inverse(delta))
        u = quantile * (quantile + float(_inverse_mills(quantile)))
        m = quantile * math.sqrt((1 + u) / u)
        tightest = (sensitivity * (m + math.sqrt(m * m + 2 * epsilon)) / (2 * epsilon)) ** 2
        return cls(rho=tightest / u, delta=delta, sensitivity=sensitivity)


def _inverse_mills(quantile: Any) -> Any:
    """φ(U)/Φ(U) for U ≥ 0."""
    return np.exp(-0.5 * np.square(quantile)) / (math.sqrt(2 * math.pi) * ndtr(quantile))


def _log_half_normal(quantile: Any) -> Any:
    """g(U) = U²/2 + log 2Φ(U) for U ≥ 0, where 2Φ(U) = 1 + erf(U/√2)."""
    return 0.5 * np.square(quantile) + np.log1p(erf(np.asarray(quantile) / math.sqrt(2)))


def _half_normal_quantile(level: Any) -> Floats:
    """The root U > 0 of g(U) = level > 0.

    g is convex and increasing (g'' is the variance of a truncated normal) with g(U) ≥ U²/2 and g(U) ≥ g'(0)U =
    √(2/π)U, so the smaller of √(2·level) and √(π/2)·level lies above the root and Newton's method descends to it.
    """
    level = np.asarray(level, dtype=np.float64)
    quantile = np.minimum(np.sqrt(2 * level), math.sqrt(math.pi / 2) * level)
    for _ in range(60):
        step = (_log_half_normal(quantile) - level) / (quantile + _inverse_mills(quantile))
        quantile = quantile - step
        if np.all(np.abs(step) <= 4e-16 * quantile):
            break
    return np.asarray(quantile)


def _stationary_quantile(level: float) -> float:
    """The root U > 0 of G(U) = g(U) − log(1 + U g'(U))/2 − level, level > 0.

    With λ = φ/Φ and g' = U + λ, G' = g' − (U + λ/2 − Uλg'/2)/(1 + Ug') ≥ λ/2 > 0: G increases from −level to ∞ and
    the root is unique. Newton's method, halving the bracket where a step would leave it.
    """
    low, high = 0.0, 1.0
    while _stationarity(high) < level:
        low, high = high, 2 * high
    quantile = 0.5 * (low + high)
    for _ in range(200):
        excess = _stationarity(quantile) - level
        low, high = (low, quantile) if excess > 0 else (quantile, high)
        mills = float(_inverse_mills(quantile))
        slope = quantile + mills
        derivative = slope - (quantile + 0.5 * mills * (1 - quantile * slope)) / (1 + quantile * slope)
        step = excess / derivative
        if abs(step) <= 4e-16 * quantile:
            break
        quantile = quantile - step if low < quantile - step < high else 0.5 * (low + high)
    return quantile


def _stationarity(quantile: float) -> float:
    """g(U) − log(1 + U g'(U))/2."""
    slope = quantile + float(_inverse_mills(quantile))
    return float(_log_half_normal(quantile)) - 0.5 * math.log1p(quantile * slope)
