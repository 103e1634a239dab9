"""Relatives of AboveThreshold: other scales, exponential noise, noise on top; those that keep the claim, and a fit.

With Laplace or exponential threshold noise aΔ/ε and query noise bΔ/ε an output has a loss of at most ε(1/a + 2/b):
moving the threshold's noise by Δ costs ε/a and leaves every 0 at least as likely, and moving the query's noise by 2Δ in
the round of the 1 costs 2ε/b. So 1/a + 2/b ≤ 1 keeps ε, and adding independent noise does no harm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from nrverify.auditing.threshold.designs import Design
from nrverify.auditing.threshold.faulty_laws import claimed_law, from_survival, laplace_cdf, levels_of, made_law

Floats = NDArray[np.float64]
Counts = Mapping[Design, Floats]
"""Runs in each bin of each design."""

TIGHT = (1.25, 1.5, 2.0, 1 + 2 ** (2 / 3), 3.0, 4.0, 6.0, 10.0)
"""Threshold scales of relatives that keep the claim with nothing to spare; among them the split of Lyu, Su and Li."""
WIDER = (1.0, 1.5, 2.5)
"""Relatives with more noise than they need, by these factors."""
ON_TOP = (1.0, 2.0, 4.0)
"""Deviations, in units of Δ/ε, of normal noise on top of the noise claimed."""
_NORMAL, _NORMAL_WEIGHT = np.polynomial.hermite_e.hermegauss(9)
"""Nine nodes: the law is smoothed by the other noise, and a relative need not be exact."""
SMALLEST = 1e-13
"""What a law excludes counts as if it had this probability: the quadrature has an absolute error of about 1e-15."""
STEP = 0.05
"""Of the differences behind the curvature of a fit, in logarithms of scales."""


@dataclass(frozen=True)
class Relative:
    """Noises of scales aΔ/ε and bΔ/ε, Laplace or exponential, with normal noise of a deviation on top of either."""

    a: float
    b: float
    exponential: bool = False
    on_threshold: float = 0.0
    on_queries: float = 0.0


def private_relatives() -> list[Relative]:
    """Relatives that are ε-private."""
    tight = [(a, 2 / (1 - 1 / a)) for a in TIGHT]
    scaled = [Relative(wide * a, wide * b, kind) for kind in (False, True) for a, b in tight for wide in WIDER]
    on_top = [Relative(2.0, 4.0, on_threshold=extra) for extra in ON_TOP]
    return [*scaled, *on_top, *(Relative(2.0, 4.0, on_queries=2 * extra) for extra in ON_TOP)]


@lru_cache(maxsize=4096)
def relative_law(design: Design, relative: Relative) -> Floats:
    """The law of the halting round, at a constant ε, the threshold's noise kept."""
    margins = (np.array(design.utilities) - design.threshold) / design.sensitivity * design.epsilons[0]
    level, weight = levels_of(margins / relative.a, min(1.0, relative.b / relative.a))
    if relative.exponential:
        level, weight = level[level > 0], 2 * weight[level > 0]
    level = relative.a * level
    if relative.on_threshold:
        level = (level[:, None] + relative.on_threshold * _NORMAL).ravel()
        weight = (weight[:, None] * (_NORMAL_WEIGHT / _NORMAL_WEIGHT.sum())).ravel()
    room = level - margins[:, None]
    if relative.on_queries:
        shares = _NORMAL_WEIGHT / _NORMAL_WEIGHT.sum()
        below = sum(
            share * laplace_cdf((room - relative.on_queries * node) / relative.b)
            for node, share in zip(_NORMAL, shares, strict=True)
        )
    elif relative.exponential:
        below = -np.expm1(-np.maximum(room, 0.0) / relative.b)
    else:
        below = laplace_cdf(room / relative.b)
    return made_law(from_survival(np.cumprod(below, axis=0) @ weight))


def gain(seen: Floats, law: Floats, design: Design) -> float:
    """log-likelihood of a law over that of the claimed one."""
    return float((xlogy(seen, np.maximum(law, SMALLEST)) - xlogy(seen, claimed_law(design))).sum())


def best_private(counts: Counts) -> float:
    """The largest log-likelihood, over that of the claimed law, of a relative that keeps the claim, at constant ε."""
    return max(_of_relative(counts, relative) for relative in private_relatives())


def _of_relative(counts: Counts, relative: Relative) -> float:
    return sum(gain(seen, relative_law(design, relative), design) for design, seen in counts.items())


@dataclass(frozen=True)
class FittedScales:
    """The likeliest scales of Laplace noise, and how far their loss is known."""

    a: float
    b: float
    gain: float
    """log-likelihood over that of the claimed law."""
    loss: float
    """(1/a + 2/b), the largest loss over ε, at its lower confidence limit."""


def fitted_scales(counts: Counts, alpha: float) -> FittedScales | None:
    """Fitted at constant ε; None where nothing was seen, or where the likelihood has no maximum."""
    return _fitted(tuple((design, tuple(seen.tolist())) for design, seen in counts.items()), alpha) if counts else None


@lru_cache(maxsize=16)
def _fitted(rows: tuple[tuple[Design, tuple[float, ...]], ...], alpha: float) -> FittedScales | None:
    """Kept for a while: whether more runs are needed, and what is concluded, ask for the same fit."""
    from scipy.optimize import minimize

    counts = {design: np.array(seen) for design, seen in rows}

    def cost(logs: Floats) -> float:
        a, b = np.exp(np.clip(logs, -4.0, 5.0))
        law = Relative(float(a), float(b))
        return -sum(gain(seen, _fitting_law(design, law), design) for design, seen in counts.items())

    best = minimize(cost, np.log([2.0, 4.0]), method="Nelder-Mead", options={"maxiter": 60, "xatol": 1e-3})
    logs = np.asarray(best.x)
    curvature = _curvature(cost, logs)
    # d(1/a + 2/b) by the logarithms of the scales.
    slope = -np.array([math.exp(-logs[0]), 2 * math.exp(-logs[1])])
    if not (np.all(np.isfinite(curvature)) and np.all(np.linalg.eigvalsh(curvature) > 0)):
        return None
    deviation = math.sqrt(float(slope @ np.linalg.solve(curvature, slope)))
    runs = sum(float(seen.sum()) for seen in counts.values())
    loss = float(-slope.sum()) - math.sqrt(2 * needed(runs, alpha)) * deviation
    return FittedScales(math.exp(logs[0]), math.exp(logs[1]), -float(best.fun), loss)


def needed(runs: float, alpha: float) -> float:
    """Log-likelihood by which a law whose scales are fitted must beat another, at every number of runs.

    A mixture over two fitted numbers is about log n below their best likelihood, and over another law it is a
    nonnegative martingale: it ever reaches 1/α with probability at most α.
    """
    return -math.log(alpha) + math.log1p(runs)


def _fitting_law(design: Design, relative: Relative) -> Floats:
    """Not kept: a fit asks for each law once."""
    return relative_law.__wrapped__(design, relative)


def _curvature(cost: Callable[[Floats], float], at: Floats) -> Floats:
    """Second differences."""
    steps = STEP * np.eye(2)
    middle = cost(at)
    own = [(cost(at + step) - 2 * middle + cost(at - step)) / STEP**2 for step in steps]
    both = sum(
        sign * cost(at + steps[0] + sign * steps[1]) - sign * cost(at - steps[0] + sign * steps[1]) for sign in (1, -1)
    )
    mixed = both / (4 * STEP**2)
    return np.array([[own[0], mixed], [mixed, own[1]]])
