"""What an audit takes beyond what its subject takes: CPU for each number drawn, and what a second worker gains.

CPU is that of this process, so that a busy machine changes it little; the subjects run in processes of their own and
say how many numbers they drew.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nrverify.benchmark.row import Row

Floats = NDArray[np.float64]

SAMPLES = 200_000
"""The default of an audit."""
FEW_SAMPLES = 20_000
"""Of interactive subjects, and for two workers: the ratio is that of the default, and takes a tenth of the time."""
MICROSECOND = 1e-6
"""The unit of CPU for a number; targets are so many."""


class Counted:
    """A subject that counts what it drew, in memory that its process shares with this one."""

    def __init__(self, pause: float = 0.0) -> None:
        self.numbers = multiprocessing.get_context("fork").Value("q", 0)
        self.pause = pause
        """Seconds that it works for each number."""

    def count(self, drawn: Floats) -> Floats:
        """What was drawn, after it was counted and took its time."""
        until = time.process_time() + self.pause * drawn.size
        while time.process_time() < until:
            pass
        with self.numbers.get_lock():
            self.numbers.value += drawn.size
        return drawn


class BrownianBatches(Counted):
    """Brownian noise, whole transcripts at once."""

    mechanism = "brownian"

    def sample(self, value: Floats, schedule: Sequence[float], sessions: int, seed: int) -> Floats:
        """Steps in growing time, added up."""
        spans = np.diff(np.asarray(schedule)[::-1], prepend=0.0)
        steps = np.random.default_rng(seed).standard_normal((sessions, len(schedule), len(value)))
        return self.count(value + np.cumsum(np.sqrt(spans)[:, None] * steps, axis=1)[:, ::-1])


class LaplaceBatches(Counted):
    """Laplace noise, whole transcripts at once."""

    mechanism = "laplace"

    def sample(self, value: Floats, schedule: Sequence[float], sessions: int, seed: int) -> Floats:
        """In growing time each step is 0 with probability (s/t)², else Laplace of scale t."""
        rng, times = np.random.default_rng(seed), np.asarray(schedule, dtype=float)[::-1]
        stays = np.append(0.0, (times[:-1] / times[1:]) ** 2)[:, None]
        shape = (sessions, len(times), len(value))
        steps = np.where(rng.random(shape) < stays, 0.0, times[:, None] * rng.laplace(size=shape))
        return self.count(value + np.cumsum(steps, axis=1)[:, ::-1])


class SkellamBatches(Counted):
    """Skellam noise, whole transcripts at once."""

    mechanism = "skellam"

    def sample(self, value: Floats, schedule: Sequence[float], sessions: int, seed: int) -> Floats:
        """Differences of Poisson counts over steps in growing time, added up."""
        rng, spans = np.random.default_rng(seed), np.diff(np.asarray(schedule)[::-1], prepend=0.0)[:, None]
        shape = (sessions, len(schedule), len(value))
        steps = rng.poisson(spans, shape) - rng.poisson(spans, shape)
        return self.count(value + np.cumsum(steps, axis=1)[:, ::-1].astype(float))


class OneRelease(BrownianBatches):
    """One release of Brownian noise."""

    most_releases = 1


class AboveThreshold(Counted):
    """AboveThreshold, many runs at once; the numbers are its runs."""

    mechanism = "above-threshold"

    def run_many(
        self,
        utilities: Sequence[float],
        epsilons: Sequence[float],
        threshold: float,
        sensitivity: float,
        runs: int,
        seed: int,
    ) -> NDArray[np.int64]:
        """Halting rounds, 0 where there is none."""
        rng, scale = np.random.default_rng(seed), 2 * sensitivity / epsilons[0]
        noisy = np.asarray(utilities) + 2 * scale * rng.laplace(size=(runs, len(utilities)))
        above = noisy >= threshold + scale * rng.laplace(size=(runs, 1))
        self.count(np.empty(runs))
        return np.where(above.any(axis=1), above.argmax(axis=1) + 1, 0)


class OpenedBrownian(Counted):
    """Brownian noise, one session and one release at a time."""

    mechanism = "brownian"

    def open(self, value: Floats, seed: int) -> Any:
        """A session that bridges from release to release."""
        return _Session(self, np.asarray(value, dtype=float), np.random.default_rng(seed))


class _Session:
    def __init__(self, subject: OpenedBrownian, value: Floats, rng: np.random.Generator) -> None:
        self.subject, self.value, self.rng = subject, value, rng
        self.time, self.noise = np.inf, np.zeros(len(value))

    def release(self, at: float) -> Floats:
        """The value with the noise of this time."""
        if not 0 < at <= self.time:
            raise ValueError(f"the time {at} is not between 0 and the last one, {self.time}")
        kept = 0.0 if np.isinf(self.time) else at / self.time
        if at < self.time:
            normals = self.rng.standard_normal(len(self.value))
            self.noise = kept * self.noise + np.sqrt(at * (1 - kept)) * normals
            self.time = at
        self.subject.count(self.noise[:1])
        return self.value + self.noise


class Spent(NamedTuple):
    """What an audit took: CPU of this process, seconds on the wall, and how many numbers its subject drew."""

    cpu: float
    wall: float
    numbers: int

    @property
    def each(self) -> float:
        """Microseconds of CPU for a number; NaN, which meets nothing, where none was drawn."""
        return self.cpu / self.numbers / MICROSECOND if self.numbers else float("nan")


def spent(subject: Counted, samples: int, jobs: int | None = None) -> Spent:
    """Audits a right subject to its end."""
    from nrverify.auditing.audit import audit

    cpu, wall = time.process_time(), time.perf_counter()
    report = audit(subject, samples=samples, budget=1e6, jobs=jobs)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    if report.verdict in ("refuted", "errored"):
        raise RuntimeError(f"a right subject was found {report.verdict}: nothing is measured")
    return Spent(cpu, wall, int(subject.numbers.value))


def rows() -> Iterator[Row]:
    """CPU for each number of vectorised and interactive subjects, of one release in all; two workers against one."""
    spent(BrownianBatches(), 1000)  # what is imported or worked out once is not counted
    for build, words, target in (
        (BrownianBatches, "number of Brownian noise", 1.0),
        (LaplaceBatches, "number of Laplace noise", 1.0),
        (SkellamBatches, "number of Skellam noise", 3.0),
        (AboveThreshold, "run of AboveThreshold", 1.0),
    ):
        yield cpu_row(build, words, target, SAMPLES)
    yield further()
    found = spent(OneRelease(), SAMPLES)
    yield Row("audit of one release, CPU beyond the subject's", found.cpu, "seconds", 3.0, found.wall, None)
    yield cpu_row(OpenedBrownian, "release of an interactive subject, its checks included", 3.0, SAMPLES)
    yield from workers()


def cpu_row(build: Callable[[], Counted], words: str, target: float, samples: int) -> Row:
    """Microseconds beyond the subject's own for what is drawn one by one."""
    found = spent(build(), samples)
    return Row(f"audit, CPU beyond the subject's for a {words}", found.each, "microseconds", target, found.wall, None)


def further() -> Row:
    """What a number takes where looks are large, so that nothing is left of what a look and a request take themselves.

    By the difference of twice the default and the default: the rest of the row of Brownian noise is for the looks.
    """
    once, twice = (spent(BrownianBatches(), samples) for samples in (SAMPLES, 2 * SAMPLES))
    more = Spent(twice.cpu - once.cpu, twice.wall - once.wall, twice.numbers - once.numbers)
    name = "audit, CPU beyond the subject's for each number of Brownian noise after the default samples"
    return Row(name, more.each, "microseconds", 1.0, twice.wall, None)


def workers(samples: int = FEW_SAMPLES) -> Iterator[Row]:
    """Two workers against one: of a subject that takes no time, and of one that takes as long as its checks."""
    for words, pause, target in (("as slow as the checks", None, 1.7), ("that takes no time", 0.0, 1.0)):
        if pause is None:
            alone = spent(BrownianBatches(), samples)
            pause = alone.cpu / alone.numbers
        one, two = (spent(BrownianBatches(pause), samples, jobs) for jobs in (1, 2))
        yield Row(f"--jobs 2 against one, a subject {words}", one.wall / two.wall, "ratio", target, two.wall, None)
