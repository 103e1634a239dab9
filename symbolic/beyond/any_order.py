"""Looks in any order: between two looks that were released, a further one follows from them alone."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from nrverify.ledger import derivation, holds
from nrverify.ledger.assumptions import BROWNIAN, DENSITIES, GAUSSIAN, POISSON
from nrverify.ledger.proof import Expr, Proof

LOW, RISE, REST = sp.symbols("l h r", positive=True)
"""Times l < s = l + h < u = s + r."""
S, HIGH = LOW + RISE, LOW + RISE + REST


def covariance(earlier: Expr, later: Expr) -> Expr:
    """E B_s B_t = s for s ≤ t."""
    del later
    return earlier


def between(low: Expr, s: Expr, high: Expr) -> Expr:
    """(s − l)(u − s)/(u − l)."""
    return (s - low) * (high - s) / (high - low)


@derivation(
    {"X06": holds},
    rejects={
        "the variance of a bridge from 0": {"variance": lambda low, s, high: s * (high - s) / high},
        "the mean drawn to the noisier look": {"weight": RISE / HIGH},
    },
    uses=("privacy_loss.loss_of_a_release",),
    assumes=(BROWNIAN, GAUSSIAN),
)
def brownian_between(
    proof: Proof,
    variance: Callable[[Expr, Expr, Expr], Expr] = between,
    weight: Expr = RISE / (RISE + REST),
) -> None:
    """Given releases y_l and y_u, that at s is N(y_l + (s−l)/(u−l)·(y_u − y_l), (s−l)(u−s)/(u−l)): the value drops out.

    So a look between two others costs nothing, in whatever order looks are asked for; the loss is that of the smallest.
    """
    share = sp.Symbol("c", real=True)
    look = covariance(LOW, S) - covariance(LOW, LOW)
    spread = covariance(LOW, HIGH) - covariance(LOW, LOW)
    proof.equal("B_s − B_l − c(B_u − B_l) is uncorrelated with B_l", look - share * spread, 0)
    with_high = covariance(S, HIGH) - covariance(LOW, HIGH) - weight * (HIGH - covariance(LOW, HIGH))
    proof.equal("and with B_u for c = (s−l)/(u−l)", with_high, 0)
    left = (S - LOW) - 2 * weight * (S - LOW) + weight**2 * (HIGH - LOW)
    proof.equal("its variance is (s−l)(u−s)/(u−l)", left, variance(LOW, S, HIGH))
    value, y_low, y_high = sp.symbols("f y_l y_u", real=True)
    mean = value + (y_low - value) + weight * ((y_high - value) - (y_low - value))
    proof.equal("the release has mean y_l + c(y_u − y_l): no f in it", sp.diff(mean, value), 0)
    proof.note("Cost", "given the looks around it the law of the look is free of f: it is post-processing")


def laplace_step(low: Expr, high: Expr, decay: Expr) -> Expr:
    """Density of Z_high − Z_low off 0, at distance d, with decay = e^{−d/high}."""
    return (1 - low**2 / high**2) * decay / (2 * high)


def two_jumps(s: Expr, high: Expr, decay_s: Expr, decay_high: Expr) -> Expr:
    """The density of Lap(s) + Lap(u) at distance d: (u·e^{−d/u} − s·e^{−d/s})/(2(u² − s²))."""
    return (high * decay_high - s * decay_s) / (2 * (high**2 - s**2))


@derivation(
    {"X06": holds},
    rejects={
        "no chance to stay at the less noisy release": {"stay_low": sp.Integer(0)},
        "no chance to be at the noisier release": {"stay_high": sp.Integer(0)},
        "staying with probability l/s": {"stay_low": LOW / S},
    },
    uses=("laplace_process.clock_gives_the_walk",),
    assumes=(POISSON, DENSITIES),
)
def laplace_between(proof: Proof, stay_low: Expr = LOW**2 / S**2, stay_high: Expr = S**2 / HIGH**2) -> None:
    """Laplace: given y_l ≠ y_u the look at s is y_l, y_u or in between them and beyond, with weights that sum to one.

    They are the ways to jump from y_l to y_u: after s only, before s only, both. Given y_l = y_u there was no jump.
    """
    decay_s, decay_high = sp.symbols("E_s E_u", positive=True)
    proof.note("Letters", "E_s = e^{−d/s}, E_u = e^{−d/u} with d = |y_u − y_l|; no value f occurs: increments only")
    x, d = sp.symbols("x d", positive=True)
    s, u = sp.symbols("s q", positive=True)
    inner = sp.exp(-x / s - (d - x) / (s + u))
    primitive = inner / (1 / (s + u) - 1 / s)
    proof.equal("one jump of x, 0 < x < d, and one of the rest: an antiderivative", sp.diff(primitive, x), inner)
    inside = primitive.subs(x, d) - primitive.subs(x, 0)
    tails = (sp.exp(-d / (s + u)) + sp.exp(-d / s)) / (1 / s + 1 / (s + u))
    proof.equal(
        "x < 0 or x > d: the other jump makes up for it, an antiderivative in the excess",
        sp.diff(-sp.exp(-x / s - x / (s + u)) / (1 / s + 1 / (s + u)), x),
        sp.exp(-x / s - x / (s + u)),
    )
    proof.equal(
        "Lap(s) + Lap(u) has density (u·e^{−d/u} − s·e^{−d/s})/(2(u² − s²)) at d",
        (inside + tails) / (4 * s * (s + u)),
        two_jumps(s, s + u, sp.exp(-d / s), sp.exp(-d / (s + u))),
    )
    after = stay_low * laplace_step(S, HIGH, decay_high)
    before = laplace_step(LOW, S, decay_s) * stay_high
    both = (1 - LOW**2 / S**2) * (1 - S**2 / HIGH**2) * two_jumps(S, HIGH, decay_s, decay_high)
    proof.equal(
        "stay then jump + jump then stay + two jumps = the density of the whole step",
        after + before + both,
        laplace_step(LOW, HIGH, decay_high),
    )
    proof.equal("no jump from l to u: none before s and none after", stay_low * stay_high, LOW**2 / HIGH**2)
