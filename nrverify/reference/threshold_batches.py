"""Many runs of the threshold mechanisms at once: the round at which each halts (Algorithm rat)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nrverify.reference.arguments import Floats, Integers, count, finite, positive, stream_seed
from nrverify.reference.reverse_steps import LAPLACE

CHUNK = 2**14
"""Runs drawn from one stream. Part of what a seed means; changing it changes results."""


def halting_rounds(
    utilities: npt.ArrayLike,
    epsilons: npt.ArrayLike,
    threshold: float,
    sensitivity: float,
    runs: int,
    seed: int,
) -> Integers:
    """The first round n, from 1, with u_n + ξ_n ≥ τ + ζ_n in each run; 0 if there is none.

    ζ_n is the Laplace process at 2Δ/ε_n and ξ_n ~ Lap(4Δ/ε_n): ReducedAboveThreshold, and at equal ε's AboveThreshold.

    Examples
    --------
    >>> from nrverify import halting_rounds
    >>> halts = halting_rounds([0.0, 0.0], [1.0, 1.0], threshold=0.0, sensitivity=1.0, runs=10_000, seed=1)
    >>> round(float((halts == 1).mean()), 1)  # by symmetry half of the runs halt in the first round
    0.5
    """
    u, eps = _rounds("utilities", utilities), _rounds("epsilons", epsilons)
    if u.shape != eps.shape:
        raise ValueError(f"one epsilon for each utility is needed, got {eps.size} for {u.size}")
    if not (np.isfinite(eps) & (eps > 0)).all() or (np.diff(eps) < 0).any():
        raise ValueError(f"epsilons is {eps.tolist()}: it must be finite, positive and never decrease")
    threshold, sensitivity = finite("threshold", threshold), positive("sensitivity", sensitivity)
    positive("4·sensitivity/epsilon", 4 * sensitivity / float(eps[0]))
    positive("2·sensitivity/epsilon", 2 * sensitivity / float(eps[-1]))
    rounds = np.zeros(count("runs", runs), np.int64)
    seed = stream_seed(seed)
    for chunk, first in enumerate(range(0, rounds.size, CHUNK)):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(chunk,)))
        _run(u - threshold, sensitivity / eps, rng, rounds[first : first + CHUNK])
    return rounds


def _run(margins: Floats, scales: Floats, rng: np.random.Generator, rounds: Integers) -> None:
    """Fills the halting rounds of one chunk; margins are u_n − τ, scales Δ/ε_n."""
    running = np.arange(rounds.size)
    t = 2 * float(scales[0])
    zeta = LAPLACE.start(t, (running.size,), rng)
    for n, (margin, scale) in enumerate(zip(margins.tolist(), scales.tolist(), strict=True)):
        s = 2 * scale
        if s < t:
            zeta = LAPLACE.onward(zeta, t, s, rng)
            t = s
        halted = margin + rng.laplace(scale=4 * scale, size=running.size) >= zeta
        rounds[running[halted]] = n + 1
        running, zeta = running[~halted], zeta[~halted]


def _rounds(name: str, numbers: npt.ArrayLike) -> Floats:
    array = np.array(numbers, dtype=np.float64)
    if array.ndim != 1 or array.size == 0 or np.isnan(array).any():
        raise ValueError(f"{name} is {numbers!r}: it must be a list of at least one number, none of them NaN")
    return array
