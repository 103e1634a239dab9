"""Textbook mechanisms, right, each with the claim that is proved for it: what `mechanism = "any"` must never refute."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.reference.mutants.catalogue import benign

Floats = NDArray[np.float64]


class Textbook:
    """A mechanism of one claim; neighbours differ in one record."""

    mechanism = "any"
    epsilon: float | None = 1.0
    delta = 0.0
    neighbours: Any = ((0, 1),)


class LaplaceCount(Textbook):
    """A count with Laplace noise of scale 1/ε: tight at every output."""

    scale = 1.0

    def run_many(self, data: int, runs: int, seed: int) -> Floats:
        """The count, with noise."""
        return data + np.random.default_rng(seed).laplace(0, self.scale, runs)


class GeometricCount(Textbook):
    """A count with two-sided geometric noise: an integer, and tight."""

    ratio = math.exp(-1.0)

    def run_many(self, data: int, runs: int, seed: int) -> NDArray[np.int64]:
        """The count, with integer noise."""
        rng = np.random.default_rng(seed)
        return data + rng.geometric(1 - self.ratio, runs) - rng.geometric(1 - self.ratio, runs)


class GaussianSum(Textbook):
    """A sum with Gaussian noise at the smallest deviation that is (1, 0.01)-private (analytic Gaussian mechanism)."""

    delta = 0.01
    deviation = 1.8779
    """Just above the root of Φ(1/2σ − σ) − e·Φ(−1/2σ − σ) = 0.01, which is 1.877876."""

    def run_many(self, data: float, runs: int, seed: int) -> Floats:
        """The sum, with noise."""
        return data + self.deviation * np.random.default_rng(seed).standard_normal(runs)


class RandomizedResponse(Textbook):
    """The truth with probability e^ε/(1 + e^ε), as text."""

    neighbours: Any = (("yes", "no"),)
    truth = math.e / (1 + math.e)

    def run_many(self, data: str, runs: int, seed: int) -> list[str]:
        """The answer, or the other one."""
        other = {"yes": "no", "no": "yes"}[data]
        return [data if true else other for true in np.random.default_rng(seed).random(runs) < self.truth]


class NoisyMax(Textbook):
    """Report noisy max: the place of the largest of some scores with Laplace noise of scale 2/ε."""

    neighbours: Any = (([0, 1, 1, 1, 1], [1, 0, 0, 0, 0]), ([0, 0, 0, 0, 0], [1, 0, 0, 0, 0]))
    scale = 2.0

    def run_many(self, data: list[float], runs: int, seed: int) -> Any:
        """The place of the largest."""
        return np.argmax(self._scores(data, runs, seed), axis=1)

    def _scores(self, data: list[float], runs: int, seed: int) -> Floats:
        return np.asarray(data) + np.random.default_rng(seed).laplace(0, self.scale, (runs, len(data)))


class Exponential(Textbook):
    """The exponential mechanism: a candidate with probability proportional to e^{ε·score/2}, as text."""

    neighbours: Any = (([0, 1, 1], [1, 0, 0]), ([0, 0, 0], [1, 1, 0]))
    factor = 0.5

    def run_many(self, data: list[float], runs: int, seed: int) -> list[str]:
        """The name of a candidate."""
        weights = np.exp(self.factor * np.asarray(data, dtype=float))
        chosen = np.random.default_rng(seed).choice(len(data), runs, p=weights / weights.sum())
        return [("ann", "bob", "eve")[place] for place in chosen.tolist()]


class PermuteAndFlip(Textbook):
    """Permute-and-flip: candidates in random order, each taken with probability e^{ε(score − best)/2}."""

    neighbours: Any = (([0, 1, 1], [1, 0, 0]), ([0, 0, 0], [1, 0, 0]))
    factor = 0.5

    def run_many(self, data: list[float], runs: int, seed: int) -> NDArray[np.int64]:
        """The place of a candidate."""
        rng = np.random.default_rng(seed)
        scores = np.asarray(data, dtype=float)
        order = rng.random((runs, scores.size)).argsort(axis=1)
        taken = rng.random(order.shape) < np.exp(self.factor * (scores[order] - scores.max()))
        return np.asarray(order[np.arange(runs), taken.argmax(axis=1)])


class SparseVector(Textbook):
    """Sparse vector for c = 1 as Lyu, Su and Li (2017) correct it: threshold noise 2/ε, query noise 4/ε; bits."""

    neighbours: Any = (([1, 1, 1, 1, 0], [0, 0, 0, 0, 1]), ([0, 0], [1, 1]))
    threshold_scale, query_scale = 2.0, 4.0

    def run_many(self, data: list[float], runs: int, seed: int) -> list[Any]:
        """0 for every query below the threshold 0, then 1 and the end."""
        above = self._above(data, runs, seed)
        first = np.where(above.any(axis=1), above.argmax(axis=1), len(data))
        return [[0] * place + [1] * (place < len(data)) for place in first.tolist()]

    def _above(self, data: list[float], runs: int, seed: int) -> NDArray[np.bool_]:
        rng = np.random.default_rng(seed)
        threshold = rng.laplace(0, self.threshold_scale, (runs, 1)) if self.threshold_scale else np.zeros((runs, 1))
        noise = rng.laplace(0, self.query_scale, (runs, len(data))) if self.query_scale else 0.0
        return np.asarray(np.asarray(data) + noise >= threshold)


class StableHistogram(Textbook):
    """A histogram with text keys: Laplace noise 1/ε on counts that are not 0, shown above 1 + log(1/2δ)/ε."""

    delta = 0.01
    neighbours: Any = (({"ann": 3}, {"ann": 3, "bob": 1}), ({"ann": 3}, {"ann": 4}))
    threshold = 1 + math.log(1 / (2 * 0.01))

    def run_many(self, data: dict[str, int], runs: int, seed: int) -> list[dict[str, float]]:
        """The names with their noisy counts."""
        noise = np.random.default_rng(seed).laplace(0, 1.0, (runs, len(data)))
        noisy = noise + np.array(list(data.values()), dtype=float)
        rows = noisy.tolist()
        return [{name: one for name, one in zip(data, row, strict=True) if one > self.threshold} for row in rows]


class NoisyGradient(Textbook):
    """A step of noisy SGD: gradients clipped to norm 1, their sum with Gaussian noise √(2 log(1.25/δ))/ε."""

    delta = 0.01
    neighbours: Any = (([[3.0, 0.0], [0.0, 0.5]], [[0.0, 0.0], [0.0, 0.5]]),)
    clip = 1.0

    def run_many(self, data: list[list[float]], runs: int, seed: int) -> Floats:
        """The noisy sum of the clipped gradients."""
        gradients = np.asarray(data, dtype=float)
        norms = np.maximum(np.linalg.norm(gradients, axis=1, keepdims=True), 1e-12)
        total = (gradients * np.minimum(1.0, self.clip / norms)).sum(axis=0)
        deviation = math.sqrt(2 * math.log(1.25 / self.delta))
        return np.asarray(total + deviation * np.random.default_rng(seed).standard_normal((runs, 2)))


class SubsampledCount(Textbook):
    """A count of three of ten records with Laplace noise for ε = 2: log(1 + q(e² − 1)) by amplification."""

    share = 0.3
    epsilon = math.log(1 + 0.3 * (math.exp(2) - 1))

    def run_many(self, data: int, runs: int, seed: int) -> Floats:
        """The noisy count of a subsample."""
        rng = np.random.default_rng(seed)
        return rng.binomial(data, self.share, runs) + rng.laplace(0, 0.5, runs)


class ProposeTestRelease(Textbook):
    """Propose-test-release of a majority: shown if its distance from instability, with noise, exceeds log(1/2δ)/ε."""

    delta = 0.01
    neighbours: Any = (([4, 1], [5, 1]), ([2, 2], [3, 2]), ([6, 2], [5, 2]))
    """Votes for either side; one vote more or less."""
    noise = 1.0

    def run_many(self, data: list[int], runs: int, seed: int) -> list[str | None]:
        """The winner, or None."""
        distance = max(abs(data[0] - data[1]) - 1, 0)
        noise = self.noise * np.random.default_rng(seed).laplace(0, 1.0, runs) if self.noise else np.zeros(runs)
        shown = distance + noise > math.log(1 / (2 * 0.01))
        winner = "first" if data[0] > data[1] else "second"
        return [winner if one else None for one in shown.tolist()]


class SmoothMedian(Textbook):
    """A median of numbers from 0 to 1 with Laplace noise of twice its smooth sensitivity (Nissim et al, 2007)."""

    delta = 0.01
    neighbours: Any = (([0, 0, 0, 0, 1], [0, 0, 0, 1, 1]), ([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]))
    distances = 5

    def run_many(self, data: list[float], runs: int, seed: int) -> Floats:
        """The noisy median."""
        scale = 2 * self.sensitivity_at(sorted(data))
        return sorted(data)[2] + scale * np.random.default_rng(seed).laplace(0, 1.0, runs)

    def sensitivity_at(self, ordered: list[float]) -> float:
        """The largest e^{−kβ} times the local sensitivity at distance k, β = ε/(2 log(2/δ))."""
        padded = [0.0] * 6 + [float(x) for x in ordered] + [1.0] * 6
        middle, beta = 8, 1 / (2 * math.log(2 / 0.01))
        local = [
            max(padded[middle + t] - padded[middle + t - k - 1] for t in range(k + 2)) for k in range(self.distances)
        ]
        return max(math.exp(-k * beta) * one for k, one in enumerate(local))


class TwoLooks(Textbook):
    """A coarse look, and a fine one if the first is near 0; each output costs what it has used (ex post)."""

    epsilon = None
    smallest_epsilon = 0.5
    both = 1.5

    def spent(self, output: list[float]) -> float:
        """0.5 for the first look, and 1 more for the second."""
        return self.both if len(output) > 1 else 0.5

    def run_many(self, data: int, runs: int, seed: int) -> list[list[float]]:
        """One or two noisy values."""
        first, second = data + np.random.default_rng(seed).laplace(0, [[2.0], [1.0]], (2, runs))
        return [[a, b] if abs(a) < 3 else [a] for a, b in zip(first.tolist(), second.tolist(), strict=True)]


BENIGN = benign(
    (
        ("textbook-laplace", LaplaceCount),
        ("textbook-geometric", GeometricCount),
        ("textbook-gaussian", GaussianSum),
        ("textbook-randomized-response", RandomizedResponse),
        ("textbook-noisy-max", NoisyMax),
        ("textbook-exponential", Exponential),
        ("textbook-permute-and-flip", PermuteAndFlip),
        ("textbook-sparse-vector", SparseVector),
        ("textbook-histogram", StableHistogram),
        ("textbook-noisy-gradient", NoisyGradient),
        ("textbook-subsampled", SubsampledCount),
        ("textbook-propose-test-release", ProposeTestRelease),
        ("textbook-smooth-median", SmoothMedian),
        ("textbook-two-looks", TwoLooks),
    )
)
