"""What is known of a noise-reduction subject before it is audited: its description, and what it will be asked."""

from __future__ import annotations

from dataclasses import dataclass

from nrverify.auditing.core.declaration import Need
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.subjects.description import Description

MECHANISMS = ("brownian", "laplace", "skellam")
WEIGHT = 0.06
"""The share of α of each check: the fifteen ids of noise reduction together have 0.90, so there is room for more."""

OF_INTEGRITY = ("randomness.streams", "lattice")
"""Checks whose refutation explains a wrong law: of shared streams, and of grids or values in the clear."""
OF_ANY_LAW = (
    *OF_INTEGRITY,
    *("law.release", "law.transcript", "law.adaptive", "law.value", "ties", "ties.repeated-time"),
)
"""Checks whose refutation explains those that see what comes of a wrong law."""


@dataclass(frozen=True)
class NoiseReductionContext:
    """From which the checks of a noise-reduction subject are built."""

    description: Description
    cases: tuple[Case, ...]
    knob: Knob
    times_known: bool
    """Whether the noise level of every release is known: the knob is the time, or the subject offers time_of()."""
    dimensions: tuple[int, ...]

    @property
    def several_dimensions(self) -> bool:
        """Whether some case has two coordinates or more."""
        return any(len(case.value) > 1 for case in self.cases)

    @property
    def adaptive(self) -> bool:
        """Whether some case is asked adaptively."""
        return any(not case.fixed for case in self.cases)


TIMES_KNOWN = Need(
    lambda context: bool(context.times_known), "the noise level of an ε is not known: offer time_of(epsilon)"
)
SEVERAL_DIMENSIONS = Need(lambda context: bool(context.several_dimensions), "the subject has one dimension")
ADAPTIVE = Need(
    lambda context: bool(context.adaptive), "the subject has no open(): sessions cannot be driven adaptively"
)


def knob_is_epsilon(mechanism: str, knob: str) -> bool:
    """For checks that mean something only where releases are asked for by their ε."""
    return knob == "epsilon"
