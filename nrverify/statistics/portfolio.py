"""A portfolio: bets with weights fixed in advance, whose weighted average is again an e-value."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from typing import Generic, Protocol, Self, TypeVar

import numpy as np

from nrverify.statistics.estimate import Estimate

K = TypeVar("K", bound=Hashable)
"""What names a bet: a string, or any value that says what it is about."""


class Wealth(Protocol):
    """Anything that bets: its log e-value so far, and what it measured."""

    @property
    def log_e(self) -> float:
        """log e-value so far."""

    def estimate(self) -> Estimate:
        """What it measured."""

    def empty_copy(self) -> Self:
        """An empty copy with the same configuration."""

    def merge(self, other: Self) -> None:
        """Merges the sufficient statistics of another."""


class Portfolio(Generic[K]):
    """Named bets with weights fixed before the first observation.

    What they are worth is worked out once, until one of them is asked for by its name or others are merged into them:
    whoever has a bet in hand to take something in asks for it each time.
    """

    def __init__(self, bets: Mapping[K, tuple[float, Wealth]]) -> None:
        total = sum(weight for weight, _ in bets.values())
        self.log_weights = {name: float(np.log(weight / total)) for name, (weight, _) in bets.items()}
        self._places = {name: place for place, name in enumerate(bets)}
        self._wealths = [wealth for _, wealth in bets.values()]
        self._worth: list[float] | None = None

    def __getitem__(self, name: K) -> Wealth:
        self._worth = None
        return self._wealths[self._places[name]]

    @property
    def bets(self) -> dict[K, Wealth]:
        """The bets by their names."""
        self._worth = None
        return dict(zip(self._places, self._wealths, strict=True))

    def empty_copy(self) -> Self:
        """The same bets before the first observation; by place, since names would be hashed one by one."""
        blank = copy(self)
        blank._wealths = [wealth.empty_copy() for wealth in self._wealths]
        blank._worth = None
        return blank

    def merge(self, other: Self) -> None:
        """Adds what another has seen."""
        self._worth = None
        for own, wealth in zip(self._wealths, other._wealths, strict=True):
            own.merge(wealth)

    @property
    def log_e(self) -> float:
        """log of the weighted average of the bets' e-values."""
        return float(np.logaddexp.reduce(np.add(list(self.log_weights.values()), self._log_es())))

    @property
    def leading(self) -> K:
        """The bet that contributes most."""
        contributions = self._contributions()
        return max(contributions, key=contributions.__getitem__)

    def _contributions(self) -> dict[K, float]:
        found = zip(self.log_weights.items(), self._log_es(), strict=True)
        return {name: log_weight + log_e for (name, log_weight), log_e in found}

    def _log_es(self) -> list[float]:
        """The log e-values of the bets."""
        if self._worth is None:
            self._worth = log_es(self._wealths)
        return self._worth


def log_es(wealths: Sequence[Wealth]) -> list[float]:
    """The log e-values of bets; those of a kind that can are worked out together."""
    kinds: dict[type, list[int]] = {}
    for place, wealth in enumerate(wealths):
        kinds.setdefault(type(wealth), []).append(place)
    found = [0.0] * len(wealths)
    for kind, places in kinds.items():
        alike = [wealths[place] for place in places]
        together = getattr(kind, "log_e_of", None)
        values = [wealth.log_e for wealth in alike] if together is None else together(alike)
        for place, value in zip(places, values, strict=True):
            found[place] = value
    return found
