"""The check of random streams: different seeds give different transcripts, and there are not just a few streams."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray
from scipy.special import ive

from nrverify.auditing.check import Batch
from nrverify.auditing.results import CheckResult, CheckVerdict

Floats = NDArray[np.float64]

MOST_KEPT = 400_000
SINGLE_PRECISION_COLLISION = 2.0**-23
"""How likely two numbers of a single-precision source coincide: such a source is legitimate here."""


class Streams:
    """No two sessions with different seeds give the same transcript.

    A birthday test on whole transcripts: it catches a seed that is ignored, cut down to a few values, or shared by
    sessions, also when the sessions are far apart. Misses streams that differ but overlap.
    """

    id = "randomness.streams"
    kind = "randomness"
    claims: tuple[str, ...] = ("P12",)

    def __init__(self, rate: float | None) -> None:
        self.rate = rate
        self.sessions = 0
        self.pairs = 0.0
        self._seen: dict[str, dict[bytes, int]] = {}
        self._collisions: dict[str, int] = {}
        self._chance: dict[str, float] = {}

    def observe(self, batch: Batch) -> None:
        """Counts pairs of equal transcripts of noise within a case, and how many were to be expected."""
        if not batch.case.fixed:
            return
        seen = self._seen.setdefault(batch.case.name, {})
        before = sum(seen.values())
        if before + batch.sessions > MOST_KEPT:
            return
        self.sessions += batch.sessions
        collisions = 0
        for row in np.ascontiguousarray(batch.releases):
            key = hashlib.blake2b(row.tobytes(), digest_size=16).digest()
            collisions += seen.get(key, 0)
            seen[key] = seen.get(key, 0) + 1
        pairs = batch.sessions * (before + 0.5 * (batch.sessions - 1))
        self.pairs += pairs
        name = batch.case.name
        self._collisions[name] = self._collisions.get(name, 0) + collisions
        self._chance[name] = self._chance.get(name, 0.0) + pairs * self._collision_probability(batch)

    def refuted(self, alpha: float) -> bool:
        """Whether there are more equal pairs than chance explains (Markov's inequality, α split over 64 looks)."""
        return self.p_value() <= alpha / 64

    def p_value(self) -> float:
        """The smallest over cases of P(so many equal pairs) ≤ expected over observed, times the number of cases."""
        found = [self._chance[name] / count for name, count in self._collisions.items() if count]
        return min(1.0, len(self._collisions) * min(found)) if found else 1.0

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict, with the number of streams that would have been noticed."""
        verdict = CheckVerdict.REFUTED if self.refuted(alpha) else CheckVerdict.CONSISTENT
        streams = self.pairs / max(-np.log(alpha), 1.0)
        return CheckResult(
            self.id,
            self.kind,
            verdict,
            self.claims,
            samples=self.sessions,
            p_value=self.p_value(),
            alpha=alpha,
            detectable=f"fewer than {streams:.2g} different streams",
            expected=f"{sum(self._chance.values()):.2g} equal pairs of transcripts",
            observed=f"{sum(self._collisions.values())} equal pairs among {self.sessions} sessions of different seeds",
        )

    def _collision_probability(self, batch: Batch) -> float:
        """P(two independent transcripts are equal): of the increments for integer noise, of the floats else."""
        times, d = batch.times, batch.releases.shape[2]
        if self.rate is None:
            different = np.unique(batch.asked[0][np.isfinite(batch.asked[0])]).size
            return float(SINGLE_PRECISION_COLLISION ** (different * d))
        if times is None:
            return 1.0
        spans = -np.diff(np.append(times[0], 0.0))
        return float(np.prod(ive(0, 4 * self.rate * spans)) ** d)
