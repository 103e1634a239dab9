"""The boundary of a known grid of looks: exactly δ, between one look and the union bound (claims B03, B08 and B09)."""

from __future__ import annotations

import math
from collections.abc import Callable

from hypothesis import strategies as st
from scipy.special import ndtri_exp

from nrverify.laws.boundary import Grid
from nrverify.laws.crossing import crossing_probability
from nrverify.ledger import holds, property_, supports
from nrverify.ledger.search import Search

from .strategies import UNIT, integers, powers_of_ten

CROSSING_ERROR = 1e-8
"""The relative accuracy that crossing probabilities promise at 100 looks; here are at most 3."""

DELTAS = st.one_of(powers_of_ten(-300, -6), powers_of_ten(-6, -0.7))
"""At the tiny ones every z is the union bound's to the last digit; the others tell them apart."""


def exact(grid: Grid) -> float:
    """The z of the grid."""
    return grid.quantile


def of_one_look(grid: Grid) -> float:
    """A wrong z: as if one look only were made."""
    return -float(ndtri_exp(math.log(grid.delta)))


def of_the_union(grid: Grid) -> float:
    """A wrong z: δ shared out over the looks."""
    return -float(ndtri_exp(math.log(grid.delta / len(set(grid.times)))))


@property_(
    {"B08": supports, "B09": supports, "B03": supports, "X10": holds},
    rejects={
        "δ spent on one look": {"quantile": of_one_look},
        "δ shared out over the looks": {"quantile": of_the_union},
        "a level higher by 1e-6": {"quantile": lambda grid: grid.quantile + 1e-6},
    },
)
def grid_spends_delta_exactly(search: Search, quantile: Callable[[Grid], float] = exact) -> None:
    """W_t ≥ z√t at some look has probability δ; z lies between one look's and the union bound's, in any order."""

    def check(times: list[int], delta: float, exponent: int) -> None:
        grid = Grid([time / 4 for time in times], delta, 1.0)
        z = quantile(grid)
        found = crossing_probability(lambda t: z * t**0.5, times=grid.times).probability
        search.require(abs(found / delta - 1) <= CROSSING_ERROR, f"{grid} is crossed with probability {found}")
        rounding = 1 + 16 * UNIT  # of a normal quantile, in relative terms
        inside = of_one_look(grid) <= z * rounding and z <= of_the_union(grid) * rounding
        search.require(inside, f"{z} is not between one look and the union bound of {grid}")
        c = 2.0**exponent
        scaled = Grid([c * c * time for time in reversed((*grid.times, grid.times[0]))], delta, c)
        search.require(scaled.quantile == grid.quantile, f"scaled and reversed, with a repeated look: {scaled}")
        search.require(scaled(c * c * 0.75) == grid(0.75), f"{scaled} and {grid} differ at corresponding times")

    times = st.lists(integers(1, 4000), min_size=2, max_size=3, unique=True)
    # Below δ = ¼ every z here is positive, so that "larger" means "further out".
    search.for_all("two or three looks", check, times, DELTAS, integers(-8, 8), examples=8)


def smallest(grid: Grid) -> float:
    """The least noisy look."""
    return min(grid.times)


@property_(
    {"B13": supports, "B14": supports, "B16": supports},
    rejects={
        "tuned at the noisiest look": {"tuned_look": lambda grid: max(grid.times)},
        "an inverse off the grid": {"inverse": lambda grid, epsilon: grid.inverse(epsilon) * (1 - 1e-9)},
        "the noisiest look for every ε": {"inverse": lambda grid, epsilon: max(grid.times)},
    },
)
def grid_inverse_is_a_look(
    search: Search,
    tuned_look: Callable[[Grid], float] = smallest,
    inverse: Callable[[Grid, float], float] = lambda grid, epsilon: grid.inverse(epsilon),
) -> None:
    """inverse(ε) is the least look with ψ ≤ ε; a tuned grid has ψ = ε at its least look, and no ε below its floor."""

    def check(epsilon: float, delta: float, sensitivity: float, ratios: list[int]) -> None:
        grid = Grid.tightest_at(epsilon=epsilon, delta=delta, sensitivity=sensitivity, times=[float(r) for r in ratios])
        # ψ is two products and a sum of positive terms; the least look is the square of a root of its equation.
        close = abs(grid(tuned_look(grid)) / epsilon - 1) <= 32 * UNIT
        search.require(close, f"{grid} has ψ = {grid(tuned_look(grid))} at its look, not {epsilon}")
        for look in grid.times:
            target = grid(look)
            search.require(inverse(grid, target) == look, f"{grid}: inverse(ψ({look})) is another time")
        search.require(_refuses(grid), f"{grid} reaches less than its floor")

    ratios = st.lists(integers(1, 64), min_size=2, max_size=3, unique=True)
    search.for_all("tuned grids", check, powers_of_ten(-6, 3), DELTAS, powers_of_ten(-3, 3), ratios, examples=8)


def _refuses(grid: Grid) -> bool:
    floor = grid(max(grid.times))
    try:
        grid.inverse(0.999 * floor)
    except ValueError as refusal:
        return "floor" in str(refusal)
    return False
