"""Diagnosis: the faulty recursion, or the wrong constant, that fits the second moments of the noise, and what it gives.

It decides no verdict. Faults are compared by Gaussian quasi-likelihood, which asks for no more than second moments; the
best is named only where it fits, position by position.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, permutations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.faults import Fault
from nrverify.auditing.core.faults.recursion import ALL_SCALED, FIRST_SCALED, STEP_FACTOR, STEPS_SCALED
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.suspect import Suspect
from nrverify.auditing.noise_reduction.diagnosis.factors import Factors, claimed_noise, innovations, log_likelihood
from nrverify.auditing.noise_reduction.diagnosis.faulty_recursions import (
    RECURSIONS,
    TIED,
    UNREPEATED,
    Variance,
    bridged,
)
from nrverify.auditing.noise_reduction.diagnosis.moments import Moments, Seen
from nrverify.auditing.noise_reduction.diagnosis.pricing import Weighed, limit, price
from nrverify.auditing.noise_reduction.diagnosis.step_factor import step_factor
from nrverify.subjects.description import Description

Floats = NDArray[np.float64]

SINGULAR = 1e-6
"""A release with no larger a share of variance of its own follows from those before (close times swell the jitter)."""
LEAST_GAIN, FITTED = 15.0, 3.0
"""Log-likelihood by which a fault must beat the claim to be named, and by which a fitted constant is held back."""
EXPLAINED, PLENTY = 0.7, 60.0
"""The share of the evidence of the bets that a fault must explain, up to so many nats: steps between close times, of
which the diagnosis takes no notice, can have hundreds."""
FITS = (0.75, 1.33)
"""What fits has pooled variances of its innovations within these, beyond what chance explains."""
NEAR, MOST_NAMED = 2.0, 3
"""Log-likelihood within which faults are hardly told apart, and how many are named."""
LARGEST_CORRELATION = 0.2
"""Of two innovations in a row, for what fits."""
CLOSE, CLOSE_JUMPS = 1e-4, 0.01
"""Logarithms of times closer than these are close, of normal noise and of noise that jumps."""
FEWEST_SAMPLES = 30
"""Sessions and coordinates below which second moments tell nothing."""
SMALLEST = 1e-6
"""No constant is smaller: that is a step without noise, which is a fault of its own."""


def suspect_of(
    results: Sequence[CheckResult],
    moments: Moments | None,
    description: Description,
    alpha: float = 1e-6,
    claims: Mapping[float, float] | None = None,
) -> Suspect | None:
    """The fault that explains the second moments, where something is refuted and it explains the evidence.

    Its price is computed at the confidence limit of α, against the ε's behind times (`claims`) with an ε-knob.
    """
    if moments is None or not any(result.verdict is CheckVerdict.REFUTED for result in results):
        return None
    rate, family = description.rate or 1.0, description.family
    known = family.variance
    if known is None:
        return None

    def variance(times: Floats) -> Floats:
        return known(times, rate)

    found = diagnosed(moments, variance, family.increments, Claimed(description, alpha, claims or {}))
    bets = [result.statistic or 0.0 for result in results if result.decisive]
    evidence = min(max([0.0, *bets]), PLENTY)
    return found if found is not None and found.gain >= EXPLAINED * evidence else None


@dataclass(frozen=True)
class Claimed:
    """What a fault is priced against."""

    description: Description
    alpha: float
    claims: Mapping[float, float]


def diagnosed(moments: Moments, variance: Variance, normal: bool, claimed_by: Claimed | None = None) -> Suspect | None:
    """The fault that fits best, if it beats the claim and fits; None where none does.

    A fault of one method alone is looked for where the noise of the other method is as claimed.
    """
    from threadpoolctl import threadpool_limits

    # Small matrices with a thread per core take three times as long, and ten times in audits side by side.
    with threadpool_limits(1):
        return _diagnosed_by_method(moments, Factors(variance), normal, claimed_by)


def _diagnosed_by_method(
    moments: Moments, factors_of: Factors, normal: bool, claimed_by: Claimed | None
) -> Suspect | None:
    found = _diagnosed(moments, factors_of, normal, claimed_by)
    if len(moments.methods) == 2:
        for wrong, right in permutations(moments.methods):
            alone = _diagnosed(moments.of(wrong), factors_of, normal, claimed_by)
            if alone is None or alone.gain <= (found.gain if found is not None else 0.0) + FITTED:
                continue
            if _as_claimed(moments.of(right), factors_of, normal):
                return alone
    return found


def _as_claimed(moments: Moments, factors_of: Factors, normal: bool) -> bool:
    """Whether there are sums enough, and no fault beats the claim."""
    fitted, seen = _fitted(moments, factors_of, normal)
    return sum(one.count for one in seen) >= FEWEST_SAMPLES and fitted[0].fault is None


def _fitted(moments: Moments, factors_of: Factors, normal: bool) -> tuple[list[_Fitted], list[Seen]]:
    """The claim and all faults, those that fit best first, and the sums that they were fitted to."""
    seen = [one for one in moments.seen() if _regular(factors_of.variance, one.times, normal)]
    if sum(one.count for one in seen) < FEWEST_SAMPLES:
        return [], []
    claimed = factors_of(claimed_noise, seen)
    base = log_likelihood(seen, claimed)
    fitted = [_Fitted(None, claimed, LEAST_GAIN)]
    for one in _suspected(seen, factors_of, claimed, normal):
        fitted.append(replace(one, gain=log_likelihood(seen, one.factors) + one.gain - base))
    return sorted(fitted, key=lambda one: one.gain, reverse=True), seen


def _diagnosed(moments: Moments, factors_of: Factors, normal: bool, claimed_by: Claimed | None) -> Suspect | None:
    fitted, seen = _fitted(moments, factors_of, normal)
    if not fitted:
        return None
    best = fitted[0]
    if best.fault is None or not _fits(seen, best.factors):
        return None
    near = [one for one in fitted[1:MOST_NAMED] if one.gain > best.gain - NEAR and one.fault is not None]
    shown = [one for one in (best, *near) if one is best or _fits(seen, one.factors)]
    named = {one.fault: one.ratio for one in shown}
    suspect = Suspect(
        tuple(fault for fault in named if fault is not None),
        {fault.id: ratio for fault, ratio in named.items() if fault is not None and ratio is not None},
        max(float(np.max(part)) for _, part in _weighed(best, seen, factors_of, normal, None).precisions),
        best.gain,
        normal,
        redraws_repeated=best.fault in UNREPEATED,
        ties=best.fault in TIED,
        words={one.fault.id: one.words for one in shown if one.fault is not None and one.words},
    )
    if claimed_by is None:
        return suspect
    weighed = [_weighed(one, seen, factors_of, normal, claimed_by.alpha) for one in shown]
    return replace(suspect, priced=price(weighed, claimed_by.description, claimed_by.claims, normal))


def _weighed(one: _Fitted, seen: list[Seen], factors_of: Factors, normal: bool, alpha: float | None) -> Weighed:
    """A fault with the precisions of its releases; with α its constant is taken to its confidence limit first."""
    assert one.fault is not None
    ratio, factors = one.ratio, one.factors
    if ratio is not None and alpha is not None and one.fault in (ALL_SCALED, FIRST_SCALED, STEPS_SCALED):
        count = _counted(one.fault, seen)
        ratio = limit(ratio, count, normal, alpha)
        claimed = factors_of(claimed_noise, seen)
        factors = [_scaled(factor, one.fault, ratio) for factor in claimed]
    found = [
        (known.times, _precisions(known, factor, factors_of.variance))
        for known, factor in zip(seen, factors, strict=True)
    ]
    return Weighed(one.fault, ratio, found)


def _counted(fault: Fault, seen: list[Seen]) -> int:
    """How many independent numbers a fitted constant rests on."""
    firsts = sum(one.count for one in seen)
    laters = sum(one.count * (one.times.size - 1) for one in seen)
    return firsts if fault == FIRST_SCALED else laters if fault == STEPS_SCALED else firsts + laters


def _scaled(factor: Floats, fault: Fault, ratio: float) -> Floats:
    """The factor of the claim with all noise, its first release or its steps of this variance over the claimed one."""
    first, later = (1.0 if fault == STEPS_SCALED else ratio), (1.0 if fault == FIRST_SCALED else ratio)
    return np.asarray(factor * np.sqrt(np.append(first, np.full(len(factor) - 1, later))))


@dataclass(frozen=True)
class _Fitted:
    """A fault (None for the claim), the factors of its noise for each schedule, and what it gains over the claim."""

    fault: Fault | None
    factors: list[Floats]
    gain: float
    ratio: float | None = None
    """The constant that was fitted, if one was."""
    words: str = ""
    """What was fitted, where that is a formula."""


def _suspected(seen: list[Seen], factors_of: Factors, claimed: list[Floats], normal: bool) -> Iterator[_Fitted]:
    """Faults with their factors; what they gain so far is minus what holds them back."""
    for fault, recursion in RECURSIONS.items():
        yield _Fitted(fault, factors_of(recursion, seen), 0.0)
    yield from _constants(seen, claimed, normal)
    if normal:
        yield from _powers(seen, claimed)


def _powers(seen: list[Seen], claimed: list[Floats]) -> Iterator[_Fitted]:
    """Steps whose variance is wrong by powers of their two times."""
    steps = []
    for one, products in zip(seen, innovations(seen, claimed), strict=True):
        ratios = np.diag(products)[1:] / one.count
        steps += [
            (float(t), float(s), one.count, float(r)) for (t, s), r in zip(pairwise(one.times), ratios, strict=True)
        ]
    found = step_factor(steps)
    if found is None:
        return
    factors = []
    for one, factor in zip(seen, claimed, strict=True):
        keeps = one.times[1:] / one.times[:-1]
        right = np.sqrt(one.times[1:] * (1 - keeps))
        factors.append(bridged(float(factor[0, 0]), keeps, right * np.sqrt(found.at(one.times))))
    yield _Fitted(STEP_FACTOR, factors, -found.cost, words=found.words)


def _constants(seen: list[Seen], claimed: list[Floats], normal: bool) -> Iterator[_Fitted]:
    """All noise too large or small by one factor; of normal noise the first release alone, or the steps alone.

    Counts are thinned and jumps are taken or not: their steps have no constant.
    """
    squares = [np.diag(products) for products in innovations(seen, claimed)]
    first, later = sum(s[0] for s in squares), sum(s[1:].sum() for s in squares)
    firsts, laters = sum(one.count for one in seen), sum(one.count * (one.times.size - 1) for one in seen)
    alike = float((first + later) / (firsts + laters))
    if alike <= SMALLEST:
        # Without noise there is nothing to compare: other checks say so.
        return
    yield _Fitted(ALL_SCALED, [np.sqrt(alike) * factor for factor in claimed], -FITTED, alike)
    if not normal or not laters or min(first / firsts, later / laters) <= SMALLEST:
        return
    for fault, of_first, of_later in (
        (FIRST_SCALED, float(first / firsts), 1.0),
        (STEPS_SCALED, 1.0, float(later / laters)),
    ):
        factors = []
        for factor in claimed:
            scales = np.sqrt(np.append(of_first, np.full(len(factor) - 1, of_later)))
            factors.append(factor * scales)
        yield _Fitted(fault, factors, -FITTED, of_first * of_later)


def _fits(seen: list[Seen], factors: list[Floats]) -> bool:
    """Whether innovations have variance 1 at each position, and none follows the one before."""
    longest = max(one.times.size for one in seen)
    squares, counts, lagged, pairs = np.zeros(longest), np.zeros(longest), 0.0, 0
    for one, factor, products in zip(seen, factors, innovations(seen, factors), strict=True):
        k = one.times.size
        # Where a release follows from those before there is no innovation, and what is there is below the jitter.
        singular = np.diag(factor) ** 2 <= SINGULAR * (factor**2).sum(axis=1)
        squares[:k] += np.maximum(np.diag(products), np.where(singular, one.count, 0.0))
        counts[:k] += one.count
        lagged += float(np.diag(products, 1).sum())
        pairs += one.count * (k - 1)
    # Squares of Laplace noise vary about five times their mean squared.
    chance = 4 * np.sqrt(5 / counts)
    ratios = squares / counts
    within = (ratios > FITS[0] - chance) & (ratios < FITS[1] + chance)
    return bool(within.all()) and abs(lagged) <= LARGEST_CORRELATION * pairs + 4 * np.sqrt(pairs)


def _precisions(one: Seen, factor: Floats, variance: Variance) -> Floats:
    """1ᵀΣ⁻¹1 of the releases up to each one, times the variance that was paid for there."""
    from scipy.linalg import solve_triangular

    informative = np.cumsum(solve_triangular(factor, np.ones(one.times.size), lower=True) ** 2)
    return np.asarray(informative * variance(one.times))


def _regular(variance: Variance, times: Floats, normal: bool) -> bool:
    """Whether second moments tell something: any bias swamps a tiny step, and rare jumps have no useful ones."""
    apart = bool(np.all(np.diff(np.log(times)) < -(CLOSE if normal else CLOSE_JUMPS)))
    return apart and bool(np.all(np.isfinite(variance(times))) and min(times) > 0)
