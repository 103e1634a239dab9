"""What is known of a threshold subject before it is asked: the designs, the neighbours, and its methods."""

from __future__ import annotations

from dataclasses import dataclass

from nrverify.auditing.core.declaration import Need
from nrverify.auditing.threshold.designs import Design, Neighbours
from nrverify.auditing.threshold.variant_designs import battery, pairs, variant_of
from nrverify.subjects.description import Description
from nrverify.subjects.guarantees import DP, guarantee_of

MECHANISMS = ("above-threshold", "reduced-above-threshold")


@dataclass(frozen=True)
class RecordedRunsFacts:
    """What is known of runs that were recorded and are not asked for."""

    largest_claim: float
    """The ε of the last round."""


@dataclass(frozen=True)
class ThresholdContext:
    """From which the checks of a threshold mechanism are built."""

    description: Description
    designs: tuple[Design, ...]
    every_design: tuple[Design, ...]
    """The designs, and both sides of every pair of neighbours."""
    pairs: tuple[Neighbours, ...]
    methods: tuple[str, ...]
    record: RecordedRunsFacts | None = None
    """None for a subject that is asked."""

    @property
    def guarantee(self) -> str | None:
        """What ε guarantees."""
        return guarantee_of(self.description)

    @property
    def claims_curve(self) -> bool:
        """Whether differential privacy is claimed with a δ of its own at each ε."""
        return self.guarantee == DP and "delta_of" in self.description.methods

    @classmethod
    def of(cls, description: Description) -> ThresholdContext:
        """That of an audit."""
        name, variant = description.mechanism, variant_of(description)
        methods = tuple(method for method in ("run_many", "run") if method in description.methods)
        designs, neighbours = battery(name, variant), pairs(name, variant, description.monotone)
        sides = tuple(side for pair in neighbours for side in pair.sides)
        return cls(description, designs, (*designs, *sides), neighbours, methods)


def _positives(context: object) -> int:
    """After how many ones the subject halts."""
    return int(getattr(getattr(context, "description", None), "positives", 1))


ONE_POSITIVE = Need(lambda context: _positives(context) == 1, "it halts after several ones")
SEVERAL_POSITIVES = Need(lambda context: _positives(context) > 1, "it halts at the first 1")
"""Forms of a check for one positive, and for several."""
