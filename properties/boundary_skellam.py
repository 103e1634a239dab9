"""The Skellam boundary over ranges of θ, δ, Δ and rate: it bounds every loss below its line (claim N14)."""

from __future__ import annotations

import math
from collections.abc import Callable

from hypothesis import strategies as st

from nrverify.laws.boundary import SkellamLinear
from nrverify.laws.skellam import Skellam
from nrverify.ledger import property_, supports
from nrverify.ledger.search import Search

from .strategies import evenly, integers, powers_of_ten

RATIO_ERROR = 1e-12
"""Ratios of Bessel functions are sums of terms ≥ 0: a few hundred operations of relative error 2⁻⁵³ each at most."""

THETAS, RATES, SENSITIVITIES = powers_of_ten(-1, 0.3), powers_of_ten(-1, 1), integers(1, 4)
"""Slopes from nearly Gaussian to steep, rates on either side of ½, and sensitivities that are counted one by one."""
DELTAS = powers_of_ten(-30, -0.5)
"""Lines begin between 0.6 and 700: below the first integer, and above hundreds of them."""


def highest(boundary: SkellamLinear, time: float) -> int:
    """⌈B(t)⌉ − 1, the largest integer below the line."""
    return math.ceil(float(boundary.line(time))) - 1


@property_(
    {"N14": supports},
    rejects={
        "a level on or above the line": {"level": lambda boundary, time: highest(boundary, time) + 1},
        "the loss of twice the sensitivity": {"shift": lambda boundary: 2 * boundary.sensitivity},
        "the rate doubled": {"rate": lambda boundary: 2 * boundary.rate},
    },
)
def losses_below_the_line_are_bounded(
    search: Search,
    level: Callable[[SkellamLinear, float], int] = highest,
    shift: Callable[[SkellamLinear], int] = lambda boundary: int(boundary.sensitivity),
    rate: Callable[[SkellamLinear], float] = lambda boundary: boundary.rate,
) -> None:
    """While X_t is below B(t) no loss of a shift |m| ≤ Δ exceeds ψ(t), and the highest level at m = Δ reaches it."""

    def check(theta: float, delta: float, sensitivity: int, time: float, speed: float, lower: int, m: int) -> None:
        boundary = SkellamLinear(theta, delta, sensitivity, speed)
        process = Skellam(rate(boundary))
        top, bound = level(boundary, time), boundary(time)
        search.require(bound > 0, f"{boundary} is not positive at {time}")
        # A release X + value with value − neighbour = m: the loss is log I_|X|/I_|X+m|.
        reached = process.loss(time, 0, -shift(boundary), top)
        search.require(abs(reached / bound - 1) <= RATIO_ERROR, f"{boundary} is not reached at {time}: {reached}")
        shifted = m % sensitivity + 1
        below = process.loss(time, 0, -shifted, top - lower)
        search.require(below <= bound * (1 + RATIO_ERROR), f"{boundary} exceeded below its line: {below} at {time}")
        other = process.loss(time, 0, -shifted, top - lower - 1)
        search.require(other <= below + RATIO_ERROR * abs(below), f"the loss does not increase with X at {time}")

    cases = (THETAS, DELTAS, SENSITIVITIES, powers_of_ten(-1, 1.5), RATES, integers(0, 60), integers(0, 3))
    search.for_all("levels below the line", check, *cases, examples=20)


@property_(
    {"N14": supports},
    rejects={
        "a time smaller by 1e-9": {"inverse": lambda boundary, epsilon: boundary.inverse(epsilon) * (1 - 1e-9)},
        "twice the least time": {"inverse": lambda boundary, epsilon: 2 * boundary.inverse(epsilon)},
    },
)
def inverse_is_the_least_time(
    search: Search,
    inverse: Callable[[SkellamLinear, float], float] = lambda boundary, epsilon: boundary.inverse(epsilon),
) -> None:
    """ψ(inverse(ε)) ≤ ε, and at every earlier time, also before the jumps of ψ, the loss allowed is above ε."""

    def check(theta: float, delta: float, sensitivity: int, speed: float, excess: float, earlier: float) -> None:
        boundary = SkellamLinear(theta, delta, sensitivity, speed)
        epsilon = boundary.floor * (1 + excess)
        time = inverse(boundary, epsilon)
        search.require(boundary(time) <= epsilon * (1 + RATIO_ERROR), f"{boundary} is above {epsilon} at {time}")
        before = boundary(time * earlier)
        search.require(before >= epsilon * (1 - RATIO_ERROR), f"{boundary} is {before} before {time}, below {epsilon}")

    cases = (THETAS, DELTAS, SENSITIVITIES, RATES, powers_of_ten(-1, 1), evenly(0.5, 1 - 1e-9))
    search.for_all("ε above the floor", check, *cases, examples=10)


def tuned(epsilon: float, delta: float, sensitivity: int) -> SkellamLinear:
    """The θ that the library chooses, at rate 1."""
    return SkellamLinear.tightest_at(epsilon=epsilon, delta=delta, sensitivity=sensitivity, rate=1.0)


def _with_theta(boundary: SkellamLinear, theta: float) -> SkellamLinear:
    return SkellamLinear(theta, boundary.delta, boundary.sensitivity, boundary.rate)


@property_(
    {"N14": supports},
    rejects={
        "θ larger by a half": {"best": lambda e, d, s: _with_theta(tuned(e, d, s), 1.5 * tuned(e, d, s).theta)},
    },
)
def tuning_is_never_beaten(search: Search, best: Callable[[float, float, int], SkellamLinear] = tuned) -> None:
    """No other θ gives a smaller time at ε."""

    def check(epsilon: float, delta: float, sensitivity: int, factor: float) -> None:
        boundary = best(epsilon, delta, sensitivity)
        rival = _with_theta(boundary, boundary.theta * factor)
        if rival.floor < epsilon:
            beaten = rival.inverse(epsilon) < boundary.inverse(epsilon) * (1 - RATIO_ERROR)
            search.require(not beaten, f"{rival} beats {boundary} at {epsilon}")

    factor = st.sampled_from([0.5, 0.67, 0.8, 0.95, 1.05, 1.5])
    search.for_all("rival θ", check, powers_of_ten(-0.5, 0.7), DELTAS, SENSITIVITIES, factor, examples=3)
