"""A host that answers as the claim says: a subject of the same description that follows its law.

A plan is rehearsed on it, so that the subject itself need not be sampled. How much the checks see matters there, not
what; so Skellam noise, whose laws take long to compute, is stood in for by a Brownian motion of the same variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.threshold.designs import Design
from nrverify.auditing.threshold.faulty_laws import claimed_law
from nrverify.laws.boundary import HalfNormalMixture
from nrverify.laws.brownian import Brownian
from nrverify.laws.process import Process
from nrverify.subjects.description import Description
from nrverify.subjects.policies import Fixed, Play
from nrverify.subjects.stopping_utilities import Utility

Floats = NDArray[np.float64]

TUNED_AT = 1.0
USUAL_DELTA = 1e-6


class ClaimedLaw:
    """Noise of the claimed process, halts of the claimed law, and behind an ε the time of a boundary that holds."""

    def __init__(self, description: Description) -> None:
        self.description = description
        """What a mechanism is built from: as the subject says."""
        self.timeout = 1.0
        self.seconds = 0.0
        self._times: dict[float, float] = {}
        delta = description.delta or USUAL_DELTA
        self._spread = 2 * (description.rate or 1.0) if description.mechanism == "skellam" else 1.0
        """The variance at time 1."""
        self._boundary = HalfNormalMixture.tightest_at(
            epsilon=TUNED_AT, delta=delta, sensitivity=description.sensitivity or 1.0
        )

    @property
    def stand_in(self) -> ClaimedLaw:
        """What is drawn from and scored: itself, or for Skellam noise the Brownian motion of the same variance."""
        if self.description.mechanism != "skellam":
            return self
        other = copy(self)
        other.description = replace(self.description, mechanism="brownian")
        return other

    def sample(self, value: Floats, schedule: Sequence[float], sessions: int, seed: int) -> Floats:
        """Whole transcripts at once, shape (sessions, len(schedule), d)."""
        return self._played(value, Fixed(tuple(schedule)), sessions, np.random.default_rng(seed))[0]

    def play(self, value: Floats, play: Play, seeds: Sequence[int]) -> tuple[Floats, Floats]:
        """Sessions: their releases (NaN after the end) and what was asked."""
        return self._played(value, play, len(seeds), np.random.default_rng(seeds[0]))

    def refusal(self, value: Floats, requests: Sequence[float], seed: int) -> str:
        """Invalid requests are refused."""
        return "refused"

    def run(
        self,
        utilities: Sequence[float],
        epsilons: Sequence[float],
        threshold: float,
        sensitivity: float,
        seeds: Sequence[int],
    ) -> list[list[int]]:
        """The bits printed by one run for each seed."""
        rounds = self.run_many(utilities, epsilons, threshold, sensitivity, len(seeds), seeds[0])
        return [[0] * len(utilities) if n == 0 else [0] * (n - 1) + [1] for n in rounds.tolist()]

    def run_many(
        self,
        utilities: Sequence[float],
        epsilons: Sequence[float],
        threshold: float,
        sensitivity: float,
        runs: int,
        seed: int,
    ) -> NDArray[np.int64]:
        """Halting rounds of many runs, 1-based, 0 for never."""
        law = claimed_law(Design("claimed", tuple(utilities), tuple(epsilons), threshold, sensitivity))
        cells = np.random.default_rng(seed).choice(law.size, size=runs, p=law)
        return np.where(cells == len(utilities), 0, cells + 1).astype(np.int64)

    def run_stopping(
        self,
        value: Floats,
        schedule: Sequence[float],
        utility: Utility,
        threshold: float,
        utility_sensitivity: float,
        seeds: Sequence[int],
    ) -> list[tuple[Floats, list[int]]]:
        """Private stopping: the releases shown and the bits printed, for each seed."""
        rng = np.random.default_rng(seeds[0])
        releases, _ = self._noisy(Brownian(), value, Fixed(tuple(schedule)), len(seeds), rng)
        epsilons = np.maximum.accumulate(self.scalar("epsilon", schedule)).tolist()
        shown = []
        for path, seed in zip(releases, seeds, strict=True):
            scores = [float(utility(release)) for release in path]
            bits = self.run(scores, epsilons, threshold, utility_sensitivity, [seed])[0]
            shown.append((path[: len(bits)], bits))
        return shown

    def scalar(self, method: str, arguments: Sequence[float]) -> Floats:
        """epsilon(time), time(epsilon) or time_of(epsilon) at each argument."""
        if method == "epsilon":
            return np.array([float(self._boundary(time)) for time in arguments])
        for epsilon in {float(epsilon) for epsilon in arguments} - self._times.keys():
            self._times[epsilon] = self._time(epsilon)
        return np.array([self._times[float(epsilon)] for epsilon in arguments])

    def close(self) -> None:
        """There is nothing to end."""

    def _time(self, epsilon: float) -> float:
        if self.description.family.pure:
            return (self.description.sensitivity or 1.0) / epsilon
        return float(self._boundary.inverse(epsilon)) / self._spread

    def _played(self, value: Floats, play: Play, sessions: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        return self._noisy(self.description.noise, value, play, sessions, rng)

    def _noisy(
        self, process: Process, value: Floats, play: Play, sessions: int, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Sessions side by side: each asks for what its own play says, and steps down the bridge."""
        d = value.size
        releases = np.full((sessions, play.length, d), np.nan)
        asked = np.full((sessions, play.length), np.nan)
        noise, last = np.zeros((sessions, d)), np.full(sessions, np.inf)
        for step in range(play.length):
            following = [
                play.next_at(asked[row, :step].tolist(), list(releases[row, :step]))
                if _goes_on(asked[row], step)
                else None
                for row in range(sessions)
            ]
            rows = np.array([row for row, at in enumerate(following) if at is not None], dtype=int)
            if rows.size == 0:
                break
            asked[rows, step] = [at for at in following if at is not None]
            times = asked[rows, step] if self.description.knob == "time" else self.scalar("time_of", asked[rows, step])
            _descend(process, noise, last, rows, self._spread * times, rng)
            releases[rows, step] = value + (noise[rows] if self._spread == 1.0 else np.round(noise[rows]))
        return releases, asked


def _goes_on(asked: Floats, step: int) -> bool:
    return step == 0 or bool(np.isfinite(asked[step - 1]))


def _descend(
    process: Process, noise: Floats, last: Floats, rows: NDArray[np.intp], times: Floats, rng: np.random.Generator
) -> None:
    """Moves the noise of the rows to their new times, where those are smaller."""
    moving = times < last[rows]
    here, s = rows[moving], times[moving][:, None]
    if here.size == 0:
        return
    shape = (here.size, noise.shape[1])
    first = np.isinf(last[here])
    if first.any():
        noise[here] = process.marginal(np.broadcast_to(s, shape)).rvs(rng)
    else:
        t = last[here][:, None]
        noise[here] = process.bridge(np.broadcast_to(s, shape), np.broadcast_to(t, shape), noise[here]).rvs(rng)
    last[here] = times[moving]
