"""One statement to be tried: a check, what its size is of, and what a fault of any size of that looks like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Draw = Callable[[float, np.random.Generator], Any]
"""What a check is shown of a fault of a size: transcripts or runs, labelled or not, or several of these."""

ADDS_UP, ONE_EVENT = 1.3, 3.4
"""Somewhat above the size: where evidence adds up, and where one event decides (P(no event) is ½ and ½^3.4 ≈ 0.1)."""


JUST = 0.01
"""Of what is computed the size itself is still kept, and what is above it refuted: so much more is planted."""


@dataclass(frozen=True)
class Planted:
    """A check, what its size is of, and transcripts with a fault of any size of that."""

    name: str
    check: Callable[[], Any]
    unit: str
    draw: Draw
    factor: float = ADDS_UP
    fewer: bool = False
    """Whether the fault is the larger the smaller the number is."""
    looks: int = 1
    """How often transcripts are drawn and merged: bets that learn are made at a merge."""
    none: float = 0.0
    """The size of no fault: what is claimed of an ε, or of a δ. What is beyond it is planted."""
    named: Callable[[Any, float], Draw] | None = None
    """Where the size is that of a fault of its own, which has no other size: what a check, at a level, says of it is
    tried on more or fewer runs. Evidence grows as the runs do, and as the square of a size."""
    place: int = 0
    """Of the check's statements in that unit."""
    sampled: bool = True
    """Whether chance has a part in it: what is computed is tried once."""

    def seen(self, size: float, rng: np.random.Generator, draw: Draw | None = None) -> Any:
        """The check after transcripts with a fault of a size."""
        found = self.check()
        for _ in range(self.looks):
            part = found.empty_copy()
            drawn = (draw or self.draw)(size, rng)
            for one in drawn if isinstance(drawn, list) else [drawn]:
                # Checks of privacy look at what comes with a label.
                (part.observe_labelled if hasattr(one, "label") else part.observe)(one)
            found.merge(part)
        return found

    def sizes(self, stated: float) -> tuple[float, float, float]:
        """A third of the size, the size, and somewhat above."""
        if self.fewer:
            return 3 * stated, stated, stated / self.factor
        if self.named is not None:
            return 1 / 9, 1.0, self.factor**2
        beyond = stated - self.none
        just = 1.0 if self.sampled else 1 + JUST
        return self.none + beyond / 3, self.none + just * beyond, self.none + self.factor * beyond
