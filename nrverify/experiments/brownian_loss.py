"""The privacy loss of Brownian releases at a fixed time is Gaussian, in any dimension (remark after bm_ploss)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

from nrverify.experiments.batches import batches
from nrverify.laws.brownian import Brownian
from nrverify.ledger import statistic, supports
from nrverify.ledger.experiment import Experiment
from nrverify.reference.simulate import simulate
from nrverify.statistics.multiplicity import smallest_adjusted
from nrverify.statistics.uniformity import kolmogorov, scale_and_shape

Moments = Callable[[float, float], tuple[float, float]]
"""Mean and standard deviation of the loss, of the distance ‖f(x) − f(x')‖ and the time."""

TIMES = (3.0, 0.6)
"""Two that differ by a factor of five: a loss that scales wrongly with the time is right at one of them at most."""
VALUES = (([1.0], [-0.5]), ([0.4, -1.0, 2.0], [1.2, -0.2, 1.0]))
"""f(x) and f(x') on the line and in space, where the loss sees the noise along one direction only."""


def gaussian(distance: float, t: float) -> tuple[float, float]:
    """Δ²/2t and Δ/√t."""
    return distance**2 / (2 * t), distance / np.sqrt(t)


def centred(distance: float, t: float) -> tuple[float, float]:
    """The mean left out."""
    return 0.0, distance / np.sqrt(t)


def without_half(distance: float, t: float) -> tuple[float, float]:
    """The mean Δ²/t, as if the square were not completed."""
    return distance**2 / t, distance / np.sqrt(t)


def scaled_by_time(distance: float, t: float) -> tuple[float, float]:
    """The deviation Δ/t of the factor before W, as if W_t had variance 1."""
    return distance**2 / (2 * t), distance / t


@statistic(
    {"B06": supports, "B03": supports, "P12": supports},
    rejects={
        "mean 0": {"moments": centred},
        "mean Δ²/t": {"moments": without_half},
        "deviation Δ/t": {"moments": scaled_by_time},
    },
    share=0.03,
    tests=4,
)
def loss_at_a_fixed_time(experiment: Experiment, moments: Moments = gaussian) -> None:
    """At a fixed time the simulated loss is N(Δ²/2t, Δ²/t), on the line and in space.

    By Kolmogorov–Smirnov and bets on normal scores; 16,000 draws see a deviation wrong by 8 %, with power 1 − 1e-6.
    """
    for case, (value, neighbour) in enumerate(VALUES):
        distance = float(np.linalg.norm(np.subtract(value, neighbour)))
        losses = []
        for batch in batches(experiment, 16_000, case):
            releases = simulate("brownian", value, TIMES, batch.size, batch.seed)
            losses.append(Brownian().loss(TIMES, value, neighbour, releases))
        seen = np.concatenate(losses)
        for n, t in enumerate(TIMES):
            mean, deviation = moments(distance, t)
            uniform = ndtr((seen[:, n] - mean) / deviation)
            p = smallest_adjusted([kolmogorov(uniform).p_value, scale_and_shape(uniform)])
            experiment.test(f"loss at t = {t:g} in dimension {len(value)}", p)
