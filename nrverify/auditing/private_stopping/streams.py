"""The check of random streams of private stopping: runs with different seeds have noise of their own."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from nrverify.auditing.core.declaration import CheckKind, Declared, check
from nrverify.auditing.core.faults.noise import SEED_IGNORED
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.noise_reduction.checks.fingerprints import (
    COARSEST,
    EQUAL_SIZE,
    LARGEST_SIZE,
    SIZE_BITS,
    keys_of,
)
from nrverify.auditing.noise_reduction.checks.repeats import Seen
from nrverify.auditing.private_stopping.context import MECHANISMS
from nrverify.auditing.private_stopping.drawing import Stopped
from nrverify.auditing.sampling.looks import MOST_LOOKS
from nrverify.statistics.estimate import Estimate, Measure

MOST_KEPT = 400_000
"""Noises that are compared: with so many, a seed of 32 bits repeats itself about 18 times, and that is let pass."""
NO_REPEATS = "no equal noise in runs of different seeds, beyond what chance and a seed of 32 bits explain"


@check(
    id="randomness.streams",
    kind=CheckKind.RANDOMNESS,
    sentence="Runs with different seeds have independent noise.",
    claims=("P12",),
    mechanisms=MECHANISMS,
    weight=0.05,
    order=10,
    expected=NO_REPEATS,
    templates={"count": (NO_REPEATS, "{observed:.0f} runs repeat the noise of an earlier one, of {count} runs")},
)
class StoppingStreams(Declared):
    """No two runs with different seeds have the same noise in their first release, up to its sign.

    A birthday test on the sizes of single noises: it catches a seed that is ignored or cut down to few values, and one
    number that serves two runs. A seed of 32 bits, which many generators have, is let pass. Misses streams that differ
    but overlap later, and noise of the threshold that repeats.
    """

    def __init__(self) -> None:
        self.runs = 0
        self.seen = Seen(equal=EQUAL_SIZE)

    def observe(self, runs: Stopped) -> None:
        """Keeps the sizes of the noise of first releases, where rounding leaves them their digits."""
        if runs.innovations is None:
            return
        self.runs += runs.bins.size
        fine = np.finfo(float).eps * np.abs(runs.design.array).max() <= COARSEST * np.sqrt(runs.design.schedule[0])
        z = np.abs(runs.innovations.z[:, 0])
        there = (z <= LARGEST_SIZE) & fine
        keys = keys_of(np.floor(2 * ndtr(-z[there]) * 2.0**SIZE_BITS)[:, None])
        # Every run has a seed of its own: it is a request by itself.
        run = np.nonzero(there)[0]
        self.seen.add(keys, run, run)

    def empty_copy(self) -> StoppingStreams:
        """An empty copy with the same configuration."""
        return StoppingStreams()

    def merge(self, other: StoppingStreams) -> None:
        """Keeps what another has kept, as far as there is room: no plain sum."""
        self.runs += other.runs
        if other.seen.count and self.seen.count < MOST_KEPT:
            room = MOST_KEPT - self.seen.count
            requests, owners = (np.concatenate(part)[:room] for part in (other.seen.requests, other.seen.owners))
            self.seen.add(np.concatenate(other.seen.keys)[:room], requests, owners)

    @property
    def p_value(self) -> float:
        """Of as many repeats."""
        return self.seen.p_value(*self.seen.repeats())

    def refuted(self, alpha: float) -> bool:
        """Whether there are more repeats than chance explains (α divided over the looks)."""
        return self.p_value <= alpha / MOST_LOOKS

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict, with the number of streams that would have been noticed."""
        refuted = self.refuted(alpha)
        within, between = self.seen.repeats()
        estimate = Estimate(Measure.COUNT, 0.0, float(within + between), None, self.runs)
        streams = self.seen.noticed(self.seen.count, alpha / MOST_LOOKS)
        return concluded(
            self,
            CheckVerdict.REFUTED if refuted else CheckVerdict.CONSISTENT,
            samples=self.runs,
            p_value=self.p_value,
            alpha=alpha,
            finding=Finding("equal noise of different seeds", estimate, SEED_IGNORED) if refuted else None,
            sizes=(Size("different streams", streams, "streams"),) if streams >= 2 else (),
        )
