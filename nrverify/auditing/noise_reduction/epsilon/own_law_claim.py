"""The claim of an ε-knob whose noise follows a law of one's own, judged by what that law says of the loss."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.declaration import Declared, Need, form
from nrverify.auditing.core.faults.noise import TOO_LITTLE_NOISE
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.noise_reduction.context import TIMES_KNOWN, NoiseReductionContext
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.epsilon.claim import DENSE_EPSILONS, EpsilonClaim
from nrverify.auditing.noise_reduction.epsilon.dp_judgement import EPSILON_MARGIN, DpJudge
from nrverify.auditing.noise_reduction.epsilon.known_times import KnownTimes
from nrverify.auditing.noise_reduction.epsilon.own_law_loss import GRANTED, RELATIVE, Enclosed, OwnLoss, last_tells_all
from nrverify.auditing.sampling.own_deltas import OwnDeltas
from nrverify.auditing.sampling.own_times import OwnTimes
from nrverify.statistics.additive import Additive
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.subjects.guarantees import DP

Floats = NDArray[np.float64]

COMPUTED = 12
"""ε's at which divergences are computed: evenly over those asked, and where the bound is most above ε."""
PROBED_TIMES = 4
"""Times between which it is tried whether the last release tells all."""
QUANTITY = "hockey-stick divergence of one look at the ε asked"
EXPECTED = "a hockey-stick divergence of one look at the ε asked of at most δ = {delta:.6g}"
OFFER = "no look breaks the claim; that none can is not known: a bound epsilon(t, shift) of the law would prove it"
ABOVE = "no look breaks the claim; that none can is not known: the law's epsilon(t, shift) is above the ε asked"
DEPENDS = "no look breaks the claim alone; by its law earlier releases may tell more than the last, so none is proved"
MANY = "no look breaks the claim alone; what many looks come to is known where the law's epsilon(t, shift) is at most ε"

OWN_LAW = Need(lambda context: bool(context.description.family.own), "the law is built in")


@form(
    EpsilonClaim,
    claims=(),
    needs=(OWN_LAW, TIMES_KNOWN),
    expected="a loss of at most the ε asked, with probability 1 − δ",
    templates={
        "probability": (
            EXPECTED,
            "at ε = {epsilon:.6g}, with its own time t = {time:.6g}, the divergence is at least {observed:.6g}",
        ),
        "epsilon": (
            "a loss of at most the ε asked",
            "at ε = {expected:.6g} and its own time t = {time:.6g} the law bounds the loss by {observed:.6g}",
        ),
    },
)
class OwnLawClaim(Declared, Additive):
    """The ε asked for bounds the loss, by the law's `epsilon(t, shift)` and its densities, at the subject's own times.

    A bound of at most ε at every time proves the claim. Densities refute it: the divergence of one look exceeds δ for
    values a sensitivity apart in one coordinate. A claim of one release with a δ is also proved by them. Relies on the
    law, which is trusted, and on the noise being that of the times the subject names, which other checks judge. Losses
    within 1e-4 of ε are let pass.
    """

    configuration = ("loss", "judge", "guarantee", "once", "_tells_all", "_found")

    def __init__(self, loss: OwnLoss, judge: DpJudge, guarantee: str | None, once: bool) -> None:
        self.loss = loss
        self.judge = judge
        """Which δ is claimed at which ε."""
        self.guarantee = guarantee
        self.once = once
        self.sessions = 0
        self.times = KnownTimes()
        self._tells_all = once
        self._found: tuple[int, tuple[Finding | None, bool, bool]] | None = None
        """What was computed from so many times: it does not change with what is drawn."""

    @classmethod
    def build(cls, context: NoiseReductionContext) -> OwnLawClaim:
        """With the subject's claim."""
        said = context.description
        assert said.sensitivity is not None
        delta = None if context.claims_curve else said.delta or 0.0
        loss = OwnLoss(said.mechanism, said.sensitivity, max(context.dimensions))
        judge = DpJudge(said.mechanism, said.sensitivity, delta, once=context.once)
        return cls(loss, judge, context.guarantee, context.once)

    def ask_densely(self, times_of: OwnTimes, knob: Knob) -> None:
        """Asks a subject for its own times at many ε's: the claim is for any of them, sampled or not."""
        times_of(np.geomspace(knob.low, knob.high, DENSE_EPSILONS))
        self.times.add(times_of.known)
        if not self.once:
            ends = sorted(self.times.known.values())
            probed = np.unique(np.geomspace(ends[0], ends[-1], PROBED_TIMES)).tolist()
            self._tells_all = last_tells_all(self.loss.family, probed)

    def ask_curve(self, deltas_of: OwnDeltas, knob: Knob) -> None:
        """Asks a subject for the δ's of its curve, at the same ε's."""
        self.judge = replace(self.judge, curve=dict(deltas_of(np.geomspace(knob.low, knob.high, DENSE_EPSILONS))))

    def observe(self, batch: Batch) -> None:
        """Counts sessions: what they show of the law is for other checks."""
        self.sessions += batch.sessions

    def refuted(self, alpha: float) -> bool:
        """Whether the divergence of some look is above its δ."""
        return self._judged()[1]

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted by a divergence, consistent where the claim is proved, else inconclusive with the reason."""
        finding, refuted, proved = self._judged()
        verdict = CheckVerdict.CONSISTENT if proved else CheckVerdict.INCONCLUSIVE
        return concluded(
            self,
            CheckVerdict.REFUTED if refuted else verdict,
            samples=self.sessions,
            statistic=None if finding is None else finding.estimate.observed,
            alpha=alpha,
            finding=finding,
            sizes=self._sizes(),
            message=None if refuted or proved else self._why(),
        )

    def _judged(self) -> tuple[Finding | None, bool, bool]:
        if self._found is None or self._found[0] != len(self.times.known):
            self._found = len(self.times.known), self._computed()
        return self._found[1]

    def _computed(self) -> tuple[Finding | None, bool, bool]:
        """What shows it, and whether the claim is refuted, or proved."""
        epsilons = np.array(sorted(self.times.known))
        if not epsilons.size:
            return None, False, False
        times = np.array([self.times.known[epsilon] for epsilon in epsilons.tolist()])
        least = times if self.once else np.minimum.accumulate(times)
        bounds = self.loss.bounds(least)
        over = np.zeros(epsilons.size) if bounds is None else bounds / epsilons
        if bounds is not None and np.all(over <= EPSILON_MARGIN):
            at = int(np.argmax(over))
            estimate = Estimate(
                Measure.EPSILON, float(epsilons[at]), float(bounds[at]), numbers={"time": float(least[at])}
            )
            return Finding("bound on the loss", estimate), False, self._tells_all
        return self._by_densities(epsilons, least, over)

    def _by_densities(self, epsilons: Floats, least: Floats, over: Floats) -> tuple[Finding | None, bool, bool]:
        evenly = np.unique(np.linspace(0, epsilons.size - 1, COMPUTED).astype(int))
        chosen = np.unique(np.concatenate([evenly, np.argsort(over)[::-1][:COMPUTED]])).tolist()
        found: list[tuple[float, float, float, Enclosed]] = []
        for at in chosen:
            epsilon, time = float(epsilons[at]), float(least[at])
            found.append((self.judge.delta_at(epsilon), epsilon, time, self.loss.divergence(epsilon, time)))
        delta, epsilon, time, worst = max(found, key=lambda one: one[3].lower - one[0])
        refuted = worst.lower > delta
        below = all(one.upper <= own for own, _, _, one in found)
        numbers = {"epsilon": epsilon, "time": time, "delta": delta}
        estimate = Estimate(Measure.PROBABILITY, delta, worst.lower, numbers=numbers)
        finding = Finding(QUANTITY, estimate, TOO_LITTLE_NOISE if refuted else None, certain=True)
        single = self.guarantee == DP or self.once
        return finding, refuted, below and single and self._tells_all

    def _why(self) -> str:
        """Why the claim is neither refuted nor proved."""
        if not self._tells_all:
            return DEPENDS
        if self.loss.family.bound is None:
            return OFFER
        return ABOVE if self.judge.delta == 0 or self.guarantee == DP else MANY

    def _sizes(self) -> tuple[Size, ...]:
        """The smallest divergence that would have been refuted."""
        if not self.times.known:
            return ()
        at = f"{QUANTITY} (its own times of {len(self.times.known)} ε's, losses {GRANTED:g} above ε)"
        delta = self.judge.delta
        return (Size(at, (delta or 0.0) * (1 + RELATIVE), "δ"),) if delta is not None else ()
