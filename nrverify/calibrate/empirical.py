"""Empirical ε: the lower bound an attacker's event gives on a right mechanism, beside what can be had at all.

A fair coin chooses the value or its neighbour; given an event fixed in advance, the number of runs that came from the
value is binomial, and its Clopper–Pearson limit bounds ε from below.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nrverify.calibrate.jobs import Job
from nrverify.calibrate.trial import seed_for
from nrverify.laws.threshold.law import log_halt
from nrverify.reference.simulate import simulate
from nrverify.reference.threshold_batches import halting_rounds
from nrverify.statistics.labels import epsilon_lower_bound

EPSILON = 1.0
"""Of the claim: large enough for a bound to be far from 0, small enough for events that are not rare."""
LEVEL = 1e-6
"""Error probability of each bound, the default α of an audit: no bound of a right mechanism lies above its claim."""
TARGET = 0.95
"""The share of what can be had at all that a bound must reach; the rest is left to chance."""
CHUNK = 2**16
"""Runs drawn at once: a few megabytes."""


@dataclass(frozen=True)
class EmpiricalEpsilon:
    """Bounds found from several seeds, and the number they are compared with: the claim, or an oracle's bound."""

    name: str
    runs: int
    bounds: tuple[float, ...]
    against: float
    compared_with: str

    @property
    def ratio(self) -> float:
        """The median bound over what it is compared with."""
        return statistics.median(self.bounds) / self.against

    @property
    def met(self) -> bool:
        """Whether the target is reached, and no bound is above the claim, which holds."""
        return self.ratio >= TARGET and max(self.bounds) <= EPSILON


def laplace_bound(runs: int, seed: int) -> float:
    """Releases at times 4, 2, 1 of values 1 apart, ε = 1 at the last; the event: a last release beyond both values."""
    hits = total = 0
    for chunk, first in enumerate(range(0, runs, CHUNK)):
        size = min(CHUNK, runs - first)
        rng = np.random.default_rng([seed, chunk])
        label = rng.random(size) < 0.5
        noise = simulate("laplace", 0.0, [4.0, 2.0, 1.0], size, int(rng.integers(2**53)))[:, -1, 0]
        beyond = noise + label >= 1.0
        hits += int((beyond & label).sum())
        total += int(beyond.sum())
    return epsilon_lower_bound(hits, total, 1 - LEVEL)


@dataclass(frozen=True)
class WorstPair:
    """n rounds with margins a up to the last and b in the last; the neighbours lie ½ on either side, at worst signs."""

    rounds: int
    a: float
    b: float

    def margins(self, side: int) -> list[float]:
        """Margins of the value (side 1) or of its neighbour (side −1)."""
        return [self.a - 0.5 * side] * (self.rounds - 1) + [self.b + 0.5 * side]

    def chances(self) -> tuple[float, float]:
        """The exact probabilities of a halt in the last round, for the value and for its neighbour."""
        b, c = [2 / EPSILON] * self.rounds, [4 / EPSILON] * self.rounds
        return float(np.exp(log_halt(self.margins(1), b, c))), float(np.exp(log_halt(self.margins(-1), b, c)))

    def foreseen(self, runs: int) -> float:
        """The bound when the counts are what the exact law expects."""
        own, other = (0.5 * runs * chance for chance in self.chances())
        return epsilon_lower_bound(round(own), round(own + other), 1 - LEVEL)


def best_pair(runs: int) -> WorstPair:
    """The pair an oracle would choose: a climb of the foreseen bound over n, a and b, in ever smaller steps."""
    best = WorstPair(8, 0.0, 0.0)
    height = best.foreseen(runs)
    for step in (2.0, 1.0, 0.5, 0.25):
        rising = True
        while rising:
            rising = False
            for change in (
                WorstPair(best.rounds + 1, best.a, best.b),
                WorstPair(max(best.rounds - 1, 1), best.a, best.b),
                WorstPair(best.rounds, best.a + step, best.b),
                WorstPair(best.rounds, best.a - step, best.b),
                WorstPair(best.rounds, best.a, best.b + step),
                WorstPair(best.rounds, best.a, best.b - step),
            ):
                found = change.foreseen(runs)
                if found > height:
                    best, height, rising = change, found, True
    return best


def threshold_bound(runs: int, seed: int) -> float:
    """AboveThreshold at ε = 1 and the pair that its exact law says is best; the event is a halt in the last round."""
    pair = best_pair(runs)
    rng = np.random.default_rng(seed)
    own = int(rng.binomial(runs, 0.5))
    counts = []
    for side, size in ((1, own), (-1, runs - own)):
        rounds = halting_rounds(pair.margins(side), [EPSILON] * pair.rounds, 0.0, 1.0, size, int(rng.integers(2**53)))
        counts.append(int((rounds == pair.rounds).sum()))
    return epsilon_lower_bound(counts[0], sum(counts), 1 - LEVEL)


MECHANISMS: dict[str, tuple[Callable[[int, int], float], str]] = {
    "Laplace": (laplace_bound, "the claim ε = 1"),
    "AboveThreshold": (threshold_bound, "an oracle that knows the best pair and event"),
}


def empirical_jobs(runs: int, seeds: int, seed: int) -> list[Job]:
    """Bounds from several seeds for each mechanism."""
    return [
        Job(f"empirical ε of {name}, seed {index + 1}", bound, (runs, seed_for(seed, "empirical", name, index)), 3.0)
        for name, (bound, _) in MECHANISMS.items()
        for index in range(seeds)
    ]


def empirical_from(results: list[float], runs: int, seeds: int) -> tuple[EmpiricalEpsilon, ...]:
    """The rows from the results of the jobs, in their order."""
    rows = []
    for number, (name, (_, compared_with)) in enumerate(MECHANISMS.items()):
        bounds = tuple(results[number * seeds : (number + 1) * seeds])
        against = EPSILON if name == "Laplace" else best_pair(runs).foreseen(runs)
        rows.append(EmpiricalEpsilon(name, runs, bounds, against, compared_with))
    return tuple(rows)
