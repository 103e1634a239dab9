"""Different seeds give different runs: batches of a threshold mechanism that come out the same."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc

from nrverify.auditing.core.declaration import CheckKind, Declared, Need, check
from nrverify.auditing.core.faults.noise import SEED_IGNORED
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.core.streams import FEWEST_STREAMS
from nrverify.auditing.threshold.context import MECHANISMS
from nrverify.auditing.threshold.designs import Design
from nrverify.auditing.threshold.drawing import Runs
from nrverify.auditing.threshold.faulty_laws import claimed_law
from nrverify.statistics.estimate import Estimate, Measure

SMALLEST_BATCH = 16
"""Shorter batches agree by chance too often to be evidence, so they are not even hashed; LOG_UNLIKELY decides for
others."""
LOG_UNLIKELY = -25.0
"""Batches that agree by chance more often than this are too short to tell."""
MOST_KEPT = 4096
"""Batches kept of each design and size: it bounds memory, and a seed cut down to few values repeats among far fewer."""
FEW = 24
"""Runs of a small request."""
SPREAD = 0.1
"""Where two runs agree no more often than this, two small requests hardly ever do."""


@dataclass(frozen=True)
class Digest:
    """A batch of run_many as it is compared: its design, how many runs, how likely two agree, and what it contains."""

    design: Design
    size: int
    agreement: float
    content: bytes


def few_together(design: Design) -> int:
    """How many runs of a design are asked for together, so that there are many requests to compare; 0 for all."""
    return FEW if float(np.sum(claimed_law(design) ** 2)) <= SPREAD else 0


@check(
    id="randomness.streams",
    kind=CheckKind.RANDOMNESS,
    sentence="Sessions with different seeds have independent noise.",
    mechanisms=MECHANISMS,
    weight=0.22,
    order=30,
    records="records do not say which runs came from one seed",
    needs=(Need(lambda context: "run_many" in context.methods, "the subject has no run_many()"),),
    expected="batches with different seeds differ",
    templates={
        "count": ("batches with different seeds differ", "two batches of {size:.0f} runs are the same ({design})")
    },
)
class BatchStreams(Declared):
    """No two batches of run_many with different seeds are the same, run by run.

    Catches a seed that is ignored or cut down to few values. Two batches of m runs agree by chance with probability
    (Σp²)^m; that, times the cube of how many batches there were so far, is the error of all comparisons. Misses
    repetitions within a batch, which the law of the halting round sees. A seed of 32 bits is let pass.
    """

    in_smoke = True

    def __init__(self) -> None:
        self.runs = self.batches = self.repeats = 0
        self.log_chance = np.inf
        self._log_equal = -np.inf
        self.example: Digest | None = None
        self._new: list[Digest] = []
        self._seen: dict[tuple[str, int], set[bytes]] = {}

    def observe(self, runs: Runs) -> None:
        """Keeps what a batch contains; it is compared with earlier ones at the merge."""
        batches = [batch for batch in runs.requests() if batch.size >= SMALLEST_BATCH]
        if batches:
            agreement = _agreement(runs)
            for batch in batches:
                self.runs += batch.size
                content = hashlib.blake2b(batch.astype(np.int16).tobytes(), digest_size=16).digest()
                self._new.append(Digest(runs.design, batch.size, agreement, content))

    def empty_copy(self) -> BatchStreams:
        """An empty copy with the same configuration."""
        return BatchStreams()

    def merge(self, other: BatchStreams) -> None:
        """Compares another's batches with all earlier ones of the same design and size."""
        self.runs += other.runs
        for batch in other._new:
            self.batches += 1
            # The n-th batch is compared with fewer than n others: paying n³ for it, all pay Σ(n − 1)/n³ < 1.
            log_equal = batch.size * np.log(batch.agreement) + 3 * np.log(self.batches)
            if log_equal > LOG_UNLIKELY:
                continue
            earlier = self._seen.setdefault((batch.design.name, batch.size), set())
            if batch.content in earlier:
                self.repeats += 1
                self._log_equal = max(self._log_equal, float(log_equal))
                log_chance = float(np.logaddexp(self._log_equal, self._log_met(self.repeats)))
                if log_chance < self.log_chance:
                    self.log_chance = log_chance
                    self.example = batch
            elif len(earlier) < MOST_KEPT:
                earlier.add(batch.content)

    def _log_met(self, repeats: int) -> float:
        """log of a bound on P(so many of the n batches meet an earlier stream) with 2^31 streams, at any n."""
        met = bdtrc(repeats - 1, self.batches, min(self.batches / FEWEST_STREAMS, 1.0))
        # With Σ(n − 1)/n³ < 0.45 above, Σ1/3n² < 0.55 here is what is left of the error.
        with np.errstate(divide="ignore"):
            return float(np.log(met) + 2 * np.log(self.batches) + np.log(3))

    def refuted(self, alpha: float) -> bool:
        """Whether batches agree that chance would not make agree."""
        return bool(self.log_chance <= np.log(alpha))

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted by equal batches, or how few streams would have been noticed."""
        p_value = float(np.exp(min(self.log_chance, 0.0)))
        finding = None
        if self.example is not None:
            texts = {"design": self.example.design.name}
            estimate = Estimate(
                Measure.COUNT, 0.0, float(self.repeats), None, self.batches, {"size": float(self.example.size)}
            )
            finding = Finding("equal batches of different seeds", estimate, SEED_IGNORED, texts=texts)
        return concluded(
            self,
            CheckVerdict.REFUTED if self.refuted(alpha) else CheckVerdict.CONSISTENT,
            samples=self.runs,
            p_value=p_value,
            alpha=alpha,
            finding=finding,
            sizes=self._sizes(alpha),
        )

    def _sizes(self, alpha: float) -> tuple[Size, ...]:
        """How few streams would have been noticed by their repeats, from how many batches could be compared."""
        pairs = 0.5 * sum(len(kept) ** 2 for kept in self._seen.values())
        enough = next((n for n in range(1, 100) if self._log_met(n) <= np.log(alpha)), np.inf)
        streams = pairs / enough if pairs else 0.0
        return (Size("different streams", streams, "streams"),) if streams >= 2 else ()


def _agreement(runs: Runs) -> float:
    """How likely two runs agree; those of a wrong law may agree more often, but that is the law's finding."""
    shares = np.maximum(claimed_law(runs.design), runs.counts() / runs.bins.size)
    return min(float(np.sum(shares**2)), 1.0)
