"""Samples drawn a batch at a time, each from its own stream: memory does not grow with the profile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nrverify.ledger.experiment import Experiment

LARGEST = 2**16
"""Samples in a batch. Part of what a seed means; changing it changes results."""


@dataclass(frozen=True)
class Batch:
    """How many samples to draw now, a seed for a simulator and a generator for everything else."""

    size: int
    seed: int
    rng: np.random.Generator


def batches(experiment: Experiment, standard: int, case: int = 0) -> Iterator[Batch]:
    """The samples of a case, where the standard profile draws `standard` of them."""
    total = experiment.samples(standard)
    for chunk, first in enumerate(range(0, total, LARGEST)):
        rng = experiment.rng(case, chunk)
        yield Batch(min(LARGEST, total - first), int(rng.integers(2**53)), rng)
