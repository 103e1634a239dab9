"""Whether the stated sizes are true: faults planted at the smallest detectable size, a third of it, and somewhat above.

A statement promises too much where a fault of its size is refuted in less than half of the trials, or one somewhat
larger in less than nine tenths; and too little where a third of it is already refuted in more than half.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from nrverify.auditing.core.transforms.rosenblatt import innovations
from nrverify.auditing.noise_reduction.checks.independence import CoordinateIndependence, SessionIndependence
from nrverify.auditing.noise_reduction.checks.law import AdaptiveLaw, TranscriptLaw
from nrverify.auditing.noise_reduction.checks.release_law import ReleaseLaw
from nrverify.auditing.noise_reduction.checks.streams import Streams
from nrverify.auditing.noise_reduction.checks.ties import LaplaceTies, NoTies
from nrverify.auditing.noise_reduction.checks.value import ValueLaw
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.unknown_times.coordinate_signs import UnknownCoordinates
from nrverify.auditing.noise_reduction.unknown_times.increments import IncrementLaw
from nrverify.auditing.noise_reduction.unknown_times.release_shape import SCORES, UnknownReleases
from nrverify.auditing.threshold.drawing import Runs
from nrverify.auditing.threshold.law import ThresholdLaw
from nrverify.calibrate import planted_faults as faults
from nrverify.calibrate.jobs import Job
from nrverify.calibrate.planted_faults import SESSIONS, TIMES, path
from nrverify.laws.brownian import Brownian
from nrverify.laws.laplace import Laplace
from nrverify.laws.process import Process
from nrverify.subjects.policies import Fixed

Floats = NDArray[np.float64]
Draw = Callable[[float, np.random.Generator], Batch | Runs]
"""Transcripts, or runs, with a fault of a size."""

ALPHA = 1e-6
"""Of a default run; a check has its share of it."""
ADDS_UP, ONE_EVENT = 1.3, 3.4
"""Somewhat above the size: where evidence adds up, and where one event decides (P(no event) is ½ and ½^3.4 ≈ 0.1)."""
UNLIKELY, MISSED = 0.01, 0.05
"""A share is below what it must be where so few would be seen with no more probability than the first: so often is a
true statement called broken. A false one, of the next size, is to be passed no more often than the second."""
PROMISED = ((1 / 2, 1 / 3), (9 / 10, 3 / 4))
"""Shares that are promised at the size and above it, and those from which on a statement is called broken."""


def _fewest(promised: float, broken: float) -> int:
    """The fewest trials that tell two shares apart with these error probabilities."""
    for trials in range(10, 1000):
        most = next(seen for seen in range(trials + 1) if bdtr(seen, trials, promised) >= UNLIKELY) - 1
        if most >= 0 and bdtr(most, trials, broken) >= 1 - MISSED:
            return trials
    raise AssertionError("so close shares are not told apart")


TRIALS = max(_fewest(*shares) for shares in PROMISED)
"""Of each size."""


@dataclass(frozen=True)
class Planted:
    """A check, what its size is of, and transcripts with a fault of any size of that."""

    name: str
    check: Callable[[], Any]
    unit: str
    draw: Draw
    factor: float = ADDS_UP
    fewer: bool = False
    """Whether the fault is the larger the smaller the number is."""
    looks: int = 1
    """How often transcripts are drawn and merged: bets that learn are made at a merge."""

    def seen(self, size: float, rng: np.random.Generator) -> Any:
        """The check after transcripts with a fault of a size."""
        found = self.check()
        for _ in range(self.looks):
            part = found.empty_copy()
            part.observe(self.draw(size, rng))
            found.merge(part)
        return found


@dataclass(frozen=True)
class Stated:
    """A statement, and how many of so many trials refuted a third of its size, the size, and somewhat more."""

    name: str
    quantity: str
    unit: str
    size: float
    factor: float
    trials: int
    third: int
    at: int
    above: int

    @property
    def too_much(self) -> bool:
        """Whether it promises more than it keeps."""
        half, most = bdtr(self.at, self.trials, 0.5), bdtr(self.above, self.trials, 0.9)
        return bool(min(half, most) < UNLIKELY)

    @property
    def too_little(self) -> bool:
        """Whether a third of it would have been promised rightly."""
        return self.third > self.trials / 2

    @property
    def met(self) -> bool:
        """Whether it is neither."""
        return not self.too_much and not self.too_little


def _batch(
    noise: Floats, times: tuple[float, ...] = TIMES, process: Process | None = None, known: bool = True
) -> Batch:
    case = Case("planted", (0.0,) * noise.shape[2], Fixed(times), "sample")
    asked = np.tile(times, (noise.shape[0], 1))
    if not known:
        return Batch(case, noise, asked, None, None)
    claimed = process or Brownian()
    found = innovations(claimed, noise, asked, np.abs(noise), np.random.default_rng(0), integer=False)
    return Batch(case, noise, asked, asked, found)


def _smaller(size: float, rng: np.random.Generator) -> Batch:
    """All noise with less variance."""
    return _batch(np.sqrt(max(1 - size, 0.0)) * path(rng))


def _correlated_coordinates(size: float, rng: np.random.Generator) -> Batch:
    noise = path(rng, d=2)
    noise[..., 1] = size * noise[..., 0] + np.sqrt(1 - size**2) * noise[..., 1]
    return _batch(noise)


def _correlated_sessions(size: float, rng: np.random.Generator) -> Batch:
    noise = path(rng)
    for row in range(1, len(noise)):
        noise[row] = size * noise[row - 1] + np.sqrt(1 - size**2) * noise[row]
    return _batch(noise)


def _tied_more(size: float, rng: np.random.Generator) -> Batch:
    """Every step stays more often, by the same difference of probabilities: the direction that shows later."""
    noise = [rng.laplace(scale=TIMES[-1], size=(SESSIONS, 1))]
    for s, t in zip(TIMES[:0:-1], TIMES[-2::-1], strict=True):
        stays = (s / t) ** 2 + size
        jumps = rng.random((SESSIONS, 1)) >= stays
        noise.append(noise[-1] + jumps * rng.laplace(scale=t, size=(SESSIONS, 1)))
    return _batch(np.stack(noise[::-1], axis=1), process=Laplace())


def _tied(size: float, rng: np.random.Generator) -> Batch:
    """Some releases are the one before."""
    noise = path(rng)
    for position in range(1, noise.shape[1]):
        again = rng.random(len(noise)) < size
        noise[again, position] = noise[again, position - 1]
    return _batch(noise)


def _signs_agree(size: float, rng: np.random.Generator) -> Batch:
    """Signs of neighbouring coordinates agree more often than half of the time."""
    noise = np.abs(path(rng, d=2))
    first = rng.random((SESSIONS, 1)) < 0.5
    agree = rng.random((SESSIONS, 1)) < 0.5 + size
    signs = np.concatenate([first, first == agree], axis=1)
    return _batch(np.where(signs[:, None], noise, -noise), known=False)


def _follows_step(size: float, rng: np.random.Generator) -> Batch:
    """The noise of the second release and the step to it from the first are correlated; times are not told."""
    z = rng.standard_normal((2, SESSIONS, 1))
    release, step = z[0], size * z[0] + np.sqrt(1 - size**2) * z[1]
    return _batch(np.stack([release + step, release], axis=1), times=(2.0, 1.0), known=False)


def _unknown_releases() -> UnknownReleases:
    return UnknownReleases(SCORES["brownian"])


def _threshold_law() -> ThresholdLaw:
    return ThresholdLaw([faults.HALTING], ["run_many"])


PLANTED = (
    Planted("law.release", lambda: ReleaseLaw(Knob(0.01, 1000.0, True)), "relative", _smaller),
    Planted("law.transcript", TranscriptLaw, "relative", _smaller),
    Planted("independence.coordinates", CoordinateIndependence, "correlation", _correlated_coordinates),
    Planted("independence.sessions", SessionIndependence, "correlation", _correlated_sessions),
    Planted("ties (Laplace)", LaplaceTies, "probability", _tied_more),
    Planted("ties (Brownian)", NoTies, "probability", _tied, ONE_EVENT),
    Planted("law.increments (times unknown)", IncrementLaw, "correlation", _follows_step, looks=4),
    Planted("independence.coordinates (times unknown)", UnknownCoordinates, "probability", _signs_agree),
    Planted("law.adaptive", AdaptiveLaw, "relative", faults.smaller_when_adaptive),
    Planted("law.value", lambda: ValueLaw([faults.FAR]), "relative", faults.smaller_at_a_value),
    Planted("law.release (times unknown)", _unknown_releases, "probability", faults.on_the_wrong_side),
    Planted("randomness.streams", lambda: Streams("brownian"), "streams", faults.of_few_streams, ONE_EVENT, True),
    Planted("threshold.law", _threshold_law, "probability", faults.halts_more_often),
)
"""Statements that sampled checks make. What is computed and not sampled (boundaries, claims from the exact law) is not
among them: its sizes are tolerances, and say so."""


def measured(index: int, seed: int, trials: int = TRIALS) -> Stated:
    """One statement, tried: the size is that which the check states after right transcripts."""
    planted = PLANTED[index]
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(7, index)))
    right = planted.seen(0.0, rng)
    alpha = ALPHA * right.declaration.weight
    size = next(size for size in right.conclude(alpha).sizes if size.unit == planted.unit)

    def refuted(value: float) -> int:
        return sum(bool(planted.seen(value, rng).refuted(alpha)) for _ in range(trials))

    value = size.value
    sizes = (value * 3, value, value / planted.factor) if planted.fewer else (value / 3, value, planted.factor * value)
    counts = refuted(sizes[0]), refuted(sizes[1]), refuted(sizes[2])
    return Stated(planted.name, size.quantity, size.unit, value, planted.factor, trials, *counts)


def size_jobs(seed: int, trials: int = TRIALS) -> list[Job]:
    """One for each statement."""
    return [
        Job(f"stated size of {planted.name}", measured, (index, seed, trials), 1.0)
        for index, planted in enumerate(PLANTED)
    ]
