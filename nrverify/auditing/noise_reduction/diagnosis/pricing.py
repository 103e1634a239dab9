"""What a fault that fits the second moments means for privacy: its loss at the confidence limit, beside the claim.

For normal noise the releases up to a time t, weighed as well as possible, lose what one release at time t over their
precision would: all is known. Laplace noise of another scale, or drawn afresh, has a known loss too. Elsewhere a bound
is used: an unbiased estimate of variance v loses at least Δ/√v for small Δ (Hammersley, Chapman and Robbins), and
Laplace noise at time t may lose Δ/t.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from nrverify.auditing.core.effects import IDEAL, Priced
from nrverify.auditing.core.faults import Effect, Fault
from nrverify.auditing.core.faults.recursion import ALL_FRESH, ALL_SCALED, TIME_FOR_DEVIATION, TIME_FOR_VARIANCE
from nrverify.auditing.noise_reduction.diagnosis.count_losses import excess_of_rate, least_renyi, renyi_of_counts
from nrverify.auditing.noise_reduction.epsilon.judgement import ClaimJudge
from nrverify.laws.divergence import gaussian_hockey_stick
from nrverify.statistics.anytime import mean_limits, normal_half_width
from nrverify.subjects.description import Description
from nrverify.subjects.guarantees import DP, guarantee_of

Floats = NDArray[np.float64]

EXACTLY = 1e6
"""With so many times the precision paid for, the value is as good as known."""
ROUNDING = 1e-6
"""Above the error of the linear algebra behind a precision, which must not turn an exact 1 into a leak; any excess that
matters to an attacker is far larger."""
OTHER_SPREAD = 5.0
"""The variance of a square over its mean squared, of Laplace noise, which has more than counts."""
SLACK = 2.0
"""Precision that proves a larger loss whatever the law: Laplace noise has half the precision that its loss allows, and
counts of variance 2 or more have nearly all."""


@dataclass(frozen=True)
class Weighed:
    """A fault that fits, at the confidence limit of its constant: what all releases up to each one tell together."""

    fault: Fault
    ratio: float | None
    """The constant at its limit nearest to 1; None of a fault without one."""
    precisions: Sequence[tuple[Floats, Floats]]
    """For each schedule its times and, up to each release, the precision over that paid for."""

    @property
    def largest(self) -> float:
        """The largest precision."""
        return max(float(np.max(found)) for _, found in self.precisions)


def limit(ratio: float, count: float, normal: bool, alpha: float) -> float:
    """The end nearest to 1 of the confidence interval of a ratio of variances, 1 where it lies inside.

    It holds at every look: for normal noise exactly, for other noise in the limit of large samples.
    """
    if normal:
        low, high = mean_limits(ratio, 0.5 * max(count, 1.0), alpha)
    else:
        spread = math.exp(normal_half_width(max(count, 1.0) / OTHER_SPREAD, alpha))
        low, high = ratio / spread, ratio * spread
    return min(1.0, high) if ratio < 1 else max(1.0, low)


def price(weighed: Sequence[Weighed], description: Description, claims: Mapping[float, float], normal: bool) -> Priced:
    """What the faults mean that are hardly told apart; `claims` are the ε's behind times, with an ε-knob."""
    found = [_price(one, description, claims, normal) for one in weighed]
    if all(one.effect is Effect.LEAK for one in found):
        return min(found, key=lambda one: one.loss or 0.0)
    if all(one.effect is Effect.INACCURACY for one in found):
        return found[0]
    return next(one for one in found if one.effect is not Effect.LEAK) if len(found) == 1 else Priced(Effect.UNPROVED)


def _price(one: Weighed, description: Description, claims: Mapping[float, float], normal: bool) -> Priced:
    if one.fault == ALL_SCALED and one.ratio is not None and one.ratio > 1:
        return Priced(Effect.INACCURACY, why="the noise is the one claimed with independent noise added")
    if normal and one.largest <= 1 + ROUNDING and (one.ratio is None or one.ratio != 1.0):
        return Priced(Effect.INACCURACY, why="at the schedules asked, however the releases are weighed")
    if description.family.rated and description.knob == "time" and one.fault != TIME_FOR_VARIANCE:
        return _of_counts(one, description)
    excess = _excess(one, normal, description)
    if excess <= 1 + ROUNDING:
        return Priced(Effect.UNPROVED)
    if description.knob == "time":
        if excess > EXACTLY:
            return Priced(Effect.LEAK, math.inf, 1.0, "as two releases together betray the value exactly")
        return Priced(Effect.LEAK, excess, 1.0, IDEAL)
    return _against_claim(one, description, claims, normal)


def _excess(one: Weighed, normal: bool, description: Description) -> float:
    """The loss over the ideal one at the last time, as far as it is known."""
    if normal:
        return one.largest
    if description.family.pure:
        return max(float(np.max(_laplace_excess(one, *schedule))) for schedule in one.precisions)
    if one.fault == TIME_FOR_VARIANCE and description.family.rated:
        # Both counts then have the mean ½t, and not rate·t.
        rate = description.rate or 1.0
        return max(excess_of_rate(0.5 / rate, 2 * rate * times) for times, _ in one.precisions)
    return one.largest if one.largest > SLACK else 1.0


def _of_counts(one: Weighed, description: Description) -> Priced:
    """Counts move by one at least: what their precision proves of the divergence, beside that of the counts claimed."""
    rate, found = description.rate or 1.0, []
    for times, precisions in one.precisions:
        for time, precision in zip(times.tolist(), precisions.tolist(), strict=True):
            variance = 2 * rate * time
            least, claimed = least_renyi(precision / variance), renyi_of_counts(variance)
            found.append((least / claimed, least, claimed, time))
    ratio, least, claimed, time = max(found)
    if ratio <= 1 + ROUNDING:
        return Priced(Effect.UNPROVED)
    if ratio > EXACTLY:
        return Priced(Effect.LEAK, math.inf, 1.0, "as two releases together betray the value exactly")
    where = f"or more, for a change of the value by 1, after the release at time {time:.3g}"
    return Priced(Effect.LEAK, least, claimed, where, quantity="Rényi divergence of order 2")


def _laplace_excess(one: Weighed, times: Floats, precisions: Floats) -> Floats:
    """Up to each release the loss over Δ/t."""
    if one.fault == ALL_SCALED and one.ratio is not None:
        return np.full(times.size, 1 / math.sqrt(one.ratio))
    if one.fault == TIME_FOR_DEVIATION:
        return np.full(times.size, math.sqrt(2))
    if one.fault == ALL_FRESH:
        return np.cumsum(1 / times) * times
    return np.sqrt(precisions / SLACK)


def _against_claim(one: Weighed, description: Description, claims: Mapping[float, float], normal: bool) -> Priced:
    """With an ε-knob: the loss beside the ε, or the probability (or divergence) beside δ, where it is worst."""
    if not (normal or description.family.pure):
        return Priced(Effect.UNPROVED)
    found = []
    sensitivity, delta = description.sensitivity or 1.0, description.delta or 0.0
    for times, precisions in one.precisions:
        excess = None if normal else _laplace_excess(one, times, precisions)
        for index, time in enumerate(times.tolist()):
            epsilon = claims.get(time)
            if epsilon is None:
                continue
            if excess is not None:
                loss = float(excess[index]) * sensitivity / time
                found.append(pure_price(epsilon, loss))
            else:
                effective = time / float(precisions[index])
                found.append(normal_price(epsilon, effective, sensitivity, delta, guarantee_of(description) == DP))
    worst = max(found, key=lambda price: (price.loss or 0.0) / max(price.claim or 0.0, 1e-300), default=None)
    if worst is None or worst.loss is None or worst.claim is None or worst.loss <= worst.claim * (1 + ROUNDING):
        together = _of_all_looks(one, description, claims) if normal else None
        return together or Priced(Effect.UNPROVED, why="the claim has room for this fault at the schedules asked")
    return worst


def _of_all_looks(one: Weighed, description: Description, claims: Mapping[float, float]) -> Priced | None:
    """Noise that is the one claimed times a constant is that of other times: looking at all of them, the path of the
    loss passes some ε with a probability that is known. None where it is no more than δ."""
    if one.fault != ALL_SCALED or one.ratio is None or guarantee_of(description) == DP or description.granularity:
        return None
    judge = ClaimJudge(description.mechanism, description.sensitivity or 1.0, description.delta or 0.0)
    found = judge.at_own_times({epsilon: one.ratio * time for time, epsilon in claims.items()})
    if found.failure <= judge.most * (1 + ROUNDING):
        return None
    where = f"at one of {len(claims)} looks"
    return Priced(Effect.LEAK, found.failure, judge.delta, where, quantity="probability of a loss above the ε asked")


def pure_price(epsilon: float, loss: float) -> Priced:
    """A loss in all beside the ε claimed."""
    return Priced(Effect.LEAK, loss, epsilon, "in all")


def normal_price(epsilon: float, time: float, sensitivity: float, delta: float, dp: bool) -> Priced:
    """Of one release of normal noise of this variance: the divergence, or the probability of a loss above ε."""
    if dp:
        found = float(gaussian_hockey_stick(epsilon, shift=sensitivity, time=time))
        return Priced(Effect.LEAK, found, delta, f"at ε = {epsilon:.4g}", quantity="hockey-stick divergence")
    root = math.sqrt(time)
    found = float(ndtr(0.5 * sensitivity / root - epsilon * root / sensitivity))
    where = f"at ε = {epsilon:.4g}"
    return Priced(Effect.LEAK, found, delta, where, quantity="probability of a loss above ε")
