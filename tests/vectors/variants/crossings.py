"""Crossing probabilities, in doubles by quadrature where they are integrals."""

import math
from itertools import pairwise

from mpmath import mp
from scipy.integrate import quad
from scipy.special import log_ndtr, ndtr

from tests.vectors.variants import refusing


def _tail(x):
    return float(ndtr(-x))


def _over_normal(passing, variance, top):
    """∫_{x < top} φ_variance(x) passing(x) dx, around its peak."""
    unit = math.sqrt(variance)
    high = top / unit
    points = [y for y in range(-40, 40) if y < high] + [high - step for step in (0.0, 0.01, 0.1, 0.3, 1, 2)]
    points = sorted({float(p) for p in points})
    density = 1 / math.sqrt(2 * math.pi)
    return math.fsum(
        quad(lambda y: density * math.exp(-y * y / 2) * passing(y * unit), a, b, epsabs=0, epsrel=1e-12)[0]
        for a, b in pairwise(points)
        if b > -20 or high < 0
    )


def grid_probability(times, heights):
    """P(W ≥ height at some look), one to three looks in increasing order."""
    t, h = times, heights
    total = _tail(h[0] / math.sqrt(t[0]))
    if len(t) > 1:
        total += _over_normal(lambda x: _tail((h[1] - x) / math.sqrt(t[1] - t[0])), t[0], h[0])
    if len(t) > 2:
        inner, outer = math.sqrt(t[0] * (t[1] - t[0]) / t[1]), math.sqrt(t[2] - t[1])
        total += _over_normal(lambda x: _tail((x * t[0] / t[1] - h[0]) / inner) * _tail((h[2] - x) / outer), t[1], h[1])
    return total


def grid(bug, times, heights):
    refusing.positive(*times)
    refusing.finite(heights)
    refusing.same_length(times, heights)
    looks = dict(zip(map(float, times), map(float, heights), strict=True))
    ordered = sorted(looks)
    power = 1.0 if bug == "variance-for-sd" else 0.5
    single = [_tail(looks[t] / t**power) for t in ordered]
    if bug == "union-bound":
        return {"probability": sum(single)}
    if bug == "independent":
        return {"probability": -math.expm1(sum(float(log_ndtr(looks[t] / math.sqrt(t))) for t in ordered))}
    if bug == "largest-look":
        return {"probability": max(single)}
    if bug == "repeated":
        return {"probability": sum(_tail(h / math.sqrt(t)) for t, h in zip(times, heights, strict=True))}
    if bug == "unsorted" and [float(t) for t in times] != ordered:
        return {"probability": math.nan}
    if bug == "variance-for-sd":
        return {"probability": single[0] if len(single) == 1 else -math.expm1(sum(math.log1p(-p) for p in single))}
    return {"probability": grid_probability(ordered, [looks[t] for t in ordered])}


def line(bug, a, b, lo, hi):
    refusing.finite(a, b, lo)
    if mp.isnan(hi) or not 0 <= lo < hi:
        raise ValueError("no interval")
    a, b, lo, hi = float(a), float(b), float(lo), float(hi)
    rate = -a * b if bug == "missing-2" else -2 * a * b
    if bug == "whole-line":
        return {"probability": math.exp(rate)}
    if bug == "end-only":
        return {"probability": 0.0 if math.isinf(hi) else _tail((a * hi + b) / math.sqrt(hi))}
    if bug == "missing-2" and b <= 0:
        return {"probability": math.exp(rate)}
    if (lo == 0 and b <= 0) or (math.isinf(hi) and a <= 0):
        return {"probability": 1.0}
    length = hi - lo

    def from_below(d):
        if math.isinf(hi):
            return math.exp((-1 if bug == "missing-2" else -2) * a * d)
        root = math.sqrt(length)
        return _tail((d + a * length) / root) + math.exp(-2 * a * d) * _tail((d - a * length) / root)

    if lo == 0 or bug == "start-ignored":
        return {"probability": from_below(a * lo + b)}
    top = a * lo + b
    return {"probability": _tail(top / math.sqrt(lo)) + _over_normal(lambda x: from_below(top - x), lo, top)}


def half_normal(bug, rho, delta):
    refusing.positive(rho)
    refusing.probability(delta)
    return {"probability": {"two-sided": delta / 2, "depends-on-rho": delta * rho / (1 + rho)}.get(bug, delta)}


def mixture(bug, rho, delta):
    refusing.positive(rho)
    refusing.probability(delta)
    # Any p in the enclosure passes; this is its lower end.
    return {"probability": {"printed-equality": delta, "depends-on-rho": delta * rho / (1 + rho)}.get(bug, delta / 2)}


VARIANTS = {
    "grid-crossing": grid,
    "line-crossing": line,
    "half-normal-crossing": half_normal,
    "mixture-crossing": mixture,
}
