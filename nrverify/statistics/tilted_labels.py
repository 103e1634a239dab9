"""Bets that features of a transcript say more of its label than the claimed odds: tilts of the odds, bin by bin.

The label of a transcript is chosen by a fair coin; if it has log odds ℓ given the transcript, a bet that it has ℓ + θ
multiplies wealth by σ(±(ℓ + θ))/σ(±ℓ), whose mean is 1. Products over transcripts and over disjoint bins, and averages
over tilts θ and over features, are test martingales whatever the features are; those only decide how fast it grows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from nrverify.statistics.additive import Additive, Tally

Floats = NDArray[np.float64]
Bins = NDArray[np.int64]

TILTS = np.array([0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0, 8.0, -8.0, 30.0, -30.0])
"""From no tilt, which loses nothing, to certainty: events that the other value cannot give."""
TELLING = 2.0
"""Tilts from here on make an event of a bin; smaller ones come of chance, or of what other bins have taken away."""


class TiltedLabels(Additive):
    """Log-wealth of each tilt in each bin of each feature, for each pair of values, and how often each came."""

    configuration = ("log_weights",)

    def __init__(self, weights: Mapping[str, float]) -> None:
        total = sum(weights.values())
        self.log_weights = {name: float(np.log(weight / total)) for name, weight in weights.items()}
        self.wealth: Tally[tuple[str, str], Floats] = Tally()
        """By (pair, feature): (bins, tilts)."""
        self.counts: Tally[tuple[str, str], Bins] = Tally()
        """By (pair, feature): (bins, labels)."""
        self.certain = np.zeros((2, 2))
        """By label: the nats that knowing it for certain would have won, and how many labels there were."""

    def bet(self, pair: str, bins: Mapping[str, tuple[Bins, int]], log_odds: Floats, label: NDArray[np.bool_]) -> None:
        """Takes in the bins (n,) of each feature with their number, the claimed log odds (n,) and the labels (n,)."""
        sign = np.where(label, 1.0, -1.0)
        tilted = -np.logaddexp(0.0, -sign[:, None] * (log_odds[:, None] + TILTS))
        unknown = np.logaddexp(0.0, -sign * log_odds)
        gain = tilted + unknown[:, None]
        for side in (0, 1):
            here = label == bool(side)
            self.certain[side] += unknown[here].sum(), here.sum()
        for name, (bin, size) in bins.items():
            wealth, counts = np.zeros((size, TILTS.size)), np.zeros((size, 2), dtype=np.int64)
            np.add.at(wealth, bin, gain)
            np.add.at(counts, (bin, label.astype(np.int64)), 1)
            key = (pair, name)
            self.wealth[key] = self.wealth.get(key, 0.0) + wealth
            self.counts[key] = self.counts.get(key, 0) + counts

    def log_e_of(self, name: str, pair: str | None = None) -> float:
        """log e-value of one feature: the product over the bins of all pairs, or of one."""
        found = [w for (own, feature), w in self.wealth.items() if feature == name and pair in (None, own)]
        return float(sum((np.logaddexp.reduce(w, axis=1) - np.log(TILTS.size)).sum() for w in found))

    def events_needed(self, name: str, needed: float) -> float:
        """After how many events of one bin of a feature that only one label has, log e is as much as needed."""
        won, labels = self.certain.T
        if not labels.all():
            return math.inf
        gain = float((won / labels).min())
        return (needed + math.log(TILTS.size) - self.log_weights[name]) / gain if gain > 0 else math.inf

    @property
    def log_e(self) -> float:
        """log of the weighted average over the features."""
        return float(np.logaddexp.reduce([weight + self.log_e_of(name) for name, weight in self.log_weights.items()]))

    @property
    def leading(self) -> str:
        """The feature that contributes most."""
        return max(self.log_weights, key=lambda name: self.log_weights[name] + self.log_e_of(name))

    def telling(self, pair: str, name: str) -> tuple[Bins, Bins]:
        """The bins of a feature that speak for label 0, and those that speak for label 1, by their best tilts."""
        wealth = self.wealth[pair, name]
        best = TILTS[np.argmax(wealth, axis=1)]
        return np.flatnonzero(best <= -TELLING), np.flatnonzero(best >= TELLING)
