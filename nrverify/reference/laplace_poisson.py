"""Laplace noise reduction by the paper's own construction: a path summed over Poisson arrivals (Equation lap_proc)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from nrverify.reference.arguments import Floats, next_time, positive, real_value
from nrverify.reference.noise_reduction import Rng


def laplace_path(eta: float, largest: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The arrivals 𝒯₀ = η < 𝒯₁ < … ≤ largest of a Poisson process with intensity 2/t, and Z at each of them.

    𝒯ₙ = 𝒯ₙ₋₁ U^{−1/2}, and Z adds Lap(𝒯ₙ) at each arrival, *beginning with* Lap(η) at η itself: the recipe as
    printed leaves the beginning out, and Z_η would be 0.
    """
    arrivals, t = [eta], eta
    while (t := t / np.sqrt(1.0 - rng.random())) <= largest:
        arrivals.append(t)
    times = np.array(arrivals)
    return times, np.cumsum(rng.laplace(scale=times))


class PoissonLaplaceNoiseReduction:
    """f(x) + Z_t for η ≤ t ≤ largest, each coordinate with its own path drawn when the session opens.

    Parameters
    ----------
    value
        f(x): a number or an array.
    eta, largest
        The smallest and the largest time that can be asked for.
    rng
        A numpy generator or a seed; by default seeded by the operating system.

    Examples
    --------
    >>> from nrverify import PoissonLaplaceNoiseReduction
    >>> session = PoissonLaplaceNoiseReduction(3.0, eta=0.5, largest=8.0, rng=1)
    >>> noisy, better = session.release(4.0), session.release(0.5)
    >>> session.release(0.5) == better  # the same time is the same release
    True
    """

    def __init__(self, value: npt.ArrayLike, eta: float, largest: float, rng: Rng = None) -> None:
        self._value = real_value(value)
        self._eta = positive("eta", eta)
        self._last = positive("largest", largest)
        if self._eta > self._last:
            raise ValueError(f"eta is {eta!r}: it must be at most largest, {largest!r}; exchange them")
        generator = np.random.default_rng(rng)
        self._paths = [laplace_path(self._eta, self._last, generator) for _ in range(self._value.size)]

    def release(self, t: float) -> Any:
        """f(x) + Z_t, in the shape of the value; ValueError if t increases or lies outside [η, largest]."""
        t = next_time(t, self._last)
        if t < self._eta:
            raise ValueError(
                f"time is {t!r}: it must be at least eta, {self._eta!r}; the path begins there, "
                "open the session with a smaller eta or use LaplaceNoiseReduction"
            )
        self._last = t
        noise = np.array([z[np.searchsorted(arrivals, t, side="right") - 1] for arrivals, z in self._paths])
        return self._value + noise if self._value.ndim else self._value.item() + noise.item()
