"""A portfolio of bets: families with weights fixed in advance, whose weighted average is again an e-value."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Protocol, Self

import numpy as np


class Wealth(Protocol):
    """Anything that bets: its log e-value so far, and its evidence in words."""

    @property
    def log_e(self) -> float:
        """log e-value so far."""

    def words(self) -> tuple[str, str]:
        """Expected and observed."""

    def fresh(self) -> Self:
        """The same before the first bet."""

    def merge(self, other: Self) -> None:
        """Takes in what another has seen: both together are as one that has seen first its own, then the other's."""


class Portfolio:
    """Named families with weights fixed before the first bet."""

    def __init__(self, families: Mapping[str, tuple[float, Wealth]]) -> None:
        total = sum(weight for weight, _ in families.values())
        self.log_weights = {name: float(np.log(weight / total)) for name, (weight, _) in families.items()}
        self.families = {name: wealth for name, (_, wealth) in families.items()}

    def __getitem__(self, name: str) -> Wealth:
        return self.families[name]

    def fresh(self) -> Portfolio:
        """The same before the first bet."""
        blank = copy(self)
        blank.families = {name: wealth.fresh() for name, wealth in self.families.items()}
        return blank

    def merge(self, other: Portfolio) -> None:
        """Takes in what another has seen."""
        for name, wealth in self.families.items():
            wealth.merge(other.families[name])

    @property
    def log_e(self) -> float:
        """log of the weighted average of the families' e-values."""
        return float(np.logaddexp.reduce(list(self._contributions().values())))

    @property
    def leading(self) -> str:
        """The family that contributes most."""
        contributions = self._contributions()
        return max(contributions, key=contributions.__getitem__)

    def _contributions(self) -> dict[str, float]:
        return {name: self.log_weights[name] + wealth.log_e for name, wealth in self.families.items()}
