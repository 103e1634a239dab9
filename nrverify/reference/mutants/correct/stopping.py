"""Private stopping done right: Brownian releases that ReducedAboveThreshold stops, with ε_n = ψ(T_n)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.reference.mutants.correct.boundary import linear_slope
from nrverify.reference.reverse_steps import BROWNIAN, LAPLACE, Path

Floats = NDArray[np.float64]
Utility = Callable[[Floats], float]

TUNED_AT = 0.3
"""As in the paper's experiments."""


class PrivateStopping:
    """Releases f(x) + B_{T_n} until u(release) + ξ_n ≥ τ + ζ_n, noise at ψ(T_n); claims 2ψ(T_N)."""

    mechanism = "private-stopping"
    sensitivity = 1.0
    delta = 1e-6

    def epsilon(self, time: float) -> float:
        """The linear boundary ψ(t) = (Δ/t)(Δ/2 + b) + Δa."""
        level = math.log(1 / self.delta)
        slope = linear_slope(TUNED_AT, level, self.sensitivity)
        return self.sensitivity * (self.sensitivity / 2 + slope * time + level / (2 * slope)) / time

    def epsilons(self, schedule: Sequence[float]) -> list[float]:
        """ε_n = ψ(T_n)."""
        return [self.epsilon(t) for t in schedule]

    def releases(self, value: Floats, schedule: Sequence[float], rng: np.random.Generator) -> Floats:
        """f(x) + B at every time of the schedule, whether it will be shown or not."""
        path = Path(BROWNIAN, value.shape, rng)
        return np.stack([value + path.at(t) for t in schedule])

    def utilities(self, value: Floats, releases: Floats, utility: Utility) -> list[float]:
        """The utility of each release."""
        return [float(utility(release)) for release in releases]

    def threshold_noise(self, scales: Sequence[float], rng: np.random.Generator) -> list[float]:
        """ζ_n, the Laplace process at the scales."""
        path = Path(LAPLACE, (), rng)
        return [path.at(scale).item() for scale in scales]

    def query_noise(self, scales: Sequence[float], normals: Floats, rng: np.random.Generator) -> list[float]:
        """ξ_n, fresh Laplace noise at the scales; the releases' noise, each of variance 1, is not for use here."""
        return [float(rng.laplace(scale=scale)) for scale in scales]

    def run(
        self,
        value: Floats,
        schedule: Sequence[float],
        utility: Utility,
        threshold: float,
        utility_sensitivity: float,
        seed: int,
    ) -> tuple[Any, list[int]]:
        """The releases up to the stop, shape (N, d), and the bits up to and including the first 1."""
        brownian, laplace = (np.random.default_rng(stream) for stream in np.random.SeedSequence(seed).spawn(2))
        releases = self.releases(value, schedule, brownian)
        scales = [utility_sensitivity / epsilon for epsilon in self.epsilons(schedule)]
        zeta = self.threshold_noise([2 * scale for scale in scales], laplace)
        normals = (releases - value)[:, 0] / np.sqrt(schedule)
        xi = self.query_noise([4 * scale for scale in scales], normals, laplace)
        bits: list[int] = []
        for u, z, x in zip(self.utilities(value, releases, utility), zeta, xi, strict=True):
            bits.append(int(u + x >= threshold + z))
            if bits[-1]:
                break
        return releases[: self.shown(len(bits), len(schedule))], bits

    def shown(self, rounds: int, scheduled: int) -> int:
        """How many releases are shown after that many rounds: as many."""
        return rounds
