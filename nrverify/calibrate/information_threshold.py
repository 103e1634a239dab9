"""What one run of a faulty threshold mechanism says against the law it claims, in nats.

The halting round has an exact law under the claim and under the fault (round n halts when a_n + ξ_n ≥ ζ_n, margins a_n
and scales in units of the sensitivity); the information is their Kullback–Leibler divergence, design by design.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, rel_entr

from nrverify.auditing.threshold.designs import Design
from nrverify.calibrate.mixture import ThresholdPart
from nrverify.laws.threshold import halting_law
from nrverify.laws.threshold.law import log_halting_law, log_halting_law_redrawn, log_tail

Floats = NDArray[np.float64]
Law = Callable[[Design], Floats]
"""Probabilities of halting in rounds 1, …, n and of never halting."""


def threshold_information(law: Law, parts: list[ThresholdPart]) -> float:
    """Nats per run drawn: Σ over designs of weight · KL(fault ‖ claim)."""
    return math.fsum(part.weight * float(rel_entr(law(part.design), claimed(part.design)).sum()) for part in parts)


def claimed(design: Design) -> Floats:
    """The law of the mechanism as it should be."""
    return np.exp(
        halting_law(
            utilities=design.utilities,
            epsilons=design.epsilons,
            threshold=design.threshold,
            sensitivity=design.sensitivity,
        )
    )


def margins(design: Design) -> Floats:
    """a_n = (u_n − τ)/Δ."""
    return (np.array(design.utilities) - design.threshold) / design.sensitivity


def scales(design: Design) -> tuple[Floats, Floats]:
    """Threshold and query scales 2/ε_n and 4/ε_n."""
    epsilons = np.array(design.epsilons)
    return 2 / epsilons, 4 / epsilons


def with_scales(change: Callable[[Floats, Floats], tuple[Floats, Floats]]) -> Law:
    """The mechanism with other scales of its two noises."""

    def law(design: Design) -> Floats:
        return np.exp(log_halting_law(margins(design), *change(*scales(design)))).astype(np.float64)

    return law


def redrawn(threshold_factor: float) -> Law:
    """Threshold noise drawn anew in every round, times a factor (0: none at all)."""

    def law(design: Design) -> Floats:
        b, c = scales(design)
        return np.exp(log_halting_law_redrawn(margins(design), threshold_factor * b, c)).astype(np.float64)

    return law


def redrawn_at_new_scale(design: Design) -> Floats:
    """Threshold noise drawn anew whenever ε changes: stretches of equal ε are independent."""
    a, (b, c) = margins(design), scales(design)
    law: list[float] = []
    reached = 1.0
    for stretch in np.split(np.arange(b.size), np.flatnonzero(np.diff(b)) + 1):
        own = np.exp(log_halting_law(a[stretch], b[stretch], c[stretch])).astype(np.float64)
        law += (reached * own[:-1]).tolist()
        reached *= float(own[-1])
    return np.array([*law, reached])


def sensitivity_ignored(design: Design) -> Floats:
    """Noise for sensitivity 1."""
    b, c = scales(design)
    unit = design.sensitivity
    return np.exp(log_halting_law(margins(design), b / unit, c / unit)).astype(np.float64)


def query_noise_once(design: Design) -> Floats:
    """One query noise for all rounds: no halt by round n when ζ − ξ > max a."""
    b, c = (np.longdouble(scale[0]) for scale in scales(design))
    highest = np.maximum.accumulate(margins(design))
    return _from_survival(np.exp([float(log_tail(np.longdouble(a), b, c)) for a in highest]))


def no_query_noise(design: Design) -> Floats:
    """No halt by round n when ζ > max a."""
    highest = np.maximum.accumulate(margins(design)) / scales(design)[0]
    tail = 0.5 * np.exp(-np.abs(highest))
    return _from_survival(np.where(highest < 0, 1 - tail, tail))


def gaussian_query_noise(design: Design) -> Floats:
    """Query noise N(0, 2c²): no halt by round n with probability E Π Φ((ζ − a_i)/√2 c_i)."""
    b, c = scales(design)
    a = margins(design)
    return _over_threshold(b[0], a, lambda z: np.exp(log_ndtr((z[None] - a[:, None]) / (math.sqrt(2) * c[:, None]))))


def one_noise_for_both(design: Design) -> Floats:
    """The first query noise is 2ζ: the first round halts when ζ ≥ −a₁."""
    b, c = scales(design)
    a = margins(design)

    def factors(z: Floats) -> Floats:
        below = _laplace_cdf(z[None] - a[:, None], c[:, None])
        below[0] = z < -a[0]
        return below

    return _over_threshold(b[0], np.append(a, -a[0]), factors)


def rescaled(design: Design) -> Floats:
    """Threshold noise b_n L with one standard Laplace number L for the whole run."""
    b, c = scales(design)
    a = margins(design)
    return _over_threshold(1.0, a / b, lambda z: _laplace_cdf(b[:, None] * z - a[:, None], c[:, None]))


def halts_late(design: Design) -> Floats:
    """The answer of round n is printed in round n + 1."""
    law = claimed(design)
    return np.concatenate([[0.0], law[:-2], [law[-2] + law[-1]]])


def rounds_from_zero(design: Design) -> Floats:
    """Rounds counted from 0, so that a halt in round 1 reads as never."""
    law = claimed(design)
    return np.concatenate([law[1:-1], [0.0, law[0] + law[-1]]])


def _over_threshold(b: float, corners: Floats, factors: Callable[[Floats], Floats]) -> Floats:
    """The law with P(N > n) = ∫ Lap_b(z) Π_{i ≤ n} factor_i(z) dz, by Gauss–Legendre panels broken at the corners."""
    node, weight = np.polynomial.legendre.leggauss(20)
    edges = np.unique(np.concatenate([b * np.linspace(-45, 45, 361), np.clip(corners, -45 * b, 45 * b), [0.0]]))
    half = 0.5 * np.diff(edges)[:, None]
    z = (edges[:-1, None] + half * (1 + node)).ravel()
    mass = (half * weight).ravel() * np.exp(-np.abs(z) / b) / (2 * b)
    return _from_survival(np.cumprod(factors(z), axis=0) @ mass)


def _laplace_cdf(x: Floats, scale: Floats) -> Floats:
    tail = 0.5 * np.exp(-np.abs(x) / scale)
    return np.where(x < 0, tail, 1 - tail)


def _from_survival(survival: Floats) -> Floats:
    law: Floats = np.append(-np.diff(np.append(1.0, survival)), survival[-1])
    return np.maximum(law, 0.0)


THRESHOLD: dict[str, Law] = {
    "threshold-query-noise-halved": with_scales(lambda b, c: (b, c / 2)),
    "threshold-query-noise-quartered": with_scales(lambda b, c: (b, c / 4)),
    "threshold-noise-halved": with_scales(lambda b, c: (b / 2, c)),
    "threshold-scales-swapped": with_scales(lambda b, c: (c, b)),
    "threshold-redrawn": redrawn(1.0),
    "threshold-no-noise": redrawn(0.0),
    "threshold-no-query-noise": no_query_noise,
    "threshold-query-noise-once": query_noise_once,
    "threshold-one-noise-for-both": one_noise_for_both,
    "threshold-gaussian-query-noise": gaussian_query_noise,
    "threshold-sensitivity-ignored": sensitivity_ignored,
    "threshold-halts-late": halts_late,
    "threshold-rounds-from-zero": rounds_from_zero,
    "reduced-threshold-last-epsilon": with_scales(lambda b, c: (b, np.full_like(c, c[-1]))),
    "reduced-threshold-stale-epsilon": with_scales(lambda b, c: (b, np.full_like(c, c[0]))),
    "reduced-threshold-never-reduced": with_scales(lambda b, c: (np.full_like(b, b[0]), c)),
    "reduced-threshold-redrawn-at-new-scale": redrawn_at_new_scale,
    "reduced-threshold-rescaled": rescaled,
    "reduced-threshold-query-noise-halved": with_scales(lambda b, c: (b, c / 2)),
    "reduced-threshold-no-noise": redrawn(0.0),
    "reduced-threshold-sensitivity-ignored": sensitivity_ignored,
}
"""Faults with an exact law of the halting round."""
