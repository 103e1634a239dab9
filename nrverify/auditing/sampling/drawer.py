"""Drawing from a subject: seeds that no other request has, the auditor's own random numbers, and everything counted."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.settings import Settings
from nrverify.auditing.sampling.clock import Clock, OutOfTime
from nrverify.auditing.sampling.own_times import OwnTimes
from nrverify.subjects.host import Host

Floats = NDArray[np.float64]


class Drawer:
    """Draws with the seeds that follow the `first`-th, and with random numbers of its own for each `key`."""

    def __init__(
        self,
        host: Host,
        settings: Settings,
        first: int = 0,
        key: tuple[int, ...] = (),
        times_of: OwnTimes | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.host = host
        self.settings = settings
        self.times_of = times_of or OwnTimes(host)
        self.drawn = 0
        self._seeds = first
        self._key = key
        self._clock = clock or Clock(host, settings.budget)

    @cached_property
    def rng(self) -> np.random.Generator:
        """The auditor's own random numbers."""
        return np.random.default_rng(np.random.SeedSequence(self.settings.seed, spawn_key=(1, *self._key)))

    @property
    def out_of_time(self) -> bool:
        """Whether the run has used its budget of time; asked before anything is sampled."""
        return self._clock.up((-1, getattr(self.host, "exchanges", 0)))

    def in_time(self) -> None:
        """`OutOfTime` where the run has used its budget; asked before requests that only look at what works."""
        if self.out_of_time:
            raise OutOfTime

    def out_of_time_at(self, place: tuple[int, ...]) -> bool:
        """The same at a place of the run that does not depend on speed, such as after all looks."""
        return self._clock.up(place)

    @property
    def subject_seconds(self) -> float:
        """What the subject took."""
        return self.host.seconds

    def seed(self) -> int:
        """The next seed: different for every request, and scattered, so that a seed cut to its low bits collides."""
        self._seeds += 1
        return scattered((_base(self.settings.seed) + self._seeds) % 2**53)

    def small_seed(self) -> int:
        """The next seed as users choose them: small, and one more than the last."""
        self._seeds += 1
        return self._seeds


def by_coin(
    drawer: Drawer, size: int, draw: Callable[[int, int], tuple[NDArray[Any], ...]]
) -> tuple[NDArray[np.bool_], tuple[NDArray[Any], ...]]:
    """Labels by a fair coin, and for each what draw(label, count) gave for it, in random order."""
    label = drawer.rng.random(size) < 0.5
    counts = [int((label == bool(side)).sum()) for side in (0, 1)]
    sides = [draw(side, count) for side, count in enumerate(counts) if count]
    place = np.argsort(np.argsort(label, kind="stable"))
    return label, tuple(np.concatenate(parts)[place] for parts in zip(*sides, strict=True))


@lru_cache(maxsize=8)
def _base(seed: int) -> int:
    return int(np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,))).integers(2**52))


def scattered(number: int) -> int:
    """A one-to-one map of the integers below 2^53 onto themselves that mixes all their bits."""
    for shift, factor in ((27, 0x1B873593CC9E2D), (24, 0x19E3779B97F4A7)):
        number ^= number >> shift
        number = (number * factor) % 2**53
    return number ^ (number >> 28)
