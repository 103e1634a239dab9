"""Second moments of the noise, by schedule and by the method that drew it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.noise_reduction.design.batch import Batch

Floats = NDArray[np.float64]

MOST_SCHEDULES = 400
"""Of which sums are kept: memory is bounded, and so many tell the faults apart."""


@dataclass
class Moments:
    """Sums of squares and products of the noise, by method and schedule."""

    sums: dict[tuple[str, tuple[float, ...]], tuple[int, Floats]] = field(default_factory=dict)

    def observe(self, batch: Batch) -> None:
        """Takes in sessions of a fixed schedule in which no time comes twice."""
        if batch.times is None or batch.innovations is None or not batch.case.fixed:
            return
        times, noise = batch.times[0], batch.noise
        products = np.einsum("nkd,nld->kl", noise, noise)
        if np.isfinite(products).all() and (np.diff(times) < 0).all():
            self.add(batch.case.method, tuple(times.tolist()), noise.shape[0] * noise.shape[2], products)

    def empty_copy(self) -> Moments:
        """An empty copy."""
        return Moments()

    def merge(self, other: Moments) -> None:
        """Adds the sums of another, as far as there is room for its schedules: so no plain sum."""
        for (method, times), (count, products) in other.sums.items():
            self.add(method, times, count, products)

    def add(self, method: str, times: tuple[float, ...], count: int, products: Floats) -> None:
        """Sums of so many sessions and coordinates, drawn by this method at these times."""
        if (method, times) in self.sums:
            before, known = self.sums[method, times]
            self.sums[method, times] = before + count, known + products
        elif len(self.sums) < MOST_SCHEDULES:
            self.sums[method, times] = count, products

    def of(self, method: str) -> Moments:
        """The sums of one method alone."""
        return Moments({key: sums for key, sums in self.sums.items() if key[0] == method})

    @property
    def methods(self) -> list[str]:
        """Those that drew anything."""
        return sorted({method for method, _ in self.sums})

    def seen(self) -> list[Seen]:
        """The sums by schedule, whatever the method."""
        pooled: dict[tuple[float, ...], tuple[int, Floats]] = {}
        for (_, times), (count, products) in self.sums.items():
            before, known = pooled.get(times, (0, np.zeros_like(products)))
            pooled[times] = before + count, known + products
        return [Seen(np.array(times), *sums) for times, sums in pooled.items()]


@dataclass(frozen=True)
class Seen:
    """Sums of products of so many sessions and coordinates at these times."""

    times: Floats
    count: int
    products: Floats
