"""The exact law of the output of AboveThreshold and ReducedAboveThreshold, and what it says of privacy and utility.

Serves the theorem on private stopping and the proposition on its utility: round n halts when u_n + ξ_n ≥ τ + ζ_n, with
independent ξ_n ~ Lap(4Δ/ε_n) and ζ_n the Laplace noise-reduction process at time 2Δ/ε_n, the ε_n not decreasing.
AboveThreshold is the case of equal ε_n.  For other noise scales use `nrverify.laws.threshold.law` directly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from nrverify.laws.threshold.law import log_halt, log_halting_law, log_survival
from nrverify.laws.threshold.panels import Array, Extended
from nrverify.laws.validation.thresholds import checked_bits, checked_epsilons, checked_number, checked_utilities

_FARTHEST = 1e12  # in units of the noise; beyond it the exponents have too few digits


def probability(
    bits: Sequence[int],
    *,
    utilities: ArrayLike,
    epsilons: ArrayLike,
    threshold: float = 0.0,
    sensitivity: float = 1.0,
) -> float:
    """P(the mechanism prints these bits): zeros and a final 1 where it halts, or zeros where it has not halted yet."""
    return math.exp(
        log_probability(bits, utilities=utilities, epsilons=epsilons, threshold=threshold, sensitivity=sensitivity)
    )


def log_probability(
    bits: Sequence[int],
    *,
    utilities: ArrayLike,
    epsilons: ArrayLike,
    threshold: float = 0.0,
    sensitivity: float = 1.0,
) -> float:
    """log P(the mechanism prints these bits); utilities of rounds after the last bit are ignored."""
    levels = checked_epsilons(epsilons)
    scores = checked_utilities("utilities", utilities, len(levels))
    rounds, halts = checked_bits(bits, len(levels))
    margins = _margins(scores, threshold, sensitivity, levels)
    return min(float(_log_output(rounds, halts, margins, levels)), 0.0)


def privacy_loss(
    bits: Sequence[int],
    *,
    utilities: ArrayLike,
    neighbour: ArrayLike,
    epsilons: ArrayLike,
    threshold: float = 0.0,
    sensitivity: float = 1.0,
) -> float:
    """log P(bits) under `utilities` − log P(bits) under the utilities of the `neighbour`."""
    levels = checked_epsilons(epsilons)
    scores = checked_utilities("utilities", utilities, len(levels))
    other_scores = checked_utilities("neighbour", neighbour, len(levels))
    rounds, halts = checked_bits(bits, len(levels))
    own = _log_output(rounds, halts, _margins(scores, threshold, sensitivity, levels), levels)
    other = _log_output(rounds, halts, _margins(other_scores, threshold, sensitivity, levels), levels)
    return float(own - other)


def halting_law(
    *,
    utilities: ArrayLike,
    epsilons: ArrayLike,
    threshold: float = 0.0,
    sensitivity: float = 1.0,
) -> Array:
    """(log P(N = 1), …, log P(N = n), log P(N > n)) for the round N in which the mechanism halts."""
    levels = checked_epsilons(epsilons)
    scores = checked_utilities("utilities", utilities, len(levels))
    law = log_halting_law(_margins(scores, threshold, sensitivity, levels), *_scales(levels))
    return np.minimum(law, 0).astype(np.float64)


def worst_loss(epsilons: ArrayLike) -> float:
    """min(ε_n, ¼ Σ_{i≤n} ε_i): no halt in the last round n has a larger privacy loss, whatever the utilities."""
    levels = checked_epsilons(epsilons)
    return min(float(levels[-1]), math.fsum(levels) / 4)


def margin_tail(eta: float, epsilon: float, sensitivity: float = 1.0) -> float:
    """P(ξ − ζ > η) = (2/3)q − q²/6 with q = e^{−ηε/4Δ} for η ≥ 0, and 1 − P(ξ − ζ > −η) for η < 0."""
    distance = checked_number("eta", eta)
    level = checked_number("epsilon", epsilon, above_zero=True)
    q = math.exp(-abs(distance) * (level / (4 * checked_number("sensitivity", sensitivity, above_zero=True))))
    tail = q * (4 - q) / 6
    return tail if distance >= 0 else 1 - tail


def utility_margin(probability: float, epsilon: float, sensitivity: float = 1.0) -> float:
    """The η with P(ξ − ζ > η) = probability: −(4Δ/ε) log(2 − √(4 − 6p)) for p ≤ ½, antisymmetric about ½.

    A round that halts has u ≥ τ − η except with this probability, and no smaller η will do.
    """
    p = checked_number("probability", probability)
    if not 0 < p < 1:
        raise ValueError(
            f"probability = {probability!r} must lie strictly between 0 and 1; it is a failure probability"
        )
    level = checked_number("epsilon", epsilon, above_zero=True)
    if p > 0.5:
        return -utility_margin(1 - p, epsilon, sensitivity)
    q = 6 * p / (2 + math.sqrt(4 - 6 * p))
    return -4 * checked_number("sensitivity", sensitivity, above_zero=True) / level * math.log(q)


def _margins(utilities: Array, threshold: float, sensitivity: float, epsilons: Array) -> Extended:
    """(u_n − τ)/Δ: the law depends on the utilities only through these."""
    offset = np.longdouble(checked_number("threshold", threshold))
    unit = np.longdouble(checked_number("sensitivity", sensitivity, above_zero=True))
    margins: Extended = (utilities.astype(np.longdouble) - offset) / unit
    farthest = float(np.abs(margins).max())
    if farthest * epsilons[-1] > _FARTHEST:
        raise ValueError(
            f"a utility lies {farthest:g} sensitivities from the threshold at epsilon = {epsilons[-1]:g}; the product "
            f"must not exceed {_FARTHEST:g}, or log P has no digits left after the point: bring the utility nearer"
        )
    return margins


def _scales(epsilons: Array) -> tuple[Extended, Extended]:
    """Scales 2/ε_n of the threshold noise and 4/ε_n of the query noise, in units of Δ."""
    exact = epsilons.astype(np.longdouble)
    return 2 / exact, 4 / exact


def _log_output(rounds: int, halts: bool, margins: Extended, epsilons: Array) -> np.longdouble:
    law = log_halt if halts else log_survival
    return law(margins[:rounds], *_scales(epsilons[:rounds]))
