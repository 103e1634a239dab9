"""What a named fault means for privacy where other noise than the usual one, or several positives, are declared.

As for the usual noise: the loss of the fault's exact law at some neighbours must be above ε, and what was seen must be
much less likely under every relative that keeps the claim. With Laplace or exponential noise of scales aΔ/ε and bΔ/ε,
drawn as declared, c ones lose at most ε(1/a + 2c/b), or ε(1/a + c/b) for monotone queries.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.threshold.designs import Design
from nrverify.auditing.threshold.effects import (
    HARMLESS,
    LEAST_OTHER,
    LEAST_PROBABILITY,
    NOT_EXCLUDED,
    NOT_TOLD_APART,
    OR_MORE,
    TOO_FEW,
    Loss,
    excluded,
    log_likelihood,
)
from nrverify.auditing.threshold.faulty_laws import FAULTS, made_law, unmixed_laws
from nrverify.auditing.threshold.output_laws import case_of
from nrverify.auditing.threshold.relatives import Counts, gain
from nrverify.auditing.threshold.variant_designs import pairs
from nrverify.auditing.threshold.worst_pairs import ROUNDING, witness, worst_share
from nrverify.laws.threshold.variants import Variant

Floats = NDArray[np.float64]

THRESHOLD_SHARES = (0.15, 0.33, 0.5, 0.7)
"""Of ε, that the threshold's noise of a private relative costs; the ones cost the rest."""
WIDER = (1.0, 2.0)
"""Relatives with more noise than they need, by these factors."""
KINDS = ("laplace", "exponential")
"""Noise whose loss has a bound."""


def priced_variant(named: Iterable[str], counts: Counts, variant: Variant, monotone: bool, alpha: float) -> Priced:
    """What the named faults mean, those that are hardly told apart together: the least of their losses decides.

    Only for claims without a δ, of noise whose loss has a bound.
    """
    faults = tuple(dict.fromkeys(named))
    if variant.noise not in KINDS:
        return Priced(Effect.UNPROVED)
    losses = [loss_of_variant(fault, variant, monotone) for fault in faults]
    exceeding = [loss is not None and loss.exceeds for loss in losses]
    if not all(exceeding):
        return Priced(Effect.UNPROVED, why=NOT_TOLD_APART if any(exceeding) else "")
    least = min((loss for loss in losses if loss is not None), key=lambda loss: loss.loss - loss.claim)
    own = min(log_likelihood(counts, fault) for fault in faults)
    harmless = best_harmless_variant(counts, variant, monotone)
    if own - harmless < math.log(len(FAULTS) / alpha):
        return Priced(Effect.UNPROVED, why=TOO_FEW if excluded(harmless, counts, alpha) else NOT_EXCLUDED)
    return Priced(Effect.LEAK, least.loss, least.claim, least.where)


@lru_cache(maxsize=128)
def loss_of_variant(fault: str, variant: Variant, monotone: bool) -> Loss | None:
    """The largest loss over ε that a fault has at the neighbours of the audit; None where no law is known."""
    found = []
    for pair in pairs("above-threshold", variant, monotone):
        laws = [unmixed_laws(design).get(fault) for design in pair.sides]
        own, other = laws
        if own is None or other is None:
            continue
        claim = pair.design.epsilons[-1]
        for p, q in ((own, other), (other, own)):
            losses = np.log(np.maximum(p, LEAST_OTHER)) - np.log(np.maximum(q, LEAST_OTHER))
            bin = int(np.argmax(np.where(p >= LEAST_PROBABILITY, losses, -math.inf)))
            least = OR_MORE if q[bin] <= LEAST_OTHER else ""
            where = f"{least}at neighbours of {pair.design.rounds} rounds ({pair.design.name})"
            found.append(Loss(float(losses[bin]), claim, where))
    return max(found, key=lambda loss: loss.loss - loss.claim, default=None)


def best_harmless_variant(counts: Counts, variant: Variant, monotone: bool) -> float:
    """The largest log-likelihood, over that of the law declared, of something that keeps the claim."""
    with threadpool_limits(1, "blas"):
        relatives = [_of_relative(counts, one) for one in private_variants(variant, monotone)]
    # What is declared need not keep the claim, but then nothing more than that is to be told.
    return max(0.0, *relatives, *(log_likelihood(counts, fault) for fault in HARMLESS))


def private_variants(variant: Variant, monotone: bool) -> list[Variant]:
    """Other scales and kinds of noise that keep ε with as many positives."""
    ones = (1 if monotone else 2) * variant.positives
    return [
        Variant((wide / share, wide * ones / (1 - share)), kind, variant.positives)
        for share in THRESHOLD_SHARES
        for wide in WIDER
        for kind in KINDS
    ]


def _of_relative(counts: Counts, relative: Variant) -> float:
    return sum(gain(seen, _relative_law(design, relative), design) for design, seen in counts.items() if seen.any())


def _relative_law(design: Design, relative: Variant) -> Floats:
    a, b = (own / declared for own, declared in zip(relative.scales, design.variant.scales, strict=True))
    return made_law(case_of(design).law(threshold=a, query=b, noise=relative.noise))


def priced_one_more(variant: Variant, monotone: bool, delta: float) -> Priced | None:
    """Of a mechanism that answers after its last 1: what one more 1 loses, by the law with one positive more."""
    longer = Variant(variant.scales, variant.noise, variant.positives + 1)
    if delta or variant.noise not in KINDS or worst_share(longer, monotone) <= 1 + ROUNDING:
        return None
    found = witness(longer, monotone)
    return Priced(Effect.LEAK, found.share, 1.0, f"at {found}") if found.share > 1 + ROUNDING else None
