"""What a boundary accepts: the checks of its parameters, times and epsilons, made once where the caller comes in."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from nrverify.laws._arguments import Floats, positive


def require_positive(**parameters: float) -> None:
    """Every parameter is a finite number above 0."""
    for name, parameter in parameters.items():
        if positive(name, parameter).ndim:
            raise ValueError(f"{name} = {parameter!r} must be one number; make a boundary for each")


def require_probability(delta: float) -> None:
    """0 < delta < 1."""
    require_positive(delta=delta)
    if delta >= 1:
        raise ValueError(f"delta = {delta!r} must lie strictly between 0 and 1; it is a failure probability")


def log_inverse(delta: float) -> float:
    """ℓ = log(1/delta) > 0."""
    return -math.log(delta)


def like_argument(result: Floats, argument: Any) -> Any:
    """A float where the argument was a scalar, an array where it was one."""
    return float(result) if np.ndim(argument) == 0 else np.asarray(result)


def sorted_looks(times: Iterable[float]) -> list[float]:
    """The distinct times of a finite grid of looks, ascending."""
    looks = np.unique(positive("times", list(times)))
    if looks.size == 0:
        raise ValueError("times = []: give at least one look")
    return [float(look) for look in looks]


def checked_interval(interval: tuple[float, float] | None) -> tuple[float, float]:
    """The end points 0 ≤ lo < hi ≤ ∞ of continuous looking; all t > 0 where none are given."""
    lo, hi = (0.0, math.inf) if interval is None else interval
    if not (0 <= lo < hi):
        raise ValueError(f"interval = {(lo, hi)!r}: need 0 <= lo < hi (hi may be infinite)")
    return float(lo), float(hi)


def require_one_way_of_looking(times: object, interval: object) -> None:
    """A grid of looks or an interval, not both."""
    if times is not None and interval is not None:
        raise ValueError("times and interval are both given: a boundary is looked at on a grid or on an interval")
