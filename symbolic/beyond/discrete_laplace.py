"""Discrete Laplace noise reduction: integers, pure ex-post privacy, exact bridges."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import sympy as sp
from flint import arb, ctx

from nrverify.laws.discrete_laplace import DiscreteLaplace
from nrverify.ledger import certificate, derivation, holds
from nrverify.ledger.assumptions import CHARACTERISTIC, DENSITIES
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure
from nrverify.ledger.proof import Expr, Proof

RATIO, OTHER, COSINE = sp.symbols("p q c", positive=True)
"""p_s < p_t are e^{−1/s} and e^{−1/t}; the letter c stands for cos θ."""


def weight(p: Expr) -> Expr:
    """c(p) = p/(1 − p)²."""
    return p / (1 - p) ** 2


def characteristic(p: Expr, cosine: Expr) -> Expr:
    """(1 − p)²/(1 − 2p cos θ + p²): of P(j) = (1 − p)/(1 + p)·p^{|j|}."""
    return (1 - p) ** 2 / (1 - 2 * p * cosine + p**2)


@derivation(
    {"X08": holds},
    rejects={
        "staying with probability (s/t)², as for Laplace noise": {"stay": lambda p, q: (sp.log(q) / sp.log(p)) ** 2},
        "staying with probability p_s/p_t": {"stay": lambda p, q: p / q},
    },
    uses=("laplace_process.walk_keeps_laplace_laws",),
    assumes=(CHARACTERISTIC, DENSITIES),
)
def one_step(proof: Proof, stay: Callable[[Expr, Expr], Expr] = lambda p, q: weight(p) / weight(q)) -> None:
    """X_t = X_s + (0 with probability c(p_s)/c(p_t), else a fresh discrete Laplace draw at t), c(p) = p/(1−p)²."""
    z = sp.Symbol("z")
    terms = RATIO * z / (1 - RATIO * z)
    proof.note("Geometric series", "Σ_{j≥1} (pz)^j = pz/(1 − pz) for |pz| < 1")
    both = 1 + terms + terms.subs(z, 1 / z)
    total = (1 - RATIO) / (1 + RATIO) * both
    proof.equal(
        "E z^X = (1−p)²/(1 − p(z + 1/z) + p²): with z = e^{iθ}, z + 1/z = 2cos θ",
        total,
        characteristic(RATIO, (z + 1 / z) / 2),
    )
    proof.equal(
        "which is 1/(1 + 2c(p)(1 − cos θ))",
        characteristic(RATIO, COSINE),
        1 / (1 + 2 * weight(RATIO) * (1 - COSINE)),
    )
    kept = stay(RATIO, OTHER)
    step = kept + (1 - kept) * characteristic(OTHER, COSINE)
    proof.equal(
        "φ_s·(ρ + (1 − ρ)φ_t) = φ_t with ρ = c(p_s)/c(p_t)",
        characteristic(RATIO, COSINE) * step,
        characteristic(OTHER, COSINE),
    )
    k = sp.Symbol("k", positive=True)
    p = k / (1 + k)
    proof.positive("c grows with p, so that ρ is a probability for p_s < p_t", sp.factor(sp.diff(weight(p), k)))
    proof.note(
        "Privacy",
        "forward steps are free of the value, so the loss of all releases is that of the last: (|y−f'| − |y−f|)/t, at "
        "most |f − f'|/t, with δ = 0 (as N08)",
    )


def exact_bridge(p: Fraction, q: Fraction, given: int, reach: int) -> dict[int, Fraction]:
    """P(X_s = j | X_t = given) by Bayes' rule, in exact rationals; |j| ≤ reach."""

    def pmf(ratio: Fraction, j: int) -> Fraction:
        return (1 - ratio) / (1 + ratio) * ratio ** abs(j)

    kept = (p / (1 - p) ** 2) / (q / (1 - q) ** 2)
    found = {}
    for j in range(-reach, reach + 1):
        forward = (1 - kept) * pmf(q, given - j) + (kept if j == given else 0)
        found[j] = pmf(p, j) * forward / pmf(q, given)
    return found


@certificate(
    {"X08": holds},
    rejects={
        "the bridge at another time": {"moved": 1.001},
        "one release further": {"place": 1},
    },
)
def bridge_of_the_code(enclosure: Enclosure, moved: float = 1.0, place: int = 0) -> None:
    """`DiscreteLaplace.bridge` and `.loss` against Bayes' rule in exact rationals: masses and loss to 1e-12."""
    process = DiscreteLaplace()
    with ctx.workprec(PRECISION):
        for p, q, given in ((Fraction(1, 3), Fraction(1, 2), 2), (Fraction(1, 10), Fraction(4, 5), -3)):
            s, t = -1 / np.log(float(p)), -1 / np.log(float(q))
            exact = exact_bridge(p, q, given, 40)
            law = process.bridge(s * moved, t, given)
            for j in (-5, -1, 0, 1, 2, 6):
                mass = exact[j + place]
                name = f"p = {p}, {q}, X_t = {given}: P(X_s = {j})"
                enclosure.agrees(name, float(np.exp(law.logpdf(j))), _ball(mass), 1e-12)
            enclosure.less(
                f"p = {p}, {q}: the masses leave out less than 1e-15",
                1 - _ball(sum(exact.values(), Fraction(0))),
                arb(10) ** -15,
            )
            loss = float(process.loss(t, 0, 1, given))
            enclosure.agrees(f"the loss at {given}", loss, (abs(given - 1) - abs(given)) * -_ball(q).log(), 1e-12)


def _ball(number: Fraction) -> Ball:
    return arb(number.numerator) / arb(number.denominator)
