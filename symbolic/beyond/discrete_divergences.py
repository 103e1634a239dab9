"""What one release of discrete Laplace and of discrete Gaussian noise loses: losses, tails, hockey sticks, ε(δ)."""

from __future__ import annotations

import math
from collections.abc import Callable

import sympy as sp
from flint import arb, ctx

from nrverify.laws import DiscreteGaussian, DiscreteLaplace
from nrverify.laws.divergence import hockey_stick, loss_tail
from nrverify.ledger import certificate, derivation, holds
from nrverify.ledger.assumptions import DENSITIES
from nrverify.ledger.enclosure import Ball, Enclosure
from nrverify.ledger.proof import Expr, Proof

P, A, B, C = sp.symbols("p a b c", positive=True)
"""p = e^{−1/t}; a stands for p^m, b for e^ε·p^{k−m}, c for e^ε·p^k."""
X, Y, T, K = sp.symbols("x y t k", positive=True)


def between(p: Expr, a: Expr) -> Expr:
    """P(L = (k − 2m)/t) = p^m(1 − p)/(1 + p) for 0 < m < k, with a = p^m."""
    return a * (1 - p) / (1 + p)


def upper(p: Expr, a: Expr) -> Expr:
    """P(L > ε) = 1 − p^m/(1 + p), m the number of losses above ε."""
    return 1 - a / (1 + p)


@derivation(
    {"X17": holds},
    rejects={
        "the loss between its ends with weight p^m": {"inner": lambda p, a: a / (1 + p)},
        "the tail of the noise, p^m/(1 + p), for that of the loss": {"tail": lambda p, a: a / (1 + p)},
    },
    uses=("discrete_laplace.one_step",),
    assumes=(DENSITIES,),
)
def discrete_laplace_losses(
    proof: Proof, inner: Callable[[Expr, Expr], Expr] = between, tail: Callable[[Expr, Expr], Expr] = upper
) -> None:
    """δ(ε) = 1 − (p^m + e^ε p^{k−m+1})/(1 + p), by induction over the number m of losses above ε."""
    proof.note("Losses", "noise j has the loss (|j − k| − |j|)/t: k/t for j ≤ 0, (k − 2j)/t between, −k/t for j ≥ k")
    proof.equal("P(j ≤ 0) = (1−p)/(1+p)·1/(1−p) = 1/(1+p): the first tail", tail(P, P), 1 / (1 + P))
    proof.equal("P(j = m) is the step from m to m + 1", tail(P, A * P) - tail(P, A), inner(P, A))
    proof.equal("with P(j ≥ k) = p^k/(1+p) it is all", tail(P, A) + A / (1 + P), 1)
    other = B * P / (1 + P)
    proof.note("Neighbour", "e^ε·P' of the same losses: each weighs e^{ε−L} as much; b = e^ε p^{k−m}")
    proof.equal("its first term: e^ε p^k times that of the first tail", other.subs(B, C / P), C * tail(P, P))
    proof.equal(
        "its step from m to m + 1: P(j = m)·e^ε·p^{k−2m} = a(1−p)/(1+p)·b/a",
        other.subs(B, B / P) - other,
        inner(P, A) * B / A,
    )
    least = tail(P, A) - other
    proof.equal("δ(ε) = P(L > ε) − e^ε P'(L > ε)", least, 1 - (A + B * P) / (1 + P))
    root = sp.sqrt(P)
    proof.equal("half-way, e^ε p^{k−m+1} = p^m: 1 − 2p^m/(1+p)", least.subs(B, A / P), 1 - 2 * A / (1 + P))
    proof.equal(
        "which exceeds the Laplace formula 1 − p^{m−1/2} by p^{m−1/2}(1 − √p)²/(1 + p)",
        least.subs(B, A / P) - (1 - A / root),
        A / root * (1 - root) ** 2 / (1 + P),
    )
    proof.equal("at ε = (k−2m+2)/t, b = p^{m−2}: the Laplace formula", least.subs(B, A / P**2), 1 - A / P)


@derivation(
    {"X18": holds},
    rejects={
        "the square of the shift left out": {"loss": lambda x, k, t: k * x / t},
        "the loss with the shift added to the noise": {"loss": lambda x, k, t: (2 * k * x - k**2) / (2 * t)},
    },
    assumes=(DENSITIES,),
)
def discrete_gaussian_loss(
    proof: Proof, loss: Callable[[Expr, Expr, Expr], Expr] = lambda x, k, t: (2 * k * x + k**2) / (2 * t)
) -> None:
    """L = (2kx + k²)/2t at noise −x, by the ratio of weights e^{−j²/2t}; so δ(ε) is a difference of two tails."""
    weights = sp.exp(-(X**2) / (2 * T)), sp.exp(-((X + K) ** 2) / (2 * T))
    proof.equal("the normaliser cancels", weights[0] / weights[1], sp.exp(loss(X, K, T)))
    proof.equal("L = ε at x = εt/k − k/2", loss(Y * T / K - K / 2, K, T), Y)
    proof.equal("e^{ε−L} moves the tail by k", sp.exp(-loss(X, K, T)) * weights[0], weights[1])
    proof.note(
        "Tails", "L > ε where x > εt/k − k/2, and e^ε P'(L > ε) = e^ε P(X > εt/k + k/2), as the law is symmetric"
    )


def laplace_formula(epsilon: Ball, time: Ball, shift: int) -> Ball:
    """1 − e^{(ε − k/t)/2}: of Laplace noise of the same scale."""
    return 1 - ((epsilon - shift / time) / 2).exp()


def lattice_formula(epsilon: Ball, time: Ball, shift: int) -> Ball:
    """The closed form of X17."""
    p, above = (-1 / time).exp(), _above((shift - epsilon * time) / 2)
    return 1 - (p**above + epsilon.exp() * p ** (shift - above + 1)) / (1 + p)


@certificate({"X17": holds}, rejects={"the formula of Laplace noise": {"exact": laplace_formula}})
def discrete_laplace_hockey_stick_of_the_code(
    enclosure: Enclosure, exact: Callable[[Ball, Ball, int], Ball] = lattice_formula
) -> None:
    """`hockey_stick(DiscreteLaplace(), …)` and `loss_tail` against the closed form, to 1e-10."""
    with ctx.workprec(200):
        for epsilon, time, shift in ((0.3, 1.5, 1), (0.7, 2.0, 3), (0.05, 40.0, 7), (2.5, 0.75, 4), (0.9, 1.0, 1)):
            name = f"ε = {epsilon}, t = {time}, moved by {shift}"
            found = hockey_stick(DiscreteLaplace(), epsilon, shift=shift, time=time)
            enclosure.agrees(f"δ at {name}", found, exact(arb(epsilon), arb(time), shift), 1e-10)
            tail = loss_tail(DiscreteLaplace(), epsilon, shift=shift, time=time)
            p, above = (-1 / arb(time)).exp(), _above((shift - arb(epsilon) * time) / 2)
            enclosure.agrees(f"P(L > ε) at {name}", tail, upper(p, p**above), 1e-10)


def lattice_tail(start: Ball, time: Ball) -> Ball:
    """P(X > start) of discrete Gaussian noise, its sums cut where what is left out has a bound."""
    first = int((start.floor() + 1).unique_fmpz())
    end = abs(first) + math.ceil(40 * math.sqrt(float(time))) + 20
    left = (-(arb(end) ** 2) / (2 * time)).exp() / (1 - (-arb(end) / time).exp())
    rest = arb(0).union(left)

    def total(low: int) -> Ball:
        return sum((((-(arb(j) ** 2)) / (2 * time)).exp() for j in range(low, end)), arb(0)) + rest

    return total(first) / (2 * total(1) + 1)


def normal_tail(start: Ball, time: Ball) -> Ball:
    """P(N(0, t) > start)."""
    return (start / (2 * time).sqrt()).erfc() / 2


@certificate(
    {"X18": holds},
    rejects={
        "the formula of Gaussian noise": {"tail": normal_tail},
        "the second tail at the same place": {"apart": 0},
    },
)
def discrete_gaussian_hockey_stick_of_the_code(
    enclosure: Enclosure, tail: Callable[[Ball, Ball], Ball] = lattice_tail, apart: int = 1
) -> None:
    """`hockey_stick(DiscreteGaussian(), …)`, `loss_tail` and ε(δ) against sums in ball arithmetic, to 1e-10."""
    with ctx.workprec(200):
        for epsilon, time, shift in ((0.3, 1.5, 1), (1.0, 0.5, 1), (0.7, 10.0, 2), (0.2, 300.0, 5), (4.0, 1.25, 3)):
            name = f"ε = {epsilon}, t = {time}, moved by {shift}"
            start = arb(epsilon) * time / shift - arb(shift) / 2
            own, other = tail(start, arb(time)), tail(start + apart * shift, arb(time))
            found = hockey_stick(DiscreteGaussian(), epsilon, shift=shift, time=time)
            least = own - arb(epsilon).exp() * other
            enclosure.agrees(f"δ at {name}", found, least, 1e-10)
            enclosure.agrees(
                f"P(L > ε) at {name}", loss_tail(DiscreteGaussian(), epsilon, shift=shift, time=time), own, 1e-10
            )
            # Between two losses δ is linear in e^ε, so that ε(δ) = log((P(X > x) − δ)/P(X > x + k)).
            enclosure.agrees(f"ε(δ) at {name}", epsilon, ((own - arb(found)) / other).log(), 1e-6)
        for epsilon, time in ((arb(5) / 2, arb(1) / 2), (arb(3), arb(2))):
            start = epsilon * time - arb(1) / 2
            gaussian, discrete = (
                one(start, time) - epsilon.exp() * one(start + 1, time) for one in (normal_tail, tail)
            )
            enclosure.less(f"ε = {epsilon}, t = {time}: 1.15 times the δ of Gaussian noise", gaussian * 1.15, discrete)


def _above(half: Ball) -> int:
    """⌈half⌉: how many losses exceed ε."""
    return int((-((-half).floor())).unique_fmpz())
