"""What boundaries and crossing probabilities accept: parameters, looks and intervals, checked where they enter."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from nrverify.laws.validation.times import Floats, extended, positive, real


def one_number(name: str, argument: float) -> float:
    """A finite number."""
    number = real(name, argument)
    if number.ndim:
        raise ValueError(f"{name} is {argument!r}: it must be one number; pass a float")
    return float(number)


def require_positive(**parameters: float) -> None:
    """Every parameter is a finite number above 0."""
    for name, parameter in parameters.items():
        if positive(name, parameter).ndim:
            raise ValueError(f"{name} is {parameter!r}: it must be one number; make a boundary for each")


def require_probability(delta: float) -> None:
    """0 < delta < 1."""
    require_positive(delta=delta)
    if delta >= 1:
        raise ValueError(f"delta is {delta!r}: it must lie strictly between 0 and 1; it is a failure probability")


def log_inverse(delta: float) -> float:
    """ℓ = log(1/delta) > 0."""
    return -math.log(delta)


def like_argument(result: Floats, argument: Any) -> Any:
    """A float where the argument was a scalar, an array where it was one."""
    return float(result) if np.ndim(argument) == 0 else np.asarray(result)


def listed_looks(times: Iterable[float]) -> list[float]:
    """The times of a finite grid of looks, in the order given."""
    one = isinstance(times, (str, bytes, np.ndarray)) or not isinstance(times, Iterable)
    listed: Any = times if one else list(times)
    looks = positive("times", listed)
    if looks.ndim != 1 or looks.size == 0:
        raise ValueError(f"times is {times!r}: it must be a list of looks; give at least one, a finite time > 0")
    return [float(look) for look in looks]


def sorted_looks(times: Iterable[float]) -> list[float]:
    """The distinct times of a finite grid of looks, ascending."""
    return sorted(set(listed_looks(times)))


def checked_interval(interval: tuple[float, float] | None) -> tuple[float, float]:
    """The end points 0 ≤ lo < hi ≤ ∞ of continuous looking; all t > 0 where none are given."""
    if interval is None:
        return 0.0, math.inf
    if not isinstance(interval, (tuple, list, np.ndarray)) or len(interval) != 2:
        raise ValueError(f"interval is {interval!r}: it must be a pair (lo, hi)")
    lo = real("the start of the interval", interval[0])
    hi = extended("the end of the interval", interval[1])
    if lo.ndim or hi.ndim or not 0 <= lo < hi:
        raise ValueError(f"interval is {interval!r}: it must have 0 <= lo < hi (hi may be infinite)")
    return float(lo), float(hi)


def require_one_way_of_looking(times: object, interval: object) -> None:
    """A grid of looks or an interval, not both."""
    if times is not None and interval is not None:
        raise ValueError(
            f"times = {times!r} and interval = {interval!r} must not both be given: "
            "a curve is looked at on a grid or on an interval; leave one out, not both"
        )
