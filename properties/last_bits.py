"""Last bits: which doubles a sum with a given value can be."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from hypothesis import strategies

from nrverify.ledger import holds, property_
from nrverify.ledger.search import Search


def reachable(value: float, release: float) -> bool:
    """v + fl(y − v) = y in doubles: three operations."""
    return value + (release - value) == release


def exactly_reachable(value: float, release: float) -> bool:
    """y − (y − v) = v: whether the difference is a double, which is more."""
    return release - (release - value) == value


def by_thirds(value: float, release: float) -> bool:
    """The same through halves of the difference, rounded one by one."""
    return value + (release - value) / 3 * 3 == release


FINITE = strategies.floats(min_value=-1e6, max_value=1e6, allow_subnormal=False)
"""Of the size of counts and sums, so that noise is rounded by much; the rest of the doubles adds nothing."""
NOISE = strategies.floats(min_value=-1e3, max_value=1e3, allow_subnormal=False)
"""Smaller than most values, as noise is whose last bits a sum rounds away."""


def power_of_two(number: float) -> bool:
    """Whether a double is ±2^k (or 0), where the spacing of doubles changes."""
    return number == 0 or abs(number).hex().split("p")[0] == "0x1.0000000000000"


@property_(
    {"X13": holds},
    rejects={
        "y − (y − v) = v": {"test": exactly_reachable},
        "thirds of the difference": {"test": by_thirds},
    },
)
def no_sum_is_missed(search: Search, test: Callable[[float, float], bool] = reachable) -> None:
    """Every release fl(v + z) passes the test v + fl(y − v) = y: a release that fails it was not made from v."""

    def check(value: float, noise: float) -> None:
        release = value + noise
        if not power_of_two(release):
            search.require(test(value, release), f"v = {value!r}, z = {noise!r}")

    search.for_all("sums of a value and a noise in doubles", check, FINITE, NOISE, examples=2000)


def on_the_grid(value: float, release: float) -> bool:
    """Whether y is a multiple of the spacing of doubles at y − v, in exact rationals."""
    apart = abs(Fraction(release) - Fraction(value))
    return apart == 0 or (Fraction(release) / (Fraction(2) ** (_binade(apart) - 52))).denominator == 1


def on_its_own_grid(value: float, release: float) -> bool:
    """The same for the spacing of doubles at y, which every double is a multiple of."""
    return (Fraction(release) / (Fraction(2) ** (_binade(abs(Fraction(release))) - 52))).denominator == 1


def on_the_grid_of_the_value(value: float, release: float) -> bool:
    """The same for the spacing of doubles at v."""
    return (Fraction(release) / Fraction(math.ulp(value))).denominator == 1


def _binade(size: Fraction) -> int:
    """⌊log₂ size⌋, exactly."""
    guess = size.numerator.bit_length() - size.denominator.bit_length()
    return guess if Fraction(2) ** guess <= size else guess - 1


RELEASES = strategies.tuples(
    strategies.integers(2**52 + 1, 2**53 - 1), strategies.integers(-60, -46), strategies.sampled_from((-1, 1))
).map(lambda parts: math.ldexp(parts[2] * parts[0], parts[1]))
"""Doubles of 53 digits, from 2^-8 to 2^7, of either sign."""
UNITS = strategies.sampled_from((0.125, 0.5, 1.0, 4.0))
"""Sensitivities, in the middle of the range of those doubles."""


@property_(
    {"X16": holds},
    rejects={
        "the spacing at y": {"grid": on_its_own_grid},
        "the spacing at the value": {"grid": on_the_grid_of_the_value},
    },
)
def what_a_sum_can_be(search: Search, grid: Callable[[float, float], bool] = on_the_grid) -> None:
    """For Δ a power of two, y is fl(Δ + z) for some double z exactly if it is a multiple of the spacing at y − Δ."""

    def check(unit: float, release: float) -> None:
        search.require(reachable(unit, release) == grid(unit, release), f"Δ = {unit!r}, y = {release!r}")

    search.for_all("doubles around Δ", check, UNITS, RELEASES, examples=400)
