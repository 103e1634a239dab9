"""Laplace noise at times known in advance: the discrete walk (Equation orig_lap_proc) and the Poisson path beside it.

Both run forward, from the smallest time to the largest; each fills the noise of a chunk of sessions.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nrverify.reference.arguments import Floats


def walk(times: Floats, shape: tuple[int, int], rng: np.random.Generator) -> Iterator[tuple[int, Floats]]:
    """(n, Z at times[n]) from the last n to the first, where Z_t = Z_s + {0 with probability (s/t)², else Lap(t)}.

    A uniform u decides whether to stay, |u − ½| < ½(s/t)², and by its side of ½ the sign of the jump; its size is an
    exponential of its own, so the tails keep all their digits. The coin's probability is a multiple of 2⁻⁵³.
    """
    noise = np.zeros(shape)
    s = 0.0
    for n in reversed(range(times.size)):
        t = float(times[n])
        if s < t:
            side = rng.random(shape)
            side -= 0.5
            jump = rng.standard_exponential(shape)
            jump *= t
            np.copysign(jump, side, out=jump)
            jump *= np.abs(side) >= 0.5 * (s / t) ** 2
            noise = noise + jump
            s = t
        yield n, noise


def poisson(times: Floats, shape: tuple[int, int], rng: np.random.Generator) -> Iterator[tuple[int, Floats]]:
    """(n, Z at times[n]) from the last n to the first, where Z sums Lap(𝒯ₘ) over 𝒯₀ = η and the arrivals up to t.

    η is the smallest time; 𝒯ₘ = 𝒯ₘ₋₁ U^{−1/2}. Each session and each coordinate has arrivals of its own.
    """
    noise = rng.laplace(scale=times[-1], size=shape)
    arrival = times[-1] / np.sqrt(1.0 - rng.random(shape))
    for n in reversed(range(times.size)):
        noise = noise.copy()
        while (due := arrival <= times[n]).any():
            noise[due] += rng.laplace(scale=arrival[due])
            arrival[due] /= np.sqrt(1.0 - rng.random(int(due.sum())))
        yield n, noise
