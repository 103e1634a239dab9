"""Drawing transcripts from a subject: seeds, batch sizes by measured speed, and everything drawn counted."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.cases import Case
from nrverify.auditing.settings import Settings
from nrverify.subjects.host import Host
from nrverify.subjects.plays import Fixed

Floats = NDArray[np.float64]

FIRST_BATCH = 64
MOST_NUMBERS = 2_000_000
"""A batch never holds more numbers than this: memory does not grow with the samples."""


class Drawer:
    """Draws sessions of a subject within the limits of the run."""

    def __init__(self, host: Host, settings: Settings) -> None:
        self.host = host
        self.settings = settings
        self.drawn = 0
        self.reserved = 0
        """Samples kept back for what is tried at the end."""
        self.started = time.monotonic()
        streams = np.random.SeedSequence(settings.seed).spawn(2)
        self._base = int(np.random.default_rng(streams[0]).integers(2**52))
        self.rng = np.random.default_rng(streams[1])
        self._seeds = 0
        self._seconds_per_session: dict[str, float] = {}

    @property
    def left(self) -> int:
        """How many sessions may still be drawn."""
        return self.settings.samples - self.drawn - self.reserved

    @property
    def out_of_time(self) -> bool:
        """Whether the subject has used its budget of time."""
        return self.host.seconds >= self.settings.budget

    def seed(self) -> int:
        """The next seed: different for every request, and scattered, so that a seed cut to its low bits collides."""
        self._seeds += 1
        return scattered((self._base + self._seeds) % 2**53)

    def sessions(self, case: Case, count: int, use: Callable[[Floats, Floats], None]) -> None:
        """Draws `count` sessions of a case (fewer when a limit is reached) and hands them on in batches."""
        remaining = min(count, self.left)
        while remaining > 0 and not self.out_of_time:
            size = min(remaining, self._batch_size(case))
            before = self.host.seconds
            releases, asked = self.request(case, size)
            self._seconds_per_session[case.method] = max((self.host.seconds - before) / size, 1e-9)
            remaining -= size
            use(releases, asked)

    def collect(self, case: Case, count: int) -> tuple[Floats, Floats]:
        """`count` sessions of a case in one piece (fewer when a limit is reached)."""
        parts: list[tuple[Floats, Floats]] = []
        self.sessions(case, count, lambda releases, asked: parts.append((releases, asked)))
        if not parts:
            length = case.play.length
            return np.empty((0, length, len(case.value))), np.empty((0, length))
        return np.concatenate([releases for releases, _ in parts]), np.concatenate([asked for _, asked in parts])

    def request(self, case: Case, size: int) -> tuple[Floats, Floats]:
        """One request for `size` sessions of a case."""
        self.drawn += size
        if case.method == "sample":
            assert isinstance(case.play, Fixed)
            schedule = case.play.schedule
            releases = self.host.sample(case.array, schedule, size, self.seed())
            return releases, np.tile(np.array(schedule), (size, 1))
        return self.host.play(case.array, case.play, [self.seed() for _ in range(size)])

    def _batch_size(self, case: Case) -> int:
        pace = self._seconds_per_session.get(case.method)
        if pace is None:
            return FIRST_BATCH
        most = max(1, MOST_NUMBERS // (case.play.length * len(case.value)))
        return int(min(max(1.0 / pace, 1), most))


def scattered(number: int) -> int:
    """A one-to-one map of the whole numbers below 2^53 onto themselves that mixes all their bits."""
    for shift, factor in ((27, 0x1B873593CC9E2D), (24, 0x19E3779B97F4A7)):
        number ^= number >> shift
        number = (number * factor) % 2**53
    return number ^ (number >> 28)
