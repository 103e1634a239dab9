"""Sensitivities of the logistic minimiser and of the losses used as utilities (Section 6 and Appendix E)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp
from flint import arb, ctx

from nrverify.ledger import certificate, derivation, holds, refuted, supports
from nrverify.ledger.assumptions import STRONG_CONVEXITY
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure, certainly
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.tools.inner_products import vector

N, LAMBDA = sp.symbols("n lambda", positive=True)
M = sp.Symbol("m", real=True)
"""Records, regularisation, and the margin m = y⟨x, β⟩ of a record."""
ONE, THREE = sp.Integer(1), sp.Integer(3)


def logistic(margin: Expr) -> Expr:
    """log(1 + e^{−m})."""
    return sp.log(1 + sp.exp(-margin))


def slope(margin: Expr) -> Expr:
    """σ(−m) = 1/(1 + e^m), so that the gradient of the loss is −σ(−m)·yx."""
    return 1 / (1 + sp.exp(margin))


@derivation(
    {"E01": holds},
    rejects={
        "gradients of norm at most ½": {"steepest": sp.Rational(1, 2)},
        "(λ/2)-strong convexity": {"convexity": LAMBDA / 2},
        "ℓ₁ without √d": {"dimension": ONE},
        "add or remove: 1/((n+1)λ)": {"pulls": 1},
    },
    assumes=(STRONG_CONVEXITY,),
)
def logistic_minimiser(
    proof: Proof,
    steepest: Expr = ONE,
    convexity: Expr = LAMBDA,
    dimension: Expr = THREE,
    pulls: int = 2,
) -> None:
    """Replacing a unit record moves the minimiser by less than 2/(nλ) in ℓ₂ and 2√d/(nλ) in ℓ₁: upper bounds."""
    proof.equal("dℓ/dm = −σ(−m)", sp.diff(logistic(M), M), -slope(M), sp.cancel)
    odds = sp.Symbol("w", positive=True)
    proof.nonnegative("‖∇ℓ‖ = σ(−m) for unit x, e^m = w: below its bound", sp.factor(steepest - 1 / (1 + odds)))
    proof.positive("ℓ is convex: its slope −σ(−m) rises", sp.exp(M) / (1 + sp.exp(M)) ** 2)
    proof.equal("at the rate e^m/(1 + e^m)²", sp.diff(-slope(M), M), sp.exp(M) / (1 + sp.exp(M)) ** 2, sp.cancel)
    own, other = vector("β"), vector("β'")
    step = own - other
    regular = (LAMBDA * own - LAMBDA * other).dot(step)
    proof.equal("⟨∇(λ‖β‖²/2) − ∇(λ‖β'‖²/2), β − β'⟩", regular, convexity * step.square(), sp.expand)
    proof.note("Strong convexity", "⟨∇F(β) − ∇F(β'), β − β'⟩ ≥ λ‖β − β'‖², the losses adding a non-negative term")
    proof.note("Minimisers", "∇F(β) = 0; ∇F'(β') = 0 with F' = F + (ℓ' − ℓ)/n, so ∇F(β') = (∇ℓ − ∇ℓ')(β')/n")
    proof.note("Cauchy–Schwarz", "λ‖β − β'‖² ≤ ⟨−∇F(β'), β − β'⟩ ≤ ‖∇ℓ − ∇ℓ'‖·‖β − β'‖/n")
    also = sp.Symbol("w'", positive=True)
    apart = sp.factor(2 - 1 / (1 + odds) - 1 / (1 + also))
    proof.positive("Two gradients differ by less than 2, so ‖β − β'‖ < 2/(nλ): the slack times nλ", apart)
    entries = sp.symbols("a_1:4", nonnegative=True)
    pairs = sum((a - b) ** 2 for a in entries for b in entries) / 2
    spare = dimension * sum(a**2 for a in entries) - sum(entries) ** 2
    proof.equal("ℓ₁ ≤ √d·ℓ₂: d·Σa² − (Σ|a|)² = ½ΣΣ(|a_i| − |a_j|)², here d = 3", spare, pairs, sp.expand)

    beta, pull = vector("β"), vector("g")
    proof.note("One more record", "at the minimiser β of n records their mean gradient is −λβ; g is the new gradient")
    gradient = (N / (N + 1)) * (-LAMBDA * beta) + (1 / (N + 1)) * pull + LAMBDA * beta
    expected = (1 / (N + 1)) * (LAMBDA * beta + pull)
    proof.equal("∇F_{n+1}(β) = (λβ + g)/(n+1)", (gradient - expected).square(), 0, sp.cancel)
    proof.note(
        "Norms", "λ‖β‖ is the norm of a mean of gradients, ‖g‖ that of one: both below 1, 1/(1 + w) and 1/(1 + w')"
    )
    total = sp.factor(pulls - 1 / (1 + odds) - 1 / (1 + also))
    proof.positive("‖∇F_{n+1}(β)‖ < 2/(n+1), and λ-strong convexity divides by λ: the slack times (n+1)", total)


def norm_bound(regularisation: Ball) -> Ball:
    """√(W₀(1/e)/λ): λ‖β*‖² is a mean of m·σ(−m), whose maximum is W₀(1/e)."""
    return ((arb(1) / arb(1).exp()).lambertw() / regularisation).sqrt()


OMEGA = sp.Symbol("w", positive=True)
"""w = W₀(1/e), the positive number with we^w = 1/e."""
PEAK = (1 + OMEGA, 1 / OMEGA)
"""m = 1 + w and e^m = e·e^w = 1/w."""


@derivation(
    {"E01": supports},
    rejects={"maximum at m = 1": {"peak": (ONE, sp.E)}},
    assumes=(STRONG_CONVEXITY,),
)
def norm_of_the_minimiser(proof: Proof, peak: tuple[Expr, Expr] = PEAK) -> None:
    """λ‖β*‖² is a mean of m_iσ(−m_i), at most W₀(1/e): ‖β*‖ ≤ √(W₀(1/e)/λ)."""
    proof.note("At the minimiser", "λβ = mean of σ(−m_i)y_ix_i; take the inner product with β")
    rise = 1 + sp.exp(M) - M * sp.exp(M)
    scaled = sp.cancel(sp.diff(M * slope(M), M) * (1 + sp.exp(M)) ** 2)
    proof.equal("(1 + e^m)²·d(mσ(−m))/dm", scaled, rise, sp.expand)
    below, beyond = sp.symbols("j k", positive=True)
    proof.positive("It is positive for m = 1 − j", 1 + sp.expand(below * sp.exp(1 - below)))
    proof.positive("and falls for m = k > 0: one maximum", -sp.diff(rise, M).subs(M, beyond))
    margin, grown = peak
    proof.equal("at m = 1 + w, e^m = 1/w", 1 + grown - margin * grown, 0, sp.cancel)
    proof.equal("where mσ(−m) =", margin / (1 + grown), OMEGA, sp.cancel)


@certificate(
    {"E01": supports},
    rejects={
        "constant 1.3275": {"constant": 1.3275},
        "‖β*‖ ≤ 2.35": {"radius": 2.35},
    },
)
def logistic_constant(enclosure: Enclosure, constant: float = 1.3276, radius: float = 2.3599) -> None:
    """λ = 0.05: ‖β*‖ ≤ 2.3599, and two gradients at one β of that size differ by less than 1.3276."""
    with ctx.workprec(PRECISION):
        bound = norm_bound(arb(5) / 100)
        enclosure.less("‖β*‖ ≤ √(W₀(1/e)/λ)", bound, arb(radius) + arb("0.00005"))
        enclosure.less("to four digits", arb(radius) - arb("0.00005"), bound)
        enclosure.note(
            "Two gradients",
            "sizes σ(r cos θ_i), θ_i the angles to −β, r = ‖β‖; furthest apart on opposite sides of β: "
            "the squared distance is σ_1² + σ_2² − 2σ_1σ_2·cos(θ_1 + θ_2)",
        )
        angle = arb("1.0882")
        nearly = _distance_square(angle, angle, bound).sqrt()
        enclosure.less("At θ_1 = θ_2 = 1.0882 and the largest r: their distance", nearly, arb(constant))
        limit = arb(constant) ** 2

        def decide(box: Sequence[Ball]) -> bool | None:
            square = _distance_square(*box)
            return certainly(square < limit, square > limit)

        reach, half_turn = float(bound.upper()), 3.1415927
        enclosure.everywhere("Below the constant, for all θ_1, θ_2, r", [(0.0, half_turn)] * 2 + [(0.0, reach)], decide)


def _distance_square(first: Ball, second: Ball, radius: Ball) -> Ball:
    """σ_1² + σ_2² − 2σ_1σ_2·cos(θ_1 + θ_2) over a box, in mean-value form: midpoint + gradient · half-widths."""

    def parts(angle: Ball, radius: Ball) -> tuple[Ball, Ball, Ball]:
        cosine = angle.cos()
        size = 1 / (1 + (-radius * cosine).exp())
        rate = size * (1 - size)
        return size, -radius * angle.sin() * rate, cosine * rate

    def square(one: Ball, two: Ball, radius: Ball) -> Ball:
        a, b = parts(one, radius)[0], parts(two, radius)[0]
        return a * a + b * b - 2 * a * b * (one + two).cos()

    middles = [arb(x.mid()) for x in (first, second, radius)]
    widths = [x - middle for x, middle in zip((first, second, radius), middles, strict=True)]
    (a, a_angle, a_radius), (b, b_angle, b_radius) = parts(first, radius), parts(second, radius)
    cosine, sine = (first + second).cos(), (first + second).sin()
    gradient = (
        2 * (a - b * cosine) * a_angle + 2 * a * b * sine,
        2 * (b - a * cosine) * b_angle + 2 * a * b * sine,
        2 * (a - b * cosine) * a_radius + 2 * (b - a * cosine) * b_radius,
    )
    return sum((rate * width for rate, width in zip(gradient, widths, strict=True)), square(*middles))


def logistic_unit(size: Expr) -> Expr:
    """Δ(β) = ‖β‖/n."""
    return size / N


def squared_unit(size: Expr) -> Expr:
    """Δ(β) = (1 + ‖β‖)²/(2n)."""
    return (1 + size) ** 2 / (2 * N)


def one_for_all(size: Expr) -> Expr:
    """One Δ for every β, as the algorithm asks."""
    return sp.Symbol("Delta", positive=True)


@derivation(
    {"E07": refuted("one Δ for every β, as printed")},
    rejects={
        "one Δ for every β, as printed": {"logistic_delta": one_for_all, "squared_delta": one_for_all},
        "‖β‖²/2n for the squared loss": {"squared_delta": lambda size: size**2 / (2 * N)},
        "‖β‖/2n for the logistic loss": {"logistic_delta": lambda size: size / (2 * N)},
    },
)
def losses_as_utilities(
    proof: Proof,
    logistic_delta: Callable[[Expr], Expr] = logistic_unit,
    squared_delta: Callable[[Expr], Expr] = squared_unit,
) -> None:
    """One record moves the mean logistic loss by up to ‖β‖/n and the squared loss by (1+‖β‖)²/2n: divide by these."""
    size = sp.Symbol("B", positive=True)
    proof.note("Range", "‖x‖ ≤ 1, |y| ≤ 1, ‖β‖ = B: margins and predictions lie in [−B, B], and every value occurs")
    proof.positive("The logistic loss falls with the margin: −dℓ/dm", slope(M))
    proof.equal(
        "e^{ℓ(−B) − ℓ(B)} = (1 + e^B)/(1 + e^{−B})", (1 + sp.exp(size)) / (1 + sp.exp(-size)), sp.exp(size), sp.cancel
    )
    proof.note("so that", "one record changes the logistic loss by at most ℓ(−B) − ℓ(B) = B, attained by x = ±β/‖β‖")
    inside = sp.Symbol("k", nonnegative=True)
    largest = (1 + size) ** 2 / 2
    nearer = (1 + size / (1 + inside)) ** 2 / 2
    proof.nonnegative("The squared loss ½(z − y)² is largest at z = −B, y = 1", sp.factor(largest - nearer))
    proof.note("and smallest, 0, at z = y", "one record changes the squared loss by at most (1 + B)²/2, attained")
    for name, change in (("logistic", size / N), ("squared", largest / N)):
        grows = sp.limit(change, size, sp.oo)
        proof.true(f"The {name} loss: unbounded over β, whose noise is unbounded", grows == sp.oo)
    normalised = {"logistic": size / N / logistic_delta(size), "squared": largest / N / squared_delta(size)}
    for name, moved in normalised.items():
        proof.equal(f"u/Δ(β) for the {name} loss has sensitivity", sp.cancel(moved), 1, sp.expand)
    u, tau, unit = sp.symbols("u tau Delta(β)", positive=True)
    proof.equal(
        "Test against τ/Δ(β), allowed since β is public (R03): same sign", unit * (u / unit - tau / unit), u - tau
    )
