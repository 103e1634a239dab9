"""Bets that features of a transcript say more of its label than a claim (ε, δ) allows, where the law is not known."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.numerics.features import Feature
from nrverify.statistics.additive import Tally
from nrverify.statistics.labels import LabelBets

Floats = NDArray[np.float64]
Bins = NDArray[np.int64]

CERTAIN = 7.0
"""Log odds of a label where the other value cannot give the transcript: one mistake in a thousand is survived."""
FEWEST_LEARNED = 0.5
"""Added to the counts of a bin before odds are learned from them."""


class ClaimedLabels:
    """Guesses of the label by each feature, bet against odds of e^ε to one, but for δ (see `statistics.labels`).

    A feature with `certain` bins is taken at its word; what the bins of another say is learned from earlier batches.
    """

    def __init__(self, features: Mapping[str, Feature], delta: float, smallest_claim: float) -> None:
        self.features = features
        self._delta, self._smallest = delta, smallest_claim
        self.bets = LabelBets(len(features), delta, smallest_claim)
        self.counts: Tally[tuple[str, str], Bins] = Tally()
        """By (pair, feature): (bins, labels)."""
        self._learned: dict[tuple[str, str], Bins] = {}
        self._largest = smallest_claim
        self._labels = 0

    def bet(self, pair: str, bins: Mapping[str, tuple[Bins, int]], claim: Floats, label: NDArray[np.bool_]) -> None:
        """Takes in the bins (n,) of each feature with their number, the claimed ε's (n,) and the labels (n,)."""
        guesses = [self._odds(pair, name, size)[bin] for name, (bin, size) in bins.items()]
        self.bets.bet(np.stack(guesses), claim, label)
        self._labels += label.size
        self._largest = max(self._largest, float(np.max(claim, initial=0.0)))
        for name, (bin, size) in bins.items():
            counts = np.zeros((size, 2), dtype=np.int64)
            np.add.at(counts, (bin, label.astype(np.int64)), 1)
            self.counts[pair, name] = self.counts.get((pair, name), 0) + counts

    @property
    def log_e(self) -> float:
        """log e-value so far."""
        return self.bets.log_e

    def events_needed(self, name: str, needed: float) -> float:
        """After how many events that only one label has log e is as much as needed, at the largest claim."""

        def log_e(events: int) -> float:
            planted = self.bets.empty_copy()
            claim, label = np.full(2, self._largest), np.array([True, True])
            guess = np.zeros((len(self.features), 2))
            guess[0, 0] = CERTAIN
            planted.bet(guess, claim, label, np.array([events, self._labels - events]))
            return planted.log_e

        if self._labels < 1 or log_e(self._labels) < needed:
            return math.inf
        low, high = 0, self._labels
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if log_e(middle) >= needed else (middle, high)
        return float(high)

    @property
    def leading(self) -> str:
        """The feature whose guesses won most."""
        won = [max(float(side.log_wealth[i].max()) for side in self.bets.sides) for i in range(len(self.features))]
        return list(self.features)[int(np.argmax(won))]

    def log_e_of(self, name: str, pair: str | None = None) -> float:
        """How many labels of a pair its telling bins had right, less those they had wrong."""
        pairs = {own for own, feature in self.counts if feature == name and pair in (None, own)}
        won = 0
        for own in pairs:
            counts = self.counts[own, name]
            for label, bins in enumerate(self.telling(own, name)):
                won += int(counts[bins, label].sum() - counts[bins, 1 - label].sum())
        return float(won)

    def telling(self, pair: str, name: str) -> tuple[Bins, Bins]:
        """The bins of a feature that speak for label 0, and those that speak for label 1."""
        counts = self.counts[pair, name]
        odds = self.features[name].certain_odds(len(counts))
        odds = _learned_odds(counts) if odds is None else odds
        return np.flatnonzero(odds < -1), np.flatnonzero(odds > 1)

    def empty_copy(self) -> ClaimedLabels:
        """An empty copy with what was learned: a guess must not learn from the transcripts it is about."""
        blank = ClaimedLabels(self.features, self._delta, self._smallest)
        blank._learned = dict(self.counts)
        return blank

    def merge(self, other: ClaimedLabels) -> None:
        """Takes in the bets of another, and learns from its transcripts."""
        self.bets.merge(other.bets)
        self._labels += other._labels
        self._largest = max(self._largest, other._largest)
        for key, counts in other.counts.items():
            self.counts[key] = self.counts.get(key, 0) + counts

    def _odds(self, pair: str, name: str, size: int) -> Floats:
        known = self.features[name].certain_odds(size)
        if known is not None:
            return CERTAIN * known
        learned = self._learned.get((pair, name))
        return np.zeros(size) if learned is None else _learned_odds(learned)


def _learned_odds(counts: Bins) -> Floats:
    return np.asarray(np.log((counts[:, 1] + FEWEST_LEARNED) / (counts[:, 0] + FEWEST_LEARNED)))
