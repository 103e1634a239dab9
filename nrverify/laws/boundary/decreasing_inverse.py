"""The inverse of a strictly decreasing boundary, by Newton's method in log t inside a shrinking bracket."""

from collections.abc import Callable

import numpy as np

from nrverify.laws.validation.times import Floats

_SMALLEST_STEP = 1e-15
"""Newton converges quadratically; a step this small moves t by less than its last bits."""
_LIMIT = 100
"""Bisection alone would need about 60 steps from a bracket of ratio 4: reaching the limit is a fault, not slowness."""


def inverse_of_decreasing(
    psi: Callable[[Floats], Floats],
    log_slope: Callable[[Floats], Floats],
    epsilon: Floats,
    lower: Floats,
) -> Floats:
    """The t with psi(t) = epsilon, elementwise, given a `lower` with psi(lower) ≥ epsilon.

    `log_slope` is d log psi/d log t < 0; for every boundary here it lies between −1 and about −0.35, so that
    log psi is nearly linear in log t and Newton's method is at home there.
    """
    low = np.array(lower, dtype=np.float64)
    high = 4.0 * low
    while np.any(above := psi(high) > epsilon):
        low = np.where(above, high, low)
        high = np.where(above, 4.0 * high, high)
    time = np.sqrt(low) * np.sqrt(high)
    for _ in range(_LIMIT):
        excess = np.log(psi(time) / epsilon)
        low = np.where(excess > 0, time, low)
        high = np.where(excess > 0, high, time)
        step = -excess / log_slope(time)
        newton = time * np.exp(step)
        inside = (newton >= low) & (newton <= high)
        # A step that has shrunk to rounding may point just outside a bracket that has shrunk too.
        time = np.where(inside | (np.abs(step) < 1e-12), newton, np.sqrt(low) * np.sqrt(high))
        if np.all(np.abs(step) < _SMALLEST_STEP * 4):
            break
    return time
