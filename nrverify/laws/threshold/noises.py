"""The noises a threshold mechanism may use, in units of their scale, as logarithms in extended precision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import erfcx

from nrverify.laws.threshold.panels import Extended

_LOG_2 = np.log(np.longdouble(2))
"""In extended precision, as all logarithms here."""
_LOG_ROOT_2PI = np.log(2 * np.longdouble(np.pi)) / 2
"""In extended precision, as all logarithms here."""


@dataclass(frozen=True)
class Noise:
    """A noise of scale 1: log P(X < x), log P(X >= x), the log-density; where it begins, and how far it reaches.

    All three functions are concave. Beyond `reach` the density is below e^{-50}; `smooth` says that it has no kinks.
    """

    log_cdf: Callable[[Extended], Extended]
    log_survival: Callable[[Extended], Extended]
    log_density: Callable[[Extended], Extended]
    begins: float
    reach: float
    smooth: bool


def _laplace_log_cdf(x: Extended) -> Extended:
    return np.where(x < 0, np.minimum(x, 0) - _LOG_2, np.log1p(-np.exp(-np.maximum(x, 0)) / 2))


def _laplace_log_survival(x: Extended) -> Extended:
    return _laplace_log_cdf(-x)


def _laplace_log_density(x: Extended) -> Extended:
    return np.asarray(-np.abs(x) - _LOG_2, dtype=np.longdouble)


def _exponential_log_cdf(x: Extended) -> Extended:
    return np.where(x > 0, np.log(-np.expm1(-np.maximum(x, 0))), -np.inf)


def _exponential_log_survival(x: Extended) -> Extended:
    return -np.maximum(x, 0)


def _exponential_log_density(x: Extended) -> Extended:
    return np.where(x >= 0, -x, -np.inf)


def _gaussian_log_cdf(x: Extended) -> Extended:
    """log Φ(x); below 0 as -x²/2 + log(erfcx(-x/√2)/2), whose large part is exact."""
    tail = erfcx((np.abs(x) / np.sqrt(np.longdouble(2))).astype(np.float64)) / 2
    log_lower = np.log(tail) - x * x / 2
    return np.asarray(np.where(x < 0, log_lower, np.log1p(-np.exp(log_lower))), dtype=np.longdouble)


def _gaussian_log_survival(x: Extended) -> Extended:
    return _gaussian_log_cdf(-x)


def _gaussian_log_density(x: Extended) -> Extended:
    return np.asarray(-x * x / 2 - _LOG_ROOT_2PI, dtype=np.longdouble)


NOISES = {
    "laplace": Noise(_laplace_log_cdf, _laplace_log_survival, _laplace_log_density, -np.inf, 50.0, False),
    "exponential": Noise(_exponential_log_cdf, _exponential_log_survival, _exponential_log_density, 0.0, 50.0, False),
    "gaussian": Noise(_gaussian_log_cdf, _gaussian_log_survival, _gaussian_log_density, -np.inf, 10.0, True),
}
"""With the reach of each: e⁻⁵⁰ is left beyond 50 scales of a Laplace or exponential law, and beyond 10 of a normal
one."""
