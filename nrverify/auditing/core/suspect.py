"""A fault that was fitted to the second moments of the noise, and what it gives to an attacker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nrverify.auditing.core.faults import Effect, Fault

EXACTLY = 1e6
"""With so many times the precision paid for, the value is as good as known."""
PRECISION_ROUNDING = 1e-6
"""Above the error of the linear algebra behind a precision, which must not turn an exact 1 into a leak; any excess that
matters to an attacker is far larger."""


@dataclass(frozen=True)
class Suspect:
    """The fault that fits best, and those hardly told from it."""

    faults: tuple[Fault, ...]
    """The likeliest first."""
    ratios: Mapping[str, float]
    """The constants that were fitted, by the ids of faults that are a wrong constant."""
    precision: float
    """The largest precision of the value over the one paid for, when all releases are weighed as well as possible."""
    gain: float
    """Log-likelihood by which it beats the claim."""
    normal: bool
    """Whether the noise claimed is normal: then second moments tell all."""
    redraws_repeated: bool
    """Whether the likeliest fault answers a time asked for again with another release."""
    words: Mapping[str, str] = field(default_factory=dict)
    """What was fitted, in words, by the ids of faults that are a wrong formula."""

    @property
    def effect(self) -> Effect:
        """A leak where the releases together say more than was paid for; proved harmless only for normal noise."""
        if self.precision > 1 + PRECISION_ROUNDING:
            return Effect.LEAK
        return Effect.INACCURACY if self.normal else Effect.UNPROVED
