"""The mixture: which sessions or runs an audit draws of a subject, and with what weights.

An information limit is per session drawn, so it must be averaged over the very designs the audit uses, the pairs of
neighbouring values included.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from nrverify.auditing.core.settings import Settings
from nrverify.auditing.mechanisms import mechanism_of
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.neighbours import Pair
from nrverify.auditing.plan.claimed_law_host import ClaimedLaw
from nrverify.auditing.sampling.audit import Mechanism
from nrverify.auditing.threshold.designs import Design, Neighbours
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


def session_mixture(description: Description, wanderings: int = WANDERINGS) -> list[Part]:
    """The cases of a noise-reduction audit where nothing is refused; weights add up to 1."""
    mechanism = _mechanism(description)
    shares: dict[Case, float] = {}
    for look in range(wanderings):
        for task in mechanism.tasks(look, 0):
            sides = task.setting.sides if isinstance(task.setting, Pair) else (task.setting,)
            for case in sides:
                shares[case] = shares.get(case, 0.0) + task.weight / len(sides) / wanderings
    return [Part(weight, case) for case, weight in shares.items() if weight > 0]


def run_mixture(description: Description) -> list[ThresholdPart]:
    """The designs of a threshold audit, by whatever method; weights add up to 1."""
    shares: dict[Design, float] = {}
    for task in _mechanism(description).tasks(0, 0):
        asked = task.setting[0]
        designs = _sides(asked) if isinstance(asked, Neighbours) else (asked,)
        for design in designs:
            shares[design] = shares.get(design, 0.0) + task.weight / len(designs)
    return [ThresholdPart(weight, design) for design, weight in shares.items()]


def _sides(pair: Neighbours) -> tuple[Design, ...]:
    sides = (("value", pair.design), ("neighbour", pair.neighbour))
    return tuple(replace(side, name=f"{side.name}, {which}") for which, side in sides)


def _mechanism(description: Description) -> Mechanism:
    """What an audit asks a subject that describes itself so."""
    mechanism = mechanism_of(ClaimedLaw(description), Settings())
    assert mechanism is not None
    return mechanism
