"""A portfolio of bets: families with weights fixed in advance, whose weighted average is again an e-value."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Generic, Protocol, Self, TypeVar

import numpy as np

from nrverify.statistics.additive import Additive
from nrverify.statistics.estimate import Estimate

K = TypeVar("K", bound=Hashable)
"""What names a family: a string, or any value that says what the family is about."""


class Wealth(Protocol):
    """Anything that bets: its log e-value so far, and what it measured."""

    @property
    def log_e(self) -> float:
        """log e-value so far."""

    def estimate(self) -> Estimate:
        """What it measured."""

    def fresh(self) -> Self:
        """An empty copy with the same configuration."""

    def merge(self, other: Self) -> None:
        """Adds what another has seen."""


class Portfolio(Additive, Generic[K]):
    """Named families with weights fixed before the first bet."""

    configuration = ("log_weights",)

    def __init__(self, families: Mapping[K, tuple[float, Wealth]]) -> None:
        total = sum(weight for weight, _ in families.values())
        self.log_weights = {name: float(np.log(weight / total)) for name, (weight, _) in families.items()}
        self.families = {name: wealth for name, (_, wealth) in families.items()}

    def __getitem__(self, name: K) -> Wealth:
        return self.families[name]

    @property
    def log_e(self) -> float:
        """log of the weighted average of the families' e-values."""
        return float(np.logaddexp.reduce(list(self._contributions().values())))

    @property
    def leading(self) -> K:
        """The family that contributes most."""
        contributions = self._contributions()
        return max(contributions, key=contributions.__getitem__)

    def _contributions(self) -> dict[K, float]:
        found = self._wealths()
        return {name: log_weight + found[name] for name, log_weight in self.log_weights.items()}

    def _wealths(self) -> dict[K, float]:
        """The log e-values of the families; those of a kind that can are worked out together."""
        kinds: dict[type, list[K]] = {}
        for name, wealth in self.families.items():
            kinds.setdefault(type(wealth), []).append(name)
        found: dict[K, float] = {}
        for kind, names in kinds.items():
            wealths = [self.families[name] for name in names]
            together = getattr(kind, "log_e_of", None)
            values = [wealth.log_e for wealth in wealths] if together is None else together(wealths)
            found.update(zip(names, values, strict=True))
        return found
