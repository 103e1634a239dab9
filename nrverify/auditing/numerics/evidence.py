"""What an attack has shown: an event, how often each value gives it, and the (ε, δ) that this excludes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.statistics.proportions import clopper_pearson

Bins = NDArray[np.int64]

USUAL_EPSILON, USUAL_DELTA = 1.0, 1e-5
"""At which the bound is said where nothing is claimed: a modest ε, and a δ as it is usually chosen."""
FEWEST_COUNTED = 64
"""Transcripts of each value that are counted after the event was chosen; with fewer, all are counted."""


@dataclass(frozen=True)
class Event:
    """Bins of a feature that speak for one label, and the number of transcripts of each label in them."""

    side: int
    """The label it speaks for."""
    hits: int
    of: int
    others: int
    """How often the other value gave it."""
    of_others: int
    alpha: float
    """The error probability of its limits together."""

    @property
    def limits(self) -> tuple[float, float]:
        """Least probability of the event at its own value, and largest at the other."""
        low, _ = clopper_pearson(self.hits, max(self.of, 1), self.alpha)
        _, high = clopper_pearson(self.others, max(self.of_others, 1), self.alpha)
        return low, high

    def delta_at(self, epsilon: float) -> float:
        """The least δ with which both values can be told no better at this ε."""
        low, high = self.limits
        return max(0.0, low - math.exp(min(epsilon, 700.0)) * high)

    def epsilon_at(self, delta: float) -> float:
        """The least ε with which both values can be told no better at this δ."""
        low, high = self.limits
        return math.log((low - delta) / high) if low - delta > high > 0 else 0.0


def events(telling: tuple[Bins, Bins], counts: Bins, alpha: float) -> tuple[Event, Event]:
    """Both events of a feature from counts (bins, labels)."""
    totals = counts.sum(axis=0)
    found = []
    for side, bins in enumerate(telling):
        hits, others = int(counts[bins, side].sum()), int(counts[bins, 1 - side].sum())
        found.append(Event(side, hits, int(totals[side]), others, int(totals[1 - side]), alpha))
    return found[0], found[1]


def strongest(found: tuple[Event, Event], epsilon: float = USUAL_EPSILON) -> Event:
    """The event that excludes most."""
    return max(found, key=lambda event: (event.delta_at(epsilon), event.epsilon_at(USUAL_DELTA), event.hits))


@dataclass(frozen=True)
class Example:
    """A release that a value cannot give, for a reader to check by hand: base + (release − base) is not release."""

    release: float
    base: float
    bridged: bool = False
    """Whether the base is the mean of the bridge from the release before, and not the value."""

    @property
    def fails(self) -> bool:
        """What the reader finds."""
        return self.base + (self.release - self.base) != self.release


@dataclass(frozen=True)
class Attack:
    """A demonstrated attack, as data."""

    feature: str
    cause: str
    event_words: str
    """What the transcripts of one value have; {other} is the other value."""
    values: tuple[tuple[float, ...], tuple[float, ...]]
    """Both, by label."""
    asked: tuple[float, ...] | None
    """What every transcript was asked at; None where they differ."""
    event: Event
    found_after: int
    """Labelled transcripts until the bets reached their goal."""
    example: Example | None

    @property
    def numbers(self) -> dict[str, Any]:
        """For a report: counts, limits and the example in hexadecimal."""
        own, other = self.values[self.event.side], self.values[1 - self.event.side]
        found = {
            "of_value": float(own[0]) if len(own) == 1 else math.nan,
            "against": float(other[0]) if len(other) == 1 else math.nan,
            "impossible_elsewhere": float(self.event.hits),
            "of_value_count": float(self.event.of),
            "at_other": float(self.event.others),
            "at_other_count": float(self.event.of_others),
            "found_after": float(self.found_after),
            "alpha": self.event.alpha,
        }
        return {key: value for key, value in found.items() if not math.isnan(value)}
