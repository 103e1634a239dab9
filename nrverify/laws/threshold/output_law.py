"""The exact law of the output of AboveThreshold and ReducedAboveThreshold, and what it says of privacy and utility.

Serves the theorem on private stopping and the proposition on its utility: round n halts when u_n + ξ_n ≥ τ + ζ_n, with
independent ξ_n ~ Lap(4Δ/ε_n) and ζ_n the Laplace noise-reduction process at time 2Δ/ε_n, the ε_n not decreasing.
AboveThreshold is the case of equal ε_n.

Variants as libraries ship them: `scales` = (a, b) for noises of scale aΔ/ε_n and bΔ/ε_n (for Gaussian noise standard
deviations, for exponential noise means, both noises then being >= 0 and both added); `noise`; and `positives` = c for a
mechanism that halts after the c-th 1, whose threshold noise is drawn once and never redrawn. With another noise, or
c > 1, all ε_n are equal: noise reduction is defined for Laplace noise and one positive.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nrverify.laws.threshold.fixed_threshold import log_output
from nrverify.laws.threshold.law import log_halt, log_halting_law, log_survival
from nrverify.laws.threshold.panels import Array, Extended
from nrverify.laws.threshold.variants import Variant, checked_variant
from nrverify.laws.threshold.whole_output import LARGEST_COUNT, all_probabilities, excess, output_count
from nrverify.laws.validation.boundaries import like_argument
from nrverify.laws.validation.thresholds import checked_bits, checked_epsilons, checked_number, checked_utilities
from nrverify.laws.validation.times import real

_FARTHEST = 1e12  # in units of the noise; beyond it the exponents have too few digits
_ROUNDING = 1e-12
"""Losses are known to this accuracy: an output whose loss exceeds ε by less adds nothing to a divergence."""


def probability(
    bits: Sequence[int],
    *,
    utilities: ArrayLike,
    epsilons: ArrayLike,
    threshold: float = 0.0,
    sensitivity: float = 1.0,
    scales: Sequence[float] = (2, 4),
    noise: str = "laplace",
    positives: int = 1,
) -> float:
    """P(the mechanism prints these bits), which end in the `positives`-th 1, or have fewer and it has not halted."""
    return math.exp(
        log_probability(
            bits,
            utilities=utilities,
            epsilons=epsilons,
            threshold=threshold,
            sensitivity=sensitivity,
            scales=scales,
            noise=noise,
            positives=positives,
        )
    )


def log_probability(
    bits: Sequence[int],
    *,
    utilities: ArrayLike,
    epsilons: ArrayLike,
    threshold: float = 0.0,
    sensitivity: float = 1.0,
    scales: Sequence[float] = (2, 4),
    noise: str = "laplace",
    positives: int = 1,
) -> float:
    """log P(the mechanism prints these bits); utilities of rounds after the last bit are ignored."""
    levels = checked_epsilons(epsilons)
    scores = checked_utilities("utilities", utilities, len(levels))
    variant = checked_variant(scales, noise, positives, levels)
    printed = checked_bits(bits, len(levels), variant.positives)
    margins = _margins(scores, threshold, sensitivity, levels, variant)
    return min(float(_log_output(printed, margins, levels, variant)), 0.0)


def privacy_loss(
    bits: Sequence[int],
    *,
    utilities: ArrayLike,
    neighbour: ArrayLike,
    epsilons: ArrayLike,
    threshold: float = 0.0,
    sensitivity: float = 1.0,
    scales: Sequence[float] = (2, 4),
    noise: str = "laplace",
    positives: int = 1,
) -> float:
    """log P(bits) under `utilities` − log P(bits) under the utilities of the `neighbour`.

    Exponential noise makes some bits impossible: the loss is then inf or -inf, and nan where both laws exclude them.
    """
    levels = checked_epsilons(epsilons)
    scores = checked_utilities("utilities", utilities, len(levels))
    other_scores = checked_utilities("neighbour", neighbour, len(levels))
    variant = checked_variant(scales, noise, positives, levels)
    printed = checked_bits(bits, len(levels), variant.positives)
    own = _log_output(printed, _margins(scores, threshold, sensitivity, levels, variant), levels, variant)
    other = _log_output(printed, _margins(other_scores, threshold, sensitivity, levels, variant), levels, variant)
    return float(own - other)


def total_hockey_stick(
    epsilon: ArrayLike,
    *,
    utilities: ArrayLike,
    neighbour: ArrayLike,
    epsilons: ArrayLike,
    threshold: float = 0.0,
    sensitivity: float = 1.0,
    scales: Sequence[float] = (2, 4),
    noise: str = "laplace",
    positives: int = 1,
) -> Any:
    """sup_S P(S) − e^ε P'(S) of the whole output, P under `utilities` and P' under those of the `neighbour`.

    Exact for this pair of utilities: a lower bound on the δ of the mechanism. Its error is at most 1e-12 of the
    probability of the outputs that count. At most 2^20 outputs can be summed.
    """
    levels = checked_epsilons(epsilons)
    scores = checked_utilities("utilities", utilities, len(levels))
    other_scores = checked_utilities("neighbour", neighbour, len(levels))
    variant = checked_variant(scales, noise, positives, levels)
    asked = real("epsilon", epsilon)
    count = output_count(len(levels), variant.positives)
    if count > LARGEST_COUNT:
        raise ValueError(
            f"positives = {variant.positives} in {len(levels)} rounds have {count} outputs, which must not be more "
            f"than {LARGEST_COUNT}; ask for fewer rounds or positives"
        )
    margins = [_margins(u, threshold, sensitivity, levels, variant) for u in (scores, other_scores)]
    if variant.reduces_noise:
        laws = [np.exp(log_halting_law(own, *_scales(levels, variant))).astype(np.float64) for own in margins]
    else:
        b, c = (scale[0] for scale in _scales(levels, variant))
        laws = all_probabilities(margins, b, c, variant.noise, min(variant.positives, len(levels) + 1))
    return like_argument(excess(laws[0], laws[1], asked.reshape(-1), _ROUNDING).reshape(asked.shape), epsilon)


def halting_law(
    *,
    utilities: ArrayLike,
    epsilons: ArrayLike,
    threshold: float = 0.0,
    sensitivity: float = 1.0,
    scales: Sequence[float] = (2, 4),
) -> Array:
    """(log P(N = 1), …, log P(N = n), log P(N > n)) for the round N in which the mechanism halts."""
    levels = checked_epsilons(epsilons)
    scores = checked_utilities("utilities", utilities, len(levels))
    variant = checked_variant(scales, "laplace", 1, levels)
    law = log_halting_law(_margins(scores, threshold, sensitivity, levels, variant), *_scales(levels, variant))
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
            f"probability is {probability!r}: it must lie strictly between 0 and 1; it is a failure probability"
        )
    level = checked_number("epsilon", epsilon, above_zero=True)
    if p > 0.5:
        return -utility_margin(1 - p, epsilon, sensitivity)
    q = 6 * p / (2 + math.sqrt(4 - 6 * p))
    return -4 * checked_number("sensitivity", sensitivity, above_zero=True) / level * math.log(q)


def _margins(utilities: Array, threshold: float, sensitivity: float, epsilons: Array, variant: Variant) -> Extended:
    """(u_n − τ)/Δ: the law depends on the utilities only through these."""
    offset = np.longdouble(checked_number("threshold", threshold))
    unit = np.longdouble(checked_number("sensitivity", sensitivity, above_zero=True))
    margins: Extended = (utilities.astype(np.longdouble) - offset) / unit
    farthest = float(np.abs(margins).max())
    if farthest * epsilons[-1] * (2 / min(variant.scales)) > _FARTHEST:
        raise ValueError(
            f"a utility lies {farthest:g} sensitivities from the threshold at epsilon = {epsilons[-1]:g}; the product "
            f"must not exceed {_FARTHEST:g}, or log P has no digits left after the point: bring the utility nearer"
        )
    return margins


def _scales(epsilons: Array, variant: Variant) -> tuple[Extended, Extended]:
    """Scales a/ε_n of the threshold noise and b/ε_n of the query noise, in units of Δ."""
    exact = epsilons.astype(np.longdouble)
    a, b = variant.scales
    return a / exact, b / exact


def _log_output(printed: list[int], margins: Extended, epsilons: Array, variant: Variant) -> np.longdouble:
    rounds = len(printed)
    scales = _scales(epsilons[:rounds], variant)
    if variant.reduces_noise:
        law = log_halt if printed[-1] else log_survival
        return law(margins[:rounds], *scales)
    return log_output(printed, margins, scales[0][0], scales[1][0], variant.noise)
