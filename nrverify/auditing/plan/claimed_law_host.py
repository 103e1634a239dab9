"""A host that answers as the claim says: a subject of the same description that follows its law.

A plan is rehearsed on it, so that the subject itself need not be sampled. How much the checks see matters there, not
what; so integer noise, whose laws take long to compute, is stood in for by a Brownian motion of the same variance.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.plan.any_order_noise import draw_next
from nrverify.auditing.threshold.designs import USUAL, Design
from nrverify.auditing.threshold.faulty_laws import claimed_law
from nrverify.auditing.threshold.outputs import bits_of, ones_of, outputs
from nrverify.auditing.threshold.variant_designs import most_rounds, variant_of
from nrverify.laws.boundary import HalfNormalMixture
from nrverify.laws.brownian import Brownian
from nrverify.laws.process import Process
from nrverify.subjects.description import Description
from nrverify.subjects.noise_families import FAMILIES
from nrverify.subjects.outputs import Outputs
from nrverify.subjects.policies import Fixed, Policy
from nrverify.subjects.requests import (
    Answering,
    InteractRequest,
    PlayRequest,
    PolicyRequest,
    RefusalRequest,
    RunAnyRequest,
    RunManyAnyRequest,
    RunManyRequest,
    RunRequest,
    RunStoppingRequest,
    SampleRequest,
    ScalarRequest,
)

Floats = NDArray[np.float64]

TUNED_AT = 1.0
"""The ε at which the boundary is tightest: any of order one would do, for every boundary that holds gives valid
times."""
USUAL_DELTA = 1e-6
"""Where the subject claims no δ: it enters through log(1/δ) alone, so any small one gives much the same plan."""


class ClaimedLaw(Answering):
    """Noise of the claimed process, halts of the claimed law, and behind an ε the time of a boundary that holds."""

    def __init__(self, description: Description) -> None:
        self.description = description
        """What a mechanism is built from: as the subject says."""
        self.timeout = 1.0
        self.seconds = 0.0
        self._times: dict[float, float] = {}
        delta = description.delta or USUAL_DELTA
        self._spread = 1.0
        """The variance at time 1, of what stands in for integer noise."""
        self._integer = description.integer
        self._replaced = self._integer or (description.mechanism in FAMILIES and description.family.own)
        """Whether a Brownian motion stands in: for integer noise, and for a law of one's own, which may have no rvs."""
        if self._integer and description.family.variance is not None:
            self._spread = float(description.family.variance(np.array(1.0), description.rate or 1.0))
        self._boundary = HalfNormalMixture.tightest_at(
            epsilon=TUNED_AT, delta=delta, sensitivity=description.sensitivity or 1.0
        )

    @property
    def stand_in(self) -> ClaimedLaw:
        """What is drawn from and scored: itself, or for integer noise the Brownian motion of the same variance."""
        if not self._replaced:
            return self
        other = copy(self)
        other.description = replace(self.description, mechanism="brownian")
        return other

    def sample(self, request: SampleRequest) -> Floats:
        """All sessions from one generator."""
        policy, rng = Fixed(tuple(request.schedule)), np.random.default_rng(request.seed)
        return self._noisy(self._process, request.value, policy, request.sessions, rng)[0]

    @property
    def _process(self) -> Process:
        return Brownian() if self._replaced else self.description.claimed_process

    def play(self, request: PolicyRequest) -> tuple[Floats, Floats]:
        """All sessions from the generator of the first seed."""
        sessions, rng = len(request.seeds), np.random.default_rng(request.seeds[0])
        return self._noisy(self._process, request.value, request.policy, sessions, rng)

    def play_schedule(self, request: PlayRequest) -> Floats:
        """The same on a fixed schedule."""
        return self.play(PolicyRequest(request.value, Fixed(tuple(request.schedule)), request.seeds))[0]

    def refusal(self, request: RefusalRequest) -> str:
        """Invalid requests are refused."""
        return "refused"

    def run(self, request: RunRequest) -> list[list[int]]:
        """The bits of as many runs, all from the generator of the first seed."""
        utilities, epsilons, threshold, sensitivity, seeds = request.arguments
        rounds = self.run_many(RunManyRequest(utilities, epsilons, threshold, sensitivity, len(seeds), seeds[0]))
        if self.description.positives > 1:
            return bits_of(rounds, len(utilities))
        return [[0] * len(utilities) if n == 0 else [0] * (n - 1) + [1] for n in rounds.tolist()]

    def run_many(self, request: RunManyRequest) -> NDArray[np.int64]:
        """Halts by the claimed law."""
        utilities, epsilons = tuple(request.utilities), tuple(request.epsilons)
        variant = USUAL if self.description.mechanism == "private-stopping" else variant_of(self.description)
        rng = np.random.default_rng(request.seed)
        if variant.positives > 1 and len(utilities) > most_rounds(variant.positives):
            # Certain to print ones: the law of so many rounds has too many outputs.
            return np.tile(np.arange(1, variant.positives + 1), (request.runs, 1))
        law = claimed_law(Design("claimed", utilities, epsilons, request.threshold, request.sensitivity, variant))
        bins = rng.choice(law.size, size=request.runs, p=law)
        if variant.positives > 1:
            return ones_of(outputs(len(utilities), variant.positives).bits[bins], variant.positives)
        return np.where(bins == len(utilities), 0, bins + 1).astype(np.int64)

    def run_stopping(self, request: RunStoppingRequest) -> list[tuple[Floats, list[int]]]:
        """Brownian releases, halted by the claimed law at the utilities they have."""
        rng = np.random.default_rng(request.seeds[0])
        policy = Fixed(tuple(request.schedule))
        releases, _ = self._noisy(Brownian(), request.value, policy, len(request.seeds), rng)
        epsilons = np.maximum.accumulate(self.scalar(ScalarRequest("epsilon", request.schedule))).tolist()
        shown = []
        for path, seed in zip(releases, request.seeds, strict=True):
            scores = [float(request.utility(release)) for release in path]
            bits = self.run(RunRequest(scores, epsilons, request.threshold, request.utility_sensitivity, [seed]))[0]
            shown.append((path[: len(bits)], bits))
        return shown

    def run_any(self, request: RunAnyRequest) -> Outputs:
        """Bits that say nothing: how much is seen matters, not what."""
        return self._bits(len(request.seeds), request.seeds[0])

    def run_many_any(self, request: RunManyAnyRequest) -> Outputs:
        """The same."""
        return self._bits(request.runs, request.seed)

    def interact(self, request: InteractRequest) -> Outputs:
        """The same."""
        return self._bits(len(request.seeds), request.seeds[0])

    def _bits(self, runs: int, seed: int) -> Outputs:
        outputs = np.random.default_rng(seed).integers(0, 2, runs).tolist()
        spent = self.description.smallest_epsilon
        return Outputs(outputs, None if spent is None else [spent] * runs)

    def scalar(self, request: ScalarRequest) -> Floats:
        """The boundary, or the time at which it reaches an ε."""
        if request.function == "epsilon":
            return np.array([float(self._boundary(time)) for time in request.numbers])
        if request.function == "delta_of":
            return np.array([USUAL_DELTA * np.exp(-epsilon) for epsilon in request.numbers])
        for epsilon in {float(epsilon) for epsilon in request.numbers} - self._times.keys():
            self._times[epsilon] = self._time(epsilon)
        return np.array([self._times[float(epsilon)] for epsilon in request.numbers])

    def close(self) -> None:
        """There is nothing to end."""

    def _time(self, epsilon: float) -> float:
        if self.description.family.pure:
            return (self.description.sensitivity or 1.0) / epsilon
        return float(self._boundary.inverse(epsilon)) / self._spread

    def _noisy(
        self, process: Process, value: Floats, policy: Policy, sessions: int, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Sessions side by side: each asks for what its policy says, and steps down the bridge."""
        d = value.shape[-1]
        values = np.resize(value, (sessions, d))
        releases = np.full((sessions, policy.length, d), np.nan)
        asked = np.full((sessions, policy.length), np.nan)
        noise, last = np.zeros((sessions, d)), np.full(sessions, np.inf)
        path = np.full(releases.shape, np.nan) if self.description.any_order else None
        for step in range(policy.length):
            following = [
                policy.next_at(asked[row, :step].tolist(), list(releases[row, :step]))
                if _goes_on(asked[row], step)
                else None
                for row in range(sessions)
            ]
            rows = np.array([row for row, at in enumerate(following) if at is not None], dtype=int)
            if rows.size == 0:
                break
            asked[rows, step] = [at for at in following if at is not None]
            times = asked[rows, step]
            if self.description.knob != "time":
                times = self.scalar(ScalarRequest("time_of", times.tolist()))
            if path is None:
                _descend(process, noise, last, rows, self._spread * times, rng)
            else:
                draw_next(process, path, self._spread * asked, step, rng)
                noise = path[:, step]
            releases[rows, step] = values[rows] + (np.round(noise[rows]) if self._integer else noise[rows])
            if (grid := self.description.granularity) is not None:
                releases[rows, step] = grid * np.rint(releases[rows, step] / grid)
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
