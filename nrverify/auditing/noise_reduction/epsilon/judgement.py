"""What a claim of ε's comes to at given noise levels: the probability of failing, and the numbers that show it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr

from nrverify.auditing.core.boundary_faults import undone
from nrverify.auditing.core.faults import Fault
from nrverify.auditing.core.faults.noise import DEVIATION_FOR_SCALE, HALF_THE_SCALE, TOO_LITTLE_NOISE
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.noise_reduction.epsilon.single_release import LeastNoise
from nrverify.laws.crossing import crossing_probability
from nrverify.laws.skellam_looks import passing_probability
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.subjects.noise_families import FAMILIES

Floats = NDArray[np.float64]

OWN_TIMES_MARGIN = 1.001
"""A probability computed from a subject's own times must be above δ by so much: the quadrature is closer."""
CLAIM_ROUNDING = 1e-9
"""A probability above δ, or a cost above ε, by this, relative, may be rounding."""
EXACT_ROUNDING = 1e-12
"""The same for Laplace noise, whose cost Δ/t is one division."""
LIKELY = 5.0
"""Looks that lose so many nats against the likeliest hardly matter."""
NEARLY_AS_LIKELY = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Few looks are spread over those that lose at most so many nats against the likeliest: which is worst depends on the
curve and on how many they are."""
NEAR = 0.05
"""Within this, relative, the cost of Laplace noise over the ε asked is near a simple one."""
EXCESS: dict[float, Fault] = {2.0: HALF_THE_SCALE, math.sqrt(2): DEVIATION_FOR_SCALE}
"""Faults by what Laplace noise costs over the ε asked."""
OWN = "its own times"


@dataclass(frozen=True)
class Judgement:
    """The probability that the loss exceeds the ε asked, and what shows it; no finding where nothing was seen."""

    failure: float
    finding: Finding | None = None


NOTHING = Judgement(0.0)
"""Where nothing was drawn, or nothing seen that breaks the claim."""


def worst(*found: Judgement) -> Judgement:
    """The judgement with the largest probability of failing."""
    return max(found, key=lambda one: one.failure, default=NOTHING)


@dataclass(frozen=True)
class ClaimJudge:
    """Judges the claim that everything released so far costs at most the ε asked for, with probability 1 − δ."""

    mechanism: str
    sensitivity: float
    delta: float
    rate: float = 1.0
    slack: float = 0.0
    """g√d where releases are rounded to a grid g in d dimensions: an ex-post claim is then that of ε + g√d·Δ/t."""
    releases: int | None = None
    """The most looks of a session, where they are limited: the claim is then for any so many looks."""
    quantity: ClassVar[str] = "probability that the loss exceeds the ε asked"

    @property
    def most(self) -> float:
        """The largest probability that is taken for δ: a claim that is exactly tight is not refuted by its rounding."""
        return self.delta * (1 + CLAIM_ROUNDING)

    @property
    def least(self) -> LeastNoise:
        """The least noise that keeps the claim at one look alone."""
        return LeastNoise(self.mechanism, self.sensitivity, self.delta, self.rate)

    def at_own_times(self, known: dict[float, float]) -> Judgement:
        """With the times the subject itself gives for its ε's."""
        epsilons, times = np.array(list(known)), np.array(list(known.values()))
        if FAMILIES[self.mechanism].pure:
            return certain(self.pure({(0, epsilon): t for epsilon, t in known.items()}))
        if self.mechanism == "skellam":
            return certain(self._skellam(epsilons, times))
        return certain(self.joint(epsilons, times, OWN_TIMES_MARGIN, OWN))

    def pure(self, largest: dict[tuple[int, float], float]) -> Judgement:
        """Laplace: the loss is Δ/t with positive probability, so t < Δ/ε anywhere refutes a pure claim.

        From the largest scale t not excluded at each (dimension, ε); dimension 0 stands for any.
        """
        if not largest:
            return NOTHING
        (d, epsilon), t = max(largest.items(), key=lambda level: self.sensitivity / (level[1] * level[0][1]))
        excess = self.sensitivity / (t * epsilon)
        fails = excess > 1 + EXACT_ROUNDING
        numbers = {"scale": t, "excess": excess, "delta": self.delta}
        estimate = Estimate(Measure.EPSILON, epsilon, self.sensitivity / t, numbers=numbers)
        fault = next((known for simple, known in EXCESS.items() if abs(excess / simple - 1) < NEAR), TOO_LITTLE_NOISE)
        texts = {"dimensions": f" (d = {d})" if d else ""}
        return Judgement(float(fails), Finding("ε paid", estimate, fault if fails else None, texts=texts))

    def joint(self, epsilons: Floats, times: Floats, margin: float, noise: str) -> Judgement:
        """Brownian: the probability that {W_t ≥ tε/Δ − Δ/2} at one of the looks; `noise` says what the times are."""
        if times.size == 0:
            return NOTHING
        curve = self.curve(epsilons, times)
        single = ndtr(-curve / np.sqrt(times))
        likeliest = int(np.argmax(single))
        failure, epsilon = float(single[likeliest]), float(epsilons[likeliest])
        found = self._probability(failure, noise, f"at ε = {epsilon:.4g} alone", {"epsilon": epsilon})
        if failure <= self.most < single.sum():
            lowest: dict[float, float] = {}
            for time, level in zip(times.tolist(), curve.tolist(), strict=True):
                lowest[time] = min(level, lowest.get(time, np.inf))
            at = np.array(sorted(lowest))
            levels = np.array([lowest[time] for time in at.tolist()])
            for chosen in self._looks(at, log_ndtr(-levels / np.sqrt(at))):
                joint = crossing_probability(lambda time: lowest[float(time)], times=at[chosen].tolist())
                together = float(joint.probability - joint.error) / margin
                if together > found.failure:
                    found = self._over(together, noise, chosen.size)
        return found

    def _skellam(self, epsilons: Floats, times: Floats) -> Judgement:
        """At one of the looks; where they are limited, at those that pass most easily as Brownian noise would."""
        variance = 2 * self.rate * times
        log_single = log_ndtr(-self.curve(epsilons, variance) / np.sqrt(variance))
        return worst(
            *(
                self._over(
                    passing_probability(epsilons[chosen], times[chosen], int(self.sensitivity), self.rate)
                    / OWN_TIMES_MARGIN,
                    OWN,
                    chosen.size,
                )
                for chosen in self._looks(times, log_single)
            )
        )

    def _looks(self, times: Floats, log_single: Floats) -> list[NDArray[np.intp]]:
        """All looks; where there are more than a session has, some choices of so many, each a schedule of its own.

        The likeliest alone, or looks spread evenly in log-time over those nearly as likely.
        """
        if self.releases is None or times.size <= self.releases:
            return [np.arange(times.size)]
        order = np.argsort(times)
        choices = []
        for lost in NEARLY_AS_LIKELY:
            near = order[log_single[order] >= log_single.max() - lost]
            logs = np.log(times[near])
            spread = np.searchsorted(logs, np.linspace(logs[0], logs[-1], self.releases))
            choices.append(near[np.unique(spread)] if self.releases > 1 else np.array([np.argmax(log_single)]))
        return choices[:1] if self.releases == 1 else choices

    def mistake(self, found: Judgement, known: dict[float, float]) -> Finding | None:
        """The finding of a failure, with the mistake without which the subject's own times would keep the claim.

        Not of a few looks: mistakes are undone on the curve of a path that is looked at always.
        """
        if found.finding is None or self.mechanism != "brownian" or not known or self.releases is not None:
            return found.finding
        epsilons, times = np.array(list(known)), np.array(list(known.values()))
        explained = undone(times, epsilons, self.sensitivity, self.delta)
        return found.finding if explained is None else explained.explain(found.finding)

    def telling(self, known: dict[float, float]) -> tuple[float, float] | None:
        """The ε's between which a Brownian loss most likely exceeds them, from the subject's own times so far."""
        if self.mechanism != "brownian" or not known:
            return None
        epsilons = np.array(sorted(known))
        times = np.array([known[epsilon] for epsilon in epsilons])
        single = log_ndtr(-self.curve(epsilons, times) / np.sqrt(times))
        if not np.isfinite(single.max()):
            return None
        likely = np.flatnonzero(single >= single.max() - LIKELY)
        # One further on both sides: the likeliest may lie between two that were asked.
        return float(epsilons[max(likely[0] - 1, 0)]), float(epsilons[min(likely[-1] + 1, epsilons.size - 1)])

    def curve(self, epsilons: Floats, times: Floats) -> Floats:
        """The level at which a Brownian path at those times has a loss of ε."""
        return times * epsilons / self.sensitivity - 0.5 * self.sensitivity + self.slack

    def _over(self, failure: float, noise: str, looks: int) -> Judgement:
        where = "at one look" if looks == 1 else f"over {looks} looks"
        return self._probability(failure, noise, where, {"looks": float(looks)})

    def _probability(self, failure: float, noise: str, where: str, numbers: dict[str, float]) -> Judgement:
        estimate = Estimate(Measure.PROBABILITY, self.delta, failure, numbers={**numbers, "delta": self.delta})
        fault = TOO_LITTLE_NOISE if failure > self.most else None
        return Judgement(failure, Finding(self.quantity, estimate, fault, texts={"noise": noise, "where": where}))


def certain(found: Judgement) -> Judgement:
    """The judgement with a finding that rests on calculation alone."""
    return found if found.finding is None else replace(found, finding=replace(found.finding, certain=True))
