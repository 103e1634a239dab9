"""What a bet measured, as numbers: sentences are made of it elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Measure(StrEnum):
    """What kind of number an estimate is; a report has one sentence for each."""

    VARIANCE = "variance"
    """A variance over the claimed one; 1 is expected."""
    SHIFT = "shift"
    """A mean, in standard deviations; 0 is expected."""
    SLOPE = "slope"
    """A regression coefficient in standard deviations per standard deviation; 0 is expected."""
    SCALE = "scale"
    """A scale over the claimed one; 1 is expected."""
    EVENTS = "events"
    """How many of `of` events happened, and how many were expected."""
    ODDS = "odds"
    """The factor by which the odds of an event differ from the claimed ones; 1 is expected."""
    SHARE = "share"
    """The share of a bin (`bin` is its range of quantiles) or bin of known probability."""
    CORRELATION = "correlation"
    """The correlation at the distance `lag`; 0 is expected."""
    MEAN = "mean"
    """The mean of bounded variables."""
    ALTERNATIVE = "alternative"
    """log-likelihood ratio of the best named alternative to the claimed law; 0 is expected at most."""
    COUNT = "count"
    """How many of `of` did what has no, or a known small, probability."""
    EPSILON = "epsilon"
    """A lower confidence limit on ε beside the claimed one."""
    PROBABILITY = "probability"
    """A probability beside the one claimed."""
    VALUE = "value"
    """A number in the unit of the quantity."""


@dataclass(frozen=True)
class Estimate:
    """Expected and observed, the standard error or half-width where there is one, and further numbers by name."""

    measure: Measure
    expected: float | None
    observed: float | None
    error: float | None = None
    count: int | None = None
    """How many numbers or events it rests on."""
    numbers: Mapping[str, float] = field(default_factory=dict)
    """Further numbers, such as the lag of a correlation or the edges of a bin."""
    alternatives: tuple[str, ...] = ()
    """Ids of the named alternatives that fit best, likeliest first."""
