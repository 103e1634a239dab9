"""Bets on a scale at each of several keys fixed in advance, and by exact likelihood ratios at a few keys together.

Errors that go up at one key and down at another cancel in a sum over all keys, and not here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nrverify.statistics.additive import Additive
from nrverify.statistics.estimate import Estimate
from nrverify.statistics.wealth import EFFECT_SIZES, ScaleWealth, log_average

Floats = NDArray[np.float64]


class ParameterWealth(Additive):
    """Bets that the law has e^θ times its parameter, by exact likelihood ratios, averaged over `EFFECT_SIZES`."""

    def __init__(self) -> None:
        self.log_wealth = np.zeros(EFFECT_SIZES.size)
        self.scores = ScaleWealth()
        """The scores of the same numbers, from which their variance is told."""

    def bet(self, log_ratios: Floats, count: int, squares: float) -> None:
        """Takes in Σ log(q_θ/p) of new numbers for each effect, and the sum of the squares of so many scores."""
        self.log_wealth += log_ratios
        self.scores.add(count, squares)

    @property
    def log_e(self) -> float:
        """log e-value so far."""
        return log_average(self.log_wealth)

    def estimate(self) -> Estimate:
        """The variance over the claimed one."""
        return self.scores.estimate()


class ScalesByKey(Additive):
    """The product, over K keys, of 1 − 1/K + W/K, with W the wealth of a bet on the scale at the key.

    An innovation changes the factor of its own key alone, to one of the same mean given the past, whatever the rule by
    which keys were chosen; so the product is a martingale. Its logarithm is at least that of the best W less 1 + log K,
    and keys at which the scale is wrong as well add theirs.
    """

    configuration = ("keys", "_places")

    def __init__(self, keys: Sequence[float]) -> None:
        """Keys are told apart as the doubles that they are."""
        if not keys:
            raise ValueError("keys is empty: there must be one or more to bet at")
        self.keys = tuple(dict.fromkeys(float(key) for key in keys))
        self._places = {key: place for place, key in enumerate(self.keys)}
        self.counts = np.zeros(len(self.keys), dtype=np.int64)
        self.squares = np.zeros(len(self.keys))

    def add(self, key: float, count: int, squares: float) -> None:
        """Takes in how many innovations there were at a key, and the sum of their squares; other keys are no bet."""
        place = self._places.get(key)
        if place is not None:
            self.counts[place] += count
            self.squares[place] += squares

    @property
    def log_e(self) -> float:
        """log e-value so far."""
        size = len(self.keys)
        rest = np.log1p(-1 / size) if size > 1 else -np.inf
        return float(np.logaddexp(rest, self._wealths() - np.log(size)).sum())

    @property
    def leading(self) -> float:
        """The key at which most was won."""
        return self.keys[int(np.argmax(self._wealths()))]

    def at(self, key: float) -> ScaleWealth:
        """The bet at a key."""
        place = self._places[key]
        return ScaleWealth(int(self.counts[place]), float(self.squares[place]))

    def estimate(self) -> Estimate:
        """The variance over the claimed one, at the key that leads."""
        return self.at(self.leading).estimate()

    def _wealths(self) -> Floats:
        return np.array(ScaleWealth.log_e_of([self.at(key) for key in self.keys]))
