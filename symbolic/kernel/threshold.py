"""ReducedAboveThreshold for a kernel: halting at round n costs at most e^{ε_n}, for every n."""

from __future__ import annotations

from collections.abc import Callable
from math import exp

import sympy as sp

from nrverify.laws.laplace import Laplace
from nrverify.ledger import kernel, supports
from nrverify.ledger.coq.kernel import Kernel
from nrverify.ledger.proof import Expr
from nrverify.symbolic.kernel import PAPER
from nrverify.symbolic.paper.threshold_privacy import LEVEL, SENSITIVITY, query_scale, threshold_scale

NAMES = {SENSITIVITY: sp.Symbol("D"), LEVEL: sp.Symbol("e")}


@kernel(
    dict.fromkeys(("R05", "R07", "R08"), supports),
    rejects={
        "thresholds of scale Δ/ε": {"threshold": lambda level: SENSITIVITY / level},
        "queries of scale 2Δ/ε": {"query": threshold_scale},
    },
    source=PAPER / "threshold_privacy.v",
    theorems=("tail_shift", "tail_shift_is_sharp", "bits_are_private", "reduced_above_threshold"),
    unsaid=(
        "it is conditional on the released parameters: levels, utilities and thresholds are numbers",
        "that the integrals converge is a premise",
        "the noisy threshold is the forward walk built from its last value; the sampler's reverse kernel is not in it",
        "the halt at a round is in it, the loss of the releases themselves is not",
    ),
)
def bits(
    kernel: Kernel,
    threshold: Callable[[Expr], Expr] = threshold_scale,
    query: Callable[[Expr], Expr] = query_scale,
) -> None:
    """P(0ⁿ1) under one database is at most e^{ε_n} times that under another, for every n and all utilities within Δ."""
    premises = ("0 < e",)
    kernel.equal("threshold_scale", "D e", threshold(LEVEL), threshold_scale(LEVEL), NAMES, premises)
    kernel.equal("query_scale", "D e", query(LEVEL), query_scale(LEVEL), NAMES, premises)
    for scale, z in ((0.5, -1.25), (4.0, 0.75)):
        kernel.agrees("lap", (scale, z), exp(float(Laplace().marginal(scale).logpdf(z))))
