"""Faulty private stopping: what the threshold mechanism is fed, and what its noise depends on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr

from nrverify.reference.mutants.catalogue import mutants
from nrverify.reference.mutants.correct.stopping import Floats, PrivateStopping, Utility
from nrverify.reference.reverse_steps import BROWNIAN, Path


class SharedNoise(PrivateStopping):
    """The query noise is made from the same random numbers as the release it judges."""

    def query_noise(self, scales: Sequence[float], normals: Floats, rng: np.random.Generator) -> list[float]:
        # The Laplace quantile of Φ(z): the right law, from the wrong numbers.
        sizes = -np.log(2 * ndtr(-np.abs(normals)))
        return [float(noise) for noise in np.array(scales) * np.copysign(sizes, normals)]


class LateUtility(PrivateStopping):
    """Each round judges the release of the round before: an off-by-one between releases and utilities."""

    def utilities(self, value: Floats, releases: Floats, utility: Utility) -> list[float]:
        judged = super().utilities(value, releases, utility)
        return [judged[0], *judged[:-1]]


class ConstantCharge(PrivateStopping):
    """The threshold mechanism runs at the last ε of the schedule throughout, while ψ(T_N) is charged."""

    def epsilons(self, schedule: Sequence[float]) -> list[float]:
        return [self.epsilon(schedule[-1])] * len(schedule)


class FirstCharge(PrivateStopping):
    """The threshold mechanism keeps the first ε, so its noise is never reduced."""

    def epsilons(self, schedule: Sequence[float]) -> list[float]:
        return [self.epsilon(schedule[0])] * len(schedule)


class ExactUtility(PrivateStopping):
    """The utility is evaluated at the exact value instead of the release."""

    def utilities(self, value: Floats, releases: Floats, utility: Utility) -> list[float]:
        return [float(utility(value))] * len(releases)


class ThresholdRedrawn(PrivateStopping):
    """The threshold noise is drawn again in every round."""

    def threshold_noise(self, scales: Sequence[float], rng: np.random.Generator) -> list[float]:
        return [float(rng.laplace(scale=scale)) for scale in scales]


class NoQueryNoise(PrivateStopping):
    """The threshold alone is noisy, because the releases are private already."""

    def query_noise(self, scales: Sequence[float], normals: Floats, rng: np.random.Generator) -> list[float]:
        return [0.0] * len(scales)


class FreshReleases(PrivateStopping):
    """Every time gets fresh noise instead of the path that is already there."""

    def releases(self, value: Floats, schedule: Sequence[float], rng: np.random.Generator) -> Floats:
        fresh = {t: value + Path(BROWNIAN, value.shape, rng).at(t) for t in dict.fromkeys(schedule)}
        return np.stack([fresh[t] for t in schedule])


class OneMoreRelease(PrivateStopping):
    """The release after the stop is shown too, because it had been drawn already."""

    def shown(self, rounds: int, scheduled: int) -> int:
        return min(rounds + 1, scheduled)


MUTANTS = (
    *mutants(
        "leak",
        (
            ("stopping-shared-noise", SharedNoise),
            ("stopping-constant-charge", ConstantCharge),
            ("stopping-exact-utility", ExactUtility),
            ("stopping-threshold-redrawn", ThresholdRedrawn),
            ("stopping-no-query-noise", NoQueryNoise),
            ("stopping-fresh-releases", FreshReleases),
            ("stopping-one-more-release", OneMoreRelease),
        ),
    ),
    *mutants(
        "inaccuracy",
        (
            ("stopping-late-utility", LateUtility),
            ("stopping-first-charge", FirstCharge),
        ),
    ),
)
