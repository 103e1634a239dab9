"""Brownian releases at adaptive times, stopped: uniform through the bridge, not Gaussian at the stop (bm_nr, bm_ploss).

The value at a stopping time alone has no simple law given the time: testing it against the Gaussian of a fixed time is
a mistake that refutes every correct mechanism. Through the bridge nothing goes wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from nrverify.experiments.batches import batches
from nrverify.laws.brownian import Brownian, Normal
from nrverify.ledger import statistic, supports
from nrverify.ledger.experiment import Experiment
from nrverify.reference.schedules import by_sign, first_above
from nrverify.reference.simulate import Transcripts, transcripts
from nrverify.statistics.multiplicity import smallest_adjusted
from nrverify.statistics.transforms import Bridged, rosenblatt
from nrverify.statistics.uniformity import dependence, kolmogorov, normal_scores, scale_and_shape

Floats = npt.NDArray[np.float64]
Levels = Callable[[Transcripts, np.random.Generator], Floats]
"""Levels (sessions, k, d) of stopped transcripts, said to be independent and uniform."""

VALUE, NEIGHBOUR = (0.5, -0.5), (-0.3, 0.1)
"""Two coordinates that differ in different ways, so that a norm taken for a sum shows."""
RELEASES = 5
"""Enough for sessions that stop early, late and never."""


@dataclass(frozen=True)
class PrintedBridge:
    """The bridge with T_{n+1}/T_n for T_n/T_{n+1} in its exponent: variance (t−s)t/s."""

    def marginal(self, t: npt.ArrayLike) -> Normal:
        """N(0, t)."""
        return Brownian().marginal(t)

    def bridge(self, s: npt.ArrayLike, t: npt.ArrayLike, given: npt.ArrayLike) -> Normal:
        """N(given s/t, (t−s)t/s)."""
        s, t, given = np.asarray(s), np.asarray(t), np.asarray(given)
        return Normal(given * (s / t), np.sqrt((t - s) * t / s))


@dataclass(frozen=True)
class Forgetful:
    """Every release as if drawn afresh: N(0, s) whatever came before."""

    def marginal(self, t: npt.ArrayLike) -> Normal:
        """N(0, t)."""
        return Brownian().marginal(t)

    def bridge(self, s: npt.ArrayLike, t: npt.ArrayLike, given: npt.ArrayLike) -> Normal:
        """N(0, s)."""
        return Brownian().marginal(s)


def through(process: Bridged) -> Levels:
    """The Rosenblatt transform, rows completed with fresh uniforms after the stop."""

    def levels(seen: Transcripts, rng: np.random.Generator) -> Floats:
        return rosenblatt(process, seen.releases - np.array(VALUE), seen.times, rng)

    return levels


through_the_bridge = through(Brownian())


def gaussian_loss_at_the_stop(seen: Transcripts, rng: np.random.Generator) -> Floats:
    """The level of L at the stop under N(Δ²/2T_N, Δ²/T_N), as if W_{T_N} were Gaussian given T_N."""
    rows, last = _last_releases(seen)
    t = seen.times[rows, last]
    distance = np.linalg.norm(np.subtract(VALUE, NEIGHBOUR))
    loss = Brownian().loss(t, VALUE, NEIGHBOUR, seen.releases[rows, last])
    return np.asarray(ndtr((loss - distance**2 / (2 * t)) * np.sqrt(t) / distance))[:, None, None]


def last_innovation(seen: Transcripts, rng: np.random.Generator) -> Floats:
    """The level of the release at the stop through the bridge: it was chosen by its own size."""
    rows, last = _last_releases(seen)
    return through_the_bridge(seen, rng)[rows, last][:, None]


def _last_releases(seen: Transcripts) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    return np.arange(len(seen.stops)), np.where(seen.stops > 0, seen.stops, RELEASES) - 1


@statistic(
    {"B01": supports, "B03": supports, "A13": supports, "E09": supports},
    rejects={
        "loss at the stop taken as Gaussian": {"levels": gaussian_loss_at_the_stop},
        "last innovation before the stop taken as uniform": {"levels": last_innovation},
        "the printed factor T_{n+1}/T_n": {"levels": through(PrintedBridge())},
        "noise drawn afresh at every look": {"levels": through(Forgetful())},
    },
    share=0.03,
    tests=2,
)
def stopped_transcripts(experiment: Experiment, levels: Levels = through_the_bridge) -> None:
    """Transcripts at adaptive times, stopped when large, are independent uniforms through the Brownian bridge.

    Up to five releases in two dimensions, 12,000 sessions: a bridge variance wrong by 15 %, or a regression on the past
    of 0.2, is seen with power 1 − 1e-6 in the standard profile. The loss at the stop, taken as Gaussian, is refuted.
    """
    schedule, stop = by_sign(2.0, 0.8, 0.4), first_above(1.6)
    parts = []
    for batch in batches(experiment, 12_000):
        seen = transcripts("brownian", VALUE, schedule, batch.size, batch.seed, releases=RELEASES, stop=stop)
        parts.append(levels(seen, batch.rng))
    u = np.concatenate(parts)
    columns = u.reshape(len(u), -1)
    shapes = [p for column in columns.T for p in (kolmogorov(column).p_value, scale_and_shape(column))]
    experiment.test("each release given the past", smallest_adjusted([*shapes, scale_and_shape(columns)]))
    z = normal_scores(u).reshape(columns.shape)
    regressions = [dependence(z[:, n], *z[:, :n].T) for n in range(1, z.shape[1])]
    experiment.test("no regression on the past", smallest_adjusted(regressions or [1.0]))
