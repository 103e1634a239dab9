"""How many releases of one value its neighbour cannot give, in doubles: the exact share."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from flint import arb, ctx

from nrverify.ledger import certificate, holds
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure
from nrverify.symbolic.tools.normal import cdf_ball

DEEPEST = 60
"""Binades below Δ that are counted one by one; closer to 0 all but 2^-60 of releases are impossible."""
FARTHEST = 40.0
"""In deviations: nothing is released beyond."""


def share(sigma: Ball, signs: tuple[int, ...] = (1, -1)) -> Ball:
    """∫ φ_σ(y)(1 − 2^{−j(y)})dy with Δ = 1, between the places where ⌊log₂|y|⌋ or ⌊log₂|y − 1|⌋ changes."""
    top = math.ceil(math.log2(FARTHEST * float(sigma) + 2)) + 1
    powers = [2.0**k for k in range(-DEEPEST, top)]
    total = arb(0)
    for sign in signs:
        # y = sign·|y|, and |y − 1| = |sign·|y| − 1| changes its binade at a power of two as well.
        changes = {*powers, *(abs(sign + p) for p in powers), *(abs(sign - p) for p in powers)}
        ends = sorted(change for change in changes if change >= powers[0])
        total += (cdf_ball(arb(ends[0]) / sigma) - arb(1) / 2) * (1 - arb(2) ** -DEEPEST).union(arb(1))
        for low, high in pairwise(ends):
            middle = (low + high) / 2
            finer = math.frexp(sign * middle - 1)[1] - math.frexp(middle)[1]
            if finer > 0:
                total += (cdf_ball(high / sigma) - cdf_ball(low / sigma)) * (1 - arb(2) ** -finer)
    return total


def fit(sigma: Ball) -> Ball:
    """(Δ/σ)(0.05 + 0.23·log₂(σ/Δ)): a fit to simulations."""
    return (arb("0.05") + arb("0.23") * sigma.log() / arb(2).log()) / sigma


SHARES = {"0.1": "0.9137", "0.3": "0.7414", "1": "0.4323", "3": "0.2267", "10": "0.0995", "1000": "0.002304"}
"""σ/Δ and the share."""


@certificate(
    {"X16": holds},
    rejects={
        "a fit to simulations": {"found": fit},
        "releases above 0 alone": {"found": lambda sigma: share(sigma, signs=(1,))},
    },
)
def shares(enclosure: Enclosure, found: Callable[[Ball], Ball] = share) -> None:
    """The share of impossible releases at six σ/Δ, to a thousandth of itself."""
    with ctx.workprec(PRECISION):
        for sigma, stated in SHARES.items():
            enclosure.agrees(f"σ = {sigma}Δ", float(stated), found(arb(sigma)), 0.001)
