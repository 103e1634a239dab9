"""The law of the halting round of a design, and the laws it would have under named faults.

Bins are rounds 1, …, n and then "never". The claimed law is exact; a fault's law need only be a law, and is made one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from nrverify.auditing.threshold.designs import USUAL, Design
from nrverify.auditing.threshold.output_laws import faulty_output_laws, output_law
from nrverify.auditing.threshold.quadrature import nodes
from nrverify.laws.threshold import halting_law
from nrverify.laws.threshold.law import log_halting_law, log_halting_law_redrawn

Floats = NDArray[np.float64]
Law = Callable[[Floats, Floats, Floats], Floats]

FLOOR = 0.02
"""Share of the claimed law in every alternative, so that one odd run cannot ruin a bet."""

HARDLY = 0.02
"""Query noise so small stands for none where ε rises."""
MANY_ROUNDS, SIMULATED, AT_ONCE = 8, 60_000, 30_000
"""Wrong walks differ from the right one more with every round, so few rounds are not worth simulating. 60,000 paths,
over each of which the queries' noise is averaged exactly, give likely bins to about 1 %, enough for a bet; 30,000 at
once need little memory."""

FAULTS = (
    "query-noise-halved",
    "query-noise-doubled",
    "query-deviation-for-scale",
    "no-query-noise",
    "no-noise-at-all",
    "threshold-noise-halved",
    "threshold-noise-doubled",
    "no-threshold-noise",
    "noises-exchanged",
    "both-noises-halved",
    "both-noises-doubled",
    "threshold-noise-redrawn",
    "query-noise-drawn-once",
    "sensitivity-ignored",
    "threshold-ignored",
    "comparison-reversed",
    "utility-one-round-late",
    "utility-one-round-early",
    "rounds-counted-from-0",
    "epsilon-one-round-late",
    "query-epsilon-one-round-late",
    "threshold-epsilon-one-round-late",
    "epsilon-one-round-early",
    "query-noise-never-reduced",
    "first-epsilon-throughout",
    "last-epsilon-throughout",
    "threshold-noise-never-reduced",
    "threshold-noise-rescaled",
    "threshold-noise-of-last-epsilon",
    "normal-query-noise",
    "threshold-and-query-share",
    "query-noise-of-last-epsilon",
    "threshold-noise-redrawn-with-epsilon",
    "threshold-wrong-stay-probability",
    "normal-threshold-noise",
    "threshold-noise-by-coin",
    "query-epsilon-one-round-early",
)
"""Ids of the faults whose laws are compared with the claimed one, here or in private stopping."""


@lru_cache(maxsize=1024)
def claimed_law(design: Design) -> Floats:
    """The exact probabilities of halting in rounds 1, …, n and of never; of each output for several positives."""
    if not design.variant.reduces_noise:
        return made_law(output_law(design))
    law = halting_law(
        utilities=design.utilities,
        epsilons=design.epsilons,
        threshold=design.threshold,
        sensitivity=design.sensitivity,
        scales=design.variant.scales,
    )
    return made_law(np.exp(law))


@lru_cache(maxsize=1024)
def faulty_laws(design: Design) -> dict[str, Floats]:
    """The law under each named fault that can show in this design, mixed with the claimed one."""
    claimed = claimed_law(design)
    return {name: FLOOR * claimed + (1 - FLOOR) * law for name, law in unmixed_laws(design).items()}


@lru_cache(maxsize=1024)
def unmixed_laws(design: Design) -> dict[str, Floats]:
    """The law of the halting round, or of the output, under each named fault that can show in this design."""
    if not design.variant.reduces_noise:
        return {name: made_law(law) for name, law in faulty_output_laws(design).items()}
    epsilons = np.array(design.epsilons)
    margins = (np.array(design.utilities) - design.threshold) / design.sensitivity
    kept = _kept if design.constant else _reduced
    b, c = _scales(design)
    laws = _wrong_noise(margins, b, c, kept, design.constant)
    if design.variant.scales != USUAL.scales:
        laws["scales-not-used"] = kept(margins, *(scale / epsilons for scale in USUAL.scales))
    if design.sensitivity != 1:
        laws["sensitivity-ignored"] = kept(margins, b / design.sensitivity, c / design.sensitivity)
    if design.threshold != 0:
        laws["threshold-ignored"] = kept(np.array(design.utilities) / design.sensitivity, b, c)
    if design.constant:
        laws |= _wrong_order(margins, b, c)
    else:
        laws |= _wrong_epsilons(margins, epsilons, design.variant.scales)
        if design.rounds >= MANY_ROUNDS:
            laws |= _walked_wrong(margins, b, c)
    claimed = claimed_law(design)
    laws["rounds-counted-from-0"] = np.append(claimed[1:-1], [0.0, claimed[0] + claimed[-1]])
    return {name: made_law(law) for name, law in laws.items()}


def _scales(design: Design) -> tuple[Floats, Floats]:
    """Scales of the threshold's and of the queries' noise in each round, in units of Δ."""
    epsilons = np.array(design.epsilons)
    return design.variant.scales[0] / epsilons, design.variant.scales[1] / epsilons


@lru_cache(maxsize=1024)
def redrawn_law(design: Design) -> Floats:
    """The law when the threshold noise is drawn anew in every round."""
    margins = (np.array(design.utilities) - design.threshold) / design.sensitivity
    return made_law(_redrawn(margins, *_scales(design)))


def _wrong_noise(margins: Floats, b: Floats, c: Floats, kept: Law, constant: bool) -> dict[str, Floats]:
    """Scales halved, doubled, exchanged or missing; the scales of the law are b and c, usually 2/ε and 4/ε."""
    laws = {
        "query-noise-halved": kept(margins, b, c / 2),
        "threshold-noise-halved": kept(margins, b / 2, c),
        "threshold-noise-redrawn": _redrawn(margins, b, c),
        "no-threshold-noise": _redrawn(margins, 0 * b, c),
        "no-noise-at-all": from_survival((np.maximum.accumulate(margins) < 0).astype(np.float64)),
        "query-noise-doubled": kept(margins, b, 2 * c),
        "both-noises-halved": kept(margins, b / 2, c / 2),
        "both-noises-doubled": kept(margins, 2 * b, 2 * c),
    }
    if constant:
        laws |= {
            "query-deviation-for-scale": kept(margins, b, c / math.sqrt(2)),
            "threshold-noise-doubled": kept(margins, 2 * b, c),
            "noises-exchanged": kept(margins, c, b),
            "comparison-reversed": kept(-margins, b, c),
            "normal-query-noise": _gaussian_queries(margins, b, c),
            "normal-threshold-noise": _gaussian_threshold(margins, b, c),
        }
        if c[0] > b[0]:
            laws["threshold-and-query-share"] = _shared_first(margins, b, c)
    return laws


def _wrong_order(margins: Floats, b: Floats, c: Floats) -> dict[str, Floats]:
    """Noise drawn once or not at all, and utilities taken from the wrong round (constant ε)."""
    highest = np.maximum.accumulate(margins)
    silent = np.where(highest < 0, 1 - 0.5 * np.exp(-np.abs(highest) / b), 0.5 * np.exp(-np.abs(highest) / b))
    at_once = np.exp(np.array([_redrawn_survival(a, b[0], c[0]) for a in highest]))
    return {
        "no-query-noise": from_survival(silent),
        "query-noise-drawn-once": from_survival(at_once),
        "utility-one-round-late": _kept(np.append(margins[0], margins[:-1]), b, c),
        "utility-one-round-early": _kept(np.append(margins[1:], margins[-1]), b, c),
    }


def _wrong_epsilons(margins: Floats, epsilons: Floats, scales: tuple[float, float]) -> dict[str, Floats]:
    """ε of a wrong round, and threshold noise that is not reduced as the process says (rising ε)."""
    stale = np.append(epsilons[0], epsilons[:-1])
    a, q = scales
    b, c = a / epsilons, q / epsilons
    early = np.append(epsilons[1:], epsilons[-1])
    first, last = np.full_like(b, epsilons[0]), np.full_like(b, epsilons[-1])
    return {
        "epsilon-one-round-late": _reduced(margins, a / stale, q / stale),
        "query-epsilon-one-round-late": _reduced(margins, b, q / stale),
        "threshold-epsilon-one-round-late": _reduced(margins, a / stale, c),
        "epsilon-one-round-early": _reduced(margins, a / early, q / early),
        "query-epsilon-one-round-early": _reduced(margins, b, q / early),
        "no-query-noise": _reduced(margins, b, HARDLY * c),
        "first-epsilon-throughout": _kept(margins, a / first, q / first),
        "last-epsilon-throughout": _kept(margins, a / last, q / last),
        "query-noise-never-reduced": _reduced(margins, b, q / first),
        "threshold-noise-never-reduced": _kept(margins, a / first, c),
        "threshold-noise-of-last-epsilon": _kept(margins, a / last, c),
        "query-noise-of-last-epsilon": _reduced(margins, b, q / last),
        "threshold-noise-rescaled": _kept(margins, b, c),
        "threshold-noise-redrawn-with-epsilon": _redrawn_at_changes(margins, b, c),
    }


def _reduced(margins: Floats, b: Floats, c: Floats) -> Floats:
    return np.exp(log_halting_law(margins, b, c).astype(np.float64))


def _redrawn(margins: Floats, b: Floats, c: Floats) -> Floats:
    return np.exp(log_halting_law_redrawn(margins, b, c).astype(np.float64))


def _redrawn_at_changes(margins: Floats, b: Floats, c: Floats) -> Floats:
    """Stretches of equal ε are independent: the survival of each multiplies that of those before."""
    survival: list[float] = []
    for stretch in np.split(np.arange(b.size), np.flatnonzero(np.diff(b)) + 1):
        law = _kept(margins[stretch], b[stretch], c[stretch])
        before = survival[-1] if survival else 1.0
        survival += (before * (1 - np.cumsum(law[:-1]))).tolist()
    return from_survival(np.array(survival))


def _walked_wrong(margins: Floats, b: Floats, c: Floats) -> dict[str, Floats]:
    """Threshold noise that changes from round to round by a wrong rule: simulated, for want of a form.

    Any law fixed in advance is a fair alternative; the bins get half a run each so that none is empty.
    """
    rng = np.random.default_rng(0)
    survivals: dict[str, Floats] = {}
    for _ in range(SIMULATED // AT_ONCE):
        for name, levels in _wrong_walks(b, rng).items():
            kept = np.cumprod(laplace_cdf((levels - margins) / c), axis=1).sum(axis=0)
            survivals[name] = survivals.get(name, 0.0) + kept
    return {name: SIMULATED * from_survival(kept / SIMULATED) + 0.5 for name, kept in survivals.items()}


def _wrong_walks(b: Floats, rng: np.random.Generator) -> dict[str, Floats]:
    """Threshold noise (runs, rounds) of the right scales: walked up from the last one, staying with probability r for
    r²; a Brownian path with the variances 2b²; kept with probability r², else drawn anew."""
    ratios, shape = b[1:] / b[:-1], (AT_ONCE, b.size)
    jumps = rng.laplace(0.0, b, shape)
    jumps[:, :-1] *= rng.random((AT_ONCE, ratios.size)) >= ratios
    steps = rng.standard_normal(shape) * np.sqrt(2 * -np.diff(b**2, append=0.0))
    drawn = np.ones(shape, dtype=bool)
    drawn[:, 1:] = rng.random((AT_ONCE, ratios.size)) >= ratios**2
    since = np.maximum.accumulate(np.where(drawn, np.arange(b.size), 0), axis=1)
    return {
        "threshold-wrong-stay-probability": _summed_back(jumps),
        "normal-threshold-noise": _summed_back(steps),
        "threshold-noise-by-coin": np.take_along_axis(rng.laplace(0.0, b, shape), since, axis=1),
    }


def _summed_back(steps: Floats) -> Floats:
    """Σ of this step and all later ones."""
    return steps[:, ::-1].cumsum(axis=1)[:, ::-1]


def _redrawn_survival(margin: float, b: float, c: float) -> float:
    return float(log_halting_law_redrawn([margin], [b], [c])[-1])


def _kept(margins: Floats, b: Floats, c: Floats) -> Floats:
    """One standard Laplace number L for the whole run, threshold noise b_n L in round n: P(N > n) = E Π P(ξ < bL − a).

    For equal b this is threshold noise that is kept, by composite quadrature over L.
    """
    level, weight = levels_of(margins / b, min(1.0, float((c / b).min())))
    below = laplace_cdf((np.outer(b, level) - margins[:, None]) / c[:, None])
    return from_survival(np.cumprod(below, axis=0) @ weight)


def _gaussian_queries(margins: Floats, b: Floats, c: Floats) -> Floats:
    """Threshold noise that is kept, and normal query noise of the right variance 2c²."""
    level, weight = levels_of(margins / b, min(1.0, float((c / b).min())))
    below = ndtr((np.outer(b, level) - margins[:, None]) / (math.sqrt(2) * c[:, None]))
    return from_survival(np.cumprod(below, axis=0) @ weight)


def _gaussian_threshold(margins: Floats, b: Floats, c: Floats) -> Floats:
    """Normal threshold noise of the right variance 2b² that is kept, and Laplace query noise."""
    width = math.sqrt(2) * float(b[0])
    finest = min(1.0, float(c.min()) / width)
    level, lengths = nodes(9.0, margins / width, finest)
    weight = lengths * np.exp(-0.5 * level**2) / math.sqrt(2 * math.pi)
    below = laplace_cdf((width * level - margins[:, None]) / c[:, None])
    return from_survival(np.cumprod(below, axis=0) @ weight)


def _shared_first(margins: Floats, b: Floats, c: Floats) -> Floats:
    """Threshold bL and first query noise cL from the same number: no halt in round 1 where a + cL < bL."""
    corner = -margins[0] / (c[0] - b[0])
    level, weight = levels_of(np.append(margins / b, corner), min(1.0, float((c / b).min())))
    below = laplace_cdf((np.outer(b, level) - margins[:, None]) / c[:, None])
    below[0] = level < corner
    return from_survival(np.cumprod(below, axis=0) @ weight)


def levels_of(corners: Floats, finest: float) -> tuple[Floats, Floats]:
    """Nodes and weights for an expectation over a standard Laplace number, composite between corners."""
    level, lengths = nodes(40.0, np.append(corners, 0.0), finest)
    return level, lengths * 0.5 * np.exp(-np.abs(level))


def laplace_cdf(x: Floats) -> Floats:
    """P(L ≤ x) of a standard Laplace number."""
    tail = 0.5 * np.exp(-np.abs(x))
    return np.where(x < 0, tail, 1 - tail)


def from_survival(survival: Floats) -> Floats:
    """The law of the round from the probabilities of no halt up to each."""
    return np.append(-np.diff(np.append(1.0, survival)), survival[-1])


def made_law(law: Floats) -> Floats:
    """Not negative, and of total 1."""
    positive = np.maximum(law, 0.0)
    return np.asarray(positive / positive.sum())
