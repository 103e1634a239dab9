"""P(L > ε) ≤ δ, (ε, δ)-differential privacy and zCDP: which implies which, and the numbers for a Gaussian look."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from flint import arb, ctx

from nrverify.ledger import certificate, derivation, holds
from nrverify.ledger.assumptions import DENSITIES, MARKOV_INEQUALITY
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.tools.normal import tail_ball

Guarantee = Callable[[Ball], Ball]
"""The δ that a Gaussian look with Δ/σ = s has at ε = 1."""

RHO, LOG_ODDS = sp.symbols("rho ell", positive=True)
GAP = sp.Symbol("k", positive=True)
INFLATION = 1 / (1 - sp.exp(-GAP))
"""Of δ, when P(L > ε + k) is asked for."""


@derivation(
    {"X07": holds},
    rejects={
        "ρ + √(ρℓ)": {"level": lambda rho, ell: rho + sp.sqrt(rho * ell)},
        "ρ + √(2ρℓ)": {"level": lambda rho, ell: rho + sp.sqrt(2 * rho * ell)},
    },
    assumes=(MARKOV_INEQUALITY,),
)
def from_zcdp(
    proof: Proof, level: Callable[[Expr, Expr], Expr] = lambda rho, ell: rho + 2 * sp.sqrt(rho * ell)
) -> None:
    """ρ-zCDP gives P(L > ρ + 2√(ρℓ)) ≤ δ, ℓ = log(1/δ): the best order in Markov's inequality."""
    excess = sp.Symbol("a", positive=True)
    exponent = excess * ((1 + excess) * RHO - level(RHO, LOG_ODDS))
    proof.note("Markov", "P(L > ε) ≤ E e^{aL}·e^{−aε} ≤ exp(a(1 + a)ρ − aε) for every a = α − 1 > 0")
    best = sp.sqrt(LOG_ODDS / RHO)
    proof.equal("the exponent is least at a = √(ℓ/ρ): its slope there", sp.diff(exponent, excess).subs(excess, best), 0)
    proof.equal("where it is −ℓ = log δ", sp.expand(exponent.subs(excess, best)), -LOG_ODDS)
    proof.positive("and it is convex: a minimum", sp.diff(exponent, excess, 2))


@derivation(
    {"X07": holds},
    rejects={
        "δ at the same ε": {"factor": sp.Integer(1)},
        "δ/(1 − e^{−2k})": {"factor": 1 / (1 - sp.exp(-2 * GAP))},
    },
    uses=("preliminaries.probabilistic_privacy",),
    assumes=(DENSITIES,),
)
def from_differential_privacy(proof: Proof, factor: Expr = INFLATION) -> None:
    """(ε, δ)-DP gives P(L > ε + k) ≤ δ/(1 − e^{−k}) for k > 0, with equality for a two-point loss; at k = 0 nothing.

    The other way P(L > ε) ≤ δ gives (ε, δ)-DP with the same numbers (P03).
    """
    gap, mass = sp.symbols("k p", positive=True)
    proof.note("Hockey stick", "δ(ε) = E(1 − e^{ε−L})⁺, an expectation under the value's law")
    rises = sp.diff(1 - sp.exp(-gap), gap)
    proof.positive("1 − e^{ε−L} grows with L, so on {L > ε + k} it is at least 1 − e^{−k}", rises)
    stick = mass * (1 - sp.exp(-gap))
    proof.equal("A loss of ε + k with probability p and −∞ < L ≤ ε else: δ = p(1 − e^{−k})", stick * factor, mass)
    proof.equal("At k = 0 there is no bound: (1 − e^{−k}) → 0", sp.limit(1 - sp.exp(-gap), gap, 0), 0)


def by_tail(s: Ball) -> Ball:
    """P(L > 1) of a Gaussian look with Δ/σ = s."""
    return tail_ball(1 / s - s / 2)


def by_hockey_stick(s: Ball) -> Ball:
    """δ(1) of the same look."""
    return tail_ball(1 / s - s / 2) - arb(1).exp() * tail_ball(1 / s + s / 2)


def by_zcdp(s: Ball) -> Ball:
    """The δ that ρ = s²/2 gives at ε = 1 by Markov's inequality: exp(−(1 − ρ)²/4ρ)."""
    rho = s * s / 2
    return (-((1 - rho) ** 2) / (4 * rho)).exp()


SIGMAS: dict[Guarantee, str] = {
    by_hockey_stick: "3.73063163",
    by_tail: "4.37907028",
    by_zcdp: "4.90055517",
}
"""Noise σ/Δ that a Gaussian look needs at ε = 1, δ = 1e-5, by the guarantee it is to have."""


@certificate(
    {"X07": holds},
    rejects={
        "one noise for all three": {"sigmas": dict.fromkeys(SIGMAS, "3.73063163")},
        "(ε, δ)-DP needs the noise of P(L > ε) ≤ δ": {"sigmas": {**SIGMAS, by_hockey_stick: "4.37907028"}},
    },
)
def noise_for_each_guarantee(enclosure: Enclosure, sigmas: dict[Guarantee, str] = SIGMAS) -> None:
    """At ε = 1, δ = 1e-5 a Gaussian look needs σ/Δ = 3.7306 for (ε, δ)-DP, 4.3791 for P(L > ε) ≤ δ, 4.9006 by zCDP."""
    delta, digit = arb(10) ** -5, arb(10) ** -8
    with ctx.workprec(PRECISION):
        for guarantee, sigma in sigmas.items():
            name = guarantee.__name__.replace("_", " ")
            enclosure.less(f"{name}: σ/Δ = {sigma} + 1e-8 suffices", guarantee(1 / (arb(sigma) + digit)), delta)
            enclosure.less(f"{name}: σ/Δ = {sigma} − 1e-8 does not", delta, guarantee(1 / (arb(sigma) - digit)))
