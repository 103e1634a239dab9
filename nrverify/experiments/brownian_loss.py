"""The privacy loss of Brownian releases: Gaussian at a fixed time, and not at a stopping time (Theorem bm_ploss)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from nrverify.experiments.batches import batches
from nrverify.laws.brownian import Brownian
from nrverify.ledger import statistic, supports
from nrverify.ledger.experiment import Experiment
from nrverify.reference.schedules import by_sign, first_above
from nrverify.reference.simulate import Transcripts, simulate, transcripts
from nrverify.statistics.multiplicity import smallest_adjusted
from nrverify.statistics.transforms import rosenblatt
from nrverify.statistics.uniformity import dependence, kolmogorov, normal_scores, scale_and_shape

Floats = npt.NDArray[np.float64]
Moments = Callable[[float, float], tuple[float, float]]
"""Mean and standard deviation of the loss, of the distance ‖f(x) − f(x')‖ and the time."""

TIMES = (3.0, 0.6)
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
    share=0.05,
    tests=4,
)
def loss_at_a_fixed_time(experiment: Experiment, moments: Moments = gaussian) -> None:
    """At a fixed time the simulated loss is N(Δ²/2t, Δ²/t), on the line and in space.

    By Kolmogorov–Smirnov and bets on normal scores; 16,000 draws see a deviation wrong by 8 %, with power 1 − 1e-6.
    """
    for case, (value, neighbour) in enumerate(VALUES):
        distance = float(np.linalg.norm(np.subtract(value, neighbour)))
        losses = [
            Brownian().loss(np.array(TIMES), value, neighbour, simulate("brownian", value, TIMES, batch.size, batch.seed))
            for batch in batches(experiment, 16_000, case)
        ]
        seen = np.concatenate(losses)
        for n, t in enumerate(TIMES):
            mean, deviation = moments(distance, t)
            uniform = ndtr((seen[:, n] - mean) / deviation)
            p = smallest_adjusted([kolmogorov(uniform).p_value, scale_and_shape(uniform)])
            experiment.test(f"loss at t = {t:g} in dimension {len(value)}", p)


STOP_VALUE, STOP_NEIGHBOUR = [0.5, -0.5], [-0.3, 0.1]
RELEASES = 5
Levels = Callable[[Transcripts, np.random.Generator], Floats]
"""Levels (sessions, k, d) of stopped transcripts, said to be independent and uniform."""


def through_the_bridge(seen: Transcripts, rng: np.random.Generator) -> Floats:
    """The Rosenblatt transform, rows completed with fresh uniforms after the stop."""
    return rosenblatt(Brownian(), seen.releases - np.array(STOP_VALUE), seen.times, rng)


def loss_at_the_stop(seen: Transcripts, rng: np.random.Generator) -> Floats:
    """The loss at the stopping time as if it were Gaussian given T_N: the mistake the theorem invites."""
    last = np.where(seen.stops > 0, seen.stops, RELEASES) - 1
    rows = np.arange(len(last))
    t = seen.times[rows, last]
    loss = Brownian().loss(t, STOP_VALUE, STOP_NEIGHBOUR, seen.releases[rows, last])
    mean, deviation = gaussian(float(np.linalg.norm(np.subtract(STOP_VALUE, STOP_NEIGHBOUR))), t)  # type: ignore[arg-type]
    return np.asarray(ndtr((loss - mean) / deviation))[:, None, None]


def last_innovation(seen: Transcripts, rng: np.random.Generator) -> Floats:
    """The last level before the stop: chosen by its own size, so not uniform."""
    last = np.where(seen.stops > 0, seen.stops, RELEASES) - 1
    return through_the_bridge(seen, rng)[np.arange(len(last)), last][:, None, :]


class _PrintedBridge(Brownian):
    """The bridge with the factor T_{n+1}/T_n in its exponent: variance s(t−s)/t times (t/s)²."""

    def bridge(self, s: npt.ArrayLike, t: npt.ArrayLike, given: npt.ArrayLike):  # type: ignore[no-untyped-def]
        ...
