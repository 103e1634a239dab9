"""Exact crossing probabilities at up to three looks and of lines on an interval, as balls from their integrals."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
from flint import arb, fmpq
from numpy.polynomial import legendre
from numpy.typing import NDArray

from nrverify.ledger.enclosure import Ball
from nrverify.symbolic.tools.normal import cdf_ball, density_ball, integral_ball, tail_ball

FAR = 14
"""Standard deviations at which an integral is cut: Φ(−14) < 1e-43."""


def one_look(time: float, height: float) -> Ball:
    """P(W_t ≥ c)."""
    return tail_ball(arb(height) / arb(time).sqrt())


def two_looks(times: Sequence[float], heights: Sequence[float]) -> Ball:
    """P(W_s ≥ c₁ or W_t ≥ c₂) = Q(z₁) + ∫_{y ≥ z₂} φ(y) Φ((z₁ − ry)/√(1−r²)) dy, r = √(s/t)."""
    s, t = (arb(time) for time in times)
    first, second = (arb(height) / arb(time).sqrt() for time, height in zip(times, heights, strict=True))
    r, spread = (s / t).sqrt(), ((t - s) / t).sqrt()
    return tail_ball(first) + integral_ball(
        lambda y: density_ball(y) * cdf_ball((first - r * y) / spread), second, abs(second) + FAR
    )


def three_looks(times: Sequence[float], heights: Sequence[float]) -> Ball:
    """Two looks, and the paths that are below both and reach the third from the second."""
    s, t, last = (arb(time) for time in times)
    first, second = (arb(height) / arb(time).sqrt() for time, height in zip(times[:2], heights[:2], strict=True))
    r, spread, step = (s / t).sqrt(), ((t - s) / t).sqrt(), (last - t).sqrt()
    later = integral_ball(
        lambda y: (
            density_ball(y) * cdf_ball((first - r * y) / spread) * tail_ball((arb(heights[2]) - y * t.sqrt()) / step)
        ),
        arb(-FAR),
        second,
    )
    return two_looks(times[:2], heights[:2]) + later


def line_from_gap(gap: Ball, slope: Ball, duration: Ball) -> Ball:
    """P(W meets slope·t + gap before `duration`), from the image behind the line."""
    root = duration.sqrt()
    return tail_ball((gap + slope * duration) / root) + (-2 * slope * gap).exp() * tail_ball(
        (gap - slope * duration) / root
    )


def line_on_interval(a: float, b: float, lo: float, hi: float) -> Ball:
    """P(W_t ≥ at + b for some t in [lo, hi]), 0 < lo < hi < ∞: above at lo, or meeting the line from below."""
    slope, start, root = arb(a), arb(lo), arb(lo).sqrt()
    height = slope * start + arb(b)
    level = height / root
    return tail_ball(level) + integral_ball(
        lambda y: density_ball(y) * line_from_gap(height - y * root, slope, arb(hi) - start), arb(-FAR), level
    )


def line_after(a: float, b: float, lo: float) -> Ball:
    """P(W_t ≥ at + b for some t ≥ lo), a > 0: above at lo, or e^{−2a·gap} from below."""
    slope, root = arb(a), arb(lo).sqrt()
    height = slope * arb(lo) + arb(b)
    level = height / root
    return tail_ball(level) + integral_ball(
        lambda y: density_ball(y) * (-2 * slope * (height - y * root)).exp(), arb(-FAR), level
    )


def ever_positive(looks: int) -> Ball:
    """P(a symmetric walk is ≥ 0 at one of n looks) = 1 − C(2n, n)/4ⁿ (Sparre Andersen): exact, whatever the step."""
    return 1 - arb(fmpq(comb(2 * looks, looks), 4**looks))


def geometric_looks(level: float, looks: int, span: float, panels: int = 40, nodes: int = 14) -> float:
    """P(W_t ≥ z√t at one of n looks whose times span a factor, in equal ratios).

    In y = W/√t every step is the same: y' = ry + √(1−r²)·normal. The sub-density of the survivors is carried forward
    by one matrix on Gauss–Legendre panels, and the mass above z is a sum of positive terms.
    """
    r = span ** (-0.5 / (looks - 1))
    spread = float(np.sqrt(1 - r * r))
    node, weight = legendre.leggauss(nodes)
    edges = np.linspace(-9.0, level, panels + 1)
    half = 0.5 * np.diff(edges)[:, None]
    y = (edges[:-1, None] + half * (1 + node)).ravel()
    w = (half * weight).ravel()
    step = _density((y[:, None] - r * y) / spread) / spread * w
    leaving = np.array([float(tail_ball(arb(float(u))).mid()) for u in (level - r * y) / spread]) * w
    survivors, mass = _density(y), float(tail_ball(arb(level)).mid())
    for _ in range(looks - 1):
        mass += float(leaving @ survivors)
        survivors = step @ survivors
    return mass


def _density(y: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.exp(-0.5 * y * y) / np.sqrt(2 * np.pi))
