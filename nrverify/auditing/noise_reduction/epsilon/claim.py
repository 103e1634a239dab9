"""The claim of an ε-knob: everything released so far costs at most the ε asked for, with probability 1 − δ.

The noise level at each ε is taken from the subject (`time_of`) or bounded from above at every look; the claim is then
judged from the exact crossing probability there, so that δ = 1e-6 needs no 1e6 sessions.
"""

from __future__ import annotations

import math

import numpy as np

from nrverify.auditing.core.boundary_faults import with_curve_faults
from nrverify.auditing.core.declaration import CheckKind, Declared, check
from nrverify.auditing.core.faults.noise import TOO_LITTLE_NOISE
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.plots.data import Line, Lines, Plot
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.noise_reduction.context import (
    CLAIMS_EX_POST,
    LAW_BUILT_IN,
    MECHANISMS,
    WEIGHT,
    NoiseReductionContext,
    knob_is_epsilon,
)
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.epsilon.judgement import (
    NOTHING,
    OWN_TIMES_MARGIN,
    ClaimJudge,
    Judgement,
    worst,
)
from nrverify.auditing.noise_reduction.epsilon.known_times import KnownTimes
from nrverify.auditing.noise_reduction.epsilon.noise_bounds import NoiseLevels
from nrverify.auditing.noise_reduction.epsilon.single_release import TooLittle
from nrverify.auditing.sampling.own_times import OwnTimes
from nrverify.statistics.additive import Additive
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.subjects.noise_families import FAMILIES

HALF = 2.0
"""What is proved at any looks: a path that crossed at more noise is above again at less with probability at least ½."""
GRID_APART = 4
"""So many ε's of the grid apart the noise must be seen to differ, or it is not taken to vary continuously."""
DENSE_EPSILONS, INFORMATIVE_EPSILONS = 200, 800
"""At so many ε's a subject is asked for its own times: over the whole range, and where the claim most likely fails."""
WORST_SHORTFALL = 0.5
"""Noise that falls short by so much at an ε must be seen, or the check is inconclusive."""
MOST_DRAWN = 16
"""Points of the line of least noise in a plot: for Skellam noise each takes its time."""
LARGEST = "the largest noise not excluded"
SAME_FOR_ALL = f"{LARGEST}, the same for one look and for many,"
CONTINUOUS = f"{SAME_FOR_ALL} taken to vary continuously with ε,"
SLACK = "shortfall of the noise at any one ε, beyond the claim's own slack"
EXPECTED = "the loss exceeds the ε asked for with probability at most δ = {delta:g}"
PICTURE_NOTE = (
    "Where the noise falls below the dotted line, a single look breaks the claim; above it many looks together may."
)


@check(
    id="privacy.epsilon",
    kind=CheckKind.PRIVACY,
    sentence="Everything released so far costs at most the ε asked for.",
    claims=("B12", "B13", "N08"),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=80,
    applies=knob_is_epsilon,
    needs=(
        LAW_BUILT_IN,
        CLAIMS_EX_POST,
    ),
    not_covered="the noise of each ε is judged on a schedule fixed in advance",
    expected="the loss exceeds the ε asked for with probability at most δ",
    templates={
        **with_curve_faults(
            "probability", EXPECTED, "with {noise} the loss exceeds ε with probability {observed:.3g} {where}"
        ),
        "epsilon": (
            EXPECTED,
            "at ε = {expected:.4g}{dimensions} the scale is at most {scale:.4g}, which costs the ε asked times "
            "{excess:.3g}",
        ),
        "scale": (
            EXPECTED,
            "{observed:.3g} of the least noise that keeps the claim at each look alone, over {count} numbers",
        ),
    },
)
class EpsilonClaim(Declared, Additive):
    """The ε asked for bounds the loss of everything so far, judged from the noise at each ε.

    Catches too little noise for the ε (a wrong constant, boundary, or norm of the sensitivity). Relies on the joint law
    of the releases, which other checks examine. Brownian noise at unknown times is judged schedule by schedule, since
    it may be suited to the number of looks; and at all ε's together only where one look and many are seen to have the
    same noise. Misses shortfalls that a finite set of ε's cannot show, and for Skellam noise at unknown times those
    that no look shows alone.
    """

    configuration = ("judge", "known_times", "_judged", "_alike")

    def __init__(self, judge: ClaimJudge, known_times: bool = False) -> None:
        self.judge = judge
        self.known_times = known_times
        self.sessions = 0
        self.levels = NoiseLevels(judge.mechanism == "laplace")
        self.too_little = TooLittle(judge.least)
        self.times = KnownTimes()
        self._judged: tuple[int, Judgement] | None = None
        """The judgement after so many sessions or own times: it takes long, and is asked for twice at every look."""
        self._alike = False

    @classmethod
    def build(cls, context: NoiseReductionContext) -> EpsilonClaim:
        """With the subject's claim."""
        said = context.description
        assert said.sensitivity is not None
        slack = 0.0 if said.family.pure else (said.granularity or 0.0) * math.sqrt(max(context.dimensions))
        judge = ClaimJudge(
            said.mechanism, said.sensitivity, said.delta or 0.0, said.rate or 1.0, slack, context.most_releases
        )
        return cls(judge, known_times=context.times_known)

    def ask_densely(self, times_of: OwnTimes, knob: Knob) -> None:
        """Asks a subject for its own times at many ε's: the claim is for any of them, sampled or not."""
        times_of(np.geomspace(knob.low, knob.high, DENSE_EPSILONS))
        self.times.add(times_of.known)
        telling = self.judge.telling(self.times.known)
        if telling is not None and telling[0] < telling[1]:
            times_of(np.geomspace(*telling, INFORMATIVE_EPSILONS))
            self.times.add(times_of.known)

    def empty_copy(self) -> EpsilonClaim:
        """The same before anything was drawn: its judgement is not that of another."""
        blank = super().empty_copy()
        blank._judged, blank._alike = None, False
        return blank

    def observe(self, batch: Batch) -> None:
        """Adds up the noise at each ε of the fixed schedules, by dimension."""
        if not batch.case.fixed:
            return
        self.sessions += batch.sessions
        if self.known_times and batch.times is not None:
            self.times.add(dict(zip(batch.asked[0].tolist(), batch.times[0].tolist(), strict=True)))
            return
        self.levels.observe(batch)
        if self.judge.mechanism != "brownian":
            self.too_little.bet(batch.asked[0], batch.noise)

    def refuted(self, alpha: float) -> bool:
        """Whether the failure probability at the largest noise not excluded is above δ."""
        return self._judgement(alpha).failure > self.judge.most

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict, with the failure probability at the confidence limit."""
        found = self._judgement(alpha)
        verdict, finding = CheckVerdict.CONSISTENT, found.finding
        if self.refuted(alpha):
            verdict, finding = CheckVerdict.REFUTED, self.judge.mistake(found, self.times.known)
        elif not self.times.known and self._shortfall(alpha) > WORST_SHORTFALL:
            verdict = CheckVerdict.INCONCLUSIVE
        return concluded(
            self,
            verdict,
            samples=self.sessions,
            statistic=found.failure,
            alpha=alpha,
            finding=finding,
            sizes=self._sizes(alpha),
        )

    def _sizes(self, alpha: float) -> tuple[Size, ...]:
        """The smallest failure, or shortfall of noise, that would have been refuted."""
        if self.times.known:
            at = f"at its own times of {len(self.times.known)} ε's,"
            if FAMILIES[self.judge.mechanism].pure:
                return (Size(f"cost over the ε asked, {at}", 1.0, "ratio"),)
            return (Size(f"{self.judge.quantity}, {at}", self.judge.delta * OWN_TIMES_MARGIN, "δ"),)
        shortfall = self._shortfall(alpha)
        if shortfall >= 1:
            return ()
        everywhere = self.judge.mechanism != "brownian" or self._alike
        return (Size(SLACK if everywhere else f"{SLACK}, in a schedule of those asked,", 100 * shortfall, "%"),)

    def _shortfall(self, alpha: float) -> float:
        """Of normal noise that of its limits, schedule by schedule or together; of other noise a half of α is bet."""
        if self.judge.mechanism != "brownian":
            return self.levels.shortfall(alpha / 2)
        return self.levels.shortfall(alpha / 4, scheduled=not self._alike)

    def plots(self, alpha: float) -> tuple[Plot, ...]:
        """The noise behind each ε against the least that keeps the claim at that look alone."""
        noise, name = dict(self.times.known), "its own times"
        if not noise:
            name = "most noise not excluded"
            for (_, epsilon), t in self.levels.largest(alpha).items():
                noise[epsilon] = min(t, noise.get(epsilon, np.inf))
        asked = tuple(sorted(noise))
        if len(asked) < 2:
            return ()
        given = tuple(noise[epsilon] for epsilon in asked)
        few = asked[:: -(-len(asked) // MOST_DRAWN)]
        least = tuple(self.judge.least(epsilon) for epsilon in few)
        lines = (Line(name, asked, given), Line("least for one look alone", few, least, dotted=True))
        return (Lines("Noise behind each ε", "ε", "t", lines, PICTURE_NOTE),)

    def _judgement(self, alpha: float) -> Judgement:
        # With times of the subject's own the judgement does not depend on how much was drawn.
        seen = len(self.times.known) or self.sessions
        if self._judged is None or self._judged[0] != seen:
            known = self.times.known
            self._judged = seen, self.judge.at_own_times(known) if known else self._at_confidence_limits(alpha)
        return self._judged[1]

    def _at_confidence_limits(self, alpha: float) -> Judgement:
        if self.judge.mechanism == "brownian":
            return self._brownian(alpha / 4)
        if self.too_little.log_e >= -np.log(alpha / 2):
            numbers = {"delta": self.judge.delta}
            estimate = Estimate(Measure.SCALE, 1.0, self.too_little.factor, None, self.too_little.count, numbers)
            return Judgement(1.0, Finding("noise over the least that keeps the claim", estimate, TOO_LITTLE_NOISE))
        return self.judge.pure(self.levels.largest(alpha / 2)) if self.judge.mechanism == "laplace" else NOTHING

    def _brownian(self, alpha: float) -> Judgement:
        """By schedules, and over all ε's where the noise does not depend on the schedule; each limit with error α."""
        found = [self._of_schedule(limits) for limits in self.levels.by_schedule(alpha).values()]
        self._alike = self.levels.alike(alpha, self._spared)
        if self._alike:
            largest, smallest = self.levels.largest(alpha), self.levels.smallest(alpha)
            found += [
                self._of_all({e: (smallest[d, e], t) for (d, e), t in largest.items() if d == dimension})
                for dimension in sorted({d for d, _ in largest})
            ]
        return worst(*found)

    def _spared(self, epsilon: float, looks: int) -> float:
        """How many times the noise of one look so many looks need, each with its share of δ."""
        return self.judge.least(epsilon, looks) / self.judge.least(epsilon)

    def _of_schedule(self, limits: dict[float, float]) -> Judgement:
        """The failure probability that the largest t at each ε of a schedule leave: of this schedule, and no other."""
        epsilons = np.array(sorted(limits))
        high = np.minimum.accumulate(np.array([limits[e] for e in epsilons]))
        return self.judge.joint(epsilons, high, HALF, LARGEST)

    def _of_all(self, limits: dict[float, tuple[float, float]]) -> Judgement:
        """The failure probability that the limits (smallest, largest t) at each ε leave, looking at all of them.

        Only where t is seen to depend on ε alone: a subject may suit its noise to how many looks it was, or is, asked
        for, and is right if every schedule by itself keeps the claim. t does not increase with ε. Where it varies
        continuously, every level t̄ between the noise at the first and at the last ε is some ε' asked for no more than
        the ε whose limit it is: so looking at the limits crosses no more often than looking at all ε's. Without that,
        half of it is proved.
        """
        epsilons = np.array(sorted(limits))
        low = np.maximum.accumulate(np.array([limits[e][0] for e in epsilons])[::-1])[::-1]
        high = np.minimum.accumulate(np.array([limits[e][1] for e in epsilons]))
        at_any_looks = self.judge.joint(epsilons, high, HALF, SAME_FOR_ALL)
        if high.size <= GRID_APART or not np.all(high[GRID_APART:] < low[:-GRID_APART]):
            return at_any_looks
        between = high <= low[0]
        continuous = self.judge.joint(epsilons[between], high[between], OWN_TIMES_MARGIN, CONTINUOUS)
        return worst(at_any_looks, continuous)
