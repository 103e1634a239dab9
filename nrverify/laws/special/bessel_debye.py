"""The correction sum of the uniform (Debye) expansion of the modified Bessel function I, with exact coefficients.

With R = √(ν² + x²) and p = ν/R:  e^{-x} I_ν(x) = exp(ν²/(R+x) - ν asinh(ν/x)) / √(2πR) · Σ_k U_k(p) / ν^k, and
U_k(p)/ν^k = V_k(p²)/R^k with V_k a polynomial of degree k: an expansion in 1/R, uniform in ν >= 0 including ν = 0.
"""

from fractions import Fraction
from functools import cache

import numpy as np

from nrverify.laws.validation.times import Floats

SMALLEST_RADIUS = 30.0  # below it the power series takes over
_AT_ONCE = 2**14  # bounds the memory
_LARGE_RADIUS = 150.0  # beyond it about half of the terms matter
TERMS = 18  # the terms of order 18 and beyond are below 2e-17 for R >= 30


def log_correction(order: Floats, radius: Floats) -> Floats:
    """log Σ_k U_k(p)/ν^k for R = radius >= 30, with relative accuracy as it tends to 0."""
    squares, radii = ((order / radius) ** 2).reshape(-1), radius.reshape(-1)
    total = np.empty(radii.shape)
    # Fewer terms matter at larger radii.
    large = radii >= _LARGE_RADIUS
    for some in (large, ~large) if large.any() and not large.all() else (slice(None),):
        total[some] = _in_parts(squares[some], radii[some])
    return np.asarray(np.log1p(total).reshape(radius.shape))


def _in_parts(squares: Floats, radii: Floats) -> Floats:
    total = np.empty(radii.shape)
    for begin in range(0, radii.size, _AT_ONCE):
        part = slice(begin, begin + _AT_ONCE)
        total[part] = _series(squares[part], radii[part])
    return total


def _series(square: Floats, radius: Floats) -> Floats:
    """Σ_{k>=1} V_k(p²)/R^k."""
    coefficients, bounds = _expansion()
    nearest = float(radius.min())
    last = next((k for k in range(1, TERMS) if bounds[k] / nearest**k < 1e-18), TERMS - 1)
    powers = np.empty((last + 1, square.size))
    powers[0], powers[1:] = 1.0, square
    polynomials = coefficients[: last + 1, : last + 1] @ np.cumprod(powers, axis=0)
    total = np.zeros(radius.shape)
    for polynomial in polynomials[:0:-1]:
        total += polynomial
        total /= radius
    return total


@cache
def _expansion() -> tuple[Floats, list[float]]:
    """V_0, V_1, … as rows of coefficients of powers of p², and bounds of |V_k| on [0, 1].

    From U_{k+1}(p) = ½p²(1-p²)U_k'(p) + ⅛∫₀^p (1-5q²)U_k(q)dq.
    """
    exact = [Fraction(1)]
    coefficients, bounds = np.eye(1, TERMS), [1.0]
    grid = np.linspace(0, 1, 401)
    for k in range(TERMS - 1):
        following = [Fraction(0)] * (len(exact) + 1)
        for i, coefficient in enumerate(exact):
            power = k + 2 * i
            following[i] += coefficient * (Fraction(power, 2) + Fraction(1, 8 * (power + 1)))
            following[i + 1] -= coefficient * (Fraction(power, 2) + Fraction(5, 8 * (power + 3)))
        exact = following
        row = np.array([float(c) for c in exact] + [0.0] * (TERMS - len(exact)))
        coefficients = np.vstack([coefficients, row])
        bounds.append(float(np.abs(np.polyval(row[::-1], grid)).max()))
    return coefficients, bounds
