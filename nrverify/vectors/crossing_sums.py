"""The probability that a Brownian path meets a height at one of up to three looks, or a line on an interval, as balls.

Between looks the path is a bridge, so three looks need one integral, over the place of the path at the middle one.
Integrals are Arb's, which encloses them rigorously; what is cut off far out is bounded and added to the ball.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flint import acb, arb, ctx

from nrverify.vectors.ball import Ball, Uncertain, tail


def grid(times: Sequence[Ball], heights: Sequence[Ball]) -> Ball:
    """P(W_t ≥ height(t) for some look t), one to three looks in increasing order."""
    t, h = times, heights
    singles = [tail(height / time.sqrt()) for time, height in zip(times, heights, strict=True)]
    total, scale = singles[0], _largest(singles)
    if len(times) > 1:
        spread = (t[1] - t[0]).sqrt()
        total += _over_normal(lambda x: tail((h[1] - x) / spread), t[0], h[0], scale)
    if len(times) > 2:
        inner = (t[0] * (t[1] - t[0]) / t[1]).sqrt()
        outer = (t[2] - t[1]).sqrt()

        def passing(x: Ball) -> Ball:
            return tail((x * t[0] / t[1] - h[0]) / inner) * tail((h[2] - x) / outer)

        total += _over_normal(passing, t[1], h[1], scale)
    return total


def line(a: Ball, b: Ball, lo: Ball, hi: Ball | None) -> Ball:
    """P(W_t ≥ at + b for some t in [lo, hi]), hi = None for ∞; a > 0 there, and b > 0 where lo = 0."""
    at_once = a * lo + b
    if hi is None:
        later = (-2 * a * b).exp()
        if lo == 0:
            return later
        return tail(at_once / lo.sqrt()) + later * tail((a * lo - b) / lo.sqrt())
    length = hi - lo
    root = length.sqrt()

    def from_below(distance: Ball) -> Ball:
        return tail((distance + a * length) / root) + (-2 * a * distance).exp() * tail((distance - a * length) / root)

    if lo == 0:
        return from_below(b)
    first = tail(at_once / lo.sqrt())
    scale = _largest([first, tail((a * hi + b) / hi.sqrt())])
    return first + _over_normal(lambda x: from_below(at_once - x), lo, at_once, scale)


def _over_normal(passing: Callable[[Ball], Ball], variance: Ball, top: Ball, scale: Ball) -> Ball:
    """∫_{x < top} φ_variance(x)·passing(x) dx, 0 ≤ passing ≤ 1, cut where Φ is 2^(−precision) times `scale`.

    `scale` is a lower bound of the whole result; what lies beyond the cuts is bounded by Φ there.
    """
    unit = variance.sqrt()
    reach = arb((2 * (arb(ctx.prec) * arb.const_log2() - scale.log())).sqrt().upper())
    highest = reach if top / unit > reach else top / unit
    if not highest > -reach:
        raise Uncertain("the top is too far below for this precision")

    def integrand(y: Ball, _: bool) -> Ball:
        return (-y * y / 2).exp() * passing(y * unit)

    goal = arb(2) ** (8 - ctx.prec)
    integral = acb.integral(integrand, acb(-reach), acb(highest), rel_tol=goal, abs_tol=goal * scale.lower()).real
    return integral / (2 * arb.pi()).sqrt() + arb(0, (2 * tail(reach)).abs_upper())


def _largest(balls: Sequence[Ball]) -> Ball:
    """One of the balls that are certainly above 0, the largest as far as they can be told apart."""
    certain = [one for one in balls if one > 0]
    if not certain:
        raise Uncertain("no part of the result is certainly above 0")
    return max(certain, key=lambda one: float(one.log().mid()))
