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

from nrverify.laws.crossing.continuous import continuous_crossing
from nrverify.laws.crossing.curve_sampling import evaluate
from nrverify.laws.crossing.grid import grid_crossing
from nrverify.laws.crossing.line import log_line_crossing
from nrverify.laws.validation.boundaries import (
    checked_interval,
    one_number,
    require_one_way_of_looking,
    sorted_looks,
)

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
    the error then reaches down to what was found. Towards 0 and ∞ the curve need not have a value (it may overflow)
    beyond a level that is out of reach; anywhere else that is a ValueError with the time.
    """
    require_one_way_of_looking(times, interval)
    if not callable(curve):
        raise TypeError(f"curve is {curve!r}: it must be a function of the time; pass for example lambda t: a * t + b")
    if times is not None:
        looks = np.array(sorted_looks(times))
        return Crossing(*grid_crossing(looks, evaluate(curve, looks)))
    return Crossing(*continuous_crossing(curve, *checked_interval(interval)))


def line_crossing_probability(a: float, b: float, interval: tuple[float, float] | None = None) -> float:
    """P(W_t ≥ a·t + b for some t in `interval`), exact: e^(−2ab) over all t > 0 when a, b > 0, else 1 there."""
    slope, intercept = one_number("a", a), one_number("b", b)
    return math.exp(log_line_crossing(slope, intercept, *checked_interval(interval)))
