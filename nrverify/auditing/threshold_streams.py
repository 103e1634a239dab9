"""Different seeds give different runs: batches of a threshold mechanism that come out the same."""

from __future__ import annotations

import numpy as np

from nrverify.auditing.results import CheckResult, CheckVerdict
from nrverify.auditing.threshold_alternatives import claimed_law
from nrverify.auditing.threshold_drawing import Runs

SMALLEST_BATCH = 16


class BatchStreams:
    """No two batches of run_many with different seeds are the same, run by run.

    Catches a seed that is ignored or cut down to few values. Two batches of m runs agree by chance with probability
    (Σp²)^m; that, times the number of comparisons, is the error. Misses repetitions within a batch, which the law of
    the halting round sees.
    """

    id = "randomness.streams"
    kind = "randomness"
    claims: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.runs = 0
        self.log_chance = np.inf
        self.observed: str | None = None
        self._seen: dict[tuple[str, int], set[bytes]] = {}

    def observe(self, runs: Runs) -> None:
        """Compares a batch with all earlier ones of the same design and size."""
        size = runs.cells.size
        if runs.method != "run_many" or size < SMALLEST_BATCH:
            return
        self.runs += size
        earlier = self._seen.setdefault((runs.design.name, size), set())
        content = runs.cells.astype(np.int16).tobytes()
        if content in earlier:
            # A wrong law may agree more often; that is the law's finding and not this one's.
            shares = np.maximum(claimed_law(runs.design), runs.counts() / size)
            agreement = float(np.sum(shares**2))
            # Comparisons of every design and size: at most the square of the batches seen.
            batches = sum(len(digests) for digests in self._seen.values()) + 1
            log_chance = size * np.log(min(agreement, 1.0)) + 2 * np.log(batches)
            if log_chance < self.log_chance:
                self.log_chance = float(log_chance)
                self.observed = f"two batches of {size} runs are the same ({runs.design.name})"
        elif len(earlier) < 64:
            earlier.add(content)

    def refuted(self, alpha: float) -> bool:
        """Whether batches agree that chance would not make agree."""
        return bool(self.log_chance <= np.log(alpha))

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted by two equal batches."""
        p_value = float(np.exp(min(self.log_chance, 0.0)))
        return CheckResult(
            self.id,
            self.kind,
            CheckVerdict.REFUTED if self.refuted(alpha) else CheckVerdict.CONSISTENT,
            self.claims,
            samples=self.runs,
            p_value=p_value,
            alpha=alpha,
            detectable="two batches that are the same",
            expected="batches with different seeds differ",
            observed=self.observed,
        )
