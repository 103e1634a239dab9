"""A fault that was fitted to the second moments of the noise, and what it gives to an attacker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nrverify.auditing.core.effects import UNPRICED, Priced
from nrverify.auditing.core.faults import Fault


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
    ties: bool = False
    """Whether it gives a release again at a smaller time."""
    words: Mapping[str, str] = field(default_factory=dict)
    """What was fitted, in words, by the ids of faults that are a wrong formula."""

    priced: Priced = UNPRICED
    """What it means for privacy."""
