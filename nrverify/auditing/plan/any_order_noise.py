"""Noise of the claimed process at times in any order: each drawn given its neighbours among those before."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.transforms.any_order import neighbours
from nrverify.laws.process import Process, TwoSided

Floats = NDArray[np.float64]


def draw_next(process: Process, noise: Floats, times: Floats, step: int, rng: np.random.Generator) -> None:
    """Fills in the noise (n, k, d) of the sessions that have a time at this step, given the steps before."""
    rows = np.flatnonzero(np.isfinite(times[:, step]))
    near = neighbours(times[rows, : step + 1])
    lower, upper, same = (found[:, step] for found in (near.lower, near.upper, near.same))
    low, high, new = lower >= 0, upper >= 0, same < 0
    again = ~new
    noise[rows[again], step] = noise[rows[again], same[again]]

    def at(such: NDArray[np.bool_], of: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Times with an axis for the coordinates, and the noise there."""
        return times[rows[such], of[such]][:, None], noise[rows[such], of[such]]

    now = np.full(rows.size, step)
    two_sided = cast(TwoSided, process)
    for such in (new & ~low & ~high, new & ~low & high, new & low & ~high, new & low & high):
        if not such.any():
            continue
        s, empty = at(such, now)
        first = int(np.flatnonzero(such)[0])
        if low[first] and high[first]:
            (before, below), (after, above) = at(such, lower), at(such, upper)
            law = two_sided.between(s, before, after, below, above)
        elif low[first]:
            before, below = at(such, lower)
            law = process.forward(before, s, below)
        elif high[first]:
            after, above = at(such, upper)
            law = process.bridge(s, after, above)
        else:
            law = process.marginal(np.broadcast_to(s, empty.shape))
        noise[rows[such], step] = law.rvs(rng, empty.shape)
