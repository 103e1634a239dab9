"""The modified Bessel function I in log-space: scaled, tilted, and as ratios of two orders, for the Skellam laws.

Three regimes would lose digits in a library's scaled I: orders far above the argument (underflow), arguments near 1e8,
and ratios of two orders that differ by parts in 1e9. Here ratios are sums of terms >= 0.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from nrverify.laws.special.bessel_debye import SMALLEST_RADIUS, log_correction
from nrverify.laws.validation.times import Floats

_FACTORIALS = np.cumprod(np.concatenate([[1.0], np.arange(1.0, SMALLEST_RADIUS + 1)]))
"""Up to the largest order that the power series serves: exact to 22!, then within a few units in the last place."""
_LOG_FACTORIALS = np.log(_FACTORIALS)
"""Of the same orders."""
_LOG_2PI = float(np.log(2 * np.pi))
"""Of the normal density that the expansion begins with."""


def log_scaled(order: ArrayLike, x: ArrayLike) -> Any:
    """log(e^{-x} I_{|order|}(x)), x >= 0: the log-pmf at `order` of a Skellam law of variance x."""
    order, x = _numbers(np.abs(order), x)

    def expansion(order: Floats, x: Floats, radius: Floats) -> Floats:
        exponent = order * (order / (radius + x)) - order * _asinh_ratio(order, x)
        return exponent - 0.5 * (_LOG_2PI + np.log(radius)) + log_correction(order, radius)

    return _by_regime(expansion, _log_scaled_by_series, order, x)


def log_tilted(order: ArrayLike, x: ArrayLike, slope: ArrayLike) -> Any:
    """log(e^{-x} I_{|n|}(x)) + θn - x(cosh θ - 1), n = order, sinh θ = slope: small when n/x is close to slope.

    The tilts of the three factors of a Skellam bridge cancel exactly, and with them exponents far above the result.
    """
    order, x, slope = _numbers(order, x, slope)

    def expansion(order: Floats, x: Floats, radius: Floats, slope: Floats) -> Floats:
        return (
            -_divergence(order, x, radius, slope)
            - 0.5 * (_LOG_2PI + np.log(radius))
            + log_correction(np.abs(order), radius)
        )

    def series(order: Floats, x: Floats, slope: Floats) -> Floats:
        tilt = order * np.arcsinh(slope) - x * slope * (slope / (1 + np.hypot(1, slope)))
        return np.asarray(_log_scaled_by_series(np.abs(order), x) + tilt)

    return _by_regime(expansion, series, order, x, [slope])


def log_ratio(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Any:
    """log I_a(x) - log I_b(x) for integers a, b >= 0 and x > 0, accurate in relative terms however small it is."""
    a, b, x = np.broadcast_arrays(*_numbers(a, b, x))
    low, high = np.minimum(a, b), np.maximum(a, b)
    # log I falls with the order, so the way from low to high may be split where the expansion becomes valid.
    split = np.ceil(np.sqrt(SMALLEST_RADIUS**2 - np.minimum(x, SMALLEST_RADIUS) ** 2))
    total = np.zeros(x.shape)
    near = (low < split) & (low < high)
    total[near] = _log_ratio_by_series(low[near], np.minimum(high, split)[near], x[near])
    far = (high > split) & (low < high)
    total[far] += _log_ratio_by_expansion(np.maximum(low, split)[far], high[far], x[far])
    return np.where(a <= b, total, -total)[()]


def _log_ratio_by_expansion(a: Floats, b: Floats, x: Floats) -> Floats:
    """∫_a^b asinh(ν/x) dν + ½ log(R_b/R_a) + the difference of the corrections, for a < b."""
    start, end = np.hypot(a, x), np.hypot(b, x)
    width, total = b - a, a + b
    # asinh(b/x) - asinh(a/x), by the subtraction theorem of sinh, without a difference.
    rise = np.arcsinh(width * (total / (b * start + a * end)))
    integral = width * _asinh_ratio(a, x) + (b * rise - width * (total / (start + end)))
    spread = 0.25 * np.log1p(width / start * (total / start))
    return np.asarray(integral + spread + (log_correction(a, start) - log_correction(b, end)))


def _log_ratio_by_series(a: Floats, b: Floats, x: Floats) -> Floats:
    """log of (S_a/S_b)(b!/a!)(2/x)^{b-a}, S the power series with leading term 1; a < b <= 30, x < 30."""
    series = _power_series(a, x) / _power_series(b, x)
    factorials = _FACTORIALS[b.astype(int)] / _FACTORIALS[a.astype(int)]
    with np.errstate(over="ignore"):
        # For x < 2 all three logarithms are >= 0 and the product may overflow; for x >= 2 it may be close to 1.
        product = np.log(series * factorials * (2 / x) ** (b - a))
    return np.asarray(np.where(x < 2, np.log(series) + np.log(factorials) + (b - a) * np.log(2 / x), product))


def _log_scaled_by_series(order: Floats, x: Floats) -> Floats:
    """log(e^{-x} (x/2)^order S / order!)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        power = np.where(order == 0, 0.0, order * np.log(x / 2))
    return np.asarray(power - _log_factorial(order) + np.log(_power_series(order, x)) - x)


def _log_factorial(order: Floats) -> Floats:
    """log order!, of orders that the power series serves; those of a Gauss rule need not be integers."""
    whole = order.astype(np.intp)
    return np.asarray(_LOG_FACTORIALS[whole] if np.array_equal(whole, order) else gammaln(order + 1))


def _power_series(order: Floats, x: Floats) -> Floats:
    """Σ_k (x²/4)^k order! / (k! (order+k)!), a sum of positive terms."""
    quarter = 0.25 * x * x
    total, term, ratio = np.ones(x.shape), np.ones(x.shape), np.empty(x.shape)
    for k in range(1, _terms(float(quarter.max(initial=0.0)), float(order.min(initial=np.inf)))):
        np.add(order, k, out=ratio)
        ratio *= k
        np.divide(quarter, ratio, out=ratio)
        term *= ratio
        total += term
    return total


def _terms(quarter: float, order: float) -> int:
    """How many terms matter where they fall slowest: at the largest argument and the smallest order."""
    total, term, k = 1.0, 1.0, 0
    while term > 1e-18 * total:
        k += 1
        term *= quarter / (k * (order + k))
        total += term
    return k


def _divergence(order: Floats, x: Floats, radius: Floats, slope: Floats) -> Floats:
    """n asinh(n/x) - R + x - θn + x(cosh θ - 1) >= 0, sinh θ = slope, as a function of d = asinh(n/x) - θ."""
    d = _asinh_difference(order, x, slope)
    near = 2 * radius * np.sinh(0.5 * d) ** 2 - order * _sinh_minus(d)
    small = np.abs(d) <= 1
    return near if small.all() else np.where(small, near, order * d - radius + x * np.hypot(1, slope))


def _asinh_difference(order: Floats, x: Floats, slope: Floats) -> Floats:
    """asinh(n/x) - asinh(slope), by the subtraction theorem of sinh where the two have the same sign."""
    ratio = order / x
    u, v = np.abs(ratio), np.abs(slope)
    sinh = (u - v) / u * ((u + v) / (np.hypot(1, v) + v / u * np.hypot(1, u)))
    same = (ratio * np.sign(slope) > 0) & np.isfinite(ratio)
    return np.where(
        same, np.sign(slope) * np.arcsinh(sinh), np.sign(order) * _asinh_ratio(np.abs(order), x) - np.arcsinh(slope)
    )


def _sinh_minus(d: Floats) -> Floats:
    """sinh d - d for |d| <= 1."""
    square = d * d
    nested = np.ones(d.shape)
    for k in range(9, 1, -1):
        nested = 1 + square / ((2 * k) * (2 * k + 1)) * nested
    return d * square / 6 * nested


def _asinh_ratio(order: Floats, x: Floats) -> Floats:
    """asinh(order/x) for order >= 0, x >= 0; +inf where x = 0 < order."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        ratio = np.where(order == 0, 0.0, order / x)
    return np.asarray(np.arcsinh(ratio))


def _by_regime(expansion: Any, series: Any, order: Floats, x: Floats, others: Sequence[Floats] = ()) -> Any:
    """The expansion where R >= 30, the power series elsewhere; at infinite orders -inf."""
    radius = np.hypot(order, x)
    far = (radius >= SMALLEST_RADIUS) & np.isfinite(radius)
    if far.all():
        with np.errstate(all="ignore"):
            return expansion(order, x, radius, *others)[()]
    order, x, *others = np.broadcast_arrays(order, x, *others)
    near = radius < SMALLEST_RADIUS
    result = np.full(radius.shape, -np.inf)
    with np.errstate(all="ignore"):
        result[far] = expansion(order[far], x[far], radius[far], *(o[far] for o in others))
        result[near] = series(order[near], x[near], *(o[near] for o in others))
    return result[()]


def _numbers(*arrays: ArrayLike) -> tuple[Floats, ...]:
    return tuple(np.asarray(a, dtype=np.float64) for a in arrays)
