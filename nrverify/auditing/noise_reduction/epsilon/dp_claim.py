"""The claim of an ε-knob under guarantee = "dp": all released when ε was asked is (ε, δ)-differentially private.

The noise level at each ε is taken from the subject (`time_of`) or bounded from above at every look, as for an ex-post
claim; compared is the hockey-stick divergence of the exact law there with δ.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from nrverify.auditing.core.declaration import Declared, form
from nrverify.auditing.core.faults.noise import TOO_LITTLE_NOISE
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.plots.data import Line, Lines, Plot
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.noise_reduction.context import CLAIMS_DP, LAW_BUILT_IN, NoiseReductionContext
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.epsilon.claim import DENSE_EPSILONS, MOST_DRAWN, WORST_SHORTFALL, EpsilonClaim
from nrverify.auditing.noise_reduction.epsilon.dp_judgement import DELTA_MARGIN, DpJudge
from nrverify.auditing.noise_reduction.epsilon.known_times import KnownTimes
from nrverify.auditing.noise_reduction.epsilon.noise_bounds import NoiseLevels
from nrverify.auditing.noise_reduction.epsilon.single_release import TooLittle
from nrverify.auditing.sampling.own_deltas import OwnDeltas
from nrverify.auditing.sampling.own_times import OwnTimes
from nrverify.statistics.additive import Additive
from nrverify.statistics.estimate import Estimate, Measure

QUANTITY = "hockey-stick divergence of all released when ε was asked"
OWN, LARGEST = "its own time", "the largest noise not excluded,"
SQUARES = ("brownian",)
"""Mechanisms whose noise level is bounded by sums of squares; of `laplace` by sums of sizes, of others by bets."""
EXPECTED = "hockey-stick divergence at ε of at most δ = {delta:.6g}"


@dataclass(frozen=True)
class LeastDpNoise:
    """The smallest t that keeps a claim of differential privacy, by ε, as bets on less noise need it."""

    judge: DpJudge

    @property
    def mechanism(self) -> str:
        """Whose noise it is."""
        return self.judge.mechanism

    @property
    def rate(self) -> float:
        """Of Skellam noise."""
        return self.judge.rate

    def __call__(self, epsilon: float) -> float:
        """At this ε."""
        return self.judge.least(epsilon)


@form(
    EpsilonClaim,
    sentence="Everything released when an ε was asked is (ε, δ)-differentially private.",
    needs=(
        LAW_BUILT_IN,
        CLAIMS_DP,
    ),
    expected="hockey-stick divergence at the ε asked of at most δ",
    templates={
        "probability": (
            EXPECTED,
            "at ε = {epsilon:.6g}, with {noise} t = {time:.6g}, the hockey-stick divergence is {observed:.6g}",
        ),
        "scale": (
            EXPECTED,
            "{observed:.3g} of the least noise that keeps the claim, over {count} numbers",
        ),
        "value": (
            EXPECTED,
            "at ε = {epsilon:.6g} the hockey-stick divergence is larger however much noise of this family there is",
        ),
    },
)
class DpClaim(Declared, Additive):
    """The ε asked for and its δ bound the hockey-stick divergence of everything so far, from the noise at each ε.

    Compares the divergence of the exact law, at ε(1 + 1e-9), with δ(1 + 1e-6); `delta_of` claims a δ for every ε.
    Catches too little noise for the claim. Relies on the joint law of the releases, which other checks examine, and
    looks at values that differ in one coordinate. Times that depend on releases are outside this claim.
    """

    configuration = ("judge", "known_times")

    def __init__(self, judge: DpJudge, known_times: bool = False) -> None:
        self.judge = judge
        self.known_times = known_times
        self.sessions = 0
        self.levels = NoiseLevels(judge.mechanism == "laplace")
        self.too_little = TooLittle(LeastDpNoise(judge))
        self.times = KnownTimes()

    @classmethod
    def build(cls, context: NoiseReductionContext) -> DpClaim:
        """With the subject's claim."""
        said = context.description
        assert said.sensitivity is not None
        delta = None if context.claims_curve else said.delta or 0.0
        judge = DpJudge(
            said.mechanism, said.sensitivity, delta, said.rate or 1.0, context.once, dimension=max(context.dimensions)
        )
        return cls(judge, known_times=context.times_known)

    def ask_densely(self, times_of: OwnTimes, knob: Knob) -> None:
        """Asks a subject for its own times at many ε's: the claim is for any of them, sampled or not."""
        times_of(np.geomspace(knob.low, knob.high, DENSE_EPSILONS))
        self.times.add(times_of.known)

    def ask_curve(self, deltas_of: OwnDeltas, knob: Knob) -> None:
        """Asks a subject for the δ's of its curve, at the same ε's."""
        self.judge = replace(self.judge, curve=dict(deltas_of(np.geomspace(knob.low, knob.high, DENSE_EPSILONS))))
        self.too_little = TooLittle(LeastDpNoise(self.judge))

    def observe(self, batch: Batch) -> None:
        """Adds up the noise at each ε of the fixed schedules, by dimension."""
        if not batch.case.fixed:
            return
        self.sessions += batch.sessions
        if self.known_times and batch.times is not None:
            self.times.add(dict(zip(batch.asked[0].tolist(), batch.times[0].tolist(), strict=True)))
            return
        self.levels.observe(batch)
        if self.judge.mechanism not in SQUARES:
            self.too_little.bet(batch.asked[0], batch.noise)

    def refuted(self, alpha: float) -> bool:
        """Whether the divergence at the largest noise not excluded is above δ."""
        return self._finding(alpha)[1]

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict, with the divergence that comes nearest to its δ or passes it."""
        finding, refuted = self._finding(alpha)
        verdict = CheckVerdict.REFUTED if refuted else CheckVerdict.CONSISTENT
        if not refuted and not self.times.known and self.levels.shortfall(alpha / 2) > WORST_SHORTFALL:
            verdict = CheckVerdict.INCONCLUSIVE
        statistic = None if finding is None else finding.estimate.observed
        sizes = self._sizes(alpha)
        return concluded(
            self, verdict, samples=self.sessions, statistic=statistic, alpha=alpha, finding=finding, sizes=sizes
        )

    def _finding(self, alpha: float) -> tuple[Finding | None, bool]:
        if self.times.known:
            return self._compared(self.times.known, OWN, certain=True)
        if self.too_little.impossible.sums:
            epsilon = min(self.too_little.impossible.sums)
            numbers = {"epsilon": epsilon, "delta": self.judge.delta_at(epsilon)}
            estimate = Estimate(Measure.VALUE, numbers["delta"], None, numbers=numbers)
            return Finding(QUANTITY, estimate, TOO_LITTLE_NOISE, certain=True), True
        if self.judge.mechanism not in SQUARES and self.too_little.log_e >= -math.log(alpha / 2):
            numbers = {"delta": self.judge.delta or 0.0}
            estimate = Estimate(Measure.SCALE, 1.0, self.too_little.factor, None, self.too_little.count, numbers)
            return Finding("noise over the least that keeps the claim", estimate, TOO_LITTLE_NOISE), True
        if self.judge.mechanism not in (*SQUARES, "laplace"):
            return None, False
        largest: dict[float, float] = {}
        for (_, epsilon), t in self.levels.largest(alpha / 2).items():
            largest[epsilon] = min(t, largest.get(epsilon, math.inf))
        return self._compared(largest, LARGEST, certain=False)

    def _compared(self, times: Mapping[float, float], noise: str, certain: bool) -> tuple[Finding | None, bool]:
        """The divergence at these times that is most above its δ."""
        worst = self.judge.worst(times)
        if worst is None:
            return None, False
        numbers = {"epsilon": worst.epsilon, "time": worst.time, "delta": worst.delta}
        estimate = Estimate(Measure.PROBABILITY, worst.delta, worst.divergence, numbers=numbers)
        fault = TOO_LITTLE_NOISE if worst.exceeds else None
        return Finding(QUANTITY, estimate, fault, certain=certain, texts={"noise": noise}), worst.exceeds

    def _sizes(self, alpha: float) -> tuple[Size, ...]:
        """The smallest divergence, or shortfall of noise, that would have been refuted."""
        if self.times.known:
            at = f"at its own times of {len(self.times.known)} ε's,"
            if self.judge.delta is None:
                return (Size(f"{QUANTITY} over the δ claimed, {at}", DELTA_MARGIN, "ratio"),)
            return (Size(f"{QUANTITY}, {at}", self.judge.delta * DELTA_MARGIN, "δ"),)
        shortfall = self.levels.shortfall(alpha / 2)
        if shortfall >= 1:
            return ()
        return (Size("shortfall of the noise at any one ε, beyond the claim's own slack", 100 * shortfall, "%"),)

    def plots(self, alpha: float) -> tuple[Plot, ...]:
        """The noise behind each ε against the least that keeps the claim."""
        if len(self.times.known) < 2:
            return ()
        asked = tuple(sorted(self.times.known))
        few = asked[:: -(-len(asked) // MOST_DRAWN)]
        least = tuple((epsilon, self.judge.least(epsilon)) for epsilon in few)
        drawn = [(epsilon, t) for epsilon, t in least if 0 < t < math.inf]
        lines = [Line("its own times", asked, tuple(self.times.known[epsilon] for epsilon in asked))]
        if len(drawn) > 1:
            asked_few, least_few = zip(*drawn, strict=True)
            lines.append(Line("least that keeps the claim", asked_few, least_few, dotted=True))
        return (Lines("Noise behind each ε", "ε", "t", tuple(lines), "Below the dotted line the claim fails."),)
