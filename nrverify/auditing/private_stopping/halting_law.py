"""The law of the halt given how the releases fell, for each way they can fall.

A run that halts in round n shows n releases. Its law up to there depends on their utilities alone, so the utilities
are continued with the last one: the bins up to n are the same whatever comes after.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.faults.halting import UTILITY_OF_THE_EXACT_VALUE, UTILITY_OF_THE_RELEASE_BEFORE
from nrverify.auditing.private_stopping.designs import StoppingDesign
from nrverify.auditing.private_stopping.drawing import Stopped
from nrverify.auditing.threshold.designs import Design
from nrverify.auditing.threshold.faulty_laws import FAULTS as THRESHOLD_FAULTS
from nrverify.auditing.threshold.faulty_laws import FLOOR, claimed_law, faulty_laws

Floats = NDArray[np.float64]

LATE, EXACT = UTILITY_OF_THE_RELEASE_BEFORE.id, UTILITY_OF_THE_EXACT_VALUE.id
FAULTS = (*THRESHOLD_FAULTS, LATE, EXACT)
"""Ids of the faults whose laws are compared with the claimed one."""


@dataclass(frozen=True)
class Pattern:
    """One way the releases can fall: their utilities, the law of the halting round, and its hazards."""

    utilities: tuple[float, ...]
    law: Floats
    hazard: Floats


def patterns_of(runs: Stopped) -> Iterator[tuple[Pattern, NDArray[np.intp]]]:
    """The patterns among the runs, and the rows that have each."""
    utilities = padded_utilities(runs.design, runs.releases, runs.rounds)
    rows, where = np.unique(utilities, axis=0, return_inverse=True)
    for index, row in enumerate(rows):
        yield pattern(runs.design, tuple(row.tolist())), np.flatnonzero(where.reshape(-1) == index)


def padded_utilities(design: StoppingDesign, releases: Floats, rounds: NDArray[np.int64]) -> Floats:
    """The utility of every release, those after the stop replaced by the last one shown."""
    utilities = design.utility.of(np.nan_to_num(releases))
    column = np.minimum(np.arange(releases.shape[1]), rounds[:, None] - 1)
    return np.take_along_axis(utilities, column, axis=1)


@lru_cache(maxsize=1024)
def pattern(design: StoppingDesign, utilities: tuple[float, ...]) -> Pattern:
    """The law for these utilities, with ε_n = ψ(T_n) that never falls."""
    law = claimed_law(threshold_design(design, utilities))
    reached = law[::-1].cumsum()[::-1]
    return Pattern(utilities, law, np.clip(law[:-1] / reached[:-1], 0.0, 1.0))


@lru_cache(maxsize=1024)
def faults_of(design: StoppingDesign, utilities: tuple[float, ...]) -> dict[str, Floats]:
    """The law of the halting round under each named fault."""
    own = threshold_design(design, utilities)
    exact = float(design.utility(np.array(design.value)))
    others = {
        LATE: replace(own, utilities=(utilities[0], *utilities[:-1])),
        EXACT: replace(own, utilities=(exact,) * len(utilities)),
    }
    law = claimed_law(own)
    floored = {name: FLOOR * law + (1 - FLOOR) * claimed_law(other) for name, other in others.items()}
    return {**faulty_laws(own), **floored}


def threshold_design(design: StoppingDesign, utilities: tuple[float, ...]) -> Design:
    """The threshold mechanism inside a run with these utilities."""
    rising = tuple(np.maximum.accumulate(design.epsilons).tolist())
    return Design("pattern", utilities, rising, design.threshold, design.utility_sensitivity)
