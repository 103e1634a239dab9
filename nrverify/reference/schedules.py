"""Ready-made schedules and stopping rules: when to look next, and when to stop looking.

Fixed schedules are lists of times. Adaptive ones, and stopping rules, are functions of the releases so far, whose last
two axes are releases and coordinates: for one session (n, d), for many at once (sessions, n, d).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from nrverify.reference.arguments import count, finite, positive

Look = Callable[[npt.NDArray[Any]], npt.NDArray[Any]]


def geometric(start: float, ratio: float, releases: int) -> list[float]:
    """start, start·ratio, start·ratio², …, with 0 < ratio ≤ 1."""
    start, ratio = positive("start", start), _fraction("ratio", ratio)
    return [start * ratio**n for n in range(count("releases", releases))]


def nearly_equal(start: float, releases: int) -> list[float]:
    """Neighbouring floating-point numbers downwards from start: the smallest steps a schedule can take."""
    times = [positive("start", start)]
    for _ in range(count("releases", releases) - 1):
        times.append(math.nextafter(times[-1], 0.0))
    return times


def repeated(times: list[float], times_each: int) -> list[float]:
    """Every time asked times_each times in a row; a mechanism must give the same answer each time."""
    return [t for t in times for _ in range(count("times_each", times_each))]


def by_sign(start: float, up: float, down: float) -> Look:
    """T₁ = start; T_{n+1} = T_n·up if the first coordinate of release n is positive, else T_n·down; both in (0, 1]."""
    start, up, down = positive("start", start), _fraction("up", up), _fraction("down", down)

    def next_time(releases: npt.NDArray[Any]) -> npt.NDArray[Any]:
        factors = np.where(releases[..., 0] > 0, up, down)
        return np.asarray(start * _running_product(factors))

    return next_time


def by_size(start: float) -> Look:
    """T₁ = start; T_{n+1} = T_n·r²/(1 + r²) with r = |release n|: the smaller the answer, the less noise is wanted.

    The factor is kept above ½, so that times stay positive.
    """
    start = positive("start", start)

    def next_time(releases: npt.NDArray[Any]) -> npt.NDArray[Any]:
        squares = np.sum(np.square(releases, dtype=np.float64), axis=-1)
        return np.asarray(start * _running_product(np.maximum(squares / (1 + squares), 0.5)))

    return next_time


def first_above(level: float) -> Look:
    """Stop at the first release whose first coordinate is at least the level."""
    level = finite("level", level)
    return lambda releases: np.asarray(releases[..., -1, 0] >= level)


def first_within(radius: float) -> Look:
    """Stop at the first release of Euclidean norm at most the radius."""
    radius = positive("radius", radius)
    return lambda releases: np.asarray(np.linalg.norm(releases[..., -1, :], axis=-1) <= radius)


def _fraction(name: str, x: float) -> float:
    x = positive(name, x)
    if x > 1:
        raise ValueError(f"{name} is {x!r}: it must be at most 1, for times must not increase")
    return x


def _running_product(factors: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The product over the releases, multiplied in their order: rounding then never makes a later time larger."""
    product = np.ones(factors.shape[:-1])
    for n in range(factors.shape[-1]):
        product = product * factors[..., n]
    return product
