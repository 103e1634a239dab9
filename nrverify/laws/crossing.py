"""The probability that a Brownian path meets or exceeds a curve, on a finite grid of looks or continuously.

Serves every statement of the paper that calls a curve a boundary: ψ is a δ-boundary when W_t ≥ tψ(t)/Δ − Δ/2 for some
t has probability at most δ. Probabilities are sums of positive first-passage masses, so they are accurate in relative
terms at 1e-6, 1e-12 and below, where simulation and 1 − P(no crossing) say nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from nrverify.laws.crossing_continuous import continuous_crossing
from nrverify.laws.crossing_curve import evaluate
from nrverify.laws.crossing_grid import grid_crossing
from nrverify.laws.crossing_line import log_line_crossing

Curve = Callable[[Any], Any]
"""A height for each time: a function of one float, or of an array of times."""


class Crossing(NamedTuple):
    """A crossing probability and its absolute error."""

    probability: float
    error: float


def crossing_probability(
    curve: Curve, times: Iterable[float] | None = None, interval: tuple[float, float] | None = None
) -> Crossing:
    """P(W_t ≥ curve(t) for some t in `times`), or in `interval`; default all t > 0.

    `times` may come in any order and repeat. The curve may be infinite (never, or certainly, crossed there), may jump
    and have kinks; between samples it is known only through them, so a dip much narrower than a hundredth in log t can
    be missed. The error is an estimate by refinement, not a proof: on a grid from the decay of the expansion of the
    survivors at each look, for a smooth curve from that of its first-passage density, with jumps and kinks from two
    resolutions, for a curve too rough to resolve from curves below and above its samples. A level curve(t)/√t that
    stays bounded to the end of the floating-point range of an unbounded interval is taken to be crossed for certain;
    the error then reaches down to what was found.
    """
    if times is not None and interval is not None:
        raise ValueError(f"give times or interval, not both: times={times!r}, interval={interval!r}")
    if times is not None:
        looks = np.unique(np.asarray(list(times), dtype=np.float64))
        bad = looks[~(np.isfinite(looks) & (looks > 0.0))]
        if bad.size:
            raise ValueError(f"looks must be finite times > 0, got {float(bad[0])!r}: leave it out")
        if not looks.size:
            raise ValueError("times is empty: give at least one look, or an interval")
        return Crossing(*grid_crossing(looks, evaluate(curve, looks)))
    lo, hi = (0.0, math.inf) if interval is None else _interval(interval)
    return Crossing(*continuous_crossing(curve, lo, hi))


def line_crossing_probability(a: float, b: float, interval: tuple[float, float] | None = None) -> float:
    """P(W_t ≥ a·t + b for some t in `interval`), exact: e^(−2ab) over all t > 0 when a, b > 0, else 1 there."""
    if not (math.isfinite(a) and math.isfinite(b)):
        raise ValueError(f"slope and intercept must be finite, got a={a!r}, b={b!r}")
    lo, hi = (0.0, math.inf) if interval is None else _interval(interval)
    return math.exp(log_line_crossing(float(a), float(b), lo, hi))


def _interval(interval: tuple[float, float]) -> tuple[float, float]:
    lo, hi = (float(end) for end in interval)
    if not 0.0 <= lo < hi:
        raise ValueError(f"interval must be (lo, hi) with 0 <= lo < hi <= inf, got {interval!r}")
    return lo, hi
