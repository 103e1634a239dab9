"""Triangular factors of the noise of many schedules at once, and what is left of the noise under them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.noise_reduction.diagnosis.faulty_recursions import Recursion, Variance, walked
from nrverify.auditing.noise_reduction.diagnosis.moments import Seen

Floats = NDArray[np.float64]

JITTER = 1e-9
"""A covariance may be singular: one number for all releases. Its variances are raised by this share."""


def claimed_noise(variance: Variance, times: Floats) -> Floats:
    """The claimed noise, as a recursion."""
    return walked(variance(times))


class Factors:
    """Regular factors of recursions at schedules, each computed once: both methods are asked for the same schedules."""

    def __init__(self, variance: Variance) -> None:
        self.variance = variance
        self._known: dict[tuple[Recursion, tuple[float, ...]], Floats] = {}

    def __call__(self, recursion: Recursion, seen: Sequence[Seen]) -> list[Floats]:
        """Of a recursion at the times of each."""
        keys = [(recursion, tuple(one.times.tolist())) for one in seen]
        missing = [key for key in keys if key not in self._known]
        made = regular([recursion(self.variance, np.array(times)) for _, times in missing])
        self._known.update(zip(missing, made, strict=True))
        return [self._known[key] for key in keys]


def innovations(seen: Sequence[Seen], factors: Sequence[Floats]) -> list[Floats]:
    """The sums of products of what is independent, of variance 1, if the factor of each schedule is right."""
    found: list[Floats] = [np.empty(0)] * len(seen)
    for places in _by_length(factors):
        factor = np.stack([factors[i] for i in places])
        half = _solved(factor, np.stack([seen[i].products for i in places]))
        for i, whole in zip(places, _solved(factor, half.transpose(0, 2, 1)), strict=True):
            found[i] = whole
    return found


def log_likelihood(seen: Sequence[Seen], factors: Sequence[Floats]) -> float:
    """That of normal noise with these factors, but for a constant."""
    found = 0.0
    for places in _by_length(factors):
        factor = np.stack([factors[i] for i in places])
        half = _solved(factor, np.stack([seen[i].products for i in places]))
        squares = np.trace(_solved(factor, half.transpose(0, 2, 1)), axis1=1, axis2=2)
        counts = np.array([seen[i].count for i in places])
        logs = np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
        found -= float(np.sum(counts * logs + 0.5 * squares))
    return found


def regular(factors: Sequence[Floats]) -> list[Floats]:
    """The lower triangular factors of the same covariances, made regular."""
    found: list[Floats] = [np.empty(0)] * len(factors)
    for places in _by_length(factors):
        covariance = np.stack([factors[i] @ factors[i].T for i in places])
        scales = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
        correlation = covariance / (scales[:, :, None] * scales[:, None, :]) + JITTER * np.eye(scales.shape[1])
        for i, factor in zip(places, scales[:, :, None] * np.linalg.cholesky(correlation), strict=True):
            found[i] = factor
    return found


def _by_length(factors: Sequence[Floats]) -> list[list[int]]:
    """Places of the schedules of each length: arithmetic on a stack of small matrices costs what it does on one."""
    found: dict[int, list[int]] = {}
    for place, factor in enumerate(factors):
        found.setdefault(len(factor), []).append(place)
    return list(found.values())


def _solved(lower: Floats, right: Floats) -> Floats:
    """L⁻¹R of stacks of lower triangular matrices, row by row."""
    found = np.empty_like(right)
    for row in range(lower.shape[1]):
        known = lower[:, row, None, :row] @ found[:, :row]
        found[:, row] = (right[:, row] - known[:, 0]) / lower[:, row, row, None]
    return found
