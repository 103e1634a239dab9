"""Integer releases with Skellam noise, at adaptive times and stopped, against the law of the process (Section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from nrverify.experiments.batches import batches
from nrverify.laws.skellam import Skellam
from nrverify.ledger import statistic, supports
from nrverify.ledger.experiment import Experiment
from nrverify.reference.schedules import by_sign, first_above
from nrverify.reference.simulate import transcripts
from nrverify.statistics.multiplicity import smallest_adjusted
from nrverify.statistics.transforms import Bridged, rosenblatt
from nrverify.statistics.uniformity import dependence, kolmogorov, normal_scores, scale_and_shape

RATE = 0.3
"""Small: counts of one or two steps, where a rounded Gaussian is wrong most."""
RELEASES = 3
"""The first, one after it, and one that depends on two before."""
SKELLAM = Skellam(RATE)


@dataclass(frozen=True)
class RoundedNormal:
    """A normal variable rounded to the nearest integer."""

    mean: Any
    variance: Any

    def cdf(self, x: npt.ArrayLike) -> Any:
        """P(X ≤ k) = Φ((k + ½ − mean)/deviation)."""
        return ndtr((np.floor(x) + 0.5 - self.mean) / np.sqrt(self.variance))

    def cdf_left(self, x: npt.ArrayLike) -> Any:
        """P(X < k) = P(X ≤ k − 1)."""
        return self.cdf(np.ceil(x) - 1)


@dataclass(frozen=True)
class RoundedBrownian:
    """Brownian motion of the same variance, rounded."""

    def marginal(self, t: npt.ArrayLike) -> RoundedNormal:
        """N(0, 2·rate·t), rounded."""
        return RoundedNormal(0.0, 2 * RATE * np.asarray(t))

    def bridge(self, s: npt.ArrayLike, t: npt.ArrayLike, given: npt.ArrayLike) -> RoundedNormal:
        """N(given s/t, 2·rate·s(t−s)/t), rounded."""
        s, t, given = np.asarray(s), np.asarray(t), np.asarray(given)
        return RoundedNormal(given * (s / t), 2 * RATE * s * (t - s) / t)


@statistic(
    {"N14": supports},
    rejects={
        "a rounded Gaussian": {"process": RoundedBrownian()},
        "variance rate·t for 2·rate·t": {"process": Skellam(RATE / 2)},
    },
    share=0.03,
    tests=2,
)
def skellam_transcripts(experiment: Experiment, process: Bridged = SKELLAM) -> None:
    """Skellam releases at adaptive times, stopped when large, are independent uniforms through the Skellam bridge.

    40,000 sessions of up to three releases; rate·t is below one half, where a rounded Gaussian of the same variance is
    refuted with power 1 − 1e-6, already in the quick profile.
    """
    parts = []
    for batch in batches(experiment, 40_000):
        seen = transcripts(
            "skellam",
            [3],
            by_sign(1.5, 0.6, 0.3),
            batch.size,
            batch.seed,
            releases=RELEASES,
            stop=first_above(6.0),
            rate=RATE,
        )
        parts.append(rosenblatt(process, seen.releases - 3, seen.times, batch.rng)[:, :, 0])
    u = np.concatenate(parts)
    shapes = [p for column in u.T for p in (kolmogorov(column).p_value, scale_and_shape(column))]
    experiment.test("each release given the past", smallest_adjusted(shapes))
    z = normal_scores(u).reshape(u.shape)
    regressions = [dependence(z[:, n], *z[:, :n].T) for n in range(1, RELEASES)]
    experiment.test("no regression on the past", smallest_adjusted(regressions))
