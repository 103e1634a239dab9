"""The race: the reverse step of Laplace noise reduction by coins of rational probability and one comparison."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from nrverify.ledger import derivation, holds
from nrverify.ledger.assumptions import DENSITIES
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.paper.laplace_bridge import cdf_below, cdf_between, cdf_beyond, log_atom

RATE, KAPPA, Z, D = sp.symbols("g kappa z d", positive=True)
"""1/t = g and 1/s = g + κ, so that s < t; z > 0 the noise at t; d a distance."""
T, S = 1 / RATE, 1 / (RATE + KAPPA)
BOTH = 2 * RATE + KAPPA
"""κ₊ = 1/s + 1/t."""


def below_zero(s: Expr, t: Expr) -> Expr:
    """The first coin: (t − s)/2t."""
    return (t - s) / (2 * t)


def stays(s: Expr, t: Expr) -> Expr:
    """The coin of a race that z wins: 2s/(t + s)."""
    return 2 * s / (t + s)


@derivation(
    {"X15": holds},
    rejects={
        "z kept with probability s/t": {"keep": lambda s, t: s / t},
        "the side drawn by a fair coin": {"side": lambda s, t: sp.Rational(1, 2)},
        "the race run at the rate κ₊": {"pace": BOTH},
    },
    uses=("laplace_bridge.reverse_kernel",),
    assumes=(DENSITIES,),
)
def race(
    proof: Proof,
    side: Callable[[Expr, Expr], Expr] = below_zero,
    keep: Callable[[Expr, Expr], Expr] = stays,
    pace: Expr = KAPPA,
) -> None:
    """P(Z_s ≤ y | Z_t = z) of the race, piece by piece, is that of the reverse kernel; and so is its atom at z."""
    coin = side(S, T)
    proof.equal("y = −d < 0: coin·P(−E/κ₊ ≤ −d)", coin * sp.exp(-BOTH * D), cdf_below(-D, Z, S, T))
    passed = coin + (1 - coin) * (1 - sp.exp(-pace * D))
    proof.equal("0 ≤ y = d < z: coin + (1 − coin)·P(E/κ ≤ d)", passed, cdf_between(D, Z, S, T))
    left = (1 - coin) * sp.exp(-pace * Z)
    proof.equal("y = z: what the race leaves, times 2s/(t + s)", left * keep(S, T), sp.exp(log_atom(Z, S, T)))
    beyond = 1 - left * (1 - keep(S, T)) * sp.exp(-BOTH * D)
    proof.equal("y = z + d: all but z + E'/κ₊ beyond it", beyond, cdf_beyond(Z + D, Z, S, T))
