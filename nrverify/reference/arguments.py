"""What the reference mechanisms accept, checked once at the public boundary; a bad argument is a ValueError."""

from __future__ import annotations

import math
import operator
from typing import Any, SupportsFloat

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

LARGEST_COUNT = 2**53
"""Skellam values and mean counts stay below this, so that every release is exact in int64 and in float64."""


def real_value(value: npt.ArrayLike) -> Floats:
    """f(x) as a fresh float64 array of shape () or (d,), all finite."""
    array = _shaped(value)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"value is {value!r}: it must be real numbers; give a float or a 1-D array of floats")
    real = np.array(array, dtype=np.float64)
    if not np.isfinite(real).all():
        raise ValueError(f"value is {value!r}: it must be finite; f(x) itself carries no noise and no NaN")
    return real


def integer_value(value: npt.ArrayLike) -> Integers:
    """f(x) as a fresh int64 array of shape () or (d,).

    An integer-valued float (3.0) is an integer here; 0.5, NaN and infinity are refused, never rounded.
    """
    array = _shaped(value)
    inside = array.dtype.kind in "iuf" and ((array >= -LARGEST_COUNT) & (array <= LARGEST_COUNT)).all()
    if not inside or (array != np.floor(array)).any():
        raise ValueError(
            f"value is {value!r}: it must be integers of size at most 2**53; "
            "round f(x) to a grid first, and scale its sensitivity with it"
        )
    return np.array(array, dtype=np.int64)


def _shaped(value: npt.ArrayLike) -> npt.NDArray[Any]:
    try:
        array = np.asarray(value)
    except ValueError as ragged:
        raise ValueError(f"value is {value!r}: it must be a number or a 1-D array") from ragged
    if array.ndim > 1 or array.size == 0:
        raise ValueError(
            f"value has shape {array.shape}: it must be a number or a 1-D array with at least one coordinate; "
            "flatten a matrix before releasing it"
        )
    return array


def number(name: str, x: SupportsFloat) -> float:
    """x as a float, any but NaN."""
    try:
        real = float(x)
    except (TypeError, ValueError) as not_a_number:
        raise ValueError(f"{name} is {x!r}: it must be a number") from not_a_number
    if math.isnan(real):
        raise ValueError(f"{name} is NaN: it must be a number; check how it was computed")
    return real


def finite(name: str, x: SupportsFloat) -> float:
    """x as a finite float."""
    real = number(name, x)
    if math.isinf(real):
        raise ValueError(f"{name} is {x!r}: it must be finite")
    return real


def positive(name: str, x: SupportsFloat) -> float:
    """x as a finite float above 0."""
    real = finite(name, x)
    if real <= 0:
        raise ValueError(f"{name} is {x!r}: it must be positive")
    return real


def next_time(t: SupportsFloat, last: float) -> float:
    """A time that does not increase: 0 < t ≤ last, finite."""
    time = positive("time", t)
    if time > last:
        raise ValueError(
            f"time is {time!r} after {last!r}: it must not increase; noise once removed cannot be put back, "
            "open a new session for more noise"
        )
    return time


def fixed_schedule(schedule: npt.ArrayLike) -> Floats:
    """A schedule written down in advance: at least one time, all finite and positive, none above the one before."""
    try:
        times = np.array(schedule, dtype=np.float64)
    except (TypeError, ValueError) as not_times:
        raise ValueError(f"schedule is {schedule!r}: it must be a list of times or a function of the releases") from (
            not_times
        )
    if times.ndim != 1 or times.size == 0:
        raise ValueError(f"schedule has shape {times.shape}: it must be a list of at least one time")
    last = math.inf
    for t in times.tolist():
        last = next_time(t, last)
    return times


def count(name: str, n: object) -> int:
    """n as a positive int."""
    try:
        whole = operator.index(n)  # type: ignore[arg-type]
    except TypeError as not_whole:
        raise ValueError(f"{name} is {n!r}: it must be a positive integer") from not_whole
    if whole <= 0:
        raise ValueError(f"{name} is {n!r}: it must be a positive integer")
    return whole


def stream_seed(seed: object) -> int:
    """seed as an int, not negative: what a SeedSequence takes."""
    try:
        whole = operator.index(seed)  # type: ignore[arg-type]
    except TypeError as not_whole:
        raise ValueError(f"seed is {seed!r}: it must be a non-negative integer") from not_whole
    if whole < 0:
        raise ValueError(f"seed is {seed!r}: it must be a non-negative integer")
    return whole
