"""What is known of a threshold subject before it is asked: the designs, the neighbours, and its methods."""

from __future__ import annotations

from dataclasses import dataclass

from nrverify.auditing.threshold.designs import Design, Neighbours, designs_for, every_design, neighbours_for
from nrverify.subjects.description import Description

MECHANISMS = ("above-threshold", "reduced-above-threshold")


@dataclass(frozen=True)
class ThresholdContext:
    """From which the checks of a threshold mechanism are built."""

    description: Description
    designs: tuple[Design, ...]
    every_design: tuple[Design, ...]
    """The designs, and both sides of every pair of neighbours."""
    pairs: tuple[Neighbours, ...]
    methods: tuple[str, ...]

    @classmethod
    def of(cls, description: Description) -> ThresholdContext:
        """That of an audit."""
        name = description.mechanism
        methods = tuple(method for method in ("run_many", "run") if method in description.methods)
        return cls(description, designs_for(name), every_design(name), neighbours_for(name), methods)
