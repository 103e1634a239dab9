"""When the threshold mechanisms halt: simulated rounds against their exact law (Algorithm rat, Theorem rat)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nrverify.experiments.batches import batches
from nrverify.laws.threshold import halting_law
from nrverify.laws.threshold.law import log_halting_law, log_halting_law_redrawn
from nrverify.ledger import statistic, supports
from nrverify.ledger.experiment import Experiment
from nrverify.reference.threshold import AboveThreshold, ReducedAboveThreshold
from nrverify.reference.threshold_batches import halting_rounds
from nrverify.statistics.multiplicity import p_value
from nrverify.statistics.proportions import binomial
from nrverify.statistics.wealth import BinWealth

Floats = npt.NDArray[np.float64]
HaltingLaw = Callable[["Questions"], npt.NDArray[np.floating]]
"""log P(N = 1), …, log P(N = n), log P(N > n)."""


@dataclass(frozen=True)
class Questions:
    """Utilities, the ε's at which they are asked, the threshold and the sensitivity."""

    utilities: Floats
    epsilons: Floats
    threshold: float = 0.0
    sensitivity: float = 1.0

    @property
    def margins(self) -> Floats:
        """(u_n − τ)/Δ."""
        return (self.utilities - self.threshold) / self.sensitivity


DESIGNS = {
    "far below, ε = 1": Questions(np.full(30, -4.0), np.ones(30)),
    "drifting through the threshold": Questions(np.linspace(-9.0, 11.0, 20), np.ones(20), threshold=1.0),
    "at the threshold, ε doubling": Questions(np.zeros(6), np.array([0.25, 0.5, 1.0, 2.0, 4.0, 8.0])),
    "alternating, ε rising, Δ = 2": Questions(
        np.where(np.arange(12) % 2 == 0, -12.0, -2.0), np.geomspace(0.5, 3.0, 12), threshold=1.0, sensitivity=2.0
    ),
}
"""Halts spread over many rounds in each; the query noise, the threshold noise, its reduction and the sensitivity matter
in one or another."""


def exact(asked: Questions) -> npt.NDArray[np.floating]:
    """ξ_n ~ Lap(4Δ/ε_n), ζ the Laplace process at 2Δ/ε_n."""
    return halting_law(
        utilities=asked.utilities,
        epsilons=asked.epsilons,
        threshold=asked.threshold,
        sensitivity=asked.sensitivity,
    )


def query_noise_halved(asked: Questions) -> npt.NDArray[np.floating]:
    """ξ_n ~ Lap(2Δ/ε_n)."""
    return log_halting_law(asked.margins, 2 / asked.epsilons, 2 / asked.epsilons)


def threshold_redrawn(asked: Questions) -> npt.NDArray[np.floating]:
    """ζ_n ~ Lap(2Δ/ε_n) drawn afresh in every round."""
    return log_halting_law_redrawn(asked.margins, 2 / asked.epsilons, 4 / asked.epsilons)


def first_epsilon_kept(asked: Questions) -> npt.NDArray[np.floating]:
    """ζ left at Lap(2Δ/ε₁)."""
    return log_halting_law(asked.margins, np.full_like(asked.epsilons, 2 / asked.epsilons[0]), 4 / asked.epsilons)


def no_threshold_noise(asked: Questions) -> npt.NDArray[np.floating]:
    """ζ = 0."""
    return log_halting_law_redrawn(asked.margins, np.zeros_like(asked.epsilons), 4 / asked.epsilons)


def halting_p_value(rounds: npt.NDArray[np.int64], asked: Questions, law: HaltingLaw) -> float:
    """A p-value that the halting rounds (0 = never) have the law: 1/e of the omnibus bet on counts."""
    weights = np.exp(law(asked).astype(np.float64))
    bins = BinWealth(weights / weights.sum())
    n = asked.utilities.size
    bins.bet(np.bincount(np.where(rounds == 0, n + 1, rounds) - 1, minlength=n + 1))
    return p_value(bins.log_e)


@statistic(
    {"R02": supports, "R05": supports, "N04": supports},
    rejects={
        "query noise Lap(2Δ/ε)": {"law": query_noise_halved},
        "threshold drawn afresh": {"law": threshold_redrawn},
        "threshold noise of the first ε": {"law": first_epsilon_kept},
        "no noise on the threshold": {"law": no_threshold_noise},
    },
    share=0.03,
    tests=4,
)
def halting_round(experiment: Experiment, law: HaltingLaw = exact) -> None:
    """The round in which ReducedAboveThreshold halts has the exact law, in four designs that expose different faults.

    20,000 runs a design; the query scale wrong by 10 %, or the threshold scale by 25 %, is seen with power 1 − 1e-6.
    """
    for case, (name, asked) in enumerate(DESIGNS.items()):
        rounds = [
            halting_rounds(asked.utilities, asked.epsilons, asked.threshold, asked.sensitivity, batch.size, batch.seed)
            for batch in batches(experiment, 20_000, case)
        ]
        experiment.test(name, halting_p_value(np.concatenate(rounds), asked, law))


SESSION = Questions(np.full(12, -4.0), np.ones(12))
"""Question by question is slow: twelve rounds are enough for halts early, late and never."""


def answers_until_halt(mechanism: str, rng: np.random.Generator) -> int:
    """One session, question by question: the round of the first True, or 0."""
    if mechanism == "AboveThreshold":
        above = AboveThreshold(float(SESSION.epsilons[0]), SESSION.threshold, SESSION.sensitivity, rng)
        bits = (above.answer(u) for u in SESSION.utilities)
    else:
        reduced = ReducedAboveThreshold(SESSION.threshold, SESSION.sensitivity, rng)
        pairs = zip(SESSION.utilities, SESSION.epsilons, strict=True)
        bits = (reduced.answer(u, epsilon) for u, epsilon in pairs)
    return next((n for n, bit in enumerate(bits, start=1) if bit), 0)


@statistic(
    {"R02": supports},
    rejects={
        "query noise Lap(2Δ/ε)": {"law": query_noise_halved},
        "threshold drawn afresh": {"law": threshold_redrawn},
    },
    share=0.03,
    tests=2,
)
def constant_epsilon_is_above_threshold(experiment: Experiment, law: HaltingLaw = exact) -> None:
    """At constant ε both mechanisms, asked question by question, halt by the same exact law.

    6,000 sessions each; the query scale wrong by 20 % is seen with power 1 − 1e-6.
    """
    for case, mechanism in enumerate(("AboveThreshold", "ReducedAboveThreshold")):
        rounds = [
            answers_until_halt(mechanism, batch.rng)
            for batch in batches(experiment, 6_000, case)
            for _ in range(batch.size)
        ]
        experiment.test(mechanism, halting_p_value(np.array(rounds), SESSION, law))


FALLING = Questions(-np.arange(1.0, 101.0), np.ones(100))
"""Utilities −1, …, −100: after a hundred rounds a halt has a probability below 1e-11."""
NEVER = 0.182936
"""P(N = ∞) for u_n = −n, ε = Δ = 1, to the digits given; no test here can see the next."""


@statistic(
    {"R05": supports, "P13": supports},
    rejects={
        "it always halts": {"never": 0.0},
        "independent rounds": {"never": math.exp(threshold_redrawn(FALLING)[-1])},
    },
    share=0.03,
)
def some_runs_never_halt(experiment: Experiment, never: float = NEVER) -> None:
    """With utilities −1, −2, −3, … a run never halts with probability 0.182936: the theorem is about {N < ∞}.

    After 100 rounds a halt has probability below 1e-11. 40,000 runs see a difference of 0.02 with power 1 − 1e-6.
    """
    count = total = 0
    for batch in batches(experiment, 40_000):
        rounds = halting_rounds(FALLING.utilities, FALLING.epsilons, 0.0, 1.0, batch.size, batch.seed)
        count, total = count + int((rounds == 0).sum()), total + batch.size
    experiment.test(f"{count} of {total} never halted", binomial(count, total, never))
