"""Checks that work out the bets on many small batches together: what is long to begin is begun once.

What a batch adds is kept as plain numbers until there are enough of them, or until somebody asks what was seen. The
sums are those of batch after batch; only the order of the additions is another.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.bets.portfolio_check import Bets, PortfolioCheck
from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.plots.data import Plot
from nrverify.statistics.portfolio import Portfolio, Wealth
from nrverify.statistics.wealth import MeanWealth, ScaleWealth

POOLED = 2**15
"""Numbers that are kept before they are worked out: a fraction of a processor's cache."""


class PooledCheck(PortfolioCheck):
    """A portfolio whose bets are worked out for many batches together, in `pooled`."""

    configuration: ClassVar[tuple[str, ...]] = ("_kept_numbers", "_kept_size")

    def __init__(self, bets: Bets) -> None:
        self._kept_numbers: dict[str, list[NDArray[Any]]] = {}
        self._kept_size = 0
        super().__init__(bets)

    def keep(self, numbers: dict[str, NDArray[Any]]) -> None:
        """Keeps numbers of a batch by name, each an array of one axis."""
        for name, part in numbers.items():
            self._kept_numbers.setdefault(name, []).append(part)
            self._kept_size += part.size
        if self._kept_size >= POOLED:
            self.settle()

    def settle(self) -> None:
        """Works out what was kept."""
        if self._kept_numbers:
            kept, self._kept_numbers, self._kept_size = self._kept_numbers, {}, 0
            self.pooled({name: np.concatenate(parts) for name, parts in kept.items()})

    def wealth_of(self, topic: Topic) -> Wealth:
        """A bet that takes in its sums batch by batch, while others are kept."""
        return self._portfolio[topic]

    def bet_on_scale(self, topic: Topic, count: int, squares: float) -> None:
        """Takes in sums of a batch that are known already."""
        cast(ScaleWealth, self.wealth_of(topic)).add(count, squares)

    def bet_on_mean(self, topic: Topic, cross: float, energy: float) -> None:
        """Takes in sums of a batch that are known already."""
        cast(MeanWealth, self.wealth_of(topic)).add(cross, energy)

    def pooled(self, numbers: dict[str, NDArray[Any]]) -> None:
        """Bets on the numbers of several batches."""
        raise NotImplementedError

    @property
    def portfolio(self) -> Portfolio[Topic]:
        """The bets, after everything kept was worked out."""
        self.settle()
        return self._portfolio

    @portfolio.setter
    def portfolio(self, portfolio: Portfolio[Topic]) -> None:
        self._portfolio = portfolio

    def empty_copy(self) -> Self:
        """A copy with the same configuration and empty sums, which has kept nothing."""
        self.settle()
        blank = super().empty_copy()
        blank._kept_numbers = {}
        return blank

    def merge(self, other: Self) -> None:
        """Adds the sums of another to these."""
        self.settle()
        other.settle()
        super().merge(other)

    def plots(self, alpha: float) -> tuple[Plot, ...]:
        """Of everything seen."""
        self.settle()
        return super().plots(alpha)
