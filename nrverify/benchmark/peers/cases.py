"""The false claims that every auditor is given: the same mechanisms, faults, neighbours and levels for all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.benchmark.peers import law_aware
from nrverify.reference.mutants import textbook_wrong
from nrverify.reference.mutants.epsilon_knob import LaplaceFreshAtNew
from nrverify.reference.mutants.threshold import QueryNoiseHalved

Floats = NDArray[np.float64]
Subject = Callable[[], Any]


@dataclass(frozen=True)
class Case:
    """A wrong mechanism as an audit without the law sees it, and as one that knows the law does."""

    name: str
    law_free: Subject
    law_aware: Subject | None
    """None where nrverify knows no law of the mechanism."""
    score: Callable[[Any], Floats] | None
    """Of many outputs: numbers in the order of the true likelihood ratio; None where there is no one claimed ε."""

    @property
    def epsilon(self) -> float | None:
        """The ε claimed of every output; None for an ex-post claim."""
        found = self.law_free().epsilon
        return None if found is None else float(found)

    @property
    def delta(self) -> float:
        """The δ claimed."""
        return float(self.law_free().delta)

    def outputs(self, runs: int, seed: int) -> tuple[Any, Any]:
        """Outputs on the first data and on the second of the pair; a fair coin for each run says which."""
        subject, rng = self.law_free(), np.random.default_rng(seed)
        one = int(rng.binomial(runs, 0.5))
        seeds = rng.integers(2**32, size=2).tolist()
        first, second = subject.neighbours[0]
        return subject.run_many(first, runs - one, seeds[0]), subject.run_many(second, one, seeds[1])


class NoisyMax(textbook_wrong.NoisyMaxHalved):
    """Noisy max halved, at the pair that tells most."""

    neighbours: Any = (([0, 1, 1, 1, 1], [1, 0, 0, 0, 0]),)


class SparseVector(textbook_wrong.SparseVectorQueryNoiseHalved):
    """AboveThreshold with half the query noise, at the pair that tells most."""

    neighbours: Any = (([1, 1, 1, 1, 0], [0, 0, 0, 0, 1]),)


def _between(outputs: Any) -> Floats:
    """The likelihood ratio of Laplace noise around 0 and 1 changes between them only."""
    return np.asarray(np.clip(np.asarray(outputs, dtype=float), 0.0, 1.0))


def _itself(outputs: Any) -> Floats:
    return np.asarray(outputs, dtype=float)


def _first_place(outputs: Any) -> Floats:
    """The other four places have the same probability as each other on either data."""
    return np.asarray(np.asarray(outputs) == 0, dtype=float)


def _round(outputs: Any) -> Floats:
    """The round of the 1; never halting speaks less for the second data than halting in the fourth round."""
    return np.array([len(bits) if bits[-1] else 3.5 for bits in outputs], dtype=float)


CASES = (
    Case("Laplace, scale 0.7, ε = 1", textbook_wrong.LaplaceTooSmall, law_aware.Laplace, _between),
    Case("noisy max halved, ε = 1", NoisyMax, None, _first_place),
    Case("Gaussian, 0.7 of the deviation, (1, 0.01)", textbook_wrong.GaussianTooSmall, law_aware.Gaussian, _itself),
    Case("AboveThreshold, query noise halved, ε = 1", SparseVector, QueryNoiseHalved, _round),
    Case("ex-post, first look uncharged", textbook_wrong.FirstLookFree, LaplaceFreshAtNew, None),
)
"""In the last one the audit that knows the law sees fresh noise at every look, of which only the last is charged."""
