"""Benign threshold, boundary and private-stopping subjects: unusual, and right all the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.reference.mutants.catalogue import benign
from nrverify.reference.mutants.correct.boundary import Boundary, HalfNormalMixture, Linear, Mixture, SkellamLinear
from nrverify.reference.mutants.correct.stopping import PrivateStopping
from nrverify.reference.mutants.correct.threshold import AboveThreshold, Floats, ReducedAboveThreshold


class StrictInequality(AboveThreshold):
    """It halts at > instead of ≥, which for continuous noise has the same law."""

    def crossings(self, queries: Floats, thresholds: Floats) -> NDArray[np.bool_]:
        return queries > thresholds


class RunOnly(AboveThreshold):
    """One run at a time, with bits as a NumPy array of truth values."""

    run_many = None  # type: ignore[assignment]

    def run(
        self, utilities: Sequence[float], epsilons: Sequence[float], threshold: float, sensitivity: float, seed: int
    ) -> Any:
        return np.array(super().run(utilities, epsilons, threshold, sensitivity, seed), dtype=bool)


class RunManyOnly(ReducedAboveThreshold):
    """Batches of runs only."""

    run = None  # type: ignore[assignment]


class ForwardThreshold(ReducedAboveThreshold):
    """The threshold noise is walked forwards from the last, smallest scale to the first."""

    def threshold_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        zeta = np.empty((scales.size, runs))
        zeta[-1] = rng.laplace(scale=scales[-1], size=runs)
        for n in reversed(range(scales.size - 1)):
            jumps = rng.random(runs) >= (scales[n + 1] / scales[n]) ** 2
            zeta[n] = zeta[n + 1] + jumps * rng.laplace(scale=scales[n], size=runs)
        return zeta


class NoiseOnTheOtherSide(AboveThreshold):
    """The query noise is subtracted from the threshold instead of added to the query."""

    def answers(
        self, utilities: Floats, epsilons: Floats, threshold: float, sensitivity: float, runs: int, seed: int
    ) -> NDArray[np.bool_]:
        rng = np.random.default_rng(seed)
        zeta = self.threshold_noise(self.threshold_scales(epsilons, sensitivity), runs, rng)
        xi = self.query_noise(self.query_scales(epsilons, sensitivity), runs, rng)
        return self.crossings(np.broadcast_to(utilities[:, None], xi.shape), threshold + zeta - xi)


class WastefulBoundary(Linear):
    """It charges twice what the loss can be."""

    def epsilon(self, time: float) -> float:
        return 2 * super().epsilon(time)

    def time(self, epsilon: float) -> float:
        return super().time(epsilon / 2)


class SafeTwo(Linear):
    """The line is built for e^{−ab} = δ, which charges more than it must."""

    @property
    def intercept(self) -> float:
        return self.level / self.slope


class WholeDrift(Linear):
    """It charges Δ²/t for the drift, twice what the loss has."""

    time = None  # type: ignore[assignment]

    def epsilon(self, time: float) -> float:
        return self.sensitivity * (self.sensitivity + self.curve(time)) / time


class RetunedOnInterval(Boundary):
    """The curve √(2ℓt), which every path meets in the end, on times within a factor 2, where it is good enough."""

    interval = (1.0, 2.0)

    def curve(self, time: float) -> float:
        return math.sqrt(2 * self.level * time)


class StoppingStepByStep(PrivateStopping):
    """Nothing is drawn ahead: each round draws its release and its noise when it is reached."""

    def run(
        self,
        value: Floats,
        schedule: Sequence[float],
        utility: Callable[[Floats], float],
        threshold: float,
        utility_sensitivity: float,
        seed: int,
    ) -> tuple[Any, list[int]]:
        from nrverify.reference.noise_reduction import BrownianMechanism
        from nrverify.reference.threshold import ReducedAboveThreshold as Answering

        brownian, laplace = np.random.SeedSequence(seed).spawn(2)
        mechanism = BrownianMechanism(value, np.random.default_rng(brownian))
        answering = Answering(threshold, utility_sensitivity, np.random.default_rng(laplace))
        releases, bits = [], []
        for t in schedule:
            releases.append(mechanism.release(t))
            bits.append(int(answering.answer(float(utility(releases[-1])), self.epsilon(t))))
            if bits[-1]:
                break
        return releases, bits


CLAIMS = benign(
    (
        ("threshold", AboveThreshold),
        ("threshold-strict", StrictInequality),
        ("threshold-run-only", RunOnly),
        ("threshold-noise-on-the-other-side", NoiseOnTheOtherSide),
        ("reduced-threshold-lazy", ReducedAboveThreshold),
        ("reduced-threshold-run-many-only", RunManyOnly),
        ("reduced-threshold-forward", ForwardThreshold),
        ("boundary-linear", Linear),
        ("boundary-mixture", Mixture),
        ("boundary-half-normal-mixture", HalfNormalMixture),
        ("boundary-skellam-linear", SkellamLinear),
        ("boundary-wasteful", WastefulBoundary),
        ("boundary-linear-safe-two", SafeTwo),
        ("boundary-whole-drift", WholeDrift),
        ("boundary-retuned-on-interval", RetunedOnInterval),
        ("stopping", PrivateStopping),
        ("stopping-step-by-step", StoppingStepByStep),
    )
)
