"""The attack itself: labelled transcripts are bet on until the last bits have told enough; the rest is evidence."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.numerics.claimed_labels import ClaimedLabels
from nrverify.auditing.numerics.evidence import FEWEST_COUNTED, Attack, Example, events, strongest
from nrverify.auditing.numerics.features import ADD, Feature, Transcripts, bridged_sums, sums
from nrverify.auditing.numerics.reachable import reachable_by_sum
from nrverify.auditing.sampling.looks import MOST_LOOKS
from nrverify.statistics.additive import Tally
from nrverify.statistics.detectable import detectable_count
from nrverify.statistics.tilted_labels import TiltedLabels

Floats = NDArray[np.float64]
Bins = NDArray[np.int64]
Asked = tuple[float, ...] | None

OUT_OF_REACH = (2, 1)
"""By label: the bin of transcripts that its own value can give by a sum, and the other cannot."""


@dataclass(frozen=True)
class Setting:
    """What a pair of values was asked at."""

    low: tuple[float, ...]
    high: tuple[float, ...]
    asked: Asked


class LabelledBits:
    """Bets on labelled transcripts by features of their last bits, against exact log odds or against a claim.

    Everything that comes after the goal was reached counts towards the evidence, for which the event is then fixed.
    """

    def __init__(self, features: dict[str, Feature], alpha: float, claim: tuple[float, float] | None = None) -> None:
        """`claim` is (δ, smallest ε) where labels are bet on against claimed ε's; None for exact log odds."""
        self.features = features
        self.alpha = alpha
        self.samples = 0
        self.found_after: int | None = None
        self.bets: TiltedLabels | ClaimedLabels = (
            TiltedLabels({name: one.weight for name, one in features.items()})
            if claim is None
            else ClaimedLabels(features, *claim)
        )
        self.settings: dict[str, Setting] = {}
        self._after: Tally[tuple[str, str], Bins] = Tally()
        self._examples: dict[tuple[str, int], Example] = {}
        self._foreseen: Tally[tuple[str, int], float] = Tally()
        self._lead: tuple[str, str, tuple[Bins, Bins]] | None = None

    @property
    def log_e(self) -> float:
        """log e-value of the bets."""
        return self.bets.log_e

    def least_share(self, alpha: float) -> float:
        """The probability of an event, of the transcripts of one value, that is found half of the time.

        The event is that no sum with the other value gives a transcript; half of the transcripts are of either value.
        """
        events = self.bets.events_needed(ADD.name, -math.log(alpha))
        return 2 * detectable_count(math.ceil(events)) / self.samples if math.isfinite(events) else math.inf

    @property
    def attacked(self) -> bool:
        """Whether the bets have reached their goal."""
        return self.found_after is not None

    @property
    def leading_pair(self) -> str | None:
        """The pair whose labels were betrayed most, once attacked."""
        return None if self._lead is None else self._lead[0]

    def observe(
        self, pair: str, drawn: Transcripts, odds: Floats, label: NDArray[np.bool_], asked: Asked = None
    ) -> None:
        """Takes in transcripts of a pair with their exact log odds, or the ε's claimed, and their labels."""
        self.samples += label.size
        self.settings[pair] = Setting(tuple(drawn.low.tolist()), tuple(drawn.high.tolist()), asked)
        bins = {name: one.sort(drawn) for name, one in self.features.items()}
        self.bets.bet(pair, bins, odds, label)
        self._foresee(pair, bins[ADD.name][0], odds, label)
        for side in (0, 1):
            example = _example(drawn, label, side)
            if example is not None:
                self._examples.setdefault((pair, side), example)

    def empty_copy(self) -> LabelledBits:
        """An empty copy."""
        blank = copy(self)
        blank.samples, blank.found_after, blank._lead = 0, None, None
        blank.bets = self.bets.empty_copy()
        blank.settings, blank._after, blank._examples, blank._foreseen = {}, Tally(), {}, Tally()
        return blank

    def merge(self, other: LabelledBits) -> None:
        """Merges the observations of another: as bets before the goal was reached, as evidence after."""
        if self._lead is not None:
            for key, counts in other.bets.counts.items():
                self._after[key] = self._after.get(key, 0) + counts
        self.samples += other.samples
        self.bets.merge(other.bets)  # type: ignore[arg-type]
        self.settings |= other.settings
        for place, foreseen in other._foreseen.items():
            self._foreseen[place] = self._foreseen.get(place, 0.0) + foreseen
        self._examples = {**other._examples, **self._examples}
        if self._lead is None and self.bets.counts and self.log_e >= -np.log(self.alpha):
            self._found()

    def _found(self) -> None:
        self.found_after = self.samples
        name = self.bets.leading
        pairs = [pair for pair, feature in self.bets.counts if feature == name]
        pair = max(pairs, key=lambda own: self.bets.log_e_of(name, own))
        odds = self.features[name].certain_odds(len(self.bets.counts[pair, name]))
        certain = None if odds is None else (np.flatnonzero(odds < 0), np.flatnonzero(odds > 0))
        self._lead = pair, name, certain or self.bets.telling(pair, name)

    def attack(self) -> Attack | None:
        """What was shown; None where nothing was.

        With too few transcripts after the event was fixed all are counted, and the error probability is divided over
        the events and looks it could have been chosen from.
        """
        if self._lead is None or self.found_after is None:
            return None
        pair, name, telling = self._lead
        counts, alpha = self._after.get((pair, name)), self.alpha
        if counts is None or int(counts.sum(axis=0).min()) < FEWEST_COUNTED:
            counts = self.bets.counts[pair, name]
            alpha /= MOST_LOOKS * len(self.features) * max(len(self.settings), 1)
        event = strongest(events(telling, counts, alpha))
        setting, feature = self.settings[pair], self.features[name]
        return Attack(
            name,
            feature.cause,
            feature.event,
            (setting.low, setting.high),
            setting.asked,
            event,
            self.found_after,
            self._examples.get((pair, event.side)),
        )

    def _foresee(self, pair: str, bin: Bins, odds: Floats, label: NDArray[np.bool_]) -> None:
        """Adds up how often one value would give what no sum with the other can, by how often the other gives it.

        Where both laws are as claimed, P(E at one value) is the mean at the other of e^{±ℓ} over E.
        """
        for side in (0, 1):
            others = (bin == OUT_OF_REACH[side]) & (label != bool(side))
            weights = np.exp(odds[others] * (1 if side else -1)) if isinstance(self.bets, TiltedLabels) else 1.0
            self._foreseen[pair, side] = self._foreseen.get((pair, side), 0.0) + float(np.sum(weights * others[others]))

    @property
    def shares(self) -> dict[tuple[str, int], tuple[int, int, float]]:
        """By pair and label: transcripts that no sum with the other value gives, of how many, and what was foreseen."""
        found = {}
        for (pair, name), counts in self.bets.counts.items():
            for side in (0, 1) if name == ADD.name else ():
                hits, of, others = counts[OUT_OF_REACH[side], side], counts[:, side].sum(), counts[:, 1 - side].sum()
                found[pair, side] = int(hits), int(of), self._foreseen.get((pair, side), 0.0) / max(int(others), 1)
        return found


def _example(drawn: Transcripts, label: NDArray[np.bool_], side: int) -> Example | None:
    """A release of one label that the other value cannot give although its own can: by a sum, or one on the bridge."""
    own, other = drawn.values[side], drawn.values[1 - side]
    of_side = label == bool(side)
    found = ~reachable_by_sum(other, drawn.releases) & (of_side & sums(drawn, own))[:, None, None]
    if found.any():
        row, at, axis = np.argwhere(found)[0]
        return Example(float(drawn.releases[row, at, axis]), float(other[axis]))
    if drawn.times is None or drawn.releases.shape[1] < 2:
        return None
    kept = (drawn.times[:, 1:] / drawn.times[:, :-1])[:, :, None]
    means = other + (drawn.releases[:, :-1] - other) * kept
    rows = (of_side & bridged_sums(drawn, own))[:, None, None] & (kept < 1)
    found = ~reachable_by_sum(means, drawn.releases[:, 1:]) & rows
    if not found.any():
        return None
    row, at, axis = np.argwhere(found)[0]
    return Example(float(drawn.releases[row, at + 1, axis]), float(means[row, at, axis]), bridged=True)
