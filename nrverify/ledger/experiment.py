"""Statistics: simulations with an error probability fixed in advance as a share of the run's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nrverify.ledger.evidence import Refuted
from nrverify.ledger.record import Record

if TYPE_CHECKING:
    import numpy as np


class Experiment:
    """Samples, random streams and the level of one piece of statistical evidence."""

    def __init__(self, record: Record, stream: int, seed: int, alpha: float, tests: int, scale: float) -> None:
        self.record = record
        self.stream = stream
        self.seed = seed
        self.level = alpha / tests
        self.scale = scale
        self._tests_left = tests

    def samples(self, standard: int) -> int:
        """How many samples to draw where the standard profile draws `standard`; counted in the report."""
        count = max(1, round(standard * self.scale))
        self.record.samples += count
        return count

    def rng(self, case: int = 0, chunk: int = 0) -> np.random.Generator:
        """The random stream of a case and a chunk: it depends on nothing else but the run's seed."""
        import numpy as np

        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(self.stream, case, chunk)))

    def stream_seed(self, case: int = 0) -> int:
        """An integer seed for a simulator that wants one."""
        return int(self.rng(case).integers(2**53))

    def test(self, name: str, p_value: float) -> None:
        """Refutes the form under test when a finite-sample-valid p-value is at most this test's level."""
        if self._tests_left == 0:
            raise RuntimeError(f"{name}: more tests than the evidence declared; raise `tests`")
        self._tests_left -= 1
        if not p_value > self.level:
            raise Refuted(f"{name}: p = {p_value:.3g} ≤ {self.level:.3g}")
        self.record.note(name, f"p = {p_value:.3g} > {self.level:.3g}", by="sample")

    def exact(self, name: str, holds: bool) -> None:
        """An event that has probability one under the form under test (no error to spend)."""
        if not holds:
            raise Refuted(f"{name}: failed")
        self.record.note(name, "holds on every sample", by="sample")
