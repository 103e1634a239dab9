"""Exact calculations against others that share nothing with them: how far apart they are, in relative terms."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from nrverify.benchmark.row import Row

Floats = NDArray[np.float64]

NODES = 500
"""Of the textbook recursion: a smooth density on a rule this fine is integrated far more exactly than the 1e-8 asked
for."""


def threshold_law() -> Row:
    """ReducedAboveThreshold in ten rounds, against exponential polynomials carried through the rounds as balls."""
    from flint import ctx

    from nrverify.laws.threshold import halting_law
    from nrverify.symbolic.tools.exponential_polynomials import halting_balls

    epsilons = [Fraction(13, 10) ** n / 10 for n in range(10)]
    margins = [Fraction((-1) ** n, 2) for n in range(10)]
    with ctx.workprec(600):
        exact = [
            float(ball.mid()) for ball in halting_balls(margins, [2 / e for e in epsilons], [4 / e for e in epsilons])
        ]
    found = np.exp(halting_law(utilities=[float(a) for a in margins], epsilons=[float(e) for e in epsilons]))
    error = float(np.max(np.abs(found / np.array(exact) - 1)))
    return Row("exact threshold law, 10 rounds, against balls of 600 bits", error, "relative error", 1e-10, None, None)


def looks(nodes: int = NODES) -> Row:
    """A crossing probability of 3e-5 at one of 100 looks, against the textbook recursion on one fine rule a look."""
    from nrverify.laws.crossing import crossing_probability

    z = -float(ndtri(1e-6))
    times = np.geomspace(1.0, 100.0, 100)
    found = crossing_probability(lambda t: z * math.sqrt(t), times=times.tolist()).probability
    error = abs(found / forward_recursion(times, z * np.sqrt(times), nodes) - 1)
    return Row(
        "crossing probability, 100 looks, against a forward recursion", error, "relative error", 1e-8, None, None
    )


def everywhere() -> Row:
    """The half-normal mixture at δ = 1e-6 over all t > 0, which is crossed with probability exactly δ."""
    from nrverify.laws.boundary import HalfNormalMixture
    from nrverify.laws.crossing import crossing_probability

    boundary = HalfNormalMixture(rho=10.0, delta=1e-6, sensitivity=1.0)
    found = crossing_probability(lambda t: t * boundary(t) - 0.5).probability
    error = abs(found / 1e-6 - 1)
    return Row("crossing probability, all t > 0, against its closed form", error, "relative error", 1e-6, None, None)


def forward_recursion(times: Floats, heights: Floats, nodes: int) -> float:
    """P(W meets the heights at one of the times): the sub-density of paths still below, look by look."""
    node, weight = leggauss(nodes)
    t, top = float(times[0]), float(heights[0])
    low = -8.5 * math.sqrt(t)
    x = low + 0.5 * (top - low) * (node + 1)
    mass = 0.5 * (top - low) * weight * np.exp(-0.5 * x * x / t) / math.sqrt(2 * math.pi * t)
    total = float(ndtr(-top / math.sqrt(t)))
    for later, height in zip(times[1:].tolist(), heights[1:].tolist(), strict=True):
        span = later - t
        total += float((mass * ndtr((x - height) / math.sqrt(span))).sum())
        low = -8.5 * math.sqrt(later)
        y = low + 0.5 * (height - low) * (node + 1)
        density = np.exp(-0.5 * (y[:, None] - x) ** 2 / span) @ mass / math.sqrt(2 * math.pi * span)
        mass = 0.5 * (height - low) * weight * density
        t, x = later, y
    return total
