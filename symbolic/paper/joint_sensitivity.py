"""Sensitivities of the ridge statistics XᵀX and Xᵀy, apart and as a pair (Appendix E, parameter settings)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import sympy as sp

from nrverify.ledger import derivation, gap, needs, refuted
from nrverify.ledger.proof import Expr, Proof

C = sp.Symbol("c", real=True)
"""⟨x, x'⟩."""

BOUND = sp.Symbol("Y", positive=True)
ROOT_TWO = sp.sqrt(2)
ONE, TWO = sp.Integer(1), sp.Integer(2)


def frobenius_square(own: Expr, other: Expr, inner: Expr) -> Expr:
    """‖xxᵀ − x'x'ᵀ‖_F² = ‖x‖⁴ + ‖x'‖⁴ − 2⟨x, x'⟩², from the squared norms and the inner product."""
    return own**2 + other**2 - 2 * inner**2


def change_of_gram(x: Expr, other: Expr) -> Expr:
    """xxᵀ − x'x'ᵀ as a matrix."""
    return x * x.T - other * other.T


def entries_squared(matrix: Expr) -> Expr:
    """‖·‖_F²."""
    return sum(entry**2 for entry in matrix)


@derivation(
    {"E02": refuted("the printed value 2")},
    rejects={
        "the printed value 2": {"replaced": sp.Integer(2)},
        "the sum of two norms without their inner product": {"square": lambda own, other, inner: own**2 + other**2},
        "√2 also when a record is added": {"added": ROOT_TWO},
    },
)
def gram_matrix(
    proof: Proof,
    replaced: Expr = ROOT_TWO,
    square: Callable[..., Expr] = frobenius_square,
    added: Expr = ONE,
) -> None:
    """With unit data points replacing a record changes XᵀX by at most √2 in the Frobenius norm, adding one by 1."""
    x, other = (sp.Matrix(sp.symbols(f"{name}_1:4", real=True)) for name in ("x", "z"))
    inner, own_norm, other_norm = (x.dot(other), x.dot(x), other.dot(other))
    proof.note("Any dimension", "‖A − B‖_F² = tr A² + tr B² − 2 tr AB, tr(xxᵀxxᵀ) = ‖x‖⁴ and tr(xxᵀx'x'ᵀ) = ⟨x, x'⟩²")
    by_entries = entries_squared(change_of_gram(x, other))
    expected = square(own_norm, other_norm, inner)
    proof.equal("In three coordinates, entry by entry", by_entries, expected, sp.expand)
    unit = square(ONE, ONE, C)
    proof.nonnegative("Unit vectors: 2 − ‖xxᵀ − x'x'ᵀ‖_F²", 2 - unit)
    orthogonal = change_of_gram(sp.Matrix([1, 0]), sp.Matrix([0, 1]))
    proof.equal("attained by orthogonal unit vectors: the sensitivity", sp.sqrt(entries_squared(orthogonal)), replaced)
    proof.equal("One record added or removed: ‖xxᵀ‖_F", sp.sqrt(square(ONE, sp.Integer(0), sp.Integer(0))), added)


@cache
def eigenvectors() -> tuple[Expr, Expr]:
    """(1 + √2, 1) and (1 − √2, 1), of [[1, 1], [1, −1]] for √2 and −√2."""
    return sp.Matrix([1 + ROOT_TWO, 1]), sp.Matrix([1 - ROOT_TWO, 1])


@cache
def change_by_blocks() -> Expr:
    """xxᵀ − x'x'ᵀ for the unit vectors in these directions: vvᵀ/‖v‖² − wwᵀ/‖w‖²."""
    top, bottom = (v * v.T / sp.expand(v.dot(v)) for v in eigenvectors())
    return (top - bottom).applyfunc(sp.radsimp)


@derivation(
    {"E03": refuted("the printed value 2d")},
    rejects={
        "the printed value 2d": {"value": lambda d: 2 * d},
        "√d for d in front of the ℓ₂-sensitivity": {"value": lambda d: sp.sqrt(2 * d)},
        "equality in odd dimensions too": {"odd": lambda d: ROOT_TWO * d},
    },
    uses=("joint_sensitivity.gram_matrix",),
)
def gram_matrix_entries(
    proof: Proof,
    value: Callable[[Expr], Expr] = lambda d: ROOT_TWO * d,
    odd: Callable[[Expr], Expr] = lambda d: sp.sqrt(2 * d**2 - 1),
) -> None:
    """The ℓ₁-sensitivity of XᵀX is √2·d for even d, and for odd d between √(2d² − 1) and √2·d: 2d is never reached."""
    d, m = sp.symbols("d m", positive=True)
    entries = sp.symbols("a_1:5", nonnegative=True)
    pairs = sum((a - b) ** 2 for a in entries for b in entries) / 2
    total, squares = sum(entries), sum(a**2 for a in entries)
    proof.note(
        "Cauchy–Schwarz on the d² entries", "½ΣΣ(|a_i| − |a_j|)² = d²·Σa_i² − (Σ|a_i|)², for any number of entries"
    )
    proof.equal("here for four", pairs, len(entries) * squares - total**2, sp.expand)
    proof.positive("With Σa_i² ≤ 2 (E02): Σ|a_i| ≤ √2·d, which is below 2d", 2 * d - sp.sqrt(2 * d**2))
    top, bottom = eigenvectors()
    residue = sp.Matrix([[1, 1], [1, -1]]) * top - ROOT_TWO * top
    proof.equal("(1 + √2, 1) is the top eigenvector of [[1, 1], [1, −1]]", entries_squared(residue), 0, sp.expand)
    proof.equal("orthogonal to the bottom one, (1 − √2, 1)", top.dot(bottom), 0, sp.expand)
    for size in (1, 2, 3):
        change = sp.kronecker_product(change_by_blocks(), sp.ones(size, size) / size)
        reached = sum(sp.Abs(entry) for entry in change)
        dimension = sp.Integer(2 * size)
        proof.equal(f"d = {dimension}: both ⊗ (1, …, 1) change XᵀX by an ℓ₁-norm", reached, value(dimension), sp.expand)
    proof.equal("d = 2m: (2m)² entries of size 1/(√2·m)", (2 * m) ** 2 / (ROOT_TWO * m), value(2 * m), sp.expand)

    proof.note("Odd d", "blocks of p and q, p + q = d: ‖A‖₁ ≥ ⟨sign block, A⟩, largest at its extreme eigenvectors")
    p, q, alpha, beta, eigenvalue = sp.symbols("p q alpha beta lambda", positive=True)
    block = sp.Matrix([[p, q], [p, -q]])
    proof.note("The block on (α, …, α, β, …, β)", f"α becomes {p * alpha + q * beta}, β becomes {p * alpha - q * beta}")
    spread = sp.discriminant((block - eigenvalue * sp.eye(2)).det(), eigenvalue)
    proof.equal("The gap of its eigenvalues, squared", sp.expand(spread), sp.expand((p - q) ** 2 + 8 * p * q))
    k = sp.Symbol("k", integer=True, positive=True)
    halves = sp.expand(spread.subs({p: k, q: k + 1}))
    proof.equal("p = k, q = k + 1, d = 2k + 1: 2d² − 1", halves, sp.expand(odd(2 * k + 1) ** 2), sp.expand)
    lower, upper = odd(sp.Integer(77)), ROOT_TWO * 77
    proof.true("d = 77: at least 108.889852602", sp.Rational("108.889852602") < lower)
    proof.true("and at most 108.894444303, against 154", upper < sp.Rational("108.894444303"))


@derivation(
    {"E04": needs("responses without a bound")},
    rejects={
        "responses without a bound": {"bound": BOUND},
        "1 for responses in [−1, 1]": {"value": ONE},
        "joint normalisation with sensitivity 2": {"joint": sp.Integer(2)},
    },
)
def cross_moment(proof: Proof, bound: Expr = ONE, value: Expr = TWO, joint: Expr = ONE) -> None:
    """With |y| ≤ 1 the ℓ₂-sensitivity of Xᵀy is 2 and its ℓ₁-sensitivity 2√d; with |y| ≤ Y they are 2Y and 2Y√d."""
    y, other = sp.symbols("|y| |y'|", nonnegative=True)
    proof.note(
        "Worst signs", "‖yx − y'x'‖² = y² + y'² − 2yy'c, c = ⟨x, x'⟩ ≥ −1 for unit x, x'; largest at |yy'|, c = −1"
    )
    cosine = sp.Symbol("k", nonnegative=True)
    square = y**2 + other**2 + 2 * y * other * (1 - cosine)
    proof.nonnegative("It is at most (|y| + |y'|)², with −c = 1 − k", sp.expand((y + other) ** 2 - square))
    proof.equal("(x, Y) and (x, −Y): the ℓ₂-sensitivity for |y| ≤ Y", sp.sqrt((bound + bound) ** 2), value)
    d = sp.Symbol("d", integer=True, positive=True)
    proof.equal("x = (1, …, 1)/√d: the ℓ₁-sensitivity", d * (2 * bound / sp.sqrt(d)), value * sp.sqrt(d))
    angle = sp.Symbol("theta", real=True)
    proof.note("Normalised jointly", "‖x‖ = cos θ and y = sin θ: ‖yx‖ = |sin θ cos θ|")
    proof.equal("½ − ½ sin 2θ is a square", (sp.cos(angle) - sp.sin(angle)) ** 2 / 2, (1 - sp.sin(2 * angle)) / 2)
    largest = 2 * (sp.sin(angle) * sp.cos(angle)).subs(angle, sp.pi / 4)
    proof.equal("so that ‖yx‖ ≤ ½; two records of opposite sign differ by twice that", largest, joint)


@derivation(
    {"E05": gap("the two sensitivities put together, √(2² + 2²)")},
    rejects={
        "the two sensitivities put together, √(2² + 2²)": {"value": sp.sqrt(8)},
        "the corrected sensitivities put together, √(2 + 2²)": {"value": sp.sqrt(6)},
        "orthogonal data points": {"inner": sp.Integer(0)},
    },
    uses=(
        "joint_sensitivity.gram_matrix",
        "joint_sensitivity.cross_moment",
    ),
)
def ridge_pair(proof: Proof, value: Expr = 3 / ROOT_TWO, inner: Expr = ONE / 2) -> None:
    """Released as one vector, (XᵀX, Xᵀy) has ℓ₂-sensitivity 3/√2, at ⟨x, x'⟩ = ½ and y = −y' = 1."""
    y, other = sp.symbols("y y'", real=True)
    square = frobenius_square(ONE, ONE, C) + y**2 + other**2 - 2 * y * other * C
    hessian = sp.hessian(square, (y, other))
    t = sp.Symbol("t", real=True)
    proof.nonnegative("In (y, y') it is convex: the trace of its Hessian", hessian.trace())
    determinant = hessian.det().subs(C, (1 - t**2) / (1 + t**2))
    proof.nonnegative("and the determinant, with c = (1−t²)/(1+t²) any cosine", sp.factor(determinant))
    proof.note("Hence", "on |y|, |y'| ≤ 1 the maximum is at a corner; y = y' at c is y = −y' at −c")
    opposite = square.subs({y: 1, other: -1})
    proof.equal("y = y' = 1 at −c", square.subs({y: 1, other: 1, C: -C}, simultaneous=True), opposite, sp.expand)
    proof.equal("At the corner: 9/2 − 2(c − ½)²", opposite, sp.Rational(9, 2) - 2 * (C - ONE / 2) ** 2, sp.expand)
    proof.equal("the sensitivity, its root", sp.sqrt(opposite.subs(C, ONE / 2)), value)
    x, rotated = sp.Matrix([1, 0]), sp.Matrix([inner, sp.sqrt(1 - inner**2)])
    moved = entries_squared(change_of_gram(x, rotated)) + entries_squared(x + rotated)
    proof.equal("reached by x = (1, 0), x' = (½, √3/2), y = 1, y' = −1", sp.sqrt(moved), value)
    proof.positive("It is less than the two put together", sp.sqrt(8) - value)
