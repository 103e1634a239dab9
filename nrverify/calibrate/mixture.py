"""The mixture: which sessions or runs an audit draws of a subject, and with what weights.

An information limit is per session drawn, so it must be averaged over the very designs the audit uses, the pairs of
neighbouring values included.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nrverify.auditing.noise_reduction.audit import PAIR_SHARE
from nrverify.auditing.noise_reduction.design.cases import DEFAULT_DIMENSIONS, Case, cases_for, shares, varied
from nrverify.auditing.noise_reduction.design.knob import knob_of
from nrverify.auditing.noise_reduction.design.neighbours import pairs_for
from nrverify.auditing.threshold.audit import PAIR_SHARE as THRESHOLD_PAIR_SHARE
from nrverify.auditing.threshold.designs import Design, designs_for, neighbours_for
from nrverify.subjects.adapter import Adapter
from nrverify.subjects.description import Description

WANDERINGS = 8
"""In how many places of its wandering each design is averaged: the times of a design move from look to look."""


@dataclass(frozen=True)
class Part:
    """A case and its share of all sessions drawn."""

    weight: float
    case: Case


@dataclass(frozen=True)
class ThresholdPart:
    """A design and its share of all runs drawn."""

    weight: float
    design: Design


def description_of(subject: type[Any]) -> Description:
    """What a built-in subject says of itself."""
    return Adapter(subject()).description


def session_mixture(description: Description) -> list[Part]:
    """The cases of a noise-reduction audit where nothing is refused; weights add up to 1."""
    knob = knob_of(description)
    dimensions = description.dimensions or DEFAULT_DIMENSIONS
    cases, pairs = cases_for(description, knob, dimensions), pairs_for(description, knob, dimensions)
    rng = np.random.default_rng(0)
    parts = [
        Part((1 - PAIR_SHARE) * share / WANDERINGS, varied(case, knob, description.integer, rng))
        for case, share in zip(cases, shares(cases), strict=True)
        for _ in range(WANDERINGS)
    ]
    parts += [Part(PAIR_SHARE / len(pairs) / 2, side) for pair in pairs for side in pair.sides]
    return parts


def run_mixture(description: Description) -> list[ThresholdPart]:
    """The designs of a threshold audit; weights add up to 1."""
    designs, pairs = designs_for(description.mechanism), neighbours_for(description.mechanism)
    parts = [ThresholdPart((1 - THRESHOLD_PAIR_SHARE) / len(designs), design) for design in designs]
    for pair in pairs:
        parts += [
            ThresholdPart(THRESHOLD_PAIR_SHARE / len(pairs) / 2, replace(side, name=f"{side.name}, {which}"))
            for which, side in (("value", pair.design), ("neighbour", pair.neighbour))
        ]
    return parts
