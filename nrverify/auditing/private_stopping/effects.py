"""What faults of private stopping mean: releases drawn afresh or beyond the one paid for, and a wrong law of the halt.

k releases with fresh noise near time t, or one more release at time t/k, have k times the precision of one at t. For a
change Δ of the value the loss is then normal with mean kΔ²/2t and variance kΔ²/t, and 2ψ(t) was paid.

Given the releases, a halt loses by its own law. Releases lose more than nothing with probability above ½, so a halt of
probability p with a loss above 2ψ gives a loss above it with probability p/2 at least.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.core.faults.halting import SHOWS_MORE
from nrverify.auditing.core.faults.noise import FRESH_NOISE
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.private_stopping.designs import StoppingDesign
from nrverify.auditing.private_stopping.halting_law import EXACT
from nrverify.auditing.threshold.designs import Neighbours, neighbours_at
from nrverify.auditing.threshold.effects import LEAST_OTHER, LEAST_PROBABILITY, ROUNDING, SIMULATED, probing
from nrverify.auditing.threshold.faulty_laws import claimed_law, unmixed_laws
from nrverify.statistics.estimate import Measure

Floats = NDArray[np.float64]

FAR = 20.0
"""Sensitivities by which a utility of the exact value changes between two neighbours: a step at one of them."""
EARLY = neighbours_at("ε rising from 0.1", [-4.0, 0.0, 0.0], [0.1, 2.0, 2.0], 0.0, 1.0, raised=0)
"""Where the first round must hardly tell anything."""
MOST = 2**20
"""Times the precision that is looked at: with any more the schedule would be absurd."""


def with_losses(
    results: Iterable[CheckResult], designs: Sequence[StoppingDesign], sensitivity: float, delta: float
) -> list[CheckResult]:
    """The results, those of such faults with the probability of a loss above what was paid."""
    return [_with_loss(result, designs, sensitivity, delta) for result in results]


def _with_loss(result: CheckResult, designs: Sequence[StoppingDesign], sensitivity: float, delta: float) -> CheckResult:
    finding = result.finding
    if result.verdict is not CheckVerdict.REFUTED or finding is None or not designs or finding.nearest:
        return result
    design = max(designs, key=lambda one: one.epsilons[-1] * one.schedule[-1])
    priced = _price(finding, design.schedule[-1], design.epsilons[-1], sensitivity, delta)
    return result if priced is None else replace(result, finding=finding.with_price(priced))


def _price(finding: Finding, time: float, psi: float, sensitivity: float, delta: float) -> Priced | None:
    # Fresh noise only where its exact law has won: a wrong mean of the bridge has other losses.
    fresh = finding.fault == FRESH_NOISE and finding.estimate.measure is Measure.ALTERNATIVE
    if not fresh and finding.fault != SHOWS_MORE:
        return None if finding.fault is None else price_of_halt(finding.fault.id, delta)
    times = precision_that_breaks(time, psi, sensitivity)
    if times is None:
        return None
    found = probability_of_loss(time / times, 2 * psi, sensitivity)
    after = f"after {times} releases near time {time:.3g}" if fresh else f"after a release at time {time / times:.3g}"
    where = f"{after}, where 2ψ = {2 * psi:.3g} is paid"
    return Priced(Effect.LEAK, found, delta, where, quantity="probability of a loss above 2ψ")


@lru_cache(maxsize=64)
def price_of_halt(fault: str, delta: float) -> Priced | None:
    """The worst halt under a named fault of its law; None where no law is known or none breaks the claim."""
    found = []
    for pair in (*probing("reduced-above-threshold"), EARLY):
        designs = (pair.design, pair.neighbour)
        own, other = _exact_utilities(pair) if fault == EXACT else (unmixed_laws(one).get(fault) for one in designs)
        if own is None or other is None or fault in SIMULATED:
            continue
        claims = 2 * np.append(pair.design.epsilons, pair.design.epsilons[-1])
        for p, q in ((own, other), (other, own)):
            losses = np.log(np.maximum(p, LEAST_OTHER)) - np.log(np.maximum(q, LEAST_OTHER))
            excess = np.where((p >= LEAST_PROBABILITY) & (0.5 * p > delta), losses - claims, -np.inf)
            cell = int(np.argmax(excess))
            halt = f"a halt in round {cell + 1}" if cell < pair.design.rounds else "no halt"
            more = "or more, " if q[cell] < LEAST_OTHER else ""
            where = f"{more}at {halt} of {pair.design.rounds}, with probability {p[cell]:.2g}"
            found.append((float(excess[cell]), float(losses[cell]), float(claims[cell]), where))
    beyond, loss, claim, where = max(found, default=(-math.inf, 0.0, 0.0, ""))
    return Priced(Effect.LEAK, loss, claim, where) if beyond > ROUNDING else None


def _exact_utilities(pair: Neighbours) -> tuple[Floats, Floats]:
    """A utility of the exact value may change by any number, where that of a release does by its sensitivity alone."""
    own = pair.design
    jump = tuple(u + FAR * own.sensitivity for u in own.utilities)
    return claimed_law(own), claimed_law(replace(own, utilities=jump))


def precision_that_breaks(time: float, psi: float, sensitivity: float) -> int | None:
    """The smallest power of two by which the precision must grow for a loss above 2ψ in half of the sessions."""
    times = 2
    while probability_of_loss(time / times, 2 * psi, sensitivity) < 0.5:
        times *= 2
        if times > MOST:
            return None
    return times


def probability_of_loss(time: float, epsilon: float, sensitivity: float) -> float:
    """P(L > ε) of normal noise of this variance: L has mean Δ²/2t and variance Δ²/t."""
    root = math.sqrt(time)
    return float(ndtr(0.5 * sensitivity / root - epsilon * root / sensitivity))
