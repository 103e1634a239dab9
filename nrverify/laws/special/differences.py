"""Two differences that vanish to second order at 0, evaluated without cancellation."""

from typing import Any

import numpy as np

from nrverify.laws.validation.times import Floats


def x_minus_log1p(x: Any) -> Floats:
    """x − log(1+x) for x > −1, to full relative precision.

    Near 0, with r = x/(2+x): x = 2r/(1−r) and log(1+x) = 2(r + r³/3 + r⁵/5 + …), so the difference is
    r·x − 2r³(1/3 + r²/5 + …).
    """
    x = np.asarray(x, dtype=np.float64)
    near = np.where(np.abs(x) < 0.5, x, 0.0)
    r = near / (2.0 + near)
    series = np.zeros_like(r)
    for power in range(37, 2, -2):
        series = 1.0 / power + r * r * series
    return np.asarray(np.where(np.abs(x) < 0.5, r * near - 2.0 * r**3 * series, x - np.log1p(x)))


def expm1_minus_x(x: Any) -> Floats:
    """eˣ − 1 − x, to full relative precision: near 0 the Taylor series x²/2! + x³/3! + …."""
    x = np.asarray(x, dtype=np.float64)
    near = np.where(np.abs(x) < 0.5, x, 0.0)
    series = np.zeros_like(near)
    for order in range(18, 2, -1):
        series = (1.0 + series) * near / order
    return np.asarray(np.where(np.abs(x) < 0.5, 0.5 * near**2 * (1.0 + series), np.expm1(x) - x))
