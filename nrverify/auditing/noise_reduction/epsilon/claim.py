"""The claim of an ε-knob: everything released so far costs at most the ε asked for, with probability 1 − δ.

The noise level at each ε is taken from the subject (`time_of`) or bounded from above at every look; the claim is then
judged from the exact crossing probability there, so that δ = 1e-6 needs no 1e6 sessions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr

from nrverify.auditing.core.boundary_faults import undone
from nrverify.auditing.core.check import Batch
from nrverify.auditing.core.pictures import Line, Lines, Picture
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.epsilon.noise_bounds import NoiseLevels
from nrverify.auditing.noise_reduction.epsilon.single_release import TooLittle, least_time
from nrverify.laws.crossing import crossing_probability
from nrverify.laws.skellam_looks import passing_probability

Floats = NDArray[np.float64]

HALF = 2.0
"""What is proved at any looks: a path that crossed at more noise is above again at less with probability at least ½."""
APART = 4
"""So many ε's of the grid apart the noise must be seen to differ, or it is not taken to vary continuously."""
OWN_TIMES_MARGIN = 1.001
ROUNDING = 1e-9
MOST_DRAWN = 16
TIMES = "the ε asked times"
LIKELY = 5.0
"""Looks that lose so many nats against the likeliest hardly matter."""


PICTURE_NOTE = (
    "Where the noise falls below the dotted line, a single look breaks the claim; above it many looks together may."
)


class EpsilonClaim:
    """The ε asked for bounds the loss of everything so far, judged from the noise at each ε.

    Catches too little noise for the ε (a wrong constant, boundary, or norm of the sensitivity). Relies on the joint law
    of the releases, which other checks examine. Brownian noise at unknown times is judged schedule by schedule, since
    it may be suited to the number of looks; and at all ε's together only where one look and many are seen to have the
    same noise. Misses shortfalls that a finite set of ε's cannot show, and for Skellam noise at unknown times those
    that no look shows alone.
    """

    id = "privacy.epsilon"
    kind = "privacy"
    claims: tuple[str, ...] = ("B12", "B13", "N08")

    def __init__(
        self,
        mechanism: str,
        sensitivity: float,
        delta: float,
        rate: float = 1.0,
        known_times: bool = False,
    ) -> None:
        self.mechanism = mechanism
        self.sensitivity = sensitivity
        self.delta = delta
        self.rate = rate
        self.known_times = known_times
        self.sessions = 0
        self.levels = NoiseLevels(mechanism == "laplace")
        self.too_little = TooLittle(mechanism, self._least, rate)
        self._times: dict[float, float] = {}
        self._judged: tuple[int, float, str] | None = None
        self._alike = False

    def ask_densely(self, times: dict[float, float]) -> None:
        """Takes in the subject's own times at many ε's: the claim is for any of them, sampled or not."""
        self._times.update(times)

    def telling(self) -> tuple[float, float] | None:
        """The ε's between which a Brownian loss most likely exceeds them, from the subject's own times so far."""
        if self.mechanism != "brownian" or not self._times:
            return None
        epsilons = np.array(sorted(self._times))
        times = np.array([self._times[epsilon] for epsilon in epsilons])
        single = log_ndtr(-self._curve(epsilons, times) / np.sqrt(times))
        if not np.isfinite(single.max()):
            return None
        likely = np.flatnonzero(single >= single.max() - LIKELY)
        # One further on both sides: the likeliest may lie between two that were asked.
        return float(epsilons[max(likely[0] - 1, 0)]), float(epsilons[min(likely[-1] + 1, epsilons.size - 1)])

    def fresh(self) -> EpsilonClaim:
        """The same check before anything was drawn."""
        return EpsilonClaim(self.mechanism, self.sensitivity, self.delta, self.rate, known_times=self.known_times)

    def merge(self, other: EpsilonClaim) -> None:
        """Takes in what another has seen."""
        self.sessions += other.sessions
        self.levels.merge(other.levels)
        self.too_little.merge(other.too_little)
        self._times.update(other._times)

    def observe(self, batch: Batch) -> None:
        """Adds up the noise at each ε of the fixed schedules, by dimension."""
        if not batch.case.fixed:
            return
        self.sessions += batch.sessions
        if self.known_times and batch.times is not None:
            self._times.update(zip(batch.asked[0].tolist(), batch.times[0].tolist(), strict=True))
            return
        self.levels.add(batch)
        if self.mechanism != "brownian":
            self.too_little.bet(batch.asked[0], batch.noise)

    def refuted(self, alpha: float) -> bool:
        """Whether the failure probability at the largest noise not excluded is above δ."""
        return self._failure(alpha)[0] > self._most

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict, with the failure probability at the confidence limit."""
        failure, words = self._failure(alpha)
        verdict = CheckVerdict.CONSISTENT
        if failure > self._most:
            verdict, words = CheckVerdict.REFUTED, "; ".join(filter(None, [words, self._undone()]))
        detectable = "any shortfall beyond the boundary's own slack, at the ε's asked"
        if not self._times:
            resolution = self.levels.resolution(alpha)
            where = "" if self.mechanism != "brownian" or self._alike else ", in a schedule of those asked"
            detectable = f"noise too small by {100 * resolution:.2g} % beyond the boundary's own slack{where}"
            if verdict is CheckVerdict.CONSISTENT and resolution > 0.5:
                verdict = CheckVerdict.INCONCLUSIVE
        return CheckResult(
            self.id,
            self.kind,
            verdict,
            self.claims,
            samples=self.sessions,
            statistic=failure,
            alpha=alpha,
            detectable=detectable,
            expected=f"the loss exceeds the ε asked for with probability at most δ = {self.delta:g}",
            observed=words,
        )

    def pictures(self, alpha: float) -> tuple[Picture, ...]:
        """The noise behind each ε against the least that keeps the claim at that look alone."""
        noise, name = dict(self._times), "its own times"
        if not noise:
            name = "most noise not excluded"
            for (_, epsilon), t in self.levels.largest(alpha).items():
                noise[epsilon] = min(t, noise.get(epsilon, np.inf))
        asked = tuple(sorted(noise))
        if len(asked) < 2:
            return ()
        given = tuple(noise[epsilon] for epsilon in asked)
        # A few are enough for a line: for Skellam noise each takes its time.
        few = asked[:: -(-len(asked) // MOST_DRAWN)]
        least = tuple(self._least(epsilon) for epsilon in few)
        lines = (Line(name, asked, given), Line("least for one look alone", few, least, dotted=True))
        return (Lines("Noise behind each ε", "ε", "t", lines, PICTURE_NOTE),)

    @property
    def _most(self) -> float:
        """The largest probability that is taken for δ: a claim that is exactly tight is not refuted by its rounding."""
        return self.delta * (1 + ROUNDING)

    def _undone(self) -> str | None:
        """The mistake without which the subject's own times would keep the claim, if one explains them."""
        if self.mechanism != "brownian" or not self._times:
            return None
        epsilons, times = np.array(list(self._times)), np.array(list(self._times.values()))
        return undone(times, epsilons, self.sensitivity, self.delta)

    def _least(self, epsilon: float) -> float:
        return least_time(self.mechanism, epsilon, self.sensitivity, self.delta, self.rate)

    def _failure(self, alpha: float) -> tuple[float, str]:
        # With times of the subject's own the judgement does not depend on how much was drawn.
        seen = len(self._times) or self.sessions
        if self._judged is not None and self._judged[0] == seen:
            return self._judged[1:]
        found = self._at_own_times() if self._times else self._at_confidence_limits(alpha)
        self._judged = (seen, *found)
        return found

    def _at_own_times(self) -> tuple[float, str]:
        epsilons, times = np.array(list(self._times)), np.array(list(self._times.values()))
        if self.mechanism == "laplace":
            return self._pure({(0, epsilon): t for epsilon, t in self._times.items()})
        if self.mechanism == "skellam":
            failure = passing_probability(epsilons, times, int(self.sensitivity), self.rate) / OWN_TIMES_MARGIN
            words = f"with its own times the loss exceeds ε with probability {failure:.3g} over {len(times)} looks"
            return failure, words
        return self._joint(epsilons, times, OWN_TIMES_MARGIN, "its own times")

    def _at_confidence_limits(self, alpha: float) -> tuple[float, str]:
        if self.mechanism == "brownian":
            found = [self._of_schedule(limits) for limits in self.levels.by_schedule(alpha / 4).values()]
            self._alike = self.levels.alike(alpha / 4, self._spared)
            if self._alike:
                largest, smallest = self.levels.largest(alpha / 4), self.levels.smallest(alpha / 4)
                found += [
                    self._of_all({e: (smallest[d, e], t) for (d, e), t in largest.items() if d == dimension})
                    for dimension in sorted({d for d, _ in largest})
                ]
            return max(found, default=(0.0, "nothing was drawn"))
        if self.too_little.log_e >= -np.log(alpha / 2):
            words = f"{self.too_little.factor:.3g} of the least noise that keeps the claim at each look alone"
            return 1.0, f"{words}, over {self.too_little.count} numbers"
        if self.mechanism == "laplace":
            return self._pure(self.levels.largest(alpha / 2))
        return 0.0, "no look alone is seen to break the claim"

    def _spared(self, epsilon: float, looks: int) -> float:
        """How many times the noise of one look so many looks need, each with its share of δ."""
        share = least_time(self.mechanism, epsilon, self.sensitivity, self.delta / looks, self.rate)
        return share / self._least(epsilon)

    def _of_schedule(self, limits: dict[float, float]) -> tuple[float, str]:
        """The failure probability that the largest t at each ε of a schedule leave: of this schedule, and no other."""
        epsilons = np.array(sorted(limits))
        high = np.minimum.accumulate(np.array([limits[e] for e in epsilons]))
        return self._joint(epsilons, high, HALF, "the largest noise not excluded")

    def _of_all(self, limits: dict[float, tuple[float, float]]) -> tuple[float, str]:
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
        alike = "the largest noise not excluded, the same for one look and for many,"
        at_any_looks = self._joint(epsilons, high, HALF, alike)
        if high.size <= APART or not np.all(high[APART:] < low[:-APART]):
            return at_any_looks
        between = high <= low[0]
        what = f"{alike} taken to vary continuously with ε,"
        return max(at_any_looks, self._joint(epsilons[between], high[between], OWN_TIMES_MARGIN, what))

    def _pure(self, largest: dict[tuple[int, float], float]) -> tuple[float, str]:
        """Laplace: the loss is Δ/t with positive probability, so t < Δ/ε anywhere refutes a pure claim."""
        worst, words = 1.0 + 1e-12, "no noise level is excluded"
        for (d, epsilon), t in largest.items():
            excess = self.sensitivity / (t * epsilon)
            if excess > worst:
                worst, where = excess, f" (d = {d})" if d else ""
                words = f"at ε = {epsilon:.4g}{where} the scale is at most {t:.4g}, which costs {TIMES} {excess:.3g}"
        return (1.0 if worst > 1.0 + 1e-12 else 0.0), words

    def _curve(self, epsilons: Floats, times: Floats) -> Floats:
        """The level at which a Brownian path at those times has a loss of ε."""
        return times * epsilons / self.sensitivity - 0.5 * self.sensitivity

    def _joint(self, epsilons: Floats, times: Floats, margin: float, what: str) -> tuple[float, str]:
        """Brownian: the probability that {W_t ≥ tε/Δ − Δ/2} at one of the looks."""
        if times.size == 0:
            return 0.0, "nothing was drawn"
        curve = self._curve(epsilons, times)
        single = ndtr(-curve / np.sqrt(times))
        worst = int(np.argmax(single))
        failure, words = float(single[worst]), f"at ε = {epsilons[worst]:.4g} alone"
        if failure <= self._most < single.sum():
            lowest: dict[float, float] = {}
            for time, level in zip(times.tolist(), curve.tolist(), strict=True):
                lowest[time] = min(level, lowest.get(time, np.inf))
            joint = crossing_probability(lambda time: lowest[float(time)], times=sorted(lowest))
            if (joint.probability - joint.error) / margin > failure:
                failure, words = float(joint.probability - joint.error) / margin, f"over {len(lowest)} looks"
        return failure, f"with {what} the loss exceeds ε with probability {failure:.3g} {words}"
