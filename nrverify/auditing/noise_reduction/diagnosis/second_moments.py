"""Diagnosis: the faulty recursion, or the wrong constant, that fits the second moments of the noise, and what it gives.

It decides no verdict. Faults are compared by Gaussian quasi-likelihood, which asks for no more than second moments; the
best is named only where it fits, position by position.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from threadpoolctl import threadpool_limits

from nrverify.auditing.core.check import Check
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.diagnosis.faulty_recursions import RECURSIONS, Variance, walked
from nrverify.subjects.description import Description

Floats = NDArray[np.float64]

MOST_SCHEDULES = 400
JITTER = 1e-9
"""A covariance may be singular: one number for all releases. Its variances are raised by this share."""
SINGULAR = 1e-6
"""A release with no larger a share of variance of its own follows from those before (close times swell the jitter)."""
LEAST_GAIN, FITTED = 15.0, 3.0
"""Log-likelihood by which a fault must beat the claim to be named, and by which a fitted constant is held back."""
EXPLAINED, PLENTY = 0.7, 60.0
"""The share of the evidence of the bets that a fault must explain, up to so many nats: steps between close times, of
which the diagnosis takes no notice, can have hundreds."""
FITS = (0.75, 1.33)
"""What fits has pooled variances of its innovations within these, beyond what chance explains."""
DECISIVE, FEW = 5.0, 500
NEAR, MOST_NAMED = 2.0, 3
"""Log-likelihood within which faults are hardly told apart, and how many are named."""
LARGEST_CORRELATION = 0.2
CLOSE, CLOSE_JUMPS = 1e-4, 0.01
"""Logarithms of times closer than these are close, of normal noise and of noise that jumps."""
FEWEST = 30
ORIGINS = {
    2.0: "the noise of two draws added, or a scale taken for a standard deviation",
    0.5: "a standard deviation taken for a scale, or a factor 2 forgotten",
    0.25: "half the scale",
    4.0: "twice the scale",
}
SMALLEST = 1e-6
"""No constant is smaller: that is a step without noise, which is a fault of its own."""


@dataclass
class Moments:
    """Sums of squares and products of the noise, by schedule."""

    sums: dict[tuple[float, ...], tuple[int, Floats]] = field(default_factory=dict)

    def observe(self, batch: Batch) -> None:
        """Takes in sessions of a fixed schedule in which no time comes twice."""
        if batch.times is None or batch.innovations is None or not batch.case.fixed:
            return
        times, noise = batch.times[0], batch.noise
        products = np.einsum("nkd,nld->kl", noise, noise)
        if np.isfinite(products).all() and (np.diff(times) < 0).all():
            self._add(tuple(times.tolist()), noise.shape[0] * noise.shape[2], products)

    def merge(self, other: Moments) -> None:
        """Takes in what another has seen."""
        for times, (count, products) in other.sums.items():
            self._add(times, count, products)

    def _add(self, times: tuple[float, ...], count: int, products: Floats) -> None:
        if times in self.sums:
            before, known = self.sums[times]
            self.sums[times] = before + count, known + products
        elif len(self.sums) < MOST_SCHEDULES:
            self.sums[times] = count, products


@dataclass(frozen=True)
class Suspect:
    """What went wrong, in words, and what it gives to an attacker."""

    causes: tuple[str, ...]
    """The likeliest first, and those that are hardly told from it."""
    precision: float
    """The largest precision of the value over the one paid for, when all releases are weighed as well as possible."""
    gain: float
    """Log-likelihood by which it beats the claim."""
    normal: bool
    """Whether the noise claimed is normal: then second moments tell all."""

    @property
    def cause(self) -> str:
        """In words."""
        return ", or ".join(self.causes)

    @property
    def effect(self) -> str:
        """A leak, or not."""
        if self.precision > 1e6:
            return "two releases together betray the value exactly: a leak"
        if self.precision > 1 + 1e-6:
            times = f"{self.precision:.3g}" if self.precision < 1000 else f"{self.precision:,.0f}"
            return (
                f"weighing the releases as well as possible, an attacker knows the value with up to {times} times the "
                "precision that was paid for: a leak"
            )
        if self.normal:
            return (
                "if that is all that is wrong, the releases say no more than was paid for, however they are weighed: "
                "only accuracy suffers"
            )
        return "too much noise: accuracy suffers; whether the changed law leaks as well, second moments do not tell"


def with_suspect(
    results: Sequence[CheckResult], checks: Sequence[Check], description: Description
) -> list[CheckResult]:
    """Where something is refuted, the result of the check that kept second moments says which fault they fit."""
    refuted = any(result.verdict is CheckVerdict.REFUTED for result in results)
    moments = {check.id: kept for check in checks if (kept := getattr(check, "moments", None)) is not None}
    if not refuted or not moments:
        return list(results)
    rate, family = description.rate or 1.0, description.family

    def variance(times: Floats) -> Floats:
        return family.variance(times, rate)

    found = [result.statistic or 0.0 for result in results if result.id.startswith("law.")]
    evidence = min(max([0.0, *found]), PLENTY)
    # Audits side by side, each with a thread per core for its small matrices, take ten times as long.
    with threadpool_limits(1):
        suspects = {id: diagnosed(kept, variance, family.increments) for id, kept in moments.items()}
    sure = {id: found for id, found in suspects.items() if found is not None and found.gain >= EXPLAINED * evidence}
    return [replace(result, suspect=sure.get(result.id)) for result in results]


def diagnosed(moments: Moments, variance: Variance, normal: bool) -> Suspect | None:
    """The fault that fits best, if it beats the claim and fits; None where none does."""
    seen = [_Seen(np.array(times), *sums) for times, sums in moments.sums.items() if _regular(variance, times, normal)]
    if sum(one.count for one in seen) < FEWEST:
        return None
    claimed = [_factored(walked(variance(one.times))) for one in seen]
    base = sum(one.log_likelihood(factor) for one, factor in zip(seen, claimed, strict=True))
    gains = [(LEAST_GAIN, "", claimed)]
    for cause, factors, handicap in _suspected(seen, variance, claimed):
        found = sum(one.log_likelihood(factor) for one, factor in zip(seen, factors, strict=True)) - handicap
        gains.append((found - base, cause, factors))
    gains.sort(key=lambda one: one[0], reverse=True)
    (gain, cause, factors), (next_gain, *_) = gains[:2]
    # Few sessions of counts or rare jumps hardly tell whether it fits, but may tell it from all others.
    told = not normal and gain > DECISIVE * next_gain and sum(one.count for one in seen) < FEW
    if not cause or not (told or _fits(seen, factors)):
        return None
    near = [
        words for other, words, fitted in gains[1:MOST_NAMED] if other > gain - NEAR and words and _fits(seen, fitted)
    ]
    precisions = [_precision(one, factor, variance) for one, factor in zip(seen, factors, strict=True)]
    return Suspect((cause, *near), max(precisions), gain, normal)


@dataclass(frozen=True)
class _Seen:
    """Sums of products of so many sessions and coordinates at these times."""

    times: Floats
    count: int
    products: Floats

    def innovations(self, factor: Floats) -> Floats:
        """The sums of products of what is independent, of variance 1, if the factor is right."""
        half = solve_triangular(factor, self.products, lower=True)
        return np.asarray(solve_triangular(factor, half.T, lower=True))

    def log_likelihood(self, factor: Floats) -> float:
        """That of normal noise, but for a constant."""
        return float(-self.count * np.log(np.diag(factor)).sum() - 0.5 * np.trace(self.innovations(factor)))


def _suspected(
    seen: list[_Seen], variance: Variance, claimed: list[Floats]
) -> Iterator[tuple[str, list[Floats], float]]:
    """Faults in words, their factors for each schedule, and by how much they are held back."""
    for cause, recursion in RECURSIONS.items():
        yield cause, [_factored(recursion(variance, one.times)) for one in seen], 0.0
    for cause, factors in _constants(seen, claimed):
        yield cause, factors, FITTED


def _constants(seen: list[_Seen], claimed: list[Floats]) -> Iterator[tuple[str, list[Floats]]]:
    """All noise too large or small by one factor, the first release alone, or the steps alone."""
    squares = [np.diag(one.innovations(factor)) for one, factor in zip(seen, claimed, strict=True)]
    first, later = sum(s[0] for s in squares), sum(s[1:].sum() for s in squares)
    firsts, laters = sum(one.count for one in seen), sum(one.count * (one.times.size - 1) for one in seen)
    alike = (first + later) / (firsts + laters)
    if alike <= SMALLEST:
        # Without noise there is nothing to compare: other checks say so.
        return
    yield _constant("all noise has", alike), [np.sqrt(alike) * factor for factor in claimed]
    if not laters or min(first / firsts, later / laters) <= SMALLEST:
        return
    for words, of_first, of_later in (
        ("the first release has", first / firsts, 1.0),
        ("the steps of the bridge have", 1.0, later / laters),
    ):
        factors = []
        for factor in claimed:
            scales = np.sqrt(np.append(of_first, np.full(len(factor) - 1, of_later)))
            factors.append(factor * scales)
        yield _constant(words, of_first * of_later), factors


def _constant(words: str, ratio: float) -> str:
    """A wrong constant and, near a simple one, where it may come from."""
    origin = origin_of(ratio)
    return f"{words} {ratio:.3g} times the variance claimed" + (f" ({origin})" if origin else "")


def origin_of(ratio: float) -> str | None:
    """Where a ratio of variances near a simple one may come from."""
    return next((origin for simple, origin in ORIGINS.items() if abs(ratio / simple - 1) < 0.05), None)


def _factored(factor: Floats) -> Floats:
    """The lower triangular factor of the same covariance, made regular."""
    covariance = factor @ factor.T
    scales = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(scales, scales) + JITTER * np.eye(scales.size)
    return np.asarray(scales[:, None] * np.linalg.cholesky(correlation))


def _fits(seen: list[_Seen], factors: list[Floats]) -> bool:
    """Whether innovations have variance 1 at each position, and none follows the one before."""
    longest = max(one.times.size for one in seen)
    squares, counts, lagged, pairs = np.zeros(longest), np.zeros(longest), 0.0, 0
    for one, factor in zip(seen, factors, strict=True):
        products, k = one.innovations(factor), one.times.size
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
    return bool(within.all()) and abs(lagged) <= LARGEST_CORRELATION * pairs + 6 * np.sqrt(pairs)


def _precision(one: _Seen, factor: Floats, variance: Variance) -> float:
    """The largest 1ᵀΣ⁻¹1 of the first releases, times the variance that was paid for."""
    informative = np.cumsum(solve_triangular(factor, np.ones(one.times.size), lower=True) ** 2)
    return float(np.max(informative * variance(one.times)))


def _regular(variance: Variance, times: tuple[float, ...], normal: bool) -> bool:
    """Whether second moments tell something: any bias swamps a tiny step, and rare jumps have no useful ones."""
    apart = bool(np.all(np.diff(np.log(times)) < -(CLOSE if normal else CLOSE_JUMPS)))
    return apart and bool(np.all(np.isfinite(variance(np.array(times)))) and min(times) > 0)
