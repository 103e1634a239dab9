"""Families of noise: what sets each process of the paper apart, said once; a new one is a row here and its laws.

The claim "everything so far costs at most ε" of an ε-knob needs mathematics of its own, in
`auditing/noise_reduction/epsilon/`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from nrverify.laws.process import Process

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NoiseFamily:
    """A kind of noise, as far as subjects and audits must know it beyond its laws."""

    process: Callable[[float], Process]
    """Its laws, at a rate; one that is not `rated` ignores it."""
    distance: Callable[[Floats], float]
    """How far apart two values are, for a sensitivity: the norm of their difference."""
    telling: Callable[[float, float], float]
    """A difference in value whose loss is of order 2, at a time and a rate."""
    times: Callable[[float], tuple[float, float]]
    """The times asked for when the subject names no range, at a rate."""
    variance: Callable[[Floats, float], Floats]
    """Its variance at a time and a rate."""
    steps: Callable[[Floats], Floats] | None = None
    """The scale of the steps between growing times, from 0 on; None where steps are counts."""
    integer: bool = False
    """Whether noise and values are integers."""
    rated: bool = False
    """Whether it is one of many, told apart by a rate."""
    tied: bool = False
    """Whether a release may equal the one before."""
    pure: bool = False
    """Whether its claims need no δ."""
    increments: bool = False
    """Whether its law can be tested without knowing the times: independent Gaussian increments."""


def _brownian(rate: float) -> Process:
    from nrverify.laws.brownian import Brownian

    return Brownian()


def _laplace(rate: float) -> Process:
    from nrverify.laws.laplace import Laplace

    return Laplace()


def _skellam(rate: float) -> Process:
    from nrverify.laws.skellam import Skellam

    return Skellam(rate)


def _euclidean(difference: Floats) -> float:
    return float(np.sqrt((difference**2).sum()))


def _absolute(difference: Floats) -> float:
    return float(np.abs(difference).sum())


FAMILIES = {
    "brownian": NoiseFamily(
        _brownian,
        _euclidean,
        telling=lambda time, rate: math.sqrt(2 * time),
        times=lambda rate: (0.01, 1000.0),
        variance=lambda times, rate: times,
        steps=lambda times: np.sqrt(np.diff(times, prepend=0.0)),
        increments=True,
    ),
    "laplace": NoiseFamily(
        _laplace,
        _absolute,
        telling=lambda time, rate: 2 * time,
        times=lambda rate: (0.01, 1000.0),
        variance=lambda times, rate: 2 * times**2,
        steps=lambda times: times,
        tied=True,
        pure=True,
    ),
    "skellam": NoiseFamily(
        _skellam,
        _euclidean,
        telling=lambda time, rate: max(1.0, round(math.sqrt(2 * rate * time))),
        times=lambda rate: (0.1 / rate, 1000.0 / rate),
        variance=lambda times, rate: 2 * rate * times,
        integer=True,
        rated=True,
    ),
}
