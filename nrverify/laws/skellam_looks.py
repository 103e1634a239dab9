"""The probability that the loss of Skellam noise passes its ε at one of several looks, exactly, on the lattice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.laws.skellam import Skellam

Floats = NDArray[np.float64]

NEGLIGIBLE = 1e-18
"""Tail of an increment on each side: thousands of looks together lose less than the rounding of the whole mass."""
LOSS_ROUNDING = 1e-9
"""Relative to ε, or to 1 below it: above the error of a computed loss, and far below the step from one integer to the
next."""
DIRECT = 4_000_000
"""Beyond so many products the fast Fourier transform is used, whose error is below 1e-15 of the whole mass."""


def passing_probability(epsilons: Floats, times: Floats, sensitivity: int, rate: float) -> float:
    """P(loss at t_k above ε_k for some k): independent increments, from the least noisy look outwards."""
    process = Skellam(rate)
    order = np.argsort(times)
    lowest, masses, passed, before = 0, np.ones(1), 0.0, 0.0
    for index in order:
        t = float(times[index])
        if t > before:
            kernel = _increments(process, t - before)
            masses = _convolved(masses, kernel)
            lowest -= kernel.size // 2
            before = t
        level = _first_above(process, t, float(epsilons[index]), sensitivity) - lowest
        if level < masses.size:
            passed += float(masses[max(level, 0) :].sum())
            masses = masses[: max(level, 0)]
        if masses.size == 0:
            break
    return passed


def _first_above(process: Skellam, t: float, epsilon: float, sensitivity: int) -> int:
    """The smallest noise whose loss at time t is above ε (the loss grows with the noise)."""

    # The noise next to the level has a loss of exactly ε for a boundary that wastes nothing: rounding is no excess.
    allowed = epsilon + LOSS_ROUNDING * max(epsilon, 1.0)

    def above(k: int) -> bool:
        return bool(process.loss(t, 0, -sensitivity, k) > allowed)

    low, high = -sensitivity - 1, 1
    while not above(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if above(middle) else (middle, high)
    return high


def _increments(process: Skellam, t: float) -> Floats:
    """The pmf of the noise after time t, as far out as it matters."""
    law = process.marginal(t)
    reach = 2
    while law.sf(reach) > NEGLIGIBLE:
        reach *= 2
    masses: Floats = np.exp(law.logpdf(np.arange(-reach, reach + 1)))
    return masses


def _convolved(masses: Floats, kernel: Floats) -> Floats:
    if masses.size * kernel.size <= DIRECT:
        return np.convolve(masses, kernel)
    # Imported here: scipy.signal brings scipy.stats with it, a second that no other audit needs.
    from scipy.signal import fftconvolve

    return np.asarray(np.maximum(fftconvolve(masses, kernel), 0.0))
