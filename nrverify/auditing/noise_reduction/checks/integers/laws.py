"""Named faults of integer noise as exact likelihood ratios: samplers go wrong in few ways, and all of them are laws.

A walk in growing time has independent steps, so one bet reads whole transcripts of a schedule fixed in advance: from
s to t the noise stays with a known weight or moves by a draw at t, and what is wrong is the draw, or the weight.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, logsumexp

from nrverify.auditing.core.bets.named_alternatives import FLOOR, LARGEST_LOG_RATIO
from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.faults import Fault, alternative
from nrverify.auditing.core.faults.noise import (
    CLIPPED,
    ROUNDED_NORMALS,
    WRONG_SCALE,
    WRONG_SHAPE,
    WRONG_STAY_PROBABILITY,
)
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.laws.discrete_gaussian import log_normaliser

Floats = NDArray[np.float64]

STEPS = Topic("law of the steps between releases, in growing time", WRONG_SHAPE)
FIRST = Topic("law of the first release", WRONG_SHAPE, alone=True)
FRACTIONS = (1, 2, 4, 8, 10, 16)
"""Denominators of a parameter that is rounded to a fraction; errors of finer ones are below a per cent."""
LAPLACE_CUTS, GAUSSIAN_CUTS = (4.0, 6.0, 10.0), (3.0, 4.0, 6.0)
"""Scales, and deviations, beyond which noise is drawn again."""


def _named(id: str, title: str, fault: Fault) -> str:
    return alternative(f"integers-{id}", title, fault).id


ZERO_TWICE = _named("zero-twice", "0 drawn with either sign, and so twice as often", WRONG_SHAPE)
ROUNDED = _named("rounded-laplace", "Laplace noise rounded to integers", WRONG_SHAPE)
ROUNDED_NORMAL = _named("rounded-normal", "normal noise rounded to integers", ROUNDED_NORMALS)
UNCENTRED = _named("uncentred", "a rejection that is not centred", WRONG_SHAPE)
RECURSION = _named("continuous-stay", "the weight (s/t)² of continuous noise for staying", WRONG_STAY_PROBABILITY)
OF_FRACTION = tuple(
    _named(f"fraction-{most}", f"a parameter rounded to fractions with denominators up to {most}", WRONG_SCALE)
    for most in FRACTIONS
)
WHOLE_DEVIATION = tuple(
    _named(f"deviation-{way}", f"a deviation rounded {way}", WRONG_SCALE) for way in ("to an integer", "up")
)
CUT_LAPLACE = tuple(_named(f"cut-at-{most:g}-scales", f"none beyond {most:g} scales", CLIPPED) for most in LAPLACE_CUTS)
CUT_GAUSSIAN = tuple(
    _named(f"cut-at-{most:g}-deviations", f"none beyond {most:g} deviations", CLIPPED) for most in GAUSSIAN_CUTS
)

DRAWS: dict[str, tuple[str, ...]] = {
    "discrete-laplace": (ZERO_TWICE, ROUNDED, *CUT_LAPLACE, *OF_FRACTION),
    "discrete-gaussian": (ZERO_TWICE, ROUNDED_NORMAL, UNCENTRED, *WHOLE_DEVIATION, *CUT_GAUSSIAN, *OF_FRACTION),
}
"""By mechanism the ids of wrong draws, in the order of their weights."""


def names(mechanism: str, steps: bool) -> tuple[str, ...]:
    """The alternatives of single releases, or of the steps of a walk."""
    return (*DRAWS[mechanism], RECURSION) if steps else DRAWS[mechanism]


def first_ratios(mechanism: str, batch: Batch) -> dict[str, float]:
    """Σ log of the alternatives' weights over those claimed, of the first releases of all sessions."""
    assert batch.times is not None
    times, total = batch.times[:, 0], np.zeros(len(DRAWS[mechanism]))
    for t in np.unique(times).tolist():
        sizes, often = np.unique(np.abs(batch.noise[times == t, 0]), return_counts=True)
        right, *wrong = WEIGHTS[mechanism](t, sizes)
        total += _floored(np.array(wrong) - right) @ often
    return dict(zip(DRAWS[mechanism], total.tolist(), strict=True))


def step_ratios(mechanism: str, batch: Batch) -> dict[str, float]:
    """The same of the steps in growing time of sessions with one schedule."""
    total = np.zeros(len(DRAWS[mechanism]) + 1)
    for s, t, steps in _steps(batch):
        sizes, often = np.unique(np.abs(steps), return_counts=True)
        right, *wrong = WEIGHTS[mechanism](t, sizes)
        stay, stay_wrong = (stays(s, t), (s / t) ** 2) if s else (0.0, 0.0)
        claimed = _stepped(right, sizes, stay)
        others = [*(_stepped(draw, sizes, stay) for draw in wrong), _stepped(right, sizes, stay_wrong)]
        total += _floored(np.array(others) - claimed) @ often
    return dict(zip(names(mechanism, True), total.tolist(), strict=True))


def _steps(batch: Batch) -> Iterator[tuple[float, float, Floats]]:
    """Where time passes: the times of a step and what was moved; from 0 to the least noisy release first."""
    assert batch.times is not None
    times, noise = batch.times[0, ::-1].tolist(), batch.noise[:, ::-1]
    s = 0.0
    before: Floats = np.zeros_like(noise[:, 0])
    for place, t in enumerate(times):
        if t > s:
            yield s, t, noise[:, place] - before
        s, before = t, noise[:, place]


def stays(s: float, t: float) -> float:
    """The weight of staying, c(p_s)/c(p_t) with c(p_t) = 1/4sinh²(1/2t)."""
    return math.exp(1 / t - 1 / s) * (math.expm1(-1 / t) / math.expm1(-1 / s)) ** 2


def _stepped(draw: Floats, sizes: Floats, stay: float) -> Floats:
    with np.errstate(divide="ignore"):
        moved = draw + np.log1p(-stay)
        return np.asarray(np.where(sizes == 0, np.logaddexp(moved, np.log(stay)), moved))


def _floored(log_ratios: Floats) -> Floats:
    return np.asarray(np.log(FLOOR + (1 - FLOOR) * np.exp(np.minimum(log_ratios, LARGEST_LOG_RATIO))))


def _laplace_weights(t: float, sizes: Floats) -> Sequence[Floats]:
    """log-pmf of the draw claimed and of each wrong one, at these sizes."""
    right = math.log(math.tanh(0.5 / t)) - sizes / t
    rounded = np.where(sizes == 0, math.log(-math.expm1(-0.5 / t)), math.log(math.sinh(0.5 / t)) - sizes / t)
    # Beyond m there is 2p^(m+1)/(1+p).
    cuts = [
        _cut(right, sizes, most, 2 * math.exp(-(most + 1) / t) / (1 + math.exp(-1 / t)))
        for most in (max(1, math.ceil(limit * t)) for limit in LAPLACE_CUTS)
    ]
    scales = np.array(_fractions(t))[:, None]
    moved = np.log(np.tanh(0.5 / scales)) - sizes / scales
    return [right, _twice(right, sizes, math.tanh(0.5 / t)), rounded, *cuts, *moved]


def _gaussian_weights(t: float, sizes: Floats) -> Sequence[Floats]:
    deviation = math.sqrt(t)
    whole = (float(max(round(deviation), 1)) ** 2, float(math.ceil(deviation)) ** 2)
    parameters = np.array([t, *whole, *_fractions(t)])
    right, *moved = -(sizes**2) / (2 * parameters[:, None]) - log_normaliser(parameters)[:, None]
    cell = _cell(sizes, deviation)
    tilted = -sizes / (math.floor(deviation) + 1) - sizes**2 / (2 * t) - _tilted_total(t)
    cuts = []
    for limit in GAUSSIAN_CUTS:
        most = max(1, math.ceil(limit * deviation))
        cuts.append(_cut(right, sizes, most, _beyond(t, most)))
    zero = math.exp(-float(log_normaliser(np.array([t]))[0]))
    return [right, _twice(right, sizes, zero), cell, tilted, *moved[:2], *cuts, *moved[2:]]


WEIGHTS: dict[str, Callable[[float, Floats], Sequence[Floats]]] = {
    "discrete-laplace": _laplace_weights,
    "discrete-gaussian": _gaussian_weights,
}
"""By mechanism: the log-weights of the draw claimed, and of each of `DRAWS`."""


def _twice(right: Floats, sizes: Floats, zero: float) -> Floats:
    return np.asarray(right + np.where(sizes == 0, math.log(2), 0.0) - math.log1p(zero))


def _cut(right: Floats, sizes: Floats, most: int, beyond: float) -> Floats:
    return np.where(sizes <= most, right - math.log1p(-beyond), -np.inf)


def _cell(sizes: Floats, deviation: float) -> Floats:
    """log P(a normal number is rounded to each size), by its upper tail."""
    inner, outer = log_ndtr(-(sizes - 0.5) / deviation), log_ndtr(-(sizes + 0.5) / deviation)
    return np.asarray(inner + np.log1p(-np.exp(outer - inner)))


@lru_cache(maxsize=4096)
def _fractions(t: float) -> tuple[float, ...]:
    """The parameter rounded to fractions; none becomes 0."""
    exact = Fraction(t)
    return tuple(float(exact.limit_denominator(most)) or 1 / most for most in FRACTIONS)


def _right_weights(t: float) -> tuple[Floats, Floats]:
    """Sizes as far as a double adds anything, and −j²/2t; each sign by itself."""
    sizes = np.arange(math.ceil(12 * math.sqrt(t)) + 13.0)
    return sizes, -(sizes**2) / (2 * t)


@lru_cache(maxsize=4096)
def _tilted_total(t: float) -> float:
    sizes, weights = _right_weights(t)
    weights = weights - sizes / (math.floor(math.sqrt(t)) + 1)
    return float(logsumexp(np.concatenate([weights, weights[1:]])))


@lru_cache(maxsize=4096)
def _beyond(t: float, most: int) -> float:
    """P(|X| > most) of a discrete Gaussian number."""
    _, weights = _right_weights(t)
    tail = weights[most + 1 :]
    return float(2 * np.exp(tail - log_normaliser(np.array([t]))[0]).sum())
