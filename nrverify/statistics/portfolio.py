"""A portfolio: bets with weights fixed in advance, whose weighted average is again an e-value."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Generic, Protocol, Self, TypeVar

import numpy as np

from nrverify.statistics.additive import Additive
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


class Portfolio(Additive, Generic[K]):
    """Named bets with weights fixed before the first observation."""

    configuration = ("log_weights",)

    def __init__(self, bets: Mapping[K, tuple[float, Wealth]]) -> None:
        total = sum(weight for weight, _ in bets.values())
        self.log_weights = {name: float(np.log(weight / total)) for name, (weight, _) in bets.items()}
        self.bets = {name: wealth for name, (_, wealth) in bets.items()}

    def __getitem__(self, name: K) -> Wealth:
        return self.bets[name]

    @property
    def log_e(self) -> float:
        """log of the weighted average of the bets' e-values."""
        return float(np.logaddexp.reduce(list(self._contributions().values())))

    @property
    def leading(self) -> K:
        """The bet that contributes most."""
        contributions = self._contributions()
        return max(contributions, key=contributions.__getitem__)

    def _contributions(self) -> dict[K, float]:
        found = self._wealths()
        return {name: log_weight + found[name] for name, log_weight in self.log_weights.items()}

    def _wealths(self) -> dict[K, float]:
        """The log e-values of the bets; those of a kind that can are worked out together."""
        kinds: dict[type, list[K]] = {}
        for name, wealth in self.bets.items():
            kinds.setdefault(type(wealth), []).append(name)
        found: dict[K, float] = {}
        for kind, names in kinds.items():
            wealths = [self.bets[name] for name in names]
            together = getattr(kind, "log_e_of", None)
            values = [wealth.log_e for wealth in wealths] if together is None else together(wealths)
            found.update(zip(names, values, strict=True))
        return found
