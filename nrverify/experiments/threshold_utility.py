"""How far below the threshold a halt can be: the utility proposition's statement, and the event of its proof.

With η_n = (4Δ/ε_n) log(2/γp_n) a halt at u_n < τ − η_n needs ξ_n − ζ_n > η_n, of probability γp_n/3 − γ²p_n²/24. The
printed proof goes through |ξ_n| ≥ η_n/2 instead, to which it gives γp_n/2 where it has √(γp_n/2).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from nrverify.experiments.batches import batches
from nrverify.laws.laplace import Laplace
from nrverify.laws.threshold import halting_law, margin_tail
from nrverify.ledger import proof_wrong, statistic, supports
from nrverify.ledger.experiment import Experiment
from nrverify.reference.threshold_batches import halting_rounds
from nrverify.statistics.proportions import binomial

GAMMA = 0.3
"""Large, so that a failure probability of γ/3 can be counted in 40,000 runs."""
EPSILON = 1.5
"""Not 1, so that a scale without ε, or with its inverse, shows."""
SHARES = 0.5 ** np.arange(1, 31)
"""p_n = 2^{−n}."""

Margin = Callable[[float, float], float]
"""η of ε and γp, at Δ = 1."""


def printed_margin(epsilon: float, share: float) -> float:
    """(4Δ/ε) log(2/γp)."""
    return 4 / epsilon * math.log(2 / share)


def half_margin(epsilon: float, share: float) -> float:
    """(2Δ/ε) log(2/γp): the threshold's noise alone."""
    return 2 / epsilon * math.log(2 / share)


@statistic(
    {"R12": supports, "R15": supports},
    rejects={
        "half the margin": {"margin": half_margin},
        "a failure probability of γ/6": {"allowed": GAMMA / 6},
    },
    share=0.03,
    tests=2,
)
def halts_below_the_margin(experiment: Experiment, margin: Margin = printed_margin, allowed: float = GAMMA / 3) -> None:
    """With all utilities just at τ − η_n the mechanism halts with probability at most γ/3, and as the exact law says.

    γ = 0.3; 40,000 runs refute a failure probability of 0.12 with power 1 − 1e-6. γ/6 is refuted.
    """
    utilities = np.array([-margin(EPSILON, GAMMA * share) for share in SHARES])
    epsilons = np.full(SHARES.size, EPSILON)
    count = total = 0
    for batch in batches(experiment, 40_000):
        rounds = halting_rounds(utilities, epsilons, 0.0, 1.0, batch.size, batch.seed)
        count, total = count + int((rounds > 0).sum()), total + batch.size
    experiment.test(f"halts, at most {allowed:g}", binomial(count, total, allowed, "greater"))
    exact = -math.expm1(halting_law(utilities=utilities, epsilons=epsilons)[-1])
    experiment.test(f"halts, exactly {exact:.5f}", binomial(count, total, exact))


def union_of_two(share: float) -> float:
    """P(|ξ| ≥ η/2 or |ζ| ≥ η/2) = 1 − (1 − √(γp/2))(1 − γp/2)."""
    return 1 - (1 - math.sqrt(share / 2)) * (1 - share / 2)


def printed_union(share: float) -> float:
    """γp/2 for each of the two."""
    return share


@statistic(
    {"R12": proof_wrong("γp/2 for the query's noise")},
    rejects={"γp/2 for the query's noise": {"probability": printed_union}},
    share=0.03,
    tests=2,
)
def event_of_the_proof(experiment: Experiment, probability: Callable[[float], float] = union_of_two) -> None:
    """At γp = 0.05 the proof's event fails with probability 0.1792, not 0.05; the event that is needed with 0.0166.

    40,000 draws of ξ ~ Lap(4Δ/ε) and ζ ~ Lap(2Δ/ε) see the first wrong by a sixth, the second by a half, with power
    1 − 1e-6.
    """
    share = 0.05
    eta = printed_margin(EPSILON, share)
    either = needed = total = 0
    for batch in batches(experiment, 40_000):
        xi = Laplace().marginal(4 / EPSILON).rvs(batch.rng, batch.size)
        zeta = batch.rng.laplace(scale=2 / EPSILON, size=batch.size)
        either += int(((np.abs(xi) >= eta / 2) | (np.abs(zeta) >= eta / 2)).sum())
        needed += int((xi - zeta > eta).sum())
        total += batch.size
    claimed = probability(share)
    experiment.test(f"|ξ| ≥ η/2 or |ζ| ≥ η/2: {claimed:.4f}", binomial(either, total, claimed))
    exact = share / 3 - share**2 / 24
    experiment.exact("ξ − ζ > η has probability γp/3 − γ²p²/24", math.isclose(margin_tail(eta, EPSILON), exact))
    experiment.test(f"ξ − ζ > η: {exact:.5f}", binomial(needed, total, exact))
