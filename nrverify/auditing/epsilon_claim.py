"""The claim of an ε-knob: everything released so far costs at most the ε asked for, with probability 1 − δ.

The noise level at each ε is taken from the subject (`time_of`) or bounded from above at every look; the claim is then
judged from the exact crossing probability there, so that δ = 1e-6 needs no 1e6 sessions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import gamma

from nrverify.auditing.cases import EPSILONS
from nrverify.auditing.check import Batch
from nrverify.auditing.results import CheckResult, CheckVerdict
from nrverify.laws.crossing import crossing_probability
from nrverify.statistics.wealth import EFFECTS, log_average

Floats = NDArray[np.float64]

SMALLER: Floats = EFFECTS[EFFECTS < 0]
CORNER_MARGIN = 1.05
"""A joint crossing probability at confidence limits must exceed δ by this factor: the corner is not proved worst."""


MOST_LEVELS = 2 * EPSILONS
"""Noise levels bounded at once: the grid in two dimensions, fixed in advance so that α is divided alike each time."""


class EpsilonClaim:
    """The ε asked for bounds the loss of everything so far, judged from the noise at each ε.

    Catches too little noise for the ε (a wrong constant, boundary, or norm of the sensitivity). Relies on the joint law
    of the releases, which other checks examine. Misses shortfalls that a finite set of ε's cannot show.
    """

    id = "privacy.epsilon"
    kind = "privacy"
    claims: tuple[str, ...] = ("B12", "B13", "N08")

    def __init__(self, mechanism: str, sensitivity: float, delta: float, known_times: bool) -> None:
        self.mechanism = mechanism
        self.sensitivity = sensitivity
        self.delta = delta
        self.known_times = known_times
        self.sessions = 0
        self._sums: dict[tuple[int, float], tuple[float, int]] = {}
        self._times: dict[float, float] = {}
        self._judged: tuple[int, float, str] | None = None

    def ask_densely(self, times: dict[float, float]) -> None:
        """Takes in the subject's own times at many ε's: the claim is for any of them, sampled or not."""
        self._times.update(times)

    def observe(self, batch: Batch) -> None:
        """Adds up the noise at each ε of the fixed schedules, by dimension."""
        if not batch.case.fixed:
            return
        self.sessions += batch.sessions
        size = np.abs(batch.noise) if self.mechanism == "laplace" else batch.noise**2
        d = size.shape[2]
        asked = batch.asked
        for epsilon in np.unique(asked[np.isfinite(asked)]):
            if len(self._sums) == MOST_LEVELS and (d, float(epsilon)) not in self._sums:
                continue
            # A repeated ε repeats its release: the first occurrence in a session counts.
            hit = asked == epsilon
            first = hit & (np.cumsum(hit, axis=1) == 1)
            total, count = self._sums.get((d, float(epsilon)), (0.0, 0))
            self._sums[d, float(epsilon)] = (total + float(size[first].sum()), count + int(first.sum()) * d)
            if self.known_times and batch.times is not None:
                self._times[float(epsilon)] = float(batch.times[first][0])

    def refuted(self, alpha: float) -> bool:
        """Whether the failure probability at the largest noise not excluded is above δ."""
        return self._failure(alpha)[0] > self.delta

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict, with the failure probability at the confidence limit."""
        failure, words = self._failure(alpha)
        verdict = CheckVerdict.REFUTED if failure > self.delta else CheckVerdict.CONSISTENT
        counts = [count for _, count in self._sums.values()]
        resolution = _resolution(min(counts, default=0), alpha / max(len(counts), 1))
        if verdict is CheckVerdict.CONSISTENT and not self._times and resolution > 0.5:
            verdict = CheckVerdict.INCONCLUSIVE
        return CheckResult(
            self.id,
            self.kind,
            verdict,
            self.claims,
            samples=self.sessions,
            statistic=failure,
            alpha=alpha,
            detectable=f"noise too small by {100 * resolution:.2g} % beyond the boundary's own slack",
            expected=f"the loss exceeds the ε asked for with probability at most δ = {self.delta:g}",
            observed=words,
        )

    def _failure(self, alpha: float) -> tuple[float, str]:
        # With times of the subject's own the judgement does not depend on how much was drawn.
        seen = len(self._times) or self.sessions
        if self._judged is not None and self._judged[0] == seen:
            return self._judged[1:]
        if self.mechanism == "laplace":
            found = self._pure(alpha)
        else:
            found = self._brownian(alpha)
        self._judged = (seen, *found)
        return found

    def _largest_scale(self, alpha: float, shape: float) -> dict[tuple[int, float], float]:
        """For each (d, ε) the largest t not excluded, all at once with error α at every look."""
        level = -np.log(alpha / MOST_LEVELS)
        return {
            key: total / _smallest_ratio(count, shape, level) for key, (total, count) in self._sums.items() if count
        }

    def _pure(self, alpha: float) -> tuple[float, str]:
        """Laplace: the loss is Δ/t with positive probability, so t < Δ/ε anywhere refutes a pure claim."""
        worst, words = 0.0, "no noise level is excluded"
        for (d, epsilon), largest in self._largest_scale(alpha, 1.0).items():
            excess = self.sensitivity / (largest * epsilon)
            if excess > worst:
                worst = excess
                paid = self.sensitivity / largest
                words = (
                    f"at ε = {epsilon:.4g} (d = {d}) the scale is at most {largest:.4g}, so ε is at least {paid:.4g}"
                )
        return (1.0, words) if worst > 1 else (0.0, words)

    def _brownian(self, alpha: float) -> tuple[float, str]:
        """Brownian: the probability that {W_t ≥ tε/Δ − Δ/2} at one of the ε's, at the largest times not excluded."""
        if self._times:
            return self._joint({epsilon: (t, 0) for epsilon, t in self._times.items()}, 1.001, "its own times")
        times: dict[float, tuple[float, int]] = {}
        for (d, epsilon), t in self._largest_scale(alpha, 0.5).items():
            if epsilon not in times or t < times[epsilon][0]:
                times[epsilon] = (t, d)
        return self._joint(times, CORNER_MARGIN, "the largest noise not excluded")

    def _joint(self, times: dict[float, tuple[float, int]], margin: float, what: str) -> tuple[float, str]:
        if not times:
            return 0.0, "nothing was drawn"
        t = np.array([time for time, _ in times.values()])
        epsilon = np.array(list(times))
        curve = t * epsilon / self.sensitivity - 0.5 * self.sensitivity
        single = ndtr(-curve / np.sqrt(t))
        worst = int(np.argmax(single))
        failure, words = float(single[worst]), f"at ε = {epsilon[worst]:.4g} alone"
        if failure <= self.delta < single.sum():
            levels: dict[float, float] = {}
            for time, level in zip(t, curve, strict=True):
                levels[float(time)] = min(level, levels.get(float(time), np.inf))
            joint = crossing_probability(lambda time: levels[float(time)], times=sorted(levels))
            if (joint.probability - joint.error) / margin > failure:
                failure, words = float(joint.probability - joint.error) / margin, f"over {len(levels)} looks"
        return failure, f"with {what} the loss exceeds ε with probability {failure:.3g} {words}"


def _smallest_ratio(count: int, shape: float, level: float) -> float:
    """The smallest total/t not excluded as 'less noise than t' (shape ½: squares, 1: sizes), valid at every look."""

    def log_e(ratio: float) -> float:
        return log_average(-shape * count * SMALLER - shape * ratio * np.expm1(-SMALLER))

    low, high = 0.0, float(count)
    if log_e(low) < level:
        return 1e-300
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if log_e(middle) >= level else (low, middle)
    return high


def _resolution(count: int, alpha: float) -> float:
    """How far the upper confidence limit of a scale lies above it."""
    return float(count / gamma.ppf(alpha, count) - 1) if count > 1 else float("inf")
