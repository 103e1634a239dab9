"""What runs that share noise give away together, measured: two runs of one request, of either of two neighbours.

By composition two runs keep 2ε together. Runs with shared noise may do so (a threshold drawn once for both does) or not
(with opposite noise both halt only near the threshold), so their outcomes are told apart.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.sampling.drawer import Drawer, by_coin
from nrverify.auditing.threshold.designs import Neighbours, neighbours_at
from nrverify.auditing.threshold.drawing import draw_runs
from nrverify.statistics.divergence_limits import DivergenceLimits
from nrverify.subjects.errors import SubjectFailed, SubjectRefused

EPSILON = 0.7
"""Of each run. What cannot happen at one of the neighbours is bet on at odds e^2ε to one, so ε must not be large; and
it must be likely at the other, so ε must not be small."""
MARGINS = (((-0.5,), "one round at the threshold"), ((-2.5, -0.5), "a round below the threshold, one at it"))
"""Of the neighbour: half a sensitivity below the threshold, where the other is half a sensitivity above it."""
FIRST, GROWTH, MOST = 128, 1.3, 8192
"""Requests of the first look, the growth of looks, and how many in all for each pair of neighbours."""


def measured_runs(drawer: Drawer, alpha: float) -> Priced | None:
    """The divergence that was shown beyond 2ε, None where none was."""
    for margins, name in MARGINS:
        pair = neighbours_at(name, margins, [EPSILON] * len(margins), 0.0, 1.0)
        limits = DivergenceLimits((2 * EPSILON,), 1)
        try:
            _bet(drawer, pair, limits)
        except (SubjectFailed, SubjectRefused):
            return None
        _, limit = limits.lower(alpha / (limits.limits * len(MARGINS)))[0]
        if limit > 0:
            words = (
                f"measured, with an error probability of {alpha:.2g} of its own: two runs of one request, each at "
                f"ε = {EPSILON:g}, tell two neighbours ({name}) with a hockey-stick divergence of at least {limit:.3g} "
                f"at 2ε, where 0 is claimed"
            )
            return Priced(Effect.LEAK, limit, 0.0, quantity="hockey-stick divergence", why=words)
    return None


def _bet(drawer: Drawer, pair: Neighbours, limits: DivergenceLimits) -> None:
    cells = np.full((2, pair.design.rounds + 1, pair.design.rounds + 1), 0.5)
    while limits.runs < MOST and drawer.drawn + 2 <= drawer.settings.samples and not drawer.out_of_time:
        size = min(max(FIRST, int((GROWTH - 1) * limits.runs)), MOST - limits.runs)
        label, (both,) = by_coin(drawer, size, partial(_two, drawer, pair))
        log_cells = np.log(cells)
        limits.bet((log_cells[1] - log_cells[0])[both[:, 0], both[:, 1]][None], label)
        np.add.at(cells, (label.astype(int), both[:, 0], both[:, 1]), 1.0)


def _two(drawer: Drawer, pair: Neighbours, side: int, requests: int) -> tuple[NDArray[np.int64], ...]:
    """The bins of two runs of each request."""
    return (draw_runs(drawer, pair.sides[side], "run_many", 2 * requests, 2).bins.reshape(-1, 2),)
