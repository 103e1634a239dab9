"""What is known of a private-stopping subject once its boundary was asked: the designs and the neighbours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.private_stopping.designs import (
    StoppingDesign,
    StoppingPair,
    schedules_of,
    stopping_designs,
    stopping_pair,
)
from nrverify.subjects.description import Description
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.limits import EPSILONS

Floats = NDArray[np.float64]

MECHANISMS = ("private-stopping",)
WEIGHT = 0.22
"""The share of α of each sampled check: four have 0.88 together, so there is room for another."""
DEFAULT_DIMENSIONS = (1, 3)
"""For a subject that takes any: the smallest, and one with several coordinates that could share noise."""
COMPARED = 2
"""The first designs, one whose releases decide and one whose releases do not, are compared with neighbours."""


@dataclass(frozen=True)
class StoppingContext:
    """From which the sampled checks of private stopping are built."""

    description: Description
    designs: tuple[StoppingDesign, ...]
    pairs: tuple[StoppingPair, ...]

    @classmethod
    def of(
        cls, description: Description, times: Floats, epsilon: Floats, ask: Callable[[Sequence[float]], Floats]
    ) -> StoppingContext:
        """Schedules are chosen on the curve ε = ψ(t) through these times; `ask` gives ψ at any."""
        assert description.sensitivity is not None
        schedules = schedules_of(times, epsilon)
        epsilons = {rounds: tuple(ask(chosen).tolist()) for rounds, chosen in schedules.items()}
        largest = max(max(charges) for charges in epsilons.values())
        if largest > EPSILONS[1]:
            raise SubjectFailed(f"epsilon(time) is {largest:.4g} where it is asked: it must be at most {EPSILONS[1]:g}")
        designs = stopping_designs(schedules, epsilons, description.dimensions or DEFAULT_DIMENSIONS)
        pairs = tuple(stopping_pair(design, description.sensitivity) for design in designs[:COMPARED])
        return cls(description, designs, pairs)
