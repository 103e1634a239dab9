"""Last bits: which doubles a sum with a given value can be."""

from __future__ import annotations

from collections.abc import Callable

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
NOISE = strategies.floats(min_value=-1e3, max_value=1e3, allow_subnormal=False)


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
