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
_FEW = 2**10  # up to so many, to begin an operation takes longer than the operation
_RADII = (60.0, 150.0, 500.0)  # beyond each, a quarter fewer terms matter, or more
TERMS = 18  # the terms of order 18 and beyond are below 2e-17 for R >= 30


def log_correction(order: Floats, radius: Floats) -> Floats:
    """log Σ_k U_k(p)/ν^k for R = radius >= 30, with relative accuracy as it tends to 0."""
    squares, radii = ((order / radius) ** 2).reshape(-1), radius.reshape(-1)
    total = np.empty(radii.shape)
    if radii.size <= _FEW:
        return np.asarray(np.log1p(_of_few(squares, radii)).reshape(radius.shape))
    for begin in range(0, radii.size, _AT_ONCE):
        part = slice(begin, begin + _AT_ONCE)
        total[part] = _in_bands(squares[part], radii[part])
    return np.asarray(np.log1p(total).reshape(radius.shape))


def _in_bands(squares: Floats, radii: Floats) -> Floats:
    """The sums, those at larger radii apart, where fewer terms matter."""
    bands = np.searchsorted(_RADII, radii, side="right")
    present = np.flatnonzero(np.bincount(bands, minlength=len(_RADII) + 1))
    if present.size == 1:
        return _of_many(squares, radii)
    total = np.empty(radii.shape)
    for band in present:
        some = np.flatnonzero(bands == band)
        total[some] = _of_many(squares[some], radii[some])
    return total


def _last(radii: Floats) -> int:
    """The last term that matters at any of the radii."""
    bounds, nearest = _expansion()[1], float(radii.min(initial=np.inf))
    return next((k for k in range(1, TERMS) if bounds[k] / nearest**k < 1e-18), TERMS - 1)


def _of_many(square: Floats, radius: Floats) -> Floats:
    """Σ_{k>=1} V_k(p²)/R^k, each V_k by Horner's rule, in place: five times as fast as by powers, where there are many.

    No product of matrices, whose last bits would depend on how many threads linear algebra has.
    """
    coefficients = _expansion()[0]
    inverse = 1 / radius
    total, polynomial = np.zeros(radius.shape), np.empty(radius.shape)
    for k in range(_last(radius), 0, -1):
        polynomial.fill(coefficients[k, k])
        for coefficient in coefficients[k, k - 1 :: -1]:
            polynomial *= square
            polynomial += coefficient
        total += polynomial
        total *= inverse
    return total


def _of_few(square: Floats, radius: Floats) -> Floats:
    """The same from the powers of p², in few operations."""
    last = _last(radius)
    powers = np.empty((last + 1, square.size))
    powers[0], powers[1:] = 1.0, square
    polynomials = _expansion()[0][: last + 1, : last + 1] @ np.cumprod(powers, axis=0)
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
