"""What a failure probability δ buys for Laplace and for Gaussian noise (Section 6, Experimental setup; E06, E08)."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from flint import arb

from nrverify.ledger import certificate, derivation, holds, refuted, supports
from nrverify.ledger.assumptions import MARKOV_INEQUALITY
from nrverify.ledger.enclosure import Ball, Enclosure
from nrverify.ledger.proof import Expr, Proof

X, Y, ORDER, T, V = sp.symbols("x y alpha t v", positive=True)
"""x = v/t is the shift of a coordinate in units of the noise."""


def renyi_moment(x: Expr, order: Expr) -> Expr:
    """E e^{αL} = ((1+α)e^{αx} + αe^{−(1+α)x})/(1+2α) for one coordinate."""
    return ((1 + order) * sp.exp(order * x) + order * sp.exp(-(1 + order) * x)) / (1 + 2 * order)


def gaussian_like(x: Expr, order: Expr) -> Expr:
    """α(1+α)x²/2, the exponent of Gaussian noise of variance t²."""
    return order * (1 + order) * x**2 / 2


@derivation(
    {"E06": supports},
    rejects={
        "mean loss up to x instead of x²/2": {"mean": lambda x: x},
        "exponent αx²/2, without the part of α²": {"exponent": lambda x, order: order * x**2 / 2},
        "the moment of order α instead of 1 + α": {"moment": lambda x, order: renyi_moment(x, order - 1)},
    },
)
def loss_of_one_coordinate(
    proof: Proof,
    mean: Callable[[Expr], Expr] = lambda x: x - 1 + sp.exp(-x),
    exponent: Callable[[Expr, Expr], Expr] = gaussian_like,
    moment: Callable[[Expr, Expr], Expr] = renyi_moment,
) -> None:
    """A coordinate shifted by v = xt has loss in ±x, mean x − 1 + e^{−x} ≤ x²/2 and E e^{αL} ≤ e^{α(1+α)x²/2}."""
    proof.note(
        "Loss",
        "in units of t the noise is Y ~ Lap(1) and L = |Y + x| − |Y|: x, x + 2Y or −x where Y ≥ 0, −x ≤ Y ≤ 0, Y ≤ −x",
    )

    def expected(of: Callable[[Expr], Expr]) -> Expr:
        right = of(X) / 2
        middle = sp.integrate(sp.expand(of(X - 2 * Y) * sp.exp(-Y)), (Y, 0, X)) / 2
        return right + middle + of(-X) * sp.exp(-X) / 2

    def exponential(loss: Expr) -> Expr:
        return sp.exp(ORDER * loss)

    proof.nonnegative("|L| ≤ x in the middle: x − (x − 2y) with 0 ≤ y", X - (X - 2 * Y))
    proof.equal("Mean loss x − 1 + e^{−x}", expected(lambda loss: loss), mean(X))
    excess = X**2 / 2 - mean(X)
    proof.equal("x²/2 − mean vanishes at 0", excess.subs(X, 0), 0)
    proof.equal("and so does its slope", sp.diff(excess, X).subs(X, 0), 0)
    proof.equal("its second derivative is 1 − e^{−x} > 0: so mean ≤ x²/2", sp.diff(excess, X, 2), 1 - sp.exp(-X))
    half = sp.exp(ORDER * X) / 2 + sp.exp(-(1 + ORDER) * X) / 2
    rate = 1 + 2 * ORDER
    primitive = -sp.exp(ORDER * X - rate * Y) / rate
    proof.equal("A primitive of e^{α(x−2y)}e^{−y}", sp.diff(primitive, Y), exponential(X - 2 * Y) * sp.exp(-Y))
    middle = (primitive.subs(Y, X) - primitive.subs(Y, 0)) / 2
    proof.equal("E e^{αL} in closed form", half + middle, moment(X, ORDER), _cleared)

    a = sp.Symbol("a", positive=True)
    shape = sp.cosh(a * X) + sp.sinh(a * X) / (2 * a)
    folded = sp.exp(-X / 2) * shape
    proof.equal(
        "With a = α + ½ it is e^{−x/2}N(x), N = cosh ax + (sinh ax)/2a",
        moment(X, a - sp.Rational(1, 2)),
        sp.expand(folded.rewrite(sp.exp)),
        lambda e: sp.simplify(sp.expand(e)),
    )
    proof.equal("N(0) = 1", shape.subs(X, 0), 1)
    proof.equal(
        "(log N)'(0) = ½, so log E e^{αL} and its slope vanish at x = 0",
        sp.diff(shape, X).subs(X, 0),
        sp.Rational(1, 2),
    )
    proof.equal("N'' = a²N, so (log N)'' = a² − (N'/N)²", sp.diff(shape, X, 2), a**2 * shape, sp.expand)
    lift = sp.diff(shape, X) - shape / 2
    proof.equal("N' − N/2 = (a − 1/4a) sinh ax ≥ 0, since a > ½", lift, (a - 1 / (4 * a)) * sp.sinh(a * X), sp.expand)
    curvature = (a**2 - sp.Rational(1, 4)).subs(a, ORDER + sp.Rational(1, 2))
    proof.equal(
        "So (log N)'' ≤ a² − ¼ = α(1+α), the second derivative of the bound",
        curvature,
        sp.diff(exponent(X, ORDER), X, 2),
        sp.expand,
    )


def _cleared(difference: Expr) -> Expr:
    """The numerator, expanded: products of exponentials become one monomial each."""
    return sp.expand(sp.numer(sp.together(difference)))


def level_with_delta(square: Expr, log_inverse: Expr) -> Expr:
    """c/2 + √(2cℓ), c = Δ₂²/t²."""
    return square / 2 + sp.sqrt(2 * square * log_inverse)


@derivation(
    {"E06": supports},
    rejects={
        "√(cℓ) for √(2cℓ)": {"level": lambda c, ell: c / 2 + sp.sqrt(c * ell)},
        "no c/2": {"level": lambda c, ell: sp.sqrt(2 * c * ell)},
    },
    uses=("laplace_delta.loss_of_one_coordinate",),
    assumes=(MARKOV_INEQUALITY,),
)
def tail_of_the_loss(proof: Proof, level: Callable[[Expr, Expr], Expr] = level_with_delta) -> None:
    """If ‖f(x)−f(x')‖₂ ≤ Δ₂, then P(L ≥ Δ₂²/2t² + (Δ₂/t)√(2ℓ)) ≤ δ, in every dimension."""
    c, ell, epsilon = sp.symbols("c ell epsilon", positive=True)
    first, second = sp.symbols("x_1 x_2", positive=True)
    together = gaussian_like(first, ORDER) + gaussian_like(second, ORDER)
    joined = gaussian_like(sp.sqrt(first**2 + second**2), ORDER)
    proof.equal(
        "Coordinates are independent: exponents add, and depend on Σx_i² = ‖v‖²/t² ≤ c alone",
        together,
        joined,
        sp.expand,
    )
    exponent = ORDER * (1 + ORDER) * c / 2 - ORDER * epsilon
    best = sp.solve(sp.diff(exponent, ORDER), ORDER)[0]
    proof.equal("Markov for e^{αL}, best α = ε/c − ½", best, epsilon / c - sp.Rational(1, 2))
    proof.equal("gives P(L ≥ ε) ≤ exp(−(ε − c/2)²/2c)", exponent.subs(ORDER, best), -((epsilon - c / 2) ** 2) / (2 * c))
    reached = exponent.subs(ORDER, best).subs(epsilon, level(c, ell))
    proof.equal("which is δ at ε = c/2 + √(2cℓ)", reached, -ell, lambda e: sp.simplify(sp.expand(e)))
    proof.positive("where α > 0", best.subs(epsilon, level(c, ell)))


def one_dimensional_delta(gain: Expr) -> Expr:
    """1 − e^{−gain/2}: the δ at which Lap(t) is (x − gain, δ)-private."""
    return 1 - sp.exp(-gain / 2)


@derivation(
    {"E06": supports},
    rejects={
        "1 − e^{−gain}": {"curve": lambda gain: 1 - sp.exp(-gain)},
        "linear in the gain": {"curve": lambda gain: gain / 2},
    },
    uses=("laplace_delta.loss_of_one_coordinate",),
)
def one_dimension_gains_nothing(proof: Proof, curve: Callable[[Expr], Expr] = one_dimensional_delta) -> None:
    """In one dimension δ lowers the level x = Δ/t by −2 log(1−δ) only, and the bound on the loss itself not at all."""
    gain, delta = sp.Symbol("g", positive=True), sp.Symbol("delta", positive=True)
    epsilon = X - gain
    proof.note("Setting", "0 < ε = x − g; L exceeds ε where Y > −g/2, and there L = min(x, x + 2Y)")
    above = (1 - sp.exp(epsilon - X)) / 2
    between = sp.integrate(sp.expand((1 - sp.exp(epsilon - (X - 2 * Y))) * sp.exp(-Y)), (Y, 0, gain / 2)) / 2
    proof.equal("E(1 − e^{ε−L})⁺ = 1 − e^{−g/2}", above + between, curve(gain))
    solved = -2 * sp.log(1 - delta)
    proof.equal("So δ buys g = −2 log(1−δ)", curve(solved), delta)
    proof.equal("which is 2δ to first order: 2·10⁻⁶ at δ = 10⁻⁶", sp.limit(solved / delta, delta, 0), 2)
    at_most = sp.integrate(sp.exp(-Y) / 2, (Y, 0, sp.oo))
    proof.equal("and the loss is exactly x with probability ½", at_most, sp.Rational(1, 2))


TASKS = {
    "XᵀX, 77² entries": (77**2, "14.6"),
    "Xᵀy, 77 entries": (77, "1.65"),
    "logistic regression, 38 weights": (38, "1.15"),
}
"""Entries d with Δ₁ = √d·Δ₂, and the factor gained at pure level 1: then c = Δ₂²/t² = 1/d."""


def level_ball(entries: int, delta: Ball) -> Ball:
    """1/2d + √(2ℓ/d): the level at δ of Laplace noise of pure level 1 on d entries with Δ₁ = √d·Δ₂."""
    return 1 / arb(2 * entries) + (-2 * delta.log() / entries).sqrt()


def minimally_improved(entries: int, delta: Ball) -> Ball:
    """1 + 2 log(1−δ), what δ buys in one dimension."""
    return 1 + 2 * (1 - delta).log()


@certificate(
    {"E06": refuted("δ improves the level minimally, as in one dimension")},
    rejects={
        "δ improves the level minimally, as in one dimension": {"level": minimally_improved},
        "√(ℓ/d) for √(2ℓ/d)": {"level": lambda d, delta: 1 / arb(2 * d) + (-delta.log() / d).sqrt()},
    },
)
def gain_in_the_experiments(enclosure: Enclosure, level: Callable[[int, Ball], Ball] = level_ball) -> None:
    """With the paper's sensitivities, δ = 10⁻⁶ and pure level 1, the bounds are 14.6, 1.65 and 1.15 times smaller."""
    delta = arb(10) ** -6
    for task, (entries, factor) in TASKS.items():
        gain = 1 / level(entries, delta)
        half_digit = arb(10) ** -(len(factor) - factor.index(".") - 1) / 2
        enclosure.less(f"{task}: {factor} times smaller, from below", arb(factor) - half_digit, gain)
        enclosure.less(f"{task}: {factor} times smaller, from above", gain, arb(factor) + half_digit)
    enclosure.less("XᵀX: the loss stays below 0.0684 but with probability δ", level(77**2, delta), arb("0.0684"))


def gaussian_tail(epsilon: Expr) -> Expr:
    """P(L > ε) for L ~ N(v²/2t, v²/t)."""
    return sp.erfc((epsilon - V**2 / (2 * T)) * sp.sqrt(T) / (V * sp.sqrt(2))) / 2


def laplace_tail(epsilon: Expr) -> Expr:
    """P(L > ε) for Laplace noise in one dimension: ½ up to v/t and then 0; here ε ≥ v/t."""
    return sp.Integer(0)


@derivation(
    {"E08": holds},
    rejects={
        "the loss of Laplace noise, which is bounded": {"tail": laplace_tail},
        "no noise in the loss": {"spread": sp.Integer(0)},
    },
    uses=("privacy_loss.loss_at_a_fixed_time",),
)
def gaussian_loss_is_unbounded(
    proof: Proof, tail: Callable[[Expr], Expr] = gaussian_tail, spread: Expr = V**2 / T
) -> None:
    """The Gaussian loss exceeds every level with positive probability, so no bound on it holds with probability 1."""
    noise, epsilon = sp.Symbol("B", real=True), sp.Symbol("epsilon", real=True)
    loss = ((noise + V) ** 2 - noise**2) / (2 * T)
    proof.equal("L = v²/2t + (v/t)B", loss, V**2 / (2 * T) + V / T * noise, sp.expand)
    proof.equal("B ~ N(0, t), so Var L = v²/t", sp.diff(loss, noise) ** 2 * T, spread, sp.cancel)
    proof.positive("which is positive for neighbours with f(x) ≠ f(x')", spread)
    at = sp.solve(sp.Eq(loss, epsilon), noise)[0]
    density = sp.exp(-(noise**2) / (2 * T)) / sp.sqrt(2 * sp.pi * T)
    proof.equal("L > ε exactly when B > b = tε/v − v/2", at, T * epsilon / V - V / 2, sp.expand)
    proof.equal(
        "P(L > ε): its derivative in ε is −(density of B at b)·t/v",
        sp.diff(tail(epsilon), epsilon),
        -density.subs(noise, at) * T / V,
    )
    proof.equal("and it vanishes as ε → ∞", sp.limit(tail(epsilon).subs({V: 1, T: 1}), epsilon, sp.oo), 0)
    proof.positive("The density is positive, so P(L > ε) falls strictly towards 0: it is never 0", density)
