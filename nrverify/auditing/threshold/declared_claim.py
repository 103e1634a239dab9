"""The privacy claim of a threshold mechanism by calculation: whether the noise it declares is enough for its ε."""

from __future__ import annotations

from typing import Any

import numpy as np

from nrverify.auditing.core.declaration import CheckKind, Declared, check
from nrverify.auditing.core.faults.halting import DELTA_TOO_SMALL, POSITIVES_NOT_PAID, SCALES_TOO_SMALL
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.sampling.own_deltas import OwnDeltas
from nrverify.auditing.threshold.context import MECHANISMS, ThresholdContext
from nrverify.auditing.threshold.variant_designs import MOST_ROUNDS, variant_of
from nrverify.auditing.threshold.worst_pairs import (
    EPSILONS,
    ROUNDING,
    needed_delta,
    pairs_for_delta,
    witness,
    worst_share,
)
from nrverify.laws.threshold.variants import Variant
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.subjects.description import Description
from nrverify.subjects.guarantees import EX_POST, guarantee_of

MARGIN = 1e-6
"""Of δ, relative: a claim that is tight to rounding is kept."""
DECLARED = "the noise declared"
"""What the claim is calculated from."""


@check(
    id="privacy.epsilon",
    kind=CheckKind.PRIVACY,
    sentence="The noise that is declared is enough for the ε claimed.",
    claims=("R05", "R10"),
    mechanisms=MECHANISMS,
    weight=0.0,  # calculated: it cannot raise a false alarm
    order=80,
    expected="a loss of at most ε for all neighbours and all bits, but for δ",
    templates={
        "epsilon": (
            "with the noise declared, a loss of at most ε for all neighbours and all bits",
            "the worst neighbours lose {observed:.6g} ε, by calculation from {scales}{example}",
        ),
        "probability": (
            "with the noise declared, δ of at most {expected:.4g} for all neighbours of at most {rounds} rounds",
            "δ of {observed:.4g} at ε = {epsilon:g} for {pair}, the most of {count} pairs of neighbours tried",
        ),
    },
)
class DeclaredClaim(Declared):
    """The claim, judged from the exact law at the scales, noise and number of positives that are declared.

    With Laplace and exponential noise the worst loss is ε(1/a + 2c/b), for monotone queries ε(1/a + c/b): refuted with
    neighbours and bits that lose more than ε, and so is Gaussian noise without a δ, whose loss has no bound. With
    Gaussian noise, or with δ where the loss is more than ε, δ is computed at pairs of neighbours; others are not
    covered. Misses noise that is not the one declared: that is what the law is for.
    """

    def __init__(self, description: Description) -> None:
        self.description = description
        self.curve: dict[float, float] = {}
        """The δ claimed at each ε, where a curve is claimed."""

    @classmethod
    def build(cls, context: ThresholdContext) -> DeclaredClaim:
        """From what the subject declares."""
        return cls(context.description)

    def ask_curve(self, deltas_of: OwnDeltas) -> None:
        """The δ that a curve has at the ε's of the pairs tried."""
        self.curve = dict(deltas_of(np.array(EPSILONS)))

    @classmethod
    def foreseen(cls, description: Any) -> tuple[Size, ...]:
        """Any excess beyond rounding."""
        return (Size("loss of the worst neighbours over ε", 1 + ROUNDING, "ratio"),)

    def conclude(self, alpha: float) -> CheckResult:
        """By calculation; nothing is sampled."""
        variant, monotone = variant_of(self.description), self.description.monotone
        share = worst_share(variant, monotone)
        if share <= 1 + ROUNDING or not (self.curve or self.description.delta):
            return self._by_loss(variant, share)
        return self._by_delta(variant)

    def _by_loss(self, variant: Variant, share: float) -> CheckResult:
        monotone = self.description.monotone
        example = ""
        if share > 1 + ROUNDING:
            found = witness(variant, monotone)
            share, example = found.share, f", such as {found}"
        refuted = share > 1 + ROUNDING
        one = Variant(variant.scales, variant.noise, 1)
        fault = POSITIVES_NOT_PAID if worst_share(one, monotone) <= 1 + ROUNDING else SCALES_TOO_SMALL
        fault = DELTA_TOO_SMALL if variant.noise == "gaussian" else fault
        texts = {"scales": _sum_of(variant, monotone), "example": example}
        estimate = Estimate(Measure.EPSILON, 1.0, share)
        finding = Finding(
            "loss of the worst neighbours over ε", estimate, fault if refuted else None, certain=True, texts=texts
        )
        return self._concluded(refuted, finding, self.foreseen(self.description))

    def _by_delta(self, variant: Variant) -> CheckResult:
        description = self.description
        ex_post = guarantee_of(description) == EX_POST
        tried = []
        for pair in pairs_for_delta(variant, description.monotone):
            epsilon, needed = pair.design.epsilons[-1], needed_delta(pair, ex_post)
            delta = self.curve.get(epsilon, description.delta or 0.0)
            tried.append((needed - delta * (1 + MARGIN), needed, delta, epsilon, pair.design.name))
        beyond, observed, delta, epsilon, name = max(tried)
        refuted = beyond > 0
        numbers = {"epsilon": epsilon, "rounds": float(MOST_ROUNDS)}
        estimate = Estimate(Measure.PROBABILITY, delta, observed, None, len(tried), numbers)
        texts = {"pair": name, "rounds": str(MOST_ROUNDS)}
        fault = DELTA_TOO_SMALL if refuted else None
        finding = Finding("δ that neighbours need", estimate, fault, certain=True, texts=texts)
        return self._concluded(refuted, finding, (Size("δ at a pair of neighbours tried", delta, "δ"),))

    def _concluded(self, refuted: bool, finding: Finding, sizes: tuple[Size, ...]) -> CheckResult:
        verdict = CheckVerdict.REFUTED if refuted else CheckVerdict.CONSISTENT
        return concluded(self, verdict, samples=0, finding=finding, sizes=sizes)


def _sum_of(variant: Variant, monotone: bool) -> str:
    """The calculation, in words."""
    (a, b), c = variant.scales, variant.positives
    if variant.noise == "gaussian":
        return "Gaussian noise, whose loss has no bound"
    each = "1" if monotone else "2"
    ones = f"{each}·{c}/{b:g}" if c > 1 else f"{each}/{b:g}"
    return f"the scales (a, b) = ({a:g}, {b:g}): 1/{a:g} + {ones}"
