"""The probability that symmetric Skellam noise meets the line B(t) = (ℓ + μ(cosh θ − 1))/θ, μ = 2·rate·t.

All masses are kept under the exponential tilt e^(θx − μ(cosh θ−1)): with q the tilted mass of paths that have not yet
met the line, Ville's inequality bounds what is still to come by δ·Σq. So what is dropped is bounded relative to δ,
however small δ is.
"""

import math
from collections.abc import Sequence

import numpy as np

from nrverify.laws.special.bessel import log_scaled, log_tilted
from nrverify.laws.validation.times import Floats

_MARGIN = 50.0
"""Increments rarer than δ·e^(−50) are outside the lattice."""
_REMAINDER = 1e-11
"""Paths that could still cross, relative to those that have: what is left out is the relative error of the result."""
_NEGLIGIBLE = 1e-16
"""Mass dropped at a step, relative to what has crossed: even 10⁵ steps lose no more than _REMAINDER."""
_DIRECT_PRODUCTS = 20_000_000
"""With more the fast Fourier transform is used: absolute instead of relative rounding of tilted masses."""


def least_tilt(level: float, mu: float) -> float:
    """The θ > 0 that minimises (level + μ(cosh θ−1))/θ: θ sinh θ − (cosh θ − 1) = level/μ; the minimum is μ sinh θ.

    The left side is convex and increasing, at least θ²/2, and at least e^θ/2 for θ ≥ 2: the start lies above the root.
    """
    ratio = level / mu
    theta = min(math.sqrt(2 * ratio), max(2.0, math.log(2 * ratio)) if ratio > 1 else math.inf)
    for _ in range(100):
        excess = theta * math.sinh(theta) - 2 * math.sinh(theta / 2) ** 2 - ratio
        step = excess / (theta * math.cosh(theta))
        theta -= step
        if abs(step) <= 4e-16 * theta:
            break
    return theta


class _Line:
    """The line in lattice terms, and the tilted masses of the paths below it."""

    def __init__(self, theta: float, level: float) -> None:
        self.theta = theta
        self.level = level
        self.curvature = 2 * math.sinh(theta / 2) ** 2
        self.mu = 0.0
        self.lowest = 0
        self.masses: Floats = np.ones(1)
        self.crossed = 0.0  # in units of δ

    def height(self, mu: float) -> float:
        """B = (ℓ + μ(cosh θ − 1))/θ."""
        return (self.level + mu * self.curvature) / self.theta

    def reach(self, mu: float) -> int:
        """The j with P(|X_μ| ≥ j) ≤ 2δe^(−50), by Chernoff's bound."""
        return math.ceil(mu * math.sinh(least_tilt(self.level + _MARGIN, mu)))

    def kernel(self, mu: float) -> Floats:
        """P(X_μ = j) e^(θj − μ(cosh θ−1)) for |j| ≤ reach."""
        steps = np.arange(-(reach := self.reach(mu)), reach + 1)
        return np.asarray(np.exp(log_tilted(steps, mu, math.sinh(self.theta))))

    def look(self, mu: float) -> None:
        """Move to μ without looking on the way, and absorb what is on or above the line there."""
        increment = mu - self.mu
        kernel = self.kernel(increment)
        self.masses = _convolve(self.masses, kernel)
        self.lowest -= kernel.size // 2
        height = self.height(mu)
        cut = max(math.ceil(height) - self.lowest, 0)
        above = self.masses[cut:]
        overshoot = self.lowest + cut + np.arange(above.size) - height
        self.crossed += float(above @ np.exp(-self.theta * overshoot))
        self.masses = self.masses[:cut]
        self.mu = mu
        self._drop(max(-self.reach(mu) - self.lowest, 0))

    def watch(self, mu: float, barrier: int, kernel: Floats, passage: Floats) -> None:
        """Move to μ, absorbing every path that meets the constant barrier on the way, by the reflection principle.

        Up-steps are of size 1, so a path meets the barrier n exactly; from d = n − x below it that has probability
        P(X ≥ d) + P(X > d), and the paths that never do move by p(y−x) − p(2n−x−y).
        """
        reach = kernel.size // 2
        near = self.masses[-reach:] if self.masses.size > reach else self.masses
        distance = barrier - (self.lowest + self.masses.size) + np.arange(near.size, 0, -1)
        near, distance = near[distance <= reach], distance[distance <= reach]
        gap = self.height(self.mu) - barrier
        self.crossed += float(near @ np.exp(self.theta * (gap + distance) + passage[distance]))
        moved = _convolve(self.masses, kernel)
        kept = barrier - self.lowest + reach
        moved = np.pad(moved, (0, max(kept - moved.size, 0)))[:kept]
        # Tilted, the reflected weight from d below the barrier to e below it is e^(−2θe) times that of a step d+e.
        before = np.zeros(reach + 1)
        before[distance] = near
        reflected = np.convolve(before[::-1], kernel[reach:])[reach + 1 :] * np.exp(
            -2 * self.theta * np.arange(1, reach + 1)
        )
        moved[kept - reach :] -= reflected[::-1]
        self.masses = np.maximum(moved, 0.0)
        self.lowest -= reach
        self.mu = mu
        # Dropping tilted mass m loses at most δm of the crossing probability.
        self._drop(int(np.searchsorted(np.cumsum(self.masses), _NEGLIGIBLE * self.crossed)))

    def _drop(self, count: int) -> None:
        self.masses = self.masses[count:]
        self.lowest += count


def _convolve(masses: Floats, kernel: Floats) -> Floats:
    if masses.size * kernel.size <= _DIRECT_PRODUCTS:
        return np.convolve(masses, kernel)
    # Imported here: scipy.signal brings scipy.stats with it, a second that no other boundary needs.
    from scipy.signal import oaconvolve

    return np.asarray(oaconvolve(masses, kernel), dtype=np.float64)


def _log_passage(reach: int, mu: float) -> Floats:
    """log(P(X_μ ≥ d) + P(X_μ > d)) for d = 0, …, reach: that a path rises by d before μ."""
    pmf = np.exp(log_scaled(np.arange(2 * reach + 2), mu))
    tail = np.cumsum(pmf[::-1])[::-1]
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(tail[: reach + 1] + tail[1 : reach + 2]))


def crossing_at_looks(theta: float, level: float, mus: Sequence[float]) -> float:
    """P(X ≥ B at one of the ascending looks μ): exact lattice recursion with Skellam increments, in units of δ."""
    line = _Line(theta, level)
    for mu in mus:
        if line.masses.size:
            line.look(mu)
    return line.crossed


def crossing_on_interval(theta: float, level: float, start: float, end: float) -> float:
    """P(X_μ ≥ B(μ) for some μ in [start, end]), in units of δ; end may be infinite.

    Between the μ at which B passes integers, X ≥ B means X ≥ n with n fixed: each such piece is one exact step of a
    walk absorbed at n. With end = ∞ the pieces stop when the rest is below 1e-11 of the sum.
    """
    line = _Line(theta, level)
    if start > 0:
        line.look(start)
    barrier = math.floor(line.height(start)) + 1
    spacing = theta / line.curvature
    full = line.kernel(spacing)
    full_passage = _log_passage(full.size // 2, spacing)
    while line.masses.size and line.mu < end:
        remaining = float(line.masses.sum())
        if remaining <= _REMAINDER * line.crossed:
            break
        corner = (theta * barrier - level) / line.curvature
        stop = min(corner, end)
        whole = stop == corner and barrier > math.floor(line.height(start)) + 1
        kernel = full if whole else line.kernel(max(stop - line.mu, 1e-300))
        passage = full_passage if whole else _log_passage(kernel.size // 2, max(stop - line.mu, 1e-300))
        line.watch(stop, barrier, kernel, passage)
        barrier += 1
    return line.crossed
